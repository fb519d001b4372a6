package embed

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/omgdb/omgdb/storage/index/vector"
)

// The ids in testdata/wordpiece.jsonl are those of the model's own tokenizer (Hugging Face tokenizers on its tokenizer.json).
func TestWordPieceMatchesTheModelsTokenizer(t *testing.T) {
	w := NewWordPiece(staticVocabulary)
	f, err := os.Open("testdata/wordpiece.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	var s Scratch
	n := 0
	for ; sc.Scan(); n++ {
		var c struct {
			Text string
			IDs  []int32
		}
		if err := json.Unmarshal(sc.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		if got := w.Tokenize(nil, c.Text, 0, &s); !slices.Equal(got, c.IDs) {
			t.Errorf("%q:\n got %v\nwant %v", c.Text, got, c.IDs)
		}
		if got := w.Tokenize(nil, c.Text, 3, &s); !slices.Equal(got, c.IDs[:min(3, len(c.IDs))]) {
			t.Errorf("%q cut to 3: got %v", c.Text, got)
		}
	}
	if n < 100 {
		t.Fatalf("only %d cases", n)
	}
}

// Each query must come nearer to its own sentence, which shares no content word with it, than to any other.
func TestStaticKnowsRelatedWords(t *testing.T) {
	pairs := [][2]string{
		{"car engine repair", "how to fix the motor of an automobile"},
		{"doctor treats illness", "a physician cures a disease"},
		{"stock market prices", "shares are traded at the exchange for money"},
		{"cooking a meal", "recipes for dinner in the kitchen"},
		{"verify user identity", "authentication of a person by password"},
	}
	m, err := OpenStatic()
	if err != nil {
		t.Fatal(err)
	}
	var queries, texts []string
	for _, p := range pairs {
		queries, texts = append(queries, p[0]), append(texts, p[1])
	}
	qv, err := m.Embed(context.Background(), queries)
	if err != nil {
		t.Fatal(err)
	}
	tv, err := m.Embed(context.Background(), texts)
	if err != nil {
		t.Fatal(err)
	}
	for i := range qv {
		best := 0
		for j := range tv {
			if vector.Cosine(qv[i], tv[j]) > vector.Cosine(qv[i], tv[best]) {
				best = j
			}
		}
		if best != i {
			t.Errorf("%q is nearest to %q", queries[i], texts[best])
		}
	}
}

func BenchmarkStatic(b *testing.B) {
	m, err := OpenStatic()
	if err != nil {
		b.Fatal(err)
	}
	dst := make([]float32, m.Dim())
	const text = "OMGDB is an embedded document store with a PostgreSQL wire and SQL front end; full-text and hybrid search stand beside ordinary SQL."
	b.ReportAllocs()
	for b.Loop() {
		m.EmbedInto(dst, text)
	}
}
