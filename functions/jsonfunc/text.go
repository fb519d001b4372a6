package jsonfunc

import (
	"strings"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/value"
)

// shown makes the result of an access: as json, or as text.
type shown func(s string, ok bool) (val, error)

func asJSON(s string, ok bool) (val, error) {
	if !ok {
		return value.Null, nil
	}
	return value.String(s), nil
}

func asText(s string, ok bool) (val, error) {
	if !ok || s == "null" {
		return value.Null, nil
	}
	if s[0] == '"' {
		t, err := unquote(s)
		return value.String(t), err
	}
	return value.String(s), nil
}

func jsonField(show shown) eval {
	return try(func(a []val) (val, error) {
		s, ok, err := spanField(a[0].Str(), a[1].Str())
		if err != nil {
			return value.Null, err
		}
		return show(s, ok)
	})
}

func jsonElement(show shown) eval {
	return try(func(a []val) (val, error) { return show(spanElement(a[0].Str(), int(a[1].Int()))) })
}

func jsonPath(show shown) eval {
	return try(func(a []val) (val, error) {
		s, ok := strings.TrimSpace(a[0].Str()), true
		for _, e := range texts(a[1]) {
			if e.Null || !ok {
				return value.Null, nil
			}
			step := doc.Text(e.Text)
			var err error
			switch {
			case kindOf(s) == '{':
				s, ok, err = spanField(s, e.Text)
			case kindOf(s) == '[' && step.IsInt:
				s, ok = spanElement(s, step.Index)
			default:
				ok = false
			}
			if err != nil {
				return value.Null, err
			}
		}
		return show(s, ok)
	})
}

// textAccess lists the functions that look into a json value.
func textAccess() []def {
	return []def{
		{Sig: "json_object_field(json,text)", Eval: jsonField(asJSON)}, {Sig: "json_object_field_text(json,text)", Eval: jsonField(asText)},
		{Sig: "json_array_element(json,int4)", Eval: jsonElement(asJSON)}, {Sig: "json_array_element_text(json,int4)", Eval: jsonElement(asText)},
		{Sig: "json_extract_path(json,text[])", Eval: jsonPath(asJSON)}, {Sig: "json_extract_path_text(json,text[])", Eval: jsonPath(asText)},
		{Sig: "json_typeof(json)", Eval: pure(func(a []val) val { return value.String(jsonTypeOf(a[0].Str())) })},
		{Sig: "json_array_length(json)", Eval: try(jsonArrayLength)},
	}
}

func jsonTypeOf(s string) string {
	switch kindOf(s) {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

func jsonArrayLength(a []val) (val, error) {
	switch kindOf(a[0].Str()) {
	case '[':
		return value.Int(int64(spanCount(a[0].Str()))), nil
	case '{':
		return value.Null, dberr.New(dberr.InvalidParameterValue, "cannot get array length of a non-array")
	}
	return value.Null, dberr.New(dberr.InvalidParameterValue, "cannot get array length of a scalar")
}

// stripJSON is json_strip_nulls: blanks go too.
func stripJSON(a []val) (val, error) {
	return value.Bytes(appendStripped(nil, strings.TrimSpace(a[0].Str()))), nil
}

func appendStripped(dst []byte, s string) []byte {
	open := kindOf(s)
	if open != '{' && open != '[' {
		return append(dst, s...)
	}
	dst = append(dst, open)
	first := true
	eachSpan(s, func(key, val string) bool {
		if open == '{' && val == "null" {
			return true
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		if open == '{' {
			dst = append(append(dst, key...), ':')
		}
		dst = appendStripped(dst, val)
		return true
	})
	return append(dst, open+2) // { } and [ ] lie two apart
}
