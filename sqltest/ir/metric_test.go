package main

import (
	"cmp"
	"hash/fnv"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
)

func TestNDCG(t *testing.T) {
	rel := map[string]bool{"a": true, "b": true}
	ranked := func(ids ...string) (h []hit) {
		for i, id := range ids {
			h = append(h, hit{id, float64(-i)})
		}
		return h
	}
	third := 1 / math.Log2(4) / (1 + 1/math.Log2(3))
	tests := []struct {
		name         string
		hits         []hit
		ndcg, recall float64
	}{
		{"perfect", ranked("a", "b", "x"), 1, 1},
		{"one at rank three", ranked("x", "y", "a"), third, 0.5},
		{"cut at ten", ranked("1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "a"), 0, 0.5},
		{"nothing", nil, 0, 0},
	}
	for _, tc := range tests {
		if got := ndcg(tc.hits, rel, 10); math.Abs(got-tc.ndcg) > 1e-12 {
			t.Errorf("%s: nDCG %v, want %v", tc.name, got, tc.ndcg)
		}
		if got := recall(tc.hits, rel, 100); got != tc.recall {
			t.Errorf("%s: recall %v, want %v", tc.name, got, tc.recall)
		}
	}
}

func TestRankBreaksTiesByIDDescending(t *testing.T) {
	hits := []hit{{"a", 1}, {"c", 2}, {"b", 1}, {"10", 1}, {"9", 1}}
	rank(hits)
	want := []hit{{"c", 2}, {"b", 1}, {"a", 1}, {"9", 1}, {"10", 1}}
	if !slices.Equal(hits, want) {
		t.Errorf("%v, want %v", hits, want)
	}
}

// hashEmbed is the hashing embedder written anew from its definition, in float64 and without the product's code, as
// the yardstick for both the metric and the product.
func hashEmbed(text string) map[uint64]float64 {
	v := map[uint64]float64{}
	for _, token := range strings.FieldsFunc(text, func(r rune) bool { return !isAlphanumeric(r) }) {
		h := fnv.New64a()
		h.Write([]byte(strings.ToLower(token)))
		v[h.Sum64()%256]++
	}
	var norm float64
	for _, x := range v {
		norm += x * x
	}
	for i := range v {
		v[i] /= math.Sqrt(norm)
	}
	return v
}

func isAlphanumeric(r rune) bool {
	return unicode.IsLetter(r) || unicode.Is(unicode.Other_Alphabetic, r) || unicode.In(r, unicode.Nl, unicode.Nd, unicode.No)
}

// The metric and the reading of the sets give the known quality of the hashing embedder.
func TestHashingQuality(t *testing.T) {
	for _, tc := range []struct {
		set           string
		docs, queries int
		ndcg          float64
	}{
		{"scifact", 5183, 300, 0.1956},
		{"cranfield", 1400, 225, 0.1497},
	} {
		t.Run(tc.set, func(t *testing.T) {
			s, err := readSet(filepath.Join("..", "testdata", "ir", tc.set))
			if err != nil {
				t.Fatal(err)
			}
			if len(s.docs) != tc.docs || len(s.queries) != tc.queries {
				t.Errorf("%d documents, %d queries, want %d, %d", len(s.docs), len(s.queries), tc.docs, tc.queries)
			}
			vectors := make([]map[uint64]float64, len(s.docs))
			for i, d := range s.docs {
				vectors[i] = hashEmbed(d.body)
			}
			got, err := evaluate(s, func(q entry) ([]hit, error) { return nearest(s.docs, vectors, hashEmbed(q.body), 100), nil })
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(got.NDCG10-tc.ndcg) > 0.0005 {
				t.Errorf("nDCG@10 %.4f, want %.4f", got.NDCG10, tc.ndcg)
			}
			t.Logf("nDCG@10 %.4f, recall@100 %.4f", got.NDCG10, got.Recall100)
		})
	}
}

// nearest is an exhaustive search by cosine of unit vectors; ties in id order, as vsearch documents it.
func nearest(docs []entry, vectors []map[uint64]float64, q map[uint64]float64, k int) []hit {
	hits := make([]hit, len(docs))
	for i, d := range docs {
		hits[i].id = d.id
		for j, x := range q {
			hits[i].score += x * vectors[i][j]
		}
		hits[i].score = float64(float32(hits[i].score))
	}
	slices.SortStableFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.id, b.id))
	})
	return hits[:k]
}
