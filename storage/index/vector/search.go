package vector

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

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
	bound   float32     // rows hardly nearer than this are not named any more
	limit   float32     // rows hardly nearer than this are not in the queue
	queue   []candidate // those that may be among the nearest, as a heap with the one that may be nearest first
	blocks  []numbered  // in the order of their numbers
	from    *finder
	index   *Index
	view    index.View
	Scanned int // codes that were compared
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
	// Uncompared names all rows that may be found and have a vector, without a look at their codes: for few of them that know better.
	Uncompared bool
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
	q, ok, err := p.newQuery(x, errorScale(o.Recall))
	if err != nil || !ok {
		return nil, err
	}
	f := &finder{q: q, k: o.K, only: o.Only, uncompared: o.Uncompared, zeroIsApart: o.ZeroIsApart}
	if err := m.changed(ctx, v, gathered, f); err != nil {
		return nil, err
	}
	blocks, err := m.readBlocks(ctx, v, f)
	if err != nil {
		return nil, err
	}
	parts, err := f.scan(ctx, blocks)
	if err != nil {
		return nil, err
	}
	s := f.finish(m.metric, parts)
	s.blocks, s.from, s.index, s.view = blocks, f, m, v
	return s, nil
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

// numbered is a block with its number.
type numbered struct {
	n uint64
	block
}

// readBlocks opens the blocks in which there are rows that may be found.
func (m *Index) readBlocks(ctx context.Context, v index.View, f *finder) ([]numbered, error) {
	var all []numbered
	it := v.Scan(ctx, blockRange(m.x.Storage))
	defer it.Close()
	for it.Next() {
		k := it.Key()
		if len(k) != kv.PrefixLen+9 {
			return nil, damaged("block")
		}
		n := numberIn(k)
		if f.only != nil && !slices.ContainsFunc(f.only.block(n), func(w uint64) bool { return w != 0 }) {
			continue
		}
		b, err := f.q.readBlock(it.Value())
		if err != nil {
			return nil, err
		}
		all = append(all, numbered{n, b})
	}
	return all, it.Err()
}

// scan compares all codes, on several processors when there are many.
func (f *finder) scan(ctx context.Context, all []numbered) ([]*part, error) {
	const least = 40 // blocks that are worth a goroutine
	workers := max(1, min(runtime.GOMAXPROCS(0), len(all)/least))
	parts := make([]*part, workers)
	f.shared.Store(math.Float32bits(zeroCode))
	var wg sync.WaitGroup
	for i := range parts {
		mine := all[len(all)*i/workers : len(all)*(i+1)/workers]
		parts[i] = &part{finder: f, terms: f.q.terms, rows: takeRoom()}
		parts[i].limit = zeroCode
		if i == workers-1 {
			parts[i].blocks(ctx, mine)
			break
		}
		wg.Go(func() { parts[i].blocks(ctx, mine) })
	}
	wg.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return parts, parts[0].deltas()
}

// finder is what the parts of a search share.
type finder struct {
	q    *query
	k    int
	only *Set
	// these are of Options
	uncompared, zeroIsApart bool
	changed                 map[uint64][]byte // what deltas say by ordinal, empty for a removed row
	// shared is the least of the parts' limits, as the bits of a float32: what is enough for one is enough for all.
	shared atomic.Uint32
}

// lower makes the parts' limit f if that is less, and gives the lesser.
func (f *finder) lower(limit float32) float32 {
	for {
		bits := f.shared.Load()
		if old := math.Float32frombits(bits); old <= limit {
			return old
		}
		if f.shared.CompareAndSwap(bits, math.Float32bits(limit)) {
			return limit
		}
	}
}

// part is a share of the codes.
type part struct {
	*finder
	terms             // the limit is the greatest of most when there are k, else infinite: rows hardly nearer don't count
	most    []float32 // the k least upper bounds, as a heap with the greatest first
	rows    []candidate
	scanned int
	leasts  [groupRows]float32
}

func (p *part) blocks(ctx context.Context, all []numbered) {
	for i := range all {
		if ctx.Err() != nil {
			return
		}
		p.limit = p.lower(p.limit)
		p.block(&all[i])
	}
}

func (p *part) block(b *numbered) {
	only := p.only.block(b.n)
	size := p.q.groupLen()
	for g := range groupsOf(b.slots) {
		rows := b.present[g]
		if p.only != nil {
			if g >= len(only) {
				return
			}
			rows &= only[g]
		}
		if len(p.changed) > 0 {
			rows = p.without(b.n*blockRows+uint64(g*groupRows), rows)
		}
		if p.uncompared {
			p.name(b.n*blockRows+uint64(g*groupRows), rows)
		} else if rows != 0 {
			p.scanned += bits.OnesCount64(rows)
			p.group(b.n*blockRows+uint64(g*groupRows), b.groups[g*size:(g+1)*size], rows)
		}
	}
}

// anyLeast is of a row that nothing is known of.
var anyLeast = float32(math.Inf(-1))

// name keeps rows of a group, which begins with first, whatever their codes say.
func (p *part) name(first, rows uint64) {
	for ; rows != 0; rows &= rows - 1 {
		p.rows = append(p.rows, candidate{anyLeast, first + uint64(bits.TrailingZeros64(rows))})
	}
}

// without takes the rows of a group, which begins with first, out that deltas say something newer of.
func (p *part) without(first, rows uint64) uint64 {
	for left := rows; left != 0; left &= left - 1 {
		i := bits.TrailingZeros64(left)
		if _, newer := p.changed[first+uint64(i)]; newer {
			rows &^= 1 << i
		}
	}
	return rows
}

// group considers rows of a group.
func (p *part) group(first uint64, group []byte, rows uint64) {
	near := leasts(group, p.q.tables, &p.terms, &p.leasts)
	factors := Floats(group[:groupFactors])
	if p.zeroIsApart {
		for left := rows; left != 0; left &= left - 1 {
			if i := bits.TrailingZeros64(left); factors[i] == zeroCode {
				p.leasts[i] = p.q.metric.key(1)
				near |= 1 << i
			}
		}
	}
	for near &= rows; near != 0; near &= near - 1 {
		i := bits.TrailingZeros64(near)
		p.consider(first+uint64(i), p.leasts[i], p.leasts[i]+2*factors[2*groupRows+i]*p.off)
	}
}

// deltas considers the rows that are not in blocks.
func (p *part) deltas() error {
	for ordinal, code := range p.changed {
		if len(code) == 0 || p.only != nil && !p.only.Has(ordinal) {
			continue
		}
		if len(code) < p.q.codeLen() {
			return damaged("delta")
		}
		if p.uncompared {
			p.name(ordinal, 1)
			continue
		}
		f := Floats(code[:factorLen])
		p.scanned++
		least := p.least(f[0], f[1], f[2], p.q.product(code[factorLen:p.q.codeLen()]))
		if p.zeroIsApart && f[0] == zeroCode {
			least = p.q.metric.key(1)
		}
		p.consider(ordinal, least, least+2*f[2]*p.off)
	}
	return nil
}

// consider keeps a row, whose distance lies between least and most, if it may be among the k nearest of those seen so far.
func (p *part) consider(ordinal uint64, least, most float32) {
	if !(least <= p.limit) {
		return
	}
	p.rows = append(p.rows, candidate{least, ordinal})
	if most < zeroCode {
		if p.most = keepLeast(p.most, p.k, most); len(p.most) == p.k && p.k > 0 {
			p.limit = min(p.limit, p.most[0])
		}
	}
}

// room keeps the memory of candidates for the next search.
var room = sync.Pool{New: func() any { return new([]candidate) }}

func takeRoom() []candidate { return (*room.Get().(*[]candidate))[:0] }

// giveRoom takes memory back that nobody looks at any more.
func giveRoom(c []candidate) {
	const most = 1 << 16
	if cap(c) <= most {
		room.Put(&c)
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
	all := 0
	for _, p := range parts {
		all += len(p.rows)
	}
	s.queue = make([]candidate, 0, all)
	for _, p := range parts {
		for _, c := range p.rows {
			if c.least <= limit {
				s.queue = append(s.queue, c)
			}
		}
	}
	for _, p := range parts {
		giveRoom(p.rows)
		p.rows = nil
	}
	s.limit, s.bound = limit, zeroCode
	for i := len(s.queue)/2 - 1; i >= 0; i-- {
		s.sink(i)
	}
	return s
}

func (c candidate) before(d candidate) bool {
	return c.least < d.least || c.least == d.least && c.ordinal < d.ordinal
}

// sink moves the candidate at i of the queue down to where the order of a heap wants it.
func (s *Search) sink(i int) {
	q := s.queue
	c := q[i]
	for {
		next := 2*i + 1
		if next >= len(q) {
			break
		}
		if next+1 < len(q) && q[next+1].before(q[next]) {
			next++
		}
		if !q[next].before(c) {
			break
		}
		q[i], i = q[next], next
	}
	q[i] = c
}

// Next appends up to n further ordinals that may be among the nearest; none when all have been given.
func (s *Search) Next(dst []uint64, n int) []uint64 {
	for ; n > 0 && len(s.queue) > 0; n-- {
		c := s.queue[0]
		if c.least > s.bound {
			s.queue = nil
			break
		}
		last := len(s.queue) - 1
		s.queue[0] = s.queue[last]
		if s.queue = s.queue[:last]; last > 0 {
			s.sink(0)
		}
		dst = append(dst, c.ordinal)
	}
	return dst
}

// RowKey gives the key of the row with an ordinal that Next gave. It is valid as long as the view.
func (s *Search) RowKey(ctx context.Context, ordinal uint64) ([]byte, error) {
	if s.index.ordinals.Hidden() {
		return key.AppendHiddenRowKey(nil, ordinal), nil
	}
	if code, ok := s.from.changed[ordinal]; ok {
		if n := s.from.q.codeLen(); len(code) > n {
			return code[n:], nil
		}
	} else if i, ok := slices.BinarySearchFunc(s.blocks, ordinal/blockRows, func(b numbered, n uint64) int { return cmp.Compare(b.n, n) }); ok {
		if k := s.blocks[i].key(int(ordinal % blockRows)); len(k) > 0 {
			return k, nil
		}
	}
	return s.index.ordinals.RowKey(ctx, s.view, ordinal) // an earlier version has written the row
}

// Found tells the distance of a row that counts: one that Next gave and that satisfies what is asked for.
func (s *Search) Found(distance float64) {
	d := s.metric.key(distance)
	if d != d {
		d = float32(math.Inf(1))
	}
	if s.found = keepLeast(s.found, s.k, d); len(s.found) == s.k && s.k > 0 {
		s.bound = min(s.bound, s.found[0])
	}
}

// Within tells that no row further away than a distance is wanted. All is false when not all of the nearer ones are named, because the
// search is for fewer.
func (s *Search) Within(distance float64) (all bool) {
	s.bound = min(s.bound, s.metric.key(distance))
	return s.bound <= s.limit
}

// FoundWithin tells that the k nearest rows are among the sketches: no row further away than they may be is asked for then.
func (s *Search) FoundWithin(near *Sketches) { s.bound = min(s.bound, near.limit) }

// Excludes tells whether the sketch of a row shows that it is further away than what is wanted.
func (s *Search) Excludes(near *Sketches, sketch string) bool {
	if len(sketch) != near.size {
		return false
	}
	least, _ := near.bounds(sketch)
	return least > s.bound
}

// Enough tells whether as many rows were found as asked for.
func (s *Search) Enough() bool { return len(s.found) == s.k }
