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
	a, b, n := whole(a, b)
	var s [lanes]float32
	if n > 0 {
		dotBlocks(&a[0], &b[0], n, &s)
	}
	for j, i := 0, n*lanes; i < len(a); i, j = i+1, j+1 {
		s[j] += float32(a[i] * b[i])
	}
	return reduce(&s)
}

// DotAndSquare is Dot(a, b) and Dot(a, a), for vectors of one length, in one pass.
func DotAndSquare(a, b []float32) (dot, square float32) {
	a, b, n := whole(a, b)
	var s, t [lanes]float32
	if n > 0 {
		dotSquareBlocks(&a[0], &b[0], n, &s, &t)
	}
	for j, i := 0, n*lanes; i < len(a); i, j = i+1, j+1 {
		s[j] += float32(a[i] * b[i])
		t[j] += float32(a[i] * a[i])
	}
	return reduce(&s), reduce(&t)
}

// L2Squared is the squared Euclidean distance; the shorter length counts.
func L2Squared(a, b []float32) float32 {
	a, b, n := whole(a, b)
	var s [lanes]float32
	if n > 0 {
		l2Blocks(&a[0], &b[0], n, &s)
	}
	for j, i := 0, n*lanes; i < len(a); i, j = i+1, j+1 {
		d := float32(a[i] - b[i])
		s[j] += float32(d * d)
	}
	return reduce(&s)
}

// L1 is the taxicab distance; the shorter length counts.
func L1(a, b []float32) float32 {
	a, b, n := whole(a, b)
	var s [lanes]float32
	if n > 0 {
		l1Blocks(&a[0], &b[0], n, &s)
	}
	for j, i := 0, n*lanes; i < len(a); i, j = i+1, j+1 {
		s[j] += abs(float32(a[i] - b[i]))
	}
	return reduce(&s)
}

// whole cuts both to the shorter length and counts its whole blocks.
func whole(a, b []float32) ([]float32, []float32, int) {
	n := min(len(a), len(b))
	return a[:n], b[:n], n / lanes
}

// CosineDistance is 1 - cosine of the inner product of two vectors and of each with itself, in double precision; a zero vector has no
// direction: NaN.
func CosineDistance(dot, a, b float32) float64 {
	c := float64(dot) / math.Sqrt(float64(a)*float64(b))
	if c != c {
		return c
	}
	return 1 - max(-1, min(1, c))
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

// AddScaled adds scale × row to dst; the lengths are the same.
func AddScaled(dst []float32, row []int8, scale float32) {
	row = row[:len(dst)]
	n := len(dst) / lanes
	if n > 0 {
		addScaledBlocks(&dst[0], &row[0], n, scale)
	}
	for i := n * lanes; i < len(dst); i++ {
		dst[i] += float32(scale * float32(row[i]))
	}
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
