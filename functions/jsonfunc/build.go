package jsonfunc

import (
	"slices"
	"strconv"
	"strings"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

func sortMembers(m []member) {
	slices.SortStableFunc(m, func(a, b member) int { return doc.CompareKeys([]byte(a.key), []byte(b.key)) })
}

// toDoc converts any SQL value to jsonb's form (to_jsonb).
func toDoc(t *value.Type, v val, f *typeio.Format) (doc.Value, error) {
	if v.IsNull() {
		return doc.Null(), nil
	}
	t = typeio.Base(t)
	switch t.OID {
	case value.JSONB.OID:
		return typeio.Doc(v), nil
	case value.JSON.OID:
		return doc.ParseJSONB(v.Bytes())
	case value.Boolean.OID:
		return doc.Bool(v.Bool()), nil
	case value.Int2.OID, value.Int4.OID, value.Int8.OID:
		return doc.NumberFromInt64(v.Int()), nil
	case value.Float4.OID, value.Float8.OID, value.Numeric.OID:
		s := typeio.Text(t, v, f)
		if finite(s) {
			return doc.NumberFromText([]byte(s))
		}
		return doc.String(s), nil
	}
	switch {
	case t.OID == value.RecordType.OID || t.Class == value.Composite:
		return recordDoc(v.Box().(*value.Record), f)
	case v.Kind() == value.KindBox:
		if arr, ok := v.Box().(*value.Array); ok {
			return arrayDoc(arr, f)
		}
	}
	return doc.String(plainText(t, v, f)), nil
}

// finite tells whether the text of a number is one that JSON knows.
func finite(s string) bool { return !strings.ContainsAny(s, "NI") }

// plainText is the text of a value inside JSON: dates and times in ISO 8601 whatever the session's DateStyle.
func plainText(t *value.Type, v val, f *typeio.Format) string {
	switch t.OID {
	case value.Date.OID, value.Timestamp.OID, value.TimestampTZ.OID:
		iso := *f
		iso.DateStyle = typeio.StyleISO
		s := typeio.Text(t, v, &iso)
		if t.OID != value.Date.OID {
			s = strings.Replace(s, " ", "T", 1)
		}
		if t.OID == value.TimestampTZ.OID && len(s) > 3 && strings.ContainsAny(s[len(s)-3:len(s)-2], "+-") {
			s += ":00"
		}
		return s
	}
	return typeio.Text(t, v, f)
}

func arrayDoc(arr *value.Array, f *typeio.Format) (doc.Value, error) {
	elems := make([]doc.Value, len(arr.Elems))
	for i, e := range arr.Elems {
		d, err := toDoc(arr.Elem, e, f)
		if err != nil {
			return doc.Value{}, err
		}
		elems[i] = d
	}
	for k := len(arr.Dims) - 1; k > 0; k-- {
		n := int(arr.Dims[k].Len)
		outer := make([]doc.Value, 0, len(elems)/max(n, 1))
		for i := 0; i+n <= len(elems); i += n {
			outer = append(outer, doc.Array(elems[i:i+n]...))
		}
		elems = outer
	}
	return doc.Array(elems...), nil
}

func recordDoc(r *value.Record, f *typeio.Format) (doc.Value, error) {
	b := doc.Builder{Canonical: true}
	b.BeginObject()
	for i, fd := range r.Fields {
		d, err := toDoc(fd.Type, r.Vals[i], f)
		if err != nil {
			return doc.Value{}, err
		}
		b.Key(fd.Name)
		b.Append(d)
	}
	b.End()
	return b.Value()
}

// appendJSON writes any SQL value as type json does (to_json): PostgreSQL's spacing, json text unchanged.
func appendJSON(dst []byte, t *value.Type, v val, f *typeio.Format, newline string) ([]byte, error) {
	if v.IsNull() {
		return append(dst, "null"...), nil
	}
	t = typeio.Base(t)
	switch t.OID {
	case value.JSON.OID:
		return append(dst, v.Str()...), nil
	case value.JSONB.OID:
		return typeio.Doc(v).AppendJSONB(dst), nil
	case value.Boolean.OID:
		if v.Bool() {
			return append(dst, "true"...), nil
		}
		return append(dst, "false"...), nil
	case value.Int2.OID, value.Int4.OID, value.Int8.OID:
		return typeio.Append(dst, t, v, f), nil
	case value.Float4.OID, value.Float8.OID, value.Numeric.OID:
		s := typeio.Text(t, v, f)
		if finite(s) {
			return append(dst, s...), nil
		}
		return doc.AppendQuoted(dst, s), nil
	}
	if v.Kind() == value.KindBox {
		switch x := v.Box().(type) {
		case *value.Record:
			return appendRecord(dst, x, f, newline)
		case *value.Array:
			if t.Elem != nil {
				return appendArray(dst, x, x.Dims, f, newline)
			}
		}
	}
	return doc.AppendQuoted(dst, plainText(t, v, f)), nil
}

func appendArray(dst []byte, arr *value.Array, dims []value.Dim, f *typeio.Format, newline string) ([]byte, error) {
	if len(dims) == 0 {
		return append(dst, "[]"...), nil
	}
	var err error
	n := int(dims[0].Len)
	size := len(arr.Elems) / max(n, 1)
	dst = append(dst, '[')
	for i := range n {
		if i > 0 {
			dst = append(append(dst, ','), newline...)
		}
		if len(dims) > 1 {
			part := &value.Array{Elem: arr.Elem, Dims: dims[1:], Elems: arr.Elems[i*size : (i+1)*size]}
			dst, err = appendArray(dst, part, dims[1:], f, "")
		} else {
			dst, err = appendJSON(dst, arr.Elem, arr.Elems[i], f, "")
		}
		if err != nil {
			return nil, err
		}
	}
	return append(dst, ']'), nil
}

func appendRecord(dst []byte, r *value.Record, f *typeio.Format, newline string) ([]byte, error) {
	var err error
	dst = append(dst, '{')
	for i, fd := range r.Fields {
		if i > 0 {
			dst = append(append(dst, ','), newline...)
		}
		dst = append(doc.AppendQuoted(dst, fd.Name), ':')
		if dst, err = appendJSON(dst, fd.Type, r.Vals[i], f, ""); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

// build lists the functions that make JSON from SQL values.
func build() []def {
	return []def{
		{Sig: "to_json(anyelement)", Eval: with(toJSON)}, {Sig: "to_jsonb(anyelement)", Eval: with(toJSONB)},
		{Sig: "array_to_json(anyarray)", Eval: with(toJSON)}, {Sig: "array_to_json(anyarray,bool)", Eval: with(toPrettyJSON)},
		{Sig: "row_to_json(record)", Eval: with(toJSON)}, {Sig: "row_to_json(record,bool)", Eval: with(toPrettyJSON)},
		{Sig: "json_build_array(any)", Eval: with(buildArray)}, {Sig: "json_build_array()", Eval: with(buildArray)},
		{Sig: "json_build_object(any)", Eval: with(buildObject)}, {Sig: "json_build_object()", Eval: with(buildObject)},
		{Sig: "jsonb_build_array(any)", Eval: with(buildArrayB)}, {Sig: "jsonb_build_array()", Eval: with(buildArrayB)},
		{Sig: "jsonb_build_object(any)", Eval: with(buildObjectB)}, {Sig: "jsonb_build_object()", Eval: with(buildObjectB)},
		{Sig: "json_object(text[])", Eval: try(objectOfPairs)}, {Sig: "json_object(text[],text[])", Eval: try(objectOfLists)},
		{Sig: "jsonb_object(text[])", Eval: try(asJSONB(objectOfPairs))}, {Sig: "jsonb_object(text[],text[])", Eval: try(asJSONB(objectOfLists))},
	}
}

func toJSON(c *call, a []val) (val, error) {
	b, err := appendJSON(nil, c.Args[0], a[0], format(c), "")
	return value.Bytes(b), err
}

func toPrettyJSON(c *call, a []val) (val, error) {
	newline := ""
	if a[1].Bool() {
		newline = "\n "
	}
	b, err := appendJSON(nil, c.Args[0], a[0], format(c), newline)
	return value.Bytes(b), err
}

func toJSONB(c *call, a []val) (val, error) { return changed(toDoc(c.Args[0], a[0], format(c))) }

// noArray tells that the call says VARIADIC NULL.
func noArray(c *call, a []val) bool { return c.Variadic && len(a) == 1 && a[0].IsNull() }

// spread gives the arguments of a VARIADIC "any" call and their types: those written, or the elements of a VARIADIC array.
func spread(c *call, a []val) ([]val, []*value.Type) {
	if len(a) == 1 && c.Variadic && !a[0].IsNull() {
		arr := a[0].Box().(*value.Array)
		ts := make([]*value.Type, len(arr.Elems))
		for i := range ts {
			ts[i] = arr.Elem
		}
		return arr.Elems, ts
	}
	return a, c.Args
}

func buildArray(c *call, a []val) (val, error) {
	if noArray(c, a) {
		return value.Null, nil
	}
	var err error
	vals, ts := spread(c, a)
	out := []byte{'['}
	for i, v := range vals {
		if i > 0 {
			out = append(out, ", "...)
		}
		if out, err = appendJSON(out, ts[i], v, format(c), ""); err != nil {
			return value.Null, err
		}
	}
	return value.Bytes(append(out, ']')), nil
}

func buildArrayB(c *call, a []val) (val, error) {
	if noArray(c, a) {
		return value.Null, nil
	}
	vals, ts := spread(c, a)
	elems := make([]doc.Value, len(vals))
	for i, v := range vals {
		d, err := toDoc(ts[i], v, format(c))
		if err != nil {
			return value.Null, err
		}
		elems[i] = d
	}
	return typeio.JSONB(doc.Array(elems...)), nil
}

// keyText is the key that argument i makes.
func keyText(t *value.Type, v val, i int, f *typeio.Format) (string, error) {
	if v.IsNull() {
		return "", dberr.New(dberr.InvalidParameterValue, "argument %d cannot be null", i+1).WithHint("Object keys should be text.")
	}
	if t.IsArray() || t.Class == value.Composite || t.OID == value.RecordType.OID || t.OID == value.JSON.OID || t.OID == value.JSONB.OID {
		return "", dberr.New(dberr.InvalidParameterValue, "key value must be scalar, not array, composite, or json")
	}
	if typeio.Base(t).OID == value.Boolean.OID {
		return strconv.FormatBool(v.Bool()), nil
	}
	return typeio.Text(t, v, f), nil
}

func evenArguments(vals []val) error {
	if len(vals)%2 == 0 {
		return nil
	}
	return dberr.New(dberr.InvalidParameterValue, "argument list must have even number of elements").
		WithHint("The arguments of %s must consist of alternating keys and values.", "json_build_object()")
}

func buildObject(c *call, a []val) (val, error) {
	if noArray(c, a) {
		return value.Null, nil
	}
	vals, ts := spread(c, a)
	if err := evenArguments(vals); err != nil {
		return value.Null, err
	}
	out := []byte{'{'}
	for i := 0; i < len(vals); i += 2 {
		if i > 0 {
			out = append(out, ", "...)
		}
		key, err := keyText(ts[i], vals[i], i, format(c))
		if err != nil {
			return value.Null, err
		}
		out = append(doc.AppendQuoted(out, key), " : "...)
		if out, err = appendJSON(out, ts[i+1], vals[i+1], format(c), ""); err != nil {
			return value.Null, err
		}
	}
	return value.Bytes(append(out, '}')), nil
}

func buildObjectB(c *call, a []val) (val, error) {
	if noArray(c, a) {
		return value.Null, nil
	}
	vals, ts := spread(c, a)
	if len(vals)%2 != 0 {
		return value.Null, dberr.New(dberr.InvalidParameterValue, "argument list must have even number of elements").
			WithHint("The arguments of %s must consist of alternating keys and values.", "jsonb_build_object()")
	}
	b := doc.Builder{Canonical: true}
	b.BeginObject()
	for i := 0; i < len(vals); i += 2 {
		key, err := keyText(ts[i], vals[i], i, format(c))
		if err != nil {
			if vals[i].IsNull() {
				err = dberr.New(dberr.InvalidParameterValue, "argument %d: key must not be null", i+1)
			}
			return value.Null, err
		}
		d, err := toDoc(ts[i+1], vals[i+1], format(c))
		if err != nil {
			return value.Null, err
		}
		b.Key(key)
		b.Append(d)
	}
	b.End()
	return changed(b.Value())
}

// objectOfPairs is json_object of one array: alternating keys and values, or an array of pairs.
func objectOfPairs(a []val) (val, error) {
	arr := a[0].Box().(*value.Array)
	switch {
	case len(arr.Dims) == 2 && arr.Dims[1].Len != 2:
		return value.Null, dberr.New(dberr.ArraySubscriptError, "array must have two columns")
	case len(arr.Dims) > 2:
		return value.Null, dberr.New(dberr.ArraySubscriptError, "wrong number of array subscripts")
	case len(arr.Elems)%2 != 0:
		return value.Null, dberr.New(dberr.ArraySubscriptError, "array must have even number of elements")
	}
	keys, vals := make([]val, 0, len(arr.Elems)/2), make([]val, 0, len(arr.Elems)/2)
	for i := 0; i < len(arr.Elems); i += 2 {
		keys, vals = append(keys, arr.Elems[i]), append(vals, arr.Elems[i+1])
	}
	return objectText(keys, vals)
}

func objectOfLists(a []val) (val, error) {
	k, v := a[0].Box().(*value.Array), a[1].Box().(*value.Array)
	switch {
	case len(k.Dims) > 1 || len(k.Dims) != len(v.Dims):
		return value.Null, dberr.New(dberr.ArraySubscriptError, "wrong number of array subscripts")
	case len(k.Elems) != len(v.Elems):
		return value.Null, dberr.New(dberr.ArraySubscriptError, "mismatched array dimensions")
	}
	return objectText(k.Elems, v.Elems)
}

func objectText(keys, vals []val) (val, error) {
	out := []byte{'{'}
	for i, k := range keys {
		if k.IsNull() {
			return value.Null, dberr.New(dberr.NullValueNotAllowed, "null value not allowed for object key")
		}
		if i > 0 {
			out = append(out, ", "...)
		}
		out = append(doc.AppendQuoted(out, k.Str()), " : "...)
		if vals[i].IsNull() {
			out = append(out, "null"...)
		} else {
			out = doc.AppendQuoted(out, vals[i].Str())
		}
	}
	return value.Bytes(append(out, '}')), nil
}

// asJSONB reads the json that f gives as jsonb.
func asJSONB(f func(a []val) (val, error)) func(a []val) (val, error) {
	return func(a []val) (val, error) {
		v, err := f(a)
		if err != nil {
			return value.Null, err
		}
		return changed(doc.ParseJSONB(v.Bytes()))
	}
}
