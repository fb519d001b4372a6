package vector

import "unsafe"

// Kernels add n whole blocks of 16 pairs to the lanes. a and b point at 16·n elements each, of any alignment. These are the definition;
// those of a processor give the same bits.

func dotGeneric(a, b *float32, n int, s *[lanes]float32) {
	x, y := blocksOf(a, n), blocksOf(b, n)
	for k := range x {
		p, q := &x[k], &y[k]
		for i := range s {
			s[i] += float32(p[i] * q[i])
		}
	}
}

func dotSquareGeneric(a, b *float32, n int, s, t *[lanes]float32) {
	dotGeneric(a, b, n, s)
	dotGeneric(a, a, n, t)
}

func l2Generic(a, b *float32, n int, s *[lanes]float32) {
	x, y := blocksOf(a, n), blocksOf(b, n)
	for k := range x {
		p, q := &x[k], &y[k]
		for i := range s {
			d := float32(p[i] - q[i])
			s[i] += float32(d * d)
		}
	}
}

func l1Generic(a, b *float32, n int, s *[lanes]float32) {
	x, y := blocksOf(a, n), blocksOf(b, n)
	for k := range x {
		p, q := &x[k], &y[k]
		for i := range s {
			s[i] += abs(float32(p[i] - q[i]))
		}
	}
}

func abs(f float32) float32 {
	if f < 0 {
		return -f
	}
	return f
}

func blocksOf(p *float32, n int) [][lanes]float32 {
	return unsafe.Slice((*[lanes]float32)(unsafe.Pointer(p)), n)
}

func addScaledGeneric(dst *float32, row *int8, n int, scale float32) {
	d, r := unsafe.Slice(dst, n*lanes), unsafe.Slice(row, n*lanes)
	for i, x := range r {
		d[i] += float32(scale * float32(x))
	}
}
