package exec

import (
	"context"

	"github.com/omgdb/omgdb/planner/exec/eval"
	"github.com/omgdb/omgdb/planner/exec/vec"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/value"
)

// hashedInNode is x IN (subquery) where the subquery depends on nothing outside: its rows are hashed once.
type hashedInNode struct {
	op          op
	not         bool
	left, right []eval.Node
	same        []vec.Equaler
	mem         memory
	built       bool
	rows        *vec.Store // of the right keys, NULLs included
	table       *vec.Table // of those without NULLs
	nulls       []int32    // rows with a NULL
	vecs        []vec.Vec
	ids         []int32
	out         value.Column
}

// hashedIn gives that form for q, nil when q is not of its kind.
func (b *builder) hashedIn(s *eval.Scope, q *plan.Subquery, o op) (eval.Node, error) {
	if q.Kind != plan.AnySub || q.Op != "=" || len(plan.Free(q.Query)) > 0 || b.unsteadyCTE(q.Query) {
		return nil, nil
	}
	cols := plan.ColSet{}
	cols.Add(q.Query.Cols()...)
	n := &hashedInNode{op: o, not: q.Not, mem: b.memory()}
	n.out.Type = value.Boolean
	inner := b.scope(q.Query.Cols())
	var types []*value.Type
	for _, c := range eval.Conjuncts(q.Compare, nil) {
		l, r, ok := equality(c, cols)
		if !ok {
			return nil, nil
		}
		ln, err := s.Compile(l)
		if err != nil {
			return nil, err
		}
		rn, err := inner.Compile(r)
		if err != nil {
			return nil, err
		}
		n.left, n.right, n.same = append(n.left, ln), append(n.right, rn), append(n.same, vec.EqualerOf(r.Type()))
		types = append(types, r.Type())
	}
	n.table, n.rows, n.vecs = vec.NewTable(types), vec.NewStore(types), make([]vec.Vec, len(types))
	return n, nil
}

// equality splits a = b into a side outside cols and a side over nothing but cols, of types whose equality is that of hashing.
func equality(e plan.Expr, cols plan.ColSet) (outside, inside plan.Expr, ok bool) {
	c, isCall := e.(*plan.Call)
	if !isCall || c.Style != plan.OpStyle || c.Name != "=" || len(c.Args) != 2 || !vec.Hashable(c.Args[0].Type(), c.Args[1].Type()) {
		return nil, nil, false
	}
	for k := range 2 {
		outside, inside = c.Args[k], c.Args[1-k]
		in, out := within(inside, cols), without(outside, cols)
		if in && out {
			return outside, inside, true
		}
	}
	return nil, nil, false
}

func within(e plan.Expr, cols plan.ColSet) bool {
	refs := plan.RefsOf(e)
	for id := range refs {
		if !cols.Has(id) {
			return false
		}
	}
	return len(refs) > 0
}

func without(e plan.Expr, cols plan.ColSet) bool {
	for id := range plan.RefsOf(e) {
		if cols.Has(id) {
			return false
		}
	}
	return true
}

func (n *hashedInNode) build(ctx context.Context) error {
	if err := n.op.open(ctx); err != nil {
		return err
	}
	keys := make([]*value.Column, len(n.right))
	wide := make([]value.Column, len(n.right))
	for {
		b, err := nextRows(ctx, n.op)
		if err != nil {
			return err
		}
		if b == nil {
			n.built = true
			return n.op.close()
		}
		for i, r := range n.right {
			v, err := r.Eval(ctx, b, b.Sel)
			if err != nil {
				return err
			}
			n.vecs[i], keys[i] = v, vec.Expand(v, b.Len, &wide[i])
		}
		pos := vec.Positions(b.Sel, b.Len)
		full := make([]int32, 0, len(pos))
		for k, i := range pos {
			if anyNull(n.vecs, i) {
				n.nulls = append(n.nulls, int32(n.rows.N+k))
				continue
			}
			full = append(full, i)
		}
		n.assign(full)
		if err := n.mem.take(n.rows.AppendCols(keys, b.Sel, len(pos)) + int64(len(pos))*16); err != nil {
			return err
		}
	}
}

func (n *hashedInNode) assign(pos []int32) {
	if cap(n.ids) < len(pos) {
		n.ids = make([]int32, len(pos))
	}
	n.table.Assign(n.vecs, pos, n.ids[:len(pos)])
}

func anyNull(vecs []vec.Vec, i int32) bool {
	for _, v := range vecs {
		if v.NullAt(i) {
			return true
		}
	}
	return false
}

func (n *hashedInNode) Eval(ctx context.Context, b *batch.Batch, sel []int32) (vec.Vec, error) {
	if !n.built {
		if err := n.build(ctx); err != nil {
			return vec.Vec{}, err
		}
	}
	for i, l := range n.left {
		v, err := l.Eval(ctx, b, sel)
		if err != nil {
			return vec.Vec{}, err
		}
		n.vecs[i] = v
	}
	pos := vec.Positions(sel, b.Len)
	if cap(n.ids) < len(pos) {
		n.ids = make([]int32, len(pos))
	}
	ids := n.ids[:len(pos)]
	n.table.Find(n.vecs, pos, ids)
	vec.Resize(&n.out, b.Len)
	for k, i := range pos {
		switch {
		case n.rows.N == 0:
			n.out.Bools[i] = n.not
		case anyNull(n.vecs, i):
			n.set(i, b.Len, n.unsure(i, vec.Iota(n.rows.N)))
		case ids[k] >= 0:
			n.out.Bools[i] = !n.not
		default:
			n.set(i, b.Len, n.unsure(i, n.nulls))
		}
	}
	return vec.Vec{Column: &n.out}, nil
}

// set stores that a row is not found, or that this is unknown.
func (n *hashedInNode) set(i int32, size int, unknown bool) {
	if unknown {
		vec.SetNull(&n.out, i, size)
		return
	}
	n.out.Bools[i] = n.not
}

// unsure tells whether one of the right rows given differs from the left row nowhere for sure: where neither side is NULL they are equal.
func (n *hashedInNode) unsure(i int32, rows []int32) bool {
	if len(n.left) == 1 {
		return len(rows) > 0
	}
	for _, r := range rows {
		same := true
		for k, v := range n.vecs {
			if !v.NullAt(i) && !n.rows.Cols[k].IsNull(int(r)) && !n.same[k](v.Column, v.At(i), n.rows.Cols[k], int(r)) {
				same = false
				break
			}
		}
		if same {
			return true
		}
	}
	return false
}
