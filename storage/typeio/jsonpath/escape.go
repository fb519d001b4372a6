package jsonpath

import (
	"strconv"
	"unicode/utf8"

	"github.com/omgdb/omgdb/storage/dberr"
)

var controls = map[byte]byte{'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v'}

// escape reads an escape sequence of a name or string; \u escapes are taken together, for surrogate pairs.
func (s *scanner) escape(text []byte) ([]byte, error) {
	start := s.pos
	if start+1 == len(s.in) {
		return nil, syntaxError("unexpected end after backslash", `\`)
	}
	switch c := s.in[start+1]; c {
	case 'u':
		return s.unicode(text)
	case 'x':
		n := min(s.run(start+2, hex), 2)
		if n < 2 {
			return nil, syntaxError("invalid hex character sequence", s.in[start:start+2+n])
		}
		s.pos = start + 4
		code, _ := strconv.ParseUint(s.in[start+2:s.pos], 16, 8)
		return appendCode(text, rune(code))
	default:
		if ctl, ok := controls[c]; ok {
			s.pos += 2
			return append(text, ctl), nil
		}
		_, n := utf8.DecodeRuneInString(s.in[start+1:])
		s.pos += 1 + n
		return append(text, s.in[start+1:s.pos]...), nil
	}
}

func hex(c byte) bool { return digit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' }

// unicode reads one or more \u escapes.
func (s *scanner) unicode(text []byte) ([]byte, error) {
	start := s.pos
	high := rune(0)
	var err error
	for s.pos+1 < len(s.in) && s.in[s.pos] == '\\' && s.in[s.pos+1] == 'u' {
		code, end, ok := s.code(s.pos + 2)
		if !ok {
			return nil, syntaxError("invalid unicode sequence", s.in[start:end])
		}
		s.pos = end
		switch {
		case code >= 0xD800 && code < 0xDC00:
			if high != 0 {
				return nil, badSurrogate("Unicode high surrogate must not follow a high surrogate.")
			}
			high = code
			continue
		case code >= 0xDC00 && code < 0xE000:
			if high == 0 {
				return nil, badSurrogate("Unicode low surrogate must follow a high surrogate.")
			}
			code, high = (high-0xD800)<<10+(code-0xDC00)+0x10000, 0
		case high != 0:
			return nil, badSurrogate("Unicode low surrogate must follow a high surrogate.")
		}
		if text, err = appendCode(text, code); err != nil {
			return nil, err
		}
	}
	if high != 0 {
		return nil, badSurrogate("Unicode low surrogate must follow a high surrogate.")
	}
	return text, nil
}

// code reads the digits of \uXXXX or \u{X…}; end is where they end, or where a wrong sequence does.
func (s *scanner) code(i int) (code rune, end int, ok bool) {
	if i < len(s.in) && s.in[i] == '{' {
		n := min(s.run(i+1, hex), 6)
		end = i + 1 + n
		if n == 0 || end == len(s.in) || s.in[end] != '}' {
			return 0, end, false
		}
		c, _ := strconv.ParseUint(s.in[i+1:end], 16, 32)
		return rune(c), end + 1, true
	}
	n := min(s.run(i, hex), 4)
	if n < 4 {
		return 0, i + n, false
	}
	c, _ := strconv.ParseUint(s.in[i:i+4], 16, 32)
	return rune(c), i + 4, true
}

func badSurrogate(detail string) error {
	return dberr.New(dberr.InvalidTextRepresentation, "invalid input syntax for type %s", "jsonpath").WithDetail("%s", detail)
}

func appendCode(text []byte, code rune) ([]byte, error) {
	switch {
	case code == 0:
		return nil, dberr.New(dberr.UntranslatableCharacter, "unsupported Unicode escape sequence").WithDetail(`\u0000 cannot be converted to text.`)
	case !utf8.ValidRune(code):
		return nil, dberr.New(dberr.SyntaxError, "invalid Unicode code point")
	}
	return utf8.AppendRune(text, code), nil
}
