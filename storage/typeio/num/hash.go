package num

import (
	"math/big"

	"github.com/cespare/xxhash/v2"
)

// Hash gives equal numbers (of any scale) equal hashes.
func Hash(d *Dec) uint64 {
	if !Finite(d) {
		return uint64(rank(d)) * 0x9e3779b97f4a7c15
	}
	if x, ok := small(d); ok {
		if x == 0 {
			return 0
		}
		e := int64(d.Exponent)
		for x%10 == 0 {
			x /= 10
			e++
		}
		return uint64(x)*0x9e3779b97f4a7c15 ^ uint64(e)*0xc2b2ae3d27d4eb4f
	}
	z, e := strip(Big(d), int64(d.Exponent))
	if z.IsInt64() && z.BitLen() <= 62 {
		return uint64(z.Int64())*0x9e3779b97f4a7c15 ^ uint64(e)*0xc2b2ae3d27d4eb4f
	}
	h := xxhash.Sum64(z.Bytes()) ^ uint64(e)*0xc2b2ae3d27d4eb4f
	if z.Sign() < 0 {
		h = ^h
	}
	return h
}

// strip takes trailing zeros off a coefficient.
func strip(z *big.Int, e int64) (*big.Int, int64) {
	var q, r big.Int
	for n := 64; n >= 1; n /= 2 {
		for {
			q.QuoRem(z, Pow10(n), &r)
			if r.Sign() != 0 || z.Sign() == 0 {
				break
			}
			z.Set(&q)
			e += int64(n)
		}
	}
	return z, e
}
