package postings

import (
	"encoding/binary"
	"math"
	"sort"
)

// End is the ordinal of a cursor that has passed its last document.
const End = math.MaxUint32

// Cursor walks the postings of a term in one layer, in the order of ordinals. It stands on its first document when it is opened. It
// belongs to one goroutine.
type Cursor struct {
	// Ordinal and Count are those of the current document; End at the end.
	Ordinal, Count uint32

	df    int
	table []byte // of blocks; empty when there is one
	docs  []byte
	pos   []byte
	has   bool // positions

	block  int // number of the current block; its documents are decoded
	blocks int
	at     int // place in it
	n      int // documents in it
	ords   [BlockLen]uint32
	counts [BlockLen]uint32

	places   []uint32         // positions of the block, decoded when asked for
	starts   [BlockLen]uint32 // where in places those of each document begin
	placesOf int              // the block they are of, -1 for none

	mem *List // of a layer in memory; then the encoded parts are empty
}

// List are postings in memory, of documents in the order of ordinals.
type List struct {
	Ords, Counts []uint32
	Starts       []int32 // where each document's positions begin, and an end; nil without positions
	Positions    []int32
}

// openCursor opens encoded postings; nil b are none.
func openCursor(b []byte) (*Cursor, error) {
	c := &Cursor{Ordinal: End, placesOf: -1}
	if b == nil {
		return c, nil
	}
	r := byteReader{b: b}
	c.df = int(r.uvarint())
	docs := r.uvarint()
	c.has = r.byte() == 1
	if c.blocks = (c.df + BlockLen - 1) / BlockLen; c.blocks > 1 {
		c.table = r.bytes(uint64(c.blocks) * tableEntry)
	}
	c.docs = r.bytes(docs - uint64(len(c.table)))
	c.pos = r.b
	if r.err != nil {
		return nil, r.err
	}
	c.load(0)
	return c, nil
}

// Cursor opens a list.
func (m *List) Cursor() *Cursor {
	c := &Cursor{Ordinal: End, mem: m, df: len(m.Ords), has: m.Starts != nil, placesOf: -1, blocks: 1, n: len(m.Ords)}
	c.show()
	return c
}

// Len is the number of documents in the list, dead ones included.
func (c *Cursor) Len() int { return c.df }

func (c *Cursor) last(block int) uint32 { return binary.BigEndian.Uint32(c.table[block*tableEntry:]) }

// docsAt gives the encoded documents of a block and the ordinal before its first.
func (c *Cursor) docsAt(block int) (b []byte, before int64) {
	if block == 0 {
		return c.docs, -1
	}
	return c.docs[min(int(binary.BigEndian.Uint32(c.table[block*tableEntry+4:])), len(c.docs)):], int64(c.last(block - 1))
}

// load decodes a block and stands on its first document.
func (c *Cursor) load(block int) {
	c.block, c.at = block, 0
	if block >= c.blocks {
		c.n, c.Ordinal = 0, End
		return
	}
	b, before := c.docsAt(block)
	c.n = min(BlockLen, c.df-block*BlockLen)
	if len(b) < 2 || len(b) < 2+packedLen(c.n, b[0])+packedLen(c.n, b[1]) || b[0] > 32 || b[1] > 32 {
		c.n, c.Ordinal, c.blocks = 0, End, 0 // damaged: verify tells
		return
	}
	g := packedLen(c.n, b[0])
	unpack(c.ords[:c.n], b[2:], b[0])
	unpack(c.counts[:c.n], b[2+g:], b[1])
	for i := range c.n {
		before += int64(c.ords[i]) + 1
		c.ords[i] = uint32(before)
		c.counts[i]++
	}
	c.show()
}

// show brings the fields up to date with the place.
func (c *Cursor) show() {
	switch {
	case c.at >= c.n:
		c.Ordinal, c.Count = End, 0
	case c.mem != nil:
		c.Ordinal, c.Count = c.mem.Ords[c.at], c.mem.Counts[c.at]
	default:
		c.Ordinal, c.Count = c.ords[c.at], c.counts[c.at]
	}
}

// Next goes to the next document.
func (c *Cursor) Next() {
	c.at++
	if c.mem != nil || c.at < c.n {
		c.show()
		return
	}
	c.load(c.block + 1)
}

// Seek goes to the first document at or behind ordinal; it never goes back.
func (c *Cursor) Seek(ordinal uint32) {
	if c.Ordinal >= ordinal {
		return
	}
	if c.mem != nil {
		rest := c.mem.Ords[c.at:c.n]
		c.at += sort.Search(len(rest), func(i int) bool { return rest[i] >= ordinal })
		c.show()
		return
	}
	if c.blocks > 1 && (c.n == 0 || c.ords[c.n-1] < ordinal) {
		// Gallop over the blocks' last ordinals.
		lo, step := c.block+1, 1
		for lo+step < c.blocks && c.last(lo+step-1) < ordinal {
			lo += step
			step *= 2
		}
		hi := min(lo+step, c.blocks)
		c.load(lo + sort.Search(hi-lo, func(i int) bool { return c.last(lo+i) >= ordinal }))
		if c.Ordinal >= ordinal {
			return
		}
	}
	lo, step := c.at, 1
	for lo+step < c.n && c.ords[lo+step] < ordinal {
		lo += step
		step *= 2
	}
	hi := min(lo+step+1, c.n)
	c.at = lo + sort.Search(hi-lo, func(i int) bool { return c.ords[lo+i] >= ordinal })
	if c.at >= c.n {
		c.load(c.block + 1)
		return
	}
	c.show()
}

// Peak bounds a block: no document in it has a greater count or a lesser length.
type Peak struct {
	Last   uint32 // ordinal of the block's last document
	Count  uint32 // 0 when it is not known
	Length uint32
}

// Peak gives the bounds of the block in which a document at or behind ordinal would lie; false behind the last one.
func (c *Cursor) Peak(ordinal uint32) (Peak, bool) {
	if c.df == 0 {
		return Peak{}, false
	}
	if c.blocks <= 1 {
		if c.n == 0 {
			return Peak{}, false
		}
		ords := c.ords[:]
		if c.mem != nil {
			ords = c.mem.Ords
		}
		return Peak{Last: ords[c.n-1]}, ords[c.n-1] >= ordinal
	}
	block := c.block
	if block >= c.blocks {
		return Peak{}, false
	}
	if c.last(block) < ordinal {
		from := block + 1
		block = from + sort.Search(c.blocks-from, func(i int) bool { return c.last(from+i) >= ordinal })
		if block == c.blocks {
			return Peak{}, false
		}
	}
	return c.peak(block), true
}

func (c *Cursor) peak(block int) Peak {
	e := c.table[block*tableEntry:]
	p := Peak{binary.BigEndian.Uint32(e), uint32(binary.BigEndian.Uint16(e[12:])), uint32(binary.BigEndian.Uint16(e[14:]))}
	if p.Count == math.MaxUint16 {
		p.Count = 0
	}
	return p
}

// Peaks gives the bounds of all blocks; nil when there is only one, whose bounds are not kept.
func (c *Cursor) Peaks(visit func(Peak)) bool {
	if c.blocks <= 1 || c.mem != nil {
		return false
	}
	for i := range c.blocks {
		visit(c.peak(i))
	}
	return true
}

// Positions appends the positions in the current document.
func (c *Cursor) Positions(dst []int32) []int32 {
	switch {
	case !c.has || c.Ordinal == End:
		return dst
	case c.mem != nil:
		return append(dst, c.mem.Positions[c.mem.Starts[c.at]:c.mem.Starts[c.at+1]]...)
	}
	if c.placesOf != c.block {
		c.loadPlaces()
	}
	from, last := int(c.starts[c.at]), int32(0)
	for _, gap := range c.places[min(from, len(c.places)):min(from+int(c.Count), len(c.places))] {
		last += int32(gap)
		dst = append(dst, last)
	}
	return dst
}

func (c *Cursor) loadPlaces() {
	total := 0
	for i, n := range c.counts[:c.n] {
		c.starts[i] = uint32(total)
		total += int(n)
	}
	b := c.pos
	if c.table != nil {
		b = b[min(int(binary.BigEndian.Uint32(c.table[c.block*tableEntry+8:])), len(b)):]
	}
	c.placesOf, c.places = c.block, c.places[:0]
	if len(b) == 0 || b[0] > 32 || len(b) < 1+packedLen(total, b[0]) {
		return // damaged: verify tells
	}
	if cap(c.places) < total {
		c.places = make([]uint32, total)
	}
	c.places = c.places[:total]
	unpack(c.places, b[1:], b[0])
}
