package scalar

import (
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// unicodeFunctions gives normalize, is_normalized and unistr.
func unicodeFunctions() []def {
	return []def{
		{Sig: "normalize(text,text)", Eval: try(func(a []val) (val, error) {
			f, err := normalForm(a[1].Str())
			if err != nil {
				return value.Null, err
			}
			return text(f.String(a[0].Str())), nil
		})},
		{Sig: "is_normalized(text,text)", Eval: try(func(a []val) (val, error) {
			f, err := normalForm(a[1].Str())
			if err != nil {
				return value.Null, err
			}
			return value.Bool(f.IsNormalString(a[0].Str())), nil
		})},
		{Sig: "unistr(text)", Eval: try(unistr)},
	}
}

func normalForm(s string) (norm.Form, error) {
	switch strings.ToUpper(s) {
	case "NFC":
		return norm.NFC, nil
	case "NFD":
		return norm.NFD, nil
	case "NFKC":
		return norm.NFKC, nil
	case "NFKD":
		return norm.NFKD, nil
	}
	return 0, dberr.New(dberr.InvalidParameterValue, "invalid normalization form: %s", s)
}

// unistr reads \XXXX, \+XXXXXX, \uXXXX and \UXXXXXXXX; surrogates come in pairs.
func unistr(a []val) (val, error) {
	s := a[0].Str()
	var b strings.Builder
	high := rune(0)
	pair := func() error { return dberr.New(dberr.SyntaxError, "invalid Unicode surrogate pair") }
	for s != "" {
		if s[0] != '\\' {
			if high != 0 {
				return value.Null, pair()
			}
			_, n := utf8.DecodeRuneInString(s)
			b.WriteString(s[:n])
			s = s[n:]
			continue
		}
		if strings.HasPrefix(s, `\\`) {
			if high != 0 {
				return value.Null, pair()
			}
			b.WriteByte('\\')
			s = s[2:]
			continue
		}
		r, n := unicodeEscape(s)
		if n == 0 {
			return value.Null, dberr.New(dberr.SyntaxError, "invalid Unicode escape").WithHint(`Unicode escapes must be \XXXX, \+XXXXXX, \uXXXX, or \UXXXXXXXX.`)
		}
		s = s[n:]
		switch {
		case r > unicode.MaxRune || r == 0:
			return value.Null, dberr.New(dberr.InvalidParameterValue, "invalid Unicode code point: %04X", r)
		case high != 0:
			c := utf16.DecodeRune(high, r)
			if c == unicode.ReplacementChar {
				return value.Null, pair()
			}
			b.WriteRune(c)
			high = 0
		case r >= 0xd800 && r < 0xdc00:
			high = r
		case r >= 0xdc00 && r < 0xe000:
			return value.Null, pair()
		default:
			b.WriteRune(r)
		}
	}
	if high != 0 {
		return value.Null, pair()
	}
	return text(b.String()), nil
}

// unicodeEscape reads the escape that s starts with; n is its length, 0 for none.
func unicodeEscape(s string) (r rune, n int) {
	skip, digits := 1, 4
	switch {
	case strings.HasPrefix(s, `\+`):
		skip, digits = 2, 6
	case strings.HasPrefix(s, `\u`):
		skip = 2
	case strings.HasPrefix(s, `\U`):
		skip, digits = 2, 8
	}
	if len(s) < skip+digits {
		return 0, 0
	}
	v := int64(0)
	for _, c := range []byte(s[skip : skip+digits]) {
		d := strings.IndexByte("0123456789abcdef", c|0x20)
		if d < 0 || c < '0' || c > '9' && c < 'A' {
			return 0, 0
		}
		v = v<<4 | int64(d)
	}
	return rune(min(v, 0x7fffffff)), skip + digits
}
