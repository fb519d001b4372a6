package storage

import (
	"bytes"
	"context"

	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/index"
	"github.com/omgdb/omgdb/storage/key"
	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/overlay"
	"github.com/omgdb/omgdb/storage/value"
)

// indexIter walks ranges of an ordered index at a reading point and gives the rows that the entries lead to, in the index's order. The
// snapshot that has an entry has its row.
type indexIter struct {
	ctx     context.Context // of this scan alone
	stmt    *Statement
	rel     *catalog.Relation
	x       *catalog.Index
	reader  index.Reader
	ranges  []KeyRange // still to come
	reverse bool
	only    bool    // entries are enough
	it      kv.Iter // over entries; nil between ranges
	key     []byte
	value   []byte
	err     error
}

// openIndexScan begins a scan through an index.
func (t *Txn) openIndexScan(ctx context.Context, s *ScanSpec) (kv.Iter, error) {
	x := s.Index.Index
	if !t.CanRead(x) {
		return nil, dberr.New(dberr.InternalError, "index \"%s\" is newer than the snapshot that was to read it", x.Name)
	}
	m, err := t.db.openIndex(s.Rel, x)
	if err != nil {
		return nil, err
	}
	reader, ok := m.(index.Reader)
	if !ok {
		return nil, dberr.New(dberr.InternalError, "index \"%s\" has no order to scan it in", x.Name)
	}
	return &indexIter{ctx: ctx, stmt: t.now, rel: s.Rel, x: x, reader: reader, ranges: s.Index.Ranges, reverse: s.Reverse}, nil
}

func (i *indexIter) Next() bool {
	for i.err == nil {
		if i.it == nil && !i.open() {
			return false
		}
		if i.it.Next() {
			return i.only || i.fetch()
		}
		i.err = i.it.Err()
		i.it.Close()
		i.it = nil
	}
	return false
}

// open begins the next range; false when there is none.
func (i *indexIter) open() bool {
	if len(i.ranges) == 0 {
		return false
	}
	var r KeyRange
	if i.reverse {
		r, i.ranges = i.ranges[len(i.ranges)-1], i.ranges[:len(i.ranges)-1]
	} else {
		r, i.ranges = i.ranges[0], i.ranges[1:]
	}
	kr := key.Between(key.Ordered, i.x.Storage, r.Start, r.End)
	kr.Reverse = i.reverse
	i.stmt.txn.reads.add(kr)
	i.it = merge(i.stmt.head.snap.Scan(i.ctx, kr), i.stmt.txn.writes.Cursor(overlay.Prefix(kr.Start), kr, i.stmt.seq), i.reverse)
	return true
}

// fetch gets the row of the current entry.
func (i *indexIter) fetch() bool {
	rowKey, err := i.reader.RowKey(i.it.Key(), i.it.Value())
	if err != nil {
		i.err = err
		return false
	}
	i.key = key.AppendRow(i.key[:0], i.rel.Storage, rowKey)
	i.value, i.err = i.stmt.get(i.ctx, i.key)
	if i.err == nil && i.value == nil {
		i.err = dberr.New(dberr.IndexCorrupted, "index \"%s\" has an entry for a row that does not exist", i.x.Name).
			WithHint("Build the index again with REINDEX.")
	}
	return i.err == nil
}

func (i *indexIter) Key() []byte   { return i.key }
func (i *indexIter) Value() []byte { return i.value }
func (i *indexIter) Err() error    { return i.err }

func (i *indexIter) Close() {
	if i.it != nil {
		i.it.Close()
		i.it = nil
	}
	i.ranges = nil
}

// IndexCount counts the entries of an index in ranges, up to limit: what a scan through it would have to look up.
func (t *Txn) IndexCount(ctx context.Context, x *catalog.Index, ranges []KeyRange, limit int64) (n int64, err error) {
	for _, r := range ranges {
		kr := key.Between(key.Ordered, x.Storage, r.Start, r.End)
		it := merge(t.now.head.snap.Scan(ctx, kr), t.writes.Cursor(overlay.Prefix(kr.Start), kr, t.now.seq), false)
		for n < limit && it.Next() {
			n++
		}
		err = it.Err()
		it.Close()
		if err != nil || n >= limit {
			break
		}
	}
	return n, err
}

// IndexRows gives the keys of the rows that the entries of an ordered index in ranges lead to, in the index's order, at most limit; a row
// may come more than once.
func (t *Txn) IndexRows(ctx context.Context, rel *catalog.Relation, x *catalog.Index, ranges []KeyRange, limit int64) (keys [][]byte, err error) {
	m, err := t.db.openIndex(rel, x)
	if err != nil {
		return nil, err
	}
	reader, ok := m.(index.Reader)
	if !ok {
		return nil, dberr.New(dberr.InternalError, "index \"%s\" has no order to scan it in", x.Name)
	}
	it := &indexIter{ctx: ctx, stmt: t.now, rel: rel, x: x, reader: reader, ranges: ranges, only: true}
	defer it.Close()
	for int64(len(keys)) < limit && it.Next() {
		k, err := reader.RowKey(it.it.Key(), it.it.Value())
		if err != nil {
			return nil, err
		}
		keys = append(keys, bytes.Clone(k))
	}
	return keys, it.err
}

// Bound limits the component behind the equal ones, see IndexRange.
type Bound = index.Bound

// IndexRange gives the range of an ordered index in which the first keys equal eq (NULL means IS NULL) and the next one lies between
// lower and upper in the order of SQL, whatever its direction; a nil bound is open. Exact is false when values were too long for the
// index, so that rows must be checked again. Values are of the keys' types.
func IndexRange(rel *catalog.Relation, x *catalog.Index, eq []value.Value, lower, upper *Bound) (r KeyRange, exact bool, err error) {
	r.Start, r.End, exact, err = index.Range(index.Components(rel, x), eq, lower, upper, true)
	return r, exact, err
}

// PrimaryRange is IndexRange for the row keys of a table with a primary key: bounds for ScanSpec.Bounds.
func PrimaryRange(rel *catalog.Relation, eq []value.Value, lower, upper *Bound) (r KeyRange, err error) {
	r.Start, r.End, _, err = index.Range(index.PrimaryComponents(rel), eq, lower, upper, false)
	return r, err
}
