package kvtest_test

import (
	"context"
	"testing"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/kv/kvtest"
	"github.com/omgdb/omgdb/storage/kv/mem"
)

// TestMirrorSeesDifferences gives the two engines under a mirror different rows and wants every way of reading to tell.
func TestMirrorSeesDifferences(t *testing.T) {
	ctx := context.Background()
	key, other := kvtest.Key('d', 1, "a"), kvtest.Key('d', 1, "b")
	for name, ops := range map[string][2][]kv.Op{
		"value":   {{kvtest.Put(key, "1")}, {kvtest.Put(key, "2")}},
		"missing": {{kvtest.Put(key, "1")}, {}},
		"empty":   {{kvtest.Put(key, "")}, {}},
		"key":     {{kvtest.Put(key, "1")}, {kvtest.Put(other, "1")}},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := mem.New(), mem.New()
			for i, s := range []kv.Store{a, b} {
				if err := s.Apply(ctx, []kv.Batch{kvtest.Batch(1, ops[i]...)}); err != nil {
					t.Fatal(err)
				}
			}
			s := kvtest.Mirror(a, b)
			defer s.Close()
			snap, err := s.Snapshot(ctx)
			if err != nil {
				t.Fatal(err)
			}
			defer snap.Close()
			if _, err := snap.Get(ctx, key); dberr.Code(err) != dberr.DataCorrupted {
				t.Errorf("Get: %v", err)
			}
			for _, reverse := range []bool{false, true} {
				it := snap.Scan(ctx, kv.Range{Reverse: reverse})
				if it.Next() || dberr.Code(it.Err()) != dberr.DataCorrupted {
					t.Errorf("Scan, reverse %v: %v", reverse, it.Err())
				}
				it.Close()
			}
			if err := b.Apply(ctx, []kv.Batch{kvtest.Batch(2)}); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Snapshot(ctx); dberr.Code(err) != dberr.DataCorrupted {
				t.Errorf("Snapshot: %v", err)
			}
			if err := s.Apply(ctx, []kv.Batch{kvtest.Batch(2)}); dberr.Code(err) != dberr.DataCorrupted {
				t.Errorf("Apply: %v", err)
			}
		})
	}
}
