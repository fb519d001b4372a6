package exec

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/omgdb/omgdb/planner/exec/eval"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/index/vector"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// nearestOp reads the rows nearest to a vector. First it finds which rows satisfy the conditions, when there are any; then the index tells
// of which of these the distance is worth computing, and the nearest of those are read; when there are fewer of them than wanted, rows
// without a vector follow. Where the index cannot be used all rows are read.
type nearestOp struct {
	b        *builder
	n        *plan.Nearest
	scan     *scanOp // of single rows
	all      op      // of everything, with its predicate
	pass     op      // ordinals of the rows that satisfy the conditions; nil when there are none
	distance eval.Node
	fixed    *fixedExprs

	search   *vector.Search // nil: all is read
	keyOf    func(ctx context.Context, n uint64) ([]byte, error)
	vectorOf func(ctx context.Context, d doc.Doc) ([]float32, error)
	metric   vector.Metric
	query    []float32
	count    int
	yields   bool // somebody else reads all when there is no search
	only     *vector.Set
	visited  int64
	rest     bool // only rows without a vector are still to come
	opened   bool // all is open
	out      batch.Batch
	sel      []int32
}

func (b *builder) nearest(n *plan.Nearest) (op, error) {
	s, ok := n.Input.(*plan.Scan)
	if !ok {
		return nil, dberr.New(dberr.InternalError, "a vector search over %T", n.Input)
	}
	o := &nearestOp{b: b, n: n, fixed: &fixedExprs{scope: b.scope(nil)}}
	one, err := b.scan(s)
	if err != nil {
		return nil, err
	}
	o.scan = one.(*scanOp)
	whole := plan.Node(s)
	if n.Pred != nil {
		whole = &plan.Filter{Input: s, Pred: n.Pred}
	}
	if o.all, err = b.operator(whole); err != nil {
		return nil, err
	}
	if n.Pred != nil || len(s.FilterExprs) > 0 || s.Filter != nil {
		if o.pass, err = b.operator(passing(s, n.Pred)); err != nil {
			return nil, err
		}
	}
	o.distance, err = b.scope(s.Cols()).Compile(n.Distance)
	return o, err
}

// passing is a plan for the ordinals of the rows that satisfy the conditions: they are the first column.
func passing(s *plan.Scan, pred plan.Expr) plan.Node {
	ordinals := *s
	ordinals.Parallel = 0
	ordinals.FilterCols = slices.Concat(s.FilterCols, s.Out)
	ordinals.Out = []plan.ScanCol{{
		Col: plan.Col{ID: -2, Name: "ordinal", Type: value.Int8, Mod: -1},
		Src: storage.ScanCol{Kind: storage.ColOrdinal, Type: value.Int8, Mod: -1, Name: "ordinal"},
	}}
	if pred == nil {
		return &ordinals
	}
	used := plan.RefsOf(pred)
	for _, c := range s.Out {
		if used.Has(c.ID) {
			ordinals.Out = append(ordinals.Out, c)
		}
	}
	return &plan.Filter{Input: &ordinals, Pred: pred}
}

func (o *nearestOp) open(ctx context.Context) error {
	if err := o.close(); err != nil {
		return err
	}
	o.search, o.only, o.rest, o.visited = nil, nil, false, 0
	if err := o.begin(ctx); err != nil || o.search != nil || o.yields {
		return err
	}
	o.opened = true
	return o.all.open(ctx)
}

// begin starts the search; it leaves none where all rows must be read.
func (o *nearestOp) begin(ctx context.Context) error {
	if o.n.Index != nil && !o.b.rt.Txn.CanRead(o.n.Index) {
		return nil
	}
	count, err := o.fixed.value(ctx, o.n.Count)
	if err != nil || count.IsNull() || count.Int() <= 0 || count.Int() > mostNearest {
		return err
	}
	query, err := o.fixed.value(ctx, o.n.Query)
	if err != nil || query.IsNull() {
		return err
	}
	x, ok := queryVector(o.n.Query.Type(), query)
	if !ok || len(x) != o.dims() {
		return nil // reading the rows tells the error, if there are any
	}
	spec, some, err := o.scan.spec(ctx)
	if err != nil || !some {
		return err
	}
	o.query, o.count = x, int(count.Int())
	if o.n.Index == nil {
		err = o.beginSketched(ctx, spec)
	} else {
		err = o.beginIndexed(ctx)
	}
	if o.search == nil || err != nil {
		return err
	}
	return o.choose(ctx, spec)
}

func (o *nearestOp) dims() int {
	if o.n.Index == nil {
		return o.n.Sketch.Dims
	}
	return int(o.n.Index.Keys[0].Mod)
}

// beginIndexed starts a search through the index.
func (o *nearestOp) beginIndexed(ctx context.Context) error {
	m, view, err := o.b.rt.Txn.OpenIndex(ctx, o.scan.n.Rel, o.n.Index)
	if err != nil {
		return err
	}
	store, ok := m.(*vector.Index)
	if !ok {
		return nil
	}
	if err := o.collect(ctx); err != nil {
		return err
	}
	o.metric, o.vectorOf = vector.MetricOf(o.n.Index), store.Vector
	sketches, near := o.refinement()
	options := vector.Options{K: o.count, Recall: o.recall(), Only: o.only, Uncompared: sketches != nil && o.only != nil && o.only.Len() <= fewMatches}
	if o.search, err = store.Search(ctx, view, o.query, options); o.search == nil || err != nil {
		return err
	}
	o.keyOf = o.search.RowKey
	if sketches == nil {
		return nil
	}
	return o.refine(ctx, sketches, near)
}

// fewMatches is up to how many rows that satisfy the conditions have their sketches looked up at once: their codes lie apart from each
// other, so that comparing those first costs as much.
const fewMatches = 4096

// mostNearest is up to how many rows an index is asked for; for more, reading all is the better way.
const mostNearest = 20000

func queryVector(t *value.Type, v value.Value) ([]float32, bool) {
	switch typeio.Base(t).OID {
	case value.Vector.OID:
		return typeio.UnpackVector(v), true
	case value.HalfVec.OID:
		return typeio.UnpackHalf(v), true
	}
	return nil, false
}

// recall is what the settings aim at: omgdb.vector_recall, and more when hnsw.ef_search is above its default.
func (o *nearestOp) recall() float64 {
	recall := 0.99
	set := o.b.rt.Env.Settings
	if set == nil {
		return recall
	}
	if s, ok := set.Get("omgdb.vector_recall"); ok {
		if f, err := strconv.ParseFloat(s, 64); err == nil {
			recall = f
		}
	}
	if s, ok := set.Get("hnsw.ef_search"); ok {
		switch ef, _ := strconv.Atoi(s); {
		case ef >= 1000:
			recall = 1
		case ef >= 200:
			recall = max(recall, 0.999)
		}
	}
	return recall
}

// collect finds the rows that satisfy the conditions, if there are any.
func (o *nearestOp) collect(ctx context.Context) error {
	if o.pass == nil {
		return nil
	}
	o.only = &vector.Set{}
	if err := o.pass.open(ctx); err != nil {
		return err
	}
	defer o.pass.close()
	for {
		in, err := nextRows(ctx, o.pass)
		if err != nil || in == nil {
			return err
		}
		ordinals := in.Cols[0].Ints
		for i := range in.Rows() {
			o.only.Add(uint64(ordinals[in.Row(i)]))
		}
	}
}

// hit is a row with its distance.
type hit struct {
	distance float64
	key      []byte
}

// choose computes the distances of the rows that the search names, a few at a time, for each tells how few are left to be looked at. The
// scan is opened over the nearest, and all that are as near as the last of them.
func (o *nearestOp) choose(ctx context.Context, spec *storage.ScanSpec) error {
	const few = 4
	var hits []hit
	var named []uint64
	for {
		if named = o.search.Next(named[:0], max(few, o.count-len(hits))); len(named) == 0 {
			break
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		o.visited += int64(len(named))
		slices.Sort(named)
		for _, n := range named {
			h, err := o.measure(ctx, n)
			if err != nil {
				return err
			}
			o.search.Found(h.distance)
			hits = append(hits, h)
		}
	}
	slices.SortFunc(hits, func(a, b hit) int { return compareDistances(a.distance, b.distance) })
	n := min(o.count, len(hits))
	for n > 0 && n < len(hits) && compareDistances(hits[n].distance, hits[n-1].distance) == 0 {
		n++
	}
	chosen := *spec
	chosen.Index, chosen.Bounds, chosen.Reverse, chosen.Keys = nil, nil, false, make([][]byte, n)
	for i, h := range hits[:n] {
		chosen.Keys[i] = h.key
	}
	slices.SortFunc(chosen.Keys, bytes.Compare)
	o.noteVisits()
	o.scan.asked = &chosen
	return o.scan.open(ctx)
}

// compareDistances puts what is no number last.
func compareDistances(a, b float64) int {
	if a != a || b != b {
		return -cmp.Compare(a, b)
	}
	return cmp.Compare(a, b)
}

func (o *nearestOp) measure(ctx context.Context, n uint64) (h hit, err error) {
	if h.key, err = o.keyOf(ctx, n); err != nil {
		return h, err
	}
	d, ok, err := o.b.rt.Txn.Get(ctx, o.scan.n.Rel, h.key)
	if err != nil {
		return h, err
	}
	var x []float32
	if ok {
		x, err = o.vectorOf(ctx, d)
	}
	if err == nil && len(x) != len(o.query) {
		err = dberr.New(dberr.IndexCorrupted, "a search for vectors names row %x, which has none", h.key).WithHint("Build the index again with REINDEX.")
	}
	if err == nil {
		h.distance = o.metric.Distance(x, o.query)
	}
	return h, err
}

func (o *nearestOp) next(ctx context.Context) (*batch.Batch, error) {
	if o.search == nil {
		return o.all.next(ctx)
	}
	if !o.rest {
		if in, err := nextRows(ctx, o.scan); in != nil || err != nil {
			return in, err
		}
		if o.search.Enough() || o.only != nil && o.visited >= int64(o.only.Len()) {
			return nil, nil
		}
		o.rest, o.opened = true, true
		if err := o.all.open(ctx); err != nil {
			return nil, err
		}
	}
	return o.without(ctx)
}

// without gives the rows that have no vector.
func (o *nearestOp) without(ctx context.Context) (*batch.Batch, error) {
	for {
		in, err := nextRows(ctx, o.all)
		if err != nil || in == nil {
			return nil, err
		}
		d, err := o.distance.Eval(ctx, in, in.Sel)
		if err != nil {
			return nil, err
		}
		o.sel = o.sel[:0]
		for i := range in.Rows() {
			if at := int32(in.Row(i)); d.NullAt(at) {
				o.sel = append(o.sel, at)
			}
		}
		if len(o.sel) > 0 {
			o.out = batch.Batch{Cols: in.Cols, Len: in.Len, Sel: o.sel}
			return &o.out, nil
		}
	}
}

func (o *nearestOp) noteVisits() {
	props := []plan.Prop{{Key: "Codes Compared", Value: int64(o.search.Scanned)}, {Key: "Rows Rescored", Value: o.visited}}
	if o.only != nil {
		props = append([]plan.Prop{{Key: "Rows Matching", Value: int64(o.only.Len())}}, props...)
	}
	o.b.rt.Instrument.note(o.n, props...)
}

func (o *nearestOp) close() error {
	err := o.scan.close()
	if o.opened {
		o.opened = false
		if e := o.all.close(); err == nil {
			err = e
		}
	}
	return err
}
