// Package vector scores vectors and, as an index, finds the nearest ones.
//
// Scores are defined to the bit so that every kernel, every batch size and a full recomputation agree: float32 arithmetic in 16 lanes
// (element i goes to lane i mod 16), a multiplication followed by an addition without fusing, and the lanes reduced pairwise
// (0+8, 1+9 …, then 0+4 …, 0+2 …, 0+1).
package vector

import "math"

const lanes = 16

// Dot is the inner product; the shorter length counts.
func Dot(a, b []float32) float32 {
	n := min(len(a), len(b))
	a, b = a[:n], b[:n]
	var s [lanes]float32
	i := 0
	for ; i+lanes <= n; i += lanes {
		x, y := (*[lanes]float32)(a[i:]), (*[lanes]float32)(b[i:])
		s[0] += float32(x[0] * y[0])
		s[1] += float32(x[1] * y[1])
		s[2] += float32(x[2] * y[2])
		s[3] += float32(x[3] * y[3])
		s[4] += float32(x[4] * y[4])
		s[5] += float32(x[5] * y[5])
		s[6] += float32(x[6] * y[6])
		s[7] += float32(x[7] * y[7])
		s[8] += float32(x[8] * y[8])
		s[9] += float32(x[9] * y[9])
		s[10] += float32(x[10] * y[10])
		s[11] += float32(x[11] * y[11])
		s[12] += float32(x[12] * y[12])
		s[13] += float32(x[13] * y[13])
		s[14] += float32(x[14] * y[14])
		s[15] += float32(x[15] * y[15])
	}
	for j := 0; i < n; i, j = i+1, j+1 {
		s[j] += float32(a[i] * b[i])
	}
	return reduce(&s)
}

func reduce(s *[lanes]float32) float32 {
	for w := lanes / 2; w > 0; w /= 2 {
		for i := range w {
			s[i] += s[i+w]
		}
	}
	return s[0]
}

// Norm is the Euclidean length.
func Norm(a []float32) float32 { return float32(math.Sqrt(float64(Dot(a, a)))) }

// Cosine is the cosine similarity in [-1, 1]; 0 for different lengths or when either vector is all zero.
func Cosine(a, b []float32) float32 {
	if len(a) != len(b) {
		return 0
	}
	return CosineNorms(a, b, Norm(a), Norm(b))
}

// CosineNorms is Cosine for vectors of one length whose Norms are known.
func CosineNorms(a, b []float32, na, nb float32) float32 {
	if na == 0 || nb == 0 {
		return 0
	}
	return max(-1, min(1, Dot(a, b)/float32(na*nb)))
}

// Normalize scales a to length 1 in place; a zero vector stays as it is.
func Normalize(a []float32) {
	n := Norm(a)
	if n == 0 {
		return
	}
	for i := range a {
		a[i] /= n
	}
}
