// Package coll is what the functions over collections share: how arguments name a relation, a filter or a document, and who may read
// what has passed. A typed table is a collection of its rows.
package coll

import (
	"context"
	"strings"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/filter"
	"github.com/omgdb/omgdb/storage/value"
)

// Parameters that several functions share.
var (
	PCollection = functions.Param{Name: "collection", Type: value.Text}
	PID         = functions.Param{Name: "id", Type: value.Text}
	PFilter     = functions.Param{Name: "filter", Type: value.JSON, Default: "NULL", JSONBToo: true}
)

// Relation finds the collection or table called name: exactly so along the search path, else as schema.name.
func Relation(env *functions.Env, name string) (*catalog.Relation, error) {
	return Find(env, env.Txn.Catalog(), name)
}

// Find is Relation in a catalog of another time.
func Find(env *functions.Env, v *catalog.View, name string) (*catalog.Relation, error) {
	rel := v.ResolveText(env.Session.SearchPath(true), name)
	if rel == nil {
		return nil, dberr.New(dberr.UndefinedTable, "collection %q does not exist", name)
	}
	if rel.Kind != catalog.Collection && rel.Kind != catalog.Table {
		return nil, dberr.New(dberr.WrongObjectType, "%q is not a collection or table", name)
	}
	return rel, nil
}

// Collection is Relation for functions that change documents; a typed table is 42809 with a hint at the statement to use.
func Collection(env *functions.Env, name, statement string) (*catalog.Relation, error) {
	rel, err := Relation(env, name)
	if err == nil && rel.Kind != catalog.Collection {
		err = dberr.New(dberr.WrongObjectType, "%q is a table, not a collection", name).WithHint("Use %s.", statement)
	}
	return rel, err
}

// ForInsert is Collection, which makes a missing one.
func ForInsert(ctx context.Context, env *functions.Env, name string) (*catalog.Relation, error) {
	rel, err := Collection(env, name, "INSERT")
	if dberr.Code(err) != dberr.UndefinedTable {
		return rel, err
	}
	schema := "public"
	if s, rest, ok := strings.Cut(name, "."); ok && env.Txn.Catalog().Schema(s) != nil {
		schema, name = s, rest
	}
	return env.Txn.EnsureCollection(ctx, schema, name)
}

// Name is a relation's name as text arguments have it: with its schema unless that is public.
func Name(v *catalog.View, rel *catalog.Relation) string {
	if s := v.SchemaByID(rel.Schema); s != nil && s.Name != "public" {
		return s.Name + "." + rel.Name
	}
	return rel.Name
}

// Filter reads a filter argument; NULL is no filter.
func Filter(v value.Value) (filter.Expr, error) {
	if v.IsNull() {
		return nil, nil
	}
	d, err := Object("filter", v)
	if err != nil {
		return nil, err
	}
	return filter.Parse(d)
}

// Object reads an argument of type json as a document, by the rules of Extended JSON.
func Object(param string, v value.Value) (doc.Doc, error) {
	x, err := doc.ParseExtJSON(v.Bytes())
	if err != nil {
		return nil, err
	}
	if !x.IsObject() {
		return nil, dberr.New(dberr.InvalidParameterValue, "%s must be a JSON object", param)
	}
	return x.Doc(), nil
}

// Required refuses NULL (22023).
func Required(param string, v value.Value) error {
	if v.IsNull() {
		return dberr.New(dberr.InvalidParameterValue, "%s must not be null", param)
	}
	return nil
}

// Canonical gives what was built as json in the shell's form.
func Canonical(b *doc.Builder) (value.Value, error) {
	v, err := b.Value()
	if err != nil {
		return value.Null, err
	}
	return value.Bytes(v.AppendCanonical(nil)), nil
}
