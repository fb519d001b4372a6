package bolt

import (
	"encoding/binary"
	"errors"

	"github.com/omgdb/omgdb/storage/kv"
)

// A log record is one group. Its payload is, batch by batch:
//
//	LSN (8, big-endian), kind (1), then
//	inlineBatch: number of operations, and each: length of key * 2, + 1 for a delete; key; for a put length of value, value
//	runBatch:    number of the run file, its length
//
// with numbers as uvarints. Stamps are filled in.
const (
	inlineBatch = 1
	runBatch    = 2
)

// record builds a group's log record. The batches' keys and values will be read from its buffer, which therefore is never
// changed once it is written.
type record struct {
	buf []byte
}

// inline appends a batch with its operations; false, and nothing is appended, if they take more than limit bytes.
func (r *record) inline(b kv.Batch, limit int64) (ok bool, err error) {
	if b.Size() > limit {
		return false, nil
	}
	begin := len(r.buf)
	r.buf = append(binary.BigEndian.AppendUint64(r.buf, uint64(b.LSN())), inlineBatch)
	const countLen = 4 // the number is known afterwards: a uvarint of this width, far above what a batch of limit bytes has
	at := len(r.buf)
	r.buf = append(r.buf, 0x80, 0x80, 0x80, 0)
	n := 0
	err = kv.Walk(b, func(op *kv.Op) error {
		if int64(len(r.buf)-begin+len(op.Key)+len(op.Value)) > 2*limit { // Size was a bad estimate
			return errTooLong
		}
		n++
		r.buf = appendOp(r.buf, op, b.LSN())
		return nil
	})
	if err != nil {
		r.buf = r.buf[:begin]
		if err == errTooLong {
			err = nil
		}
		return false, err
	}
	for i := range countLen {
		r.buf[at+i] |= byte(n>>(7*i)) & 0x7F
	}
	return true, nil
}

var errTooLong = errors.New("the batch is too long for a log record")

func appendOp(buf []byte, op *kv.Op, lsn kv.LSN) []byte {
	head := uint64(len(op.Key)) << 1
	if op.Delete {
		return op.AppendKey(binary.AppendUvarint(buf, head|1), lsn)
	}
	buf = op.AppendKey(binary.AppendUvarint(buf, head), lsn)
	buf = binary.AppendUvarint(buf, uint64(len(op.Value)))
	return op.AppendValue(buf, lsn)
}

// run appends a batch whose operations are in a run file.
func (r *record) run(lsn kv.LSN, f *run) {
	r.buf = append(binary.BigEndian.AppendUint64(r.buf, uint64(lsn)), runBatch)
	r.buf = binary.AppendUvarint(r.buf, f.number)
	r.buf = binary.AppendUvarint(r.buf, uint64(len(f.data)))
}

// recordReader takes a payload apart. Reading past what is there leaves bad set.
type recordReader struct {
	b   []byte
	bad bool
}

func (r *recordReader) take(n uint64) []byte {
	if n > uint64(len(r.b)) {
		r.bad, r.b = true, nil
		return nil
	}
	b := r.b[:n:n]
	r.b = r.b[n:]
	return b
}

func (r *recordReader) uvarint() uint64 {
	n, width := binary.Uvarint(r.b)
	if width <= 0 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[width:]
	return n
}

// batch reads the head of a batch.
func (r *recordReader) batch() (lsn kv.LSN, kind byte) {
	b := r.take(9)
	if r.bad {
		return 0, 0
	}
	return kv.LSN(binary.BigEndian.Uint64(b)), b[8]
}

// op reads an operation; the value of a delete is nil, of a put never.
func (r *recordReader) op() (key, value []byte) {
	head := r.uvarint()
	key = r.take(head >> 1)
	if head&1 == 0 {
		value = r.take(r.uvarint())
	}
	if !r.bad && len(key) < kv.PrefixLen {
		r.bad = true
	}
	return key, value
}

// ops reads the operations of an inline batch.
func (r *recordReader) ops(f func(key, value []byte)) {
	for n := r.uvarint(); n > 0 && !r.bad; n-- {
		if key, value := r.op(); !r.bad {
			f(key, value)
		}
	}
}
