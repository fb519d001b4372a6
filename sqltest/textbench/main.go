// Command textbench compares full-text search with PostgreSQL's over the same texts: the ten best of one word, of two words that must both
// occur, and of two of which one will do. It alternates the servers, prints medians and their ratio, build times, and how good the
// rankings are: the sum of the exact BM25 scores of what was found, as a part of the best possible sum.
//
//	go run ./sqltest/textbench -dsn DSN -peer DSN [-texts 200000] [-queries 30]
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/omgdb/omgdb/sqltest/floors"
)

type options struct {
	dsn, peer      string
	texts, queries int
	seed           uint64
	figures        string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var o options
	flag.StringVar(&o.dsn, "dsn", "", "the server that is measured")
	flag.StringVar(&o.peer, "peer", "", "PostgreSQL; none: the first server alone")
	flag.IntVar(&o.texts, "texts", 200_000, "number of texts")
	flag.IntVar(&o.queries, "queries", 30, "queries of each kind")
	flag.Uint64Var(&o.seed, "seed", 1, "seed of texts and queries")
	flag.StringVar(&o.figures, "figures", "", "folder to write the figures to")
	flag.Parse()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "textbench:", err)
		os.Exit(1)
	}
}

const (
	wordsEach  = 30
	vocabulary = 50_000
)

// corpus is the texts with what an exact ranking needs.
type corpus struct {
	texts [][]string
	df    map[string]int
}

func newCorpus(o options) *corpus {
	c := &corpus{df: map[string]int{}}
	rnd := rand.New(rand.NewPCG(o.seed, 1))
	zipf := rand.NewZipf(rnd, 1.07, 4, vocabulary-1)
	for range o.texts {
		words := make([]string, wordsEach)
		for i := range words {
			words[i] = fmt.Sprintf("w%d", zipf.Uint64())
		}
		c.texts = append(c.texts, words)
		for _, w := range slices.Compact(slices.Sorted(slices.Values(words))) {
			c.df[w]++
		}
	}
	return c
}

// score is the BM25 score of a text, 0 when it does not satisfy the query.
func (c *corpus) score(i int, words []string, all bool) float64 {
	s := 0.0
	for _, w := range words {
		tf := 0.0
		for _, x := range c.texts[i] {
			if x == w {
				tf++
			}
		}
		if tf == 0 {
			if all {
				return 0
			}
			continue
		}
		n, df := float64(len(c.texts)), float64(c.df[w])
		s += math.Log(1+(n-df+0.5)/(df+0.5)) * tf * 2.2 / (tf + 1.2) // all texts have one length
	}
	return s
}

// best is the sum of the ten best scores.
func (c *corpus) best(words []string, all bool) float64 {
	var scores []float64
	for i := range c.texts {
		if s := c.score(i, words, all); s > 0 {
			scores = append(scores, s)
		}
	}
	slices.SortFunc(scores, func(a, b float64) int { return cmp.Compare(b, a) })
	sum := 0.0
	for _, s := range scores[:min(10, len(scores))] {
		sum += s
	}
	return sum
}

// kind is a kind of query.
type kind struct {
	name      string
	words     int
	all       bool
	ours, its func(words []string) string
}

var kinds = []kind{
	{"one", 1, false, func(w []string) string { return w[0] }, func(w []string) string { return w[0] }},
	{"and", 2, true, func(w []string) string { return "+" + w[0] + " +" + w[1] }, func(w []string) string { return w[0] + " & " + w[1] }},
	{"or", 2, false, func(w []string) string { return w[0] + " " + w[1] }, func(w []string) string { return w[0] + " | " + w[1] }},
}

// server is one side.
type server struct {
	name  string
	conn  *pgx.Conn
	setup []string // before and after the texts
	index string
	query string
	of    func(k kind) func([]string) string
}

func connect(ctx context.Context, o options) ([]*server, error) {
	list := []*server{{
		name: "omgdb", setup: []string{"DROP TABLE IF EXISTS text_bench", "CREATE TABLE text_bench () USING collection"},
		index: `CREATE INDEX text_bench_idx ON text_bench USING fulltext ((doc->>'body'))`,
		query: `SELECT _id FROM text_search('text_bench', 'body', $1, 10)`,
		of:    func(k kind) func([]string) string { return k.ours },
	}}
	dsns := []string{o.dsn}
	if o.peer != "" {
		dsns = append(dsns, o.peer)
		list = append(list, &server{
			name: "PostgreSQL", setup: []string{"DROP TABLE IF EXISTS text_bench", "CREATE TABLE text_bench (_id text PRIMARY KEY, doc jsonb)"},
			index: `CREATE INDEX text_bench_idx ON text_bench USING gin (to_tsvector('english', doc->>'body'))`,
			query: `SELECT _id FROM text_bench, to_tsquery('english', $1) q WHERE to_tsvector('english', doc->>'body') @@ q
				ORDER BY ts_rank(to_tsvector('english', doc->>'body'), q) DESC LIMIT 10`,
			of: func(k kind) func([]string) string { return k.its },
		})
	}
	for i, s := range list {
		var err error
		if s.conn, err = pgx.Connect(ctx, dsns[i]); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (s *server) load(ctx context.Context, c *corpus) error {
	for _, sql := range s.setup {
		if _, err := s.conn.Exec(ctx, sql); err != nil {
			return err
		}
	}
	for from := 0; from < len(c.texts); from += 1000 {
		var ids, docs []string
		for i := from; i < min(from+1000, len(c.texts)); i++ {
			id := fmt.Sprintf("t%07d", i)
			d, err := json.Marshal(map[string]string{"_id": id, "body": strings.Join(c.texts[i], " ")})
			if err != nil {
				return err
			}
			ids, docs = append(ids, id), append(docs, string(d))
		}
		if _, err := s.conn.Exec(ctx, "INSERT INTO text_bench (_id, doc) SELECT i, d::jsonb FROM unnest($1::text[], $2::text[]) x(i, d)", ids, docs); err != nil {
			return err
		}
	}
	start := time.Now()
	if _, err := s.conn.Exec(ctx, s.index); err != nil {
		return err
	}
	fmt.Printf("%s: index built in %.1f s\n", s.name, time.Since(start).Seconds())
	if _, err := s.conn.Exec(ctx, "VACUUM ANALYZE"); err != nil {
		return err
	}
	return nil
}

// ask runs a query and gives the numbers of the texts found.
func (s *server) ask(ctx context.Context, text string) (found []int, took time.Duration, err error) {
	start := time.Now()
	rows, err := s.conn.Query(ctx, s.query, text)
	if err != nil {
		return nil, 0, err
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	took = time.Since(start)
	for _, id := range ids {
		var n int
		if _, err := fmt.Sscanf(id, "t%d", &n); err != nil {
			return nil, 0, err
		}
		found = append(found, n)
	}
	return found, took, err
}

func run(ctx context.Context, o options) error {
	if o.dsn == "" {
		return fmt.Errorf("-dsn is wanted")
	}
	c := newCorpus(o)
	servers, err := connect(ctx, o)
	if err != nil {
		return err
	}
	for _, s := range servers {
		defer s.conn.Close(context.WithoutCancel(ctx))
		if err := s.load(ctx, c); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	figures := floors.Figures{}
	rnd := rand.New(rand.NewPCG(o.seed, 2))
	for _, k := range kinds {
		if err := compare(ctx, o, c, k, servers, rnd, figures); err != nil {
			return err
		}
	}
	if o.figures != "" {
		return floors.WriteFigures(o.figures, "textbench", figures)
	}
	return nil
}

// compare runs the queries of a kind on all servers in turn.
func compare(ctx context.Context, o options, c *corpus, k kind, servers []*server, rnd *rand.Rand, figures floors.Figures) error {
	times := make([][]time.Duration, len(servers))
	got := make([]float64, len(servers))
	ideal := 0.0
	var ratios []float64
	for range o.queries {
		words := make([]string, k.words)
		for i := range words {
			words[i] = fmt.Sprintf("w%d", 1+int(math.Pow(rnd.Float64(), 3)*2000)) // words of middling rank, as people ask for
		}
		ideal += c.best(words, k.all)
		for i, s := range servers {
			found, took, err := s.ask(ctx, s.of(k)(words))
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			times[i] = append(times[i], took)
			for _, n := range found {
				got[i] += c.score(n, words, k.all)
			}
		}
		if len(servers) > 1 {
			ratios = append(ratios, times[1][len(times[1])-1].Seconds()/times[0][len(times[0])-1].Seconds())
		}
	}
	for i, s := range servers {
		slices.Sort(times[i])
		quality := 1.0
		if ideal > 0 {
			quality = got[i] / ideal
		}
		fmt.Printf("%-4s %-10s median %8.2f ms  quality %.4f\n", k.name, s.name, times[i][len(times[i])/2].Seconds()*1000, quality)
		if i == 0 {
			figures["quality_"+k.name] = math.Floor(quality*10000) / 10000
		}
	}
	if len(ratios) > 0 {
		slices.Sort(ratios)
		r := ratios[len(ratios)/2]
		fmt.Printf("%-4s %.1f× PostgreSQL's speed\n", k.name, r)
		figures["speed_"+k.name] = r
	}
	return nil
}
