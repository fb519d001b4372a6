package bind

import (
	"slices"
	"strings"

	pg_query "github.com/omgdb/omgdb/planner/parse/ast"

	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// dropKinds: the words of DROP, and for relations the kinds that each accepts.
var dropKinds = map[pg_query.ObjectType]struct {
	word  string
	kinds string // letters of catalog.Kind
	code  string // for a missing one
}{
	pg_query.ObjectType_OBJECT_TABLE:    {"TABLE", "rK", dberr.UndefinedTable},
	pg_query.ObjectType_OBJECT_VIEW:     {"VIEW", "v", dberr.UndefinedTable},
	pg_query.ObjectType_OBJECT_MATVIEW:  {"MATERIALIZED VIEW", "m", dberr.UndefinedTable},
	pg_query.ObjectType_OBJECT_SEQUENCE: {"SEQUENCE", "S", dberr.UndefinedTable},
	pg_query.ObjectType_OBJECT_INDEX:    {"INDEX", "", dberr.UndefinedObject},
	pg_query.ObjectType_OBJECT_SCHEMA:   {"SCHEMA", "", dberr.InvalidSchemaName},
	pg_query.ObjectType_OBJECT_TYPE:     {"TYPE", "", dberr.UndefinedObject},
	pg_query.ObjectType_OBJECT_DOMAIN:   {"DOMAIN", "", dberr.UndefinedObject},
}

// drop binds DROP of relations, indexes, schemas and types.
func (b *binder) drop(x *pg_query.DropStmt) (plan.Statement, error) {
	k, ok := dropKinds[x.RemoveType]
	if !ok {
		if st, err := b.dropRoutine(x); st != nil || err != nil {
			return st, err
		}
		return b.dropOther(x)
	}
	st := &plan.Drop{Kind: k.word, Cascade: x.Behavior == pg_query.DropBehavior_DROP_CASCADE, Concurrently: x.Concurrent}
	for _, n := range x.Objects {
		schema, name, err := b.dropName(n)
		if err != nil {
			return nil, err
		}
		t, err := b.dropTarget(x.RemoveType, schema, name)
		if err != nil {
			return nil, err
		}
		if t != nil {
			st.Targets = append(st.Targets, *t)
			continue
		}
		shown := name
		if schema != "" && k.kinds == "" && x.RemoveType != pg_query.ObjectType_OBJECT_INDEX {
			shown = schema + "." + name
		}
		kind := strings.ToLower(k.word)
		if x.RemoveType == pg_query.ObjectType_OBJECT_DOMAIN {
			kind = "type"
		}
		if !x.MissingOk {
			if schema != "" && b.Catalog.Schema(schema) == nil && !isVirtual(schema) && schema != "pg_temp" {
				return nil, dberr.New(dberr.InvalidSchemaName, "schema \"%s\" does not exist", schema)
			}
			return nil, dberr.New(k.code, "%s \"%s\" does not exist", kind, shown)
		}
		if schema != "" && b.Catalog.Schema(schema) == nil {
			st.Notices = append(st.Notices, "schema \""+schema+"\" does not exist, skipping")
		} else {
			st.Notices = append(st.Notices, kind+" \""+shown+"\" does not exist, skipping")
		}
	}
	return st, nil
}

// dropName gives the parts of an object's name in DROP.
func (b *binder) dropName(n *pg_query.Node) (schema, name string, err error) {
	switch x := n.Node.(type) {
	case *pg_query.Node_List:
		return b.qualified(strs(x.List.Items), -1)
	case *pg_query.Node_String_:
		return "", x.String_.Sval, nil
	case *pg_query.Node_TypeName:
		return b.qualified(strs(x.TypeName.Names), -1)
	}
	return "", "", dberr.New(dberr.SyntaxError, "a name is wanted here")
}

// dropTarget finds one object; nil when there is none, an error when it is something else.
func (b *binder) dropTarget(kind pg_query.ObjectType, schema, name string) (*plan.DropTarget, error) {
	t := &plan.DropTarget{Name: plan.ObjName{Schema: schema, Name: name}}
	switch kind {
	case pg_query.ObjectType_OBJECT_SCHEMA:
		if isVirtual(name) || name == ownSchema {
			return nil, dberr.New(dberr.DependentObjectsStillExist, "cannot drop schema %s because it is required by the database system", name)
		}
		if b.Catalog.Schema(name) == nil {
			return nil, nil
		}
		return t, nil
	case pg_query.ObjectType_OBJECT_TYPE, pg_query.ObjectType_OBJECT_DOMAIN:
		return b.dropType(kind, t)
	case pg_query.ObjectType_OBJECT_INDEX:
		ix, rel := b.lookupIndex(schema, name)
		if rel == nil {
			if r := b.lookupRelation(schema, name); r != nil {
				return nil, wrongKind(r, "an index")
			}
			return nil, nil
		}
		if ix == nil || ix.Constraint {
			return nil, dberr.New(dberr.DependentObjectsStillExist, "cannot drop index %s because constraint %s on table %s requires it", name, name, rel.Name).
				WithHint("You can drop constraint %s on table %s instead.", name, rel.Name)
		}
		t.Index, t.Table, t.Name.Schema = ix, b.usesRelation(rel), b.schemaName(rel)
		return t, nil
	}
	rel := b.lookupRelation(schema, name)
	if rel == nil {
		if _, r := b.lookupIndex(schema, name); r != nil {
			return nil, dberr.New(dberr.WrongObjectType, "\"%s\" is not %s", name, article2(dropKinds[kind].word)).WithHint("Use DROP INDEX to remove an index.")
		}
		return nil, nil
	}
	if !strings.ContainsRune(dropKinds[kind].kinds, rune(rel.Kind)) {
		return nil, wrongKind(rel, article2(dropKinds[kind].word))
	}
	t.Rel, t.Name.Schema = rel, b.schemaName(rel)
	return t, nil
}

// wrongKind is the error for DROP with another kind's word.
func wrongKind(rel *catalog.Relation, want string) error {
	kind := kindName(rel.Kind, false)
	return dberr.New(dberr.WrongObjectType, "\"%s\" is not %s", rel.Name, want).
		WithHint("Use DROP %s to remove %s.", strings.ToUpper(kind), article2(strings.ToUpper(kind)))
}

func article2(word string) string {
	w := strings.ToLower(word)
	if strings.ContainsRune("aeiou", rune(w[0])) {
		return "an " + w
	}
	return "a " + w
}

func (b *binder) dropType(kind pg_query.ObjectType, t *plan.DropTarget) (*plan.DropTarget, error) {
	ty := b.typeNamed(t.Name.Schema, t.Name.Name)
	if ty == nil {
		return nil, nil
	}
	def := b.Catalog.TypeByID(catalog.ID(ty.OID))
	if def == nil {
		if r := b.Catalog.RelationByID(catalog.RelationOfRows(ty.OID)); r != nil {
			return nil, dberr.New(dberr.DependentObjectsStillExist, "cannot drop type %s because table %s requires it", r.Name, r.Name).
				WithHint("You can drop table %s instead.", r.Name)
		}
		return nil, dberr.New(dberr.DependentObjectsStillExist, "cannot drop type %s because it is required by the database system", ty.SQL)
	}
	if r := b.Catalog.TypeByID(def.Partner); ty.Class == value.MultiClass && r != nil {
		return nil, dberr.New(dberr.DependentObjectsStillExist, "cannot drop type %s because type %s requires it", ty.SQL, r.Def.SQL).
			WithHint("You can drop type %s instead.", r.Def.SQL)
	}
	if kind == pg_query.ObjectType_OBJECT_DOMAIN && ty.Class != value.Domain {
		return nil, dberr.New(dberr.WrongObjectType, "\"%s\" is not a domain", ty.Name)
	}
	t.Type = ty
	if sc := b.Catalog.SchemaByID(def.Schema); sc != nil {
		t.Name.Schema = sc.Name
	}
	return t, nil
}

func quotedUnlessCall(name string) string {
	if strings.HasSuffix(name, ")") {
		return name
	}
	return "\"" + name + "\""
}

// objectText writes an object's name for messages.
func (b *binder) objectText(n *pg_query.Node) string {
	switch x := n.Node.(type) {
	case *pg_query.Node_List:
		return strings.Join(strs(x.List.Items), ".")
	case *pg_query.Node_ObjectWithArgs:
		var args []string
		for _, a := range x.ObjectWithArgs.Objargs {
			args = append(args, b.shownType(a.GetTypeName()))
		}
		if x.ObjectWithArgs.ArgsUnspecified {
			return strings.Join(strs(x.ObjectWithArgs.Objname), ".")
		}
		return strings.Join(strs(x.ObjectWithArgs.Objname), ".") + "(" + strings.Join(args, ",") + ")"
	}
	return constText(n)
}

func (b *binder) truncate(x *pg_query.TruncateStmt) (plan.Statement, error) {
	st := &plan.Truncate{Restart: x.RestartSeqs, Cascade: x.Behavior == pg_query.DropBehavior_DROP_CASCADE}
	for _, n := range x.Relations {
		rel, err := b.relation(n.GetRangeVar())
		if err != nil {
			return nil, err
		}
		if rel.Kind != catalog.Table && rel.Kind != catalog.Collection {
			return nil, dberr.New(dberr.WrongObjectType, "\"%s\" is not a table", rel.Name)
		}
		st.Rels = append(st.Rels, rel)
	}
	return st, nil
}

// commentKinds are the words of COMMENT ON.
var commentKinds = map[pg_query.ObjectType]string{
	pg_query.ObjectType_OBJECT_TABLE: "TABLE", pg_query.ObjectType_OBJECT_VIEW: "VIEW", pg_query.ObjectType_OBJECT_MATVIEW: "MATERIALIZED VIEW",
	pg_query.ObjectType_OBJECT_SEQUENCE: "SEQUENCE", pg_query.ObjectType_OBJECT_INDEX: "INDEX", pg_query.ObjectType_OBJECT_COLUMN: "COLUMN",
	pg_query.ObjectType_OBJECT_SCHEMA: "SCHEMA", pg_query.ObjectType_OBJECT_TYPE: "TYPE", pg_query.ObjectType_OBJECT_DOMAIN: "DOMAIN",
	pg_query.ObjectType_OBJECT_DATABASE: "DATABASE", pg_query.ObjectType_OBJECT_ROLE: "ROLE", pg_query.ObjectType_OBJECT_EXTENSION: "EXTENSION",
	pg_query.ObjectType_OBJECT_TABCONSTRAINT: "CONSTRAINT", pg_query.ObjectType_OBJECT_FUNCTION: "FUNCTION",
	pg_query.ObjectType_OBJECT_PROCEDURE: "PROCEDURE", pg_query.ObjectType_OBJECT_ROUTINE: "ROUTINE",
}

func (b *binder) comment(x *pg_query.CommentStmt) (plan.Statement, error) {
	kind, ok := commentKinds[x.Objtype]
	if !ok {
		return nil, dberr.New(dberr.FeatureNotSupported, "comments on this kind of object are not supported")
	}
	st := &plan.Comment{Kind: kind}
	if x.Comment != "" {
		st.Text = &x.Comment
	}
	if o := x.Object.GetObjectWithArgs(); o != nil {
		var err error
		if st.Func, err = b.namedRoutine(o, x.Objtype); err == nil && st.Func == nil && b.builtinRoutine(o) == "" {
			_, err = b.mustRoutine(o, x.Objtype)
		}
		return st, err
	}
	names := objectNames(x.Object)
	if x.Objtype == pg_query.ObjectType_OBJECT_COLUMN {
		st.Column, names = names[len(names)-1], names[:len(names)-1]
	}
	if x.Objtype == pg_query.ObjectType_OBJECT_TABCONSTRAINT {
		st.Column, names = names[len(names)-1], names[:len(names)-1]
	}
	if kind == "SCHEMA" || kind == "DATABASE" || kind == "ROLE" || kind == "EXTENSION" || kind == "FUNCTION" {
		st.Name.Name = strings.Join(names, ".")
		if kind == "SCHEMA" && b.Catalog.Schema(st.Name.Name) == nil {
			return nil, dberr.New(dberr.InvalidSchemaName, "schema \"%s\" does not exist", st.Name.Name)
		}
		return st, nil
	}
	schema, name, err := b.qualified(names, -1)
	if err != nil {
		return nil, err
	}
	st.Name = plan.ObjName{Schema: schema, Name: name}
	switch kind {
	case "TYPE", "DOMAIN":
		if st.Type = b.typeNamed(schema, name); st.Type == nil {
			return nil, dberr.New(dberr.UndefinedObject, "type \"%s\" does not exist", name)
		}
		return st, nil
	case "INDEX":
		ix, rel := b.lookupIndex(schema, name)
		if rel == nil {
			return nil, dberr.New(dberr.UndefinedTable, "relation \"%s\" does not exist", name)
		}
		if ix != nil {
			st.Name.Schema, st.Index = b.schemaName(rel), ix
		}
		return st, nil
	}
	if st.Rel = b.lookupRelation(schema, name); st.Rel == nil {
		return nil, dberr.New(dberr.UndefinedTable, "relation \"%s\" does not exist", strings.Join(names, "."))
	}
	st.Name.Schema = b.schemaName(st.Rel)
	if kind == "CONSTRAINT" && !hasConstraint(b.Catalog, st.Rel, st.Column) {
		return nil, dberr.New(dberr.UndefinedObject, "constraint \"%s\" for table \"%s\" does not exist", st.Column, st.Rel.Name)
	}
	if kind == "COLUMN" && findColumn(st.Rel, st.Column) == nil {
		return nil, dberr.New(dberr.UndefinedColumn, "column \"%s\" of relation \"%s\" does not exist", st.Column, st.Rel.Name)
	}
	return st, nil
}

// hasConstraint tells whether a relation has a constraint of a name.
func hasConstraint(v *catalog.View, rel *catalog.Relation, name string) bool {
	return rel.PrimaryName == name && name != "" ||
		slices.ContainsFunc(rel.Checks, func(k catalog.Check) bool { return k.Name == name }) ||
		slices.ContainsFunc(rel.Foreign, func(f catalog.ForeignKey) bool { return f.Name == name }) ||
		slices.ContainsFunc(v.IndexesOf(rel), func(x *catalog.Index) bool { return x.Constraint && x.Name == name })
}

// objectNames gives the parts of an object's name.
func objectNames(n *pg_query.Node) []string {
	switch x := n.Node.(type) {
	case *pg_query.Node_List:
		return strs(x.List.Items)
	case *pg_query.Node_TypeName:
		return strs(x.TypeName.Names)
	case *pg_query.Node_ObjectWithArgs:
		return strs(x.ObjectWithArgs.Objname)
	}
	return []string{constText(n)}
}
