package fulltext

import "testing"

// TestTallyParts: parts without texts, which know of no clauses, may stand anywhere among those that are added up.
func TestTallyParts(t *testing.T) {
	q := Query{Clauses: make([]Clause, 2)}
	for empty := range 3 {
		var all Tally
		for i := range 3 {
			var part Tally
			if i != empty {
				part.Count(10, []int64{1, 0})
			}
			all.Add(&part)
		}
		if s := all.Scorer(DefaultParams, q); all.Stats != (Stats{2, 20}) || len(s.Weights) != 2 || all.df[0] != 2 || all.df[1] != 0 {
			t.Errorf("with part %d empty: %+v, %v", empty, all, s.Weights)
		}
	}
	var none Tally
	none.Add(&Tally{})
	if s := none.Scorer(DefaultParams, q); len(s.Weights) != 2 {
		t.Errorf("of nothing: %v", s.Weights)
	}
}
