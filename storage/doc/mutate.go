package doc

import (
	"encoding/binary"
	"strconv"

	"github.com/omgdb/omgdb/storage/dberr"
)

// The changes of jsonb, with PostgreSQL's rules and errors. Each returns its argument itself when nothing changes, and
// otherwise new bytes in which every subtree that did not change keeps its bytes, types and key order. New keys go to
// the end of their object.

// PathArg is a text[] path argument of a jsonb function; an element may be NULL.
type PathArg []PathElem

// PathElem is one element of a PathArg.
type PathElem struct {
	Text string
	Null bool
}

// Texts makes a PathArg without NULLs.
func Texts(elems ...string) PathArg {
	p := make(PathArg, len(elems))
	for i, s := range elems {
		p[i].Text = s
	}
	return p
}

// pathOp says what happens at the end of a path.
type pathOp uint8

const (
	opReplace pathOp = iota // jsonb_set, create_if_missing false
	opCreate                // jsonb_set
	opBefore                // jsonb_insert
	opAfter                 // jsonb_insert, insert_after true
	opDelete                // #-
)

func (o pathOp) adds() bool { return o == opCreate || o == opBefore || o == opAfter }

func (o pathOp) inserts() bool { return o == opBefore || o == opAfter }

// SetPath is jsonb_set(v, path, new, create).
func SetPath(v Value, path PathArg, newValue Value, create bool) (Value, error) {
	v = v.Plain()
	if v.Doc() == nil {
		return Value{}, dberr.New(dberr.InvalidParameterValue, "cannot set path in scalar")
	}
	op := opReplace
	if create {
		op = opCreate
	} else if isEmpty(v) {
		return v, nil
	}
	return changePath(v, path, newValue, op)
}

// InsertPath is jsonb_insert(v, path, new, after).
func InsertPath(v Value, path PathArg, newValue Value, after bool) (Value, error) {
	v = v.Plain()
	if v.Doc() == nil {
		return Value{}, dberr.New(dberr.InvalidParameterValue, "cannot set path in scalar")
	}
	op := opBefore
	if after {
		op = opAfter
	}
	return changePath(v, path, newValue, op)
}

// DeletePath is v #- path.
func DeletePath(v Value, path PathArg) (Value, error) {
	v = v.Plain()
	if v.Doc() == nil {
		return Value{}, dberr.New(dberr.InvalidParameterValue, "cannot delete path in scalar")
	}
	if isEmpty(v) {
		return v, nil
	}
	return changePath(v, path, Value{}, opDelete)
}

func isEmpty(v Value) bool { return len(v.Data) == 5 }

func changePath(v Value, path PathArg, newValue Value, op pathOp) (Value, error) {
	if len(path) == 0 {
		return v, nil
	}
	if newValue.Missing() && op != opDelete {
		newValue = Null()
	}
	if op != opDelete && len(path)+depth(newValue) > MaxDepth {
		return Value{}, tooDeep()
	}
	c := change{path: path, value: newValue, op: op}
	out, _, err := c.at(v, 0)
	if err == nil && len(out.Data) > MaxValueSize {
		err = tooLarge(MaxValueSize)
	}
	return out, err
}

// change carries one path change down into a value.
type change struct {
	path  PathArg
	value Value
	op    pathOp
}

// at applies the change to the value at a level of the path; changed tells whether anything happened.
func (c *change) at(v Value, level int) (out Value, changed bool, err error) {
	if c.path[level].Null {
		return Value{}, false, dberr.New(dberr.NullValueNotAllowed, "path element at position %d is null", level+1)
	}
	plain := v
	if v.needsPlain() {
		plain = v.Plain()
	}
	if plain.Doc() == nil {
		return v, false, nil
	}
	if plain.Type == TypeObject {
		out, changed, err = c.inObject(plain, level)
	} else {
		out, changed, err = c.inArray(plain, level)
	}
	if err != nil || changed {
		return out, changed, err
	}
	return v, false, nil
}

func (c *change) inObject(v Value, level int) (Value, bool, error) {
	key, last := c.path[level].Text, level == len(c.path)-1
	e := v.Elements()
	for {
		start := e.pos
		k, old, ok := e.Next()
		if !ok {
			break
		}
		if string(k) != key {
			continue
		}
		if !last {
			sub, changed, err := c.at(old, level+1)
			if err != nil || !changed {
				return v, false, err
			}
			return splice(v, start, e.pos, key, sub), true, nil
		}
		switch {
		case c.op.inserts():
			return v, false, dberr.New(dberr.InvalidParameterValue, "cannot replace existing key").
				WithHint("Try using the function jsonb_set to replace key value.")
		case c.op == opDelete:
			return splice(v, start, e.pos, "", Value{}), true, nil
		}
		return splice(v, start, e.pos, key, c.value), true, nil
	}
	if last && c.op.adds() {
		end := len(v.Data) - 1
		return splice(v, end, end, key, c.value), true, nil
	}
	return v, false, nil
}

func (c *change) inArray(v Value, level int) (Value, bool, error) {
	text, last := c.path[level].Text, level == len(c.path)-1
	at, ok := textIndex(text)
	if !ok {
		return v, false, dberr.New(dberr.InvalidTextRepresentation, "path element at position %d is not an integer: \"%s\"", level+1, text)
	}
	n := v.Len()
	below := false
	if at < 0 {
		at += n
		below = at < 0
	}
	switch {
	case below || at >= n:
		if !last || !c.op.adds() {
			return v, false, nil
		}
		if below {
			at = 0
		}
		return arrayEdit(v, min(at, n), 0, c.value), true, nil
	case !last:
		sub, changed, err := c.at(v.At(at), level+1)
		if err != nil || !changed {
			return v, false, err
		}
		return arrayEdit(v, at, 1, sub), true, nil
	}
	switch c.op {
	case opDelete:
		return arrayEdit(v, at, 1), true, nil
	case opBefore:
		return arrayEdit(v, at, 0, c.value), true, nil
	case opAfter:
		return arrayEdit(v, at+1, 0, c.value), true, nil
	}
	return arrayEdit(v, at, 1, c.value), true, nil
}

// splice replaces the bytes [from, to) of a raw object by one element, or by nothing when the value is missing.
func splice(v Value, from, to int, key string, with Value) Value {
	out := make([]byte, 0, len(v.Data)-(to-from)+len(key)+len(with.Data)+2)
	out = append(out, v.Data[:from]...)
	if !with.Missing() {
		out = AppendElement(out, key, with)
	}
	out = append(out, v.Data[to:]...)
	binary.LittleEndian.PutUint32(out, uint32(len(out)))
	return Value{v.Type, out}
}

// arrayEdit replaces `drop` elements from position at on by others, and numbers the elements anew.
func arrayEdit(v Value, at, drop int, with ...Value) Value {
	size := len(v.Data) + 16
	for _, w := range with {
		size += len(w.Data) + 16
	}
	w := arrayWriter{buf: append(make([]byte, 0, size), 0, 0, 0, 0)}
	e := v.Elements()
	for i := 0; ; i++ {
		if i == at {
			for _, x := range with {
				w.append(x)
			}
		}
		_, x, ok := e.Next()
		if !ok {
			return w.value()
		}
		if i < at || i >= at+drop {
			w.append(x)
		}
	}
}

// WithMember gives an object with a member set: replaced in its place, or added at the end. The key must be free of zero bytes.
func WithMember(object Value, key string, v Value) Value {
	from, to := findMember(object, key)
	return splice(object, from, to, key, v)
}

// WithoutMember gives an object without a member, the object itself when it has none of that key.
func WithoutMember(object Value, key string) Value {
	from, to := findMember(object, key)
	if from == to {
		return object
	}
	return splice(object, from, to, "", Value{})
}

// findMember gives where a member stands, or the empty place before the final zero.
func findMember(object Value, key string) (from, to int) {
	e := object.Elements()
	for {
		from = e.pos
		k, _, ok := e.Next()
		if !ok {
			end := len(object.Data) - 1
			return end, end
		}
		if string(k) == key {
			return from, e.pos
		}
	}
}

// EditArray gives an array with `drop` elements from position at on replaced by others. Positions beyond the end add nothing:
// at must be within the array's length.
func EditArray(array Value, at, drop int, with ...Value) Value {
	return arrayEdit(array, at, drop, with...)
}

// Array makes an array of values.
func Array(elements ...Value) Value {
	return arrayEdit(Value{TypeArray, emptyDocument}, 0, 0, elements...)
}

// EmptyObject and EmptyArray are {} and [].
var (
	emptyDocument = []byte{5, 0, 0, 0, 0}
	EmptyObject   = Value{TypeObject, emptyDocument}
	EmptyArray    = Value{TypeArray, emptyDocument}
)

// arrayWriter appends elements to a raw array.
type arrayWriter struct {
	buf []byte
	n   int
}

func (w *arrayWriter) append(v Value) {
	w.buf = append(w.buf, v.Type)
	w.buf = append(strconv.AppendInt(w.buf, int64(w.n), 10), 0)
	w.buf = append(w.buf, v.Data...)
	w.n++
}

func (w *arrayWriter) appendAll(v Value) {
	for e := v.Elements(); ; {
		_, x, ok := e.Next()
		if !ok {
			return
		}
		w.append(x)
	}
}

func (w *arrayWriter) value() Value { return Value{TypeArray, endObject(w.buf, 0)} }

// DeleteKey is v - key: a key of an object, or every element of an array that is this string.
func DeleteKey(v Value, key string) (Value, error) { return DeleteKeys(v, []string{key}) }

// DeleteKeys is v - keys.
func DeleteKeys(v Value, keys []string) (Value, error) {
	v = v.Plain()
	if v.Doc() == nil {
		return Value{}, dberr.New(dberr.InvalidParameterValue, "cannot delete from scalar")
	}
	doomed := func(k []byte, x Value) bool {
		for _, key := range keys {
			if v.Type == TypeObject && string(k) == key || v.Type == TypeArray && isString(x, key) {
				return true
			}
		}
		return false
	}
	return deleteWhere(v, doomed), nil
}

// deleteWhere drops the elements that doomed points out.
func deleteWhere(v Value, doomed func(key []byte, x Value) bool) Value {
	any := false
	for e := v.Elements(); !any; {
		k, x, ok := e.Next()
		if !ok {
			return v
		}
		any = doomed(k, x)
	}
	w := arrayWriter{buf: append(make([]byte, 0, len(v.Data)), 0, 0, 0, 0)}
	for e := v.Elements(); ; {
		start := e.pos
		k, x, ok := e.Next()
		switch {
		case !ok:
			return Value{v.Type, endObject(w.buf, 0)}
		case doomed(k, x):
		case v.Type == TypeArray:
			w.append(x)
		default:
			w.buf = append(w.buf, v.Data[start:e.pos]...)
		}
	}
}

// DeleteIndex is v - i: the element at a position, counted from the end when negative.
func DeleteIndex(v Value, i int) (Value, error) {
	v = v.Plain()
	switch v.Type {
	case TypeObject:
		return Value{}, dberr.New(dberr.InvalidParameterValue, "cannot delete from object using integer index")
	case TypeArray:
	default:
		return Value{}, dberr.New(dberr.InvalidParameterValue, "cannot delete from scalar")
	}
	n := v.Len()
	if i < 0 {
		i += n
	}
	if i < 0 || i >= n {
		return v, nil
	}
	return arrayEdit(v, i, 1), nil
}

// Concat is a || b: two objects are merged, b's value winning; anything else is joined as arrays, a value that is no
// array counting as an array of itself.
func Concat(a, b Value) (Value, error) {
	pa, pb := a.Plain(), b.Plain()
	var out Value
	switch {
	case pa.Type == TypeObject && pb.Type == TypeObject:
		out = merge(pa, pb)
	case pa.Type == TypeArray && isEmpty(pa) && pb.Type == TypeArray:
		return b, nil
	case pb.Type == TypeArray && isEmpty(pb) && pa.Type == TypeArray:
		return a, nil
	default:
		w := arrayWriter{buf: append(make([]byte, 0, len(a.Data)+len(b.Data)+32), 0, 0, 0, 0)}
		for i, v := range []Value{pa, pb} {
			if v.Type == TypeArray {
				w.appendAll(v)
			} else if v = []Value{a, b}[i]; depth(v) >= MaxDepth {
				return Value{}, tooDeep()
			} else {
				w.append(v)
			}
		}
		out = w.value()
	}
	if len(out.Data) > MaxValueSize {
		return Value{}, tooLarge(MaxValueSize)
	}
	return out, nil
}

// merge puts b's members over a's: replaced in place, new ones at the end.
func merge(a, b Value) Value {
	if isEmpty(b) {
		return a
	}
	out := append(make([]byte, 0, len(a.Data)+len(b.Data)), 0, 0, 0, 0)
	for e := a.Elements(); ; {
		start := e.pos
		k, _, ok := e.Next()
		if !ok {
			break
		}
		if with := Doc(b.Data).lookupBytes(k); !with.Missing() {
			out = AppendElement(out, string(k), with)
			continue
		}
		out = append(out, a.Data[start:e.pos]...)
	}
	for e := b.Elements(); ; {
		start := e.pos
		k, _, ok := e.Next()
		if !ok {
			return Value{TypeObject, endObject(out, 0)}
		}
		if Doc(a.Data).lookupBytes(k).Missing() {
			out = append(out, b.Data[start:e.pos]...)
		}
	}
}

// StripNulls is jsonb_strip_nulls: members that are null go, at every depth; null elements of arrays stay.
func StripNulls(v Value) Value {
	if v.Doc() == nil || !hasNullMember(v) {
		return v
	}
	_, data := appendStripped(make([]byte, 0, len(v.Data)), v)
	return Value{v.Type, data}
}

func hasNullMember(v Value) bool {
	for e := v.Elements(); ; {
		_, x, ok := e.Next()
		if !ok {
			return false
		}
		if v.Type == TypeObject && x.IsNull() || x.Doc() != nil && hasNullMember(x) {
			return true
		}
	}
}

func appendStripped(dst []byte, v Value) (byte, []byte) {
	if v.Doc() == nil {
		return v.Type, append(dst, v.Data...)
	}
	dst, start := BeginDocument(dst)
	for e := v.Elements(); ; {
		k, x, ok := e.Next()
		if !ok {
			return v.Type, EndDocument(dst, start)
		}
		if v.Type == TypeObject && x.IsNull() {
			continue
		}
		dst = append(append(append(dst, x.Type), k...), 0)
		_, dst = appendStripped(dst, x)
	}
}

// depth counts the levels of objects and arrays of a value: 0 for a scalar.
func depth(v Value) int {
	if v.Doc() == nil {
		return 0
	}
	deepest := 0
	for e := v.Elements(); ; {
		_, x, ok := e.Next()
		if !ok {
			return deepest + 1
		}
		if x.Doc() != nil {
			deepest = max(deepest, depth(x))
		}
	}
}
