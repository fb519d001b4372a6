package eval

import (
	"context"

	"github.com/omgdb/omgdb/planner/exec/vec"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// subscriptNode takes an element or a slice of an array, or of a type that is subscripted like one, or walks into a jsonb value.
type subscriptNode struct {
	arg          Node
	lower, upper []Node // nil entries: omitted bounds of a slice
	slice, json  bool
	of           *value.Type // what is subscripted
	argVec       vec.Vec
	lo, hi       []vec.Vec
	out          value.Column
}

func (s *Scope) subscript(e *plan.Subscript) (Node, Traits, error) {
	arg, traits, err := s.compile(e.Arg)
	if err != nil {
		return nil, 0, err
	}
	of := typeio.Base(e.Arg.Type())
	n := &subscriptNode{arg: arg, slice: e.IsSlice, json: of.OID == value.JSONB.OID, of: of}
	lower, upper := e.Lower, e.Upper
	if !e.IsSlice && len(lower) == 0 {
		lower, upper = upper, nil // the subscript of one element stands where PostgreSQL has it, in Upper
	}
	bounds := func(es []plan.Expr) ([]Node, error) {
		out := make([]Node, len(es))
		for i, x := range es {
			if x == nil {
				continue
			}
			if out[i], err = s.compileInto(x, &traits); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	if n.lower, err = bounds(lower); err != nil {
		return nil, 0, err
	}
	if n.upper, err = bounds(upper); err != nil {
		return nil, 0, err
	}
	n.lo, n.hi = make([]vec.Vec, len(n.lower)), make([]vec.Vec, len(n.upper))
	n.out.Type = e.T
	return n, traits, nil
}

func (n *subscriptNode) Eval(ctx context.Context, b *batch.Batch, sel []int32) (vec.Vec, error) {
	if err := n.operands(ctx, b, sel); err != nil {
		return vec.Vec{}, err
	}
	vec.Resize(&n.out, b.Len)
	for _, i := range vec.Positions(sel, b.Len) {
		vec.Set(&n.out, i, b.Len, n.take(i))
	}
	return vec.Vec{Column: &n.out}, nil
}

// operands evaluates the container and the subscripts.
func (n *subscriptNode) operands(ctx context.Context, b *batch.Batch, sel []int32) error {
	var err error
	if n.argVec, err = n.arg.Eval(ctx, b, sel); err != nil {
		return err
	}
	for _, bounds := range [2]struct {
		nodes []Node
		vecs  []vec.Vec
	}{{n.lower, n.lo}, {n.upper, n.hi}} {
		for k, x := range bounds.nodes {
			if x == nil {
				continue
			}
			if bounds.vecs[k], err = x.Eval(ctx, b, sel); err != nil {
				return err
			}
		}
	}
	return nil
}

// subscriptNull tells whether a subscript of the row at position i is NULL.
func (n *subscriptNode) subscriptNull(i int32) bool {
	for _, bounds := range [2][]vec.Vec{n.lo, n.hi} {
		for _, x := range bounds {
			if x.Column != nil && x.NullAt(i) {
				return true
			}
		}
	}
	return false
}

// take computes the row at position i; a NULL anywhere makes NULL.
func (n *subscriptNode) take(i int32) value.Value {
	if n.argVec.NullAt(i) || n.subscriptNull(i) {
		return value.Null
	}
	v := n.argVec.Get(n.argVec.At(i))
	switch {
	case n.json:
		return n.walk(v, i)
	case n.slice:
		return n.cut(v.Box().(*value.Array), i)
	}
	if a, ok := v.Box().(*value.Array); ok {
		return n.element(a, i)
	}
	if len(n.lo) > 1 {
		return value.Null
	}
	return typeio.Part(n.of, v, bound(n.lo[0], i))
}

func (n *subscriptNode) walk(v value.Value, i int32) value.Value {
	d := doc.Decode(v.Bytes())
	for _, x := range n.lo {
		if !d.IsArray() && !d.IsObject() {
			return value.Null
		}
		if d = d.Step(jsonStep(x.Get(x.At(i)))); d.Missing() {
			return value.Null
		}
	}
	return value.Bytes(d.Encoded())
}

// jsonStep is the path step of a jsonb subscript, an integer or text.
func jsonStep(v value.Value) doc.Step {
	if v.Kind() == value.KindInt {
		return doc.Text(itoa(int(v.Int())))
	}
	return doc.Text(v.Str())
}

func bound(x vec.Vec, i int32) int64 { return x.Ints[x.At(i)] }

func (n *subscriptNode) element(a *value.Array, i int32) value.Value {
	if len(n.lo) != len(a.Dims) {
		return value.Null
	}
	at := int64(0)
	for k, d := range a.Dims {
		off := bound(n.lo[k], i) - int64(d.Lower)
		if off < 0 || off >= int64(d.Len) {
			return value.Null
		}
		at = at*int64(d.Len) + off
	}
	return a.Elems[at]
}

// cut takes a slice: bounds beyond the array are cut to it, nothing left gives the empty array, further dimensions stay whole.
func (n *subscriptNode) cut(a *value.Array, i int32) value.Value {
	empty := value.Box(&value.Array{Elem: a.Elem})
	if len(a.Dims) == 0 || len(n.lo) > len(a.Dims) {
		return empty
	}
	from, size := make([]int64, len(a.Dims)), make([]int64, len(a.Dims))
	out := &value.Array{Elem: a.Elem, Dims: make([]value.Dim, len(a.Dims))}
	for k, d := range a.Dims {
		lo, hi := int64(d.Lower), int64(d.Lower)+int64(d.Len)-1
		if k < len(n.lo) && n.lo[k].Column != nil {
			lo = max(lo, bound(n.lo[k], i))
		}
		if k < len(n.hi) && n.hi[k].Column != nil {
			hi = min(hi, bound(n.hi[k], i))
		}
		if lo > hi {
			return empty
		}
		from[k], size[k] = lo-int64(d.Lower), hi-lo+1
		out.Dims[k] = value.Dim{Len: int32(size[k]), Lower: 1}
	}
	out.Elems = sliceElems(nil, a, from, size, 0, 0)
	return value.Box(out)
}

func sliceElems(to []value.Value, a *value.Array, from, size []int64, dim int, base int64) []value.Value {
	base *= int64(a.Dims[dim].Len)
	for k := range size[dim] {
		at := base + from[dim] + k
		if dim == len(size)-1 {
			to = append(to, a.Elems[at])
			continue
		}
		to = sliceElems(to, a, from, size, dim+1, at)
	}
	return to
}
