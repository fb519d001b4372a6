package oplog

import (
	"encoding/binary"
)

// chunkSize is how far a chunk grows before the next one is begun: with its key it fills most of a 4 KiB page. A larger record has
// a chunk of its own.
const chunkSize = 3600

// Builder makes the entry of one commit. Emit is called with each finished chunk but the first, in order; chunk 0, which begins
// with the header, comes from Finish.
type Builder struct {
	Hasher
	emit  func(chunk uint32, value []byte) error
	first []byte
	open  []byte
	at    uint32 // number of the open chunk
	index uint32 // records in it
	count uint64
	size  uint64 // of finished chunks
	body  body
	rec   Record // the one being added
}

// NewBuilder begins an entry.
func NewBuilder(a Actor, emit func(chunk uint32, value []byte) error) *Builder {
	return &Builder{emit: emit, open: appendHeader(nil, a)}
}

// Add records that the value under key changed from before to after (nil: none), both row values, and tells where the record lies.
// Keys come in order. It hashes both values.
func (b *Builder) Add(key, before, after []byte) (Place, error) {
	r := &b.rec
	*r = Record{Key: key, Before: before, Deleted: after == nil}
	if before != nil {
		r.Image, r.BeforeDigest, r.BeforeLSN = Whole, b.Row(before), rowLSN(before)
	}
	if after != nil {
		r.After = b.Row(after)
	}
	b.body.add(r)
	b.count++
	if size := len(b.open) + len(key) + len(before) + 64; size > chunkSize {
		if err := b.flush(); err != nil {
			return Place{}, err
		}
		b.open = make([]byte, 0, chunkSize+256)
	}
	p := Place{b.at, b.index}
	b.index++
	b.open = appendRecord(b.open, r)
	return p, nil
}

// flush ends the open chunk.
func (b *Builder) flush() error {
	done := b.open
	b.size += uint64(len(done))
	b.index = 0
	b.open = nil
	b.at++
	if b.at == 1 {
		b.first = done
		return nil
	}
	return b.emit(b.at-1, done)
}

// Size is how many bytes all chunks have, once finished.
func (b *Builder) Size() uint64 { return b.size }

// Finish gives chunk 0, ready for Chain.Seal, and the number of records.
func (b *Builder) Finish() (entry []byte, count uint64, err error) {
	if err := b.flush(); err != nil {
		return nil, 0, err
	}
	sum := b.body.sum()
	copy(b.first[atBody:], sum[:])
	binary.BigEndian.PutUint64(b.first[atCount:], b.count)
	binary.BigEndian.PutUint32(b.first[atChunks:], b.at)
	return b.first, b.count, nil
}
