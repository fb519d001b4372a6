package typeio

import (
	"encoding/hex"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio/num"
	"github.com/omgdb/omgdb/storage/value"
)

func byteaIn(_ *value.Type, s string, _ *Format) (value.Value, error) {
	b, err := ParseBytea(s)
	if err != nil {
		return value.Null, err
	}
	return value.Bytes(b), nil
}

// ParseBytea reads the hex and the escape form of bytea.
func ParseBytea(s string) ([]byte, error) {
	if len(s) >= 2 && s[0] == '\\' && s[1] == 'x' {
		return DecodeHex(s[2:])
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] != '\\':
			out = append(out, s[i])
		case i+1 < len(s) && s[i+1] == '\\':
			out = append(out, '\\')
			i++
		case i+3 < len(s) && s[i+1] <= '3' && octal(s[i+1]) && octal(s[i+2]) && octal(s[i+3]):
			out = append(out, (s[i+1]-'0')<<6|(s[i+2]-'0')<<3|(s[i+3]-'0'))
			i += 3
		default:
			return nil, dberr.New(dberr.InvalidTextRepresentation, "invalid input syntax for type bytea")
		}
	}
	return out, nil
}

// DecodeHex reads hexadecimal digits; blanks between pairs are skipped.
func DecodeHex(s string) ([]byte, error) {
	out := make([]byte, 0, len(s)/2)
	for i := 0; i < len(s); {
		if num.Space(s[i]) {
			i++
			continue
		}
		hi, err := hexDigit(s, i)
		if err != nil {
			return nil, err
		}
		if i+1 >= len(s) {
			return nil, dberr.New(dberr.InvalidParameterValue, "invalid hexadecimal data: odd number of digits")
		}
		lo, err := hexDigit(s, i+1)
		if err != nil {
			return nil, err
		}
		out = append(out, hi<<4|lo)
		i += 2
	}
	return out, nil
}

func hexDigit(s string, i int) (byte, error) {
	switch c := s[i]; {
	case c >= '0' && c <= '9':
		return c - '0', nil
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, nil
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10, nil
	}
	return 0, dberr.New(dberr.InvalidParameterValue, `invalid hexadecimal digit: "%s"`, charAt(s, i))
}

// charAt gives the whole character that starts at byte i.
func charAt(s string, i int) string {
	for _, r := range s[i:] {
		return string(r)
	}
	return ""
}

func byteaOut(dst []byte, _ *value.Type, v value.Value, f *Format) []byte {
	if f.ByteaOutput == ByteaEscape {
		return AppendEscape(dst, v.Str())
	}
	dst = append(dst, '\\', 'x')
	return hex.AppendEncode(dst, v.Bytes())
}

// AppendEscape writes bytes in bytea's escape form.
func AppendEscape(dst []byte, s string) []byte {
	for i := range len(s) {
		switch c := s[i]; {
		case c == '\\':
			dst = append(dst, '\\', '\\')
		case c < 0x20 || c > 0x7e:
			dst = append(dst, '\\', '0'+c>>6, '0'+c>>3&7, '0'+c&7)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}
