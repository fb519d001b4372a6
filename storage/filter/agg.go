package filter

import (
	"slices"
	"strings"

	"github.com/omgdb/omgdb/storage/doc"
)

// aggExpr is an aggregation expression of $expr; immutable. It has no type bracketing: values of different types compare in
// BSON order, and a missing value is below all others.
type aggExpr interface {
	value(d doc.Doc) (doc.Value, error)
	print(dst []byte) []byte
}

type (
	// aggConst is a literal.
	aggConst struct{ v doc.Value }
	// aggPath is "$a.b": it maps over arrays on its way, and positions are no parts of it.
	aggPath struct {
		text  string
		parts []doc.KeyFinder
	}
	// aggRoot is "$$ROOT".
	aggRoot struct{}
	// aggCall is an operator with its arguments.
	aggCall struct {
		name string
		op   *aggOp
		args []aggExpr
	}
	// aggArray and aggObject build a value.
	aggArray  struct{ items []aggExpr }
	aggObject struct {
		keys  []string
		items []aggExpr
	}
)

// aggOp is an operator of $expr. most < 0 is any number of arguments.
type aggOp struct {
	least, most int
	eval        func(c *aggCall, d doc.Doc) (doc.Value, error)
}

// aggOpOf finds an operator.
func aggOpOf(name string) *aggOp {
	if op, ok := aggOps[name]; ok {
		return op
	}
	return aggLazy(name)
}

// aggOps are the operators whose arguments are all evaluated first.
var aggOps = map[string]*aggOp{
	"$eq":  comparison(func(c int) bool { return c == 0 }),
	"$ne":  comparison(func(c int) bool { return c != 0 }),
	"$gt":  comparison(func(c int) bool { return c > 0 }),
	"$gte": comparison(func(c int) bool { return c >= 0 }),
	"$lt":  comparison(func(c int) bool { return c < 0 }),
	"$lte": comparison(func(c int) bool { return c <= 0 }),
	"$cmp": strict(2, 2, func(_ *aggCall, a []doc.Value) (doc.Value, error) {
		return doc.NumberFromInt64(int64(doc.CompareBSON(a[0], a[1]))), nil
	}),
	"$not":      strict(1, 1, func(_ *aggCall, a []doc.Value) (doc.Value, error) { return doc.Bool(!truthy(a[0])), nil }),
	"$in":       strict(2, 2, aggIn),
	"$size":     strict(1, 1, aggSize),
	"$isNumber": strict(1, 1, func(_ *aggCall, a []doc.Value) (doc.Value, error) { return doc.Bool(a[0].IsNumber()), nil }),
	"$type":     strict(1, 1, aggType),
	"$concat":   strict(0, -1, aggConcat),
	"$add":      strict(0, -1, fold("$add")),
	"$multiply": strict(0, -1, fold("$multiply")),
	"$subtract": strict(2, 2, arithmetic),
	"$divide":   strict(2, 2, arithmetic),
	"$mod":      strict(2, 2, arithmetic),
	"$abs":      strict(1, 1, rounding),
	"$ceil":     strict(1, 1, rounding),
	"$floor":    strict(1, 1, rounding),
	"$trunc":    strict(1, 1, rounding),
}

// aggLazy gives the operators that evaluate only the arguments they need.
func aggLazy(name string) *aggOp {
	switch name {
	case "$and":
		return &aggOp{0, -1, func(c *aggCall, d doc.Doc) (doc.Value, error) { return c.until(d, false) }}
	case "$or":
		return &aggOp{0, -1, func(c *aggCall, d doc.Doc) (doc.Value, error) { return c.until(d, true) }}
	case "$cond":
		return &aggOp{3, 3, aggCond}
	case "$ifNull":
		return &aggOp{2, -1, aggIfNull}
	}
	return nil
}

func comparison(holds func(int) bool) *aggOp {
	return &aggOp{2, 2, func(c *aggCall, d doc.Doc) (doc.Value, error) {
		a, err := c.args[0].value(d)
		if err != nil {
			return a, err
		}
		b, err := c.args[1].value(d)
		if err != nil {
			return b, err
		}
		return doc.Bool(holds(doc.CompareBSON(a, b))), nil
	}}
}

func strict(least, most int, f func(c *aggCall, args []doc.Value) (doc.Value, error)) *aggOp {
	return &aggOp{least, most, func(c *aggCall, d doc.Doc) (doc.Value, error) {
		var room [4]doc.Value
		args := room[:0]
		for _, x := range c.args {
			v, err := x.value(d)
			if err != nil {
				return doc.Value{}, err
			}
			args = append(args, v)
		}
		return f(c, args)
	}}
}

// until evaluates arguments up to the first whose truth is stop.
func (c *aggCall) until(d doc.Doc, stop bool) (doc.Value, error) {
	for _, x := range c.args {
		v, err := x.value(d)
		if err != nil || truthy(v) == stop {
			return doc.Bool(stop), err
		}
	}
	return doc.Bool(!stop), nil
}

func aggCond(c *aggCall, d doc.Doc) (doc.Value, error) {
	v, err := c.args[0].value(d)
	if err != nil {
		return v, err
	}
	if truthy(v) {
		return c.args[1].value(d)
	}
	return c.args[2].value(d)
}

func aggIfNull(c *aggCall, d doc.Doc) (v doc.Value, err error) {
	for _, x := range c.args {
		if v, err = x.value(d); err != nil || !isNullish(v) {
			break
		}
	}
	return v, err
}

func isNullish(v doc.Value) bool {
	c := v.Class()
	return c == doc.ClassMissing || c == doc.ClassNull || c == doc.ClassUndefined
}

func aggIn(_ *aggCall, a []doc.Value) (doc.Value, error) {
	if a[1].Class() != doc.ClassArray {
		return doc.Value{}, invalid("$in in $expr needs an array as its second argument, found %s", article(a[1]))
	}
	for e := a[1].Plain().Elements(); ; {
		_, x, ok := e.Next()
		if !ok || doc.EqualBSON(x, a[0]) {
			return doc.Bool(ok), nil
		}
	}
}

func aggSize(_ *aggCall, a []doc.Value) (doc.Value, error) {
	if a[0].Class() != doc.ClassArray {
		return doc.Value{}, invalid("$size in $expr needs an array, found %s", article(a[0]))
	}
	return doc.NumberFromInt64(int64(a[0].Plain().Len())), nil
}

func aggType(_ *aggCall, a []doc.Value) (doc.Value, error) {
	if a[0].Missing() {
		return doc.String("missing"), nil
	}
	return doc.String(typeName(typeOf(a[0]))), nil
}

func aggConcat(_ *aggCall, a []doc.Value) (doc.Value, error) {
	var text []byte
	for _, v := range a {
		if isNullish(v) {
			return doc.Null(), nil
		}
		s, ok := v.StringBytes()
		if !ok || v.Class() != doc.ClassString {
			return doc.Value{}, invalid("$concat in $expr needs strings, found %s", article(v))
		}
		text = append(text, s...)
	}
	return doc.String(text), nil
}

// parseAgg parses an aggregation expression.
func parseAgg(v doc.Value, depth int) (aggExpr, error) {
	if depth > maxFilterDepth {
		return nil, invalid("$expr is nested deeper than %d levels", maxFilterDepth)
	}
	switch v.Type {
	case doc.TypeString:
		s, _ := v.StringBytes()
		return parseAggString(string(s), v)
	case doc.TypeArray:
		items, err := parseAggList(v, depth)
		return &aggArray{items}, err
	case doc.TypeObject:
		return parseAggObject(v, depth)
	}
	return &aggConst{v}, nil
}

func parseAggString(s string, v doc.Value) (aggExpr, error) {
	if !strings.HasPrefix(s, "$") {
		return &aggConst{v}, nil
	}
	path := s[1:]
	if strings.HasPrefix(path, "$") {
		name, rest, _ := strings.Cut(path[1:], ".")
		if name != "ROOT" && name != "CURRENT" {
			return nil, invalid("unknown variable $$%s in $expr ($$ROOT and $$CURRENT are known)", name)
		}
		if rest == "" {
			return aggRoot{}, nil
		}
		path = rest
	}
	p := &aggPath{text: path}
	for _, name := range strings.Split(path, ".") {
		if name == "" {
			return nil, invalid("path \"%s\" in $expr has an empty part", s)
		}
		p.parts = append(p.parts, doc.NewKeyFinder(name))
	}
	return p, nil
}

func parseAggList(v doc.Value, depth int) ([]aggExpr, error) {
	var items []aggExpr
	for e := v.Elements(); ; {
		_, x, ok := e.Next()
		if !ok {
			return items, nil
		}
		item, err := parseAgg(x, depth+1)
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
}

func parseAggObject(v doc.Value, depth int) (aggExpr, error) {
	e := v.Elements()
	if k, operand, ok := e.Next(); ok && len(k) > 0 && k[0] == '$' {
		if v.Len() != 1 {
			return nil, invalid("an operator of $expr stands alone in its object, found %s with others", k)
		}
		return parseAggCall(string(k), operand, depth)
	}
	o := &aggObject{}
	for e := v.Elements(); ; {
		k, x, ok := e.Next()
		if !ok {
			return o, nil
		}
		item, err := parseAgg(x, depth+1)
		if err != nil {
			return nil, err
		}
		o.keys, o.items = append(o.keys, string(k)), append(o.items, item)
	}
}

func parseAggCall(name string, v doc.Value, depth int) (aggExpr, error) {
	if name == "$literal" {
		return &aggConst{v}, nil
	}
	op := aggOpOf(name)
	if op == nil {
		return nil, invalid("unknown operator %s in $expr", name)
	}
	c := &aggCall{name: name, op: op}
	var err error
	switch {
	case name == "$cond" && v.Type == doc.TypeObject:
		d := doc.Doc(v.Data)
		c.args, err = parseAggEach([]doc.Value{d.Lookup("if"), d.Lookup("then"), d.Lookup("else")}, depth)
		if v.Len() != 3 || slices.ContainsFunc([]string{"if", "then", "else"}, func(k string) bool { return d.Lookup(k).Missing() }) {
			return nil, invalid("$cond in $expr needs if, then and else")
		}
	case v.Type == doc.TypeArray:
		c.args, err = parseAggList(v, depth)
	default:
		c.args, err = parseAggEach([]doc.Value{v}, depth)
	}
	if err != nil {
		return nil, err
	}
	if n := len(c.args); n < op.least || op.most >= 0 && n > op.most {
		return nil, invalid("%s in $expr takes %s, found %d", name, argumentCount(op), n)
	}
	return c, nil
}

func parseAggEach(values []doc.Value, depth int) ([]aggExpr, error) {
	var list []aggExpr
	for _, v := range values {
		x, err := parseAgg(v, depth+1)
		if err != nil {
			return nil, err
		}
		list = append(list, x)
	}
	return list, nil
}

func argumentCount(op *aggOp) string {
	count := [...]string{"no argument", "1 argument", "2 arguments", "3 arguments"}[op.least]
	if op.most < 0 {
		return "at least " + count
	}
	return count
}
