// Package wal is the log of kv/bolt: a sequence of records, each durable before the next is written.
//
// A life: the store appends a record for each group (Append: one write, one sync). When the current file, a segment, is full
// it goes on in the next one (Rotate). When the store has put everything of the older segments into store.db, it
// remembers there which segment is the first that counts, and lets go of those before (Cut); one is kept, to be written
// again, since overwriting blocks that a file has already costs no update of the file system's own records. Open hands all
// records from that segment on back to the store, in order.
//
// A record is found again whole or not at all: it carries its length, a running number and a checksum over itself and a secret
// of its segment. The secret keeps old records of a reused file, and anything that users may store in a value, from passing
// for records.
package wal

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/kv/bolt/vfs"
)

// A segment begins with a header: magic (8), number (8), sequence number of its first record (8), secret (8),
// checksum (4) of these, zero (4). Numbers in the log are little-endian.
const (
	magic      = "omgdbwal"
	segmentLen = 40
	suffix     = ".log"
	spareName  = "spare"
)

// HeaderLen is the room that Append wants at the beginning of a record for the record's header: length of the payload (4),
// checksum (4), sequence number (8).
const HeaderLen = 16

// Records begin at multiples of align.
const align = 8

// Room is made in steps: short files stay short, long ones seldom grow.
const (
	minGrow = 256 << 10
	maxGrow = 4 << 20
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Log is the open log. One goroutine at a time may use it; Cut alone may run beside the other methods.
type Log struct {
	fs      vfs.FS
	file    vfs.File // the current segment
	segment header
	end     int64  // where the next record goes
	room    int64  // how far the file reaches
	next    uint64 // sequence number of the next record
	broken  error  // a sync failed: nobody knows what the file holds
	oldest  uint64 // number of the oldest segment; Cut's
}

type header struct {
	number, first uint64
	secret        [8]byte
}

func (h *header) encode() []byte {
	b := make([]byte, segmentLen)
	copy(b, magic)
	binary.LittleEndian.PutUint64(b[8:], h.number)
	binary.LittleEndian.PutUint64(b[16:], h.first)
	copy(b[24:], h.secret[:])
	binary.LittleEndian.PutUint32(b[32:], crc32.Checksum(b[:32], castagnoli))
	return b
}

func (h *header) decode(b []byte) bool {
	if len(b) < segmentLen || string(b[:8]) != magic || binary.LittleEndian.Uint32(b[32:]) != crc32.Checksum(b[:32], castagnoli) {
		return false
	}
	h.number, h.first = binary.LittleEndian.Uint64(b[8:]), binary.LittleEndian.Uint64(b[16:])
	h.secret = [8]byte(b[24:])
	return true
}

// checksum is over all of a record but itself, and the secret.
func (h *header) checksum(rec []byte) uint32 {
	sum := crc32.Update(0, castagnoli, h.secret[:])
	sum = crc32.Update(sum, castagnoli, rec[:4])
	return crc32.Update(sum, castagnoli, rec[8:])
}

func segmentName(number uint64) string { return fmt.Sprintf("%016x%s", number, suffix) }

func segmentNumber(name string) (uint64, bool) {
	hex, ok := strings.CutSuffix(name, suffix)
	n, err := strconv.ParseUint(hex, 16, 64)
	return n, ok && err == nil && name == segmentName(n)
}

// Create makes the log of a new store: segment 1, without records.
func Create(fsys vfs.FS) error {
	l := &Log{fs: fsys, next: 1}
	if err := l.begin(1); err != nil {
		return err
	}
	return l.Close()
}

// begin makes a segment, durably, and goes on in it.
func (l *Log) begin(number uint64) (err error) {
	h := header{number: number, first: l.next}
	rand.Read(h.secret[:])
	f, err := l.newFile(segmentName(number))
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close(), l.fs.Remove(segmentName(number)))
		}
	}()
	if _, err := f.WriteAt(h.encode(), 0); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := l.fs.SyncDir(); err != nil {
		return err
	}
	size, err := f.Size()
	if err != nil {
		return err
	}
	if l.file != nil {
		l.file.Close() // all of it is synced
	}
	l.file, l.segment, l.end, l.room = f, h, segmentLen, size
	return nil
}

func (l *Log) newFile(name string) (vfs.File, error) {
	if err := l.fs.Rename(spareName, name); err == nil {
		return l.fs.Open(name)
	}
	if err := l.fs.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) { // left by an attempt that failed
		return nil, err
	}
	return l.fs.Create(name)
}

// Segment is the number of the current segment.
func (l *Log) Segment() uint64 { return l.segment.number }

// Size is the number of bytes that the current segment's records take.
func (l *Log) Size() int64 { return l.end - segmentLen }

// Append writes a record and makes it durable. Its payload is rec[HeaderLen:]; the bytes before are overwritten, and rec must
// not be changed any more. After an error of a write the log is as before and may be used on. After an error of a sync
// it is not known whether the record will be found again, and every further use is the same error (Broken tells).
func (l *Log) Append(rec []byte) error {
	if l.broken != nil {
		return l.broken
	}
	binary.LittleEndian.PutUint32(rec, uint32(len(rec)-HeaderLen))
	binary.LittleEndian.PutUint64(rec[8:], l.next)
	binary.LittleEndian.PutUint32(rec[4:], l.segment.checksum(rec))
	end := alignUp(l.end + int64(len(rec)))
	if err := l.grow(end); err != nil {
		return err
	}
	if _, err := l.file.WriteAt(rec, l.end); err != nil {
		return err
	}
	if err := l.file.Sync(); err != nil {
		l.broken = err
		return err
	}
	l.end = end
	l.next++
	return nil
}

func alignUp(n int64) int64 { return (n + align - 1) &^ (align - 1) }

// grow makes room up to end and more, by zeros, so that the syncs that follow have only content to write.
func (l *Log) grow(end int64) error {
	if end <= l.room {
		return nil
	}
	room := end + min(max(l.room, minGrow), maxGrow)
	if err := writeZeros(l.file, l.room, room); err != nil {
		return err
	}
	l.room = room
	return nil
}

var zeros [256 << 10]byte

func writeZeros(f vfs.File, from, to int64) error {
	for from < to {
		n := min(to-from, int64(len(zeros)))
		if _, err := f.WriteAt(zeros[:n], from); err != nil {
			return err
		}
		from += n
	}
	return nil
}

// Broken tells the error of a sync that failed; nil while the log is usable.
func (l *Log) Broken() error { return l.broken }

// Rotate goes on in a new segment. After an error the log is as before.
func (l *Log) Rotate() error {
	if l.broken != nil {
		return l.broken
	}
	return l.begin(l.segment.number + 1)
}

// Cut lets go of the segments before first, which must not be above the current one. The newest of them becomes the spare
// file. Names that come back after a power loss do no harm: Open removes them.
func (l *Log) Cut(first uint64) error {
	for ; l.oldest < first; l.oldest++ {
		name := segmentName(l.oldest)
		var err error
		if l.oldest+1 == first {
			err = l.fs.Rename(name, spareName)
		} else {
			err = l.fs.Remove(name)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// DropSpare removes the spare file, if there is one.
func (l *Log) DropSpare() error {
	if err := l.fs.Remove(spareName); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Close closes the files; everything is synced.
func (l *Log) Close() error {
	if l.file == nil {
		return nil
	}
	f := l.file
	l.file = nil
	return f.Close()
}

// segments lists the numbers of all segments, sorted.
func segments(fsys vfs.FS) ([]uint64, error) {
	names, err := fsys.List()
	if err != nil {
		return nil, err
	}
	var numbers []uint64
	for _, name := range names {
		if n, ok := segmentNumber(name); ok {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}

func damaged(number uint64, format string, args ...any) error {
	return dberr.New(dberr.DataCorrupted, "log segment %s is damaged: %s", segmentName(number), fmt.Sprintf(format, args...)).
		WithHint("Restore the store from a backup.")
}
