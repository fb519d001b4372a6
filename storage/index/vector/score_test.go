package vector

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// defined computes a score as its definition says, element by element.
func defined(a, b []float32, f func(x, y float32) float32) float32 {
	var s [lanes]float32
	for i := range a {
		s[i%lanes] += f(a[i], b[i])
	}
	for w := lanes / 2; w > 0; w /= 2 {
		for i := range w {
			s[i] += s[i+w]
		}
	}
	return s[0]
}

func random(rng *rand.Rand, n int) []float32 {
	out := make([]float32, n)
	for i := range out {
		out[i] = float32(rng.NormFloat64()) * float32(math.Exp2(float64(rng.IntN(20)-10)))
	}
	return out
}

// TestScoreBits holds every kernel to the bits of the definition, at all lengths around whole blocks and at any alignment.
func TestScoreBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	kernels := []struct {
		name    string
		f       func(a, b []float32) float32
		element func(x, y float32) float32
	}{
		{"dot", Dot, func(x, y float32) float32 { return x * y }},
		{"dot beside the square", func(a, b []float32) float32 { dot, _ := DotAndSquare(a, b); return dot }, func(x, y float32) float32 { return x * y }},
		{"square", func(a, b []float32) float32 { _, square := DotAndSquare(a, b); return square }, func(x, _ float32) float32 { return x * x }},
		{"l2", L2Squared, func(x, y float32) float32 { d := x - y; return d * d }},
		{"l1", L1, func(x, y float32) float32 { return float32(math.Abs(float64(x - y))) }},
	}
	for _, k := range kernels {
		for n := range 70 {
			for at := range 3 {
				a, b := random(rng, n+at)[at:], random(rng, n+at)[at:]
				got, want := k.f(a, b), defined(a, b, k.element)
				if math.Float32bits(got) != math.Float32bits(want) {
					t.Fatalf("%s of %d elements: %x, defined as %x", k.name, n, math.Float32bits(got), math.Float32bits(want))
				}
			}
		}
	}
}

// TestGoldenScores pins the bits for all time: stored and shown scores rely on them.
func TestGoldenScores(t *testing.T) {
	a, b := make([]float32, 37), make([]float32, 37)
	for i := range a {
		a[i], b[i] = float32(i%7)*0.1-0.3, float32(i%5)*0.7-1.1
	}
	for name, c := range map[string]struct{ got, want uint32 }{
		"dot":    {math.Float32bits(Dot(a, b)), 0x3ed1eb84},
		"l2":     {math.Float32bits(L2Squared(a, b)), 0x421e1eb8},
		"l1":     {math.Float32bits(L1(a, b)), 0x4201ffff},
		"cosine": {math.Float32bits(Cosine(a, b)), 0x3d59e815},
	} {
		if c.got != c.want {
			t.Errorf("%s: %#x, was %#x", name, c.got, c.want)
		}
	}
}

func BenchmarkDot384(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	x, y := random(rng, 384), random(rng, 384)
	for b.Loop() {
		Dot(x, y)
	}
}

// TestAddScaled: the kernel gives the bits of one element after the other, at any length.
func TestAddScaled(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 100 {
		got, row := make([]float32, n), make([]int8, n)
		for i := range got {
			got[i], row[i] = float32(r.NormFloat64()), int8(r.IntN(256)-128)
		}
		want, scale := slices.Clone(got), float32(r.NormFloat64())
		for i := range want {
			want[i] += float32(scale * float32(row[i]))
		}
		if AddScaled(got, row, scale); !slices.Equal(got, want) {
			t.Fatalf("%d elements: %v, want %v", n, got, want)
		}
	}
}
