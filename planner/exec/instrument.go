package exec

import (
	"context"
	"sync"
	"time"

	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/batch"
)

// Instrument counts what each node of a plan did in a run (EXPLAIN ANALYZE).
type Instrument struct {
	// Timing asks for times; counting rows alone is cheaper.
	Timing bool
	mu     sync.Mutex
	nodes  map[plan.Node]*plan.Actual
	notes  map[plan.Node][]plan.Prop
}

// note keeps figures of a node beside its rows; those of several runs of the node add up.
func (in *Instrument) note(n plan.Node, props ...plan.Prop) {
	if in == nil {
		return
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.notes == nil {
		in.notes = map[plan.Node][]plan.Prop{}
	}
	have := in.notes[n]
	if have == nil {
		in.notes[n] = props
		return
	}
	for i := range props {
		a, isInt := have[i].Value.(int64)
		if b, ok := props[i].Value.(int64); ok && isInt {
			have[i].Value = a + b
		}
	}
}

// Notes gives the figures that operators have noted of a node.
func (in *Instrument) Notes(n plan.Node) []plan.Prop {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.notes[n]
}

// Actual gives the figures of a node, nil when it never ran.
func (in *Instrument) Actual(n plan.Node) *plan.Actual {
	in.mu.Lock()
	defer in.mu.Unlock()
	if a := in.nodes[n]; a != nil && a.Loops > 0 {
		return a
	}
	return nil
}

func (in *Instrument) wrap(n plan.Node, o op) op {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.nodes == nil {
		in.nodes = map[plan.Node]*plan.Actual{}
	}
	c := in.nodes[n]
	if c == nil {
		c = &plan.Actual{}
		in.nodes[n] = c
	}
	return &countOp{op: o, c: c, timing: in.Timing}
}

// countOp counts around an operator.
type countOp struct {
	op
	c      *plan.Actual
	timing bool
	first  bool
}

func (o *countOp) now() time.Time {
	if !o.timing {
		return time.Time{}
	}
	return time.Now()
}

func (o *countOp) spent(since time.Time) {
	if !o.timing {
		return
	}
	d := time.Since(since)
	o.c.Total += d
	if o.first {
		o.c.Startup += d
	}
}

func (o *countOp) open(ctx context.Context) error {
	o.c.Loops++
	o.first = true
	defer o.spent(o.now())
	return o.op.open(ctx)
}

func (o *countOp) next(ctx context.Context) (*batch.Batch, error) {
	start := o.now()
	b, err := o.op.next(ctx)
	o.spent(start)
	if b != nil && b.Rows() > 0 {
		o.first = false
		o.c.Rows += int64(b.Rows())
	}
	return b, err
}
