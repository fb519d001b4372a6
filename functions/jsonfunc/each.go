package jsonfunc

import (
	"context"
	"strings"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// row adds one output row.
type row func(vals ...val)

// table makes an entry whose rows fill writes.
func table(sig string, fill func(a []val, emit row) error) functions.TableDef {
	return functions.TableDef{Sig: sig, Open: func(_ context.Context, _ *functions.Call, a []val, out value.Schema) (batch.Iter, error) {
		cols := batch.Columns(out, 8)
		err := fill(a, func(vals ...val) {
			for i, v := range vals {
				cols[i].Append(v)
			}
		})
		return batch.Of(out, cols...), err
	}}
}

func tables() []functions.TableDef {
	out := []functions.TableDef{
		table("jsonb_each(jsonb)", eachB(jsonbOr)), table("jsonb_each_text(jsonb)", eachB(textOr)),
		table("jsonb_array_elements(jsonb)", elementsB("jsonb_array_elements", jsonbOr)),
		table("jsonb_array_elements_text(jsonb)", elementsB("jsonb_array_elements_text", textOr)),
		table("jsonb_object_keys(jsonb)", keysB),
		table("json_each(json)", each("json_each", asJSON)), table("json_each_text(json)", each("json_each_text", asText)),
		table("json_array_elements(json)", elements("json_array_elements", asJSON)),
		table("json_array_elements_text(json)", elements("json_array_elements_text", asText)),
		table("json_object_keys(json)", keys),
	}
	return append(out, records()...)
}

func eachB(show func(doc.Value) val) func(a []val, emit row) error {
	return func(a []val, emit row) error {
		d := typeio.Doc(a[0]).Plain()
		if !d.IsObject() {
			return dberr.New(dberr.InvalidParameterValue, "cannot call %s on a non-object", "jsonb_each")
		}
		for _, m := range members(d) {
			emit(value.String(m.key), show(m.val))
		}
		return nil
	}
}

func elementsB(name string, show func(doc.Value) val) func(a []val, emit row) error {
	return func(a []val, emit row) error {
		d := typeio.Doc(a[0])
		switch {
		case d.IsArray():
		case typeOf(d) == "object":
			return dberr.New(dberr.InvalidParameterValue, "cannot extract elements from an object")
		default:
			return dberr.New(dberr.InvalidParameterValue, "cannot extract elements from a scalar")
		}
		for _, m := range members(d) {
			emit(show(m.val))
		}
		return nil
	}
}

func keysB(a []val, emit row) error {
	d := typeio.Doc(a[0]).Plain()
	switch {
	case d.IsArray():
		return dberr.New(dberr.InvalidParameterValue, "cannot call %s on an array", "jsonb_object_keys")
	case !d.IsObject():
		return dberr.New(dberr.InvalidParameterValue, "cannot call %s on a scalar", "jsonb_object_keys")
	}
	for _, m := range members(d) {
		emit(value.String(m.key))
	}
	return nil
}

func each(name string, show shown) func(a []val, emit row) error {
	return func(a []val, emit row) error {
		s := a[0].Str()
		switch kindOf(s) {
		case '{':
		case '[':
			return dberr.New(dberr.InvalidParameterValue, "cannot deconstruct an array as an object")
		default:
			return dberr.New(dberr.InvalidParameterValue, "cannot deconstruct a scalar")
		}
		return spans(s, func(key, span string) error {
			k, err := unquote(key)
			if err != nil {
				return err
			}
			v, err := show(span, true)
			if err == nil {
				emit(value.String(k), v)
			}
			return err
		})
	}
}

// spans is eachSpan with errors.
func spans(s string, fn func(key, span string) error) (err error) {
	eachSpan(s, func(key, span string) bool {
		err = fn(key, span)
		return err == nil
	})
	return err
}

func elements(name string, show shown) func(a []val, emit row) error {
	return func(a []val, emit row) error {
		s := a[0].Str()
		switch kindOf(s) {
		case '[':
		case '{':
			return dberr.New(dberr.InvalidParameterValue, "cannot call %s on a non-array", name)
		default:
			return dberr.New(dberr.InvalidParameterValue, "cannot call %s on a scalar", name)
		}
		return spans(s, func(_, span string) error {
			v, err := show(span, true)
			if err == nil {
				emit(v)
			}
			return err
		})
	}
}

func keys(a []val, emit row) error {
	s := a[0].Str()
	switch kindOf(s) {
	case '{':
	case '[':
		return dberr.New(dberr.InvalidParameterValue, "cannot call %s on an array", "json_object_keys")
	default:
		return dberr.New(dberr.InvalidParameterValue, "cannot call %s on a scalar", "json_object_keys")
	}
	return spans(s, func(key, _ string) error {
		k, err := unquote(key)
		if err == nil {
			emit(value.String(k))
		}
		return err
	})
}

// records lists json(b)_to_record(set) and json(b)_populate_record(set): the row's shape comes from the call.
func records() []functions.TableDef {
	return []functions.TableDef{
		recordTable("json_to_record(json)", 0, false), recordTable("jsonb_to_record(jsonb)", 0, false),
		recordTable("json_to_recordset(json)", 0, true), recordTable("jsonb_to_recordset(jsonb)", 0, true),
		recordTable("json_populate_record(anyelement,json,bool)", 1, false), recordTable("jsonb_populate_record(anyelement,jsonb)", 1, false),
		recordTable("json_populate_recordset(anyelement,json,bool)", 1, true), recordTable("jsonb_populate_recordset(anyelement,jsonb)", 1, true),
	}
}

func recordTable(sig string, arg int, set bool) functions.TableDef {
	name, _, _ := strings.Cut(sig, "(")
	open := func(_ context.Context, c *functions.Call, a []val, out value.Schema) (batch.Iter, error) {
		cols := batch.Columns(out, 8)
		if a[arg].IsNull() {
			return batch.Of(out, cols...), nil
		}
		d, err := asDoc(a[arg], strings.HasPrefix(name, "json_"))
		if err != nil {
			return nil, err
		}
		var base *value.Record
		if arg == 1 && !a[0].IsNull() {
			base, _ = a[0].Box().(*value.Record)
		}
		rows := []doc.Value{d}
		if set {
			if !d.IsArray() {
				return nil, dberr.New(dberr.InvalidParameterValue, "cannot call %s on a non-array", name)
			}
			rows = rows[:0]
			for _, m := range members(d) {
				rows = append(rows, m.val)
			}
		}
		for _, r := range rows {
			if err := appendRow(cols, out, r, base, format(c), name); err != nil {
				return nil, err
			}
		}
		return batch.Of(out, cols...), nil
	}
	return functions.TableDef{Sig: sig, Dynamic: true, Open: open}
}

func asDoc(v val, text bool) (doc.Value, error) {
	if text {
		return doc.ParseJSONB(v.Bytes())
	}
	return typeio.Doc(v), nil
}

func appendRow(cols []*value.Column, out value.Schema, r doc.Value, base *value.Record, f *typeio.Format, name string) error {
	if !r.IsObject() {
		if r.IsNull() && base == nil {
			for _, c := range cols {
				c.AppendNull()
			}
			return nil
		}
		return dberr.New(dberr.InvalidParameterValue, "argument of %s must be an array of objects", name)
	}
	for i, fd := range out {
		m := r.Step(doc.Key(fd.Name))
		if m.Missing() && base != nil && i < len(base.Vals) {
			cols[i].Append(base.Vals[i])
			continue
		}
		v, err := fromDoc(fd.Type, fd.Mod, m, f)
		if err != nil {
			return err
		}
		cols[i].Append(v)
	}
	return nil
}

// fromDoc converts a JSON value to a SQL value of type t, as the input function of t reads its text; arrays and rows go element by element.
func fromDoc(t *value.Type, mod int32, d doc.Value, f *typeio.Format) (val, error) {
	switch {
	case d.Missing() || d.IsNull() && t.OID != value.JSONB.OID && t.OID != value.JSON.OID:
		return value.Null, nil
	case d.IsNull():
		if t.OID == value.JSON.OID {
			return value.String("null"), nil
		}
		return typeio.JSONB(d), nil
	case t.OID == value.JSONB.OID:
		return typeio.JSONB(d), nil
	case t.OID == value.JSON.OID:
		return value.String(d.JSONB()), nil
	case t.IsArray() && d.IsArray():
		elems := make([]val, 0, d.Len())
		for _, m := range members(d) {
			e, err := fromDoc(t.Elem, mod, m.val, f)
			if err != nil {
				return value.Null, err
			}
			elems = append(elems, e)
		}
		return value.Box(value.NewArray(t.Elem, elems)), nil
	case t.IsArray():
		return value.Null, dberr.New(dberr.InvalidTextRepresentation, "expected JSON array")
	case t.Class == value.Composite && d.IsObject():
		rec := &value.Record{Fields: t.Fields, Vals: make([]val, len(t.Fields))}
		for i, fd := range t.Fields {
			v, err := fromDoc(fd.Type, fd.Mod, d.Step(doc.Key(fd.Name)), f)
			if err != nil {
				return value.Null, err
			}
			rec.Vals[i] = v
		}
		return value.Box(rec), nil
	}
	text := d.Text()
	if d.IsObject() || d.IsArray() {
		text = d.JSONB()
	}
	return typeio.In(t, mod, text, f)
}
