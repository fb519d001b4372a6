package jsonfunc

import (
	"strings"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// changed gives a changed value as jsonb.
func changed(d doc.Value, err error) (val, error) {
	if err != nil {
		return value.Null, err
	}
	return typeio.JSONB(d), nil
}

// changes lists the functions that make a jsonb value from another.
func changes() []def {
	return []def{
		{Sig: "jsonb_concat(jsonb,jsonb)", Eval: try(func(a []val) (val, error) { return changed(doc.Concat(typeio.Doc(a[0]), typeio.Doc(a[1]))) })},
		{Sig: "jsonb_delete(jsonb,text)", Eval: try(func(a []val) (val, error) { return changed(doc.DeleteKey(typeio.Doc(a[0]), a[1].Str())) })},
		{Sig: "jsonb_delete(jsonb,text[])", Eval: try(flat(func(a []val) (val, error) { return changed(doc.DeleteKeys(typeio.Doc(a[0]), strs(a[1]))) }))},
		{Sig: "jsonb_delete(jsonb,int4)", Eval: try(func(a []val) (val, error) { return changed(doc.DeleteIndex(typeio.Doc(a[0]), int(a[1].Int()))) })},
		{Sig: "jsonb_delete_path(jsonb,text[])", Eval: try(flat(func(a []val) (val, error) { return changed(doc.DeletePath(typeio.Doc(a[0]), texts(a[1]))) }))},
		{Sig: "jsonb_set(jsonb,text[],jsonb,bool)", Eval: try(flat(func(a []val) (val, error) {
			return changed(doc.SetPath(typeio.Doc(a[0]), texts(a[1]), typeio.Doc(a[2]), a[3].Bool()))
		}))},
		{Sig: "jsonb_set_lax(jsonb,text[],jsonb,bool,text)", Eval: try(flat(setLax))},
		{Sig: "jsonb_insert(jsonb,text[],jsonb,bool)", Eval: try(flat(func(a []val) (val, error) {
			return changed(doc.InsertPath(typeio.Doc(a[0]), texts(a[1]), typeio.Doc(a[2]), a[3].Bool()))
		}))},
		{Sig: "jsonb_strip_nulls(jsonb)", Eval: pure(func(a []val) val { return typeio.JSONB(doc.StripNulls(typeio.Doc(a[0]))) })},
		{Sig: "json_strip_nulls(json)", Eval: try(stripJSON)},
		{Sig: "jsonb_pretty(jsonb)", Eval: pure(func(a []val) val {
			var b strings.Builder
			pretty(&b, typeio.Doc(a[0]).Plain(), 0)
			return value.String(b.String())
		})},
	}
}

// flat refuses paths of more than one dimension.
func flat(f func(a []val) (val, error)) func(a []val) (val, error) {
	return func(a []val) (val, error) {
		if !a[1].IsNull() && len(a[1].Box().(*value.Array).Dims) > 1 {
			return value.Null, dberr.New(dberr.ArraySubscriptError, "wrong number of array subscripts")
		}
		return f(a)
	}
}

func setLax(a []val) (val, error) {
	if a[0].IsNull() || a[1].IsNull() || a[3].IsNull() {
		return value.Null, nil
	}
	if a[4].IsNull() {
		return value.Null, dberr.New(dberr.InvalidParameterValue, `null_value_treatment must be "delete_key", "return_target", "use_json_null", or "raise_exception"`)
	}
	target, at := typeio.Doc(a[0]), texts(a[1])
	if !a[2].IsNull() {
		return changed(doc.SetPath(target, at, typeio.Doc(a[2]), a[3].Bool()))
	}
	switch a[4].Str() {
	case "raise_exception":
		return value.Null, dberr.New(dberr.NullValueNotAllowed, "JSON value must not be null").
			WithDetail(`Exception was raised because null_value_treatment is "raise_exception".`).
			WithHint("To avoid, either change the null_value_treatment argument or ensure that an SQL NULL is not passed.")
	case "use_json_null":
		return changed(doc.SetPath(target, at, doc.Null(), a[3].Bool()))
	case "delete_key":
		return changed(doc.DeletePath(target, at))
	case "return_target":
		return a[0], nil
	}
	return value.Null, dberr.New(dberr.InvalidParameterValue, `null_value_treatment must be "delete_key", "return_target", "use_json_null", or "raise_exception"`)
}

// pretty writes a value over several lines, four spaces a level.
func pretty(b *strings.Builder, d doc.Value, level int) {
	if !d.IsObject() && !d.IsArray() || d.Len() == 0 && d.IsArray() || d.IsObject() && d.Len() == 0 {
		writeEmptyOrScalar(b, d, level)
		return
	}
	open, closing := "{\n", "}"
	if d.IsArray() {
		open, closing = "[\n", "]"
	}
	b.WriteString(open)
	first := true
	for _, m := range members(d) {
		if !first {
			b.WriteString(",\n")
		}
		first = false
		indent(b, level+1)
		if d.IsObject() {
			b.Write(doc.AppendQuoted(nil, m.key))
			b.WriteString(": ")
		}
		pretty(b, m.val, level+1)
	}
	b.WriteString("\n")
	indent(b, level)
	b.WriteString(closing)
}

func writeEmptyOrScalar(b *strings.Builder, d doc.Value, level int) {
	switch {
	case d.IsObject():
		b.WriteString("{\n")
		indent(b, level)
		b.WriteString("}")
	case d.IsArray():
		b.WriteString("[\n")
		indent(b, level)
		b.WriteString("]")
	default:
		b.WriteString(d.JSONB())
	}
}

func indent(b *strings.Builder, level int) {
	for range level {
		b.WriteString("    ")
	}
}

// member is a key and its value; elements of arrays have no key.
type member struct {
	key string
	val doc.Value
}

// members lists what an object (in jsonb's key order) or array holds.
func members(d doc.Value) []member {
	out := make([]member, 0, 8)
	sorted := true
	for it := d.Elements(); ; {
		k, v, ok := it.Next()
		if !ok {
			break
		}
		m := member{val: v}
		if d.IsObject() {
			m.key = string(k)
			sorted = sorted && (len(out) == 0 || doc.CompareKeys([]byte(out[len(out)-1].key), k) < 0)
		}
		out = append(out, m)
	}
	if !sorted {
		sortMembers(out)
	}
	return out
}
