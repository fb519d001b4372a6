package kvtest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/kv"
)

const blank = "\xff\xff\xff\xff\xff\xff\xff\xff" // a stamp's place before Apply

func stamped(lsn kv.LSN) string {
	return string(binary.BigEndian.AppendUint64(nil, uint64(lsn)))
}

func testStamps(t *testing.T, e Engine) {
	s := open(t, e)
	var want []pair
	for _, lsn := range []kv.LSN{3, 0x0102030405060708, 1<<64 - 2} {
		apply(t, s, Batch(lsn,
			kv.Op{Key: Key('h', 1, "row"+blank), Value: []byte("n"), KeyStamp: kv.PrefixLen + 3, ValueStamp: kv.NoStamp},
			kv.Op{Key: Key('l', 1, blank+"\x00\x01"), Value: []byte(blank), KeyStamp: kv.PrefixLen, ValueStamp: 0},
			kv.Op{Key: Key('l', 1, blank+"\x00\x02"), Value: []byte("12" + blank + "34"), KeyStamp: kv.PrefixLen, ValueStamp: 2},
		))
		want = append(want, pair{string(Key('h', 1, "row"+stamped(lsn))), "n"})
	}
	for _, lsn := range []kv.LSN{3, 0x0102030405060708, 1<<64 - 2} {
		want = append(want,
			pair{string(Key('l', 1, stamped(lsn)+"\x00\x01")), stamped(lsn)},
			pair{string(Key('l', 1, stamped(lsn)+"\x00\x02")), "12" + stamped(lsn) + "34"})
	}
	wantRows(t, "stamped", scan(t, snapshot(t, s), kv.Range{}), want)
}

func testGroups(t *testing.T, e Engine) {
	s := open(t, e)
	a, b := Key('d', 1, "a"), Key('d', 1, "b")
	// Later batches of a group overrule earlier ones; LSNs may leave gaps.
	apply(t, s, Batch(5, Put(a, "1"), Put(b, "1")), Batch(6, Put(a, "2")), Batch(9, Del(b)))
	snap := snapshot(t, s)
	if snap.LSN() != 9 {
		t.Fatalf("LSN %d, want 9", snap.LSN())
	}
	wantRows(t, "scan", scan(t, snap, kv.Range{}), []pair{{string(a), "2"}})
	// A batch without operations only raises the LSN.
	apply(t, s, Batch(12))
	if got := snapshot(t, s).LSN(); got != 12 {
		t.Fatalf("LSN %d, want 12", got)
	}
	for _, lsns := range [][]kv.LSN{{12}, {11}, {0}, {13, 13}, {14, 13}} {
		var group []kv.Batch
		for _, n := range lsns {
			group = append(group, Batch(n, Put(b, "never")))
		}
		applyFails(t, s, dberr.InternalError, group...)
	}
	now := snapshot(t, s)
	wantGet(t, now, b, nil)
	if now.LSN() != 12 {
		t.Fatalf("LSN %d after refused groups, want 12", now.LSN())
	}
	apply(t, s, Batch(13, Put(b, "3")))
	wantGet(t, snapshot(t, s), b, []byte("3"))
}

// broken is a batch whose source fails after some operations.
type broken struct {
	kv.MemBatch
	after int
}

var errBroken = errors.New("the source broke")

func (b *broken) Ops() kv.OpIter { return &brokenIter{b.MemBatch.Ops(), b.after} }

type brokenIter struct {
	kv.OpIter
	left int
}

func (it *brokenIter) Next() (kv.Op, bool, error) {
	if it.left--; it.left < 0 {
		return kv.Op{}, false, errBroken
	}
	return it.OpIter.Next()
}

func testGroupsAreAtomic(t *testing.T, e Engine) {
	s := open(t, e)
	apply(t, s, Batch(1, Put(Key('d', 1, "a"), "old"), Put(Key('d', 2, "a"), "old")))
	ops := []kv.Op{Del(Key('d', 1, "a")), Put(Key('d', 1, "b"), "new"), Put(Key('d', 2, "a"), "new"), Put(Key('e', 3, "a"), "new")}
	for after := range ops {
		bad := &broken{kv.MemBatch{Num: 3, Op: ops}, after}
		if err := s.Apply(ctx, []kv.Batch{Batch(2, Put(Key('d', 0, "x"), "new")), bad}); !errors.Is(err, errBroken) {
			t.Fatalf("apply: got %v, want the source's error", err)
		}
		snap := snapshot(t, s)
		wantRows(t, "scan", scan(t, snap, kv.Range{}), []pair{{string(Key('d', 1, "a")), "old"}, {string(Key('d', 2, "a")), "old"}})
		if snap.LSN() != 1 {
			t.Fatalf("LSN %d after a failed group, want 1", snap.LSN())
		}
	}
	apply(t, s, Batch(2, ops...))
	if n := len(scan(t, snapshot(t, s), kv.Range{})); n != 3 {
		t.Fatalf("%d rows, want 3", n)
	}
}

// testBigBatches alternates small batches with one too large for an engine to want it in memory or in a log record.
func testBigBatches(t *testing.T, e Engine) {
	dir := t.TempDir()
	s := openDir(t, e, dir)
	const rows, size = 24 << 10, 1 << 10 // 24 MiB
	key := func(i int) []byte { return Key('d', uint64(i%3), fmt.Sprintf("%08d", i/3)) }
	order := make([]int, 0, rows)
	for id := range 3 {
		for i := id; i < rows; i += 3 {
			order = append(order, i)
		}
	}
	apply(t, s, Batch(1, Put(key(0), "before"), Put(key(rows), "before")))
	ops := make([]kv.Op, 0, rows)
	for _, i := range order {
		op := Put(key(i), strings.Repeat(string(rune('a'+i%26)), size))
		if i%5 == 0 {
			op.Value = append([]byte(blank), op.Value...)
			op.ValueStamp = 0
		}
		ops = append(ops, op)
	}
	before := snapshot(t, s)
	apply(t, s, Batch(2, Put(key(1), "earlier in the group")), Batch(3, ops...), Batch(4, Put(key(2), "later in the group")))
	apply(t, s, Batch(5, Del(key(3)), Put(key(4), "after")))
	check := func(s kv.Store) {
		t.Helper()
		snap := snapshot(t, s)
		if snap.LSN() != 5 {
			t.Fatalf("LSN %d, want 5", snap.LSN())
		}
		want := make([]pair, 0, rows)
		for n, i := range order {
			value := string(ops[n].Value)
			switch i {
			case 3:
				continue
			case 2:
				value = "later in the group"
			case 4:
				value = "after"
			default:
				if i%5 == 0 {
					value = stamped(3) + value[8:]
				}
			}
			want = append(want, pair{string(ops[n].Key), value})
			if i%500 == 0 {
				wantGet(t, snap, ops[n].Key, []byte(value))
			}
			if i == rows-3 {
				want = append(want, pair{string(key(rows)), "before"})
			}
		}
		wantRows(t, "scan", scan(t, snap, kv.Range{}), want)
		wantGet(t, snap, key(3), nil)
		from, to := key(9000), key(15000)
		var mid []pair
		for i := len(want) - 1; i >= 0; i-- {
			if want[i].key >= string(from) && want[i].key < string(to) {
				mid = append(mid, want[i])
			}
		}
		wantRows(t, "backwards", scan(t, snap, kv.Range{Start: from, End: to, Reverse: true}), mid)
		snap.Close()
	}
	check(s)
	wantRows(t, "old snapshot", scan(t, before, kv.Range{}), []pair{{string(key(0)), "before"}, {string(key(rows)), "before"}})
	before.Close()
	if e.Durable {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		check(openDir(t, e, dir))
	}
}

// testDropObject deletes whole objects in small batches, as the sweeper does, among others that stay.
func testDropObject(t *testing.T, e Engine) {
	s := open(t, e)
	var all, kept []pair
	for id := range uint64(5) {
		for i := range 1000 {
			row := pair{string(Key('d', id, fmt.Sprintf("%04d", i))), strings.Repeat("v", i%100)}
			all = append(all, row)
			if id%2 == 0 {
				kept = append(kept, row)
			}
		}
	}
	apply(t, s, Batch(1, puts(all)...))
	full := snapshot(t, s)
	lsn := kv.LSN(1)
	for _, id := range []uint64{1, 3} {
		for {
			rows := scan(t, snapshot(t, s), kv.Range{Start: Key('d', id, ""), End: Key('d', id+1, "")})
			if len(rows) == 0 {
				break
			}
			var ops []kv.Op
			for _, r := range rows[:min(300, len(rows))] {
				ops = append(ops, Del([]byte(r.key)))
			}
			lsn++
			apply(t, s, Batch(lsn, ops...))
		}
	}
	wantRows(t, "kept", scan(t, snapshot(t, s), kv.Range{}), kept)
	wantRows(t, "old snapshot", scan(t, full, kv.Range{}), all)
	apply(t, s, Batch(lsn+1, Del(Key('d', 1, "gone")), Del(Key('z', 9, "never was")), Put(Key('z', 9, "x"), "new")))
	apply(t, s, Batch(lsn+2, Put(Key('d', 3, "again"), "new")))
	wantGet(t, snapshot(t, s), Key('d', 3, "again"), []byte("new"))
}
