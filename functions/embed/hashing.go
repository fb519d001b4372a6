package embed

import (
	"context"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/omgdb/omgdb/storage/index/vector"
)

// DefaultHashingDim is the dimension of the default hashing embedder.
const DefaultHashingDim = 256

// Hashing is the deterministic bag-of-words embedder: tokens are the runs of alphanumeric characters (Unicode Alphabetic, or any
// N* category), lower-cased by the full Unicode mapping; each adds one to the bucket FNV-1a-64(UTF-8) mod dim; the vector has
// length 1. It captures shared words, not meaning.
type Hashing struct{ dim int }

// HashingModel begins the model id of hashing embedders.
const HashingModel = "hashing-v1"

// NewHashing makes a hashing embedder of the given dimension, at least 1.
func NewHashing(dim int) *Hashing { return &Hashing{dim: max(dim, 1)} }

// ModelID implements Embedder.
func (h *Hashing) ModelID() string { return fmt.Sprintf("%s/dim=%d", HashingModel, h.dim) }

// Dim implements Embedder.
func (h *Hashing) Dim() int { return h.dim }

// Embed implements Embedder.
func (h *Hashing) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	mem := make([]float32, len(texts)*h.dim)
	for i, t := range texts {
		if i%256 == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		out[i] = mem[i*h.dim : (i+1)*h.dim : (i+1)*h.dim]
		h.EmbedInto(out[i], t)
	}
	return out, nil
}

// EmbedInto writes the vector of text into dst, which has Dim elements; it allocates only for words outside ASCII.
func (h *Hashing) EmbedInto(dst []float32, text string) {
	clear(dst)
	dim := uint64(h.dim)
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			if !asciiAlnum[text[i]] {
				i++
				continue
			}
			sum, j := uint64(fnvOffset), i
			for ; j < len(text) && text[j] < utf8.RuneSelf && asciiAlnum[text[j]]; j++ {
				sum = (sum ^ uint64(asciiLower(text[j]))) * fnvPrime
			}
			if j == len(text) || text[j] < utf8.RuneSelf || !startsAlnum(text[j:]) {
				dst[sum%dim]++
				i = j
				continue
			}
		} else if !startsAlnum(text[i:]) {
			_, n := utf8.DecodeRuneInString(text[i:])
			i += n
			continue
		}
		end := wordEnd(text, i)
		dst[FNV1a(Lower(text[i:end]))%dim]++
		i = end
	}
	vector.Normalize(dst)
}

func wordEnd(text string, i int) int {
	for i < len(text) {
		if !startsAlnum(text[i:]) {
			return i
		}
		_, n := utf8.DecodeRuneInString(text[i:])
		i += n
	}
	return i
}

func startsAlnum(s string) bool {
	r, n := utf8.DecodeRuneInString(s)
	return !(r == utf8.RuneError && n <= 1) && IsAlnum(r)
}

// IsAlnum tells whether r is Unicode Alphabetic or of a category N*.
func IsAlnum(r rune) bool {
	if r < utf8.RuneSelf {
		return asciiAlnum[r]
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.Other_Alphabetic, r)
}

var asciiAlnum = func() (t [utf8.RuneSelf]bool) {
	for c := range t {
		t[c] = c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	}
	return t
}()

func asciiLower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

// FNV1a is the 64-bit FNV-1a hash of the bytes of s.
func FNV1a(s string) uint64 {
	h := uint64(fnvOffset)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * fnvPrime
	}
	return h
}

// ContentHash is the hash by which a stored vector knows the text that it came from: 16 hex digits of FNV-1a 64.
func ContentHash(text string) string { return fmt.Sprintf("%016x", FNV1a(text)) }

// Lower is the full Unicode lower-case mapping (Unicode chapter 3.13) without language rules: beside the simple mapping, U+0130 becomes
// two code points and a capital sigma at the end of a word becomes the final one.
func Lower(s string) string {
	if !strings.ContainsAny(s, "\u0130\u03a3") {
		return strings.ToLower(s)
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '\u0130':
			b.WriteString("i\u0307")
		case r == '\u03a3' && finalSigma(s, i):
			b.WriteRune('\u03c2')
		default:
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

// finalSigma is Unicode's Final_Sigma condition for the sigma at byte i.
func finalSigma(s string, i int) bool {
	before := false
	for j := i; j > 0; {
		r, n := utf8.DecodeLastRuneInString(s[:j])
		j -= n
		if caseIgnorable(r) {
			continue
		}
		before = cased(r)
		break
	}
	if !before {
		return false
	}
	for _, r := range s[i+len("\u03a3"):] {
		if !caseIgnorable(r) {
			return !cased(r)
		}
	}
	return true
}

func cased(r rune) bool {
	return unicode.In(r, unicode.Lu, unicode.Ll, unicode.Lt, unicode.Other_Uppercase, unicode.Other_Lowercase)
}

func caseIgnorable(r rune) bool {
	return unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk) || strings.ContainsRune("'.:\u00b7\u2018\u2019\u2024\u2027", r)
}
