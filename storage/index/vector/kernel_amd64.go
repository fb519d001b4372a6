package vector

import "golang.org/x/sys/cpu"

var (
	hasAVX      = cpu.X86.HasAVX
	hasAVX2     = cpu.X86.HasAVX2
	hasPopcount = cpu.X86.HasAVX512F && cpu.X86.HasAVX512VPOPCNTDQ
)

// The kernels are called directly, not through variables, so that the lanes stay on the stack.

func dotBlocks(a, b *float32, n int, s *[lanes]float32) {
	if hasAVX {
		dotAVX(a, b, n, s)
		return
	}
	dotGeneric(a, b, n, s)
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

func dots(codes, planeBits []uint64, words int, out []int32) {
	if hasPopcount && len(out) > 0 {
		_ = codes[len(out)*words-1]
		dotsAVX512(&codes[0], &planeBits[0], words, len(out), &out[0])
		return
	}
	dotsGeneric(codes, planeBits, words, out)
}

//go:noescape
func dotsAVX512(codes, planeBits *uint64, words, n int, out *int32)

//go:noescape
func addScaledAVX2(dst *float32, row *int8, n int, scale float32)

//go:noescape
func dotAVX(a, b *float32, n int, s *[lanes]float32)

//go:noescape
func l2AVX(a, b *float32, n int, s *[lanes]float32)

//go:noescape
func l1AVX(a, b *float32, n int, s *[lanes]float32)
