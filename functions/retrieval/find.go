package retrieval

import (
	"context"
	"slices"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/filter/spec"
	"github.com/omgdb/omgdb/storage/value"
)

// findQuery is a find call: filter, sort, skip, limit and projection in MongoDB's sense.
type findQuery struct {
	env        *functions.Env
	spec       storage.ScanSpec
	sort       *spec.Sort       // nil: key order
	projection *spec.Projection // nil: whole documents
	skip       int
	most       int // -1: all
}

func newFindQuery(env *functions.Env, a []value.Value) (*findQuery, error) {
	rel, err := relation(env, text(a[0]))
	if err != nil {
		return nil, err
	}
	q := &findQuery{env: env, most: -1}
	q.spec = storage.ScanSpec{Rel: rel, Cols: []storage.ScanCol{{Kind: storage.ColID}, {Kind: storage.ColDoc}}}
	if q.spec.Filter, err = parseFilter(a[1]); err != nil {
		return nil, err
	}
	if !a[2].IsNull() {
		d, err := objectArg("sort", a[2])
		if err != nil {
			return nil, err
		}
		if q.sort, err = spec.ParseSort(d); err != nil {
			return nil, err
		}
	}
	if q.skip, err = count("skip", a[3], 0); err != nil {
		return nil, err
	}
	if q.most, err = count("limit", a[4], -1); err != nil {
		return nil, err
	}
	if a[5].IsNull() {
		return q, nil
	}
	d, err := objectArg("projection", a[5])
	if err != nil {
		return nil, err
	}
	q.projection, err = spec.ParseProjection(d)
	return q, err
}

func (q *findQuery) open(ctx context.Context, out value.Schema) (batch.Iter, error) {
	if q.most == 0 {
		return batch.Of(out, batch.Columns(out, 0)...), nil
	}
	if q.most > 0 && q.sort == nil {
		q.spec.Limit = int64(q.most + q.skip)
	}
	it, err := q.env.Txn.Scan(ctx, &q.spec)
	if err != nil {
		return nil, err
	}
	if q.sort != nil {
		return q.sorted(ctx, it, out)
	}
	return &findIter{Iter: it, schema: out, skip: q.skip, projection: q.projection}, nil
}

// foundDoc is a row that waits to be sorted.
type foundDoc struct {
	id, encoded string
	keys        []doc.Value
}

// sorted reads all rows, orders them and gives those between skip and limit. It closes the scan.
func (q *findQuery) sorted(ctx context.Context, it batch.Iter, out value.Schema) (batch.Iter, error) {
	defer it.Close()
	const rowBytes = 160
	var rows []foundDoc
	for {
		b, err := it.Next(ctx)
		if err != nil {
			return nil, err
		}
		if b == nil {
			break
		}
		if err := q.env.Memory.Grow(int64(b.Rows()) * rowBytes); err != nil {
			return nil, err
		}
		for i := range b.Rows() {
			row := b.Row(i)
			r := foundDoc{id: b.Cols[0].Strs[row], encoded: b.Cols[1].Strs[row]}
			r.keys = q.sort.Keys(nil, doc.Decode(value.String(r.encoded).Bytes()).Doc())
			rows = append(rows, r)
		}
	}
	slices.SortStableFunc(rows, func(a, b foundDoc) int { return q.sort.Compare(a.keys, b.keys) })
	rows = rows[min(q.skip, len(rows)):]
	if q.most >= 0 {
		rows = rows[:min(q.most, len(rows))]
	}
	cols := batch.Columns(out, len(rows))
	for _, r := range rows {
		cols[0].Append(value.String(r.id))
		cols[1].Append(project(q.projection, r.encoded))
	}
	return batch.Of(out, cols...), nil
}

// project shows the fields of a document that a projection asks for.
func project(p *spec.Projection, encoded string) value.Value {
	if p == nil {
		return value.String(encoded)
	}
	d := doc.Decode(value.String(encoded).Bytes()).Doc()
	return value.Bytes(p.Apply(d).Value().Encoded())
}

// findIter leaves out the first rows of a scan and shows what the projection asks for.
type findIter struct {
	batch.Iter
	schema     value.Schema
	skip       int
	projection *spec.Projection
}

func (s *findIter) Schema() value.Schema { return s.schema }

func (s *findIter) Next(ctx context.Context) (*batch.Batch, error) {
	for {
		b, err := s.Iter.Next(ctx)
		if err != nil || b == nil {
			return b, err
		}
		n := b.Rows()
		if n <= s.skip {
			s.skip -= n
			continue
		}
		if s.skip > 0 {
			skipRows(b, s.skip)
			s.skip = 0
		}
		if s.projection == nil {
			return b, nil
		}
		return s.projected(b), nil
	}
}

func (s *findIter) projected(b *batch.Batch) *batch.Batch {
	cols := batch.Columns(s.schema, b.Rows())
	for i := range b.Rows() {
		row := b.Row(i)
		cols[0].Append(b.Cols[0].Get(row))
		cols[1].Append(project(s.projection, b.Cols[1].Strs[row]))
	}
	return &batch.Batch{Cols: cols, Len: b.Rows()}
}

func skipRows(b *batch.Batch, skip int) {
	if b.Sel == nil {
		b.Sel = make([]int32, b.Len)
		for i := range b.Sel {
			b.Sel[i] = int32(i)
		}
	}
	b.Sel = b.Sel[skip:]
}
