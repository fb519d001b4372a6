package postings

import (
	"encoding/binary"
	"math/bits"
)

// Numbers are packed into as many bits each as the largest of them needs, from the lowest bit of the first byte on.

// widthOf is the number of bits that the largest of vals needs.
func widthOf(vals []uint32) uint8 {
	var all uint32
	for _, v := range vals {
		all |= v
	}
	return uint8(bits.Len32(all))
}

// packedLen is the number of bytes that n packed numbers take.
func packedLen(n int, width uint8) int { return (n*int(width) + 7) / 8 }

// appendPacked packs vals, none of which needs more than width bits.
func appendPacked(dst []byte, vals []uint32, width uint8) []byte {
	var acc uint64
	var have uint8
	for _, v := range vals {
		acc |= uint64(v) << have
		for have += width; have >= 8; have -= 8 {
			dst = append(dst, byte(acc))
			acc >>= 8
		}
	}
	if have > 0 {
		dst = append(dst, byte(acc))
	}
	return dst
}

// unpack reads len(dst) numbers from src, which holds at least packedLen bytes.
func unpack(dst []uint32, src []byte, width uint8) {
	if width == 0 {
		clear(dst)
		return
	}
	mask := uint64(1)<<width - 1
	bit := 0
	i := 0
	for ; i < len(dst) && bit>>3+8 <= len(src); i++ {
		dst[i] = uint32(binary.LittleEndian.Uint64(src[bit>>3:]) >> (bit & 7) & mask)
		bit += int(width)
	}
	for ; i < len(dst); i++ { // the last numbers have fewer than 8 bytes behind them
		var last [8]byte
		copy(last[:], src[bit>>3:])
		dst[i] = uint32(binary.LittleEndian.Uint64(last[:]) >> (bit & 7) & mask)
		bit += int(width)
	}
}
