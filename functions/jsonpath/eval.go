package jsonpath

import (
	"slices"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/typeio/jsonpath"
)

// item is one SQL/JSON item: a JSON value, or what datetime() made of a string.
type item struct {
	doc.Value
	moment *moment
}

// errSoft is any SQL/JSON error where errors are not shown: in predicates, and under the silent flag. Errors with a message are only
// made where somebody will see them.
var errSoft = &dberr.Error{Code: dberr.InternalError, Message: "jsonpath error"}

// run is one evaluation of a path.
//
// Results are appended to a list. A nil list asks only whether there are any: evaluation ends with the first one. The walk functions
// tell whether they found something.
type run struct {
	prog    *program
	format  *typeio.Format
	root    item
	current item
	vars    doc.Value
	lax     bool
	ignore  bool // structural errors give nothing
	throw   bool // SQL/JSON errors are shown
	zones   bool // the session's time zone may be used
	size    int  // of the innermost array with subscripts, -1 outside of them
	base    base // what keyvalue's ids count from
	lastID  int
	depth   int
}

// fail gives an SQL/JSON error.
func (r *run) fail(code, format string, args ...any) error {
	if !r.throw {
		return errSoft
	}
	return dberr.New(code, format, args...)
}

// soft hides an error of an operation on values where errors are not shown.
func (r *run) soft(err error) error {
	if err == nil || r.throw {
		return err
	}
	return errSoft
}

// walk applies a step, in lax mode to the elements of arrays where the step wants no array.
func (r *run) walk(n *jsonpath.Node, it item, out *[]item) (bool, error) {
	return r.step(n, it, out, r.lax)
}

// next passes an item on to the following step, or to the results.
func (r *run) next(n *jsonpath.Node, it item, out *[]item) (bool, error) {
	if n.Next != nil {
		return r.walk(n.Next, it, out)
	}
	if out != nil {
		*out = append(*out, it)
	}
	return true, nil
}

// maxDepth bounds steps within steps: paths are bounded when they are read, documents when they are written.
const maxDepth = 20000

// step applies a step, to the elements of an array where it wants no array and unwrap is set.
func (r *run) step(n *jsonpath.Node, it item, out *[]item, unwrap bool) (bool, error) {
	if r.depth++; r.depth > maxDepth {
		return false, dberr.New(dberr.StatementTooComplex, "jsonpath is nested too deeply")
	}
	found, err := r.apply(n, it, out, unwrap)
	r.depth--
	return found, err
}

func (r *run) apply(n *jsonpath.Node, it item, out *[]item, unwrap bool) (bool, error) {
	switch {
	case n.Op <= jsonpath.Last:
		v, err := r.primary(n)
		if err != nil {
			return false, err
		}
		return r.rebased(n, v, out)
	case n.Op >= jsonpath.Add && n.Op <= jsonpath.Mod:
		return r.binary(n, it, out)
	case n.Op == jsonpath.Plus || n.Op == jsonpath.Minus:
		return r.unary(n, it, out)
	case n.Op <= jsonpath.LikeRegex:
		t, err := r.truth(n, it)
		if err != nil {
			return false, err
		}
		return r.next(n, item{Value: t.json()}, out)
	case n.Op == jsonpath.AnyElement:
		return r.anyElement(n, it, out)
	case n.Op == jsonpath.Subscripts:
		return r.subscripts(n, it, out)
	case n.Op == jsonpath.AnyDepth:
		return r.anyDepth(n, it, out)
	case n.Op == jsonpath.Type || n.Op == jsonpath.Size:
		return r.method(n, it, out)
	case unwrap && it.IsArray():
		return r.children(n, it, out, false)
	}
	switch n.Op {
	case jsonpath.Key:
		return r.key(n, it, out)
	case jsonpath.AnyKey:
		return r.anyKey(n, it, out)
	case jsonpath.Filter:
		return r.filter(n, it, out)
	}
	return r.method(n, it, out)
}

// rebased passes on the start of a path: ids of keyvalue count from it.
func (r *run) rebased(n *jsonpath.Node, it item, out *[]item) (bool, error) {
	if n.Op != jsonpath.Root && n.Op != jsonpath.Variable {
		return r.next(n, it, out)
	}
	old := r.base
	r.base = base{of: it.Value}
	if n.Op == jsonpath.Variable {
		r.base = base{of: r.vars, id: 1}
	}
	found, err := r.next(n, it, out)
	r.base = old
	return found, err
}

// primary gives what a path can start with.
func (r *run) primary(n *jsonpath.Node) (item, error) {
	switch n.Op {
	case jsonpath.Root:
		return r.root, nil
	case jsonpath.Current:
		return r.current, nil
	case jsonpath.Last:
		return item{Value: doc.NumberFromInt64(int64(r.size - 1))}, nil
	case jsonpath.Variable:
		v := r.vars.Step(doc.Key(n.Text))
		if v.Missing() {
			return item{}, dberr.New(dberr.UndefinedObject, `could not find jsonpath variable "%s"`, n.Text)
		}
		return item{Value: v.Plain()}, nil
	}
	return item{Value: r.prog.literals[n]}, nil
}

func (r *run) key(n *jsonpath.Node, it item, out *[]item) (bool, error) {
	if it.IsObject() {
		if v := it.Step(doc.Key(n.Text)); !v.Missing() {
			return r.next(n, item{Value: v.Plain()}, out)
		}
		if r.ignore {
			return false, nil
		}
		return false, r.fail(dberr.SQLJSONMemberNotFound, `JSON object does not contain key "%s"`, n.Text)
	}
	if r.ignore {
		return false, nil
	}
	return false, r.fail(dberr.SQLJSONMemberNotFound, "jsonpath member accessor can only be applied to an object")
}

func (r *run) anyKey(n *jsonpath.Node, it item, out *[]item) (bool, error) {
	switch {
	case it.IsObject():
		return r.children(n.Next, it, out, r.lax)
	case r.ignore:
		return false, nil
	}
	return false, r.fail(dberr.SQLJSONObjectNotFound, "jsonpath wildcard member accessor can only be applied to an object")
}

func (r *run) anyElement(n *jsonpath.Node, it item, out *[]item) (bool, error) {
	switch {
	case it.IsArray():
		return r.children(n.Next, it, out, r.lax)
	case r.lax:
		return r.next(n, it, out)
	case r.ignore:
		return false, nil
	}
	return false, r.fail(dberr.SQLJSONArrayNotFound, "jsonpath wildcard array accessor can only be applied to an array")
}

// children applies a step to all children of a container; without a step they are results.
func (r *run) children(step *jsonpath.Node, it item, out *[]item, unwrap bool) (bool, error) {
	found := false
	for _, v := range children(it.Value) {
		ok := true
		var err error
		if step != nil {
			ok, err = r.step(step, item{Value: v}, out, unwrap)
		} else if out != nil {
			*out = append(*out, item{Value: v})
		}
		if err != nil || ok && out == nil {
			return ok, err
		}
		found = found || ok
	}
	return found, nil
}

// children lists the values of a container, an object's in jsonb's order of keys.
func children(v doc.Value) []doc.Value {
	var keys [][]byte
	var out []doc.Value
	object, sorted := v.IsObject(), true
	for it := v.Elements(); ; {
		k, child, ok := it.Next()
		if !ok {
			break
		}
		if object {
			sorted = sorted && (len(keys) == 0 || doc.CompareKeys(keys[len(keys)-1], k) < 0)
			keys = append(keys, k)
		}
		out = append(out, child.Plain())
	}
	if sorted {
		return out
	}
	order := make([]int, len(out))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return doc.CompareKeys(keys[a], keys[b]) })
	moved := make([]doc.Value, len(out))
	for i, k := range order {
		moved[i] = out[k]
	}
	return moved
}

func container(v doc.Value) bool { return v.IsObject() || v.IsArray() }

func (r *run) filter(n *jsonpath.Node, it item, out *[]item) (bool, error) {
	old := r.current
	r.current = it
	t, err := r.truth(n.Left, it)
	r.current = old
	if err != nil || t != yes {
		return false, err
	}
	return r.next(n, it, out)
}

// anyDepth is **: the value itself is level 0.
func (r *run) anyDepth(n *jsonpath.Node, it item, out *[]item) (bool, error) {
	found := false
	if n.First == 0 {
		ok, err := r.lenient(func() (bool, error) { return r.next(n, it, out) })
		if err != nil || ok && out == nil {
			return ok, err
		}
		found = ok
	}
	ok, err := r.descend(n, it, out, 1)
	return found || ok, err
}

// lenient runs without structural errors.
func (r *run) lenient(f func() (bool, error)) (bool, error) {
	old := r.ignore
	r.ignore = true
	ok, err := f()
	r.ignore = old
	return ok, err
}

func (r *run) descend(n *jsonpath.Node, it item, out *[]item, level uint32) (bool, error) {
	if level > n.To || !container(it.Value) {
		return false, nil
	}
	leaves := n.First == jsonpath.Deepest && n.To == jsonpath.Deepest
	found := false
	for _, v := range children(it.Value) {
		child := item{Value: v}
		if level >= n.First || leaves && !container(v) {
			ok, err := r.lenient(func() (bool, error) { return r.next(n, child, out) })
			if err != nil || ok && out == nil {
				return ok, err
			}
			found = found || ok
		}
		if level < n.To {
			ok, err := r.descend(n, child, out, level+1)
			if err != nil || ok && out == nil {
				return ok, err
			}
			found = found || ok
		}
	}
	return found, nil
}

func (r *run) subscripts(n *jsonpath.Node, it item, out *[]item) (bool, error) {
	if !it.IsArray() && !r.lax {
		if r.ignore {
			return false, nil
		}
		return false, r.fail(dberr.SQLJSONArrayNotFound, "jsonpath array accessor can only be applied to an array")
	}
	elems := []doc.Value{it.Value}
	if it.IsArray() {
		elems = children(it.Value)
	}
	old := r.size
	defer func() { r.size = old }()
	r.size = len(elems)
	found := false
	for _, s := range n.Subs {
		from, err := r.index(s.From, it)
		to := from
		if err == nil && s.To != nil {
			to, err = r.index(s.To, it)
		}
		if err != nil {
			return false, err
		}
		if !r.ignore && (from < 0 || from > to || to >= len(elems)) {
			return false, r.fail(dberr.InvalidSQLJSONSubscript, "jsonpath array subscript is out of bounds")
		}
		for i := max(from, 0); i <= min(to, len(elems)-1); i++ {
			el := it
			if it.IsArray() {
				el = item{Value: elems[i]}
			}
			ok, err := r.next(n, el, out)
			if err != nil || ok && out == nil {
				return ok, err
			}
			found = found || ok
		}
	}
	return found, nil
}

// index computes a subscript.
func (r *run) index(n *jsonpath.Node, it item) (int, error) {
	var got []item
	if _, err := r.walk(n, it, &got); err != nil {
		return 0, err
	}
	if len(got) != 1 || !isNumber(got[0]) {
		return 0, r.fail(dberr.InvalidSQLJSONSubscript, "jsonpath array subscript is not a single numeric value")
	}
	i, ok := truncated(got[0].Value)
	if !ok {
		return 0, r.fail(dberr.InvalidSQLJSONSubscript, "jsonpath array subscript is out of integer range")
	}
	return i, nil
}

// operand evaluates what stands beside an operator: arrays give their elements in lax mode when unwrap.
func (r *run) operand(n *jsonpath.Node, it item, unwrap bool) ([]item, error) {
	var got []item
	if _, err := r.walk(n, it, &got); err != nil {
		return nil, err
	}
	if !unwrap || !r.lax || !slices.ContainsFunc(got, func(x item) bool { return x.IsArray() }) {
		return got, nil
	}
	var flat []item
	for _, x := range got {
		if !x.IsArray() {
			flat = append(flat, x)
			continue
		}
		for _, v := range children(x.Value) {
			flat = append(flat, item{Value: v})
		}
	}
	return flat, nil
}
