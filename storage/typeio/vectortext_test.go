package typeio

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

// TestPlainElem holds the quick way to read an element to the standard one, to the bit.
func TestPlainElem(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	texts := []string{"0", "-0", "1", "-1.", ".5", "1.17549435", "16777217", "16777216.5", "0.1", "9007199254740993", "3.4028234663852886", "0.000000000000000001",
		"1.00000005960464477539", "1.0000000596046448", "0.30000001192092896", "33554434.5", "33554433"}
	for range 200000 {
		f := math.Float32frombits(rng.Uint32())
		texts = append(texts[:17], strconv.FormatFloat(float64(f), 'f', -1, 32), strconv.FormatFloat(rng.NormFloat64(), 'f', rng.IntN(18), 64),
			strconv.FormatFloat((float64(f)+float64(math.Nextafter32(f, 9)))/2, 'f', -1, 64), strconv.FormatUint(rng.Uint64()>>rng.IntN(60), 10))
		for _, w := range texts {
			got, n := plainElem(w + ",")
			if n < 0 {
				continue
			}
			want, err := strconv.ParseFloat(w, 32)
			if err != nil || n != len(w) || math.Float32bits(got) != math.Float32bits(float32(want)) {
				t.Fatalf("%s: %v up to %d, want %v (%v)", w, got, n, want, err)
			}
		}
	}
	for _, w := range []string{"", "-", ".", "-.", "+1", "1e5", "1_0", "0x1", "NaN", "1 ", " 1", "1", "--1", "1..2", "1.2.3", "99999999999999999999"} {
		if _, n := plainElem(w); n >= 0 {
			t.Errorf("%q is read without its end", w)
		}
		if _, n := plainElem(w + "]"); n >= 0 && w != "1" {
			t.Errorf("%q is read", w)
		}
	}
}
