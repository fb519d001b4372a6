package slt

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
)

// Baseline holds, per file, the lines of the records that a peer fails. Its text has a line a file: the path without
// .gz, a tab, and line numbers parted by commas.
type Baseline map[string]map[int]bool

// ReadBaseline reads a baseline file.
func ReadBaseline(path string) (Baseline, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b := Baseline{}
	scan := bufio.NewScanner(f)
	scan.Buffer(nil, 1<<20)
	for scan.Scan() {
		name, numbers, ok := strings.Cut(scan.Text(), "\t")
		if !ok {
			return nil, fmt.Errorf("%s: line %q has no tab", path, scan.Text())
		}
		lines := map[int]bool{}
		for _, n := range strings.Split(numbers, ",") {
			line, err := strconv.Atoi(n)
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", path, name, err)
			}
			lines[line] = true
		}
		b[name] = lines
	}
	return b, scan.Err()
}

// fails is the peer's failures in a file, matched by the end of its path; nil when there is no baseline at all.
func (b Baseline) fails(path string) map[int]bool {
	if b == nil {
		return nil
	}
	path = "/" + strings.TrimSuffix(path, ".gz")
	for name, lines := range b {
		if strings.HasSuffix(path, "/"+name) {
			return lines
		}
	}
	return map[int]bool{}
}

// Report is the outcome of a suite.
type Report struct {
	Counts
	Peer  *Tally    `json:"peer,omitempty"`
	Files []Outcome `json:"files"`
}

// Suite runs the files, up to parallel of them at once, and reports in the files' order. done, when not nil, is
// called once per finished file, one call at a time.
func (o Options) Suite(ctx context.Context, iso Isolation, paths []string, parallel int, base Baseline, done func(Outcome)) (*Report, error) {
	if !iso.Parallel() {
		parallel = 1
	}
	report := &Report{Files: make([]Outcome, len(paths))}
	todo := make(chan int)
	var wg sync.WaitGroup
	var mu sync.Mutex
	var failed error
	for range max(parallel, 1) {
		wg.Go(func() {
			for i := range todo {
				out, err := o.file(ctx, iso, paths[i], base)
				mu.Lock()
				report.Files[i] = out
				if err != nil && failed == nil {
					failed = err
				}
				if err == nil && done != nil {
					done(out)
				}
				mu.Unlock()
			}
		})
	}
	for i := range paths {
		todo <- i
	}
	close(todo)
	wg.Wait()
	if failed != nil {
		return nil, failed
	}
	report.sum(base != nil)
	return report, nil
}

// file parses and runs one file; the error is about the file itself (unreadable, malformed), not about results.
func (o Options) file(ctx context.Context, iso Isolation, path string, base Baseline) (Outcome, error) {
	f, err := ParseFile(path)
	if err != nil {
		return Outcome{}, err
	}
	out := o.Run(ctx, iso, f, base.fails(path))
	if o.Rewrite && out.Broken == "" {
		return out, f.WriteRewritten(out)
	}
	return out, nil
}

func (r *Report) sum(peer bool) {
	if peer {
		r.Peer = &Tally{}
	}
	for _, f := range r.Files {
		r.Counts.add(f.Counts)
		if peer && f.Peer != nil {
			r.Peer.add(*f.Peer)
		}
	}
}

// Broken lists the files that could not be run to their end.
func (r *Report) Broken() (out []string) {
	for _, f := range r.Files {
		if f.Broken != "" {
			out = append(out, f.Path+": "+f.Broken)
		}
	}
	return out
}

// WriteJSON writes the report as one indented JSON document.
func (r *Report) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	enc.SetEscapeHTML(false)
	return enc.Encode(r)
}

// Line is a one-line summary of counts.
func (c Counts) Line() string {
	all := c.All()
	return fmt.Sprintf("queries %d/%d  statements %d/%d  expected errors %d/%d  all %d/%d (%.2f %%)  skipped %d",
		c.Queries.Pass, c.Queries.Run, c.Statements.Pass, c.Statements.Run, c.Errors.Pass, c.Errors.Run,
		all.Pass, all.Run, percent(all), c.Skipped)
}

// Line is the tally as "of N records that the peer passes, M pass".
func (t Tally) Line() string {
	return fmt.Sprintf("%d of %d (%.2f %%)", t.Pass, t.Run, percent(t))
}

func percent(t Tally) float64 {
	if t.Run == 0 {
		return 0
	}
	return 100 * float64(t.Pass) / float64(t.Run)
}
