package agg

import (
	"context"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// collections gives string_agg and array_agg.
func collections() []def {
	newJoin := func(*call) functions.Accumulator { return &joined{} }
	return []def{
		{Sig: "string_agg(text,text)", New: newJoin}, {Sig: "string_agg(bytea,bytea)", New: newJoin},
		{Sig: "array_agg(anynonarray)", New: func(c *call) functions.Accumulator { return &elements{call: c} }},
		{Sig: "array_agg(anyarray)", New: func(c *call) functions.Accumulator { return &subarrays{call: c} }},
	}
}

// joined joins texts with the delimiter of each row but the first; NULL texts are left out.
type joined struct {
	some bool
	b    []byte
}

func (j *joined) Add(_ context.Context, a []val) error {
	if a[0].IsNull() {
		return nil
	}
	if j.some && !a[1].IsNull() {
		j.b = append(j.b, a[1].Str()...)
	}
	j.some = true
	j.b = append(j.b, a[0].Str()...)
	return nil
}

func (j *joined) Result(context.Context) (val, error) {
	if !j.some {
		return value.Null, nil
	}
	return value.String(string(j.b)), nil
}

// elements makes an array of values, NULLs included.
type elements struct {
	call *call
	vals []val
	some bool
}

func (e *elements) Add(_ context.Context, a []val) error {
	e.vals = append(e.vals, a[0])
	e.some = true
	return nil
}

func (e *elements) Result(context.Context) (val, error) {
	if !e.some {
		return value.Null, nil
	}
	return value.Box(value.NewArray(e.call.Args[0], e.vals[:len(e.vals):len(e.vals)])), nil
}

// subarrays makes an array with one dimension more of arrays of the same shape.
type subarrays struct {
	call *call
	dims []value.Dim
	vals []val
	n    int32
}

func (s *subarrays) Add(_ context.Context, a []val) error {
	if a[0].IsNull() {
		return dberr.New(dberr.NullValueNotAllowed, "cannot accumulate null arrays")
	}
	x := a[0].Box().(*value.Array)
	if len(x.Dims) == 0 {
		return dberr.New(dberr.ArraySubscriptError, "cannot accumulate empty arrays")
	}
	if s.n == 0 {
		s.dims = x.Dims
	}
	same := len(x.Dims) == len(s.dims)
	for i := 0; same && i < len(s.dims); i++ {
		same = x.Dims[i].Len == s.dims[i].Len
	}
	if !same {
		return dberr.New(dberr.ArraySubscriptError, "cannot accumulate arrays of different dimensionality")
	}
	s.vals = append(s.vals, x.Elems...)
	s.n++
	return nil
}

func (s *subarrays) Result(context.Context) (val, error) {
	if s.n == 0 {
		return value.Null, nil
	}
	dims := append([]value.Dim{{Len: s.n, Lower: 1}}, s.dims...)
	if _, err := typeio.CheckDims(dims); err != nil {
		return value.Null, err
	}
	return value.Box(&value.Array{Elem: s.call.Args[0].Elem, Dims: dims, Elems: s.vals[:len(s.vals):len(s.vals)]}), nil
}
