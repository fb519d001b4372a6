package key

import (
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"

	"github.com/cockroachdb/apd/v3"
)

// A number is encoded by its exact decimal value, the same for int32, int64, double, decimal128, numeric: a double is its
// shortest decimal, -0 is 0, trailing zeros don't count.
//
//	first byte              ±0.c1c2c3… · 100^x, the c's being digits to base 100, c1 and the last not zero
//	0x3D                    NaN as the lowest number (BSON)
//	0x3E                    -Infinity
//	0x3F … 0x7D             negative: the complement of all bytes of the positive number
//	0x80                    0
//	0x82, x (4)             x below those of one byte
//	0x83 … 0xBF             x = byte - 0xA0
//	0xC0, x (4)             x above those of one byte
//	0xC1                    Infinity
//	0xC2                    NaN as the greatest number (PostgreSQL)
//
// Then the digits, each 2c+1, the last one 2c, which ends the number.
const (
	numNaNLowest   = 0x3D
	numNegInf      = 0x3E
	numZero        = 0x80
	numBelow       = 0x82
	numBias        = 0xA0
	numAbove       = 0xC0
	numPosInf      = 0xC1
	numNaNGreatest = 0xC2
)

// NaN says where NaN sorts.
type NaN byte

// The places of NaN.
const (
	NaNLowest   NaN = numNaNLowest   // before -Infinity: BSON order
	NaNGreatest NaN = numNaNGreatest // behind Infinity: PostgreSQL's order
)

// AppendNaN appends NaN.
func AppendNaN(dst []byte, n NaN) []byte { return append(dst, byte(n)) }

// AppendInfinity appends Infinity or -Infinity.
func AppendInfinity(dst []byte, neg bool) []byte {
	if neg {
		return append(dst, numNegInf)
	}
	return append(dst, numPosInf)
}

// AppendInt appends an integer.
func AppendInt(dst []byte, i int64) []byte {
	if i < 0 {
		return appendUint(dst, true, -uint64(i))
	}
	return appendUint(dst, false, uint64(i))
}

func appendUint(dst []byte, neg bool, u uint64) []byte {
	if u == 0 {
		return append(dst, numZero)
	}
	var c [10]byte // 2c+1 for each digit to base 100
	n := len(c)
	for ; u > 0; u /= 100 {
		n--
		c[n] = byte(u%100)<<1 | 1
	}
	end := len(c)
	for c[end-1] == 1 {
		end--
	}
	c[end-1]--
	start := len(dst)
	dst = append(dst, byte(numBias+len(c)-n))
	dst = append(dst, c[n:end]...)
	return complementIf(neg, dst, start)
}

// complementIf turns the order of dst[start:] round.
func complementIf(turn bool, dst []byte, start int) []byte {
	if turn {
		for i := start; i < len(dst); i++ {
			dst[i] = ^dst[i]
		}
	}
	return dst
}

// AppendFloat appends a double: its shortest decimal.
func AppendFloat(dst []byte, f float64, n NaN) []byte {
	switch {
	case f != f:
		return AppendNaN(dst, n)
	case math.IsInf(f, 0):
		return AppendInfinity(dst, f < 0)
	case f == math.Trunc(f) && math.Abs(f) < 1<<53: // here the shortest decimal is the integer itself
		return AppendInt(dst, int64(f))
	}
	var room [32]byte // -d.dddddddddddddddde-ddd
	s := strconv.AppendFloat(room[:0], f, 'e', -1, 64)
	neg := s[0] == '-'
	if neg {
		s = s[1:]
	}
	digits := 1
	if s[1] == '.' { // close the gap
		for digits++; s[digits] != 'e'; digits++ {
		}
		copy(s[1:], s[2:digits])
		digits--
		s = append(s[:digits], s[digits+1:]...)
	}
	exp, sign := 0, 1
	for _, c := range s[digits+1:] {
		switch c {
		case '-':
			sign = -1
		case '+':
		default:
			exp = exp*10 + int(c-'0')
		}
	}
	return AppendDecimal(dst, neg, s[:digits], sign*exp-digits+1)
}

// AppendDecimal appends ±digits · 10^exp; digits are ASCII, none means 0. The magnitude of exp is below 2^30.
func AppendDecimal(dst []byte, neg bool, digits []byte, exp int) []byte {
	for len(digits) > 0 && digits[0] == '0' {
		digits = digits[1:]
	}
	for n := len(digits); n > 0 && digits[n-1] == '0'; n-- {
		digits = digits[:n-1]
		exp++
	}
	if len(digits) == 0 {
		return append(dst, numZero)
	}
	start := len(dst)
	top := len(digits) + exp // the value is 0.digits · 10^top
	dst = appendExponent(dst, (top+1)>>1)
	if top&1 != 0 { // the first digit to base 100 has one decimal digit
		dst = append(dst, (digits[0]-'0')<<1|1)
		digits = digits[1:]
	}
	for ; len(digits) > 1; digits = digits[2:] {
		dst = append(dst, ((digits[0]-'0')*10+digits[1]-'0')<<1|1)
	}
	if len(digits) == 1 {
		dst = append(dst, (digits[0]-'0')*10<<1|1)
	}
	dst[len(dst)-1]--
	return complementIf(neg, dst, start)
}

func appendExponent(dst []byte, x int) []byte {
	switch {
	case x <= numBelow-numBias:
		return binary.BigEndian.AppendUint32(append(dst, numBelow), uint32(x)+1<<31)
	case x >= numAbove-numBias:
		return binary.BigEndian.AppendUint32(append(dst, numAbove), uint32(x))
	}
	return append(dst, byte(numBias+x))
}

// AppendNumeric appends a numeric. Coefficients beyond 64 bits are the one case in which memory is allocated.
func AppendNumeric(dst []byte, d *apd.Decimal, n NaN) []byte {
	switch d.Form {
	case apd.Infinite:
		return AppendInfinity(dst, d.Negative)
	case apd.NaN, apd.NaNSignaling:
		return AppendNaN(dst, n)
	}
	if d.Coeff.IsUint64() {
		var room [20]byte
		return AppendDecimal(dst, d.Negative, strconv.AppendUint(room[:0], d.Coeff.Uint64(), 10), int(d.Exponent))
	}
	return AppendDecimal(dst, d.Negative, d.Coeff.Append(nil, 10), int(d.Exponent))
}

// Decimal128 in its two words (IEEE 754 in BSON's encoding: the coefficient is a binary integer).
const (
	dec128Bias = 6176
	ten17      = 1e17
	ten34High  = 0x1ed09bead87c0 // 10^34; a greater coefficient counts as 0
	ten34Low   = 0x378d8e6400000000
)

// AppendDecimal128 appends the number of 16 bytes of BSON.
func AppendDecimal128(dst []byte, b []byte, n NaN) []byte {
	low, high := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
	neg := high>>63 != 0
	switch high >> 58 & 0x1F {
	case 0x1F:
		return AppendNaN(dst, n)
	case 0x1E:
		return AppendInfinity(dst, neg)
	}
	if high>>61&3 == 3 { // an encoding with a coefficient beyond 10^34
		return append(dst, numZero)
	}
	exp := int(high>>49&0x3FFF) - dec128Bias
	high &= 1<<49 - 1
	if high > ten34High || high == ten34High && low >= ten34Low {
		return append(dst, numZero)
	}
	quo, rem := bits.Div64(high, low, ten17)
	var room [40]byte
	digits := strconv.AppendUint(room[:0], quo, 10)
	end := len(digits) + 17
	digits = digits[:end]
	for i := end - 1; i >= end-17; i-- {
		digits[i] = byte('0' + rem%10)
		rem /= 10
	}
	return AppendDecimal(dst, neg, digits, exp)
}

// AppendDecimalText appends the number written as text: a sign, digits with at most one point, an exponent; false when
// the text is none.
func AppendDecimalText(dst []byte, text []byte) ([]byte, bool) {
	neg := false
	if len(text) > 0 && (text[0] == '-' || text[0] == '+') {
		neg, text = text[0] == '-', text[1:]
	}
	whole := countDigits(text)
	digits, rest := text[:whole], text[whole:]
	exp := 0
	if len(rest) > 0 && rest[0] == '.' {
		n := countDigits(rest[1:])
		if n > 0 {
			digits = append(append(make([]byte, 0, whole+n), digits...), rest[1:1+n]...)
		}
		exp, rest = -n, rest[1+n:]
	}
	if len(digits) == 0 {
		return dst, false
	}
	if len(rest) > 0 {
		if rest[0]|0x20 != 'e' || len(rest) > 12 {
			return dst, false
		}
		e, err := strconv.ParseInt(string(rest[1:]), 10, 31)
		if err != nil {
			return dst, false
		}
		exp += int(e)
	}
	if exp <= -1<<30 || exp >= 1<<30 {
		return dst, false
	}
	return AppendDecimal(dst, neg, digits, exp), true
}

func countDigits(b []byte) int {
	n := 0
	for n < len(b) && b[n]-'0' <= 9 {
		n++
	}
	return n
}
