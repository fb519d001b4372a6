package fulltext

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/omgdb/omgdb/storage/dberr"
)

// Analyzer turns text into tokens for one language. It is immutable and safe for concurrent use; its working memory is a Scratch.
type Analyzer struct {
	pool sync.Pool // of *Scratch, for short texts: what they know of words is kept
	lang string
	stem stemmer
	stop map[string]bool
	code bool // words are those of source code, see code.go
}

// Token is one term at a position. Term is valid until the next token.
type Token struct {
	Term []byte
	// Pos counts words from 0. A token with the position of the one before it is another form of the same place (a character pair of
	// an ideographic run beside its first character).
	Pos        int32
	Start, End int32 // the bytes of the text that it stands for
	Stop       bool  // a stop word
	Pair       bool  // a character pair
	Part       bool  // a part of the compound word (camelCase) that stands at the same position
}

// Other tells whether the token is another form of the place of a token before it, not a word more.
func (t *Token) Other() bool { return t.Pair || t.Part }

// NewAnalyzer gives the analyzer of a language: a Snowball language by its English name, "simple" for folding alone, or "code" for source
// code, whose compound words are found by their parts too. "" is English.
func NewAnalyzer(language string) (*Analyzer, error) {
	name := strings.ToLower(language)
	if name == "" {
		name = "english"
	}
	l, ok := languages[name]
	if !ok {
		return nil, dberr.New(dberr.UndefinedObject, "text search language %q does not exist", language).
			WithHint("Known languages: %s.", languageNames())
	}
	if a, ok := analyzers.Load(name); ok {
		return a.(*Analyzer), nil
	}
	a := &Analyzer{lang: name, stem: l.stem, stop: l.stopSet(), code: l.code}
	a.pool.New = func() any { return new(Scratch) }
	first, _ := analyzers.LoadOrStore(name, a)
	return first.(*Analyzer), nil
}

// analyzers are those made so far, by language.
var analyzers sync.Map

// Language is the analyzer's name.
func (a *Analyzer) Language() string { return a.lang }

// Scratch is the memory that analysis reuses. It belongs to one goroutine and one analyzer; the zero Scratch is ready.
type Scratch struct {
	word  []byte // the word being read, folded
	nfkd  []byte
	stems map[string]stemmed

	// Of snippets: the text in lower case, and the places of its words.
	lower []byte
	spans []span
}

type stemmed struct {
	term string
	stop bool
}

// maxStems bounds the remembered stems of a Scratch.
const maxStems = 1 << 15

// Analyze calls emit for each token of text in order, until emit returns false.
func (a *Analyzer) Analyze(text string, s *Scratch, emit func(Token) bool) {
	pos := int32(0)
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf && !asciiWord[c] {
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case ideographic(r):
			end, ok := a.ideographs(text, i, &pos, s, emit)
			if !ok {
				return
			}
			i = end
		case wordRune(r):
			end := 0
			if a.code {
				end = identEnd(text, i+n)
			} else {
				end = wordEnd(text, i+n, r)
			}
			if !a.word(text, i, end, pos, s, emit) {
				return
			}
			pos++
			i = end
		case unicode.Is(unicode.So, r) && r != utf8.RuneError: // emoji and other symbols are terms of their own
			s.word = append(s.word[:0], text[i:i+n]...)
			if !emit(Token{Term: s.word, Pos: pos, Start: int32(i), End: int32(i + n)}) {
				return
			}
			pos++
			i += n
		default:
			i += n
		}
	}
}

// word emits the word text[start:end], folded and stemmed.
func (a *Analyzer) word(text string, start, end int, pos int32, s *Scratch, emit func(Token) bool) bool {
	s.word = Fold(s.word[:0], text[start:end], &s.nfkd)
	if len(s.word) == 0 {
		return true
	}
	t := Token{Term: s.word, Pos: pos, Start: int32(start), End: int32(end)}
	st, ok := s.stems[string(s.word)]
	if !ok {
		if s.stems == nil || len(s.stems) >= maxStems {
			s.stems = make(map[string]stemmed)
		}
		word := string(cutWord(s.word))
		st = stemmed{term: a.stem(word), stop: a.stop[word]}
		s.stems[word] = st
	}
	s.word = append(s.word[:0], cutWord(st.term)...)
	t.Term, t.Stop = s.word, st.stop
	return emit(t) && (!a.code || a.parts(text, t, s, emit))
}

// maxWord bounds a word in bytes: longer ones that begin alike are the same word.
const maxWord = 1000

func cutWord[T ~string | ~[]byte](w T) T { return w[:min(len(w), maxWord)] }

// ideographs emits a run of characters written without spaces: each character, and beside it the pair with the next one.
func (a *Analyzer) ideographs(text string, i int, pos *int32, s *Scratch, emit func(Token) bool) (end int, ok bool) {
	for i < len(text) {
		r, n := utf8.DecodeRuneInString(text[i:])
		if !ideographic(r) {
			break
		}
		s.word = Fold(s.word[:0], text[i:i+n], &s.nfkd)
		if !emit(Token{Term: s.word, Pos: *pos, Start: int32(i), End: int32(i + n)}) {
			return i, false
		}
		if r2, n2 := utf8.DecodeRuneInString(text[i+n:]); n2 > 0 && ideographic(r2) {
			s.word = Fold(s.word[:0], text[i:i+n+n2], &s.nfkd)
			if !emit(Token{Term: s.word, Pos: *pos, Start: int32(i), End: int32(i + n + n2), Pair: true}) {
				return i, false
			}
		}
		*pos++
		i += n
	}
	return i, true
}

// wordEnd finds the end of the word whose last rune so far is prev. An apostrophe between letters and a point or comma between digits
// belong to the word (Unicode Standard Annex 29, rules WB6, WB7, WB11, WB12).
func wordEnd(text string, i int, prev rune) int {
	for i < len(text) {
		r, n := utf8.DecodeRuneInString(text[i:])
		if ideographic(r) {
			return i
		}
		if !wordRune(r) && !unicode.Is(unicode.M, r) {
			next, _ := utf8.DecodeRuneInString(text[i+n:])
			joins := (r == '\'' || r == '\u2019') && unicode.IsLetter(prev) && unicode.IsLetter(next) && !ideographic(next) ||
				(r == '.' || r == ',') && unicode.IsDigit(prev) && unicode.IsDigit(next)
			if !joins {
				return i
			}
		}
		prev = r
		i += n
	}
	return i
}

var asciiWord = func() (t [utf8.RuneSelf]bool) {
	for c := range t {
		t[c] = c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	}
	return t
}()

func wordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return asciiWord[r]
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r)
}

// ideographic tells whether r belongs to a script that is written without spaces and cut into characters here.
func ideographic(r rune) bool {
	return r >= 0x0e00 && (unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) ||
		r == 0x30fc)
}

// Fold appends s in the form in which terms are compared: compatibility forms and accents removed, lower case, typographic
// apostrophes as the plain one. buf is working memory.
func Fold(dst []byte, s string, buf *[]byte) []byte {
	ascii := true
	for i := range len(s) {
		c := s[i]
		if c >= utf8.RuneSelf {
			ascii = false
			break
		}
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		dst = append(dst, c)
	}
	if ascii {
		return dst
	}
	dst = dst[:len(dst)-indexNonASCII(s)]
	*buf = norm.NFKD.AppendString((*buf)[:0], s)
	for b := *buf; len(b) > 0; {
		r, n := utf8.DecodeRune(b)
		b = b[n:]
		switch {
		case accent(r):
		case r == '\u2019':
			dst = append(dst, '\'')
		case r == 'ß' || r == 'ẞ':
			dst = append(dst, "ss"...)
		case r == 'ς':
			dst = append(dst, "σ"...)
		default:
			dst = utf8.AppendRune(dst, unicode.ToLower(r))
		}
	}
	return dst
}

func indexNonASCII(s string) int {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return i
		}
	}
	return len(s)
}

// accent tells whether r is a mark that ranking search ignores: those shared by many scripts, and the points of Arabic and Hebrew.
// The vowel signs of Indic scripts are letters to their readers and stay.
func accent(r rune) bool {
	return r >= 0x300 && unicode.Is(unicode.Mn, r) && unicode.In(r, unicode.Inherited, unicode.Arabic, unicode.Hebrew)
}
