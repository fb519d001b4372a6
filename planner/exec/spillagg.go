package exec

import (
	"context"

	"github.com/omgdb/omgdb/planner/exec/spill"
	"github.com/omgdb/omgdb/planner/exec/vec"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/value"
)

// partitions are rows in files by the hash of their keys.
type partitions struct {
	files []*spill.File
	level int
	h     []uint64
	sels  [fanOut][]int32
}

// fanOut is the number of partitions of one level; each level looks at other bits of the hash.
const (
	fanOut   = 16
	fanBits  = 4
	maxLevel = 8 // bits of the hash run out; beyond, memory has to do
)

func newPartitions(dir string, types []*value.Type, level int) (*partitions, error) {
	p := &partitions{level: level}
	for range fanOut {
		f, err := spill.Create(dir, types)
		if err != nil {
			p.close()
			return nil, err
		}
		p.files = append(p.files, f)
	}
	return p, nil
}

// write adds the rows at the positions pos, spread by their keys.
func (p *partitions) write(cols []*value.Column, keys []vec.Vec, pos []int32, n int) error {
	if cap(p.h) < len(pos) {
		p.h = make([]uint64, max(len(pos), batch.Size))
	}
	h := p.h[:len(pos)]
	vec.Hash(keys, pos, h)
	for i := range p.sels {
		p.sels[i] = p.sels[i][:0]
	}
	shift := uint(28 - fanBits*p.level) // the table takes the low bits as its index and the upper half as tags
	for k, i := range pos {
		part := h[k] >> shift % fanOut
		p.sels[part] = append(p.sels[part], i)
	}
	for i, sel := range p.sels {
		if len(sel) == 0 {
			continue
		}
		if err := p.files[i].Write(cols, sel, n); err != nil {
			return err
		}
	}
	return nil
}

func (p *partitions) close() {
	for _, f := range p.files {
		f.Close()
	}
	p.files = nil
}

// pending is a partition that waits to be grouped.
type pending struct {
	file  *spill.File
	level int
}

// aggSpill is how an operator that groups rows goes on beyond its memory: groups that it has stay, rows of all others go to partitions,
// which are grouped one after the other when the groups in memory have been given.
type aggSpill struct {
	at    int64 // bytes, 0: never
	dir   string
	types []*value.Type // of the input
	level int
	parts *partitions
	queue []pending
	ids   []int32
	known []int32
	fresh []int32
}

// begin opens partitions when the operator holds too much.
func (s *aggSpill) begin(held int64) (err error) {
	if s.at == 0 || held <= s.at || s.parts != nil || s.level >= maxLevel {
		return nil
	}
	s.parts, err = newPartitions(s.dir, s.types, s.level)
	return err
}

// divert writes the rows whose keys the table doesn't know to the partitions and gives the others.
func (s *aggSpill) divert(t *vec.Table, keys []vec.Vec, in *batch.Batch, pos []int32) ([]int32, error) {
	if cap(s.ids) < len(pos) {
		s.ids = make([]int32, max(len(pos), batch.Size))
	}
	ids := s.ids[:len(pos)]
	t.Find(keys, pos, ids)
	s.known, s.fresh = s.known[:0], s.fresh[:0]
	for k, i := range pos {
		if ids[k] >= 0 {
			s.known = append(s.known, i)
		} else {
			s.fresh = append(s.fresh, i)
		}
	}
	return s.known, s.parts.write(in.Cols, keys, s.fresh, in.Len)
}

// take gives the next partition to group, ok false when there is none.
func (s *aggSpill) take() (p pending, ok bool) {
	if s.parts != nil {
		for _, f := range s.parts.files {
			if f.Rows > 0 {
				s.queue = append(s.queue, pending{f, s.level + 1})
			} else {
				f.Close()
			}
		}
		s.parts = nil
	}
	if len(s.queue) == 0 {
		return p, false
	}
	p = s.queue[len(s.queue)-1]
	s.queue = s.queue[:len(s.queue)-1]
	return p, true
}

func (s *aggSpill) close() error {
	if s.parts != nil {
		s.parts.close()
		s.parts = nil
	}
	for _, p := range s.queue {
		p.file.Close()
	}
	s.queue, s.level = nil, 0
	return nil
}

// nextPartition groups the next partition, false when all are done.
func (o *aggregateOp) nextPartition(ctx context.Context) (bool, error) {
	p, ok := o.spill.take()
	if !ok {
		return false, nil
	}
	defer p.file.Close()
	if err := o.reset(); err != nil {
		return false, err
	}
	o.spill.level = p.level
	r, err := p.file.Read()
	if err != nil {
		return false, err
	}
	for {
		if ctx.Err() != nil {
			return false, canceled(ctx)
		}
		in, err := r.Next()
		if err != nil {
			return false, err
		}
		if in == nil {
			return true, o.finish(ctx)
		}
		if err := o.add(ctx, in); err != nil {
			return false, err
		}
	}
}
