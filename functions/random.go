package functions

import (
	"math"
	"math/rand/v2"
	"sync"
)

// Random is a session's source of random numbers: any, until it is seeded; then the same ones after each seed. It is safe for concurrent use.
type Random struct {
	mu  sync.Mutex
	src *rand.Rand // nil: not seeded
}

// Seed makes the numbers that follow depend on the seed alone.
func (r *Random) Seed(seed float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.src = rand.New(rand.NewPCG(math.Float64bits(seed), 0))
}

// Float64 is a number in [0, 1).
func (r *Random) Float64() float64 {
	if r == nil {
		return rand.Float64()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.src == nil {
		return rand.Float64()
	}
	return r.src.Float64()
}
