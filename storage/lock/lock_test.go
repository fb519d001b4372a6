package lock

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/omgdb/omgdb/storage/dberr"
)

var bg = context.Background()

// TestConflictTables checks the tables against the manual's: symmetric, and with the stated number of conflicts a mode.
func TestConflictTables(t *testing.T) {
	want := [][]int{
		Table:    {0, 1, 2, 4, 5, 5, 6, 7, 8},
		Row:      {0, 1, 2, 3, 4},
		Name:     {0, 1, 2},
		Advisory: {0, 1, 2},
	}
	for c := range conflicts {
		for a := 1; a < len(conflicts[c]); a++ {
			n := 0
			for b := 1; b < len(conflicts[c]); b++ {
				ab := conflicts[c][a]&Mode(b).set() != 0
				ba := conflicts[c][b]&Mode(a).set() != 0
				if ab != ba {
					t.Errorf("class %d: %d against %d is %v, the other way %v", c, a, b, ab, ba)
				}
				if ab {
					n++
				}
			}
			if n != want[c][a] {
				t.Errorf("class %d mode %d conflicts with %d modes, want %d", c, a, n, want[c][a])
			}
		}
	}
}

func row(key string) Tag { return Tag{Row, 1, key} }

// tryIt takes a lock without waiting and tells whether it was free.
func tryIt(t *testing.T, m *Manager, o *Owner, tag Tag, mode Mode) bool {
	t.Helper()
	err := m.Acquire(bg, o, tag, mode, NoWait, 0)
	if err != nil && !errors.Is(err, ErrHeld) {
		t.Fatal(err)
	}
	return err == nil
}

func TestUpgradeAndRelease(t *testing.T) {
	m := New()
	a, b := NewOwner(1), NewOwner(2)
	steps := []struct {
		o    *Owner
		mode Mode
		want bool
	}{
		{a, KeyShare, true}, {b, NoKeyUpdate, true}, {a, NoKeyUpdate, false}, {b, Update, false}, {b, NoKeyUpdate, true},
	}
	for i, s := range steps {
		if got := tryIt(t, m, s.o, row("x"), s.mode); got != s.want {
			t.Errorf("step %d: %v, want %v", i, got, s.want)
		}
	}
	at := b.Position()
	a.ReleaseTo(0)
	if !tryIt(t, m, b, row("x"), Update) {
		t.Error("upgrade refused although nobody else holds the lock")
	}
	b.ReleaseTo(at)
	if tryIt(t, m, a, row("x"), RowShared) {
		t.Error("NoKeyUpdate was given back with the later Update")
	}
	if !tryIt(t, m, a, row("x"), KeyShare) {
		t.Error("Update stayed after ReleaseTo")
	}
	a.ReleaseTo(0)
	b.ReleaseTo(0)
	if l := m.List(); len(l) != 0 {
		t.Errorf("locks left: %v", l)
	}
}

func TestReplaceKeepsTheStandIn(t *testing.T) {
	m := New()
	a, b := NewOwner(1), NewOwner(2)
	table := Tag{Table, 1, ""}
	for i := range 3 {
		if !tryIt(t, m, a, row(fmt.Sprint(i)), Update) {
			t.Fatal("free lock refused")
		}
	}
	mark := a.Position()
	if !tryIt(t, m, a, row("later"), Update) || !tryIt(t, m, a, table, Exclusive) {
		t.Fatal("free lock refused")
	}
	a.Replace(func(tag Tag) bool { return tag.Class == Row }, table)
	a.ReleaseTo(mark)
	if tryIt(t, m, b, table, RowExclusive) {
		t.Error("the table lock that stands for row locks went with a savepoint")
	}
	if !tryIt(t, m, b, row("0"), Update) {
		t.Error("a replaced row lock is still held")
	}
	a.ReleaseTo(0)
	b.ReleaseTo(0)
	if l := m.List(); len(l) != 0 {
		t.Errorf("locks left: %v", l)
	}
}

func TestSessionLocksCountApart(t *testing.T) {
	m := New()
	a, b := NewOwner(1), NewOwner(2)
	tag := Tag{Advisory, 5, "1"}
	for range 2 {
		if err := m.AcquireSession(bg, a, tag, Sole, NoWait, 0); err != nil {
			t.Fatal(err)
		}
	}
	if !tryIt(t, m, a, tag, Sole) {
		t.Fatal("a session's own lock stands in the way of its transaction")
	}
	for i, want := range []bool{true, true, false} {
		if a.ReleaseSession(tag, Sole) != want {
			t.Fatalf("taken twice, but giving it back for the %d. time is not %v", i+1, want)
		}
	}
	if tryIt(t, m, b, tag, Shared) {
		t.Error("the transaction's lock went with the session's")
	}
	a.ReleaseTo(0)
	if !tryIt(t, m, b, tag, Shared) {
		t.Error("still held after both were given back")
	}
}

// eventually waits until cond holds.
func eventually(t *testing.T, what string, cond func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !cond(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never happened: %s", what)
		}
	}
}

func (m *Manager) waits() int {
	n := 0
	for _, l := range m.List() {
		if !l.Granted {
			n++
		}
	}
	return n
}

func TestWaitersAreServedInOrder(t *testing.T) {
	m := New()
	tag := Tag{Table, 7, ""}
	a := NewOwner(1)
	if !tryIt(t, m, a, tag, AccessShare) {
		t.Fatal("free lock refused")
	}
	var order []int32
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i, mode := range []Mode{AccessExclusive, AccessShare, RowExclusive, Exclusive} {
		o := NewOwner(int32(10 + i))
		wg.Go(func() {
			if err := m.Acquire(bg, o, tag, mode, Block, 0); err != nil {
				t.Error(err)
			}
			mu.Lock()
			order = append(order, o.PID)
			mu.Unlock()
			o.ReleaseTo(0)
		})
		eventually(t, "the request waits", func() bool { return m.waits() == i+1 })
	}
	if tryIt(t, m, NewOwner(99), tag, AccessShare) {
		t.Error("a newcomer overtook those who wait")
	}
	a.ReleaseTo(0)
	wg.Wait()
	if order[0] != 10 || slices.Index(order, 12) > slices.Index(order, 13) {
		t.Errorf("served in order %v", order)
	}
}

func TestDeadlockOfThree(t *testing.T) {
	m := New()
	owners := []*Owner{NewOwner(1), NewOwner(2), NewOwner(3)}
	for i, o := range owners {
		if !tryIt(t, m, o, row(fmt.Sprint(i)), Update) {
			t.Fatal("free lock refused")
		}
	}
	got := make(chan error, 2)
	for i := range 2 {
		go func() { got <- m.Acquire(bg, owners[i], row(fmt.Sprint(i+1)), Update, Block, 0) }()
		eventually(t, "it waits", func() bool { return m.waits() == i+1 })
	}
	err := m.Acquire(bg, owners[2], row("0"), Update, Block, 0)
	if dberr.Code(err) != dberr.DeadlockDetected {
		t.Fatalf("got %v, want a deadlock", err)
	}
	if d := dberr.As(err).Detail; len(d) == 0 || d[:len("Process 3 waits for")] != "Process 3 waits for" {
		t.Errorf("detail: %s", d)
	}
	owners[2].ReleaseTo(0)
	if err := <-got; err != nil {
		t.Error(err)
	}
	owners[1].ReleaseTo(0)
	if err := <-got; err != nil {
		t.Error(err)
	}
}

func TestUpgradeDeadlock(t *testing.T) {
	m := New()
	a, b := NewOwner(1), NewOwner(2)
	for _, o := range []*Owner{a, b} {
		if !tryIt(t, m, o, row("x"), RowShared) {
			t.Fatal("shared lock refused")
		}
	}
	got := make(chan error, 1)
	go func() { got <- m.Acquire(bg, a, row("x"), Update, Block, 0) }()
	eventually(t, "a waits", func() bool { return m.waits() == 1 })
	if err := m.Acquire(bg, b, row("x"), Update, Block, 0); dberr.Code(err) != dberr.DeadlockDetected {
		t.Fatalf("got %v, want a deadlock", err)
	}
	b.ReleaseTo(0)
	if err := <-got; err != nil {
		t.Fatal(err)
	}
}

func TestGivingUp(t *testing.T) {
	m := New()
	a, b := NewOwner(1), NewOwner(2)
	if !tryIt(t, m, a, row("x"), Update) {
		t.Fatal("free lock refused")
	}
	if err := m.Acquire(bg, b, row("x"), Update, Block, time.Millisecond); dberr.Code(err) != dberr.LockNotAvailable {
		t.Errorf("timeout gave %v", err)
	}
	cause := errors.New("cancelled by somebody")
	ctx, cancel := context.WithCancelCause(bg)
	go func() {
		for m.waits() == 0 {
			time.Sleep(time.Millisecond)
		}
		cancel(cause)
	}()
	if err := m.Acquire(ctx, b, row("x"), Update, Block, 0); !errors.Is(err, cause) {
		t.Errorf("cancel gave %v", err)
	}
	a.ReleaseTo(0)
	if l := m.List(); len(l) != 0 {
		t.Errorf("left behind: %v", l)
	}
}

// TestExclusionUnderLoad has sessions take random locks in random order and checks that exclusive ones exclude, that deadlocks are
// the only errors, and that nothing is left.
func TestExclusionUnderLoad(t *testing.T) {
	m := New()
	const keys = 8
	var inside [keys]atomic.Int32 // +1 per sharer, +1000 per excluder
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(w), 1))
			o := NewOwner(int32(w))
			for range 2000 {
				var undo []func()
				held := map[int]Mode{}
				for range 1 + r.IntN(3) {
					k, mode := r.IntN(keys), KeyShare
					if r.IntN(2) == 0 {
						mode = Update
					}
					if _, again := held[k]; again {
						continue
					}
					err := m.Acquire(bg, o, row(fmt.Sprint(k)), mode, Block, 0)
					if dberr.Code(err) == dberr.DeadlockDetected {
						break
					}
					if err != nil {
						t.Error(err)
						return
					}
					held[k] = mode
					weight := int32(1)
					if mode == Update {
						weight = 1000
					}
					if n := inside[k].Add(weight); mode == Update && n != 1000 || mode == KeyShare && n >= 1000 {
						t.Errorf("key %d: %d inside", k, n)
					}
					undo = append(undo, func() { inside[k].Add(-weight) })
				}
				for _, f := range undo {
					f()
				}
				o.ReleaseTo(0)
			}
		})
	}
	wg.Wait()
	if l := m.List(); len(l) != 0 {
		t.Errorf("left behind: %v", l)
	}
}

func BenchmarkFreeRowLock(b *testing.B) {
	m := New()
	o := NewOwner(1)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if err := m.Acquire(bg, o, row(fmt.Sprint(i)), Update, Block, 0); err != nil {
			b.Fatal(err)
		}
		if i%64 == 63 {
			o.ReleaseTo(0)
		}
	}
}
