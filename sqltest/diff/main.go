// Command diff asks two servers the same random questions about the same random documents and reports where their
// answers differ: predicates over jsonb with every operator, combined, grouped and ordered.
//
//	go run ./sqltest/diff -a DSN -b DSN [-queries 2000] [-docs 400] [-catalog 5000] [-seed N]
//
// With -catalog it also asks about expressions over every function, operator and cast that both servers list (catalog.go).
//
// One of them is PostgreSQL. Rows, their order and SQLSTATEs must be the same. A statement that fails on some rows may
// fail or not, as the planner orders conditions: with an error on one side alone it counts as unclear, not as different.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/omgdb/omgdb/sqltest/floors"
)

type options struct {
	a, b          string
	queries, docs int
	seed          uint64
	show, catalog int
	figures       string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var o options
	flag.StringVar(&o.a, "a", "", "connection string")
	flag.StringVar(&o.b, "b", "", "connection string of the other server")
	flag.IntVar(&o.queries, "queries", 2000, "statements to compare")
	flag.IntVar(&o.catalog, "catalog", 0, "statements over the entries of the catalogs")
	flag.IntVar(&o.docs, "docs", 400, "documents")
	flag.Uint64Var(&o.seed, "seed", uint64(time.Now().UnixNano()), "seed of documents and statements")
	flag.IntVar(&o.show, "show", 10, "differences to print")
	flag.StringVar(&o.figures, "figures", "", "folder to write the figures to")
	flag.Parse()
	different, err := run(ctx, o)
	if err != nil {
		fmt.Fprintf(os.Stderr, "diff: %v (seed %d)\n", err, o.seed)
		os.Exit(2)
	}
	if different > 0 {
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) (different int, err error) {
	g := newGen(o.seed)
	var docs []string
	for range o.docs {
		docs = append(docs, g.object(3))
	}
	var sides [2]*pgconn.PgConn
	for i, dsn := range []string{o.a, o.b} {
		if dsn == "" {
			return 0, errors.New("-a and -b are wanted")
		}
		if sides[i], err = pgconn.Connect(ctx, dsn); err != nil {
			return 0, err
		}
		defer sides[i].Close(context.WithoutCancel(ctx))
		if err := load(ctx, sides[i], docs); err != nil {
			return 0, fmt.Errorf("load: %w", err)
		}
	}
	if o.catalog > 0 {
		if different, err = runCatalog(ctx, o, sides); err != nil {
			return different, err
		}
	}
	unclear, failed, withRows, before := 0, 0, 0, different
	for i := range o.queries {
		if i == o.queries/2 { // the other half finds its rows through indexes where it can
			for _, s := range sides {
				if err := index(ctx, s); err != nil {
					return different, fmt.Errorf("index: %w", err)
				}
			}
		}
		sql := g.query()
		a, errA := ask(ctx, sides[0], sql)
		b, errB := ask(ctx, sides[1], sql)
		if errA != nil || errB != nil {
			return different, fmt.Errorf("%s: %w", sql, errors.Join(errA, errB))
		}
		switch {
		case a == b && strings.HasPrefix(a, errorMark):
			failed++
		case a == b:
			if a != "" {
				withRows++
			}
		case mayFail(sql) && (strings.HasPrefix(a, errorMark) != strings.HasPrefix(b, errorMark)):
			unclear++
		default:
			different++
			if different-before <= o.show {
				fmt.Printf("DIFFERENT %s\n  a: %s\n  b: %s\n", sql, clip(a), clip(b))
			}
		}
	}
	fmt.Printf("%d statements: %d different, %d the same with rows, %d failed on both, %d unclear (seed %d)\n", o.queries, different-before, withRows, failed, unclear, o.seed)
	if o.figures != "" {
		err = floors.WriteFigures(o.figures, "diff", floors.Figures{"statements": float64(o.queries), "same_part": 1 - float64(different-before)/float64(max(o.queries, 1))})
	}
	return different, err
}

// load makes the table, in a collection where there are collections, and fills it.
func load(ctx context.Context, conn *pgconn.PgConn, docs []string) error {
	exec := func(sql string) error {
		_, err := conn.Exec(ctx, sql).ReadAll()
		return err
	}
	if err := exec("DROP TABLE IF EXISTS diff_docs"); err != nil {
		return err
	}
	err := exec("CREATE TABLE diff_docs () USING collection")
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == "42704" {
		err = exec("CREATE TABLE diff_docs (_id text PRIMARY KEY, doc jsonb)")
	}
	if err != nil {
		return err
	}
	var rows []string
	for i, d := range docs {
		id := fmt.Sprintf("d%03d", i)
		rows = append(rows, fmt.Sprintf("(%s, %s)", literal(id), literal(withID(id, d))))
	}
	return exec("INSERT INTO diff_docs (_id, doc) VALUES " + strings.Join(rows, ", "))
}

// indexes are over expressions that the statements ask about.
var indexes = []string{
	"gin (doc)", "gin ((doc -> 'a'))", "((doc ->> 'a'))", "((doc ->> 'b') DESC)", "((doc -> 'n'))", "((doc ->> 'tags'), (doc ->> 'a'))",
	"((doc -> 'a' ->> 'b')) WHERE doc ->> 'n' IS NOT NULL",
}

func index(ctx context.Context, conn *pgconn.PgConn) error {
	for _, x := range indexes {
		on, using := x, "btree"
		if rest, gin := strings.CutPrefix(x, "gin "); gin {
			on, using = rest, "gin"
		}
		if _, err := conn.Exec(ctx, fmt.Sprintf("CREATE INDEX ON diff_docs USING %s %s", using, on)).ReadAll(); err != nil {
			return fmt.Errorf("%s: %w", x, err)
		}
	}
	return nil
}

// withID puts the _id into the document, where a collection has it.
func withID(id, doc string) string {
	rest := strings.TrimPrefix(doc, "{")
	if rest != "}" {
		rest = ", " + rest
	}
	return `{"_id": ` + quoteJSON(id) + rest
}

const errorMark = "error "

// ask gives the rows as text, or the SQLSTATE; an error means that the connection is lost.
func ask(ctx context.Context, conn *pgconn.PgConn, sql string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	res, err := conn.Exec(ctx, sql).ReadAll()
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return errorMark + pg.Code, nil
	}
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, r := range res {
		for _, row := range r.Rows {
			for i, v := range row {
				if i > 0 {
					b.WriteByte('\t')
				}
				if v == nil {
					b.WriteString("NULL")
				} else {
					fmt.Fprintf(&b, "%q", v)
				}
			}
			b.WriteByte('\n')
		}
	}
	return b.String(), nil
}

// mayFail says whether a row can make the statement fail.
func mayFail(sql string) bool { return strings.Contains(sql, "::numeric") }

func clip(s string) string {
	s = strings.ReplaceAll(s, "\n", " / ")
	if len(s) > 300 {
		s = s[:300] + "…"
	}
	return s
}
