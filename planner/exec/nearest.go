package exec

import (
	"bytes"
	"context"
	"slices"
	"strconv"

	"github.com/omgdb/omgdb/planner/exec/eval"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/index/vector"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// nearestOp reads the rows that may be the nearest to a vector. First it finds which rows satisfy the conditions, when there are any;
// then the index tells of which of these the distance is worth computing, in parts; when all of them have come and more rows are wanted,
// those without a vector follow. Where the index cannot be used all rows are read.
type nearestOp struct {
	b        *builder
	n        *plan.Nearest
	scan     *scanOp // of single rows
	all      op      // of everything, with its predicate
	pass     op      // ordinals of the rows that satisfy the conditions; nil when there are none
	pred     *eval.Predicate
	distance eval.Node
	fixed    *fixedExprs

	search  *vector.Search // nil: all is read
	keyOf   func(ctx context.Context, n uint64) ([]byte, error)
	yields  bool              // somebody else reads all when there is no search
	spec    *storage.ScanSpec // for the rows of a part
	only    *vector.Set
	part    int
	visited int64
	rest    bool // only rows without a vector are still to come
	opened  bool // all is open
	out     batch.Batch
	sel     []int32
}

func (b *builder) nearest(n *plan.Nearest) (op, error) {
	s, ok := n.Input.(*plan.Scan)
	if !ok {
		return nil, dberr.New(dberr.InternalError, "a vector search over %T", n.Input)
	}
	o := &nearestOp{b: b, n: n, fixed: &fixedExprs{scope: b.scope(nil), nodes: map[plan.Expr]eval.Node{}}}
	one, err := b.scan(s)
	if err != nil {
		return nil, err
	}
	o.scan = one.(*scanOp)
	whole := plan.Node(s)
	if n.Pred != nil {
		whole = &plan.Filter{Input: s, Pred: n.Pred}
		if o.pred, err = b.scope(s.Cols()).Predicate(n.Pred); err != nil {
			return nil, err
		}
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
	o.search, o.only, o.rest, o.part, o.visited = nil, nil, false, firstPart, 0
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
	if o.n.Index == nil {
		return o.beginSketched(ctx, spec, x, int(count.Int()))
	}
	return o.beginIndexed(ctx, spec, x, int(count.Int()))
}

func (o *nearestOp) dims() int {
	if o.n.Index == nil {
		return o.n.Sketch.Dims
	}
	return int(o.n.Index.Keys[0].Mod)
}

// beginIndexed starts a search through the index.
func (o *nearestOp) beginIndexed(ctx context.Context, spec *storage.ScanSpec, x []float32, count int) error {
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
	o.byKeys(spec)
	o.search, err = store.Search(ctx, view, x, vector.Options{K: count, Recall: o.recall(), Only: o.only})
	if o.search != nil {
		o.keyOf = o.search.RowKey
	}
	return err
}

// byKeys makes the spec of the scan one for rows by their keys.
func (o *nearestOp) byKeys(spec *storage.ScanSpec) {
	alone := *spec
	alone.Index, alone.Bounds, alone.Reverse = nil, nil, false
	o.spec = &alone
}

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

// Parts grow, so that a search that is soon done reads few rows in vain, but not far: each tells how few rows are left to be read.
const (
	firstPart = 64
	mostPart  = 192
)

func (o *nearestOp) next(ctx context.Context) (*batch.Batch, error) {
	if o.search == nil {
		return o.all.next(ctx)
	}
	for !o.rest {
		if o.scan.iter == nil {
			more, err := o.nextPart(ctx)
			if err != nil {
				return nil, err
			}
			if !more {
				o.noteVisits()
				if o.search.Enough() || o.only != nil && o.visited >= int64(o.only.Len()) {
					return nil, nil
				}
				o.rest, o.opened = true, true
				if err := o.all.open(ctx); err != nil {
					return nil, err
				}
				break
			}
		}
		in, err := nextRows(ctx, o.scan)
		if err != nil {
			return nil, err
		}
		if in == nil {
			if err := o.scan.close(); err != nil {
				return nil, err
			}
			continue
		}
		if out, err := o.measured(ctx, in); out != nil || err != nil {
			return out, err
		}
	}
	return o.without(ctx)
}

// nextPart opens the scan of the next rows that the index names; false when it names no more.
func (o *nearestOp) nextPart(ctx context.Context) (bool, error) {
	ordinals := o.search.Next(nil, o.part)
	if len(ordinals) == 0 {
		return false, nil
	}
	o.part = min(2*o.part, mostPart)
	o.visited += int64(len(ordinals))
	spec := *o.spec
	spec.Keys = make([][]byte, len(ordinals))
	for i, n := range ordinals {
		k, err := o.keyOf(ctx, n)
		if err != nil {
			return false, err
		}
		spec.Keys[i] = k
	}
	slices.SortFunc(spec.Keys, bytes.Compare)
	o.scan.asked = &spec
	return true, o.scan.open(ctx)
}

// measured tells the search the distances of rows, and gives those that satisfy the predicate; nil when none does.
func (o *nearestOp) measured(ctx context.Context, in *batch.Batch) (*batch.Batch, error) {
	o.out = *in
	if o.pred != nil {
		sel, err := o.pred.Select(ctx, in)
		if err != nil || len(sel) == 0 {
			return nil, err
		}
		o.out.Sel = sel
	}
	d, err := o.distance.Eval(ctx, &o.out, o.out.Sel)
	if err != nil {
		return nil, err
	}
	for i := range o.out.Rows() {
		if at := int32(o.out.Row(i)); !d.NullAt(at) {
			o.search.Found(d.Flts[d.At(at)])
		}
	}
	return &o.out, nil
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
