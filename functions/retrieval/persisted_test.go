package retrieval

import (
	"context"
	"slices"
	"testing"

	"github.com/omgdb/omgdb/functions/embed"
	"github.com/omgdb/omgdb/storage/doc"
)

// slow is an embedder that notes what it was asked for.
type slow struct{ asked []string }

func (*slow) ModelID() string { return "slow" }
func (*slow) Dim() int        { return 2 }
func (s *slow) Embed(_ context.Context, texts []string) ([][]float32, error) {
	var out [][]float32
	for _, t := range texts {
		s.asked = append(s.asked, t)
		out = append(out, []float32{float32(len(t)), 1})
	}
	return out, nil
}

// TestKeptVectors: texts with a stored vector are not embedded again, and scores are those of a full recomputation.
func TestKeptVectors(t *testing.T) {
	texts := []string{"a", "bbb", "", "cc", "bbb"}
	query := []float32{1, 2}
	all := &slow{}
	full := newScorer(all, query, nil)
	if err := full.score(t.Context(), texts); err != nil {
		t.Fatal(err)
	}
	some := &slow{}
	kept := &keptVectors{byHash: map[string][]float32{embed.ContentHash("bbb"): {3, 1}, embed.ContentHash("old text"): {9, 9}}}
	part := newScorer(some, query, kept)
	if err := part.score(t.Context(), texts); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(part.scores, full.scores) {
		t.Errorf("scores %v, in full %v", part.scores, full.scores)
	}
	if want := []string{"a", "", "cc"}; !slices.Equal(some.asked, want) || !slices.Equal(all.asked, texts) {
		t.Errorf("embedded %q, want %q", some.asked, want)
	}
}

func TestNumbers(t *testing.T) {
	for text, want := range map[string][]float32{
		`{"v":[0.5,2]}`: {0.5, 2}, `{"v":[1]}`: nil, `{"v":[1,2,3]}`: nil, `{"v":[1,"x"]}`: nil, `{"v":5}`: nil, `{}`: nil,
	} {
		d, err := doc.ParseDocument([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := numbers(d.Lookup("v"), 2); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}
