package exec

import (
	"context"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/exec/eval"
	"github.com/omgdb/omgdb/planner/exec/vec"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/value"
)

// joinOp joins the batches of its left input with the materialised rows of its right one. A matcher says which right rows are
// candidates for a left row: by hash, or all of them. The condition that the matcher doesn't cover is evaluated on batches of pairs.
type joinOp struct {
	kind        plan.JoinKind
	left, right op
	match       matcher
	residual    *eval.Predicate // over the left, then the right columns
	rightTypes  []*value.Type
	leftTypes   []*value.Type
	mem         memory
	keep, ready bool // the right rows are the same at each open, and they are there
	spillAt     int64
	dir         string
	spill       *joinSpill
	from        op    // where left rows come from: the left input, or a partition of it
	rightRows   int64 // in all partitions together

	store        *vec.Store
	rightMatched []bool // right and full joins: which right rows have found a partner

	in          *batch.Batch // the left batch at hand, its row positions, and which have found a partner
	pos         []int32
	leftMatched []bool
	exhausted   bool // all candidates of the left batch were tried
	lidx, ridx  []int32
	pair        batch.Batch
	cols        []*value.Column // left, then right columns of pair
	sel         []int32
	out         batch.Batch
	tail        int // next right row to look at for the unmatched ones
	leftDone    bool
}

// matcher enumerates candidate pairs.
type matcher interface {
	// build learns the right rows that were added to the store by the batch in.
	build(ctx context.Context, in *batch.Batch, store *vec.Store, mem *memory) error
	reset()
	// start begins a left batch; lone asks for a pair with right row -1 for each left row without candidates.
	start(ctx context.Context, in *batch.Batch, pos []int32, lone bool) error
	// fill appends pairs up to the capacity of l; none at the end.
	fill(l, r []int32) ([]int32, []int32)
	// single gives, by position of the left batch, the only candidate of each row or -1, when no left row has more than one.
	single(in *batch.Batch, pos []int32, idx []int32) bool
	// nullKey tells whether a right row had a NULL key.
	nullKey() bool
	// nullAt tells whether the left row at a position has a NULL key.
	nullAt(i int32) bool
}

func (b *builder) join(n *plan.Join) (op, error) {
	if n.Lateral {
		return b.lateral(n)
	}
	left, err := b.build(n.Left)
	if err != nil {
		return nil, err
	}
	right, err := b.build(n.Right)
	if err != nil {
		return nil, err
	}
	lc, rc := n.Left.Cols(), n.Right.Cols()
	o := &joinOp{kind: n.Kind, left: left, right: right, leftTypes: types(lc), rightTypes: types(rc), mem: b.memory(),
		keep: b.depth > 0 && b.steady(n.Right) && steadyKeys(n), dir: b.rt.SpillDir}
	cond := n.On
	if len(n.HashKeys) > 0 {
		cond = n.Residual
		if o.match, err = b.hashMatcher(n); err != nil {
			return nil, err
		}
		o.spillAt = b.spillAt()
		b.atEnd(o.endSpill)
	} else {
		o.match = &loopMatcher{}
	}
	if cond != nil {
		if o.residual, err = b.scope(append(append([]plan.Col(nil), lc...), rc...)).Predicate(cond); err != nil {
			return nil, err
		}
	}
	for _, t := range append(append([]*value.Type(nil), o.leftTypes...), o.rightTypes...) {
		o.cols = append(o.cols, value.NewColumn(t, 0))
	}
	return o, nil
}

// steadyKeys tells whether the right side's keys depend on nothing but its rows.
func steadyKeys(n *plan.Join) bool {
	own := plan.ColSet{}
	own.Add(n.Right.Cols()...)
	ok := true
	for _, k := range n.HashKeys {
		plan.WalkDeep(k[1], func(e plan.Expr) bool {
			switch x := e.(type) {
			case *plan.ColRef:
				ok = ok && own.Has(x.ID)
			case *plan.Call:
				ok = ok && (x.Fn == nil || x.Fn.Volatility != functions.Volatile)
			}
			return ok
		})
	}
	return ok
}

func (o *joinOp) leftOnly() bool {
	return o.kind == plan.SemiJoin || o.kind == plan.AntiJoin || o.kind == plan.AntiNullJoin
}

// keepsLeft tells whether left rows without a partner are shown with NULLs; keepsRight the same of right rows.
func (o *joinOp) keepsLeft() bool  { return o.kind == plan.LeftJoin || o.kind == plan.FullJoin }
func (o *joinOp) keepsRight() bool { return o.kind == plan.RightJoin || o.kind == plan.FullJoin }

func (o *joinOp) open(ctx context.Context) error {
	o.in, o.tail, o.leftDone = nil, 0, false
	if !o.ready || !o.keep {
		if err := o.buildRight(ctx); err != nil {
			return err
		}
	}
	if o.spill != nil {
		if err := o.spillLeft(ctx); err != nil {
			return err
		}
		_, err := o.nextPart(ctx)
		return err
	}
	o.from = o.left
	o.resetMatched()
	if o.store.N == 0 && (o.kind == plan.InnerJoin || o.kind == plan.RightJoin || o.kind == plan.SemiJoin) {
		o.leftDone = true // no left row can have a partner
		return nil
	}
	return o.left.open(ctx)
}

func (o *joinOp) buildRight(ctx context.Context) error {
	o.ready, o.rightRows = false, 0
	if err := o.endSpill(); err != nil {
		return err
	}
	o.clear()
	if err := o.right.open(ctx); err != nil {
		return err
	}
	for {
		in, err := nextRows(ctx, o.right)
		if err != nil {
			return err
		}
		if in == nil {
			break
		}
		o.rightRows += int64(in.Rows())
		if o.spill != nil {
			err = o.spillRight(ctx, in)
		} else if err = o.keepRight(ctx, in); err == nil && o.spillAt > 0 && o.mem.held > o.spillAt {
			err = o.startSpill(ctx)
		}
		if err != nil {
			return err
		}
	}
	o.ready = o.spill == nil // partitions are joined once
	return o.right.close()
}

// keepRight adds right rows to those in memory.
func (o *joinOp) keepRight(ctx context.Context, in *batch.Batch) error {
	if err := o.mem.take(o.store.Append(in)); err != nil {
		return err
	}
	return o.match.build(ctx, in, o.store, &o.mem)
}

func (o *joinOp) next(ctx context.Context) (*batch.Batch, error) {
	for {
		out, err := o.nextOfPart(ctx)
		if err != nil || out != nil {
			return out, err
		}
		if more, err := o.nextPart(ctx); err != nil || !more {
			return nil, err
		}
	}
}

// nextOfPart gives the next rows of the right rows in memory, nil when there are no more.
func (o *joinOp) nextOfPart(ctx context.Context) (*batch.Batch, error) {
	for !o.leftDone {
		if o.in == nil {
			in, err := nextRows(ctx, o.from)
			if err != nil {
				return nil, err
			}
			if in == nil {
				o.leftDone = true
				break
			}
			if err := o.startBatch(ctx, in); err != nil {
				return nil, err
			}
		}
		out, err := o.step(ctx)
		if err != nil || out != nil && out.Rows() > 0 {
			return out, err
		}
	}
	if o.keepsRight() {
		return o.restOfRight(), nil
	}
	return nil, nil
}

func (o *joinOp) startBatch(ctx context.Context, in *batch.Batch) error {
	o.in, o.pos, o.exhausted = in, vec.Positions(in.Sel, in.Len), false
	o.leftMatched = append(o.leftMatched[:0], make([]bool, in.Len)...)
	return o.match.start(ctx, in, o.pos, o.keepsLeft())
}

// step does the next piece of work on the left batch: it gives rows, or nothing yet, and ends the batch by setting in to nil.
func (o *joinOp) step(ctx context.Context) (*batch.Batch, error) {
	if !o.exhausted {
		if o.match.single(o.in, o.pos, o.aligned()) {
			o.exhausted = true
			return o.joinSingle(ctx)
		}
		if cap(o.lidx) == 0 {
			o.lidx, o.ridx = make([]int32, 0, batch.Size), make([]int32, 0, batch.Size)
		}
		o.lidx, o.ridx = o.match.fill(o.lidx[:0], o.ridx[:0])
		if len(o.lidx) > 0 {
			return o.joinPairs(ctx)
		}
		o.exhausted = true
	}
	return o.endBatch(), nil
}

// aligned is room for one right row a position of the left batch.
func (o *joinOp) aligned() []int32 {
	if cap(o.ridx) < o.in.Len {
		o.ridx = make([]int32, 0, max(o.in.Len, batch.Size))
		o.lidx = make([]int32, 0, max(o.in.Len, batch.Size))
	}
	return o.ridx[:o.in.Len]
}

// joinSingle joins a batch of which each row has one candidate at most: the left columns stay where they are.
func (o *joinOp) joinSingle(ctx context.Context) (*batch.Batch, error) {
	idx := o.ridx[:o.in.Len]
	o.sel = o.sel[:0]
	for _, i := range o.pos {
		if idx[i] >= 0 {
			o.sel = append(o.sel, i)
		}
	}
	hits := o.sel
	var pair *batch.Batch
	if o.residual != nil && len(hits) > 0 {
		pair = o.alignedPair(idx)
		pair.Sel = hits
		var err error
		if hits, err = o.residual.Select(ctx, pair); err != nil {
			return nil, err
		}
	}
	if o.leftOnly() {
		for _, i := range hits {
			o.leftMatched[i] = true
		}
		return nil, nil
	}
	if o.keepsRight() {
		for _, i := range hits {
			o.rightMatched[idx[i]] = true
		}
	}
	if !o.keepsLeft() {
		if len(hits) == 0 {
			return nil, nil
		}
		if pair == nil {
			pair = o.alignedPair(idx)
		}
		pair.Sel = hits
		return pair, nil
	}
	if o.residual != nil && len(hits) < len(o.sel) {
		o.dropMisses(idx, hits)
		pair = nil
	}
	for _, i := range o.pos {
		o.leftMatched[i] = true // shown here with or without a partner
	}
	if pair == nil {
		pair = o.alignedPair(idx)
	}
	pair.Sel = o.in.Sel
	return pair, nil
}

// dropMisses takes away the candidates that the residual condition refused.
func (o *joinOp) dropMisses(idx, hits []int32) {
	k := 0
	for _, i := range o.pos {
		if k < len(hits) && hits[k] == i {
			k++
			continue
		}
		idx[i] = -1
	}
}

func (o *joinOp) alignedPair(idx []int32) *batch.Batch {
	nl := len(o.leftTypes)
	cols := append(o.pair.Cols[:0], o.in.Cols...)
	for k, c := range o.store.Cols {
		vec.Gather(o.cols[nl+k], c, idx)
		cols = append(cols, o.cols[nl+k])
	}
	o.pair = batch.Batch{Cols: cols, Len: o.in.Len}
	return &o.pair
}

// joinPairs makes a batch of the pairs in lidx and ridx, keeps those that satisfy the condition and remembers who matched.
func (o *joinOp) joinPairs(ctx context.Context) (*batch.Batch, error) {
	nl := len(o.leftTypes)
	cols := o.pair.Cols[:0]
	for k, c := range o.in.Cols {
		vec.Gather(o.cols[k], c, o.lidx)
		cols = append(cols, o.cols[k])
	}
	for k, c := range o.store.Cols {
		vec.Gather(o.cols[nl+k], c, o.ridx)
		cols = append(cols, o.cols[nl+k])
	}
	o.pair = batch.Batch{Cols: cols, Len: len(o.lidx)}
	if o.residual != nil {
		sel, err := o.residual.Select(ctx, &o.pair)
		if err != nil {
			return nil, err
		}
		if o.pair.Sel = sel; o.keepsLeft() {
			o.keepAlone(vec.Positions(sel, o.pair.Len))
		}
	}
	for _, k := range vec.Positions(o.pair.Sel, o.pair.Len) {
		o.leftMatched[o.lidx[k]] = true
		if r := o.ridx[k]; r >= 0 && o.keepsRight() {
			o.rightMatched[r] = true
		}
	}
	if o.leftOnly() {
		return nil, nil
	}
	return &o.pair, nil
}

// keepAlone puts left rows whose candidates the condition has all refused back among the pairs, with NULLs, so that the left rows stay in their
// order. hits are the pairs that it kept. A row whose candidates go on in the next pairs is left to them, and to endBatch.
func (o *joinOp) keepAlone(hits []int32) {
	o.sel = append(o.sel[:0], 0)[:0] // not nil, which would select all
	changed := false
	for a, b := 0, 0; a < len(o.lidx); a = b {
		i := o.lidx[a]
		for b = a; b < len(o.lidx) && o.lidx[b] == i; b++ {
		}
		n := 0
		for n < len(hits) && int(hits[n]) < b {
			n++
		}
		switch {
		case o.ridx[a] < 0: // had no candidate
			o.sel = append(o.sel, int32(a))
		case n > 0:
			o.sel = append(o.sel, hits[:n]...)
		case !o.leftMatched[i] && b < len(o.lidx):
			o.ridx[b-1], changed = -1, true
			o.sel = append(o.sel, int32(b-1))
		}
		if hits = hits[n:]; n > 0 {
			o.leftMatched[i] = true
		}
	}
	if changed {
		for k, c := range o.store.Cols {
			vec.Gather(o.cols[len(o.leftTypes)+k], c, o.ridx)
		}
	}
	o.pair.Sel = o.sel
}

// endBatch gives what is left of the batch once all pairs were seen.
func (o *joinOp) endBatch() *batch.Batch {
	in := o.in
	o.in = nil
	o.sel = o.sel[:0]
	switch {
	case o.kind == plan.SemiJoin:
		for _, i := range o.pos {
			if o.leftMatched[i] {
				o.sel = append(o.sel, i)
			}
		}
	case o.kind == plan.AntiNullJoin:
		o.antiNull()
	case o.kind == plan.AntiJoin || o.keepsLeft():
		for _, i := range o.pos {
			if !o.leftMatched[i] {
				o.sel = append(o.sel, i)
			}
		}
	}
	if len(o.sel) == 0 {
		return nil
	}
	o.out = batch.Batch{Cols: in.Cols, Len: in.Len, Sel: o.sel}
	if !o.leftOnly() {
		o.out.Cols = append([]*value.Column(nil), in.Cols...)
		for k := range o.store.Cols {
			c := o.cols[len(o.leftTypes)+k]
			allNull(c, in.Len)
			o.out.Cols = append(o.out.Cols, c)
		}
	}
	return &o.out
}

// antiNull selects for NOT IN: nothing passes when a right key is NULL, and a NULL left key passes only when there are no right rows.
func (o *joinOp) antiNull() {
	if o.match.nullKey() {
		return
	}
	for _, i := range o.pos {
		if !o.leftMatched[i] && (o.rightRows == 0 || !o.match.nullAt(i)) {
			o.sel = append(o.sel, i)
		}
	}
}

// allNull makes c a column of n NULLs.
func allNull(c *value.Column, n int) {
	vec.Resize(c, n)
	nulls := vec.MaskNulls(c, n)
	for i := range nulls {
		nulls[i] = true
	}
}

// restOfRight gives the right rows without a partner.
func (o *joinOp) restOfRight() *batch.Batch {
	o.ridx = o.ridx[:0]
	for ; o.tail < o.store.N && len(o.ridx) < batch.Size; o.tail++ {
		if !o.rightMatched[o.tail] {
			o.ridx = append(o.ridx, int32(o.tail))
		}
	}
	if len(o.ridx) == 0 {
		return nil
	}
	cols := o.pair.Cols[:0]
	for k := range o.leftTypes {
		allNull(o.cols[k], len(o.ridx))
		cols = append(cols, o.cols[k])
	}
	for k, c := range o.store.Cols {
		col := o.cols[len(o.leftTypes)+k]
		vec.Gather(col, c, o.ridx)
		cols = append(cols, col)
	}
	o.pair = batch.Batch{Cols: cols, Len: len(o.ridx)}
	return &o.pair
}

func (o *joinOp) close() error {
	if !o.keep {
		o.store, o.ready = nil, false
		o.match.reset()
		o.mem.free()
	}
	o.in = nil
	err := closeAll(o.left, o.right)
	if e := o.endSpill(); err == nil {
		err = e
	}
	return err
}

// loopMatcher pairs every left row with every right row.
type loopMatcher struct {
	n    int
	pos  []int32
	lone bool
	k, j int
}

func (m *loopMatcher) build(_ context.Context, _ *batch.Batch, store *vec.Store, _ *memory) error {
	m.n = store.N
	return nil
}

func (m *loopMatcher) reset() { m.n = 0 }

func (m *loopMatcher) start(_ context.Context, _ *batch.Batch, pos []int32, lone bool) error {
	m.pos, m.lone, m.k, m.j = pos, lone, 0, 0
	return nil
}

func (m *loopMatcher) fill(l, r []int32) ([]int32, []int32) {
	for m.k < len(m.pos) && len(l) < cap(l) {
		if m.n == 0 && m.lone {
			l, r = append(l, m.pos[m.k]), append(r, -1)
		}
		for m.j < m.n && len(l) < cap(l) {
			l, r = append(l, m.pos[m.k]), append(r, int32(m.j))
			m.j++
		}
		if m.j >= m.n {
			m.k++
			m.j = 0
		}
	}
	return l, r
}

func (m *loopMatcher) single(in *batch.Batch, pos []int32, idx []int32) bool { return false }

func (m *loopMatcher) nullKey() bool { return false }

func (m *loopMatcher) nullAt(int32) bool { return false }
