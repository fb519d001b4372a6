package exec

import (
	"context"

	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/index/vector"
	"github.com/omgdb/omgdb/storage/value"
)

// beginSketched starts a search without an index: the sketches of all vectors tell which rows may be among the nearest. It starts none
// where sketches are not to be had.
func (o *nearestOp) beginSketched(ctx context.Context, spec *storage.ScanSpec) error {
	of := o.n.Sketch
	near, ok := vector.NewSketches(of.Metric, o.query, o.count)
	if !ok || spec.Index != nil || spec.Keys != nil {
		return nil
	}
	it, err := o.b.rt.Txn.Sketches(ctx, o.sketchCol(), spec.Bounds)
	if it == nil || err != nil {
		return err
	}
	defer it.Close()
	if err := o.collect(ctx); err != nil {
		return err
	}
	var keys []string // of the rows that may be among the nearest
	for {
		in, err := it.Next(ctx)
		if err != nil {
			return err
		}
		if in == nil {
			break
		}
		keys = o.addSketches(in, near, keys)
	}
	o.search, o.metric = near.Search(), of.Metric
	o.keyOf = func(_ context.Context, n uint64) ([]byte, error) { return value.String(keys[n]).Bytes(), nil }
	path := doc.Keys(of.Field)
	o.vectorOf = func(_ context.Context, d doc.Doc) ([]float32, error) { return vector.Stored(of.Type, d.Walk(path)) }
	return nil
}

func (o *nearestOp) sketchCol() storage.SketchCol {
	of := o.n.Sketch
	if of == nil {
		return storage.SketchCol{Rel: o.scan.n.Rel, Dims: o.dims(), Index: o.n.Index}
	}
	return storage.SketchCol{Rel: o.scan.n.Rel, Field: of.Field, Type: of.Type, Dims: of.Dims}
}

// refinement gives the sketches in memory that tell which of the rows that an index names are worth reading, and a search among them; nil
// when there are none.
func (o *nearestOp) refinement() (*storage.SketchesByKey, *vector.Sketches) {
	near, ok := vector.NewSketches(o.metric, o.query, o.count)
	if !ok {
		return nil, nil
	}
	return o.b.rt.Txn.SketchesByKey(o.sketchCol()), near
}

// refine leaves the rows of the search that are worth reading. Those whose sketches are not in memory stay.
func (o *nearestOp) refine(ctx context.Context, sketches *storage.SketchesByKey, near *vector.Sketches) error {
	from := o.search
	var kept, named []uint64
	const part = 64
	for {
		if named = from.Next(named[:0], part); len(named) == 0 {
			break
		}
		for _, n := range named {
			sketch, _, err := sketches.Find(ctx, n, from.RowKey)
			if err != nil {
				return err
			}
			if near.Add(uint64(len(kept)), sketch) {
				kept = append(kept, n)
			}
		}
		from.FoundWithin(near)
	}
	sketches.Done()
	o.search = near.Search()
	o.search.Scanned = from.Scanned
	o.keyOf = func(ctx context.Context, n uint64) ([]byte, error) { return from.RowKey(ctx, kept[n]) }
	return nil
}

// addSketches considers the rows of a batch of Txn.Sketches. A row's number is its place among keys.
func (o *nearestOp) addSketches(in *batch.Batch, near *vector.Sketches, keys []string) []string {
	rowKeys, ordinals, sketches := in.Cols[0], in.Cols[1], in.Cols[2]
	for i := range in.Rows() {
		at := in.Row(i)
		if sketches.IsNull(at) || o.only != nil && !o.only.Has(uint64(ordinals.Ints[at])) {
			continue
		}
		if near.Add(uint64(len(keys)), sketches.Strs[at]) {
			keys = append(keys, rowKeys.Strs[at])
		}
	}
	return keys
}

// sketchedOp runs a chain of projections over a search by sketches, or, where that cannot start, the plain chain over all rows, which
// several cores may read.
type sketchedOp struct {
	near   op
	search *nearestOp // at the bottom of near
	plain  op
	op     // the one that is open
}

// sketched builds the operator for such a chain; nil when n is none.
func (b *builder) sketched(n plan.Node) (op, error) {
	near := sketchSearch(n)
	if near == nil || b.rt.Instrument != nil {
		return nil, nil
	}
	o := &sketchedOp{}
	var err error
	if o.near, o.search, err = b.sketchedChain(n); err != nil {
		return nil, err
	}
	o.op = o.near
	whole := near.Input
	if near.Pred != nil {
		whole = &plan.Filter{Input: whole, Pred: near.Pred}
	}
	o.plain, err = b.operator(replaced(n, near, whole))
	return o, err
}

// sketchSearch finds the search by sketches below projections; nil when there is none.
func sketchSearch(n plan.Node) *plan.Nearest {
	for {
		switch x := n.(type) {
		case *plan.Nearest:
			if x.Index == nil {
				return x
			}
			return nil
		case *plan.Project:
			n = x.Input
		default:
			return nil
		}
	}
}

func (b *builder) sketchedChain(n plan.Node) (op, *nearestOp, error) {
	p, ok := n.(*plan.Project)
	if !ok {
		o, err := b.nearest(n.(*plan.Nearest))
		if err != nil {
			return nil, nil, err
		}
		search := o.(*nearestOp)
		search.yields = true
		return o, search, nil
	}
	in, search, err := b.sketchedChain(p.Input)
	if err != nil {
		return nil, nil, err
	}
	o, err := b.projectOver(in, p)
	return o, search, err
}

// replaced gives the chain of projections n over another node at its bottom.
func replaced(n plan.Node, bottom *plan.Nearest, by plan.Node) plan.Node {
	if n == plan.Node(bottom) {
		return by
	}
	p := n.(*plan.Project)
	return p.WithInputs([]plan.Node{replaced(p.Input, bottom, by)})
}

func (o *sketchedOp) open(ctx context.Context) error {
	if err := o.close(); err != nil {
		return err
	}
	o.op = o.near
	if err := o.near.open(ctx); err != nil || o.search.search != nil {
		return err
	}
	if err := o.near.close(); err != nil {
		return err
	}
	o.op = o.plain
	return o.plain.open(ctx)
}
