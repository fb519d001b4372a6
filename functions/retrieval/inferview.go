package retrieval

import (
	"context"
	"fmt"
	"strings"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/functions/coll"
	"github.com/omgdb/omgdb/functions/scalar"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/value"
)

// Bounds of what infer_view looks at and makes.
const (
	inferDocuments = 10_000 // in the collection's own order
	inferColumns   = 400
	inferDepth     = 3 // levels of objects that become columns of their own
)

var inferView = functions.Scalar{
	OID: 8139, Name: "infer_view",
	Params: []functions.Param{pCollection, {Name: "view", Type: value.Text, Default: "NULL"}},
	Ret:    value.Text, Volatility: functions.Volatile, Writes: true,
	Eval: evalInferView,
	Descr: "makes a view with a typed column for each field of a collection's documents (of the first 10,000), called as said or like the " +
		"collection with _view behind it, and gives its name; a view that it made before is made anew",
}

func evalInferView(ctx context.Context, c *functions.Call, a []value.Value) (value.Value, error) {
	if a[0].IsNull() {
		return value.Null, nil
	}
	env := c.Env
	rel, err := relation(env, text(a[0]))
	if err != nil {
		return value.Null, err
	}
	if rel.Kind != catalog.Collection {
		return value.Null, dberr.New(dberr.WrongObjectType, "%q is a table, not a collection", rel.Name).WithHint("Its columns have types already.")
	}
	fields, n, err := inferFields(ctx, env, rel)
	if err != nil {
		return value.Null, err
	}
	if n == 0 {
		return value.Null, dberr.New(dberr.ObjectNotInPrerequisiteState, "collection %q has no documents whose fields could be seen", rel.Name)
	}
	name := rel.Name + "_view"
	if !a[1].IsNull() {
		name = text(a[1])
	}
	schema := env.Txn.Catalog().SchemaByID(rel.Schema).Name
	full := scalar.QuoteIdent(schema) + "." + scalar.QuoteIdent(name)
	statements := []string{
		fmt.Sprintf("CREATE VIEW %s AS SELECT %s FROM %s.%s", full, columnList(fields), scalar.QuoteIdent(schema), scalar.QuoteIdent(rel.Name)),
		fmt.Sprintf("COMMENT ON VIEW %s IS %s", full, scalar.QuoteLiteral(fmt.Sprintf("Fields of collection %q as seen in %d documents; infer_view makes it anew", rel.Name, n))),
	}
	if old := env.Txn.Catalog().Relation(schema, name); old != nil && old.Kind == catalog.ViewKind {
		statements = append([]string{"DROP VIEW " + full}, statements...)
	}
	for _, sql := range statements {
		if err := env.Routines.Run(ctx, env, sql); err != nil {
			return value.Null, err
		}
	}
	return value.String(coll.Name(env.Txn.Catalog(), &catalog.Relation{Schema: rel.Schema, Name: name})), nil
}

// fieldKinds counts what values a field has.
type fieldKinds struct {
	path                                              []string
	ints, floats, strings, bools, dates, deep, others int
	// members are the fields of its objects, when it has no other values.
	members *fieldSet
}

// fieldSet is fields in the order in which they were seen first.
type fieldSet struct {
	order []*fieldKinds
	names map[string]*fieldKinds
}

func (s *fieldSet) field(path []string, name string) *fieldKinds {
	f := s.names[name]
	if f == nil {
		f = &fieldKinds{path: append(path[:len(path):len(path)], name)}
		if s.names == nil {
			s.names = map[string]*fieldKinds{}
		}
		s.names[name], s.order = f, append(s.order, f)
	}
	return f
}

// inferFields looks at the first documents of a collection.
func inferFields(ctx context.Context, env *functions.Env, rel *catalog.Relation) (*fieldSet, int, error) {
	it, err := env.Txn.Scan(ctx, &storage.ScanSpec{Rel: rel, Cols: []storage.ScanCol{{Kind: storage.ColDoc}}, Limit: inferDocuments})
	if err != nil {
		return nil, 0, err
	}
	defer it.Close()
	fields, n := &fieldSet{}, 0
	for {
		b, err := it.Next(ctx)
		if err != nil || b == nil {
			return fields, n, err
		}
		for i := range b.Rows() {
			fields.see(nil, doc.Decode(b.Cols[0].Get(b.Row(i)).Bytes()))
			n++
		}
	}
}

// see counts the fields of an object.
func (s *fieldSet) see(path []string, object doc.Value) {
	for e := object.Elements(); ; {
		k, v, ok := e.Next()
		if !ok {
			return
		}
		if len(path) > 0 || string(k) != "_id" {
			s.field(path, string(k)).count(v)
		}
	}
}

func (f *fieldKinds) count(v doc.Value) {
	switch {
	case v.IsNull():
	case v.IsObject() && len(f.path) < inferDepth:
		if f.members == nil {
			f.members = &fieldSet{}
		}
		f.members.see(f.path, v)
	case v.IsObject() || v.IsArray():
		f.deep++
	case v.IsDate():
		f.dates++
	case v.Type == doc.TypeInt32 || v.Type == doc.TypeInt64:
		f.ints++
	case v.IsNumber():
		f.floats++
	case v.Type == doc.TypeString:
		f.strings++
	case v.Type == doc.TypeBool:
		f.bools++
	default:
		f.others++
	}
}

// columnList is the view's target list: _id, and each field under its path, joined by underscores.
func columnList(fields *fieldSet) string {
	items, taken := []string{"_id"}, map[string]bool{"_id": true}
	var add func(s *fieldSet)
	add = func(s *fieldSet) {
		for _, f := range s.order {
			if len(items) == inferColumns {
				return
			}
			if f.members != nil && f.scalars() == 0 && f.deep == 0 && len(f.members.order) > 0 {
				add(f.members)
				continue
			}
			name := f.name(taken)
			taken[name] = true
			items = append(items, f.expression()+" AS "+scalar.QuoteIdent(name))
		}
	}
	add(fields)
	return strings.Join(items, ", ")
}

// name is the field's column, different from those that are taken.
func (f *fieldKinds) name(taken map[string]bool) string {
	base := strings.Join(f.path, "_")
	if len(base) > storage.MaxName-4 {
		base = strings.ToValidUTF8(base[:storage.MaxName-4], "")
	}
	name := base
	for i := 2; name == "" || taken[name]; i++ {
		name = fmt.Sprintf("%s_%d", base, i)
	}
	return name
}

func (f *fieldKinds) scalars() int {
	return f.ints + f.floats + f.strings + f.bools + f.dates + f.others
}

// expression reads the field as the type that all its values have; a value of another kind that comes later reads as NULL.
func (f *fieldKinds) expression() string {
	last := len(f.path) - 1
	at := "doc"
	for _, name := range f.path[:last] {
		at += " -> " + scalar.QuoteLiteral(name)
	}
	leaf := scalar.QuoteLiteral(f.path[last])
	is := func(kind, then string) string {
		return fmt.Sprintf("CASE jsonb_typeof(%s -> %s) WHEN '%s' THEN %s END", at, leaf, kind, then)
	}
	asText := fmt.Sprintf("(%s ->> %s)", at, leaf)
	switch all := f.scalars(); {
	case f.deep > 0 || f.members != nil:
		return at + " -> " + leaf
	case all == 0 || f.strings == all:
		return asText
	case f.ints == all:
		return is("number", asText+"::bigint")
	case f.ints+f.floats == all:
		return is("number", asText+"::double precision")
	case f.bools == all:
		return is("boolean", asText+"::boolean")
	case f.dates == all:
		return is("object", asText+"::timestamptz")
	}
	return asText
}
