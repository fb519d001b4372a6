// Package table holds the generic set-returning functions, a file per family. They produce their rows batch by batch, as they are asked for.
package table

import (
	"context"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

type (
	def  = functions.TableDef
	call = functions.Call
	val  = value.Value
)

// Families lists the families of table functions.
func Families() [][]def {
	return [][]def{series(), unnests(), regexes(), zones()}
}

// filler appends up to n rows to the columns; done tells that there are no more.
type filler func(cols []*value.Column, n int) (done bool, err error)

// stream is a batch.Iter over a filler.
type stream struct {
	schema value.Schema
	cols   []*value.Column
	fill   filler
	done   bool
}

func newStream(schema value.Schema, fill filler) batch.Iter {
	s := &stream{schema: schema, fill: fill}
	for _, f := range schema {
		s.cols = append(s.cols, value.NewColumn(f.Type, batch.Size))
	}
	return s
}

func (s *stream) Schema() value.Schema { return s.schema }

func (s *stream) Next(ctx context.Context) (*batch.Batch, error) {
	if s.done {
		return nil, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, c := range s.cols {
		c.Reset()
	}
	done, err := s.fill(s.cols, batch.Size)
	if err != nil {
		return nil, err
	}
	s.done = done
	n := s.cols[0].Len()
	if n == 0 {
		s.done = true
		return nil, nil
	}
	return &batch.Batch{Cols: s.cols, Len: n}, nil
}

func (s *stream) Close() error { return nil }

// streaming makes an entry from a function that gives the filler of a call.
func streaming(sig string, open func(c *call, a []val) (filler, error)) def {
	return def{Sig: sig, Open: func(_ context.Context, c *functions.Call, a []val, out value.Schema) (batch.Iter, error) {
		fill, err := open(c, a)
		if err != nil {
			return nil, err
		}
		return newStream(out, fill), nil
	}}
}

// listed makes a filler of one column from values at hand.
func listed(vals []val) filler {
	return func(cols []*value.Column, n int) (bool, error) {
		k := min(n, len(vals))
		for _, v := range vals[:k] {
			cols[0].Append(v)
		}
		vals = vals[k:]
		return len(vals) == 0, nil
	}
}

// format gives the session's format, or the default where there is no session.
func format(c *call) *typeio.Format {
	if c != nil && c.Env != nil && c.Env.Format != nil {
		return c.Env.Format
	}
	return typeio.Default
}
