// Command tpch runs the 22 queries of TPC-H on two servers in alternation, compares the answers and prints how the times compare.
//
//	tpchgen-cli csv -s 0.05 --output-dir DIR
//	go run ./sqltest/tpch -a DSN -b DSN -data DIR [-rounds N] [-figures DIR]
//
// It makes the eight tables anew in both databases, loads them with COPY, adds the primary keys and the indexes of the foreign keys,
// and drops them at the end. Before each run of a query one row is written, so that no answer can be kept.
package main

import (
	"context"
	"embed"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/omgdb/omgdb/sqltest/floors"
)

//go:embed schema.sql indexes.sql queries
var files embed.FS

var tables = []string{"region", "nation", "part", "supplier", "partsupp", "customer", "orders", "lineitem"}

type side struct {
	name string
	conn *pgconn.PgConn
}

func main() {
	a := flag.String("a", "", "connection string of the server that is measured")
	b := flag.String("b", "", "connection string of its peer")
	data := flag.String("data", "", "folder with the CSV files")
	rounds := flag.Int("rounds", 3, "rounds per query")
	figures := flag.String("figures", "", "folder to write the figures to")
	keep := flag.Bool("keep", false, "leave the tables")
	reuse := flag.Bool("reuse", false, "use the tables that a run with -keep left")
	only := flag.String("only", "", "run just this query, such as 09")
	flag.Parse()
	if err := run(context.Background(), [2]string{*a, *b}, *data, *rounds, *figures, *only, *keep, *reuse); err != nil {
		fmt.Fprintln(os.Stderr, "tpch:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, dsn [2]string, data string, rounds int, figures, only string, keep, reuse bool) error {
	var sides []*side
	for i, d := range dsn {
		if d == "" {
			return errors.New("-a and -b are needed")
		}
		conn, err := pgconn.Connect(ctx, d)
		if err != nil {
			return err
		}
		defer conn.Close(ctx)
		s := &side{string(rune('a' + i)), conn}
		if err := s.exec(ctx, "SET statement_timeout = '60s'"); err != nil {
			return err
		}
		if !reuse {
			if err := s.load(ctx, data); err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
		}
		sides = append(sides, s)
	}
	right, ratio, err := queries(ctx, sides, rounds, only)
	if err != nil {
		return err
	}
	if !keep {
		for _, s := range sides {
			if err := s.exec(ctx, "DROP TABLE "+strings.Join(tables, ", ")); err != nil {
				return err
			}
		}
	}
	if figures == "" {
		return nil
	}
	return floors.WriteFigures(figures, "tpch", floors.Figures{"right": float64(right), "ratio": ratio})
}

func (s *side) exec(ctx context.Context, sql string) error {
	_, err := s.conn.Exec(ctx, sql).ReadAll()
	return err
}

func (s *side) load(ctx context.Context, data string) error {
	if err := s.exec(ctx, "DROP TABLE IF EXISTS "+strings.Join(tables, ", ")); err != nil {
		return err
	}
	if err := s.script(ctx, "schema.sql"); err != nil {
		return err
	}
	start := time.Now()
	for _, t := range tables {
		f, err := os.Open(filepath.Join(data, t+".csv"))
		if err != nil {
			return err
		}
		_, err = s.conn.CopyFrom(ctx, f, "COPY "+t+" FROM STDIN (FORMAT csv, HEADER)")
		f.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
	}
	loaded := time.Since(start)
	err := s.script(ctx, "indexes.sql")
	fmt.Printf("%s: loaded in %v, indexes in %v\n", s.name, loaded.Round(time.Millisecond), (time.Since(start) - loaded).Round(time.Millisecond))
	return err
}

func (s *side) script(ctx context.Context, name string) error {
	text, err := files.ReadFile(name)
	if err != nil {
		return err
	}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		if err := s.exec(ctx, line); err != nil {
			return fmt.Errorf("%.60s: %w", line, err)
		}
	}
	return nil
}

// queries runs all; it gives how many answers agree, and the geometric mean of b's times over a's.
func queries(ctx context.Context, sides []*side, rounds int, only string) (right int, ratio float64, err error) {
	names, err := fs.Glob(files, "queries/*.sql")
	if err != nil {
		return 0, 0, err
	}
	logs, n := 0.0, 0
	for _, name := range names {
		sql, err := files.ReadFile(name)
		if err != nil {
			return 0, 0, err
		}
		label := strings.TrimSuffix(filepath.Base(name), ".sql")
		if only != "" && only != label {
			continue
		}
		r, same, err := compare(ctx, sides, string(sql), label, rounds)
		if err != nil {
			fmt.Printf("q%s  %v\n", label, err)
			continue
		}
		if same {
			right++
		}
		logs, n = logs+math.Log(r), n+1
	}
	ratio = math.Exp(logs / float64(max(n, 1)))
	fmt.Printf("%d of %d answers agree; geometric mean of the ratios %.2f\n", right, len(names), ratio)
	return right, ratio, nil
}

// compare runs one query; the first round warms both sides and is not timed.
func compare(ctx context.Context, sides []*side, sql, label string, rounds int) (ratio float64, same bool, err error) {
	var ratios []float64
	var times [2][]float64
	same = true
	for round := range rounds + 1 {
		var took [2]float64
		var answers [2]string
		for i, s := range sides {
			if err := s.exec(ctx, "UPDATE region SET r_comment = 'round "+strconv.Itoa(round)+"' WHERE r_regionkey = 0"); err != nil {
				return 0, false, fmt.Errorf("%s: %w", s.name, err)
			}
			start := time.Now()
			answers[i], err = s.query(ctx, sql)
			took[i] = float64(time.Since(start).Microseconds()) / 1000
			if err != nil {
				return 0, false, fmt.Errorf("%s: %w", s.name, err)
			}
		}
		if same = sameAnswer(answers[0], answers[1]); !same {
			fmt.Printf("q%s  answers differ:\n  a: %.300q\n  b: %.300q\n", label, answers[0], answers[1])
			break
		}
		if round > 0 {
			ratios = append(ratios, took[1]/took[0])
			times[0], times[1] = append(times[0], took[0]), append(times[1], took[1])
		}
	}
	if len(ratios) == 0 {
		return 1, same, nil
	}
	for _, l := range [][]float64{ratios, times[0], times[1]} {
		slices.Sort(l)
	}
	m := len(ratios) / 2
	fmt.Printf("q%s  a %9.1f ms   b %9.1f ms   ratio %6.2f\n", label, times[0][m], times[1][m], ratios[m])
	return ratios[m], same, nil
}

func (s *side) query(ctx context.Context, sql string) (string, error) {
	res := s.conn.ExecParams(ctx, sql, nil, nil, nil, nil).Read()
	var b strings.Builder
	for _, row := range res.Rows {
		for _, v := range row {
			b.Write(v)
			b.WriteByte('\t')
		}
		b.WriteByte('\n')
	}
	return b.String(), res.Err
}

// sameAnswer compares cell by cell; numbers may differ in digits that the order of a division's operands decides.
func sameAnswer(a, b string) bool {
	split := func(r rune) bool { return r == '\t' || r == '\n' }
	return slices.EqualFunc(strings.FieldsFunc(a, split), strings.FieldsFunc(b, split), func(x, y string) bool {
		if x == y {
			return true
		}
		f, errF := strconv.ParseFloat(x, 64)
		g, errG := strconv.ParseFloat(y, 64)
		return errF == nil && errG == nil && math.Abs(f-g) <= 1e-9*max(math.Abs(f), math.Abs(g))
	})
}
