package filter

import (
	"math"

	"github.com/cockroachdb/apd/v3"

	"github.com/omgdb/omgdb/storage/doc"
)

func (c *aggConst) value(doc.Doc) (doc.Value, error) { return c.v, nil }

func (aggRoot) value(d doc.Doc) (doc.Value, error) { return d.Value(), nil }

func (p *aggPath) value(d doc.Doc) (doc.Value, error) { return follow(d.Value(), p.parts) }

// follow walks a path: into objects by key, over arrays by taking every element's answer.
func follow(v doc.Value, parts []doc.KeyFinder) (doc.Value, error) {
	for len(parts) > 0 {
		switch v.Type {
		case doc.TypeObject:
			v = parts[0].Find(v.Data)
			parts = parts[1:]
		case doc.TypeArray:
			return followArray(v, parts)
		default:
			return doc.Value{}, nil
		}
	}
	return v, nil
}

func followArray(v doc.Value, parts []doc.KeyFinder) (doc.Value, error) {
	var b doc.Builder
	b.BeginArray()
	for e := v.Elements(); ; {
		_, x, ok := e.Next()
		if !ok {
			b.End()
			return b.Value()
		}
		if x.Type != doc.TypeObject && x.Type != doc.TypeArray {
			continue
		}
		got, err := follow(x, parts)
		if err != nil {
			return got, err
		}
		if !got.Missing() {
			b.Append(got)
		}
	}
}

func (c *aggCall) value(d doc.Doc) (doc.Value, error) { return c.op.eval(c, d) }

func (a *aggArray) value(d doc.Doc) (doc.Value, error) {
	var b doc.Builder
	b.BeginArray()
	for _, x := range a.items {
		v, err := x.value(d)
		if err != nil {
			return v, err
		}
		b.Append(v) // a missing value becomes null
	}
	b.End()
	return b.Value()
}

func (o *aggObject) value(d doc.Doc) (doc.Value, error) {
	var b doc.Builder
	b.BeginObject()
	for i, x := range o.items {
		v, err := x.value(d)
		if err != nil {
			return v, err
		}
		if !v.Missing() {
			b.Key(o.keys[i])
			b.Append(v)
		}
	}
	b.End()
	return b.Value()
}

// exprNode is a compiled $expr.
type exprNode struct{ agg aggExpr }

func (n exprNode) eval(d doc.Doc) (Tri, error) {
	v, err := n.agg.value(d)
	return TriOf(truthy(v)), err
}

func (c *aggConst) print(dst []byte) []byte {
	switch c.v.Type {
	case doc.TypeObject, doc.TypeArray, doc.TypeString:
		return append(c.v.AppendCanonical(append(dst, `{"$literal":`...)), '}')
	}
	return c.v.AppendCanonical(dst)
}

func (aggRoot) print(dst []byte) []byte { return append(dst, `"$$ROOT"`...) }

func (p *aggPath) print(dst []byte) []byte { return doc.AppendQuoted(dst, "$"+p.text) }

func (c *aggCall) print(dst []byte) []byte {
	dst = append(doc.AppendQuoted(append(dst, '{'), c.name), ':')
	return append(printItems(dst, c.args), '}')
}

func (a *aggArray) print(dst []byte) []byte { return printItems(dst, a.items) }

func printItems(dst []byte, items []aggExpr) []byte {
	dst = append(dst, '[')
	for i, x := range items {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = x.print(dst)
	}
	return append(dst, ']')
}

func (o *aggObject) print(dst []byte) []byte {
	dst = append(dst, '{')
	for i, x := range o.items {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = x.print(append(doc.AppendQuoted(dst, o.keys[i]), ':'))
	}
	return append(dst, '}')
}

// fold applies a two-sided operator along all arguments.
func fold(name string) func(c *aggCall, args []doc.Value) (doc.Value, error) {
	return func(_ *aggCall, args []doc.Value) (doc.Value, error) {
		v := doc.NumberFromInt64(int64(b2i(name == "$multiply")))
		for _, x := range args {
			var err error
			if v, err = Arithmetic(name, v, x); err != nil || v.IsNull() {
				return v, err
			}
		}
		return v, nil
	}
}

func arithmetic(c *aggCall, args []doc.Value) (doc.Value, error) {
	return Arithmetic(c.name, args[0], args[1])
}

// decimals is the arithmetic of decimal128, wide enough for 34 digits.
var decimals = apd.Context{Precision: 34, MaxExponent: 6144, MinExponent: -6143, Rounding: apd.RoundHalfEven}

// Arithmetic is $add, $subtract, $multiply, $divide or $mod of two values: integers as int64 (a double when that is not
// enough), with a decimal among them exactly to 34 digits, else as doubles. A date plus or minus a number is a date, a date
// minus a date milliseconds. Null or missing makes null; other types are an error naming the operator.
func Arithmetic(op string, a, b doc.Value) (doc.Value, error) {
	if isNullish(a) || isNullish(b) {
		return doc.Null(), nil
	}
	if a.IsDate() || b.IsDate() {
		return dateArithmetic(op, a, b)
	}
	for _, v := range []doc.Value{a, b} {
		if !v.IsNumber() {
			return doc.Value{}, invalid("%s needs numbers, found %s", op, article(v))
		}
	}
	if isDecimal(a) || isDecimal(b) {
		return decimalArithmetic(op, a, b)
	}
	if a.Type != doc.TypeDouble && b.Type != doc.TypeDouble && op != "$divide" {
		x, _ := a.Int64()
		y, _ := b.Int64()
		if v, ok, err := intArithmetic(op, x, y); ok || err != nil {
			return v, err
		}
	}
	x, _ := a.Float64()
	y, _ := b.Float64()
	return floatArithmetic(op, x, y)
}

func isDecimal(v doc.Value) bool { return v.Type == doc.TypeDecimal128 || v.Type == doc.TypeBinary }

func intArithmetic(op string, x, y int64) (v doc.Value, ok bool, err error) {
	r := int64(0)
	switch op {
	case "$add":
		r = x + y
		ok = (r > x) == (y > 0)
	case "$subtract":
		r = x - y
		ok = (r < x) == (y > 0)
	case "$multiply":
		r = x * y
		ok = x == 0 || r/x == y && !(x == -1 && y == math.MinInt64)
	case "$mod":
		if y == 0 {
			return v, false, divideByZero(op)
		}
		ok = true
		if y != -1 {
			r = x % y
		}
	}
	if !ok {
		return v, false, nil
	}
	return doc.NumberFromInt64(r), true, nil
}

func divideByZero(op string) error { return invalid("%s cannot divide by 0", op) }

func floatArithmetic(op string, x, y float64) (doc.Value, error) {
	switch op {
	case "$add":
		return doc.Double(x + y), nil
	case "$subtract":
		return doc.Double(x - y), nil
	case "$multiply":
		return doc.Double(x * y), nil
	}
	if y == 0 {
		return doc.Value{}, divideByZero(op)
	}
	if op == "$divide" {
		return doc.Double(x / y), nil
	}
	return doc.Double(math.Mod(x, y)), nil
}

func decimalArithmetic(op string, a, b doc.Value) (doc.Value, error) {
	var x, y, r apd.Decimal
	a.Decimal(&x)
	b.Decimal(&y)
	var err error
	switch op {
	case "$add":
		_, err = decimals.Add(&r, &x, &y)
	case "$subtract":
		_, err = decimals.Sub(&r, &x, &y)
	case "$multiply":
		_, err = decimals.Mul(&r, &x, &y)
	default:
		if y.Form == apd.Finite && y.IsZero() {
			return doc.Value{}, divideByZero(op)
		}
		if op == "$divide" {
			_, err = decimals.Quo(&r, &x, &y)
		} else {
			_, err = decimals.Rem(&r, &x, &y)
		}
	}
	if err != nil {
		return doc.Value{}, invalid("%s of %s and %s is out of range", op, a.Canonical(), b.Canonical())
	}
	return doc.Decimal128(&r)
}

func dateArithmetic(op string, a, b doc.Value) (doc.Value, error) {
	x, dateA := a.Micros()
	y, dateB := b.Micros()
	switch {
	case op == "$subtract" && dateA && dateB:
		return doc.NumberFromInt64(x/1000 - y/1000), nil
	case op == "$add" && dateA != dateB && (a.IsNumber() || b.IsNumber()), op == "$subtract" && dateA && b.IsNumber():
		n, date := b, a
		if dateB {
			n, date = a, b
		}
		f, _ := n.Float64()
		us, _ := date.Micros()
		if op == "$subtract" {
			f = -f
		}
		if sum := float64(us) + f*1000; math.IsNaN(sum) || math.Abs(sum) >= math.MaxInt64 {
			return doc.Value{}, invalid("%s gives a date out of range", op)
		}
		return doc.Micros(us + int64(math.Round(f))*1000), nil
	}
	return doc.Value{}, invalid("%s does not take %s and %s", op, article(a), article(b))
}

// rounding is $abs, $ceil, $floor and $trunc; integers stay as they are.
func rounding(c *aggCall, args []doc.Value) (doc.Value, error) {
	v := args[0]
	switch {
	case isNullish(v):
		return doc.Null(), nil
	case !v.IsNumber():
		return doc.Value{}, invalid("%s in $expr needs a number, found %s", c.name, article(v))
	case isDecimal(v):
		return roundDecimal(c.name, v)
	case v.Type == doc.TypeDouble:
		f, _ := v.Float64()
		return doc.Double(map[string]func(float64) float64{"$abs": math.Abs, "$ceil": math.Ceil, "$floor": math.Floor, "$trunc": math.Trunc}[c.name](f)), nil
	}
	if i, _ := v.Int64(); c.name == "$abs" && i < 0 {
		if i == math.MinInt64 {
			return doc.Double(-float64(i)), nil
		}
		return doc.NumberFromInt64(-i), nil
	}
	return v, nil
}

func roundDecimal(name string, v doc.Value) (doc.Value, error) {
	var x, r apd.Decimal
	v.Decimal(&x)
	if x.Form != apd.Finite {
		x.Negative = x.Negative && name != "$abs"
		return doc.Decimal128(&x)
	}
	c := decimals
	var err error
	switch name {
	case "$abs":
		r.Abs(&x)
	case "$ceil":
		_, err = c.Ceil(&r, &x)
	case "$floor":
		_, err = c.Floor(&r, &x)
	default:
		c.Rounding = apd.RoundDown
		_, err = c.RoundToIntegralValue(&r, &x)
	}
	if err != nil {
		return doc.Value{}, invalid("%s of %s is out of range", name, v.Canonical())
	}
	return doc.Decimal128(&r)
}
