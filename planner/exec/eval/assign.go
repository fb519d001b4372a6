package eval

import (
	"context"

	"github.com/omgdb/omgdb/planner/exec/vec"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// assignedNode is a container with a part replaced.
type assignedNode struct {
	subscriptNode
	value Node
	val   vec.Vec
	t     *value.Type
	field int
}

func (s *Scope) assigned(e *plan.Assigned) (Node, Traits, error) {
	sub := &plan.Subscript{Typed: e.Typed, Arg: e.Arg, Lower: e.Lower, Upper: e.Upper, IsSlice: e.IsSlice}
	inner, traits, err := s.subscript(sub)
	if err != nil {
		return nil, 0, err
	}
	n := &assignedNode{subscriptNode: *inner.(*subscriptNode), t: typeio.Base(e.T), field: -1}
	if len(e.Lower)+len(e.Upper) == 0 {
		n.field = e.Field
	}
	if n.value, err = s.compileInto(e.Value, &traits); err != nil {
		return nil, 0, err
	}
	return n, traits, nil
}

func (n *assignedNode) Eval(ctx context.Context, b *batch.Batch, sel []int32) (vec.Vec, error) {
	if err := n.operands(ctx, b, sel); err != nil {
		return vec.Vec{}, err
	}
	var err error
	if n.val, err = n.value.Eval(ctx, b, sel); err != nil {
		return vec.Vec{}, err
	}
	vec.Resize(&n.out, b.Len)
	for _, i := range vec.Positions(sel, b.Len) {
		v, err := n.put(i)
		if err != nil {
			return vec.Vec{}, err
		}
		vec.Set(&n.out, i, b.Len, v)
	}
	return vec.Vec{Column: &n.out}, nil
}

func (n *assignedNode) put(i int32) (value.Value, error) {
	old, val := n.argVec.Get(n.argVec.At(i)), n.val.Get(n.val.At(i))
	if n.field >= 0 {
		return n.putField(old, val), nil
	}
	if n.subscriptNull(i) {
		return value.Null, dberr.New(dberr.NullValueNotAllowed, "%s subscript in assignment must not be null", n.noun())
	}
	if n.json {
		return n.putJSON(old, val, i)
	}
	if part, _ := n.t.Parts(); part != nil {
		return n.putPart(old, val, i)
	}
	return n.putElements(old, val, i)
}

// putPart replaces an element of a value that has a fixed number of them: none can be NULL, and NULL has none.
func (n *assignedNode) putPart(old, val value.Value, i int32) (value.Value, error) {
	if old.IsNull() || val.IsNull() {
		return old, nil
	}
	if len(n.lo) == 1 {
		if v, ok := typeio.WithPart(n.t, old, bound(n.lo[0], i), val); ok {
			return v, nil
		}
	}
	return value.Null, dberr.New(dberr.ArraySubscriptError, "array subscript out of range")
}

func (n *assignedNode) noun() string {
	if n.json {
		return "jsonb"
	}
	return "array"
}

func (n *assignedNode) putField(old, val value.Value) value.Value {
	r := &value.Record{Fields: n.t.Fields, Vals: make([]value.Value, len(n.t.Fields))}
	if !old.IsNull() {
		copy(r.Vals, old.Box().(*value.Record).Vals)
	}
	r.Vals[n.field] = val
	return value.Box(r)
}

func (n *assignedNode) putJSON(old, val value.Value, i int32) (value.Value, error) {
	keys := make([]string, len(n.lo))
	for k, x := range n.lo {
		if key := x.Get(x.At(i)); key.Kind() == value.KindInt {
			keys[k] = itoa(int(key.Int()))
		} else {
			keys[k] = key.Str()
		}
	}
	var target doc.Value
	if !old.IsNull() {
		target = doc.Decode(old.Bytes())
	}
	with := doc.Null()
	if !val.IsNull() {
		with = doc.Decode(val.Bytes())
	}
	r, err := assignJSON(target, keys, 0, with)
	if err != nil {
		return value.Null, err
	}
	return value.Bytes(r.Encoded()), nil
}

// putElements replaces one element, or the elements of a slice, growing a one-dimensional array where needed.
func (n *assignedNode) putElements(old, val value.Value, i int32) (value.Value, error) {
	a := &value.Array{Elem: n.t.Elem}
	if !old.IsNull() {
		a = old.Box().(*value.Array)
	}
	lo, hi := make([]int64, len(n.lo)), make([]int64, len(n.lo))
	for k := range n.lo {
		if n.lo[k].Column == nil || n.slice && n.hi[k].Column == nil {
			if k >= len(a.Dims) {
				return value.Null, dberr.New(dberr.ArraySubscriptError, "array slice subscript must provide both boundaries").
					WithDetail("When assigning to a slice of an empty array value, slice boundaries must be fully specified.")
			}
			lo[k], hi[k] = int64(a.Dims[k].Lower), int64(a.Dims[k].Lower)+int64(a.Dims[k].Len)-1
		}
		if n.lo[k].Column != nil {
			lo[k] = bound(n.lo[k], i)
		}
		if !n.slice {
			hi[k] = lo[k]
		} else if n.hi[k].Column != nil {
			hi[k] = bound(n.hi[k], i)
		}
	}
	vals := []value.Value{val}
	if n.slice {
		if val.IsNull() {
			return old, nil
		}
		vals = val.Box().(*value.Array).Elems
	}
	r, err := assignElements(a, lo, hi, vals)
	if err != nil {
		return value.Null, err
	}
	return value.Box(r), nil
}

// maxElements is PostgreSQL's limit of an array's length.
const maxElements = 134217727

// assignElements copies a with the elements of the box lo … hi replaced by vals.
func assignElements(a *value.Array, lo, hi []int64, vals []value.Value) (*value.Array, error) {
	count := int64(1)
	for k := range lo {
		if lo[k] > hi[k] {
			return nil, dberr.New(dberr.ArraySubscriptError, "upper bound cannot be less than lower bound")
		}
		if hi[k]-lo[k]+1 > maxElements {
			return nil, dberr.New(dberr.ProgramLimitExceeded, "array size exceeds the maximum allowed (%d)", maxElements)
		}
		if count *= hi[k] - lo[k] + 1; count > maxElements {
			return nil, dberr.New(dberr.ProgramLimitExceeded, "array size exceeds the maximum allowed (%d)", maxElements)
		}
	}
	if int64(len(vals)) < count {
		return nil, dberr.New(dberr.ArraySubscriptError, "source array too small")
	}
	out := &value.Array{Elem: a.Elem, Dims: append([]value.Dim(nil), a.Dims...), Elems: append([]value.Value(nil), a.Elems...)}
	switch {
	case len(a.Dims) == 0:
		for k := range lo {
			out.Dims = append(out.Dims, value.Dim{Len: int32(hi[k] - lo[k] + 1), Lower: int32(lo[k])})
		}
		out.Elems = append(out.Elems, vals[:count]...)
		return out, nil
	case len(a.Dims) != len(lo):
		return nil, dberr.New(dberr.ArraySubscriptError, "wrong number of array subscripts")
	case len(a.Dims) == 1:
		if err := grow(out, lo[0], hi[0]); err != nil {
			return nil, err
		}
	}
	for k, d := range out.Dims {
		if lo[k] < int64(d.Lower) || hi[k] >= int64(d.Lower)+int64(d.Len) {
			return nil, dberr.New(dberr.ArraySubscriptError, "array subscript out of range")
		}
	}
	at := append([]int64(nil), lo...)
	for j := range count {
		flat := int64(0)
		for k, d := range out.Dims {
			flat = flat*int64(d.Len) + at[k] - int64(d.Lower)
		}
		out.Elems[flat] = vals[j]
		for k := len(at) - 1; k >= 0; k-- {
			if at[k]++; at[k] <= hi[k] {
				break
			}
			at[k] = lo[k]
		}
	}
	return out, nil
}

// grow extends a one-dimensional array to hold lo … hi; the gap is NULL.
func grow(a *value.Array, lo, hi int64) error {
	d := &a.Dims[0]
	first, end := min(int64(d.Lower), lo), max(int64(d.Lower)+int64(d.Len), hi+1)
	if end-first > maxElements {
		return dberr.New(dberr.ProgramLimitExceeded, "array size exceeds the maximum allowed (%d)", maxElements)
	}
	elems := make([]value.Value, end-first)
	copy(elems[int64(d.Lower)-first:], a.Elems)
	a.Elems, d.Lower, d.Len = elems, int32(first), int32(end-first)
	return nil
}
