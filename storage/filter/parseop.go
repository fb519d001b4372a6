package filter

import (
	"fmt"
	"math"
	"slices"

	"github.com/omgdb/omgdb/storage/doc"
)

// place names where an operand stands, for errors.
type place struct{ op, path string }

func (a place) invalid(format string, args ...any) error {
	return invalid("%s at \"%s\" %s", a.op, a.path, fmt.Sprintf(format, args...))
}

func isFieldOperator(key string) bool {
	return slices.Contains([]string{"$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$in", "$nin", "$not", "$exists", "$type", "$all",
		"$elemMatch", "$size", "$mod", "$regex", "$options"}, key)
}

// operators parses {"$gt": 1, "$lt": 5} under a path: all must hold.
func (p *parser) operators(path string, v doc.Value) (Expr, error) {
	var list []Expr
	for e := v.Elements(); ; {
		k, operand, ok := e.Next()
		if !ok {
			return conjunction(list), nil
		}
		x, err := p.operator(place{string(k), path}, operand, v)
		if err != nil {
			return nil, err
		}
		if x != nil {
			list = append(list, x)
		}
	}
}

// operator parses one operator into a condition on the path.
func (p *parser) operator(at place, v, whole doc.Value) (Expr, error) {
	switch at.op {
	case "$not":
		x, err := p.not(at, v)
		if err != nil {
			return nil, err
		}
		return &Not{x}, nil
	case "$all":
		return p.all(at, v)
	case "$options":
		if doc.Doc(whole.Data).Lookup("$regex").Missing() {
			return nil, at.invalid("needs a $regex beside it")
		}
		return nil, nil
	}
	t, negated, err := p.test(at, v, whole)
	if err != nil {
		return nil, err
	}
	f := &Field{at.path, t}
	if negated {
		return &Not{f}, nil
	}
	return f, nil
}

// test parses an operator that is a test on one value; negated says that the test must fail for all.
func (p *parser) test(at place, v, whole doc.Value) (t Test, negated bool, err error) {
	switch at.op {
	case "$eq":
		t, err = compare(at, EQ, v)
	case "$ne":
		if v.Type == doc.TypeRegex {
			return nil, false, at.invalid("cannot take a regular expression; use $not")
		}
		t, err = compare(at, EQ, v)
		negated = true
	case "$gt":
		t, err = compare(at, GT, v)
	case "$gte":
		t, err = compare(at, GE, v)
	case "$lt":
		t, err = compare(at, LT, v)
	case "$lte":
		t, err = compare(at, LE, v)
	case "$in", "$nin":
		t, err = in(at, v)
		negated = at.op == "$nin"
	case "$exists":
		t, negated = &Exists{}, !truthy(v)
	case "$type":
		t, err = types(at, v)
	case "$elemMatch":
		t, err = p.elemMatch(at, v)
	case "$size":
		t, err = size(at, v)
	case "$mod":
		t, err = mod(at, v)
	case "$regex":
		t, err = regex(at, v, whole)
	default:
		err = unknownField(at)
	}
	return t, negated, err
}

func unknownField(at place) error {
	if _, ok := unsupported[at.op]; ok {
		return unknownTop(at.op)
	}
	if at.op == "$and" || at.op == "$or" || at.op == "$nor" || at.op == "$expr" {
		return at.invalid("must stand outside the path")
	}
	return invalid("unknown operator %s at \"%s\"", at.op, at.path)
}

func compare(at place, op CmpOp, v doc.Value) (Test, error) {
	switch {
	case v.Type == doc.TypeUndefined:
		return nil, at.invalid("cannot compare to undefined")
	case v.Type == doc.TypeRegex && op != EQ:
		return nil, at.invalid("cannot take a regular expression")
	}
	return &Compare{op, v}, nil
}

func in(at place, v doc.Value) (Test, error) {
	if v.Type != doc.TypeArray {
		return nil, at.invalid("needs an array, found %s", article(v))
	}
	t := &In{}
	for e := v.Elements(); ; {
		_, x, ok := e.Next()
		if !ok {
			return t, nil
		}
		switch x.Type {
		case doc.TypeRegex:
			r, err := regexOf(at.path, x)
			if err != nil {
				return nil, err
			}
			t.Regexes = append(t.Regexes, r)
			continue
		case doc.TypeUndefined:
			return nil, at.invalid("cannot compare to undefined")
		case doc.TypeObject:
			if isOperators(x) {
				return nil, at.invalid("cannot hold operators")
			}
		}
		t.Values = append(t.Values, x)
	}
}

// truthy is MongoDB's reading of a value as a condition.
func truthy(v doc.Value) bool {
	switch v.Class() {
	case doc.ClassMissing, doc.ClassNull, doc.ClassUndefined:
		return false
	case doc.ClassBool:
		b, _ := v.Bool()
		return b
	case doc.ClassNumber:
		f, _ := v.Float64()
		return f != 0
	}
	return true
}

func types(at place, v doc.Value) (Test, error) {
	t := &Types{}
	if v.Type != doc.TypeArray {
		err := t.add(at, v)
		return t, err
	}
	for e := v.Elements(); ; {
		_, x, ok := e.Next()
		if !ok {
			break
		}
		if err := t.add(at, x); err != nil {
			return nil, err
		}
	}
	if len(t.List) == 0 {
		return nil, at.invalid("needs at least one type")
	}
	return t, nil
}

func (t *Types) add(at place, v doc.Value) error {
	var code TypeCode
	ok := false
	switch v.Class() {
	case doc.ClassString:
		s, _ := v.StringBytes()
		if code, ok = typeByName(string(s)); !ok {
			return at.invalid("names an unknown type: \"%s\"", s)
		}
	case doc.ClassNumber:
		n, isInt := v.Int64()
		if code, ok = typeByCode(n); !ok || !isInt {
			return at.invalid("names an unknown type: %s", v.Canonical())
		}
	default:
		return at.invalid("needs the name or number of a type, found %s", article(v))
	}
	t.List = append(t.List, code)
	return nil
}

func size(at place, v doc.Value) (Test, error) {
	if v.Class() != doc.ClassNumber {
		return nil, at.invalid("needs a number, found %s", article(v))
	}
	n, ok := v.Int64()
	if !ok || n < 0 {
		return nil, at.invalid("needs a whole number of at least 0, found %s", v.Canonical())
	}
	return &Size{n}, nil
}

func mod(at place, v doc.Value) (Test, error) {
	if v.Type != doc.TypeArray || v.Len() != 2 {
		return nil, at.invalid("needs an array of divisor and remainder")
	}
	div, ok1 := truncated(v.At(0))
	rem, ok2 := truncated(v.At(1))
	switch {
	case !ok1 || !ok2:
		return nil, at.invalid("needs numbers within 64 bits")
	case div == 0:
		return nil, at.invalid("cannot divide by 0")
	}
	return &Mod{div, rem}, nil
}

// truncated gives the integer part of a finite number within int64.
func truncated(v doc.Value) (int64, bool) {
	if i, ok := v.Int64(); ok {
		return i, true
	}
	var buf doc.DecimalBuf
	d, kind := v.Decompose(&buf)
	if kind != doc.Finite {
		return 0, false
	}
	if d.Exp < 0 {
		d.Coef = d.Coef[:max(0, len(d.Coef)+d.Exp)]
		d.Exp = 0
	}
	if len(d.Coef) == 0 {
		return 0, true
	}
	if len(d.Coef)+d.Exp > 19 {
		return 0, false
	}
	var u uint64
	for _, c := range d.Coef {
		u = u*10 + uint64(c-'0')
	}
	for range d.Exp {
		u *= 10
	}
	if d.Neg {
		return -int64(u), u <= 1<<63
	}
	return int64(u), u <= math.MaxInt64
}

func regex(at place, v, whole doc.Value) (Test, error) {
	options := doc.Doc(whole.Data).Lookup("$options")
	var o string
	if !options.Missing() {
		s, ok := options.StringBytes()
		if !ok {
			return nil, place{"$options", at.path}.invalid("needs a string, found %s", article(options))
		}
		o = string(s)
	}
	var pattern string
	switch v.Type {
	case doc.TypeString:
		s, _ := v.StringBytes()
		pattern = string(s)
	case doc.TypeRegex:
		p, own, _ := v.Regex()
		if len(own) > 0 && o != "" {
			return nil, at.invalid("has options twice")
		}
		pattern, o = string(p), o+string(own)
	default:
		return nil, at.invalid("needs a string, found %s", article(v))
	}
	r, err := NewRegex(pattern, sortedOptions(o))
	if err != nil {
		return nil, at.invalid("is not a valid regular expression: %s", err)
	}
	return r, nil
}

func sortedOptions(o string) string {
	b := []byte(o)
	slices.Sort(b)
	return string(slices.Compact(b))
}

// regexOf compiles a regular expression value.
func regexOf(path string, v doc.Value) (*Regex, error) {
	pattern, options, ok := v.Regex()
	if !ok {
		return nil, invalid("regular expression at \"%s\" is damaged", path)
	}
	r, err := NewRegex(string(pattern), string(options))
	if err != nil {
		return nil, invalid("regular expression at \"%s\" is not valid: %s", path, err)
	}
	return r, nil
}

// not parses the operand of $not: operators or a regular expression.
func (p *parser) not(at place, v doc.Value) (Expr, error) {
	switch {
	case v.Type == doc.TypeRegex:
		r, err := regexOf(at.path, v)
		if err != nil {
			return nil, err
		}
		return &Field{at.path, r}, nil
	case v.Type == doc.TypeObject && isOperators(v):
		return p.operators(at.path, v)
	}
	return nil, at.invalid("needs operators or a regular expression, found %s", article(v))
}

// all parses $all: each value must equal one of the array's elements (or the array itself).
func (p *parser) all(at place, v doc.Value) (Expr, error) {
	if v.Type != doc.TypeArray {
		return nil, at.invalid("needs an array, found %s", article(v))
	}
	var list []Expr
	elemMatches := 0
	for e := v.Elements(); ; {
		_, x, ok := e.Next()
		if !ok {
			break
		}
		t, isElem, err := p.allMember(at, x)
		if err != nil {
			return nil, err
		}
		elemMatches += b2i(isElem)
		list = append(list, &Field{at.path, t})
	}
	if elemMatches > 0 && elemMatches < len(list) {
		return nil, at.invalid("cannot mix $elemMatch with values")
	}
	if len(list) == 0 {
		return Const{False}, nil
	}
	return conjunction(list), nil
}

func (p *parser) allMember(at place, x doc.Value) (t Test, isElem bool, err error) {
	switch {
	case x.Type == doc.TypeRegex:
		t, err = regexOf(at.path, x)
		return t, false, err
	case x.Type == doc.TypeUndefined:
		return nil, false, at.invalid("cannot compare to undefined")
	case x.Type == doc.TypeObject && isOperators(x):
		e := x.Elements()
		k, operand, _ := e.Next()
		if string(k) != "$elemMatch" || x.Len() != 1 {
			return nil, false, at.invalid("cannot hold operators other than $elemMatch")
		}
		t, err = p.elemMatch(place{"$elemMatch", at.path}, operand)
		return t, true, err
	}
	return &Compare{EQ, x}, false, nil
}

// elemMatch parses either form of $elemMatch: operators on the element itself, or a filter on elements that are objects.
func (p *parser) elemMatch(at place, v doc.Value) (Test, error) {
	if v.Type != doc.TypeObject {
		return nil, at.invalid("needs an object, found %s", article(v))
	}
	e := v.Elements()
	if k, _, ok := e.Next(); ok && isOperators(v) && !slices.Contains([]string{"$and", "$or", "$nor", "$expr", "$comment"}, string(k)) {
		tests, err := p.tests(at, v)
		if err != nil {
			return nil, err
		}
		return &ElemTest{tests}, nil
	}
	f, err := p.filter(doc.Doc(v.Data))
	if err != nil {
		return nil, err
	}
	if hasExpr(f) {
		return nil, at.invalid("cannot hold $expr")
	}
	return &ElemMatch{f}, nil
}

func hasExpr(e Expr) bool {
	switch e := e.(type) {
	case *ExprTest:
		return true
	case *And:
		return slices.ContainsFunc(e.List, hasExpr)
	case *Or:
		return slices.ContainsFunc(e.List, hasExpr)
	case *Not:
		return hasExpr(e.X)
	}
	return false
}

// tests parses operators that all apply to one element.
func (p *parser) tests(at place, v doc.Value) ([]Test, error) {
	if p.depth++; p.depth > maxFilterDepth {
		return nil, at.invalid("is nested too deeply")
	}
	defer func() { p.depth-- }()
	var list []Test
	for e := v.Elements(); ; {
		k, operand, ok := e.Next()
		if !ok {
			return list, nil
		}
		t, err := p.elemOperator(place{string(k), at.path}, operand, v)
		if err != nil {
			return nil, err
		}
		list = append(list, t...)
	}
}

// elemOperator parses one operator on an element.
func (p *parser) elemOperator(at place, v, whole doc.Value) ([]Test, error) {
	switch at.op {
	case "$options":
		if doc.Doc(whole.Data).Lookup("$regex").Missing() {
			return nil, at.invalid("needs a $regex beside it")
		}
		return nil, nil
	case "$not":
		if v.Type == doc.TypeRegex {
			r, err := regexOf(at.path, v)
			return []Test{&NotTest{[]Test{r}}}, err
		}
		if v.Type != doc.TypeObject || !isOperators(v) {
			return nil, at.invalid("needs operators or a regular expression, found %s", article(v))
		}
		inner, err := p.tests(at, v)
		return []Test{&NotTest{inner}}, err
	case "$all":
		return p.allTests(at, v)
	}
	t, negated, err := p.test(at, v, whole)
	if negated {
		t = &NotTest{[]Test{t}}
	}
	return []Test{t}, err
}

func (p *parser) allTests(at place, v doc.Value) ([]Test, error) {
	x, err := p.all(at, v)
	if err != nil {
		return nil, err
	}
	switch x := x.(type) {
	case *Field:
		return []Test{x.Test}, nil
	case *And:
		var list []Test
		for _, f := range x.List {
			list = append(list, f.(*Field).Test)
		}
		return list, nil
	}
	return []Test{&In{}}, nil // $all: [] matches nothing
}

// ElementFilter tells which elements of an array $pull takes out.
type ElementFilter struct {
	value doc.Value // equal elements, when neither of the others is set
	tests []tester
	node  node
}

// ParseElements parses the operand of $pull: operators for the element itself, a filter for elements that are objects, or a
// value to be equal to (a regular expression also matches strings).
func ParseElements(path string, v doc.Value) (*ElementFilter, error) {
	var p parser
	at := place{"$pull", path}
	switch {
	case v.Type == doc.TypeRegex:
		r, err := regexOf(path, v)
		return &ElementFilter{tests: []tester{regexTester{r}}}, err
	case v.Type == doc.TypeObject && isOperators(v):
		list, err := p.tests(at, v)
		if err != nil {
			return nil, err
		}
		tests, err := compileTests(list)
		return &ElementFilter{tests: tests}, err
	case v.Type == doc.TypeObject:
		e, err := p.filter(doc.Doc(v.Data))
		if err != nil {
			return nil, err
		}
		n, err := compileNode(e)
		return &ElementFilter{node: n}, err
	}
	return &ElementFilter{value: v}, nil
}

// Match reports whether the element is taken out.
func (f *ElementFilter) Match(v doc.Value) (bool, error) {
	switch {
	case f.tests != nil:
		return allPass(f.tests, v)
	case f.node != nil:
		if v.Type != doc.TypeObject {
			return false, nil
		}
		t, err := f.node.eval(doc.Doc(v.Data))
		return t == True, err
	}
	return doc.EqualBSON(v, f.value), nil
}
