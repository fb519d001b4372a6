package filter

import (
	"slices"
	"strings"

	"github.com/omgdb/omgdb/storage/doc"
)

// Range is an interval of index values in the order of the index. Low is at or below High.
type Range struct{ Low, High End }

// End is one end of a Range. Unbounded reaches to the first or last value; in an SQL index NULLs lie outside of it, and a
// missing Value is the NULLs.
type End struct {
	Value     doc.Value
	Open      bool // the value itself is not in
	Unbounded bool
}

// Bounds are the ranges of an index that hold every document for which a filter is true: sorted and disjoint. No ranges at all
// mean that no document matches.
type Bounds struct {
	Ranges []Range
	// Exact tells that the ranges hold nothing else: the filter need not be tried again on what they give.
	Exact bool
}

func point(v doc.Value) Range { return Range{End{Value: v}, End{Value: v}} }

// IsPoint reports a range of one value.
func (r Range) IsPoint() bool {
	return !r.Low.Unbounded && !r.High.Unbounded && !r.Low.Open && !r.High.Open && r.Low.Value.Type == r.High.Value.Type &&
		string(r.Low.Value.Data) == string(r.High.Value.Data)
}

// String prints the range in mathematical notation: [1,5), ("a",∞).
func (r Range) String() string {
	low, high := "[", "]"
	if r.Low.Open || r.Low.Unbounded {
		low = "("
	}
	if r.High.Open || r.High.Unbounded {
		high = ")"
	}
	return low + r.Low.print("-∞") + "," + r.High.print("∞") + high
}

func (e End) print(infinity string) string {
	switch {
	case e.Unbounded:
		return infinity
	case e.Value.Missing():
		return "NULL"
	}
	return e.Value.Canonical()
}

// String prints the ranges for EXPLAIN.
func (b Bounds) String() string {
	parts := make([]string, len(b.Ranges))
	for i, r := range b.Ranges {
		parts[i] = r.String()
	}
	return strings.Join(parts, " ")
}

// order is an index's order of values.
type order func(a, b doc.Value) int

// A range is worked with as two cuts: places between values, just below or just above one.
type cut struct {
	value doc.Value
	side  int // -1 below the value, +1 above it; ∓2 below or above all values
}

func (r Range) cuts() (low, high cut) {
	low, high = cut{r.Low.Value, -1}, cut{r.High.Value, 1}
	if r.Low.Open {
		low.side = 1
	}
	if r.High.Open {
		high.side = -1
	}
	if r.Low.Unbounded {
		low.side = -2
	}
	if r.High.Unbounded {
		high.side = 2
	}
	return low, high
}

func rangeOf(low, high cut) Range {
	return Range{
		End{Value: low.value, Open: low.side == 1, Unbounded: low.side == -2},
		End{Value: high.value, Open: high.side == -1, Unbounded: high.side == 2},
	}
}

func (cmp order) cuts(a, b cut) int {
	if a.side*a.side == 4 || b.side*b.side == 4 { // an infinite one
		if a.side == b.side {
			return 0
		}
		if a.side*a.side == 4 {
			return a.side
		}
		return -b.side
	}
	if c := cmp(a.value, b.value); c != 0 {
		return c
	}
	return a.side - b.side
}

// union merges two lists of ranges.
func (cmp order) union(a, b []Range) []Range {
	all := slices.Concat(a, b)
	slices.SortStableFunc(all, func(x, y Range) int {
		lx, _ := x.cuts()
		ly, _ := y.cuts()
		return cmp.cuts(lx, ly)
	})
	var out []Range
	for _, r := range all {
		low, high := r.cuts()
		if cmp.cuts(low, high) >= 0 {
			continue
		}
		if n := len(out); n > 0 {
			lastLow, lastHigh := out[n-1].cuts()
			if cmp.cuts(low, lastHigh) <= 0 {
				if cmp.cuts(high, lastHigh) > 0 {
					out[n-1] = rangeOf(lastLow, high)
				}
				continue
			}
		}
		out = append(out, r)
	}
	return out
}

// intersect gives what two sorted, disjoint lists have in common.
func (cmp order) intersect(a, b []Range) []Range {
	var out []Range
	for len(a) > 0 && len(b) > 0 {
		lowA, highA := a[0].cuts()
		lowB, highB := b[0].cuts()
		low, high := lowA, highA
		if cmp.cuts(lowB, low) > 0 {
			low = lowB
		}
		if cmp.cuts(highB, high) < 0 {
			high = highB
		}
		if cmp.cuts(low, high) < 0 {
			out = append(out, rangeOf(low, high))
		}
		if cmp.cuts(highA, highB) < 0 {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return out
}

// complement gives all values but NULL outside a sorted, disjoint list.
func (cmp order) complement(list []Range) []Range {
	var out []Range
	at := cut{side: -2}
	for _, r := range list {
		low, high := r.cuts()
		if cmp.cuts(at, low) < 0 {
			out = append(out, rangeOf(at, low))
		}
		at = high
	}
	if end := (cut{side: -1}); cmp.cuts(at, end) < 0 { // just below NULL
		out = append(out, rangeOf(at, end))
	}
	return out
}

// set is what is known about a part of a filter: the ranges, whether they are exact, and whether anything is known at all.
type set struct {
	ranges []Range
	exact  bool
	known  bool
}

var unknown = set{}

func exactly(r ...Range) set { return set{r, true, true} }

func within(r ...Range) set { return set{r, false, true} }

// unionSets joins alternatives: all must be known.
func (cmp order) unionSets(list []set) set {
	out := set{exact: true, known: true}
	for _, s := range list {
		if !s.known {
			return unknown
		}
		out.ranges = cmp.union(out.ranges, s.ranges)
		out.exact = out.exact && s.exact
	}
	return out
}

// narrower tells whether a is likely the better of two known sets: points before half-open ranges before the rest.
func narrower(a, b set) bool { return width(a.ranges) < width(b.ranges) }

func width(list []Range) int {
	w := 0
	for _, r := range list {
		switch {
		case r.IsPoint():
			w++
		case r.Low.Unbounded && r.High.Unbounded:
			w += 1_000_000
		case r.Low.Unbounded || r.High.Unbounded:
			w += 10_000
		default:
			w += 1_000
		}
	}
	return w
}
