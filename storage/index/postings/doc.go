// Package postings keeps, for an index, which documents hold which terms, where, and how often.
//
// A document is known by its row's ordinal. What a commit changes is one delta for each document (see key.AppendDelta): all of its terms
// with their positions, or that it is gone. Deltas are gathered into segments. A segment is immutable: a list of postings for each term,
// the documents' lengths and their row keys; a document that changes later is dead in it. Segments of about the same size are merged in
// the background. The manifest, one small record, tells which segments there are and up to which commit deltas are in them.
//
// A reader takes manifest, segments and the later deltas from one snapshot, so that it finds the same before, during and after any
// gathering. Deltas that were read once are kept in memory (tail), in the order of commits, for all snapshots that need them.
package postings

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/omgdb/omgdb/storage/dberr"
)

// Doc is a document as postings know it.
type Doc struct {
	Length int // in words
	Terms  []Term
}

// Term is a term of a document and where it stands, ascending. A kind of index without positions gives one 0.
type Term struct {
	Text      string
	Positions []int32
}

// MaxTerm is the limit of a term in bytes.
const MaxTerm = 1 << 10

// SortTerms puts a document's terms in their order.
func (d *Doc) SortTerms() {
	slices.SortFunc(d.Terms, func(a, b Term) int { return strings.Compare(a.Text, b.Text) })
}

// The first byte of a delta.
const (
	deltaGone = 0
	deltaDoc  = 1
)

// AppendDelta appends the delta of a row whose document is d, nil when it has none any more.
func AppendDelta(dst []byte, rowKey []byte, d *Doc) []byte {
	if d == nil {
		return append(dst, deltaGone)
	}
	dst = append(dst, deltaDoc)
	dst = append(binary.AppendUvarint(dst, uint64(len(rowKey))), rowKey...)
	dst = binary.AppendUvarint(dst, uint64(d.Length))
	dst = binary.AppendUvarint(dst, uint64(len(d.Terms)))
	var places []byte
	for i := range d.Terms {
		t := &d.Terms[i]
		dst = append(binary.AppendUvarint(dst, uint64(len(t.Text))), t.Text...)
		dst = binary.AppendUvarint(dst, uint64(len(t.Positions)))
		places = appendGaps(places[:0], t.Positions)
		dst = append(binary.AppendUvarint(dst, uint64(len(places))), places...) // readers pass over them by their length
	}
	return dst
}

// appendGaps encodes positions.
func appendGaps(dst []byte, positions []int32) []byte {
	last := int32(0)
	for _, p := range positions {
		dst = binary.AppendUvarint(dst, uint64(p-last))
		last = p
	}
	return dst
}

// delta is a decoded delta; its bytes lie in the encoded one.
type delta struct {
	gone   bool
	rowKey []byte
	length int
	rest   []byte // the terms
	terms  int
}

func badDelta() error {
	return dberr.New(dberr.IndexCorrupted, "a full-text index has a damaged record").WithHint("Build the index again with REINDEX.")
}

// decodeDelta reads a delta; its terms come from next.
func decodeDelta(b []byte) (d delta, err error) {
	r := byteReader{b: b}
	switch r.byte() {
	case deltaGone:
		d.gone = true
		return d, r.err
	case deltaDoc:
	default:
		return d, badDelta()
	}
	d.rowKey = r.bytes(r.uvarint())
	d.length = int(r.uvarint())
	d.terms = int(r.uvarint())
	d.rest = r.b
	return d, r.err
}

// next gives the next term: its text, its number of positions and their encoded form.
func (d *delta) next() (text, positions []byte, n int, err error) {
	r := byteReader{b: d.rest}
	text = r.bytes(r.uvarint())
	n = int(r.uvarint())
	positions = r.bytes(r.uvarint())
	d.rest = r.b
	d.terms--
	return text, positions, n, r.err
}

// appendPositions decodes n positions.
func appendPositions(dst []int32, b []byte, n int) []int32 {
	last := int32(0)
	for range n {
		v, size := binary.Uvarint(b)
		if size <= 0 {
			return dst
		}
		last += int32(v)
		dst = append(dst, last)
		b = b[size:]
	}
	return dst
}

// byteReader reads parts off a slice; after the first that doesn't fit it gives zeros and has err set.
type byteReader struct {
	b   []byte
	err error
}

func (r *byteReader) fail() { r.err, r.b = badDelta(), nil }

func (r *byteReader) byte() byte {
	if len(r.b) == 0 {
		r.fail()
		return 0
	}
	c := r.b[0]
	r.b = r.b[1:]
	return c
}

func (r *byteReader) uvarint() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *byteReader) bytes(n uint64) []byte {
	if n > uint64(len(r.b)) {
		r.fail()
		return nil
	}
	out := r.b[:n:n]
	r.b = r.b[n:]
	return out
}

func (r *byteReader) signed() int64 {
	v, n := binary.Varint(r.b)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.b = r.b[n:]
	return v
}
