package jsonpath

import (
	"bytes"
	"errors"

	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/typeio/jsonpath"
)

// truth is the value of a predicate.
type truth int8

const (
	no truth = iota
	yes
	unknown
)

func truthOf(b bool) truth {
	if b {
		return yes
	}
	return no
}

// json is the item that a predicate gives as a value.
func (t truth) json() doc.Value {
	if t == unknown {
		return doc.Null()
	}
	return doc.Bool(t == yes)
}

// truth evaluates a predicate. SQL/JSON errors inside make it unknown; the error it gives is any other.
func (r *run) truth(n *jsonpath.Node, it item) (truth, error) {
	switch n.Op {
	case jsonpath.And, jsonpath.Or:
		return r.logic(n, it)
	case jsonpath.Not:
		t, err := r.truth(n.Left, it)
		if err == nil && t != unknown {
			t = 1 - t
		}
		return t, err
	case jsonpath.IsUnknown:
		t, err := r.truth(n.Left, it)
		return truthOf(t == unknown), err
	case jsonpath.Exists:
		return r.exists(n, it)
	case jsonpath.LikeRegex:
		return r.each(n, it, func(left, _ item) (truth, error) { return r.like(n, left) })
	case jsonpath.StartsWith:
		return r.each(n, it, startsWith)
	}
	return r.each(n, it, func(left, right item) (truth, error) { return r.compare(n.Op, left, right) })
}

func (r *run) logic(n *jsonpath.Node, it item) (truth, error) {
	decided, neutral := no, yes // of And
	if n.Op == jsonpath.Or {
		decided, neutral = yes, no
	}
	left, err := r.truth(n.Left, it)
	if err != nil || left == decided {
		return left, err
	}
	right, err := r.truth(n.Right, it)
	if err != nil || right != neutral {
		return right, err
	}
	return left, nil
}

// quiet evaluates without showing SQL/JSON errors; ok is false when there was one.
func (r *run) quiet(f func() error) (ok bool, err error) {
	old := r.throw
	r.throw = false
	err = f()
	r.throw = old
	if errors.Is(err, errSoft) {
		return false, nil
	}
	return err == nil, err
}

func (r *run) exists(n *jsonpath.Node, it item) (truth, error) {
	var got []item
	list := &got
	if r.lax { // strict mode wants the whole list, to know that there are no errors in it
		list = nil
	}
	found := false
	ok, err := r.quiet(func() (err error) {
		found, err = r.walk(n.Left, it, list)
		return err
	})
	if err != nil || !ok {
		return unknown, err
	}
	return truthOf(found || len(got) > 0), nil
}

// each tests every pair of the operands' items: lax mode looks for one that fits, strict mode wants no pair to be unknown.
func (r *run) each(n *jsonpath.Node, it item, test func(left, right item) (truth, error)) (truth, error) {
	var left, right []item
	ok, err := r.quiet(func() (err error) {
		if left, err = r.operand(n.Left, it, true); err != nil || n.Right == nil {
			return err
		}
		right, err = r.operand(n.Right, it, n.Op != jsonpath.StartsWith)
		return err
	})
	if err != nil || !ok {
		return unknown, err
	}
	if n.Right == nil {
		right = []item{{}}
	}
	result := no
	failed := false
	for _, a := range left {
		for _, b := range right {
			t, err := test(a, b)
			switch {
			case err != nil:
				return unknown, err
			case t == unknown && !r.lax, t == yes && r.lax:
				return t, nil
			case t == unknown:
				failed = true
			case t == yes:
				result = yes
			}
		}
	}
	if result == no && failed {
		return unknown, nil
	}
	return result, nil
}

func isNumber(x item) bool { return x.moment == nil && x.IsNumber() }

func stringOf(x item) ([]byte, bool) {
	if x.moment != nil {
		return nil, false
	}
	return x.StringBytes()
}

func startsWith(whole, start item) (truth, error) {
	w, ok1 := stringOf(whole)
	s, ok2 := stringOf(start)
	if !ok1 || !ok2 {
		return unknown, nil
	}
	return truthOf(bytes.HasPrefix(w, s)), nil
}

func (r *run) like(n *jsonpath.Node, x item) (truth, error) {
	s, ok := stringOf(x)
	if !ok {
		return unknown, nil
	}
	m, err := r.prog.patterns[n].Match(string(s))
	return truthOf(m), err
}

// compare compares two items. Null is comparable with everything, other types only with their own.
func (r *run) compare(op jsonpath.Op, a, b item) (truth, error) {
	if a.moment != nil && b.moment != nil {
		c, ok, err := r.compareMoments(a.moment, b.moment)
		if err != nil || !ok {
			return unknown, err
		}
		return holds(op, c), nil
	}
	if a.moment != nil || b.moment != nil {
		if a.moment == nil && a.IsNull() || b.moment == nil && b.IsNull() {
			return truthOf(op == jsonpath.NotEqual), nil
		}
		return unknown, nil
	}
	ta, tb := typeName(a), typeName(b)
	switch {
	case ta != tb && (a.IsNull() || b.IsNull()):
		return truthOf(op == jsonpath.NotEqual), nil
	case ta != tb || container(a.Value):
		return unknown, nil
	case ta == "number":
		c, ok := doc.CompareNumbers(a.Value, b.Value)
		if !ok {
			return unknown, nil
		}
		return holds(op, c), nil
	}
	if ta == "string" {
		x, _ := a.StringBytes()
		y, _ := b.StringBytes()
		return holds(op, bytes.Compare(x, y)), nil
	}
	return holds(op, doc.Compare(a.Value, b.Value)), nil
}

func holds(op jsonpath.Op, c int) truth {
	switch op {
	case jsonpath.Equal:
		return truthOf(c == 0)
	case jsonpath.NotEqual:
		return truthOf(c != 0)
	case jsonpath.Less:
		return truthOf(c < 0)
	case jsonpath.LessEqual:
		return truthOf(c <= 0)
	case jsonpath.Greater:
		return truthOf(c > 0)
	}
	return truthOf(c >= 0)
}
