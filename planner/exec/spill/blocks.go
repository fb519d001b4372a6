package spill

import (
	"bufio"
	"io"
	"math"

	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/value"
)

// BlockRows is how many rows a block of Blocks has.
const BlockRows = batch.Size

// Blocks are rows in a file that is read at any place while it grows, a block at a time. One goroutine uses it.
type Blocks struct {
	f  *File
	at []int64 // where each block begins
	n  int64   // bytes written
}

// CreateBlocks makes an empty file in dir, as Create does.
func CreateBlocks(dir string, types []*value.Type) (*Blocks, error) {
	f, err := Create(dir, types)
	if err != nil {
		return nil, err
	}
	return &Blocks{f: f}, nil
}

// Rows is the number of rows.
func (b *Blocks) Rows() int { return len(b.at) * BlockRows }

// Add writes the block of the rows from to from+BlockRows of cols.
func (b *Blocks) Add(cols []*value.Column, from int) error {
	sel := make([]int32, BlockRows)
	for i := range sel {
		sel[i] = int32(from + i)
	}
	if err := b.f.Write(cols, sel, BlockRows); err != nil {
		return err
	}
	b.at = append(b.at, b.n)
	b.n += int64(len(b.f.buf)) // Write made one piece of it
	return nil
}

// Read gives block i. The batch is the caller's.
func (b *Blocks) Read(i int) (*batch.Batch, error) {
	if err := b.f.w.Flush(); err != nil {
		return nil, ioError(err, "write to a temporary file")
	}
	r := &Reader{s: b.f, r: bufio.NewReader(io.NewSectionReader(b.f.f, b.at[i], math.MaxInt64-b.at[i])), out: batch.Batch{Cols: make([]*value.Column, len(b.f.types))}}
	for k, t := range b.f.types {
		r.out.Cols[k] = value.NewColumn(t, BlockRows)
	}
	return r.Next()
}

// Close frees the file.
func (b *Blocks) Close() error { return b.f.Close() }
