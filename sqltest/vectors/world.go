package main

import (
	"cmp"
	"context"
	"encoding/binary"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"
)

// world is the data and the queries.
type world struct {
	o       options
	vectors [][]float32
	queries [][]float32
	known   map[[2]int][]int64 // what nearest has told, by query and share
}

func makeWorld(o options) *world {
	rng := rand.New(rand.NewPCG(11, 12))
	centers := make([][]float32, o.clusters)
	for i := range centers {
		centers[i] = unit(rng, nil, o.dims, 1)
	}
	w := &world{o: o, vectors: make([][]float32, o.rows), queries: make([][]float32, o.rounds), known: map[[2]int][]int64{}}
	for i := range w.vectors {
		w.vectors[i] = unit(rng, centers[rng.IntN(len(centers))], o.dims, o.spread)
	}
	for i := range w.queries {
		w.queries[i] = unit(rng, centers[rng.IntN(len(centers))], o.dims, o.spread)
	}
	return w
}

// unit makes a vector of length 1 near a center.
func unit(rng *rand.Rand, center []float32, dims int, spread float64) []float32 {
	x, length := make([]float32, dims), 0.0
	for i := range x {
		f := rng.NormFloat64() * spread / math.Sqrt(float64(dims))
		if center != nil {
			f += float64(center[i])
		}
		x[i] = float32(f)
		length += f * f
	}
	for i := range x {
		x[i] = float32(float64(x[i]) / math.Sqrt(length))
	}
	return x
}

// bucket spreads rows over 100 buckets.
func bucket(row int) int { return row * 7919 % 100 }

// nearest is the oracle: the ids of the nearest rows among those of the first share buckets.
func (w *world) nearest(q, share int) []int64 {
	if ids := w.known[[2]int{q, share}]; ids != nil {
		return ids
	}
	type hit struct {
		id  int64
		dot float64
	}
	var best []hit
	for i, x := range w.vectors {
		if bucket(i) >= share {
			continue
		}
		d := 0.0
		for j, f := range x {
			d += float64(f) * float64(w.queries[q][j])
		}
		if len(best) < w.o.k || d > best[len(best)-1].dot {
			best = append(best, hit{int64(i), d})
			slices.SortFunc(best, func(a, b hit) int { return cmp.Compare(b.dot, a.dot) })
			best = best[:min(len(best), w.o.k)]
		}
	}
	ids := make([]int64, len(best))
	for i, h := range best {
		ids[i] = h.id
	}
	w.known[[2]int{q, share}] = ids
	return ids
}

func (w *world) queryText(q int) string {
	b := []byte{'['}
	for i, f := range w.queries[q] {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendFloat(b, float64(f), 'g', -1, 32)
	}
	return string(append(b, ']'))
}

// load makes the table and copies the rows in.
func (s *side) load(ctx context.Context, w *world) error {
	for _, sql := range []string{
		"DROP TABLE IF EXISTS vec_items",
		"CREATE TABLE vec_items (id bigint PRIMARY KEY, bucket int, embedding vector(" + strconv.Itoa(w.o.dims) + "))",
	} {
		if _, err := s.conn.Exec(ctx, sql); err != nil {
			return err
		}
	}
	_, err := s.conn.PgConn().CopyFrom(ctx, &copyRows{w: w}, "COPY vec_items FROM STDIN WITH (FORMAT binary)")
	if err == nil {
		_, err = s.conn.Exec(ctx, "ANALYZE vec_items", pgx.QueryExecModeSimpleProtocol)
	}
	return err
}

// copyRows is the rows in COPY's binary form.
type copyRows struct {
	w    *world
	next int
	buf  []byte
	done bool
}

// Read implements io.Reader.
func (c *copyRows) Read(p []byte) (int, error) {
	for len(c.buf) < len(p) && !c.done {
		c.fill()
	}
	n := copy(p, c.buf)
	c.buf = c.buf[n:]
	if n == 0 && c.done {
		return 0, io.EOF
	}
	return n, nil
}

func (c *copyRows) fill() {
	if c.next == 0 {
		c.buf = append(c.buf, "PGCOPY\n\xff\r\n\x00\x00\x00\x00\x00\x00\x00\x00\x00"...)
	}
	if c.next == len(c.w.vectors) {
		c.buf, c.done = binary.BigEndian.AppendUint16(c.buf, 0xffff), true
		return
	}
	x := c.w.vectors[c.next]
	b := binary.BigEndian.AppendUint16(c.buf, 3)
	b = binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint32(b, 8), uint64(c.next))
	b = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(b, 4), uint32(bucket(c.next)))
	b = binary.BigEndian.AppendUint32(b, uint32(4+4*len(x)))
	b = append(binary.BigEndian.AppendUint16(b, uint16(len(x))), 0, 0)
	for _, f := range x {
		b = binary.BigEndian.AppendUint32(b, math.Float32bits(f))
	}
	c.buf = b
	c.next++
}
