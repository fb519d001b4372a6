package exec

import (
	"context"

	"github.com/omgdb/omgdb/planner/exec/spill"
	"github.com/omgdb/omgdb/planner/exec/vec"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/value"
)

// seenRows picks the rows whose keys have not come before. Beyond its memory it puts off those that it doesn't know: later gives them, when
// the input has ended, partition by partition.
type seenRows struct {
	types []*value.Type // of the keys; of the rows too, where rows are put off
	mem   memory
	spill aggSpill
	table *vec.Table
	file  *spill.File // the partition at hand
	rows  *spill.Reader
	vecs  []vec.Vec
	ids   []int32
	sel   []int32
	out   batch.Batch
}

// seenRows makes one for whole rows.
func (b *builder) seenRows(types []*value.Type) seenRows {
	s := seenRows{types: types, mem: b.memory(), vecs: make([]vec.Vec, len(types))}
	s.spill = aggSpill{at: b.spillAt(), dir: b.rt.SpillDir, types: types}
	return s
}

func (s *seenRows) reset() error {
	err := s.free()
	s.table = vec.NewTable(s.types)
	return err
}

func (s *seenRows) free() error {
	s.mem.free()
	s.table = nil
	if s.file != nil {
		s.file.Close()
		s.file, s.rows = nil, nil
	}
	return s.spill.close()
}

// firsts gives the rows of in whose keys are new, nil when there is none; it is valid as long as in.
func (s *seenRows) firsts(in *batch.Batch, keys []vec.Vec) (*batch.Batch, error) {
	pos := vec.Positions(in.Sel, in.Len)
	if s.spill.parts != nil {
		_, err := s.spill.divert(s.table, keys, in, pos) // those that it knows have been given
		return nil, err
	}
	var err error
	if s.sel, err = firsts(s.table, &s.mem, keys, pos, &s.ids, s.sel); err != nil || len(s.sel) == 0 {
		return nil, err
	}
	s.out = batch.Batch{Cols: in.Cols, Len: in.Len, Sel: s.sel}
	return &s.out, s.spill.begin(s.mem.held)
}

// firsts gives in sel the positions whose keys the table hadn't seen, and enters them.
func firsts(t *vec.Table, mem *memory, keys []vec.Vec, pos []int32, ids *[]int32, sel []int32) ([]int32, error) {
	known, size := int32(t.Len()), t.Size()
	if cap(*ids) < len(pos) {
		*ids = make([]int32, len(pos))
	}
	got := (*ids)[:len(pos)]
	t.Assign(keys, pos, got)
	sel = sel[:0]
	for k, id := range got {
		if id == known {
			sel = append(sel, pos[k])
			known++
		}
	}
	grown := t.Size() - size
	for _, v := range keys {
		if !v.Const {
			grown += vec.ColumnSize(v.Column, sel)
		}
	}
	return sel, mem.take(grown)
}

// later gives the next of the rows that were put off, nil when all were given.
func (s *seenRows) later(ctx context.Context) (*batch.Batch, error) {
	for {
		if s.rows == nil {
			p, ok := s.spill.take()
			if !ok {
				return nil, nil
			}
			s.mem.free()
			s.table, s.file, s.spill.level = vec.NewTable(s.types), p.file, p.level
			var err error
			if s.rows, err = p.file.Read(); err != nil {
				return nil, err
			}
		}
		if ctx.Err() != nil {
			return nil, canceled(ctx)
		}
		in, err := s.rows.Next()
		if err != nil {
			return nil, err
		}
		if in == nil {
			s.file.Close()
			s.file, s.rows = nil, nil
			continue
		}
		for i, c := range in.Cols {
			s.vecs[i] = vec.Vec{Column: c}
		}
		if out, err := s.firsts(in, s.vecs); out != nil || err != nil {
			return out, err
		}
	}
}
