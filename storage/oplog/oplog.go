// Package oplog is the record of every commit: who changed what and when, and what stood there before.
//
// A commit's entry lies in the op-log keyspace under its LSN: a header, and behind it the records of its operations in key
// order, cut into chunks so that small records share a key. A record holds the key, the value before the commit (its before
// image) and the digest of the value after it; the value after is the row itself or the before image of the next record of
// that key. Headers are chained: each holds the hash of the one before and of its own content, which includes the digest of
// all records, so that a changed byte anywhere shows.
//
// Digests leave the row's own LSN out: it is known only when the committer numbers the commit, and digests are computed
// before, by the session.
package oplog

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/kv"
)

// Digest is a SHA-256.
type Digest = [sha256.Size]byte

// Actor is who made a commit.
type Actor struct {
	Role        string // the SQL role
	Application string // application_name
	Plan        string // the agent's plan, "" for none
}

// Header describes a commit.
type Header struct {
	LSN    kv.LSN
	Micros int64 // time of the commit, µs since 1970 UTC; rises strictly
	Actor  Actor
	Count  uint64 // records
	Chunks uint32 // keys that hold them, the header's own included
	Total  uint64 // bytes of all entries that the op-log ever had, this one included
	Body   Digest // of all records
	Prev   Digest // Hash of the commit before; zero for the first
	Hash   Digest // of everything above
}

// After gives the chain behind the commit.
func (h *Header) After() Chain { return Chain{h.Hash, h.Micros, h.Total} }

// headerVersion is the first byte of a stored header.
const headerVersion = 1

// Offsets in a stored header of what the committer fills in.
const (
	atMicros = 1
	atPrev   = atMicros + 8
	atHash   = atPrev + sha256.Size
	atBody   = atHash + sha256.Size
	atCount  = atBody + sha256.Size
	atChunks = atCount + 8
	atTotal  = atChunks + 4
	atActor  = atTotal + 8
)

// appendHeader appends the stored form, without what Seal fills in.
func appendHeader(dst []byte, a Actor) []byte {
	dst = append(dst, headerVersion)
	dst = append(dst, make([]byte, atActor-1)...)
	for _, s := range []string{a.Role, a.Application, a.Plan} {
		dst = binary.AppendUvarint(dst, uint64(len(s)))
		dst = append(dst, s...)
	}
	return dst
}

// Chain is the place in the chain where the next commit goes.
type Chain struct {
	Prev   Digest
	Micros int64  // of the newest commit
	Total  uint64 // its Header.Total
}

// Seal completes the stored header in entry (chunk 0 as Builder made it) for the commit lsn
// at a time not before micros, and gives the chain after it. size is the entry's in bytes. It hashes the header alone.
func (c Chain) Seal(entry []byte, lsn kv.LSN, micros int64, size uint64) Chain {
	micros = max(micros, c.Micros+1)
	binary.BigEndian.PutUint64(entry[atMicros:], uint64(micros))
	copy(entry[atPrev:], c.Prev[:])
	total := c.Total + size
	binary.BigEndian.PutUint64(entry[atTotal:], total)
	end, err := skipActor(entry)
	if err != nil {
		panic(err) // the entry is this program's own work of a moment ago
	}
	sum := headerHash(entry[:end], lsn)
	copy(entry[atHash:], sum[:])
	return Chain{sum, micros, total}
}

// headerHash is the hash of a stored header, in which the hash's own place counts as zero.
func headerHash(stored []byte, lsn kv.LSN) Digest {
	h := sha256.New()
	var num [8]byte
	binary.BigEndian.PutUint64(num[:], uint64(lsn))
	h.Write(num[:])
	h.Write(stored[:atHash])
	h.Write(stored[atBody:])
	var d Digest
	h.Sum(d[:0])
	return d
}

// DecodeHeader reads the header at the start of a commit's chunk 0 and gives the offset of the first record.
func DecodeHeader(lsn kv.LSN, entry []byte) (h Header, records int, err error) {
	if len(entry) < atActor || entry[0] != headerVersion {
		return h, 0, damaged(lsn, "its header")
	}
	h.LSN = lsn
	h.Micros = int64(binary.BigEndian.Uint64(entry[atMicros:]))
	h.Prev = Digest(entry[atPrev:])
	h.Hash = Digest(entry[atHash:])
	h.Body = Digest(entry[atBody:])
	h.Count = binary.BigEndian.Uint64(entry[atCount:])
	h.Chunks = binary.BigEndian.Uint32(entry[atChunks:])
	h.Total = binary.BigEndian.Uint64(entry[atTotal:])
	rest := entry[atActor:]
	for _, s := range []*string{&h.Actor.Role, &h.Actor.Application, &h.Actor.Plan} {
		b, after, ok := cutBytes(rest)
		if !ok {
			return h, 0, damaged(lsn, "its header")
		}
		*s, rest = string(b), after
	}
	return h, len(entry) - len(rest), nil
}

// CheckHash tells whether the header at the start of entry has the hash that it states.
func CheckHash(lsn kv.LSN, entry []byte) bool {
	end, err := skipActor(entry)
	return err == nil && headerHash(entry[:end], lsn) == Digest(entry[atHash:])
}

func skipActor(entry []byte) (int, error) {
	_, end, err := DecodeHeader(0, entry)
	return end, err
}

func cutBytes(b []byte) (head, rest []byte, ok bool) {
	n, w := binary.Uvarint(b)
	if w <= 0 || n > uint64(len(b)-w) {
		return nil, nil, false
	}
	return b[w : w+int(n)], b[w+int(n):], true
}

func damaged(lsn kv.LSN, what string) error {
	return dberr.New(dberr.DataCorrupted, "op-log entry %d is damaged: %s cannot be read", lsn, what)
}

// Hasher computes digests of rows. It belongs to one goroutine.
type Hasher struct {
	h   hash.Hash
	sum Digest
}

// Row layout, as rows of package storage have it: ordinal, LSN, document.
const (
	lsnAt = 8
	docAt = 16
)

// Row gives the digest of a row value: its ordinal and document, without the LSN.
func (h *Hasher) Row(value []byte) (d Digest) {
	if h.h == nil {
		h.h = sha256.New()
	}
	h.h.Reset()
	h.h.Write(value[:lsnAt])
	h.h.Write(value[docAt:])
	h.h.Sum(h.sum[:0]) // not into d, which would go to the heap
	return h.sum
}
