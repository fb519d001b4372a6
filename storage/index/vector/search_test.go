package vector

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// clustered makes n vectors of length 1 around some directions.
func clustered(rng *rand.Rand, n, dims, clusters int, spread float64) [][]float32 {
	centers := make([][]float32, clusters)
	for i := range centers {
		centers[i] = make([]float32, dims)
		for j := range centers[i] {
			centers[i][j] = float32(rng.NormFloat64())
		}
		Normalize(centers[i])
	}
	out := make([][]float32, n)
	for i := range out {
		c := centers[rng.IntN(clusters)]
		x := make([]float32, dims)
		for j := range x {
			x[j] = c[j] + float32(rng.NormFloat64()*spread/math.Sqrt(float64(dims)))
		}
		Normalize(x)
		out[i] = x
	}
	return out
}

func TestRotationKeepsProducts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, dims := range []int{1, 3, 64, 100, 384, 1000, 1536} {
		r := newRotation(dims)
		a, b := make([]float32, r.padded), make([]float32, r.padded)
		copy(a, random(rng, dims))
		copy(b, random(rng, dims))
		before := float64(Dot(a, b))
		size := math.Sqrt(squares(a) * squares(b))
		r.apply(a)
		r.apply(b)
		if after := float64(Dot(a, b)); math.Abs(after-before) > 1e-5*size {
			t.Errorf("%d dimensions: the product was %g and is %g", dims, before, after)
		}
	}
}

// TestKernels holds the kernels that score groups to their definitions.
func TestKernels(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, dims := range []int{1, 64, 65, 384, 1000, 2048, 4000, 16000} {
		p := &params{metric: ByL2, dims: dims, rot: newRotation(dims)}
		q, ok, err := p.newQuery(random(rng, dims), 2)
		if !ok || err != nil {
			t.Fatal(ok, err)
		}
		b, e := builder{p: p}, p.encoder()
		for i := range groupRows {
			b.codes[i] = e.append(nil, random(rng, dims))
		}
		blk, err := p.readBlock(b.value())
		if err != nil {
			t.Fatal(err)
		}
		var got, want [groupRows]uint16
		productsOf(blk.groups[groupFactors:], q.tables, &got)
		productsGeneric(blk.groups[groupFactors:], q.tables, &want)
		if got != want {
			t.Fatalf("%d dimensions: products %v, want %v", dims, got, want)
		}
		terms := q.terms
		terms.limit = q.least(1, 1, 1, want[0])
		var leasts1, leasts2 [groupRows]float32
		near1, near2 := leasts(blk.groups, q.tables, &terms, &leasts1), leastsGeneric(blk.groups, q.tables, &terms, &leasts2)
		if near1 != near2 || leasts1 != leasts2 {
			t.Fatalf("%d dimensions: %x and %v, want %x and %v", dims, near1, leasts1, near2, leasts2)
		}
		for i := range groupRows {
			code := p.appendCode(nil, &blk, i)
			if !bytes.Equal(code, b.codes[i]) {
				t.Fatalf("%d dimensions: code %d came back as %x, was %x", dims, i, code, b.codes[i])
			}
			if n := q.product(code[factorLen:]); n != want[i] {
				t.Fatalf("%d dimensions: the product of code %d is %d, in its group %d", dims, i, n, want[i])
			}
		}
	}
}

// TestBlocks writes blocks and reads them, of the present format and of the one before.
func TestBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	p := &params{metric: ByCosine, dims: 70, rot: newRotation(70)}
	e := p.encoder()
	for _, n := range []int{0, 1, 63, 64, 65, 700, blockRows} {
		b := builder{p: p}
		for i := range n {
			if i == n-1 || rng.IntN(3) > 0 {
				b.codes[i], b.keys[i] = e.append(nil, random(rng, 70)), bytes.Repeat([]byte{byte(i)}, rng.IntN(9))
			}
		}
		value := b.value()
		if n == 0 {
			if value != nil {
				t.Fatal("an empty block has a value")
			}
			continue
		}
		got, err := p.readBlock(value)
		if err != nil {
			t.Fatal(err)
		}
		old, err := p.readBlock(plainBlock(p, &b, n))
		if err != nil || !old.plain {
			t.Fatal(old.plain, err)
		}
		for i := range blockRows {
			if has := i < got.slots && got.has(i); has != (b.codes[i] != nil) || has != (i < old.slots && old.has(i)) {
				t.Fatalf("of %d: slot %d is there: %v", n, i, has)
			} else if has && (!bytes.Equal(p.appendCode(nil, &got, i), b.codes[i]) || !bytes.Equal(got.key(i), b.keys[i]) ||
				!bytes.Equal(p.appendCode(nil, &old, i), b.codes[i]) || old.key(i) != nil) {
				t.Fatalf("of %d: slot %d differs", n, i)
			}
		}
		for cut := range len(value) {
			if _, err := p.readBlock(value[:cut]); err == nil && cut != blockHead+groupsOf(got.slots)*p.groupLen() {
				t.Fatalf("a block of %d bytes, cut after %d, is read", len(value), cut)
			}
		}
	}
}

// plainBlock writes a block as earlier versions did.
func plainBlock(p *params, b *builder, n int) []byte {
	out := make([]byte, blockHead)
	binary.LittleEndian.PutUint16(out, uint16(n))
	code := func(i int) []byte {
		if b.codes[i] == nil {
			return make([]byte, p.codeLen())
		}
		out[8+i/8] |= 1 << (i % 8)
		return b.codes[i]
	}
	for f := range 4 {
		for i := range n {
			out = append(out, code(i)[4*f:4*f+4]...)
		}
	}
	for i := range n {
		out = append(out, code(i)[factorLen:]...)
	}
	return out
}

// world is an index without a store: blocks in memory.
type world struct {
	p    *params
	rows [][]float32
	all  []numbered
}

func newWorld(metric Metric, rows [][]float32) *world {
	m := &Index{metric: metric, dims: len(rows[0])}
	var sample []vectorRow
	for i, x := range rows[:min(len(rows), sampleRows)] {
		sample = append(sample, vectorRow{ordinal: uint64(i), x: x})
	}
	w := &world{p: m.newParams(sample), rows: rows}
	e := w.p.encoder()
	for at := 0; at < len(rows); at += blockRows {
		b := builder{p: w.p}
		for i, x := range rows[at:min(at+blockRows, len(rows))] {
			b.codes[i] = e.append(nil, x)
		}
		blk, err := w.p.readBlock(b.value())
		if err != nil {
			panic(err)
		}
		w.all = append(w.all, numbered{uint64(at / blockRows), blk})
	}
	return w
}

func (w *world) distance(a, b []float32) float64 { return w.p.metric.Distance(a, b) }

// search gives the ordinals found and how many rows were looked at.
func (w *world) search(t testing.TB, x []float32, o Options) (found []uint64, visited int) {
	q, ok, err := w.p.newQuery(x, errorScale(o.Recall))
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	f := finder{q: q, k: o.K, only: o.Only}
	parts, err := f.scan(t.Context(), w.all)
	if err != nil {
		t.Fatal(err)
	}
	s := f.finish(w.p.metric, parts)
	type hit struct {
		ordinal uint64
		d       float64
	}
	var hits []hit
	for {
		next := s.Next(nil, 16)
		if len(next) == 0 {
			break
		}
		for _, n := range next {
			visited++
			d := w.distance(w.rows[n], x)
			s.Found(d)
			hits = append(hits, hit{n, d})
		}
	}
	slices.SortFunc(hits, func(a, b hit) int { return cmp.Or(cmp.Compare(a.d, b.d), cmp.Compare(a.ordinal, b.ordinal)) })
	for _, h := range hits[:min(o.K, len(hits))] {
		found = append(found, h.ordinal)
	}
	return found, visited
}

// nearest is the oracle.
func (w *world) nearest(x []float32, k int, only *Set) []uint64 {
	var all []uint64
	distances := make([]float64, len(w.rows))
	for i := range w.rows {
		if only == nil || only.Has(uint64(i)) {
			all = append(all, uint64(i))
			distances[i] = w.distance(w.rows[i], x)
		}
	}
	slices.SortFunc(all, func(a, b uint64) int { return cmp.Or(cmp.Compare(distances[a], distances[b]), cmp.Compare(a, b)) })
	return all[:min(k, len(all))]
}

func TestRecall(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for _, c := range []struct {
		name   string
		metric Metric
		dims   int
		share  float64 // of rows that may be found
	}{
		{"l2", ByL2, 384, 1}, {"cosine", ByCosine, 384, 1}, {"ip", ByIP, 384, 1}, {"few dimensions", ByL2, 8, 1}, {"odd dimensions", ByCosine, 100, 1},
		{"filtered", ByCosine, 384, 0.1}, {"rare", ByCosine, 384, 0.01}, {"none", ByL2, 64, 0},
	} {
		rows := clustered(rng, 4000, c.dims, 40, 0.7)
		w := newWorld(c.metric, rows)
		var only *Set
		if c.share < 1 {
			only = &Set{}
			for i := range rows {
				if rng.Float64() < c.share {
					only.Add(uint64(i))
				}
			}
		}
		right, wanted, visited := 0, 0, 0
		for range 30 {
			x := rows[rng.IntN(len(rows))]
			want := w.nearest(x, 10, only)
			got, n := w.search(t, x, Options{K: 10, Recall: 0.99, Only: only})
			visited += n
			wanted += len(want)
			for _, o := range want {
				if slices.Contains(got, o) {
					right++
				}
			}
			if len(got) != len(want) {
				t.Fatalf("%s: %d rows, want %d", c.name, len(got), len(want))
			}
		}
		t.Logf("%s: recall %d of %d, %d rows visited a query", c.name, right, wanted, visited/30)
		if float64(right) < 0.99*float64(wanted) {
			t.Errorf("%s: recall %d of %d", c.name, right, wanted)
		}
	}
}

// TestZeroVectors: a vector without a direction is found last, when nothing else is left.
func TestZeroVectors(t *testing.T) {
	w := newWorld(ByCosine, [][]float32{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0}})
	if got, _ := w.search(t, []float32{1, 1, 0}, Options{K: 2, Recall: 0.99}); !slices.Equal(got, []uint64{1, 2}) {
		t.Errorf("two nearest: %v", got)
	}
	if _, visited := w.search(t, []float32{1, 1, 0}, Options{K: 4, Recall: 0.99}); visited != 4 {
		t.Errorf("of four rows %d were visited", visited)
	}
}

func BenchmarkSearch100k(b *testing.B) {
	rng := rand.New(rand.NewPCG(7, 7))
	w := newWorld(ByCosine, clustered(rng, 100000, 384, 1000, 0.7))
	visited := 0
	for b.Loop() {
		_, n := w.search(b, w.rows[rng.IntN(len(w.rows))], Options{K: 10, Recall: 0.99})
		visited += n
	}
	b.ReportMetric(float64(visited)/float64(b.N), "visited/op")
}
