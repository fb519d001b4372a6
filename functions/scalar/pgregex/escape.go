package pgregex

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// escape reads what follows a backslash.
func (p *parser) escape(level int) (*node, error) {
	if !p.more() {
		return nil, invalid(`invalid escape \ sequence`)
	}
	c := p.peek()
	if p.f.Basic {
		return p.basicEscape(level)
	}
	if p.f.Extended || !isLetter(c) && !isDigit(c) {
		r, n := utf8.DecodeRuneInString(p.s[p.i:])
		p.i += n
		return p.char(r), nil
	}
	switch c {
	case 'A':
		p.i++
		return p.assert(aBegin), nil
	case 'Z':
		p.i++
		return p.assert(aEnd), nil
	case 'm':
		p.i++
		return p.assert(aWordStart), nil
	case 'M':
		p.i++
		return p.assert(aWordEnd), nil
	case 'y':
		p.i++
		return p.assert(aWordEdge), nil
	case 'Y':
		p.i++
		return p.assert(aNotWordEdge), nil
	}
	if c >= '1' && c <= '9' {
		if n, ok, err := p.backref(); ok || err != nil {
			return n, err
		}
	}
	if set := p.classEscape(); set != nil {
		n := p.node(kSet)
		n.set = set
		return n, nil
	}
	r, err := p.charEscape()
	if err != nil {
		return nil, err
	}
	return p.char(r), nil
}

// basicEscape reads the escapes of basic expressions.
func (p *parser) basicEscape(level int) (*node, error) {
	switch c := p.peek(); {
	case c == '(':
		p.i++
		return p.capture(level)
	case c == '<':
		p.i++
		return p.assert(aWordStart), nil
	case c == '>':
		p.i++
		return p.assert(aWordEnd), nil
	case c >= '1' && c <= '9':
		n, _, err := p.backref()
		return n, err
	}
	r, n := utf8.DecodeRuneInString(p.s[p.i:])
	p.i += n
	return p.char(r), nil
}

// backref reads a back reference; several digits are one only when there are so many groups.
func (p *parser) backref() (n *node, ok bool, err error) {
	j, v := p.i, 0
	for j < len(p.s) && isDigit(p.s[j]) && v < 1000 {
		v = v*10 + int(p.s[j]-'0')
		j++
	}
	switch {
	case j-p.i == 1 || v <= p.caps:
	case p.s[p.i] == '8' || p.s[p.i] == '9':
		return nil, false, invalid("invalid backreference number")
	default:
		return nil, false, nil // an octal number
	}
	if p.f.Basic {
		v, j = int(p.s[p.i]-'0'), p.i+1
	}
	if v > p.caps || !p.closed[v] {
		return nil, false, invalid("invalid backreference number")
	}
	p.i = j
	n = p.node(kBack)
	n.cap, n.captures, n.backs = v, true, true
	return n, true, nil
}

// classEscape reads \d \s \w and their opposites.
func (p *parser) classEscape() *charSet {
	var set *charSet
	switch p.peek() | 0x20 {
	case 'd':
		set = classes["digit"]()
	case 's':
		set = classes["space"]()
	case 'w':
		set = wordSet
	default:
		return nil
	}
	if p.peek() < 'a' {
		set = set.negate()
		if p.f.LineDots && p.peek() == 'W' {
			set = set.without('\n')
		}
	}
	p.i++
	return set
}

// charEscape reads an escape that stands for one character.
func (p *parser) charEscape() (rune, error) {
	c := p.peek()
	p.i++
	bad := invalid(`invalid escape \ sequence`)
	switch c {
	case 'a':
		return '\a', nil
	case 'b':
		return '\b', nil
	case 'B':
		return '\\', nil
	case 'c':
		if !p.more() {
			return 0, bad
		}
		r, n := utf8.DecodeRuneInString(p.s[p.i:])
		p.i += n
		return r & 0x1f, nil
	case 'e':
		return 0x1b, nil
	case 'f':
		return '\f', nil
	case 'n':
		return '\n', nil
	case 'r':
		return '\r', nil
	case 't':
		return '\t', nil
	case 'v':
		return '\v', nil
	case 'u':
		return p.number(16, 4, 4)
	case 'U':
		return p.number(16, 8, 8)
	case 'x':
		return p.number(16, 1, 255)
	case '0':
		p.i--
		return p.number(8, 1, 3)
	}
	if isDigit(c) {
		p.i--
		return p.number(8, 1, 3)
	}
	return 0, bad
}

// number reads between least and most digits of a base.
func (p *parser) number(base, least, most int) (rune, error) {
	v, n := int64(0), 0
	for n < most && p.more() {
		d := strings.IndexByte("0123456789abcdef", p.peek()|0x20)
		if isDigit(p.peek()) {
			d = int(p.peek() - '0')
		}
		if d < 0 || d >= base {
			break
		}
		v = v*int64(base) + int64(d)
		if v > unicode.MaxRune {
			return 0, invalid(`invalid escape \ sequence`)
		}
		n++
		p.i++
	}
	if n < least {
		return 0, invalid(`invalid escape \ sequence`)
	}
	return rune(v), nil
}

// bracket reads a bracket expression, whose opening bracket has been read.
func (p *parser) bracket() (*node, error) {
	for _, w := range []struct {
		text string
		a    anchor
	}{{"[:<:]]", aWordStart}, {"[:>:]]", aWordEnd}} {
		if strings.HasPrefix(p.s[p.i:], w.text) {
			p.i += len(w.text)
			return p.assert(w.a), nil
		}
	}
	negative := p.peek() == '^'
	if negative {
		p.i++
	}
	b := &setBuilder{}
	for first := true; ; first = false {
		if !p.more() {
			return nil, invalid("brackets [] not balanced")
		}
		if p.peek() == ']' && !first {
			p.i++
			break
		}
		if err := p.bracketItem(b); err != nil {
			return nil, err
		}
	}
	n := p.ofSet(b)
	if negative {
		n.set = n.set.negate()
		if p.f.LineDots {
			n.set = n.set.without('\n')
		}
	}
	return n, nil
}

// bracketItem reads a character, a range or a class.
func (p *parser) bracketItem(b *setBuilder) error {
	if strings.HasPrefix(p.s[p.i:], "[:") {
		name, err := p.delimited(":]")
		if err != nil {
			return err
		}
		class := classes[name]
		if class == nil {
			return invalid("invalid character class")
		}
		set := class()
		if p.f.Fold && (name == "lower" || name == "upper") {
			set = classes["alpha"]()
		}
		b.addSet(set)
		return nil
	}
	if p.peek() == '\\' && !p.f.Extended && !p.f.Basic && p.i+1 < len(p.s) {
		p.i++
		if set := p.classEscape(); set != nil {
			b.addSet(set)
			return p.noRange()
		}
		p.i--
	}
	from, equiv, err := p.bracketChar()
	if err != nil {
		return err
	}
	to := from
	if p.peek() == '-' && p.i+1 < len(p.s) && p.s[p.i+1] != ']' {
		if equiv {
			return invalid("invalid character range")
		}
		p.i++
		if to, equiv, err = p.bracketChar(); err != nil {
			return err
		}
		if equiv || to < from {
			return invalid("invalid character range")
		}
	}
	b.add(from, to)
	return nil
}

// noRange refuses a class as the start of a range.
func (p *parser) noRange() error {
	if p.peek() == '-' && p.i+1 < len(p.s) && p.s[p.i+1] != ']' {
		return invalid("invalid character range")
	}
	return nil
}

// delimited reads the text of [: :], [. .] or [= =] up to its end.
func (p *parser) delimited(end string) (string, error) {
	j := strings.Index(p.s[p.i+2:], end)
	if j < 0 {
		return "", invalid("brackets [] not balanced")
	}
	text := p.s[p.i+2 : p.i+2+j]
	p.i += j + 4
	return text, nil
}

// bracketChar reads one character; equiv tells that it was an equivalence class.
func (p *parser) bracketChar() (r rune, equiv bool, err error) {
	for _, d := range []string{".", "="} {
		if strings.HasPrefix(p.s[p.i:], "["+d) {
			text, err := p.delimited(d + "]")
			if err != nil {
				return 0, false, err
			}
			if named, ok := collating[text]; ok {
				return named, d == "=", nil
			}
			r, n := utf8.DecodeRuneInString(text)
			if n == 0 || n != len(text) {
				return 0, false, invalid("invalid collating element")
			}
			return r, d == "=", nil
		}
	}
	if p.peek() == '\\' && !p.f.Extended && !p.f.Basic {
		p.i++
		if !p.more() {
			return 0, false, invalid(`invalid escape \ sequence`)
		}
		if c := p.peek(); !isLetter(c) && !isDigit(c) {
			r, n := utf8.DecodeRuneInString(p.s[p.i:])
			p.i += n
			return r, false, nil
		}
		r, err := p.charEscape()
		return r, false, err
	}
	r, n := utf8.DecodeRuneInString(p.s[p.i:])
	p.i += n
	return r, false, nil
}

// collating are the named characters.
var collating = map[string]rune{
	"NUL": 0, "SOH": 1, "STX": 2, "ETX": 3, "EOT": 4, "ENQ": 5, "ACK": 6, "BEL": 7, "alert": 7, "BS": 8, "backspace": 8, "HT": 9, "tab": 9,
	"LF": 10, "newline": 10, "VT": 11, "vertical-tab": 11, "FF": 12, "form-feed": 12, "CR": 13, "carriage-return": 13, "SO": 14, "SI": 15,
	"DLE": 16, "DC1": 17, "DC2": 18, "DC3": 19, "DC4": 20, "NAK": 21, "SYN": 22, "ETB": 23, "CAN": 24, "EM": 25, "SUB": 26, "ESC": 27,
	"IS4": 28, "FS": 28, "IS3": 29, "GS": 29, "IS2": 30, "RS": 30, "IS1": 31, "US": 31, "space": ' ', "exclamation-mark": '!',
	"quotation-mark": '"', "number-sign": '#', "dollar-sign": '$', "percent-sign": '%', "ampersand": '&', "apostrophe": '\'',
	"left-parenthesis": '(', "right-parenthesis": ')', "asterisk": '*', "plus-sign": '+', "comma": ',', "hyphen": '-', "hyphen-minus": '-',
	"period": '.', "full-stop": '.', "slash": '/', "solidus": '/', "zero": '0', "one": '1', "two": '2', "three": '3', "four": '4', "five": '5',
	"six": '6', "seven": '7', "eight": '8', "nine": '9', "colon": ':', "semicolon": ';', "less-than-sign": '<', "equals-sign": '=',
	"greater-than-sign": '>', "question-mark": '?', "commercial-at": '@', "left-square-bracket": '[', "backslash": '\\', "reverse-solidus": '\\',
	"right-square-bracket": ']', "circumflex": '^', "circumflex-accent": '^', "underscore": '_', "low-line": '_', "grave-accent": '`',
	"left-brace": '{', "left-curly-bracket": '{', "vertical-line": '|', "right-brace": '}', "right-curly-bracket": '}', "tilde": '~', "DEL": 0x7f,
}
