package parse

import "strings"

// tokenKind is what the quick scan tells tokens apart by. It knows SQL's quotes and comments exactly and nothing of its grammar.
type tokenKind uint8

const (
	tokEnd   tokenKind = iota
	tokWord            // identifier or keyword, not quoted
	tokOther           // literal, quoted identifier, parameter, number
	tokOp              // operator, :: included
	tokPunct           // one of ( ) [ ] , ; . : and what else stands alone
)

// scanner walks over the tokens of a text. Unterminated quotes and comments end at the end of the text: the parser reports them.
type scanner struct {
	s   string
	pos int
}

// next gives the next token and its text.
func (sc *scanner) next() (tokenKind, string) {
	sc.pos += leadingBlank(sc.s[sc.pos:])
	start := sc.pos
	if start >= len(sc.s) {
		return tokEnd, ""
	}
	kind := tokPunct
	switch c := sc.s[start]; {
	case c == '\'':
		kind, sc.pos = tokOther, endQuote(sc.s, start+1, '\'', false)
	case c == '"':
		kind, sc.pos = tokOther, endQuote(sc.s, start+1, '"', false)
	case c == '$':
		kind, sc.pos = tokOther, endDollar(sc.s, start)
	case isDigit(c):
		kind, sc.pos = tokOther, endNumber(sc.s, start)
	case isIdentStart(c):
		kind, sc.pos = sc.word(start)
	case isOpChar(c):
		kind, sc.pos = tokOp, endOp(sc.s, start)
	case c == ':' && start+1 < len(sc.s) && sc.s[start+1] == ':':
		kind, sc.pos = tokOp, start+2
	default:
		sc.pos = start + 1
	}
	return kind, sc.s[start:sc.pos]
}

// word scans an identifier, or the literal that it introduces: E'…', B'…', X'…', N'…', U&'…', U&"…".
func (sc *scanner) word(start int) (tokenKind, int) {
	s := sc.s
	end := start + 1
	for end < len(s) && (isIdentStart(s[end]) || isDigit(s[end]) || s[end] == '$') {
		end++
	}
	if end < len(s) && end == start+1 {
		switch s[start] {
		case 'e', 'E':
			if s[end] == '\'' {
				return tokOther, endQuote(s, end+1, '\'', true)
			}
		case 'b', 'B', 'x', 'X', 'n', 'N':
			if s[end] == '\'' {
				return tokOther, endQuote(s, end+1, '\'', false)
			}
		case 'u', 'U':
			if s[end] == '&' && end+1 < len(s) && (s[end+1] == '\'' || s[end+1] == '"') {
				return tokOther, endQuote(s, end+2, s[end+1], false)
			}
		}
	}
	return tokWord, end
}

// leadingBlank is the length of the white space and comments at the beginning of s.
func leadingBlank(s string) int {
	i := 0
	for i < len(s) {
		switch c := s[i]; {
		case c == ' ' || c >= '\t' && c <= '\r':
			i++
		case c == '-' && strings.HasPrefix(s[i:], "--"):
			n := strings.IndexAny(s[i:], "\r\n")
			if n < 0 {
				return len(s)
			}
			i += n
		case c == '/' && strings.HasPrefix(s[i:], "/*"):
			i += blockComment(s[i:])
		default:
			return i
		}
	}
	return i
}

// blockComment is the length of the comment, which may be nested, at the beginning of s.
func blockComment(s string) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch {
		case strings.HasPrefix(s[i:], "/*"):
			depth++
			i++
		case strings.HasPrefix(s[i:], "*/"):
			depth--
			i++
			if depth == 0 {
				return i + 1
			}
		}
	}
	return len(s)
}

// endQuote gives the position behind the quoted text whose inside starts at i.
func endQuote(s string, i int, quote byte, escapes bool) int {
	for i < len(s) {
		switch {
		case s[i] == '\\' && escapes:
			i += 2
		case s[i] != quote:
			i++
		case i+1 < len(s) && s[i+1] == quote:
			i += 2
		default:
			return i + 1
		}
	}
	return len(s)
}

// endDollar gives the position behind a $1, or a $tag$…$tag$.
func endDollar(s string, start int) int {
	i := start + 1
	if i < len(s) && isDigit(s[i]) {
		for i < len(s) && isDigit(s[i]) {
			i++
		}
		return i
	}
	for i < len(s) && (isIdentStart(s[i]) || i > start+1 && isDigit(s[i])) {
		i++
	}
	if i >= len(s) || s[i] != '$' {
		return start + 1
	}
	tag := s[start : i+1]
	if n := strings.Index(s[i+1:], tag); n >= 0 {
		return i + 1 + n + len(tag)
	}
	return len(s)
}

func endNumber(s string, i int) int {
	for i < len(s) && (isDigit(s[i]) || s[i] == '.' || s[i] == '_' || isIdentStart(s[i])) {
		if (s[i] == 'e' || s[i] == 'E') && i+1 < len(s) && (s[i+1] == '+' || s[i+1] == '-') {
			i++
		}
		i++
	}
	return i
}

// endOp gives the position behind an operator, which ends before a comment.
func endOp(s string, start int) int {
	i := start + 1
	for i < len(s) && isOpChar(s[i]) && !strings.HasPrefix(s[i:], "--") && !strings.HasPrefix(s[i:], "/*") {
		i++
	}
	return i
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isIdentStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}

func isOpChar(c byte) bool { return strings.IndexByte("+-*/<>=~!@#%^&|`?", c) >= 0 }
