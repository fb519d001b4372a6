package fulltext

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func newCode(t testing.TB) *Analyzer {
	a, err := NewAnalyzer("code")
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestCodeWords(t *testing.T) {
	a := newCode(t)
	for _, c := range []struct{ text, want string }{
		{"parseHTTPRequest", "parsehttprequest/0 parse/0' http/0' request/0'"},
		{"max_open_conns", "max/0 open/1 conns/2"},
		{"net/http.ServeMux", "net/0 http/1 servemux/2 serve/2' mux/2'"},
		{"HTTP2Server X509Cert sha256sum", "http2server/0 http2/0' server/0' x509cert/1 x509/1' cert/1' sha256sum/2"},
		{"URLs parseIDs IDsOf", "urls/0 parseids/1 parse/1' ids/1' idsof/2 ids/2' of/2'"},
		{"f'hello' [1,2] v1.25", "f/0 hello/1 1/2 2/3 v1/4 25/5"},
		{"__init__ $el ALL_CAPS iOS", "init/0 el/1 all/2 caps/3 ios/4 i/4' os/4'"},
		{"größeÄndern 悬空Name", "grosseandern/0 grosse/0' andern/0' 悬/1 悬空/1 空/2 name/3"},
	} {
		var got []string
		var s Scratch
		a.Analyze(c.text, &s, func(tok Token) bool {
			w := string(tok.Term) + "/" + string(rune('0'+tok.Pos))
			if tok.Part {
				w += "'"
			}
			got = append(got, w)
			return true
		})
		g := strings.Join(got, " ")
		if g != c.want {
			t.Errorf("%q: got %s, want %s", c.text, g, c.want)
		}
	}
}

// Each query of all words finds the texts marked with 1.
func TestCodeParseAll(t *testing.T) {
	texts := []string{
		"func (s *ServeMux) parseHTTPRequest(r *http.Request)", "set max_open_conns = 5", "servemux and the request", "a mux to serve", "the who",
		`flags: --dry-run "quoted text" here`,
	}
	a := newCode(t)
	for _, c := range []struct{ query, want string }{
		{"ServeMux", "101000"},
		{"servemux", "101000"},
		{"mux", "100100"},
		{"http.Request", "100000"},
		{"HTTPRequest", "000000"},
		{"request http", "100000"},
		{"max_open_conns", "010000"},
		{"open_conns", "010000"},
		{"conns max", "010000"},
		{"conns_max", "000000"},
		{"the", "001010"},
		{"the who", "000010"},
		{"--dry-run", "000001"},
		{"-dry", "000001"},
		{`"quoted text" flags`, "000001"},
		{`"text quoted"`, "000000"},
		{"serv*", "101100"},
		{"", "000000"},
		{"- + \" *", "000000"},
		{"NOT", "000000"},
	} {
		m := NewMatcher(a, a.ParseAll(c.query))
		got := make([]byte, len(texts))
		for i, text := range texts {
			got[i] = '0'
			if _, _, ok := m.Match(text); ok {
				got[i] = '1'
			}
		}
		if string(got) != c.want {
			t.Errorf("%q: got %s, want %s", c.query, got, c.want)
		}
	}
}

// A name in a question counts as a whole and by its words.
func TestCodeQuestion(t *testing.T) {
	a := newCode(t)
	var got []string
	for _, c := range a.ParseQuery("how does http.ServeMux match a path").Clauses {
		got = append(got, strings.Join(c.Terms, "+"))
	}
	if g, want := strings.Join(got, " "), "http+servemux http servemux serve mux match path"; g != want {
		t.Errorf("got %s, want %s", g, want)
	}
}

func TestSnippetAt(t *testing.T) {
	a := newCode(t)
	text := "package http\n\n// ServeMux matches requests\nfunc (mux *ServeMux) match() {}\n"
	s, at := a.SnippetAt(text, a.ParseAll("ServeMux requests"), SnippetOptions{Words: 8})
	if want := "package http\n\n// <b>ServeMux</b> matches <b>requests</b>\nfunc (mux *<b>ServeMux</b>..."; s != want {
		t.Errorf("got %q, want %q", s, want)
	}
	if want := strings.Index(text, "ServeMux"); at != want {
		t.Errorf("at %d, want %d", at, want)
	}
}

// TestLocateNames holds the quick way to find terms in source code to the whole analysis.
func TestLocateNames(t *testing.T) {
	a := newCode(t)
	texts := []string{
		"", "x", "maxOpenConns max_open_conns MAXOPEN http.Request HTTPRequest", "é caféBar naïve_caf\u00e9 cafe\u0301 x", "日本語 text日本 日", "a😀b 😀 \xff\xfe bad\xffutf8",
		"URLs parseIDsOf HTTP2Server don't 3.14 1,000 ßtraße STRASSE strasse", strings.Repeat("lorem ipsum dolorSit ", 50) + "request" + strings.Repeat(" x", 40),
	}
	queries := []string{"max open", "http request", "café", "cafe", "cafe*", "maxo*", "日本", "😀", "strasse", "urls ids", "x", "dolor sit", "request -lorem", `"open conns"`, "b*", "bad", "utf8"}
	rng := rand.New(rand.NewPCG(1, 1))
	pieces := []string{"Max", "open", "Conns", "HTTP", "request", "é", "日", "_", " ", ".", "2", "s", "x", "😀", "\u0301", "\xff", "'", "ß"}
	for range 2000 {
		var b strings.Builder
		for range rng.IntN(30) {
			b.WriteString(pieces[rng.IntN(len(pieces))])
		}
		texts = append(texts[:8], b.String())
		for _, text := range texts {
			q := a.ParseQuery(queries[rng.IntN(len(queries))])
			words, hits := a.locate(text, q, new(Scratch), true, len(text))
			plainWords, plainHits := a.locate(text, q, new(Scratch), false, 0)
			if !slices.Equal(words, plainWords) || !slices.Equal(hits, plainHits) {
				t.Fatalf("%v in %q: words %v hits %v, want %v and %v", q, text, words, hits, plainWords, plainHits)
			}
		}
	}
}

// TestSnippetOfLongCode holds snippets of texts of which most is passed over to those of the whole analysis.
func TestSnippetOfLongCode(t *testing.T) {
	a := newCode(t)
	rng := rand.New(rand.NewPCG(2, 2))
	common := []string{"lorem", "ipsumDolor", "sit_amet", "x", "\n\t", "(", "...", "12", "a.b.c", "consectetur"}
	rare := []string{"needle", "myNeedle", "hay", "é", "needles", "日", "hay_needle"}
	queries := []string{"needle", "needle hay", "need*", "absent", `"hay needle"`, "é"}
	for i := range 3000 {
		var b strings.Builder
		for range rng.IntN(400) {
			b.WriteString(common[rng.IntN(len(common))])
			if rng.IntN(8) > 0 {
				b.WriteByte(' ')
			}
			if rng.IntN(60+i/10) == 0 {
				b.WriteString(" " + rare[rng.IntN(len(rare))] + " ")
			}
		}
		text, q, o := b.String(), a.ParseQuery(queries[rng.IntN(len(queries))]), SnippetOptions{Words: 1 + rng.IntN(12)}
		s, at := a.snippetAt(text, q, o, true)
		want, wantAt := a.snippetAt(text, q, o, false)
		if s != want || at != wantAt {
			t.Fatalf("%v, %d words of %q: %q at %d, want %q at %d", q, o.Words, text, s, at, want, wantAt)
		}
	}
}
