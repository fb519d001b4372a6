package vector

import (
	"encoding/binary"
	"math"
	"math/bits"

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

// planes is how many bits a query's element has in the products with codes.
const planes = 6

// query is a vector to search near, ready for estimates. It is safe for concurrent use.
type query struct {
	*params
	norm2  float32
	norm   float32
	low    float32 // an element is about low + step·(its bits)
	step   float32
	sum    float32
	planes []uint64 // of each chunk of 8 words the planes, one after the other
}

// newQuery prepares a search. ok is false when no row is nearer than another: a zero vector of a cosine index.
func (p *params) newQuery(x []float32) (q *query, ok bool, err error) {
	if len(x) != p.dims {
		return nil, false, dberr.New(dberr.DataException, "different vector dimensions %d and %d", p.dims, len(x))
	}
	e := p.encoder()
	if !e.residual(x) {
		return nil, false, nil
	}
	q = &query{params: p, norm2: float32(squares(e.buf)), planes: make([]uint64, planes*8*chunks(p.words()))}
	q.norm = float32(math.Sqrt(float64(q.norm2)))
	low, high := e.buf[0], e.buf[0]
	for _, f := range e.buf {
		low, high = min(low, f), max(high, f)
		q.sum += f
	}
	q.low, q.step = low, (high-low)/(1<<planes-1)
	if q.step == 0 {
		q.step = 1
	}
	for i, f := range e.buf {
		v := min(1<<planes-1, uint(math.Round(float64((f-low)/q.step))))
		for b := range planes {
			q.planes[(i/512*planes+b)*8+i/64%8] |= uint64(v>>b&1) << (i % 64)
		}
	}
	return q, true, nil
}

// bounds gives the estimate of a row's distance and how far it may be off at one standard deviation. The distance is squared for
// Euclidean and for cosines, where it is 2·(1-cosine), and the negative inner product for that. dot is the product of code and query.
func (q *query) bounds(base, weight, dev, set float32, dot int32) (estimate, off float32) {
	product := weight * (2*(q.low*set+q.step*float32(dot)) - q.sum)
	off = dev * q.norm
	if q.metric == ByIP {
		return -product, off
	}
	return base + q.norm2 - 2*product, 2 * off
}

// leasts gives for each slot of a block what bounds tells as the estimate less so many times its error.
func (q *query) leasts(b *block, dots []int32, scale float32, out []float32) {
	n := len(out)
	base, weight, dev, set := b.factors[0][:n], b.factors[1][:n], b.factors[2][:n], b.factors[3][:n]
	dots = dots[:n]
	two, norm2 := float32(2), q.norm2
	if q.metric == ByIP {
		two, norm2 = 1, 0
	}
	low, step, sum, off := -2*two*q.low, -2*two*q.step, two*q.sum, two*q.norm*scale
	for i := range out {
		out[i] = base[i] + norm2 + weight[i]*(low*set[i]+step*float32(dots[i])+sum) - dev[i]*off
	}
}

// key gives a distance of SQL in the terms of bounds.
func (m Metric) key(distance float64) float32 {
	switch m {
	case ByL2:
		return float32(distance * distance)
	case ByCosine:
		return float32(2 * distance)
	}
	return float32(distance)
}

// chunks is how many groups of 8 words hold so many.
func chunks(words int) int { return (words + 7) / 8 }

// dotsGeneric gives the products of codes of so many words with a query's planes, as many as out has room for.
func dotsGeneric(codes, planeBits []uint64, words int, out []int32) {
	for i := range out {
		total := 0
		for w, x := range codes[i*words : (i+1)*words] {
			p := planeBits[w/8*8*planes+w%8:]
			for b := range planes {
				total += bits.OnesCount64(x&p[8*b]) << b
			}
		}
		out[i] = int32(total)
	}
}
