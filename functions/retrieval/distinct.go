package retrieval

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/key"
	"github.com/omgdb/omgdb/storage/value"
)

var distinctValues = functions.Table{
	OID: 8118, Name: "distinct_values",
	Params:     []functions.Param{pCollection, pField, pFilter},
	Cols:       []functions.Param{{Name: "value", Type: value.JSONB}},
	Scalar:     true,
	Volatility: functions.Stable, Rows: 100,
	Open: openDistinct,
	Descr: "the different values of a field among the documents that match a filter, in MongoDB's order of values; an array counts as its elements, " +
		"numbers of different types that are equal as one",
}

// distinctSet gathers values, each under its key in MongoDB's order.
type distinctSet struct {
	env    *functions.Env
	values map[string]doc.Value
	key    []byte
}

func openDistinct(ctx context.Context, c *functions.Call, a []value.Value, out value.Schema) (batch.Iter, error) {
	if anyNull(a[:2]) {
		return batch.Of(out, batch.Columns(out, 0)...), nil
	}
	rel, err := relation(c.Env, text(a[0]))
	if err != nil {
		return nil, err
	}
	path, err := spread(text(a[1]))
	if err != nil {
		return nil, err
	}
	spec := &storage.ScanSpec{Rel: rel, Cols: []storage.ScanCol{{Kind: storage.ColDoc}}}
	if spec.Filter, err = parseFilter(a[2]); err != nil {
		return nil, err
	}
	set := &distinctSet{env: c.Env, values: map[string]doc.Value{}}
	if err := set.gather(ctx, spec, path); err != nil {
		return nil, err
	}
	return set.rows(out), nil
}

func (s *distinctSet) gather(ctx context.Context, spec *storage.ScanSpec, path []string) error {
	it, err := s.env.Txn.Scan(ctx, spec)
	if err != nil {
		return err
	}
	defer it.Close()
	for {
		b, err := it.Next(ctx)
		if err != nil || b == nil {
			return err
		}
		for i := range b.Rows() {
			d := doc.Decode(b.Cols[0].Get(b.Row(i)).Bytes())
			if err := s.reach(d, path); err != nil {
				return err
			}
		}
	}
}

// rows gives the values in order.
func (s *distinctSet) rows(out value.Schema) batch.Iter {
	keys := make([]string, 0, len(s.values))
	for k := range s.values {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	cols := batch.Columns(out, len(keys))
	for _, k := range keys {
		cols[0].Append(value.Bytes(s.values[k].Encoded()))
	}
	return batch.Of(out, cols...)
}

// spread takes a dotted path apart.
func spread(field string) ([]string, error) {
	parts := strings.Split(field, ".")
	if slices.Contains(parts, "") {
		return nil, dberr.New(dberr.InvalidParameterValue, "field %q is not a path", field)
	}
	return parts, nil
}

// reach adds the values at the end of a path: it goes through arrays of objects, and an array there counts as its elements.
func (s *distinctSet) reach(v doc.Value, path []string) error {
	if len(path) == 0 {
		if v.IsArray() {
			return s.members(v, nil)
		}
		return s.add(v)
	}
	switch {
	case v.IsObject():
		if x := v.Doc().Lookup(path[0]); !x.Missing() {
			return s.reach(x, path[1:])
		}
	case v.IsArray():
		if n, err := strconv.ParseUint(path[0], 10, 31); err == nil {
			if x := v.At(int(n)); !x.Missing() {
				return s.reach(x, path[1:])
			}
		}
		return s.members(v, path)
	}
	return nil
}

// members goes into the elements of an array: with a path left only into objects.
func (s *distinctSet) members(v doc.Value, path []string) error {
	for e := v.Elements(); ; {
		_, x, ok := e.Next()
		if !ok {
			return nil
		}
		var err error
		if len(path) == 0 {
			err = s.add(x)
		} else if x.IsObject() {
			err = s.reach(x, path)
		}
		if err != nil {
			return err
		}
	}
}

func (s *distinctSet) add(v doc.Value) (err error) {
	if s.key, err = key.AppendBSON(s.key[:0], v.Type, v.Data); err != nil {
		return err
	}
	if _, have := s.values[string(s.key)]; have {
		return nil
	}
	const perValue = 96
	if err := s.env.Memory.Grow(int64(len(s.key) + len(v.Data) + perValue)); err != nil {
		return err
	}
	s.values[string(s.key)] = v.Clone()
	return nil
}
