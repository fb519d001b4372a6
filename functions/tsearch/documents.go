package tsearch

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// Tsvectors and headlines of json and jsonb. A json value is read from its text: members in their order, double ones all.

// documents are to_tsvector, json(b)_to_tsvector and ts_headline of documents.
func documents() []def {
	var out []def
	for _, t := range []*value.Type{value.JSON, value.JSONB} {
		parts := textParts
		if t == value.JSONB {
			parts = docParts
		}
		for _, head := range []string{"(", "(regconfig,"} {
			out = append(out, def{Sig: "to_tsvector" + head + t.Name + ")", Eval: func(_ context.Context, c *call, a []val) (val, error) {
				return documentVector(c, a, 1, parts, map[string]bool{"string": true})
			}}, def{Sig: t.Name + "_to_tsvector" + head + t.Name + ",jsonb)", Eval: func(_ context.Context, c *call, a []val) (val, error) {
				want, err := partKinds(doc.Decode(a[len(a)-1].Bytes()))
				if err != nil {
					return value.Null, err
				}
				return documentVector(c, a, 2, parts, want)
			}})
			for _, tail := range []string{",tsquery)", ",tsquery,text)"} {
				n := 2 + strings.Count(tail, ",text")
				out = append(out, def{Sig: "ts_headline" + head + t.Name + tail, Eval: func(_ context.Context, c *call, a []val) (val, error) {
					return documentHeadline(c, a, n, t)
				}})
			}
		}
	}
	return out
}

// partVisitor is told of each key and scalar of a document; kind is key, string, numeric or boolean.
type partVisitor func(kind, text string)

func documentVector(c *call, a []val, n int, parts func(val, partVisitor) error, want map[string]bool) (val, error) {
	cfg, a, err := withConfig(c, a, n)
	if err != nil {
		return value.Null, err
	}
	var list []string
	err = parts(a[0], func(kind, text string) {
		if want[kind] || want["all"] {
			list = append(list, text)
		}
	})
	if err != nil {
		return value.Null, err
	}
	return cfg.vector(list...)
}

// docParts visits a jsonb value in the order of jsonb.
func docParts(v val, visit partVisitor) error {
	var walk func(x doc.Value)
	walk = func(x doc.Value) {
		switch x.Type {
		case doc.TypeString:
			visit("string", x.Text())
		case doc.TypeBool:
			visit("boolean", x.Text())
		case doc.TypeInt32, doc.TypeInt64, doc.TypeDouble, doc.TypeDecimal128:
			visit("numeric", x.Text())
		}
		for _, m := range members(x) {
			if x.IsObject() {
				visit("key", m.key)
			}
			walk(m.v)
		}
	}
	walk(typeio.Doc(v))
	return nil
}

type member struct {
	key string
	v   doc.Value
}

// members lists what an object or array holds, an object's by length and bytes of the keys.
func members(x doc.Value) []member {
	if !x.IsObject() && x.Type != doc.TypeArray {
		return nil
	}
	var out []member
	for it := x.Doc().Elements(); ; {
		k, v, ok := it.Next()
		if !ok {
			break
		}
		out = append(out, member{string(k), v})
	}
	if x.IsObject() {
		slices.SortStableFunc(out, func(a, b member) int {
			if len(a.key) != len(b.key) {
				return len(a.key) - len(b.key)
			}
			return strings.Compare(a.key, b.key)
		})
	}
	return out
}

// textParts visits a json value as its text says it.
func textParts(v val, visit partVisitor) error {
	return jsonTokens(v.Str(), func(t json.Token, key bool) {
		switch x := t.(type) {
		case string:
			if key {
				visit("key", x)
			} else {
				visit("string", x)
			}
		case json.Number:
			visit("numeric", x.String())
		case bool:
			visit("boolean", map[bool]string{true: "true", false: "false"}[x])
		}
	})
}

// jsonTokens reads a json text; key tells that a string names a member.
func jsonTokens(text string, visit func(t json.Token, key bool)) error {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var objects []bool // of the open brackets: an object
	key := false
	for {
		t, err := d.Token()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return dberr.Wrap(err, dberr.InvalidTextRepresentation, "invalid input syntax for type json")
		}
		delim, isDelim := t.(json.Delim)
		visit(t, key)
		switch {
		case isDelim && (delim == '{' || delim == '['):
			objects = append(objects, delim == '{')
		case isDelim:
			objects = objects[:len(objects)-1]
		}
		inObject := len(objects) > 0 && objects[len(objects)-1]
		key = inObject && (isDelim || !key)
	}
}

// partKinds reads the filter of jsonb_to_tsvector: "string", "numeric", "boolean", "key", "all", or an array of these.
func partKinds(x doc.Value) (map[string]bool, error) {
	const hint = `Possible values are: "string", "numeric", "boolean", "key", and "all".`
	if x.IsObject() {
		return nil, dberr.New(dberr.InvalidParameterValue, "wrong flag type, only arrays and scalars are allowed")
	}
	flags := []doc.Value{x}
	if x.Type == doc.TypeArray {
		flags = nil
		for _, m := range members(x) {
			flags = append(flags, m.v)
		}
	}
	kinds := map[string]bool{}
	for _, f := range flags {
		if f.Type != doc.TypeString {
			return nil, dberr.New(dberr.InvalidParameterValue, "flag array element is not a string").WithHint("%s", hint)
		}
		switch s := strings.ToLower(f.Text()); s {
		case "string", "numeric", "boolean", "key", "all":
			kinds[s] = true
		default:
			return nil, dberr.New(dberr.InvalidParameterValue, `wrong flag in flag array: "%s"`, f.Text()).WithHint("%s", hint)
		}
	}
	return kinds, nil
}

// documentHeadline marks the query's words in the strings of a document.
func documentHeadline(c *call, a []val, n int, t *value.Type) (val, error) {
	mark, a, err := marker(c, a, n)
	if err != nil {
		return value.Null, err
	}
	if t == value.JSONB {
		var b doc.Builder
		markedDoc(&b, typeio.Doc(a[0]), mark)
		d, err := b.Value()
		if err != nil {
			return value.Null, err
		}
		return typeio.JSONB(d), nil
	}
	text, err := markedText(a[0].Str(), mark)
	return value.String(text), err
}

func markedDoc(b *doc.Builder, x doc.Value, mark func(string) string) {
	switch {
	case x.Type == doc.TypeString:
		b.String(mark(x.Text()))
	case x.IsObject():
		b.BeginObject()
		for _, m := range members(x) {
			b.Key(m.key)
			markedDoc(b, m.v, mark)
		}
		b.End()
	case x.Type == doc.TypeArray:
		b.BeginArray()
		for _, m := range members(x) {
			markedDoc(b, m.v, mark)
		}
		b.End()
	default:
		b.Append(x)
	}
}

// markedText writes a json text anew without blanks.
func markedText(text string, mark func(string) string) (string, error) {
	var b bytes.Buffer
	first, afterKey := true, false
	err := jsonTokens(text, func(t json.Token, key bool) {
		delim, isDelim := t.(json.Delim)
		closing := isDelim && (delim == '}' || delim == ']')
		if !first && !afterKey && !closing {
			b.WriteByte(',')
		}
		first, afterKey = isDelim && !closing, false
		switch x := t.(type) {
		case json.Delim:
			b.WriteRune(rune(x))
		case string:
			if key {
				appendQuoted(&b, x)
				b.WriteByte(':')
				afterKey = true
			} else {
				appendQuoted(&b, mark(x))
			}
		case json.Number:
			b.WriteString(x.String())
		case bool:
			b.WriteString(map[bool]string{true: "true", false: "false"}[x])
		default:
			b.WriteString("null")
		}
	})
	return b.String(), err
}

func appendQuoted(b *bytes.Buffer, s string) {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s)         // a string always encodes
	b.Truncate(b.Len() - 1) // the line's end
}
