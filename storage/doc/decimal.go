package doc

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"
)

// Kind sorts numbers that are not finite from those that are.
type Kind uint8

const (
	NotNumber Kind = iota
	Finite
	NaN
	PosInf
	NegInf
)

// Decimal is the exact value of a finite number: (-1)^Neg · Coef · 10^Exp. Coef is ASCII digits without leading
// zeros, empty for zero. A negative Exp is the number's scale. A double is the shortest decimal that reads back as it.
type Decimal struct {
	Coef []byte
	Exp  int
	Neg  bool
}

// DecimalBuf is room for the digits that Decompose writes; keep one on the stack.
type DecimalBuf [40]byte

// Decompose gives the exact decimal value of a number of any type. The digits lie in buf or in v and live as long.
// Kind is NotNumber for other values; for NaN and the infinities the Decimal is empty.
func (v Value) Decompose(buf *DecimalBuf) (Decimal, Kind) {
	switch {
	case v.Type == TypeInt32 && len(v.Data) >= 4:
		return intDecimal(int64(int32(binary.LittleEndian.Uint32(v.Data))), buf), Finite
	case v.Type == TypeInt64 && len(v.Data) >= 8:
		return intDecimal(int64(binary.LittleEndian.Uint64(v.Data)), buf), Finite
	case v.Type == TypeDouble && len(v.Data) >= 8:
		return doubleDecimal(math.Float64frombits(binary.LittleEndian.Uint64(v.Data)), buf)
	case v.Type == TypeDecimal128 && len(v.Data) >= 16:
		return decimal128(v.Data, buf)
	case v.private(SubtypeNumber):
		return textDecimal(v.Data[5:])
	}
	return Decimal{}, NotNumber
}

func intDecimal(i int64, buf *DecimalBuf) Decimal {
	if i == 0 {
		return Decimal{}
	}
	digits := strconv.AppendInt(buf[:0], i, 10)
	if i < 0 {
		return Decimal{Coef: digits[1:], Neg: true}
	}
	return Decimal{Coef: digits}
}

func doubleDecimal(f float64, buf *DecimalBuf) (Decimal, Kind) {
	if kind := floatKind(f); kind != Finite {
		return Decimal{}, kind
	}
	if f == 0 {
		return Decimal{Exp: -1, Neg: math.Signbit(f)}, Finite
	}
	s := strconv.AppendFloat(buf[:0], math.Abs(f), 'e', -1, 64) // d.ddde±xx
	e := bytes.IndexByte(s, 'e')
	exp, n := 0, 1
	for _, c := range s[e+2:] {
		exp = exp*10 + int(c-'0')
	}
	if s[e+1] == '-' {
		exp = -exp
	}
	if e > 1 { // close the gap of the point
		n = e - 1
		copy(s[1:n], s[2:e])
	}
	return Decimal{Coef: s[:n], Exp: exp - n + 1, Neg: f < 0}, Finite
}

// textDecimal reads SubtypeNumber's `[-]digitsE[-]exponent`.
func textDecimal(b []byte) (Decimal, Kind) {
	var d Decimal
	if len(b) > 0 && b[0] == '-' {
		d.Neg, b = true, b[1:]
	}
	e := bytes.IndexByte(b, 'E')
	if e < 0 {
		return Decimal{}, NotNumber
	}
	d.Coef = b[:e]
	neg := false
	if b = b[e+1:]; len(b) > 0 && b[0] == '-' {
		neg, b = true, b[1:]
	}
	if len(b) == 0 || len(b) > 7 || countDigits(b) != len(b) {
		return Decimal{}, NotNumber
	}
	for _, c := range b {
		d.Exp = d.Exp*10 + int(c-'0')
	}
	if neg {
		d.Exp = -d.Exp
	}
	return d, Finite
}

// Decimal128 is stored as two little-endian words: sign, 14 bits of exponent, 113 bits of coefficient.
const (
	dec128Bias    = 6176
	dec128MinExp  = -6176
	dec128MaxExp  = 6111
	dec128Digits  = 34
	ten17         = 100_000_000_000_000_000
	dec128CoefTop = 0x1ed09bead87c0 // high word of 10^34
	dec128CoefLow = 0x378d8e6400000000
)

func decimal128(b []byte, buf *DecimalBuf) (Decimal, Kind) {
	low, high := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
	neg := high>>63 != 0
	if high>>61&3 == 3 {
		switch high >> 58 & 0x1F {
		case 0x1F:
			return Decimal{}, NaN
		case 0x1E:
			if neg {
				return Decimal{}, NegInf
			}
			return Decimal{}, PosInf
		}
		return Decimal{Exp: int(high>>47&0x3FFF) - dec128Bias, Neg: neg}, Finite // coefficient out of range: zero
	}
	exp := int(high>>49&0x3FFF) - dec128Bias
	high &= 1<<49 - 1
	if high > dec128CoefTop || high == dec128CoefTop && low >= dec128CoefLow {
		high, low = 0, 0
	}
	d := Decimal{Exp: exp, Neg: neg}
	switch {
	case high == 0 && low == 0:
	case high == 0:
		d.Coef = strconv.AppendUint(buf[:0], low, 10)
	default:
		quo, rem := bits.Div64(high, low, ten17)
		s := strconv.AppendUint(buf[:0], quo, 10)
		n := len(s) + 17
		s = s[:n]
		for i := n - 1; i >= n-17; i-- {
			s[i] = byte('0' + rem%10)
			rem /= 10
		}
		d.Coef = s
	}
	return d, Finite
}

// appendDecimal128 appends the 16 bytes of a decimal whose digits and exponent fit.
func appendDecimal128(dst []byte, d Decimal) []byte {
	var hi, lo uint64
	coef := d.Coef
	if n := len(coef) - 17; n > 0 {
		var c uint64
		hi, lo = bits.Mul64(parseDigits(coef[:n]), ten17)
		lo, c = bits.Add64(lo, parseDigits(coef[n:]), 0)
		hi += c
	} else {
		lo = parseDigits(coef)
	}
	hi |= uint64(d.Exp+dec128Bias) << 49
	if d.Neg {
		hi |= 1 << 63
	}
	dst = binary.LittleEndian.AppendUint64(dst, lo)
	return binary.LittleEndian.AppendUint64(dst, hi)
}

// parseDigits reads up to 19 ASCII digits.
func parseDigits(b []byte) uint64 {
	var n uint64
	for _, c := range b {
		n = n*10 + uint64(c-'0')
	}
	return n
}

// trimZeros drops trailing zeros of the coefficient, raising the exponent: equal values get equal parts.
func (d Decimal) trimZeros() Decimal {
	n := len(d.Coef)
	for n > 0 && d.Coef[n-1] == '0' {
		n--
	}
	d.Exp += len(d.Coef) - n
	d.Coef = d.Coef[:n]
	return d
}

// Cmp compares two values: -1, 0 or 1. Zeros of either sign are equal.
func (d Decimal) Cmp(o Decimal) int {
	ds, os := d.sign(), o.sign()
	if ds != os {
		return sign(ds - os)
	}
	if ds == 0 {
		return 0
	}
	d, o = d.trimZeros(), o.trimZeros()
	if c := len(d.Coef) + d.Exp - len(o.Coef) - o.Exp; c != 0 {
		return ds * sign(c)
	}
	return ds * bytes.Compare(d.Coef, o.Coef)
}

func (d Decimal) sign() int {
	switch {
	case len(d.Coef) == 0:
		return 0
	case d.Neg:
		return -1
	}
	return 1
}

func sign(i int) int {
	switch {
	case i < 0:
		return -1
	case i > 0:
		return 1
	}
	return 0
}

// appendPlain appends the value without exponent, all digits of the scale kept.
func (d Decimal) appendPlain(dst []byte) []byte {
	if d.Neg {
		dst = append(dst, '-')
	}
	if d.Exp >= 0 {
		if len(d.Coef) == 0 {
			return append(dst, '0')
		}
		return appendZeros(append(dst, d.Coef...), d.Exp)
	}
	if point := len(d.Coef) + d.Exp; point > 0 {
		dst = append(dst, d.Coef[:point]...)
		dst = append(dst, '.')
		return append(dst, d.Coef[point:]...)
	} else {
		dst = append(dst, '0', '.')
		return append(appendZeros(dst, -point), d.Coef...)
	}
}

// appendScientific appends d.ddE±x; reading it gives the same value and scale.
func (d Decimal) appendScientific(dst []byte) []byte {
	if d.Neg {
		dst = append(dst, '-')
	}
	exp := d.Exp
	switch n := len(d.Coef); n {
	case 0:
		dst = append(dst, '0')
	case 1:
		dst = append(dst, d.Coef[0])
	default:
		dst = append(append(append(dst, d.Coef[0]), '.'), d.Coef[1:]...)
		exp += n - 1
	}
	dst = append(dst, 'E')
	if exp >= 0 {
		dst = append(dst, '+')
	}
	return strconv.AppendInt(dst, int64(exp), 10)
}

func appendZeros(dst []byte, n int) []byte {
	const zeros = "0000000000000000000000000000000000000000000000000000000000000000"
	for ; n > len(zeros); n -= len(zeros) {
		dst = append(dst, zeros...)
	}
	return append(dst, zeros[:n]...)
}
