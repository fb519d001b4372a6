package typeio

import (
	"slices"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// RangeOf makes a range of two bounds as they are, empty when nothing lies between them. The bounds must be in canonical form.
func RangeOf(elem *value.Type, low, up Bound) *value.Range {
	r := &value.Range{Elem: elem, Lower: low.Val, Upper: up.Val, LowerInc: low.Inc, UpperInc: up.Inc}
	if CmpBounds(elem, low, up) > 0 {
		return &value.Range{Elem: elem, Empty: true}
	}
	return r
}

// RangeIntersect gives what two ranges share.
func RangeIntersect(a, b *value.Range) *value.Range {
	if a.Empty || b.Empty {
		return &value.Range{Elem: a.Elem, Empty: true}
	}
	low, up := LowerBound(a), UpperBound(a)
	if CmpBounds(a.Elem, LowerBound(b), low) > 0 {
		low = LowerBound(b)
	}
	if CmpBounds(a.Elem, UpperBound(b), up) < 0 {
		up = UpperBound(b)
	}
	return RangeOf(a.Elem, low, up)
}

// RangeOverlaps tells whether two ranges share anything.
func RangeOverlaps(a, b *value.Range) bool {
	return !a.Empty && !b.Empty && CmpBounds(a.Elem, LowerBound(a), UpperBound(b)) <= 0 && CmpBounds(a.Elem, LowerBound(b), UpperBound(a)) <= 0
}

// RangeContains tells whether b lies within a.
func RangeContains(a, b *value.Range) bool {
	switch {
	case b.Empty:
		return true
	case a.Empty:
		return false
	}
	return CmpBounds(a.Elem, LowerBound(a), LowerBound(b)) <= 0 && CmpBounds(a.Elem, UpperBound(a), UpperBound(b)) >= 0
}

// RangeHas tells whether a value lies within a range.
func RangeHas(r *value.Range, v value.Value) bool {
	return RangeContains(r, &value.Range{Elem: r.Elem, Lower: v, Upper: v, LowerInc: true, UpperInc: true})
}

// RangeBefore tells whether a ends before b starts.
func RangeBefore(a, b *value.Range) bool {
	return !a.Empty && !b.Empty && CmpBounds(a.Elem, UpperBound(a), LowerBound(b)) < 0
}

// RangeAdjacent tells whether two ranges touch without overlapping.
func RangeAdjacent(a, b *value.Range) bool {
	if a.Empty || b.Empty {
		return false
	}
	return Adjacent(a.Elem, UpperBound(a), LowerBound(b)) || Adjacent(a.Elem, UpperBound(b), LowerBound(a))
}

// RangeUnion joins two ranges; a gap between them is an error unless it may be filled.
func RangeUnion(a, b *value.Range, fill bool) (*value.Range, error) {
	switch {
	case a.Empty:
		return b, nil
	case b.Empty:
		return a, nil
	case !fill && !RangeOverlaps(a, b) && !RangeAdjacent(a, b):
		return nil, dberr.New(dberr.DataException, "result of range union would not be contiguous")
	}
	low, up := LowerBound(a), UpperBound(a)
	if CmpBounds(a.Elem, LowerBound(b), low) < 0 {
		low = LowerBound(b)
	}
	if CmpBounds(a.Elem, UpperBound(b), up) > 0 {
		up = UpperBound(b)
	}
	return RangeOf(a.Elem, low, up), nil
}

// flip turns an upper bound into the lower bound of what follows it, and the other way round.
func (b Bound) flip() Bound { return Bound{Val: b.Val, Inc: !b.Inc, Lower: !b.Lower} }

// rangeCut gives what of a lies before and after b; both may be empty.
func rangeCut(a, b *value.Range) (before, after *value.Range) {
	empty := &value.Range{Elem: a.Elem, Empty: true}
	if a.Empty || b.Empty || !RangeOverlaps(a, b) {
		return a, empty
	}
	before, after = empty, empty
	if CmpBounds(a.Elem, LowerBound(a), LowerBound(b)) < 0 {
		before = RangeOf(a.Elem, LowerBound(a), LowerBound(b).flip())
	}
	if CmpBounds(a.Elem, UpperBound(a), UpperBound(b)) > 0 {
		after = RangeOf(a.Elem, UpperBound(b).flip(), UpperBound(a))
	}
	return before, after
}

// RangeMinus takes b out of a; two pieces are an error.
func RangeMinus(a, b *value.Range) (*value.Range, error) {
	before, after := rangeCut(a, b)
	switch {
	case !before.Empty && !after.Empty:
		return nil, dberr.New(dberr.DataException, "result of range difference would not be contiguous")
	case before.Empty:
		return after, nil
	}
	return before, nil
}

// MultirangeIntersect gives what two multiranges share.
func MultirangeIntersect(a, b *value.Multirange) *value.Multirange {
	var out []*value.Range
	for i, j := 0, 0; i < len(a.Ranges) && j < len(b.Ranges); {
		if r := RangeIntersect(a.Ranges[i], b.Ranges[j]); !r.Empty {
			out = append(out, r)
		}
		if CmpBounds(a.Elem, UpperBound(a.Ranges[i]), UpperBound(b.Ranges[j])) < 0 {
			i++
		} else {
			j++
		}
	}
	return &value.Multirange{Elem: a.Elem, Ranges: out}
}

// MultirangeMinus takes b out of a.
func MultirangeMinus(a, b *value.Multirange) *value.Multirange {
	var out []*value.Range
	for _, r := range a.Ranges {
		for _, s := range b.Ranges {
			before, after := rangeCut(r, s)
			if !before.Empty && RangeBefore(before, s) || before.Empty {
				if !before.Empty {
					out = append(out, before)
				}
				r = after
				continue
			}
			r = before
		}
		if !r.Empty {
			out = append(out, r)
		}
	}
	return NewMultirange(a.Elem, out)
}

// MultirangeUnion joins two multiranges.
func MultirangeUnion(a, b *value.Multirange) *value.Multirange {
	return NewMultirange(a.Elem, slices.Concat(a.Ranges, b.Ranges))
}

// Span gives the range from the first to the last bound of a multirange.
func Span(m *value.Multirange) *value.Range {
	if len(m.Ranges) == 0 {
		return &value.Range{Elem: m.Elem, Empty: true}
	}
	return RangeOf(m.Elem, LowerBound(m.Ranges[0]), UpperBound(m.Ranges[len(m.Ranges)-1]))
}
