package bind

import (
	"context"

	"google.golang.org/protobuf/proto"

	pg_query "github.com/omgdb/omgdb/planner/parse/ast"

	"github.com/omgdb/omgdb/planner/parse"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
)

// Renaming is what gets another name: relations, or a column of one. Stored texts name both, so they are written anew.
type Renaming struct {
	Relations map[catalog.ID]plan.ObjName // their names from now on
	Of        catalog.ID                  // the relation with the column
	Old, New  string                      // names of the column
}

// renamed notes, while a text is bound, where it names what gets another name.
type renamed struct {
	*Renaming
	columns map[int]bool // by the place of the reference
	tables  map[*pg_query.RangeVar]plan.ObjName
}

// column notes a reference to a column of an item.
func (r *renamed) column(it *item, name string, pos int) {
	if it.rel != nil && it.rel.ID == r.Of && name == r.Old && r.Of != 0 {
		r.columns[pos] = true
	}
}

// noteColumn notes a reference that the text itself makes, not that of a view in it.
func (b *binder) noteColumn(it *item, name string, pos int) {
	if b.renamed != nil && b.inView == 0 {
		b.renamed.column(it, name, pos)
	}
}

func (r *renamed) table(rel *catalog.Relation, rv *pg_query.RangeVar) {
	if name, ok := r.Relations[rel.ID]; ok {
		r.tables[rv] = name
	}
}

// RenameInQuery gives the text of a view's query under the new names; bc still has the old ones. What the query's columns are called stays.
func RenameInQuery(ctx context.Context, bc *Context, text string, r *Renaming) (string, error) {
	stmts, err := parse.Parse(text)
	if err != nil || len(stmts) != 1 {
		return "", dberr.Wrap(err, dberr.DataCorrupted, "the stored query %q is damaged", text)
	}
	b := newBinder(ctx, bc, stmts[0])
	b.renamed = &renamed{Renaming: r, columns: map[int]bool{}, tables: map[*pg_query.RangeVar]plan.ObjName{}}
	if _, err := b.topQuery(stmts[0].Node); err != nil {
		return "", err
	}
	shown := map[*pg_query.ResTarget]string{}
	walkAST(stmts[0].Node, func(m proto.Message) bool {
		if t, ok := m.(*pg_query.ResTarget); ok && t.Name == "" {
			shown[t] = columnName(t.Val)
		}
		return true
	})
	walkAST(stmts[0].Node, func(m proto.Message) bool {
		switch x := m.(type) {
		case *pg_query.ColumnRef:
			if b.renamed.columns[loc(x.Location)] {
				x.Fields[len(x.Fields)-1] = stringNode(r.New)
			}
		case *pg_query.RangeVar:
			if name, ok := b.renamed.tables[x]; ok {
				if x.Alias == nil && name.Name != x.Relname {
					x.Alias = &pg_query.Alias{Aliasname: x.Relname}
				}
				x.Schemaname, x.Relname = name.Schema, name.Name
			}
		}
		return true
	})
	for t, name := range shown {
		if columnName(t.Val) != name {
			t.Name = name
		}
	}
	return parse.Deparse(stmts[0].Node)
}

// RenameInExpr gives the text of a stored expression over a relation after one of its columns got another name; rel still has the old one.
func RenameInExpr(ctx context.Context, bc *Context, text string, rel *catalog.Relation, r *Renaming) (string, error) {
	b := newBinder(ctx, bc, parse.Stmt{})
	cols := b.rowCols(rel)
	e, err := b.stored(text, rel, cols, nil, -1)
	if err != nil {
		return "", err
	}
	e, err = plan.Transform(e, func(x plan.Expr) (plan.Expr, error) {
		if c, ok := x.(*plan.ColRef); ok && c.Name == r.Old {
			n := *c
			n.Name = r.New
			return &n, nil
		}
		return x, nil
	})
	if err != nil {
		return "", err
	}
	return b.text(e), nil
}

// CheckQuery tells whether a view's query can be bound.
func CheckQuery(ctx context.Context, bc *Context, text string) error {
	stmts, err := parse.Parse(text)
	if err != nil || len(stmts) != 1 {
		return dberr.Wrap(err, dberr.DataCorrupted, "the stored query %q is damaged", text)
	}
	_, err = newBinder(ctx, bc, stmts[0]).topQuery(stmts[0].Node)
	return err
}
