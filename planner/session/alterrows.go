package session

import (
	"context"
	"slices"

	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// What ALTER TABLE does to rows: it reads and writes them by plans made here, over the columns that the binder's expressions see.

// colsOf gives ids to the live columns of a relation.
func colsOf(rel *catalog.Relation) []plan.Col {
	var out []plan.Col
	for _, c := range rel.Columns {
		if !c.Dropped {
			out = append(out, plan.Col{ID: plan.ColID(len(out) + 1), Name: c.Name, Type: c.Type, Mod: c.Mod, Table: uint32(rel.ID), Attr: c.Num})
		}
	}
	return out
}

// scanOf reads the columns cols of the relation's rows as they are stored under the descriptor before.
func (a *alterer) scanOf(before *catalog.Relation, cols []plan.Col) *plan.Scan {
	rel := *before
	rel.Version, rel.Shape = a.rel.Version, a.rel.Shape // it is the newest descriptor that the store wants to see
	s := &plan.Scan{Rel: &rel, Alias: before.Name}
	for _, c := range cols {
		if k := before.Attr(c.Attr); k != nil {
			s.Out = append(s.Out, plan.ScanCol{Col: c, Src: storage.ScanCol{Kind: storage.ColField, Field: k.Field, Type: k.Type, Mod: k.Mod, Name: k.Name}})
		}
	}
	return s
}

// refuseRows fails with e when the relation has a row for which pred is true; a nil pred means any row.
func (a *alterer) refuseRows(ctx context.Context, before *catalog.Relation, cols []plan.Col, pred plan.Expr, e *dberr.Error) error {
	var n plan.Node = a.scanOf(before, cols)
	if pred != nil {
		n = &plan.Filter{Input: n, Pred: pred}
	}
	one := &plan.Const{Typed: plan.Typed{T: value.Int8, M: -1}, Val: value.Int(1)}
	n = &plan.Limit{Input: n, Count: one}
	q := &plan.Query{Root: n, Out: n.Cols(), Tag: "SELECT", ReadOnly: true, HasRows: true}
	if err := a.txn.BeginStatement(ctx); err != nil { // what an action before has written counts
		return err
	}
	rows, _, err := runOnce(ctx, &a.p.rt, q)
	if err != nil {
		return err
	}
	if rows.n > 0 {
		e.Table = a.rel.Name
		return e
	}
	return nil
}

// rewrite gives columns of every row the values of expressions over the row as it was before.
func (a *alterer) rewrite(ctx context.Context, before *catalog.Relation, cols []plan.Col, sets ...plan.Assign) error {
	next := plan.ColID(0)
	for _, c := range cols {
		next = max(next, c.ID)
	}
	next += 1 << 16 // beyond the ids that the expression binds for itself
	scan := a.scanOf(before, cols)
	next++
	key := plan.Col{ID: next, Name: "key", Type: value.Bytea, Mod: -1}
	next++
	raw := plan.Col{ID: next, Name: "raw", Type: value.Bytea, Mod: -1}
	scan.Out = append(scan.Out, plan.ScanCol{Col: key, Src: storage.ScanCol{Kind: storage.ColRowKey}}, plan.ScanCol{Col: raw, Src: storage.ScanCol{Kind: storage.ColRaw}})
	up := &plan.Update{Rel: a.rel, Input: scan, RowKey: key.ID, Raw: raw.ID, Sets: sets}
	for _, c := range a.rel.Columns {
		if !c.Dropped {
			next++
			up.NewCols = append(up.NewCols, plan.Col{ID: next, Name: c.Name, Type: c.Type, Mod: c.Mod, Table: uint32(a.rel.ID), Attr: c.Num})
		}
	}
	if err := a.txn.BeginStatement(ctx); err != nil {
		return err
	}
	_, _, err := a.s.runToEnd(ctx, &a.p.rt, &plan.Query{Root: up, Tag: "UPDATE"})
	return err
}

// storeAnew gives the relation the descriptor that edit makes of it and all rows new places, as their keys and those of its indexes may be
// others afterwards. The columns cols of the rows are as they were before, but for those that sets computes over cols.
func (a *alterer) storeAnew(ctx context.Context, before *catalog.Relation, cols []plan.Col, edit func(r *catalog.Relation) error, sets ...plan.Assign) error {
	if err := a.txn.Truncate(ctx, before.ID); err != nil {
		return err
	}
	a.rel = a.txn.Catalog().RelationByID(before.ID)
	if err := a.change(ctx, edit); err != nil {
		return err
	}
	for _, x := range a.txn.Catalog().IndexesOf(a.rel) {
		if err := a.keysOf(ctx, x); err != nil {
			return err
		}
	}
	a.rel = a.txn.Catalog().RelationByID(before.ID)
	next := plan.ColID(0)
	for _, c := range cols {
		next = max(next, c.ID)
	}
	next += 1 << 16 // beyond the ids that the expression binds for itself
	scan := a.scanOf(before, cols)
	in := &plan.Project{Input: scan}
	insert := &plan.Insert{Rel: a.rel, Input: in}
	for _, o := range scan.Out {
		c := a.rel.Attr(o.Attr)
		if c.Dropped {
			continue
		}
		var item plan.Expr = &plan.ColRef{Typed: plan.Typed{T: o.Type, M: o.Mod}, ID: o.ID, Name: o.Name}
		if i := slices.IndexFunc(sets, func(s plan.Assign) bool { return s.Attr == c.Num }); i >= 0 {
			item = sets[i].Expr
		}
		next += 2
		in.Items, in.Out = append(in.Items, item), append(in.Out, plan.Col{ID: next, Name: c.Name, Type: c.Type, Mod: c.Mod})
		insert.Target = append(insert.Target, *c)
		insert.NewCols = append(insert.NewCols, plan.Col{ID: next + 1, Name: c.Name, Type: c.Type, Mod: c.Mod, Table: uint32(a.rel.ID), Attr: c.Num})
	}
	if err := a.txn.BeginStatement(ctx); err != nil {
		return err
	}
	_, _, err := a.s.runToEnd(ctx, &a.p.rt, &plan.Query{Root: insert, Tag: "INSERT"})
	return err
}

// keysOf gives the keys of an index the types that their columns have now.
func (a *alterer) keysOf(ctx context.Context, x *catalog.Index) error {
	y := *x
	y.Keys = slices.Clone(x.Keys)
	changed := false
	for i := range y.Keys {
		k := &y.Keys[i]
		if c := a.rel.Attr(k.Col); k.Col != 0 && k.Type != nil && c != nil && k.Expr == "" && len(k.Path) == 0 && k.Type.OID != c.Type.OID {
			k.Type, changed = c.Type, true
		}
	}
	if !changed {
		return nil
	}
	return a.txn.Define(ctx, &y)
}
