package bind

import (
	"math"
	"strconv"

	pg_query "github.com/omgdb/omgdb/planner/parse/ast"

	"github.com/omgdb/omgdb/planner/parse"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// An INSERT of many rows of plain literals is read straight into columns. Whatever is not plain after all (a literal that needs a cast,
// an error that must show its place) binds the statement again the usual way.

// errNotPlain makes Bind take the usual way.
var errNotPlain = dberr.New(dberr.InternalError, "rows are not plain")

// bulkRows reads the literal rows of the statement when lists is their first row; done is false when they are something else.
func (b *binder) bulkRows(n *plan.Insert, targets []insertTarget, named bool, lists []*pg_query.Node) (done bool, err error) {
	r := b.stmt.Rows
	if r == nil || len(lists) != 1 {
		return false, nil
	}
	items := lists[0].GetList().GetItems()
	if len(items) != r.Width || firstPos(items) <= r.At {
		return false, nil
	}
	used, err := b.countTargets(targets, r.Width, named, func() int { return -1 })
	if err != nil {
		return true, err
	}
	rows := r.Len()
	out := &plan.Columns{}
	for i := range used {
		t := &used[i]
		if len(t.ind) > 0 || t.bad != nil || !plainInput(t.col.Type) {
			return true, errNotPlain
		}
		if err := b.writable(n, &t.col, false); err != nil {
			return true, err
		}
		n.Target = append(n.Target, t.col)
		out.Out = append(out.Out, b.newCol(t.col.Name, t.col.Type, t.col.Mod))
		out.Vals = append(out.Vals, value.NewColumn(t.col.Type, rows))
	}
	for i := range r.Lits {
		k := i % r.Width
		if err := b.literal(r, &r.Lits[i], &used[k].col, out.Vals[k]); err != nil {
			return true, err
		}
	}
	n.Input = out
	b.bulk = true
	return true, nil
}

// literal adds a literal to a column of its target's type.
func (b *binder) literal(r *parse.Rows, l *parse.Literal, c *catalog.Column, out *value.Column) error {
	switch l.Kind {
	case parse.NullLiteral:
		out.AppendNull()
		return nil
	case parse.TrueLiteral, parse.FalseLiteral:
		if c.Type.OID != value.Boolean.OID {
			return errNotPlain
		}
		out.Append(value.Bool(l.Kind == parse.TrueLiteral))
		return nil
	case parse.StringLiteral:
		text := r.Text(l)
		if c.Type.OID == value.Text.OID {
			out.Append(value.String(text))
			return nil
		}
		if b.dependsOnClock(c.Type, text) {
			return errNotPlain
		}
		return b.appendText(text, c, out)
	case parse.IntLiteral:
		return b.intLiteral(r.Text(l), c, out)
	}
	text := r.Text(l)
	switch c.Type.OID {
	case value.Float8.OID, value.Float4.OID:
		if f, err := strconv.ParseFloat(text, 64); err != nil || f == 0 {
			return errNotPlain // -0.0 is a numeric, which has no negative zero
		}
		return b.appendText(text, c, out)
	case value.Numeric.OID:
		return b.appendText(text, c, out)
	}
	return errNotPlain
}

// plainInput tells whether the text of a literal is a value's input as it stands: domains check it, and composites have parts.
func plainInput(t *value.Type) bool { return t.Class == value.Base || t.Class == value.Enum }

func (b *binder) appendText(text string, c *catalog.Column, out *value.Column) error {
	v, err := typeio.In(c.Type, c.Mod, text, b.Format)
	if err != nil {
		return err
	}
	out.Append(v)
	return nil
}

// intLiteral adds a whole number where the assignment cast from its type changes nothing but the form.
func (b *binder) intLiteral(text string, c *catalog.Column, out *value.Column) error {
	if c.Type.OID == value.Numeric.OID {
		return b.appendText(text, c, out)
	}
	i, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return errNotPlain
	}
	switch c.Type.OID {
	case value.Int8.OID:
		out.Append(value.Int(i))
		return nil
	case value.Int4.OID:
		if i >= math.MinInt32 && i <= math.MaxInt32 {
			out.Append(value.Int(i))
			return nil
		}
	case value.Int2.OID:
		if i >= math.MinInt16 && i <= math.MaxInt16 {
			out.Append(value.Int(i))
			return nil
		}
	case value.Float8.OID:
		out.Append(value.Float(float64(i)))
		return nil
	case value.Float4.OID:
		out.Append(value.Float(float64(float32(i))))
		return nil
	case value.Text.OID, value.Varchar.OID:
		return b.appendText(strconv.FormatInt(i, 10), c, out)
	}
	return errNotPlain
}
