//go:build !amd64

package vector

func dotBlocks(a, b *float32, n int, s *[lanes]float32) { dotGeneric(a, b, n, s) }
func dotSquareBlocks(a, b *float32, n int, s, t *[lanes]float32) {
	dotSquareGeneric(a, b, n, s, t)
}

func l2Blocks(a, b *float32, n int, s *[lanes]float32) { l2Generic(a, b, n, s) }
func l1Blocks(a, b *float32, n int, s *[lanes]float32) { l1Generic(a, b, n, s) }

func leasts(group, tables []byte, t *terms, out *[groupRows]float32) (near uint64) {
	return leastsGeneric(group, tables, t, out)
}

func productsOf(packed, tables []byte, out *[groupRows]uint16) { productsGeneric(packed, tables, out) }

func dotBytes(a []byte, b []int16) int32 { return dotBytesGeneric(a, b) }

func addScaledBlocks(dst *float32, row *int8, n int, scale float32) {
	addScaledGeneric(dst, row, n, scale)
}
