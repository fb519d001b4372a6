package bolt

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/kv/bolt/vfs"
	"github.com/omgdb/omgdb/storage/kv/bolt/vfs/faultfs"
)

func put(key, value string) kv.Op {
	return kv.Op{Key: []byte(key), Value: []byte(value), KeyStamp: kv.NoStamp, ValueStamp: kv.NoStamp}
}

// one is a batch of one row.
func one(lsn kv.LSN, size int) kv.Batch {
	return &kv.MemBatch{Num: lsn, Op: []kv.Op{put(fmt.Sprintf("d12345678%09d", lsn), strings.Repeat("v", size))}}
}

// TestOneSync counts what a commit costs: one write and one sync, except where the log's file grows.
func TestOneSync(t *testing.T) {
	log := faultfs.New()
	o := Options{Create: true, tune: usual}
	o.tune.fs = func(string) vfs.FS { return log }
	s, err := Open(filepath.Join(t.TempDir(), "s"), o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Apply(ctx, []kv.Batch{one(1, 10)}); err != nil { // makes room
		t.Fatal(err)
	}
	counts := map[string]int{}
	log.Hook = func(op faultfs.Op) error { counts[op.Kind]++; return nil }
	const groups = 100
	for i := range kv.LSN(groups) {
		if err := s.Apply(ctx, []kv.Batch{one(2*i+2, 100), one(2*i+3, 100)}); err != nil {
			t.Fatal(err)
		}
	}
	if counts["sync"] != groups || counts["write"] != groups || len(counts) != 2 {
		t.Fatalf("%d groups took %v", groups, counts)
	}
}

// TestFullStoreFile lets every commit of store.db fail for want of space. Groups are taken while the log may hold them, then refused
// with 53100; reads go on; and when there is space again, so do writes.
func TestFullStoreFile(t *testing.T) {
	var full atomic.Bool
	o := Small(Options{Create: true})
	o.tune.commit = func(commit func() error) error {
		if full.Load() {
			return &os.PathError{Op: "write", Path: "store.db", Err: syscall.ENOSPC}
		}
		return commit()
	}
	dir := filepath.Join(t.TempDir(), "s")
	s, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	full.Store(true)
	lsn := kv.LSN(0)
	for ; err == nil; lsn++ {
		if lsn > 10_000 {
			t.Fatal("the log grows without end")
		}
		err = s.Apply(ctx, []kv.Batch{one(lsn+1, 1000)})
	}
	if lsn--; dberr.Code(err) != dberr.DiskFull {
		t.Fatalf("got %v (%s), want an error %s", err, dberr.Code(err), dberr.DiskFull)
	}
	if at, rows := contents(t, s); at != lsn || len(rows) != int(lsn) {
		t.Fatalf("at %d with %d rows, want %d", at, len(rows), lsn)
	}
	if size := logBytes(t, dir); size > 4*o.tune.layerBytes+1<<20 {
		t.Fatalf("the log takes %d bytes", size)
	}
	full.Store(false)
	s.mu.Lock()
	for s.stuck != nil {
		s.change.Wait()
	}
	s.mu.Unlock()
	for range 100 {
		lsn++
		if err := s.Apply(ctx, []kv.Batch{one(lsn, 1000)}); err != nil {
			t.Fatal(err)
		}
	}
	full.Store(true) // Close cannot write to store.db either: the log keeps everything
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	full.Store(false)
	if s, err = Open(dir, o); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if at, rows := contents(t, s); at != lsn || len(rows) != int(lsn) {
		t.Fatalf("after opening again at %d with %d rows, want %d", at, len(rows), lsn)
	}
}

func logBytes(t *testing.T, dir string) (n int64) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, logDir))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil { // it may have been removed meanwhile
			n += info.Size()
		}
	}
	return n
}

// TestIdleStoreSettles: without commits the map goes to store.db, and the log is cut.
func TestIdleStoreSettles(t *testing.T) {
	s, err := Open(filepath.Join(t.TempDir(), "s"), Small(Options{Create: true}))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Apply(ctx, []kv.Batch{one(1, 10)}); err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.now.layers) > 1 || s.now.layers[0].bytes > 0 {
		s.change.Wait()
	}
	if got, _ := readMeta(s.now.view.tx); got != 1 {
		t.Fatalf("store.db is at %d", got)
	}
}

// TestOutgrownMap: a store that reaches the end of its map says so, instead of waiting for its own readers for ever.
func TestOutgrownMap(t *testing.T) {
	o := Small(Options{Create: true})
	o.tune.manual = true
	dir := filepath.Join(t.TempDir(), "s")
	s, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	s.mapped = 1 << 20
	lsn := kv.LSN(0)
	for ; err == nil && lsn < 10_000; lsn++ {
		err = s.Apply(ctx, []kv.Batch{one(lsn+1, 1000)})
	}
	if dberr.Code(err) != dberr.ProgramLimitExceeded || !strings.Contains(err.Error(), "has grown to") {
		t.Fatalf("after %d groups: %v", lsn, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = Open(dir, o); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if at, rows := contents(t, s); at != lsn-1 || len(rows) != int(at) {
		t.Fatalf("after opening again at %d with %d rows, want %d", at, len(rows), lsn-1)
	}
	if err := s.Apply(ctx, []kv.Batch{one(lsn, 1000)}); err != nil {
		t.Fatal(err)
	}
}

// TestLostLog: store.db alone is not the store.
func TestLostLog(t *testing.T) {
	for name, lose := range map[string]func(dir string) error{
		"directory": func(dir string) error { return os.RemoveAll(filepath.Join(dir, logDir)) },
		"segment":   func(dir string) error { return os.Remove(filepath.Join(dir, logDir, "0000000000000001.log")) },
	} {
		dir := filepath.Join(t.TempDir(), "s")
		s, err := Open(dir, Options{Create: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Apply(ctx, []kv.Batch{one(1, 10)}); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if err := lose(dir); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir, Options{Timeout: time.Second}); dberr.Code(err) != dberr.DataCorrupted {
			t.Errorf("without its log %s: %v", name, err)
		}
	}
}

// TestDamagedRun spoils a run file that the log names: reading it fails, and nothing else does.
func TestDamagedRun(t *testing.T) {
	log := faultfs.New()
	o := Options{Create: true, tune: usual}
	o.tune.fs, o.tune.runBytes, o.tune.sliceBytes, o.tune.manual = func(string) vfs.FS { return log }, 1000, 1000, true
	dir := filepath.Join(t.TempDir(), "s")
	s, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	b := &kv.MemBatch{Num: 1}
	for i := range 1000 {
		b.Op = append(b.Op, put(fmt.Sprintf("d12345678%04d", i), strings.Repeat("v", 100)))
	}
	if err := s.Apply(ctx, []kv.Batch{b}); err != nil {
		t.Fatal(err)
	}
	broken := &kv.MemBatch{Num: 2, Op: b.Op}
	if err := s.Apply(ctx, []kv.Batch{broken}); err != nil {
		t.Fatal(err)
	}
	log = log.Clone() // as after kill -9
	killed := filepath.Join(t.TempDir(), "s")
	if err := os.CopyFS(killed, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	s.Close()
	log.Edit(runName(1), func(b []byte) []byte { b[50_000] ^= 1; return b })
	if s, err = Open(killed, o); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.checkpoint(); err != nil { // the first run is whole
		t.Fatal(err)
	}
	if _, err := s.checkpoint(); dberr.Code(err) != dberr.DataCorrupted {
		t.Fatalf("a checkpoint of a spoilt block: %v", err)
	}
	snap, err := s.Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	if v, err := snap.Get(ctx, b.Op[0].Key); err != nil || len(v) != 100 {
		t.Errorf("a key of a good block: %q, %v", v, err)
	}
	if v, err := snap.Get(ctx, b.Op[len(b.Op)/2-50].Key); dberr.Code(err) != dberr.DataCorrupted {
		t.Errorf("a key of the spoilt block: %q, %v", v, err)
	}
	it := snap.Scan(ctx, kv.Range{})
	for it.Next() {
	}
	if dberr.Code(it.Err()) != dberr.DataCorrupted {
		t.Errorf("a scan: %v", it.Err())
	}
}
