package fulltext

// Tally gathers what BM25 must know of texts that are matched one by one. One goroutine fills it; those of several are added up.
type Tally struct {
	Stats Stats
	df    []int64 // texts in which each clause occurs
}

// Count adds a text, as Matcher.Match describes it.
func (t *Tally) Count(length int64, freq []int64) {
	if t.df == nil {
		t.df = make([]int64, len(freq))
	}
	t.Stats.Docs++
	t.Stats.Length += length
	for i, n := range freq {
		if n > 0 {
			t.df[i]++
		}
	}
}

// Add adds the texts of another tally of the same query.
func (t *Tally) Add(o *Tally) {
	if len(t.df) < len(o.df) { // one without texts knows of no clauses
		t.df = append(t.df, make([]int64, len(o.df)-len(t.df))...)
	}
	t.Stats.Docs += o.Stats.Docs
	t.Stats.Length += o.Stats.Length
	for i, n := range o.df {
		t.df[i] += n
	}
}

// Scorer gives the scores of a query's texts, once all of them are tallied.
func (t *Tally) Scorer(p Params, q Query) Scorer {
	if len(t.df) < len(q.Clauses) {
		t.df = make([]int64, len(q.Clauses))
	}
	return Scorer{p, t.Stats, t.Stats.Weights(q, t.df)}
}

// Scorer computes BM25 sums. Without Weights nothing has a score.
type Scorer struct {
	Params  Params
	Stats   Stats
	Weights []float64 // by clause, 0 for excluded ones
}

// Score is the score of a text of so many words in which the clauses occur so often.
func (s *Scorer) Score(freq []int64, length int64) float64 {
	sum := 0.0
	if s.Weights == nil {
		return 0
	}
	for i, tf := range freq {
		if tf > 0 && s.Weights[i] > 0 {
			sum += s.Params.Score(s.Weights[i], tf, length, s.Stats)
		}
	}
	return sum
}
