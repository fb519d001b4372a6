// Package tsearch is PostgreSQL's full-text search: its default parser, configurations, tsvector and tsquery functions, ranking and
// headlines.
package tsearch

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is a type of token of the default parser.
type kind uint8

// The types, in the order of their numbers from 1.
const (
	asciiWord kind = iota + 1
	word
	numWord
	email
	url
	host
	sfloat
	version
	hwordNumPart
	hwordPart
	hwordASCIIPart
	blank
	tag
	protocol
	numHWord
	asciiHWord
	hword
	urlPath
	file
	float
	signedInt
	unsignedInt
	entity
)

// token is a piece of a text. Parts of compound tokens follow the whole and overlap it.
type token struct {
	kind kind
	text string
}

// tokens cuts a text into tokens, blanks included.
func tokens(text string, emit func(token)) {
	s := &scanner{text: text, emit: emit}
	for s.at < len(text) {
		s.next()
	}
	s.flush()
}

// scanner walks a text. What is no token of its own is gathered as a blank.
type scanner struct {
	text  string
	at    int
	space int // where the blank that is being gathered begins
	emit  func(token)
}

func (s *scanner) flush() {
	if s.space < s.at {
		s.emit(token{blank, s.text[s.space:s.at]})
	}
	s.space = s.at
}

// take emits the next n bytes as a token, with parts.
func (s *scanner) take(k kind, n int, parts ...token) {
	s.flush()
	s.emit(token{k, s.text[s.at : s.at+n]})
	for _, p := range parts {
		s.emit(p)
	}
	s.at += n
	s.space = s.at
}

func (s *scanner) next() {
	rest := s.text[s.at:]
	c := rest[0]
	switch {
	case c == '<':
		if n := tagLen(rest); n > 0 {
			s.take(tag, n)
			return
		}
	case c == '&':
		if n := entityLen(rest); n > 0 {
			s.take(entity, n)
			return
		}
	case c == '/' || c == '~' || c == '.':
		if n := pathLen(rest); n > 0 && s.freeBefore() {
			s.take(file, n)
			return
		}
	case (c == '-' || c == '+') && len(rest) > 1 && digit(rest[1]):
		if s.number(rest, 1) {
			return
		}
	}
	if digit(c) || alnum(rest) {
		s.word(rest)
		return
	}
	_, n := utf8.DecodeRuneInString(rest)
	s.at += n
}

// freeBefore tells whether no word ends right here.
func (s *scanner) freeBefore() bool {
	if s.at == 0 {
		return true
	}
	r, _ := utf8.DecodeLastRuneInString(s.text[:s.at])
	return !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

func letter(r rune) bool { return unicode.IsLetter(r) || unicode.Is(unicode.M, r) }

func alnum(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return letter(r) || unicode.IsDigit(r)
}

// run is the length of the letters and digits at the beginning, and what they are; '_' belongs to them behind the first.
func run(s string) (n int, k kind) {
	ascii, digits := true, false
	for n < len(s) {
		r, size := utf8.DecodeRuneInString(s[n:])
		if !letter(r) && !unicode.IsDigit(r) {
			break
		}
		digits = digits || unicode.IsDigit(r)
		ascii = ascii && r < utf8.RuneSelf
		n += size
	}
	switch {
	case digits:
		return n, numWord
	case ascii:
		return n, asciiWord
	}
	return n, word
}

func allDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }

// word emits what begins with a letter or digit.
func (s *scanner) word(rest string) {
	for _, try := range []func(string) bool{s.web, s.mail, s.site, s.path} {
		if try(rest) {
			return
		}
	}
	n, k := run(rest)
	if digit(rest[0]) && s.number(rest, 0) {
		return
	}
	if s.hyphenated(rest) {
		return
	}
	s.take(k, n)
}

// number emits an integer, decimal, version or scientific number that begins behind its sign; false when letters follow.
func (s *scanner) number(rest string, sign int) bool {
	digits := func(i int) int {
		for i < len(rest) && digit(rest[i]) {
			i++
		}
		return i
	}
	n := digits(sign)
	k := unsignedInt
	if sign > 0 {
		k = signedInt
	}
	dots := 0
	for n+1 < len(rest) && rest[n] == '.' && digit(rest[n+1]) {
		n = digits(n + 1)
		dots++
	}
	switch {
	case dots == 1:
		k = float
	case dots > 1:
		if sign > 0 {
			return false
		}
		k = version
	}
	if dots <= 1 && n+1 < len(rest) && (rest[n] == 'e' || rest[n] == 'E') {
		e := n + 1
		if rest[e] == '-' || rest[e] == '+' {
			e++
		}
		if end := digits(e); end > e && !wordAt(rest, end) {
			s.take(sfloat, end)
			return true
		}
	}
	if wordAt(rest, n) || sign == 0 && n < len(rest) && rest[n] == '-' && letterAt(rest, n+1) && dots == 0 {
		return false
	}
	s.take(k, n)
	return true
}

func wordAt(s string, i int) bool { return i < len(s) && alnum(s[i:]) }

func letterAt(s string, i int) bool {
	if i >= len(s) {
		return false
	}
	r, _ := utf8.DecodeRuneInString(s[i:])
	return letter(r)
}

// hyphenated emits words joined by hyphens, and their parts.
func (s *scanner) hyphenated(rest string) bool {
	n, k := run(rest)
	parts := []token{{k, rest[:n]}}
	for n+1 < len(rest) && rest[n] == '-' && alnum(rest[n+1:]) {
		size, kind := run(rest[n+1:])
		if allDigits(rest[n+1 : n+1+size]) {
			break // a number with its sign
		}
		parts = append(parts, token{kind, rest[n+1 : n+1+size]})
		n += 1 + size
	}
	if len(parts) == 1 {
		return false
	}
	whole := asciiHWord
	var out []token
	for i, p := range parts {
		if i > 0 {
			out = append(out, token{blank, "-"})
		}
		switch p.kind {
		case numWord:
			whole = numHWord
			p.kind = hwordNumPart
		case word:
			if whole == asciiHWord {
				whole = hword
			}
			p.kind = hwordPart
		default:
			p.kind = hwordASCIIPart
		}
		out = append(out, p)
	}
	s.take(whole, n, out...)
	return true
}
