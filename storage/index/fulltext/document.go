package fulltext

import (
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/index/postings"
)

// A word that an analyzer stems is indexed a second time as it is written, for prefixes: behind this byte, with which no term begins.
const writtenMark = "\x00"

// terms collects the terms of one document after another. It belongs to one goroutine.
type terms struct {
	a       *Analyzer
	scratch Scratch
	written []byte
	at      map[string]int // place in doc.Terms
	doc     postings.Doc
}

func newTerms(a *Analyzer) *terms { return &terms{a: a, at: map[string]int{}} }

// of analyses a text. The result is valid until the next call.
func (t *terms) of(text string) *postings.Doc {
	clear(t.at)
	t.doc.Length, t.doc.Terms = 0, t.doc.Terms[:0]
	t.a.Analyze(text, &t.scratch, func(tok Token) bool {
		if !tok.Other() {
			t.doc.Length++
		}
		t.add(tok.Term, tok.Pos)
		t.written = written(append(t.written[:0], writtenMark...), text, tok, &t.scratch)
		if string(t.written[len(writtenMark):]) != string(tok.Term) {
			t.add(t.written, tok.Pos)
		}
		return true
	})
	t.doc.SortTerms()
	return &t.doc
}

func (t *terms) add(term []byte, pos int32) {
	i, ok := t.at[string(term)]
	if !ok {
		i = len(t.doc.Terms)
		s := string(term)
		t.at[s] = i
		if i < cap(t.doc.Terms) {
			t.doc.Terms = t.doc.Terms[:i+1]
			t.doc.Terms[i].Text, t.doc.Terms[i].Positions = s, t.doc.Terms[i].Positions[:0]
		} else {
			t.doc.Terms = append(t.doc.Terms, postings.Term{Text: s})
		}
	}
	t.doc.Terms[i].Positions = append(t.doc.Terms[i].Positions, pos)
}

// written appends the word of a token as it is written, folded.
func written(dst []byte, text string, t Token, s *Scratch) []byte {
	from := len(dst)
	dst = Fold(dst, text[t.Start:t.End], &s.nfkd)
	return dst[:from+len(cutWord(dst[from:]))]
}

// Text gives the text of a document at some paths: the strings there, joined by a space; false when there is none.
func Text(d doc.Doc, paths []doc.Path) (string, bool) {
	if len(paths) == 1 {
		s, ok := d.Walk(paths[0]).StringBytes()
		return string(s), ok
	}
	var out []byte
	found := false
	for _, p := range paths {
		if s, ok := d.Walk(p).StringBytes(); ok {
			if found {
				out = append(out, ' ')
			}
			out = append(out, s...)
			found = true
		}
	}
	return string(out), found
}
