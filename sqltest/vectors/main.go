// Command vectors measures searches for the nearest vectors on one or two servers: vectors -a DSN [-b DSN]. Both get the same clustered
// unit vectors and the same queries, in turn; the answers are compared with an exact oracle computed here, and the median of the paired
// ratios is printed. The second server is one with pgvector: before each job it gets the fastest of its settings that reaches the recall
// asked for, so that equal answers are compared.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

type options struct {
	a, b             string
	rows, dims, k    int
	clusters, rounds int
	recall, spread   float64
	jobs             string
	keep             bool
	figures          string
}

func main() {
	var o options
	flag.StringVar(&o.a, "a", "", "DSN of the server measured")
	flag.StringVar(&o.b, "b", "", "DSN of a server with pgvector to compare with")
	flag.IntVar(&o.rows, "rows", 100000, "vectors")
	flag.IntVar(&o.dims, "dims", 384, "their dimensions")
	flag.IntVar(&o.clusters, "clusters", 1000, "clusters that they lie in")
	flag.Float64Var(&o.spread, "spread", 0.7, "how far a cluster's vectors lie from its center, whose length is 1; 100 leaves no clusters")
	flag.IntVar(&o.rounds, "queries", 100, "queries of each job")
	flag.IntVar(&o.k, "k", 10, "rows of an answer")
	flag.Float64Var(&o.recall, "recall", 0.99, "recall that the second server is set to reach")
	flag.StringVar(&o.jobs, "jobs", "exact,ann,filtered_10,filtered_1", "what is measured")
	flag.BoolVar(&o.keep, "keep", false, "use the rows and the index that an earlier run has left")
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
	name    string
	conn    *pgx.Conn
	indexed bool
}

// exec runs statements whose rows nobody wants.
func (s *side) exec(ctx context.Context, sql string) error {
	_, err := s.conn.Exec(ctx, sql, pgx.QueryExecModeSimpleProtocol)
	return err
}

func run(ctx context.Context, o options) error {
	var sides []*side
	for _, s := range []struct{ name, dsn string }{{"a", o.a}, {"b", o.b}} {
		if s.dsn == "" {
			continue
		}
		c, err := pgx.Connect(ctx, s.dsn)
		if err != nil {
			return err
		}
		defer c.Close(ctx)
		sides = append(sides, &side{name: s.name, conn: c})
		if err := sides[len(sides)-1].exec(ctx, "CREATE EXTENSION IF NOT EXISTS vector"); err != nil {
			return err
		}
	}
	w := makeWorld(o)
	r := &report{figures: map[string]float64{}}
	for _, s := range sides {
		if o.keep {
			break
		}
		start := time.Now()
		if err := s.load(ctx, w); err != nil {
			return fmt.Errorf("loading %s: %w", s.name, err)
		}
		r.add("load_seconds_"+s.name, time.Since(start).Seconds())
	}
	for _, j := range jobs {
		if !slices.Contains(strings.Split(o.jobs, ","), j.name) {
			continue
		}
		for _, s := range sides {
			if err := s.index(ctx, r, j.name != "exact", o.keep); err != nil {
				return fmt.Errorf("building on %s: %w", s.name, err)
			}
		}
		if err := measure(ctx, r, w, j, sides); err != nil {
			return fmt.Errorf("%s: %w", j.name, err)
		}
	}
	return r.print(o.figures)
}

// job is one kind of query.
type job struct {
	name, where string
	share       int // of 100 buckets; 100: no filter
}

var jobs = []job{{"exact", "", 100}, {"ann", "", 100}, {"filtered_10", "WHERE bucket < 10", 10}, {"filtered_1", "WHERE bucket < 1", 1}}

// index makes the index, or turns its use off; what an earlier run has left is kept when that is wanted.
func (s *side) index(ctx context.Context, r *report, wanted, keep bool) error {
	if !wanted {
		return s.exec(ctx, "SET enable_indexscan = off; DISCARD PLANS")
	}
	var there bool
	err := s.conn.QueryRow(ctx, "SELECT count(*) > 0 FROM pg_indexes WHERE indexname = 'vec_items_e'").Scan(&there)
	if err != nil || there && keep || there && s.indexed {
		return err
	}
	if err := s.exec(ctx, "SET enable_indexscan = on; SET max_parallel_maintenance_workers = 2; SET maintenance_work_mem = '1GB'"); err != nil {
		return err
	}
	before, err := s.size(ctx)
	if err != nil {
		return err
	}
	start := time.Now()
	if err := s.exec(ctx, "CREATE INDEX vec_items_e ON vec_items USING hnsw (embedding vector_cosine_ops)"); err != nil {
		return err
	}
	s.indexed = true
	r.add("build_seconds_"+s.name, time.Since(start).Seconds())
	after, err := s.size(ctx)
	if after > before { // else the server has tidied up meanwhile
		r.add("index_mb_"+s.name, float64(after-before)/(1<<20))
	}
	return err
}

// size is that of all files of the database.
func (s *side) size(ctx context.Context) (n int64, err error) {
	if err := s.exec(ctx, "CHECKPOINT"); err != nil {
		return 0, err
	}
	return n, s.conn.QueryRow(ctx, "SELECT pg_database_size(current_database())").Scan(&n)
}

// measure runs the queries of a job on all sides in turn.
func measure(ctx context.Context, r *report, w *world, j job, sides []*side) error {
	times, recall := make([][]float64, len(sides)), make([]float64, len(sides))
	for _, s := range sides {
		if s.name == "b" {
			name, err := s.tune(ctx, w, j)
			if err != nil {
				return err
			}
			fmt.Printf("%s: the second server is set to %s\n", j.name, name)
		}
		if _, _, err := s.ask(ctx, w, j, 0); err != nil { // what is read first is in memory from then on
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	for q := range w.queries {
		for i, s := range sides {
			t, right, err := s.ask(ctx, w, j, q)
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			times[i] = append(times[i], t)
			recall[i] += right / float64(len(w.queries))
		}
	}
	for i, s := range sides {
		r.add(j.name+"_ms_"+s.name, median(times[i]))
		r.add(j.name+"_recall_"+s.name, recall[i])
	}
	if len(sides) == 2 {
		var ratios []float64
		for i := range times[0] {
			ratios = append(ratios, times[1][i]/times[0][i])
		}
		r.add(j.name+"_ratio", median(ratios))
	}
	return nil
}

// ask runs a query and gives its milliseconds and its recall. The server measured must give as many rows as there are.
func (s *side) ask(ctx context.Context, w *world, j job, q int) (ms, recall float64, err error) {
	want := w.nearest(q, j.share)
	sql := fmt.Sprintf("SELECT id FROM vec_items %s ORDER BY embedding <=> $1::text::vector LIMIT %d", j.where, w.o.k)
	start := time.Now()
	rows, err := s.conn.Query(ctx, sql, w.queryText(q))
	if err != nil {
		return 0, 0, err
	}
	got, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	ms = time.Since(start).Seconds() * 1000
	if err == nil && s.name == "a" && len(got) != len(want) {
		err = fmt.Errorf("%d rows, %d exist", len(got), len(want))
	}
	right := 0
	for _, id := range want {
		if slices.Contains(got, id) {
			right++
		}
	}
	return ms, float64(right) / float64(len(want)), err
}

// settings are what pgvector is tried with. Without its index the answer is exact, and with a narrow filter that may be the fastest way.
func settings() (all []string) {
	for _, ef := range []int{40, 80, 120, 200, 400, 700, 1000} {
		for _, scan := range []string{"off", "relaxed_order; SET hnsw.max_scan_tuples = 20000", "strict_order; SET hnsw.max_scan_tuples = 200000; SET hnsw.scan_mem_multiplier = 8"} {
			all = append(all, fmt.Sprintf("SET enable_indexscan = on; SET hnsw.ef_search = %d; SET hnsw.iterative_scan = %s; DISCARD PLANS", ef, scan))
		}
	}
	return append(all, "SET enable_indexscan = off; DISCARD PLANS")
}

// tune leaves the fastest of the settings that reaches the recall.
func (s *side) tune(ctx context.Context, w *world, j job) (best string, err error) {
	if j.name == "exact" {
		return "an exact scan", nil
	}
	const tries = 30
	least, most := 0.0, 0.0
	for _, set := range settings() {
		if err := s.exec(ctx, set); err != nil {
			return "", err
		}
		var times []float64
		recall := 0.0
		for q := range min(tries, len(w.queries)) {
			t, right, err := s.ask(ctx, w, j, q)
			if err != nil {
				return "", err
			}
			times, recall = append(times, t), recall+right/float64(min(tries, len(w.queries)))
		}
		t := median(times)
		if reached := min(recall, w.o.recall); best == "" || reached > most || reached == most && t < least {
			best, least, most = set, t, reached
		}
	}
	return best, s.exec(ctx, best)
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
