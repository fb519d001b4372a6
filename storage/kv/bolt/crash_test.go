package bolt

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/kv/bolt/vfs"
	"github.com/omgdb/omgdb/storage/kv/bolt/vfs/faultfs"
)

var ctx = context.Background()

// cuts is how often TestPowerLoss cuts the power; by itself it does so some two hundred times.
var cuts = flag.Int("cuts", 0, "power losses to try")

// world is a store whose log is in a faultfs and whose store.db is a file, with a model of what it must hold.
type world struct {
	t      *testing.T
	rng    *rand.Rand
	log    *faultfs.FS
	dir    string
	store  *Store
	lsn    kv.LSN
	models map[kv.LSN]map[string]string // what the store holds after each group; 0 is the empty store
	acked  kv.LSN

	// The crash to come: at is counted down by each operation on the log and each commit of store.db.
	at      int
	crashed *faultfs.FS
	file    []byte // store.db after the crash
	floor   kv.LSN // acked at the crash
}

const pageSize = 4096

// newStore is the store.db of a new store; making one takes syncs.
var newStore = sync.OnceValue(func() []byte {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	if err := Create(dir); err != nil {
		panic(err)
	}
	b, err := os.ReadFile(filepath.Join(dir, fileName))
	if err != nil {
		panic(err)
	}
	return b
})

func newWorld(t *testing.T, seed uint64) *world {
	w := &world{t: t, rng: rand.New(rand.NewPCG(seed, 0)), log: faultfs.New(), at: -1, models: map[kv.LSN]map[string]string{0: {}}}
	w.place(newStore())
	return w
}

// place makes a directory with this store.db.
func (w *world) place(file []byte) {
	w.dir = w.t.TempDir()
	if err := os.WriteFile(w.path(), file, 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) options() Options {
	return Options{tune: tuning{
		layerBytes: 6 << 10, runBytes: 1500, sliceBytes: 1 << 10, maxFrozen: 3, closeBytes: int64(w.rng.IntN(4000)), manual: true,
		fs: func(string) vfs.FS { return w.log }, noSync: true, commit: w.commit,
	}}
}

func (w *world) open() {
	w.t.Helper()
	var err error
	w.log.Hook = w.step
	if w.store, err = Open(w.dir, w.options()); err != nil {
		w.t.Fatalf("open: %v", err)
	}
}

// step is called before each operation on the log.
func (w *world) step(faultfs.Op) error {
	if w.at--; w.at == -1 {
		w.crash(w.readFile())
	}
	return nil
}

func (w *world) crash(file []byte) {
	w.crashed, w.file, w.floor = w.log.Crash(w.rng), file, w.acked
}

// commit wraps each commit of store.db: a crash in it leaves the old meta pages with any of the other changed pages, or all.
func (w *world) commit(commit func() error) error {
	before := w.readFile()
	err := commit()
	if w.at--; w.at == -1 {
		w.crash(w.torn(before, w.readFile()))
	}
	return err
}

func (w *world) torn(before, after []byte) []byte {
	if w.rng.IntN(3) == 0 {
		return after
	}
	torn := bytes.Clone(after)
	copy(torn[:2*pageSize], before)
	for at := 2 * pageSize; at < len(torn); at += pageSize {
		if w.rng.IntN(2) == 0 {
			clear(torn[at : at+pageSize])
			if at < len(before) {
				copy(torn[at:at+pageSize], before[at:])
			}
		}
	}
	return torn
}

func (w *world) path() string { return filepath.Join(w.dir, fileName) }

func (w *world) readFile() []byte {
	b, err := os.ReadFile(w.path())
	if err != nil {
		w.t.Fatal(err)
	}
	return b
}

// become goes on in the world after the crash.
func (w *world) become() {
	w.store.Close()
	w.place(w.file)
	w.log, w.crashed, w.at = w.crashed, nil, -1
}

// group draws batches: small ones, some so large that they become run files, over few keys.
func (w *world) group() []kv.Batch {
	var group []kv.Batch
	model := maps.Clone(w.models[w.lsn])
	for range 1 + w.rng.IntN(3) {
		w.lsn += 1 + kv.LSN(w.rng.IntN(2))
		ops := map[string]kv.Op{}
		n := 1 + w.rng.IntN(4)
		if w.rng.IntN(6) == 0 {
			n = 20 + w.rng.IntN(60)
		}
		for range n {
			key := fmt.Sprintf("d\x00\x00\x00\x00\x00\x00\x00%c%02d", w.rng.IntN(3), w.rng.IntN(40))
			op := kv.Op{Key: []byte(key), KeyStamp: kv.NoStamp, ValueStamp: kv.NoStamp}
			if op.Delete = w.rng.IntN(3) == 0; !op.Delete {
				op.Value = []byte(strings.Repeat(fmt.Sprint(w.lsn, " "), w.rng.IntN(30)))
			}
			ops[key] = op
		}
		b := &kv.MemBatch{Num: w.lsn}
		for _, key := range slices.Sorted(maps.Keys(ops)) {
			b.Op = append(b.Op, ops[key])
			if ops[key].Delete {
				delete(model, key)
			} else {
				model[key] = string(ops[key].Value)
			}
		}
		group = append(group, b)
	}
	w.models[w.lsn] = model
	return group
}

// work applies groups, with checkpoints and reopenings in between.
func (w *world) work(groups int) {
	for range groups {
		if err := w.store.Apply(ctx, w.group()); err != nil {
			w.t.Fatalf("apply: %v", err)
		}
		w.acked = w.lsn
		switch w.rng.IntN(12) {
		case 0:
			w.store.freeze()
		case 1, 2:
			if _, err := w.store.checkpoint(); err != nil {
				w.t.Fatalf("checkpoint: %v", err)
			}
		case 3:
			if err := w.store.Close(); err != nil {
				w.t.Fatalf("close: %v", err)
			}
			w.open()
		}
	}
}

// verify wants the store to hold exactly what a group left, one not older than floor.
func (w *world) verify(what string, floor kv.LSN) {
	w.t.Helper()
	lsn, rows := contents(w.t, w.store)
	want, ok := w.models[lsn]
	if !ok || lsn < floor {
		w.t.Fatalf("%s: the store is at %d, no end of a group or older than the acknowledged %d", what, lsn, floor)
	}
	if !maps.Equal(rows, want) {
		w.t.Fatalf("%s: at %d the store holds %d rows, want %d: %v", what, lsn, len(rows), len(want), difference(rows, want))
	}
	w.lsn, w.acked = lsn, lsn
}

func difference(got, want map[string]string) string {
	for k, v := range want {
		if g, ok := got[k]; !ok || g != v {
			return fmt.Sprintf("%q is %.40q (%v), want %.40q", k, g, ok, v)
		}
	}
	for k := range got {
		if _, ok := want[k]; !ok {
			return fmt.Sprintf("%q is there", k)
		}
	}
	return ""
}

func contents(t *testing.T, s *Store) (kv.LSN, map[string]string) {
	t.Helper()
	snap, err := s.Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	rows := map[string]string{}
	it := snap.Scan(ctx, kv.Range{})
	for it.Next() {
		rows[string(it.Key())] = string(it.Value())
	}
	if it.Err() != nil {
		t.Fatal(it.Err())
	}
	return snap.LSN(), rows
}

// TestPowerLoss cuts the power at random moments of random histories, and of what follows on them: the log keeps what was
// synced and a torn part of what was not, store.db the old pages or any of the new. Every acknowledged group must be found,
// none in part.
func TestPowerLoss(t *testing.T) {
	want := *cuts
	if want == 0 {
		if want = 200; testing.Short() {
			want = 60
		}
	}
	crashes := 0
	for seed := uint64(0); crashes < want; seed++ {
		if seed > 100+uint64(want) {
			t.Fatalf("only %d crashes in %d histories", crashes, seed)
		}
		w := newWorld(t, seed)
		w.open()
		for life := range 4 {
			w.at = w.rng.IntN(120)
			w.work(25)
			if w.crashed == nil { // it would have come later
				w.at = -1
				continue
			}
			crashes++
			floor := w.floor
			w.become()
			w.open()
			w.verify(fmt.Sprintf("seed %d, life %d", seed, life), floor)
		}
		if err := w.store.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d power losses", crashes)
}

// TestFaults fails every operation on the log in turn, with a full disk and with a broken one. A refused group leaves no trace, reads go on,
// and as soon as the disk does its work again so does the store; only after a failed sync it waits to be opened anew.
func TestFaults(t *testing.T) {
	for _, fault := range []error{syscall.ENOSPC, syscall.EIO} {
		for nth := 0; ; nth++ {
			w := newWorld(t, 7)
			w.open()
			ops, failed := 0, false
			var op faultfs.Op
			w.log.Hook = func(o faultfs.Op) error {
				ops++
				if ops-1 != nth || failed {
					return nil
				}
				failed, op = true, o
				return fault
			}
			w.faulty(fault, &op)
			if !failed {
				if nth < 100 {
					t.Fatalf("only %d operations", nth)
				}
				break
			}
		}
	}
}

// faulty works through groups of which one fails, then opens the store again.
func (w *world) faulty(fault error, op *faultfs.Op) {
	for range 30 {
		group := w.group()
		err := w.store.Apply(ctx, group)
		broken := w.store.log.Broken() != nil
		switch {
		case err == nil:
			w.acked = w.lsn
		case broken && dberr.Code(err) == dberr.IOError:
		case !broken && errors.Is(err, syscall.ENOSPC) && dberr.Code(err) == dberr.DiskFull:
		case !broken && errors.Is(err, syscall.EIO) && dberr.Code(err) == dberr.IOError:
		default:
			w.t.Fatalf("%v fails with %v: apply gives %v (%s)", *op, fault, err, dberr.Code(err))
		}
		if broken {
			break
		}
		lsn, rows := contents(w.t, w.store)
		if lsn != w.acked || !maps.Equal(rows, w.models[w.acked]) {
			w.t.Fatalf("%v fails with %v: the store is at %d, want %d: %s", *op, fault, lsn, w.acked, difference(rows, w.models[w.acked]))
		}
		if err != nil {
			w.lsn = w.acked // the refused group is no part of the history
		}
		w.store.checkpoint()
	}
	if w.store.log.Broken() != nil {
		if err := w.store.Apply(ctx, []kv.Batch{&kv.MemBatch{Num: w.lsn + 1}}); dberr.Code(err) != dberr.IOError {
			w.t.Fatalf("a broken log took another group: %v", err)
		}
	}
	if err := w.store.Close(); err != nil {
		w.t.Fatalf("%v failed: close: %v", *op, err)
	}
	floor := w.acked
	w.open()
	w.verify(fmt.Sprintf("%v failed with %v", *op, fault), floor)
	// What the store has shown must outlast a power loss, though the process that wrote it never got it synced.
	w.crash(w.readFile())
	w.become()
	w.open()
	w.verify(fmt.Sprintf("%v failed with %v, then the power", *op, fault), w.floor)
	w.work(3)
	w.store.Close()
}
