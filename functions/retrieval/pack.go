package retrieval

import (
	"context"
	"math"
	"unicode/utf8"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/functions/embed"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/value"
)

// request is one call for a context pack.
type request struct {
	corp   *corpus
	args   []value.Value
	opt    packOptions
	field  string
	query  string
	budget int // tokens
}

// chunk is a candidate with its text: a whole one, or a piece of one.
type chunk struct {
	key    string // of its row
	idText string
	id     doc.Value
	score  float64
	tokens int
	text   string
	span   textSpan  // its bytes in the row's text
	of     *packText // the row's text
}

// packText is the text that chunks are pieces of.
type packText struct {
	text   string
	pieces []textSpan // nil when the text stays whole
}

// pack is a token-budgeted, cited selection of chunks, most relevant first.
type pack struct {
	query     string
	field     string
	budget    int
	used      int
	truncated bool // something relevant was left out
	pieces    bool // the chunks are pieces of texts: citations say which
	chunks    []chunk
}

// newRequest reads the arguments of packArgs; nil when a required one is NULL.
func newRequest(env *functions.Env, a []value.Value) (*request, error) {
	if anyNull(a[:3]) {
		return nil, nil
	}
	budget, err := count("budget", a[3], 1000)
	if err != nil {
		return nil, err
	}
	opt, err := newPackOptions(env, a)
	if err != nil {
		return nil, err
	}
	corp, err := openCorpus(env, text(a[0]), text(a[1]), a[4])
	if err != nil {
		return nil, err
	}
	return &request{corp: corp, args: a, opt: opt, field: text(a[1]), query: text(a[2]), budget: budget}, nil
}

// fetchAtOnce is how many candidates are read from the store together.
const fetchAtOnce = 64

// walk visits the candidates best first until fn returns false.
func (r *request) walk(ctx context.Context, fn func(c *chunk) (bool, error)) error {
	cands, err := r.candidates(ctx)
	if err != nil {
		return err
	}
	more := true
	for len(cands) > 0 && more {
		n := min(fetchAtOnce, len(cands))
		err := r.corp.eachFetched(ctx, cands[:n], true, func(i int, id, encoded string) error {
			if !more {
				return nil
			}
			c, err := r.chunk(&cands[i], id, encoded)
			if err == nil {
				more, err = fn(c)
			}
			return err
		})
		if err != nil {
			return err
		}
		cands = cands[n:]
	}
	return nil
}

// chunk makes a chunk of a candidate and its document.
func (r *request) chunk(cand *candidate, id, encoded string) (*chunk, error) {
	d := doc.Decode([]byte(encoded)).Doc()
	t, _ := r.corp.textOf(d)
	c := &chunk{key: cand.key, idText: id, id: d.Lookup("_id"), score: cand.score, of: &packText{text: t}}
	if c.id.Missing() {
		c.id = doc.String(id)
	}
	c.span = textSpan{0, len(t)}
	if r.opt.split != nil {
		c.span = textSpan{int(cand.start), int(cand.end)}
	}
	return c, r.measure(c)
}

// measure sets the text and the tokens of a chunk by its span.
func (r *request) measure(c *chunk) (err error) {
	c.text = c.of.text[c.span.start:c.span.end]
	c.tokens, err = r.opt.tokens(c.text)
	return err
}

// pack chooses the chunks that fill the budget.
func (r *request) pack(ctx context.Context) (*pack, error) {
	p := &pack{query: r.query, field: r.field, budget: r.budget, pieces: r.opt.split != nil}
	var err error
	p.truncated, err = r.choose(ctx, false, func(c *chunk, in bool, _ string) {
		if in {
			p.used += c.tokens
			p.chunks = append(p.chunks, *c)
		}
	})
	return p, err
}

// roundScore rounds half-even to four decimals.
func roundScore(s float64) float64 { return math.RoundToEven(s*1e4) / 1e4 }

// chunksJSON writes the array of chunks.
func (p *pack) chunksJSON(b *doc.Builder) {
	b.BeginArray()
	for _, c := range p.chunks {
		b.BeginObject()
		b.Key("id")
		b.Append(c.id)
		b.Key("score")
		b.Double(roundScore(c.score))
		b.Key("tokens")
		b.Int(int64(c.tokens))
		b.Key("text")
		b.String(c.text)
		b.End()
	}
	b.End()
}

// citationsJSON writes the chunks' sources: the documents' ids, or, for pieces of texts, objects that say which piece (a range of
// characters) and with which content.
func (p *pack) citationsJSON(b *doc.Builder) {
	b.BeginArray()
	for _, c := range p.chunks {
		if !p.pieces {
			b.Append(c.id)
			continue
		}
		start := utf8.RuneCountInString(c.of.text[:c.span.start])
		b.BeginObject()
		b.Key("id")
		b.Append(c.id)
		b.Key("field")
		b.String(p.field)
		b.Key("start")
		b.Int(int64(start))
		b.Key("end")
		b.Int(int64(start + utf8.RuneCountInString(c.text)))
		b.Key("contentHash")
		b.String(embed.ContentHash(c.text))
		b.End()
	}
	b.End()
}

// json is the whole pack as a document, in the key order that its users rely on.
func (p *pack) json() (doc.Value, error) {
	var b doc.Builder
	b.BeginObject()
	b.Key("query")
	b.String(p.query)
	b.Key("budgetTokens")
	b.Int(int64(p.budget))
	b.Key("usedTokens")
	b.Int(int64(p.used))
	b.Key("truncated")
	b.Bool(p.truncated)
	b.Key("chunks")
	p.chunksJSON(&b)
	b.Key("citations")
	p.citationsJSON(&b)
	b.End()
	return b.Value()
}
