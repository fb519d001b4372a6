package vector

import "golang.org/x/sys/cpu"

var (
	hasAVX    = cpu.X86.HasAVX
	hasAVX2   = cpu.X86.HasAVX2
	hasAVX512 = cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL
)

// The kernels are called directly, not through variables, so that the lanes stay on the stack.

func dotBlocks(a, b *float32, n int, s *[lanes]float32) {
	if hasAVX {
		dotAVX(a, b, n, s)
		return
	}
	dotGeneric(a, b, n, s)
}

func dotSquareBlocks(a, b *float32, n int, s, t *[lanes]float32) {
	if hasAVX {
		dotSquareAVX(a, b, n, s, t)
		return
	}
	dotSquareGeneric(a, b, n, s, t)
}

func l2Blocks(a, b *float32, n int, s *[lanes]float32) {
	if hasAVX {
		l2AVX(a, b, n, s)
		return
	}
	l2Generic(a, b, n, s)
}

func l1Blocks(a, b *float32, n int, s *[lanes]float32) {
	if hasAVX {
		l1AVX(a, b, n, s)
		return
	}
	l1Generic(a, b, n, s)
}

func addScaledBlocks(dst *float32, row *int8, n int, scale float32) {
	if hasAVX2 {
		addScaledAVX2(dst, row, n, scale)
		return
	}
	addScaledGeneric(dst, row, n, scale)
}

// leasts tells of each slot of a group the least distance, and which are not above the limit, by a bit.
func leasts(group, tables []byte, t *terms, out *[groupRows]float32) (near uint64) {
	if hasAVX512 {
		_ = group[groupFactors+len(tables)/(2*patterns)*groupRows-1]
		return leastsAVX512(&group[0], &tables[0], len(tables)/(2*patterns), t, out)
	}
	return leastsGeneric(group, tables, t, out)
}

// productsOf counts in steps the products of the 64 codes of a group with a query.
func productsOf(packed, tables []byte, out *[groupRows]uint16) {
	if hasAVX2 {
		_ = packed[len(tables)/(2*patterns)*groupRows-1]
		productsAVX2(&packed[0], &tables[0], len(tables)/(2*patterns), out)
		return
	}
	productsGeneric(packed, tables, out)
}

// dotBytes is the product of bytes with signs and of numbers; the lengths are the same multiple of 16.
func dotBytes(a []byte, b []int16) int32 {
	if hasAVX2 && len(b) > 0 {
		_ = a[len(b)-1]
		return dotBytesAVX2(&a[0], &b[0], len(b)/lanes)
	}
	return dotBytesGeneric(a, b)
}

//go:noescape
func dotBytesAVX2(a *byte, b *int16, n int) int32

//go:noescape
func leastsAVX512(group, tables *byte, pairs int, t *terms, out *[groupRows]float32) (near uint64)

//go:noescape
func productsAVX2(packed, tables *byte, pairs int, out *[groupRows]uint16)

//go:noescape
func addScaledAVX2(dst *float32, row *int8, n int, scale float32)

//go:noescape
func dotAVX(a, b *float32, n int, s *[lanes]float32)

//go:noescape
func dotSquareAVX(a, b *float32, n int, s, t *[lanes]float32)

//go:noescape
func l2AVX(a, b *float32, n int, s *[lanes]float32)

//go:noescape
func l1AVX(a, b *float32, n int, s *[lanes]float32)
