// Package demo holds the corpus of `omgdb demo`: short own-written articles on databases and retrieval.
package demo

import (
	_ "embed"
	"strings"
)

//go:embed corpus.tsv
var corpus string

// Article is one document of the corpus.
type Article struct{ ID, Title, Topic, Text string }

// Articles lists the corpus in its fixed order.
func Articles() []Article {
	lines := strings.Split(strings.TrimSpace(corpus), "\n")
	out := make([]Article, len(lines))
	for i, line := range lines {
		f := strings.Split(line, "\t")
		out[i] = Article{ID: f[0], Title: f[1], Topic: f[2], Text: f[3]}
	}
	return out
}
