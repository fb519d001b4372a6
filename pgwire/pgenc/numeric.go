package pgenc

import (
	"encoding/binary"
	"math/big"

	"github.com/cockroachdb/apd/v3"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/typeio/num"
	"github.com/omgdb/omgdb/storage/value"
)

// numeric goes over the wire as digits of base 10000: their number, the weight of the first, the sign, the display scale, the digits.
// Zero digits at both ends are left out.

const (
	signPos  = 0x0000
	signNeg  = 0x4000
	signNaN  = 0xc000
	signPInf = 0xd000
	signNInf = 0xf000
)

func putNumeric(dst []byte, _ *value.Type, v value.Value, _ *typeio.Format) []byte {
	d := v.Box().(*apd.Decimal)
	if d.Form != apd.Finite {
		return putSpecial(dst, d)
	}
	scale := num.Scale(d)
	sign := uint16(signPos)
	if d.Negative {
		sign = signNeg
	}
	at := len(dst)
	dst = append(dst, 0, 0, 0, 0, 0, 0, 0, 0)
	dst, weight := appendDigits(dst, d, scale)
	n := (len(dst) - at - 8) / 2
	if n == 0 {
		weight, sign = 0, signPos
	}
	binary.BigEndian.PutUint16(dst[at:], uint16(n))
	binary.BigEndian.PutUint16(dst[at+2:], uint16(weight))
	binary.BigEndian.PutUint16(dst[at+4:], sign)
	binary.BigEndian.PutUint16(dst[at+6:], uint16(scale))
	return dst
}

func putSpecial(dst []byte, d *apd.Decimal) []byte {
	sign, scale := uint16(signNaN), uint16(0)
	if num.IsInf(d) {
		sign, scale = signPInf, 0x20
		if d.Negative {
			sign = signNInf
		}
	}
	dst = append(dst, 0, 0, 0, 0)
	dst = binary.BigEndian.AppendUint16(dst, sign)
	return binary.BigEndian.AppendUint16(dst, scale)
}

// appendDigits adds the base-10000 digits of |d| and gives the weight of the first.
func appendDigits(dst []byte, d *apd.Decimal, scale int) ([]byte, int) {
	var stack [64]byte
	var dec []byte
	if d.Coeff.IsUint64() {
		dec = appendUint(stack[:0], d.Coeff.Uint64())
	} else {
		dec = d.Coeff.Append(stack[:0], 10)
	}
	// The decimal digit k of dec stands at power of ten len(dec)-1-k-scale; groups of four end at multiples of 4.
	pow := len(dec) - 1 - scale
	weight := floorDiv(pow, 4)
	fill := 3 - (pow - 4*weight) // zeros in front that complete the first group
	start := len(dst)
	group, k := 0, fill
	for _, c := range dec {
		group = group*10 + int(c-'0')
		if k++; k == 4 {
			dst = binary.BigEndian.AppendUint16(dst, uint16(group))
			group, k = 0, 0
		}
	}
	if k > 0 {
		for ; k < 4; k++ {
			group *= 10
		}
		dst = binary.BigEndian.AppendUint16(dst, uint16(group))
	}
	for len(dst) > start && dst[len(dst)-1] == 0 && dst[len(dst)-2] == 0 {
		dst = dst[:len(dst)-2]
	}
	return dst, weight
}

func appendUint(dst []byte, u uint64) []byte {
	var b [20]byte
	i := len(b)
	for {
		i--
		b[i] = byte('0' + u%10)
		if u /= 10; u == 0 {
			return append(dst, b[i:]...)
		}
	}
}

func floorDiv(a, b int) int {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func getNumeric(r *reader, _ *value.Type) value.Value {
	n, weight, sign, scale := int(r.uint16()), r.int16(), r.uint16(), int(r.uint16())
	digits := r.bytes(2 * n)
	if r.err != nil {
		return value.Null
	}
	switch sign {
	case signPos, signNeg:
	case signNaN:
		return value.Box(num.NaN)
	case signPInf:
		return value.Box(num.Inf)
	case signNInf:
		return value.Box(num.NegInf)
	default:
		r.fail(dberr.InvalidBinaryRepresentation, `invalid sign in external "numeric" value`)
		return value.Null
	}
	if scale > num.MaxScale {
		r.fail(dberr.InvalidBinaryRepresentation, `invalid scale in external "numeric" value`)
		return value.Null
	}
	coef, ok := joinDigits(digits)
	if !ok {
		r.fail(dberr.InvalidBinaryRepresentation, `invalid digit in external "numeric" value`)
		return value.Null
	}
	// coef × 10000^(weight-n+1); bring it to the display scale, cutting digits beyond it.
	shift := 4*(weight-n+1) + scale
	if shift >= 0 {
		coef.Mul(coef, num.Pow10(shift))
	} else {
		coef.Quo(coef, num.Pow10(-shift))
	}
	if sign == signNeg {
		coef.Neg(coef)
	}
	d, err := num.FromBig(coef, scale)
	if err != nil {
		r.err = err
		return value.Null
	}
	return value.Box(d)
}

// joinDigits makes one number of base-10000 digits.
func joinDigits(b []byte) (*big.Int, bool) {
	var small uint64
	if len(b) <= 8 {
		for i := 0; i < len(b); i += 2 {
			g := binary.BigEndian.Uint16(b[i:])
			if g > 9999 {
				return nil, false
			}
			small = small*10000 + uint64(g)
		}
		return new(big.Int).SetUint64(small), true
	}
	dec := make([]byte, 0, 2*len(b))
	for i := 0; i < len(b); i += 2 {
		g := binary.BigEndian.Uint16(b[i:])
		if g > 9999 {
			return nil, false
		}
		dec = append(dec, byte('0'+g/1000), byte('0'+g/100%10), byte('0'+g/10%10), byte('0'+g%10))
	}
	n, ok := new(big.Int).SetString(string(dec), 10)
	return n, ok
}
