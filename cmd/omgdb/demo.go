package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"github.com/omgdb/omgdb/cmd/omgdb/demo"
	"github.com/omgdb/omgdb/pgwire"
)

func demoCmd() *cobra.Command {
	var once bool
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Answer questions over a small built-in corpus through the PostgreSQL wire",
		Long: "Makes a temporary store with the articles that ship in the binary, serves it on a free port, asks retrieval questions through a\n" +
			"PostgreSQL driver, and keeps serving for your own questions. The store is removed at the end.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			return runDemo(ctx, cmd.OutOrStdout(), once)
		},
	}
	cmd.Flags().BoolVar(&once, "once", false, "exit after printing the answers")
	return cmd
}

func runDemo(ctx context.Context, w io.Writer, once bool) (err error) {
	dir, err := os.MkdirTemp("", "omgdb-demo-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	logs := slog.New(slog.NewTextHandler(io.Discard, nil))
	store, err := pgwire.Open(ctx, filepath.Join(dir, "demo.omgdb"), pgwire.LocalOptions{Create: true, Logger: logs})
	if err != nil {
		return err
	}
	defer func() {
		if cerr := store.Close(); err == nil {
			err = cerr
		}
	}()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go func() { _ = store.Server.Serve(l) }() // ends with the store
	_, port, _ := net.SplitHostPort(l.Addr().String())
	conn, err := pgx.Connect(ctx, "postgres://postgres@127.0.0.1:"+port+"/omgdb?sslmode=disable")
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	d := demoRun{ctx: ctx, conn: conn, w: w}
	if err := d.answer(); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nGo on with psql:\n\n  psql -h 127.0.0.1 -p %s -U postgres omgdb\n", port)
	if once {
		return nil
	}
	fmt.Fprintln(w, "\nServing until you press Ctrl-C.")
	<-ctx.Done()
	return nil
}

// demoRun prints questions, the SQL that asks them and the answers.
type demoRun struct {
	ctx  context.Context
	conn *pgx.Conn
	w    io.Writer
}

func (d *demoRun) answer() error {
	if err := d.load(); err != nil {
		return err
	}
	for _, step := range []func() error{d.search, d.join, d.pack} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// load fills a collection with the corpus and a typed table with what its topics are about.
func (d *demoRun) load() error {
	articles := demo.Articles()
	docs := make([]string, len(articles))
	for i, a := range articles {
		b, err := json.Marshal(struct {
			ID    string `json:"_id"`
			Title string `json:"title"`
			Topic string `json:"topic"`
			Text  string `json:"text"`
		}{a.ID, a.Title, a.Topic, a.Text})
		if err != nil {
			return err
		}
		docs[i] = string(b)
	}
	for _, q := range []struct {
		sql  string
		args []any
	}{
		{`CREATE TABLE articles () USING collection`, nil},
		{`SELECT insert_document('articles', d) FROM unnest($1::json[]) d`, []any{docs}},
		{`CREATE TABLE shelves (topic text PRIMARY KEY, room int NOT NULL)`, nil},
		{`INSERT INTO shelves SELECT topic, row_number() OVER (ORDER BY topic) FROM (SELECT DISTINCT doc->>'topic' AS topic FROM articles) t`, nil},
	} {
		if _, err := d.conn.Exec(d.ctx, q.sql, q.args...); err != nil {
			return fmt.Errorf("%s: %w", q.sql, err)
		}
	}
	_, err := fmt.Fprintf(d.w, "A store with %d articles on databases and retrieval, asked through the PostgreSQL wire.\n", len(docs))
	return err
}

// show prints a question and its SQL.
func (d *demoRun) show(question, sql string) {
	fmt.Fprintf(d.w, "\n%s\n\n  %s\n\n", question, strings.ReplaceAll(sql, "\n", "\n  "))
}

func (d *demoRun) search() error {
	const sql = `SELECT score, doc->>'title', doc->>'text'
FROM vsearch('articles', 'title,text', 'how do I recover the log after a crash', 3)`
	d.show("How do I recover after a crash?", sql)
	rows, err := d.conn.Query(d.ctx, sql)
	if err != nil {
		return err
	}
	var score float64
	var title, text string
	_, err = pgx.ForEachRow(rows, []any{&score, &title, &text}, func() error {
		_, err := fmt.Fprintf(d.w, "  %.4f  %s\n%s", score, title, wrap(text, "          ", 96))
		return err
	})
	return err
}

func (d *demoRun) join() error {
	const sql = `SELECT v.score, v.doc->>'title', s.room
FROM vsearch('articles', 'text', 'search by meaning with vectors', 20) v
JOIN shelves s ON s.topic = v.doc->>'topic'
WHERE s.topic IN ('vectors', 'retrieval')
ORDER BY v.score DESC LIMIT 4`
	d.show("What is there on searching by meaning, and in which room does it stand?", sql)
	rows, err := d.conn.Query(d.ctx, sql)
	if err != nil {
		return err
	}
	var score float64
	var title string
	var room int
	_, err = pgx.ForEachRow(rows, []any{&score, &title, &room}, func() error {
		_, err := fmt.Fprintf(d.w, "  %.4f  %-32s room %d\n", score, title, room)
		return err
	})
	return err
}

func (d *demoRun) pack() error {
	const sql = `SELECT used_tokens, budget_tokens, truncated, chunks, citations
FROM context_pack('articles', 'text', 'keep an agent from doing harm', 120)`
	d.show("Context for an agent, within 120 tokens, with its sources:", sql)
	var used, budget int
	var truncated bool
	var chunks []struct {
		ID     string
		Score  float64
		Tokens int
		Text   string
	}
	var citations []string
	if err := d.conn.QueryRow(d.ctx, sql).Scan(&used, &budget, &truncated, &chunks, &citations); err != nil {
		return err
	}
	for _, c := range chunks {
		fmt.Fprintf(d.w, "  [%s] %.4f, %d tokens\n%s", c.ID, c.Score, c.Tokens, wrap(c.Text, "      ", 96))
	}
	_, err := fmt.Fprintf(d.w, "  %d of %d tokens used, more was left out: %t; sources: %s\n", used, budget, truncated, strings.Join(citations, ", "))
	return err
}

// wrap breaks a text into lines of at most width characters, each with an indent.
func wrap(text, indent string, width int) string {
	var b strings.Builder
	line := indent
	for _, word := range strings.Fields(text) {
		if len(line)+1+len(word) > width && line != indent {
			b.WriteString(line + "\n")
			line = indent
		}
		if line != indent {
			line += " "
		}
		line += word
	}
	b.WriteString(line + "\n")
	return b.String()
}
