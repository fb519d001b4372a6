package wal

import (
	"encoding/binary"
	"io"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/kv/bolt/vfs"
)

// Open opens the log from segment first on and gives each record's payload to replay, in order; the payloads stay valid. What
// follows the last whole record is the rest of a write that was never acknowledged, and is overwritten. Errors: XX001
// when a segment or a record is missing that once was durable, and replay's own.
func Open(fsys vfs.FS, first uint64, replay func(segment uint64, payload []byte) error) (_ *Log, err error) {
	numbers, err := segments(fsys)
	if err != nil {
		return nil, err
	}
	l := &Log{fs: fsys, oldest: first}
	defer func() {
		if err != nil {
			l.Close()
		}
	}()
	want, records := first, 0
	for i, n := range numbers {
		if n < first { // cut, but the names came back
			if err := fsys.Remove(segmentName(n)); err != nil {
				return nil, err
			}
			continue
		}
		if n != want {
			return nil, missing(want)
		}
		begun, err := l.read(n, n == first, i == len(numbers)-1, func(payload []byte) error {
			records++
			return replay(n, payload)
		})
		if err != nil {
			return nil, err
		}
		if !begun {
			break
		}
		want++
	}
	if want == first {
		return nil, missing(first)
	}
	if records == 0 {
		return l, nil
	}
	return l, l.settle()
}

func missing(number uint64) error {
	return dberr.New(dberr.DataCorrupted, "log segment %s is missing", segmentName(number)).
		WithDetail("The directory wal of a store belongs to it as store.db does.").
		WithHint("Restore the store from a backup.")
}

// settle makes durable what was read: a process that was killed may have left records written but not synced, and from
// now on the store shows them.
func (l *Log) settle() error {
	if err := l.file.Sync(); err != nil {
		return err
	}
	return l.fs.SyncDir()
}

// read reads a segment and goes on in it. begun is false for a last segment whose header is not whole: the power failed
// while it was made, and no record can be in it.
func (l *Log) read(number uint64, isFirst, isLast bool, replay func([]byte) error) (begun bool, err error) {
	f, err := l.fs.Open(segmentName(number))
	if err != nil {
		return false, err
	}
	b, err := readAll(f)
	if err != nil {
		f.Close()
		return false, err
	}
	var h header
	if !h.decode(b) || h.number != number {
		f.Close()
		if !isLast || isFirst {
			return false, damaged(number, "its header is not whole")
		}
		return false, l.fs.Remove(segmentName(number))
	}
	if !isFirst && h.first != l.next {
		f.Close()
		return false, damaged(number-1, "records %d to %d are missing", l.next, h.first-1)
	}
	l.Close()
	l.file, l.segment, l.next, l.end, l.room = f, h, h.first, segmentLen, int64(len(b))
	for {
		payload, ok := h.record(b, l.end, l.next)
		if !ok {
			break
		}
		if err := replay(payload); err != nil {
			return false, err
		}
		l.end = alignUp(l.end + HeaderLen + int64(len(payload)))
		l.next++
	}
	if at, seq, ok := h.findBehind(b, l.end, l.next); ok {
		return false, damaged(number, "record %d at offset %d is not whole, though record %d at %d was written after it", l.next, l.end, seq, at)
	}
	return true, nil
}

func readAll(f vfs.File) ([]byte, error) {
	size, err := f.Size()
	if err != nil {
		return nil, err
	}
	b := make([]byte, size)
	_, err = io.ReadFull(io.NewSectionReader(f, 0, size), b)
	return b, err
}

// record gives the payload of the record at an offset, if one with the sequence number is there and whole.
func (h *header) record(b []byte, at int64, seq uint64) ([]byte, bool) {
	if at > int64(len(b))-HeaderLen {
		return nil, false
	}
	b = b[at:]
	n := int64(binary.LittleEndian.Uint32(b))
	if binary.LittleEndian.Uint64(b[8:]) != seq || n > int64(len(b))-HeaderLen {
		return nil, false
	}
	end := HeaderLen + n
	if binary.LittleEndian.Uint32(b[4:]) != h.checksum(b[:end]) {
		return nil, false
	}
	return b[HeaderLen:end:end], true
}

// findBehind looks for a whole record behind the end of the log: since each record is durable before the next is written, it
// proves that records before it were lost after they had been durable.
func (h *header) findBehind(b []byte, end int64, next uint64) (at int64, seq uint64, found bool) {
	const far = 1 << 24    // more records than a segment can have
	work := int64(1 << 30) // bytes to check, lest values that look like records hold up the opening
	for at := end + align; at <= int64(len(b))-HeaderLen; at += align {
		seq := binary.LittleEndian.Uint64(b[at+8:])
		if seq-next-1 >= far || work < 0 {
			continue
		}
		work -= int64(binary.LittleEndian.Uint32(b[at:]))
		if _, ok := h.record(b, at, seq); ok {
			return at, seq, true
		}
	}
	return 0, 0, false
}
