package opt

import (
	"context"
	"math"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/exec/scanfilter"
	"github.com/omgdb/omgdb/planner/exec/vec"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// castNumbers turns (doc ->> 'n')::double precision, and the same for integer, bigint and numeric, into a cast of doc -> 'n': a number in
// a document is used as it is stored, instead of being printed and read again. Everything that is no such number takes the way through
// its text, so results and errors stay the same.
func castNumbers(c *Context, n plan.Node) (plan.Node, error) {
	return everyNode(n, func(n plan.Node) (plan.Node, error) {
		if _, ok := n.(*plan.Scan); ok {
			return n, nil // the filter engine reads its conditions as they are
		}
		return plan.MapExprs(n, func(e plan.Expr) (plan.Expr, error) {
			return plan.Transform(e, func(x plan.Expr) (plan.Expr, error) { return c.castNumber(x), nil })
		})
	})
}

func (c *Context) castNumber(e plan.Expr) plan.Expr {
	x, ok := e.(*plan.Cast)
	if !ok || x.Method != plan.IOCast || x.M >= 0 {
		return e
	}
	fn := numberCasts[x.T.OID]
	if fn == nil {
		return e
	}
	arrow, ok := x.Arg.(*plan.Call)
	if _, _, text, isPath := scanfilter.Path(x.Arg); !ok || !isPath || !text {
		return e
	}
	name := map[string]string{"->>": "->", "#>>": "#>"}[arrow.Name]
	op := c.Registry.Operator(name, typeio.Base(arrow.Args[0].Type()), typeio.Base(arrow.Args[1].Type()))
	if op == nil {
		return e
	}
	inner := *arrow
	inner.Typed, inner.Fn, inner.Name = plan.Typed{T: value.JSONB, M: -1}, op.Fn, name
	return &plan.Call{Typed: x.Typed, Fn: fn, Args: []plan.Expr{&inner}, Style: plan.CastStyle, Pos: x.Pos}
}

// numberCasts are the functions of castNumbers by target type.
var numberCasts = map[uint32]*functions.Scalar{
	value.Float8.OID:  numberCast(value.Float8, floatOf),
	value.Int4.OID:    numberCast(value.Int4, intOf(math.MinInt32, math.MaxInt32)),
	value.Int8.OID:    numberCast(value.Int8, intOf(math.MinInt64, math.MaxInt64)),
	value.Numeric.OID: numberCast(value.Numeric, numericOf),
}

// numberCast makes the cast of a jsonb value as text to a number type; direct reads the common stored numbers.
func numberCast(t *value.Type, direct func(d doc.Value) (value.Value, bool)) *functions.Scalar {
	cast := func(c *functions.Call, v value.Value) (value.Value, error) {
		d := doc.Decode(v.Bytes())
		if x, ok := direct(d); ok {
			return x, nil
		}
		text, ok := d.AppendText(nil)
		if !ok {
			return value.Null, nil
		}
		format := typeio.Default
		if c.Env != nil && c.Env.Format != nil {
			format = c.Env.Format
		}
		return typeio.In(t, -1, string(text), format)
	}
	return &functions.Scalar{
		Name: t.Name, Params: []functions.Param{{Type: value.JSONB}}, Ret: t, Strict: true, Volatility: functions.Immutable, Hidden: true,
		Eval: func(_ context.Context, c *functions.Call, args []value.Value) (value.Value, error) {
			return cast(c, args[0])
		},
		Kernel: func(c *functions.Call, args []*value.Column, consts []bool, sel []int32, n int, out *value.Column) error {
			vec.Resize(out, n)
			for _, i := range vec.Positions(sel, n) {
				v, err := cast(c, value.String(args[0].Strs[vec.Vec{Column: args[0], Const: consts[0]}.At(i)]))
				if err != nil {
					return err
				}
				vec.Set(out, i, n, v)
			}
			return nil
		},
	}
}

func floatOf(d doc.Value) (value.Value, bool) {
	switch d.Type {
	case doc.TypeDouble, doc.TypeInt32, doc.TypeInt64:
		f, _ := d.Float64()
		return value.Float(f), !math.IsNaN(f) && !math.IsInf(f, 0)
	}
	return value.Null, false
}

func intOf(lo, hi int64) func(d doc.Value) (value.Value, bool) {
	return func(d doc.Value) (value.Value, bool) {
		if d.Type != doc.TypeInt32 && d.Type != doc.TypeInt64 {
			return value.Null, false
		}
		i, _ := d.Int64()
		return value.Int(i), i >= lo && i <= hi
	}
}

func numericOf(d doc.Value) (value.Value, bool) {
	switch d.Type {
	case doc.TypeDouble:
		if f, _ := d.Float64(); math.IsNaN(f) || math.IsInf(f, 0) {
			return value.Null, false
		}
	case doc.TypeInt32, doc.TypeInt64:
	default:
		return value.Null, false
	}
	n, ok := typeio.DocNumber(d)
	if !ok {
		return value.Null, false
	}
	return value.Box(n), true
}
