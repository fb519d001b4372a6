// Command ir measures retrieval quality over SQL: it loads a judged set into a collection, asks every query through
// one of the retrieval functions, and prints nDCG@10 with binary gain, recall@100 and the time per query.
//
//	go run ./sqltest/ir -dsn DSN -set scifact|cranfield|DIR [-method vsearch,vsearch(static),text_search,hybrid_search(static)]
//
// A name in brackets is the embedder.
// Field body of the collection is title, space, text. Functions are asked for 100 hits; these are ranked anew by score
// and id, both descending, so ties do not depend on the server.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/omgdb/omgdb/sqltest/floors"
)

type options struct {
	dsn, set, method, collection, args string
	reuse, index                       bool
	figures                            string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var o options
	flag.StringVar(&o.dsn, "dsn", "", "connection string")
	flag.StringVar(&o.set, "set", "", "scifact, cranfield, or a folder of the same layout")
	flag.StringVar(&o.method, "method", "vsearch", "retrieval functions, with commas between: vsearch, text_search, hybrid_search, each with (embedder) or without")
	flag.StringVar(&o.args, "args", "", "further arguments of the function, as in: embedder => 'static'")
	flag.StringVar(&o.collection, "collection", "", "collection to load into; default ir_ and the set's name")
	flag.BoolVar(&o.index, "index", false, "make a full-text index first")
	flag.BoolVar(&o.reuse, "reuse", false, "the collection is loaded already")
	flag.StringVar(&o.figures, "figures", "", "folder to write the figures to, added to those of earlier runs")
	flag.Parse()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "ir:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	if o.dsn == "" || o.set == "" {
		return fmt.Errorf("-dsn and -set are wanted")
	}
	methods := strings.Split(o.method, ",")
	for _, m := range methods {
		if name, _, _ := strings.Cut(m, "("); !slices.Contains([]string{"vsearch", "text_search", "hybrid_search"}, name) {
			return fmt.Errorf("-method %s: want vsearch, text_search or hybrid_search", m)
		}
	}
	dir := o.set
	if !strings.ContainsRune(dir, filepath.Separator) {
		dir = filepath.Join("sqltest", "testdata", "ir", o.set)
	}
	s, err := readSet(dir)
	if err != nil {
		return err
	}
	o.collection = cmp.Or(o.collection, "ir_"+s.name)
	conn, err := pgx.Connect(ctx, o.dsn)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if !o.reuse {
		start := time.Now()
		if err := load(ctx, conn, o.collection, s.docs); err != nil {
			return fmt.Errorf("load %s: %w", o.collection, err)
		}
		fmt.Printf("loaded %d documents into %s in %.1f s\n", len(s.docs), o.collection, time.Since(start).Seconds())
	}
	if o.index {
		start := time.Now()
		name := pgx.Identifier{o.collection}.Sanitize()
		if _, err := conn.Exec(ctx, "CREATE INDEX ON "+name+" USING fulltext ((doc->>'body'))"); err != nil {
			return fmt.Errorf("index %s: %w", o.collection, err)
		}
		fmt.Printf("full-text index built in %.1f s\n", time.Since(start).Seconds())
	}
	for _, m := range methods {
		if err := measure(ctx, conn, o, s, m); err != nil {
			return err
		}
	}
	return nil
}

// measure asks all queries through one function.
func measure(ctx context.Context, conn *pgx.Conn, o options, s *judged, method string) error {
	name, embedder, _ := strings.Cut(method, "(")
	args := extra(o.args)
	if embedder = strings.TrimSuffix(embedder, ")"); embedder != "" {
		args += fmt.Sprintf(", embedder => '%s'", embedder)
	}
	client := client{conn: conn, sql: fmt.Sprintf("SELECT _id, score FROM %s($1, 'body', $2, 100%s)", name, args), collection: o.collection}
	q, err := evaluate(s, func(q entry) ([]hit, error) { return client.search(ctx, q.body) })
	if err != nil {
		return err
	}
	p50, p95 := client.latency()
	fmt.Printf("%s %s: nDCG@10 %.4f  recall@100 %.4f  queries %d, without hits %d  median %.2f ms, p95 %.2f ms\n",
		s.name, method, q.NDCG10, q.Recall100, len(s.queries), q.NoHits, ms(p50), ms(p95))
	if o.figures != "" {
		key := name
		if embedder != "" {
			key += "_" + embedder
		}
		return addFigures(o.figures, s.name+"_"+key, q)
	}
	return nil
}

func extra(args string) string {
	if args == "" {
		return ""
	}
	return ", " + args
}

// load makes the collection anew and inserts the documents, 500 an INSERT.
func load(ctx context.Context, conn *pgx.Conn, collection string, docs []entry) error {
	name := pgx.Identifier{collection}.Sanitize()
	for _, sql := range []string{"DROP TABLE IF EXISTS " + name, "CREATE TABLE " + name + " () USING collection"} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return err
		}
	}
	for chunk := range slices.Chunk(docs, 500) {
		var places []string
		var args []any
		for _, d := range chunk {
			text, err := json.Marshal(map[string]string{"_id": d.id, "body": d.body})
			if err != nil {
				return err
			}
			places = append(places, fmt.Sprintf("($%d, $%d)", len(args)+1, len(args)+2))
			args = append(args, d.id, string(text))
		}
		if _, err := conn.Exec(ctx, "INSERT INTO "+name+" (_id, doc) VALUES "+strings.Join(places, ", "), args...); err != nil {
			return err
		}
	}
	return nil
}

// client asks queries and notes how long each took.
type client struct {
	conn       *pgx.Conn
	sql        string
	collection string
	times      []time.Duration
}

func (c *client) search(ctx context.Context, query string) ([]hit, error) {
	start := time.Now()
	rows, err := c.conn.Query(ctx, c.sql, c.collection, query)
	if err != nil {
		return nil, err
	}
	hits, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (h hit, err error) {
		return h, row.Scan(&h.id, &h.score)
	})
	c.times = append(c.times, time.Since(start))
	return hits, err
}

func (c *client) latency() (p50, p95 time.Duration) {
	t := slices.Sorted(slices.Values(c.times))
	return t[len(t)/2], t[len(t)*95/100]
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// addFigures adds to the figures that earlier runs, of other sets or methods, left in the folder.
func addFigures(dir, prefix string, q score) error {
	all, err := floors.ReadFigures(dir)
	if err != nil {
		return err
	}
	f := all["ir"]
	if f == nil {
		f = floors.Figures{}
	}
	f[prefix+"_ndcg10"] = q.NDCG10
	f[prefix+"_recall100"] = q.Recall100
	return floors.WriteFigures(dir, "ir", f)
}
