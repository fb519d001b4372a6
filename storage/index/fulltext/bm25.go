package fulltext

import "math"

// Params are BM25's constants.
type Params struct{ K1, B float64 }

// DefaultParams are the usual constants.
var DefaultParams = Params{K1: 1.2, B: 0.75}

// Stats describe a collection at one moment.
type Stats struct {
	Docs   int64 // documents with a text
	Length int64 // words in all of them
}

// IDF is the weight of a term that df of the documents contain; it is never negative.
func (s Stats) IDF(df int64) float64 {
	return math.Log(1 + (float64(s.Docs)-float64(df)+0.5)/(float64(df)+0.5))
}

// Weights gives the weight of each clause of a query, of which df documents contain it; 0 for excluded ones.
func (s Stats) Weights(q Query, df []int64) []float64 {
	idf := make([]float64, len(df))
	for i, c := range q.Clauses {
		if c.Occur != MustNot {
			idf[i] = c.IDF(s, df[i])
		}
	}
	return idf
}

// Score is the contribution of a term that occurs tf times in a document of the given number of words.
func (p Params) Score(idf float64, tf, length int64, s Stats) float64 {
	avg := float64(s.Length) / float64(max(s.Docs, 1))
	if avg == 0 {
		avg = 1
	}
	f := float64(tf)
	return idf * f * (p.K1 + 1) / (f + p.K1*(1-p.B+p.B*float64(length)/avg))
}
