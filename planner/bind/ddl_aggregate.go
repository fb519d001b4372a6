package bind

import (
	"strings"

	pg_query "github.com/omgdb/omgdb/planner/parse/ast"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// aggregateOptions are the parts of CREATE AGGREGATE that are read and mean nothing here: a state is never split, moved back or sent.
var aggregateOptions = map[string]bool{
	"combinefunc": true, "serialfunc": true, "deserialfunc": true, "msfunc": true, "minvfunc": true, "mstype": true, "mfinalfunc": true,
	"minitcond": true, "mfinalfunc_extra": true, "mfinalfunc_modify": true, "finalfunc_modify": true, "sspace": true, "msspace": true,
	"sortop": true, "parallel": true, "hypothetical": true,
}

// aggregateDef is a CREATE AGGREGATE as it is read.
type aggregateDef struct {
	trans, final []string
	state        *value.Type
	base         *pg_query.TypeName // of the old form: the one argument's type
	init         *string
	extra        bool
}

// createAggregate binds CREATE AGGREGATE.
func (b *binder) createAggregate(x *pg_query.DefineStmt) (plan.Statement, error) {
	schema, name, err := b.qualified(strs(x.Defnames), -1)
	if err != nil {
		return nil, err
	}
	sc, err := b.creationSchema(schema, name, false, -1)
	if err != nil {
		return nil, err
	}
	f := catalog.Function{Name: name, Kind: 'a', Volatility: 'i', Parallel: 'u', Cost: 1}
	d, notice, err := b.aggregateParts(x.Definition)
	if err != nil {
		return nil, err
	}
	if err := b.aggregateArgs(&f, x, d); err != nil {
		return nil, err
	}
	switch {
	case d.state == nil:
		return nil, dberr.New(dberr.InvalidFunctionDef, "aggregate stype must be specified")
	case d.trans == nil:
		return nil, dberr.New(dberr.InvalidFunctionDef, "aggregate sfunc must be specified")
	case d.state.Class == value.Pseudo && !d.state.IsPoly() && d.state.Name != "internal":
		return nil, dberr.New(dberr.InvalidFunctionDef, "aggregate transition data type cannot be %s", d.state.SQL)
	}
	if err := b.aggregateFunctions(&f, d); err != nil {
		return nil, err
	}
	if err := b.polyResults(&f); err != nil {
		return nil, err
	}
	st := &plan.CreateFunction{Name: plan.ObjName{Schema: sc.Name, Name: name}, Fn: f, OrReplace: x.Replace, Notice: notice}
	params, _ := b.routineParams(&f)
	st.Signature = signatureText(name, params)
	return st, nil
}

// aggregateParts reads the list in parentheses; notice names parts that nobody knows.
func (b *binder) aggregateParts(list []*pg_query.Node) (d aggregateDef, notice string, err error) {
	for _, n := range list {
		e := n.GetDefElem()
		switch e.Defname {
		case "sfunc", "sfunc1":
			d.trans = defNames(e)
		case "finalfunc":
			d.final = defNames(e)
		case "finalfunc_extra":
			d.extra, _ = boolOption(e)
		case "basetype":
			d.base = e.Arg.GetTypeName()
		case "stype", "stype1":
			if d.state, _, err = b.typeName(e.Arg.GetTypeName()); err != nil {
				return d, "", err
			}
		case "initcond", "initcond1":
			text := defString(e)
			d.init = &text
		default:
			if !aggregateOptions[e.Defname] {
				notice = "aggregate attribute \"" + e.Defname + "\" not recognized"
			}
		}
	}
	return d, notice, nil
}

// defNames is the name that an option gives, in its parts.
func defNames(e *pg_query.DefElem) []string {
	if t := e.Arg.GetTypeName(); t != nil {
		return strs(t.Names)
	}
	if l := e.Arg.GetList(); l != nil {
		return strs(l.Items)
	}
	return []string{defString(e)}
}

// aggregateArgs reads the arguments. Of the old form they are the base type, "ANY" for none.
func (b *binder) aggregateArgs(f *catalog.Function, x *pg_query.DefineStmt, d aggregateDef) error {
	if !x.Oldstyle {
		if len(x.Args) > 1 && x.Args[1].GetInteger().GetIval() >= 0 {
			return dberr.New(dberr.FeatureNotSupported, "ordered-set aggregates of users are not supported").WithHint("Sort the argument: f(x ORDER BY x).")
		}
		if len(x.Args) == 0 {
			return nil
		}
		return b.functionArgs(f, x.Args[0].GetList().GetItems())
	}
	if d.base == nil {
		return dberr.New(dberr.InvalidFunctionDef, "aggregate input type must be specified")
	}
	if names := strs(d.base.Names); strings.EqualFold(names[len(names)-1], "any") {
		return nil
	}
	t, _, err := b.typeName(d.base)
	f.Args = []catalog.FunctionArg{{Type: t.OID, Mode: 'i'}}
	return err
}

// aggregateFunctions finds the transition and the final function.
func (b *binder) aggregateFunctions(f *catalog.Function, d aggregateDef) error {
	args := []*value.Type{d.state}
	for _, a := range f.Args {
		args = append(args, b.anyTypeByOID(a.Type))
	}
	trans, ret, err := b.procedure(d.trans, args)
	if err != nil {
		return err
	}
	switch {
	case !same(ret, d.state):
		return dberr.New(dberr.DatatypeMismatch, "return type of transition function %s is not %s", strings.Join(d.trans, "."), d.state.SQL)
	case trans.Strict && d.init == nil && (len(args) < 2 || !same(args[1], d.state) && !args[1].IsPoly()):
		return dberr.New(dberr.InvalidFunctionDef, "must not omit initial value when transition function is strict and transition type is not compatible with input type")
	}
	f.Ret = d.state.OID
	f.Agg = &catalog.AggregateParts{Trans: trans.OID, State: d.state.OID, Extra: d.extra}
	if d.init != nil {
		if !d.state.IsPoly() {
			if _, err := typeio.In(d.state, -1, *d.init, b.Format); err != nil {
				return err
			}
		}
		f.Agg.Init, f.Agg.HasInit = *d.init, true
	}
	if d.final == nil {
		return nil
	}
	list := args[:1]
	if d.extra {
		list = args
	}
	final, ret, err := b.procedure(d.final, list)
	if err != nil {
		return err
	}
	f.Ret, f.Agg.Final = ret.OID, final.OID
	return nil
}

// procedure finds the function that a definition names, for arguments of exactly the types, or of polymorphic ones; ret is its result.
func (b *binder) procedure(names []string, args []*value.Type) (fn *functions.Scalar, ret *value.Type, err error) {
	schema, name, err := b.qualified(names, -1)
	if err != nil {
		return nil, nil, err
	}
	var list []*functions.Scalar
	for _, r := range b.routinesNamed(schema, name) {
		if r.scalar != nil && r.fn.Kind == 'f' {
			list = append(list, r.scalar)
		}
	}
	for _, f := range b.Registry.Scalars(name) {
		if b.inSchema(schema, f.OID) && f.Eval != nil {
			list = append(list, f)
		}
	}
	for _, exact := range []bool{true, false} {
		for _, f := range list {
			if ret := b.procedureFits(f, args, exact); ret != nil {
				return f, ret, nil
			}
		}
	}
	shown := make([]string, len(args))
	for i, t := range args {
		shown[i] = t.SQL
	}
	for _, f := range list {
		if len(f.Params) != len(args) || f.Variadic {
			continue
		}
		fits := true
		for i, p := range f.Params {
			fits = fits && b.canCoerce1(args[i], p.Type, functions.Implicit)
		}
		if fits {
			return nil, nil, dberr.New(dberr.DatatypeMismatch, "function %s requires run-time type coercion", signatureText(name, f.Params))
		}
	}
	return nil, nil, dberr.New(dberr.UndefinedFunction, "function %s(%s) does not exist", strings.Join(names, "."), strings.Join(shown, ", "))
}

// procedureFits gives the result of f for arguments of the types, nil when it does not take them as they are.
func (b *binder) procedureFits(f *functions.Scalar, args []*value.Type, exact bool) *value.Type {
	if len(f.Params) != len(args) || f.Variadic {
		return nil
	}
	declared := make([]*value.Type, len(args))
	for i, p := range f.Params {
		declared[i] = p.Type
		if same(p.Type, args[i]) {
			continue
		}
		if exact {
			return nil
		}
		if p.Type.IsPoly() || p.Type.OID == value.Any.OID {
			continue
		}
		if how, _ := b.pathway(args[i], p.Type, functions.Implicit); how != relabel {
			return nil
		}
	}
	if exact {
		return f.Ret
	}
	if !genericsAgree(b, args, declared) {
		return nil
	}
	_, ret, err := b.instantiate(args, declared, f.Ret)
	if err != nil {
		return nil
	}
	return ret
}
