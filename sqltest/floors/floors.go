// Package floors keeps what the suites have reached from sliding back.
//
// Each suite writes its Figures to a file of its own name in a folder; floors.json in sqltest holds the bounds; Check
// compares them. A suite or a figure that has a bound and was not measured is a failure, so a suite that silently did
// not run cannot pass.
package floors

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Figures are a suite's measurements by name. Counts are exact; ratios are medians.
type Figures map[string]float64

// Bound limits one figure. In JSON a bare number is a Min.
type Bound struct {
	Min *float64 `json:"min,omitempty"`
	Max *float64 `json:"max,omitempty"`
}

// Floors are the bounds by suite and figure.
type Floors map[string]map[string]Bound

func (b *Bound) UnmarshalJSON(text []byte) error {
	var n float64
	if json.Unmarshal(text, &n) == nil {
		b.Min = &n
		return nil
	}
	type plain Bound
	if err := json.Unmarshal(text, (*plain)(b)); err != nil {
		return err
	}
	if b.Min == nil && b.Max == nil {
		return errors.New("a bound wants min or max")
	}
	return nil
}

func (b Bound) MarshalJSON() ([]byte, error) {
	if b.Max == nil && b.Min != nil {
		return json.Marshal(*b.Min)
	}
	type plain Bound
	return json.Marshal(plain(b))
}

// problem says how a value breaks the bound, or "".
func (b Bound) problem(v float64) string {
	switch {
	case math.IsNaN(v):
		return "is not a number"
	case b.Min != nil && v < *b.Min:
		return fmt.Sprintf("is below %g", *b.Min)
	case b.Max != nil && v > *b.Max:
		return fmt.Sprintf("is above %g", *b.Max)
	}
	return ""
}

// Read reads a floors file.
func Read(path string) (Floors, error) {
	var f Floors
	return f, readJSON(path, &f)
}

// Write writes a floors file with sorted names.
func (f Floors) Write(path string) error { return writeJSON(path, f) }

// WriteFigures writes a suite's figures to dir, which need not exist.
func WriteFigures(dir, suite string, figures Figures) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return writeJSON(filepath.Join(dir, suite+".json"), figures)
}

// ReadFigures reads the figures of all suites that wrote some.
func ReadFigures(dir string) (map[string]Figures, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	all := map[string]Figures{}
	for _, p := range paths {
		var f Figures
		if err := readJSON(p, &f); err != nil {
			return nil, err
		}
		all[strings.TrimSuffix(filepath.Base(p), ".json")] = f
	}
	return all, nil
}

// Check lists what is missing or out of bounds, in name order.
func (f Floors) Check(figures map[string]Figures) (problems []string) {
	for _, suite := range slices.Sorted(maps.Keys(f)) {
		got, ran := figures[suite]
		if !ran {
			problems = append(problems, fmt.Sprintf("%s: the suite did not run", suite))
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(f[suite])) {
			v, measured := got[name]
			if !measured {
				problems = append(problems, fmt.Sprintf("%s: %s was not measured", suite, name))
			} else if p := f[suite][name].problem(v); p != "" {
				problems = append(problems, fmt.Sprintf("%s: %s = %g %s", suite, name, v, p))
			}
		}
	}
	return problems
}

// Raise moves the minima of the named suite up to what was measured, times factor: 1 for counts, below 1 for figures
// that vary from run to run. It never lowers one, and it leaves maxima alone. New figures get a minimum.
func (f Floors) Raise(suite string, got Figures, factor float64) {
	if f[suite] == nil {
		f[suite] = map[string]Bound{}
	}
	for name, v := range got {
		v = math.Floor(v*factor*1000) / 1000
		b := f[suite][name]
		if b.Min == nil && b.Max != nil || b.Min != nil && *b.Min >= v {
			continue
		}
		b.Min = &v
		f[suite][name] = b
	}
}

func readJSON(path string, into any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func writeJSON(path string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), fs.FileMode(0o644))
}
