package overlay

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/omgdb/omgdb/storage/kv"
)

func prefix(n byte) Prefix { return Prefix{'d', n} }

func key(p Prefix, k string) []byte { return append(p[:len(p):len(p)], k...) }

// model is an overlay without cleverness: the whole content at each number.
type model struct {
	now  map[string]string // "" is a delete
	seen map[uint64]map[string]string
}

// TestAgainstModel runs random writes, savepoints, rollbacks and readers, and compares look-ups and walks with the model's.
func TestAgainstModel(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		o := New()
		defer o.Close()
		m := model{now: map[string]string{}, seen: map[uint64]map[string]string{0: {}}}
		o.Pin(0)
		seq := uint64(1)
		next := func() { // end a statement: what was written is seen from here on
			m.seen[seq] = maps.Clone(m.now)
			o.Pin(seq)
			seq++
		}
		keyGen := rapid.Custom(func(t *rapid.T) string {
			return fmt.Sprintf("%c%03d", rapid.SampledFrom([]rune("ab")).Draw(t, "prefix"), rapid.IntRange(0, 300).Draw(t, "key"))
		})
		full := func(k string) []byte { return key(prefix(k[0]), k[1:]) }
		t.Repeat(map[string]func(*rapid.T){
			"write": func(t *rapid.T) {
				for range rapid.IntRange(1, 50).Draw(t, "n") {
					k, v := keyGen.Draw(t, "k"), rapid.SampledFrom([]string{"", "x", "yy", "zzz"}).Draw(t, "v")
					w := Write{Key: full(k), Value: []byte(v), Stamp: kv.NoStamp}
					if v == "" {
						w.Value = nil
					}
					o.Put(seq, w)
					m.now[k] = v
				}
			},
			"statement": func(*rapid.T) { next() },
			"spill": func(t *rapid.T) {
				if err := o.Spill(dir); err != nil {
					t.Fatal(err)
				}
			},
			"rollback": func(t *rapid.T) {
				next()
				to := rapid.SampledFrom(slices.Sorted(maps.Keys(m.seen))).Draw(t, "to")
				o.RollbackTo(to)
				m.now = maps.Clone(m.seen[to])
				for s := range m.seen {
					if s > to {
						delete(m.seen, s)
						o.Unpin(s)
					}
				}
				seq++
			},
			"forget": func(t *rapid.T) {
				s := rapid.SampledFrom(slices.Sorted(maps.Keys(m.seen))).Draw(t, "reader")
				if len(m.seen) > 1 {
					delete(m.seen, s)
					o.Unpin(s)
				}
			},
			"": func(t *rapid.T) {
				s := rapid.SampledFrom(slices.Sorted(maps.Keys(m.seen))).Draw(t, "reader")
				checkReader(t, o, s, m.seen[s])
				if o.Empty() && len(m.now) > 0 {
					t.Fatalf("Empty with %d keys", len(m.now))
				}
				checkFinals(t, o, m.now)
			},
		})
	})
}

func checkReader(t *rapid.T, o *Overlay, seq uint64, want map[string]string) {
	for _, p := range "ab" {
		var keys []string
		for k := range want {
			if rune(k[0]) == p {
				keys = append(keys, k)
			}
		}
		slices.Sort(keys)
		lo := rapid.IntRange(0, 300).Draw(t, "lo")
		hi := rapid.IntRange(lo, 301).Draw(t, "hi")
		r := kv.Range{Start: key(prefix(byte(p)), fmt.Sprintf("%03d", lo)), End: key(prefix(byte(p)), fmt.Sprintf("%03d", hi))}
		r.Reverse = rapid.Bool().Draw(t, "reverse")
		keys = slices.DeleteFunc(keys, func(k string) bool { return k[1:] < fmt.Sprintf("%03d", lo) || k[1:] >= fmt.Sprintf("%03d", hi) })
		if r.Reverse {
			slices.Reverse(keys)
		}
		c := o.Cursor(prefix(byte(p)), r, seq)
		for _, k := range keys {
			if got := string(bytes.TrimLeft(c.Key()[1:], "ab\x00")); got != k[1:] {
				t.Fatalf("reader %d in %v: at %q, want %q", seq, r, got, k)
			}
			if string(c.Value()) != want[k] || (c.Value() == nil) != (want[k] == "") {
				t.Fatalf("reader %d: %q is %q, want %q", seq, k, c.Value(), want[k])
			}
			if v, f, err := o.Get(c.Key(), seq); err != nil || string(v) != want[k] || (f == Deleted) != (want[k] == "") {
				t.Fatalf("reader %d: Get(%q) = %q, %d, %v", seq, k, v, f, err)
			}
			c.Next()
		}
		if c.Key() != nil {
			t.Fatalf("reader %d in %v sees %q too", seq, r, c.Key())
		}
	}
}

func checkFinals(t *rapid.T, o *Overlay, want map[string]string) {
	n := 0
	var last []byte
	err := o.Finals(func(f *Final) error {
		if n++; last != nil && bytes.Compare(last, f.Key) >= 0 {
			t.Fatalf("finals out of order: %q after %q", f.Key, last)
		}
		last = bytes.Clone(f.Key)
		k := string(f.Key[1]) + string(f.Key[len(Prefix{}):])
		if v, ok := want[k]; !ok || v != string(f.Value) || (v == "") != (f.Value == nil) {
			t.Fatalf("final %q is %q, want %q", k, f.Value, v)
		}
		return nil
	})
	if err != nil || n != len(want) {
		t.Fatalf("%d finals of %d (%v)", n, len(want), err)
	}
}

func TestVersionsNobodySeesAreDropped(t *testing.T) {
	o := New()
	p := prefix('a')
	for seq := uint64(1); seq < 1000; seq++ {
		o.Put(seq, Write{Key: key(p, "counter"), Value: make([]byte, 1000)})
	}
	n := 0
	for v := &o.find(key(p, "counter")).top; v != nil; v = v.prev {
		n++
	}
	if n > 2 {
		t.Errorf("%d versions kept", n)
	}
	if b := o.Bytes(); b > 4000 {
		t.Errorf("%d bytes counted", b)
	}
}

func TestBaseIsThatOfTheFirstWrite(t *testing.T) {
	o := New()
	k := key(prefix('a'), "k")
	o.Put(1, Write{Key: k, Value: []byte("1"), Base: []byte("0"), BaseKnown: true, Stamp: kv.NoStamp})
	o.Put(2, Write{Key: k, Value: nil, Base: []byte("wrong"), BaseKnown: true, Stamp: kv.NoStamp})
	err := o.Finals(func(f *Final) error {
		if string(f.Base) != "0" || f.Value != nil {
			t.Errorf("final %q from base %q", f.Value, f.Base)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Spill(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	o.Put(3, Write{Key: k, Value: []byte("2"), BaseKnown: true, Stamp: kv.NoStamp})
	wantBase(t, o, "0", "2")
	o.RollbackTo(0)
	o.Put(4, Write{Key: k, Value: []byte("3"), Base: []byte("00"), BaseKnown: true, Stamp: kv.NoStamp})
	wantBase(t, o, "00", "3")
}

func wantBase(t *testing.T, o *Overlay, base, value string) {
	t.Helper()
	n := 0
	err := o.Finals(func(f *Final) error {
		if n++; string(f.Base) != base || string(f.Value) != value {
			t.Errorf("final %q from base %q, want %q from %q", f.Value, f.Base, value, base)
		}
		return nil
	})
	if err != nil || n != 1 {
		t.Errorf("%d finals, %v", n, err)
	}
}

func BenchmarkPutAscending(b *testing.B) {
	p := prefix('a')
	b.ReportAllocs()
	o := New()
	for i := 0; b.Loop(); i++ {
		k := append(p[:len(p):len(p)], byte(i>>24), byte(i>>16), byte(i>>8), byte(i))
		o.Put(1, Write{Key: k, Value: k})
	}
}
