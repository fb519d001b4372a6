package filter

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// translator rewrites a Perl expression into what Go's engines take, so that both give PCRE's answers: classes are ASCII,
// `$` also matches before a final line feed, blanks go under option x. It notes what only the backtracking engine can do.
type translator struct {
	in        string
	pos       int
	out       []byte
	multiline bool
	extended  bool
	backtrack bool
}

// Classes of single letters, and of their names between colons, as the inside of a bracket.
var (
	letterClasses = map[byte]string{
		'd': "0-9", 'w': "0-9A-Za-z_", 's': "\\t-\\r ",
		'h': "\\t \u00a0\u1680\u180e\u2000-\u200a\u202f\u205f\u3000", 'v': "\\n-\\r\u0085\u2028\u2029",
	}
	posixClasses = map[string]string{
		"alpha": "A-Za-z", "digit": "0-9", "alnum": "0-9A-Za-z", "upper": "A-Z", "lower": "a-z", "space": "\\t-\\r ",
		"blank": "\\t ", "punct": "!-/:-@\\[-`{-~", "xdigit": "0-9A-Fa-f", "word": "0-9A-Za-z_", "cntrl": "\\x00-\\x1f\\x7f",
		"graph": "!-~", "print": " -~", "ascii": "\\x00-\\x7f",
	}
)

func (t *translator) run() error {
	for t.pos < len(t.in) {
		var err error
		switch c := t.in[t.pos]; {
		case c == '\\':
			err = t.escape()
		case c == '[':
			err = t.class()
		case c == '(':
			err = t.group()
		case c == '$' && !t.multiline:
			t.pos++
			t.endOfText()
		case t.extended && strings.IndexByte(" \t\n\v\f\r", c) >= 0:
			t.pos++
		case t.extended && c == '#':
			if n := strings.IndexByte(t.in[t.pos:], '\n'); n >= 0 {
				t.pos += n + 1
			} else {
				t.pos = len(t.in)
			}
		default:
			t.copy(1)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *translator) copy(n int) {
	t.out = append(t.out, t.in[t.pos:t.pos+n]...)
	t.pos += n
}

// emit writes a replacement for the next n bytes.
func (t *translator) emit(n int, s string) {
	t.pos += n
	t.out = append(t.out, s...)
}

// endOfText writes `$`, which also holds before a line feed at the very end.
func (t *translator) endOfText() {
	rest := t.in[t.pos:]
	if rest == "" || rest[0] == ')' || rest[0] == '|' {
		t.out = append(t.out, `(?:\n?\z)`...)
		return
	}
	t.backtrack = true
	t.out = append(t.out, `\Z`...)
}

func (t *translator) escape() error {
	if t.pos+1 >= len(t.in) {
		return errors.New("trailing backslash at end of pattern")
	}
	c := t.in[t.pos+1]
	if class, ok := letterClasses[c|0x20]; ok {
		open := "["
		if c < 'a' {
			open = "[^"
		}
		t.emit(2, open+class+"]")
		return nil
	}
	switch c {
	case 'R':
		t.emit(2, "(?:\\r\\n|["+letterClasses['v']+"])")
	case 'N':
		t.emit(2, "[^\\n]")
	case 'Z':
		t.pos += 2
		t.endOfText()
	case 'Q':
		text := t.in[t.pos+2:]
		quoted, _, found := strings.Cut(text, `\E`)
		t.emit(len(`\Q`)+len(quoted)+len(`\E`)*b2i(found), regexp.QuoteMeta(quoted))
	case 'E':
		t.pos += 2
	case 'K', 'C', 'X', 'L', 'U', 'l', 'u', 'o':
		return errors.New(`escape \` + string(c) + ` is not supported`)
	case 'G':
		t.backtrack = true
		t.copy(2)
	case 'g':
		return t.backReference()
	case 'k':
		t.backtrack = true
		t.emit(2, `\k`)
	default:
		if c >= '1' && c <= '9' {
			t.backtrack = true
			t.copy(2)
			return nil
		}
		if r, n, ok := t.codePoint(); ok {
			t.emit(n, regexp.QuoteMeta(string(r)))
			return nil
		}
		_, n := utf8.DecodeRuneInString(t.in[t.pos+1:])
		t.copy(1 + n)
	}
	return nil
}

// backReference rewrites \g1, \g{1} and \g{name}.
func (t *translator) backReference() error {
	t.backtrack = true
	s := t.in[t.pos+2:]
	if strings.HasPrefix(s, "{") {
		name, _, ok := strings.Cut(s[1:], "}")
		if !ok || strings.HasPrefix(name, "-") {
			return errors.New(`\g needs a group number or name`)
		}
		t.emit(2+len(name)+2, `\k<`+name+`>`)
		return nil
	}
	if s == "" || s[0] < '1' || s[0] > '9' {
		return errors.New(`\g needs a group number or name`)
	}
	t.emit(2, `\`)
	return nil
}

// codePoint reads \xhh, \x{h…}, \0oo, \cX, \e and gives the character and the length.
func (t *translator) codePoint() (r rune, n int, ok bool) {
	s := t.in[t.pos:]
	base, from, to := 16, 2, 2
	switch s[1] {
	case 'e':
		return 0x1b, 2, true
	case 'c':
		if len(s) < 3 || s[2] >= 0x80 {
			return 0, 0, false
		}
		return rune(strings.ToUpper(s[2:3])[0] ^ 0x40), 3, true
	case '0':
		base, from = 8, 1
		for to = 2; to < len(s) && to < 4 && s[to] >= '0' && s[to] <= '7'; to++ {
		}
		n = to
	case 'x':
		if strings.HasPrefix(s, `\x{`) {
			end := strings.IndexByte(s, '}')
			if end < 0 {
				return 0, 0, false
			}
			from, to, n = 3, end, end+1
			break
		}
		for to < len(s) && to < 4 && isHex(s[to]) {
			to++
		}
		if n = to; to == 2 {
			return 0, 2, true
		}
	default:
		return 0, 0, false
	}
	v, err := strconv.ParseUint(s[from:to], base, 32)
	if err != nil || v > utf8.MaxRune {
		return 0, 0, false
	}
	return rune(v), n, true
}

func isHex(c byte) bool { return c-'0' <= 9 || c|0x20-'a' <= 5 }

// class copies a bracket expression, with the classes inside spelled out.
func (t *translator) class() error {
	t.copy(1)
	if t.pos < len(t.in) && t.in[t.pos] == '^' {
		t.copy(1)
	}
	for first := true; t.pos < len(t.in); first = false {
		switch c := t.in[t.pos]; {
		case c == ']' && first:
			t.emit(1, `\]`)
		case c == ']':
			t.copy(1)
			return nil
		case c == '\\':
			if err := t.classEscape(); err != nil {
				return err
			}
		case c == '[':
			name, _, ok := strings.Cut(t.in[t.pos+1:], ":]")
			if set, known := posixClasses[strings.TrimPrefix(name, ":")]; ok && known && strings.HasPrefix(name, ":") {
				t.emit(len(name)+3, set)
			} else if ok && strings.HasPrefix(name, ":^") {
				t.copy(len(name) + 3)
			} else {
				t.emit(1, `\[`)
			}
		default:
			t.copy(1)
		}
	}
	return errors.New("missing closing ]")
}

func (t *translator) classEscape() error {
	if t.pos+1 >= len(t.in) {
		return errors.New("missing closing ]")
	}
	c := t.in[t.pos+1]
	if set, ok := letterClasses[c]; ok {
		t.emit(2, set)
		return nil
	}
	if c == 'b' {
		t.emit(2, `\x08`)
		return nil
	}
	if r, n, ok := t.codePoint(); ok {
		if r < utf8.RuneSelf {
			t.emit(n, `\x`+strconv.FormatUint(uint64(0x100|r), 16)[1:])
		} else {
			t.emit(n, string(r))
		}
		return nil
	}
	_, n := utf8.DecodeRuneInString(t.in[t.pos+1:])
	t.copy(1 + n)
	return nil
}

// group reads an opening parenthesis and what makes it special.
func (t *translator) group() error {
	s := t.in[t.pos:]
	switch {
	case strings.HasPrefix(s, "(*"):
		verb, _, ok := strings.Cut(s, ")")
		if !ok || verb != "(*UTF" && verb != "(*UTF8" || t.pos > 0 {
			return errors.New("verbs such as " + verb + ") are not supported")
		}
		t.pos += len(verb) + 1
	case strings.HasPrefix(s, "(?#"):
		comment, _, ok := strings.Cut(s, ")")
		if !ok {
			return errors.New("missing ) after (?# comment")
		}
		t.pos += len(comment) + 1
	case strings.HasPrefix(s, "(?P<"):
		t.emit(4, "(?<")
	case strings.HasPrefix(s, "(?P="):
		name, _, ok := strings.Cut(s[4:], ")")
		if !ok {
			return errors.New("missing ) after (?P=")
		}
		t.backtrack = true
		t.emit(5+len(name), `\k<`+name+`>`)
	case strings.HasPrefix(s, "(?:"):
		t.copy(3)
	case hasPrefix(s, "(?=", "(?!", "(?>", "(?<=", "(?<!", "(?'"):
		t.backtrack = true
		t.copy(3)
	case hasPrefix(s, "(?<"):
		t.copy(3)
	case strings.HasPrefix(s, "(?"):
		return t.flags(s[2:])
	default:
		t.copy(1)
	}
	return nil
}

func hasPrefix(s string, list ...string) bool {
	for _, p := range list {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// flags reads (?ims-x) and (?i:…).
func (t *translator) flags(s string) error {
	end := strings.IndexAny(s, ":)")
	if end < 0 || strings.Trim(s[:end], "imsxUJ-") != "" {
		return errors.New("unknown group (?" + s[:min(len(s), 3)])
	}
	on, _, _ := strings.Cut(s[:end], "-")
	if strings.Contains(s[:end], "x") {
		if t.pos > 0 || s[end] == ':' || s[:end] != on {
			t.backtrack = true
			t.copy(2 + end)
			return nil
		}
		t.extended = true
	}
	t.multiline = t.multiline || strings.Contains(on, "m")
	if flags := strings.NewReplacer("x", "", "J", "").Replace(s[:end]); flags != "" {
		t.emit(2+end, "(?"+flags)
		return nil
	}
	t.pos += 2 + end + 1
	if s[end] == ':' {
		t.out = append(t.out, "(?:"...)
	}
	return nil
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
