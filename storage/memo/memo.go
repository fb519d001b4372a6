// Package memo keeps what was worked out of texts in memory, by the content of the texts: what a search gives doesn't depend on what is
// kept, only its time does.
package memo

import (
	"hash/maphash"
	"sync"
	"sync/atomic"
	"time"
)

// Budget bounds what several Texts keep together, in bytes. It is safe for concurrent use.
type Budget struct {
	most int64
	used atomic.Int64
}

// NewBudget makes a budget of so many bytes.
func NewBudget(most int64) *Budget { return &Budget{most: most} }

// Full tells whether something of this size has no room.
func (b *Budget) Full(size int64) bool { return b.used.Load()+size > b.most }

func (b *Budget) take(size int64) bool {
	if b.used.Add(size) <= b.most {
		return true
	}
	b.used.Add(-size)
	return false
}

// idle is the time in seconds after which something that nobody asked for gives way to something new. What is in use stays, so that a corpus
// greater than the budget finds a part at each search and not nothing.
const idle = 60

// Texts keeps a value for each of many texts. Values are shared and must not be changed. It is safe for concurrent use.
type Texts[V any] struct {
	budget *Budget
	seeds  [2]maphash.Seed
	shards [16]shard[V]
}

// shard is a part of the texts, by hash.
type shard[V any] struct {
	mu    sync.RWMutex
	at    map[textKey]int32
	slots []slot[V]
	hand  int // where the search for an idle slot goes on
}

// textKey is a hash of a text: two of 64 bits with seeds that nobody knows.
type textKey [2]uint64

type slot[V any] struct {
	key  textKey
	used atomic.Uint32 // when it was asked for last
	size int64
	v    V
}

// slotBytes is what a value costs beside its own size.
const slotBytes = 96

// New makes an empty one.
func New[V any](b *Budget) *Texts[V] {
	t := &Texts[V]{budget: b, seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}}
	for i := range t.shards {
		t.shards[i].at = map[textKey]int32{}
	}
	return t
}

func (t *Texts[V]) find(text string) (textKey, *shard[V]) {
	k := textKey{maphash.String(t.seeds[0], text), maphash.String(t.seeds[1], text)}
	return k, &t.shards[k[0]%uint64(len(t.shards))]
}

func now() uint32 { return uint32(time.Now().Unix()) }

// Get gives the value of a text.
func (t *Texts[V]) Get(text string) (v V, ok bool) {
	k, s := t.find(text)
	s.mu.RLock()
	defer s.mu.RUnlock()
	i, ok := s.at[k]
	if ok {
		v = s.slots[i].v
		s.slots[i].used.Store(now())
	}
	return v, ok
}

// Put keeps the value of a text, whose size is in bytes, if there is room. A text that has a value keeps it.
func (t *Texts[V]) Put(text string, v V, size int64) {
	k, s := t.find(text)
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.at[k]; ok {
		return
	}
	size += slotBytes
	if t.budget.take(size) {
		s.at[k] = int32(len(s.slots))
		s.slots = append(s.slots, slot[V]{})
		s.slots[len(s.slots)-1].set(k, v, size)
		return
	}
	x := s.idle()
	if x == nil || size > x.size && !t.budget.take(size-x.size) {
		return
	}
	if size < x.size {
		t.budget.used.Add(size - x.size)
	}
	i := s.at[x.key]
	delete(s.at, x.key)
	s.at[k] = i
	x.set(k, v, size)
}

// Forget gives up all that is kept.
func (t *Texts[V]) Forget() {
	for i := range t.shards {
		s := &t.shards[i]
		s.mu.Lock()
		for j := range s.slots {
			t.budget.used.Add(-s.slots[j].size)
		}
		s.at, s.slots, s.hand = map[textKey]int32{}, nil, 0
		s.mu.Unlock()
	}
}

func (x *slot[V]) set(k textKey, v V, size int64) {
	x.key, x.v, x.size = k, v, size
	x.used.Store(now())
}

// idle finds a slot that may be taken, among a few; nil for none.
func (s *shard[V]) idle() *slot[V] {
	const tries = 8
	at := now()
	for range min(tries, len(s.slots)) {
		if s.hand++; s.hand >= len(s.slots) {
			s.hand = 0
		}
		if x := &s.slots[s.hand]; at-x.used.Load() > idle {
			return x
		}
	}
	return nil
}
