// Package overlay holds what a transaction has written and not yet committed: for each key its versions, each with the sequence
// number of the statement that wrote it.
//
// A reader sees at each key the newest version whose number is not above its own, so a statement doesn't see what it writes
// itself. Rolling back to a savepoint drops the versions above the savepoint's number. A version that no reader and no savepoint
// can come back to is dropped as soon as a newer one is written.
//
// What grows too large for memory is moved to sorted files (Spill); readers merge them with what is in memory.
package overlay

import (
	"slices"
	"sync"
	"unsafe"

	"github.com/tidwall/btree"

	"github.com/omgdb/omgdb/storage/kv"
)

// Prefix is the keyspace and object id with which a key begins.
type Prefix = [kv.PrefixLen]byte

// Overlay is used by one writing goroutine and any number of reading ones. Bytes that it is given belong to it from then on;
// those that it gives out must not be changed, and stay valid.
type Overlay struct {
	mu    sync.RWMutex
	trees map[Prefix]*tree
	last  *tree    // the one last used; last.prefix tells which
	slab  []Entry  // room for new entries
	undo  []write  // of what is in memory
	pins  []uint64 // sorted: the numbers of open readers and savepoints
	few   [4]uint64
	bytes int64 // in memory

	runs   []*run // oldest first
	epoch  int    // changes with runs
	dead   []span // numbers of versions in runs that were rolled back
	newest uint64 // the highest number written
}

// span is the numbers above lo up to hi.
type span struct{ lo, hi uint64 }

type tree struct {
	prefix  Prefix
	entries btree.Map[string, *Entry]
}

// Entry is a key that the transaction has written.
type Entry struct {
	key []byte
	// base is the committed value before the transaction's first write, nil for none; known tells whether it was given.
	base  []byte
	known bool
	top   version
}

// version is one write of a key. A nil value is a delete.
type version struct {
	value []byte
	seq   uint64
	stamp int
	prev  *version
}

// write is one step to undo.
type write struct {
	entry *Entry
	seq   uint64
}

// perEntry is roughly what an entry costs beside its bytes.
const perEntry = 160

// New makes an empty overlay.
func New() *Overlay {
	o := &Overlay{}
	o.pins = o.few[:0]
	return o
}

// Write is one write of a key. The operation on the newest version wins when the transaction commits.
type Write struct {
	Key   []byte
	Value []byte // nil deletes the key
	// Stamp is the offset in Value where the commit's LSN is written; kv.NoStamp for none.
	Stamp int
	// Base is the committed value that the write replaces, nil for none; it is looked at only with BaseKnown, and only for the first
	// write of a key. A logged keyspace needs it.
	Base      []byte
	BaseKnown bool
}

// Put adds a version with the number seq, which is not below that of any other version of the key.
func (o *Overlay) Put(seq uint64, w Write) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.newest = max(o.newest, seq)
	t := o.tree(w.Key)
	e := o.newEntry()
	*e = Entry{key: w.Key, base: w.Base, known: w.BaseKnown, top: version{w.Value, seq, w.Stamp, nil}}
	before, ok := t.entries.Set(text(w.Key), e) // mostly a new key, so set first and look afterwards
	if !ok {
		o.bytes += int64(len(w.Key)+len(w.Value)+len(w.Base)) + perEntry
		o.undo = append(o.undo, write{e, seq})
		return
	}
	e = before
	t.entries.Set(text(e.key), e)
	o.slab = o.slab[:len(o.slab)-1]
	o.bytes += int64(len(w.Value))
	if e.top.seq == seq {
		o.bytes -= int64(len(e.top.value))
		e.top.value, e.top.stamp = w.Value, w.Stamp
		return
	}
	o.prune(e)
	below := e.top
	e.top = version{w.Value, seq, w.Stamp, &below}
	o.undo = append(o.undo, write{e, seq})
}

// newEntry gives room for an entry. Entries lie in slabs, which are let go together when they are spilled.
func (o *Overlay) newEntry() *Entry {
	if len(o.slab) == cap(o.slab) {
		o.slab = make([]Entry, 0, min(max(2*cap(o.slab), 2), slabEntries))
	}
	o.slab = o.slab[:len(o.slab)+1]
	return &o.slab[len(o.slab)-1]
}

const slabEntries = 64

// prune drops the versions below the top one that nobody can read any more: only the top one is needed by readers from its
// number on.
func (o *Overlay) prune(e *Entry) {
	for at := &e.top; at.prev != nil; {
		if o.pinned(at.prev.seq, at.seq) {
			at = at.prev
			continue
		}
		o.bytes -= int64(len(at.prev.value))
		at.prev = at.prev.prev
	}
}

// pinned tells whether somebody reads at a number from lo to below hi.
func (o *Overlay) pinned(lo, hi uint64) bool {
	i, _ := slices.BinarySearch(o.pins, lo)
	return i < len(o.pins) && o.pins[i] < hi
}

// Pin keeps what a reader or savepoint with the number seq sees, until Unpin.
func (o *Overlay) Pin(seq uint64) {
	o.mu.Lock()
	i, _ := slices.BinarySearch(o.pins, seq)
	o.pins = slices.Insert(o.pins, i, seq)
	o.mu.Unlock()
}

// Unpin takes one Pin back.
func (o *Overlay) Unpin(seq uint64) {
	o.mu.Lock()
	if i, ok := slices.BinarySearch(o.pins, seq); ok {
		o.pins = slices.Delete(o.pins, i, i+1)
	}
	o.mu.Unlock()
}

// RollbackTo drops every version with a number above seq.
func (o *Overlay) RollbackTo(seq uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.undo) > 0 && o.undo[len(o.undo)-1].seq > seq {
		e := o.undo[len(o.undo)-1].entry
		o.undo = o.undo[:len(o.undo)-1]
		o.dropAbove(e, seq)
	}
	if len(o.runs) > 0 && o.newest > seq {
		o.dead = append(o.dead, span{seq, o.newest})
	}
}

func (o *Overlay) dropAbove(e *Entry, seq uint64) {
	for e.top.seq > seq {
		o.bytes -= int64(len(e.top.value))
		if e.top.prev == nil {
			t := o.tree(e.key)
			t.entries.Delete(text(e.key))
			o.bytes -= int64(len(e.key)+len(e.base)) + perEntry
			return
		}
		e.top = *e.top.prev
	}
}

// Empty tells whether nothing is written. After a rollback of what was spilled it may answer false without need.
func (o *Overlay) Empty() bool {
	o.mu.RLock()
	defer o.mu.RUnlock()
	return len(o.undo) == 0 && len(o.runs) == 0
}

// Bytes is about how much memory the overlay takes.
func (o *Overlay) Bytes() int64 {
	o.mu.RLock()
	defer o.mu.RUnlock()
	return o.bytes
}

// Spill moves everything that is in memory to a file in dir that nobody else sees.
func (o *Overlay) Spill(dir string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := 0
	for _, t := range o.trees {
		n += t.entries.Len()
	}
	if n == 0 {
		return nil
	}
	w, err := newRunWriter(dir, n)
	if err != nil {
		return err
	}
	all := o.all()
	for e := all.entry(); e != nil; e = all.entry() {
		if err := w.add(e); err != nil {
			w.run.file.Close()
			return err
		}
		all.next()
	}
	r, err := w.finish()
	if err != nil {
		w.run.file.Close()
		return err
	}
	o.runs, o.epoch = append(o.runs, r), o.epoch+1
	clear(o.undo)
	o.trees, o.last, o.undo, o.slab, o.bytes = nil, nil, o.undo[:0], nil, 0
	return nil
}

// Close lets the files go. The overlay is not used any more.
func (o *Overlay) Close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, r := range o.runs {
		r.file.Close()
	}
	o.runs = nil
}

// Found is what a look-up met.
type Found uint8

// The outcomes.
const (
	Untouched Found = iota // the transaction has not written the key, as far as the reader sees
	Present
	Deleted
)

// Get looks a key up for a reader with the number seq.
func (o *Overlay) Get(key []byte, seq uint64) ([]byte, Found, error) {
	value, _, f, err := o.look(key, seq)
	return value, f, err
}

// Newest looks up the newest version of a key and its number.
func (o *Overlay) Newest(key []byte) (value []byte, seq uint64, f Found, err error) {
	return o.look(key, ^uint64(0))
}

func (o *Overlay) look(key []byte, seq uint64) (value []byte, at uint64, f Found, err error) {
	o.mu.RLock()
	defer o.mu.RUnlock()
	e := o.find(key)
	for i := len(o.runs); ; i-- {
		if e != nil {
			if v := o.at(e, seq); v != nil {
				f = Present
				if v.value == nil {
					f = Deleted
				}
				return v.value, v.seq, f, nil
			}
		}
		if i == 0 {
			return nil, 0, Untouched, nil
		}
		if e, err = o.runs[i-1].get(key); err != nil {
			return nil, 0, Untouched, err
		}
	}
}

// at gives the version of an entry that a reader with the number seq sees, nil for none.
func (o *Overlay) at(e *Entry, seq uint64) *version {
	for v := &e.top; v != nil; v = v.prev {
		if v.seq <= seq && !o.rolledBack(v.seq) {
			return v
		}
	}
	return nil
}

// rolledBack tells of a number of a version in a run; numbers in memory are never among them.
func (o *Overlay) rolledBack(seq uint64) bool {
	for _, d := range o.dead {
		if seq > d.lo && seq <= d.hi {
			return true
		}
	}
	return false
}

func (o *Overlay) find(key []byte) *Entry {
	t := o.trees[Prefix(key)]
	if t == nil {
		return nil
	}
	e, _ := t.entries.Get(text(key))
	return e
}

func (o *Overlay) tree(key []byte) *tree {
	p := Prefix(key)
	if o.last != nil && o.last.prefix == p {
		return o.last
	}
	t := o.trees[p]
	if t == nil {
		if o.trees == nil {
			o.trees = map[Prefix]*tree{}
		}
		t = &tree{prefix: p}
		o.trees[p] = t
	}
	o.last = t
	return t
}

// text views bytes as a string without copying; sound because keys are never changed.
func text(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
