package bind

import (
	"slices"
	"strconv"
	"strings"

	pg_query "github.com/omgdb/omgdb/planner/parse/ast"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/parse"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// argModes are the letters of pg_proc for the modes of parameters.
var argModes = map[pg_query.FunctionParameterMode]byte{
	pg_query.FunctionParameterMode_FUNC_PARAM_DEFAULT: 'i', pg_query.FunctionParameterMode_FUNC_PARAM_IN: 'i', pg_query.FunctionParameterMode_FUNC_PARAM_OUT: 'o',
	pg_query.FunctionParameterMode_FUNC_PARAM_INOUT: 'b', pg_query.FunctionParameterMode_FUNC_PARAM_VARIADIC: 'v', pg_query.FunctionParameterMode_FUNC_PARAM_TABLE: 't',
}

// createFunction binds CREATE FUNCTION and CREATE PROCEDURE.
func (b *binder) createFunction(x *pg_query.CreateFunctionStmt) (plan.Statement, error) {
	schema, name, err := b.qualified(strs(x.Funcname), -1)
	if err != nil {
		return nil, err
	}
	if err := checkName(name, -1); err != nil {
		return nil, err
	}
	sc, err := b.creationSchema(schema, name, false, -1)
	if err != nil {
		return nil, err
	}
	st := &plan.CreateFunction{Name: plan.ObjName{Schema: sc.Name, Name: name}, OrReplace: x.Replace}
	f := &st.Fn
	*f = catalog.Function{Name: name, Kind: 'f', Volatility: 'v', Parallel: 'u', Cost: 100, Standard: x.SqlBody != nil}
	if x.IsProcedure {
		f.Kind = 'p'
	}
	if err := b.functionOptions(f, x); err != nil {
		return nil, err
	}
	if err := b.functionArgs(f, x.Parameters); err != nil {
		return nil, err
	}
	if err := b.functionResult(f, x.ReturnType); err != nil {
		return nil, err
	}
	if err := b.polyResults(f); err != nil {
		return nil, err
	}
	if f.SetOf && f.Rows == 0 {
		f.Rows = 1000
	}
	if x.SqlBody != nil {
		if f.Body, err = parse.RoutineBody(b.stmt.Text); err != nil {
			return nil, err
		}
	}
	params, _ := b.routineParams(f)
	st.Signature = signatureText(name, params)
	return st, nil
}

// functionArgs reads the parameters.
func (b *binder) functionArgs(f *catalog.Function, list []*pg_query.Node) error {
	seen := map[string]bool{}
	defaults := false
	for _, n := range list {
		p := n.GetFunctionParameter()
		t, _, err := b.typeName(p.ArgType)
		if err != nil {
			return err
		}
		a := catalog.FunctionArg{Name: p.Name, Type: t.OID, Mode: argModes[p.Mode]}
		switch {
		case p.ArgType.Setof:
			return dberr.New(dberr.InvalidFunctionDef, "%ss cannot accept set arguments", f.Word())
		case t.Class == value.Pseudo && !t.IsPoly() && !isRecord(t) && a.Mode != 'o':
			return dberr.New(dberr.InvalidFunctionDef, "SQL functions cannot accept type %s", t.SQL)
		case a.Mode == 'v' && !isArray(t) && t.OID != value.AnyArray.OID && t.OID != value.AnyCompatibleArray.OID:
			return dberr.New(dberr.InvalidFunctionDef, "VARIADIC parameter must be an array")
		case p.Name != "" && seen[p.Name]:
			return dberr.New(dberr.InvalidFunctionDef, "parameter name \"%s\" used more than once", p.Name)
		}
		seen[p.Name] = true
		switch {
		case p.Defexpr != nil && !a.In():
			return dberr.New(dberr.InvalidFunctionDef, "only input parameters can have default values")
		case p.Defexpr != nil:
			if a.Default, err = b.argDefault(t, p.Defexpr); err != nil {
				return err
			}
			defaults = true
		case a.In() && defaults:
			return dberr.New(dberr.InvalidFunctionDef, "input parameters after one with a default value must also have defaults")
		}
		f.Args = append(f.Args, a)
	}
	return nil
}

// argDefault binds the default of a parameter and gives the text to keep.
func (b *binder) argDefault(t *value.Type, n *pg_query.Node) (string, error) {
	e, err := b.expr(&scope{clause: inFuncDefault}, n)
	if err != nil {
		return "", err
	}
	if !t.IsPoly() {
		e, err = b.assign(e, t, -1, func(from *value.Type) error {
			return dberr.New(dberr.DatatypeMismatch, "argument of DEFAULT must be type %s, not type %s", t.SQL, from.SQL)
		})
	} else {
		e, err = b.resolveUnknown(e)
	}
	if err != nil {
		return "", err
	}
	return b.text(e), nil
}

// functionResult finds the type of the result: what RETURNS says, or what the output parameters make.
func (b *binder) functionResult(f *catalog.Function, declared *pg_query.TypeName) error {
	outs, table := 0, false
	last := uint32(0)
	for i := range f.Args {
		if a := &f.Args[i]; a.Out() {
			outs++
			last, table = a.Type, table || a.Mode == 't'
		}
	}
	implied := value.RecordType.OID
	switch {
	case outs == 0 || f.Kind == 'p' && outs == 0:
		implied = value.Void.OID
	case outs == 1 && f.Kind == 'f':
		implied = last
	}
	if declared == nil {
		if outs == 0 && f.Kind == 'f' {
			return dberr.New(dberr.InvalidFunctionDef, "function result type must be specified")
		}
		f.Ret = implied
		return nil
	}
	t, _, err := b.typeName(declared)
	if err != nil {
		return err
	}
	f.SetOf = declared.Setof
	f.Ret = t.OID
	switch {
	case table:
		f.Ret, f.SetOf = implied, true
	case outs > 0 && t.OID != implied:
		it := b.anyTypeByOID(implied)
		return dberr.New(dberr.InvalidFunctionDef, "function result type must be %s because of OUT parameters", it.SQL)
	case t.Class == value.Pseudo && !t.IsPoly() && !isRecord(t) && t.OID != value.Void.OID:
		return dberr.New(dberr.InvalidFunctionDef, "SQL functions cannot return type %s", t.SQL)
	}
	return nil
}

// polyInputs says by role and family (exact, compatible) which inputs decide what a polymorphic result is.
var polyInputs = map[bool][2]string{
	false: {"anyelement, anyarray, anynonarray, anyenum, anyrange, or anymultirange",
		"anycompatible, anycompatiblearray, anycompatiblenonarray, anycompatiblerange, or anycompatiblemultirange"},
	true: {"anyrange or anymultirange", "anycompatiblerange or anycompatiblemultirange"},
}

// polyResults refuses polymorphic results that no input decides.
func (b *binder) polyResults(f *catalog.Function) error {
	results := []uint32{f.Ret}
	for i := range f.Args {
		if f.Args[i].Out() {
			results = append(results, f.Args[i].Type)
		}
	}
	for _, oid := range results {
		r, poly := polyRoles[oid]
		if !poly {
			continue
		}
		ranges := r.role == polyRange || r.role == polyMulti
		decided := slices.ContainsFunc(f.Args, func(a catalog.FunctionArg) bool {
			x, ok := polyRoles[a.Type]
			return ok && a.In() && x.compat == r.compat && (!ranges || x.role == polyRange || x.role == polyMulti)
		})
		if !decided {
			family := 0
			if r.compat {
				family = 1
			}
			return dberr.New(dberr.InvalidFunctionDef, "cannot determine result data type").
				WithDetail("A result of type %s requires at least one input of type %s.", b.anyTypeByOID(oid).SQL, polyInputs[ranges][family])
		}
	}
	return nil
}

// functionOptions reads LANGUAGE, AS and the rest.
func (b *binder) functionOptions(f *catalog.Function, x *pg_query.CreateFunctionStmt) error {
	language := "sql"
	given := map[string]bool{}
	for _, n := range x.Options {
		d := n.GetDefElem()
		if given[d.Defname] && d.Defname != "set" {
			return errAt(loc(d.Location), dberr.SyntaxError, "conflicting or redundant options")
		}
		given[d.Defname] = true
		switch d.Defname {
		case "language":
			language = strings.ToLower(defString(d))
		case "as":
			parts := strs(d.Arg.GetList().GetItems())
			if len(parts) > 0 {
				f.Body = parts[0]
			}
			if len(parts) > 1 && language == "sql" {
				given["two"] = true
			}
		default:
			if err := functionOption(f, d); err != nil {
				return err
			}
		}
	}
	switch language {
	case "sql":
	case "plpgsql":
		f.Language = language
	case "c", "internal":
		return dberr.New(dberr.FeatureNotSupported, "language \"%s\" is not supported", language).WithHint("Write the function in LANGUAGE sql.")
	default:
		return dberr.New(dberr.UndefinedObject, "language \"%s\" does not exist", language)
	}
	switch {
	case x.SqlBody != nil && given["as"]:
		return dberr.New(dberr.InvalidFunctionDef, "duplicate function body specified")
	case x.SqlBody == nil && !given["as"]:
		return dberr.New(dberr.InvalidFunctionDef, "no function body specified")
	case !given["language"] && x.SqlBody == nil:
		return dberr.New(dberr.InvalidFunctionDef, "no language specified")
	case given["two"]:
		return dberr.New(dberr.InvalidFunctionDef, "only one AS item needed for language \"sql\"")
	}
	return nil
}

// functionOption reads an option that CREATE and ALTER FUNCTION share.
func functionOption(f *catalog.Function, d *pg_query.DefElem) error {
	if f.Kind == 'p' && d.Defname != "security" && d.Defname != "set" {
		return errAt(loc(d.Location), dberr.InvalidFunctionDef, "invalid attribute in procedure definition")
	}
	switch d.Defname {
	case "volatility":
		f.Volatility = defString(d)[0]
	case "strict":
		f.Strict, _ = boolOption(d)
	case "security":
		f.Secdef, _ = boolOption(d)
	case "leakproof":
		f.Leakproof, _ = boolOption(d)
	case "parallel":
		p := strings.ToLower(defString(d))
		if p != "safe" && p != "restricted" && p != "unsafe" {
			return dberr.New(dberr.SyntaxError, "parameter \"parallel\" must be SAFE, RESTRICTED, or UNSAFE")
		}
		f.Parallel = p[0]
	case "cost", "rows":
		n, err := strconv.ParseFloat(defString(d), 64)
		if err != nil || n <= 0 {
			return dberr.New(dberr.InvalidParameterValue, "%s must be positive", strings.ToUpper(d.Defname))
		}
		if d.Defname == "cost" {
			f.Cost = int64(n)
		} else {
			f.Rows = int64(n)
		}
	case "window":
		return dberr.New(dberr.FeatureNotSupported, "window functions cannot be written in SQL")
	case "set":
		return dberr.New(dberr.FeatureNotSupported, "SET of a function is not supported").WithHint("Call set_config in its body.")
	}
	return nil
}

// defString is the value of an option as text.
func defString(d *pg_query.DefElem) string {
	if d.Arg == nil {
		return ""
	}
	if t := d.Arg.GetTypeName(); t != nil {
		names := strs(t.Names)
		return names[len(names)-1]
	}
	return constText(d.Arg)
}

// routineWords are the words of DROP and ALTER for functions, and the kind that each means.
var routineWords = map[pg_query.ObjectType]struct {
	word string
	kind byte // 0: any
}{
	pg_query.ObjectType_OBJECT_FUNCTION: {"function", 'f'}, pg_query.ObjectType_OBJECT_PROCEDURE: {"procedure", 'p'}, pg_query.ObjectType_OBJECT_ROUTINE: {"routine", 0},
	pg_query.ObjectType_OBJECT_AGGREGATE: {"aggregate", 'a'},
}

// namedRoutine finds the user's function that a statement names; nil, nil when there is none.
func (b *binder) namedRoutine(o *pg_query.ObjectWithArgs, objtype pg_query.ObjectType) (*catalog.Function, error) {
	w := routineWords[objtype]
	schema, name, err := b.qualified(strs(o.Objname), -1)
	if err != nil {
		return nil, err
	}
	var types, all []*value.Type // without and with those that only come out
	for _, a := range o.Objargs {
		t, _, err := b.typeName(a.GetTypeName())
		if err != nil {
			return nil, err
		}
		types = append(types, t)
	}
	for _, a := range o.Objfuncargs {
		t, _, err := b.typeName(a.GetFunctionParameter().GetArgType())
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	var found []*catalog.Function
	for _, r := range b.routinesNamed(schema, name) {
		params, _ := b.routineParams(r.fn)
		if o.ArgsUnspecified || sameParams(params, types) || r.fn.Kind == 'p' && len(all) > 0 && sameParams(params, all) {
			found = append(found, r.fn)
		}
	}
	switch {
	case len(found) == 0:
		return nil, nil
	case len(found) > 1 && o.ArgsUnspecified:
		return nil, dberr.New(dberr.AmbiguousFunction, "%s name \"%s\" is not unique", w.word, name).
			WithHint("Specify the argument list to select the %s unambiguously.", w.word)
	case w.kind != 0 && found[0].Kind != w.kind:
		params, _ := b.routineParams(found[0])
		return nil, dberr.New(dberr.WrongObjectType, "%s is not %s", signatureText(name, params), article2(w.word))
	}
	return found[0], nil
}

func sameParams(params []functions.Param, types []*value.Type) bool {
	if len(params) != len(types) {
		return false
	}
	for i := range params {
		if !same(params[i].Type, types[i]) {
			return false
		}
	}
	return true
}

// dropRoutine binds DROP FUNCTION, PROCEDURE and ROUTINE of users' functions; nil when the statement names none of them.
func (b *binder) dropRoutine(x *pg_query.DropStmt) (plan.Statement, error) {
	w, ok := routineWords[x.RemoveType]
	if !ok {
		return nil, nil
	}
	st := &plan.Drop{Kind: strings.ToUpper(w.word), Cascade: x.Behavior == pg_query.DropBehavior_DROP_CASCADE}
	for _, n := range x.Objects {
		o := n.GetObjectWithArgs()
		f, err := b.namedRoutine(o, x.RemoveType)
		if err != nil {
			if x.MissingOk && (dberr.As(err).Code == dberr.UndefinedObject || dberr.As(err).Code == dberr.InvalidSchemaName) {
				return nil, nil
			}
			return nil, err
		}
		if f != nil {
			st.Targets = append(st.Targets, plan.DropTarget{Func: f})
			continue
		}
		if builtin := b.builtinRoutine(o); builtin != "" {
			return nil, dberr.New(dberr.DependentObjectsStillExist, "cannot drop function %s because it is required by the database system", builtin)
		}
		text := w.word + " " + quotedUnlessCall(b.objectText(n)) + " does not exist"
		if o.ArgsUnspecified {
			text = "could not find a " + w.word + " named \"" + b.objectText(n) + "\""
		}
		if !x.MissingOk {
			return nil, dberr.New(dberr.UndefinedFunction, "%s", text)
		}
		st.Notices = append(st.Notices, w.word+" "+quotedUnlessCall(b.objectText(n))+" does not exist, skipping")
	}
	return st, nil
}

// builtinRoutine shows the built-in function of a name and types, "" when there is none.
func (b *binder) builtinRoutine(o *pg_query.ObjectWithArgs) string {
	schema, name, err := b.qualified(strs(o.Objname), -1)
	if err != nil || schema != "" && schema != "pg_catalog" {
		return ""
	}
	for _, f := range b.Registry.Scalars(name) {
		var types []*value.Type
		for _, a := range o.Objargs {
			if t, _, err := b.typeName(a.GetTypeName()); err == nil {
				types = append(types, t)
			}
		}
		if o.ArgsUnspecified || sameParams(f.Params, types) {
			return signatureText(name, f.Params)
		}
	}
	return ""
}

// alterFunction binds ALTER FUNCTION with options.
func (b *binder) alterFunction(x *pg_query.AlterFunctionStmt) (plan.Statement, error) {
	f, err := b.mustRoutine(x.Func, x.Objtype)
	if err != nil {
		return nil, err
	}
	next := *f
	for _, n := range x.Actions {
		if err := functionOption(&next, n.GetDefElem()); err != nil {
			return nil, err
		}
	}
	return &plan.AlterFunction{Word: strings.ToUpper(routineWords[x.Objtype].word), New: &next}, nil
}

// mustRoutine is namedRoutine that wants one.
func (b *binder) mustRoutine(o *pg_query.ObjectWithArgs, objtype pg_query.ObjectType) (*catalog.Function, error) {
	f, err := b.namedRoutine(o, objtype)
	if err == nil && f == nil {
		n := &pg_query.Node{Node: &pg_query.Node_ObjectWithArgs{ObjectWithArgs: o}}
		err = dberr.New(dberr.UndefinedFunction, "%s %s does not exist", routineWords[objtype].word, quotedUnlessCall(b.objectText(n)))
	}
	return f, err
}
