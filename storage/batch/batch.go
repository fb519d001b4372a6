// Package batch is the stream of rows between operators: batches of typed columns, pulled.
package batch

import (
	"context"

	"github.com/omgdb/omgdb/storage/value"
)

// Size is the usual number of rows in a batch.
const Size = 1024

// Batch is up to about Size rows. Sel, when not nil, lists the positions that are rows, in order; the columns then hold
// Len values of which only those count. The consumer may replace Sel and reorder nothing else.
type Batch struct {
	Cols []*value.Column
	Len  int
	Sel  []int32
}

// Rows is the number of rows.
func (b *Batch) Rows() int {
	if b.Sel != nil {
		return len(b.Sel)
	}
	return b.Len
}

// Row gives the position in the columns of row i.
func (b *Batch) Row(i int) int {
	if b.Sel != nil {
		return int(b.Sel[i])
	}
	return i
}

// Iter is a pulled stream. Next returns nil, nil at the end (and again when called after it); a batch is valid until the next Next
// or Close, the strings and boxes in it until the transaction's snapshot is closed. After an error only Close may be called. Close is called exactly
// once by the owner, also before the end, and closes the inputs.
type Iter interface {
	Schema() value.Schema
	Next(ctx context.Context) (*Batch, error)
	Close() error
}
