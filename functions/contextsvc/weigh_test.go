package contextsvc

import (
	"testing"

	"github.com/omgdb/omgdb/storage/index/fulltext"
)

func TestIsTest(t *testing.T) {
	for rel, want := range map[string]bool{
		"a_test.go": true, "pkg/testdata/x.json": true, "src/app.test.ts": true, "src/app.spec.ts": true, "tests/a.py": true, "test_app.py": true,
		"src/AppTest.java": true, "src/AppTests.cs": true, "spec/models/user_spec.rb": true, "src/__tests__/a.js": true,
		"testing/testing.go": false, "contest.go": false, "attest/a.go": false, "latest.md": false, "src/spectrum.go": false, "test.md": false, ".test": false, "": false,
	} {
		if got := isTest(rel); got != want {
			t.Errorf("%q: got %v", rel, got)
		}
	}
	for text, want := range map[string]bool{"how are tests run": true, "TestMain": true, "testify": true, "the latest contest": false, "specs of the API": true, "special": false, "": false} {
		if got := asksForTests(text); got != want {
			t.Errorf("%q: got %v", text, got)
		}
	}
}

// Of two texts alike, the one whose path speaks of the query comes first, a test last; words that stand in no text find nothing by a path.
func TestWeigh(t *testing.T) {
	a, err := fulltext.NewAnalyzer(language)
	if err != nil {
		t.Fatal(err)
	}
	q := &query{analyzer: a, text: "retry timeout", words: a.ParseQuery("retry timeout")}
	hits := []hit{{key: "a/x_test.go", score: 3}, {key: "net/retry.go", score: 3}, {key: "b/x.go", score: 3}, {key: "a/x.go", score: 3}}
	q.weigher([]float64{2, 1}).rank(place{}, hits)
	for i, want := range []struct {
		key   string
		score float64
	}{{"net/retry.go", 5}, {"a/x.go", 3}, {"b/x.go", 3}, {"a/x_test.go", 2.25}} {
		if hits[i].key != want.key || hits[i].score != want.score {
			t.Errorf("place %d: got %s with %g, want %s with %g", i, hits[i].key, hits[i].score, want.key, want.score)
		}
	}
}

func TestWordList(t *testing.T) {
	var w wordList
	w.add("net/http/maxOpenConns.go")
	w.add("func (s *Server) setMaxOpen(n int) { s.HTTP2Server.größe = 悬空 } // Open the server's net")
	if got, want := w.String(), "net http max open conns go func s server set n int http2 größe 悬 空 the "; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	w.reset()
	w.add("net")
	if got := w.String(); got != "net " {
		t.Errorf("got %q", got)
	}
}
