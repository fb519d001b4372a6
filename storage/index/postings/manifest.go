package postings

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/omgdb/omgdb/storage/index"
	"github.com/omgdb/omgdb/storage/key"
	"github.com/omgdb/omgdb/storage/kv"
)

// The keys of an index behind keyspace and storage id, and their values:
//
//	0x00                        the manifest
//	0x01 …                      deltas, see key.AppendDelta
//	0x02 segment (4) 'd' block  lengths of documents
//	0x02 segment (4) 'k' block  row keys
//	0x02 segment (4) 't' term   postings
//	0x02 segment (4) 'x'        ordinals of dead documents, ascending: gaps (uvarint)
//
// A block (4) stands for a range of ordinals.
const (
	tagManifest = 0x00
	tagSegment  = 0x02

	partLengths = 'd'
	partKeys    = 'k'
	partTerms   = 't'
	partDead    = 'x'
)

// Store tells where an index's postings are.
type Store struct {
	ID        uint64 // the index's storage id
	Hidden    bool   // rows have no key but their ordinal
	Positions bool   // terms have positions and counts
}

func (s Store) manifestKey() []byte {
	return append(key.AppendPrefix(nil, key.FullText, s.ID), tagManifest)
}

// partKey appends the beginning of the keys of a part of a segment.
func (s Store) partKey(dst []byte, segment uint32, part byte) []byte {
	dst = append(key.AppendPrefix(dst, key.FullText, s.ID), tagSegment)
	return append(binary.BigEndian.AppendUint32(dst, segment), part)
}

func (s Store) blockKey(dst []byte, segment uint32, part byte, block uint32) []byte {
	return binary.BigEndian.AppendUint32(s.partKey(dst, segment, part), block)
}

// partRange is the range of the keys of a part.
func (s Store) partRange(segment uint32, part byte) kv.Range {
	start := s.partKey(nil, segment, part)
	return kv.Range{Start: start, End: key.PrefixEnd(start)}
}

// segmentRange is the range of all keys of the segments from … to … (exclusive).
func (s Store) segmentRange(from, to uint32) kv.Range {
	return kv.Range{Start: s.partKey(nil, from, 0), End: s.partKey(nil, to, 0)}
}

// manifest tells what a snapshot's segments are.
type manifest struct {
	upto     kv.LSN // deltas up to here are in segments
	next     uint32 // number of the next segment
	segments []segmentInfo
}

// segmentInfo describes a segment.
type segmentInfo struct {
	number   uint32
	docs     int64 // all of them
	dead     int64 // of docs
	words    int64 // in the documents that are not dead
	min, max uint32
	bytes    int64
}

const manifestVersion = 1

func (m *manifest) encode() []byte {
	b := []byte{manifestVersion}
	for _, n := range []uint64{uint64(m.upto), uint64(m.next), uint64(len(m.segments))} {
		b = binary.AppendUvarint(b, n)
	}
	for _, s := range m.segments {
		for _, n := range []uint64{uint64(s.number), uint64(s.docs), uint64(s.dead), uint64(s.words), uint64(s.min), uint64(s.max), uint64(s.bytes)} {
			b = binary.AppendUvarint(b, n)
		}
	}
	return b
}

// readManifest gives that of a view; an index that never gathered has an empty one.
func (s Store) readManifest(ctx context.Context, v index.View) (*manifest, error) {
	b, err := v.Get(ctx, s.manifestKey())
	m := &manifest{}
	if b == nil || err != nil {
		return m, err
	}
	r := byteReader{b: b}
	if r.byte() != manifestVersion {
		return nil, badDelta()
	}
	m.upto, m.next = kv.LSN(r.uvarint()), uint32(r.uvarint())
	n := r.uvarint()
	for range n {
		if r.err != nil {
			break
		}
		m.segments = append(m.segments, segmentInfo{uint32(r.uvarint()), int64(r.uvarint()), int64(r.uvarint()), int64(r.uvarint()), uint32(r.uvarint()),
			uint32(r.uvarint()), int64(r.uvarint())})
	}
	return m, r.err
}

// without gives the manifest without some segments.
func (m *manifest) without(numbers []uint32) *manifest {
	out := *m
	out.segments = slices.DeleteFunc(slices.Clone(m.segments), func(s segmentInfo) bool { return slices.Contains(numbers, s.number) })
	return &out
}

func appendDead(dst []byte, ords []uint32) []byte {
	last := uint32(0)
	for _, o := range ords {
		dst = binary.AppendUvarint(dst, uint64(o-last))
		last = o
	}
	return dst
}

// readDead gives the dead documents of a segment.
func (s Store) readDead(ctx context.Context, v index.View, info segmentInfo) ([]uint32, error) {
	if info.dead == 0 {
		return nil, nil
	}
	b, err := v.Get(ctx, s.partKey(nil, info.number, partDead))
	if err != nil {
		return nil, err
	}
	out := make([]uint32, 0, info.dead)
	last := uint32(0)
	for r := (byteReader{b: b}); len(r.b) > 0; {
		last += uint32(r.uvarint())
		if r.err != nil {
			return nil, r.err
		}
		out = append(out, last)
	}
	if int64(len(out)) != info.dead {
		return nil, badDelta()
	}
	return out, nil
}
