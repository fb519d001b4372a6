package doc

import (
	"encoding/hex"
	"hash/maphash"
	"math"
	"strconv"
)

// hashSeed is one per process: hashes are for tables in memory, never stored.
var hashSeed = maphash.MakeSeed()

// Hash gives a hash for jsonb equality: values that are Equal hash equal, whatever their number types and key order.
// It is stable within the process only.
func Hash(v Value) uint64 { return hashValue(v) }

const (
	hashMix   = 0x9E3779B97F4A7C15
	saltArray = 0xA1
	saltNull  = 0xA2
	saltTrue  = 0xA3
	saltFalse = 0xA4
	saltObj   = 0xA5
	saltNum   = 0xA6
)

// mix is a finaliser that spreads all bits (Stafford's variant 13).
func mix(h uint64) uint64 {
	h ^= h >> 30
	h *= 0xBF58476D1CE4E5B9
	h ^= h >> 27
	h *= 0x94D049BB133111EB
	return h ^ h>>31
}

func hashValue(v Value) uint64 {
	switch v.Type {
	case TypeString:
		s, _ := v.StringBytes()
		return maphash.Bytes(hashSeed, s)
	case TypeInt32, TypeInt64:
		i, _ := v.Int64()
		return hashInt(i)
	case TypeNull, TypeMissing:
		return mix(saltNull)
	case TypeBool:
		if b, _ := v.Bool(); b {
			return mix(saltTrue)
		}
		return mix(saltFalse)
	case TypeArray:
		h := uint64(saltArray)
		for e := v.Elements(); ; {
			_, elem, ok := e.Next()
			if !ok {
				return mix(h)
			}
			h = mix(h*hashMix + hashValue(elem))
		}
	case TypeObject:
		return hashObject(v)
	}
	var room [40]byte
	switch {
	case v.Type == TypeObjectID:
		return hashShown("$oid", hex.AppendEncode(room[:0], v.Data))
	case v.Type == TypeDate && leUint64(v.Data) <= relaxedMaxMs:
		return hashShown("$date", v.appendDateText(room[:0], false))
	case v.needsPlain():
		return hashValue(v.Plain())
	}
	return hashNumber(v)
}

// hashShown is the hash of an object with one string, which is how a frequent BSON value is shown.
func hashShown(key string, text []byte) uint64 {
	return mix(saltObj + mix(maphash.String(hashSeed, key)*hashMix+maphash.Bytes(hashSeed, text)))
}

// hashObject adds up its members, so that key order does not matter.
func hashObject(v Value) uint64 {
	h := uint64(saltObj)
	for e := v.Elements(); ; {
		k, elem, ok := e.Next()
		if !ok {
			return mix(h)
		}
		h += mix(maphash.Bytes(hashSeed, k)*hashMix + hashValue(elem))
	}
}

func hashInt(i int64) uint64 { return mix(uint64(i)*hashMix + saltNum) }

// hashNumber hashes integers within int64 as such, decimals that are a double's shortest text as that double, and the
// rest by their digits.
func hashNumber(v Value) uint64 {
	if v.Type == TypeDouble {
		f := v.float()
		if f == math.Trunc(f) && math.Abs(f) < 1<<53 {
			return hashInt(int64(f))
		}
		if math.Abs(f) < 1<<53 {
			return hashFloat(f)
		}
	}
	var buf DecimalBuf
	d, _ := v.Decompose(&buf)
	if i, ok := d.int64(); ok {
		return hashInt(i)
	}
	d = d.trimZeros()
	if len(d.Coef) <= 17 {
		if f, ok := d.shortestOf(); ok {
			return hashFloat(f)
		}
	}
	h := maphash.Bytes(hashSeed, d.Coef)
	return mix(h*hashMix + uint64(d.Exp)<<1 + uint64(b2i(d.Neg)))
}

func hashFloat(f float64) uint64 { return mix(math.Float64bits(f)*hashMix + saltNum + 1) }

// shortestOf gives the double whose shortest digits are d's (trailing zeros trimmed).
func (d Decimal) shortestOf() (float64, bool) {
	var text [64]byte
	f, err := strconv.ParseFloat(string(d.appendScientific(text[:0])), 64)
	if err != nil || f == 0 {
		return 0, false
	}
	var buf DecimalBuf
	back, _ := doubleDecimal(f, &buf)
	back = back.trimZeros()
	return f, back.Exp == d.Exp && string(back.Coef) == string(d.Coef)
}
