package filter

import (
	"bytes"
	"math"
	"slices"

	"github.com/omgdb/omgdb/storage/doc"
)

// compileTest prepares a test for matching.
func compileTest(t Test) (tester, error) {
	switch t := t.(type) {
	case *Compare:
		return newCompareTester(t), nil
	case *In:
		return newInTester(t), nil
	case *Regex:
		return regexTester{t}, nil
	case *Exists:
		return existsTester{}, nil
	case *Types:
		return typesTester{t}, nil
	case *Size:
		return sizeTester{int(min(t.N, math.MaxInt))}, nil
	case *Mod:
		return modTester{t.Div, t.Rem}, nil
	case *ElemMatch:
		n, err := compileNode(t.Filter)
		return elemMatchTester{n}, err
	case *ElemTest:
		list, err := compileTests(t.Tests)
		return elemTester{list}, err
	case *NotTest:
		list, err := compileTests(t.Tests)
		return notTester{list}, err
	}
	return nil, unknownNode(t)
}

func compileTests(tests []Test) ([]tester, error) {
	list := make([]tester, len(tests))
	for i, t := range tests {
		var err error
		if list[i], err = compileTest(t); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// elements is embedded by tests that look at an array's elements and at the array.
type elements struct{}

func (elements) whole() bool { return false }

// compareTester is $eq, $gt … with the operand's class known.
type compareTester struct {
	elements
	op     CmpOp
	value  doc.Value
	class  doc.Class
	isNaN  bool
	simple bool // equality of a type that equal bytes decide
	number exactNumber
}

func newCompareTester(c *Compare) *compareTester {
	t := &compareTester{op: c.Op, value: c.Value, class: c.Value.Class(), number: newExactNumber(c.Value)}
	t.isNaN = isNaN(c.Value)
	t.simple = c.Op == EQ && (c.Value.Type == doc.TypeString || c.Value.Type == doc.TypeObjectID || c.Value.Type == doc.TypeBool)
	return t
}

func isNaN(v doc.Value) bool {
	if v.Type != doc.TypeDouble && v.Type != doc.TypeDecimal128 {
		return false
	}
	f, _ := v.Float64()
	return math.IsNaN(f)
}

func (t *compareTester) one(v doc.Value) (bool, error) {
	if t.simple && v.Type == t.value.Type {
		return bytes.Equal(v.Data, t.value.Data), nil
	}
	if c, ok := t.number.compare(v); ok {
		return t.op.holds(c), nil
	}
	return t.compare(v), nil
}

// exactNumber is a constant that compares with most numbers as a float64.
type exactNumber struct {
	f  float64
	ok bool
}

func newExactNumber(v doc.Value) exactNumber {
	f, ok := v.ExactFloat()
	return exactNumber{f, ok && f == f}
}

// compare gives the order of v and the constant (-1, 0, 1) when float64 decides it; NaN is left to the slow way.
func (n *exactNumber) compare(v doc.Value) (c int, ok bool) {
	if !n.ok {
		return 0, false
	}
	f, ok := v.ExactFloat()
	switch {
	case !ok || f != f:
		return 0, false
	case f < n.f:
		return -1, true
	case f > n.f:
		return 1, true
	}
	return 0, true
}

func (t *compareTester) compare(v doc.Value) bool {
	class := v.Class()
	if class != t.class {
		return t.otherClass(class)
	}
	if class == doc.ClassNumber && (t.isNaN || isNaN(v)) { // NaN equals NaN and has no place among the others
		return t.isNaN && isNaN(v) && (t.op == EQ || t.op == LE || t.op == GE)
	}
	if t.op == EQ {
		return doc.EqualBSON(v, t.value)
	}
	return t.op.holds(doc.CompareBSON(v, t.value))
}

// otherClass: null stands for a missing value; MinKey and MaxKey are below and above every other class.
func (t *compareTester) otherClass(class doc.Class) bool {
	switch t.class {
	case doc.ClassNull:
		return (class == doc.ClassMissing || class == doc.ClassUndefined) && (t.op == EQ || t.op == LE || t.op == GE)
	case doc.ClassMinKey:
		return t.op == GT || t.op == GE
	case doc.ClassMaxKey:
		return t.op == LT || t.op == LE
	}
	return false
}

// inTester is $in: the values sorted, so that long lists are searched by halves.
type inTester struct {
	elements
	sorted  []doc.Value
	null    bool
	regexes []*Regex
}

func newInTester(in *In) *inTester {
	t := &inTester{sorted: slices.Clone(in.Values), regexes: in.Regexes}
	slices.SortFunc(t.sorted, doc.CompareBSON)
	t.sorted = slices.CompactFunc(t.sorted, func(a, b doc.Value) bool { return doc.CompareBSON(a, b) == 0 })
	t.null = slices.ContainsFunc(t.sorted, doc.Value.IsNull)
	return t
}

func (t *inTester) one(v doc.Value) (bool, error) {
	if c := v.Class(); c == doc.ClassMissing || c == doc.ClassUndefined {
		return t.null, nil
	}
	if _, found := slices.BinarySearchFunc(t.sorted, v, doc.CompareBSON); found {
		return true, nil
	}
	for _, r := range t.regexes {
		if ok, err := r.match(v); ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}

type regexTester struct{ r *Regex }

func (regexTester) whole() bool                     { return false }
func (t regexTester) one(v doc.Value) (bool, error) { return t.r.match(v) }

type existsTester struct{ elements }

func (existsTester) one(v doc.Value) (bool, error) { return !v.Missing(), nil }

type typesTester struct{ t *Types }

func (typesTester) whole() bool                     { return false }
func (t typesTester) one(v doc.Value) (bool, error) { return !v.Missing() && t.t.has(v), nil }

type sizeTester struct{ n int }

func (sizeTester) whole() bool { return true }

func (t sizeTester) one(v doc.Value) (bool, error) {
	if v.Class() != doc.ClassArray {
		return false, nil
	}
	return v.Plain().Len() == t.n, nil
}

type modTester struct{ div, rem int64 }

func (modTester) whole() bool { return false }

func (t modTester) one(v doc.Value) (bool, error) {
	if v.Class() != doc.ClassNumber {
		return false, nil
	}
	i, ok := truncated(v)
	if !ok {
		return false, nil
	}
	if t.div == -1 { // the smallest int64 has no positive
		return t.rem == 0, nil
	}
	return i%t.div == t.rem, nil
}

// elemMatchTester tries a filter on an array's elements that are objects, or arrays taken as objects by position.
type elemMatchTester struct{ n node }

func (elemMatchTester) whole() bool { return true }

func (t elemMatchTester) one(v doc.Value) (bool, error) {
	if v.Class() != doc.ClassArray {
		return false, nil
	}
	for e := v.Plain().Elements(); ; {
		_, x, ok := e.Next()
		if !ok {
			return false, nil
		}
		if x.Doc() == nil {
			continue
		}
		if r, err := t.n.eval(x.Doc()); r == True || err != nil {
			return r == True, err
		}
	}
}

// elemTester tries tests on each element of an array.
type elemTester struct{ tests []tester }

func (elemTester) whole() bool { return true }

func (t elemTester) one(v doc.Value) (bool, error) {
	if v.Class() != doc.ClassArray {
		return false, nil
	}
	for e := v.Plain().Elements(); ; {
		_, x, ok := e.Next()
		if !ok {
			return false, nil
		}
		if ok, err := allPass(t.tests, x); ok || err != nil {
			return ok, err
		}
	}
}

type notTester struct{ tests []tester }

func (notTester) whole() bool { return true }

func (t notTester) one(v doc.Value) (bool, error) {
	ok, err := allPass(t.tests, v)
	return !ok, err
}

func allPass(tests []tester, v doc.Value) (bool, error) {
	for _, t := range tests {
		if ok, err := t.one(v); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}
