package postings

import (
	"encoding/binary"
	"math"
	"sort"
)

// Lengths stand in blocks of lengthBlock ordinals. The first byte says how: the number of bytes of a length, for each ordinal of the range
// (0 is none, others are the length + 1), or 0 for few documents: for each of them the place in the block (2) and the length (4).
const lengthBlock = 4096

// docLength is a document and its length.
type docLength struct {
	ordinal uint32
	length  uint32
}

// appendLengths encodes the lengths of the documents of one block, in order.
func appendLengths(dst []byte, list []docLength) []byte {
	if len(list) < lengthBlock/12 {
		dst = append(dst, 0)
		for _, d := range list {
			dst = binary.LittleEndian.AppendUint16(dst, uint16(d.ordinal%lengthBlock))
			dst = binary.LittleEndian.AppendUint32(dst, d.length)
		}
		return dst
	}
	most := uint32(0)
	for _, d := range list {
		most = max(most, d.length)
	}
	size := 1
	for size < 4 && uint64(most)+1 >= 1<<(8*size) {
		size *= 2
	}
	at := len(dst) + 1
	dst = append(dst, byte(size))
	dst = append(dst, make([]byte, size*(int(list[len(list)-1].ordinal%lengthBlock)+1))...)
	for _, d := range list {
		p := dst[at+size*int(d.ordinal%lengthBlock):]
		switch size {
		case 1:
			p[0] = byte(d.length + 1)
		case 2:
			binary.LittleEndian.PutUint16(p, uint16(d.length+1))
		default:
			binary.LittleEndian.PutUint32(p, min(d.length, math.MaxUint32-1)+1)
		}
	}
	return dst
}

// lengthIn finds the length of a document in its block.
func lengthIn(b []byte, ordinal uint32) (uint32, bool) {
	if len(b) == 0 {
		return 0, false
	}
	place := int(ordinal % lengthBlock)
	v := uint32(0)
	switch size := int(b[0]); size {
	case 0:
		list := b[1:]
		n := len(list) / 6
		i := sort.Search(n, func(i int) bool { return int(binary.LittleEndian.Uint16(list[6*i:])) >= place })
		if i == n || int(binary.LittleEndian.Uint16(list[6*i:])) != place {
			return 0, false
		}
		return binary.LittleEndian.Uint32(list[6*i+2:]), true
	case 1:
		if 1+place < len(b) {
			v = uint32(b[1+place])
		}
	case 2:
		if at := 1 + 2*place; at+2 <= len(b) {
			v = uint32(binary.LittleEndian.Uint16(b[at:]))
		}
	default:
		if at := 1 + 4*place; at+4 <= len(b) {
			v = binary.LittleEndian.Uint32(b[at:])
		}
	}
	return v - 1, v > 0
}

// eachLength visits the documents of a block.
func eachLength(b []byte, block uint32, visit func(docLength)) {
	if len(b) == 0 {
		return
	}
	if b[0] == 0 {
		for list := b[1:]; len(list) >= 6; list = list[6:] {
			visit(docLength{block*lengthBlock + uint32(binary.LittleEndian.Uint16(list)), binary.LittleEndian.Uint32(list[2:])})
		}
		return
	}
	for i := range uint32((len(b) - 1) / int(b[0])) {
		if n, ok := lengthIn(b, i); ok {
			visit(docLength{block*lengthBlock + i, n})
		}
	}
}

// Row keys stand in blocks of keyBlock ordinals: what all keys begin with (its length 2), the number of keys (2), their places in the block
// (1 each), where the rest of each ends (4 each), and these.
const keyBlock = 256

// docKey is a document and its row's key.
type docKey struct {
	ordinal uint32
	key     []byte
}

// appendKeys encodes the row keys of one block, in order.
func appendKeys(dst []byte, list []docKey) []byte {
	common := list[0].key
	for _, d := range list[1:] {
		n := 0
		for n < len(common) && n < len(d.key) && common[n] == d.key[n] {
			n++
		}
		common = common[:n]
	}
	dst = binary.LittleEndian.AppendUint16(dst, uint16(len(common)))
	dst = append(dst, common...)
	dst = binary.LittleEndian.AppendUint16(dst, uint16(len(list)))
	for _, d := range list {
		dst = append(dst, byte(d.ordinal%keyBlock))
	}
	end := uint32(0)
	for _, d := range list {
		end += uint32(len(d.key) - len(common))
		dst = binary.LittleEndian.AppendUint32(dst, end)
	}
	for _, d := range list {
		dst = append(dst, d.key[len(common):]...)
	}
	return dst
}

// keysIn is an opened block of row keys.
type keysIn struct {
	common, places, ends, rest []byte
}

func openKeys(b []byte) (k keysIn, err error) {
	r := byteReader{b: b}
	two := func() uint64 {
		if p := r.bytes(2); p != nil {
			return uint64(binary.LittleEndian.Uint16(p))
		}
		return 0
	}
	k.common = r.bytes(two())
	n := two()
	k.places, k.ends = r.bytes(n), r.bytes(4*n)
	k.rest = r.b
	return k, r.err
}

// key appends the i-th key.
func (k *keysIn) key(dst []byte, i int) []byte {
	from := uint32(0)
	if i > 0 {
		from = binary.LittleEndian.Uint32(k.ends[4*(i-1):])
	}
	to := min(binary.LittleEndian.Uint32(k.ends[4*i:]), uint32(len(k.rest)))
	return append(append(dst, k.common...), k.rest[min(from, to):to]...)
}

// find gives the number of the key of an ordinal, -1 for none.
func (k *keysIn) find(ordinal uint32) int {
	place := byte(ordinal % keyBlock)
	if len(k.places) == keyBlock {
		return int(place) // no gaps
	}
	i := sort.Search(len(k.places), func(i int) bool { return k.places[i] >= place })
	if i == len(k.places) || k.places[i] != place {
		return -1
	}
	return i
}
