package retrieval

// pending is a candidate that waits for the decision on all.
type pending struct {
	c   *chunk
	why string // why it is out already, "" when it is not
}

// collect notes a candidate.
func (s *selection) collect(c *chunk) (more bool, err error) {
	p := pending{c: c, why: s.unwanted(c)}
	if p.why == "" {
		s.perDoc[c.key]++
	}
	s.pending = append(s.pending, p)
	const pendingBytes = 256
	return true, s.r.corp.env.Memory.Grow(pendingBytes + int64(len(c.of.text)))
}

// optimalWork bounds the steps of looking for the best set, candidates × budget: beyond it, only the best-ranked candidates take part.
const optimalWork = 200_000_000

// settle chooses the set of candidates with the highest sum of scores that fits the budget; what is worth nothing, and what was too much
// to look at, fills the room that is left.
func (s *selection) settle() error {
	var items []item
	total := 0
	for i, p := range s.pending {
		if p.why == "" && p.c.score > 0 && p.c.tokens <= s.r.budget {
			items = append(items, item{at: i, tokens: p.c.tokens, score: p.c.score})
			total += p.c.tokens
		}
	}
	in := make([]bool, len(s.pending))
	if total <= s.r.budget {
		for _, it := range items {
			in[it.at] = true
		}
	} else {
		items = items[:min(len(items), max(1, optimalWork/max(s.r.budget, 1)))]
		if err := s.r.corp.env.Memory.Grow(bestSetBytes(len(items), s.r.budget)); err != nil {
			return err
		}
		for _, i := range bestSet(items, s.r.budget) {
			in[items[i].at] = true
		}
		s.r.corp.env.Memory.Grow(-bestSetBytes(len(items), s.r.budget))
	}
	for i, p := range s.pending {
		if in[i] {
			s.used += p.c.tokens
		}
	}
	for i, p := range s.pending {
		s.judge(p, in[i])
	}
	return nil
}

// judge visits a candidate after the decision on the best set.
func (s *selection) judge(p pending, best bool) {
	switch {
	case p.why != "":
		s.visit(p.c, false, p.why)
	case best:
		s.visit(p.c, true, whyBest)
	case s.fits(p.c):
		s.used += p.c.tokens
		s.visit(p.c, true, whyFits)
	default:
		s.truncated = true
		why := whyNotBest
		if p.c.tokens > s.r.budget || s.r.budget == 0 {
			why = whyTooLarge
		}
		s.visit(p.c, false, why)
	}
}

// item is a candidate for the best set.
type item struct {
	at     int
	tokens int
	score  float64
}

// bestSetBytes is the memory that bestSet takes.
func bestSetBytes(n, budget int) int64 {
	return int64(budget+1)*8 + int64(n)*int64(budget/64+1)*8
}

// bestSet solves the knapsack problem: which items have the highest sum of scores within the budget. Of equal sets the one with the earlier
// items is taken.
func bestSet(items []item, budget int) []int {
	sum := make([]float64, budget+1) // best sum within so many tokens, of the items looked at
	words := budget/64 + 1
	taken := make([]uint64, len(items)*words)
	for i := len(items) - 1; i >= 0; i-- {
		it, bits := items[i], taken[i*words:(i+1)*words]
		for w := budget; w >= it.tokens; w-- {
			if with := sum[w-it.tokens] + it.score; with >= sum[w] {
				sum[w] = with
				bits[w/64] |= 1 << (w % 64)
			}
		}
	}
	var out []int
	for i, w := 0, budget; i < len(items); i++ {
		if taken[i*words+w/64]&(1<<(w%64)) != 0 {
			out = append(out, i)
			w -= items[i].tokens
		}
	}
	return out
}
