package contextsvc

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/omgdb/omgdb/storage/index/fulltext"
)

// textParams are BM25's constants for files. Their lengths differ by what they are for, not by how much they repeat themselves, so that
// length counts less than in a collection of articles. This and the two weights below were found on questions about source trees
// (sqltest/folder).
var textParams = fulltext.Params{K1: 1.2, B: 0.5}

// testWeight is what a file of tests counts: what a question is about stands in the file that does it, though the one that tries it says
// the words more often.
const testWeight = 0.75

// reranked is how many of the best files by their texts are ranked again, when only the best are wanted.
const reranked = 200

// weigher ranks the files that words found: a word in a file's path counts as much again as a rare word of the text, and tests count less.
type weigher struct {
	match *fulltext.Matcher
	idf   []float64 // of each clause
	tests bool      // the query asks about tests
}

func (q *query) weigher(idf []float64) *weigher {
	return &weigher{match: fulltext.NewMatcher(q.analyzer, q.words), idf: idf, tests: asksForTests(q.text)}
}

// weigh changes a file's score.
func (w *weigher) weigh(rel string, score float64) float64 {
	_, freq, _ := w.match.Match(rel)
	for c, n := range freq {
		if n > 0 && c < len(w.idf) {
			score += w.idf[c]
		}
	}
	if !w.tests && isTest(rel) {
		score *= testWeight
	}
	return score
}

// rank weighs hits and sorts them: best first, equal ones by path.
func (w *weigher) rank(p place, hits []hit) {
	for i := range hits {
		rel, _ := p.rel(hits[i].key)
		hits[i].score = w.weigh(rel, hits[i].score)
	}
	slices.SortFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(a.key, b.key))
	})
}

// testFolders are the names of directories that hold tests and what they read.
var testFolders = map[string]bool{"test": true, "tests": true, "testdata": true, "__tests__": true, "spec": true, "specs": true, "fixtures": true}

// isTest tells from its path whether a file is one of tests.
func isTest(rel string) bool {
	dir, name := path.Split(rel)
	for part := range strings.SplitSeq(strings.TrimSuffix(dir, "/"), "/") {
		if testFolders[part] {
			return true
		}
	}
	stem := strings.TrimPrefix(name, ".")
	if i := strings.LastIndexByte(stem, '.'); i > 0 {
		stem = stem[:i]
	}
	for _, end := range []string{"_test", ".test", "-test", "_spec", ".spec", "-spec", "Test", "Tests"} {
		if strings.HasSuffix(stem, end) {
			return true
		}
	}
	return strings.HasPrefix(stem, "test_")
}

// asksForTests tells whether a query speaks of tests.
func asksForTests(text string) bool {
	found := false
	fulltext.NameParts(text, func(word string) {
		word = strings.ToLower(word)
		found = found || strings.HasPrefix(word, "test") || word == "spec" || word == "specs"
	})
	return found
}
