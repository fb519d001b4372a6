package vector

import (
	"context"
	"runtime"
	"slices"
	"sync"

	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/index"
)

// sampleRows is how many rows of a new index tell where its center is.
const sampleRows = 4096

// Loader implements index.Bulk.
func (m *Index) Loader(emit func(key, value []byte) error) index.Loader {
	return &loader{m: m, emit: emit, blocks: map[uint64]*builder{}}
}

// loader codes the vectors of rows in parts, on all processors. The codes stay in memory until the end: they are a small part of the
// vectors.
type loader struct {
	m      *Index
	emit   func(key, value []byte) error
	p      *params
	part   []vectorRow
	blocks map[uint64]*builder
	codes  sync.WaitGroup
	slots  chan struct{}

	mu sync.Mutex // guards blocks
}

// vectorRow is a row to be coded.
type vectorRow struct {
	ordinal uint64
	x       []float32
}

// Add implements index.Loader.
func (l *loader) Add(ctx context.Context, row index.Row, d doc.Doc) error {
	x, err := l.m.vector(ctx, d)
	if err != nil || x == nil {
		return err
	}
	if k, v := l.m.ordinals.Entry(row); k != nil {
		if err := l.emit(k, v); err != nil {
			return err
		}
	}
	l.part = append(l.part, vectorRow{row.Ordinal, x})
	if len(l.part) < sampleRows {
		return nil
	}
	l.flush()
	return ctx.Err()
}

// flush codes the rows gathered. The first ones tell the center.
func (l *loader) flush() {
	if l.p == nil {
		l.p = l.m.newParams(l.part)
		l.slots = make(chan struct{}, runtime.GOMAXPROCS(0))
	}
	part := l.part
	l.part = nil
	l.slots <- struct{}{}
	l.codes.Go(func() {
		defer func() { <-l.slots }()
		e := l.p.encoder()
		coded := make([][]byte, len(part))
		for i := range part {
			coded[i] = e.append(make([]byte, 0, l.p.codeLen()), part[i].x)
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		for i := range part {
			n := part[i].ordinal / blockRows
			b := l.blocks[n]
			if b == nil {
				b = &builder{p: l.p}
				l.blocks[n] = b
			}
			b.codes[part[i].ordinal%blockRows] = coded[i]
		}
	})
}

// newParams makes the parameters of a new index; a sample of its vectors tells the center.
func (m *Index) newParams(sample []vectorRow) *params {
	p := &params{metric: m.metric, dims: m.dims, rot: newRotation(max(m.dims, 1))}
	if m.metric == ByIP || len(sample) == 0 {
		return p
	}
	center := make([]float64, m.dims)
	for _, r := range sample {
		scale := 1 / float64(len(sample))
		if m.metric == ByCosine {
			n := Norm(r.x)
			if n == 0 {
				continue
			}
			scale /= float64(n)
		}
		for i, f := range r.x {
			center[i] += float64(float64(f) * scale)
		}
	}
	p.center = make([]float32, m.dims)
	for i, c := range center {
		p.center[i] = float32(c)
	}
	return p
}

// Finish implements index.Loader.
func (l *loader) Finish(ctx context.Context) error {
	if l.m.metric == 0 {
		return nil
	}
	if len(l.part) > 0 || l.p == nil {
		l.flush()
	}
	l.codes.Wait()
	l.m.remember(l.p)
	if err := l.emit(slices.Clone(l.m.header), appendHeader(l.p, 0)); err != nil {
		return err
	}
	for n, b := range l.blocks {
		if err := l.emit(blockKey(l.m.x.Storage, n), b.value()); err != nil {
			return err
		}
		delete(l.blocks, n)
	}
	return ctx.Err()
}
