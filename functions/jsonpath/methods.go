package jsonpath

import (
	"math"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/typeio/jsonpath"
	"github.com/omgdb/omgdb/storage/typeio/num"
	"github.com/omgdb/omgdb/storage/value"
)

// typeName is what .type() says.
func typeName(x item) string {
	switch {
	case x.moment != nil:
		return x.moment.typ.SQL
	case x.IsNull():
		return "null"
	case x.IsNumber():
		return "number"
	case x.IsArray():
		return "array"
	case x.Type == doc.TypeBool:
		return "boolean"
	case x.IsObject():
		return "object"
	}
	return "string"
}

// method applies an item method; arrays have been unwrapped for those that want no array.
func (r *run) method(n *jsonpath.Node, it item, out *[]item) (bool, error) {
	var res item
	var err error
	switch n.Op {
	case jsonpath.Type:
		res = item{Value: doc.String(typeName(it))}
	case jsonpath.Size:
		size := 1
		if it.IsArray() {
			size = it.Len()
		} else if !r.lax {
			if r.ignore {
				return false, nil
			}
			return false, r.fail(dberr.SQLJSONArrayNotFound, "jsonpath item method .%s() can only be applied to an array", "size")
		}
		res = item{Value: doc.NumberFromInt64(int64(size))}
	case jsonpath.Double:
		res, err = r.double(it)
	case jsonpath.KeyValue:
		return r.keyValue(n, it, out)
	case jsonpath.Datetime:
		res, err = r.datetime(n, it)
	default:
		res, err = r.rounded(n, it)
	}
	if err != nil {
		return false, err
	}
	return r.next(n, res, out)
}

var roundings = map[jsonpath.Op]func(d *num.Dec) (*num.Dec, error){
	jsonpath.Ceiling: num.Ceil, jsonpath.Floor: num.Floor,
	jsonpath.Abs: func(d *num.Dec) (*num.Dec, error) { return num.Abs(d), nil },
}

func (r *run) rounded(n *jsonpath.Node, it item) (item, error) {
	if !isNumber(it) {
		return item{}, r.fail(dberr.NonNumericSQLJSONItem, "jsonpath item method .%s() can only be applied to a numeric value", n.Op.Method())
	}
	d, err := roundings[n.Op](numeric(it.Value))
	if err != nil {
		return item{}, r.soft(err)
	}
	res, err := number(d)
	return res, r.soft(err)
}

// double is .double(): a number stays what it is when a double can hold it, a string is read as one.
func (r *run) double(it item) (item, error) {
	if isNumber(it) {
		if f, ok := num.Float(numeric(it.Value), 64); !ok || math.IsInf(f, 0) || math.IsNaN(f) {
			return item{}, r.fail(dberr.NonNumericSQLJSONItem, "numeric argument of jsonpath item method .%s() is out of range for type double precision", "double")
		}
		return it, nil
	}
	s, ok := stringOf(it)
	if !ok {
		return item{}, r.fail(dberr.NonNumericSQLJSONItem, "jsonpath item method .%s() can only be applied to a string or numeric value", "double")
	}
	v, err := typeio.In(value.Float8, -1, string(s), nil)
	if err != nil || math.IsInf(v.Float(), 0) || math.IsNaN(v.Float()) {
		return item{}, r.fail(dberr.NonNumericSQLJSONItem, "string argument of jsonpath item method .%s() is not a valid representation of a double precision number", "double")
	}
	res, err := number(num.FromFloat(v.Float(), 64))
	return res, r.soft(err)
}

// keyValue is .keyvalue(): an object {key, value, id} for each member.
func (r *run) keyValue(n *jsonpath.Node, it item, out *[]item) (bool, error) {
	if !it.IsObject() {
		return false, r.fail(dberr.SQLJSONObjectNotFound, "jsonpath item method .%s() can only be applied to an object", "keyvalue")
	}
	if it.Len() == 0 {
		return false, nil
	}
	if n.Next == nil && out == nil {
		return true, nil
	}
	id := doc.NumberFromInt64(r.objectID(it.Value))
	found := false
	for _, m := range members(it.Value) {
		var b doc.Builder
		b.Canonical = true
		b.BeginObject()
		b.Key("key")
		b.StringBytes(m.key)
		b.Key("value")
		b.Append(m.val)
		b.Key("id")
		b.Append(id)
		b.End()
		v, err := b.Value()
		if err != nil {
			return false, err
		}
		old := r.base
		r.base = base{of: v, id: r.lastID}
		r.lastID++
		ok, err := r.next(n, item{Value: v}, out)
		r.base = old
		if err != nil || ok && out == nil {
			return ok, err
		}
		found = found || ok
	}
	return found, nil
}
