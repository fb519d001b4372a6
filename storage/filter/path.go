package filter

import (
	"strconv"
	"strings"

	"github.com/omgdb/omgdb/storage/doc"
)

// mongoPath is a dotted path prepared for walking: MongoDB's rules of looking inside arrays.
//
// On its way the path enters objects by key. At an array it goes on into every element that is an object, and, where the next
// part is a number, also into the element at that position. Elements of nested arrays are entered by position only. Where a
// part leads nowhere inside an object or scalar the value is missing; elements of an array that are not objects give nothing.
type mongoPath []part

type part struct {
	find  doc.KeyFinder
	index int // as an array position, -1 when the part is not a number
}

func newMongoPath(path string) mongoPath {
	names := strings.Split(path, ".")
	p := make(mongoPath, len(names))
	for i, n := range names {
		p[i] = part{doc.NewKeyFinder(n), arrayPosition(n)}
	}
	return p
}

// arrayPosition reads a path part as an array position: decimal digits as the position is printed.
func arrayPosition(s string) int {
	i, err := strconv.Atoi(s)
	if err != nil || i < 0 || strconv.Itoa(i) != s {
		return -1
	}
	return i
}

// tester is a compiled Test.
type tester interface {
	// one tests a single value; it may be missing.
	one(v doc.Value) (bool, error)
	// whole tells that an array at the end of a path is tested only as a whole, not element by element.
	whole() bool
}

// any reports whether some value that the path leads to passes.
func (p mongoPath) any(raw []byte, t tester) (bool, error) {
	for {
		v := p[0].find.Find(raw)
		p = p[1:]
		if len(p) == 0 {
			return testLeaf(v, t)
		}
		switch v.Type {
		case doc.TypeObject:
			raw = v.Data
		case doc.TypeArray:
			return p.inArray(v, t)
		default:
			if v.Class() == doc.ClassArray {
				return p.inArray(v.Plain(), t)
			}
			return t.one(doc.Value{})
		}
	}
}

// inArray goes on into an array; p is what remains of the path.
func (p mongoPath) inArray(v doc.Value, t tester) (bool, error) {
	e := v.Elements()
	for i := 0; ; i++ {
		_, x, ok := e.Next()
		if !ok {
			return false, nil
		}
		if x.Type == doc.TypeObject {
			if ok, err := p.any(x.Data, t); ok || err != nil {
				return ok, err
			}
		}
		if p[0].index != i {
			continue
		}
		if ok, err := p.position(x, t); ok || err != nil {
			return ok, err
		}
	}
}

// position takes x as the element that the first part names by position.
func (p mongoPath) position(x doc.Value, t tester) (bool, error) {
	switch {
	case len(p) == 1:
		return t.one(x)
	case x.Type == doc.TypeObject:
		return p[1:].any(x.Data, t)
	case x.Type == doc.TypeArray:
		return p[1:].inArray(x, t)
	}
	return false, nil
}

// testLeaf tests the value at the end of a path: an array's elements, then the array itself.
func testLeaf(v doc.Value, t tester) (bool, error) {
	if v.Class() != doc.ClassArray {
		return t.one(v)
	}
	v = v.Plain()
	if !t.whole() {
		for e := v.Elements(); ; {
			_, x, ok := e.Next()
			if !ok {
				break
			}
			if ok, err := t.one(x); ok || err != nil {
				return ok, err
			}
		}
	}
	return t.one(v)
}
