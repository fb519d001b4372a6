package vec

import (
	"hash/maphash"
	"math"
	"math/bits"

	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// seed is the process's: hashes are never stored, and no result depends on their order.
var seed = maphash.MakeSeed()

const (
	hashStart = 0x9e3779b97f4a7c15
	hashNull  = 0x2545f4914f6cdd1d
	hashMul   = 0xd6e8feb86659fd93
)

// mix folds x into h; both halves of the product count, so that low bits are good table indexes.
func mix(h, x uint64) uint64 {
	hi, lo := bits.Mul64(h^x, hashMul)
	return hi ^ lo
}

// HashInt is the hash of one integer as Hash gives it for a single column.
func HashInt(x int64) uint64 { return mix(hashStart, uint64(x)) }

// Hash sets h[k] to the hash of the k-th position of pos over all columns. Values that are not distinct have equal hashes.
func Hash(cols []Vec, pos []int32, h []uint64) {
	for k := range pos {
		h[k] = hashStart
	}
	for _, c := range cols {
		hashColumn(c, pos, h)
	}
}

func hashColumn(v Vec, pos []int32, h []uint64) {
	f := formOf(v.Type)
	switch {
	case v.Const:
		x := hashValue(f, v.Column, 0)
		for k := range pos {
			h[k] = mix(h[k], x)
		}
	case len(v.Nulls) == 0 && f == plainForm && v.Type.Kind == value.KindInt:
		for k, i := range pos {
			h[k] = mix(h[k], uint64(v.Ints[i]))
		}
	case len(v.Nulls) == 0 && f == plainForm && v.Type.Kind == value.KindString:
		for k, i := range pos {
			h[k] = mix(h[k], maphash.String(seed, v.Strs[i]))
		}
	default:
		for k, i := range pos {
			h[k] = mix(h[k], hashValue(f, v.Column, int(i)))
		}
	}
}

// hashValue is what value i of c, whose type has the form f, adds to a row's hash.
func hashValue(f form, c *value.Column, i int) uint64 {
	if c.IsNull(i) {
		return hashNull
	}
	switch f {
	case floatForm:
		return hashFloat(c.Flts[i])
	case padForm:
		return maphash.String(seed, trimPad(c.Strs[i]))
	case typedForm:
		return typeio.Hash(hashStart, c.Type, c.Get(i))
	}
	switch c.Type.Kind {
	case value.KindBool:
		if c.Bools[i] {
			return 1
		}
		return 0
	case value.KindInt:
		return uint64(c.Ints[i])
	default:
		return maphash.String(seed, c.Strs[i])
	}
}

func hashFloat(f float64) uint64 {
	switch {
	case f == 0:
		return 0
	case f != f:
		return math.Float64bits(math.NaN())
	}
	return math.Float64bits(f)
}
