// Command vectors measures searches for the nearest vectors on one or two servers: vectors -a DSN [-b DSN]. Both get the same clustered
// unit vectors and the same queries, in turn; the answers are compared with an exact oracle computed here, and the median of the paired
// ratios is printed. The second server is one with pgvector, whose ef_search is given.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

type options struct {
	a, b             string
	rows, dims, k    int
	clusters, rounds int
	ef               int
	figures          string
}

func main() {
	var o options
	flag.StringVar(&o.a, "a", "", "DSN of the server measured")
	flag.StringVar(&o.b, "b", "", "DSN of a server with pgvector to compare with")
	flag.IntVar(&o.rows, "rows", 100000, "vectors")
	flag.IntVar(&o.dims, "dims", 384, "their dimensions")
	flag.IntVar(&o.clusters, "clusters", 1000, "clusters that they lie in")
	flag.IntVar(&o.rounds, "queries", 100, "queries of each job")
	flag.IntVar(&o.k, "k", 10, "rows of an answer")
	flag.IntVar(&o.ef, "ef", 200, "hnsw.ef_search of the second server")
	flag.StringVar(&o.figures, "figures", "", "directory for vectors.json")
	flag.Parse()
	if o.a == "" {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(context.Background(), o); err != nil {
		fmt.Fprintln(os.Stderr, "vectors:", err)
		os.Exit(1)
	}
}

// side is one server.
type side struct {
	name string
	conn *pgx.Conn
}

func run(ctx context.Context, o options) error {
	var sides []*side
	for _, s := range []struct{ name, dsn, set string }{{"a", o.a, ""}, {"b", o.b, fmt.Sprintf("SET hnsw.ef_search = %d; SET hnsw.iterative_scan = strict_order; SET max_parallel_maintenance_workers = 2; SET maintenance_work_mem = '1GB'", o.ef)}} {
		if s.dsn == "" {
			continue
		}
		c, err := pgx.Connect(ctx, s.dsn)
		if err != nil {
			return err
		}
		defer c.Close(ctx)
		for _, sql := range []string{"CREATE EXTENSION IF NOT EXISTS vector", s.set} {
			if _, err := c.Exec(ctx, sql, pgx.QueryExecModeSimpleProtocol); err != nil {
				return err
			}
		}
		sides = append(sides, &side{s.name, c})
	}
	w := makeWorld(o)
	r := &report{figures: map[string]float64{}}
	for _, s := range sides {
		start := time.Now()
		if err := s.load(ctx, w); err != nil {
			return fmt.Errorf("loading %s: %w", s.name, err)
		}
		r.add("load_seconds_"+s.name, time.Since(start).Seconds())
	}
	jobs := []struct {
		name, where string
		share       int // of 100 buckets; 100: no filter
	}{{"exact", "", 100}, {"ann", "", 100}, {"filtered_10", "WHERE bucket < 10", 10}, {"filtered_1", "WHERE bucket < 1", 1}}
	for _, j := range jobs {
		if j.name == "ann" {
			for _, s := range sides {
				start := time.Now()
				if _, err := s.conn.Exec(ctx, "CREATE INDEX vec_items_e ON vec_items USING hnsw (embedding vector_cosine_ops)"); err != nil {
					return fmt.Errorf("building on %s: %w", s.name, err)
				}
				r.add("build_seconds_"+s.name, time.Since(start).Seconds())
			}
		}
		sql := fmt.Sprintf("SELECT id FROM vec_items %s ORDER BY embedding <=> $1::text::vector LIMIT %d", j.where, o.k)
		if err := measure(ctx, r, w, j.name, sql, j.share, sides); err != nil {
			return fmt.Errorf("%s: %w", j.name, err)
		}
	}
	return r.print(o.figures)
}

// measure runs the queries of a job on all sides in turn.
func measure(ctx context.Context, r *report, w *world, name, sql string, share int, sides []*side) error {
	times := make([][]float64, len(sides))
	recall := make([]float64, len(sides))
	for q := range w.queries {
		want := w.nearest(q, share)
		for i, s := range sides {
			start := time.Now()
			rows, err := s.conn.Query(ctx, sql, w.queryText(q))
			if err != nil {
				return err
			}
			got, err := pgx.CollectRows(rows, pgx.RowTo[int64])
			if err != nil {
				return err
			}
			times[i] = append(times[i], time.Since(start).Seconds()*1000)
			if s.name == "a" && len(got) != len(want) {
				return fmt.Errorf("%d rows, %d exist", len(got), len(want))
			}
			right := 0
			for _, id := range want {
				if slices.Contains(got, id) {
					right++
				}
			}
			recall[i] += float64(right) / float64(len(want)) / float64(len(w.queries))
		}
	}
	for i, s := range sides {
		r.add(name+"_ms_"+s.name, median(times[i]))
		r.add(name+"_recall_"+s.name, recall[i])
	}
	if len(sides) == 2 {
		var ratios []float64
		for i := range times[0] {
			ratios = append(ratios, times[1][i]/times[0][i])
		}
		r.add(name+"_ratio", median(ratios))
	}
	return nil
}

func median(x []float64) float64 {
	s := slices.Sorted(slices.Values(x))
	return s[len(s)/2]
}

// report gathers figures in the order in which they came.
type report struct {
	names   []string
	figures map[string]float64
}

func (r *report) add(name string, v float64) {
	r.names = append(r.names, name)
	r.figures[name] = v
}

func (r *report) print(dir string) error {
	for _, n := range r.names {
		fmt.Printf("%-24s %.4g\n", n, r.figures[n])
	}
	if dir == "" {
		return nil
	}
	out, err := json.MarshalIndent(r.figures, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "vectors.json"), out, 0o666)
}
