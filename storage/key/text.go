package key

import (
	"bytes"
	"unsafe"
)

// Text and bytes are encoded as they are, except that a zero byte is followed by 0xFF, and that zero, one ends them. So
// "a" < "a\x00" < "ab", and whatever follows in the key never decides between different texts.
const (
	escape    = 0x00
	escaped   = 0xFF // behind escape: a zero byte of the text
	terminate = 0x01 // behind escape: the end
)

// AppendText appends text in bytewise order (C.UTF-8).
func AppendText(dst []byte, s string) []byte {
	return AppendBytes(dst, unsafe.Slice(unsafe.StringData(s), len(s)))
}

// AppendBytes appends bytes in bytewise order. Anything that has an order-preserving byte form of its own, self-delimiting
// or not, becomes a component in this way.
func AppendBytes(dst, b []byte) []byte {
	for {
		i := bytes.IndexByte(b, 0)
		if i < 0 {
			return append(append(dst, b...), escape, terminate)
		}
		dst = append(append(dst, b[:i+1]...), escaped)
		b = b[i+1:]
	}
}

// skipText gives the length of an encoded text; false when b ends before it, or holds what AppendBytes never writes.
func skipText(b []byte) (int, bool) {
	at := 0
	for {
		i := bytes.IndexByte(b[at:], escape)
		if i < 0 || at+i+1 >= len(b) {
			return 0, false
		}
		at += i + 2
		switch b[at-1] {
		case escaped:
		case terminate:
			return at, true
		default:
			return 0, false
		}
	}
}

// appendDecodedText appends the text of a whole encoding.
func appendDecodedText(dst, b []byte) []byte {
	b = b[:len(b)-2]
	for {
		i := bytes.IndexByte(b, escape)
		if i < 0 {
			return append(dst, b...)
		}
		dst = append(dst, b[:i+1]...)
		b = b[i+2:]
	}
}
