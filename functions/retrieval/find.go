package retrieval

import (
	"context"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/value"
)

// findQuery is a find call: filter, sort, skip, limit and projection in MongoDB's sense.
type findQuery struct {
	env  *functions.Env
	spec storage.ScanSpec
	skip int
	most int // -1: all
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
	if q.skip, err = count("skip", a[3], 0); err != nil {
		return nil, err
	}
	if q.most, err = count("limit", a[4], -1); err != nil {
		return nil, err
	}
	return q, nil
}

func (q *findQuery) open(ctx context.Context, out value.Schema) (batch.Iter, error) {
	if q.most == 0 {
		return batch.Of(out, batch.Columns(out, 0)...), nil
	}
	if q.most > 0 {
		q.spec.Limit = int64(q.most + q.skip)
	}
	it, err := q.env.Txn.Scan(ctx, &q.spec)
	if err != nil {
		return nil, err
	}
	return &skipping{Iter: it, schema: out, skip: q.skip}, nil
}

// skipping leaves out the first rows of a stream.
type skipping struct {
	batch.Iter
	schema value.Schema
	skip   int
}

func (s *skipping) Schema() value.Schema { return s.schema }

func (s *skipping) Next(ctx context.Context) (*batch.Batch, error) {
	for {
		b, err := s.Iter.Next(ctx)
		if err != nil || b == nil || s.skip == 0 {
			return b, err
		}
		n := b.Rows()
		if n <= s.skip {
			s.skip -= n
			continue
		}
		if b.Sel == nil {
			b.Sel = make([]int32, n)
			for i := range b.Sel {
				b.Sel[i] = int32(i)
			}
		}
		b.Sel = b.Sel[s.skip:]
		s.skip = 0
		return b, nil
	}
}
