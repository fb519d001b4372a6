package key

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/cockroachdb/apd/v3"
)

// Number is a number read from a key. Its scale is not known: trailing zeros are not part of a key.
type Number struct {
	Form   apd.Form // Finite, Infinite, NaN
	Neg    bool
	Digits []byte // ASCII, without zeros at either end; none for 0
	Exp    int    // the value is ±Digits · 10^Exp
}

// skipNumber gives the length of an encoded number; false when b ends before it or is none.
func skipNumber(b []byte) (int, bool) {
	if len(b) == 0 {
		return 0, false
	}
	first := b[0]
	switch first {
	case numNaNLowest, numNegInf, numZero, numPosInf, numNaNGreatest:
		return 1, true
	}
	mask := byte(0)
	if first < numZero {
		mask = 0xFF
		first = ^first
	}
	at := 1
	switch {
	case first == numBelow, first == numAbove:
		at = 5
	case first < numBelow || first > numAbove:
		return 0, false
	}
	for ; at < len(b); at++ {
		switch c := b[at] ^ mask; {
		case c > 99<<1|1:
			return 0, false
		case c&1 == 0:
			return at + 1, true
		}
	}
	return 0, false
}

// decodeNumber reads the whole encoding b; digits are appended to room.
func decodeNumber(b, room []byte) (n Number) {
	switch b[0] {
	case numZero:
		return n
	case numNaNLowest, numNaNGreatest:
		n.Form = apd.NaN
		return n
	case numNegInf, numPosInf:
		n.Form, n.Neg = apd.Infinite, b[0] == numNegInf
		return n
	}
	mask := byte(0)
	if n.Neg = b[0] < numZero; n.Neg {
		mask = 0xFF
	}
	x, rest := int(b[0]^mask)-numBias, b[1:]
	switch b[0] ^ mask {
	case numBelow, numAbove:
		u := binary.BigEndian.Uint32(rest)
		if n.Neg {
			u = ^u
		}
		if b[0]^mask == numBelow {
			u -= 1 << 31
		}
		x = int(int32(u))
		rest = rest[4:]
	}
	n.Exp = 2 * (x - len(rest))
	digits := room
	for _, c := range rest {
		c = (c ^ mask) >> 1
		digits = append(digits, '0'+c/10, '0'+c%10)
	}
	if digits = digits[len(room):]; digits[0] == '0' {
		digits = digits[1:]
	}
	if last := len(digits) - 1; digits[last] == '0' {
		digits = digits[:last]
		n.Exp++
	}
	n.Digits = digits
	return n
}

// Int gives the number as an integer; false when it is none in the range.
func (n *Number) Int() (int64, bool) {
	if n.Form != apd.Finite || n.Exp < 0 || len(n.Digits)+n.Exp > 19 {
		return 0, false
	}
	var u uint64
	for _, c := range n.Digits {
		u = u*10 + uint64(c-'0')
	}
	for range n.Exp {
		u *= 10
	}
	if n.Neg {
		return -int64(u), u <= 1<<63
	}
	return int64(u), u < 1<<63
}

// Float gives the nearest double: that of which the number is the shortest decimal, when it came from one.
func (n *Number) Float() float64 {
	switch n.Form {
	case apd.NaN:
		return math.NaN()
	case apd.Infinite:
		if n.Neg {
			return math.Inf(-1)
		}
		return math.Inf(1)
	}
	if i, ok := n.Int(); ok && -1<<53 < i && i < 1<<53 {
		return float64(i)
	}
	var room [64]byte
	s := room[:0]
	if n.Neg {
		s = append(s, '-')
	}
	s = append(s, n.Digits...)
	s = strconv.AppendInt(append(s, 'e'), int64(n.Exp), 10)
	f, _ := strconv.ParseFloat(string(s), 64) // out of range gives ±Inf or 0, the nearest
	return f
}

// Numeric sets d to the exact value. Its exponent is never positive.
func (n *Number) Numeric(d *apd.Decimal) {
	d.Form, d.Negative, d.Exponent = n.Form, n.Neg, 0
	d.Coeff.SetInt64(0)
	if n.Form != apd.Finite || len(n.Digits) == 0 {
		return
	}
	digits := n.Digits
	if d.Exponent = int32(n.Exp); n.Exp > 0 {
		digits = append(make([]byte, 0, len(digits)+n.Exp), digits...)
		for range n.Exp {
			digits = append(digits, '0')
		}
		d.Exponent = 0
	}
	d.Coeff.SetString(string(digits), 10)
}
