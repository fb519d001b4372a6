package storage

import (
	"bytes"
	"context"
	"sync"

	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/colcache"
	"github.com/omgdb/omgdb/storage/key"
	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/value"
)

// Sizes of samples.
const (
	sampleRows      = 2048
	sampleBytes     = 2 << 20
	sampleAtOnce    = 500_000 // rows of a relation up to which a plan waits for its sample
	keptSamples     = 64
	sampleGrownBy   = 1.5 // a relation that has become so many times larger, or smaller, is sampled anew
	sampledAtLeast  = 16  // rows beside which changes of the number of rows are no news
	sampledUpToSize = sampleBytes / 16
)

// Sample is rows of a relation at even distances in key order, for estimates and for cutting the relation into parts.
type Sample struct {
	Rows   int64 // of the relation when it was taken
	keys   [][]byte
	values [][]byte

	mu       sync.Mutex
	cols     map[colcache.Key]*value.Column
	distinct map[string]float64
}

// maxDistinct bounds the figures that a sample keeps.
const maxDistinct = 1000

// Distinct gives the number of distinct values that was worked out from the sample for what a key names; ok is false for none yet.
func (x *Sample) Distinct(key string) (n float64, ok bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	n, ok = x.distinct[key]
	return n, ok
}

// KeepDistinct keeps such a number.
func (x *Sample) KeepDistinct(key string, n float64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.distinct == nil || len(x.distinct) >= maxDistinct {
		x.distinct = map[string]float64{}
	}
	x.distinct[key] = n
}

// samples keeps the newest sample of each storage.
type samples struct {
	mu    sync.Mutex
	m     map[uint64]*Sample
	under map[uint64]bool // being taken in the background
}

// fresh gives the sample of a storage unless there are by now too many or too few rows.
func (s *samples) fresh(storage uint64, rows int64) *Sample {
	x := s.m[storage]
	if x == nil || float64(rows+sampledAtLeast) > sampleGrownBy*float64(x.Rows+sampledAtLeast) || float64(x.Rows+sampledAtLeast) > sampleGrownBy*float64(rows+sampledAtLeast) {
		return nil
	}
	return x
}

func (s *samples) keep(storage uint64, x *Sample) {
	if s.m == nil {
		s.m = map[uint64]*Sample{}
	}
	for id := range s.m {
		if len(s.m) < keptSamples {
			break
		}
		delete(s.m, id)
	}
	s.m[storage] = x
}

// Sample gives a sample of the relation in about its newest state; nil when there is none yet, as that of a large relation is taken in
// the background.
func (db *DB) Sample(ctx context.Context, rel *catalog.Relation) (*Sample, error) {
	h, err := db.acquire()
	if err != nil {
		return nil, err
	}
	defer h.release()
	c, err := readCounts(ctx, h.snap, rel.Storage)
	if err != nil {
		return nil, err
	}
	s := &db.samples
	s.mu.Lock()
	defer s.mu.Unlock()
	if x := s.fresh(rel.Storage, c.rows); x != nil {
		return x, nil
	}
	if c.rows <= sampleAtOnce {
		return db.sampleNow(ctx, h.snap, rel.Storage, c.rows)
	}
	if !s.under[rel.Storage] {
		if s.under == nil {
			s.under = map[uint64]bool{}
		}
		s.under[rel.Storage] = true
		go db.sampleLater(h.retain(), rel.Storage, c.rows)
	}
	return s.m[rel.Storage], nil
}

// sampleNow takes a sample and keeps it. The caller holds the mutex of the samples.
func (db *DB) sampleNow(ctx context.Context, snap kv.Snapshot, storage uint64, rows int64) (*Sample, error) {
	x, err := takeSample(ctx, snap, storage, rows)
	if err == nil {
		db.samples.keep(storage, x)
	}
	return x, err
}

func (db *DB) sampleLater(h *head, storage uint64, rows int64) {
	defer h.release()
	x, err := takeSample(context.Background(), h.snap, storage, rows)
	db.samples.mu.Lock()
	defer db.samples.mu.Unlock()
	delete(db.samples.under, storage)
	if err != nil {
		db.logger().Warn("a relation could not be sampled", "error", err)
		return
	}
	db.samples.keep(storage, x)
}

// takeSample walks all keys once.
func takeSample(ctx context.Context, snap kv.Snapshot, storage uint64, rows int64) (*Sample, error) {
	x := &Sample{Rows: rows, cols: map[colcache.Key]*value.Column{}}
	every := max((rows+sampleRows-1)/sampleRows, 1)
	it := snap.Scan(ctx, key.All(key.Row, storage))
	defer it.Close()
	size := 0
	for n := int64(1); it.Next(); n++ {
		if n%every != 0 {
			continue
		}
		x.keys = append(x.keys, bytes.Clone(it.Key()[kv.PrefixLen:]))
		if v := it.Value(); size < sampleBytes && len(v) < sampledUpToSize && len(x.values) == len(x.keys)-1 {
			size += len(v)
			x.values = append(x.values, bytes.Clone(v))
		}
	}
	return x, it.Err()
}

// Resample forgets the samples of relations, or of all when none is named, so that the next one to ask gets new ones.
func (db *DB) Resample(rels ...*catalog.Relation) {
	db.samples.mu.Lock()
	defer db.samples.mu.Unlock()
	if len(rels) == 0 {
		clear(db.samples.m)
	}
	for _, rel := range rels {
		delete(db.samples.m, rel.Storage)
	}
}

// Columns shows columns of the sampled rows.
func (x *Sample) Columns(rel *catalog.Relation, cols []ScanCol) (*batch.Batch, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	out := &batch.Batch{Cols: make([]*value.Column, len(cols)), Len: len(x.values)}
	for i := range cols {
		k, kept := columnKey(&cols[i])
		if out.Cols[i] = x.cols[k]; kept && out.Cols[i] != nil {
			continue
		}
		p := newProjection(rel, cols[i:i+1])
		for n, v := range x.values {
			if err := p.add(x.keys[n], v); err != nil {
				return nil, err
			}
		}
		out.Cols[i] = p.cols[0]
		if kept {
			x.cols[k] = p.cols[0]
		}
	}
	return out, nil
}
