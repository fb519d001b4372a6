package jsonfunc

import (
	"context"
	"strconv"
	"strings"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// JSON to rows: each member becomes a field by the rules of the field's type. json is read from its text, so that a json field keeps
// the blanks of its part of it; jsonb is read from the document.

// node is a JSON value of either kind.
type node interface {
	kind() byte            // { [ " n (null), or s for another scalar
	text() (string, error) // of a string its characters, else the JSON
	json() string          // the JSON
	jsonb() (val, error)   // as jsonb
	field(name string) (node, bool, error)
	elements() []node
}

// textNode is a part of a json value.
type textNode string

func (t textNode) kind() byte {
	switch k := kindOf(string(t)); k {
	case '{', '[', '"', 'n':
		return k
	}
	return 's'
}

func (t textNode) text() (string, error) {
	if s := strings.TrimSpace(string(t)); s[0] == '"' {
		return unquote(s)
	}
	return string(t), nil
}

func (t textNode) json() string { return string(t) }

func (t textNode) jsonb() (val, error) {
	d, err := doc.ParseJSONB([]byte(t))
	if err != nil {
		return value.Null, err
	}
	return typeio.JSONB(d), nil
}

func (t textNode) field(name string) (node, bool, error) {
	s, ok, err := spanField(string(t), name)
	return textNode(s), ok, err
}

func (t textNode) elements() (out []node) {
	eachSpan(string(t), func(_, s string) bool {
		out = append(out, textNode(s))
		return true
	})
	return out
}

// docNode is a part of a jsonb value.
type docNode struct{ doc.Value }

func (d docNode) kind() byte {
	switch typeOf(d.Value) {
	case "object":
		return '{'
	case "array":
		return '['
	case "string":
		return '"'
	case "null":
		return 'n'
	}
	return 's'
}

func (d docNode) text() (string, error) {
	if k := d.kind(); k == '{' || k == '[' {
		return d.JSONB(), nil
	}
	return d.Text(), nil
}

func (d docNode) json() string        { return d.JSONB() }
func (d docNode) jsonb() (val, error) { return typeio.JSONB(d.Value), nil }

func (d docNode) field(name string) (node, bool, error) {
	m := d.Step(doc.Key(name))
	return docNode{m}, !m.Missing(), nil
}

func (d docNode) elements() (out []node) {
	for _, m := range members(d.Value) {
		out = append(out, docNode{m.val})
	}
	return out
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
		cols, fields := batch.Columns(out, 8), out
		var base *value.Record
		if arg == 1 && !a[0].IsNull() {
			base, _ = a[0].Box().(*value.Record)
			if err := sameRow(base, out); err != nil {
				return nil, err
			}
			if base != nil && len(base.Fields) > 0 {
				fields = base.Fields // its names are those that are looked for
			}
		}
		if a[arg].IsNull() {
			if !set {
				appendBase(cols, base)
			}
			return batch.Of(out, cols...), nil
		}
		rows, err := sourceRows(a[arg], strings.HasPrefix(name, "json_"), set, name)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			if err := appendRow(cols, fields, r, base, set, format(c), name); err != nil {
				return nil, err
			}
		}
		return batch.Of(out, cols...), nil
	}
	return functions.TableDef{Sig: sig, Dynamic: true, Open: open}
}

// sameRow refuses a row to fill whose fields are not the columns that the query wants.
func sameRow(base *value.Record, out value.Schema) error {
	if base == nil || len(base.Fields) == 0 {
		return nil
	}
	e := dberr.New(dberr.DatatypeMismatch, "function return row and query-specified return row do not match")
	if len(base.Fields) != len(out) {
		s := "s"
		if len(base.Fields) == 1 {
			s = ""
		}
		return e.WithDetail("Returned row contains %d attribute%s, but query expects %d.", len(base.Fields), s, len(out))
	}
	for i, f := range base.Fields {
		if f.Type.OID != out[i].Type.OID {
			return e.WithDetail("Returned type %s at ordinal position %d, but query expects %s.", f.Type.SQL, i+1, out[i].Type.SQL)
		}
	}
	return nil
}

// sourceRows gives the JSON values that become rows.
func sourceRows(v val, text, set bool, name string) ([]node, error) {
	var root node
	if text {
		root = textNode(v.Str())
	} else {
		root = docNode{typeio.Doc(v)}
	}
	if !set {
		return []node{root}, nil
	}
	switch root.kind() {
	case '[':
		return root.elements(), nil
	case '{':
		return nil, dberr.New(dberr.InvalidParameterValue, "cannot call %s on an object", name)
	}
	return nil, dberr.New(dberr.InvalidParameterValue, "cannot call %s on a scalar", name)
}

func appendBase(cols []*value.Column, base *value.Record) {
	for i, c := range cols {
		if base != nil && i < len(base.Vals) {
			c.Append(base.Vals[i])
		} else {
			c.AppendNull()
		}
	}
}

func appendRow(cols []*value.Column, out value.Schema, r node, base *value.Record, set bool, f *typeio.Format, name string) error {
	switch k := r.kind(); {
	case k == '{':
	case set:
		return dberr.New(dberr.InvalidParameterValue, "argument of %s must be an array of objects", name)
	case k == 'n':
		appendBase(cols, base)
		return nil
	default:
		return notObject(k)
	}
	vals, err := recordValues(out, r, base, f)
	if err != nil {
		return err
	}
	for i, v := range vals {
		cols[i].Append(v)
	}
	return nil
}

func notObject(kind byte) error {
	what := "a scalar"
	if kind == '[' {
		what = "an array"
	}
	return dberr.New(dberr.InvalidParameterValue, "cannot call populate_composite on %s", what)
}

// recordValues gives the fields of a row from an object; those that it lacks are base's.
func recordValues(fields value.Schema, r node, base *value.Record, f *typeio.Format) ([]val, error) {
	vals := make([]val, len(fields))
	for i, fd := range fields {
		m, ok, err := r.field(fd.Name)
		if err != nil {
			return nil, err
		}
		old := value.Null
		if base != nil && i < len(base.Vals) {
			old = base.Vals[i]
		}
		if !ok {
			vals[i] = old
			continue
		}
		p := populator{key: fd.Name, format: f}
		if vals[i], err = p.value(fd.Type, fd.Mod, m, old); err != nil {
			return nil, err
		}
	}
	return vals, nil
}

// populator converts the value of one key.
type populator struct {
	key    string
	format *typeio.Format
}

// value converts a JSON value to the type t; old is what the field was before, for rows inside rows.
func (p *populator) value(t *value.Type, mod int32, n node, old val) (val, error) {
	k := n.kind()
	base := typeio.Base(t)
	switch {
	case k == 'n':
		return value.Null, nil
	case base.OID == value.JSON.OID:
		return value.String(n.json()), nil
	case base.OID == value.JSONB.OID:
		return n.jsonb()
	case base.IsArray() && k != '"':
		return p.array(base, mod, n)
	case base.Class == value.Composite && k != '"':
		if k != '{' {
			return value.Null, notObject(k)
		}
		var was *value.Record
		if !old.IsNull() {
			was, _ = old.Box().(*value.Record)
		}
		vals, err := recordValues(base.Fields, n, was, p.format)
		if err != nil {
			return value.Null, err
		}
		return value.Box(&value.Record{Fields: base.Fields, Vals: vals}), nil
	}
	text, err := n.text()
	if err != nil {
		return value.Null, err
	}
	return typeio.In(t, mod, text, p.format)
}

// arrayShape gathers an array: its dimensions are known when the first value that is no array, or an empty array, is met.
type arrayShape struct {
	known bool
	dims  []value.Dim
	elems []val
}

func (p *populator) array(t *value.Type, mod int32, n node) (val, error) {
	if n.kind() != '[' {
		return value.Null, p.noArray(nil)
	}
	var s arrayShape
	if err := p.dimension(&s, t, mod, n, 0, nil); err != nil {
		return value.Null, err
	}
	if len(s.elems) == 0 {
		return value.Box(&value.Array{Elem: t.Elem}), nil
	}
	return value.Box(&value.Array{Elem: t.Elem, Dims: s.dims, Elems: s.elems}), nil
}

// dimension takes an array at a depth; path are the subscripts on the way to it.
func (p *populator) dimension(s *arrayShape, t *value.Type, mod int32, n node, depth int, path []int) error {
	if n.kind() != '[' {
		return p.noArray(path)
	}
	items := n.elements()
	if len(items) == 0 {
		s.known = true
	}
	if len(s.dims) == depth {
		s.dims = append(s.dims, value.Dim{Len: int32(len(items)), Lower: 1})
	} else if int(s.dims[depth].Len) != len(items) {
		return dberr.New(dberr.InvalidTextRepresentation, "malformed JSON array").
			WithDetail("Multidimensional arrays must have sub-arrays with matching dimensions.")
	}
	for i, item := range items {
		if !s.known && item.kind() != '[' {
			s.known = true
		}
		here := append(path[:len(path):len(path)], i)
		if s.known && depth == len(s.dims)-1 {
			v, err := p.value(t.Elem, mod, item, value.Null)
			if err != nil {
				return err
			}
			s.elems = append(s.elems, v)
			continue
		}
		if err := p.dimension(s, t, mod, item, depth+1, here); err != nil {
			return err
		}
	}
	return nil
}

func (p *populator) noArray(path []int) error {
	e := dberr.New(dberr.InvalidTextRepresentation, "expected JSON array")
	if len(path) == 0 {
		return e.WithHint(`See the value of key "%s".`, p.key)
	}
	var b strings.Builder
	for _, i := range path {
		b.WriteString("[" + strconv.Itoa(i) + "]")
	}
	return e.WithHint(`See the array element %s of key "%s".`, b.String(), p.key)
}
