package bolt_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/kv/bolt"
	"github.com/omgdb/omgdb/storage/kv/kvtest"
)

// filled is a store of n rows of 200 bytes in 8 objects, all of them in store.db.
func filled(b *testing.B, n int) (kv.Store, [][]byte) {
	b.Helper()
	dir := b.TempDir()
	s, err := open(dir)
	if err != nil {
		b.Fatal(err)
	}
	keys := make([][]byte, n)
	ops := make([]kv.Op, n)
	value := string(make([]byte, 200))
	for i := range keys {
		keys[i] = kvtest.Key('d', uint64(i/(n/8+1)), fmt.Sprintf("key%09d", i))
		ops[i] = kvtest.Put(keys[i], value)
	}
	for i := 0; i < n; i += 20_000 {
		if err := s.Apply(context.Background(), []kv.Batch{kvtest.Batch(kv.LSN(i+1), ops[i:min(i+20_000, n)]...)}); err != nil {
			b.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	if s, err = open(dir); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	return s, keys
}

// fresh writes every tenth row again, so that these are in memory too.
func fresh(b *testing.B, s kv.Store, keys [][]byte) {
	b.Helper()
	var ops []kv.Op
	for i := 0; i < len(keys); i += 10 {
		ops = append(ops, kvtest.Put(keys[i], string(make([]byte, 200))))
	}
	if err := s.Apply(context.Background(), []kv.Batch{kvtest.Batch(view(b, s).LSN()+1, ops...)}); err != nil {
		b.Fatal(err)
	}
}

func view(b *testing.B, s kv.Store) kv.Snapshot {
	b.Helper()
	snap, err := s.Snapshot(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(snap.Close)
	return snap
}

func BenchmarkGet(b *testing.B) {
	s, keys := filled(b, 200_000)
	for _, state := range []string{"settled", "fresh"} {
		if state == "fresh" {
			fresh(b, s, keys)
		}
		b.Run(state, func(b *testing.B) {
			snap := view(b, s)
			b.ReportAllocs()
			for b.Loop() {
				if v, err := snap.Get(context.Background(), keys[rand.IntN(len(keys))]); err != nil || v == nil {
					b.Fatal(v, err)
				}
			}
		})
	}
}

func BenchmarkSnapshot(b *testing.B) {
	s, _ := filled(b, 1000)
	b.ReportAllocs()
	for b.Loop() {
		snap, err := s.Snapshot(context.Background())
		if err != nil {
			b.Fatal(err)
		}
		snap.Close()
	}
}

func BenchmarkScan(b *testing.B) {
	s, keys := filled(b, 200_000)
	for _, state := range []string{"settled", "fresh"} {
		if state == "fresh" {
			fresh(b, s, keys)
		}
		for _, reverse := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/reverse=%v", state, reverse), func(b *testing.B) {
				snap := view(b, s)
				b.ReportAllocs()
				for b.Loop() {
					it := snap.Scan(context.Background(), kv.Range{Reverse: reverse})
					n := 0
					for it.Next() {
						n += len(it.Key()) + len(it.Value())
					}
					it.Close()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(keys)), "ns/row")
			})
		}
	}
}

// BenchmarkScanFew opens a snapshot and reads ten rows, as most statements do.
func BenchmarkScanFew(b *testing.B) {
	s, keys := filled(b, 200_000)
	fresh(b, s, keys)
	b.ReportAllocs()
	for b.Loop() {
		snap, err := s.Snapshot(context.Background())
		if err != nil {
			b.Fatal(err)
		}
		it := snap.Scan(context.Background(), kv.Range{Start: keys[rand.IntN(len(keys)-10)]})
		for range 10 {
			if !it.Next() {
				b.Fatal(it.Err())
			}
		}
		it.Close()
		snap.Close()
	}
}

// BenchmarkCommit measures durable groups of one batch of one put, and of 16.
func BenchmarkCommit(b *testing.B) {
	for _, batches := range []int{1, 16} {
		b.Run(fmt.Sprintf("batches=%d", batches), func(b *testing.B) {
			s, keys := filled(b, 100_000)
			lsn := view(b, s).LSN()
			value := string(make([]byte, 200))
			b.ReportAllocs()
			for b.Loop() {
				var group []kv.Batch
				for range batches {
					lsn++
					group = append(group, kvtest.Batch(lsn, kvtest.Put(keys[rand.IntN(len(keys))], value)))
				}
				if err := s.Apply(context.Background(), group); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkLoad measures batches of 20,000 ascending rows, per row.
func BenchmarkLoad(b *testing.B) {
	s, err := open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	const rows = 20_000
	value := string(make([]byte, 200))
	lsn := kv.LSN(0)
	for b.Loop() {
		lsn++
		ops := make([]kv.Op, rows)
		for i := range ops {
			ops[i] = kvtest.Put(kvtest.Key('d', 1, fmt.Sprintf("key%09d", int(lsn)*rows+i)), value)
		}
		if err := s.Apply(context.Background(), []kv.Batch{kvtest.Batch(lsn, ops...)}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*rows/b.Elapsed().Seconds(), "rows/s")
}

// BenchmarkOpen opens and closes a store of 200,000 rows that was closed in good order.
func BenchmarkOpen(b *testing.B) {
	s, _ := filled(b, 200_000)
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		s, err := open(s.(*bolt.Store).Dir())
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
