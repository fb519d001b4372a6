package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/omgdb/omgdb/sqltest/floors"
)

// result is a job's outcome; Ratio is a's speed over b's, 0 when only one of them did the job.
type result struct {
	Job        string               `json:"job"`
	Sides      map[string]*measured `json:"sides"`
	Ratio      float64              `json:"ratio,omitempty"`
	Ratios     []float64            `json:"ratios,omitempty"`
	FirstRatio float64              `json:"first_ratio,omitempty"` // of the round before the others: nothing is warm
	Differs    string               `json:"differs,omitempty"`
	job        job
}

// compare fills in the ratios.
func (r *result) compare() {
	a, b := r.Sides["a"], r.Sides["b"]
	if a == nil || b == nil || a.Error != "" || b.Error != "" {
		return
	}
	for i := range a.Rounds {
		r.Ratios = append(r.Ratios, float64(b.Rounds[i])/float64(a.Rounds[i]))
	}
	r.Ratio = median(r.Ratios)
	r.FirstRatio = float64(b.First) / float64(a.First)
}

// print writes the job's line.
func (r *result) print(w io.Writer) {
	fmt.Fprintf(w, "%-20s", r.Job)
	for _, name := range []string{"a", "b"} {
		fmt.Fprintf(w, "  %s %22s", name, r.cell(r.Sides[name]))
	}
	if r.Ratio > 0 {
		fmt.Fprintf(w, "  ratio %6.2f (%.2f–%.2f, first %.2f)", r.Ratio, slices.Min(r.Ratios), slices.Max(r.Ratios), r.FirstRatio)
	}
	fmt.Fprintln(w)
	for _, name := range []string{"a", "b"} {
		if m := r.Sides[name]; m != nil && m.Error != "" {
			fmt.Fprintf(w, "  %s cannot do it: %s\n", name, clip(m.Error))
		}
	}
	if r.Differs != "" {
		fmt.Fprintf(w, "  ANSWERS DIFFER: %s\n", r.Differs)
	}
}

// cell prints a side's median: as a rate where many connections or rows are at work, else as a time.
func (r *result) cell(m *measured) string {
	if m == nil || m.Error != "" {
		return "–"
	}
	t := m.median()
	switch {
	case r.job.rows > 0:
		return fmt.Sprintf("%.1f k rows/s", float64(r.job.rows)/t.Seconds()/1000)
	case r.job.conns > 1:
		return fmt.Sprintf("%.1f k/s", 1/t.Seconds()/1000)
	case t < time.Millisecond:
		return fmt.Sprintf("%.1f µs", float64(t)/float64(time.Microsecond))
	}
	return fmt.Sprintf("%.2f ms", float64(t)/float64(time.Millisecond))
}

// finish writes the files that were asked for and fails when answers differed.
func finish(o options, results []result) error {
	if o.json != "" {
		text, err := json.MarshalIndent(results, "", " ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(o.json, append(text, '\n'), 0o644); err != nil {
			return err
		}
	}
	if o.figures != "" {
		if err := floors.WriteFigures(o.figures, "bench", figuresOf(results)); err != nil {
			return err
		}
	}
	var differ []string
	for _, r := range results {
		if r.Differs != "" {
			differ = append(differ, r.Job)
		}
	}
	if len(differ) > 0 {
		return fmt.Errorf("answers differ in %s", strings.Join(differ, ", "))
	}
	return nil
}

// figuresOf are the ratios; where there is none, a job that a did counts as 1 under its name with _ran.
func figuresOf(results []result) floors.Figures {
	f := floors.Figures{}
	for _, r := range results {
		if r.Ratio > 0 {
			f[r.Job] = r.Ratio
		} else if a := r.Sides["a"]; a != nil && a.Error == "" {
			f[r.Job+"_ran"] = 1
		}
	}
	return f
}
