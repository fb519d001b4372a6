package main

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strings"
	"time"
)

// Shapes of the data: 10,000 articles, 200 tenants of Zipf sizes, five statuses, log-normal prices.
const (
	skus       = 10_000
	tenants    = 200
	users      = 20_000
	vocabulary = 50_000
	textWords  = 30
)

var (
	statuses = []string{"new", "paid", "shipped", "returned", "closed"}
	regions  = []string{"north", "south", "east", "west", "centre", "overseas", "islands", "capital"}
	cities   = []string{"Lisbon", "Graz", "Tartu", "Ghent", "Turin", "Malmö", "Porto", "Łódź"}
	labels   = []string{"gift", "fragile", "express", "bulk", "sample", "export", "cold", "insured"}
)

// document is one order as JSON; field order is the order in the stored text. It carries its own _id so that a
// table with a column of that name and a collection hold the same value.
type document struct {
	ID      string   `json:"_id"`
	SKU     string   `json:"sku"`
	Tenant  string   `json:"tenant"`
	Status  string   `json:"status"`
	Price   float64  `json:"price"`
	Qty     int      `json:"qty"`
	User    user     `json:"user"`
	Tags    []string `json:"tags"`
	Created string   `json:"created"`
}

type user struct {
	ID   int    `json:"id"`
	City string `json:"city"`
}

// gen makes rows and constants; equal seeds make equal sequences. Not for concurrent use.
type gen struct {
	*rand.Rand
	tenants, words *rand.Zipf
}

// newGen seeds a generator by the run's seed and any further parts (job, round, connection).
func newGen(seed uint64, parts ...any) *gen {
	h := fnv.New64a()
	fmt.Fprint(h, parts...)
	r := rand.New(rand.NewPCG(seed, h.Sum64()))
	return &gen{r, rand.NewZipf(r, 1.3, 4, tenants-1), rand.NewZipf(r, 1.2, 3, vocabulary-1)}
}

func (g *gen) sku() string    { return fmt.Sprintf("SKU-%05d", g.IntN(skus)) }
func (g *gen) tenant() string { return fmt.Sprintf("t%03d", g.tenants.Uint64()) }
func (g *gen) status() string { return statuses[g.IntN(len(statuses))] }

// price is log-normal around 33, with cents.
func (g *gen) price() float64 {
	return math.Round(math.Exp(3.5+g.NormFloat64())*100) / 100
}

var epoch = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

func (g *gen) document(id string) document {
	tags := make([]string, g.IntN(4))
	for i := range tags {
		tags[i] = labels[g.IntN(len(labels))]
	}
	return document{
		ID: id, SKU: g.sku(), Tenant: g.tenant(), Status: g.status(), Price: g.price(), Qty: 1 + g.IntN(9),
		User:    user{g.IntN(users), cities[g.IntN(len(cities))]},
		Tags:    tags,
		Created: epoch.Add(time.Duration(g.IntN(2*365*24*3600)) * time.Second).Format(time.RFC3339),
	}
}

// docID is the id of the n-th loaded document.
func docID(n int) string { return fmt.Sprintf("d%07d", n) }

func (g *gen) phrase(n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = word(g.words.Uint64())
	}
	return strings.Join(words, " ")
}

// word spells the n-th word of the vocabulary in letters.
func word(n uint64) string {
	const consonants, vowels = "bdfgklmnprstvz", "aeiou"
	var b strings.Builder
	for n += 20; n > 0; n /= uint64(len(consonants) * len(vowels)) {
		b.WriteByte(consonants[n%uint64(len(consonants))])
		b.WriteByte(vowels[n/uint64(len(consonants))%uint64(len(vowels))])
	}
	return b.String()
}

// values is the row as (_id, doc) in SQL literals.
func (d document) values() string {
	return fmt.Sprintf("('%s', '%s')", d.ID, d.text())
}

// text is the row as JSON.
func (d document) text() []byte {
	text, err := json.Marshal(d)
	if err != nil {
		panic(err) // no field of a document can fail
	}
	return text
}

// typedValues is the row of bench_orders in SQL literals.
func (d document) typedValues() string {
	return fmt.Sprintf("('%s', '%s', '%s', '%s', %v, %d, %d, '%s', '%s')",
		d.ID, d.SKU, d.Tenant, d.Status, d.Price, d.Qty, d.User.ID, d.User.City, d.Created)
}

// typedCopy appends the row of bench_orders in COPY's text format.
func (d document) typedCopy(b []byte) []byte {
	return fmt.Appendf(b, "%s\t%s\t%s\t%s\t%v\t%d\t%d\t%s\t%s", d.ID, d.SKU, d.Tenant, d.Status, d.Price, d.Qty, d.User.ID, d.User.City, d.Created)
}

// textValues is a text's row as (_id, doc).
func (g *gen) textValues(id string) string {
	return fmt.Sprintf(`('%s', '{"_id":"%s","body":"%s","lang":"%s"}')`, id, id, g.phrase(textWords), []string{"en", "de", "fr"}[g.IntN(3)])
}
