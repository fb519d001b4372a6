package eval

import (
	"context"

	"github.com/omgdb/omgdb/planner/exec/vec"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

func isRow(t *value.Type) bool {
	t = typeio.Base(t)
	return t.Class == value.Composite || t.OID == value.RecordType.OID
}

// evalAll evaluates nodes into vecs.
func evalAll(ctx context.Context, nodes []Node, vecs []vec.Vec, b *batch.Batch, sel []int32) error {
	for i, a := range nodes {
		v, err := a.Eval(ctx, b, sel)
		if err != nil {
			return err
		}
		vecs[i] = v
	}
	return nil
}

// rowNode makes records.
type rowNode struct {
	fields []Node
	shape  value.Schema
	vecs   []vec.Vec
	out    value.Column
}

func (s *Scope) row(e *plan.RowExpr) (Node, Traits, error) {
	fields, traits, err := s.compileList(e.Fields)
	if err != nil {
		return nil, 0, err
	}
	n := &rowNode{fields: fields, vecs: make([]vec.Vec, len(fields)), shape: rowShape(e)}
	n.out.Type = e.T
	return n, traits, nil
}

// rowShape names the fields of a record: those of its composite type, or the given ones, or f1, f2 …
func rowShape(e *plan.RowExpr) value.Schema {
	if t := typeio.Base(e.T); len(t.Fields) == len(e.Fields) && len(e.Fields) > 0 {
		return t.Fields
	}
	shape := make(value.Schema, len(e.Fields))
	for i, f := range e.Fields {
		name := "f" + itoa(i+1)
		if i < len(e.Names) && e.Names[i] != "" {
			name = e.Names[i]
		}
		shape[i] = value.Field{Name: name, Type: f.Type(), Mod: f.Mod()}
	}
	return shape
}

func (n *rowNode) Eval(ctx context.Context, b *batch.Batch, sel []int32) (vec.Vec, error) {
	if err := evalAll(ctx, n.fields, n.vecs, b, sel); err != nil {
		return vec.Vec{}, err
	}
	vec.Resize(&n.out, b.Len)
	for _, i := range vec.Positions(sel, b.Len) {
		vals := make([]value.Value, len(n.vecs))
		for k, v := range n.vecs {
			vals[k] = v.Get(v.At(i))
		}
		n.out.Boxes[i] = &value.Record{Fields: n.shape, Vals: vals}
	}
	return vec.Vec{Column: &n.out}, nil
}

// rowIsNull tests the fields of a row value: IS NULL wants all of them NULL, IS NOT NULL none.
type rowIsNullNode struct {
	arg Node
	not bool
	out value.Column
}

func (s *Scope) rowIsNull(e *plan.IsNull) (Node, Traits, error) {
	arg, traits, err := s.compile(e.Arg)
	if err != nil {
		return nil, 0, err
	}
	n := &rowIsNullNode{arg: arg, not: e.Not}
	n.out.Type = value.Boolean
	return n, traits, nil
}

func (n *rowIsNullNode) Eval(ctx context.Context, b *batch.Batch, sel []int32) (vec.Vec, error) {
	v, err := n.arg.Eval(ctx, b, sel)
	if err != nil {
		return v, err
	}
	vec.Resize(&n.out, b.Len)
	for _, i := range vec.Positions(sel, b.Len) {
		at := v.At(i)
		n.out.Bools[i] = recordNull(v.Get(at), n.not)
	}
	return vec.Vec{Column: &n.out}, nil
}

func recordNull(v value.Value, not bool) bool {
	if v.IsNull() {
		return !not
	}
	r, ok := v.Box().(*value.Record)
	if !ok {
		return not
	}
	for _, f := range r.Vals {
		if f.IsNull() == not {
			return false
		}
	}
	return true
}

// fieldNode takes a field of a record.
type fieldNode struct {
	arg   Node
	field int
	name  string
	out   value.Column
}

func (s *Scope) fieldSelect(e *plan.FieldSelect) (Node, Traits, error) {
	arg, traits, err := s.compile(e.Arg)
	if err != nil {
		return nil, 0, err
	}
	n := &fieldNode{arg: arg, field: e.Field, name: e.Name}
	n.out.Type = e.T
	return n, traits, nil
}

func (n *fieldNode) Eval(ctx context.Context, b *batch.Batch, sel []int32) (vec.Vec, error) {
	v, err := n.arg.Eval(ctx, b, sel)
	if err != nil {
		return v, err
	}
	vec.Resize(&n.out, b.Len)
	for _, i := range vec.Positions(sel, b.Len) {
		at := v.At(i)
		if v.IsNull(at) {
			vec.SetNull(&n.out, i, b.Len)
			continue
		}
		r, ok := v.Boxes[at].(*value.Record)
		if !ok || n.field >= len(r.Vals) {
			return vec.Vec{}, dberr.New(dberr.DatatypeMismatch, "the row has no field %q", n.name)
		}
		vec.Set(&n.out, i, b.Len, r.Vals[n.field])
	}
	return vec.Vec{Column: &n.out}, nil
}

// rowCompareNode compares rows column by column; a column is evaluated only where all earlier ones were equal.
type rowCompareNode struct {
	op           string
	left, right  []Node
	eq, lt       []*applier
	out, tmp     value.Column
	open, differ []int32
}

func (s *Scope) rowCompare(e *plan.RowCompare) (Node, Traits, error) {
	left, lt, err := s.compileList(e.Left)
	if err != nil {
		return nil, 0, err
	}
	right, rt, err := s.compileList(e.Right)
	if err != nil {
		return nil, 0, err
	}
	n := &rowCompareNode{op: e.Op, left: left, right: right, eq: make([]*applier, len(left)), lt: make([]*applier, len(left))}
	for i := range left {
		pair := []plan.Expr{e.Left[i], e.Right[i]}
		n.eq[i] = newApplier(s.Run, e.Eq[i], pair, value.Boolean)
		if i < len(e.Lt) && e.Lt[i] != nil {
			n.lt[i] = newApplier(s.Run, e.Lt[i], pair, value.Boolean)
		}
	}
	n.out.Type, n.tmp.Type = value.Boolean, value.Boolean
	return n, lt | rt, nil
}

func (n *rowCompareNode) Eval(ctx context.Context, b *batch.Batch, sel []int32) (vec.Vec, error) {
	vec.Resize(&n.out, b.Len)
	n.open = append(n.open[:0], vec.Positions(sel, b.Len)...)
	ordering := n.op != "=" && n.op != "<>"
	for k := range n.left {
		if len(n.open) == 0 {
			break
		}
		if err := n.column(ctx, k, b, ordering); err != nil {
			return vec.Vec{}, err
		}
	}
	whenEqual := n.op == "=" || n.op == "<=" || n.op == ">="
	for _, i := range n.open {
		n.out.Bools[i] = whenEqual
	}
	return vec.Vec{Column: &n.out}, nil
}

// column decides the open rows that differ in column k. A NULL decides an ordering; for = and <> a later difference overrules it.
func (n *rowCompareNode) column(ctx context.Context, k int, b *batch.Batch, ordering bool) error {
	l, err := n.left[k].Eval(ctx, b, n.open)
	if err != nil {
		return err
	}
	r, err := n.right[k].Eval(ctx, b, n.open)
	if err != nil {
		return err
	}
	pair := []vec.Vec{l, r}
	if err := n.eq[k].apply(ctx, pair, n.open, b.Len, &n.tmp); err != nil {
		return err
	}
	n.differ = n.differ[:0]
	kept := 0
	for _, i := range n.open {
		switch {
		case n.tmp.IsNull(int(i)):
			vec.SetNull(&n.out, i, b.Len)
			if ordering {
				continue
			}
		case !n.tmp.Bools[i]:
			n.differ = append(n.differ, i)
			continue
		}
		n.open[kept] = i
		kept++
	}
	n.open = n.open[:kept]
	if len(n.differ) == 0 {
		return nil
	}
	return n.decide(ctx, k, pair, b.Len)
}

func (n *rowCompareNode) decide(ctx context.Context, k int, pair []vec.Vec, size int) error {
	if n.op == "=" || n.op == "<>" {
		for _, i := range n.differ {
			n.out.Bools[i] = n.op == "<>"
			if len(n.out.Nulls) > 0 {
				n.out.Nulls[i] = false
			}
		}
		return nil
	}
	if err := n.lt[k].apply(ctx, pair, n.differ, size, &n.tmp); err != nil {
		return err
	}
	less := n.op == "<" || n.op == "<="
	for _, i := range n.differ {
		n.out.Bools[i] = n.tmp.Bools[i] == less
	}
	return nil
}
