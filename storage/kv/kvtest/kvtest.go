// Package kvtest holds the conformance suite of the key-value contract, which every engine passes unchanged,
// and Mirror, which runs two engines side by side and compares every answer.
package kvtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/kv"
)

// Engine tells the suite what it tests.
type Engine struct {
	// Open opens the store in dir, an existing directory that is empty the first time.
	Open func(dir string) (kv.Store, error)
	// Durable engines find at Open what Apply acknowledged before.
	Durable bool
}

// Run runs the whole suite.
func Run(t *testing.T, e Engine) {
	for _, c := range []struct {
		name string
		test func(t *testing.T, e Engine)
	}{
		{"Order", testOrder},
		{"Ranges", testRanges},
		{"EmptyStore", testEmptyStore},
		{"EmptyRestAndValue", testEmptyRestAndValue},
		{"Stamps", testStamps},
		{"Groups", testGroups},
		{"GroupsAreAtomic", testGroupsAreAtomic},
		{"Limits", testLimits},
		{"BigValues", testBigValues},
		{"BigBatches", testBigBatches},
		{"DropObject", testDropObject},
		{"SnapshotsStayStill", testSnapshotsStayStill},
		{"SnapshotsInParallel", testSnapshotsInParallel},
		{"IteratorsInParallel", testIteratorsInParallel},
		{"Cancel", testCancel},
		{"Close", testClose},
		{"Reopen", testReopen},
		{"History", testHistory},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, e) })
	}
}

var ctx = context.Background()

func open(t testing.TB, e Engine) kv.Store {
	t.Helper()
	return openDir(t, e, t.TempDir())
}

func openDir(t testing.TB, e Engine, dir string) kv.Store {
	t.Helper()
	s, err := e.Open(dir)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

func snapshot(t testing.TB, s kv.Store) kv.Snapshot {
	t.Helper()
	snap, err := s.Snapshot(ctx)
	if err != nil {
		t.Fatalf("snapshot: %v", err)
	}
	t.Cleanup(snap.Close)
	return snap
}

// Key makes a key of keyspace, object id and rest.
func Key(space byte, id uint64, rest string) []byte {
	k := []byte{space, byte(id >> 56), byte(id >> 48), byte(id >> 40), byte(id >> 32), byte(id >> 24), byte(id >> 16), byte(id >> 8), byte(id)}
	return append(k, rest...)
}

// Put is an operation without stamps.
func Put(key []byte, value string) kv.Op {
	return kv.Op{Key: key, Value: []byte(value), KeyStamp: kv.NoStamp, ValueStamp: kv.NoStamp}
}

// Del is a delete without stamps.
func Del(key []byte) kv.Op {
	return kv.Op{Key: key, Delete: true, KeyStamp: kv.NoStamp, ValueStamp: kv.NoStamp}
}

// Batch makes a batch of operations, which must be sorted.
func Batch(lsn kv.LSN, ops ...kv.Op) kv.Batch { return &kv.MemBatch{Num: lsn, Op: ops} }

func apply(t testing.TB, s kv.Store, group ...kv.Batch) {
	t.Helper()
	if err := s.Apply(ctx, group); err != nil {
		t.Fatalf("apply: %v", err)
	}
}

// applyFails wants an error with the code.
func applyFails(t *testing.T, s kv.Store, code string, group ...kv.Batch) {
	t.Helper()
	if err := s.Apply(ctx, group); dberr.Code(err) != code {
		t.Fatalf("apply: got %v (%s), want an error %s", err, dberr.Code(err), code)
	}
}

// pair is one row of a scan.
type pair struct{ key, value string }

func (p pair) String() string { return fmt.Sprintf("%x=%.40q", p.key, p.value) }

func scan(t testing.TB, snap kv.Snapshot, r kv.Range) []pair {
	t.Helper()
	rows, err := collect(ctx, snap, r)
	if err != nil {
		t.Fatalf("scan: %v", err)
	}
	return rows
}

func collect(ctx context.Context, snap kv.Snapshot, r kv.Range) ([]pair, error) {
	it := snap.Scan(ctx, r)
	defer it.Close()
	var rows []pair
	for it.Next() {
		rows = append(rows, pair{string(it.Key()), string(it.Value())})
	}
	if it.Next() {
		return nil, errors.New("Next after the end gave another row")
	}
	return rows, it.Err()
}

// wantGet wants the value, or a missing key when want is nil.
func wantGet(t testing.TB, snap kv.Snapshot, key []byte, want []byte) {
	t.Helper()
	got, err := snap.Get(ctx, key)
	if err != nil {
		t.Fatalf("get %x: %v", key, err)
	}
	if (got == nil) != (want == nil) || !bytes.Equal(got, want) {
		t.Fatalf("get %x: got %.60q (nil %v), want %.60q (nil %v)", key, got, got == nil, want, want == nil)
	}
}

// wantRows compares a scan.
func wantRows(t testing.TB, what string, got, want []pair) {
	t.Helper()
	if diff := firstDifference(got, want); diff != "" {
		t.Fatalf("%s: %s", what, diff)
	}
}

func firstDifference(got, want []pair) string {
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			return fmt.Sprintf("row %d of %d is missing: %v", i, len(want), want[i])
		case i >= len(want):
			return fmt.Sprintf("row %d is one too many: %v", i, got[i])
		case got[i] != want[i]:
			return fmt.Sprintf("row %d: got %v, want %v", i, got[i], want[i])
		}
	}
	return ""
}
