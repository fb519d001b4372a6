package fulltext

import (
	"bytes"
	"slices"
	"unicode"
	"unicode/utf8"
)

// In source code a word is a run of letters and digits, whatever stands between: an apostrophe opens a string, points and commas
// separate names and numbers. So max_open_conns and http.Request are words in a row, which a query in the same form asks for as a
// phrase. A camelCase word is one word, found by its whole in any case, and beside it stand its parts.

// names is a look at source code for a few terms. Where all is ASCII, a term stands in a word as it is, but for case, so that most of a text
// need not be taken apart.
type names struct {
	terms []string
	// emit is given the tokens of words that may have a term in them, without their positions, and other, in its place, each of the other
	// words.
	emit  func(Token) bool
	other func(start, end int)
	// Words that stand further than around words away from any that emit is told of are passed over, one at least each time, and skip is
	// called in their place.
	around int
	skip   func(at int)

	lower []byte // the text in small letters
	next  []int  // where each term occurs next, and in the end the next byte that is not ASCII
}

// analyzeNames looks for names in a text.
func (a *Analyzer) analyzeNames(text string, n *names, s *Scratch) {
	s.lower = lowered(s.lower, text)
	n.lower, n.next = s.lower, make([]int, len(n.terms)+1)
	for k := range n.next {
		n.next[k] = -1
	}
	passed := 0 // words since the beginning or the last that emit was told of
	for i := 0; i < len(text); {
		if passed > n.around {
			passed = 1
			if to := n.wordsBefore(i, n.nearest(i)); to > i {
				n.skip(to)
				i = to
			}
		}
		start, plain := i, true
		for ; i < len(text) && (text[i] >= utf8.RuneSelf || asciiWord[text[i]]); i++ {
			plain = plain && text[i] < utf8.RuneSelf
		}
		switch {
		case i == start:
			i++
		case plain && !n.occurs(start, i):
			n.other(start, i)
			passed++
		default: // no word goes on beyond what is neither
			passed = 0
			a.Analyze(text[start:i], s, func(t Token) bool {
				t.Start, t.End = t.Start+int32(start), t.End+int32(start)
				return n.emit(t)
			})
		}
	}
}

// lowered gives a text with small ASCII letters, in memory of room.
func lowered(room []byte, text string) []byte {
	room = slices.Grow(room[:0], len(text))[:len(text)]
	for i := range len(text) {
		c := text[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		room[i] = c
	}
	return room
}

// at gives where term k occurs at start or behind it; the length of the text when it doesn't.
func (n *names) at(k, start int) int {
	if n.next[k] >= start {
		return n.next[k]
	}
	i := -1
	if k < len(n.terms) {
		i = bytes.Index(n.lower[start:], []byte(n.terms[k]))
	} else {
		i = slices.IndexFunc(n.lower[start:], func(c byte) bool { return c >= utf8.RuneSelf })
	}
	if n.next[k] = start + i; i < 0 {
		n.next[k] = len(n.lower)
	}
	return n.next[k]
}

// occurs tells whether a term stands between start and end.
func (n *names) occurs(start, end int) bool {
	for k, t := range n.terms {
		if n.at(k, start)+len(t) <= end {
			return true
		}
	}
	return false
}

// nearest is the first place from i on at which a term or a byte that is not ASCII stands.
func (n *names) nearest(i int) int {
	first := len(n.lower)
	for k := range n.next {
		first = min(first, n.at(k, i))
	}
	return first
}

// wordsBefore gives the beginning of the word that is around words before the one at far, if it is behind i, where no word goes on, and
// there are others between; else i.
func (n *names) wordsBefore(i, far int) int {
	begin := i
	for left := n.around + 1; ; left-- { // the word at far is one
		for far > i && asciiWord[n.lower[far-1]] {
			far--
		}
		if left == 0 {
			begin = far
		}
		for far > i && !asciiWord[n.lower[far-1]] {
			far--
		}
		if far == i {
			return i
		}
		if left == 0 {
			return begin
		}
	}
}

// identEnd is the end of the word that goes on at i.
func identEnd(text string, i int) int {
	for i < len(text) {
		if c := text[i]; c < utf8.RuneSelf {
			if !asciiWord[c] {
				return i
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		if ideographic(r) || !wordRune(r) && !unicode.Is(unicode.M, r) {
			return i
		}
		i += n
	}
	return i
}

// parts emits the parts of the compound word that token whole stands for, if it is one.
func (a *Analyzer) parts(text string, whole Token, s *Scratch, emit func(Token) bool) bool {
	start, end := int(whole.Start), int(whole.End)
	next := partEnd(text[:end], start)
	if next == end {
		return true
	}
	for start < end {
		s.word = Fold(s.word[:0], text[start:next], &s.nfkd)
		if len(s.word) > 0 && !emit(Token{Term: cutWord(s.word), Pos: whole.Pos, Start: int32(start), End: int32(next), Part: true}) {
			return false
		}
		start, next = next, partEnd(text[:end], next)
	}
	return true
}

// NameParts calls emit for the words of a text of source code in order, compound ones in their parts alone, as they are written.
func NameParts(text string, emit func(word string)) {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case ideographic(r), unicode.Is(unicode.So, r) && r != utf8.RuneError:
			emit(text[i : i+n])
			i += n
		case wordRune(r):
			end := identEnd(text, i+n)
			for i < end {
				next := partEnd(text[:end], i)
				emit(text[i:next])
				i = next
			}
		default:
			i += n
		}
	}
}

// partEnd is the end of the part of word that starts at i: before a capital that follows another kind of character, and before the last
// capital of a row when a small letter follows it (HTTP|Request). Digits belong to what is before them.
func partEnd(word string, i int) int {
	prev := lower
	for at := i; at < len(word); {
		r, n := utf8.DecodeRuneInString(word[at:])
		c := caseOf(r)
		if at > i && c == upper {
			if prev != upper {
				return at
			}
			if r2, n2 := utf8.DecodeRuneInString(word[at+n:]); n2 > 0 && caseOf(r2) == lower && !plural(word[at+n:]) {
				return at
			}
		}
		if c != none {
			prev = c
		} else if prev == upper {
			prev = lower // a capital after a digit begins a part: HTTP2|Server
		}
		at += n
	}
	return len(word)
}

// plural tells whether what follows a row of capitals is the s of a plural (URLs, parseIDsOf).
func plural(rest string) bool {
	if rest[0] != 's' {
		return false
	}
	r, n := utf8.DecodeRuneInString(rest[1:])
	return n == 0 || caseOf(r) != lower
}

type letterCase uint8

const (
	none letterCase = iota // digits and scripts without cases
	lower
	upper
)

func caseOf(r rune) letterCase {
	switch {
	case r >= 'a' && r <= 'z':
		return lower
	case r >= 'A' && r <= 'Z':
		return upper
	case r < utf8.RuneSelf:
		return none
	case unicode.IsUpper(r):
		return upper
	case unicode.IsLower(r):
		return lower
	}
	return none
}
