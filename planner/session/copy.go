package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/omgdb/omgdb/planner/exec"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// CopyInfo tells a door what to announce of a COPY.
type CopyInfo struct {
	In      bool // from the client
	Binary  bool
	Columns int
}

// BinaryCodec gives the binary forms of values, which belong to the wire.
type BinaryCodec interface {
	AppendBinary(dst []byte, t *value.Type, v value.Value, f *typeio.Format) []byte
	DecodeBinary(t *value.Type, b []byte, f *typeio.Format) (value.Value, error)
}

// Copies tells that the portal is a COPY whose other end is the client: instead of Fetch, the door calls StartCopy and then CopyIn or
// CopyOut.
func (p *Portal) Copies() bool {
	_, ok := p.c.stmt.(*plan.Copy)
	return ok
}

// StartCopy checks that the copy can run and opens its statement.
func (p *Portal) StartCopy(ctx context.Context) (CopyInfo, error) {
	st := p.c.stmt.(*plan.Copy)
	if p.state != bound {
		return CopyInfo{}, dberr.New(dberr.ObjectNotInPrerequisiteState, `portal "%s" cannot be run`, p.name)
	}
	if err := p.start(ctx); err != nil {
		p.state = broken
		return CopyInfo{}, err
	}
	return CopyInfo{In: st.From, Binary: st.Options.Format == "binary", Columns: len(st.Cols)}, nil
}

func copyActions() []entry {
	return []entry{on(action{counts: true}, func(s *Session, ctx context.Context, p *Portal, st *plan.Copy) error {
		if st.File != "" || st.Program {
			return dberr.New(dberr.FeatureNotSupported, "COPY to or from a file or program of the server is not supported").
				WithHint(`Use COPY ... FROM STDIN or TO STDOUT, in psql \copy.`)
		}
		txn, err := s.beginStatement(ctx)
		if err == nil {
			p.prepareRun(txn)
		}
		return err
	})}
}

// CopyIn stores the rows that r brings, in the statement's format. codec is needed for the binary one.
func (p *Portal) CopyIn(ctx context.Context, r io.Reader, codec BinaryCodec) error {
	st := p.c.stmt.(*plan.Copy)
	src := newCopySource(st, r, p.s.format, codec)
	p.rt.CopySource = src
	_, n, err := p.s.runToEnd(ctx, &p.rt, st.Insert)
	if err != nil {
		p.state = broken
		return src.explain(p.runtimeError(err))
	}
	p.count = n
	p.finish()
	return nil
}

// rowSource reads rows of raw fields; a nil field is NULL. The fields are valid for as long as the batch that they go into.
type rowSource interface {
	next() ([][]byte, error) // io.EOF at the end
	line() int               // number of the row's first line, 0 where there are no lines
	raw() []byte             // the row's text, for messages; nil where there is none
}

// copySource is the batch.Iter that feeds a COPY FROM.
type copySource struct {
	st     *plan.Copy
	schema value.Schema
	rows   rowSource
	decode func(i int, field []byte) (value.Value, error)
	cols   []*value.Column
	out    batch.Batch
	where  string // of the error met, "" before
	ended  bool
	idle   func() bool // tells that the client has sent nothing more yet; nil where that is not known
	handed time.Time   // when rows were handed on last
}

// dawdle is how long rows may wait for those behind them while the client has nothing to say: an error in them should not.
const dawdle = 50 * time.Millisecond

func newCopySource(st *plan.Copy, r io.Reader, f *typeio.Format, codec BinaryCodec) *copySource {
	s := &copySource{st: st, schema: schemaOf(st.Cols), handed: time.Now()}
	if c, ok := r.(interface{ Idle() bool }); ok {
		s.idle = c.Idle
	}
	if st.Options.Format == "binary" {
		s.rows = newBinaryRows(r, len(st.Cols))
		s.decode = func(i int, b []byte) (value.Value, error) {
			v, err := codec.DecodeBinary(st.Cols[i].Type, b, f)
			if err == nil && st.Cols[i].Mod >= 0 {
				v, err = typeio.ApplyMod(typeio.Base(st.Cols[i].Type), st.Cols[i].Mod, v, false)
			}
			return v, err
		}
		return s
	}
	s.rows = newTextRows(r, st)
	s.decode = func(i int, b []byte) (value.Value, error) {
		return typeio.In(st.Cols[i].Type, st.Cols[i].Mod, value.Bytes(b).Str(), f)
	}
	return s
}

// Schema implements batch.Iter.
func (s *copySource) Schema() value.Schema { return s.schema }

// Next implements batch.Iter.
func (s *copySource) Next(ctx context.Context) (*batch.Batch, error) {
	if s.ended {
		return nil, nil
	}
	if s.cols == nil {
		for _, f := range s.schema {
			s.cols = append(s.cols, value.NewColumn(f.Type, batch.Size))
		}
	}
	for _, c := range s.cols { // the insert has stored the rows of the batch before
		c.Reset()
	}
	n := 0
	for n < batch.Size {
		if n > 0 && s.idle != nil && s.idle() && time.Since(s.handed) > dawdle {
			break
		}
		fields, err := s.rows.next()
		if err == io.EOF {
			s.ended = true
			break
		}
		if err != nil {
			return nil, s.at(err, -1, nil)
		}
		for i, b := range fields {
			if b == nil {
				s.cols[i].AppendNull()
				continue
			}
			v, err := s.decode(i, b)
			if err != nil {
				return nil, s.at(err, i, b)
			}
			s.cols[i].Append(v)
		}
		n++
	}
	if n == 0 {
		return nil, nil
	}
	s.out, s.handed = batch.Batch{Cols: s.cols, Len: n}, time.Now()
	return &s.out, context.Cause(ctx)
}

// at remembers where in the input an error was met.
func (s *copySource) at(err error, col int, field []byte) error {
	s.where = fmt.Sprintf("COPY %s, line %d", s.st.Rel.Name, s.rows.line())
	switch {
	case col >= 0 && s.st.Options.Format == "binary":
		s.where += ", column " + s.st.Cols[col].Name
	case col >= 0:
		s.where += fmt.Sprintf(`, column %s: "%s"`, s.st.Cols[col].Name, shorten(field))
	case s.rows.raw() != nil:
		s.where += fmt.Sprintf(`: "%s"`, shorten(s.rows.raw()))
	}
	return err
}

// shorten cuts input for a message.
func shorten(b []byte) string {
	const most = 100
	if len(b) <= most {
		return string(b)
	}
	return string(b[:most]) + "..."
}

// explain gives the error of a copy the place in its input.
func (s *copySource) explain(err error) error {
	var e *dberr.Error
	if s.where == "" || !errors.As(err, &e) || e.Where != "" {
		return err
	}
	c := *e
	c.Where, c.Err = s.where, err
	return &c
}

// Close implements batch.Iter.
func (s *copySource) Close() error { return nil }

// CopyOut writes the statement's rows to w, each with one Write. codec is needed for the binary format.
func (p *Portal) CopyOut(ctx context.Context, w io.Writer, codec BinaryCodec) error {
	st := p.c.stmt.(*plan.Copy)
	err := p.copyOut(ctx, st, newRowWriter(st, w, p.s.format, codec))
	if err != nil {
		p.state = broken
		return p.runtimeError(err)
	}
	p.finish()
	return nil
}

func (p *Portal) copyOut(ctx context.Context, st *plan.Copy, w *rowWriter) error {
	if err := w.begin(); err != nil {
		return err
	}
	var rows batch.Iter
	if st.Query.ReadOnly {
		res, err := exec.Open(ctx, &p.rt, st.Query)
		if err != nil {
			return err
		}
		p.res, rows = res, res.Iter
	} else {
		kept, _, err := p.s.runToEnd(ctx, &p.rt, st.Query)
		if err != nil {
			return err
		}
		if kept == nil {
			return dberr.New(dberr.FeatureNotSupported, "COPY query must have a RETURNING clause")
		}
		p.rows, rows = kept, kept
	}
	for {
		b, err := rows.Next(ctx)
		if err != nil {
			return err
		}
		if b == nil {
			return w.end()
		}
		for i := range b.Rows() {
			if err := w.row(b.Cols, b.Row(i)); err != nil {
				return err
			}
		}
		p.count += int64(b.Rows())
	}
}
