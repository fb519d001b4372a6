package index

import (
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/key"
	"github.com/omgdb/omgdb/storage/value"
)

// Component is how one key of an index, or of a primary key, is encoded.
type Component struct {
	Order key.Order
	Type  *value.Type
}

// Components gives those of an ordered index over columns and expressions.
func Components(rel *catalog.Relation, x *catalog.Index) []Component {
	out := make([]Component, len(x.Keys))
	for i, k := range x.Keys {
		out[i] = Component{key.Order{Desc: k.Desc, NullsFirst: k.NullsFirst}, k.Type}
		if k.Col != 0 && k.Type == nil {
			out[i].Type = rel.Attr(k.Col).Type
		}
	}
	return out
}

// PrimaryComponents gives those of a table's row key.
func PrimaryComponents(rel *catalog.Relation) []Component {
	out := make([]Component, len(rel.PrimaryKey))
	for i, num := range rel.PrimaryKey {
		out[i] = Component{Type: rel.Attr(num).Type}
	}
	return out
}

// Bound limits the component behind the equal ones.
type Bound struct {
	Value     value.Value // not NULL
	Inclusive bool
}

// Range gives the range of keys whose first components equal eq (NULL means IS NULL) and whose next one lies between lower and upper
// in the order of SQL, whatever the direction of the key; a nil bound is open, and NULLs lie outside of bounds. Without any bound the
// next component may be anything. cut tells that long values may be cut, as in index entries; exact is then false if one of these
// values was: rows must be checked again. An equality with more components than eq gives is a prefix.
func Range(cs []Component, eq []value.Value, lower, upper *Bound, cut bool) (start, end []byte, exact bool, err error) {
	exact = true
	var prefix []byte
	for i, v := range eq {
		at := len(prefix)
		if prefix, err = AppendComponent(prefix, cs[i].Order, cs[i].Type, v); err != nil {
			return nil, nil, false, err
		}
		if cut {
			var whole bool
			prefix, whole = key.Cut(prefix, at)
			exact = exact && whole
		}
	}
	if lower == nil && upper == nil {
		return prefix, key.PrefixEnd(prefix), exact, nil
	}
	c := cs[len(eq)]
	if c.Order.Desc {
		lower, upper = upper, lower
	}
	start, end = append(prefix[:len(prefix):len(prefix)], present), append(prefix[:len(prefix):len(prefix)], present+1)
	side := func(b *Bound) ([]byte, bool, error) {
		k, err := AppendComponent(prefix[:len(prefix):len(prefix)], c.Order, c.Type, b.Value)
		if err != nil || !cut {
			return k, true, err
		}
		k, whole := key.CutBound(k, len(prefix))
		return k, whole, nil
	}
	if lower != nil {
		k, whole, err := side(lower)
		if err != nil {
			return nil, nil, false, err
		}
		if start = k; whole && !lower.Inclusive {
			start = key.PrefixEnd(k)
		}
		exact = exact && whole
	}
	if upper != nil {
		k, whole, err := side(upper)
		if err != nil {
			return nil, nil, false, err
		}
		if end = k; !whole || upper.Inclusive {
			end = key.PrefixEnd(k)
		}
		exact = exact && whole
	}
	return start, end, exact, nil
}

// present is the first byte of a component that is not NULL, see package key.
const present = 0x02
