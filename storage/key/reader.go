package key

import (
	"encoding/binary"
	"slices"

	"github.com/omgdb/omgdb/storage/dberr"
)

// ErrCut tells that a component was cut (see Cut): its value is not in the key, only in the row.
var ErrCut error = dberr.New(dberr.InternalError, "the value is too long to be read from the index")

// Reader reads the components of a typed key one after the other. Each method that reads gives null for NULL and an error
// XX001 for bytes that are no such component, or ErrCut; after ErrCut the reader stands behind the component. Values in
// bytes, a Number's digits too, are valid until the next call.
type Reader struct {
	rest []byte
	cuts bool
	room []byte
}

// RowKey begins to read a typed row key.
func (r *Reader) RowKey(k []byte) { r.rest, r.cuts = k, false }

// Entry begins to read the key of an index entry, behind keyspace and object id: long components are cut there.
func (r *Reader) Entry(k []byte) { r.rest, r.cuts = k, true }

// Rest is what was not yet read: in an index entry, behind the last component, the row key.
func (r *Reader) Rest() []byte { return r.rest }

// Skip passes over a component and gives its encoding.
func (r *Reader) Skip(o Order, k Kind) ([]byte, error) {
	begin := r.rest
	_, _, err := r.next(o, k)
	if err != nil && err != ErrCut {
		return nil, err
	}
	return begin[:len(begin)-len(r.rest)], nil
}

// next takes a component off and gives its value, ascending.
func (r *Reader) next(o Order, k Kind) (value []byte, null bool, err error) {
	r.room = r.room[:0]
	if len(r.rest) == 0 {
		return nil, false, corrupt("component", r.rest)
	}
	switch mark := r.rest[0]; {
	case mark == nullFirst && o.NullsFirst, mark == nullLast && !o.NullsFirst:
		r.rest = r.rest[1:]
		return nil, true, nil
	case mark != present:
		return nil, false, corrupt("component", r.rest)
	}
	asc := r.rest
	if r.cuts {
		asc = asc[:min(len(asc), CutAt)]
	}
	if o.Desc {
		r.room = append(r.room, asc...)
		asc = complementIf(true, r.room, 1)
	}
	switch n, ok := k.skip(asc); {
	case ok:
		r.rest = r.rest[n:]
		return asc[1:n], false, nil
	case r.cuts && len(r.rest) >= CutAt+cutHash:
		r.rest = r.rest[CutAt+cutHash:]
		return nil, false, ErrCut
	}
	return nil, false, corrupt("component", r.rest)
}

// skip finds the end of a component that is not NULL.
func (k Kind) skip(b []byte) (int, bool) {
	skip := skipList
	if k != ListKind {
		skip = skippers[k]
	}
	n, ok := skip(b[1:])
	return 1 + n, ok
}

// maxExp is beyond the exponents of all types of numbers; a damaged key must not make us write that many zeros.
const maxExp = 1 << 18

// Number reads what Int, Float or Numeric wrote.
func (r *Reader) Number(o Order) (n Number, null bool, err error) {
	b, null, err := r.next(o, NumberKind)
	if err != nil || null {
		return n, null, err
	}
	r.room = slices.Grow(r.room, 2*len(b)) // behind b, which may lie in it
	if n = decodeNumber(b, r.room[len(r.room):]); n.Exp < -maxExp || n.Exp > maxExp {
		return n, false, corrupt("number", b)
	}
	return n, false, nil
}

// Int reads an integer.
func (r *Reader) Int(o Order) (i int64, null bool, err error) {
	at := r.rest
	n, null, err := r.Number(o)
	if err != nil || null {
		return 0, null, err
	}
	i, ok := n.Int()
	if !ok {
		return 0, false, corrupt("integer", at)
	}
	return i, false, nil
}

// Text reads what Text or Bytes wrote.
func (r *Reader) Text(o Order) (b []byte, null bool, err error) {
	b, null, err = r.next(o, TextKind)
	if err != nil || null {
		return nil, null, err
	}
	at := len(r.room)
	r.room = appendDecodedText(r.room, b)
	return r.room[at:], false, nil
}

// Bool reads a boolean.
func (r *Reader) Bool(o Order) (v, null bool, err error) {
	at := r.rest
	b, null, err := r.next(o, BoolKind)
	if err != nil || null {
		return false, null, err
	}
	if b[0] > 1 {
		return false, false, corrupt("boolean", at)
	}
	return b[0] == 1, false, nil
}

// Fixed reads a number of days or microseconds.
func (r *Reader) Fixed(o Order) (i int64, null bool, err error) {
	b, null, err := r.next(o, FixedKind)
	if err != nil || null {
		return 0, null, err
	}
	return int64(binary.BigEndian.Uint64(b) ^ 1<<63), false, nil
}

// UUID reads a uuid.
func (r *Reader) UUID(o Order) (u [16]byte, null bool, err error) {
	b, null, err := r.next(o, WideKind)
	if err != nil || null {
		return u, null, err
	}
	return [16]byte(b), false, nil
}
