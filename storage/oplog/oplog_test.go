package oplog

import (
	"bytes"
	"encoding/binary"
	"testing"

	"pgregory.net/rapid"

	"github.com/omgdb/omgdb/storage/kv"
)

// rowGen gives a row value: header and some bytes.
func rowGen(size int) *rapid.Generator[[]byte] { return rapid.SliceOfN(rapid.Byte(), docAt+5, size) }

func TestBuilderRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var want []Record
		var places []Place
		chunks := map[uint32][]byte{}
		actor := Actor{rapid.String().Draw(t, "role"), rapid.String().Draw(t, "app"), rapid.String().Draw(t, "plan")}
		b := NewBuilder(actor, func(n uint32, v []byte) error { chunks[n] = v; return nil })
		var h Hasher
		for i := range rapid.IntRange(1, 60).Draw(t, "n") {
			r := Record{Key: binary.BigEndian.AppendUint32([]byte("d12345678"), uint32(i))}
			if rapid.Bool().Draw(t, "before") {
				r.Image, r.Before = Whole, rowGen(6000).Draw(t, "image")
			}
			var after []byte
			if r.Deleted = r.Image != NoImage && rapid.Bool().Draw(t, "deleted"); !r.Deleted {
				after = rowGen(100).Draw(t, "after")
				r.After = h.Row(after)
			}
			p, err := b.Add(r.Key, r.Before, after)
			if err != nil {
				t.Fatal(err)
			}
			want, places = append(want, r), append(places, p)
		}
		entry, count, err := b.Finish()
		if err != nil || count != uint64(len(want)) {
			t.Fatalf("Finish: %d, %v", count, err)
		}
		chunks[0] = entry
		next := Chain{Prev: Digest{1, 2}, Micros: 100}.Seal(entry, 7, 50, b.Size())
		if next.Micros != 101 {
			t.Fatalf("time %d does not rise", next.Micros)
		}
		checkEntry(t, chunks, actor, want, places, next)
	})
}

func checkEntry(t *rapid.T, chunks map[uint32][]byte, actor Actor, want []Record, places []Place, next Chain) {
	head, at, err := DecodeHeader(7, chunks[0])
	if err != nil {
		t.Fatal(err)
	}
	if head.Actor != actor || head.Hash != next.Prev || head.Prev != (Digest{1, 2}) || head.Micros != 101 ||
		int(head.Chunks) != len(chunks) || head.Total != next.Total || head.Count != uint64(len(want)) {
		t.Fatalf("header %+v", head)
	}
	if !CheckHash(7, chunks[0]) || CheckHash(8, chunks[0]) {
		t.Fatal("the hash does not hold")
	}
	var sum BodyCheck
	i := 0
	for n := range head.Chunks {
		rest := chunks[n]
		if n == 0 {
			rest = rest[at:]
		}
		for index := uint32(0); len(rest) > 0; index++ {
			if p := (Place{n, index}); p != places[i] {
				t.Fatalf("record %d lies at %v, was told %v", i, p, places[i])
			}
			r, after, ok := DecodeRecord(rest)
			if !ok || !bytes.Equal(r.Key, want[i].Key) || r.Image != want[i].Image || !bytes.Equal(r.Before, want[i].Before) ||
				r.Deleted != want[i].Deleted || r.After != want[i].After {
				t.Fatalf("record %d: %+v, want %+v", i, r, want[i])
			}
			sum.Add(&r)
			rest, i = after, i+1
		}
	}
	if i != len(want) || sum.Sum() != head.Body {
		t.Fatalf("%d of %d records, digest holds: %v", i, len(want), sum.Sum() == head.Body)
	}
}

// TestEveryByteCounts flips each byte of a commit and expects that something notices: decoding, the header's hash or the body's digest.
func TestEveryByteCounts(t *testing.T) {
	b := NewBuilder(Actor{"postgres", "test", ""}, nil)
	for i := range 3 {
		if _, err := b.Add([]byte{'d', 0, 0, 0, 0, 0, 0, 64, 0, byte(i)}, bytes.Repeat([]byte{byte(i)}, 40), bytes.Repeat([]byte{9}, 40)); err != nil {
			t.Fatal(err)
		}
	}
	entry, _, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	Chain{}.Seal(entry, 3, 5, b.Size())
	if !whole(3, entry) {
		t.Fatal("an untouched entry does not hold")
	}
	for i := range entry {
		bad := bytes.Clone(entry)
		bad[i] ^= 1
		if whole(3, bad) {
			t.Errorf("byte %d of %d can change unnoticed", i, len(entry))
		}
	}
}

func whole(lsn kv.LSN, entry []byte) bool {
	head, at, err := DecodeHeader(lsn, entry)
	if err != nil || !CheckHash(lsn, entry) {
		return false
	}
	var sum BodyCheck
	n := uint64(0)
	for rest := entry[at:]; len(rest) > 0; n++ {
		r, after, ok := DecodeRecord(rest)
		if !ok {
			return false
		}
		sum.Add(&r)
		rest = after
	}
	return n == head.Count && sum.Sum() == head.Body
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte{1})
	f.Add(appendRecord(nil, &Record{Key: []byte("d12345678"), Image: Whole, Before: make([]byte, 20)}))
	f.Add(appendHeader(nil, Actor{"a", "b", "c"}))
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, at, err := DecodeHeader(1, b); err == nil && at > len(b) {
			t.Fatal("records begin behind the end")
		}
		if r, rest, ok := DecodeRecord(b); ok {
			back := appendRecord(nil, &r)
			again, rest2, ok := DecodeRecord(append(back, rest...))
			if !ok || !bytes.Equal(again.Key, r.Key) || len(rest2) != len(rest) {
				t.Fatal("a record does not survive being written again")
			}
		}
	})
}

func BenchmarkAdd(b *testing.B) {
	bl := NewBuilder(Actor{}, func(uint32, []byte) error { return nil })
	row := make([]byte, 216)
	key := []byte("d12345678aaaaaaaaaaaaa")
	b.ReportAllocs()
	for b.Loop() {
		bl.Add(key, nil, row)
	}
}
