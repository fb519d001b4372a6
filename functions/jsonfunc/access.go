package jsonfunc

import (
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// field and element are -> and its relatives; show makes the result.
func field(show func(doc.Value) val) eval {
	return pure(func(a []val) val { return show(typeio.Doc(a[0]).Step(doc.Key(a[1].Str()))) })
}

func element(show func(doc.Value) val) eval {
	return pure(func(a []val) val { return show(typeio.Doc(a[0]).Step(doc.Index(int(a[1].Int())))) })
}

// path is #> and its relatives: a NULL in the path gives NULL.
func path(show func(doc.Value) val) eval {
	return pure(func(a []val) val {
		d := typeio.Doc(a[0])
		for _, e := range texts(a[1]) {
			if e.Null || d.Missing() {
				return value.Null
			}
			d = d.Step(doc.Text(e.Text))
		}
		return show(d)
	})
}

// access lists the functions that look into a jsonb value.
func access() []def {
	return []def{
		{Sig: "jsonb_object_field(jsonb,text)", Eval: field(jsonbOr)},
		{Sig: "jsonb_object_field_text(jsonb,text)", Eval: field(textOr)},
		{Sig: "jsonb_array_element(jsonb,int4)", Eval: element(jsonbOr)},
		{Sig: "jsonb_array_element_text(jsonb,int4)", Eval: element(textOr)},
		{Sig: "jsonb_extract_path(jsonb,text[])", Eval: path(jsonbOr)},
		{Sig: "jsonb_extract_path_text(jsonb,text[])", Eval: path(textOr)},
		{Sig: "jsonb_contains(jsonb,jsonb)", Eval: pure(func(a []val) val { return value.Bool(doc.Contains(typeio.Doc(a[0]), typeio.Doc(a[1]))) })},
		{Sig: "jsonb_contained(jsonb,jsonb)", Eval: pure(func(a []val) val { return value.Bool(doc.Contains(typeio.Doc(a[1]), typeio.Doc(a[0]))) })},
		{Sig: "jsonb_exists(jsonb,text)", Eval: pure(func(a []val) val { return value.Bool(doc.Exists(typeio.Doc(a[0]), a[1].Str())) })},
		{Sig: "jsonb_exists_any(jsonb,text[])", Eval: pure(func(a []val) val { return value.Bool(doc.ExistsAny(typeio.Doc(a[0]), strs(a[1]))) })},
		{Sig: "jsonb_exists_all(jsonb,text[])", Eval: pure(func(a []val) val { return value.Bool(doc.ExistsAll(typeio.Doc(a[0]), strs(a[1]))) })},
		{Sig: "jsonb_typeof(jsonb)", Eval: pure(func(a []val) val { return value.String(typeOf(typeio.Doc(a[0]))) })},
		{Sig: "jsonb_array_length(jsonb)", Eval: try(arrayLength)},
	}
}

// typeOf names a value as jsonb_typeof does. A BSON-only value shows as an object.
func typeOf(d doc.Value) string {
	switch {
	case d.IsNull():
		return "null"
	case d.IsNumber():
		return "number"
	case d.IsArray():
		return "array"
	case d.Type == doc.TypeString:
		return "string"
	case d.Type == doc.TypeBool:
		return "boolean"
	}
	return "object"
}

func arrayLength(a []val) (val, error) {
	d := typeio.Doc(a[0])
	if d.IsArray() {
		return value.Int(int64(d.Len())), nil
	}
	if typeOf(d) == "object" {
		return value.Null, dberr.New(dberr.InvalidParameterValue, "cannot get array length of a non-array")
	}
	return value.Null, dberr.New(dberr.InvalidParameterValue, "cannot get array length of a scalar")
}
