package exec

import (
	"bytes"
	"slices"

	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// access turns the expressions of a scan's plan.Access into keys and ranges of keys. A NULL among the values of a key finds nothing;
// an index's key that IS NULL has no expression.
type access struct {
	rel   *catalog.Relation
	by    *plan.Access
	value func(plan.Expr) (value.Value, error)
	cut   bool // some value was too long for the index: its ranges may hold other rows too
}

// keys gives the exact row keys in key order, each once; nil when the scan doesn't go by exact keys.
func (a *access) keys() ([][]byte, error) {
	var out [][]byte
	for _, p := range a.by.Point {
		vals, ok, err := a.values(p)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		if out, err = a.appendKeys(out, p[0].Type(), vals); err != nil {
			return nil, err
		}
	}
	if e := a.by.AnyOf; e != nil {
		v, err := a.value(e)
		if err != nil {
			return nil, err
		}
		if !v.IsNull() {
			for _, x := range v.Box().(*value.Array).Elems {
				if x.IsNull() {
					continue
				}
				if out, err = a.appendKeys(out, e.Type().Elem, []value.Value{x}); err != nil {
					return nil, err
				}
			}
		}
	}
	slices.SortFunc(out, bytes.Compare)
	return slices.CompactFunc(out, bytes.Equal), nil
}

func (a *access) values(es []plan.Expr) (vals []value.Value, ok bool, err error) {
	vals = make([]value.Value, len(es))
	for i, e := range es {
		if e == nil {
			continue
		}
		if vals[i], err = a.value(e); err != nil || vals[i].IsNull() {
			return nil, false, err
		}
	}
	return vals, true, nil
}

// appendKeys adds the keys under which a row with the key values may lie; a collection's _id of one text may be of several types.
func (a *access) appendKeys(to [][]byte, t *value.Type, vals []value.Value) ([][]byte, error) {
	if a.rel.Kind == catalog.Collection {
		ks, err := storage.IDKeys(a.rel, typeio.Text(t, vals[0], nil))
		return append(to, ks...), err
	}
	k, err := storage.PrimaryKey(a.rel, vals)
	if err != nil {
		return nil, err
	}
	return append(to, k), nil
}

// ranges gives the ranges of keys, of the relation or of the index, sorted and disjoint; nil when the scan doesn't go by ranges.
func (a *access) ranges() ([]storage.KeyRange, error) {
	if a.by.Ranges == nil {
		return nil, nil
	}
	out := make([]storage.KeyRange, 0, len(a.by.Ranges))
	for i := range a.by.Ranges {
		r, ok, err := a.keyRange(&a.by.Ranges[i])
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(x, y storage.KeyRange) int { return bytes.Compare(x.Start, y.Start) })
	return slices.CompactFunc(out, func(x, y storage.KeyRange) bool { return bytes.Equal(x.Start, y.Start) && bytes.Equal(x.End, y.End) }), nil
}

// keyRange encodes one range; ok is false for one that holds nothing.
func (a *access) keyRange(r *plan.KeyRange) (out storage.KeyRange, ok bool, err error) {
	eq, ok, err := a.values(r.Eq)
	if err != nil || !ok {
		return out, false, err
	}
	lower, ok, err := a.bound(r.Lower, r.LowerInc)
	if err != nil || !ok {
		return out, false, err
	}
	upper, ok, err := a.bound(r.Upper, r.UpperInc)
	if err != nil || !ok {
		return out, false, err
	}
	if x := a.by.Index; x != nil {
		var exact bool
		out, exact, err = storage.IndexRange(a.rel, x, eq, lower, upper)
		a.cut = a.cut || !exact
	} else {
		out, err = storage.PrimaryRange(a.rel, eq, lower, upper)
	}
	return out, err == nil && (out.End == nil || bytes.Compare(out.Start, out.End) < 0), err
}

// bound evaluates a bound; ok is false for one that is NULL, which nothing satisfies.
func (a *access) bound(e plan.Expr, inclusive bool) (b *storage.Bound, ok bool, err error) {
	if e == nil {
		return nil, true, nil
	}
	v, err := a.value(e)
	if err != nil || v.IsNull() {
		return nil, false, err
	}
	return &storage.Bound{Value: v, Inclusive: inclusive}, true, nil
}
