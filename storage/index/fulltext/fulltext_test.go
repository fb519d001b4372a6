package fulltext

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func newEnglish(t testing.TB) *Analyzer {
	a, err := NewAnalyzer("")
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestAnalyze(t *testing.T) {
	a := newEnglish(t)
	for _, c := range []struct{ text, want string }{
		{"Searching searched search", "search/0 search/1 search/2"},
		{"order KX-4471", "order/0 kx/1 4471/2"},
		{"isn't it John’s", "isn't/0 it/1! john/2"},
		{"café CAFE naïve Straße", "cafe/0 cafe/1 naiv/2 strass/3"},
		{"3.14 1,000 a.b", "3.14/0 1,000/1 a/2! b/3"},
		{"悬空 itgc 雨", "悬/0 悬空/0+ 空/1 itgc/2 雨/3"},
		{"go🚀now", "go/0 🚀/1 now/2!"},
		{"हिन्दी", "हिन्दी/0"},
		{"", ""},
		{"!?…", ""},
		{"a\xffb", "a/0! b/1"},
	} {
		var got []string
		var s Scratch
		a.Analyze(c.text, &s, func(tok Token) bool {
			w := fmt.Sprintf("%s/%d", tok.Term, tok.Pos)
			if tok.Stop {
				w += "!"
			}
			if tok.Pair {
				w += "+"
			}
			if tok.Start < 0 || int(tok.End) > len(c.text) || tok.Start >= tok.End {
				t.Errorf("%q: token %s stands at %d:%d", c.text, w, tok.Start, tok.End)
			}
			got = append(got, w)
			return true
		})
		if g := strings.Join(got, " "); g != c.want {
			t.Errorf("%q: got %s, want %s", c.text, g, c.want)
		}
	}
}

// Each query finds the texts marked with 1, in the order of texts.
func TestMatch(t *testing.T) {
	texts := []string{
		"the open search engine", "order KX-4471 arrived", "it isn't here", "悬空寺在山西", "下雨了", "a café in town", "rocket 🚀 launch",
		"full text search with prefixes", "the who", "AND OR NOT x",
	}
	a := newEnglish(t)
	for _, c := range []struct{ query, found string }{
		{`"open`, "1000000000"},
		{`search`, "1000000100"},
		{`search engine`, "1000000100"},
		{`+search +engine`, "1000000000"},
		{`search -engine`, "0000000100"},
		{`"open search"`, "1000000000"},
		{`"search open"`, "0000000000"},
		{`KX-4471`, "0100000000"},
		{`isn't`, "0010000000"},
		{`悬空`, "0001000000"},
		{`雨`, "0000100000"},
		{`cafe`, "0000010000"},
		{`🚀`, "0000001000"},
		{`pref*`, "0000000100"},
		{`"search with pref"*`, "0000000100"},
		{`the who`, "1000000010"},
		{`AND`, "0000000001"},
		{`OR OR`, "0000000001"},
		{`NOT x`, "0000000001"},
		{`*`, "0000000000"},
		{`(x`, "0000000001"},
		{`x AND`, "0000000001"},
		{`-search`, "0000000000"},
		{``, "0000000000"},
		{`  `, "0000000000"},
		{`+ - "" "*`, "0000000000"},
	} {
		m := NewMatcher(a, a.ParseQuery(c.query))
		got := ""
		for _, text := range texts {
			if _, _, ok := m.Match(text); ok {
				got += "1"
			} else {
				got += "0"
			}
		}
		if got != c.found {
			t.Errorf("%s: found %s, want %s", c.query, got, c.found)
		}
	}
}

func TestSnippet(t *testing.T) {
	a := newEnglish(t)
	long := strings.Repeat("filler words stand here ", 20) + "the JWT authentication middleware checks " + strings.Repeat("more filler follows ", 20)
	for _, c := range []struct {
		text, query string
		o           SnippetOptions
		want        string
	}{
		{"verify JWT authentication here", "JWT authentication", SnippetOptions{}, "verify <b>JWT authentication</b> here"},
		{"<img src=x onerror=1> fox", "fox", SnippetOptions{HTML: true}, "&lt;img src=x onerror=1&gt; <b>fox</b>"},
		{"“smart” 🚀 悬空寺 quote", "悬空寺", SnippetOptions{}, "“smart” 🚀 <b>悬空寺</b> quote"},
		{"nothing matches", "absent", SnippetOptions{}, "nothing matches"},
		{"", "x", SnippetOptions{}, ""},
		{long, "jwt authentication", SnippetOptions{Words: 8}, "...here the <b>JWT authentication</b> middleware checks more filler..."},
	} {
		if got := a.Snippet(c.text, a.ParseQuery(c.query), c.o); got != c.want {
			t.Errorf("%q in %.30q: got %q, want %q", c.query, c.text, got, c.want)
		}
	}
}

func FuzzQueryAndSnippet(f *testing.F) {
	for _, s := range []string{`"a b"* +c -d`, "悬空 x", "\xff\"", "e\u0301 ß"} {
		f.Add(s, s)
	}
	known, err := NewAnalyzer("")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text, query string) {
		// An analyzer remembers words; a fresh one takes the same way for the same input, without which minimizing inputs never ends.
		a := &Analyzer{lang: known.lang, stem: known.stem, stop: known.stop}
		a.pool.New = func() any { return new(Scratch) }
		q := a.ParseQuery(query)
		NewMatcher(a, q).Match(text)
		if s := a.Snippet(text, q, SnippetOptions{Words: 5}); utf8.ValidString(text) && !utf8.ValidString(s) {
			t.Errorf("snippet of %q splits a character: %q", text, s)
		}
	})
}

func BenchmarkAnalyze(b *testing.B) {
	a := newEnglish(b)
	var s Scratch
	text := strings.Repeat("Databases rank documents by term frequency and inverse document frequency. ", 10)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		a.Analyze(text, &s, func(Token) bool { return true })
	}
}

// TestWordsMatch: a matcher that knows the texts finds what one that analyses them finds, at the first time and again.
func TestWordsMatch(t *testing.T) {
	pieces := []string{"the", "Fox", "foxes", "running", "run", "isn't", "KX-4471", "café", "悬空", "雨", "🚀", "max_open_conns", "HTTPServer", "ΣΑΣ",
		"\u0301", " ", ". ", "\"", "x", "running fox", "1,000.5", "\xff"}
	queries := []string{"fox", "run*", "+fox -the", `"running fox"`, `"running fo"*`, "悬空 雨", "cafe 🚀", "http*", "KX-4471", "the", "conns isn't", "s*"}
	words := NewWords()
	rapid.Check(t, func(t *rapid.T) {
		lang := rapid.SampledFrom([]string{"english", "simple", "code", "german"}).Draw(t, "language")
		a, err := NewAnalyzer(lang)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom(pieces)).Draw(t, "text"), rapid.SampledFrom([]string{" ", "", ", "}).Draw(t, "between"))
		q := a.ParseQuery(rapid.SampledFrom(queries).Draw(t, "query"))
		m := words.Matcher(a, q)
		length, freq, found := NewMatcher(a, q).Match(text)
		for range 2 {
			l, f, ok := m.Match(text)
			if l != length || ok != found || !slices.Equal(f, freq) {
				t.Fatalf("%q: %d words %v %v, without memory %d %v %v", text, l, f, ok, length, freq, found)
			}
		}
	})
}
