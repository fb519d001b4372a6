package retrieval

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/omgdb/omgdb/storage/dberr"
)

// textSpan is a piece of a text: bytes from start to end.
type textSpan struct{ start, end int }

// splitter cuts a text into pieces that make sense by themselves. They come in order, don't overlap and hold no blanks at their ends; only
// blanks lie between them.
type splitter func(text string) []textSpan

// wholeText is the name of the way that leaves texts whole.
const wholeText = "document"

// splitters are the ways of cutting by name; wholeText is nil.
var splitters = map[string]splitter{
	wholeText:    nil,
	"paragraphs": splitParagraphs,
	"sentences":  splitSentences,
	"markdown":   splitMarkdown,
	"code":       splitCode,
}

func splitterNamed(name string) (splitter, error) {
	s, ok := splitters[strings.ToLower(name)]
	if !ok {
		return nil, dberr.New(dberr.InvalidParameterValue, "unknown way to cut texts %q in chunk", name).
			WithHint("Use document, paragraphs, sentences, markdown or code.")
	}
	return s, nil
}

// trimmed takes the blanks off the ends of a piece; ok is false when nothing is left.
func trimmed(text string, start, end int) (textSpan, bool) {
	piece := text[start:end]
	left := strings.TrimLeftFunc(piece, unicode.IsSpace)
	start = end - len(left)
	end = start + len(strings.TrimRightFunc(left, unicode.IsSpace))
	return textSpan{start, end}, start < end
}

// eachLine calls fn with the bounds of each line, its end included.
func eachLine(text string, fn func(start, end int)) {
	for start := 0; start < len(text); {
		end := len(text)
		if i := strings.IndexByte(text[start:], '\n'); i >= 0 {
			end = start + i + 1
		}
		fn(start, end)
		start = end
	}
}

func blank(line string) bool { return strings.TrimSpace(line) == "" }

// splitAt cuts a text before the lines for which begins says so. It is given each line and whether the one before it was blank.
func splitAt(text string, begins func(line string, afterBlank bool) bool) []textSpan {
	var out []textSpan
	from, afterBlank := 0, true
	cut := func(to int) {
		if s, ok := trimmed(text, from, to); ok {
			out = append(out, s)
		}
		from = to
	}
	eachLine(text, func(start, end int) {
		line := text[start:end]
		if start > 0 && begins(line, afterBlank) {
			cut(start)
		}
		afterBlank = blank(line)
	})
	cut(len(text))
	return out
}

// splitParagraphs cuts at blank lines.
func splitParagraphs(text string) []textSpan {
	return splitAt(text, func(line string, afterBlank bool) bool { return afterBlank && !blank(line) })
}

// splitMarkdown cuts before each heading that stands outside of a fenced block; a section keeps its heading.
func splitMarkdown(text string) []textSpan {
	fence := ""
	return splitAt(text, func(line string, _ bool) bool {
		bare := strings.TrimLeft(line, " ")
		if len(line)-len(bare) > 3 {
			return false
		}
		if mark := fenceMark(bare); mark != "" {
			switch {
			case fence == "":
				fence = mark
			case mark[0] == fence[0] && len(mark) >= len(fence) && blank(bare[len(mark):]):
				fence = ""
			}
			return false
		}
		return fence == "" && heading(bare)
	})
}

// fenceMark gives the run of three or more backquotes or tildes that a line begins with.
func fenceMark(line string) string {
	if line == "" || line[0] != '`' && line[0] != '~' {
		return ""
	}
	n := len(line) - len(strings.TrimLeft(line, line[:1]))
	if n < 3 {
		return ""
	}
	return line[:n]
}

// heading tells whether a line is a heading: one to six # and a blank.
func heading(line string) bool {
	n := len(line) - len(strings.TrimLeft(line, "#"))
	return n >= 1 && n <= 6 && (n == len(line) || strings.IndexByte(" \t\r\n", line[n]) >= 0)
}

// splitCode cuts before lines at the margin that follow a blank line and begin something: functions, types, classes with the comments
// above them.
func splitCode(text string) []textSpan {
	return splitAt(text, func(line string, afterBlank bool) bool {
		return afterBlank && !blank(line) && strings.IndexByte(" \t)}]", line[0]) < 0
	})
}

// splitSentences cuts behind the marks that end a sentence, where blanks follow and then no small letter, behind the full-width marks,
// and at blank lines.
func splitSentences(text string) []textSpan {
	var out []textSpan
	for _, p := range splitParagraphs(text) {
		from := p.start
		for i := p.start; i < p.end; {
			r, n := utf8.DecodeRuneInString(text[i:p.end])
			i += n
			if !strings.ContainsRune(".!?…。！？", r) {
				continue
			}
			for i < p.end { // marks in a row, and quotes and brackets that close
				r2, n2 := utf8.DecodeRuneInString(text[i:p.end])
				if !strings.ContainsRune(".!?…。！？\"'”’»)]", r2) {
					break
				}
				i += n2
			}
			if strings.ContainsRune("。！？", r) || endsSentence(text[i:p.end]) {
				if s, ok := trimmed(text, from, i); ok {
					out = append(out, s)
				}
				from = i
			}
		}
		if s, ok := trimmed(text, from, p.end); ok {
			out = append(out, s)
		}
	}
	return out
}

// endsSentence tells whether what follows a mark begins another sentence.
func endsSentence(rest string) bool {
	next := strings.TrimLeftFunc(rest, unicode.IsSpace)
	if next == "" || len(next) == len(rest) {
		return false
	}
	r, _ := utf8.DecodeRuneInString(next)
	return !unicode.IsLower(r)
}

// withOverlap begins each piece with the n pieces before it.
func withOverlap(spans []textSpan, n int) []textSpan {
	if n == 0 {
		return spans
	}
	out := make([]textSpan, len(spans))
	for i, s := range spans {
		out[i] = textSpan{spans[max(0, i-n)].start, s.end}
	}
	return out
}
