package value

// Interval is a SQL interval.
type Interval struct {
	Micros int64
	Days   int32
	Months int32
}

// TimeTZ is a time with time zone: µs since midnight and the zone's offset in seconds west of UTC, as PostgreSQL keeps it.
type TimeTZ struct {
	Micros int64
	Zone   int32
}

// Dim is one dimension of an array.
type Dim struct{ Len, Lower int32 }

// Array is an array value; Elems stand in row-major order. An empty array has no dimensions.
type Array struct {
	Elem  *Type
	Dims  []Dim
	Elems []Value
}

// NewArray makes a one-dimensional array with lower bound 1.
func NewArray(elem *Type, elems []Value) *Array {
	if len(elems) == 0 {
		return &Array{Elem: elem}
	}
	return &Array{Elem: elem, Dims: []Dim{{Len: int32(len(elems)), Lower: 1}}, Elems: elems}
}

// Range is a range value; a NULL bound is infinite.
type Range struct {
	Elem         *Type
	Lower, Upper Value
	LowerInc     bool
	UpperInc     bool
	Empty        bool
}

// Multirange is a sorted list of disjoint, non-adjacent, non-empty ranges.
type Multirange struct {
	Elem   *Type
	Ranges []*Range
}

// Record is a row value.
type Record struct {
	Fields Schema
	Vals   []Value
}
