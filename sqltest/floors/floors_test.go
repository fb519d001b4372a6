package floors

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func min(v float64) Bound          { return Bound{Min: &v} }
func between(lo, hi float64) Bound { return Bound{Min: &lo, Max: &hi} }

func TestCheck(t *testing.T) {
	f := Floors{"a": {"count": min(10), "ndcg": between(0.19, 0.20)}, "b": {"x": min(1)}}
	tests := []struct {
		name    string
		figures map[string]Figures
		want    []string
	}{
		{"all reached", map[string]Figures{"a": {"count": 10, "ndcg": 0.195}, "b": {"x": 1, "more": 0}}, nil},
		{"suite missing", map[string]Figures{"a": {"count": 11, "ndcg": 0.195}}, []string{"b: the suite did not run"}},
		{"figure missing", map[string]Figures{"a": {"ndcg": 0.2}, "b": {"x": 2}}, []string{"a: count was not measured"}},
		{"below and above", map[string]Figures{"a": {"count": 9, "ndcg": 0.21}, "b": {"x": 2}},
			[]string{"a: count = 9 is below 10", "a: ndcg = 0.21 is above 0.2"}},
		{"not a number", map[string]Figures{"a": {"count": 10, "ndcg": math.NaN()}, "b": {"x": 2}}, []string{"a: ndcg = NaN is not a number"}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			if d := cmp.Diff(tc.want, f.Check(tc.figures)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestRaise(t *testing.T) {
	hi := 5.0
	f := Floors{"a": {"up": min(1), "stays": min(9), "capped": {Max: &hi}}}
	f.Raise("a", Figures{"up": 4, "stays": 8, "capped": 3, "new": 2}, 0.7)
	want := Floors{"a": {"up": min(2.8), "stays": min(9), "capped": {Max: &hi}, "new": min(1.4)}}
	if d := cmp.Diff(want, f); d != "" {
		t.Error(d)
	}
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	f := Floors{"a": {"count": min(10), "ndcg": between(0.19, 0.20)}}
	path := filepath.Join(dir, "floors.json")
	if err := f.Write(path); err != nil {
		t.Fatal(err)
	}
	back, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(f, back); d != "" {
		t.Error(d)
	}
	figures := filepath.Join(dir, "figures")
	for _, suite := range []string{"a", "b"} {
		if err := WriteFigures(figures, suite, Figures{"count": 3}); err != nil {
			t.Fatal(err)
		}
	}
	all, err := ReadFigures(figures)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(map[string]Figures{"a": {"count": 3}, "b": {"count": 3}}, all); d != "" {
		t.Error(d)
	}
}
