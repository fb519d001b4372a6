package storage

import (
	"cmp"
	"context"

	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/filter"
	"github.com/omgdb/omgdb/storage/key"
	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/overlay"
	"github.com/omgdb/omgdb/storage/value"
)

// Scan reads a relation at the current reading point, which stays open for it until Close; see ScanSpec. Strings and boxes in the
// batches stay valid until the reading point is given up (see Statement).
func (t *Txn) Scan(ctx context.Context, s *ScanSpec) (batch.Iter, error) {
	if t.done {
		return nil, ended()
	}
	mode := AccessShare
	if s.Lock != NoRowLock {
		mode = RowShare
	}
	var err error
	if s.AsOf == 0 {
		err = t.enterRelation(ctx, s.Rel, mode)
	} else { // the past needs no lock
		err = t.checkPastOf(ctx, s.Rel, s.AsOf)
	}
	if err != nil {
		return nil, err
	}
	var match *filter.Matcher
	if s.Filter != nil {
		if match, err = filter.Compile(s.Filter); err != nil {
			return nil, err
		}
	}
	if table, tests, err := t.cached(ctx, s, match); err != nil {
		return nil, err
	} else if table != nil {
		return t.columnScan(table, tests, s, match), nil
	}
	if s.Index != nil && s.Index.Only {
		return t.openEntryScan(ctx, s)
	}
	rows, err := t.source(ctx, s)
	if err != nil {
		return nil, err
	}
	first := 0
	if s.Index != nil {
		first = min(cmp.Or(s.Index.First, firstLookups), batch.Size)
	}
	return &scan{first: first, stmt: t.now.hold(), spec: s, rows: rows, match: match, left: s.Limit, locks: s.Lock != NoRowLock, proj: newProjection(s.Rel, s.Cols)}, nil
}

// firstLookups is the size of the first batch of a scan through an index, where each row costs a look-up: perhaps no more are wanted.
const firstLookups = 32

// scan implements batch.Iter.
type scan struct {
	stmt  *Statement
	spec  *ScanSpec
	rows  kv.Iter         // keys with their prefix, row values
	match *filter.Matcher // nil: everything passes
	proj  *projection
	left  int64 // rows up to the limit, when there is one
	first int   // size of the next batch, while batches grow; 0 for the usual one
	locks bool
	out   batch.Batch
	done  bool
}

func (s *scan) Schema() value.Schema { return s.proj.schema }

func (s *scan) Next(ctx context.Context) (*batch.Batch, error) {
	if s.done {
		return nil, nil
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	size := cmp.Or(s.first, batch.Size)
	s.first = min(4*s.first, batch.Size)
	if s.spec.Limit > 0 {
		size = int(min(int64(size), s.left))
	}
	s.proj.begin()
	n, err := s.fill(ctx, size)
	if err != nil {
		s.done = true
		return nil, err
	}
	if s.left -= int64(n); n < size || s.spec.Limit > 0 && s.left == 0 {
		s.done = true
	}
	if n == 0 {
		return nil, nil
	}
	s.out = batch.Batch{Cols: s.proj.cols, Len: n}
	return &s.out, nil
}

// fill takes rows until n of them pass or there are no more.
func (s *scan) fill(ctx context.Context, n int) (got int, err error) {
	for got < n && s.rows.Next() {
		v := s.rows.Value()
		if len(v) < headerLen+5 {
			return got, checkRow(s.rows.Key(), v)
		}
		if s.match != nil {
			if ok, err := s.match.Match(rowDoc(v)); err != nil {
				return got, err
			} else if !ok {
				continue
			}
		}
		if s.locks {
			if v, err = s.lock(ctx, s.rows.Key(), v); err != nil {
				return got, err
			}
			if v == nil {
				continue
			}
		}
		if err := s.proj.add(s.rows.Key()[kv.PrefixLen:], v); err != nil {
			return got, err
		}
		got++
	}
	return got, s.rows.Err()
}

// lock locks a row that passed and gives its newest state, nil when there is none that passes.
func (s *scan) lock(ctx context.Context, k, v []byte) ([]byte, error) {
	state, now, err := s.stmt.txn.lockNewest(ctx, s.spec.Rel, k[kv.PrefixLen:], rowDoc(v), s.spec.Lock, s.spec.Wait)
	if err != nil || state == RowSkipped {
		return nil, err
	}
	if state == RowGone {
		if s.spec.Wait == Wait && len(s.spec.Rel.PrimaryKey) > 0 {
			return nil, ErrRestart // it may have gone to another key
		}
		return nil, nil
	}
	if state == RowChanged && s.match != nil {
		if ok, err := s.match.Match(rowDoc(now)); !ok || err != nil {
			return nil, err
		}
	}
	return now, nil
}

func (s *scan) Close() error {
	s.rows.Close()
	s.stmt.Close()
	s.done = true
	return nil
}

// source opens the rows that a scan looks at.
func (t *Txn) source(ctx context.Context, s *ScanSpec) (kv.Iter, error) {
	if s.Index != nil {
		return t.openIndexScan(ctx, s)
	}
	if s.Keys != nil && s.AsOf == 0 {
		return &keyIter{ctx: ctx, stmt: t.now, rel: s.Rel, keys: s.Keys, reverse: s.Reverse}, nil
	}
	ranges := s.Bounds
	if s.Keys != nil {
		for _, k := range s.Keys {
			ranges = append(ranges, KeyRange{k, append(k[:len(k):len(k)], 0)})
		}
	} else if ranges == nil {
		ranges = []KeyRange{{}}
	}
	if s.Parts > 1 {
		var err error
		if ranges, err = t.part(ctx, s.Rel, ranges, s.Part, s.Parts); err != nil {
			return nil, err
		}
	}
	return &rangeIter{ctx: ctx, stmt: t.now, rel: s.Rel, asOf: s.AsOf, ranges: ranges, reverse: s.Reverse}, nil
}

// rangeIter walks ranges of a relation's rows at a reading point, own writes merged in.
type rangeIter struct {
	ctx     context.Context // of this scan alone
	stmt    *Statement
	rel     *catalog.Relation
	asOf    kv.LSN     // 0: now
	ranges  []KeyRange // still to come
	reverse bool
	it      kv.Iter // nil between ranges
	err     error
}

func (i *rangeIter) Next() bool {
	for {
		if i.it != nil {
			if i.it.Next() {
				return true
			}
			i.err = i.it.Err()
			i.it.Close()
			i.it = nil
		}
		if i.err != nil || len(i.ranges) == 0 {
			return false
		}
		var r KeyRange
		if i.reverse {
			r, i.ranges = i.ranges[len(i.ranges)-1], i.ranges[:len(i.ranges)-1]
		} else {
			r, i.ranges = i.ranges[0], i.ranges[1:]
		}
		if i.asOf != 0 {
			i.it = i.stmt.asOf(i.ctx, key.Row, i.rel.Storage, i.asOf, r, i.reverse)
		} else {
			i.it = i.stmt.scan(i.ctx, i.rel.Storage, r, i.reverse)
		}
	}
}

func (i *rangeIter) Key() []byte   { return i.it.Key() }
func (i *rangeIter) Value() []byte { return i.it.Value() }
func (i *rangeIter) Err() error    { return i.err }

func (i *rangeIter) Close() {
	if i.it != nil {
		i.it.Close()
		i.it = nil
	}
	i.ranges = nil
}

// scan walks one range of row keys.
func (s *Statement) scan(ctx context.Context, storage uint64, r KeyRange, reverse bool) kv.Iter {
	kr := key.Between(key.Row, storage, r.Start, r.End)
	kr.Reverse = reverse
	s.txn.reads.add(kr)
	return merge(s.head.snap.Scan(ctx, kr), s.txn.writes.Cursor(overlay.Prefix(kr.Start), kr, s.seq), reverse)
}

// keyIter gets exact row keys.
type keyIter struct {
	ctx     context.Context // of this scan alone
	stmt    *Statement
	rel     *catalog.Relation
	keys    [][]byte
	reverse bool
	key     []byte
	value   []byte
	err     error
}

func (i *keyIter) Next() bool {
	for len(i.keys) > 0 && i.err == nil {
		var k []byte
		if i.reverse {
			k, i.keys = i.keys[len(i.keys)-1], i.keys[:len(i.keys)-1]
		} else {
			k, i.keys = i.keys[0], i.keys[1:]
		}
		i.key = key.AppendRow(i.key[:0], i.rel.Storage, k)
		if i.value, i.err = i.stmt.get(i.ctx, i.key); i.value != nil {
			return true
		}
	}
	return false
}

func (i *keyIter) Key() []byte   { return i.key }
func (i *keyIter) Value() []byte { return i.value }
func (i *keyIter) Err() error    { return i.err }
func (i *keyIter) Close()        { i.keys = nil }

// Count is the exact number of rows that the statement sees in the relation. It reads the counter in the snapshot and the
// transaction's own writes, not the rows.
func (t *Txn) Count(ctx context.Context, rel *catalog.Relation) (int64, error) {
	if err := t.enterForRead(ctx, rel); err != nil {
		return 0, err
	}
	all := key.All(key.Row, rel.Storage)
	t.reads.add(all)
	c, err := readCounts(ctx, t.now.head.snap, rel.Storage)
	if err != nil {
		return 0, err
	}
	n := c.rows
	own := t.writes.Cursor(overlay.Prefix(all.Start), all, t.now.seq)
	for ; own.Key() != nil; own.Next() {
		v, err := t.now.head.snap.Get(ctx, own.Key())
		switch {
		case err != nil:
			return 0, err
		case v == nil && own.Value() != nil:
			n++
		case v != nil && own.Value() == nil:
			n--
		}
	}
	return n, own.Err()
}
