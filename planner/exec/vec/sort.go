package vec

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/omgdb/omgdb/storage/value"
)

// Order is one key of a sort order.
type Order struct {
	Compare    Comparer
	Desc       bool
	NullsFirst bool
}

// CompareNulls orders value i of a against value j of b, which may be NULL.
func (o *Order) CompareNulls(a *value.Column, i int, b *value.Column, j int) int {
	an, bn := a.IsNull(i), b.IsNull(j)
	switch {
	case an && bn:
		return 0
	case an || bn:
		if an == o.NullsFirst {
			return -1
		}
		return 1
	}
	c := o.Compare(a, i, b, j)
	if o.Desc {
		return -c
	}
	return c
}

// CompareRows orders row i of a against row j of b by all keys.
func CompareRows(order []Order, a []*value.Column, i int, b []*value.Column, j int) int {
	for k := range order {
		if c := order[k].CompareNulls(a[k], i, b[k], j); c != 0 {
			return c
		}
	}
	return 0
}

// entry is a row to sort: the start of its first key as an unsigned number that orders the same way, and its index.
type entry struct {
	prefix uint64
	row    int32
}

// SortRows gives the rows 0 … n-1 in order. Of equal rows either may come first; the answer depends on nothing but the keys. keys are
// columns of n values.
func SortRows(order []Order, keys []*value.Column, n int) []int32 {
	rows := make([]int32, n)
	for i := range rows {
		rows[i] = int32(i)
	}
	SortSome(order, keys, rows)
	return rows
}

// SortSome puts rows, given in ascending order, in the order of their keys.
func SortSome(order []Order, keys []*value.Column, rows []int32) {
	if len(order) == 0 || len(rows) < 2 {
		return
	}
	if len(rows) <= smallSort {
		quickSort(order, keys, rows)
		return
	}
	prefix, exact := prefixer(keys[0])
	entries := make([]entry, 0, len(rows))
	var nulls []int32
	for _, i := range rows {
		if keys[0].IsNull(int(i)) {
			nulls = append(nulls, i)
			continue
		}
		p := prefix(int(i))
		if order[0].Desc {
			p = ^p
		}
		entries = append(entries, entry{p, i})
	}
	sortEntries(entries, order, keys, exact)
	SortSome(order[1:], keys[1:], nulls)
	at := 0
	if order[0].NullsFirst {
		at = copy(rows, nulls)
	}
	for _, e := range entries {
		rows[at] = e.row
		at++
	}
	if !order[0].NullsFirst {
		copy(rows[at:], nulls)
	}
}

// sortEntries sorts by prefix and, where prefixes are equal, by what they don't tell, last by the row.
func sortEntries(entries []entry, order []Order, keys []*value.Column, exact bool) {
	if exact && len(order) == 1 {
		radixSort(entries)
		return
	}
	if exact {
		order, keys = order[1:], keys[1:]
	}
	slices.SortFunc(entries, func(a, b entry) int {
		switch {
		case a.prefix < b.prefix:
			return -1
		case a.prefix > b.prefix:
			return 1
		}
		if c := CompareRows(order, keys, int(a.row), keys, int(b.row)); c != 0 {
			return c
		}
		return int(a.row - b.row)
	})
}

// radixSort sorts by prefix, stably. Bytes that are the same everywhere cost one look.
func radixSort(entries []entry) {
	if len(entries) < 256 {
		slices.SortStableFunc(entries, func(a, b entry) int {
			switch {
			case a.prefix < b.prefix:
				return -1
			case a.prefix > b.prefix:
				return 1
			}
			return 0
		})
		return
	}
	var counts [8][256]int32
	for _, e := range entries {
		for b := range counts {
			counts[b][byte(e.prefix>>(8*b))]++
		}
	}
	from, to := entries, make([]entry, len(entries))
	for b := range counts {
		c := &counts[b]
		if c[byte(entries[0].prefix>>(8*b))] == int32(len(entries)) {
			continue
		}
		sum := int32(0)
		for i, n := range c {
			c[i], sum = sum, sum+n
		}
		for _, e := range from {
			d := byte(e.prefix >> (8 * b))
			to[c[d]] = e
			c[d]++
		}
		from, to = to, from
	}
	if &from[0] != &entries[0] {
		copy(entries, from)
	}
}

// prefixer gives a function from row to prefix; exact tells that equal prefixes mean equal values.
func prefixer(c *value.Column) (prefix func(i int) uint64, exact bool) {
	switch f := formOf(c.Type); {
	case f == floatForm:
		return func(i int) uint64 { return floatBits(c.Flts[i]) }, true
	case f == padForm:
		return func(i int) uint64 { return stringPrefix(trimPad(c.Strs[i])) }, false
	case f == typedForm:
		return func(int) uint64 { return 0 }, false
	case c.Type.Kind == value.KindBool:
		return func(i int) uint64 {
			if c.Bools[i] {
				return 1
			}
			return 0
		}, true
	case c.Type.Kind == value.KindInt:
		return func(i int) uint64 { return uint64(c.Ints[i]) ^ 1<<63 }, true
	default:
		return func(i int) uint64 { return stringPrefix(c.Strs[i]) }, false
	}
}

// floatBits orders floats as unsigned numbers.
func floatBits(f float64) uint64 {
	switch {
	case f != f:
		return math.MaxUint64
	case f == 0:
		return 1 << 63
	}
	b := math.Float64bits(f)
	if b>>63 != 0 {
		return ^b
	}
	return b | 1<<63
}

// stringPrefix is the first eight bytes, padded with zeros, which never order wrongly: equal prefixes are compared in full.
func stringPrefix(s string) uint64 {
	if len(s) >= 8 {
		return uint64(s[0])<<56 | uint64(s[1])<<48 | uint64(s[2])<<40 | uint64(s[3])<<32 |
			uint64(s[4])<<24 | uint64(s[5])<<16 | uint64(s[6])<<8 | uint64(s[7])
	}
	var b [8]byte
	copy(b[:], s)
	return binary.BigEndian.Uint64(b[:])
}
