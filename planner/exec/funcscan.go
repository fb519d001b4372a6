package exec

import (
	"context"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/exec/eval"
	"github.com/omgdb/omgdb/planner/exec/vec"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// setCall is one set-returning call: its arguments are evaluated once for each start.
type setCall struct {
	call plan.SetCall
	args []eval.Node
	env  *functions.Env
	fc   functions.Call
	row  eval.Node // of a function that is not set-returning
}

func (b *builder) setCall(s *eval.Scope, c plan.SetCall) (*setCall, error) {
	if c.Row != nil {
		row, err := s.Compile(c.Row)
		return &setCall{call: c, row: row}, err
	}
	if c.Fn.Open == nil {
		return nil, dberr.New(dberr.FeatureNotSupported, "set-returning function %s cannot be called here", c.Fn.Name)
	}
	args, err := s.CompileAll(c.Args)
	if err != nil {
		return nil, err
	}
	sc := &setCall{call: c, args: args, env: b.rt.Env}
	sc.fc = functions.Call{Env: b.rt.Env, Args: make([]*value.Type, len(args)), Mods: make([]int32, len(args)), Unread: c.Unread}
	for i, a := range c.Args {
		sc.fc.Args[i], sc.fc.Mods[i] = a.Type(), a.Mod()
	}
	if len(c.Shape) > 0 {
		sc.fc.Ret = c.Shape[0].Type
	}
	return sc, nil
}

// start opens the stream for row i of b (nil: no input row); a nil stream stands for no rows.
func (c *setCall) start(ctx context.Context, in *batch.Batch, i int32) (batch.Iter, error) {
	if c.row != nil {
		return c.startRow(ctx, in, i)
	}
	args := make([]value.Value, len(c.args))
	for k, n := range c.args {
		var err error
		if args[k], err = valueAt(ctx, n, in, i); err != nil {
			return nil, err
		}
	}
	if c.call.Fn.Strict {
		for _, a := range args {
			if a.IsNull() {
				return nil, nil
			}
		}
	}
	call := c.fc
	return c.call.Fn.Open(ctx, &call, args, c.call.Shape)
}

// startRow gives the value of a function that is not set-returning as the only row, a composite one as its fields.
func (c *setCall) startRow(ctx context.Context, in *batch.Batch, i int32) (batch.Iter, error) {
	v, err := valueAt(ctx, c.row, in, i)
	if err != nil {
		return nil, err
	}
	vals := []value.Value{v}
	if typeio.Base(c.call.Row.Type()).Class == value.Composite {
		vals = make([]value.Value, len(c.call.Shape))
		if r, ok := v.Box().(*value.Record); ok {
			copy(vals, r.Vals)
		}
	}
	cols := make([]*value.Column, len(vals))
	for k, v := range vals {
		cols[k] = value.NewColumn(c.call.Shape[k].Type, 1)
		cols[k].Append(v)
	}
	return batch.Of(c.call.Shape, cols...), nil
}

// valueAt evaluates an expression for one row.
func valueAt(ctx context.Context, n eval.Node, in *batch.Batch, i int32) (value.Value, error) {
	if in == nil {
		return eval.Value(ctx, n)
	}
	v, err := n.Eval(ctx, in, []int32{i})
	if err != nil {
		return value.Null, err
	}
	return v.Get(v.At(i)), nil
}

// shapeRows turns a batch of the stream into the call's columns, without the ordinality.
func (c *setCall) shapeRows(in *batch.Batch, record *value.Column) []*value.Column {
	if !c.call.AsRecord {
		return in.Cols
	}
	record.Type = c.call.Cols[0].Type
	vec.Resize(record, in.Len)
	for i := range in.Rows() {
		at := in.Row(i)
		vals := make([]value.Value, len(in.Cols))
		for k, col := range in.Cols {
			vals[k] = col.Get(at)
		}
		record.Boxes[at] = &value.Record{Fields: c.call.Shape, Vals: vals}
	}
	return []*value.Column{record}
}

// funcScanOp is a table function in FROM with a single call.
type funcScanOp struct {
	call    *setCall
	iter    batch.Iter
	record  value.Column
	ordinal value.Column
	count   int64
	out     batch.Batch
}

func (b *builder) funcScan(n *plan.FuncScan) (op, error) {
	if len(n.Calls) != 1 {
		return b.rowsFrom(n)
	}
	c, err := b.setCall(b.scope(nil), n.Calls[0])
	if err != nil {
		return nil, err
	}
	return &funcScanOp{call: c, ordinal: value.Column{Type: value.Int8}}, nil
}

func (o *funcScanOp) open(ctx context.Context) error {
	if err := o.close(); err != nil {
		return err
	}
	o.count = 0
	it, err := o.call.start(ctx, nil, 0)
	o.iter = it
	return err
}

func (o *funcScanOp) next(ctx context.Context) (*batch.Batch, error) {
	if o.iter == nil {
		return nil, nil
	}
	in, err := o.iter.Next(ctx)
	if err != nil || in == nil {
		return nil, err
	}
	cols := o.call.shapeRows(in, &o.record)
	if o.call.call.Ordinality {
		vec.Resize(&o.ordinal, in.Len)
		for i := range in.Rows() {
			o.count++
			o.ordinal.Ints[in.Row(i)] = o.count
		}
		cols = append(cols[:len(cols):len(cols)], &o.ordinal)
	}
	o.out = batch.Batch{Cols: cols, Len: in.Len, Sel: in.Sel}
	return &o.out, nil
}

func (o *funcScanOp) close() error {
	if o.iter == nil {
		return nil
	}
	it := o.iter
	o.iter = nil
	return it.Close()
}

// rowsFromOp is ROWS FROM: the calls run side by side and shorter ones are padded with NULLs.
type rowsFromOp struct {
	calls   []*setCall
	streams []*rowStream
	ordinal bool
	count   int64
	cols    []*value.Column
	out     batch.Batch
}

func (b *builder) rowsFrom(n *plan.FuncScan) (op, error) {
	o := &rowsFromOp{}
	scope := b.scope(nil)
	for _, c := range n.Calls {
		sc, err := b.setCall(scope, c)
		if err != nil {
			return nil, err
		}
		o.calls = append(o.calls, sc)
	}
	for _, c := range n.Out {
		o.cols = append(o.cols, value.NewColumn(c.Type, batch.Size))
	}
	width := 0
	for _, c := range n.Calls {
		width += len(c.Cols)
	}
	o.ordinal = width < len(n.Out) // WITH ORDINALITY of the whole
	return o, nil
}

func (o *rowsFromOp) open(ctx context.Context) error {
	if err := o.close(); err != nil {
		return err
	}
	o.count = 0
	for _, c := range o.calls {
		s, err := c.stream(ctx, nil, 0)
		if err != nil {
			return err
		}
		o.streams = append(o.streams, s)
	}
	return nil
}

func (o *rowsFromOp) next(ctx context.Context) (*batch.Batch, error) {
	for _, c := range o.cols {
		c.Reset()
	}
	n := 0
	for ; n < batch.Size; n++ {
		more, err := appendStep(ctx, o.streams, o.cols)
		if err != nil {
			return nil, err
		}
		if !more {
			break
		}
		if o.ordinal {
			o.count++
			o.cols[len(o.cols)-1].Append(value.Int(o.count))
		}
	}
	if n == 0 {
		return nil, nil
	}
	o.out = batch.Batch{Cols: o.cols, Len: n}
	return &o.out, nil
}

func (o *rowsFromOp) close() error {
	var first error
	for _, s := range o.streams {
		if err := s.close(); first == nil {
			first = err
		}
	}
	o.streams = o.streams[:0]
	return first
}

// rowStream reads a call's rows one at a time; after its end it gives NULLs.
type rowStream struct {
	call   *setCall
	iter   batch.Iter
	record value.Column
	cols   []*value.Column
	cur    *batch.Batch
	at     int
	count  int64
}

func (c *setCall) stream(ctx context.Context, in *batch.Batch, i int32) (*rowStream, error) {
	it, err := c.start(ctx, in, i)
	if err != nil {
		return nil, err
	}
	return &rowStream{call: c, iter: it}, nil
}

// advance moves to the next row; false at the end.
func (s *rowStream) advance(ctx context.Context) (bool, error) {
	for s.iter != nil {
		if s.cur != nil && s.at+1 < s.cur.Rows() {
			s.at++
			s.count++
			return true, nil
		}
		in, err := s.iter.Next(ctx)
		if err != nil {
			return false, err
		}
		if in == nil {
			err := s.iter.Close()
			s.iter, s.cur = nil, nil
			return false, err
		}
		s.cur, s.at = in, -1
		s.cols = s.call.shapeRows(in, &s.record)
	}
	return false, nil
}

func (s *rowStream) close() error {
	if s.iter == nil {
		return nil
	}
	it := s.iter
	s.iter = nil
	return it.Close()
}

// appendStep advances all streams and appends a row made of theirs to cols, NULLs for those at their end; false when all are.
func appendStep(ctx context.Context, streams []*rowStream, cols []*value.Column) (bool, error) {
	any := false
	live := make([]bool, len(streams))
	for i, s := range streams {
		ok, err := s.advance(ctx)
		if err != nil {
			return false, err
		}
		live[i] = ok
		any = any || ok
	}
	if !any {
		return false, nil
	}
	k := 0
	for i, s := range streams {
		width := len(s.call.call.Cols)
		ordinal := s.call.call.Ordinality
		for j := range width {
			switch {
			case !live[i]:
				cols[k].AppendNull()
			case ordinal && j == width-1:
				cols[k].Append(value.Int(s.count))
			default:
				vec.AppendAt(cols[k], s.cols[j], s.cur.Row(s.at))
			}
			k++
		}
	}
	return true, nil
}
