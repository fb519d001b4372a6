package memo

import (
	"fmt"
	"sync"
	"testing"
)

func TestBudget(t *testing.T) {
	b := NewBudget(10 * (100 + slotBytes))
	a, c := New[int](b), New[int](b)
	for i := range 20 {
		a.Put(fmt.Sprint(i), i, 100)
	}
	kept := 0
	for i := range 20 {
		v, ok := a.Get(fmt.Sprint(i))
		if ok {
			kept++
		}
		if ok && v != i {
			t.Errorf("%d has %d", i, v)
		}
	}
	if kept != 10 {
		t.Errorf("kept %d of 20, room is for 10", kept)
	}
	if c.Put("x", 1, 100); b.Full(100) {
		if _, ok := c.Get("x"); ok {
			t.Error("a full budget took one more")
		}
	}
	a.Forget()
	if b.used.Load() != 0 {
		t.Errorf("%d bytes are left", b.used.Load())
	}
	if c.Put("x", 1, 100); b.used.Load() != 100+slotBytes {
		t.Errorf("%d bytes for one", b.used.Load())
	}
}

// TestIdle: what was not asked for in a while gives way, what was stays.
func TestIdle(t *testing.T) {
	b := NewBudget(160 * (1 + slotBytes))
	texts := New[int](b)
	for i := range 160 {
		texts.Put(fmt.Sprint(i), i, 1)
	}
	for i := range texts.shards {
		for j := range texts.shards[i].slots {
			if x := &texts.shards[i].slots[j]; x.v < 80 {
				x.used.Store(now() - 2*idle)
			}
		}
	}
	for i := 1000; i < 3000; i++ {
		texts.Put(fmt.Sprint(i), i, 1)
	}
	for i := range 160 {
		if v, ok := texts.Get(fmt.Sprint(i)); ok != (i >= 80) || ok && v != i {
			t.Errorf("%d: %d, %v", i, v, ok)
		}
	}
	if b.used.Load() > b.most {
		t.Error("over the budget")
	}
}

func TestConcurrent(t *testing.T) {
	texts := New[int](NewBudget(50 * (1 + slotBytes)))
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 2000 {
				texts.Put(fmt.Sprint(i%100), i%100, 1)
				if v, ok := texts.Get(fmt.Sprint(i % 100)); ok && v != i%100 {
					t.Errorf("%d has %d", i%100, v)
				}
			}
		})
	}
	wg.Wait()
}
