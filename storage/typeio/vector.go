package typeio

import (
	"encoding/binary"
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio/num"
	"github.com/omgdb/omgdb/storage/value"
)

// MaxVectorDims is the most dimensions that a vector may have.
const MaxVectorDims = 16000

// Vectors: packed little-endian float32, halfvec packed half floats.

func badVector(t *value.Type, s, detail string) error {
	e := badSyntax(t.SQL, s).(*dberr.Error)
	if detail != "" {
		e = e.WithDetail("%s", detail)
	}
	return e
}

// parseVector reads [x,y,…].
func parseVector(t *value.Type, text string) ([]float32, error) {
	s := num.TrimSpace(text)
	if s == "" || s[0] != '[' {
		return nil, badVector(t, text, `Vector contents must start with "[".`)
	}
	if s[len(s)-1] != ']' {
		return nil, badVector(t, text, "")
	}
	s = s[1 : len(s)-1]
	if num.TrimSpace(s) == "" {
		return nil, dberr.New(dberr.DataException, "%s must have at least 1 dimension", t.SQL)
	}
	out := make([]float32, 0, strings.Count(s, ",")+1)
	for w := range strings.SplitSeq(s, ",") {
		w = num.TrimSpace(w)
		f, err := strconv.ParseFloat(w, 32)
		switch {
		case errors.Is(err, strconv.ErrRange):
			return nil, dberr.New(dberr.NumericValueOutOfRange, `"%s" is out of range for type %s`, w, t.SQL)
		case err != nil || strings.ContainsRune(w, '_'):
			return nil, badVector(t, text, "")
		}
		if err := CheckVectorElem(t, f); err != nil {
			return nil, err
		}
		out = append(out, float32(f))
	}
	return out, checkDims(t, len(out))
}

// CheckVectorElem refuses NaN and infinities.
func CheckVectorElem(t *value.Type, f float64) error {
	switch {
	case math.IsNaN(f):
		return dberr.New(dberr.DataException, "NaN not allowed in %s", t.SQL)
	case math.IsInf(f, 0):
		return dberr.New(dberr.DataException, "infinite value not allowed in %s", t.SQL)
	}
	return nil
}

func checkDims(t *value.Type, n int) error {
	if n > MaxVectorDims {
		return dberr.New(dberr.ProgramLimitExceeded, "%s cannot have more than %d dimensions", t.SQL, MaxVectorDims)
	}
	return nil
}

func vecIn(t *value.Type, s string, _ *Format) (value.Value, error) {
	f, err := parseVector(t, s)
	if err != nil {
		return value.Null, err
	}
	return PackVector(f), nil
}

// PackVector makes a vector value.
func PackVector(f []float32) value.Value {
	b := make([]byte, 0, 4*len(f))
	for _, x := range f {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return value.Bytes(b)
}

// UnpackVector gives a vector's elements in a new slice.
func UnpackVector(v value.Value) []float32 {
	b := v.Bytes()
	out := make([]float32, len(b)/4)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return out
}

func appendVector(dst []byte, n int, at func(i int) float64) []byte {
	dst = append(dst, '[')
	for i := range n {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendFloat(dst, at(i), 32, 1)
	}
	return append(dst, ']')
}

func vecOut(dst []byte, _ *value.Type, v value.Value, _ *Format) []byte {
	b := v.Bytes()
	return appendVector(dst, len(b)/4, func(i int) float64 {
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
	})
}

func vecMod(t *value.Type, mod int32, v value.Value, _ bool) (value.Value, error) {
	n := len(v.Str()) / 4
	if t.OID == value.HalfVec.OID {
		n = len(v.Str()) / 2
	}
	if n != int(mod) {
		return value.Null, dberr.New(dberr.DataException, "expected %d dimensions, not %d", mod, n)
	}
	return v, nil
}

// vecCmp orders vectors element by element, then by length.
func vecCmp(a, b value.Value) int {
	x, y := UnpackVector(a), UnpackVector(b)
	for i := range min(len(x), len(y)) {
		switch {
		case x[i] < y[i]:
			return -1
		case x[i] > y[i]:
			return 1
		}
	}
	return sign(len(x) - len(y))
}

func vecHash(h uint64, v value.Value) uint64 {
	for _, f := range UnpackVector(v) {
		h = mix(h, uint64(math.Float32bits(f+0))) // -0 and 0 are equal
	}
	return h
}

func halfIn(t *value.Type, s string, _ *Format) (value.Value, error) {
	f, err := parseVector(t, s)
	if err != nil {
		return value.Null, err
	}
	b := make([]byte, 0, 2*len(f))
	for _, x := range f {
		h := FloatToHalf(x)
		if h&0x7fff == 0x7c00 {
			return value.Null, dberr.New(dberr.NumericValueOutOfRange, `"%s" is out of range for type halfvec`, string(AppendFloat(nil, float64(x), 32, 1)))
		}
		b = binary.LittleEndian.AppendUint16(b, h)
	}
	return value.Bytes(b), nil
}

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

// A sparsevec is held as its dimensions (uint32), then pairs of index from 0 (uint32) and float32, by index.

func sparseIn(t *value.Type, text string, _ *Format) (value.Value, error) {
	s := num.TrimSpace(text)
	body, dims, ok := strings.Cut(s, "}")
	dims, okDims := strings.CutPrefix(num.TrimSpace(dims), "/")
	n, err := strconv.ParseUint(num.TrimSpace(dims), 10, 31)
	if !ok || !okDims || err != nil || !strings.HasPrefix(body, "{") {
		return value.Null, badVector(t, text, "")
	}
	if n < 1 {
		return value.Null, dberr.New(dberr.DataException, "sparsevec must have at least 1 dimension")
	}
	b := binary.LittleEndian.AppendUint32(nil, uint32(n))
	last := int64(-1)
	if body = num.TrimSpace(body[1:]); body != "" {
		for w := range strings.SplitSeq(body, ",") {
			is, fs, ok := strings.Cut(w, ":")
			i, err1 := strconv.ParseUint(num.TrimSpace(is), 10, 31)
			f, err2 := strconv.ParseFloat(num.TrimSpace(fs), 32)
			if !ok || err1 != nil || err2 != nil {
				return value.Null, badVector(t, text, "")
			}
			if i < 1 || i > n {
				return value.Null, dberr.New(dberr.DataException, "sparsevec index out of bounds")
			}
			if int64(i) <= last {
				return value.Null, dberr.New(dberr.DataException, "sparsevec indices must be in ascending order and unique")
			}
			if err := CheckVectorElem(t, f); err != nil {
				return value.Null, err
			}
			last = int64(i)
			if f != 0 {
				b = binary.LittleEndian.AppendUint32(b, uint32(i-1))
				b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(f)))
			}
		}
	}
	return value.Bytes(b), nil
}

func sparseOut(dst []byte, _ *value.Type, v value.Value, _ *Format) []byte {
	b := v.Bytes()
	if len(b) < 4 {
		return dst
	}
	dst = append(dst, '{')
	for i := 4; i+8 <= len(b); i += 8 {
		if i > 4 {
			dst = append(dst, ',')
		}
		dst = append(strconv.AppendUint(dst, uint64(binary.LittleEndian.Uint32(b[i:]))+1, 10), ':')
		dst = AppendFloat(dst, float64(math.Float32frombits(binary.LittleEndian.Uint32(b[i+4:]))), 32, 1)
	}
	return strconv.AppendUint(append(dst, '}', '/'), uint64(binary.LittleEndian.Uint32(b)), 10)
}

func sparseMod(_ *value.Type, mod int32, v value.Value, _ bool) (value.Value, error) {
	if n := binary.LittleEndian.Uint32(v.Bytes()); n != uint32(mod) {
		return value.Null, dberr.New(dberr.DataException, "expected %d dimensions, not %d", mod, n)
	}
	return v, nil
}
