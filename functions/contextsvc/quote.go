package contextsvc

import (
	"context"
	"slices"
	"strings"
	"unsafe"

	"github.com/omgdb/omgdb/storage/index/fulltext"
)

// Lengths of snippets: words around the best place of a text that words found; characters of a chunk that was found by meaning, with
// the mark that more follows.
const (
	snippetWords = 32
	snippetChars = 100
)

// quote fills in the snippets of matches, and the lines when they were asked for.
func (q *query) quote(ctx context.Context, matches []match) error {
	for i := range matches {
		m := &matches[i]
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		_, d, ok, err := q.env.Txn.GetByID(ctx, q.files, m.key)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		b, _ := d.Lookup("text").StringBytes()
		text, at := str(b), 0
		if m.byMeaning {
			m.snippet, at = beginning(text, m.start, m.end)
		} else {
			m.snippet, at = q.analyzer.SnippetAt(text, q.words, fulltext.SnippetOptions{Words: snippetWords})
		}
		if q.lines {
			m.line = 1 + strings.Count(text[:at], "\n")
		}
	}
	return nil
}

// beginning shows how a chunk of a text begins.
func beginning(text string, start, end int) (snippet string, at int) {
	if end > len(text) || start > end {
		start, end = 0, len(text) // the file has changed since it was embedded
	}
	chunk := strings.TrimLeft(text[start:end], " \t\r\n")
	at = end - len(chunk)
	chunk = strings.TrimRight(chunk, " \t\r\n")
	const mark = "..."
	n, cut := 0, 0
	for i := range chunk {
		if n == snippetChars-len(mark) {
			cut = i
		}
		if n++; n > snippetChars {
			return strings.ToValidUTF8(chunk[:cut], "") + mark, at
		}
	}
	return chunk, at
}

// fuse ranks the matches of two sides together. A file that both found shows its words, and its distance.
func fuse(lexical, near []match) []match {
	const k = 60
	scores := map[string]float64{}
	docs := map[string]match{}
	for side, list := range [][]match{lexical, near} {
		for rank, m := range list {
			scores[m.key] += 1 / float64(k+rank+1)
			if old, ok := docs[m.key]; ok && side == 1 {
				old.semantic, old.distance = true, m.distance
				m = old
			}
			docs[m.key] = m
		}
	}
	out := make([]match, 0, len(docs))
	for _, m := range docs {
		out = append(out, m)
	}
	slices.SortFunc(out, func(a, b match) int {
		if sa, sb := scores[a.key], scores[b.key]; sa != sb {
			if sa > sb {
				return -1
			}
			return 1
		}
		return strings.Compare(a.key, b.key)
	})
	return out
}

// str shows bytes as a string that lives as long as they do.
func str(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
