package bind

import (
	"slices"
	"strconv"
	"strings"

	pg_query "github.com/omgdb/omgdb/planner/parse/ast"

	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// ownSchema holds OMGDB's functions; it is searched last and never shown in search_path.
const ownSchema = "omgdb"

// maxName is the longest name in bytes: longer ones are refused, never cut.
const maxName = 63

// strs gives the strings of a list of String nodes; an A_Star is "*".
func strs(list []*pg_query.Node) []string {
	out := make([]string, 0, len(list))
	for _, n := range list {
		switch x := n.Node.(type) {
		case *pg_query.Node_String_:
			out = append(out, x.String_.Sval)
		case *pg_query.Node_AStar:
			out = append(out, "*")
		case *pg_query.Node_AConst:
			out = append(out, constText(n))
		}
	}
	return out
}

// constInt gives the value of an integer constant.
func constInt(n *pg_query.Node) (int32, bool) {
	switch x := n.Node.(type) {
	case *pg_query.Node_AConst:
		if x.AConst.Isnull {
			return 0, false
		}
		if i, ok := x.AConst.Val.(*pg_query.A_Const_Ival); ok {
			return i.Ival.Ival, true
		}
	case *pg_query.Node_Integer:
		return x.Integer.Ival, true
	case *pg_query.Node_TypeCast:
		return constInt(x.TypeCast.Arg)
	case *pg_query.Node_AExpr:
		if x.AExpr.Lexpr == nil && len(x.AExpr.Name) == 1 && strs(x.AExpr.Name)[0] == "-" {
			v, ok := constInt(x.AExpr.Rexpr)
			return -v, ok
		}
	}
	return 0, false
}

// constText gives the text of a constant or a bare name, as options are written.
func constText(n *pg_query.Node) string {
	switch x := n.GetNode().(type) {
	case *pg_query.Node_String_:
		return x.String_.Sval
	case *pg_query.Node_Integer:
		return strconv.Itoa(int(x.Integer.Ival))
	case *pg_query.Node_Float:
		return x.Float.Fval
	case *pg_query.Node_Boolean:
		return strconv.FormatBool(x.Boolean.Boolval)
	case *pg_query.Node_ColumnRef:
		return strings.Join(strs(x.ColumnRef.Fields), ".")
	case *pg_query.Node_TypeName:
		return strs(x.TypeName.Names)[len(x.TypeName.Names)-1]
	case *pg_query.Node_AConst:
		switch v := x.AConst.Val.(type) {
		case *pg_query.A_Const_Sval:
			return v.Sval.Sval
		case *pg_query.A_Const_Ival:
			return strconv.Itoa(int(v.Ival.Ival))
		case *pg_query.A_Const_Fval:
			return v.Fval.Fval
		case *pg_query.A_Const_Boolval:
			return strconv.FormatBool(v.Boolval.Boolval)
		case *pg_query.A_Const_Bsval:
			return v.Bsval.Bsval
		}
	}
	return ""
}

// qualified splits a name of one to three parts; a database part must be the current one.
func (b *binder) qualified(names []string, pos int) (schema, name string, err error) {
	switch len(names) {
	case 1:
		return "", names[0], nil
	case 2:
		return names[0], names[1], nil
	case 3:
		if names[0] != b.Database {
			return "", "", errAt(pos, dberr.FeatureNotSupported, "cross-database references are not implemented: %s", strings.Join(names, "."))
		}
		return names[1], names[2], nil
	}
	return "", "", errAt(pos, dberr.SyntaxError, "improper qualified name (too many dotted names): %s", strings.Join(names, "."))
}

// path is the search path with the schemas that are searched without being listed.
func (b *binder) path() []string {
	p := make([]string, 0, len(b.SearchPath)+2)
	if b.TempSchema != "" && !slices.Contains(b.SearchPath, b.TempSchema) && !slices.Contains(b.SearchPath, "pg_temp") {
		p = append(p, b.TempSchema)
	}
	if !slices.Contains(b.SearchPath, "pg_catalog") {
		p = append(p, "pg_catalog")
	}
	for _, s := range b.SearchPath {
		if s == "pg_temp" {
			if s = b.TempSchema; s == "" {
				continue
			}
		}
		p = append(p, s)
	}
	return p
}

// isVirtual tells whether the relations of a schema are computed.
func isVirtual(schema string) bool { return schema == "pg_catalog" || schema == "information_schema" }

// lookupRelation finds a stored relation (table, collection, view, sequence), nil when there is none.
func (b *binder) lookupRelation(schema, name string) *catalog.Relation {
	if schema == "pg_temp" {
		schema = b.TempSchema
	}
	if schema != "" {
		b.uses(schema)
		if r := b.Catalog.Relation(schema, name); r != nil {
			return b.usesRelation(r)
		}
		if b.Catalog.Schema(schema) == nil {
			// A collection's name may have a dot in it.
			return b.lookupRelation("", schema+"."+name)
		}
		return nil
	}
	for _, s := range b.path() {
		b.uses(s)
		if isVirtual(s) && b.Virtual != nil && b.Virtual(s, name) != nil {
			return nil
		}
		if r := b.Catalog.Relation(s, name); r != nil {
			return b.usesRelation(r)
		}
	}
	return nil
}

// virtual finds a computed relation, in the same order as lookupRelation; the schema that has it.
func (b *binder) virtualSchema(schema, name string) string {
	if b.Virtual == nil {
		return ""
	}
	if schema != "" {
		if isVirtual(schema) && b.Virtual(schema, name) != nil {
			return schema
		}
		return ""
	}
	for _, s := range b.path() {
		if isVirtual(s) && b.Virtual(s, name) != nil {
			return s
		}
	}
	return ""
}

// uses records that the plan depends on the names in a schema.
func (b *binder) uses(schema string) {
	if s := b.Catalog.Schema(schema); s != nil {
		if b.deps.Schemas == nil {
			b.deps.Schemas = map[catalog.ID]uint64{}
		}
		b.deps.Schemas[s.ID] = b.Catalog.NameSet(s.ID)
	}
	b.deps.SchemaList = b.Catalog.NameSet(b.Catalog.Database())
}

func (b *binder) usesType(t *catalog.Type) *catalog.Type {
	if b.deps.Types == nil {
		b.deps.Types = map[catalog.ID]uint64{}
	}
	b.deps.Types[t.ID] = t.Version
	return t
}

// usesNamed records that a literal of type t, one of the reg* types, names the object with the OID.
func (b *binder) usesNamed(t *value.Type, oid catalog.ID) {
	if oid < catalog.FirstUserID {
		return
	}
	switch t.OID {
	case value.RegClass.OID:
		if r := b.Catalog.RelationByID(oid); r != nil {
			b.usesRelation(r)
			return
		}
	case value.RegType.OID:
		if d := b.Catalog.TypeByID(oid); d != nil {
			b.usesType(d)
			return
		}
	case value.RegProc.OID, value.RegProcedure.OID:
		if f := b.Catalog.Function(oid); f != nil {
			b.usesFunction(f)
			return
		}
	case value.RegNamespace.OID, value.RegRole.OID:
	default:
		return
	}
	b.deps.NoCache = true
}

func (b *binder) usesRelation(r *catalog.Relation) *catalog.Relation {
	if b.deps.Relations == nil {
		b.deps.Relations = map[catalog.ID]uint64{}
	}
	b.deps.Relations[r.ID] = r.Version
	if b.inView == 0 && !slices.Contains(b.named, r.ID) {
		b.named = append(b.named, r.ID)
	}
	return r
}

// relation finds the relation that a RangeVar names, or is 42P01. Like PostgreSQL, only queries tell where the name stands.
func (b *binder) relation(rv *pg_query.RangeVar) (*catalog.Relation, error) {
	r, err := b.relationAt(rv)
	if err != nil {
		return nil, dropPosition(err)
	}
	return r, nil
}

// relationAt is relation with the position in its error.
func (b *binder) relationAt(rv *pg_query.RangeVar) (*catalog.Relation, error) {
	if err := b.checkDatabase(rv); err != nil {
		return nil, err
	}
	if r := b.lookupRelation(rv.Schemaname, rv.Relname); r != nil {
		return r, nil
	}
	return nil, noRelation(rv)
}

func (b *binder) checkDatabase(rv *pg_query.RangeVar) error {
	if rv.Catalogname != "" && rv.Catalogname != b.Database {
		return errAt(loc(rv.Location), dberr.FeatureNotSupported, "cross-database references are not implemented: \"%s.%s.%s\"", rv.Catalogname, rv.Schemaname, rv.Relname)
	}
	return nil
}

func noRelation(rv *pg_query.RangeVar) error {
	name := rv.Relname
	if rv.Schemaname != "" {
		name = rv.Schemaname + "." + name
	}
	return errAt(loc(rv.Location), dberr.UndefinedTable, "relation \"%s\" does not exist", name)
}

// creationSchema is where CREATE puts an object of the given name.
func (b *binder) creationSchema(schema, name string, temp bool, pos int) (*catalog.Schema, error) {
	switch {
	case temp || schema == "pg_temp":
		if schema != "" && schema != "pg_temp" && schema != b.TempSchema {
			return nil, errAt(pos, dberr.InvalidTableDef, "cannot create temporary relation in non-temporary schema")
		}
		// The session makes its schema of temporary objects when it makes the first one.
		if s := b.Catalog.Schema(b.TempSchema); s != nil && b.TempSchema != "" {
			return s, nil
		}
		return &catalog.Schema{Name: "pg_temp"}, nil
	case schema != "":
		if isVirtual(schema) || schema == ownSchema {
			return nil, dberr.New(dberr.InsufficientPrivilege, "permission denied to create \"%s.%s\"", schema, name).WithDetail("System catalog modifications are currently disallowed.")
		}
		s := b.Catalog.Schema(schema)
		if s == nil {
			return nil, errAt(pos, dberr.InvalidSchemaName, "schema \"%s\" does not exist", schema)
		}
		b.uses(schema)
		return s, nil
	}
	for _, name := range b.SearchPath {
		if s := b.Catalog.Schema(name); s != nil && !isVirtual(name) {
			b.uses(name)
			return s, nil
		}
	}
	return nil, errAt(pos, dberr.InvalidSchemaName, "no schema has been selected to create in")
}

// checkName refuses names that are too long to be kept whole.
func checkName(name string, pos int) error {
	if len(name) > maxName {
		return errAt(pos, dberr.NameTooLong, "identifier \"%s\" is too long", name).WithDetail("Names have at most %d bytes.", maxName)
	}
	return nil
}

// liveColumns are the columns that a relation shows. A collection shows _id and doc.
func liveColumns(r *catalog.Relation) []catalog.Column {
	if r.Kind == catalog.Collection {
		return collectionColumns
	}
	out := make([]catalog.Column, 0, len(r.Columns))
	for _, c := range r.Columns {
		if !c.Dropped {
			out = append(out, c)
		}
	}
	return out
}

// collectionColumns are the two columns of every collection.
var collectionColumns = []catalog.Column{
	{Num: 1, Name: "_id", Field: "_id", Type: value.Text, Mod: -1, NotNull: true},
	{Num: 2, Name: "doc", Type: value.JSONB, Mod: -1, NotNull: true},
}

func findColumn(r *catalog.Relation, name string) *catalog.Column {
	cols := liveColumns(r)
	for i := range cols {
		if cols[i].Name == name {
			return &cols[i]
		}
	}
	return nil
}
