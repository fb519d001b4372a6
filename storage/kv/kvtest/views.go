package kvtest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/kv"
)

// testSnapshotsStayStill keeps a snapshot after each of many groups and reads them all at the end, newest group included.
func testSnapshotsStayStill(t *testing.T, e Engine) {
	s := open(t, e)
	const groups, keys = 200, 50
	m := model{}
	var snaps []kv.Snapshot
	var states [][]pair
	for g := range groups {
		var ops []kv.Op
		for k := range keys {
			key := Key('d', uint64(k%4), fmt.Sprintf("%02d", k))
			switch (g*7 + k*3) % 5 {
			case 0:
				ops = append(ops, Put(key, fmt.Sprintf("group %d", g)))
			case 1:
				ops = append(ops, Del(key))
			}
		}
		b := batchOf(kv.LSN(g+1), ops)
		apply(t, s, b)
		m.apply(b)
		snaps = append(snaps, snapshot(t, s))
		states = append(states, m.rows(kv.Range{}))
	}
	for g, snap := range snaps {
		if snap.LSN() != kv.LSN(g+1) {
			t.Fatalf("snapshot %d has LSN %d", g, snap.LSN())
		}
		wantRows(t, fmt.Sprintf("snapshot %d", g), scan(t, snap, kv.Range{}), states[g])
	}
}

// testSnapshotsInParallel writes groups that keep an invariant while readers open snapshots and check it: all keys of
// a snapshot carry the same text, that of its LSN.
func testSnapshotsInParallel(t *testing.T, e Engine) {
	s := open(t, e)
	const keys, groups, readers = 40, 150, 8
	group := func(lsn kv.LSN) kv.Batch {
		var ops []kv.Op
		for k := range keys {
			ops = append(ops, Put(Key('d', uint64(k/10), fmt.Sprintf("%02d", k)), fmt.Sprint(lsn)))
		}
		return Batch(lsn, ops...)
	}
	apply(t, s, group(1))
	done := make(chan struct{})
	errs := make(chan error, readers)
	for range readers {
		go func() { errs <- readUntil(s, done, keys) }()
	}
	for lsn := kv.LSN(2); lsn < groups; lsn++ {
		apply(t, s, group(lsn))
	}
	close(done)
	for range readers {
		if err := <-errs; err != nil {
			t.Fatal(err)
		}
	}
}

func readUntil(s kv.Store, done <-chan struct{}, keys int) error {
	var last kv.LSN
	for {
		select {
		case <-done:
			return nil
		default:
		}
		snap, err := s.Snapshot(ctx)
		if err != nil {
			return err
		}
		if snap.LSN() < last {
			return fmt.Errorf("LSN went back from %d to %d", last, snap.LSN())
		}
		last = snap.LSN()
		rows, err := collect(ctx, snap, kv.Range{})
		if err != nil {
			return err
		}
		if len(rows) != keys {
			return fmt.Errorf("snapshot %d has %d rows", last, len(rows))
		}
		for _, r := range rows {
			if got, err := snap.Get(ctx, []byte(r.key)); err != nil || r.value != fmt.Sprint(last) || string(got) != r.value {
				return fmt.Errorf("snapshot %d has %v, and %q by Get (%v)", last, r, got, err)
			}
		}
		snap.Close()
	}
}

// testIteratorsInParallel uses one snapshot from several goroutines, each with iterators of its own.
func testIteratorsInParallel(t *testing.T, e Engine) {
	s := open(t, e)
	rows := sample()
	apply(t, s, Batch(1, puts(rows)...))
	snap := snapshot(t, s)
	var wg sync.WaitGroup
	errs := make(chan error, 8)
	for g := range cap(errs) {
		wg.Go(func() {
			for i := g; i < len(rows); i += 3 {
				got, err := collect(ctx, snap, kv.Range{Start: []byte(rows[i].key)})
				if err == nil && firstDifference(got, rows[i:]) != "" {
					err = errors.New(firstDifference(got, rows[i:]))
				}
				if err != nil {
					errs <- err
					return
				}
			}
		})
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		t.Fatal(err)
	}
}

func testCancel(t *testing.T, e Engine) {
	s := open(t, e)
	var ops []kv.Op
	for i := range 5000 {
		ops = append(ops, Put(Key('d', 1, fmt.Sprintf("%08d", i)), "v"))
	}
	apply(t, s, Batch(1, ops...))
	snap := snapshot(t, s)
	why := errors.New("the user pressed a key")
	c, cancel := context.WithCancelCause(ctx)
	it := snap.Scan(c, kv.Range{})
	defer it.Close()
	if !it.Next() {
		t.Fatal("no first row")
	}
	cancel(why)
	n := 1
	for it.Next() {
		n++
	}
	if n >= len(ops) || !errors.Is(it.Err(), why) {
		t.Fatalf("read %d rows of a cancelled scan, error %v", n, it.Err())
	}
	// Once begun, Apply ignores cancel.
	if err := s.Apply(c, []kv.Batch{Batch(2, Put(Key('d', 1, "x"), "v"))}); err != nil {
		t.Fatalf("apply: %v", err)
	}
	wantGet(t, snapshot(t, s), Key('d', 1, "x"), []byte("v"))
}

func testClose(t *testing.T, e Engine) {
	dir := t.TempDir()
	s := openDir(t, e, dir)
	apply(t, s, Batch(1, Put(Key('d', 1, "a"), "1"), Put(Key('d', 1, "b"), "2")))
	snap := snapshot(t, s)
	value, err := snap.Get(ctx, Key('d', 1, "a"))
	if err != nil {
		t.Fatal(err)
	}
	it := snap.Scan(ctx, kv.Range{})
	if !it.Next() {
		t.Fatal("no row")
	}
	seen := it.Value()
	for range 2 {
		if err := s.Close(); err != nil {
			t.Fatalf("close: %v", err)
		}
	}
	closed := func(what string, err error) {
		t.Helper()
		if dberr.Code(err) != dberr.AdminShutdown {
			t.Fatalf("%s after Close: got %v, want an error %s", what, err, dberr.AdminShutdown)
		}
	}
	if string(value) != "1" || string(seen) != "1" {
		t.Fatalf("values changed at Close: %q, %q", value, seen)
	}
	_, err = s.Snapshot(ctx)
	closed("Snapshot", err)
	closed("Apply", s.Apply(ctx, []kv.Batch{Batch(2)}))
	_, err = snap.Get(ctx, Key('d', 1, "a"))
	closed("Get", err)
	if it.Next() {
		t.Fatal("an iterator went on after Close")
	}
	closed("Next", it.Err())
	_, err = collect(ctx, snap, kv.Range{})
	closed("Scan", err)
	it.Close()
	it.Close()
	snap.Close()
	snap.Close()
	_, err = snap.Get(ctx, Key('d', 1, "a"))
	closed("Get on a closed snapshot", err)
	openDir(t, e, dir) // nothing holds the directory any more
}

func testReopen(t *testing.T, e Engine) {
	if !e.Durable {
		return // nothing to find again
	}
	dir := t.TempDir()
	rows := sample()
	for i := range rows {
		s := openDir(t, e, dir)
		snap := snapshot(t, s)
		if snap.LSN() != kv.LSN(i) {
			t.Fatalf("LSN %d after %d commits", snap.LSN(), i)
		}
		wantRows(t, "scan", scan(t, snap, kv.Range{}), rows[:i])
		applyFails(t, s, dberr.InternalError, Batch(kv.LSN(i)))
		apply(t, s, Batch(kv.LSN(i+1), puts(rows[i:i+1])...))
		snap.Close()
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if i == 20 { // the rest at once
			s := openDir(t, e, dir)
			apply(t, s, Batch(kv.LSN(len(rows)), puts(rows[21:])...))
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	s := openDir(t, e, dir)
	wantRows(t, "scan", scan(t, snapshot(t, s), kv.Range{}), rows)
}
