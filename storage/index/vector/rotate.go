package vector

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

// rotation turns vectors by a random but fixed orthogonal map, so that no direction is special and one bit an element tells as much of
// every vector. It is made of rounds of sign changes and Hadamard transforms over the first and over the last elements, the widest power
// of two that fits; elements are padded with zeros to a multiple of 64. It is safe for concurrent use.
type rotation struct {
	dims, padded, width int
	signs               [2 * rounds][]float32
}

const rounds = 3

func newRotation(dims int) *rotation {
	r := &rotation{dims: dims, padded: (dims + 63) &^ 63}
	r.width = 1 << (bits.Len(uint(r.padded)) - 1)
	rng := rand.New(rand.NewPCG(0x6f6d676462, uint64(dims)))
	for i := range r.signs {
		r.signs[i] = make([]float32, r.padded)
		for j := range r.signs[i] {
			r.signs[i][j] = float32(1 - 2*int(rng.Uint64()>>63))
		}
	}
	return r
}

// apply turns x in place; it has the padded length.
func (r *rotation) apply(x []float32) {
	scale := float32(1 / math.Sqrt(float64(r.width)))
	for i := 0; i < 2*rounds; i++ {
		for j, s := range r.signs[i] {
			x[j] *= s
		}
		part := x[:r.width]
		if i%2 == 1 {
			part = x[r.padded-r.width:]
		}
		hadamard(part)
		for j := range part {
			part[j] *= scale
		}
	}
}

// hadamard is the fast Walsh-Hadamard transform; the length is a power of two.
func hadamard(x []float32) {
	for h := 1; h < len(x); h *= 2 {
		for i := 0; i < len(x); i += 2 * h {
			a, b := x[i:i+h], x[i+h:i+2*h]
			for j := range a {
				a[j], b[j] = a[j]+b[j], a[j]-b[j]
			}
		}
	}
}
