package contextsvc

import (
	"strings"
	"unicode/utf8"
)

// chunkSize is how long a chunk should be at most, in bytes; what embedding models read at a time is about that much.
const chunkSize = 1600

// chunkRange is a piece of a text: bytes from start to end.
type chunkRange struct{ start, end int }

// chunks cuts a text into pieces to be embedded, at the best place in the second half of each: an empty line before something that
// begins at the margin, an empty line, a line's end, a blank, any character. Pieces of nothing but blanks are left out.
func chunks(text string) []chunkRange {
	var out []chunkRange
	for start := 0; start < len(text); {
		end := start + cut(text[start:])
		if strings.TrimSpace(text[start:end]) != "" {
			out = append(out, chunkRange{start, end})
		}
		start = end
	}
	return out
}

// cut gives the length of the first chunk of a text.
func cut(text string) int {
	if len(text) <= chunkSize {
		return len(text)
	}
	const half = chunkSize / 2
	window := text[half:chunkSize]
	for i := len(window); i > 0; {
		i = strings.LastIndex(window[:i], "\n\n")
		if i < 0 {
			break
		}
		if next := text[half+i+2]; next > ' ' && next != '}' && next != ')' {
			return half + i + 2
		}
	}
	for _, sep := range []string{"\n\n", "\n", " "} {
		if i := strings.LastIndex(window, sep); i >= 0 {
			return half + i + len(sep)
		}
	}
	n := chunkSize
	for n > half && !utf8.RuneStart(text[n]) {
		n--
	}
	return n
}
