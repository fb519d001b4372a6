package doc

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// sizeClass says how long a value of each BSON type is: a fixed number of bytes, or one of the classes below.
var sizeClass = [256]int8{
	TypeDouble: 8, TypeObjectID: 12, TypeBool: 1, TypeDate: 8, TypeInt32: 4, TypeTimestamp: 8, TypeInt64: 8,
	TypeDecimal128: 16, TypeNull: sizeZero, TypeUndefined: sizeZero, TypeMaxKey: sizeZero, TypeMinKey: sizeZero,
	TypeString: sizeString, TypeSymbol: sizeString, TypeCode: sizeString,
	TypeObject: sizeDocument, TypeArray: sizeDocument, TypeCodeScope: sizeDocument,
	TypeBinary: sizeBinary, TypeRegex: sizeRegex, TypeDBPointer: sizeDBPointer,
}

const (
	sizeInvalid   = 0  // not a BSON type
	sizeZero      = -1 // no bytes
	sizeString    = -2 // int32 length (with the final zero), bytes, zero
	sizeDocument  = -3 // int32 length of the whole
	sizeBinary    = -4 // int32 length, subtype, bytes
	sizeRegex     = -5 // two zero-terminated strings
	sizeDBPointer = -6 // string, 12 bytes
)

// valueEnd gives the offset after the value of type t that starts at pos, or -1 when the bytes are damaged.
func valueEnd(t byte, b []byte, pos int) int {
	class := sizeClass[t]
	if class > 0 {
		pos += int(class)
		if pos > len(b) {
			return -1
		}
		return pos
	}
	return variableEnd(class, b, pos)
}

func variableEnd(class int8, b []byte, pos int) int {
	switch class {
	case sizeZero:
		return pos
	case sizeRegex:
		for range 2 {
			n := bytes.IndexByte(b[pos:], 0)
			if n < 0 {
				return -1
			}
			pos += n + 1
		}
		return pos
	case sizeInvalid:
		return -1
	}
	if pos+4 > len(b) {
		return -1
	}
	n := int(binary.LittleEndian.Uint32(b[pos:]))
	least := 1
	switch class {
	case sizeString:
		n += 4
		least = 5
	case sizeDocument:
		least = 5
	case sizeBinary:
		n += 5
		least = 5
	case sizeDBPointer:
		n += 4 + 12
		least = 5 + 12
	}
	if n < least || n > len(b)-pos {
		return -1
	}
	return pos + n
}

const (
	lowBits  = 0x0101010101010101
	highBits = 0x8080808080808080
)

// zeroBytes marks (with 0x80) the first zero byte of w; marks above the first may be false.
func zeroBytes(w uint64) uint64 { return (w - lowBits) &^ w & highBits }

// zeroAt gives the offset of the zero that ends the key at pos, or -1.
func zeroAt(b []byte, pos int) int {
	for pos+8 <= len(b) {
		if z := zeroBytes(binary.LittleEndian.Uint64(b[pos:])); z != 0 {
			return pos + bits.TrailingZeros64(z)>>3
		}
		pos += 8
	}
	for ; pos < len(b); pos++ {
		if b[pos] == 0 {
			return pos
		}
	}
	return -1
}

// scanElement reads the element at pos of a document, which must not be its end: the key's first 8 bytes (zero-padded), the
// offset of the zero that ends the key, and the offset after the value. end is -1 when the bytes are damaged. It is the inner
// loop of every search in documents, hence one function without calls for the usual types.
func scanElement(b []byte, pos int) (word uint64, keyEnd, end int) {
	start := pos + 1
	if start+8 <= len(b) {
		w := binary.LittleEndian.Uint64(b[start:])
		if z := zeroBytes(w); z != 0 {
			shift := uint(bits.TrailingZeros64(z)) &^ 7
			word, keyEnd = w&(1<<shift-1), start+int(shift>>3)
		} else if word, keyEnd = w, zeroAt(b, start+8); keyEnd < 0 {
			return 0, 0, -1
		}
	} else if word, keyEnd = lastKey(b, start); keyEnd < 0 {
		return 0, 0, -1
	}
	end = keyEnd + 1
	class := sizeClass[b[pos]]
	switch {
	case class > 0:
		end += int(class)
	case class == sizeString && end+4 <= len(b):
		n := int(binary.LittleEndian.Uint32(b[end:]))
		if end += 4 + n; n < 1 {
			return 0, 0, -1
		}
	default:
		return word, keyEnd, variableEnd(class, b, end)
	}
	if end > len(b) {
		end = -1
	}
	return word, keyEnd, end
}

// lastKey reads a key within 8 bytes of the document's end.
func lastKey(b []byte, start int) (word uint64, end int) {
	if end = zeroAt(b, start); end < 0 {
		return 0, -1
	}
	for i, c := range b[start:min(end, start+8)] {
		word |= uint64(c) << (8 * i)
	}
	return word, end
}

// Elements walks the elements of an object or array in stored order; for arrays the keys have no meaning.
// Make one with Doc.Elements or Value.Elements.
type Elements struct {
	b   []byte
	pos int
}

// Elements starts a walk over the document's elements.
func (d Doc) Elements() Elements {
	if len(d) < 5 {
		return Elements{}
	}
	n := int(binary.LittleEndian.Uint32(d))
	if n < 5 || n > len(d) {
		return Elements{}
	}
	return Elements{b: d[:n], pos: 4}
}

// Elements starts a walk over an object or array; over any other value it is empty.
func (v Value) Elements() Elements { return v.Doc().Elements() }

// Next gives the next element. ok is false at the end, and from the first damaged byte on.
func (e *Elements) Next() (key []byte, v Value, ok bool) {
	if e.pos >= len(e.b) {
		return nil, Value{}, false
	}
	t := e.b[e.pos]
	if t == 0 {
		return nil, Value{}, false
	}
	_, end, next := scanElement(e.b, e.pos)
	if next < 0 {
		e.pos = len(e.b)
		return nil, Value{}, false
	}
	key, v = e.b[e.pos+1:end:end], Value{t, e.b[end+1 : next : next]}
	e.pos = next
	return key, v, true
}

// Len counts the elements of an object or array; 0 for any other value.
func (v Value) Len() int {
	n := 0
	for e := v.Elements(); ; n++ {
		if _, _, ok := e.Next(); !ok {
			return n
		}
	}
}

// Lookup finds a key of the document. The result aliases d; it is missing when the key is absent.
func (d Doc) Lookup(key string) Value {
	for e := d.Elements(); ; {
		k, v, ok := e.Next()
		if !ok {
			return Value{}
		}
		if string(k) == key {
			return v
		}
	}
}

// firstElement gives the first element of an object or array.
func firstElement(v Value) (key []byte, elem Value, ok bool) {
	e := v.Elements()
	return e.Next()
}
