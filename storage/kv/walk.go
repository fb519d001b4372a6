package kv

import (
	"bytes"
	"encoding/binary"

	"github.com/omgdb/omgdb/storage/dberr"
)

// StampLen is the length of a stamped LSN.
const StampLen = 8

// Closed is the error of using a store, or a snapshot of it, after Close.
func Closed() error {
	return dberr.New(dberr.AdminShutdown, "the store is closed")
}

// CheckLSNs tells whether the group's LSNs rise strictly from last on; it gives the newest.
func CheckLSNs(last LSN, group []Batch) (LSN, error) {
	for _, b := range group {
		n := b.LSN()
		if n <= last {
			return last, dberr.New(dberr.InternalError, "commit %d does not follow commit %d", n, last)
		}
		last = n
	}
	return last, nil
}

// Walk passes once over the operations of b in key order and calls f for each, after checking it against the
// contract: order, lengths, stamps. It is the one way in which engines read a batch.
func Walk(b Batch, f func(op *Op) error) error {
	it := b.Ops()
	var prev []byte
	var room [2][]byte // for stamped keys: the current one and the one before
	var op Op          // one for all: it escapes to f
	for n := 0; ; n++ {
		var ok bool
		var err error
		op, ok, err = it.Next()
		if err != nil || !ok {
			return err
		}
		if err := op.check(); err != nil {
			return err
		}
		key := op.Key
		if op.KeyStamp != NoStamp {
			room[n%2] = op.AppendKey(room[n%2][:0], b.LSN())
			key = room[n%2]
		}
		if prev != nil && bytes.Compare(prev, key) >= 0 {
			return dberr.New(dberr.InternalError, "key %x does not follow key %x in its batch", key, prev)
		}
		if err := f(&op); err != nil {
			return err
		}
		prev = key
	}
}

func (op *Op) check() error {
	switch {
	case len(op.Key) < PrefixLen:
		return dberr.New(dberr.InternalError, "key %x is shorter than its keyspace and object id", op.Key)
	case len(op.Key) > MaxKeyLen:
		return dberr.New(dberr.ProgramLimitExceeded, "a key of %d bytes exceeds the limit of %d", len(op.Key), MaxKeyLen)
	case len(op.Value) > MaxValueLen:
		return dberr.New(dberr.ProgramLimitExceeded, "a value of %d bytes exceeds the limit of %d", len(op.Value), MaxValueLen)
	case !stampFits(op.KeyStamp, len(op.Key)) || op.KeyStamp >= 0 && op.KeyStamp < PrefixLen:
		return dberr.New(dberr.InternalError, "stamp at %d does not fit key %x", op.KeyStamp, op.Key)
	case !op.Delete && !stampFits(op.ValueStamp, len(op.Value)):
		return dberr.New(dberr.InternalError, "stamp at %d does not fit the value of key %x", op.ValueStamp, op.Key)
	}
	return nil
}

func stampFits(at, length int) bool {
	return at == NoStamp || at >= 0 && at <= length-StampLen
}

// AppendKey appends the key with its stamp filled in.
func (op *Op) AppendKey(dst []byte, lsn LSN) []byte {
	return appendStamped(dst, op.Key, op.KeyStamp, lsn)
}

// AppendValue appends the value with its stamp filled in.
func (op *Op) AppendValue(dst []byte, lsn LSN) []byte {
	return appendStamped(dst, op.Value, op.ValueStamp, lsn)
}

func appendStamped(dst, src []byte, at int, lsn LSN) []byte {
	n := len(dst)
	dst = append(dst, src...)
	if at != NoStamp {
		binary.BigEndian.PutUint64(dst[n+at:], uint64(lsn))
	}
	return dst
}
