package eval

import (
	"context"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/functions/sysfunc"
	"github.com/omgdb/omgdb/planner/exec/vec"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

func (s *Scope) cast(e *plan.Cast) (Node, Traits, error) {
	arg, traits, err := s.compile(e.Arg)
	if err != nil {
		return nil, 0, err
	}
	switch e.Method {
	case plan.RelabelCast:
		return &relabel{arg: arg, t: e.T}, traits, nil
	case plan.IOCast:
		n := &ioCast{arg: arg, from: e.Arg.Type(), to: e.T, mod: e.M}
		if s.Run.Env != nil {
			n.format = s.Run.Env.Format
		}
		n.out.Type = e.T
		return n, traits, nil
	case plan.ArrayCast:
		return s.arrayCast(e, arg, traits)
	case plan.RecordCast:
		return s.recordCast(e, arg, traits)
	case plan.DomainCast:
		return s.domainCast(e, arg, traits)
	}
	return nil, 0, dberr.New(dberr.InternalError, "unknown kind of cast to %s", e.T)
}

// ioCast writes a value as text and reads that as another type.
type ioCast struct {
	arg      Node
	from, to *value.Type
	mod      int32
	format   *typeio.Format
	out      value.Column
}

func (n *ioCast) Eval(ctx context.Context, b *batch.Batch, sel []int32) (vec.Vec, error) {
	v, err := n.arg.Eval(ctx, b, sel)
	if err != nil {
		return v, err
	}
	if l := v.Lasting; l != nil && !v.Const && n.ofTextAlone() {
		if c := l.Derive(value.Derivation{To: n.to.OID, Mod: n.mod}, func() *value.Column { return n.derive(v) }); c != nil {
			return vec.Vec{Column: c}, nil
		}
	}
	vec.Resize(&n.out, b.Len)
	if err := n.convert(&n.out, v, sel, b.Len); err != nil {
		return vec.Vec{}, err
	}
	return vec.Vec{Column: &n.out}, nil
}

func (n *ioCast) convert(out *value.Column, v vec.Vec, sel []int32, size int) error {
	for _, i := range vec.Positions(sel, size) {
		at := v.At(i)
		if v.IsNull(at) {
			vec.SetNull(out, i, size)
			continue
		}
		r, err := typeio.In(n.to, n.mod, typeio.Text(n.from, v.Get(at), n.format), n.format)
		if err != nil {
			return err
		}
		vec.Set(out, i, size, r)
	}
	return nil
}

// ofTextAlone tells whether the result depends on nothing but the text, no setting either.
func (n *ioCast) ofTextAlone() bool {
	if n.from.OID != value.Text.OID {
		return false
	}
	switch n.to.OID {
	case value.Int2.OID, value.Int4.OID, value.Int8.OID, value.Float4.OID, value.Float8.OID, value.Numeric.OID, value.Boolean.OID:
		return true
	}
	return false
}

// derive converts a whole lasting column, nil when one of its values is not of the type: the rows that a statement looks at may be others.
func (n *ioCast) derive(v vec.Vec) *value.Column {
	c := value.NewColumn(n.to, v.Len())
	vec.Resize(c, v.Len())
	if n.convert(c, v, nil, v.Len()) != nil {
		return nil
	}
	c.Lasting = &value.Lasting{Grow: v.Lasting.Grow}
	return c
}

// arrayCast converts the elements of all arrays of a batch as one column.
type arrayCast struct {
	arg      Node
	elem     Node
	bound    *local
	to       *value.Type
	in       value.Column
	out      value.Column
	elements batch.Batch
}

func (s *Scope) arrayCast(e *plan.Cast, arg Node, traits Traits) (Node, Traits, error) {
	n := &arrayCast{arg: arg, to: e.T.Elem}
	var unbind func()
	n.bound, unbind = s.bind(e.ElemCol, Row)
	defer unbind()
	elem, inner, err := s.compile(e.Elem)
	if err != nil {
		return nil, 0, err
	}
	n.elem = elem
	n.in.Type, n.out.Type = e.Arg.Type().Elem, e.T
	return n, traits | inner&^Row, nil
}

func (n *arrayCast) Eval(ctx context.Context, b *batch.Batch, sel []int32) (vec.Vec, error) {
	v, err := n.arg.Eval(ctx, b, sel)
	if err != nil {
		return v, err
	}
	pos := vec.Positions(sel, b.Len)
	if v.Const {
		pos = pos[:min(1, len(pos))]
	}
	n.in.Reset()
	for _, i := range pos {
		if at := v.At(i); !v.IsNull(at) {
			for _, e := range v.Boxes[at].(*value.Array).Elems {
				n.in.Append(e)
			}
		}
	}
	n.bound.v = vec.Vec{Column: &n.in}
	n.elements.Len = n.in.Len()
	var conv vec.Vec
	if n.elements.Len > 0 {
		if conv, err = n.elem.Eval(ctx, &n.elements, nil); err != nil {
			return v, err
		}
	}
	vec.Resize(&n.out, b.Len)
	next := int32(0)
	for _, i := range pos {
		at := v.At(i)
		if v.IsNull(at) {
			vec.SetNull(&n.out, i, b.Len)
			continue
		}
		from := v.Boxes[at].(*value.Array)
		to := &value.Array{Elem: n.to, Dims: from.Dims, Elems: make([]value.Value, len(from.Elems))}
		for k := range to.Elems {
			to.Elems[k] = conv.Get(conv.At(next))
			next++
		}
		n.out.Boxes[i] = to
	}
	if v.Const && len(pos) > 0 {
		first := n.out.Get(int(pos[0]))
		return vec.Constant(n.out.Type, first), nil
	}
	return vec.Vec{Column: &n.out}, nil
}

// recordCast makes the records that are not NULL again.
type recordCast struct {
	arg, elem Node
	bound     *local
	sel       []int32
	out       value.Column
}

func (s *Scope) recordCast(e *plan.Cast, arg Node, traits Traits) (Node, Traits, error) {
	n := &recordCast{arg: arg}
	n.out.Type = e.T
	var unbind func()
	n.bound, unbind = s.bind(e.ElemCol, traits)
	defer unbind()
	var err error
	n.elem, err = s.compileInto(e.Elem, &traits)
	return n, traits, err
}

func (n *recordCast) Eval(ctx context.Context, b *batch.Batch, sel []int32) (vec.Vec, error) {
	v, err := n.arg.Eval(ctx, b, sel)
	if err != nil {
		return v, err
	}
	n.sel = n.sel[:0]
	vec.Resize(&n.out, b.Len)
	for _, i := range vec.Positions(sel, b.Len) {
		if v.NullAt(i) {
			vec.SetNull(&n.out, i, b.Len)
		} else {
			n.sel = append(n.sel, i)
		}
	}
	if len(n.sel) == 0 {
		return vec.Vec{Column: &n.out}, nil
	}
	n.bound.v = v
	made, err := n.elem.Eval(ctx, b, n.sel)
	if err != nil {
		return v, err
	}
	for _, i := range n.sel {
		vec.Set(&n.out, i, b.Len, made.Get(made.At(i)))
	}
	return vec.Vec{Column: &n.out}, nil
}

// domainCast checks that values are of a domain.
type domainCast struct {
	arg     Node
	env     *functions.Env
	bound   *local
	notNull bool
	schema  string
	names   []string
	checks  []Node
	relabel relabel
}

func (s *Scope) domainCast(e *plan.Cast, arg Node, traits Traits) (Node, Traits, error) {
	n := &domainCast{arg: arg, env: s.Run.Env, notNull: e.NotNull}
	n.relabel.t = e.T
	if env := s.Run.Env; env != nil && env.Txn != nil {
		if sc := env.Txn.Catalog().SchemaByID(catalog.ID(e.T.Namespace)); sc != nil {
			n.schema = sc.Name
		}
	}
	var unbind func()
	n.bound, unbind = s.bind(e.ElemCol, traits)
	defer unbind()
	for _, c := range e.Checks {
		check, err := s.compileInto(c.Expr, &traits)
		if err != nil {
			return nil, 0, err
		}
		n.names, n.checks = append(n.names, c.Name), append(n.checks, check)
	}
	return n, traits, nil
}

func (n *domainCast) Eval(ctx context.Context, b *batch.Batch, sel []int32) (vec.Vec, error) {
	v, err := n.arg.Eval(ctx, b, sel)
	if err != nil {
		return v, err
	}
	pos := vec.Positions(sel, b.Len)
	refuse := func(code, format string, args ...any) error {
		e := dberr.New(code, format, append([]any{n.name()}, args...)...)
		e.DataType, e.Schema = n.relabel.t.Name, n.schema
		return e
	}
	if n.notNull && len(v.Nulls) > 0 {
		for _, i := range pos {
			if v.NullAt(i) {
				return v, refuse(dberr.NotNullViolation, "domain %s does not allow null values")
			}
		}
	}
	n.bound.v = v
	for k, c := range n.checks {
		ok, err := c.Eval(ctx, b, sel)
		if err != nil {
			return v, err
		}
		for _, i := range pos {
			if at := ok.At(i); !ok.IsNull(at) && !ok.Bools[at] {
				err := refuse(dberr.CheckViolation, `value for domain %s violates check constraint "%s"`, n.names[k])
				dberr.As(err).Constraint = n.names[k]
				return v, err
			}
		}
	}
	n.relabel.out = *v.Column
	n.relabel.out.Type = n.relabel.t
	return vec.Vec{Column: &n.relabel.out, Const: v.Const}, nil
}

// name is the domain as the search path lets it be written.
func (n *domainCast) name() string {
	if n.env == nil || n.env.Txn == nil {
		return n.relabel.t.SQL
	}
	return sysfunc.ShownType(n.env, n.relabel.t, -1)
}

// groupingNode picks bits of a grouping mask.
type groupingNode struct {
	mask Node
	bits []int
	out  value.Column
}

func (s *Scope) grouping(e *plan.Grouping) (Node, Traits, error) {
	mask, traits, err := s.compile(e.Mask)
	if err != nil {
		return nil, 0, err
	}
	n := &groupingNode{mask: mask, bits: e.Bits}
	n.out.Type = value.Int4
	return n, traits, nil
}

func (n *groupingNode) Eval(ctx context.Context, b *batch.Batch, sel []int32) (vec.Vec, error) {
	v, err := n.mask.Eval(ctx, b, sel)
	if err != nil {
		return v, err
	}
	vec.Resize(&n.out, b.Len)
	for _, i := range vec.Positions(sel, b.Len) {
		var r int64
		for _, bit := range n.bits {
			r = r<<1 | v.Ints[v.At(i)]>>uint(bit)&1
		}
		n.out.Ints[i] = r
	}
	return vec.Vec{Column: &n.out}, nil
}
