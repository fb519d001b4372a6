package bind

import (
	"slices"
	"strings"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/parse"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// call is a function call before its function is known.
type call struct {
	schema, name string
	args         []plan.Expr
	names        []string // of named arguments, "" for positional ones
	variadic     bool     // VARIADIC before the last argument
	pos          int
	procedure    bool // CALL
	plainSyntax  bool // f(x) without aggregate decorations: may be a cast written as a function
}

// resolved is a call with its function: args are in the declared order, converted, defaults filled in.
type resolved struct {
	*candidate
	args     []plan.Expr
	ret      *value.Type
	coerceTo *value.Type // the call is a cast to this type
}

// maxArgs is PostgreSQL's limit of arguments.
const maxArgs = 100

// signature is how messages show a call: f(integer, x => text).
func (c *call) signature() string {
	var sb strings.Builder
	if c.schema != "" {
		sb.WriteString(c.schema + ".")
	}
	sb.WriteString(c.name + "(")
	for i, a := range c.args {
		if i > 0 {
			sb.WriteString(", ")
		}
		if i < len(c.names) && c.names[i] != "" {
			sb.WriteString(c.names[i] + " => ")
		}
		sb.WriteString(a.Type().SQL)
	}
	return sb.String() + ")"
}

// resolve finds the function that a call means; nil when none fits (the caller words the error), an error when several do.
func (b *binder) resolve(c *call) (*resolved, error) {
	if len(c.args) > maxArgs {
		return nil, errAt(c.pos, dberr.TooManyArguments, "cannot pass more than %d arguments to a function", maxArgs)
	}
	c.dropVoid()
	given := types(c.args)
	cands := b.candidates(c, given)
	var chosen *candidate
	for _, cand := range cands {
		if slices.EqualFunc(given, cand.args, same) {
			chosen = cand
			break
		}
	}
	if chosen == nil {
		if t := b.castByName(c); t != nil {
			return &resolved{coerceTo: t, args: c.args}, nil
		}
		var n int
		if chosen, n = b.choose(given, cands); chosen == nil && n > 1 {
			return nil, b.notUnique(c)
		}
	}
	if chosen == nil {
		return nil, nil
	}
	if chosen.twice {
		return nil, b.notUnique(c)
	}
	return b.complete(c, chosen, given)
}

func (b *binder) notUnique(c *call) error {
	what := "function"
	if c.procedure {
		what = "procedure"
	}
	return errAt(c.pos, dberr.AmbiguousFunction, "%s %s is not unique", what, c.signature()).
		WithHint("Could not choose a best candidate %s. You might need to add explicit type casts.", what)
}

// dropVoid takes out parameters of type void: that is how drivers send the places of output parameters.
func (c *call) dropVoid() {
	if len(c.names) > 0 {
		return
	}
	c.args = slices.DeleteFunc(c.args, func(e plan.Expr) bool {
		p, ok := e.(*plan.Param)
		return ok && p.T.OID == value.Void.OID
	})
}

// castByName tells whether f(x) is a cast to the type f, written as a function.
func (b *binder) castByName(c *call) *value.Type {
	if len(c.args) != 1 || len(c.names) > 0 || c.variadic || !c.plainSyntax {
		return nil
	}
	t := b.typeNamed(c.schema, c.name)
	if t == nil || t.Class == value.Pseudo || isComposite(t) {
		return nil
	}
	from := c.args[0].Type()
	if isUnknown(from) {
		return t
	}
	switch how, _ := b.pathway(from, t, functions.Explicit); how {
	case relabel:
		return t
	case byText:
		if (isRecord(from) || isComposite(from)) && t.Category == 'S' {
			return nil
		}
		return t
	}
	return nil
}

// candidates lists the functions of the call's name that take its number and names of arguments.
func (b *binder) candidates(c *call, given []*value.Type) []*candidate {
	var out []*candidate
	take := func(params []functions.Param, variadic bool, fill func(*candidate)) {
		cand := shape(c, params, variadic, given)
		if cand == nil {
			return
		}
		fill(cand)
		for i, o := range out {
			if slices.EqualFunc(o.args, cand.args, same) {
				// Of two that look alike the one that is not variadic hides the other, and a built-in one that takes fewer defaults.
				// Of two users' functions in one schema neither does.
				switch {
				case o.user != nil && cand.user != nil && o.user.Schema == cand.user.Schema && (o.variadic > 0) == (cand.variadic > 0):
					o.twice = true
				case o.variadic > 0 && cand.variadic == 0, o.user == nil && o.defaults > cand.defaults:
					out[i] = cand
				}
				return
			}
		}
		out = append(out, cand)
	}
	add := func(oid uint32, params []functions.Param, variadic bool, fill func(*candidate)) {
		if !c.procedure && b.inSchema(c.schema, oid) {
			take(params, variadic, fill)
		}
	}
	tables := b.Registry.Tables(c.name)
	for _, f := range b.Registry.Scalars(c.name) {
		add(f.OID, f.Params, f.Variadic, func(cand *candidate) {
			cand.scalar, cand.ret = f, f.Ret
			for _, t := range tables {
				if t.OID == f.OID && f.OID != 0 && f.Eval == nil {
					cand.table = t
				}
			}
		})
	}
	for _, f := range b.Registry.Aggregates(c.name) {
		add(f.OID, f.Params, f.Variadic, func(cand *candidate) { cand.agg, cand.ret = f, f.Ret })
	}
	for _, f := range b.Registry.Windows(c.name) {
		add(f.OID, f.Params, false, func(cand *candidate) { cand.win, cand.ret = f, f.Ret })
	}
	for _, f := range tables {
		if slices.ContainsFunc(b.Registry.Scalars(c.name), func(s *functions.Scalar) bool { return s.OID == f.OID }) {
			continue
		}
		add(f.OID, f.Params, f.Variadic, func(cand *candidate) { cand.table, cand.ret = f, tableRet(f) })
	}
	for _, f := range b.constructors(c.schema, c.name) {
		if !c.procedure {
			take(f.Params, f.Variadic, func(cand *candidate) { cand.scalar, cand.ret = f, f.Ret })
		}
	}
	for _, r := range b.routinesNamed(c.schema, c.name) {
		if c.procedure != (r.fn.Kind == 'p') {
			continue
		}
		switch {
		case r.scalar != nil:
			take(r.scalar.Params, r.scalar.Variadic, func(cand *candidate) { cand.scalar, cand.ret, cand.user = r.scalar, r.scalar.Ret, r.fn })
		case r.agg != nil:
			take(r.agg.Params, r.agg.Variadic, func(cand *candidate) { cand.agg, cand.ret, cand.user = r.agg, r.agg.Ret, r.fn })
		case r.table != nil:
			take(r.table.Params, r.table.Variadic, func(cand *candidate) { cand.table, cand.ret, cand.user = r.table, tableRet(r.table), r.fn })
		}
	}
	return out
}

// tableRet is the type of a table function's result as one value.
func tableRet(f *functions.Table) *value.Type {
	if f.Scalar && len(f.Cols) == 1 {
		return f.Cols[0].Type
	}
	return value.RecordType
}

// inSchema tells whether a function may be called with a schema's name before it. OMGDB's own ones have OIDs of their own range;
// those that PostgreSQL users know from extensions may be called as if they lived in public.
func (b *binder) inSchema(schema string, oid uint32) bool {
	own, info := oid >= 8000 && oid < 10000, oid >= 13000 && oid < 14000
	switch schema {
	case "":
		return true
	case "pg_catalog":
		return !own && !info
	case "information_schema":
		return info
	case ownSchema, "public":
		return own
	}
	return false
}

// shape tells how a call's arguments meet declared parameters, nil when their number or names don't fit.
func shape(c *call, params []functions.Param, variadic bool, given []*value.Type) *candidate {
	n := len(given)
	cand := &candidate{params: params, nargs: len(params)}
	last := len(params) - 1
	cand.isAny = variadic && params[last].Type.OID == value.Any.OID
	if len(c.names) > 0 {
		if variadic && !c.variadic || !shapeNamed(c, params, cand) {
			return nil
		}
	} else {
		switch {
		case c.variadic:
			if !variadic || n != len(params) {
				return nil
			}
		case variadic && n >= len(params):
			cand.variadic = n - last
		case n < len(params):
			if cand.defaults = len(params) - n; params[n].Default == "" {
				return nil
			}
		case n > len(params):
			return nil
		}
	}
	cand.args = make([]*value.Type, n)
	for i := range cand.args {
		p := i
		if cand.order != nil {
			p = cand.order[i]
		}
		switch {
		case cand.variadic > 0 && p >= last:
			cand.args[i] = params[last].Type
			if e := elemOfParam(params[last].Type); e != nil {
				cand.args[i] = e
			}
		case params[p].JSONBToo && given[i].OID == value.JSONB.OID:
			cand.args[i] = value.JSONB
		default:
			cand.args[i] = params[p].Type
		}
	}
	return cand
}

// elemOfParam is the type of one argument of a variadic parameter, nil when it is VARIADIC "any".
func elemOfParam(t *value.Type) *value.Type {
	switch t.OID {
	case value.AnyArray.OID:
		return value.AnyElement
	case value.AnyCompatibleArray.OID:
		return value.AnyCompatible
	}
	return t.Elem
}

// shapeNamed places named arguments; false when a name is unknown, used twice, or a parameter without default stays open.
func shapeNamed(c *call, params []functions.Param, cand *candidate) bool {
	filled := make([]bool, len(params))
	cand.order = make([]int, len(c.args))
	for i, name := range c.names {
		p := i
		if name != "" {
			p = slices.IndexFunc(params, func(q functions.Param) bool { return q.Name == name })
		}
		if p < 0 || p >= len(params) || filled[p] {
			return false
		}
		filled[p] = true
		cand.order[i] = p
	}
	for p, ok := range filled {
		if !ok {
			if params[p].Default == "" {
				return false
			}
			cand.defaults++
		}
	}
	return true
}

// complete fills in defaults, packs variadic arguments and converts everything to the parameters' types.
func (b *binder) complete(c *call, cand *candidate, given []*value.Type) (*resolved, error) {
	declared := make([]*value.Type, len(cand.params))
	for i, p := range cand.params {
		declared[i] = p.Type
	}
	if c.variadic {
		if last := c.args[len(c.args)-1]; cand.isAny && !isArray(baseType(last.Type())) && !isUnknown(last.Type()) {
			return nil, errAt(b.posOf(last), dberr.DatatypeMismatch, "VARIADIC argument must be an array")
		}
	}
	args, ts := append([]plan.Expr(nil), c.args...), append([]*value.Type(nil), cand.args...)
	actual := given
	if cand.order != nil || cand.defaults > 0 {
		ordered := make([]plan.Expr, len(cand.params))
		for i, a := range c.args {
			p := i
			if cand.order != nil {
				p = cand.order[i]
			}
			ordered[p] = a
		}
		for p := range ordered {
			if ordered[p] == nil {
				d, err := b.defaultArg(&cand.params[p])
				if err != nil {
					return nil, err
				}
				ordered[p] = d
			}
		}
		args, ts, actual = ordered, declared, types(ordered)
	}
	want, ret, err := b.instantiate(actual, ts, cand.ret)
	if err != nil {
		return nil, err
	}
	for i, a := range args {
		e, err := b.convertArg(a, want[i], cand, i)
		if err != nil {
			return nil, err
		}
		args[i] = e
	}
	if cand.variadic > 0 && !cand.isAny {
		head := len(args) - cand.variadic
		elem := want[head]
		arr := b.arrayOf(elem)
		if arr == nil {
			return nil, errAt(c.pos, dberr.UndefinedObject, "could not find array type for data type %s", elem.SQL)
		}
		packed := b.at(&plan.ArrayExpr{Typed: plan.Typed{T: arr, M: -1}, Elems: slices.Clone(args[head:])}, b.posOf(args[head]))
		args = append(args[:head:head], packed)
	}
	if cand.user != nil {
		b.usesFunction(cand.user)
	}
	return &resolved{candidate: cand, args: args, ret: ret}, nil
}

// convertArg converts an argument; a jsonb value goes to a json parameter that says so.
func (b *binder) convertArg(a plan.Expr, want *value.Type, cand *candidate, i int) (plan.Expr, error) {
	if i < len(cand.params) && cand.params[i].JSONBToo && a.Type().OID == value.JSONB.OID {
		return b.convert(a, value.JSON, -1, functions.Assignment, plan.ImplicitCastStyle, -1)
	}
	return b.at2(b.implicitly(a, want))(a)
}

// defaultArg binds the default of a parameter.
func (b *binder) defaultArg(p *functions.Param) (plan.Expr, error) {
	if strings.EqualFold(p.Default, "null") {
		if p.Type.IsPoly() {
			return nullConst(value.Unknown), nil
		}
		return nullConst(p.Type), nil
	}
	n, err := parse.ParseExpr(p.Default)
	if err != nil {
		return nil, dberr.Wrap(err, dberr.InternalError, "default %q of parameter %s: %v", p.Default, p.Name, err)
	}
	e, err := b.expr(&scope{clause: inFuncDefault}, n)
	if err != nil {
		return nil, err
	}
	b.pos[e] = -1
	if p.Type.IsPoly() {
		return e, nil
	}
	e, ok, err := b.coerce(e, p.Type, -1, functions.Assignment, plan.ImplicitCastStyle, -1)
	if err == nil && !ok {
		err = dberr.New(dberr.InternalError, "default %q of parameter %s has another type", p.Default, p.Name)
	}
	return e, err
}
