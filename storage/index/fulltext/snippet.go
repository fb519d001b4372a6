package fulltext

import (
	"html"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// SnippetOptions shape a snippet.
type SnippetOptions struct {
	Words int  // most words shown, 0 means 30
	HTML  bool // escape the text for HTML; the marks stay live
}

// span is a matched word: bytes of the text, and its number among the words.
type span struct{ start, end, word int }

// Snippet shows the part of a text where most of the query's terms stand, with matches in <b>…</b>; adjacent matches share one mark. Without
// a match it shows the beginning. "..." stands for text left out.
func (a *Analyzer) Snippet(text string, q Query, o SnippetOptions) string {
	s, _ := a.SnippetAt(text, q, o)
	return s
}

// SnippetAt is Snippet, and tells the byte of the text at which the first match that it shows stands (or its own first byte).
func (a *Analyzer) SnippetAt(text string, q Query, o SnippetOptions) (snippet string, at int) {
	return a.snippetAt(text, q, o, a.code)
}

func (a *Analyzer) snippetAt(text string, q Query, o SnippetOptions, byName bool) (snippet string, at int) {
	if o.Words <= 0 {
		o.Words = 30
	}
	s := a.pool.Get().(*Scratch)
	defer func() {
		if len(text) > mostKept {
			s.lower, s.spans = nil, nil
		}
		a.pool.Put(s)
	}()
	words, hits := a.locate(text, q, s, byName, o.Words)
	if len(words) == 0 {
		return escape(truncate(text, 200), o.HTML), 0
	}
	first := bestWindow(hits, o.Words)
	last := min(first+o.Words, len(words)) - 1
	first = max(0, min(first, last+1-o.Words))
	start, end := words[first].start, words[last].end
	prefix, suffix := "...", "..."
	if first == 0 {
		start, prefix = 0, ""
	}
	if last == len(words)-1 {
		end, suffix = len(text), ""
	}
	at = start
	for _, h := range hits {
		if h.start >= start && h.end <= end {
			at = h.start
			break
		}
	}
	if end-start > maxSnippet {
		var cutStart, cutEnd bool
		start, end, cutStart, cutEnd = shorten(text, start, at, end)
		hits = within(hits, end)
		if cutStart {
			prefix = "..."
		}
		if cutEnd {
			suffix = "..."
		}
	}
	var b strings.Builder
	b.WriteString(prefix)
	mark(&b, text, start, end, hits, o.HTML)
	b.WriteString(suffix)
	return strings.TrimSpace(b.String()), at
}

// mostKept is the size of a text in bytes above which the memory for its snippet isn't kept for others.
const mostKept = 1 << 20

// maxSnippet bounds the bytes of the text in a snippet, whatever its words are: a line of base64 is one word of a megabyte.
const maxSnippet = 1000

// shorten cuts the text between start and end down to maxSnippet bytes with the place at a little inside, between runes and without
// the blanks in front.
func shorten(text string, start, at, end int) (from, to int, cutStart, cutEnd bool) {
	from = start
	if at-start > maxSnippet/2 {
		from = at - maxSnippet/4
		for from < at && !utf8.RuneStart(text[from]) {
			from++
		}
	}
	to = end
	if end-from > maxSnippet {
		to = from + maxSnippet
		for to > at && !utf8.RuneStart(text[to]) {
			to--
		}
	}
	cutStart = strings.TrimSpace(text[start:from]) != ""
	cutEnd = strings.TrimSpace(text[to:end]) != ""
	from += len(text[from:to]) - len(strings.TrimLeft(text[from:to], " \t\r\n"))
	return from, to, cutStart, cutEnd
}

// within ends the hits that reach beyond end there.
func within(hits []span, end int) []span {
	out := slices.Clone(hits)
	for i := range out {
		if out[i].start < end {
			out[i].end = min(out[i].end, end)
		}
	}
	return out
}

// locate lists the words of a text, in memory of s, and those that belong to the query. Of source code, names can be found without a look at
// other words, of which only those are listed then that are not further than around words away from one found, or the beginning.
func (a *Analyzer) locate(text string, q Query, s *Scratch, byName bool, around int) (words, hits []span) {
	exact := map[string]bool{}
	var begin prefixes
	for _, c := range q.Clauses {
		if c.Occur == MustNot {
			continue
		}
		for j, t := range c.Terms {
			if c.Prefix && j == len(c.Terms)-1 {
				begin.add(t, 0)
			} else {
				exact[t] = true
			}
		}
	}
	words = s.spans[:0]
	defer func() { s.spans = words }()
	var folded []byte
	visit := func(t Token) bool {
		if !t.Other() {
			words = append(words, span{int(t.Start), int(t.End), len(words)})
		}
		match := exact[string(t.Term)]
		if !match && len(begin.lens) > 0 {
			begins := func(int32) { match = true }
			begin.each(t.Term, begins)
			folded = written(folded[:0], text, t, s)
			begin.each(folded, begins)
		}
		if match {
			hits = append(hits, span{int(t.Start), int(t.End), len(words) - 1})
		}
		return true
	}
	if !byName {
		a.Analyze(text, s, visit)
		return words, hits
	}
	a.analyzeNames(text, &names{
		terms: slices.Concat(slices.Collect(maps.Keys(exact)), slices.Collect(maps.Keys(begin.slots))),
		emit:  visit,
		other: func(start, end int) { words = append(words, span{start, end, len(words)}) },
		// As many stand for those that are passed over as keep the words before them out of every snippet of those behind.
		around: around,
		skip: func(at int) {
			for range around {
				words = append(words, span{at, at, len(words)})
			}
		},
	}, s)
	return words, hits
}

// bestWindow gives the first word of the window of n words that holds most matches, with the first match a little inside.
func bestWindow(hits []span, n int) int {
	best, first, lo := 0, 0, 0
	for hi := range hits {
		for hits[hi].word-hits[lo].word >= n {
			lo++
		}
		if count := hi - lo + 1; count > best {
			best, first = count, hits[lo].word
		}
	}
	lead := min(5, n/4)
	return max(0, first-lead)
}

func mark(b *strings.Builder, text string, start, end int, hits []span, asHTML bool) {
	at := start
	for i := 0; i < len(hits); {
		h := hits[i]
		if h.start < at || h.end > end {
			i++
			continue
		}
		b.WriteString(escape(text[at:h.start], asHTML))
		stop := h.end
		for i++; i < len(hits) && hits[i].end <= end && hits[i].word <= hits[i-1].word+1; i++ {
			stop = max(stop, hits[i].end)
		}
		b.WriteString("<b>")
		b.WriteString(escape(text[h.start:stop], asHTML))
		b.WriteString("</b>")
		at = stop
	}
	b.WriteString(escape(text[at:end], asHTML))
}

func escape(s string, asHTML bool) string {
	if asHTML {
		return html.EscapeString(s)
	}
	return s
}

// truncate cuts a text after at most n bytes, between runes.
func truncate(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "..."
}
