package vector

import (
	"cmp"
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

// TestDots holds the kernel that counts bits to its definition.
func TestDots(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, words := range []int{1, 2, 6, 7, 8, 9, 16, 24, 31} {
		n := rng.IntN(50) + 1
		codes, q := make([]uint64, n*words), make([]uint64, planes*8*chunks(words))
		for i := range codes {
			codes[i] = rng.Uint64()
		}
		for i := range q {
			if i/(8*planes)*8+i%8 < words { // behind the words of a code the planes are empty
				q[i] = rng.Uint64()
			}
		}
		got, want := make([]int32, n), make([]int32, n)
		dots(codes, q, words, got)
		dotsGeneric(codes, q, words, want)
		if !slices.Equal(got, want) {
			t.Fatalf("%d words: %v, want %v", words, got, want)
		}
	}
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
		w.all = append(w.all, numbered{uint64(at / blockRows), b.value()})
	}
	return w
}

func (w *world) distance(a, b []float32) float64 {
	switch w.p.metric {
	case ByL2:
		return math.Sqrt(float64(L2Squared(a, b)))
	case ByCosine:
		return CosineDistance(Dot(a, b), Dot(a, a), Dot(b, b))
	}
	return -float64(Dot(a, b))
}

// search gives the ordinals found and how many rows were looked at.
func (w *world) search(t testing.TB, x []float32, o Options) (found []uint64, visited int) {
	q, ok, err := w.p.newQuery(x)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	f := finder{q: q, scale: errorScale(o.Recall), k: o.K, only: o.Only}
	p := &part{finder: &f, limit: zeroCode}
	if err := p.blocks(t.Context(), w.all); err != nil {
		t.Fatal(err)
	}
	s := f.finish(w.p.metric, []*part{p})
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
