package embed

import (
	"context"
	"math"
	"testing"

	"github.com/omgdb/omgdb/storage/index/vector"
)

// words lists, for each text, the tokens that must be counted; the expected vector is made from them by the definition.
var hashingCases = []struct {
	text  string
	words []string
}{
	{"database search and indexing", []string{"database", "search", "and", "indexing"}},
	{"Database, SEARCH!", []string{"database", "search"}},
	{"", nil},
	{"!?… — ()", nil},
	{"snake_case-and.dots", []string{"snake", "case", "and", "dots"}},
	{"İstanbul", []string{"i\u0307stanbul"}},
	{"ΟΔΥΣΣΕΥΣ ΣΑΣ Σ", []string{"οδυσσευς", "σας", "σ"}},
	{"हिन्दी भाषा", []string{"हिन", "दी", "भाषा"}}, // the virama is not Alphabetic and splits
	{"½ cup ² Ⅷ", []string{"½", "cup", "²", "ⅷ"}},
	{"naïve Ünï", []string{"naïve", "ünï"}},
	{"abcé défg", []string{"abcé", "défg"}},
	{"東京2024年", []string{"東京2024年"}},
	{"a\xffb \xf0\x9f", []string{"a", "b"}},
	{"x x X", []string{"x", "x", "x"}},
}

func TestHashingCountsTokens(t *testing.T) {
	h := NewHashing(DefaultHashingDim)
	for _, c := range hashingCases {
		want := make([]float32, DefaultHashingDim)
		for _, w := range c.words {
			want[FNV1a(w)%DefaultHashingDim]++
		}
		vector.Normalize(want)
		got, err := h.Embed(context.Background(), []string{c.text})
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if got[0][i] != want[i] {
				t.Errorf("%q: bucket %d is %v, want %v", c.text, i, got[0][i], want[i])
			}
		}
	}
}

func TestHashingGolden(t *testing.T) {
	// FNV-1a test vectors of the hash's authors, and buckets computed from them by hand.
	if got := FNV1a("foobar"); got != 0x85944171f73967e8 {
		t.Fatalf("FNV-1a of foobar is %x", got)
	}
	if got := ContentHash(""); got != "cbf29ce484222325" {
		t.Fatalf("content hash of the empty text is %s", got)
	}
	h := NewHashing(DefaultHashingDim)
	v, _ := h.Embed(context.Background(), []string{"foobar a"})
	for i, x := range v[0] {
		want := float32(0)
		if i == 0xe8 || i == 0x8c { // 0x85944171f73967e8, 0xaf63dc4c8601ec8c
			want = float32(1 / math.Sqrt(2))
		}
		if math.Abs(float64(x-want)) > 1e-7 {
			t.Errorf("bucket %#x is %v, want %v", i, x, want)
		}
	}
	if h.ModelID() != "hashing-v1/dim=256" || NewHashing(-3).ModelID() != "hashing-v1/dim=1" {
		t.Error("model ids")
	}
}

func TestCosineScores(t *testing.T) {
	h := NewHashing(DefaultHashingDim)
	v, _ := h.Embed(context.Background(), []string{"database search", "database search and indexing", "chocolate cake recipe", ""})
	for i, want := range []float64{1, math.Sqrt(0.5), 0, 0} {
		if got := vector.Cosine(v[0], v[i]); math.Abs(float64(got)-want) > 1e-6 {
			t.Errorf("cosine %d is %v, want %v", i, got, want)
		}
	}
	if vector.Cosine(v[0], v[0][:8]) != 0 {
		t.Error("different lengths must score 0")
	}
}

func BenchmarkHashing(b *testing.B) {
	h := NewHashing(DefaultHashingDim)
	dst := make([]float32, DefaultHashingDim)
	const text = "OMGDB is an embedded document store with a PostgreSQL wire and SQL front end; full-text and hybrid search stand beside ordinary SQL."
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		h.EmbedInto(dst, text)
	}
}
