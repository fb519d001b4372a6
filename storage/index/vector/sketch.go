package vector

import (
	"encoding/binary"
	"math"
	"unsafe"
)

// A sketch is a vector with a byte an element, and how far that is off: enough to tell which of many vectors cannot be among the nearest,
// at a quarter of the memory that has to be read. It holds the scale of its elements, how far it is away from the vector at most, the
// vector's length and its inverse (0 for none), float32 each; then the elements, up to a multiple of 16. A vector for which bounds cannot be
// told has an empty one: its elements are no numbers, or so large or small that their products are none.
const sketchHead = 16

// SketchSize is the length of a sketch.
func SketchSize(dims int) int { return sketchHead + (dims+lanes-1)/lanes*lanes }

// AppendSketch appends the sketch of a vector.
func AppendSketch(dst []byte, x []float32) []byte {
	top := float32(0)
	for _, f := range x {
		top = max(top, abs(f))
	}
	scale := top / math.MaxInt8
	at := len(dst)
	if !plain(top) {
		return dst
	}
	dst = append(dst, make([]byte, SketchSize(len(x)))...)
	off2, norm2 := 0.0, 0.0
	for i, f := range x {
		n := 0.0
		if scale > 0 {
			n = max(-math.MaxInt8, min(math.MaxInt8, math.Round(float64(f/scale))))
		}
		dst[at+sketchHead+i] = byte(int8(n))
		off := float64(f) - float64(n*float64(scale))
		off2 += float64(off * off)
		norm2 += float64(float64(f) * float64(f))
	}
	norm, inverse := math.Sqrt(norm2), 0.0
	if norm > 0 {
		inverse = 1 / norm
	}
	for i, f := range [...]float32{scale, above(math.Sqrt(off2)), float32(norm), float32(inverse)} {
		binary.LittleEndian.PutUint32(dst[at+4*i:], math.Float32bits(f))
	}
	return dst
}

// plain tells whether a vector with this greatest element is zero, or of a size whose squares are far from where float32 ends, so that
// scores are as exact as rounding says.
func plain(top float32) bool { return top == 0 || top > 1e-15 && top < 1e15 }

// above rounds up.
func above(f float64) float32 { return math.Nextafter32(float32(f), float32(math.Inf(1))) }

// Sketches is a search near a vector among sketches. One goroutine uses it.
type Sketches struct {
	part
	metric    Metric
	q         []int16 // elements of the query in steps, up to a multiple of 16
	step      float64
	norm, off float64 // length of the query, and how far q is away from it
	inverse   float64 // of norm
	size      int
}

// NewSketches begins a search for the k nearest. ok is false when no row is nearer than another, a zero vector by cosine, or bounds can't
// be told.
func NewSketches(metric Metric, x []float32, k int) (s *Sketches, ok bool) {
	s = &Sketches{metric: metric, size: SketchSize(len(x)), part: part{finder: &finder{k: k}}}
	s.limit = zeroCode
	s.q = make([]int16, s.size-sketchHead)
	top := 0.0
	for _, f := range x {
		top = max(top, math.Abs(float64(f)))
	}
	if !plain(float32(top)) || top == 0 && metric == ByCosine {
		return nil, false
	}
	// A product with a sketch must fit 32 bits.
	most := min(math.MaxInt16, math.Floor(math.MaxInt32/(math.MaxInt8*float64(len(s.q)))))
	if s.step = top / most; s.step == 0 {
		s.step = 1
	}
	off2, norm2 := 0.0, 0.0
	for i, f := range x {
		n := math.Round(float64(f) / s.step)
		s.q[i] = int16(n)
		off := float64(f) - float64(n*s.step)
		off2 += float64(off * off)
		norm2 += float64(float64(f) * float64(f))
	}
	s.norm, s.off = math.Sqrt(norm2), math.Sqrt(off2)
	s.inverse = 1 / s.norm
	return s, true
}

// rounding bounds, relative to the lengths of two vectors, what the arithmetic of their exact score and of its bounds may be off.
const rounding = 1e-5

// Add considers a row with its number; ok is false when it cannot be among the nearest. A sketch of other dimensions always may.
func (s *Sketches) Add(n uint64, sketch string) (ok bool) {
	s.scanned++
	least, most := float32(math.Inf(-1)), float32(math.Inf(1))
	if len(sketch) == s.size {
		least, most = s.bounds(sketch)
	}
	if !(least <= s.limit) {
		return false
	}
	s.consider(n, least, most)
	return true
}

// bounds tells between which distances, in the terms of Metric.key, a row lies.
func (s *Sketches) bounds(sketch string) (least, most float32) {
	b := unsafe.Slice(unsafe.StringData(sketch), len(sketch))
	head := Floats(b[:sketchHead])
	scale, off, norm, inverse := float64(head[0]), float64(head[1]), float64(head[2]), float64(head[3])
	product := float64(dotBytes(b[sketchHead:], s.q)) * scale * s.step
	slack := off*s.norm + (norm+off)*s.off + rounding*norm*s.norm
	switch s.metric {
	case ByCosine:
		if inverse == 0 {
			return zeroCode, zeroCode
		}
		inverse *= 2 * s.inverse
		product, slack = 2-product*inverse, slack*inverse
	case ByL2:
		squares := norm*norm + s.norm*s.norm
		product, slack = squares-2*product, 2*slack+rounding*squares
	default:
		product = -product
	}
	return float32(product - slack), float32(product + slack)
}

// Search gives the rows in the order in which they may be the nearest.
func (s *Sketches) Search() *Search { return s.finish(s.metric, []*part{&s.part}) }

// dotBytesGeneric is the product of bytes with signs and of numbers; the lengths are the same multiple of 16.
func dotBytesGeneric(a []byte, b []int16) (n int32) {
	for i, x := range a {
		n += int32(int8(x)) * int32(b[i])
	}
	return n
}
