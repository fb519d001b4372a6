package doc

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/omgdb/omgdb/storage/dberr"
)

// field locates one element of an object inside a buffer: type byte at start, key of keyLen bytes after it, end.
type field struct {
	start, keyLen, end int32 // values are smaller than MaxValueSize
}

func newField(start, keyLen, end int) field { return field{int32(start), int32(keyLen), int32(end)} }

func (f field) key(b []byte) []byte { return b[f.start+1 : f.start+1+f.keyLen] }

func (f field) value(b []byte) Value {
	at := f.start + 2 + f.keyLen
	return Value{b[f.start], b[at:f.end:f.end]}
}

// CompareKeys is jsonb's order of object keys: by length, then by bytes.
func CompareKeys(a, b []byte) int {
	if len(a) != len(b) {
		return sign(len(a) - len(b))
	}
	return bytes.Compare(a, b)
}

// appendFields lists the elements of a raw object in stored order.
func appendFields(dst []field, raw []byte) []field {
	for e := Doc(raw).Elements(); ; {
		start := e.pos
		k, _, ok := e.Next()
		if !ok {
			return dst
		}
		dst = append(dst, newField(start, len(k), e.pos))
	}
}

// sortFields puts the fields of b in jsonb's key order; equal keys keep their order. It reports whether they were in
// strict order already.
func sortFields(b []byte, fields []field) (wasSorted bool) {
	for i := 1; i < len(fields); i++ {
		if CompareKeys(fields[i-1].key(b), fields[i].key(b)) >= 0 {
			slices.SortStableFunc(fields, func(x, y field) int { return CompareKeys(x.key(b), y.key(b)) })
			return false
		}
	}
	return true
}

// fieldRoom is how many fields of an object are sorted without allocating.
const fieldRoom = 24

// canonicalFields lists the elements of a raw object in jsonb's key order.
func canonicalFields(dst []field, raw []byte) []field {
	dst = appendFields(dst, raw)
	sortFields(raw, dst)
	return dst
}

// CanonicalFields gives an object's number of fields and, when each is not nil, the fields in jsonb's key order.
func (v Value) CanonicalFields(each func(name []byte, v Value)) int {
	var room [fieldRoom]field
	fields := canonicalFields(room[:0], v.Data)
	if each != nil {
		for i := range fields {
			each(fields[i].key(v.Data), fields[i].value(v.Data))
		}
	}
	return len(fields)
}

// finisher closes objects while a document is written: it orders keys, drops duplicates and keeps scratch memory.
type finisher struct {
	tmp    []byte
	sorted []field
}

// canonical rewrites the object body buf[fields[0].start:] in jsonb's key order, the last duplicate winning.
func (f *finisher) canonical(buf []byte, fields []field) []byte {
	if sortFields(buf, fields) {
		return buf
	}
	f.tmp = f.tmp[:0]
	begin := len(buf)
	for i, x := range fields {
		begin = min(begin, int(x.start))
		if i+1 < len(fields) && bytes.Equal(x.key(buf), fields[i+1].key(buf)) {
			continue
		}
		f.tmp = append(f.tmp, buf[x.start:x.end]...)
	}
	return append(buf[:begin], f.tmp...)
}

// unique drops duplicate keys of an object body that keeps its order: the first place, the last value.
func (f *finisher) unique(buf []byte, fields []field) []byte {
	if !f.hasDuplicate(buf, fields) {
		return buf
	}
	f.tmp = f.tmp[:0]
	for i, x := range fields {
		if slices.ContainsFunc(fields[:i], func(y field) bool { return bytes.Equal(x.key(buf), y.key(buf)) }) {
			continue
		}
		last := x
		for _, y := range fields[i+1:] {
			if bytes.Equal(x.key(buf), y.key(buf)) {
				last = y
			}
		}
		f.tmp = append(f.tmp, buf[last.start:last.end]...)
	}
	return append(buf[:fields[0].start], f.tmp...)
}

func (f *finisher) hasDuplicate(buf []byte, fields []field) bool {
	if len(fields) <= 8 {
		for i, x := range fields {
			for _, y := range fields[:i] {
				if x.keyLen == y.keyLen && bytes.Equal(x.key(buf), y.key(buf)) {
					return true
				}
			}
		}
		return false
	}
	f.sorted = append(f.sorted[:0], fields...)
	sortFields(buf, f.sorted)
	for i := 1; i < len(f.sorted); i++ {
		if bytes.Equal(f.sorted[i-1].key(buf), f.sorted[i].key(buf)) {
			return true
		}
	}
	return false
}

// endObject patches the length of the object that begins at start, after writing its final zero.
func endObject(buf []byte, start int) []byte {
	buf = append(buf, 0)
	binary.LittleEndian.PutUint32(buf[start:], uint32(len(buf)-start))
	return buf
}

func tooDeep() error {
	return dberr.New(dberr.StatementTooComplex, "JSON value is nested deeper than %d levels", MaxDepth).
		WithHint("Store deeply nested data as text, or flatten it.")
}

func tooLarge(limit int) error {
	return dberr.New(dberr.ProgramLimitExceeded, "JSON value is larger than the maximum of %d bytes", limit)
}
