package bolt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/kv"
)

// rowsOf reads all rows of a snapshot.
func rowsOf(t *testing.T, snap kv.Snapshot) map[string]string {
	t.Helper()
	it := snap.Scan(ctx, kv.Range{})
	defer it.Close()
	out := map[string]string{}
	for it.Next() {
		out[string(it.Key())] = string(bytes.Clone(it.Value()))
	}
	if it.Err() != nil {
		t.Fatal(it.Err())
	}
	return out
}

func contentNow(t *testing.T, s *Store) map[string]string {
	t.Helper()
	snap, err := s.Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	return rowsOf(t, snap)
}

// swollen makes a store of which most has been deleted.
func swollen(t *testing.T, dir string) (*Store, kv.LSN) {
	t.Helper()
	s, err := Open(dir, Small(Options{Create: true}))
	if err != nil {
		t.Fatal(err)
	}
	const groups, each, kept = 60, 40, 2
	for g := range kv.LSN(2 * groups) {
		b := &kv.MemBatch{Num: g + 1}
		for i := range each {
			op := put(fmt.Sprintf("d12345678%05d/%03d", g%groups, i), strings.Repeat("v", 500))
			if op.Delete = g >= groups; !op.Delete || i >= kept {
				b.Op = append(b.Op, op)
			}
		}
		if err := s.Apply(ctx, []kv.Batch{b}); err != nil {
			t.Fatal(err)
		}
	}
	return s, 2 * groups
}

// TestCompact compacts a store over and over while a writer and readers go on, and one snapshot stays open throughout.
func TestCompact(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	s, lsn := swollen(t, dir)
	old, err := s.Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	want := rowsOf(t, old)
	first, second := int64(0), int64(0)
	var wg sync.WaitGroup
	done := make(chan struct{})
	written := kv.LSN(0)
	wg.Go(func() {
		for ; ; written++ {
			select {
			case <-done:
				return
			default:
			}
			if err := s.Apply(ctx, []kv.Batch{one(lsn+written+1, 200)}); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for i := range 5 {
		before, after, err := s.Compact(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first, second = before, after
		}
		if got := rowsOf(t, old); len(got) != len(want) {
			t.Fatalf("the old snapshot has %d rows, had %d", len(got), len(want))
		}
	}
	if second*2 > first {
		t.Errorf("compacted from %d to %d bytes", first, second)
	}
	close(done)
	wg.Wait()
	if written == 0 {
		t.Error("nothing was written meanwhile")
	}
	if diff := cmp.Diff(want, rowsOf(t, old)); diff != "" {
		t.Error(diff)
	}
	now := contentNow(t, s)
	if len(now) != len(want)+int(written) {
		t.Errorf("%d rows, want %d and %d", len(now), len(want), written)
	}
	old.Close()
	s.mu.Lock()
	if len(s.views) != 1 {
		t.Errorf("views of %d files are open", len(s.views))
	}
	s.mu.Unlock()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if diff := cmp.Diff(now, contentNow(t, again)); diff != "" {
		t.Error(diff)
	}
}

// TestCompactKeepsTheLock lets somebody wait for a store while it is compacted: who waits gets the store as it is then, not the file
// that was replaced.
func TestCompactKeepsTheLock(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	s, lsn := swollen(t, dir)
	type result struct {
		s   *Store
		err error
	}
	waiting := make(chan result)
	go func() {
		s, err := Open(dir, Options{Timeout: time.Minute})
		waiting <- result{s, err}
	}()
	for range 3 {
		if _, _, err := s.Compact(ctx); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir, Options{}); dberr.Code(err) != dberr.ObjectInUse {
			t.Fatalf("a second Open gives %v", err)
		}
	}
	if err := s.Apply(ctx, []kv.Batch{one(lsn+1, 10)}); err != nil {
		t.Fatal(err)
	}
	want := contentNow(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	r := <-waiting
	if r.err != nil {
		t.Fatal(r.err)
	}
	defer r.s.Close()
	if diff := cmp.Diff(want, contentNow(t, r.s)); diff != "" {
		t.Error(diff)
	}
}

// TestCompactGivesUp looks at a compaction that is cancelled, one that a crash left half done, and one of a closed store.
func TestCompactGivesUp(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	s, _ := swollen(t, dir)
	cancelled, cancel := context.WithCancelCause(ctx)
	cause := errors.New("enough")
	cancel(cause)
	if _, _, err := s.Compact(cancelled); !errors.Is(err, cause) {
		t.Errorf("cancelled: %v", err)
	}
	want := contentNow(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Compact(ctx); err == nil {
		t.Error("a closed store was compacted")
	}
	left := filepath.Join(dir, compactName)
	if err := os.WriteFile(left, []byte("half of a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("what a crash left is still there: %v", err)
	}
	if diff := cmp.Diff(want, contentNow(t, s)); diff != "" {
		t.Error(diff)
	}
}
