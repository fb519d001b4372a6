package session

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
)

// How foreign keys come and go. A constraint stands in the descriptor of its table; the table that it refers to lists the tables that
// refer to it, so that a write needs no search.

// addForeign adds foreign keys to a table.
func addForeign(ctx context.Context, txn *storage.Txn, id catalog.ID, keys []plan.ForeignKey) error {
	if len(keys) == 0 {
		return nil
	}
	child := *txn.Catalog().RelationByID(id)
	child.Foreign = slices.Clone(child.Foreign)
	for _, k := range keys {
		f := k.ForeignKey
		f.ID = txn.NewID()
		if k.RefSelf {
			f.RefTable = id
		}
		child.Foreign = append(child.Foreign, f)
	}
	if _, err := txn.AlterRelation(ctx, child); err != nil {
		return err
	}
	return linkReferrers(ctx, txn, id)
}

// linkReferrers makes the tables that a table refers to list it.
func linkReferrers(ctx context.Context, txn *storage.Txn, id catalog.ID) error {
	for _, f := range txn.Catalog().RelationByID(id).Foreign {
		parent := txn.Catalog().RelationByID(f.RefTable)
		if parent == nil {
			return storage.ErrStale
		}
		if slices.Contains(parent.Referrers, id) {
			continue
		}
		r := *parent
		r.Referrers = append(slices.Clone(parent.Referrers), id)
		if _, err := txn.AlterRelation(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// removeForeign removes the foreign keys of a table for which gone is true.
func removeForeign(ctx context.Context, txn *storage.Txn, id catalog.ID, gone func(*catalog.ForeignKey) bool) error {
	child := *txn.Catalog().RelationByID(id)
	var left []catalog.ForeignKey
	var parents []catalog.ID
	for i := range child.Foreign {
		if f := child.Foreign[i]; gone(&f) {
			parents = append(parents, f.RefTable)
		} else {
			left = append(left, f)
		}
	}
	if len(parents) == 0 {
		return nil
	}
	child.Foreign = left
	if _, err := txn.AlterRelation(ctx, child); err != nil {
		return err
	}
	for _, p := range parents {
		parent := txn.Catalog().RelationByID(p)
		if parent == nil || slices.ContainsFunc(left, func(f catalog.ForeignKey) bool { return f.RefTable == p }) {
			continue
		}
		r := *parent
		r.Referrers = slices.DeleteFunc(slices.Clone(parent.Referrers), func(x catalog.ID) bool { return x == id })
		if _, err := txn.AlterRelation(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// unlink removes the foreign keys from and to a table that is about to go.
func unlink(ctx context.Context, txn *storage.Txn, rel *catalog.Relation) error {
	for _, id := range rel.Referrers {
		if id == rel.ID || txn.Catalog().RelationByID(id) == nil {
			continue
		}
		if err := removeForeign(ctx, txn, id, func(f *catalog.ForeignKey) bool { return f.RefTable == rel.ID }); err != nil {
			return err
		}
	}
	return removeForeign(ctx, txn, rel.ID, func(f *catalog.ForeignKey) bool { return f.RefTable != rel.ID })
}

// foreignRef is a foreign key of another table.
type foreignRef struct {
	table *catalog.Relation
	key   catalog.ForeignKey
}

// refsTo lists the foreign keys to a relation for which pick is true, but for those of the tables in except.
func refsTo(v *catalog.View, rel *catalog.Relation, except []catalog.ID, pick func(*catalog.ForeignKey) bool) (out []foreignRef) {
	for _, id := range rel.Referrers {
		child := v.RelationByID(id)
		if child == nil || slices.Contains(except, id) {
			continue
		}
		for _, f := range child.Foreign {
			if f.RefTable == rel.ID && (pick == nil || pick(&f)) {
				out = append(out, foreignRef{child, f})
			}
		}
	}
	return out
}

// mayDrop refuses to drop what foreign keys depend on, unless cascade says that they go too: then it tells of them. what is the object,
// on what they depend on.
func (s *Session) mayDrop(refs []foreignRef, cascade bool, what, on string) error {
	return s.mayDropWith(keyDependents(refs, on), cascade, what)
}

// keyDependents are foreign keys as objects that depend on one.
func keyDependents(refs []foreignRef, on string) (out []dependent) {
	for _, r := range refs {
		out = append(out, dependent{fmt.Sprintf("constraint %s on table %s", plan.QuoteIdent(r.key.Name), plan.QuoteIdent(r.table.Name)), on})
	}
	return out
}

// dropReferring removes foreign keys, for DROP … CASCADE.
func dropReferring(ctx context.Context, txn *storage.Txn, refs []foreignRef) error {
	for _, r := range refs {
		if err := removeForeign(ctx, txn, r.table.ID, func(f *catalog.ForeignKey) bool { return f.ID == r.key.ID }); err != nil {
			return err
		}
	}
	return nil
}

// truncated completes the list of tables to empty: those that refer to one of them must be in it, or come in with cascade.
func (s *Session) truncated(v *catalog.View, rels []*catalog.Relation, cascade bool) ([]*catalog.Relation, error) {
	in := map[catalog.ID]bool{}
	for _, r := range rels {
		in[r.ID] = true
	}
	for i := 0; i < len(rels); i++ {
		now := v.RelationByID(rels[i].ID)
		if now == nil {
			return nil, storage.ErrStale
		}
		for _, id := range now.Referrers {
			if in[id] {
				continue
			}
			child := v.RelationByID(id)
			if !cascade {
				return nil, dberr.New(dberr.FeatureNotSupported, "cannot truncate a table referenced in a foreign key constraint").
					WithDetail(`Table "%s" references "%s".`, child.Name, now.Name).
					WithHint(`Truncate table "%s" at the same time, or use TRUNCATE ... CASCADE.`, child.Name)
			}
			s.Notice("NOTICE", dberr.SuccessfulCompletion, `truncate cascades to table "`+child.Name+`"`)
			in[id] = true
			rels = append(rels, child)
		}
	}
	return rels, nil
}

// addForeignKey is ALTER TABLE ADD … FOREIGN KEY: unless NOT VALID, the rows there are must fit.
func (a *alterer) addForeignKey(ctx context.Context, x *plan.AlterAction) error {
	k := *x.Foreign
	k.NotValid = x.NotValid
	if err := addForeign(ctx, a.txn, a.rel.ID, []plan.ForeignKey{k}); err != nil {
		return err
	}
	a.rel = a.txn.Catalog().RelationByID(a.rel.ID)
	if x.NotValid {
		return nil
	}
	return a.validateForeign(ctx, &a.rel.Foreign[len(a.rel.Foreign)-1])
}

// validate is VALIDATE CONSTRAINT.
func (a *alterer) validate(ctx context.Context, x *plan.AlterAction) error {
	if x.Check != nil {
		return a.validateCheck(ctx, x)
	}
	i := slices.IndexFunc(a.rel.Foreign, func(f catalog.ForeignKey) bool { return f.Name == x.Constraint })
	if i < 0 {
		return dberr.New(dberr.WrongObjectType, `constraint "%s" of relation "%s" is not a foreign key or check constraint`, x.Constraint, a.rel.Name)
	}
	if !a.rel.Foreign[i].NotValid {
		return nil
	}
	if err := a.validateForeign(ctx, &a.rel.Foreign[i]); err != nil {
		return err
	}
	return a.change(ctx, func(r *catalog.Relation) error {
		r.Foreign[i].NotValid = false
		return nil
	})
}

func (a *alterer) validateCheck(ctx context.Context, x *plan.AlterAction) error {
	if !x.Check.NotValid {
		return nil
	}
	if err := a.refuseBroken(ctx, x); err != nil {
		return err
	}
	return a.change(ctx, func(r *catalog.Relation) error {
		r.Checks[slices.IndexFunc(r.Checks, func(k catalog.Check) bool { return k.Name == x.Constraint })].NotValid = false
		return nil
	})
}

// alterConstraint says when a foreign key is checked.
func (a *alterer) alterConstraint(ctx context.Context, x *plan.AlterAction) error {
	i := slices.IndexFunc(a.rel.Foreign, func(f catalog.ForeignKey) bool { return f.Name == x.Constraint })
	if i < 0 {
		return dberr.New(dberr.WrongObjectType, `constraint "%s" of relation "%s" is not a foreign key constraint`, x.Constraint, a.rel.Name)
	}
	return a.change(ctx, func(r *catalog.Relation) error {
		r.Foreign[i].Deferrable, r.Foreign[i].Deferred = x.Deferrable, x.Deferred
		return nil
	})
}

// validateForeign fails when a row refers to a key that is not there.
func (a *alterer) validateForeign(ctx context.Context, f *catalog.ForeignKey) error {
	k := &keyKeeper{s: a.s, txn: a.txn}
	fk := foreignKey{f, a.rel, a.txn.Catalog().RelationByID(f.RefTable)}
	var show, pairs, nulls []string
	for i, num := range f.Cols {
		c, r := "c."+plan.QuoteIdent(a.rel.Attr(num).Name), "p."+plan.QuoteIdent(fk.parent.Attr(f.RefCols[i]).Name)
		show, pairs, nulls = append(show, c), append(pairs, c+" = "+r), append(nulls, c+" IS NOT NULL")
	}
	given := " AND "
	if f.Match == 'f' {
		given = " OR " // a row that is NULL in part is none that fits
	}
	row, err := k.first(ctx, "SELECT "+strings.Join(show, ", ")+" FROM ONLY "+k.name(a.rel)+" c WHERE ("+strings.Join(nulls, given)+
		") AND NOT EXISTS (SELECT FROM ONLY "+k.name(fk.parent)+" p WHERE "+strings.Join(pairs, " AND ")+") LIMIT 1")
	if row == nil || err != nil {
		return err
	}
	return k.broken(fk, row)
}
