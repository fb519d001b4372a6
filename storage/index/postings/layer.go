package postings

import (
	"context"
	"math/bits"

	"github.com/omgdb/omgdb/storage/index"
	"github.com/omgdb/omgdb/storage/key"
)

// bitmap is a set of ordinals of one segment.
type bitmap struct {
	base  uint32
	words []uint64
	n     int
}

func newBitmap(info segmentInfo) *bitmap {
	base := info.min &^ 63
	return &bitmap{base: base, words: make([]uint64, (info.max-base)/64+1)}
}

func (b *bitmap) add(ordinal uint32) {
	w, bit := (ordinal-b.base)/64, uint64(1)<<((ordinal-b.base)%64)
	if b.words[w]&bit == 0 {
		b.words[w] |= bit
		b.n++
	}
}

func (b *bitmap) has(ordinal uint32) bool {
	return b.words[(ordinal-b.base)/64]&(1<<((ordinal-b.base)%64)) != 0
}

// each visits the members in order, until visit returns false.
func (b *bitmap) each(visit func(uint32) bool) {
	for i, w := range b.words {
		for ; w != 0; w &= w - 1 {
			if !visit(b.base + uint32(i)*64 + uint32(bits.TrailingZeros64(w))) {
				return
			}
		}
	}
}

// Layer is a part of an index as one reader sees it: a segment, or deltas in memory. A document is in one layer. It belongs to one
// goroutine.
type Layer struct {
	s    Store
	v    index.View
	info segmentInfo
	mask *bitmap   // documents of the segment that are not its any more; nil for none
	mem  *tailView // for deltas

	lengths  map[uint32][]byte
	keys     map[uint32]*keysIn
	lastAt   uint32 // the block of lengths used last
	lastSeen []byte
	lastKeys *keysIn // the block of row keys used last, and which it is
	keysAt   uint32
}

// Cursor opens the postings of a term, dead documents included.
func (l *Layer) Cursor(ctx context.Context, term string) (*Cursor, error) {
	if l.mem != nil {
		return l.mem.list(term, l.s.Positions).Cursor(), nil
	}
	b, err := l.v.Get(ctx, append(l.s.partKey(make([]byte, 0, 15+len(term)), l.info.number, partTerms), term...))
	if err != nil {
		return nil, err
	}
	return openCursor(b)
}

// Dead tells whether a document that a cursor gives is not there any more.
func (l *Layer) Dead(ordinal uint32) bool { return l.mask != nil && l.mask.has(ordinal) }

// Terms visits the terms that begin with prefix, in order.
func (l *Layer) Terms(ctx context.Context, prefix string, visit func(term string) error) error {
	if l.mem != nil {
		for _, t := range l.mem.terms(prefix) {
			if err := visit(t); err != nil {
				return err
			}
		}
		return nil
	}
	r := l.s.partRange(l.info.number, partTerms)
	at := len(r.Start)
	if prefix != "" {
		r.Start = append(r.Start, prefix...)
		r.End = key.PrefixEnd(r.Start)
	}
	it := l.v.Scan(ctx, r)
	defer it.Close()
	for it.Next() {
		if err := visit(string(it.Key()[at:])); err != nil {
			return err
		}
	}
	return it.Err()
}

// Length is the number of words of a document of the layer.
func (l *Layer) Length(ctx context.Context, ordinal uint32) (uint32, error) {
	n, _, err := l.length(ctx, ordinal)
	return n, err
}

func (l *Layer) length(ctx context.Context, ordinal uint32) (uint32, bool, error) {
	if l.mem != nil {
		e, ok := l.mem.find(ordinal)
		if !ok {
			return 0, false, nil
		}
		return e.length, true, nil
	}
	block := ordinal / lengthBlock
	if l.lastSeen == nil || l.lastAt != block {
		b, ok := l.lengths[block]
		if !ok {
			var err error
			if b, err = l.v.Get(ctx, l.s.blockKey(nil, l.info.number, partLengths, block)); err != nil {
				return 0, false, err
			}
			if b == nil {
				b = []byte{0}
			}
			if l.lengths == nil {
				l.lengths = map[uint32][]byte{}
			}
			l.lengths[block] = b
		}
		l.lastAt, l.lastSeen = block, b
	}
	n, ok := lengthIn(l.lastSeen, ordinal)
	return n, ok, nil
}

// RowKey appends the key of a document's row.
func (l *Layer) RowKey(ctx context.Context, dst []byte, ordinal uint32) ([]byte, error) {
	if l.s.Hidden {
		return append(dst, 0, 0, 0, 0, byte(ordinal>>24), byte(ordinal>>16), byte(ordinal>>8), byte(ordinal)), nil
	}
	if l.mem != nil {
		e, ok := l.mem.find(ordinal)
		if !ok {
			return nil, badDelta()
		}
		return append(dst, e.rowKey...), nil
	}
	if block := ordinal / keyBlock; l.lastKeys == nil || l.keysAt != block {
		k, err := l.openKeys(ctx, block)
		if err != nil {
			return nil, err
		}
		l.lastKeys, l.keysAt = k, block
	}
	i := l.lastKeys.find(ordinal)
	if i < 0 {
		return nil, badDelta()
	}
	return l.lastKeys.key(dst, i), nil
}

func (l *Layer) openKeys(ctx context.Context, block uint32) (*keysIn, error) {
	if k := l.keys[block]; k != nil {
		return k, nil
	}
	b, err := l.v.Get(ctx, l.s.blockKey(nil, l.info.number, partKeys, block))
	if err != nil {
		return nil, err
	}
	k, err := openKeys(b)
	if err != nil {
		return nil, err
	}
	if l.keys == nil {
		l.keys = map[uint32]*keysIn{}
	}
	l.keys[block] = &k
	return &k, nil
}

// Alive counts the documents of an opened cursor's list that are there.
func (l *Layer) Alive(ctx context.Context, term string, c *Cursor) (int64, error) {
	if l.mask == nil || l.mask.n == 0 || c.Len() == 0 {
		return int64(c.Len()), nil
	}
	probe, err := l.Cursor(ctx, term)
	if err != nil {
		return 0, err
	}
	n := int64(c.Len())
	if 16*l.mask.n < c.Len() {
		l.mask.each(func(o uint32) bool {
			if probe.Seek(o); probe.Ordinal == o {
				n--
			}
			return probe.Ordinal != End
		})
		return n, nil
	}
	for ; probe.Ordinal != End; probe.Next() {
		if l.mask.has(probe.Ordinal) {
			n--
		}
	}
	return n, nil
}

// each visits the documents of a segment, dead ones too, in order.
func (l *Layer) each(ctx context.Context, visit func(docLength)) error {
	r := l.s.partRange(l.info.number, partLengths)
	at := len(r.Start)
	it := l.v.Scan(ctx, r)
	defer it.Close()
	for it.Next() {
		eachLength(it.Value(), be32(it.Key()[at:]), visit)
	}
	return it.Err()
}

// eachKey visits the row keys of a segment, in order; the key is valid during the visit.
func (l *Layer) eachKey(ctx context.Context, visit func(docKey)) error {
	if l.s.Hidden {
		return nil
	}
	r := l.s.partRange(l.info.number, partKeys)
	at := len(r.Start)
	it := l.v.Scan(ctx, r)
	defer it.Close()
	var buf []byte
	for it.Next() {
		k, err := openKeys(it.Value())
		if err != nil {
			return err
		}
		block := be32(it.Key()[at:])
		for i, place := range k.places {
			buf = k.key(buf[:0], i)
			visit(docKey{block*keyBlock + uint32(place), buf})
		}
	}
	return it.Err()
}

func be32(b []byte) uint32 {
	return uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
}

// living visits the documents of a layer that are not dead.
func (l *Layer) living(ctx context.Context, visit func(ordinal, length uint32) error) error {
	if l.mem != nil {
		for _, d := range l.mem.live {
			if l.Dead(d.ordinal) {
				continue
			}
			e, _ := l.mem.find(d.ordinal)
			if err := visit(d.ordinal, e.length); err != nil {
				return err
			}
		}
		return nil
	}
	var first error
	err := l.each(ctx, func(d docLength) {
		if first == nil && !l.Dead(d.ordinal) {
			first = visit(d.ordinal, d.length)
		}
	})
	if err == nil {
		err = first
	}
	return err
}
