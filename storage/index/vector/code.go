package vector

import (
	"encoding/binary"
	"math"

	"github.com/omgdb/omgdb/storage/dberr"
)

// Metric is the distance that an index is for.
type Metric byte

// The metrics. They are stored.
const (
	ByL2     Metric = 1
	ByCosine Metric = 2 // of vectors scaled to length 1: ordered as their Euclidean distances
	ByIP     Metric = 3 // negative inner product
)

// Distance is the distance of two vectors of one length, as SQL has it.
func (m Metric) Distance(a, b []float32) float64 {
	switch m {
	case ByL2:
		return math.Sqrt(float64(L2Squared(a, b)))
	case ByCosine:
		dot, square := DotAndSquare(a, b)
		return CosineDistance(dot, square, Dot(b, b))
	}
	return -float64(Dot(a, b))
}

// params is what all codes of an index have in common. It does not change while the index lives.
type params struct {
	metric Metric
	dims   int
	center []float32 // subtracted before coding; none for IP
	rot    *rotation
	model  string // of an index over texts: who made the vectors; "" before models were noted
	// unwritten tells that the header may not be stored yet.
	unwritten bool
}

func (p *params) words() int { return p.rot.padded / 64 }

// codeLen is the length of a row's code: its factors, then its bits.
func (p *params) codeLen() int { return factorLen + 8*p.words() }

// A row's factors are four float32: the constant part of the estimated distance, the weight of the bits' product with the query, the
// weight of the error, and the number of bits set.
const factorLen = 16

// zeroCode marks a vector that has no direction: its distance is no number, and it comes behind all others.
var zeroCode = float32(math.Inf(1))

// encoder makes codes. One goroutine uses it.
type encoder struct {
	*params
	buf []float32
}

func (p *params) encoder() *encoder { return &encoder{p, make([]float32, p.rot.padded)} }

// residual leaves in buf what is coded: the vector, scaled for cosines, without the center, turned. ok is false for a zero vector of a
// cosine index.
func (e *encoder) residual(x []float32) (ok bool) {
	scale := 1.0
	if e.metric == ByCosine {
		n := math.Sqrt(squares(x))
		if n == 0 {
			return false
		}
		scale = 1 / n
	}
	clear(e.buf)
	for i, f := range x {
		e.buf[i] = float32(float64(f) * scale)
	}
	for i, c := range e.center {
		e.buf[i] -= c
	}
	e.rot.apply(e.buf)
	return true
}

func squares(x []float32) float64 {
	s := 0.0
	for _, f := range x {
		s += float64(float64(f) * float64(f))
	}
	return s
}

// errorScale is how many standard deviations of the estimate its bound lies away at the recall that is aimed at.
func errorScale(recall float64) float32 {
	switch {
	case recall >= 1:
		return 6
	case recall >= 0.9999:
		return 4.5
	case recall >= 0.999:
		return 3.2
	case recall >= 0.99:
		return 2.3
	case recall >= 0.95:
		return 1.6
	}
	return 1.1
}

// append appends the code of a vector of the index's dimensions.
func (e *encoder) append(dst []byte, x []float32) []byte {
	if !e.residual(x) {
		dst = appendFactors(dst, zeroCode, 0, 0, 0)
		return append(dst, make([]byte, 8*e.words())...)
	}
	norm2, sum, set := squares(e.buf), 0.0, 0
	for _, f := range e.buf {
		sum += math.Abs(float64(f))
		if f > 0 {
			set++
		}
	}
	p := float64(e.rot.padded)
	var weight, dev float64
	if norm2 > 0 {
		// The bits stand for ±1/√p; their product with the vector's direction is f, and the estimate divides by it.
		f := sum / math.Sqrt(p*norm2)
		weight = 1 / (math.Sqrt(p) * f) * math.Sqrt(norm2)
		dev = math.Sqrt(norm2) * math.Sqrt(max(0, 1-f*f)) / (f * math.Sqrt(p-1))
	}
	base := norm2
	if e.metric == ByIP {
		base = 0
	}
	dst = appendFactors(dst, float32(base), float32(weight), float32(dev), float32(set))
	for w := 0; w < len(e.buf); w += 64 {
		word := uint64(0)
		for i, f := range e.buf[w : w+64] {
			if f > 0 {
				word |= 1 << i
			}
		}
		dst = binary.LittleEndian.AppendUint64(dst, word)
	}
	return dst
}

func appendFactors(dst []byte, base, weight, dev, set float32) []byte {
	for _, f := range [...]float32{base, weight, dev, set} {
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(f))
	}
	return dst
}

// query is a vector to search near, ready for estimates. It is safe for concurrent use.
type query struct {
	*params
	norm float32
	terms
	// tables tell, for each four elements, what each of the 16 patterns of their bits adds to the product with a code, in steps above the
	// least: 16 bytes for each.
	tables []byte
}

// terms make of a product, counted in steps, the least distance that a row may have: base + norm2 + weight·(step·product + sum) - dev·off.
// The layout is known to the kernels.
type terms struct {
	norm2, step, sum, off, limit float32
}

// patterns is how many patterns four bits have.
const patterns = 16

// newQuery prepares a search whose bounds lie scale standard deviations from the estimates. ok is false when no row is nearer than another:
// a zero vector of a cosine index.
func (p *params) newQuery(x []float32, scale float32) (q *query, ok bool, err error) {
	if len(x) != p.dims {
		return nil, false, dberr.New(dberr.DataException, "different vector dimensions %d and %d", p.dims, len(x))
	}
	e := p.encoder()
	if !e.residual(x) {
		return nil, false, nil
	}
	norm2 := float32(squares(e.buf))
	q = &query{params: p, norm: float32(math.Sqrt(float64(norm2))), tables: make([]byte, patterns*len(e.buf)/4)}
	step, constant := q.tabulate(e.buf)
	// An element's bit stands for ±1: the product with the signs is twice that with the bits, less the sum of all elements.
	two := float32(2)
	if p.metric == ByIP {
		two, norm2 = 1, 0
	}
	q.terms = terms{norm2: norm2, step: -2 * two * step, sum: -two * constant, off: two * q.norm * scale}
	return q, true, nil
}

// tabulate fills the tables from the query's elements. The product of the signs of a code with them is 2·step·(sum of entries) + constant.
func (q *query) tabulate(x []float32) (step, constant float32) {
	widest := float32(0)
	for i := 0; i < len(x); i += 4 {
		widest = max(widest, abs(x[i])+abs(x[i+1])+abs(x[i+2])+abs(x[i+3]))
	}
	// Two entries are added in a byte, and all of them in two bytes.
	top := float32(max(1, min(127, math.MaxUint16/(len(x)/4))))
	if step = widest / top; step == 0 {
		step = 1
	}
	for i := 0; i < len(x); i += 4 {
		least := min(0, x[i]) + min(0, x[i+1]) + min(0, x[i+2]) + min(0, x[i+3])
		for bits := range patterns {
			sum := -least
			for b, f := range x[i : i+4] {
				if bits>>b&1 != 0 {
					sum += f
				}
			}
			q.tables[i/4*patterns+bits] = byte(min(top, float32(math.Round(float64(max(0, sum)/step)))))
		}
		constant += 2*least - (x[i] + x[i+1] + x[i+2] + x[i+3])
	}
	return step, constant
}

// product counts in steps the product with the bits of one code.
func (q *query) product(code []byte) (n uint16) {
	for j, c := range code {
		t := q.tables[2*patterns*j:][:2*patterns]
		n += uint16(t[c&15]) + uint16(t[patterns+c>>4])
	}
	return n
}

// least is the least distance that a row may have, squared for Euclidean and for cosines, where it is 2·(1-cosine), and the negative inner
// product for that. The greatest is least + 2·dev·off, and their middle the estimate.
func (t *terms) least(base, weight, dev float32, product uint16) float32 {
	return float32(float32(base+t.norm2)+float32(weight*float32(float32(t.step*float32(product))+t.sum))) - float32(dev*t.off)
}

// leastsGeneric tells of each slot of a group the least distance, and which are not above the limit, by a bit.
func leastsGeneric(group, tables []byte, t *terms, out *[groupRows]float32) (near uint64) {
	var products [groupRows]uint16
	productsOf(group[groupFactors:], tables, &products)
	factors := Floats(group[:groupFactors])
	base, weight, dev := factors[:groupRows], factors[groupRows:2*groupRows], factors[2*groupRows:3*groupRows]
	for i := range out {
		out[i] = t.least(base[i], weight[i], dev[i], products[i])
		if out[i] <= t.limit {
			near |= 1 << i
		}
	}
	return near
}

// productsGeneric counts in steps the products of the 64 codes of a group with a query.
func productsGeneric(packed, tables []byte, out *[groupRows]uint16) {
	for j := 0; j*groupRows < len(packed); j++ {
		t := tables[2*patterns*j:][:2*patterns]
		for r, c := range packed[j*groupRows:][:groupRows] {
			out[r] += uint16(t[c&15]) + uint16(t[patterns+c>>4])
		}
	}
}

// key gives a distance of SQL in the terms of least.
func (m Metric) key(distance float64) float32 {
	switch m {
	case ByL2:
		return float32(distance * distance)
	case ByCosine:
		return float32(2 * distance)
	}
	return float32(distance)
}
