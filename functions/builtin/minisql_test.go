package builtin

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// A small evaluator of expressions for the tests of this package: literals, casts, calls and operators without precedence
// (a chain of operators needs parentheses), resolved through the Registry. It stands in for the planner.

type typed struct {
	t *value.Type
	v value.Value
}

type evaluator struct {
	reg  *functions.Registry
	env  *functions.Env
	toks []string
	pos  int
	// variadic is set for the next call.
	variadic bool
}

var errParse = fmt.Errorf("the test's expression does not parse")

func (e *evaluator) eval(src string) (out typed, err error) {
	e.toks, e.pos = tokens(src), 0
	defer func() {
		if r := recover(); r != nil {
			if rerr, ok := r.(error); ok && rerr == errParse {
				err = fmt.Errorf("%w at %q", errParse, strings.Join(e.toks[min(e.pos, len(e.toks)):], " "))
				return
			}
			panic(r)
		}
	}()
	out, err = e.expr()
	if err == nil && e.pos != len(e.toks) {
		return out, fmt.Errorf("%w: %q is left", errParse, strings.Join(e.toks[e.pos:], " "))
	}
	return out, err
}

const opChars = "+-*/<>=~!@#%^&|`?"

// tokens cuts an expression: strings keep their quotes.
func tokens(s string) []string {
	var out []string
	for i := 0; i < len(s); {
		c := s[i]
		j := i + 1
		switch {
		case c == ' ':
			i++
			continue
		case c == '\'' || (c == 'E' || c == 'B' || c == 'X') && j < len(s) && s[j] == '\'':
			if c != '\'' {
				j++
			}
			for j < len(s) {
				if s[j] == '\\' && c == 'E' {
					j += 2
					continue
				}
				if s[j] == '\'' {
					if j+1 < len(s) && s[j+1] == '\'' {
						j += 2
						continue
					}
					break
				}
				j++
			}
			j++
		case c == '"':
			for j < len(s) && s[j] != '"' {
				j++
			}
			j++
		case c >= '0' && c <= '9':
			for j < len(s) && (s[j] >= '0' && s[j] <= '9' || s[j] == '.' || s[j] == 'e' || s[j] == 'E') {
				j++
			}
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_':
			for j < len(s) && (s[j] >= 'a' && s[j] <= 'z' || s[j] >= 'A' && s[j] <= 'Z' || s[j] == '_' || s[j] >= '0' && s[j] <= '9') {
				j++
			}
		case c == ':' && j < len(s) && s[j] == ':':
			j++
		case strings.IndexByte(opChars, c) >= 0:
			for j < len(s) && strings.IndexByte(opChars, s[j]) >= 0 {
				j++
			}
			for j > i+1 && (s[j-1] == '-' || s[j-1] == '+') && !strings.ContainsAny(s[i:j-1], "~!@#%^&|`?") { // PostgreSQL's rule for trailing signs
				j--
			}
		}
		out = append(out, s[i:min(j, len(s))])
		i = j
	}
	return out
}

func (e *evaluator) peek() string {
	if e.pos < len(e.toks) {
		return e.toks[e.pos]
	}
	return ""
}

func (e *evaluator) next() string {
	t := e.peek()
	e.pos++
	return t
}

func (e *evaluator) accept(t string) bool {
	if strings.EqualFold(e.peek(), t) {
		e.pos++
		return true
	}
	return false
}

func (e *evaluator) expect(t string) {
	if !e.accept(t) {
		panic(errParse)
	}
}

func isOp(t string) bool { return t != "" && strings.IndexByte(opChars, t[0]) >= 0 }

var likeOps = map[string]string{"like": "~~", "ilike": "~~*"}

func (e *evaluator) expr() (typed, error) {
	left, err := e.unary()
	if err != nil {
		return left, err
	}
	op := e.peek()
	if likeOps[strings.ToLower(op)] != "" {
		op = likeOps[strings.ToLower(op)]
	} else if !isOp(op) {
		return left, nil
	}
	e.next()
	right, err := e.unary()
	if err != nil {
		return right, err
	}
	return e.operator(op, &left, right)
}

func (e *evaluator) unary() (typed, error) {
	if t := e.peek(); isOp(t) {
		e.next()
		x, err := e.unary()
		if err != nil {
			return x, err
		}
		return e.operator(t, nil, x)
	}
	x, err := e.primary()
	for err == nil && e.accept("::") {
		t, mod := e.typeName()
		x, err = e.cast(x, t, mod, true)
	}
	return x, err
}

func (e *evaluator) primary() (typed, error) {
	t := e.next()
	switch {
	case t == "(":
		x, err := e.expr()
		if err == nil {
			e.expect(")")
		}
		return x, err
	case strings.HasPrefix(t, "'"):
		return typed{value.Unknown, value.String(strings.ReplaceAll(t[1:len(t)-1], "''", "'"))}, nil
	case strings.HasPrefix(t, "E'"):
		return typed{value.Unknown, value.String(unescape(t[2 : len(t)-1]))}, nil
	case strings.HasPrefix(t, "B'"):
		return e.literal(value.Bit, "b"+t[2:len(t)-1])
	case t != "" && t[0] >= '0' && t[0] <= '9':
		return e.number(t)
	case strings.EqualFold(t, "null"):
		return typed{value.Unknown, value.Null}, nil
	case strings.EqualFold(t, "true"), strings.EqualFold(t, "false"):
		return typed{value.Boolean, value.Bool(strings.EqualFold(t, "true"))}, nil
	case strings.EqualFold(t, "array") && e.peek() == "[":
		return e.array()
	case e.peek() == "(":
		return e.call(strings.Trim(strings.ToLower(t), `"`))
	case strings.HasPrefix(e.peek(), "'"):
		e.pos--
		typ, mod := e.typeName()
		lit := e.next()
		return e.cast(typed{value.Unknown, value.String(strings.ReplaceAll(lit[1:len(lit)-1], "''", "'"))}, typ, mod, true)
	}
	panic(errParse)
}

func unescape(s string) string {
	out, err := strconv.Unquote(`"` + strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(s, "''", "'"), `"`, `\"`), `\'`, `'`) + `"`)
	if err != nil {
		panic(errParse)
	}
	return out
}

func (e *evaluator) literal(t *value.Type, s string) (typed, error) {
	v, err := typeio.In(t, -1, s, e.env.Format)
	return typed{t, v}, err
}

func (e *evaluator) number(t string) (typed, error) {
	if strings.ContainsAny(t, ".eE") {
		return e.literal(value.Numeric, t)
	}
	n, err := strconv.ParseInt(t, 10, 64)
	switch {
	case err != nil:
		return e.literal(value.Numeric, t)
	case n > 1<<31-1:
		return typed{value.Int8, value.Int(n)}, nil
	}
	return typed{value.Int4, value.Int(n)}, nil
}

func (e *evaluator) array() (typed, error) {
	e.expect("[")
	var elems []typed
	for e.peek() != "]" {
		if len(elems) > 0 {
			e.expect(",")
		}
		x, err := e.expr()
		if err != nil {
			return x, err
		}
		elems = append(elems, x)
	}
	e.expect("]")
	t := value.Text
	for _, x := range elems {
		if x.t.OID != value.Unknown.OID {
			t = x.t
			break
		}
	}
	vals := make([]value.Value, len(elems))
	for i, x := range elems {
		c, err := e.cast(x, t, -1, false)
		if err != nil {
			return c, err
		}
		vals[i] = c.v
	}
	return typed{value.ArrayOf(t), value.Box(value.NewArray(t, vals))}, nil
}

var sqlTypeNames = map[string]string{
	"int": "int4", "integer": "int4", "bigint": "int8", "smallint": "int2", "real": "float4", "boolean": "bool", "decimal": "numeric",
	"character": "bpchar", "char": "bpchar", `"char"`: "char",
}

func (e *evaluator) typeName() (*value.Type, int32) {
	name := strings.ToLower(e.next())
	switch {
	case name == "double" && e.accept("precision"):
		name = "float8"
	case name == "character" && e.accept("varying"):
		name = "varchar"
	case name == "bit" && e.accept("varying"):
		name = "varbit"
	}
	if n := sqlTypeNames[name]; n != "" {
		name = n
	}
	mod := int32(-1)
	bare := name
	if e.accept("(") {
		var mods []int32
		for !e.accept(")") {
			e.accept(",")
			neg := e.accept("-")
			n, err := strconv.Atoi(e.next())
			if err != nil {
				panic(errParse)
			}
			if neg {
				n = -n
			}
			mods = append(mods, int32(n))
		}
		mod = makeMod(bare, mods)
	}
	if (name == "timestamp" || name == "time") && (e.accept("with") || e.accept("without")) {
		with := strings.EqualFold(e.toks[e.pos-1], "with")
		e.expect("time")
		e.expect("zone")
		if with {
			name += "tz"
		}
	}
	if name == "bpchar" && mod < 0 && bare == "bpchar" && e.toks[e.pos-1] != "bpchar" {
		mod = 5
	}
	if name == "bit" && mod < 0 {
		mod = 1
	}
	for _, b := range value.Builtins() {
		if b.Name == name {
			for e.accept("[") {
				e.expect("]")
				b = value.ArrayOf(b)
			}
			return b, mod
		}
	}
	panic(errParse)
}

func (e *evaluator) isCoercible(from, to *value.Type) bool {
	if from.OID == to.OID || from.OID == value.Unknown.OID {
		return true
	}
	switch to.OID {
	case value.Any.OID, value.AnyElement.OID, value.AnyCompatible.OID, value.AnyNonArray.OID, value.AnyCompatibleNonArray.OID:
		return !(from.IsArray() && (to.OID == value.AnyNonArray.OID || to.OID == value.AnyCompatibleNonArray.OID))
	case value.AnyArray.OID, value.AnyCompatibleArray.OID:
		return from.IsArray()
	case value.AnyRange.OID, value.AnyCompatibleRange.OID:
		return from.Class == value.RangeClass
	case value.AnyMultirange.OID, value.AnyCompatibleMultirange.OID:
		return from.Class == value.MultiClass
	case value.RecordType.OID:
		return from.Class == value.Composite
	}
	c := e.reg.Cast(from, to)
	return c != nil && c.Context == functions.Implicit
}

// choose picks the candidate that needs the fewest conversions; preferred types break ties.
func (e *evaluator) choose(args []typed, n int, params func(i int) []*value.Type) int {
	best, bestScore := -1, -1
	for i := range n {
		ps := params(i)
		if len(ps) != len(args) {
			continue
		}
		score, fits := 0, true
		for k, p := range ps {
			a := args[k].t
			switch {
			case a.OID == p.OID:
				score += 1000
			case !e.isCoercible(a, p):
				fits = false
			case a.OID == value.Unknown.OID && p.OID == value.Text.OID:
				score += 20
			case a.OID == value.Unknown.OID && p.Category == 'S':
				score += 10
			case a.OID == value.Unknown.OID:
				for _, o := range args { // as the other argument's type
					if o.t.OID == p.OID {
						score += 30
					}
				}
			case p.IsPoly() && (a.IsArray() || a.Category == 'R') && (p.OID == value.AnyCompatible.OID || p.OID == value.AnyElement.OID):
				score += 200 // rather as an array or range
			case p.IsPoly():
				score += 500
			case p.Preferred:
				score += 5
			default:
				if c := e.reg.Cast(a, p); c != nil && c.Fn == nil {
					score += 900
				}
			}
		}
		if fits && score > bestScore {
			best, bestScore = i, score
		}
	}
	return best
}

func (e *evaluator) operator(name string, left *typed, right typed) (typed, error) {
	if name == "!=" {
		name = "<>"
	}
	args := []typed{right}
	if left != nil {
		args = []typed{*left, right}
	}
	var ops []*functions.Operator
	for _, o := range e.reg.Operators(name) {
		if (o.Left == nil) == (left == nil) {
			ops = append(ops, o)
		}
	}
	i := e.choose(args, len(ops), func(i int) []*value.Type {
		if left == nil {
			return []*value.Type{ops[i].Right}
		}
		return []*value.Type{ops[i].Left, ops[i].Right}
	})
	if i < 0 {
		return typed{}, dberr.New(dberr.UndefinedFunction, "operator does not exist: %s (%v)", name, args)
	}
	return e.apply(ops[i].Fn, args)
}

func (e *evaluator) call(name string) (typed, error) {
	e.expect("(")
	var args []typed
	variadic := false
	for e.peek() != ")" {
		if len(args) > 0 {
			e.expect(",")
		}
		if e.accept("variadic") {
			variadic = true
		}
		x, err := e.expr()
		if err != nil {
			return x, err
		}
		args = append(args, x)
	}
	e.expect(")")
	fns := e.reg.Scalars(name)
	expanded := func(i int) []*value.Type {
		f := fns[i]
		var ps []*value.Type
		for _, p := range f.Params {
			ps = append(ps, p.Type)
		}
		if f.Variadic && !variadic && len(args) >= len(ps) {
			last := ps[len(ps)-1]
			elem := last
			switch {
			case last.IsArray():
				elem = last.Elem
			case last.OID == value.AnyArray.OID:
				elem = value.AnyElement
			case last.OID == value.AnyCompatibleArray.OID:
				elem = value.AnyCompatible
			}
			ps = ps[:len(ps)-1]
			for len(ps) < len(args) {
				ps = append(ps, elem)
			}
		}
		for n := len(args); !f.Variadic && n < len(ps) && f.Params[n].Default != ""; {
			ps = ps[:n]
		}
		return ps
	}
	i := e.choose(args, len(fns), expanded)
	if i < 0 {
		var names []string
		for _, a := range args {
			names = append(names, a.t.SQL)
		}
		return typed{}, dberr.New(dberr.UndefinedFunction, "function %s(%s) does not exist", name, strings.Join(names, ", "))
	}
	f := fns[i]
	for n := len(args); n < len(f.Params) && f.Params[n].Default != ""; n++ {
		sub := &evaluator{reg: e.reg, env: e.env}
		d, err := sub.eval(f.Params[n].Default)
		if err != nil {
			return d, err
		}
		args = append(args, d)
	}
	if f.Variadic && !variadic && f.Params[len(f.Params)-1].Type.OID != value.Any.OID && len(args) >= len(f.Params) {
		return e.applyVariadic(f, args)
	}
	e.variadic = variadic
	return e.apply(f, args)
}

func (e *evaluator) applyVariadic(f *functions.Scalar, args []typed) (typed, error) {
	n := len(f.Params) - 1
	elem := f.Params[n].Type.Elem
	if elem == nil {
		elem = value.Text
		for _, a := range args[n:] {
			if a.t.OID != value.Unknown.OID {
				elem = a.t
				break
			}
		}
	}
	vals := make([]value.Value, len(args)-n)
	for i, a := range args[n:] {
		c, err := e.cast(a, elem, -1, false)
		if err != nil {
			return c, err
		}
		vals[i] = c.v
	}
	packed := typed{value.ArrayOf(elem), value.Box(value.NewArray(elem, vals))}
	return e.apply(f, append(args[:n:n], packed))
}

// apply casts the arguments, resolves polymorphic types and calls.
func (e *evaluator) apply(f *functions.Scalar, args []typed) (typed, error) {
	ret := f.Ret
	var elem *value.Type // what the polymorphic types stand for
	for k, p := range f.Params {
		if k >= len(args) || !p.Type.IsPoly() || args[k].t.OID == value.Unknown.OID {
			continue
		}
		a := args[k].t
		if a.Elem != nil && p.Type.OID != value.AnyElement.OID && p.Type.OID != value.AnyCompatible.OID && p.Type.OID != value.AnyNonArray.OID {
			a = a.Elem
		}
		if elem == nil || e.isCoercible(elem, a) {
			elem = a
		}
	}
	resolve := func(t *value.Type) *value.Type {
		if !t.IsPoly() || elem == nil {
			return t
		}
		switch t.OID {
		case value.AnyArray.OID, value.AnyCompatibleArray.OID:
			return value.ArrayOf(elem)
		case value.AnyRange.OID, value.AnyCompatibleRange.OID:
			return rangeOver(elem, value.RangeClass)
		case value.AnyMultirange.OID, value.AnyCompatibleMultirange.OID:
			return rangeOver(elem, value.MultiClass)
		}
		return elem
	}
	c := &functions.Call{Env: e.env, Ret: resolve(ret), Variadic: e.variadic}
	e.variadic = false
	vals := make([]value.Value, len(args))
	for i, a := range args {
		want := a.t
		if k := min(i, len(f.Params)-1); f.Params[k].Type.OID != value.Any.OID {
			want = resolve(f.Params[k].Type)
		}
		if want.Class == value.Pseudo && a.t.OID != value.Unknown.OID {
			want = a.t
		}
		if want.OID == value.Any.OID || want.IsPoly() {
			want = value.Text
		}
		x, err := e.cast(a, want, -1, false)
		if err != nil {
			return x, err
		}
		c.Args, c.Mods = append(c.Args, want), append(c.Mods, -1)
		vals[i] = x.v
		if f.Strict && x.v.IsNull() {
			return typed{c.Ret, value.Null}, nil
		}
	}
	if f.Eval == nil {
		return typed{}, fmt.Errorf("%s has no Eval", f.Name)
	}
	v, err := f.Eval(context.Background(), c, vals)
	return typed{c.Ret, v}, err
}

func rangeOver(elem *value.Type, class value.Class) *value.Type {
	for _, t := range value.Builtins() {
		if t.Class == class && t.Elem.OID == elem.OID {
			return t
		}
	}
	return nil
}
