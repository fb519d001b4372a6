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

// analyzeNames is Analyze of source code for whoever looks for a few terms: other is called, in its place, for a word that is none of them
// and has none of them among its parts. Positions of tokens are not told. Where all is ASCII, a term stands in a word as it is, but for case,
// so that most of a text need not be taken apart.
func (a *Analyzer) analyzeNames(text string, terms []string, s *Scratch, emit func(Token) bool, other func(start, end int)) {
	s.lower = slices.Grow(s.lower[:0], len(text))[:len(text)]
	lower := s.lower
	for i := range len(text) {
		c := text[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		lower[i] = c
	}
	next := make([]int, len(terms)) // where each term occurs next
	occurs := func(start, end int) bool {
		for k, t := range terms {
			if next[k] < start {
				if i := bytes.Index(lower[start:], []byte(t)); i >= 0 {
					next[k] = start + i
				} else {
					next[k] = len(text)
				}
			}
			if next[k]+len(t) <= end {
				return true
			}
		}
		return false
	}
	for k := range next {
		next[k] = -1
	}
	for i := 0; i < len(text); {
		start, plain := i, true
		for ; i < len(text) && (text[i] >= utf8.RuneSelf || asciiWord[text[i]]); i++ {
			plain = plain && text[i] < utf8.RuneSelf
		}
		switch {
		case i == start:
			i++
		case plain && !occurs(start, i):
			other(start, i)
		default: // no word goes on beyond what is neither
			a.Analyze(text[start:i], s, func(t Token) bool {
				t.Start, t.End = t.Start+int32(start), t.End+int32(start)
				return emit(t)
			})
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
