package key

import (
	"bytes"
	"encoding/binary"
)

// SkipBSON takes one value in BSON order, whole or cut, off the beginning of k and gives it and what follows: in an index
// entry the next component or the row key. An error XX001 means that k does not begin with one.
func SkipBSON(k []byte) (value, rest []byte, cut bool, err error) {
	n, cut, ok := component(k, skipBSON)
	if !ok {
		return nil, nil, false, corrupt("value", k)
	}
	return k[:n], k[n:], cut, nil
}

func skipBSON(b []byte) (int, bool) {
	if len(b) == 0 {
		return 0, false
	}
	n, ok := skipBody(Class(b[0]), b[1:])
	return 1 + n, ok
}

func skipBody(c Class, b []byte) (int, bool) {
	switch c {
	case NumberClass:
		return skipNumber(b)
	case StringClass, CodeClass:
		return skipText(b)
	case ObjectClass, ArrayClass:
		return skipMembers(b, c == ObjectClass)
	case BinaryClass:
		return skipCounted(b, 5)
	case DBPointerClass:
		return skipCounted(b, 4)
	case ObjectIDClass:
		return 12, len(b) >= 12
	case BoolClass:
		return 1, len(b) >= 1
	case DateClass:
		return 10, len(b) >= 10
	case TimestampClass:
		return 8, len(b) >= 8
	case RegexClass:
		return skipRegex(b)
	case ScopeClass:
		n, ok := skipText(b)
		if !ok {
			return 0, false
		}
		m, ok := skipMembers(b[n:], true)
		return n + m, ok
	case MinKeyClass, UndefinedClass, NullClass, MaxKeyClass:
		return 0, true
	}
	return 0, false
}

// skipCounted passes over a length, the rest of a head of so many bytes, and as many bytes as the length says.
func skipCounted(b []byte, head int) (int, bool) {
	if len(b) < head {
		return 0, false
	}
	n := head + int(binary.BigEndian.Uint32(b))
	return n, len(b) >= n
}

// skipRegex passes over two texts that end with a zero.
func skipRegex(b []byte) (int, bool) {
	i := bytes.IndexByte(b, 0)
	if i < 0 {
		return 0, false
	}
	j := bytes.IndexByte(b[i+1:], 0)
	return i + j + 2, j >= 0
}

// skipMembers passes over the members of an object or array. It keeps the open ones on a stack of its own instead of
// recursing, since a damaged key may claim any depth.
func skipMembers(b []byte, keys bool) (int, bool) {
	open := []bool{keys}
	at := 0
	for at < len(b) {
		c := Class(b[at])
		at++
		if c == membersEnd {
			if open = open[:len(open)-1]; len(open) == 0 {
				return at, true
			}
			continue
		}
		if open[len(open)-1] {
			i := bytes.IndexByte(b[at:], 0)
			if i < 0 {
				return 0, false
			}
			at += i + 1
		}
		if c == ObjectClass || c == ArrayClass {
			open = append(open, c == ObjectClass)
			continue
		}
		n, ok := skipBody(c, b[at:])
		if !ok {
			return 0, false
		}
		at += n
	}
	return 0, false
}
