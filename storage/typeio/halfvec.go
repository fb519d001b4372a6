package typeio

import (
	"encoding/binary"
	"math"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// A halfvec is held as packed little-endian half floats.

func halfIn(t *value.Type, s string, _ *Format) (value.Value, error) {
	f, err := parseVector(t, s)
	if err != nil {
		return value.Null, err
	}
	return PackHalf(f)
}

// PackHalf makes a halfvec of numbers that are finite; those too large for half floats are 22003.
func PackHalf(f []float32) (value.Value, error) {
	b := make([]byte, 0, 2*len(f))
	for _, x := range f {
		h := FloatToHalf(x)
		if h&0x7fff == 0x7c00 {
			return value.Null, dberr.New(dberr.NumericValueOutOfRange, `"%s" is out of range for type halfvec`, AppendFloat(nil, float64(x), 32, 1))
		}
		b = binary.LittleEndian.AppendUint16(b, h)
	}
	return value.Bytes(b), nil
}

// UnpackHalf gives a halfvec's elements in a new slice.
func UnpackHalf(v value.Value) []float32 {
	b := v.Bytes()
	out := make([]float32, len(b)/2)
	for i := range out {
		out[i] = HalfToFloat(binary.LittleEndian.Uint16(b[2*i:]))
	}
	return out
}

func halfCmp(a, b value.Value) int { return floatsCmp(UnpackHalf(a), UnpackHalf(b)) }

func halfHash(h uint64, v value.Value) uint64 { return floatsHash(h, UnpackHalf(v)) }

func halfOut(dst []byte, _ *value.Type, v value.Value, _ *Format) []byte {
	b := v.Bytes()
	return appendVector(dst, len(b)/2, func(i int) float64 { return float64(HalfToFloat(binary.LittleEndian.Uint16(b[2*i:]))) })
}

// FloatToHalf rounds to a half float, to nearest even; too large values become infinite.
func FloatToHalf(f float32) uint16 {
	b := math.Float32bits(f)
	sign := uint16(b >> 16 & 0x8000)
	exp := int(b>>23&0xff) - 127
	man := b & 0x7fffff
	switch {
	case exp == 128:
		if man != 0 {
			return sign | 0x7e00
		}
		return sign | 0x7c00
	case exp < -25:
		return sign
	case exp < -14: // subnormal
		man |= 0x800000
		shift := uint(-exp - 14 + 13)
		return sign | roundShift(man, shift)
	}
	h := uint32(exp+15)<<10 | man>>13
	if r := man & 0x1fff; r > 0x1000 || r == 0x1000 && h&1 == 1 {
		h++
	}
	if h >= 0x7c00 {
		return sign | 0x7c00
	}
	return sign | uint16(h)
}

func roundShift(m uint32, n uint) uint16 {
	h := m >> n
	rest, half := m&(1<<n-1), uint32(1)<<(n-1)
	if rest > half || rest == half && h&1 == 1 {
		h++
	}
	return uint16(h)
}

// HalfToFloat widens a half float.
func HalfToFloat(h uint16) float32 {
	sign := uint32(h&0x8000) << 16
	exp, man := uint32(h>>10&0x1f), uint32(h&0x3ff)
	switch {
	case exp == 0x1f:
		return math.Float32frombits(sign | 0x7f800000 | man<<13)
	case exp == 0 && man == 0:
		return math.Float32frombits(sign)
	case exp == 0:
		f := float32(man) / (1 << 24)
		if sign != 0 {
			return -f
		}
		return f
	}
	return math.Float32frombits(sign | (exp+112)<<23 | man<<13)
}
