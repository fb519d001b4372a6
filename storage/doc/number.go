package doc

import (
	"bytes"
	"encoding/binary"
	"math"
	"strconv"

	"github.com/cockroachdb/apd/v3"

	"github.com/omgdb/omgdb/storage/dberr"
)

// A number's type follows from its decimal text, so that a value has one form whoever wrote it:
//
//	integer                                             int32, int64, else decimal128
//	fraction, the shortest text of a double             double
//	fraction, any other (1.50, 0.1000000000000000055)   decimal128, scale kept
//	beyond 34 digits or decimal128's exponents          binary SubtypeNumber
//
// The limits are those of PostgreSQL's numeric.
const (
	maxIntegerDigits = 131072
	maxScale         = 16383
	maxExponent      = math.MaxInt32 / 2 // of a written exponent, even if the digits are zero
)

// IsNumber reports a number of any type, NaN and infinities included.
func (v Value) IsNumber() bool {
	switch v.Type {
	case TypeInt32, TypeInt64, TypeDouble, TypeDecimal128:
		return true
	}
	return v.private(SubtypeNumber)
}

// appendNumber classifies d and appends its raw bytes.
func appendNumber(dst []byte, d Decimal) (byte, []byte, error) {
	for len(d.Coef) > 0 && d.Coef[0] == '0' {
		d.Coef = d.Coef[1:]
	}
	if d.OverflowsNumeric() {
		return 0, dst, dberr.New(dberr.NumericValueOutOfRange, "value overflows numeric format")
	}
	if len(d.Coef) == 0 {
		d.Neg = false // numeric has no negative zero
		if d.Exp > 0 {
			d.Exp = 0
		}
	}
	if d.Exp >= 0 {
		if i, ok := d.int64(); ok {
			t, dst := appendInt(dst, i)
			return t, dst, nil
		}
	} else if f, ok := d.shortestDouble(); ok {
		return TypeDouble, binary.LittleEndian.AppendUint64(dst, math.Float64bits(f)), nil
	}
	d, ok := d.fit128()
	if ok {
		return TypeDecimal128, appendDecimal128(dst, d), nil
	}
	return TypeBinary, appendNumberBinary(dst, d), nil
}

// appendNumberBinary appends the raw bytes of a SubtypeNumber binary.
func appendNumberBinary(dst []byte, d Decimal) []byte {
	at := len(dst)
	dst = append(dst, 0, 0, 0, 0, SubtypeNumber)
	if d.Neg {
		dst = append(dst, '-')
	}
	dst = append(append(dst, d.Coef...), 'E')
	dst = strconv.AppendInt(dst, int64(d.Exp), 10)
	binary.LittleEndian.PutUint32(dst[at:], uint32(len(dst)-at-5))
	return dst
}

func appendInt(dst []byte, i int64) (byte, []byte) {
	if i == int64(int32(i)) {
		return TypeInt32, binary.LittleEndian.AppendUint32(dst, uint32(i))
	}
	return TypeInt64, binary.LittleEndian.AppendUint64(dst, uint64(i))
}

// int64 gives the value when it is an integer in range.
func (d Decimal) int64() (int64, bool) {
	if len(d.Coef) == 0 {
		return 0, true
	}
	if d.Exp < 0 {
		if d = d.trimZeros(); d.Exp < 0 {
			return 0, false
		}
	}
	if len(d.Coef)+d.Exp > 19 {
		return 0, false
	}
	u := parseDigits(d.Coef)
	for range d.Exp {
		u *= 10
	}
	if d.Neg {
		return -int64(u), u <= 1<<63
	}
	return int64(u), u < 1<<63
}

// fit128 gives the value in its one form for decimal128, if it fits: a fraction keeps its scale; an integer is written
// out up to 34 digits, and beyond has no zeros at its end unless the exponent is used up.
func (d Decimal) fit128() (Decimal, bool) {
	if d.Exp >= 0 {
		d = d.trimZeros()
		if zeros := d.Exp - dec128MaxExp; len(d.Coef)+d.Exp <= dec128Digits {
			d = d.writeOut(d.Exp)
		} else if zeros > 0 && len(d.Coef)+zeros <= dec128Digits {
			d = d.writeOut(zeros)
		}
	}
	return d, len(d.Coef) <= dec128Digits && d.Exp >= dec128MinExp && d.Exp <= dec128MaxExp
}

// writeOut moves n powers of ten from the exponent to the digits.
func (d Decimal) writeOut(n int) Decimal {
	if n > 0 {
		d.Coef = appendZeros(append(make([]byte, 0, len(d.Coef)+n), d.Coef...), n)
		d.Exp -= n
	}
	return d
}

var tenTo = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
	1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// shortestDouble gives the double whose shortest plain text (with at least one fraction digit) is exactly this
// fraction's text.
func (d Decimal) shortestDouble() (float64, bool) {
	n, scale := len(d.Coef), -d.Exp
	if n == 0 {
		return 0, scale == 1
	}
	if scale > 1 && d.Coef[n-1] == '0' {
		return 0, false
	}
	if n <= 15 && scale <= 22 { // every decimal of 15 digits is the shortest text of its double
		f := float64(parseDigits(d.Coef)) / tenTo[scale]
		if d.Neg {
			f = -f
		}
		return f, true
	}
	t := d.trimZeros()
	if len(t.Coef) > 17 {
		return 0, false
	}
	var text [64]byte
	s := append(text[:0], t.Coef...)
	s = strconv.AppendInt(append(s, 'e'), int64(t.Exp), 10)
	f, err := strconv.ParseFloat(string(s), 64)
	if err != nil || f == 0 {
		return 0, false
	}
	var buf DecimalBuf
	back, _ := doubleDecimal(f, &buf)
	back = back.trimZeros()
	if back.Exp != t.Exp || !bytes.Equal(back.Coef, t.Coef) {
		return 0, false
	}
	if d.Neg {
		f = -f
	}
	return f, true
}

// NumberFromText classifies a decimal text: an optional sign, digits with an optional point, an optional exponent.
// It is what a JSON number of the same text would be. Errors: 22P02 for any other text, 22003 beyond numeric's limits.
func NumberFromText(text []byte) (Value, error) {
	var room [64]byte
	d, ok := ParseDecimal(text, room[:0])
	if !ok {
		return Value{}, dberr.New(dberr.InvalidTextRepresentation, "invalid input syntax for type numeric: \"%s\"", text)
	}
	return valueOf(d)
}

func valueOf(d Decimal) (Value, error) {
	t, data, err := appendNumber(make([]byte, 0, 16), d)
	return Value{t, data}, err
}

// OverflowsNumeric reports a value beyond the limits of PostgreSQL's numeric.
func (d Decimal) OverflowsNumeric() bool {
	return -d.Exp > maxScale || d.Exp >= maxExponent || len(d.Coef) > 0 && len(d.Coef)+d.Exp > maxIntegerDigits
}

// ParseDecimal reads a decimal text (sign, digits with an optional point, optional exponent) into its parts. The digits lie in
// text, or in scratch (grown at need) when a point splits them. ok is false for any other text.
func ParseDecimal(text, scratch []byte) (d Decimal, ok bool) {
	s := text
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		d.Neg, s = s[0] == '-', s[1:]
	}
	whole := s[:countDigits(s)]
	s = s[len(whole):]
	d.Coef = whole
	if len(s) > 0 && s[0] == '.' {
		frac := s[1 : 1+countDigits(s[1:])]
		s = s[1+len(frac):]
		if len(frac) > 0 {
			d.Coef = append(append(scratch, whole...), frac...)
			d.Exp = -len(frac)
		}
	}
	if len(d.Coef) == 0 {
		return d, false
	}
	for len(d.Coef) > 0 && d.Coef[0] == '0' {
		d.Coef = d.Coef[1:]
	}
	if len(s) == 0 {
		return d, true
	}
	if s[0] != 'e' && s[0] != 'E' {
		return d, false
	}
	exp, ok := parseExponent(s[1:])
	d.Exp += exp
	return d, ok
}

// parseExponent reads an exponent; one beyond every limit is cut to a value that is still beyond.
func parseExponent(s []byte) (int, bool) {
	neg := false
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		neg, s = s[0] == '-', s[1:]
	}
	if len(s) == 0 || countDigits(s) != len(s) {
		return 0, false
	}
	exp := 0
	for _, c := range s {
		if exp <= maxExponent {
			exp = exp*10 + int(c-'0')
		}
	}
	if neg {
		exp = -exp
	}
	return exp, true
}

func countDigits(s []byte) int {
	n := 0
	for n < len(s) && s[n]-'0' <= 9 {
		n++
	}
	return n
}

// NumberFromInt64 gives an int32 or int64 value.
func NumberFromInt64(i int64) Value {
	t, data := appendInt(make([]byte, 0, 8), i)
	return Value{t, data}
}

// NumberFromDecimal classifies an apd decimal. NaN and infinities become doubles, as numeric columns store them.
func NumberFromDecimal(d *apd.Decimal) (Value, error) {
	switch d.Form {
	case apd.NaN, apd.NaNSignaling:
		return Double(math.NaN()), nil
	case apd.Infinite:
		return Double(math.Inf(1 - 2*b2i(d.Negative))), nil
	}
	var room [64]byte
	return valueOf(Decimal{Coef: d.Coeff.Append(room[:0], 10), Exp: int(d.Exponent), Neg: d.Negative})
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// NumberFromFloat64 classifies the shortest decimal of f as PostgreSQL's to_jsonb(float8) does: 5 is an integer, 0.1 a
// double, 1e300 a decimal. NaN and infinities, which JSON has no number for, stay doubles.
func NumberFromFloat64(f float64) Value {
	var buf DecimalBuf
	d, kind := doubleDecimal(f, &buf)
	if kind != Finite {
		return Double(f)
	}
	v, _ := valueOf(d.trimZeros()) // a double is always within numeric's limits
	return v
}

// Double gives a double, whatever its value.
func Double(f float64) Value {
	return Value{TypeDouble, binary.LittleEndian.AppendUint64(nil, math.Float64bits(f))}
}

// Int64 gives the value of a number that is an integer within int64, whatever its type (5, 5.0, 5.00).
func (v Value) Int64() (int64, bool) {
	switch v.Type {
	case TypeInt32:
		return int64(int32(binary.LittleEndian.Uint32(v.Data))), true
	case TypeInt64:
		return int64(binary.LittleEndian.Uint64(v.Data)), true
	case TypeDouble:
		if f := v.float(); math.Abs(f) < 1<<53 {
			return int64(f), f == math.Trunc(f)
		}
	}
	var buf DecimalBuf
	if d, kind := v.Decompose(&buf); kind == Finite {
		return d.int64()
	}
	return 0, false
}

func (v Value) float() float64 { return math.Float64frombits(binary.LittleEndian.Uint64(v.Data)) }

// Float64 gives the nearest double of a number; ok is false for other values.
func (v Value) Float64() (f float64, ok bool) {
	switch v.Type {
	case TypeInt32:
		return float64(int32(binary.LittleEndian.Uint32(v.Data))), true
	case TypeInt64:
		return float64(int64(binary.LittleEndian.Uint64(v.Data))), true
	case TypeDouble:
		return v.float(), true
	}
	var buf DecimalBuf
	d, kind := v.Decompose(&buf)
	switch kind {
	case NotNumber:
		return 0, false
	case NaN:
		return math.NaN(), true
	case PosInf, NegInf:
		return math.Inf(1 - 2*b2i(kind == NegInf)), true
	}
	var text [64]byte
	f, _ = strconv.ParseFloat(string(d.appendScientific(text[:0])), 64) // out of range gives ±Inf or 0: the nearest
	return f, true
}

// Decimal sets d to the exact value of a number; ok is false for other values. A double gives its shortest decimal with
// at least one fraction digit, which is the numeric that PostgreSQL would have kept. Exponents may be positive.
func (v Value) Decimal(d *apd.Decimal) (ok bool) {
	var buf DecimalBuf
	p, kind := v.Decompose(&buf)
	d.Form, d.Negative, d.Exponent = apd.Finite, p.Neg && len(p.Coef) > 0, int32(p.Exp)
	switch kind {
	case NotNumber:
		return false
	case NaN:
		d.Form = apd.NaN
		fallthrough
	case PosInf, NegInf:
		if kind != NaN {
			d.Form, d.Negative = apd.Infinite, kind == NegInf
		}
		d.Coeff.SetInt64(0)
		d.Exponent = 0
		return true
	}
	if v.Type == TypeDouble && p.Exp >= 0 && len(p.Coef) > 0 {
		p = p.writeOut(p.Exp + 1)
		d.Exponent = -1
	}
	if len(p.Coef) <= 18 {
		d.Coeff.SetUint64(parseDigits(p.Coef))
	} else {
		d.Coeff.SetString(string(p.Coef), 10)
	}
	return true
}

// AppendNumber appends PostgreSQL's numeric text of a number: no exponent, scale kept, no negative zero. It appends
// nothing for other values.
func (v Value) AppendNumber(dst []byte) []byte {
	switch v.Type {
	case TypeInt32:
		return strconv.AppendInt(dst, int64(int32(binary.LittleEndian.Uint32(v.Data))), 10)
	case TypeInt64:
		return strconv.AppendInt(dst, int64(binary.LittleEndian.Uint64(v.Data)), 10)
	}
	var buf DecimalBuf
	d, kind := Decimal{}, NotNumber
	if v.Type == TypeDouble {
		f := v.float()
		if kind = floatKind(f); kind == Finite {
			return appendDouble(dst, f+0) // without the sign of a zero
		}
	} else if d, kind = v.Decompose(&buf); kind == Finite {
		d.Neg = d.Neg && len(d.Coef) > 0
		return d.appendPlain(dst)
	}
	return append(dst, kindName[kind]...)
}

func floatKind(f float64) Kind {
	switch {
	case math.IsNaN(f):
		return NaN
	case math.IsInf(f, 1):
		return PosInf
	case math.IsInf(f, -1):
		return NegInf
	}
	return Finite
}

// appendDouble appends the shortest plain text of a finite double, with at least one fraction digit.
func appendDouble(dst []byte, f float64) []byte {
	at := len(dst)
	dst = strconv.AppendFloat(dst, f, 'f', -1, 64)
	if bytes.IndexByte(dst[at:], '.') < 0 {
		dst = append(dst, '.', '0')
	}
	return dst
}

var kindName = [...]string{NotNumber: "", Finite: "", NaN: "NaN", PosInf: "Infinity", NegInf: "-Infinity"}

// Decimal128 gives a decimal128 value, NaN and infinities included, whatever the number; a value beyond its digits becomes the
// exact private form.
func Decimal128(d *apd.Decimal) (Value, error) {
	high := uint64(0)
	switch d.Form {
	case apd.NaN, apd.NaNSignaling:
		high = dec128NaN
	case apd.Infinite:
		high = dec128Inf | uint64(b2i(d.Negative))<<63
	default:
		var room [64]byte
		p := Decimal{Coef: d.Coeff.Append(room[:0], 10), Exp: int(d.Exponent), Neg: d.Negative}
		if string(p.Coef) == "0" {
			p.Coef = nil
		}
		if p.Exp > dec128MaxExp || len(p.Coef) > dec128Digits {
			p, _ = p.fit128()
		}
		if len(p.Coef) <= dec128Digits && p.Exp >= dec128MinExp && p.Exp <= dec128MaxExp {
			return Value{TypeDecimal128, appendDecimal128(nil, p)}, nil
		}
		return valueOf(p)
	}
	return Value{TypeDecimal128, binary.LittleEndian.AppendUint64(make([]byte, 8, 16), high)}, nil
}
