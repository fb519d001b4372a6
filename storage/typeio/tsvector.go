package typeio

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// TSVector is a tsvector: lexemes in the order of their bytes, each once. It is immutable.
type TSVector struct{ Lexemes []Lexeme }

// Lexeme is a lexeme and its places, ascending; none when they were stripped.
type Lexeme struct {
	Text   string
	Places []TSPlace
}

// TSPlace is a position (from 1, at most MaxTSPosition) and a weight: 3 is A, 0 is D.
type TSPlace uint16

// Limits of tsvectors.
const (
	MaxTSPosition = 1<<14 - 1
	maxTSPlaces   = 255
	maxLexeme     = 1<<11 - 1
)

// NewTSPlace makes a place; positions beyond the limit are the limit.
func NewTSPlace(pos, weight int) TSPlace { return TSPlace(weight<<14 | min(pos, MaxTSPosition)) }

// Pos is the position.
func (p TSPlace) Pos() int { return int(p & MaxTSPosition) }

// Weight is the weight, 3 for A to 0 for D.
func (p TSPlace) Weight() int { return int(p >> 14) }

// NewTSVector puts lexemes in order and joins equal ones.
func NewTSVector(list []Lexeme) (*TSVector, error) {
	slices.SortStableFunc(list, func(a, b Lexeme) int { return strings.Compare(a.Text, b.Text) })
	v := &TSVector{Lexemes: list[:0]}
	for _, l := range list {
		if len(l.Text) > maxLexeme {
			return nil, dberr.New(dberr.ProgramLimitExceeded, "word is too long (%d bytes, max %d bytes)", len(l.Text), maxLexeme-1)
		}
		if n := len(v.Lexemes); n > 0 && v.Lexemes[n-1].Text == l.Text {
			v.Lexemes[n-1].Places = append(v.Lexemes[n-1].Places, l.Places...)
			continue
		}
		v.Lexemes = append(v.Lexemes, l)
	}
	for i := range v.Lexemes {
		v.Lexemes[i].Places = uniquePlaces(v.Lexemes[i].Places)
	}
	return v, nil
}

// uniquePlaces sorts places; of several at a position the heaviest counts.
func uniquePlaces(list []TSPlace) []TSPlace {
	slices.SortFunc(list, func(a, b TSPlace) int {
		return cmp.Or(cmp.Compare(a.Pos(), b.Pos()), cmp.Compare(b.Weight(), a.Weight()))
	})
	list = slices.CompactFunc(list, func(a, b TSPlace) bool { return a.Pos() == b.Pos() })
	return list[:min(len(list), maxTSPlaces)]
}

// TSV gives the value's tsvector.
func TSV(v value.Value) *TSVector { return v.Box().(*TSVector) }

// BoxTSV makes a value.
func BoxTSV(v *TSVector) value.Value { return value.Box(v) }

// Find gives the lexeme with a text.
func (v *TSVector) Find(text string) (*Lexeme, bool) {
	i, ok := slices.BinarySearchFunc(v.Lexemes, text, func(l Lexeme, t string) int { return strings.Compare(l.Text, t) })
	if !ok {
		return nil, false
	}
	return &v.Lexemes[i], true
}

// WithPrefix gives the lexemes that begin with a prefix.
func (v *TSVector) WithPrefix(prefix string) []Lexeme {
	i, _ := slices.BinarySearchFunc(v.Lexemes, prefix, func(l Lexeme, t string) int { return strings.Compare(l.Text, t) })
	n := i
	for n < len(v.Lexemes) && strings.HasPrefix(v.Lexemes[n].Text, prefix) {
		n++
	}
	return v.Lexemes[i:n]
}

func badTSVector(text string) error {
	return dberr.New(dberr.SyntaxError, `syntax error in tsvector: "%s"`, text)
}

// tsWord reads a lexeme of a tsvector or tsquery: quoted, or up to a blank or one of the delimiters. quoted tells that it was in quotes.
func tsWord(s, delimiters string) (word, rest string, quoted, ok bool) {
	var b strings.Builder
	if s != "" && s[0] == '\'' {
		for i := 1; i < len(s); i++ {
			switch {
			case s[i] == '\\' && i+1 < len(s):
				i++
				b.WriteByte(s[i])
			case s[i] == '\'' && i+1 < len(s) && s[i+1] == '\'':
				i++
				b.WriteByte('\'')
			case s[i] == '\'':
				return b.String(), s[i+1:], true, b.Len() > 0
			default:
				b.WriteByte(s[i])
			}
		}
		return "", "", true, false
	}
	i := 0
	for ; i < len(s) && !tsBlank(s[i]) && !strings.ContainsRune(delimiters, rune(s[i])); i++ {
		if s[i] == '\\' {
			if i++; i == len(s) {
				return "", "", false, false
			}
		}
		b.WriteByte(s[i])
	}
	return b.String(), s[i:], false, b.Len() > 0
}

func tsBlank(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

func tsvectorIn(_ *value.Type, text string, _ *Format) (value.Value, error) {
	var list []Lexeme
	for s := text; ; {
		for s != "" && tsBlank(s[0]) {
			s = s[1:]
		}
		if s == "" {
			break
		}
		word, rest, _, ok := tsWord(s, ":")
		if !ok {
			return value.Null, badTSVector(text)
		}
		l := Lexeme{Text: word}
		if strings.HasPrefix(rest, ":") {
			var err error
			if l.Places, rest, err = tsPlaces(text, rest[1:]); err != nil {
				return value.Null, err
			}
		}
		list, s = append(list, l), rest
	}
	v, err := NewTSVector(list)
	if err != nil {
		return value.Null, err
	}
	return BoxTSV(v), nil
}

// tsPlaces reads 1,2A,3.
func tsPlaces(text, s string) (list []TSPlace, rest string, err error) {
	for {
		n := 0
		for n < len(s) && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		if n == 0 {
			return nil, "", badTSVector(text)
		}
		pos, err := strconv.Atoi(s[:n])
		if err != nil {
			pos = MaxTSPosition
		}
		if pos == 0 {
			return nil, "", dberr.New(dberr.SyntaxError, `wrong position info in tsvector: "%s"`, text)
		}
		s = s[n:]
		weight := 0
		if s != "" {
			if w := strings.IndexByte("DCBA", s[0]&^0x20); w >= 0 && s[0] > '9' {
				weight, s = w, s[1:]
			} else if s[0] == '*' {
				weight, s = 3, s[1:]
			}
		}
		list = append(list, NewTSPlace(pos, weight))
		switch {
		case s == "" || tsBlank(s[0]):
			return list, s, nil
		case s[0] != ',':
			return nil, "", badTSVector(text)
		}
		s = s[1:]
	}
}

// appendLexeme writes a lexeme in quotes.
func appendLexeme(dst []byte, text string) []byte {
	dst = append(dst, '\'')
	for i := range len(text) {
		if text[i] == '\'' || text[i] == '\\' {
			dst = append(dst, text[i])
		}
		dst = append(dst, text[i])
	}
	return append(dst, '\'')
}

func tsvectorOut(dst []byte, _ *value.Type, v value.Value, _ *Format) []byte {
	for i, l := range TSV(v).Lexemes {
		if i > 0 {
			dst = append(dst, ' ')
		}
		dst = appendLexeme(dst, l.Text)
		for j, p := range l.Places {
			dst = strconv.AppendInt(append(dst, ":,"[min(j, 1)]), int64(p.Pos()), 10)
			if w := p.Weight(); w > 0 {
				dst = append(dst, "DCBA"[w])
			}
		}
	}
	return dst
}

// size is what PostgreSQL needs for the value, by which it compares first.
func (v *TSVector) size() int {
	n := 0
	for _, l := range v.Lexemes {
		n += len(l.Text)
		if len(l.Places) > 0 {
			n += n&1 + 2 + 2*len(l.Places)
		}
	}
	return n + 8 + 4*len(v.Lexemes)
}

func tsvectorCmp(a, b value.Value) int {
	x, y := TSV(a), TSV(b)
	if c := cmp.Or(cmp.Compare(x.size(), y.size()), cmp.Compare(len(x.Lexemes), len(y.Lexemes))); c != 0 {
		return c
	}
	for i := range x.Lexemes {
		l, m := &x.Lexemes[i], &y.Lexemes[i]
		if has := len(l.Places) > 0; has != (len(m.Places) > 0) {
			if has {
				return 1
			}
			return -1
		}
		if c := strings.Compare(l.Text, m.Text); c != 0 {
			return c
		}
		if c := cmp.Compare(len(l.Places), len(m.Places)); c != 0 {
			return -c
		}
		for j, p := range l.Places {
			q := m.Places[j]
			if c := cmp.Or(-cmp.Compare(p.Pos(), q.Pos()), -cmp.Compare(p.Weight(), q.Weight())); c != 0 {
				return c
			}
		}
	}
	return 0
}

// outHash hashes values by their text form.
func outHash(out func([]byte, *value.Type, value.Value, *Format) []byte) func(uint64, value.Value) uint64 {
	return func(h uint64, v value.Value) uint64 { return textHash(h, value.Bytes(out(nil, nil, v, Default))) }
}
