package exec

import (
	"bytes"
	"slices"

	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/key"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// access turns the expressions of a scan's plan.Access into keys and ranges of keys. A NULL among the values of a key finds nothing.
type access struct {
	n     *plan.Scan
	value func(plan.Expr) (value.Value, error)
}

// keys gives the exact row keys in key order, each once; nil when the scan doesn't go by exact keys.
func (a *access) keys() ([][]byte, error) {
	var out [][]byte
	for _, p := range a.n.Access.Point {
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
	if e := a.n.Access.AnyOf; e != nil {
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
		if vals[i], err = a.value(e); err != nil || vals[i].IsNull() {
			return nil, false, err
		}
	}
	return vals, true, nil
}

// appendKeys adds the keys under which a row with the key values may lie; a collection's _id of one text may be of several types.
func (a *access) appendKeys(to [][]byte, t *value.Type, vals []value.Value) ([][]byte, error) {
	if a.n.Rel.Kind == catalog.Collection {
		ks, err := storage.IDKeys(a.n.Rel, typeio.Text(t, vals[0], nil))
		return append(to, ks...), err
	}
	k, err := storage.PrimaryKey(a.n.Rel, vals)
	if err != nil {
		return nil, err
	}
	return append(to, k), nil
}

// ranges gives the ranges of row keys, sorted and disjoint; nil when the scan doesn't go by ranges.
func (a *access) ranges() ([]storage.KeyRange, error) {
	var out []storage.KeyRange
	for i := range a.n.Access.Ranges {
		r, ok, err := a.keyRange(&a.n.Access.Ranges[i])
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
	prefix, err := storage.PrimaryKey(a.n.Rel, eq)
	if err != nil {
		return out, false, err
	}
	out = storage.KeyRange{Start: prefix, End: key.PrefixEnd(prefix)}
	if r.Lower != nil {
		k, ok, err := a.bound(eq, r.Lower)
		if err != nil || !ok {
			return out, false, err
		}
		if out.Start = k; !r.LowerInc {
			out.Start = key.PrefixEnd(k)
		}
	}
	if r.Upper != nil {
		k, ok, err := a.bound(eq, r.Upper)
		if err != nil || !ok {
			return out, false, err
		}
		if out.End = k; r.UpperInc {
			out.End = key.PrefixEnd(k)
		}
	}
	return out, out.End == nil || bytes.Compare(out.Start, out.End) < 0, nil
}

func (a *access) bound(eq []value.Value, e plan.Expr) ([]byte, bool, error) {
	v, err := a.value(e)
	if err != nil || v.IsNull() {
		return nil, false, err
	}
	k, err := storage.PrimaryKey(a.n.Rel, append(slices.Clone(eq), v))
	return k, true, err
}
