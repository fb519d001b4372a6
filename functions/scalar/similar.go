package scalar

import (
	"strings"
	"unicode/utf8"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// similarToEscape turns a SIMILAR TO pattern into a POSIX one. Its second argument is the escape character (default backslash, "" none);
// escape-double-quote twice marks the part that substring gives.
func similarToEscape(a []val) (val, error) {
	p, esc := a[0].Str(), `\`
	if len(a) > 1 {
		esc = a[1].Str()
		if utf8.RuneCountInString(esc) > 1 {
			return value.Null, dberr.New(dberr.InvalidEscapeSequence, "invalid escape string").WithHint("Escape string must be empty or one character.")
		}
	}
	s := similar{esc: esc}
	s.b.WriteString("^(?:")
	for p != "" {
		_, n := utf8.DecodeRuneInString(p)
		if err := s.char(p[:n], p[n:]); err != nil {
			return value.Null, err
		}
		p = p[n:]
	}
	s.b.WriteString(")$")
	return text(s.b.String()), nil
}

// similar translates character by character.
type similar struct {
	b         strings.Builder
	esc       string
	after     bool // an escape character came before
	inClass   bool
	classHead int // characters since the class began, for a ] that is literal
	quotes    int
}

func (s *similar) char(c, rest string) error {
	switch {
	case s.after:
		return s.escaped(c)
	case s.esc != "" && c == s.esc:
		s.after = true
	case s.inClass:
		if c == `\` {
			s.b.WriteByte('\\')
		}
		s.b.WriteString(c)
		if c == "]" && s.classHead > 0 {
			s.inClass = false
		}
		if c != "^" || s.classHead > 0 {
			s.classHead++
		}
	case c == "[":
		s.b.WriteByte('[')
		s.inClass, s.classHead = true, 0
	case c == "%":
		s.b.WriteString(".*")
	case c == "_":
		s.b.WriteByte('.')
	case c == "(": // groups don't capture
		s.b.WriteString("(?:")
	case c == `\` || c == "." || c == "^" || c == "$":
		s.b.WriteString(`\` + c)
	default:
		s.b.WriteString(c)
	}
	return nil
}

func (s *similar) escaped(c string) error {
	s.after = false
	if c == `"` && !s.inClass {
		switch s.quotes {
		case 0:
			s.b.WriteString("){1,1}?(")
		case 1:
			s.b.WriteString("){1,1}(?:")
		default:
			return dberr.New("2200C", "SQL regular expression may not contain more than two escape-double-quote separators")
		}
		s.quotes++
		return nil
	}
	s.b.WriteString(`\` + c)
	return nil
}
