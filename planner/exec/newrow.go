package exec

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/omgdb/omgdb/planner/exec/eval"
	"github.com/omgdb/omgdb/planner/exec/vec"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// newRows checks and encodes the new state of rows of a table: a batch that has, from column first on, the columns cols.
type newRows struct {
	rel       *catalog.Relation
	cols      []plan.Col
	attrs     []*catalog.Column // of cols
	first     int
	generated []generatedCol
	checks    []checkNode
	format    *typeio.Format
	buf       []byte
}

type generatedCol struct {
	col  int // in cols
	node eval.Node
	wide value.Column
}

type checkNode struct {
	name string
	node eval.Node
}

// newRows prepares for rows whose columns in scope are all, of which cols, the relation's, begin at first.
func (b *builder) newRows(rel *catalog.Relation, all, cols []plan.Col, first int, generated map[int16]plan.Expr, checks []plan.NamedExpr) (*newRows, error) {
	r := &newRows{rel: rel, cols: cols, first: first, format: b.rt.Env.Format}
	scope := b.scope(all)
	for i, c := range cols {
		r.attrs = append(r.attrs, rel.Attr(c.Attr))
		if e := generated[c.Attr]; e != nil {
			n, err := scope.Compile(e)
			if err != nil {
				return nil, err
			}
			r.generated = append(r.generated, generatedCol{col: i, node: n})
		}
	}
	for _, c := range checks {
		n, err := scope.Compile(c.Expr)
		if err != nil {
			return nil, err
		}
		r.checks = append(r.checks, checkNode{c.Name, n})
	}
	return r, nil
}

// complete computes the generated columns of the batch.
func (r *newRows) complete(ctx context.Context, b *batch.Batch) error {
	for i := range r.generated {
		g := &r.generated[i]
		v, err := g.node.Eval(ctx, b, b.Sel)
		if err != nil {
			return err
		}
		b.Cols[r.first+g.col] = vec.Expand(v, b.Len, &g.wide)
	}
	return nil
}

// check finds the first row of the batch that breaks a constraint: its place among the rows, and the error. Without one the place is
// the number of rows.
func (r *newRows) check(ctx context.Context, b *batch.Batch) (int, error) {
	pos := vec.Positions(b.Sel, b.Len)
	bad, broken := len(pos), error(nil)
	for i, a := range r.attrs {
		c := b.Cols[r.first+i]
		if a == nil || !a.NotNull || len(c.Nulls) == 0 {
			continue
		}
		for k, p := range pos[:bad] {
			if c.Nulls[p] {
				bad, broken = k, r.nullError(b, p, a)
				break
			}
		}
	}
	for _, c := range r.checks {
		if bad == 0 {
			break
		}
		v, err := c.node.Eval(ctx, b, pos[:bad])
		if err != nil {
			return 0, err
		}
		for k, p := range pos[:bad] {
			if at := v.At(p); !v.IsNull(at) && !v.Bools[at] {
				bad, broken = k, r.checkError(b, p, c.name)
				break
			}
		}
	}
	return bad, broken
}

func (r *newRows) nullError(b *batch.Batch, p int32, a *catalog.Column) error {
	e := dberr.New(dberr.NotNullViolation, `null value in column "%s" of relation "%s" violates not-null constraint`, a.Name, r.rel.Name)
	e.Table, e.Column = r.rel.Name, a.Name
	return e.WithDetail("%s", r.failing(b, p))
}

func (r *newRows) checkError(b *batch.Batch, p int32, name string) error {
	e := dberr.New(dberr.CheckViolation, `new row for relation "%s" violates check constraint "%s"`, r.rel.Name, name)
	e.Table, e.Constraint = r.rel.Name, name
	return e.WithDetail("%s", r.failing(b, p))
}

// maxShown is how many bytes of a value an error's detail shows.
const maxShown = 64

// failing describes a row as PostgreSQL does in the detail of a constraint's error.
func (r *newRows) failing(b *batch.Batch, p int32) string {
	var s strings.Builder
	s.WriteString("Failing row contains (")
	for i, c := range r.cols {
		if i > 0 {
			s.WriteString(", ")
		}
		col := b.Cols[r.first+i]
		if col.IsNull(int(p)) {
			s.WriteString("null")
			continue
		}
		s.WriteString(clip(typeio.Text(c.Type, col.Get(int(p)), r.format)))
	}
	s.WriteString(").")
	return s.String()
}

func clip(s string) string {
	if len(s) <= maxShown {
		return s
	}
	n := maxShown
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "..."
}

// encode makes the stored document of the row at position p. The result is overwritten by the next encode.
func (r *newRows) encode(b *batch.Batch, p int32) (doc.Doc, error) {
	dst, start := doc.BeginDocument(r.buf[:0])
	for i, c := range r.cols {
		col := b.Cols[r.first+i]
		if r.attrs[i] == nil || col.IsNull(int(p)) {
			continue
		}
		var err error
		if dst, err = appendField(dst, r.attrs[i].Field, c.Type, col.Get(int(p))); err != nil {
			return nil, err
		}
	}
	dst = doc.EndDocument(dst, start)
	r.buf = dst
	if len(dst) > doc.MaxDocumentSize {
		return nil, doc.DocumentTooLarge(len(dst))
	}
	return doc.Doc(dst), nil
}

// appendField appends a stored column to a document's body.
func appendField(dst []byte, field string, t *value.Type, v value.Value) ([]byte, error) {
	at := len(dst)
	dst = append(append(append(dst, 0), field...), 0)
	typ, dst, err := typeio.ToBSON(dst, t, v)
	if err != nil {
		return nil, err
	}
	dst[at] = typ
	return dst, nil
}

// decodeField reads a stored column of a document.
func decodeField(d doc.Doc, a *catalog.Column) (value.Value, error) {
	v := d.Lookup(a.Field)
	if v.Missing() {
		return value.Null, nil
	}
	return typeio.FromBSON(a.Type, v.Type, v.Data)
}

// rowMaker makes the new state of one row at a time: from the old one or from nothing, with single columns set.
type rowMaker struct {
	rows  *newRows
	batch batch.Batch
}

func (b *builder) rowMaker(rel *catalog.Relation, cols []plan.Col, generated map[int16]plan.Expr, checks []plan.NamedExpr) (*rowMaker, error) {
	rows, err := b.newRows(rel, cols, cols, 0, generated, checks)
	if err != nil {
		return nil, err
	}
	return &rowMaker{rows: rows, batch: batch.Batch{Cols: make([]*value.Column, len(cols)), Len: 1}}, nil
}

// start begins with the stored row old; nil begins with NULLs.
func (m *rowMaker) start(old doc.Doc) error {
	for i, c := range m.rows.cols {
		v := value.Null
		if old != nil {
			var err error
			if v, err = oldValue(m.rows.rel, old, c, m.rows.attrs[i]); err != nil {
				return err
			}
		}
		m.batch.Cols[i] = value.NewColumn(c.Type, 1)
		m.batch.Cols[i].Append(v)
	}
	return nil
}

// set gives a column, counted among cols, a value.
func (m *rowMaker) set(col int, v value.Value) {
	m.batch.Cols[col] = value.NewColumn(m.rows.cols[col].Type, 1)
	m.batch.Cols[col].Append(v)
}

// column finds the column of an attribute.
func (m *rowMaker) column(attr int16) (int, error) {
	for i, c := range m.rows.cols {
		if c.Attr == attr {
			return i, nil
		}
	}
	return 0, dberr.New(dberr.InternalError, "the plan changes column %d of %s and doesn't show it", attr, m.rows.rel.Name)
}

// finish completes and checks the row and gives it as it is stored; old is the row that it replaces, nil for a new one.
func (m *rowMaker) finish(ctx context.Context, old doc.Doc) (doc.Doc, error) {
	if m.rows.rel.Kind == catalog.Collection {
		idAt, docAt := collectionColumns(m.rows.cols)
		if old != nil {
			return changedDocument(m.rows.rel, old, m.batch.Cols[docAt].Get(0))
		}
		return collectionRow(m.rows.rel, m.batch.Cols[idAt].Get(0), m.batch.Cols[docAt].Get(0))
	}
	if err := m.rows.complete(ctx, &m.batch); err != nil {
		return nil, err
	}
	if _, err := m.rows.check(ctx, &m.batch); err != nil {
		return nil, err
	}
	return m.rows.encode(&m.batch, 0)
}
