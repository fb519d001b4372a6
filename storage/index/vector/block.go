package vector

import (
	"encoding/binary"
	"math"
	"math/bits"
	"unsafe"

	"github.com/omgdb/omgdb/storage/dberr"
)

// blockRows is how many ordinals a block holds, groupRows how many of them are scored at once.
const (
	blockRows = 1024
	groupRows = 64
)

// A block's value begins with the number of slots it has room for (2 bytes), its format (1), and 5 that are zero; then comes a bit for
// each of its 1,024 slots that tells whether there is a row. What follows depends on the format.
//
// grouped: for each 64 slots their bases, weights and deviations (float32, 64 of each), then for each eight elements of a vector 64 bytes,
// one a slot: the low half are the bits of the first four elements, the high half those of the others. So one instruction looks up what 64
// rows' bits add to their products with a query. Behind the groups stand, unless rows are known by their ordinals, the ends of the slots'
// row keys (4 bytes each) and the keys.
//
// plain is what earlier versions wrote: the four factors of all slots one kind after the other, and the bits of all slots, row after row.
// It has no keys; they are in the keyspace Ordinal. Such a block is read as it is and becomes a grouped one when deltas are gathered into it.
const (
	blockHead = 8 + blockRows/8

	formatPlain   = 0
	formatGrouped = 1

	groupFactors = 3 * 4 * groupRows
)

// groupLen is the length of a group.
func (p *params) groupLen() int { return groupFactors + groupRows*8*p.words() }

// groupsOf is how many groups so many slots are.
func groupsOf(slots int) int { return (slots + groupRows - 1) / groupRows }

// block is a grouped block in memory. One that was read lies in the store's memory and must not be changed.
type block struct {
	slots   int
	present []uint64 // blockRows/64
	groups  []byte
	ends    []uint32 // of the row keys in keys; nil when there are none
	keys    []byte
	plain   bool // it was read from a plain one: its keys are elsewhere
}

// readBlock makes a block of its value. Where the processor reads the numbers as they are stored it shares the value's memory.
func (p *params) readBlock(v []byte) (block, error) {
	if len(v) < blockHead {
		return block{}, damaged("block")
	}
	n := int(binary.LittleEndian.Uint16(v))
	if n > blockRows || v[2] > formatGrouped {
		return block{}, damaged("block")
	}
	b := block{slots: n, present: words(v[8:blockHead])}
	for w := n; w < blockRows; w++ {
		if b.has(w) {
			return block{}, damaged("block")
		}
	}
	if v[2] == formatPlain {
		return p.readPlain(b, v[blockHead:])
	}
	at := blockHead + groupsOf(n)*p.groupLen()
	if len(v) < at {
		return block{}, damaged("block")
	}
	b.groups = v[blockHead:at]
	rest := v[at:]
	if len(rest) == 0 {
		return b, nil
	}
	if len(rest) < 4*n {
		return block{}, damaged("block")
	}
	b.ends, b.keys = numbers(rest[:4*n]), rest[4*n:]
	if n == 0 || int(b.ends[n-1]) != len(b.keys) {
		return block{}, damaged("block")
	}
	return b, nil
}

// readPlain puts the rows of a plain block into groups.
func (p *params) readPlain(b block, v []byte) (block, error) {
	w := 8 * p.words()
	if len(v) != b.slots*(factorLen+w) {
		return block{}, damaged("block")
	}
	built := builder{p: p}
	for i := range b.slots {
		if !b.has(i) {
			continue
		}
		code := make([]byte, 0, p.codeLen())
		for f := range 4 {
			at := 4 * (f*b.slots + i)
			code = append(code, v[at:at+4]...)
		}
		built.codes[i] = append(code, v[b.slots*factorLen+i*w:][:w]...)
	}
	value := built.value()
	if value == nil {
		return block{plain: true, present: b.present}, nil
	}
	g, err := p.readBlock(value)
	g.plain = true
	return g, err
}

func (b *block) has(slot int) bool { return b.present[slot/64]>>(slot%64)&1 != 0 }

func (b *block) count() int {
	n := 0
	for _, w := range b.present {
		n += bits.OnesCount64(w)
	}
	return n
}

// key is the row key of a slot; nil when the block has none, or a damaged one.
func (b *block) key(slot int) []byte {
	if b.ends == nil || slot >= b.slots {
		return nil
	}
	begin, end := uint32(0), b.ends[slot]
	if slot > 0 {
		begin = b.ends[slot-1]
	}
	if begin > end || end > uint32(len(b.keys)) {
		return nil
	}
	return b.keys[begin:end:end]
}

// appendCode appends the code of a slot, as deltas have it.
func (p *params) appendCode(dst []byte, b *block, slot int) []byte {
	group := b.groups[slot/groupRows*p.groupLen():][:p.groupLen()]
	r := slot % groupRows
	f := len(dst)
	for k := range 3 {
		dst = append(dst, group[4*(k*groupRows+r):][:4]...)
	}
	dst = append(dst, 0, 0, 0, 0)
	packed, set := group[groupFactors:], 0
	for at := r; at < len(packed); at += groupRows {
		dst = append(dst, packed[at])
		set += bits.OnesCount8(packed[at])
	}
	binary.LittleEndian.PutUint32(dst[f+12:], math.Float32bits(float32(set)))
	return dst
}

// builder is a block being written.
type builder struct {
	p     *params
	codes [blockRows][]byte // nil: no row
	keys  [blockRows][]byte // of rows that have one
}

func (b *builder) load(old block) {
	for i := range old.slots {
		if old.has(i) {
			b.codes[i] = b.p.appendCode(make([]byte, 0, b.p.codeLen()), &old, i)
			b.keys[i] = old.key(i)
		}
	}
}

// value gives the block's value, nil when it has no rows.
func (b *builder) value() []byte {
	n, keys, keyBytes := 0, false, 0
	for i, c := range b.codes {
		if c != nil {
			n, keys, keyBytes = i+1, keys || b.keys[i] != nil, keyBytes+len(b.keys[i])
		}
	}
	if n == 0 {
		return nil
	}
	size := blockHead + groupsOf(n)*b.p.groupLen()
	out := make([]byte, size, size+4*n+keyBytes)
	binary.LittleEndian.PutUint16(out, uint16(n))
	out[2] = formatGrouped
	for i, c := range b.codes[:n] {
		if c == nil {
			continue
		}
		out[8+i/8] |= 1 << (i % 8)
		group, r := out[blockHead+i/groupRows*b.p.groupLen():], i%groupRows
		for f := range 3 {
			copy(group[4*(f*groupRows+r):], c[4*f:4*f+4])
		}
		for j, x := range c[factorLen:b.p.codeLen()] {
			group[groupFactors+j*groupRows+r] = x
		}
	}
	if !keys {
		return out
	}
	end := uint32(0)
	for i, k := range b.keys[:n] {
		if b.codes[i] != nil {
			end += uint32(len(k))
		}
		out = binary.LittleEndian.AppendUint32(out, end)
	}
	for i, k := range b.keys[:n] {
		if b.codes[i] != nil {
			out = append(out, k...)
		}
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

func numbers(b []byte) []uint32 {
	if n := len(b) / 4; n == 0 {
		return nil
	} else if littleEndian {
		return unsafe.Slice((*uint32)(unsafe.Pointer(&b[0])), n)
	}
	out := make([]uint32, len(b)/4)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(b[4*i:])
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
