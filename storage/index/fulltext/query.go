package fulltext

import (
	"encoding/binary"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Query is a parsed search: any text is a valid query, of which the first thousand words count. Words rank by OR; `+word` and "phrases" are required, `-word` is excluded, `word*` is a
// prefix of words as written or stemmed, and so is the last word of `"a phrase"*`.
type Query struct {
	Clauses []Clause
}

// Occur says how a clause takes part.
type Occur uint8

// The ways of a clause.
const (
	Should Occur = iota
	Must
	MustNot
)

// Clause is a word, or a phrase of several words in a row.
type Clause struct {
	Occur Occur
	Terms []string // one word, or the words of a phrase
	// Offsets are the positions of Terms relative to the first: characters written without spaces make terms that overlap.
	Offsets []int32
	Prefix  bool // the last term is a prefix
	Again   int  // how many further times the query has it
}

// IDF is the weight of a clause that df of the documents contain.
func (c *Clause) IDF(s Stats, df int64) float64 { return s.IDF(df) * float64(1+c.Again) }

// mostTerms bounds a query: words behind so many are passed over, so that no text makes a query that takes long.
const mostTerms = 1024

// ParseQuery reads a query with the analyzer of the text that it searches.
func (a *Analyzer) ParseQuery(text string) Query { return a.parse(splitQuery(text)) }

// ParseAll reads a query of which every word and every "phrase" must occur, stop words too. A word written as a compound (KX-4471,
// http.Request, max_open_conns) asks for its parts in a row. `word*` is a prefix; + and - are punctuation.
func (a *Analyzer) ParseAll(text string) Query {
	parts := splitQuery(text)
	for i := range parts {
		parts[i].occur = Must
	}
	return a.parse(parts)
}

func (a *Analyzer) parse(parts []part) Query {
	var q Query
	var stops []Clause
	s := a.pool.Get().(*Scratch)
	defer a.pool.Put(s)
	for _, part := range parts {
		clauses, stop := a.clauses(part, s)
		if stop && part.occur == Should {
			stops = append(stops, clauses...)
			continue
		}
		q.Clauses = append(q.Clauses, clauses...)
	}
	if !q.positive() {
		q.Clauses = append(q.Clauses, stops...)
	}
	q.Clauses = merge(q.Clauses)
	return q
}

// merge makes one clause of those that are the same, and cuts the query to its most terms.
func merge(all []Clause) []Clause {
	at := make(map[string]int, len(all))
	out, terms := all[:0], 0
	var id []byte
	for _, c := range all {
		if terms += len(c.Terms); terms > mostTerms {
			c.cut(len(c.Terms) - (terms - mostTerms))
			terms = mostTerms
		}
		if len(c.Terms) == 0 {
			break
		}
		id = append(id[:0], byte(c.Occur))
		if c.Prefix {
			id = append(id, '*')
		}
		for i, t := range c.Terms {
			id = binary.AppendVarint(binary.AppendUvarint(id, uint64(len(t))), int64(c.Offsets[i]))
			id = append(id, t...)
		}
		if i, ok := at[string(id)]; ok {
			terms -= len(c.Terms)
			out[i].Again++
			continue
		}
		at[string(id)] = len(out)
		out = append(out, c)
	}
	return out
}

// cut keeps the first n terms of a clause.
func (c *Clause) cut(n int) {
	if n < len(c.Terms) {
		c.Terms, c.Offsets, c.Prefix = c.Terms[:n], c.Offsets[:n], false
	}
}

// positive tells whether some clause can find anything.
func (q *Query) positive() bool {
	for _, c := range q.Clauses {
		if c.Occur != MustNot {
			return true
		}
	}
	return false
}

// Empty tells whether the query finds nothing at all.
func (q *Query) Empty() bool { return !q.positive() }

// part is a piece of the query's text: a word with its signs, or a quoted phrase.
type part struct {
	text   string
	occur  Occur
	phrase bool
	prefix bool
}

func splitQuery(text string) []part {
	var parts []part
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		if unicode.IsSpace(r) {
			i += n
			continue
		}
		p := part{}
		if (r == '+' || r == '-') && i+1 < len(text) && !startsBlank(text[i+1:]) {
			p.occur = Must
			if r == '-' {
				p.occur = MustNot
			}
			i++
		}
		if text[i] == '"' {
			if end := strings.IndexByte(text[i+1:], '"'); end >= 0 {
				p.text, p.phrase = text[i+1:i+1+end], true
				i += end + 2
				if i < len(text) && text[i] == '*' {
					p.prefix = true
					i++
				}
				if p.occur == Should {
					p.occur = Must
				}
				parts = append(parts, p)
				continue
			}
			i++ // a quote without its partner is nothing
		}
		end := i
		for end < len(text) {
			r, n := utf8.DecodeRuneInString(text[end:])
			if unicode.IsSpace(r) || r == '"' {
				break
			}
			end += n
		}
		p.text, p.prefix = strings.CutSuffix(text[i:end], "*")
		i = end
		parts = append(parts, p)
	}
	return parts
}

func startsBlank(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsSpace(r)
}

// clauses turns a part into clauses: a phrase into one, a word into one per token (a compound such as KX-4471 has several), a run of
// characters without spaces into its pairs. Of a name in source code the whole counts beside its words. stop tells that it consists
// of stop words only.
func (a *Analyzer) clauses(p part, s *Scratch) (out []Clause, stop bool) {
	all := a.queryTokens(p.text, s)
	words := make([]queryToken, 0, len(all))
	stop = true
	for _, t := range all {
		if !t.part {
			words = append(words, t)
			stop = stop && t.stop
		}
	}
	if len(words) == 0 {
		return nil, false
	}
	if p.phrase || p.occur != Should {
		return []Clause{a.phrase(p, words)}, stop
	}
	if a.code && len(words) > 1 {
		out = append(out, a.phrase(p, words))
	}
	for i, t := range all {
		c := Clause{Occur: p.occur, Terms: []string{t.term}, Offsets: []int32{0}, Prefix: p.prefix && i == len(all)-1}
		if c.Prefix {
			a.unstem(&c, p, all)
		}
		out = append(out, c)
	}
	return out, stop
}

// phrase is the clause of words in a row.
func (a *Analyzer) phrase(p part, words []queryToken) Clause {
	c := Clause{Occur: p.occur, Prefix: p.prefix}
	for _, t := range words {
		c.Terms = append(c.Terms, t.term)
		c.Offsets = append(c.Offsets, t.pos-words[0].pos)
	}
	a.unstem(&c, p, words)
	return c
}

// unstem makes a clause's prefix the word as written: the stem of half a word means nothing.
func (a *Analyzer) unstem(c *Clause, p part, toks []queryToken) {
	if !c.Prefix {
		return
	}
	t := toks[len(toks)-1]
	var buf []byte
	c.Terms[len(c.Terms)-1] = string(cutWord(Fold(nil, p.text[t.start:t.end], &buf)))
}

type queryToken struct {
	term       string
	pos        int32
	start, end int32
	stop, part bool
}

// queryTokens are the tokens that a query asks for: of characters written without spaces the pairs, or the character when it is alone.
func (a *Analyzer) queryTokens(text string, s *Scratch) []queryToken {
	var all []queryToken
	var pairs []bool
	a.Analyze(text, s, func(t Token) bool {
		all = append(all, queryToken{string(t.Term), t.Pos, t.Start, t.End, t.Stop, t.Part})
		pairs = append(pairs, t.Pair)
		return true
	})
	out := all[:0]
	for i, t := range all {
		followed := i+1 < len(all) && pairs[i+1]
		inPair := i > 0 && pairs[i-1] && all[i-1].end == t.end
		if pairs[i] || !followed && !inPair {
			out = append(out, t)
		}
	}
	return out
}
