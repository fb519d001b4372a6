package exec

import (
	"context"
	goruntime "runtime"
	"slices"
	"sync"

	"github.com/omgdb/omgdb/planner/exec/eval"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/value"
)

// spare are the cores that running queries may take beside their own: parallel scans never use more threads than there are cores,
// however many queries run.
var spare = make(chan struct{}, max(1, goruntime.GOMAXPROCS(0)-1))

// parallelOp runs a chain of scan, filters and projections in several goroutines, each over parts of the relation, and gives the batches
// in the order in which one goroutine would: part after part. Results, float sums and errors are therefore those of the plain chain.
type parallelOp struct {
	b      *builder
	chains []*chain // one for each worker; the first also serves alone
	parts  int      // wanted
	pieces [][]storage.KeyRange
	alone  bool

	cancel  context.CancelFunc
	wait    sync.WaitGroup
	tokens  int
	out     []chan parcel // by part
	ahead   chan struct{} // parts that may be begun
	nextOne chan int
	free    chan *batch.Batch
	part    int
	last    *batch.Batch
}

// chain is one worker's operators; scan is the scan at their bottom.
type chain struct {
	op
	scan *scanOp
}

// parcel is a batch of a part on its way, or the error that ended it.
type parcel struct {
	b   *batch.Batch
	err error
}

// parallel builds the operator for a chain whose scan opt has split into parts; nil when n is none, or must not run in parallel here.
func (b *builder) parallel(n plan.Node) (op, error) {
	s := chainScan(n)
	if s == nil || s.Parallel < 2 || b.depth > 0 || b.rt.Instrument != nil || !b.readOnly || goruntime.GOMAXPROCS(0) < 2 {
		return nil, nil
	}
	p := &parallelOp{b: b, parts: s.Parallel}
	for range min(goruntime.GOMAXPROCS(0), s.Parallel) {
		o, scan, err := b.chain(n)
		if err != nil {
			return nil, err
		}
		p.chains = append(p.chains, &chain{o, scan})
	}
	return p, nil
}

// chainScan finds the scan below filters and projections that nothing but rows flows through; nil when there is more.
func chainScan(n plan.Node) *plan.Scan {
	for {
		for _, e := range n.Exprs() {
			if !alone(e) {
				return nil
			}
		}
		switch x := n.(type) {
		case *plan.Scan:
			return x
		case *plan.Filter:
			n = x.Input
		case *plan.Project:
			n = x.Input
		default:
			return nil
		}
	}
}

// alone tells whether an expression can be evaluated for each row by itself: it holds no subquery and calls nothing volatile.
func alone(e plan.Expr) bool {
	ok := true
	plan.Walk(e, func(x plan.Expr) bool {
		switch x := x.(type) {
		case *plan.Subquery:
			ok = false
		case *plan.Call:
			ok = ok && (x.Fn == nil || x.Fn.Volatility != 'v' && !x.Fn.Routine)
		}
		return ok
	})
	return ok
}

// chain builds the operators of one worker.
func (b *builder) chain(n plan.Node) (op, *scanOp, error) {
	switch x := n.(type) {
	case *plan.Scan:
		o, err := b.scan(x)
		if err != nil {
			return nil, nil, err
		}
		return o, o.(*scanOp), nil
	case *plan.Filter:
		in, s, err := b.chain(x.Input)
		if err != nil {
			return nil, nil, err
		}
		o, err := b.filterOver(in, x)
		return o, s, err
	default:
		p := n.(*plan.Project)
		in, s, err := b.chain(p.Input)
		if err != nil {
			return nil, nil, err
		}
		o, err := b.projectOver(in, p)
		return o, s, err
	}
}

func (o *parallelOp) open(ctx context.Context) error {
	if err := o.stop(); err != nil {
		return err
	}
	first := o.chains[0].scan
	first.bounds = nil
	spec, some, err := first.spec(ctx)
	if err != nil {
		return err
	}
	if some && spec.Index == nil {
		for o.tokens < len(o.chains)-1 && takeToken() {
			o.tokens++
		}
	}
	if o.alone = o.tokens == 0; o.alone {
		first.asked, first.none = spec, !some
		return o.chains[0].open(ctx)
	}
	if o.pieces, err = o.b.rt.Txn.Split(ctx, first.n.Rel, spec.Bounds, o.parts); err != nil {
		return err
	}
	ctx, o.cancel = context.WithCancel(ctx)
	workers := o.tokens + 1
	o.out = make([]chan parcel, len(o.pieces))
	for i := range o.out {
		o.out[i] = make(chan parcel, 32)
	}
	o.ahead = make(chan struct{}, 2*workers)
	o.free = make(chan *batch.Batch, 8*workers)
	o.nextOne = make(chan int, len(o.pieces))
	for i := range o.pieces {
		o.nextOne <- i
	}
	close(o.nextOne)
	o.part, o.last = 0, nil
	for _, c := range o.chains[:workers] {
		o.wait.Add(1)
		go o.work(ctx, c)
	}
	return nil
}

func takeToken() bool {
	select {
	case spare <- struct{}{}:
		return true
	default:
		return false
	}
}

// work reads parts, in their order among the workers, until there are none left.
func (o *parallelOp) work(ctx context.Context, c *chain) {
	defer o.wait.Done()
	for {
		select {
		case o.ahead <- struct{}{}:
		case <-ctx.Done():
			return
		}
		i, ok := <-o.nextOne
		if !ok {
			return
		}
		err := o.read(ctx, c, i)
		if err != nil {
			select {
			case o.out[i] <- parcel{err: err}:
			case <-ctx.Done():
			}
		}
		close(o.out[i])
	}
}

// read sends the batches of a part.
func (o *parallelOp) read(ctx context.Context, c *chain, part int) (err error) {
	defer eval.Contain(&err)
	c.scan.bounds = o.pieces[part]
	if err := c.open(ctx); err != nil {
		return err
	}
	for {
		in, err := nextRows(ctx, c.op)
		if err != nil {
			return err
		}
		if in == nil {
			return c.close()
		}
		select {
		case o.out[part] <- parcel{b: o.copy(in)}:
		case <-ctx.Done():
			return canceled(ctx)
		}
	}
}

// lasting tells whether a batch's columns may be kept as they are.
func lasting(b *batch.Batch) bool {
	return !slices.ContainsFunc(b.Cols, func(c *value.Column) bool { return c.Lasting == nil })
}

// copy takes a batch out of the memory that its operator will use again.
func (o *parallelOp) copy(in *batch.Batch) *batch.Batch {
	if lasting(in) {
		return &batch.Batch{Cols: slices.Clone(in.Cols), Len: in.Len, Sel: slices.Clone(in.Sel)}
	}
	var b *batch.Batch
	select {
	case b = <-o.free:
	default:
		b = &batch.Batch{Cols: make([]*value.Column, len(in.Cols))}
		for i, c := range in.Cols {
			b.Cols[i] = value.NewColumn(c.Type, in.Rows())
		}
	}
	for i, c := range in.Cols {
		b.Cols[i].Reset()
		b.Cols[i].AppendFrom(c, in.Sel)
	}
	b.Len = in.Rows()
	return b
}

func (o *parallelOp) next(ctx context.Context) (*batch.Batch, error) {
	if o.alone {
		return o.chains[0].next(ctx)
	}
	if o.last != nil && !lasting(o.last) {
		o.last.Sel = nil
		select {
		case o.free <- o.last:
		default:
		}
	}
	o.last = nil
	for o.part < len(o.out) {
		select {
		case p, ok := <-o.out[o.part]:
			if !ok {
				o.part++
				<-o.ahead
				continue
			}
			o.last = p.b
			return p.b, p.err
		case <-ctx.Done():
			return nil, canceled(ctx)
		}
	}
	return nil, nil
}

// stop ends the workers and gives their cores back.
func (o *parallelOp) stop() error {
	if o.cancel != nil {
		o.cancel()
		o.wait.Wait()
		o.cancel = nil
	}
	for ; o.tokens > 0; o.tokens-- {
		<-spare
	}
	var first error
	for _, c := range o.chains {
		if err := c.close(); first == nil {
			first = err
		}
	}
	return first
}

func (o *parallelOp) close() error { return o.stop() }
