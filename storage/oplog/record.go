package oplog

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"

	"github.com/omgdb/omgdb/storage/kv"
)

// Image says what a record knows of the value before the commit.
type Image uint8

// The kinds of before images.
const (
	NoImage  Image = iota // there was no value
	Whole                 // the value itself
	Stripped              // only its digest: retention or a purge has taken the value
)

// Record is one operation of a commit.
type Record struct {
	Key          []byte // of the row, keyspace and object id included
	Image        Image
	Before       []byte // the row value before, when Image is Whole
	BeforeDigest Digest // its digest, when there was a value
	BeforeLSN    kv.LSN // the commit that wrote it
	Deleted      bool   // there is no value after
	After        Digest // digest of the value after, unless Deleted
}

// Flags of a stored record.
const (
	flagWhole    = 1 << 0
	flagStripped = 1 << 1
	flagAfter    = 1 << 2
)

// appendRecord appends the stored form: flags, key, before image or its digest, digest after.
func appendRecord(dst []byte, r *Record) []byte {
	var flags byte
	switch r.Image {
	case Whole:
		flags |= flagWhole
	case Stripped:
		flags |= flagStripped
	}
	if !r.Deleted {
		flags |= flagAfter
	}
	dst = append(dst, flags)
	dst = binary.AppendUvarint(dst, uint64(len(r.Key)))
	dst = append(dst, r.Key...)
	switch r.Image {
	case Whole:
		dst = binary.AppendUvarint(dst, uint64(len(r.Before)))
		dst = append(dst, r.Before...)
	case Stripped:
		dst = binary.BigEndian.AppendUint64(dst, uint64(r.BeforeLSN))
		dst = append(dst, r.BeforeDigest[:]...)
	}
	if !r.Deleted {
		dst = append(dst, r.After[:]...)
	}
	return dst
}

// DecodeRecord reads the record at the start of b and gives what follows. Its bytes alias b. BeforeDigest is set only for a
// stripped image: see Hasher.
func DecodeRecord(b []byte) (r Record, rest []byte, ok bool) {
	if len(b) == 0 || b[0]&^(flagWhole|flagStripped|flagAfter) != 0 {
		return r, nil, false
	}
	flags := b[0]
	if r.Key, b, ok = cutBytes(b[1:]); !ok || len(r.Key) < kv.PrefixLen {
		return r, nil, false
	}
	switch flags & (flagWhole | flagStripped) {
	case flagWhole:
		r.Image = Whole
		if r.Before, b, ok = cutBytes(b); !ok || len(r.Before) < docAt {
			return r, nil, false
		}
		r.BeforeLSN = rowLSN(r.Before)
	case flagStripped:
		r.Image = Stripped
		if len(b) < 8+sha256.Size {
			return r, nil, false
		}
		r.BeforeLSN = kv.LSN(binary.BigEndian.Uint64(b))
		r.BeforeDigest, b = Digest(b[8:]), b[8+sha256.Size:]
	case flagWhole | flagStripped:
		return r, nil, false
	}
	if r.Deleted = flags&flagAfter == 0; !r.Deleted {
		if len(b) < sha256.Size {
			return r, nil, false
		}
		r.After, b = Digest(b), b[sha256.Size:]
	}
	return r, b, true
}

// BodyCheck computes the digest of a commit's records again, for comparison with Header.Body.
type BodyCheck struct {
	body   body
	hasher Hasher
}

// Add takes the next record.
func (c *BodyCheck) Add(r *Record) {
	if r.Image == Whole {
		r.BeforeDigest = c.hasher.Row(r.Before)
	}
	c.body.add(r)
}

// Sum is the digest of the records so far.
func (c *BodyCheck) Sum() Digest { return c.body.sum() }

// body computes the digest of a commit's records. It counts digests, not images, so that images can be stripped.
type body struct{ h hash.Hash }

func (d *body) add(r *Record) {
	if d.h == nil {
		d.h = sha256.New()
	}
	var head [binary.MaxVarintLen64 + 1]byte
	if r.Image != NoImage {
		head[0] |= flagWhole
	}
	if !r.Deleted {
		head[0] |= flagAfter
	}
	n := 1 + binary.PutUvarint(head[1:], uint64(len(r.Key)))
	d.h.Write(head[:n])
	d.h.Write(r.Key)
	if r.Image != NoImage {
		var lsn [8]byte
		binary.BigEndian.PutUint64(lsn[:], uint64(r.BeforeLSN))
		d.h.Write(lsn[:])
		d.h.Write(r.BeforeDigest[:])
	}
	if !r.Deleted {
		d.h.Write(r.After[:])
	}
}

func (d *body) sum() (out Digest) {
	if d.h == nil {
		d.h = sha256.New()
	}
	d.h.Sum(out[:0])
	return out
}

func rowLSN(value []byte) kv.LSN { return kv.LSN(binary.BigEndian.Uint64(value[lsnAt:])) }

// Place is where a record lies in its commit: in which chunk, and how many records of it come before. It stays the same when an image
// is stripped.
type Place struct{ Chunk, Index uint32 }

// PlaceLen is the length of a stored Place.
const PlaceLen = 8

// Append appends the stored form.
func (p Place) Append(dst []byte) []byte {
	dst = binary.BigEndian.AppendUint32(dst, p.Chunk)
	return binary.BigEndian.AppendUint32(dst, p.Index)
}

// DecodePlace reads a stored Place.
func DecodePlace(b []byte) (Place, bool) {
	if len(b) != PlaceLen {
		return Place{}, false
	}
	return Place{binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:])}, true
}

// Strip replaces the image in r by its digest.
func (h *Hasher) Strip(r *Record) {
	if r.Image == Whole {
		r.Image, r.BeforeDigest, r.Before = Stripped, h.Row(r.Before), nil
	}
}

// AppendRecord appends the stored form of a record, for a chunk that is written again.
func AppendRecord(dst []byte, r *Record) []byte { return appendRecord(dst, r) }
