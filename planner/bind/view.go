package bind

import (
	"context"

	"github.com/omgdb/omgdb/planner/parse"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// maxViewDepth bounds views over views.
const maxViewDepth = 100

// viewQuery binds the stored text of a view. Its names were qualified when the view was made.
func (b *binder) viewQuery(rel *catalog.Relation) (*query, error) {
	if b.depth++; b.depth > maxViewDepth {
		return nil, dberr.New(dberr.InvalidObjectDef, "infinite recursion detected in rules for relation \"%s\"", rel.Name)
	}
	defer func() { b.depth-- }()
	stmts, err := parse.Parse(rel.ViewSQL)
	if err != nil || len(stmts) != 1 || stmts[0].Node.GetSelectStmt() == nil {
		return nil, dberr.Wrap(err, dberr.DataCorrupted, "the stored query of view \"%s\" is damaged", rel.Name)
	}
	outer := b.viewOwner
	b.viewOwner = rel.Owner
	b.inView++
	q, err := b.unplaced(func() (*query, error) { return b.selectStmt(nil, stmts[0].Node.GetSelectStmt(), subOpts) })
	b.viewOwner = outer
	b.inView--
	return q, err
}

// unplaced runs f, whose text is not the statement's: what it binds has no position there, nor have its errors.
func (b *binder) unplaced(f func() (*query, error)) (*query, error) {
	pos := b.pos
	b.pos = map[plan.Expr]int{}
	q, err := f()
	b.pos = pos
	if err != nil {
		e := *dberr.As(err)
		e.Position = 0
		return nil, &e
	}
	return q, nil
}

// stored binds the text of a stored expression over the columns of a relation (see Expr).
func (b *binder) stored(text string, rel *catalog.Relation, cols []plan.Col, want *value.Type, mod int32) (plan.Expr, error) {
	n, err := parse.ParseExpr(text)
	if err != nil {
		return nil, dberr.Wrap(err, dberr.DataCorrupted, "the stored expression %q is damaged: %v", text, err)
	}
	s := &scope{clause: inCheck}
	if rel != nil {
		b.addItem(s, b.newRowItem(rel, cols))
	}
	var out plan.Expr
	_, err = b.unplaced(func() (*query, error) {
		e, err := b.expr(s, n)
		if err != nil || want == nil {
			out = e
			return nil, err
		}
		out, err = b.assign(e, want, mod, func(from *value.Type) error {
			return dberr.New(dberr.DatatypeMismatch, "expression %s is of type %s but type %s is wanted", text, from.SQL, want.SQL)
		})
		return nil, err
	})
	return out, err
}

// DomainCheck binds a domain's check over a column, which it sees as VALUE.
func DomainCheck(ctx context.Context, bc *Context, text string, c plan.Col) (plan.Expr, error) {
	b := newBinder(ctx, bc, parse.Stmt{})
	c.Name, c.Type = "value", baseType(c.Type)
	b.nextID = c.ID + 1<<8
	return b.domainCheck(text, c)
}

// domainCheck binds a domain's check, which sees the value as VALUE.
func (b *binder) domainCheck(text string, c plan.Col) (plan.Expr, error) {
	n, err := parse.ParseExpr(text)
	if err != nil {
		return nil, err
	}
	s := &scope{clause: inCheck}
	b.addItem(s, b.queryItem([]plan.Col{c}))
	var out plan.Expr
	_, err = b.unplaced(func() (*query, error) {
		e, err := b.expr(s, n)
		if err == nil {
			out, err = b.boolean(e, "CHECK")
		}
		return nil, err
	})
	return out, err
}
