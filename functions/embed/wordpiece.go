package embed

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// WordPiece is BERT's uncased tokenizer (Devlin et al. 2019; Wu et al. 2016 for the pieces): controls are dropped, accents stripped, letters
// lower-cased, Chinese characters and punctuation set apart, and each word cut greedily into the longest pieces of the vocabulary.
type WordPiece struct {
	start map[string]int32 // pieces that begin a word
	inner map[string]int32 // pieces that continue one, without their ## prefix
	unk   int32
	// longest pieces, in bytes
	maxStart, maxInner int
}

// maxWordRunes is the length from which a word is unknown as a whole.
const maxWordRunes = 100

// specialPieces are recognised in a text as they stand.
var specialPieces = []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}

// NewWordPiece reads a vocabulary: a piece a line, the line number is its id.
func NewWordPiece(vocabulary string) *WordPiece {
	lines := strings.Split(strings.TrimSuffix(vocabulary, "\n"), "\n")
	w := &WordPiece{start: make(map[string]int32, len(lines)), inner: make(map[string]int32, len(lines)/4)}
	for id, piece := range lines {
		if tail, ok := strings.CutPrefix(piece, "##"); ok && tail != "" {
			w.inner[tail] = int32(id)
			w.maxInner = max(w.maxInner, len(tail))
		}
		w.start[piece] = int32(id)
		w.maxStart = max(w.maxStart, len(piece))
	}
	w.unk = w.start["[UNK]"]
	return w
}

// ID gives the id of a piece as it stands in the vocabulary.
func (w *WordPiece) ID(piece string) (int32, bool) {
	id, ok := w.start[piece]
	return id, ok
}

// Scratch is the memory that Tokenize reuses; the zero Scratch is ready. It belongs to one goroutine.
type Scratch struct{ word, decomposed []byte }

// Tokenize appends the ids of text's pieces to dst, without [CLS] and [SEP], at most limit of them (0: all).
func (w *WordPiece) Tokenize(dst []int32, text string, limit int, s *Scratch) []int32 {
	first := len(dst)
	full := func() bool { return limit > 0 && len(dst)-first >= limit }
	s.word = s.word[:0]
	flush := func() {
		if len(s.word) > 0 {
			dst = w.pieces(dst, s.word)
			s.word = s.word[:0]
		}
	}
	for i := 0; i < len(text) && !full(); {
		c := text[i]
		if c < utf8.RuneSelf {
			switch k := asciiKind[c]; {
			case k == letterKind:
				s.word = append(s.word, asciiLower(c))
			case k == spaceKind:
				flush()
			case k == punctKind:
				if piece := special(text[i:]); piece != "" {
					flush()
					dst = append(dst, w.start[piece])
					i += len(piece)
					continue
				}
				flush()
				dst = w.pieces(dst, append(s.word, c))
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError || isControl(r):
		case unicode.IsSpace(r):
			flush()
		case isChinese(r):
			flush()
			dst = w.pieces(dst, append(s.word, text[i:i+n]...))
		default:
			dst = w.fold(dst, text[i:i+n], s)
		}
		i += n
	}
	if !full() {
		flush()
	}
	if limit > 0 && len(dst)-first > limit {
		dst = dst[:first+limit]
	}
	return dst
}

// fold adds one character to the word: decomposed, without its marks, in lower case; punctuation ends the word and stands alone.
func (w *WordPiece) fold(dst []int32, char string, s *Scratch) []int32 {
	s.decomposed = norm.NFD.AppendString(s.decomposed[:0], char)
	for d := s.decomposed; len(d) > 0; {
		r, n := utf8.DecodeRune(d)
		d = d[n:]
		switch {
		case unicode.Is(unicode.Mn, r):
		case unicode.IsPunct(r) || r < utf8.RuneSelf && asciiKind[r] == punctKind:
			if len(s.word) > 0 {
				dst = w.pieces(dst, s.word)
			}
			s.word = utf8.AppendRune(s.word[:0], r)
			dst = w.pieces(dst, s.word)
			s.word = s.word[:0]
		case r == '\u0130':
			s.word = append(s.word, "i\u0307"...)
		default:
			s.word = utf8.AppendRune(s.word, unicode.ToLower(r))
		}
	}
	return dst
}

// pieces cuts a word greedily; a word with a part that no piece covers is unknown as a whole.
func (w *WordPiece) pieces(dst []int32, word []byte) []int32 {
	if len(word) > maxWordRunes && utf8.RuneCount(word) > maxWordRunes {
		return append(dst, w.unk)
	}
	mark := len(dst)
	table, longest := w.start, w.maxStart
	for len(word) > 0 {
		n := min(len(word), longest)
		id, ok := int32(0), false
		for ; n > 0; n-- {
			if n < len(word) && !utf8.RuneStart(word[n]) {
				continue
			}
			if id, ok = table[string(word[:n])]; ok {
				break
			}
		}
		if !ok {
			return append(dst[:mark], w.unk)
		}
		dst = append(dst, id)
		word = word[n:]
		table, longest = w.inner, w.maxInner
	}
	return dst
}

func special(text string) string {
	if text[0] != '[' {
		return ""
	}
	for _, p := range specialPieces {
		if strings.HasPrefix(text, p) {
			return p
		}
	}
	return ""
}

const (
	dropKind = iota
	letterKind
	spaceKind
	punctKind
)

var asciiKind = func() (t [utf8.RuneSelf]uint8) {
	for c := range t {
		switch {
		case asciiAlnum[c]:
			t[c] = letterKind
		case c == ' ' || c >= '\t' && c <= '\r':
			t[c] = spaceKind
		case c > ' ' && c < 0x7f:
			t[c] = punctKind
		}
	}
	t['\v'], t['\f'] = dropKind, dropKind // controls to BERT
	return t
}()

// isControl tells whether BERT drops r: control, format and private code points.
func isControl(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co) }

// isChinese tells whether r belongs to the CJK ideograph blocks that BERT sets apart.
func isChinese(r rune) bool {
	return r >= 0x4e00 && r <= 0x9fff || r >= 0x3400 && r <= 0x4dbf || r >= 0x20000 && r <= 0x2a6df || r >= 0x2a700 && r <= 0x2b73f ||
		r >= 0x2b740 && r <= 0x2b81f || r >= 0x2b920 && r <= 0x2ceaf || r >= 0xf900 && r <= 0xfaff || r >= 0x2f800 && r <= 0x2fa1f
}
