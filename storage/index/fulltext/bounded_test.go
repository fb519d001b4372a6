package fulltext

import (
	"strings"
	"testing"
	"time"
)

// TestBounded: no text and no query takes long, however they repeat themselves. Each pair takes milliseconds; one whose time grew with the
// product of both lengths would take a minute.
func TestBounded(t *testing.T) {
	const n = 8000
	for _, c := range []struct{ text, query string }{
		{"a ", "a "}, {"a ", `"a `}, {"a ", "a* "}, {"a b ", `"a a"* `}, {"a", "a"}, {"\u0301", "\u0301"}, {"a'", "a'"}, {"悬", "悬"}, {"悬", `"悬`},
		{"aB", "aB"}, {"AB", "AB1"}, {"ABs", "AsB1"}, {"\"", "\" "}, {"+a", "+a"}, {"a-", "a-"}, {"ingly", "eed "}, {"yyy", "'s"}, {"한", "한"},
		{"الا", "\u064b"}, {"\ufdfa", "\ufdfa"}, {"ab ", "-ab "}, {"x1,1", "1,"},
	} {
		for _, lang := range []string{"english", "code"} {
			a, err := NewAnalyzer(lang)
			if err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			text := strings.Repeat(c.text, n)
			for _, query := range []string{strings.Repeat(c.query, n), strings.Repeat(c.query, n) + `"`, strings.Repeat(c.query, n) + `"*`} {
				q := a.ParseQuery(query)
				NewMatcher(a, q).Match(text)
				NewWords().Matcher(a, q).Match(text)
				a.Snippet(text, q, SnippetOptions{})
				NewMatcher(a, a.ParseAll(query)).Match(text)
			}
			if d := time.Since(start); d > 10*time.Second {
				t.Errorf("%s: %q in %q took %v", lang, c.query, c.text, d)
			}
		}
	}
}

// TestRepeatedClauses: a word that the query has twice counts twice, and is looked for once.
func TestRepeatedClauses(t *testing.T) {
	a := newEnglish(t)
	once, twice := a.ParseQuery("fox hound"), a.ParseQuery("fox hound Fox")
	if len(twice.Clauses) != 2 || twice.Clauses[0].Again != 1 || twice.Clauses[1].Again != 0 {
		t.Fatalf("%+v", twice)
	}
	s := Stats{Docs: 10, Length: 100}
	if got, want := twice.Clauses[0].IDF(s, 3), 2*once.Clauses[0].IDF(s, 3); got != want {
		t.Errorf("weight %v, want %v", got, want)
	}
	if long := a.ParseQuery(`"` + strings.Repeat("a ", 5000) + `" tail`); len(long.Clauses) != 1 || len(long.Clauses[0].Terms) != mostTerms {
		t.Errorf("%d clauses, %d terms", len(long.Clauses), len(long.Clauses[0].Terms))
	}
}
