package session

import (
	"context"
	"slices"

	"github.com/omgdb/omgdb/planner/parse"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
)

// viewsReading lists the views whose query reads a column of the relation that is altered, in the order in which they were made. The
// catalog keeps which relations a view names; which of their columns, its text tells when it is bound.
func (a *alterer) viewsReading(ctx context.Context, c *catalog.Column) ([]*catalog.Relation, error) {
	v := a.txn.Catalog()
	var out []*catalog.Relation
	for _, r := range v.AllRelations() {
		if !slices.Contains(r.Uses, a.rel.ID) {
			continue
		}
		reads, err := a.reads(ctx, r, c)
		if err != nil {
			return nil, err
		}
		if reads {
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(x, y *catalog.Relation) int { return int(x.ID) - int(y.ID) })
	return out, nil
}

// reads tells whether a view's query reads the column.
func (a *alterer) reads(ctx context.Context, view *catalog.Relation, c *catalog.Column) (bool, error) {
	stmts, err := parse.Parse(view.ViewSQL)
	if err != nil || len(stmts) != 1 {
		return false, err
	}
	bound, err := a.s.bind(ctx, stmts[0], nil, true)
	if err != nil {
		return false, nil // a view that cannot be read any more depends on nothing
	}
	q, ok := bound.(*plan.Query)
	if !ok {
		return false, nil
	}
	refs, shown := plan.ColSet{}, plan.ColSet{} // what is referred to, and the scans' columns that are the one
	scans := func(n plan.Node) bool {
		if s, ok := n.(*plan.Scan); ok && s.Rel.ID == a.rel.ID {
			for _, o := range s.Out {
				if o.Src.Kind == storage.ColField && o.Src.Field == c.Field {
					shown.Add(o.Col)
				}
			}
		}
		return true
	}
	plan.WalkNodes(q.Root, scans)
	plan.WalkExprs(q.Root, func(e plan.Expr) bool {
		switch e := e.(type) {
		case *plan.Subquery:
			plan.WalkNodes(e.Query, scans)
		case *plan.ColRef:
			refs[e.ID] = struct{}{}
		}
		return true
	})
	for id := range shown {
		if _, ok := refs[id]; ok {
			return true, nil
		}
	}
	return false, nil
}

// dropColumnViews sees to the views that read a column which is about to go, and to those over them.
func (a *alterer) dropColumnViews(ctx context.Context, c *catalog.Column, cascade bool) error {
	views, err := a.viewsReading(ctx, c)
	if err != nil || len(views) == 0 {
		return err
	}
	table := a.s.described(a.rel)
	var list []dependent
	var gone []catalog.ID
	for _, r := range views {
		if slices.Contains(gone, r.ID) {
			continue
		}
		list = append(list, dependent{what: a.s.described(r), on: "column " + plan.QuoteIdent(c.Name) + " of " + table})
		gone = append(gone, r.ID)
		for _, d := range dependentsOf(a.txn.Catalog(), r, gone) {
			list = append(list, dependent{what: a.s.described(d.rel), on: a.s.described(d.on)})
			gone = append(gone, d.rel.ID)
		}
	}
	if a.quiet {
		list = nil
	}
	if err := a.s.mayDropWith(list, cascade, "column "+plan.QuoteIdent(c.Name)+" of "+table); err != nil {
		return err
	}
	for _, id := range slices.Backward(gone) {
		if err := dropRelation(ctx, a.txn, id); err != nil {
			return err
		}
	}
	a.rel = a.txn.Catalog().RelationByID(a.rel.ID)
	return nil
}
