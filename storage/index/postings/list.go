package postings

import (
	"encoding/binary"
	"math"
)

// The postings of a term in a segment are one value:
//
//	df (uvarint), offset of the positions from the end of the head (uvarint), 1 when there are positions (1)
//	for each block, when there are several: last ordinal (4), offsets of its documents (4) and positions (4), greatest count (2), least length (2)
//	the blocks' documents: width of the gaps (1), width of the counts (1), gaps - 1, counts - 1
//	the blocks' positions: width (1), gaps of the positions
//
// A block has BlockLen documents, the last one what is left. Numbers in the table are big-endian, blocks packed. The first gap of a block
// counts from the block before (from -1 in the first), the first position of a document from 0.

// BlockLen is the number of documents in a block.
const BlockLen = 128

const tableEntry = 16

// Posting is a document's part of a list.
type Posting struct {
	Ordinal   uint32
	Count     uint32
	Length    uint32  // of the document
	Positions []int32 // nil in an index without positions
}

// listWriter encodes lists; its memory is used again.
type listWriter struct {
	gaps, counts, places []uint32
	docs, pos, table     []byte
}

// append encodes the postings of a term, in the order of ordinals.
func (w *listWriter) append(dst []byte, list []Posting, positions bool) []byte {
	w.docs, w.pos, w.table = w.docs[:0], w.pos[:0], w.table[:0]
	last := int64(-1)
	for at := 0; at < len(list); at += BlockLen {
		last = w.block(list[at:min(at+BlockLen, len(list))], last, positions)
	}
	dst = binary.AppendUvarint(dst, uint64(len(list)))
	if len(list) <= BlockLen {
		w.table = w.table[:0]
	}
	dst = binary.AppendUvarint(dst, uint64(len(w.table)+len(w.docs)))
	flag := byte(0)
	if positions {
		flag = 1
	}
	dst = append(dst, flag)
	return append(append(append(dst, w.table...), w.docs...), w.pos...)
}

// block encodes a block behind the ordinal last and gives its own last one.
func (w *listWriter) block(list []Posting, last int64, positions bool) int64 {
	docsAt, posAt := len(w.docs), len(w.pos)
	w.gaps, w.counts, w.places = w.gaps[:0], w.counts[:0], w.places[:0]
	most, least := uint32(0), uint32(math.MaxUint32)
	for i := range list {
		p := &list[i]
		w.gaps = append(w.gaps, uint32(int64(p.Ordinal)-last-1))
		w.counts = append(w.counts, p.Count-1)
		most, least = max(most, p.Count), min(least, p.Length)
		last = int64(p.Ordinal)
		from := int32(0)
		for _, at := range p.Positions {
			w.places = append(w.places, uint32(at-from))
			from = at
		}
	}
	g, c := widthOf(w.gaps), widthOf(w.counts)
	w.docs = append(w.docs, g, c)
	w.docs = appendPacked(w.docs, w.gaps, g)
	w.docs = appendPacked(w.docs, w.counts, c)
	if positions {
		p := widthOf(w.places)
		w.pos = appendPacked(append(w.pos, p), w.places, p)
	}
	w.table = binary.BigEndian.AppendUint32(w.table, uint32(last))
	w.table = binary.BigEndian.AppendUint32(w.table, uint32(docsAt))
	w.table = binary.BigEndian.AppendUint32(w.table, uint32(posAt))
	w.table = binary.BigEndian.AppendUint16(w.table, uint16(min(most, math.MaxUint16)))
	w.table = binary.BigEndian.AppendUint16(w.table, uint16(min(least, math.MaxUint16)))
	return last
}
