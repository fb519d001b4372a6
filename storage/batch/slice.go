package batch

import (
	"context"

	"github.com/omgdb/omgdb/storage/value"
)

// Of gives a stream of the one batch that consists of whole columns, all of one length.
func Of(schema value.Schema, cols ...*value.Column) Iter {
	n := 0
	if len(cols) > 0 {
		n = cols[0].Len()
	}
	return &slice{schema: schema, b: &Batch{Cols: cols, Len: n}}
}

// Columns makes an empty column for each field of a schema.
func Columns(schema value.Schema, room int) []*value.Column {
	cols := make([]*value.Column, len(schema))
	for i, f := range schema {
		cols[i] = value.NewColumn(f.Type, room)
	}
	return cols
}

type slice struct {
	schema value.Schema
	b      *Batch
}

func (s *slice) Schema() value.Schema { return s.schema }

func (s *slice) Next(context.Context) (*Batch, error) {
	b := s.b
	s.b = nil
	if b == nil || b.Len == 0 {
		return nil, nil
	}
	return b, nil
}

func (s *slice) Close() error { return nil }
