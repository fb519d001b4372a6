package kvtest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/kv"
)

// sample is a set of rows over several keyspaces and objects, sorted, with awkward neighbours.
func sample() []pair {
	var rows []pair
	for _, space := range []byte{0, 1, 'd', 'i', 0xff} {
		for _, id := range []uint64{0, 1, 0xff, 0x100, 1<<64 - 1} {
			for _, rest := range []string{"", "\x00", "\x00\x00", "a", "a\x00", "ab", "b", "\xff", "\xff\xff"} {
				k := string(Key(space, id, rest))
				rows = append(rows, pair{k, fmt.Sprintf("value of %x", k)})
			}
		}
	}
	slices.SortFunc(rows, func(a, b pair) int { return strings.Compare(a.key, b.key) })
	return rows
}

func puts(rows []pair) []kv.Op {
	ops := make([]kv.Op, len(rows))
	for i, r := range rows {
		ops[i] = Put([]byte(r.key), r.value)
	}
	return ops
}

func testOrder(t *testing.T, e Engine) {
	s := open(t, e)
	rows := sample()
	// Every third row in a batch of its own first, so that later batches fill gaps before and behind.
	for part := range 3 {
		var ops []kv.Op
		for i := part; i < len(rows); i += 3 {
			ops = append(ops, Put([]byte(rows[i].key), rows[i].value))
		}
		apply(t, s, Batch(kv.LSN(part+1), ops...))
	}
	snap := snapshot(t, s)
	wantRows(t, "forwards", scan(t, snap, kv.Range{}), rows)
	back := slices.Clone(rows)
	slices.Reverse(back)
	wantRows(t, "backwards", scan(t, snap, kv.Range{Reverse: true}), back)
	for _, r := range rows {
		wantGet(t, snap, []byte(r.key), []byte(r.value))
	}
	wantGet(t, snap, Key('d', 1, "aa"), nil)
	wantGet(t, snap, Key('e', 1, "a"), nil)
	wantGet(t, snap, []byte("d"), nil)
}

// testRanges compares all ranges between the sample's keys, and between keys near them, with a filter over all rows.
func testRanges(t *testing.T, e Engine) {
	s := open(t, e)
	rows := sample()
	apply(t, s, Batch(1, puts(rows)...))
	snap := snapshot(t, s)
	bounds := []string{"", "d", "d\x00\x00", "i\x00\x00\x00\x00\x00\x00\x00", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"}
	for i := 0; i < len(rows); i += 4 {
		bounds = append(bounds, rows[i].key, rows[i].key+"\x00", rows[i].key[:len(rows[i].key)-1])
	}
	for _, start := range bounds {
		for _, end := range append(bounds[1:], "none") {
			r := kv.Range{Start: []byte(start), End: []byte(end)}
			if end == "none" {
				r.End = nil
			}
			var want []pair
			for _, row := range rows {
				if row.key >= start && (r.End == nil || row.key < end) {
					want = append(want, row)
				}
			}
			wantRows(t, fmt.Sprintf("[%x, %x)", r.Start, r.End), scan(t, snap, r), want)
			slices.Reverse(want)
			r.Reverse = true
			wantRows(t, fmt.Sprintf("[%x, %x) backwards", r.Start, r.End), scan(t, snap, r), want)
		}
	}
	// An empty, non-nil end lies before every key.
	wantRows(t, "empty end", scan(t, snap, kv.Range{End: []byte{}}), nil)
	wantRows(t, "empty end backwards", scan(t, snap, kv.Range{End: []byte{}, Reverse: true}), nil)
}

func testEmptyStore(t *testing.T, e Engine) {
	s := open(t, e)
	check := func() {
		t.Helper()
		snap := snapshot(t, s)
		if snap.LSN() != 0 {
			t.Fatalf("LSN of an empty store is %d", snap.LSN())
		}
		wantGet(t, snap, Key('d', 1, "a"), nil)
		wantRows(t, "forwards", scan(t, snap, kv.Range{}), nil)
		wantRows(t, "backwards", scan(t, snap, kv.Range{Reverse: true}), nil)
		wantRows(t, "range", scan(t, snap, kv.Range{Start: Key('d', 1, ""), End: Key('d', 2, "")}), nil)
	}
	check()
	apply(t, s) // an empty group is no commit
	check()
}

func testEmptyRestAndValue(t *testing.T, e Engine) {
	s := open(t, e)
	want := []pair{
		{string(Key('d', 1, "")), ""}, {string(Key('d', 1, "\x00")), "x"}, {string(Key('d', 1, "a")), ""},
		{string(Key('d', 2, "")), "y"}, {string(Key('d', 3, "")), ""},
	}
	apply(t, s, Batch(1, puts(want)...))
	snap := snapshot(t, s)
	wantRows(t, "scan", scan(t, snap, kv.Range{}), want)
	for _, w := range want {
		wantGet(t, snap, []byte(w.key), []byte(w.value))
	}
	it := snap.Scan(ctx, kv.Range{})
	defer it.Close()
	if !it.Next() || it.Value() == nil {
		t.Fatal("an empty value must be an empty slice, not nil, in a scan too")
	}
	apply(t, s, Batch(2, Del(Key('d', 1, "")), Del(Key('d', 2, "")), Put(Key('d', 3, ""), "z")))
	wantRows(t, "after deletes", scan(t, snapshot(t, s), kv.Range{}), []pair{want[1], want[2], {want[4].key, "z"}})
	wantRows(t, "old snapshot", scan(t, snap, kv.Range{}), want)
}

func testBigValues(t *testing.T, e Engine) {
	s := open(t, e)
	big := bytes.Repeat([]byte("0123456789abcdef"), 1<<20) // 16 MiB, a document's limit
	long := Key('d', 1, strings.Repeat("k", kv.MaxKeyLen-kv.PrefixLen))
	apply(t, s, Batch(1, Put(Key('d', 1, "a"), "small"), Put(Key('d', 1, "b"), string(big)), Put(long, string(big[:1<<20]))))
	snap := snapshot(t, s)
	wantGet(t, snap, Key('d', 1, "b"), big)
	wantGet(t, snap, long, big[:1<<20])
	wantRows(t, "scan", scan(t, snap, kv.Range{Start: Key('d', 1, "b")}),
		[]pair{{string(Key('d', 1, "b")), string(big)}, {string(long), string(big[:1<<20])}})
	apply(t, s, Batch(2, Put(Key('d', 1, "b"), "shrunk"), Del(long)))
	now := snapshot(t, s)
	wantGet(t, now, Key('d', 1, "b"), []byte("shrunk"))
	wantGet(t, now, long, nil)
	wantGet(t, snap, Key('d', 1, "b"), big)
}

func testLimits(t *testing.T, e Engine) {
	s := open(t, e)
	for _, c := range []struct {
		name, code string
		ops        []kv.Op
	}{
		{"key too long", dberr.ProgramLimitExceeded, []kv.Op{Put(Key('d', 1, strings.Repeat("k", kv.MaxKeyLen)), "")}},
		{"key too short", dberr.InternalError, []kv.Op{Put([]byte("d1234567"), "")}},
		{"no key", dberr.InternalError, []kv.Op{Put(nil, "")}},
		{"not sorted", dberr.InternalError, []kv.Op{Put(Key('d', 2, ""), ""), Put(Key('d', 1, ""), "")}},
		{"key twice", dberr.InternalError, []kv.Op{Put(Key('d', 1, "a"), ""), Del(Key('d', 1, "a"))}},
		{"stamped before its neighbour", dberr.InternalError, []kv.Op{Put(Key('d', 1, "a"), ""), {Key: Key('d', 1, blank), KeyStamp: kv.PrefixLen, ValueStamp: kv.NoStamp}}},
		{"stamp outside the key", dberr.InternalError, []kv.Op{{Key: Key('d', 1, "1234567"), KeyStamp: 9, ValueStamp: kv.NoStamp}}},
		{"stamp in the object id", dberr.InternalError, []kv.Op{{Key: Key('d', 1, "12345678"), KeyStamp: 1, ValueStamp: kv.NoStamp}}},
		{"stamp outside the value", dberr.InternalError, []kv.Op{{Key: Key('d', 1, ""), Value: make([]byte, 9), KeyStamp: kv.NoStamp, ValueStamp: 2}}},
		{"negative stamp", dberr.InternalError, []kv.Op{{Key: Key('d', 1, ""), Value: make([]byte, 9), KeyStamp: kv.NoStamp, ValueStamp: -2}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			good := Put(Key('a', 1, "good"), "x")
			applyFails(t, s, c.code, Batch(1, append([]kv.Op{good}, c.ops...)...))
			wantRows(t, "scan", scan(t, snapshot(t, s), kv.Range{}), nil)
		})
	}
}
