package exec

import (
	"context"

	"github.com/omgdb/omgdb/planner/exec/spill"
	"github.com/omgdb/omgdb/planner/exec/vec"
	"github.com/omgdb/omgdb/storage/batch"
)

// joinSpill is how a hash join goes on when its right side is larger than its memory: both sides are written to partitions by the hash
// of their keys, and then joined partition by partition.
type joinSpill struct {
	right, left *partitions
	part        int
	null        bool // a right row had a NULL key
}

// fileOp reads a file as an operator.
type fileOp struct {
	f *spill.File
	r *spill.Reader
}

func (o *fileOp) open(context.Context) (err error) {
	o.r, err = o.f.Read()
	return err
}

func (o *fileOp) next(context.Context) (*batch.Batch, error) { return o.r.Next() }

func (o *fileOp) close() error { return nil }

// startSpill moves the right rows collected so far into partitions.
func (o *joinOp) startSpill(ctx context.Context) (err error) {
	m := o.match.(*hashMatcher)
	o.spill = &joinSpill{null: m.null}
	if o.spill.right, err = newPartitions(o.dir, o.rightTypes, 0); err != nil {
		return err
	}
	var view batch.Batch
	for at := 0; at < o.store.N; at += batch.Size {
		o.store.View(&view, at, min(o.store.N, at+batch.Size))
		if err := o.spillRight(ctx, &view); err != nil {
			return err
		}
	}
	o.clear()
	return nil
}

// clear forgets the right rows in memory.
func (o *joinOp) clear() {
	o.mem.free()
	o.match.reset()
	o.store = vec.NewStore(o.rightTypes)
}

func (o *joinOp) spillRight(ctx context.Context, in *batch.Batch) error {
	m := o.match.(*hashMatcher)
	for i, k := range m.right {
		v, err := k.Eval(ctx, in, in.Sel)
		if err != nil {
			return err
		}
		m.vecs[i] = v
	}
	pos := vec.Positions(in.Sel, in.Len)
	for _, v := range m.vecs {
		for _, i := range pos {
			o.spill.null = o.spill.null || v.NullAt(i)
		}
	}
	return o.spill.right.write(in.Cols, m.vecs, pos, in.Len)
}

// spillLeft writes the whole left side to partitions.
func (o *joinOp) spillLeft(ctx context.Context) (err error) {
	if o.spill.left, err = newPartitions(o.dir, o.leftTypes, 0); err != nil {
		return err
	}
	if err := o.left.open(ctx); err != nil {
		return err
	}
	m := o.match.(*hashMatcher)
	for {
		in, err := nextRows(ctx, o.left)
		if err != nil {
			return err
		}
		if in == nil {
			return o.left.close()
		}
		for i, k := range m.left {
			v, err := k.Eval(ctx, in, in.Sel)
			if err != nil {
				return err
			}
			m.vecs[i] = v
		}
		if err := o.spill.left.write(in.Cols, m.vecs, vec.Positions(in.Sel, in.Len), in.Len); err != nil {
			return err
		}
	}
}

// nextPart loads the right rows of the next partition; false when all are done.
func (o *joinOp) nextPart(ctx context.Context) (bool, error) {
	s := o.spill
	if s == nil || s.part >= fanOut {
		return false, nil
	}
	o.clear()
	r, err := s.right.files[s.part].Read()
	if err != nil {
		return false, err
	}
	for {
		in, err := r.Next()
		if err != nil {
			return false, err
		}
		if in == nil {
			break
		}
		if err := o.keepRight(ctx, in); err != nil {
			return false, err
		}
	}
	m := o.match.(*hashMatcher)
	m.null = s.null
	o.from = &fileOp{f: s.left.files[s.part]}
	s.part++
	o.in, o.tail, o.leftDone = nil, 0, false
	o.resetMatched()
	return true, o.from.open(ctx)
}

// resetMatched makes room to remember which right rows find a partner.
func (o *joinOp) resetMatched() {
	o.rightMatched = o.rightMatched[:0]
	if o.keepsRight() {
		o.rightMatched = append(o.rightMatched, make([]bool, o.store.N)...)
	}
}

func (o *joinOp) endSpill() error {
	if o.spill == nil {
		return nil
	}
	for _, p := range []*partitions{o.spill.right, o.spill.left} {
		if p != nil {
			p.close()
		}
	}
	o.spill = nil
	return nil
}
