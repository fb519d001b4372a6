package scalar

import (
	"strings"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// Bit strings are held as characters 0 and 1.

func bitPair(name string, f func(x, y byte) byte) eval {
	return try(func(a []val) (val, error) {
		x, y := a[0].Str(), a[1].Str()
		if len(x) != len(y) {
			return value.Null, dberr.New(dberr.StringDataLengthMismatch, "cannot %s bit strings of different sizes", name)
		}
		out := make([]byte, len(x))
		for i := range out {
			out[i] = f(x[i], y[i])
		}
		return value.Bytes(out), nil
	})
}

// bitFunctions gives the functions and operators of bit strings.
func bitFunctions() []def {
	return []def{
		{Sig: "bitand(bit,bit)", Eval: bitPair("AND", func(x, y byte) byte { return x & y })},
		{Sig: "bitor(bit,bit)", Eval: bitPair("OR", func(x, y byte) byte { return x | y })},
		{Sig: "bitxor(bit,bit)", Eval: bitPair("XOR", func(x, y byte) byte { return '0' | (x ^ y) })},
		{Sig: "bitnot(bit)", Eval: str1(func(s string) string { return strings.NewReplacer("0", "1", "1", "0").Replace(s) })},
		{Sig: "bitshiftleft(bit,int4)", Eval: pure(func(a []val) val { return text(shiftBits(a[0].Str(), a[1].Int())) })},
		{Sig: "bitshiftright(bit,int4)", Eval: pure(func(a []val) val { return text(shiftBits(a[0].Str(), -a[1].Int())) })},
		{Sig: "bitcat(varbit,varbit)", Eval: str2(func(s, t string) string { return s + t })},
		{Sig: "length(bit)", Eval: strInt(func(s string) int { return len(s) })}, {Sig: "bit_length(bit)", Eval: strInt(func(s string) int { return len(s) })},
		{Sig: "octet_length(bit)", Eval: strInt(func(s string) int { return (len(s) + 7) / 8 })},
		{Sig: "bit_count(bit)", Eval: strInt(func(s string) int { return strings.Count(s, "1") })},
		{Sig: "substring(bit,int4)", Eval: try(byteSubstr)}, {Sig: "substring(bit,int4,int4)", Eval: try(byteSubstr)},
		{Sig: "overlay(bit,bit,int4)", Eval: try(byteOverlay)}, {Sig: "overlay(bit,bit,int4,int4)", Eval: try(byteOverlay)},
		{Sig: "position(bit,bit)", Eval: pure(func(a []val) val {
			if a[0].Str() == "" && a[1].Str() != "" {
				return value.Int(0)
			}
			return value.Int(int64(strings.Index(a[0].Str(), a[1].Str()) + 1))
		})},
		{Sig: "get_bit(bit,int4)", Eval: try(func(a []val) (val, error) {
			if err := bitIndex(a[0].Str(), a[1].Int()); err != nil {
				return value.Null, err
			}
			return value.Int(int64(a[0].Str()[a[1].Int()] - '0')), nil
		})},
		{Sig: "set_bit(bit,int4,int4)", Eval: try(func(a []val) (val, error) {
			if err := bitIndex(a[0].Str(), a[1].Int()); err != nil {
				return value.Null, err
			}
			b := []byte(a[0].Str())
			switch a[2].Int() {
			case 0, 1:
				b[a[1].Int()] = '0' + byte(a[2].Int())
			default:
				return value.Null, dberr.New(dberr.InvalidParameterValue, "new bit must be 0 or 1")
			}
			return value.Bytes(b), nil
		})},
		{Sig: "bit(int4,int4)", Eval: pure(func(a []val) val { return text(intBits(a[0].Int(), 32, a[1].Int())) })},
		{Sig: "bit(int8,int4)", Eval: pure(func(a []val) val { return text(intBits(a[0].Int(), 64, a[1].Int())) })},
		{Sig: "int4(bit)", Eval: try(func(a []val) (val, error) { return bitsInt(a[0].Str(), int4T) })},
		{Sig: "int8(bit)", Eval: try(func(a []val) (val, error) { return bitsInt(a[0].Str(), int8T) })},
	}
}

func bitIndex(s string, n int64) error {
	if n < 0 || n >= int64(len(s)) {
		return dberr.New(dberr.ArraySubscriptError, "bit index %d out of valid range (0..%d)", n, len(s)-1)
	}
	return nil
}

// shiftBits moves bits to the left (n > 0) or right, filling with zeros.
func shiftBits(s string, n int64) string {
	size := int64(len(s))
	switch {
	case n >= size || -n >= size:
		return strings.Repeat("0", len(s))
	case n >= 0:
		return s[n:] + strings.Repeat("0", int(n))
	}
	return strings.Repeat("0", int(-n)) + s[:size+n]
}

// intBits gives the lowest n bits of an integer, with its sign in front when n is wider.
func intBits(v int64, width int, n int64) string {
	if n <= 0 {
		n = 1
	}
	b := make([]byte, n)
	for i := range b {
		k := int(n) - 1 - i
		bit := byte(0)
		switch {
		case k < width:
			bit = byte(v >> k & 1)
		case v < 0:
			bit = 1
		}
		b[i] = '0' + bit
	}
	return string(b)
}

func bitsInt(s string, t intType) (val, error) {
	if len(s) > t.bits {
		return value.Null, outOfRange(t.sql)
	}
	v := uint64(0)
	for i := range len(s) {
		v = v<<1 | uint64(s[i]-'0')
	}
	if t.bits == 32 {
		return value.Int(int64(int32(v))), nil
	}
	return value.Int(int64(v)), nil
}
