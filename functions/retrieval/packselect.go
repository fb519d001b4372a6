package retrieval

import (
	"context"
	"strings"
	"unicode"

	"github.com/omgdb/omgdb/functions/embed"
	"github.com/omgdb/omgdb/storage/index/vector"
)

// Why a candidate is in a pack or not.
const (
	whyFits      = "fits the budget"
	whyTooLarge  = "too large for the whole budget"
	whyNoRoom    = "too large for the rest of the budget"
	whyAfter     = "after the first chunk that did not fit"
	whySame      = "the same text as a better chunk"
	whyEnough    = "enough chunks of its document"
	whyContained = "part of a chunk that is included"
	whyBest      = "part of the best set"
	whyNotBest   = "others together are worth more"
)

// visit is told of each candidate in turn, whether it is in, and why.
type visit func(c *chunk, in bool, why string)

// choose decides on the candidates. With everything, all of them are visited; otherwise it ends when nothing more can get in.
func (r *request) choose(ctx context.Context, everything bool, v visit) (truncated bool, err error) {
	s := &selection{r: r, everything: everything, visit: v, perDoc: map[string]int{}, taken: map[string][]textSpan{}, texts: map[string]bool{}}
	walk := r.walk
	if r.opt.diversity > 0 {
		walk = r.walkDiverse
	}
	if r.opt.packing != packOptimal {
		err = walk(ctx, s.offer)
		return s.truncated, err
	}
	if err = walk(ctx, s.collect); err == nil {
		err = s.settle()
	}
	return s.truncated, err
}

// selection is the state of filling one pack.
type selection struct {
	r          *request
	everything bool
	visit      visit
	used       int
	full       bool // of packPrefix: something did not fit
	truncated  bool
	perDoc     map[string]int        // chunks included, by row
	taken      map[string][]textSpan // pieces included, by row
	texts      map[string]bool       // plain forms of the texts seen
	pending    []pending             // of packOptimal
}

// offer decides on a candidate at once; more is false when nothing can change any more.
func (s *selection) offer(c *chunk) (more bool, err error) {
	if why := s.unwanted(c); why != "" {
		s.visit(c, false, why)
		return true, nil
	}
	fits := !s.full && s.fits(c)
	if fits && s.r.opt.neighbors > 0 {
		if err := s.widen(c); err != nil {
			return false, err
		}
	}
	if fits {
		s.take(c)
		s.visit(c, true, whyFits)
		return true, nil
	}
	why := whyNoRoom
	switch {
	case c.tokens > s.r.budget || s.r.budget == 0:
		why = whyTooLarge
	case s.full:
		why = whyAfter
	}
	s.truncated, s.full = true, s.r.opt.packing == packPrefix
	s.visit(c, false, why)
	return s.everything || !s.full && s.used < s.r.budget, nil
}

func (s *selection) fits(c *chunk) bool { return s.r.budget > 0 && s.used+c.tokens <= s.r.budget }

// unwanted says why a candidate is out whatever the budget is.
func (s *selection) unwanted(c *chunk) string {
	for _, t := range s.taken[c.key] {
		if c.span.start >= t.start && c.span.end <= t.end {
			return whyContained
		}
	}
	if s.r.opt.maxPerDoc > 0 && s.perDoc[c.key] >= s.r.opt.maxPerDoc {
		return whyEnough
	}
	if s.r.opt.dedupe {
		form := plainForm(c.text)
		if s.texts[form] {
			return whySame
		}
		s.texts[form] = true
	}
	return ""
}

// plainForm is the form in which texts count as the same: letters without case, blanks as one.
func plainForm(t string) string {
	return strings.Join(strings.FieldsFunc(embed.Lower(t), unicode.IsSpace), " ")
}

func (s *selection) take(c *chunk) {
	s.used += c.tokens
	s.perDoc[c.key]++
	if s.r.opt.split != nil {
		s.taken[c.key] = append(s.taken[c.key], c.span)
	}
}

// widen lets the pieces around a chunk come along, as many on each side as asked for while they fit and are not in the pack yet.
func (s *selection) widen(c *chunk) error {
	if s.r.opt.split == nil {
		return nil
	}
	if c.of.pieces == nil {
		c.of.pieces = s.r.opt.split(c.of.text)
	}
	first := 0
	for first < len(c.of.pieces) && c.of.pieces[first].start < c.span.start {
		first++
	}
	last := first
	for range s.r.opt.neighbors {
		for _, side := range []int{-1, 1} {
			f, l := first+min(side, 0), last+max(side, 0)
			if f < 0 || l >= len(c.of.pieces) {
				continue
			}
			wider := *c
			wider.span = textSpan{c.of.pieces[f].start, c.of.pieces[l].end}
			if s.overlaps(&wider) {
				continue
			}
			if err := s.r.measure(&wider); err != nil {
				return err
			}
			if s.fits(&wider) {
				*c, first, last = wider, f, l
			}
		}
	}
	return nil
}

func (s *selection) overlaps(c *chunk) bool {
	for _, t := range s.taken[c.key] {
		if c.span.start < t.end && t.start < c.span.end {
			return true
		}
	}
	return false
}

// diverseDepth is how many of the best candidates are put into another order for diversity.
const diverseDepth = 200

// walkDiverse is walk with the best candidates in the order of maximal marginal relevance (Carbonell and Goldstein 1998): each next one has
// the highest score less its likeness to those before it, weighed by diversity. Scores count relative to the best one.
func (r *request) walkDiverse(ctx context.Context, fn func(c *chunk) (bool, error)) error {
	var head []*chunk
	more := true
	flush := func() error {
		ordered, err := r.diversify(ctx, head)
		for _, c := range ordered {
			if err == nil && more {
				more, err = fn(c)
			}
		}
		head = nil
		return err
	}
	n := 0
	err := r.walk(ctx, func(c *chunk) (bool, error) {
		if n++; n > diverseDepth {
			return fn(c)
		}
		head = append(head, c)
		if n < diverseDepth {
			return true, nil
		}
		err := flush()
		return more, err
	})
	if err != nil || head == nil {
		return err
	}
	return flush()
}

func (r *request) diversify(ctx context.Context, list []*chunk) ([]*chunk, error) {
	texts := make([]string, len(list))
	best := 0.0
	for i, c := range list {
		texts[i] = c.text
		best = max(best, c.score)
	}
	vecs, err := r.opt.embedder.Embed(ctx, texts)
	if err != nil {
		return nil, err
	}
	if best == 0 {
		best = 1
	}
	likeness := make([]float64, len(list)) // to the most alike of those chosen
	chosen := make([]bool, len(list))
	out := make([]*chunk, 0, len(list))
	for range list {
		next, worth := -1, 0.0
		for i, c := range list {
			if w := (1-r.opt.diversity)*c.score/best - r.opt.diversity*likeness[i]; !chosen[i] && (next < 0 || w > worth) {
				next, worth = i, w
			}
		}
		chosen[next] = true
		out = append(out, list[next])
		for i := range list {
			if !chosen[i] {
				likeness[i] = max(likeness[i], float64(vector.Cosine(vecs[next], vecs[i])))
			}
		}
	}
	return out, nil
}
