package vector

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestSketchBounds holds that the true distance of each vector lies between the bounds that its sketch tells, and that these are narrow.
func TestSketchBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, metric := range []Metric{ByL2, ByCosine, ByIP} {
		for _, dims := range []int{1, 2, 15, 16, 17, 33, 384, 2000, 16000} {
			for _, size := range []float32{1e-25, 1e-3, 1, 1e6, 1e22} {
				x := random(rng, dims)
				scaled(x, size)
				s, ok := NewSketches(metric, x, 1)
				if ok != (size > 1e-10 && size < 1e14) {
					t.Fatalf("a search of size %g: %v", size, ok)
				}
				if !ok {
					continue
				}
				for range 40 {
					y := random(rng, dims)
					scaled(y, size)
					switch rng.IntN(4) {
					case 0: // near
						for i := range y {
							y[i] = x[i] + y[i]*1e-3
						}
					case 1: // one large element
						y[rng.IntN(dims)] *= 1000
					}
					sketch := string(AppendSketch(nil, y))
					if sketch == "" {
						continue
					} else if len(sketch) != SketchSize(dims) {
						t.Fatalf("%d bytes", len(sketch))
					}
					d := (&world{p: &params{metric: metric}}).distance(x, y)
					least, most := s.bounds(sketch)
					if got := metric.key(d); got == got && !(least <= got && got <= most) {
						t.Fatalf("metric %d, %d dimensions of size %g: %g is not between %g and %g", metric, dims, size, got, least, most)
					}
					if metric == ByCosine && dims >= 16 && size == 1 && rng.IntN(4) > 1 && most-least > 0.6 {
						t.Fatalf("%d dimensions: between %g and %g", dims, least, most)
					}
				}
			}
		}
	}
}

func scaled(x []float32, by float32) {
	for i := range x {
		x[i] *= by
	}
}

func TestDotBytes(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for n := 0; n <= 2048; n += lanes {
		a, b := make([]byte, n), make([]int16, n)
		top := min(math.MaxInt16, math.MaxInt32/(math.MaxInt8*max(1, n)))
		for i := range a {
			a[i], b[i] = byte(int8(rng.IntN(255)-127)), int16(rng.IntN(2*top+1)-top)
		}
		if got, want := dotBytes(a, b), dotBytesGeneric(a, b); got != want {
			t.Fatalf("%d elements: %d, want %d", n, got, want)
		}
	}
}

// TestSketchesFindTheNearest compares a search among sketches with the oracle, vectors without a direction included.
func TestSketchesFindTheNearest(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for _, metric := range []Metric{ByL2, ByCosine, ByIP} {
		rows := append(clustered(rng, 3000, 48, 30, 0.7), make([]float32, 48))
		w := &world{p: &params{metric: metric}, rows: rows}
		for range 20 {
			x := rows[rng.IntN(3000)]
			s, _ := NewSketches(metric, x, 10)
			kept := 0
			for i, y := range rows {
				if s.Add(uint64(i), string(AppendSketch(nil, y))) {
					kept++
				}
			}
			search, visited := s.Search(), 0
			found := map[uint64]bool{}
			for next := search.Next(nil, 1); len(next) > 0; next = search.Next(nil, 1) {
				visited++
				found[next[0]] = true
				search.Found(w.distance(rows[next[0]], x))
			}
			for _, want := range w.nearest(x, 10, nil) {
				if !found[want] && (metric != ByCosine || want != 3000) {
					t.Fatalf("metric %d: row %d was not found", metric, want)
				}
			}
			if visited > 200 || kept == len(rows) {
				t.Errorf("metric %d: %d rows were visited, %d kept", metric, visited, kept)
			}
		}
	}
}
