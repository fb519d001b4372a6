package exec

import (
	"context"

	"github.com/omgdb/omgdb/planner/exec/vec"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// cteState is one common table expression in a run: its rows are computed as its readers ask for them, once, and kept.
type cteState struct {
	cte    *plan.CTE
	query  op
	step   op // of a recursive one
	types  []*value.Type
	mem    memory
	keep   bool // the rows are the same at each open
	depth  int  // of the builder: 0 when it is opened once
	store  *vec.Store
	opened bool
	done   bool

	// The recursive step reads the rows [from, to) of the store, the working table.
	from, to int
	stepping bool
	table    *vec.Table // UNION: rows seen
	ids      []int32
	vecs     []vec.Vec
}

// withOp opens its input with the CTEs around it forgotten.
type withOp struct {
	op
	own []*cteState
}

func (b *builder) with(n *plan.With) (op, error) {
	o := &withOp{}
	if b.ctes == nil {
		b.ctes = map[int]*cteState{}
	}
	for i := range n.CTEs {
		c := &n.CTEs[i]
		s := &cteState{cte: c, depth: b.depth, types: types(c.Query.Cols()), mem: b.memory(), vecs: make([]vec.Vec, len(c.Query.Cols()))}
		if c.Recursive && c.Step != nil {
			b.ctes[c.ID] = s // the step refers to itself
		}
		var err error
		if s.query, err = b.build(c.Query); err != nil {
			return nil, err
		}
		if c.Recursive && c.Step != nil {
			b.depth++
			s.step, err = b.build(c.Step)
			b.depth--
			if err != nil {
				return nil, err
			}
		}
		s.keep = b.depth > 0 && !c.Recursive && b.steady(c.Query)
		b.ctes[c.ID] = s
		o.own = append(o.own, s)
		if c.Modifying {
			b.modifying = append(b.modifying, s)
		}
	}
	in, err := b.build(n.Input)
	if err != nil {
		return nil, err
	}
	o.op = in
	return o, nil
}

func (o *withOp) open(ctx context.Context) error {
	for _, s := range o.own {
		if err := s.reset(); err != nil {
			return err
		}
	}
	return o.op.open(ctx)
}

func (o *withOp) close() error {
	err := o.op.close()
	for _, s := range o.own {
		if s.cte.Modifying {
			continue // runs to its end after the main query; the root closes it
		}
		if e := s.reset(); err == nil {
			err = e
		}
	}
	return err
}

// reset forgets the rows, unless they would come out the same again.
func (s *cteState) reset() error {
	if s.keep && s.done || s.cte.Modifying && s.opened {
		return nil
	}
	return s.close()
}

func (s *cteState) close() error {
	s.mem.free()
	s.store, s.table, s.opened, s.done, s.stepping = nil, nil, false, false, false
	return closeAll(s.query, s.step)
}

// finish runs a data-modifying CTE to its end.
func (s *cteState) finish(ctx context.Context) error {
	for !s.done {
		if err := s.more(ctx); err != nil {
			return err
		}
	}
	return nil
}

// more computes further rows, or sets done.
func (s *cteState) more(ctx context.Context) error {
	if !s.opened {
		s.opened = true
		s.store = vec.NewStore(s.types)
		if s.cte.Union {
			s.table = vec.NewTable(s.types)
		}
		if err := s.query.open(ctx); err != nil {
			return err
		}
	}
	cur := s.query
	if s.stepping {
		cur = s.step
	}
	in, err := nextRows(ctx, cur)
	if err != nil {
		return err
	}
	if in != nil {
		return s.add(in)
	}
	if err := cur.close(); err != nil {
		return err
	}
	return s.nextStep(ctx)
}

// nextStep begins the recursive step over the rows that the last round added; without any the CTE is done.
func (s *cteState) nextStep(ctx context.Context) error {
	if s.step == nil || s.to == s.store.N && s.stepping || s.store.N == 0 {
		s.done = true
		return nil
	}
	if !s.stepping {
		s.to = 0
	}
	s.from, s.to, s.stepping = s.to, s.store.N, true
	return s.step.open(ctx)
}

func (s *cteState) add(in *batch.Batch) error {
	sel := in.Sel
	if s.table != nil {
		for i, c := range in.Cols {
			s.vecs[i] = vec.Vec{Column: c}
		}
		var err error
		if sel, err = firsts(s.table, &s.mem, s.vecs, vec.Positions(in.Sel, in.Len), &s.ids, nil); err != nil {
			return err
		}
		if len(sel) == 0 {
			return nil
		}
	}
	return s.mem.take(s.store.AppendCols(in.Cols, sel, len(vec.Positions(sel, in.Len))))
}

// cteRefOp reads a CTE from its first row, or the working table of the recursive step.
type cteRefOp struct {
	s    *cteState
	self bool
	at   int
	end  int
	out  batch.Batch
}

func (b *builder) cteRef(n *plan.CTERef) (op, error) {
	s := b.ctes[n.ID]
	if s == nil {
		return nil, dberr.New(dberr.InternalError, "common table expression %q is not in scope of the plan", n.Name)
	}
	return &cteRefOp{s: s, self: n.Self}, nil
}

func (o *cteRefOp) open(context.Context) error {
	o.at = 0
	if o.self {
		o.at, o.end = o.s.from, o.s.to
	}
	return nil
}

func (o *cteRefOp) next(ctx context.Context) (*batch.Batch, error) {
	if !o.self {
		for !o.s.done && (o.s.store == nil || o.at >= o.s.store.N) {
			if err := ctx.Err(); err != nil {
				return nil, canceled(ctx)
			}
			if err := o.s.more(ctx); err != nil {
				return nil, err
			}
		}
		o.end = o.s.store.N
	}
	n := min(batch.Size, o.end-o.at)
	if n <= 0 {
		return nil, nil
	}
	o.s.store.View(&o.out, o.at, o.at+n)
	o.at += n
	return &o.out, nil
}

func (o *cteRefOp) close() error { return nil }
