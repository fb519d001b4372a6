package typeio

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio/num"
	"github.com/omgdb/omgdb/storage/value"
)

func float8In(_ *value.Type, s string, _ *Format) (value.Value, error) {
	f, err := ParseFloat(s, 64)
	return value.Float(f), err
}

func float4In(_ *value.Type, s string, _ *Format) (value.Value, error) {
	f, err := ParseFloat(s, 32)
	return value.Float(f), err
}

func floatName(bits int) string {
	if bits == 32 {
		return "real"
	}
	return "double precision"
}

// ParseFloat reads a float8 (bits 64) or float4 (bits 32).
func ParseFloat(text string, bits int) (float64, error) {
	s := num.TrimSpace(text)
	if !floatChars(s) {
		return 0, badSyntax(floatName(bits), text)
	}
	if len(s) == 4 && (s[0] == '+' || s[0] == '-') && strings.EqualFold(s[1:], "nan") {
		return math.NaN(), nil
	}
	number := s
	if _, after, hex := cutHex(s); hex && !strings.ContainsAny(after, "pP") {
		number += "p0"
	}
	f, err := strconv.ParseFloat(number, bits)
	if errors.Is(err, strconv.ErrRange) || err == nil && f == 0 && strings.ContainsAny(mantissa(s), "123456789abcdefABCDEF") {
		return 0, dberr.New(dberr.NumericValueOutOfRange, `"%s" is out of range for type %s`, s, floatName(bits))
	}
	if err != nil {
		return 0, badSyntax(floatName(bits), text)
	}
	return f, nil
}

// cutHex divides a number in hexadecimal behind its 0x.
func cutHex(s string) (before, after string, ok bool) {
	n := len(strings.TrimLeft(s, "+-"))
	if at := len(s) - n; at <= 1 && n > 2 && s[at] == '0' && (s[at+1] == 'x' || s[at+1] == 'X') {
		return s[:at+2], s[at+2:], true
	}
	return s, "", false
}

func mantissa(s string) string {
	low := strings.ToLower(s)
	if strings.Contains(low, "n") { // NaN, Infinity
		return ""
	}
	if strings.Contains(low, "x") {
		low, _, _ = strings.Cut(low, "p")
		return low
	}
	low, _, _ = strings.Cut(low, "e")
	return low
}

// floatChars refuses spellings that Go reads and PostgreSQL doesn't (underscores) and empty ones.
func floatChars(s string) bool {
	return s != "" && !strings.ContainsRune(s, '_')
}

func float8Out(dst []byte, _ *value.Type, v value.Value, f *Format) []byte {
	return AppendFloat(dst, v.Float(), 64, f.ExtraFloatDigits)
}

func float4Out(dst []byte, _ *value.Type, v value.Value, f *Format) []byte {
	return AppendFloat(dst, v.Float(), 32, f.ExtraFloatDigits)
}

// AppendFloat writes a float as PostgreSQL does: the shortest digits that read back (extra > 0), or 15+extra (6+extra)
// significant digits; plain notation for exponents from -4 up to 14 (5).
func AppendFloat(dst []byte, x float64, bits, extra int) []byte {
	switch {
	case math.IsNaN(x):
		return append(dst, "NaN"...)
	case math.IsInf(x, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(x, -1):
		return append(dst, "-Infinity"...)
	}
	limit := 15
	if bits == 32 {
		limit = 6
	}
	if extra > 0 {
		return shortest(dst, x, bits, limit)
	}
	return appendG(dst, x, max(limit+extra, 1))
}

// shortest writes the fewest digits that read back.
func shortest(dst []byte, x float64, bits, limit int) []byte {
	if x == math.Trunc(x) && math.Abs(x) < 1e5 && (x != 0 || !math.Signbit(x)) {
		return strconv.AppendInt(dst, int64(x), 10)
	}
	var buf [32]byte
	e := strconv.AppendFloat(buf[:0], x, 'e', -1, bits)
	if bits == 32 && math.Abs(x) >= 1<<24 {
		e = offBoundary(e, x)
	}
	exp := expOf(e)
	if exp < -4 || exp >= limit {
		return append(dst, e...)
	}
	return strconv.AppendFloat(dst, x, 'f', -1, bits)
}

// offBoundary gives more digits of a float4 when the fewest lie exactly halfway to a neighbour: PostgreSQL wants digits that read back
// however halves are rounded. Such halves have few digits only where float4 has no fractions.
func offBoundary(e []byte, x float64) []byte {
	f := float32(x)
	low, high := (x+float64(math.Nextafter32(f, 0)))/2, (x+float64(math.Nextafter32(f, float32(math.Copysign(math.Inf(1), x)))))/2
	for prec := 1; prec <= 8; prec++ {
		if v, err := strconv.ParseFloat(string(e), 64); err != nil || v != low && v != high {
			break
		}
		e = strconv.AppendFloat(e[:0], x, 'e', prec, 32)
	}
	return e
}

// expOf reads the exponent of a number in scientific notation.
func expOf(e []byte) int {
	i := len(e) - 1
	for e[i] != 'e' {
		i--
	}
	n, _ := strconv.Atoi(string(e[i+1:]))
	return n
}

// appendG is C's %.{prec}g.
func appendG(dst []byte, x float64, prec int) []byte {
	e := strconv.FormatFloat(x, 'e', prec-1, 64)
	exp := expOf([]byte(e))
	if exp < -4 || exp >= prec {
		mant, tail, _ := strings.Cut(e, "e")
		if strings.Contains(mant, ".") {
			mant = strings.TrimRight(strings.TrimRight(mant, "0"), ".")
		}
		return append(append(append(dst, mant...), 'e'), tail...)
	}
	s := strconv.FormatFloat(x, 'f', prec-1-exp, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return append(dst, s...)
}

// CmpFloat orders floats as PostgreSQL does: NaN equals itself and is greater than all others, -0 equals 0.
func CmpFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	case a == b:
		return 0
	case a != a && b != b:
		return 0
	case a != a:
		return 1
	}
	return -1
}

func floatCmp(a, b value.Value) int { return CmpFloat(a.Float(), b.Float()) }

func floatHash(h uint64, v value.Value) uint64 {
	f := v.Float()
	switch {
	case f == 0:
		f = 0 // -0 and 0 are equal
	case f != f:
		f = math.NaN()
	}
	return mix(h, math.Float64bits(f))
}
