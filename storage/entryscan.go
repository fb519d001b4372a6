package storage

import (
	"context"

	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/value"
)

// entryScan counts off the entries of an index in ranges: rows without columns, for those who only want to know how many there are. It
// implements batch.Iter.
type entryScan struct {
	stmt    *Statement
	entries kv.Iter
	left    int64 // up to the limit, when there is one
	limited bool
	done    bool
	out     batch.Batch
}

// entryBatch is how many entries make a batch; it has no columns to fill.
const entryBatch = 1 << 16

func (t *Txn) openEntryScan(ctx context.Context, s *ScanSpec) (batch.Iter, error) {
	rows, err := t.openIndexScan(ctx, s)
	if err != nil {
		return nil, err
	}
	rows.(*indexIter).only = true
	return &entryScan{stmt: t.now.hold(), entries: rows, left: s.Limit, limited: s.Limit > 0}, nil
}

// Schema implements batch.Iter.
func (*entryScan) Schema() value.Schema { return nil }

// Next implements batch.Iter.
func (s *entryScan) Next(ctx context.Context) (*batch.Batch, error) {
	if s.done {
		return nil, nil
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	size := int64(entryBatch)
	if s.limited {
		size = min(size, s.left)
	}
	n := int64(0)
	for n < size && s.entries.Next() {
		n++
	}
	s.left -= n
	s.done = n < size || s.limited && s.left == 0
	if err := s.entries.Err(); err != nil || n == 0 {
		s.done = true
		return nil, err
	}
	s.out = batch.Batch{Len: int(n)}
	return &s.out, nil
}

// Close implements batch.Iter.
func (s *entryScan) Close() error {
	s.entries.Close()
	s.stmt.Close()
	s.done = true
	return nil
}
