//go:build !amd64

package vector

func dotBlocks(a, b *float32, n int, s *[lanes]float32) { dotGeneric(a, b, n, s) }
func l2Blocks(a, b *float32, n int, s *[lanes]float32)  { l2Generic(a, b, n, s) }
func l1Blocks(a, b *float32, n int, s *[lanes]float32)  { l1Generic(a, b, n, s) }

func dots(codes, planeBits []uint64, words int, out []int32) {
	dotsGeneric(codes, planeBits, words, out)
}

func addScaledBlocks(dst *float32, row *int8, n int, scale float32) {
	addScaledGeneric(dst, row, n, scale)
}
