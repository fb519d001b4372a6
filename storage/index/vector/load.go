package vector

import (
	"bytes"
	"cmp"
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

// loader embeds and codes the vectors of rows in parts, on all processors. The codes stay in memory until the end: they are a small part of
// the vectors.
type loader struct {
	m      *Index
	emit   func(key, value []byte) error
	p      *params
	part   []vectorRow
	blocks map[uint64]*builder
	codes  sync.WaitGroup
	slots  chan struct{}

	mu   sync.Mutex  // guards what follows
	kept []vectorRow // of an index over texts: to be written
	err  error
}

// vectorRow is a row to be coded; of an index over texts it has a text first.
type vectorRow struct {
	ordinal uint64
	key     []byte // nil where the ordinal is it
	x       []float32
	text    string
}

// Add implements index.Loader.
func (l *loader) Add(ctx context.Context, row index.Row, d doc.Doc) error {
	r := vectorRow{ordinal: row.Ordinal}
	if l.m.embedder != nil {
		text, ok := d.Walk(doc.Keys(l.m.field...)).StringBytes()
		if !ok {
			return nil
		}
		r.text = string(text)
	} else {
		var err error
		if r.x, err = l.m.vector(ctx, d); err != nil || r.x == nil {
			return err
		}
		r.x = slices.Clone(r.x)
	}
	if !l.m.ordinals.Hidden() {
		r.key = bytes.Clone(row.Key)
	}
	l.part = append(l.part, r)
	if len(l.part) < sampleRows {
		return nil
	}
	return l.flush(ctx)
}

// flush codes the rows gathered. The first ones tell the center.
func (l *loader) flush(ctx context.Context) error {
	part := l.part
	l.part = nil
	if l.p == nil {
		if err := l.m.embedRows(ctx, part); err != nil {
			return err
		}
		l.p = l.m.newParams(part)
		l.slots = make(chan struct{}, runtime.GOMAXPROCS(0))
	}
	if err := l.write(ctx); err != nil {
		return err
	}
	l.slots <- struct{}{}
	l.codes.Go(func() {
		defer func() { <-l.slots }()
		err := l.m.embedRows(ctx, part)
		if err != nil {
			l.mu.Lock()
			l.err = err
			l.mu.Unlock()
			return
		}
		l.code(part)
	})
	return nil
}

// embedRows makes the vectors of rows that have a text.
func (m *Index) embedRows(ctx context.Context, rows []vectorRow) error {
	if m.embedder == nil || len(rows) == 0 || rows[0].x != nil {
		return nil
	}
	texts := make([]string, len(rows))
	for i := range rows {
		texts[i] = rows[i].text
	}
	vecs, err := m.embedder.Embed(ctx, texts)
	for i, x := range vecs {
		rows[i].x, rows[i].text = x, ""
	}
	return err
}

func (l *loader) code(part []vectorRow) {
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
		b.codes[part[i].ordinal%blockRows], b.keys[part[i].ordinal%blockRows] = coded[i], part[i].key
	}
	if l.m.embedder != nil {
		l.kept = append(l.kept, part...)
	}
}

// write emits the vectors of an index over texts that are ready.
func (l *loader) write(ctx context.Context) error {
	l.mu.Lock()
	kept, err := l.kept, l.err
	l.kept = nil
	l.mu.Unlock()
	for _, r := range kept {
		if err == nil {
			err = l.emit(keptKey(l.m.x.Storage, r.ordinal), appendVector(nil, r.x))
		}
	}
	return cmp.Or(err, ctx.Err())
}

// newParams makes the parameters of a new index; a sample of its vectors tells the center.
func (m *Index) newParams(sample []vectorRow) *params {
	p := &params{metric: m.metric, dims: m.dims, model: m.modelID(), rot: newRotation(max(m.dims, 1))}
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
		if err := l.flush(ctx); err != nil {
			return err
		}
	}
	l.codes.Wait()
	if err := l.write(ctx); err != nil {
		return err
	}
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
