package overlay

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"os"
	"slices"
	"sync"

	"github.com/omgdb/omgdb/storage/dberr"
)

// run is a sorted file of entries that did not fit into memory. It is written once and then only read; its file has no name any
// more, so that it vanishes with the process.
//
// An entry in it: length, key, base, versions newest first. Entries stand in blocks of about blockSize; memory holds the first key of
// each block and a filter that tells most absent keys without a read.
type run struct {
	file   *os.File
	blocks []block
	last   []byte // the greatest key
	filter bloom

	mu     sync.Mutex // guards the block read last
	cached int        // its number, -1 for none
	data   []byte
}

type block struct {
	first []byte
	at    int64
	size  int
}

const blockSize = 32 << 10

// flags of an entry in a run
const (
	flagKnown = 1 << 0
	flagBase  = 1 << 1
)

// runWriter writes a run.
type runWriter struct {
	run *run
	buf []byte
	one []byte
	at  int64
}

func newRunWriter(dir string, entries int) (*runWriter, error) {
	f, err := os.CreateTemp(dir, "omgdb-spill-*")
	if err != nil {
		return nil, spillError(err)
	}
	if err := os.Remove(f.Name()); err != nil {
		f.Close()
		return nil, spillError(err)
	}
	return &runWriter{run: &run{file: f, cached: -1, filter: newBloom(entries)}}, nil
}

func spillError(err error) error {
	return dberr.Disk(err, "cannot write the transaction's temporary file: %v", err).
		WithHint("Free space in the temporary directory, or make the transaction smaller.")
}

func (w *runWriter) add(e *Entry) error {
	if len(w.buf) == 0 {
		w.run.blocks = append(w.run.blocks, block{first: e.key, at: w.at})
	}
	w.one = appendEntry(w.one[:0], e)
	w.buf = appendBytes(w.buf, w.one)
	w.run.filter.add(e.key)
	w.run.last = e.key
	if len(w.buf) >= blockSize {
		return w.flush()
	}
	return nil
}

func (w *runWriter) flush() error {
	n, err := w.run.file.Write(w.buf)
	if err != nil {
		return spillError(err)
	}
	w.run.blocks[len(w.run.blocks)-1].size = n
	w.at += int64(n)
	w.buf = w.buf[:0]
	return nil
}

func (w *runWriter) finish() (*run, error) {
	if len(w.buf) > 0 {
		if err := w.flush(); err != nil {
			return nil, err
		}
	}
	for i := range w.run.blocks { // let go of the entries that they point into
		w.run.blocks[i].first = bytes.Clone(w.run.blocks[i].first)
	}
	w.run.last = bytes.Clone(w.run.last)
	return w.run, nil
}

func appendEntry(dst []byte, e *Entry) []byte {
	dst = appendBytes(dst, e.key)
	var flags byte
	if e.known {
		flags |= flagKnown
	}
	if e.base != nil {
		flags |= flagBase
	}
	dst = append(dst, flags)
	if e.base != nil {
		dst = appendBytes(dst, e.base)
	}
	n := uint64(0)
	for v := &e.top; v != nil; v = v.prev {
		n++
	}
	dst = binary.AppendUvarint(dst, n)
	for v := &e.top; v != nil; v = v.prev {
		dst = binary.AppendUvarint(dst, v.seq)
		dst = binary.AppendVarint(dst, int64(v.stamp))
		if v.value == nil {
			dst = append(dst, 0)
		} else {
			dst = appendBytes(append(dst, 1), v.value)
		}
	}
	return dst
}

func appendBytes(dst, b []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(b))), b...)
}

// decodeEntry reads an entry that this process wrote; its bytes alias b.
func decodeEntry(b []byte) *Entry {
	e := &Entry{}
	e.key, b = cutBytes(b)
	flags := b[0]
	b = b[1:]
	e.known = flags&flagKnown != 0
	if flags&flagBase != 0 {
		e.base, b = cutBytes(b)
	}
	n, w := binary.Uvarint(b)
	b = b[w:]
	at := &e.top
	for i := range n {
		if i > 0 {
			at.prev = &version{}
			at = at.prev
		}
		var w int
		at.seq, w = binary.Uvarint(b)
		b = b[w:]
		stamp, w := binary.Varint(b)
		at.stamp, b = int(stamp), b[w:]
		present := b[0] != 0
		if b = b[1:]; present {
			at.value, b = cutBytes(b)
		}
	}
	return e
}

func cutBytes(b []byte) (head, rest []byte) {
	n, w := binary.Uvarint(b)
	end := w + int(n)
	return b[w:end:end], b[end:]
}

// read gives the bytes of a block; they stay as they are.
func (r *run) read(i int) ([]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cached == i {
		return r.data, nil
	}
	b := make([]byte, r.blocks[i].size)
	if _, err := r.file.ReadAt(b, r.blocks[i].at); err != nil {
		return nil, dberr.Wrap(err, dberr.IOError, "cannot read the transaction's temporary file: %v", err)
	}
	r.cached, r.data = i, b
	return b, nil
}

// blockOf gives the number of the block in which key would be, -1 for a key before the first.
func (r *run) blockOf(key []byte) int {
	i, found := slices.BinarySearchFunc(r.blocks, key, func(b block, k []byte) int { return bytes.Compare(b.first, k) })
	if found {
		return i
	}
	return i - 1
}

// get finds the entry of a key, nil for none.
func (r *run) get(key []byte) (*Entry, error) {
	if bytes.Compare(key, r.last) > 0 || !r.filter.has(key) {
		return nil, nil
	}
	i := r.blockOf(key)
	if i < 0 {
		return nil, nil
	}
	b, err := r.read(i)
	for err == nil && len(b) > 0 {
		var one []byte
		one, b = cutBytes(b)
		k, _ := cutBytes(one)
		switch c := bytes.Compare(k, key); {
		case c == 0:
			return decodeEntry(one), nil
		case c > 0:
			return nil, nil
		}
	}
	return nil, err
}

// runCursor walks a run's entries in one direction.
type runCursor struct {
	run     *run
	reverse bool
	block   int
	rest    [][]byte // entries of the current block, still to come, in the direction of the walk
	now     *Entry   // the first of them, decoded
	err     error
}

// seek gives a cursor that stands before the first entry at or behind from (backwards: at or before it). A nil from is the beginning.
func (r *run) seek(from []byte, reverse bool) *runCursor {
	c := &runCursor{run: r, reverse: reverse}
	switch {
	case from != nil:
		c.block = r.blockOf(from)
		if c.block < 0 && !reverse {
			c.block = 0
		}
	case reverse:
		c.block = len(r.blocks) - 1
	}
	c.load()
	for len(c.rest) > 0 && from != nil {
		k, _ := cutBytes(c.rest[0])
		cmp := bytes.Compare(k, from)
		if reverse && cmp <= 0 || !reverse && cmp >= 0 {
			break
		}
		c.next()
	}
	return c
}

// load finds the entries of the current block; beyond the last there are none.
func (c *runCursor) load() {
	c.rest = nil
	if c.block < 0 || c.block >= len(c.run.blocks) {
		return
	}
	b, err := c.run.read(c.block)
	if err != nil {
		c.err = err
		return
	}
	for len(b) > 0 {
		var one []byte
		one, b = cutBytes(b)
		c.rest = append(c.rest, one)
	}
	if c.reverse {
		slices.Reverse(c.rest)
	}
}

// entry is the current entry, nil at the end.
func (c *runCursor) entry() *Entry {
	if c.now == nil && len(c.rest) > 0 {
		c.now = decodeEntry(c.rest[0])
	}
	return c.now
}

func (c *runCursor) next() {
	c.now = nil
	if c.rest = c.rest[1:]; len(c.rest) > 0 {
		return
	}
	if c.reverse {
		c.block--
	} else {
		c.block++
	}
	c.load()
}

// bloom tells of a key that it is surely not in a set, with about one error in a hundred.
type bloom struct {
	seed maphash.Seed
	bits []uint64
}

const bloomProbes = 6

func newBloom(n int) bloom {
	return bloom{maphash.MakeSeed(), make([]uint64, max(n*10/64, 1))}
}

func (b *bloom) add(key []byte) {
	h := maphash.Bytes(b.seed, key)
	for range bloomProbes {
		at := h % uint64(len(b.bits)*64)
		b.bits[at/64] |= 1 << (at % 64)
		h = h*0x9E3779B97F4A7C15 + 0x7F4A7C15
	}
}

func (b *bloom) has(key []byte) bool {
	h := maphash.Bytes(b.seed, key)
	for range bloomProbes {
		at := h % uint64(len(b.bits)*64)
		if b.bits[at/64]&(1<<(at%64)) == 0 {
			return false
		}
		h = h*0x9E3779B97F4A7C15 + 0x7F4A7C15
	}
	return true
}
