package vec

import (
	"github.com/cockroachdb/apd/v3"

	"github.com/omgdb/omgdb/storage/value"
)

// boxOverhead is an interface value and a small heap object.
const boxOverhead = 64

// boxSize estimates the bytes of a boxed value.
func boxSize(x any) int64 {
	switch x := x.(type) {
	case *apd.Decimal:
		return boxOverhead + int64(x.Coeff.BitLen()>>3)
	case *value.Array:
		n := int64(boxOverhead)
		for _, e := range x.Elems {
			n += ValueSize(e)
		}
		return n
	case *value.Record:
		n := int64(boxOverhead)
		for _, e := range x.Vals {
			n += ValueSize(e)
		}
		return n
	case *value.Range:
		return boxOverhead + ValueSize(x.Lower) + ValueSize(x.Upper)
	case *value.Multirange:
		n := int64(boxOverhead)
		for _, r := range x.Ranges {
			n += boxSize(r)
		}
		return n
	default:
		return boxOverhead
	}
}

// ValueSize estimates the bytes that v takes, the Value itself included.
func ValueSize(v value.Value) int64 {
	const header = 48
	switch v.Kind() {
	case value.KindString:
		return header + int64(len(v.Str()))
	case value.KindBox:
		return header + boxSize(v.Box())
	}
	return header
}

// ColumnSize estimates the bytes of the values of c at the positions sel (nil: all).
func ColumnSize(c *value.Column, sel []int32) int64 {
	n := int64(len(sel))
	if sel == nil {
		n = int64(c.Len())
	}
	switch c.Type.Kind {
	case value.KindBool:
		return n
	case value.KindInt, value.KindFloat:
		return 8 * n
	}
	var total int64
	for _, i := range Positions(sel, int(n)) {
		total += Size(c, int(i))
	}
	return total
}
