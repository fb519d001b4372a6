package eval

import (
	"context"
	"slices"
	"strconv"

	"github.com/omgdb/omgdb/planner/exec/vec"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

func itoa(i int) string { return strconv.Itoa(i) }

// arrayNode is ARRAY[…].
type arrayNode struct {
	elems []Node
	multi bool
	elem  *value.Type
	vecs  []vec.Vec
	out   value.Column
}

func (s *Scope) array(e *plan.ArrayExpr) (Node, Traits, error) {
	elems, traits, err := s.compileList(e.Elems)
	if err != nil {
		return nil, 0, err
	}
	n := &arrayNode{elems: elems, multi: e.Multi, elem: e.T.Elem, vecs: make([]vec.Vec, len(elems))}
	n.out.Type = e.T
	return n, traits, nil
}

func (n *arrayNode) Eval(ctx context.Context, b *batch.Batch, sel []int32) (vec.Vec, error) {
	if err := evalAll(ctx, n.elems, n.vecs, b, sel); err != nil {
		return vec.Vec{}, err
	}
	vec.Resize(&n.out, b.Len)
	for _, i := range vec.Positions(sel, b.Len) {
		vals := make([]value.Value, len(n.vecs))
		for k, v := range n.vecs {
			vals[k] = v.Get(v.At(i))
		}
		if !n.multi {
			n.out.Boxes[i] = value.NewArray(n.elem, vals)
			continue
		}
		a, err := Stack(n.elem, vals)
		if err != nil {
			return vec.Vec{}, err
		}
		n.out.Boxes[i] = a
	}
	return vec.Vec{Column: &n.out}, nil
}

// maxDims is PostgreSQL's limit of array dimensions.
const maxDims = 6

// Stack makes an array whose elements are the given arrays; empty and NULL ones must be alone among their like.
func Stack(elem *value.Type, parts []value.Value) (*value.Array, error) {
	mismatch := dberr.New(dberr.ArraySubscriptError, "multidimensional arrays must have array expressions with matching dimensions")
	out := &value.Array{Elem: elem}
	var first *value.Array
	for k, p := range parts {
		var a *value.Array
		if !p.IsNull() {
			a = p.Box().(*value.Array)
		}
		empty := a == nil || len(a.Dims) == 0
		switch {
		case k == 0 && empty:
		case k == 0:
			first = a
		case empty != (first == nil):
			return nil, mismatch
		case !empty && !slices.Equal(first.Dims, a.Dims):
			return nil, mismatch
		}
		if !empty {
			out.Elems = append(out.Elems, a.Elems...)
		}
	}
	if first == nil {
		return out, nil
	}
	if len(first.Dims)+1 > maxDims {
		return nil, dberr.New(dberr.ProgramLimitExceeded, "number of array dimensions (%d) exceeds the maximum allowed (%d)", len(first.Dims)+1, maxDims)
	}
	out.Dims = append([]value.Dim{{Len: int32(len(parts)), Lower: 1}}, first.Dims...)
	return out, nil
}

// arrayOpNode is left op ANY/ALL (array). Each element is compared in turn until one settles the answer.
type arrayOpNode struct {
	left, right Node
	all         bool
	app         *applier
	set         *constSet // of a constant array under =, when the comparison is plain
	out         value.Column
	one         value.Column
	elem        value.Column
}

func (s *Scope) arrayOp(e *plan.ArrayOp) (Node, Traits, error) {
	args, traits, err := s.compileList([]plan.Expr{e.Left, e.Right})
	if err != nil {
		return nil, 0, err
	}
	elem := e.Right.Type().Elem
	if elem == nil {
		return nil, 0, dberr.New(dberr.InternalError, "ANY needs an array, not %s", e.Right.Type())
	}
	n := &arrayOpNode{left: args[0], right: args[1], all: e.All}
	n.app = newApplier(s.Run, e.Fn, []plan.Expr{e.Left, &plan.Const{Typed: plan.Typed{T: elem, M: -1}}}, value.Boolean)
	n.out.Type, n.one.Type, n.elem.Type = value.Boolean, value.Boolean, elem
	if !e.All && e.Op == "=" && plainEquality(e.Left.Type(), elem) {
		n.set = &constSet{}
	}
	return n, traits, nil
}

func (n *arrayOpNode) Eval(ctx context.Context, b *batch.Batch, sel []int32) (vec.Vec, error) {
	l, err := n.left.Eval(ctx, b, sel)
	if err != nil {
		return vec.Vec{}, err
	}
	r, err := n.right.Eval(ctx, b, sel)
	if err != nil {
		return vec.Vec{}, err
	}
	vec.Resize(&n.out, b.Len)
	pos := vec.Positions(sel, b.Len)
	if r.Const && n.set != nil && !r.IsNull(0) {
		n.set.fill(r.Boxes[0].(*value.Array))
		n.set.test(l, pos, &n.out, b.Len, false)
		return vec.Vec{Column: &n.out}, nil
	}
	for _, i := range pos {
		if r.NullAt(i) {
			vec.SetNull(&n.out, i, b.Len)
			continue
		}
		v, err := n.compare(ctx, l, i, r.Boxes[r.At(i)].(*value.Array))
		if err != nil {
			return vec.Vec{}, err
		}
		vec.Set(&n.out, i, b.Len, v)
	}
	return vec.Vec{Column: &n.out}, nil
}

// compare compares the value at position i with all elements of a at once and folds the answers.
func (n *arrayOpNode) compare(ctx context.Context, l vec.Vec, i int32, a *value.Array) (value.Value, error) {
	if len(a.Elems) == 0 {
		return value.Bool(n.all), nil
	}
	n.elem.Reset()
	for _, e := range a.Elems {
		n.elem.Append(e)
	}
	left := vec.Constant(l.Type, l.Get(l.At(i)))
	if err := n.app.apply(ctx, []vec.Vec{left, {Column: &n.elem}}, nil, len(a.Elems), &n.one); err != nil {
		return value.Null, err
	}
	unknown := false
	for k := range a.Elems {
		if n.one.IsNull(k) {
			unknown = true
		} else if n.one.Bools[k] != n.all {
			return value.Bool(!n.all), nil
		}
	}
	if unknown {
		return value.Null, nil
	}
	return value.Bool(n.all), nil
}

// plainEquality tells whether = between the two types is equality of the Go values.
func plainEquality(a, b *value.Type) bool {
	family := func(t *value.Type) uint32 {
		switch t.OID {
		case value.Int2.OID, value.Int4.OID, value.Int8.OID:
			return value.Int8.OID
		case value.Text.OID, value.Varchar.OID, value.Name.OID:
			return value.Text.OID
		case value.Date.OID, value.Timestamp.OID, value.TimestampTZ.OID, value.Time.OID, value.OID.OID, value.UUID.OID, value.Bytea.OID:
			return t.OID
		}
		return 0
	}
	return family(a) != 0 && family(a) == family(b)
}

// constSet is a set of constants for plain equality.
type constSet struct {
	from *value.Array
	ints map[int64]struct{}
	strs map[string]struct{}
	null bool
}

func (s *constSet) fill(a *value.Array) {
	if s.from == a {
		return
	}
	*s = constSet{from: a, ints: map[int64]struct{}{}, strs: map[string]struct{}{}}
	for _, e := range a.Elems {
		switch e.Kind() {
		case value.KindNull:
			s.null = true
		case value.KindInt:
			s.ints[e.Int()] = struct{}{}
		case value.KindString:
			s.strs[e.Str()] = struct{}{}
		}
	}
}

// test sets out to whether l is in the set, NULL where that is unknown; not turns the answer around.
func (s *constSet) test(l vec.Vec, pos []int32, out *value.Column, n int, not bool) {
	empty := len(s.from.Elems) == 0
	for _, i := range pos {
		at := l.At(i)
		if l.IsNull(at) && !empty {
			vec.SetNull(out, i, n)
			continue
		}
		found := false
		if !empty {
			if l.Type.Kind == value.KindInt {
				_, found = s.ints[l.Ints[at]]
			} else {
				_, found = s.strs[l.Strs[at]]
			}
		}
		if !found && s.null {
			vec.SetNull(out, i, n)
			continue
		}
		out.Bools[i] = found != not
	}
}

// inListNode is [NOT] IN (list): constants of a plainly comparable type through a set, everything else one by one for the
// positions that are still open.
type inListNode struct {
	left Node
	list []Node
	apps []*applier
	not  bool
	set  *constSet
	vals *value.Array
	out  value.Column
	one  value.Column
	open []int32
}

func (s *Scope) inList(e *plan.InList) (Node, Traits, error) {
	left, traits, err := s.compile(e.Left)
	if err != nil {
		return nil, 0, err
	}
	n := &inListNode{left: left, not: e.Not}
	n.out.Type, n.one.Type = value.Boolean, value.Boolean
	consts := make([]value.Value, 0, len(e.List))
	for _, x := range e.List {
		item, err := s.compileInto(x, &traits)
		if err != nil {
			return nil, 0, err
		}
		if c, ok := x.(*plan.Const); ok && plainEquality(e.Left.Type(), c.T) {
			consts = append(consts, c.Val)
			continue
		}
		n.list = append(n.list, item)
		n.apps = append(n.apps, newApplier(s.Run, e.Eq, []plan.Expr{e.Left, x}, value.Boolean))
	}
	if len(consts) > 0 {
		n.vals = value.NewArray(e.Left.Type(), consts)
		n.set = &constSet{}
		n.set.fill(n.vals)
	}
	return n, traits, nil
}

func (n *inListNode) Eval(ctx context.Context, b *batch.Batch, sel []int32) (vec.Vec, error) {
	l, err := n.left.Eval(ctx, b, sel)
	if err != nil {
		return vec.Vec{}, err
	}
	vec.Resize(&n.out, b.Len)
	pos := vec.Positions(sel, b.Len)
	if n.set != nil {
		n.set.test(l, pos, &n.out, b.Len, n.not)
	} else {
		for _, i := range pos {
			n.out.Bools[i] = n.not
		}
	}
	if len(n.list) == 0 {
		return vec.Vec{Column: &n.out}, nil
	}
	n.open = n.open[:0]
	for _, i := range pos {
		if n.out.Bools[i] == n.not || n.out.IsNull(int(i)) {
			n.open = append(n.open, i)
		}
	}
	for k, item := range n.list {
		if len(n.open) == 0 {
			break
		}
		v, err := item.Eval(ctx, b, n.open)
		if err != nil {
			return vec.Vec{}, err
		}
		if err := n.apps[k].apply(ctx, []vec.Vec{l, v}, n.open, b.Len, &n.one); err != nil {
			return vec.Vec{}, err
		}
		n.settle(b.Len)
	}
	return vec.Vec{Column: &n.out}, nil
}

func (n *inListNode) settle(size int) {
	k := 0
	for _, i := range n.open {
		switch {
		case n.one.IsNull(int(i)):
			vec.SetNull(&n.out, i, size)
		case n.one.Bools[i]:
			n.out.Bools[i] = !n.not
			if len(n.out.Nulls) > 0 {
				n.out.Nulls[i] = false
			}
			continue
		}
		n.open[k] = i
		k++
	}
	n.open = n.open[:k]
}
