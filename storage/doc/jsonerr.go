package doc

import (
	"fmt"
	"unicode/utf8"

	"github.com/omgdb/omgdb/storage/dberr"
)

// ValidateJSON checks a text for type json, which keeps it as it is: syntax as PostgreSQL wants it, where \u0000 and
// lone surrogates are allowed. Errors as ParseJSONB's.
func ValidateJSON(src []byte) error {
	if !utf8.Valid(src) {
		return invalidUTF8(src)
	}
	l := lexer{src: src, line: 1, kind: tokNone}
	return l.document()
}

// syntaxError reads a text that a parser refused and says what is wrong with it. decode applies the rules for strings
// that are turned into text.
func syntaxError(src []byte, decode bool) error {
	l := lexer{src: src, line: 1, kind: tokNone, decode: decode}
	if err := l.document(); err != nil {
		return err
	}
	return dberr.New(dberr.InvalidTextRepresentation, "invalid input syntax for type json")
}

func invalidUTF8(src []byte) error {
	for i := 0; i < len(src); {
		r, n := utf8.DecodeRune(src[i:])
		if r == utf8.RuneError && n <= 1 {
			return dberr.New(dberr.CharacterNotInRepertoire, `invalid byte sequence for encoding "UTF8":%s`, hexBytes(src[i:])).
				WithDetail("The bytes stand at offset %d of the JSON text.", i)
		}
		i += n
	}
	return nil
}

// hexBytes prints the bytes of one broken sequence: as many as its first byte announces.
func hexBytes(s []byte) string {
	n := 1
	switch c := s[0]; {
	case c >= 0xF0 && c <= 0xF7:
		n = 4
	case c >= 0xE0:
		n = 3
	case c >= 0xC0:
		n = 2
	}
	if s[0] >= 0xF8 {
		n = 1
	}
	text := ""
	for _, c := range s[:min(n, len(s))] {
		text += fmt.Sprintf(" 0x%02x", c)
	}
	return text
}

// token kinds; the letters are the tokens' own bytes.
const (
	tokEnd    = 0
	tokString = '"'
	tokNumber = '1'
	tokWord   = 'w' // true, false, null
	tokNone   = '.' // before the first
)

// lexer is the slow reader that knows lines and tokens. It runs only to validate json texts and to explain errors.
type lexer struct {
	src        []byte
	start, end int // of the token
	line       int
	lineStart  int
	depth      int
	kind       byte
	decode     bool
}

func (l *lexer) document() error {
	if err := l.next(); err != nil {
		return err
	}
	if err := l.value(); err != nil {
		return err
	}
	if l.kind != tokEnd {
		return l.expected("end of input")
	}
	return nil
}

func (l *lexer) value() error {
	switch l.kind {
	case '{':
		return l.object()
	case '[':
		return l.array()
	case tokString, tokNumber, tokWord:
		return l.next()
	}
	return l.expected("JSON value")
}

// enter counts a level of nesting and reads on.
func (l *lexer) enter() error {
	if l.depth++; l.depth > MaxDepth {
		return tooDeep()
	}
	return l.next()
}

func (l *lexer) leave() error {
	l.depth--
	return l.next()
}

func (l *lexer) object() error {
	if err := l.enter(); err != nil {
		return err
	}
	if l.kind == '}' {
		return l.leave()
	}
	for want := `string or "}"`; ; want = "string" {
		if l.kind != tokString {
			return l.expected(want)
		}
		if err := l.next(); err != nil {
			return err
		}
		if l.kind != ':' {
			return l.expected(`":"`)
		}
		if err := l.next(); err != nil {
			return err
		}
		if err := l.value(); err != nil {
			return err
		}
		switch l.kind {
		case '}':
			return l.leave()
		case ',':
			if err := l.next(); err != nil {
				return err
			}
		default:
			return l.expected(`"," or "}"`)
		}
	}
}

func (l *lexer) array() error {
	if err := l.enter(); err != nil {
		return err
	}
	if l.kind == ']' {
		return l.leave()
	}
	for {
		if err := l.value(); err != nil {
			return err
		}
		switch l.kind {
		case ']':
			return l.leave()
		case ',':
			if err := l.next(); err != nil {
				return err
			}
		default:
			return l.expected(`"," or "]"`)
		}
	}
}

// next reads the next token.
func (l *lexer) next() error {
	i := l.end
	for ; i < len(l.src); i++ {
		c := l.src[i]
		if c == '\n' {
			l.line++
			l.lineStart = i + 1
		} else if c != ' ' && c != '\t' && c != '\r' {
			break
		}
	}
	l.start = i
	if i >= len(l.src) {
		l.end, l.kind = i, tokEnd
		return nil
	}
	switch c := l.src[i]; c {
	case '{', '}', '[', ']', ',', ':':
		l.end, l.kind = i+1, c
		return nil
	case '"':
		return l.string()
	}
	if c := l.src[i]; c == '-' || c-'0' <= 9 {
		return l.number()
	}
	for l.end = i; l.end < len(l.src) && isWord(l.src[l.end]); l.end++ {
	}
	switch string(l.src[i:l.end]) {
	case "true", "false", "null":
		l.kind = tokWord
		return nil
	case "":
		l.end = i + 1
	}
	return l.invalidToken()
}

func (l *lexer) number() error {
	s, i := l.src, l.start
	bad := false
	if s[i] == '-' {
		i++
	}
	switch {
	case i < len(s) && s[i] == '0':
		i++
	case countDigits(s[i:]) > 0:
		i += countDigits(s[i:])
	default:
		bad = true
	}
	if i < len(s) && s[i] == '.' {
		i++
		n := countDigits(s[i:])
		i += n
		bad = bad || n == 0
	}
	if i < len(s) && s[i]|0x20 == 'e' {
		if i++; i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		n := countDigits(s[i:])
		i += n
		bad = bad || n == 0
	}
	for ; i < len(s) && isWord(s[i]); i++ {
		bad = true
	}
	l.end, l.kind = i, tokNumber
	if bad {
		return l.invalidToken()
	}
	return nil
}

func (l *lexer) string() error {
	high := false // after a high surrogate
	i := l.start + 1
	for ; ; i++ {
		if i >= len(l.src) {
			l.end = i
			return l.invalidToken()
		}
		c := l.src[i]
		switch {
		case c < 0x20:
			l.end = i
			return l.invalid("Character with value 0x%02x must be escaped.", c)
		case c == '\\':
			n, isHigh, err := l.escape(i, high)
			if err != nil {
				return err
			}
			i += n - 1
			high = isHigh
			continue
		case high:
			_, size := utf8.DecodeRune(l.src[i:])
			l.end = i + size
			return l.invalid("Unicode low surrogate must follow a high surrogate.")
		case c == '"':
			l.end, l.kind = i+1, tokString
			return nil
		}
	}
}

// escape checks the escape sequence at i and gives its length.
func (l *lexer) escape(i int, high bool) (n int, isHigh bool, err error) {
	if i+1 >= len(l.src) {
		l.end = i + 1
		return 0, false, l.invalidToken()
	}
	c := l.src[i+1]
	if c != 'u' {
		switch {
		case l.decode && high:
			_, size := utf8.DecodeRune(l.src[i+1:])
			l.end = i + 1 + size
			return 0, false, l.invalid("Unicode low surrogate must follow a high surrogate.")
		case unescape[c] == 0:
			_, size := utf8.DecodeRune(l.src[i+1:])
			l.end = i + 1 + size
			return 0, false, l.invalid(`Escape sequence "\%s" is invalid.`, l.src[i+1:l.end])
		}
		return 2, false, nil
	}
	for j := i + 2; j < i+6; j++ {
		if j >= len(l.src) {
			l.end = j
			return 0, false, l.invalidToken()
		}
		if hexValue(l.src[j]) < 0 {
			_, size := utf8.DecodeRune(l.src[j:])
			l.end = j + size
			return 0, false, l.invalid(`"\u" must be followed by four hexadecimal digits.`)
		}
	}
	if !l.decode {
		return 6, false, nil
	}
	isHigh, err = l.codePoint(i, high)
	return 6, isHigh, err
}

// codePoint applies the rules of decoding to the \u escape at i.
func (l *lexer) codePoint(i int, high bool) (isHigh bool, err error) {
	r, _ := hex4(l.src[i+2:])
	l.end = i + 6
	isHigh = r >= 0xD800 && r < 0xDC00
	low := r >= 0xDC00 && r <= 0xDFFF
	switch {
	case high && isHigh:
		return false, l.invalid("Unicode high surrogate must not follow a high surrogate.")
	case high != low:
		return false, l.invalid("Unicode low surrogate must follow a high surrogate.")
	case r == 0:
		e := zeroCharacter().(*dberr.Error)
		e.Where = l.context()
		return false, e
	}
	return isHigh, nil
}

func (l *lexer) expected(what string) error {
	if l.kind == tokEnd {
		return l.invalid("The input string ended unexpectedly.")
	}
	return l.invalid(`Expected %s, but found "%s".`, what, l.src[l.start:l.end])
}

func (l *lexer) invalidToken() error {
	return l.invalid(`Token "%s" is invalid.`, l.src[l.start:l.end])
}

func (l *lexer) invalid(detail string, args ...any) error {
	e := dberr.New(dberr.InvalidTextRepresentation, "invalid input syntax for type json").WithDetail(detail, args...)
	e.Where = l.context()
	return e
}

// contextWidth is how many bytes of the line an error shows before the end of the bad token.
const contextWidth = 50

// context shows the line up to the token that was refused.
func (l *lexer) context() string {
	from := l.lineStart
	for l.end-from >= contextWidth {
		_, size := utf8.DecodeRune(l.src[from:])
		from += size
	}
	prefix, suffix := "...", "..."
	if from-l.lineStart <= 3 {
		from, prefix = l.lineStart, ""
	}
	if l.kind == tokEnd || l.end >= len(l.src) || l.src[l.end] == '\n' || l.src[l.end] == '\r' {
		suffix = ""
	}
	return fmt.Sprintf("JSON data, line %d: %s%s%s", l.line, prefix, l.src[from:l.end], suffix)
}
