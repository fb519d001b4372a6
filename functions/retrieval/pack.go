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

// packArgs are the parameters that all functions of context packs take.
var packArgs = []functions.Param{pCollection, pField, pQuery, pBudget, pFilter}

// request is one call for a context pack.
type request struct {
	corp     *corpus
	embedder embed.Embedder
	query    string
	budget   int // tokens
}

// chunk is a candidate with its text.
type chunk struct {
	idText string
	id     doc.Value
	score  float64
	tokens int
	text   string
}

// pack is a token-budgeted, cited selection of chunks, most relevant first.
type pack struct {
	query     string
	budget    int
	used      int
	truncated bool // something relevant was left out
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
	e, err := env.Embedders.Get(embed.Default)
	if err != nil {
		return nil, err
	}
	corp, err := openCorpus(env, text(a[0]), text(a[1]), a[4])
	if err != nil {
		return nil, err
	}
	return &request{corp: corp, embedder: e, query: text(a[2]), budget: budget}, nil
}

// fetchAtOnce is how many candidates are read from the store together.
const fetchAtOnce = 64

// walk visits the candidates best first until fn returns false.
func (r *request) walk(ctx context.Context, fn func(c chunk) bool) error {
	cands, err := r.corp.rank(ctx, r.embedder, r.query, -1)
	if err != nil {
		return err
	}
	more := true
	for len(cands) > 0 && more {
		n := min(fetchAtOnce, len(cands))
		err := r.corp.eachFetched(ctx, cands[:n], func(i int, id, encoded string) error {
			if !more {
				return nil
			}
			d := doc.Decode([]byte(encoded)).Doc()
			t, _ := r.corp.textOf(d)
			c := chunk{idText: id, id: d.Lookup("_id"), score: cands[i].score, tokens: ApproxTokens(t), text: t}
			if c.id.Missing() {
				c.id = doc.String(id)
			}
			more = fn(c)
			return nil
		})
		if err != nil {
			return err
		}
		cands = cands[n:]
	}
	return nil
}

// pack takes chunks best first and stops at the first one that would overflow the budget.
func (r *request) pack(ctx context.Context) (*pack, error) {
	p := &pack{query: r.query, budget: r.budget}
	err := r.walk(ctx, func(c chunk) bool {
		if p.used+c.tokens > p.budget || p.budget == 0 {
			p.truncated = true
			return false
		}
		p.used += c.tokens
		p.chunks = append(p.chunks, c)
		return true
	})
	return p, err
}

// ApproxTokens estimates the tokens of a text as a quarter of its code points, rounded up.
func ApproxTokens(s string) int { return (utf8.RuneCountInString(s) + 3) / 4 }

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

func (p *pack) citationsJSON(b *doc.Builder) {
	b.BeginArray()
	for _, c := range p.chunks {
		b.Append(c.id)
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
