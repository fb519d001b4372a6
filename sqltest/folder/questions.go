package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/omgdb/omgdb/sqltest"
	"github.com/omgdb/omgdb/sqltest/floors"
)

// question is a line of a questions file: any of the files answers it.
type question struct {
	Question string
	Files    []string
}

// ways are the ways of asking that are compared: mode and match.
var ways = []struct{ name, mode, match string }{
	{"lexical", "lexical", "all"}, {"any", "lexical", "any"}, {"semantic", "semantic", "all"}, {"hybrid", "hybrid", "all"}, {"fused", "fused", "all"},
}

// ask copies a tree, indexes it, and asks each question in each way through a server: in how many cases is an answer among the first five
// files, and how long does it take?
func (w *world) ask(ctx context.Context, file, tree string) (floors.Figures, error) {
	questions, err := readQuestions(file, tree)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(w.dir, "tree")
	if err := os.CopyFS(dir, os.DirFS(tree)); err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	p := &play{world: w, dir: dir}
	begun := time.Now()
	o, err := p.run(ctx, "", "index", dir)
	if err != nil || o.code != 0 {
		return nil, fmt.Errorf("index %s: %v %s", tree, err, o.stderr)
	}
	fmt.Printf("%s in %.1f s\n", strings.TrimSuffix(o.stdout, "\n"), time.Since(begun).Seconds())
	s, err := sqltest.Start(w.bin, filepath.Join(dir, ".context.db"))
	if err != nil {
		return nil, err
	}
	defer s.Kill()
	c, err := pgx.Connect(ctx, s.URL)
	if err != nil {
		return nil, err
	}
	defer c.Close(context.Background())
	out := floors.Figures{}
	for _, way := range ways {
		first, five, took, err := askAll(ctx, c, questions, dir, way.mode, way.match)
		if err != nil {
			return nil, err
		}
		n := float64(len(questions))
		fmt.Printf("%-9s hit@1 %.2f  hit@5 %.2f  p50 %s\n", way.name, float64(first)/n, float64(five)/n, took.Round(time.Millisecond/10))
		out["hit5_"+way.name] = float64(five) / n
	}
	return out, nil
}

// askAll counts the questions that have an answer in the first place and among the first five, and gives the median time.
func askAll(ctx context.Context, c *pgx.Conn, questions []question, dir, mode, match string) (first, five int, median time.Duration, err error) {
	var took []time.Duration
	for _, q := range questions {
		var text string
		begun := time.Now()
		if err := c.QueryRow(ctx, `SELECT omgdb.context_query($1, $2, $3, $4)::text`, dir, q.Question, mode, match).Scan(&text); err != nil {
			return 0, 0, 0, fmt.Errorf("%q: %w", q.Question, err)
		}
		took = append(took, time.Since(begun))
		var a answer
		if err := json.Unmarshal([]byte(text), &a); err != nil {
			return 0, 0, 0, err
		}
		for i, m := range a.Matches[:min(5, len(a.Matches))] {
			if slices.Contains(q.Files, strings.TrimPrefix(m.Path, dir+"/")) {
				five++
				if i == 0 {
					first++
				}
				break
			}
		}
	}
	slices.Sort(took)
	return first, five, took[len(took)/2], nil
}

// readQuestions reads a questions file; an answer that the tree does not have is left out, a question without any is an error.
func readQuestions(file, tree string) ([]question, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var out []question
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		var q question
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			return nil, fmt.Errorf("%s: %w in %s", file, err, lines.Bytes())
		}
		q.Files = slices.DeleteFunc(q.Files, func(name string) bool {
			_, err := os.Stat(filepath.Join(tree, name))
			return err != nil
		})
		if len(q.Files) == 0 {
			return nil, fmt.Errorf("%s has no file that answers %q", tree, q.Question)
		}
		out = append(out, q)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no questions in %s", file)
	}
	return out, nil
}
