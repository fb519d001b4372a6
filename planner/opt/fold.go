package opt

import (
	"context"
	"slices"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/exec/eval"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/value"
)

// foldConstants computes immutable functions of constants and simplifies what constants decide. A call that fails is left where it
// is: it fails when a row reaches it.
func foldConstants(c *Context, n plan.Node) (plan.Node, error) {
	return plan.TransformExprs(n, func(e plan.Expr) (plan.Expr, error) { return c.fold(e), nil })
}

// fold simplifies an expression whose children are simplified.
func (c *Context) fold(e plan.Expr) plan.Expr {
	switch x := e.(type) {
	case *plan.Call:
		return c.foldCall(x)
	case *plan.BoolOp:
		return factor(foldBool(x))
	case *plan.Not:
		return negated(x.Arg, x)
	case *plan.IsNull:
		if k, ok := x.Arg.(*plan.Const); ok && k.Val.Kind() != value.KindBox {
			return boolConst(k.Val.IsNull() != x.Not)
		}
	case *plan.BoolTest:
		if b, ok := constBool(x.Arg); ok {
			is := map[byte]bool{'t': b == isTrue, 'f': b == isFalse, 'u': b == isNull}[x.Want]
			return boolConst(is != x.Not)
		}
	case *plan.Case:
		return foldCase(c.foldTest(x))
	case *plan.Coalesce:
		return foldCoalesce(x)
	case *plan.NullIf, *plan.MinMax:
		if allConst(e.Children()) {
			return c.constant(e)
		}
	case *plan.Cast:
		if k, ok := x.Arg.(*plan.Const); ok && x.Method == plan.RelabelCast {
			return &plan.Const{Typed: x.Typed, Val: k.Val}
		}
	}
	return e
}

func (c *Context) foldCall(x *plan.Call) plan.Expr {
	all, null := true, false
	for _, a := range x.Args {
		k, ok := a.(*plan.Const)
		null = null || ok && k.Val.IsNull()
		all = all && ok
	}
	if null && x.Fn != nil && x.Fn.Strict && (c.FoldEnv == nil || !slices.ContainsFunc(x.Args, c.fails)) {
		return &plan.Const{Typed: x.Typed}
	}
	if !all || x.Fn != nil && (x.Fn.Volatility != functions.Immutable || x.Fn.Routine) {
		return x
	}
	return c.constant(x)
}

// constant computes an expression of constants; one that fails stays.
func (c *Context) constant(e plan.Expr) plan.Expr {
	if c.FoldEnv == nil {
		return e
	}
	s := eval.Scope{Run: eval.NewRun(c.FoldEnv, nil)}
	v, err := contained(&s, e)
	if err != nil {
		return e
	}
	return &plan.Const{Typed: plan.Typed{T: e.Type(), M: e.Mod()}, Val: v}
}

// fails tells whether an expression is no constant because folding something in it has failed: then the statement does, too.
func (c *Context) fails(e plan.Expr) bool {
	_, ok := e.(*plan.Const)
	return !ok && c.failing(e) != nil
}

func contained(s *eval.Scope, e plan.Expr) (v value.Value, err error) {
	defer eval.Contain(&err)
	return s.ConstValue(context.Background(), e)
}

// truth is a boolean constant.
type truth uint8

const (
	isNull truth = iota
	isTrue
	isFalse
)

func (b truth) not() plan.Expr {
	if b == isNull {
		return &plan.Const{Typed: plan.Typed{T: value.Boolean, M: -1}}
	}
	return boolConst(b == isFalse)
}

func boolConst(b bool) *plan.Const {
	return &plan.Const{Typed: plan.Typed{T: value.Boolean, M: -1}, Val: value.Bool(b)}
}

func constBool(e plan.Expr) (truth, bool) {
	k, ok := e.(*plan.Const)
	if !ok || k.T.Kind != value.KindBool {
		return 0, false
	}
	switch {
	case k.Val.IsNull():
		return isNull, true
	case k.Val.Bool():
		return isTrue, true
	}
	return isFalse, true
}

// negated is NOT e, with NOT as far down as it goes: the parts of a negated OR are conditions of their own. whole is NOT e as it stands.
func negated(e plan.Expr, whole plan.Expr) plan.Expr {
	if b, ok := constBool(e); ok {
		return b.not()
	}
	switch x := e.(type) {
	case *plan.Not:
		return x.Arg
	case *plan.BoolOp:
		args := make([]plan.Expr, len(x.Args))
		for i, a := range x.Args {
			args[i] = negated(a, nil)
		}
		return foldBool(&plan.BoolOp{Or: !x.Or, Args: args})
	}
	if whole != nil {
		return whole
	}
	return &plan.Not{Arg: e}
}

// foldBool drops neutral arguments; a deciding one decides, whatever else would be evaluated behind it (as in PostgreSQL).
func foldBool(x *plan.BoolOp) plan.Expr {
	neutral, deciding := isTrue, isFalse
	if x.Or {
		neutral, deciding = isFalse, isTrue
	}
	var args []plan.Expr
	for i, a := range x.Args {
		b, ok := constBool(a)
		nested, same := a.(*plan.BoolOp)
		switch {
		case ok && b == deciding:
			if slices.ContainsFunc(x.Args[:i], failsForSure) {
				return x
			}
			return boolConst(deciding == isTrue)
		case ok && b == neutral:
			if args == nil {
				args = append(make([]plan.Expr, 0, len(x.Args)), x.Args[:i]...)
			}
		case same && nested.Or == x.Or:
			if args == nil {
				args = append(make([]plan.Expr, 0, len(x.Args)), x.Args[:i]...)
			}
			args = append(args, nested.Args...)
		case args != nil:
			args = append(args, a)
		}
	}
	switch {
	case args == nil:
		return x
	case len(args) == 0:
		return boolConst(neutral == isTrue)
	case len(args) == 1:
		return args[0]
	}
	return &plan.BoolOp{Or: x.Or, Args: args}
}

// failsForSure tells whether an expression calls something and reads nothing: its folding has failed.
func failsForSure(e plan.Expr) bool {
	call, alone := false, true
	plan.Walk(e, func(x plan.Expr) bool {
		switch x := x.(type) {
		case *plan.ColRef, *plan.Param, *plan.Subquery, *plan.SQLValue:
			alone = false
		case *plan.Call:
			call, alone = true, alone && (x.Fn == nil || x.Fn.Volatility == functions.Immutable)
		}
		return alone
	})
	return call && alone
}

// foldTest turns CASE with a constant argument into one of conditions.
func (c *Context) foldTest(x *plan.Case) *plan.Case {
	k, ok := x.Arg.(*plan.Const)
	if !ok {
		return x
	}
	out := &plan.Case{Typed: x.Typed, Else: x.Else}
	for _, w := range x.Whens {
		cond, _ := plan.Transform(substitute(w.Cond, map[plan.ColID]plan.Expr{x.ArgCol: k}), func(e plan.Expr) (plan.Expr, error) { return c.fold(e), nil })
		out.Whens = append(out.Whens, plan.When{Cond: cond, Then: w.Then})
	}
	return out
}

// foldCase drops arms that cannot be taken. Arms with a bound argument are left alone.
func foldCase(x *plan.Case) plan.Expr {
	if x.Arg != nil {
		return x
	}
	var whens []plan.When
	orElse, changed := x.Else, false
	for _, w := range x.Whens {
		b, ok := constBool(w.Cond)
		if ok && b != isTrue {
			changed = true
			continue
		}
		if ok {
			orElse, changed = w.Then, true
			break
		}
		whens = append(whens, w)
	}
	switch {
	case !changed:
		return x
	case len(whens) > 0:
		return &plan.Case{Typed: x.Typed, Whens: whens, Else: orElse}
	case orElse == nil:
		return &plan.Const{Typed: x.Typed}
	case orElse.Type().OID != x.T.OID:
		return &plan.Case{Typed: x.Typed, Whens: []plan.When{{Cond: boolConst(true), Then: orElse}}}
	}
	return orElse
}

// foldCoalesce drops leading NULLs and what follows a constant.
func foldCoalesce(x *plan.Coalesce) plan.Expr {
	args := x.Args
	for len(args) > 1 {
		k, ok := args[0].(*plan.Const)
		if !ok {
			break
		}
		if !k.Val.IsNull() {
			args = args[:1]
			break
		}
		args = args[1:]
	}
	switch {
	case len(args) == 1 && args[0].Type().OID == x.T.OID:
		return args[0]
	case len(args) == len(x.Args):
		return x
	}
	return &plan.Coalesce{Typed: x.Typed, Args: args}
}
