package vector

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"runtime"
	"slices"
	"sync"

	"github.com/omgdb/omgdb/storage/index"
	"github.com/omgdb/omgdb/storage/key"
	"github.com/omgdb/omgdb/storage/kv"
)

// Set is a set of ordinals.
type Set struct {
	words []uint64
	n     int
}

// Add adds an ordinal.
func (s *Set) Add(ordinal uint64) {
	w := int(ordinal / 64)
	if w >= len(s.words) {
		s.words = append(s.words, make([]uint64, w+1-len(s.words))...)
	}
	if s.words[w]>>(ordinal%64)&1 == 0 {
		s.words[w] |= 1 << (ordinal % 64)
		s.n++
	}
}

// Len counts the set.
func (s *Set) Len() int { return s.n }

// Has tells whether an ordinal is in the set.
func (s *Set) Has(ordinal uint64) bool {
	w := ordinal / 64
	return w < uint64(len(s.words)) && s.words[w]>>(ordinal%64)&1 != 0
}

// block gives the words of a block's ordinals; nil when it has none.
func (s *Set) block(n uint64) []uint64 {
	const per = blockRows / 64
	if s == nil || n*per >= uint64(len(s.words)) {
		return nil
	}
	return s.words[n*per : min((n+1)*per, uint64(len(s.words)))]
}

// Search finds the rows nearest to a vector: it gives ordinals in the order in which they may be the nearest, and is told the distances
// that their rows have. One goroutine uses it.
type Search struct {
	metric  Metric
	k       int
	found   []float32   // the k least distances told, as a heap with the greatest first
	queue   []candidate // those that may be among the nearest, the one that may be nearest last
	Scanned int         // codes that were compared
}

type candidate struct {
	least   float32 // the row is hardly nearer than this
	ordinal uint64
}

// Options steer a search.
type Options struct {
	K      int
	Recall float64
	Only   *Set // the rows that may be found; nil for all
	// ZeroIsApart counts the distance of a zero vector as 1 instead of as none, as the scores of texts do.
	ZeroIsApart bool
}

// Search begins a search near x in what the view shows. It is nil when the index cannot tell: all rows are equally far, the distance is
// not one that is estimated, or another model has made the vectors. A vector of other dimensions is 22000.
func (m *Index) Search(ctx context.Context, v index.View, x []float32, o Options) (*Search, error) {
	if m.metric == 0 {
		return nil, nil
	}
	p, gathered, err := m.state(ctx, v)
	if err != nil {
		return nil, err
	}
	if foreign, err := m.foreign(ctx, v, p); foreign || err != nil {
		return nil, err
	}
	q, ok, err := p.newQuery(x)
	if err != nil || !ok {
		return nil, err
	}
	f := finder{q: q, scale: errorScale(o.Recall), k: o.K, only: o.Only, zeroIsApart: o.ZeroIsApart}
	if err := m.changed(ctx, v, gathered, &f); err != nil {
		return nil, err
	}
	parts, err := m.scanBlocks(ctx, v, &f)
	if err != nil {
		return nil, err
	}
	return f.finish(m.metric, parts), nil
}

// changed reads the deltas that are not in blocks yet, the transaction's own last: the newest of a row counts.
func (m *Index) changed(ctx context.Context, v index.View, gathered kv.LSN, f *finder) error {
	f.changed = map[uint64][]byte{}
	it := v.Scan(ctx, key.Deltas(key.Vector, m.x.Storage, gathered, v.LSN()))
	defer it.Close()
	for it.Next() {
		_, ordinal, err := key.SplitDelta(it.Key())
		if err != nil {
			return err
		}
		f.changed[ordinal] = it.Value()
	}
	if it.Err() != nil {
		return it.Err()
	}
	return v.Own(key.Deltas(key.Vector, m.x.Storage, key.Unstamped-1, key.Unstamped), func(k, code []byte) error {
		_, ordinal, err := key.SplitDelta(k)
		f.changed[ordinal] = code
		return err
	})
}

// numbered is a block's value with its number.
type numbered struct {
	n uint64
	v []byte
}

// scanBlocks compares all codes, on several processors when there are many.
func (m *Index) scanBlocks(ctx context.Context, v index.View, f *finder) ([]*part, error) {
	var all []numbered
	it := v.Scan(ctx, blockRange(m.x.Storage))
	defer it.Close()
	for it.Next() {
		k := it.Key()
		if len(k) != kv.PrefixLen+9 {
			return nil, damaged("block")
		}
		n := uint64(0)
		for _, c := range k[kv.PrefixLen+1:] {
			n = n<<8 | uint64(c)
		}
		if f.only == nil || slices.ContainsFunc(f.only.block(n), func(w uint64) bool { return w != 0 }) {
			all = append(all, numbered{n, it.Value()})
		}
	}
	if it.Err() != nil {
		return nil, it.Err()
	}
	const least = 32 // blocks that are worth a goroutine
	workers := max(1, min(runtime.GOMAXPROCS(0), len(all)/least))
	parts, errs := make([]*part, workers), make([]error, workers)
	var wg sync.WaitGroup
	for i := range parts {
		mine := all[len(all)*i/workers : len(all)*(i+1)/workers]
		parts[i] = &part{finder: f, limit: zeroCode}
		if i == workers-1 {
			errs[i] = parts[i].blocks(ctx, mine)
			break
		}
		wg.Go(func() { errs[i] = parts[i].blocks(ctx, mine) })
	}
	wg.Wait()
	if err := parts[0].deltas(); err != nil {
		return nil, err
	}
	return parts, cmp.Or(errs...)
}

// finder is what the parts of a search share.
type finder struct {
	q     *query
	scale float32
	k     int
	only  *Set
	// zeroIsApart is of Options.
	zeroIsApart bool
	changed     map[uint64][]byte // codes of deltas by ordinal, empty for a removed row
}

// part is a share of the codes.
type part struct {
	*finder
	most    []float32 // the k least upper bounds, as a heap with the greatest first
	rows    []candidate
	limit   float32 // the greatest of most when there are k, else infinite: rows hardly nearer don't count
	scanned int
	dots    [blockRows]int32
	least   [blockRows]float32
}

func (p *part) blocks(ctx context.Context, all []numbered) error {
	for _, b := range all {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		if err := p.block(b); err != nil {
			return err
		}
	}
	return nil
}

func (p *part) block(nb numbered) error {
	b, err := p.q.readBlock(nb.v)
	if err != nil {
		return err
	}
	var rows [blockRows / 64]uint64
	n := 0
	only := p.only.block(nb.n)
	for w, present := range b.present {
		if p.only != nil {
			if w >= len(only) {
				break
			}
			present &= only[w]
		}
		rows[w] = present
		n += bits.OnesCount64(present)
	}
	if n -= p.drop(nb.n, &rows); n < b.slots/sparse {
		p.some(nb.n, &b, &rows)
	} else {
		p.many(nb.n, &b, &rows)
	}
	p.scanned += n
	return nil
}

// sparse is the part of a block's slots below which the product of each row by itself is faster than of all.
const sparse = 6

// drop takes the rows out that have a newer code among the deltas, and counts them.
func (p *part) drop(block uint64, rows *[blockRows / 64]uint64) (n int) {
	if len(p.changed) == 0 {
		return 0
	}
	for w := range rows {
		for left := rows[w]; left != 0; left &= left - 1 {
			i := bits.TrailingZeros64(left)
			if _, newer := p.changed[block*blockRows+uint64(64*w+i)]; newer {
				rows[w] &^= 1 << i
				n++
			}
		}
	}
	return n
}

// some considers a few rows of a block.
func (p *part) some(block uint64, b *block, rows *[blockRows / 64]uint64) {
	words := p.q.words()
	for w, left := range rows {
		for ; left != 0; left &= left - 1 {
			i := 64*w + bits.TrailingZeros64(left)
			dots(b.codes[i*words:(i+1)*words], p.q.planes, words, p.dots[:1])
			p.consider(block*blockRows+uint64(i), b.factors[0][i], b.factors[1][i], b.factors[2][i], b.factors[3][i], p.dots[0])
		}
	}
}

// many considers most rows of a block.
func (p *part) many(block uint64, b *block, rows *[blockRows / 64]uint64) {
	dots(b.codes, p.q.planes, p.q.words(), p.dots[:b.slots])
	p.q.leasts(b, p.dots[:b.slots], p.scale, p.least[:b.slots])
	for w, left := range rows {
		for ; left != 0; left &= left - 1 {
			i := 64*w + bits.TrailingZeros64(left)
			if p.least[i] <= p.limit || p.zeroIsApart && b.factors[0][i] == zeroCode {
				p.consider(block*blockRows+uint64(i), b.factors[0][i], b.factors[1][i], b.factors[2][i], b.factors[3][i], p.dots[i])
			}
		}
	}
}

// deltas considers the rows that are not in blocks.
func (p *part) deltas() error {
	for ordinal, code := range p.changed {
		if len(code) == 0 || p.only != nil && !p.only.Has(ordinal) {
			continue
		}
		if len(code) != p.q.codeLen() {
			return damaged("delta")
		}
		f, w := Floats(code[:factorLen]), words(code[factorLen:])
		var dot [1]int32
		dots(w, p.q.planes, p.q.words(), dot[:])
		p.scanned++
		p.consider(ordinal, f[0], f[1], f[2], f[3], dot[0])
	}
	return nil
}

// consider keeps a row that may be among the k nearest of those seen so far.
func (p *part) consider(ordinal uint64, base, weight, dev, set float32, dot int32) {
	estimate, off := p.q.bounds(base, weight, dev, set, dot)
	if off *= p.scale; base == zeroCode && p.zeroIsApart {
		estimate, off = p.q.metric.key(1), 0
	}
	if !(estimate-off <= p.limit) {
		return
	}
	p.rows = append(p.rows, candidate{estimate - off, ordinal})
	if estimate < zeroCode {
		if p.most = keepLeast(p.most, p.k, estimate+off); len(p.most) == p.k && p.k > 0 {
			p.limit = p.most[0]
		}
	}
}

// keepLeast adds f to a heap of the k least numbers, the greatest first.
func keepLeast(h []float32, k int, f float32) []float32 {
	if len(h) < k {
		h = append(h, f)
		for i := len(h) - 1; i > 0; {
			up := (i - 1) / 2
			if h[up] >= h[i] {
				break
			}
			h[up], h[i], i = h[i], h[up], up
		}
		return h
	}
	if k == 0 || f >= h[0] {
		return h
	}
	h[0] = f
	for i := 0; ; {
		big := 2*i + 1
		if big >= len(h) {
			return h
		}
		if big+1 < len(h) && h[big+1] > h[big] {
			big++
		}
		if h[i] >= h[big] {
			return h
		}
		h[i], h[big], i = h[big], h[i], big
	}
}

// finish puts the candidates of all parts in order.
func (f *finder) finish(metric Metric, parts []*part) *Search {
	s := &Search{metric: metric, k: f.k}
	var most []float32
	for _, p := range parts {
		s.Scanned += p.scanned
		for _, u := range p.most {
			most = keepLeast(most, f.k, u)
		}
	}
	limit := zeroCode
	if len(most) == f.k && f.k > 0 {
		limit = most[0]
	}
	for _, p := range parts {
		for _, c := range p.rows {
			if c.least <= limit {
				s.queue = append(s.queue, c)
			}
		}
	}
	slices.SortFunc(s.queue, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.least, a.least), cmp.Compare(b.ordinal, a.ordinal))
	})
	return s
}

// Next appends up to n further ordinals that may be among the nearest; none when all have been given.
func (s *Search) Next(dst []uint64, n int) []uint64 {
	for ; n > 0 && len(s.queue) > 0; n-- {
		last := len(s.queue) - 1
		c := s.queue[last]
		if len(s.found) == s.k && s.k > 0 && c.least > s.found[0] {
			s.queue = nil
			break
		}
		s.queue = s.queue[:last]
		dst = append(dst, c.ordinal)
	}
	return dst
}

// Found tells the distance of a row that counts: one that Next gave and that satisfies what is asked for.
func (s *Search) Found(distance float64) {
	d := s.metric.key(distance)
	if d != d {
		d = float32(math.Inf(1))
	}
	s.found = keepLeast(s.found, s.k, d)
}

// Enough tells whether as many rows were found as asked for.
func (s *Search) Enough() bool { return len(s.found) == s.k }
