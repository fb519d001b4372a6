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

// A vector is held as packed little-endian float32.

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
	s = num.TrimSpace(s[1:])
	if s != "" && s[0] == ']' {
		return nil, tooFewDims(t)
	}
	out := make([]float32, 0, strings.Count(s, ",")+1)
	for {
		f, i := plainElem(s)
		if i < 0 {
			var err error
			if i = strings.IndexAny(s, ",]"); i < 0 {
				return nil, badVector(t, text, "")
			}
			if f, err = parseElem(t, text, num.TrimSpace(s[:i])); err != nil {
				return nil, err
			}
		}
		out = append(out, f)
		end := s[i] == ']'
		s = s[i+1:]
		if !end {
			continue
		}
		if num.TrimSpace(s) != "" {
			return nil, badVector(t, text, "Junk after closing right brace.")
		}
		return out, CheckVectorDims(t, len(out))
	}
}

// plainElem reads an element at the beginning of s that is written as most are, and gives where its comma or bracket stands; -1 leaves it
// to parseElem. The mantissa and the power of ten are exact as float64, so their quotient is rounded once; rounding that again is right
// unless it lies in the middle of two float32.
func plainElem(s string) (float32, int) {
	i, negative := 0, false
	if i < len(s) && s[i] == '-' {
		i, negative = 1, true
	}
	first, point := i, -1
	var mantissa uint64
	for ; i < len(s); i++ {
		c := s[i] - '0'
		if c > 9 {
			if s[i] != '.' || point >= 0 {
				break
			}
			point = i
			continue
		}
		mantissa = 10*mantissa + uint64(c)
	}
	digits, power := i-first, 0
	if point >= 0 {
		digits, power = digits-1, i-point-1
	}
	if digits == 0 || digits > 19 || mantissa >= 1<<53 || i == len(s) || s[i] != ',' && s[i] != ']' {
		return 0, -1
	}
	f := float64(mantissa) / powersOfTen[power]
	if mantissa != 0 && (f < 0x1p-126 || f >= 0x1p127 || math.Float64bits(f)&(1<<29-1) == 1<<28) {
		return 0, -1
	}
	if negative {
		f = -f
	}
	return float32(f), i
}

// powersOfTen are exact.
var powersOfTen = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19}

// parseElem reads one element of the vector that text is.
func parseElem(t *value.Type, text, w string) (float32, error) {
	f, err := strconv.ParseFloat(w, 32)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, dberr.New(dberr.NumericValueOutOfRange, `"%s" is out of range for type %s`, w, t.SQL)
	case err != nil || strings.ContainsRune(w, '_'):
		return 0, badVector(t, text, "")
	}
	return float32(f), CheckVectorElem(t, f)
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

// CheckVectorDims refuses a vector or halfvec of no or too many dimensions.
func CheckVectorDims(t *value.Type, n int) error {
	switch {
	case n < 1:
		return tooFewDims(t)
	case n > MaxVectorDims:
		return dberr.New(dberr.ProgramLimitExceeded, "%s cannot have more than %d dimensions", t.SQL, MaxVectorDims)
	}
	return nil
}

func tooFewDims(t *value.Type) error {
	return dberr.New(dberr.DataException, "%s must have at least 1 dimension", t.SQL)
}

// CheckVectorMod refuses a vector that has not the dimensions of its type's modifier; a negative modifier is none.
func CheckVectorMod(mod int32, dims int) error {
	if mod >= 0 && int(mod) != dims {
		return dberr.New(dberr.DataException, "expected %d dimensions, not %d", mod, dims)
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

func vecMod(_ *value.Type, mod int32, v value.Value, _ bool) (value.Value, error) {
	return v, CheckVectorMod(mod, len(v.Str())/4)
}

func halfMod(_ *value.Type, mod int32, v value.Value, _ bool) (value.Value, error) {
	return v, CheckVectorMod(mod, len(v.Str())/2)
}

// vecCmp orders vectors element by element, then by length.
func vecCmp(a, b value.Value) int { return floatsCmp(UnpackVector(a), UnpackVector(b)) }

func floatsCmp(x, y []float32) int {
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

func vecHash(h uint64, v value.Value) uint64 { return floatsHash(h, UnpackVector(v)) }

func floatsHash(h uint64, fs []float32) uint64 {
	for _, f := range fs {
		h = mix(h, uint64(math.Float32bits(f+0))) // -0 and 0 are equal
	}
	return h
}
