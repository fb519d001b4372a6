package jsonpath

import (
	"strings"
	"unicode/utf8"

	"github.com/omgdb/omgdb/storage/dberr"
)

// kind is a token's kind: a special character, or one of the constants.
type kind int

const (
	tEnd kind = iota + 256
	tIdent
	tString
	tVariable
	tInt
	tNumeric
	tAnyDepth
	tAnd
	tOr
	tEqual
	tNotEqual
	tLessEqual
	tGreaterEqual
	tKeyword // from here on keywords
	tIs
	tTo
	tLax
	tStrict
	tFlag
	tLast
	tNull
	tTrue
	tFalse
	tWith
	tStarts
	tExists
	tUnknown
	tLikeRegex
	tDatetime
	tMethod // from here on methods without arguments
	tAbs
	tSize
	tType
	tFloor
	tDouble
	tCeiling
	tKeyValue
)

var keywords = map[string]kind{
	"is": tIs, "to": tTo, "lax": tLax, "strict": tStrict, "flag": tFlag, "last": tLast, "null": tNull, "true": tTrue, "false": tFalse,
	"with": tWith, "starts": tStarts, "exists": tExists, "unknown": tUnknown, "like_regex": tLikeRegex, "datetime": tDatetime,
	"abs": tAbs, "size": tSize, "type": tType, "floor": tFloor, "double": tDouble, "ceiling": tCeiling, "keyvalue": tKeyValue,
}

// doubles are the operators of two characters.
var doubles = map[string]kind{
	"&&": tAnd, "||": tOr, "**": tAnyDepth, "<=": tLessEqual, "==": tEqual, "<>": tNotEqual, "!=": tNotEqual, ">=": tGreaterEqual,
}

// token is a token with its decoded text. near is what an error message shows of it: "" at the end of the input, and, as PostgreSQL
// has it, what ended an unquoted name or the closing quote of a string.
type token struct {
	kind kind
	text string
	near string
}

type scanner struct {
	in  string
	pos int
}

const specials = `?%$.[]{}()|&!=<>@#,*:-+/`

func special(c byte) bool { return strings.IndexByte(specials, c) >= 0 }
func blank(c byte) bool   { return strings.IndexByte(" \t\n\r\f", c) >= 0 }
func digit(c byte) bool   { return c >= '0' && c <= '9' }

// plain tells whether a character can stand in a name as it is.
func plain(c byte) bool { return !special(c) && !blank(c) && c != '\\' && c != '"' }

func syntaxError(message, near string) error {
	if near == "" {
		return dberr.New(dberr.SyntaxError, "%s at end of jsonpath input", message)
	}
	return dberr.New(dberr.SyntaxError, `%s at or near "%s" of jsonpath input`, message, near)
}

func (s *scanner) rest() string { return s.in[s.pos:] }

// run gives the length of the characters from i on that are of a class.
func (s *scanner) run(i int, class func(byte) bool) int {
	n := 0
	for i+n < len(s.in) && class(s.in[i+n]) {
		n++
	}
	return n
}

// next reads a token.
func (s *scanner) next() (token, error) {
	if err := s.skip(); err != nil {
		return token{}, err
	}
	if s.pos == len(s.in) {
		return token{kind: tEnd}, nil
	}
	rest := s.rest()
	c := rest[0]
	if digit(c) || c == '.' && len(rest) > 1 && digit(rest[1]) {
		if t, ok, err := s.number(); ok || err != nil {
			return t, err
		}
	}
	switch {
	case c == '"':
		s.pos++
		return s.quoted(tString)
	case c == '$' && len(rest) > 1 && rest[1] == '"':
		s.pos += 2
		return s.quoted(tVariable)
	case c == '$':
		n := 1 + s.run(s.pos+1, plain)
		s.pos += n
		if n == 1 {
			return token{kind: '$', near: "$"}, nil
		}
		return token{kind: tVariable, text: rest[1:n], near: rest[:n]}, nil
	case special(c):
		if len(rest) > 1 {
			if k, ok := doubles[rest[:2]]; ok {
				s.pos += 2
				return token{kind: k, near: rest[:2]}, nil
			}
		}
		s.pos++
		return token{kind: kind(c), near: rest[:1]}, nil
	}
	return s.name()
}

// skip passes over blanks and comments.
func (s *scanner) skip() error {
	for s.pos < len(s.in) {
		switch {
		case blank(s.in[s.pos]):
			s.pos++
		case strings.HasPrefix(s.rest(), "/*"):
			end := strings.Index(s.rest()[2:], "*/")
			if end < 0 {
				return syntaxError("unexpected end of comment", "")
			}
			s.pos += end + 4
		default:
			return nil
		}
	}
	return nil
}

// number reads a number; ok is false when a name that starts with digits stands there.
func (s *scanner) number() (t token, ok bool, err error) {
	start := s.pos
	whole := s.run(start, digit)
	if whole > 1 && s.in[start] == '0' {
		whole = 1 // no leading zeros
	}
	end, k := start+whole, tInt
	if end < len(s.in) && s.in[end] == '.' {
		end, k = end+1+s.run(end+1, digit), tNumeric
	}
	if end < len(s.in) && (s.in[end] == 'e' || s.in[end] == 'E') {
		exp := end + 1
		signed := exp < len(s.in) && (s.in[exp] == '+' || s.in[exp] == '-')
		if signed {
			exp++
		}
		if n := s.run(exp, digit); n > 0 {
			end, k = exp+n, tNumeric
		} else if signed {
			return t, false, syntaxError("invalid numeric literal", s.in[start:exp])
		}
	}
	if name := s.run(start, plain); name > end+1-start {
		return t, false, nil
	}
	if end < len(s.in) && plain(s.in[end]) {
		_, n := utf8.DecodeRuneInString(s.in[end:])
		return t, false, syntaxError("trailing junk after numeric literal", s.in[start:end+n])
	}
	s.pos = end
	return token{kind: k, text: s.in[start:end], near: s.in[start:end]}, true, nil
}

// quoted reads a string or the name of a variable up to the closing quote.
func (s *scanner) quoted(k kind) (token, error) {
	var text []byte
	for s.pos < len(s.in) {
		switch c := s.in[s.pos]; c {
		case '"':
			s.pos++
			return token{kind: k, text: string(text), near: `"`}, nil
		case '\\':
			var err error
			if text, err = s.escape(text); err != nil {
				return token{}, err
			}
		default:
			text = append(text, c)
			s.pos++
		}
	}
	return token{}, syntaxError("unexpected end of quoted string", "")
}

// name reads an unquoted name or keyword.
func (s *scanner) name() (token, error) {
	var text []byte
	for s.pos < len(s.in) {
		n := s.run(s.pos, plain)
		text = append(text, s.in[s.pos:s.pos+n]...)
		if s.pos += n; s.pos == len(s.in) || s.in[s.pos] != '\\' {
			break
		}
		var err error
		if text, err = s.escape(text); err != nil {
			return token{}, err
		}
	}
	t := token{kind: tIdent, text: string(text)}
	blanks := s.run(s.pos, blank)
	t.near = s.in[s.pos : s.pos+blanks]
	s.pos += blanks
	lower := strings.ToLower(t.text)
	if k, ok := keywords[lower]; ok {
		switch k {
		case tNull, tTrue, tFalse: // JSON's words are lower case
			if lower != t.text {
				return t, nil
			}
		}
		t.kind = k
	}
	return t, nil
}
