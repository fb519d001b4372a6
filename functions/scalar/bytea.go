package scalar

import (
	"bytes"
	"crypto/md5"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"strings"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// bytesFunctions gives the functions of bytea: pieces, bits, digests, encodings.
func bytesFunctions() []def {
	md5sum := func(a []val) val {
		h := md5.Sum(a[0].Bytes())
		return text(hex.EncodeToString(h[:]))
	}
	return []def{
		{Sig: "byteacat(bytea,bytea)", Eval: str2(func(s, t string) string { return s + t })},
		{Sig: "length(bytea)", Eval: strInt(func(s string) int { return len(s) })}, {Sig: "octet_length(bytea)", Eval: strInt(func(s string) int { return len(s) })},
		{Sig: "bit_length(bytea)", Eval: strInt(func(s string) int { return len(s) * 8 })},
		{Sig: "substr(bytea,int4)", Eval: try(byteSubstr)}, {Sig: "substr(bytea,int4,int4)", Eval: try(byteSubstr)},
		{Sig: "substring(bytea,int4)", Eval: try(byteSubstr)}, {Sig: "substring(bytea,int4,int4)", Eval: try(byteSubstr)},
		{Sig: "position(bytea,bytea)", Eval: pure(func(a []val) val { return value.Int(int64(strings.Index(a[0].Str(), a[1].Str()) + 1)) })},
		{Sig: "overlay(bytea,bytea,int4)", Eval: try(byteOverlay)}, {Sig: "overlay(bytea,bytea,int4,int4)", Eval: try(byteOverlay)},
		{Sig: "btrim(bytea,bytea)", Eval: str2(func(s, set string) string { return byteTrim(s, set, true, true) })},
		{Sig: "ltrim(bytea,bytea)", Eval: str2(func(s, set string) string { return byteTrim(s, set, true, false) })},
		{Sig: "rtrim(bytea,bytea)", Eval: str2(func(s, set string) string { return byteTrim(s, set, false, true) })},
		{Sig: "get_byte(bytea,int4)", Eval: try(getByte)}, {Sig: "set_byte(bytea,int4,int4)", Eval: try(setByte)},
		{Sig: "get_bit(bytea,int8)", Eval: try(getBit)}, {Sig: "set_bit(bytea,int8,int4)", Eval: try(setBit)},
		{Sig: "md5(text)", Eval: pure(md5sum)}, {Sig: "md5(bytea)", Eval: pure(md5sum)},
		{Sig: "sha224(bytea)", Eval: pure(func(a []val) val { h := sha256.Sum224(a[0].Bytes()); return value.Bytes(h[:]) })},
		{Sig: "sha256(bytea)", Eval: pure(func(a []val) val { h := sha256.Sum256(a[0].Bytes()); return value.Bytes(h[:]) })},
		{Sig: "sha384(bytea)", Eval: pure(func(a []val) val { h := sha512.Sum384(a[0].Bytes()); return value.Bytes(h[:]) })},
		{Sig: "sha512(bytea)", Eval: pure(func(a []val) val { h := sha512.Sum512(a[0].Bytes()); return value.Bytes(h[:]) })},
		{Sig: "encode(bytea,text)", Eval: try(encode)}, {Sig: "decode(text,text)", Eval: try(decode)},
		{Sig: "convert_from(bytea,name)", Eval: try(convertFrom)}, {Sig: "convert_to(text,name)", Eval: try(convertTo)},
		{Sig: "convert(bytea,name,name)", Eval: try(convert)}, {Sig: "length(bytea,name)", Eval: try(lengthIn)},
	}
}

func byteSubstr(a []val) (val, error) {
	from, to, err := bounds(a)
	if err != nil {
		return value.Null, err
	}
	s := a[0].Str()
	n := int64(len(s))
	return text(s[min(from, n):min(to, n)]), nil
}

func byteOverlay(a []val) (val, error) {
	s, t, start := a[0].Str(), a[1].Str(), a[2].Int()
	n := int64(len(t))
	if len(a) > 3 {
		n = a[3].Int()
	}
	if start <= 0 {
		return value.Null, dberr.New("22011", "negative substring length not allowed")
	}
	if start+n > 1<<31-1 {
		return value.Null, outOfRange("integer")
	}
	size := int64(len(s))
	return text(s[:min(start-1, size)] + t + s[min(max(start-1+n, 0), size):]), nil
}

func byteTrim(s, set string, leading, trailing bool) string {
	for leading && s != "" && strings.IndexByte(set, s[0]) >= 0 {
		s = s[1:]
	}
	for trailing && s != "" && strings.IndexByte(set, s[len(s)-1]) >= 0 {
		s = s[:len(s)-1]
	}
	return s
}

func checkIndex(n int64, size int) error {
	if n < 0 || n >= int64(size) {
		return dberr.New(dberr.ArraySubscriptError, "index %d out of valid range, 0..%d", n, size-1)
	}
	return nil
}

func getByte(a []val) (val, error) {
	if err := checkIndex(a[1].Int(), len(a[0].Str())); err != nil {
		return value.Null, err
	}
	return value.Int(int64(a[0].Str()[a[1].Int()])), nil
}

func setByte(a []val) (val, error) {
	if err := checkIndex(a[1].Int(), len(a[0].Str())); err != nil {
		return value.Null, err
	}
	b := bytes.Clone(a[0].Bytes())
	b[a[1].Int()] = byte(a[2].Int())
	return value.Bytes(b), nil
}

func getBit(a []val) (val, error) {
	n := a[1].Int()
	if err := checkIndex(n, len(a[0].Str())*8); err != nil {
		return value.Null, err
	}
	return value.Int(int64(a[0].Str()[n/8] >> (n % 8) & 1)), nil
}

func setBit(a []val) (val, error) {
	n := a[1].Int()
	if err := checkIndex(n, len(a[0].Str())*8); err != nil {
		return value.Null, err
	}
	b := bytes.Clone(a[0].Bytes())
	switch a[2].Int() {
	case 0:
		b[n/8] &^= 1 << (n % 8)
	case 1:
		b[n/8] |= 1 << (n % 8)
	default:
		return value.Null, dberr.New(dberr.InvalidParameterValue, "new bit must be 0 or 1")
	}
	return value.Bytes(b), nil
}

func badEncoding(name string) error {
	return dberr.New(dberr.InvalidParameterValue, `unrecognized encoding: "%s"`, name)
}

func encode(a []val) (val, error) {
	switch strings.ToLower(a[1].Str()) {
	case "hex":
		return text(hex.EncodeToString(a[0].Bytes())), nil
	case "base64":
		s := base64.StdEncoding.EncodeToString(a[0].Bytes())
		var b strings.Builder
		for len(s) > 76 {
			b.WriteString(s[:76] + "\n")
			s = s[76:]
		}
		return text(b.String() + s), nil
	case "escape":
		return text(string(encodeEscape(a[0].Str()))), nil
	}
	return value.Null, badEncoding(a[1].Str())
}

// encodeEscape leaves all but zero bytes, bytes above 127 and backslashes as they are.
func encodeEscape(s string) []byte {
	var dst []byte
	for i := range len(s) {
		switch c := s[i]; {
		case c == 0 || c >= 0x80:
			dst = append(dst, '\\', '0'+c>>6, '0'+c>>3&7, '0'+c&7)
		case c == '\\':
			dst = append(dst, '\\', '\\')
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

func decode(a []val) (val, error) {
	var b []byte
	var err error
	switch strings.ToLower(a[1].Str()) {
	case "hex":
		b, err = typeio.DecodeHex(a[0].Str())
	case "base64":
		b, err = decodeBase64(a[0].Str())
	case "escape":
		if strings.HasPrefix(a[0].Str(), `\x`) {
			return value.Null, dberr.New(dberr.InvalidTextRepresentation, "invalid input syntax for type bytea")
		}
		b, err = typeio.ParseBytea(a[0].Str())
	default:
		err = badEncoding(a[1].Str())
	}
	if err != nil {
		return value.Null, err
	}
	return value.Bytes(b), nil
}

// decodeBase64 skips blanks; other strange characters are errors.
func decodeBase64(s string) ([]byte, error) {
	var out []byte
	buf, n, pad := uint32(0), 0, 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == ' ' || c == '\t' || c == '\n' || c == '\r' {
			continue
		}
		var v uint32
		if c == '=' {
			if pad == 0 {
				switch n {
				case 2:
					pad = 1
				case 3:
					pad = 2
				default:
					return nil, dberr.New(dberr.InvalidParameterValue, `unexpected "=" while decoding base64 sequence`)
				}
			}
		} else {
			k := strings.IndexByte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", c)
			if k < 0 {
				return nil, dberr.New(dberr.InvalidParameterValue, `invalid symbol "%s" found while decoding base64 sequence`, firstChar(s[i:]))
			}
			v = uint32(k)
		}
		buf = buf<<6 | v
		if n++; n == 4 {
			out = append(out, byte(buf>>16))
			if pad == 0 || pad > 1 {
				out = append(out, byte(buf>>8))
			}
			if pad == 0 || pad > 2 {
				out = append(out, byte(buf))
			}
			buf, n = 0, 0
		}
	}
	if n != 0 {
		return nil, dberr.New(dberr.InvalidParameterValue, "invalid base64 end sequence").
			WithHint("Input data is missing padding, is truncated, or is otherwise corrupted.")
	}
	return out, nil
}
