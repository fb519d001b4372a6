package wal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/kv/bolt/vfs"
	"github.com/omgdb/omgdb/storage/kv/bolt/vfs/faultfs"
)

func record(payload string) []byte { return append(make([]byte, HeaderLen), payload...) }

// reopen opens the log and gives its payloads as segment:payload.
func reopen(fs vfs.FS, first uint64) (*Log, []string, error) {
	var got []string
	l, err := Open(fs, first, func(segment uint64, payload []byte) error {
		got = append(got, fmt.Sprintf("%d:%s", segment, payload))
		return nil
	})
	return l, got, err
}

func mustOpen(t *testing.T, fs vfs.FS, first uint64, want ...string) *Log {
	t.Helper()
	l, got, err := reopen(fs, first)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Fatalf("found %.300q, want %.300q", got, want)
	}
	return l
}

func add(t *testing.T, l *Log, payloads ...string) {
	t.Helper()
	for _, p := range payloads {
		if err := l.Append(record(p)); err != nil {
			t.Fatal(err)
		}
	}
}

// made gives a log with records in segments 1 to 3, opened anew each time.
func made(t *testing.T) *faultfs.FS {
	t.Helper()
	fs := faultfs.New()
	if err := Create(fs); err != nil {
		t.Fatal(err)
	}
	l := mustOpen(t, fs, 1)
	add(t, l, "a", "", strings.Repeat("x", 1000))
	for _, p := range []string{"b", "c"} {
		if err := l.Rotate(); err != nil {
			t.Fatal(err)
		}
		add(t, l, p, p+p, p+p+p)
	}
	return fs
}

var madeRecords = []string{"1:a", "1:", "1:" + strings.Repeat("x", 1000), "2:b", "2:bb", "2:bbb", "3:c", "3:cc", "3:ccc"}

func TestAppendAndOpen(t *testing.T) {
	fs := made(t)
	l := mustOpen(t, fs, 1, madeRecords...)
	add(t, l, "more")
	mustOpen(t, fs, 1, append(madeRecords[:len(madeRecords):len(madeRecords)], "3:more")...)
	mustOpen(t, fs, 2, append(madeRecords[3:len(madeRecords):len(madeRecords)], "3:more")...)
}

func TestCutAndReuse(t *testing.T) {
	fs := made(t)
	l := mustOpen(t, fs, 1, madeRecords...)
	if err := l.Cut(3); err != nil {
		t.Fatal(err)
	}
	wantFiles(t, fs, segmentName(3), "spare")
	if err := l.Rotate(); err != nil {
		t.Fatal(err)
	}
	wantFiles(t, fs, segmentName(3), segmentName(4))
	mustOpen(t, fs, 3, madeRecords[6:]...) // nothing of segment 2, though its bytes are there
	add(t, l, "d")
	l = mustOpen(t, fs, 3, append(madeRecords[6:len(madeRecords):len(madeRecords)], "4:d")...)
	if err := l.Cut(4); err != nil {
		t.Fatal(err)
	}
	wantFiles(t, fs, segmentName(4), "spare")
	if err := l.DropSpare(); err != nil {
		t.Fatal(err)
	}
	wantFiles(t, fs, segmentName(4))
}

func wantFiles(t *testing.T, fs vfs.FS, want ...string) {
	t.Helper()
	names, err := fs.List()
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]bool{}
	for _, n := range names {
		have[n] = true
	}
	for _, w := range want {
		if !have[w] {
			t.Errorf("%s is missing among %v", w, names)
		}
	}
	if len(names) != len(want) {
		t.Errorf("files %v, want %v", names, want)
	}
}

// TestTornTail cuts and spoils the last record at every byte: it is gone, the others stand, and the log goes on.
func TestTornTail(t *testing.T) {
	whole := made(t)
	l := mustOpen(t, whole, 1, madeRecords...)
	begin := l.end
	add(t, l, "the last record")
	end := begin + HeaderLen + int64(len("the last record"))
	for at := begin; at < end; at++ {
		for name, edit := range map[string]func(b []byte) []byte{
			"cut":    func(b []byte) []byte { return b[:at] },
			"zeroed": func(b []byte) []byte { clear(b[at:]); return b },
			"spoilt": func(b []byte) []byte { b[at] ^= 0x40; return b },
		} {
			fs := whole.Clone()
			fs.Edit(segmentName(3), edit)
			l, got, err := reopen(fs, 1)
			if err != nil || len(got) != len(madeRecords) {
				t.Fatalf("%s at %d: %d records, %v", name, at, len(got), err)
			}
			add(t, l, "again")
			mustOpen(t, fs, 1, append(madeRecords[:len(madeRecords):len(madeRecords)], "3:again")...)
		}
	}
}

// TestDamage spoils what once was durable: Open must not pass over it.
func TestDamage(t *testing.T) {
	for _, c := range []struct {
		name, says string
		damage     func(fs *faultfs.FS)
	}{
		{"a record before others", "is not whole", func(fs *faultfs.FS) { spoil(fs, 3, segmentLen+HeaderLen) }},
		{"a record's length", "is not whole", func(fs *faultfs.FS) { spoil(fs, 3, segmentLen+1) }},
		{"the last record of an older segment", "are missing", func(fs *faultfs.FS) { spoil(fs, 2, segmentLen+2*24+HeaderLen) }},
		{"an older segment's header", "header", func(fs *faultfs.FS) { spoil(fs, 2, 9) }},
		{"the first segment's header", "header", func(fs *faultfs.FS) { spoil(fs, 1, 9) }},
		{"an older segment cut", "are missing", func(fs *faultfs.FS) { fs.Edit(segmentName(2), func(b []byte) []byte { return b[:segmentLen] }) }},
		{"a segment removed", "is missing", func(fs *faultfs.FS) { fs.Remove(segmentName(2)) }},
		{"the first segment removed", "is missing", func(fs *faultfs.FS) { fs.Remove(segmentName(1)) }},
		{"two segments exchanged", "header", func(fs *faultfs.FS) {
			fs.Rename(segmentName(1), "x")
			fs.Rename(segmentName(2), segmentName(1))
			fs.Rename("x", segmentName(2))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			fs := made(t)
			c.damage(fs)
			_, got, err := reopen(fs, 1)
			if dberr.Code(err) != dberr.DataCorrupted || !strings.Contains(err.Error(), c.says) {
				t.Fatalf("found %q, error %v", got, err)
			}
		})
	}
	t.Run("the newest segment's header", func(t *testing.T) { // no record was in it, so nothing is lost
		fs := made(t)
		l := mustOpen(t, fs, 1, madeRecords...)
		if err := l.Rotate(); err != nil {
			t.Fatal(err)
		}
		spoil(fs, 4, 9)
		l = mustOpen(t, fs, 1, madeRecords...)
		if err := l.Rotate(); err != nil {
			t.Fatal(err)
		}
		add(t, l, "d")
		mustOpen(t, fs, 1, append(madeRecords[:len(madeRecords):len(madeRecords)], "4:d")...)
	})
}

func spoil(fs *faultfs.FS, segment uint64, at int) {
	fs.Edit(segmentName(segment), func(b []byte) []byte { b[at] ^= 1; return b })
}

// TestForgery stores payloads that imitate records: with a torn record around them they must not pass for records, nor for proof of
// damage.
func TestForgery(t *testing.T) {
	fs := made(t)
	l := mustOpen(t, fs, 1, madeRecords...)
	var fake bytes.Buffer
	for seq := l.next; seq < l.next+50; seq++ {
		h := header{number: 3, first: 7} // all but the secret
		rec := record("forged")
		binary.LittleEndian.PutUint32(rec, uint32(len(rec)-HeaderLen))
		binary.LittleEndian.PutUint64(rec[8:], seq)
		binary.LittleEndian.PutUint32(rec[4:], h.checksum(rec))
		fake.Write(append(rec, 0, 0)) // aligned
	}
	end := l.end
	add(t, l, fake.String())
	fs.Edit(segmentName(3), func(b []byte) []byte { b[end+4] ^= 1; return b })
	l = mustOpen(t, fs, 1, madeRecords...)
	add(t, l, strings.Repeat("y", 8)) // as long as the torn record's header and a fake record's begin
	mustOpen(t, fs, 1, append(madeRecords[:len(madeRecords):len(madeRecords)], "3:yyyyyyyy")...)
}

// TestPowerLoss cuts the power at every operation of a history with appends, rotations and cuts: every record that was
// acknowledged and not cut is found, and at most one more.
func TestPowerLoss(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for cut := 0; ; cut++ {
		fs := faultfs.New()
		if err := Create(fs); err != nil {
			t.Fatal(err)
		}
		var crashed *faultfs.FS
		var acked []string
		var atCrash int
		first, firstAtCrash := uint64(1), uint64(1)
		ops := 0
		fs.Hook = func(faultfs.Op) error {
			if ops == cut {
				crashed, atCrash, firstAtCrash = fs.Crash(rng), len(acked), first
			}
			ops++
			return nil
		}
		l := mustOpen(t, fs, 1)
		for i := range 40 {
			p := fmt.Sprint(i, strings.Repeat("z", i*i*i%5000))
			add(t, l, p)
			acked = append(acked, fmt.Sprintf("%d:%s", l.Segment(), p))
			switch {
			case i%5 == 4:
				if err := l.Rotate(); err != nil {
					t.Fatal(err)
				}
			case i%5 == 1 && i > 10:
				first = l.Segment() - 1 // as if store.db remembered it
				if err := l.Cut(first); err != nil {
					t.Fatal(err)
				}
				if i%2 == 0 {
					if err := l.DropSpare(); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		if crashed == nil {
			if cut < 100 {
				t.Fatalf("the history has only %d operations", cut)
			}
			return
		}
		_, got, err := reopen(crashed, firstAtCrash)
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		var want []string
		for _, a := range acked[:min(atCrash+1, len(acked))] {
			var segment uint64
			fmt.Sscanf(a, "%d:", &segment)
			if segment >= firstAtCrash {
				want = append(want, a)
			}
		}
		if len(got) < len(want)-1 || len(got) > len(want) || strings.Join(got, " ") != strings.Join(want[:len(got)], " ") {
			t.Fatalf("cut at %d, %d acknowledged: found %.200q, want %.200q", cut, atCrash, got, want)
		}
	}
}

// TestFaults fails each operation in turn. After a failed write the log goes on as if nothing had happened; after a failed
// sync it refuses everything, and the record may be found or not.
func TestFaults(t *testing.T) {
	fault := errors.New("fault")
	for fail := 0; ; fail++ {
		fs := faultfs.New()
		if err := Create(fs); err != nil {
			t.Fatal(err)
		}
		ops := 0
		var failed faultfs.Op
		fs.Hook = func(op faultfs.Op) error {
			if ops++; ops-1 == fail {
				failed = op
				return fault
			}
			return nil
		}
		l, _, err := reopen(fs, 1)
		if err != nil {
			t.Fatal(err)
		}
		var acked []string
		unsure := ""
		for i := range 12 {
			p := fmt.Sprint(i)
			err := l.Append(record(p))
			switch {
			case err == nil:
				acked = append(acked, fmt.Sprintf("%d:%s", l.Segment(), p))
			case !errors.Is(err, fault):
				t.Fatal(err)
			case l.Broken() != nil && unsure == "":
				unsure = fmt.Sprintf("%d:%s", l.Segment(), p)
			}
			if i%4 == 3 {
				if err := l.Rotate(); err != nil && !errors.Is(err, fault) {
					t.Fatal(err)
				}
			}
		}
		if failed == (faultfs.Op{}) {
			if fail < 20 {
				t.Fatalf("only %d operations", fail)
			}
			return
		}
		if l.Broken() == nil && len(acked) < 11 {
			t.Fatalf("%v failed, and %d of 12 records were taken", failed, len(acked))
		}
		fs.Hook = nil
		_, got, err := reopen(fs, 1)
		if err != nil {
			t.Fatalf("%v failed: %v", failed, err)
		}
		if unsure != "" && len(got) == len(acked)+1 {
			acked = append(acked, unsure)
		}
		if strings.Join(got, " ") != strings.Join(acked, " ") {
			t.Fatalf("%v failed: found %q, want %q", failed, got, acked)
		}
	}
}

// FuzzOpen reads arbitrary bytes as a segment: never a panic, and the log can be used on.
func FuzzOpen(f *testing.F) {
	fs := faultfs.New()
	if err := Create(fs); err != nil {
		f.Fatal(err)
	}
	l, _, err := reopen(fs, 1)
	if err != nil {
		f.Fatal(err)
	}
	for _, p := range []string{"a", "bb", "ccc"} {
		if err := l.Append(record(p)); err != nil {
			f.Fatal(err)
		}
	}
	var seed []byte
	fs.Edit(segmentName(1), func(b []byte) []byte { seed = bytes.Clone(b[:400]); return b })
	f.Add(seed)
	f.Fuzz(func(t *testing.T, content []byte) {
		fs := fs.Clone()
		fs.Edit(segmentName(1), func([]byte) []byte { return bytes.Clone(content) })
		l, got, err := reopen(fs, 1)
		if err != nil {
			return
		}
		if err := l.Append(record("more")); err != nil {
			t.Fatal(err)
		}
		if _, again, err := reopen(fs, 1); err != nil || len(again) != len(got)+1 {
			t.Fatalf("%d records, then %d, %v", len(got), len(again), err)
		}
	})
}
