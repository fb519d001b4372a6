package vector

import (
	"encoding/binary"
	"math"
	"math/bits"
	"unsafe"

	"github.com/omgdb/omgdb/storage/dberr"
)

// blockRows is how many ordinals a block holds.
const blockRows = 1024

// A block's value is the number of slots it has room for (2 bytes, and 6 that are zero), a bit for each of its 1,024 slots that tells
// whether there is a row, the four factors of all slots one kind after the other, and the bits of all slots.
const blockHead = 8 + blockRows/8

// block is a block in memory. One that was read lies in the store's memory and must not be changed.
type block struct {
	slots   int
	present []uint64 // blockRows/64
	factors [4][]float32
	codes   []uint64 // slots × words
}

func (p *params) blockLen(slots int) int { return blockHead + slots*p.codeLen() }

// readBlock makes a block of its value. Where the processor reads the numbers as they are stored it shares the value's memory.
func (p *params) readBlock(v []byte) (block, error) {
	if len(v) < blockHead {
		return block{}, damaged("block")
	}
	n := int(binary.LittleEndian.Uint16(v))
	if n > blockRows || len(v) != p.blockLen(n) {
		return block{}, damaged("block")
	}
	b := block{slots: n, present: words(v[8:blockHead])}
	at := blockHead
	for i := range b.factors {
		b.factors[i] = Floats(v[at : at+4*n])
		at += 4 * n
	}
	b.codes = words(v[at:])
	for w := n; w < blockRows; w++ {
		if b.has(w) {
			return block{}, damaged("block")
		}
	}
	return b, nil
}

func (b *block) has(slot int) bool { return b.present[slot/64]>>(slot%64)&1 != 0 }

func (b *block) count() int {
	n := 0
	for _, w := range b.present {
		n += bits.OnesCount64(w)
	}
	return n
}

// builder is a block being written.
type builder struct {
	p     *params
	codes [blockRows][]byte // nil: no row
}

func (b *builder) load(old block) {
	w := b.p.words()
	for i := range old.slots {
		if !old.has(i) {
			continue
		}
		c := appendFactors(make([]byte, 0, b.p.codeLen()), old.factors[0][i], old.factors[1][i], old.factors[2][i], old.factors[3][i])
		for _, x := range old.codes[i*w : (i+1)*w] {
			c = binary.LittleEndian.AppendUint64(c, x)
		}
		b.codes[i] = c
	}
}

// value gives the block's value, nil when it has no rows.
func (b *builder) value() []byte {
	n := 0
	for i, c := range b.codes {
		if c != nil {
			n = i + 1
		}
	}
	if n == 0 {
		return nil
	}
	out := make([]byte, b.p.blockLen(n))
	binary.LittleEndian.PutUint16(out, uint16(n))
	for i, c := range b.codes[:n] {
		if c == nil {
			continue
		}
		out[8+i/8] |= 1 << (i % 8)
		for f := range 4 {
			copy(out[blockHead+4*(f*n+i):], c[4*f:4*f+4])
		}
		copy(out[blockHead+factorLen*n+8*b.p.words()*i:], c[factorLen:])
	}
	return out
}

var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

func words(b []byte) []uint64 {
	if n := len(b) / 8; n == 0 {
		return nil
	} else if littleEndian {
		return unsafe.Slice((*uint64)(unsafe.Pointer(&b[0])), n)
	}
	out := make([]uint64, len(b)/8)
	for i := range out {
		out[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return out
}

// Floats shows packed little-endian float32s, for as long as the bytes are valid.
func Floats(b []byte) []float32 {
	if n := len(b) / 4; n == 0 {
		return nil
	} else if littleEndian {
		return unsafe.Slice((*float32)(unsafe.Pointer(&b[0])), n)
	}
	out := make([]float32, len(b)/4)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return out
}

func damaged(what string) error {
	return dberr.New(dberr.IndexCorrupted, "a %s of a vector index is damaged", what).WithHint("Build the index again with REINDEX.")
}
