package postings

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// emitter takes a key with its value; both are its own from then on.
type emitter func(key, value []byte) error

// segmentWriter writes the parts of one segment.
type segmentWriter struct {
	s    Store
	info segmentInfo
	emit emitter
	list listWriter
	buf  []byte
}

func (w *segmentWriter) put(k, v []byte) error {
	w.info.bytes += int64(len(k) + len(v))
	return w.emit(k, v)
}

// term writes the postings of a term, in order.
func (w *segmentWriter) term(text string, list []Posting) error {
	w.buf = w.list.append(w.buf[:0], list, w.s.Positions)
	return w.put(append(w.s.partKey(make([]byte, 0, 15+len(text)), w.info.number, partTerms), text...), slices.Clone(w.buf))
}

// docs writes the lengths and row keys of all documents, in order.
func (w *segmentWriter) docs(lengths []docLength, keys []docKey) error {
	for len(lengths) > 0 {
		block := lengths[0].ordinal / lengthBlock
		n := blockOf(lengths, func(d docLength) bool { return d.ordinal/lengthBlock == block })
		if err := w.put(w.s.blockKey(nil, w.info.number, partLengths, block), appendLengths(nil, lengths[:n])); err != nil {
			return err
		}
		lengths = lengths[n:]
	}
	for len(keys) > 0 && !w.s.Hidden {
		block := keys[0].ordinal / keyBlock
		n := blockOf(keys, func(d docKey) bool { return d.ordinal/keyBlock == block })
		if err := w.put(w.s.blockKey(nil, w.info.number, partKeys, block), appendKeys(nil, keys[:n])); err != nil {
			return err
		}
		keys = keys[n:]
	}
	return nil
}

// blockOf counts the first elements that are in the block.
func blockOf[T any](list []T, in func(T) bool) int {
	n := 0
	for n < len(list) && in(list[n]) {
		n++
	}
	return n
}

// lengthTable finds the lengths of documents that are at hand.
type lengthTable struct {
	base  uint32
	dense []uint32
	few   map[uint32]uint32
}

// newLengthTable makes the table of documents in order.
func newLengthTable(docs []docLength) *lengthTable {
	t := &lengthTable{}
	if len(docs) == 0 {
		return t
	}
	t.base = docs[0].ordinal
	if span := int64(docs[len(docs)-1].ordinal-t.base) + 1; span <= 8*int64(len(docs))+1024 {
		t.dense = make([]uint32, span)
		for _, d := range docs {
			t.dense[d.ordinal-t.base] = d.length
		}
		return t
	}
	t.few = make(map[uint32]uint32, len(docs))
	for _, d := range docs {
		t.few[d.ordinal] = d.length
	}
	return t
}

func (t *lengthTable) of(ordinal uint32) uint32 {
	if t.dense != nil {
		return t.dense[ordinal-t.base]
	}
	return t.few[ordinal]
}

// Builder gathers documents in memory and writes them as a segment.
type Builder struct {
	s       Store
	terms   map[string]*pending
	lengths []docLength
	keys    []docKey
	arena   []byte // of the keys
	bytes   int
	places  []int32
}

// pending are the postings of a term: for each document the ordinal's distance from the one before, the count and the gaps of the
// positions.
type pending struct {
	data  []byte
	last  uint32
	n     int
	mixed bool // ordinals came in another order
}

// perPending is roughly what a term costs beside its postings.
const perPending = 120

func newBuilder(s Store) *Builder { return &Builder{s: s, terms: map[string]*pending{}} }

// add takes a document.
func (b *Builder) add(ordinal uint32, rowKey []byte, length int) {
	b.lengths = append(b.lengths, docLength{ordinal, uint32(max(length, 0))})
	if !b.s.Hidden {
		at := len(b.arena)
		b.arena = append(b.arena, rowKey...)
		b.keys = append(b.keys, docKey{ordinal, b.arena[at:len(b.arena):len(b.arena)]})
	}
	b.bytes += 48 + len(rowKey)
}

// term takes a term of the document added last.
func (b *Builder) term(text []byte, count int, encoded []byte) {
	ordinal := b.lengths[len(b.lengths)-1].ordinal
	p := b.terms[string(text)]
	if p == nil {
		p = &pending{}
		b.terms[string(text)] = p
		b.bytes += perPending + len(text)
	}
	before := cap(p.data)
	p.mixed = p.mixed || p.n > 0 && ordinal < p.last
	p.data = binary.AppendVarint(p.data, int64(ordinal)-int64(p.last))
	p.data = binary.AppendUvarint(p.data, uint64(count))
	if b.s.Positions {
		p.data = append(p.data, encoded...)
	}
	p.last = ordinal
	p.n++
	b.bytes += cap(p.data) - before
}

// write writes the segment number and describes it.
func (b *Builder) write(number uint32, emit emitter) (segmentInfo, error) {
	byOrdinal := func(x, y docLength) int { return cmp.Compare(x.ordinal, y.ordinal) }
	slices.SortFunc(b.lengths, byOrdinal)
	slices.SortFunc(b.keys, func(x, y docKey) int { return cmp.Compare(x.ordinal, y.ordinal) })
	w := segmentWriter{s: b.s, emit: emit, info: segmentInfo{number: number, docs: int64(len(b.lengths))}}
	if len(b.lengths) == 0 {
		return w.info, nil
	}
	w.info.min, w.info.max = b.lengths[0].ordinal, b.lengths[len(b.lengths)-1].ordinal
	for _, d := range b.lengths {
		w.info.words += int64(d.length)
	}
	if err := w.docs(b.lengths, b.keys); err != nil {
		return w.info, err
	}
	table := newLengthTable(b.lengths)
	texts := make([]string, 0, len(b.terms))
	for t := range b.terms {
		texts = append(texts, t)
	}
	slices.Sort(texts)
	var list []Posting
	for _, t := range texts {
		var err error
		if list, err = b.decode(b.terms[t], table, list[:0]); err != nil {
			return w.info, err
		}
		if err := w.term(t, list); err != nil {
			return w.info, err
		}
		delete(b.terms, t)
	}
	return w.info, nil
}

// decode gives the postings of a term in order; they are valid until the next call.
func (b *Builder) decode(p *pending, table *lengthTable, list []Posting) ([]Posting, error) {
	b.places = b.places[:0]
	r := byteReader{b: p.data}
	ordinal := int64(0)
	for range p.n {
		ordinal += r.signed()
		x := Posting{Ordinal: uint32(ordinal), Count: uint32(r.uvarint())}
		x.Length = table.of(x.Ordinal)
		if b.s.Positions {
			at, place := len(b.places), int32(0)
			for range x.Count {
				place += int32(r.uvarint())
				b.places = append(b.places, place)
			}
			x.Positions = b.places[at:len(b.places):len(b.places)]
		}
		list = append(list, x)
	}
	if p.mixed {
		slices.SortFunc(list, func(x, y Posting) int { return cmp.Compare(x.Ordinal, y.Ordinal) })
	}
	return list, r.err
}
