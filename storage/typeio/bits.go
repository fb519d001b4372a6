package typeio

import (
	"math"
	"strings"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// A bit string is held as the characters 0 and 1: their order is that of the type.

func bitIn(t *value.Type, text string, _ *Format) (value.Value, error) {
	s, hex := text, false
	if s != "" {
		switch s[0] {
		case 'b', 'B':
			s = s[1:]
		case 'x', 'X':
			s, hex = s[1:], true
		}
	}
	if !hex {
		for i := range len(s) {
			if s[i] != '0' && s[i] != '1' {
				return value.Null, dberr.New(dberr.InvalidTextRepresentation, `"%s" is not a valid binary digit`, charAt(s, i))
			}
		}
		return value.String(s), nil
	}
	var b strings.Builder
	for i := range len(s) {
		d := strings.IndexByte("0123456789abcdef", s[i]|0x20)
		if d < 0 || s[i] >= 'G' && s[i] < 'a' || s[i] < '0' {
			return value.Null, dberr.New(dberr.InvalidTextRepresentation, `"%s" is not a valid hexadecimal digit`, charAt(s, i))
		}
		for k := 3; k >= 0; k-- {
			b.WriteByte('0' + byte(d>>k&1))
		}
	}
	return value.String(b.String()), nil
}

// bitMod fits to bit(n): an explicit cast cuts or pads with zeros, else the length must be right.
func bitMod(_ *value.Type, mod int32, v value.Value, explicit bool) (value.Value, error) {
	s, n := v.Str(), int(mod)
	switch {
	case n <= 0 || n > math.MaxInt32-8 || len(s) == n:
		return v, nil
	case !explicit:
		return value.Null, dberr.New(dberr.StringDataLengthMismatch, "bit string length %d does not match type bit(%d)", len(s), n)
	case len(s) > n:
		return value.String(s[:n]), nil
	}
	return value.String(s + strings.Repeat("0", n-len(s))), nil
}

func varbitMod(_ *value.Type, mod int32, v value.Value, explicit bool) (value.Value, error) {
	s, n := v.Str(), int(mod)
	if n <= 0 || len(s) <= n {
		return v, nil
	}
	if !explicit {
		return value.Null, dberr.New(dberr.StringDataRightTruncation, "bit string too long for type bit varying(%d)", n)
	}
	return value.String(s[:n]), nil
}
