package main

import (
	"cmp"
	"math"
	"slices"
)

// hit is one retrieved document.
type hit struct {
	id    string
	score float64
}

// rank orders hits as evaluation tools do: by score, ties by id, both descending. So a figure does not depend on how
// a server breaks ties, beyond those that k cuts.
func rank(hits []hit) {
	slices.SortFunc(hits, func(a, b hit) int {
		if c := cmp.Compare(b.score, a.score); c != 0 {
			return c
		}
		return cmp.Compare(b.id, a.id)
	})
}

// ndcg is the normalised discounted cumulative gain of the first k ranked hits with binary gain.
func ndcg(ranked []hit, relevant map[string]bool, k int) float64 {
	if len(relevant) == 0 {
		return 0
	}
	var got, ideal float64
	for i, h := range ranked[:min(k, len(ranked))] {
		if relevant[h.id] {
			got += discount(i)
		}
	}
	for i := range min(k, len(relevant)) {
		ideal += discount(i)
	}
	return got / ideal
}

func discount(i int) float64 { return 1 / math.Log2(float64(i+2)) }

// recall is the part of the relevant documents among the first k hits.
func recall(ranked []hit, relevant map[string]bool, k int) float64 {
	if len(relevant) == 0 {
		return 0
	}
	found := 0
	for _, h := range ranked[:min(k, len(ranked))] {
		if relevant[h.id] {
			found++
		}
	}
	return float64(found) / float64(len(relevant))
}

// score is a method's quality on a set: means over all judged queries, also those that found nothing.
type score struct {
	NDCG10    float64 `json:"ndcg10"`
	Recall100 float64 `json:"recall100"`
	NoHits    int     `json:"queries_without_hits"`
}

// evaluate scores the answers that search gives.
func evaluate(s *judged, search func(q entry) ([]hit, error)) (score, error) {
	var out score
	for _, q := range s.queries {
		hits, err := search(q)
		if err != nil {
			return out, err
		}
		rank(hits)
		out.NDCG10 += ndcg(hits, s.relevant[q.id], 10)
		out.Recall100 += recall(hits, s.relevant[q.id], 100)
		if len(hits) == 0 {
			out.NoHits++
		}
	}
	n := float64(len(s.queries))
	out.NDCG10 /= n
	out.Recall100 /= n
	return out, nil
}
