package colcache

import (
	"bytes"
	"slices"
	"sort"
	"sync"

	"github.com/omgdb/omgdb/storage/kv"
)

// SlotRows is the usual number of rows in a slot; one that has grown beyond half as much again is cut when it is filled.
const SlotRows = 1024

// maxWrites is how many commits a slot remembers.
const maxWrites = 64

// Table is what is cached of one storage.
type Table struct {
	cache *Cache
	first uint64 // the statement that came first
	used  uint64 // under cache.mu
	size  int64  // of the columns; under cache.account
	gone  bool   // out of the cache; under cache.account

	cutting sync.Mutex

	mu    sync.RWMutex
	slots []*Slot // ascending, without gaps: the first has an empty Start
	dicts map[Key]*Dict
	wide  map[Key]bool
}

// Slot is a range of rows: from Start to the next slot's.
type Slot struct {
	Start []byte
	fill  sync.Mutex // held while its rows are read

	mu     sync.Mutex
	writes []kv.LSN // of commits that wrote into the range, ascending
	floor  kv.LSN   // earlier ones are forgotten
	rows   *Rows    // nil when nothing is cached
	split  bool     // others have taken its place
}

// Rows are the columns of a slot as of a commit. They are immutable.
type Rows struct {
	At   kv.LSN
	N    int
	Cols map[Key]*Column
}

// Slots gives the slots in order, nil when the table has not been cut yet.
func (t *Table) Slots() []*Slot {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.slots
}

// Cut gives a table its slots when it has none: starts finds the row keys at which those behind the first begin, ascending. Snapshots
// older than the newest commit so far cannot use them, as what was written since is not known.
func (t *Table) Cut(starts func() ([][]byte, error)) error {
	t.cutting.Lock()
	defer t.cutting.Unlock()
	if t.cut() {
		return nil
	}
	keys, err := starts()
	if err != nil {
		return err
	}
	t.setSlots(keys)
	return nil
}

func (t *Table) setSlots(starts [][]byte) {
	t.cache.mu.RLock() // no commit meanwhile
	defer t.cache.mu.RUnlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	slots := []*Slot{{floor: t.cache.noted}}
	for _, k := range starts {
		slots = append(slots, &Slot{Start: k, floor: t.cache.noted})
	}
	t.slots = slots
}

func (t *Table) cut() bool { return t.Slots() != nil }

// Find gives the position of the slot in slots that the row key belongs to.
func Find(slots []*Slot, rowKey []byte) int {
	return sort.Search(len(slots), func(i int) bool { return bytes.Compare(slots[i].Start, rowKey) > 0 }) - 1
}

// note remembers that a commit wrote a row.
func (t *Table) note(lsn kv.LSN, rowKey []byte) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if len(t.slots) == 0 {
		return
	}
	s := t.slots[max(0, Find(t.slots, rowKey))]
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.writes); n > 0 && s.writes[n-1] == lsn {
		return
	}
	if len(s.writes) == maxWrites {
		s.floor = s.writes[maxWrites/2-1]
		s.writes = append(s.writes[:0], s.writes[maxWrites/2:]...)
	}
	s.writes = append(s.writes, lsn)
}

// At gives the slot's rows if they are those of the snapshot, else nil. known is false when a snapshot is too old for the slot: it can
// neither use nor fill it.
func (s *Slot) At(snapshot kv.LSN) (rows *Rows, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if snapshot < s.floor {
		return nil, false
	}
	if s.rows == nil {
		return nil, true
	}
	lo, hi := min(snapshot, s.rows.At), max(snapshot, s.rows.At)
	if lo < s.floor || slices.ContainsFunc(s.writes, func(w kv.LSN) bool { return lo < w && w <= hi }) {
		return nil, s.rows.At < snapshot
	}
	return s.rows, true
}

// Lock lets one scan at a time fill the slot.
func (s *Slot) Lock() { s.fill.Lock() }

// Unlock ends Lock.
func (s *Slot) Unlock() { s.fill.Unlock() }

// Store puts columns into a slot whose lock the caller holds: with those that it has if rows are of the same state, in their place
// otherwise. It gives the columns that the slot has now, nil when there is no memory for them.
func (t *Table) Store(s *Slot, rows *Rows) *Rows {
	var grown int64
	for _, c := range rows.Cols {
		grown += c.Size()
	}
	if !t.cache.room(t, grown) {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if old := s.rows; old != nil {
		if old.At == rows.At {
			merged := &Rows{At: rows.At, N: rows.N, Cols: make(map[Key]*Column, len(old.Cols)+len(rows.Cols))}
			for k, c := range old.Cols {
				merged.Cols[k] = c
			}
			for k, c := range rows.Cols {
				merged.Cols[k] = c
			}
			rows = merged
		} else {
			for _, c := range old.Cols {
				grown -= c.Size()
			}
		}
	}
	if s.split {
		return rows
	}
	s.rows = rows
	t.cache.grow(t, grown)
	return rows
}

// Grow accounts for n bytes more that a stored column holds.
func (t *Table) Grow(n int64) { t.cache.grow(t, n) }

// Split cuts a slot whose lock the caller holds at further row keys, because it has grown. What it held is dropped.
func (t *Table) Split(s *Slot, starts [][]byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.Index(t.slots, s)
	if i < 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rows != nil {
		for _, c := range s.rows.Cols {
			t.cache.grow(t, -c.Size())
		}
	}
	s.split, s.rows = true, nil
	parts := []*Slot{{Start: s.Start, writes: slices.Clone(s.writes), floor: s.floor}}
	for _, k := range starts {
		parts = append(parts, &Slot{Start: k, writes: slices.Clone(s.writes), floor: s.floor})
	}
	t.slots = slices.Concat(t.slots[:i], parts, t.slots[i+1:])
}

// maxWidth is the bytes a row beyond which a column is too wide to keep: a few such ones would push out all the others, and reading them
// from the rows costs little more than copying them.
const maxWidth = 256

// Wide tells whether a column has turned out to be too wide to keep.
func (t *Table) Wide(k Key) bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.wide[k]
}

// TooWide reports, and remembers, that a column of n rows is too wide to keep.
func (t *Table) TooWide(k Key, c *Column, n int) bool {
	if n < SlotRows/16 || c.Size() <= int64(n)*maxWidth {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.wide == nil {
		t.wide = map[Key]bool{}
	}
	t.wide[k] = true
	return true
}

// Dict gives the table's dictionary of a column.
func (t *Table) Dict(k Key) *Dict {
	t.mu.Lock()
	defer t.mu.Unlock()
	d := t.dicts[k]
	if d == nil {
		d = newDict()
		t.dicts[k] = d
	}
	return d
}
