package session

import (
	"context"
	"math"
	"slices"

	"github.com/omgdb/omgdb/planner/bind"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// alterEnum adds or renames a label. Stored values are labels: when one gets another name, the rows that may hold it are written anew.
func (s *Session) alterEnum(ctx context.Context, p *Portal, st *plan.AlterEnum) error {
	txn, err := s.beginStatement(ctx)
	if err != nil {
		return err
	}
	t := txn.Catalog().TypeByID(catalog.ID(st.Type.OID))
	if t == nil {
		return storage.ErrStale
	}
	def := *t.Def
	def.Labels = slices.Clone(def.Labels)
	if st.Old != "" {
		i := slices.Index(def.Labels, st.Old)
		switch {
		case i < 0:
			return dberr.New(dberr.InvalidParameterValue, `"%s" is not an existing enum label`, st.Old)
		case slices.Contains(def.Labels, st.Label):
			return dberr.New(dberr.DuplicateObject, `enum label "%s" already exists`, st.Label)
		}
		n := *t
		n.Def, def.Labels[i] = &def, st.Label
		p.prepareRun(txn)
		if err := s.redefine(ctx, p, txn, &n, nil); err != nil {
			return err
		}
		return s.relabel(ctx, txn, st.Old, st.Label)
	}
	if slices.Contains(def.Labels, st.Label) {
		if st.IfNotExists {
			s.Notice("NOTICE", dberr.DuplicateObject, `enum label "`+st.Label+`" already exists, skipping`)
			return nil
		}
		return dberr.New(dberr.DuplicateObject, `enum label "%s" already exists`, st.Label)
	}
	at := len(def.Labels)
	if st.Neighbour != "" {
		if at = slices.Index(def.Labels, st.Neighbour); at < 0 {
			return dberr.New(dberr.InvalidParameterValue, `"%s" is not an existing enum label`, st.Neighbour)
		}
		if st.After {
			at++
		}
	}
	place, ok := placeAt(&def, at)
	if !ok {
		return dberr.New(dberr.ProgramLimitExceeded, `there is no room for enum label "%s" at this place`, st.Label).
			WithDetail("Between two labels about fifty can be added.").WithHint("Make a new type with the labels, and alter the columns to it.")
	}
	def.Labels, def.Places = slices.Insert(def.Labels, at, st.Label), place
	n := *t
	n.Def = &def
	return retype(ctx, txn, &n)
}

// placeAt gives the places of an enum's labels with one more at a position: halfway between its neighbours, so that no key of an index
// changes. ok is false when no number is left between them.
func placeAt(t *value.Type, at int) (places []float64, ok bool) {
	for i := range t.Labels {
		places = append(places, t.Place(int64(i)))
	}
	var p float64
	switch n := len(places); {
	case n == 0:
	case at == n:
		p = math.Floor(places[n-1]) + 1
	case at == 0:
		p = math.Ceil(places[0]) - 1
	default:
		if p = (places[at-1] + places[at]) / 2; p == places[at-1] || p == places[at] {
			return nil, false
		}
	}
	return slices.Insert(places, at, p), true
}

// relabel writes the stored texts that name a label under its new name: views, defaults, checks and indexes.
func (s *Session) relabel(ctx context.Context, txn *storage.Txn, old, label string) error {
	bc := s.ownContext(txn)
	var failed error
	by := func(text *string, query bool, check func(t string) error) bool {
		if failed != nil || *text == "" {
			return false
		}
		was := *text
		*text, failed = bind.Relabel(was, query, old, label, func(t string) bool { return check(t) == nil })
		return *text != was
	}
	again := func(text *string, query bool, rel *catalog.Relation) bool {
		return by(text, query, func(t string) error {
			if query {
				return bind.CheckQuery(ctx, bc, t)
			}
			_, err := bind.Expr(ctx, bc, t, rel, colsOf(rel), nil, -1)
			return err
		})
	}
	for _, t := range txn.Catalog().Types(0) {
		n := *t
		n.Checks = slices.Clone(t.Checks)
		changed := by(&n.Default, false, func(text string) error {
			_, err := bind.Expr(ctx, bc, text, nil, nil, t.Def, -1)
			return err
		})
		for i := range n.Checks {
			changed = by(&n.Checks[i].Expr, false, func(text string) error {
				_, err := bind.DomainCheck(ctx, bc, text, plan.Col{ID: 1, Type: t.Def})
				return err
			}) || changed
		}
		if changed && failed == nil {
			failed = txn.Define(ctx, &n)
		}
	}
	for _, r := range txn.Catalog().AllRelations() {
		n := *r
		n.Columns, n.Checks = slices.Clone(r.Columns), slices.Clone(r.Checks)
		changed := again(&n.ViewSQL, true, r)
		for i := range n.Columns {
			changed = again(&n.Columns[i].Default, false, r) || changed
		}
		for i := range n.Checks {
			changed = again(&n.Checks[i].Expr, false, r) || changed
		}
		for _, x := range txn.Catalog().IndexesOf(r) {
			y := *x
			y.Keys = slices.Clone(x.Keys)
			keys := again(&y.Where, false, r)
			for i := range y.Keys {
				keys = again(&y.Keys[i].Expr, false, r) || keys
			}
			if keys && failed == nil {
				failed = txn.Define(ctx, &y)
			}
		}
		if changed && failed == nil {
			_, failed = txn.AlterRelation(ctx, n)
		}
	}
	return failed
}
