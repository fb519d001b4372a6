package kvtest

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/omgdb/omgdb/storage/kv"
)

// model is the simplest engine: a map.
type model map[string]string

func (m model) apply(b kv.Batch) {
	it := b.Ops()
	for op, ok, _ := it.Next(); ok; op, ok, _ = it.Next() {
		key := string(op.AppendKey(nil, b.LSN()))
		if op.Delete {
			delete(m, key)
			continue
		}
		m[key] = string(op.AppendValue(nil, b.LSN()))
	}
}

func (m model) rows(r kv.Range) []pair {
	var rows []pair
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if k >= string(r.Start) && (r.End == nil || k < string(r.End)) {
			rows = append(rows, pair{k, m[k]})
		}
	}
	if r.Reverse {
		slices.Reverse(rows)
	}
	return rows
}

// batchOf sorts the operations; of several on one key the last one counts.
func batchOf(lsn kv.LSN, ops []kv.Op) kv.Batch {
	slices.SortStableFunc(ops, func(a, b kv.Op) int { return bytes.Compare(a.Key, b.Key) })
	var kept []kv.Op
	for _, op := range ops {
		if n := len(kept); n > 0 && bytes.Equal(kept[n-1].Key, op.Key) {
			kept = kept[:n-1]
		}
		kept = append(kept, op)
	}
	return Batch(lsn, kept...)
}

// history is one random run of an engine against the model.
type history struct {
	e     Engine
	dir   string
	store kv.Store
	now   model
	lsn   kv.LSN
	views []view
}

type view struct {
	snap kv.Snapshot
	then model
	lsn  kv.LSN
}

var (
	genRest = rapid.Custom(func(t *rapid.T) string {
		letters := rapid.SliceOfN(rapid.SampledFrom([]string{"\x00", "a", "b", "\xff"}), 0, 4).Draw(t, "rest")
		return strings.Join(letters, "")
	})
	genKey = rapid.Custom(func(t *rapid.T) []byte {
		return Key(rapid.SampledFrom([]byte("dio")).Draw(t, "space"), uint64(rapid.IntRange(0, 3).Draw(t, "id")), genRest.Draw(t, "rest"))
	})
	genOp = rapid.Custom(func(t *rapid.T) kv.Op {
		key := genKey.Draw(t, "key")
		switch rapid.IntRange(0, 9).Draw(t, "kind") {
		case 0, 1, 2:
			return Del(key)
		case 3:
			key[0] = 's' // where all keys are stamped, right behind the object id
			return kv.Op{Key: append(append(key[:kv.PrefixLen:kv.PrefixLen], blank...), key[kv.PrefixLen:]...),
				Value: []byte("k"), KeyStamp: kv.PrefixLen, ValueStamp: kv.NoStamp}
		case 4:
			return kv.Op{Key: key, Value: []byte("v" + blank), KeyStamp: kv.NoStamp, ValueStamp: 1}
		case 5:
			return Put(key, strings.Repeat("large", rapid.IntRange(100, 5000).Draw(t, "size")))
		}
		return Put(key, rapid.StringN(0, 20, -1).Draw(t, "value"))
	})
)

func testHistory(t *testing.T, e Engine) {
	rapid.Check(t, func(rt *rapid.T) {
		h := &history{e: e, dir: t.TempDir(), now: model{}}
		h.open(rt)
		defer func() {
			h.store.Close()
			h.dropViews()
		}()
		actions := map[string]func(*rapid.T){
			"":       h.check,
			"apply":  h.apply,
			"apply2": h.apply, // more often
			"view":   h.view,
			"drop":   h.drop,
			"scan":   h.scan,
		}
		if e.Durable {
			actions["reopen"] = h.reopen
		}
		rt.Repeat(actions)
	})
}

func (h *history) open(t *rapid.T) {
	var err error
	if h.store, err = h.e.Open(h.dir); err != nil {
		t.Fatalf("open: %v", err)
	}
}

func (h *history) dropViews() {
	for _, v := range h.views {
		v.snap.Close()
	}
	h.views = nil
}

func (h *history) reopen(t *rapid.T) {
	h.dropViews()
	if err := h.store.Close(); err != nil {
		t.Fatalf("close: %v", err)
	}
	h.open(t)
}

func (h *history) apply(t *rapid.T) {
	var group []kv.Batch
	for range rapid.IntRange(1, 3).Draw(t, "batches") {
		h.lsn += kv.LSN(rapid.IntRange(1, 3).Draw(t, "gap"))
		b := batchOf(h.lsn, rapid.SliceOfN(genOp, 0, 20).Draw(t, "ops"))
		group = append(group, b)
	}
	if err := h.store.Apply(ctx, group); err != nil {
		t.Fatalf("apply: %v", err)
	}
	for _, b := range group {
		h.now.apply(b)
	}
}

func (h *history) take(t *rapid.T) view {
	snap, err := h.store.Snapshot(ctx)
	if err != nil {
		t.Fatalf("snapshot: %v", err)
	}
	return view{snap, maps.Clone(h.now), h.lsn}
}

func (h *history) view(t *rapid.T) { h.views = append(h.views, h.take(t)) }

func (h *history) drop(t *rapid.T) {
	if len(h.views) == 0 {
		t.Skip("no snapshot to drop")
	}
	i := rapid.IntRange(0, len(h.views)-1).Draw(t, "which")
	h.views[i].snap.Close()
	h.views = slices.Delete(h.views, i, i+1)
}

// scan reads a random range of a random snapshot, and looks some keys up.
func (h *history) scan(t *rapid.T) {
	if len(h.views) == 0 {
		h.view(t)
	}
	v := h.views[rapid.IntRange(0, len(h.views)-1).Draw(t, "which")]
	r := kv.Range{Reverse: rapid.Bool().Draw(t, "reverse"), Start: genKey.Draw(t, "start"), End: genKey.Draw(t, "end")}
	r.Start = r.Start[:rapid.IntRange(0, len(r.Start)).Draw(t, "cut")]
	if rapid.Bool().Draw(t, "open end") {
		r.End = nil
	}
	v.check(t, r)
	for range 5 {
		key := genKey.Draw(t, "get")
		got, err := v.snap.Get(ctx, key)
		want, there := v.then[string(key)]
		if err != nil || there != (got != nil) || string(got) != want {
			t.Fatalf("get %x: got %.40q (%v), want %.40q, %v", key, got, err, want, there)
		}
	}
}

// check reads the newest state whole.
func (h *history) check(t *rapid.T) {
	v := h.take(t)
	v.check(t, kv.Range{})
	v.snap.Close()
}

func (v view) check(t *rapid.T, r kv.Range) {
	if v.snap.LSN() != v.lsn {
		t.Fatalf("LSN %d, want %d", v.snap.LSN(), v.lsn)
	}
	got, err := collect(ctx, v.snap, r)
	if err != nil {
		t.Fatalf("scan: %v", err)
	}
	if diff := firstDifference(got, v.then.rows(r)); diff != "" {
		t.Fatalf("scan [%x, %x) reverse=%v at %d: %s", r.Start, r.End, r.Reverse, v.lsn, diff)
	}
}
