package fulltext

import (
	"cmp"
	"context"
	"slices"

	"github.com/omgdb/omgdb/storage/index/postings"
)

// walk goes through one layer document by document. What cannot be among the best is passed over: lists that only matter beside others
// are looked into when a document of the others has come far enough (MaxScore, Turtle and Flood 1995), and ranges in which the blocks'
// bounds do not add up to the threshold are skipped (Ding and Suel 2011).
type walk struct {
	s     *Search
	layer *postings.Layer
	all   []*postings.Cursor // by clause

	musts    []option // required clauses, the rarest first
	nots     []*postings.Cursor
	required []*postings.Cursor // of musts
	options  []option           // optional clauses, by bound, ascending
	checked  int64              // up to this ordinal blocks were found good enough
	steps    int
}

// option is a clause that adds to the score.
type option struct {
	cur   *postings.Cursor
	idf   float64
	bound float64 // of a document's score here
	upto  float64 // sum of the bounds of this option and those before it
}

// slack covers what rounding adds to sums of bounds.
const slack = 1 + 1e-9

func newWalk(s *Search, l *postings.Layer, cursors []*postings.Cursor) *walk {
	w := &walk{s: s, layer: l, all: cursors, checked: -1}
	for i, c := range s.query.Clauses {
		switch {
		case c.Occur == MustNot:
			w.nots = append(w.nots, cursors[i])
		case c.Occur == Must:
			w.musts = append(w.musts, option{cur: cursors[i], idf: s.idf[i]})
		default:
			w.options = append(w.options, option{cur: cursors[i], idf: s.idf[i], bound: s.bound(cursors[i], s.idf[i])})
		}
	}
	slices.SortStableFunc(w.musts, func(a, b option) int { return cmp.Compare(a.cur.Len(), b.cur.Len()) })
	for _, m := range w.musts {
		w.required = append(w.required, m.cur)
	}
	slices.SortStableFunc(w.options, func(a, b option) int { return cmp.Compare(a.bound, b.bound) })
	sum := 0.0
	for i := range w.options {
		sum += w.options[i].bound
		w.options[i].upto = sum * slack
	}
	return w
}

// bound is what a list gives a document at most.
func (s *Search) bound(c *postings.Cursor, idf float64) float64 {
	if c.Len() == 0 {
		return 0
	}
	most := 0.0
	if c.Peaks(func(p postings.Peak) { most = max(most, s.peak(p, idf)) }) {
		return most
	}
	return idf * (s.Params.K1 + 1)
}

func (s *Search) peak(p postings.Peak, idf float64) float64 {
	if p.Count == 0 {
		return idf * (s.Params.K1 + 1)
	}
	return s.Params.Score(idf, int64(p.Count), int64(p.Length), s.stats)
}

func (w *walk) run(ctx context.Context) error {
	if len(w.musts) > 0 {
		return w.conjunction(ctx)
	}
	return w.disjunction(ctx)
}

// rest counts steps and looks now and then whether to go on.
func (w *walk) rest(ctx context.Context) error {
	w.s.Visited++
	if w.steps++; w.steps&4095 == 0 && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// conjunction visits the documents that have all required clauses.
func (w *walk) conjunction(ctx context.Context) error {
	for d := uint32(0); ; d++ {
		if d = meet(w.required, d); d == postings.End {
			return nil
		}
		if err := w.rest(ctx); err != nil {
			return err
		}
		if next := w.hopeless(d, 0); next > d {
			d = next - 1
			continue
		}
		for i := range w.options {
			w.options[i].cur.Seek(d)
		}
		if err := w.offer(ctx, d); err != nil {
			return err
		}
	}
}

// hopeless gives the ordinal behind the range of blocks from d on in which no document can reach the threshold, or d when one may. The
// options before first count with their whole bound.
func (w *walk) hopeless(d uint32, first int) uint32 {
	threshold := w.s.best.threshold()
	if threshold < 0 || int64(d) <= w.checked {
		return d
	}
	sum, upto := 0.0, uint32(postings.End)
	add := func(c *postings.Cursor, idf float64) {
		if p, ok := c.Peak(d); ok {
			sum += w.s.peak(p, idf)
			upto = min(upto, p.Last)
		}
	}
	if first > 0 {
		sum = w.options[first-1].upto
	}
	for i := range w.musts {
		add(w.musts[i].cur, w.musts[i].idf)
	}
	for i := first; i < len(w.options); i++ {
		add(w.options[i].cur, w.options[i].idf)
	}
	if sum*slack < threshold && upto != postings.End {
		return upto + 1
	}
	w.checked = int64(upto)
	return d
}

// essential gives the number of the first part that alone, with those before it, may reach the threshold.
func (w *walk) essential() int {
	threshold := w.s.best.threshold()
	i := 0
	for i < len(w.options) && w.options[i].upto < threshold {
		i++
	}
	return i
}

// disjunction visits the documents that have any clause.
func (w *walk) disjunction(ctx context.Context) error {
	first := w.essential()
	last := w.s.best.threshold()
	for {
		if t := w.s.best.threshold(); t != last {
			last = t
			first = w.essential()
		}
		d := uint32(postings.End)
		for i := first; i < len(w.options); i++ {
			d = min(d, w.options[i].cur.Ordinal)
		}
		if d == postings.End {
			return nil
		}
		if err := w.rest(ctx); err != nil {
			return err
		}
		if next := w.hopeless(d, first); next > d {
			for i := first; i < len(w.options); i++ {
				w.options[i].cur.Seek(next)
			}
			continue
		}
		hope, err := w.reaches(ctx, d, first)
		if err == nil && hope {
			err = w.offer(ctx, d)
		}
		if err != nil {
			return err
		}
		for i := first; i < len(w.options); i++ {
			if c := w.options[i].cur; c.Ordinal == d {
				c.Next()
			}
		}
	}
}

// reaches tells whether document d may reach the threshold, and brings the parts that are not essential to it.
func (w *walk) reaches(ctx context.Context, d uint32, first int) (bool, error) {
	if w.layer.Dead(d) {
		return false, nil
	}
	threshold := w.s.best.threshold()
	if threshold < 0 {
		for i := range first {
			w.options[i].cur.Seek(d)
		}
		return true, nil
	}
	length, err := w.layer.Length(ctx, d)
	if err != nil {
		return false, err
	}
	sum := 0.0
	for i := len(w.options) - 1; i >= 0; i-- {
		p := &w.options[i]
		if i < first {
			if (sum+p.upto)*slack < threshold {
				return false, nil
			}
			p.cur.Seek(d)
		}
		if p.cur.Ordinal == d {
			sum += w.s.Params.Score(p.idf, int64(p.cur.Count), int64(length), w.s.stats)
		}
	}
	return sum*slack >= threshold, nil
}

// offer scores document d, in the order of clauses, and takes it if it is among the best. The cursors stand on it or behind.
func (w *walk) offer(ctx context.Context, d uint32) error {
	if w.layer.Dead(d) {
		return nil
	}
	for _, n := range w.nots {
		if n.Seek(d); n.Ordinal == d {
			return nil
		}
	}
	length, err := w.layer.Length(ctx, d)
	if err != nil {
		return err
	}
	c := candidate{layer: w.layer, ordinal: d}
	for i, cur := range w.all {
		if w.s.idf[i] > 0 && cur.Ordinal == d {
			c.score += w.s.Params.Score(w.s.idf[i], int64(cur.Count), int64(length), w.s.stats)
		}
	}
	ok, err := w.s.best.wants(ctx, &c)
	if err != nil || !ok {
		return err
	}
	if w.s.Accept != nil {
		if err := c.load(ctx); err != nil {
			return err
		}
		if ok, err = w.s.Accept(ctx, c.key); err != nil || !ok {
			return err
		}
	}
	w.s.best.take(c)
	return nil
}
