package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/omgdb/omgdb/sqltest/slt"
)

// judged is a retrieval test collection in BEIR's layout.
type judged struct {
	name    string
	docs    []entry
	queries []entry // only those that qrels speak of, in file order
	// relevant holds, per query, the documents of positive grade; grades above 0 all count as 1.
	relevant map[string]map[string]bool
}

// entry is a document, whose body is title, a space and text, or a query, whose body is its text.
type entry struct{ id, body string }

// readSet reads a folder with corpus.jsonl.gz (or corpus.jsonl), queries.jsonl and qrels.tsv.
func readSet(dir string) (*judged, error) {
	s := &judged{name: filepath.Base(dir)}
	var err error
	if s.relevant, err = readQrels(filepath.Join(dir, "qrels.tsv")); err != nil {
		return nil, err
	}
	corpus := filepath.Join(dir, "corpus.jsonl.gz")
	if _, statErr := os.Stat(corpus); statErr != nil {
		corpus = strings.TrimSuffix(corpus, ".gz")
	}
	if s.docs, err = readEntries(corpus, func(title, text string) string { return title + " " + text }); err != nil {
		return nil, err
	}
	all, err := readEntries(filepath.Join(dir, "queries.jsonl"), func(_, text string) string { return text })
	if err != nil {
		return nil, err
	}
	for _, q := range all {
		if _, ok := s.relevant[q.id]; ok {
			s.queries = append(s.queries, q)
		}
	}
	if len(s.queries) != len(s.relevant) {
		return nil, fmt.Errorf("%s: qrels speak of %d queries, %d of them have a text", dir, len(s.relevant), len(s.queries))
	}
	return s, nil
}

func readEntries(path string, body func(title, text string) string) ([]entry, error) {
	raw, err := slt.ReadMaybeGzip(path)
	if err != nil {
		return nil, err
	}
	var out []entry
	scan := bufio.NewScanner(bytes.NewReader(raw))
	scan.Buffer(nil, 16<<20)
	for n := 1; scan.Scan(); n++ {
		var e struct {
			ID    string `json:"_id"`
			Title string `json:"title"`
			Text  string `json:"text"`
		}
		if err := json.Unmarshal(scan.Bytes(), &e); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n, err)
		}
		out = append(out, entry{e.ID, body(e.Title, e.Text)})
	}
	return out, scan.Err()
}

// readQrels reads lines of query, document and grade after one header line.
func readQrels(path string) (map[string]map[string]bool, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	out := map[string]map[string]bool{}
	for n, line := range strings.Split(strings.TrimSpace(string(raw)), "\n") {
		cells := strings.Split(strings.TrimSpace(line), "\t")
		if n == 0 {
			continue
		}
		if len(cells) != 3 {
			return nil, fmt.Errorf("%s:%d: want three columns", path, n+1)
		}
		grade, err := strconv.Atoi(cells[2])
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n+1, err)
		}
		if out[cells[0]] == nil {
			out[cells[0]] = map[string]bool{}
		}
		if grade > 0 {
			out[cells[0]][cells[1]] = true
		}
	}
	return out, nil
}
