package jsonfunc

import (
	"context"

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
