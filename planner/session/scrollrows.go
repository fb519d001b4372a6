package session

import (
	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/exec/spill"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/value"
)

// scrollRows are the rows that a cursor keeps to go back to, or beyond its transaction: the last ones in memory and, when there are more
// than work_mem holds, the others in a file.
type scrollRows struct {
	schema  value.Schema
	account *functions.Account
	limit   int64  // bytes in memory
	dir     string // of the file
	tail    *keptRows
	stored  *spill.Blocks // nil: none yet
	last    *batch.Batch  // the block read last
	lastNo  int
}

func newScrollRows(schema value.Schema, account *functions.Account, limit int64, dir string) *scrollRows {
	return &scrollRows{schema: schema, account: account, limit: limit, dir: dir, tail: newKeptRows(schema, account), lastNo: -1}
}

// inFile is the number of rows in the file, which come before those in memory.
func (r *scrollRows) inFile() int {
	if r.stored == nil {
		return 0
	}
	return r.stored.Rows()
}

// len is the number of rows.
func (r *scrollRows) len() int64 { return int64(r.inFile() + r.tail.n) }

func (r *scrollRows) add(b *batch.Batch) error {
	if err := r.tail.add(b); err != nil {
		return err
	}
	if r.tail.taken <= r.limit || r.tail.n < spill.BlockRows {
		return nil
	}
	return r.spill()
}

// spill moves whole blocks to the file.
func (r *scrollRows) spill() (err error) {
	if r.stored == nil {
		types := make([]*value.Type, len(r.schema))
		for i, f := range r.schema {
			types[i] = f.Type
		}
		if r.stored, err = spill.CreateBlocks(r.dir, types); err != nil {
			return err
		}
	}
	from := 0
	for ; from+spill.BlockRows <= r.tail.n; from += spill.BlockRows {
		if err := r.stored.Add(r.tail.cols, from); err != nil {
			return err
		}
	}
	rest := newKeptRows(r.schema, r.account)
	if from < r.tail.n {
		err = rest.add(r.tail.slice(from, r.tail.n, 1))
	}
	r.tail.free()
	r.tail = rest
	return err
}

// block reads a block of the file.
func (r *scrollRows) block(no int) (*batch.Batch, error) {
	if no == r.lastNo {
		return r.last, nil
	}
	b, err := r.stored.Read(no)
	if err == nil {
		r.last, r.lastNo = b, no
	}
	return b, err
}

// copy adds rows from (counted from 0) to before to to out; backwards when step is -1, then from > to.
func (r *scrollRows) copy(from, to, step int, out *keptRows) error {
	var sel []int32
	for from != to {
		sel = sel[:0]
		cols, n, base, end := r.tail.cols, r.tail.n, r.inFile(), int(r.len())
		if from < base {
			b, err := r.block(from / spill.BlockRows)
			if err != nil {
				return err
			}
			base = from - from%spill.BlockRows
			cols, n, end = b.Cols, b.Len, base+b.Len
		}
		for ; from != to && from >= base && from < end; from += step {
			sel = append(sel, int32(from-base))
		}
		if err := out.add(&batch.Batch{Cols: cols, Len: n, Sel: sel}); err != nil {
			return err
		}
	}
	return nil
}

// value gives a value of a row.
func (r *scrollRows) value(row, col int) (value.Value, error) {
	base := r.inFile()
	if row >= base {
		return r.tail.cols[col].Get(row - base), nil
	}
	b, err := r.block(row / spill.BlockRows)
	if err != nil {
		return value.Null, err
	}
	return b.Cols[col].Get(row % spill.BlockRows), nil
}

// detach lets the rows outlive their transaction; those in the file do anyway.
func (r *scrollRows) detach() { r.tail.detach() }

// free gives memory and file back.
func (r *scrollRows) free() {
	r.tail.free()
	if r.stored != nil {
		r.stored.Close()
		r.stored = nil
	}
}
