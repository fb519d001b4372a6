package sysfunc

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/functions/scalar"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// descriptions lists the functions about types' names and objects' comments.
func descriptions() []def {
	return []def{
		{Sig: "format_type(oid,int4)", Eval: env(formatType)},
		{Sig: "obj_description(oid)", Eval: env(func(e *functions.Env, a []val) (val, error) { return anyComment(e, uint32(a[0].Int())), nil })},
		{Sig: "obj_description(oid,name)", Eval: env(objectComment)},
		{Sig: "shobj_description(oid,name)", Eval: env(objectComment)},
		{Sig: "col_description(oid,int4)", Eval: env(func(e *functions.Env, a []val) (val, error) {
			return textOrNull(e.Lookup.Comment(classRelation, uint32(a[0].Int()), int16(a[1].Int()))), nil
		})},
		{Sig: "pg_describe_object(oid,oid,int4)", Eval: env(describeObject)},
		{Sig: "pg_get_userbyid(oid)", Eval: env(userByID)},
		{Sig: "pg_tablespace_location(oid)", Eval: fixed(text(""))},
		{Sig: "pg_relation_is_publishable(regclass)", Eval: env(func(e *functions.Env, a []val) (val, error) {
			r := e.Txn.Catalog().RelationByID(catalog.ID(a[0].Int()))
			return value.Bool(r != nil && (r.Kind == catalog.Table || r.Kind == catalog.Collection) && !r.Temp), nil
		})},
	}
}

// The catalogs that objects are in.
const (
	classRelation = 1259
	classType     = 1247
	classProc     = 1255
)

// catalogOIDs are the catalogs whose objects can have comments, by name.
var catalogOIDs = map[string]uint32{
	"pg_class": classRelation, "pg_type": classType, "pg_proc": classProc, "pg_namespace": 2615, "pg_constraint": 2606, "pg_operator": 2617,
	"pg_database": 1262, "pg_authid": 1260, "pg_am": 2601, "pg_opclass": 2616, "pg_opfamily": 2753, "pg_language": 2612, "pg_collation": 3456,
	"pg_cast": 2605, "pg_tablespace": 1213, "pg_extension": 3079, "pg_conversion": 2607, "pg_ts_config": 3602, "pg_ts_dict": 3600,
	"pg_ts_parser": 3601, "pg_ts_template": 3764, "pg_trigger": 2620, "pg_rewrite": 2618, "pg_policy": 3256, "pg_attrdef": 2604,
}

func objectComment(e *functions.Env, a []val) (val, error) {
	class, ok := catalogOIDs[a[1].Str()]
	if !ok {
		return value.Null, nil
	}
	return textOrNull(e.Lookup.Comment(class, uint32(a[0].Int()), 0)), nil
}

// anyComment looks in every catalog: the form with an OID alone cannot tell them apart.
func anyComment(e *functions.Env, oid uint32) val {
	for _, class := range []uint32{classRelation, classType, 2615, 2606, classProc, 2617, 1262} {
		if s := e.Lookup.Comment(class, oid, 0); s != "" {
			return text(s)
		}
	}
	return value.Null
}

func formatType(e *functions.Env, a []val) (val, error) {
	if a[0].IsNull() {
		return value.Null, nil
	}
	oid, mod := uint32(a[0].Int()), int32(-1)
	if !a[1].IsNull() {
		mod = int32(a[1].Int())
	} else if oid == value.BPChar.OID {
		return text("character"), nil
	}
	return text(formatted(e, oid, mod)), nil
}

func formatted(e *functions.Env, oid uint32, mod int32) string {
	if oid == 0 {
		return "-"
	}
	t := e.Lookup.TypeByOID(oid)
	if t == nil {
		return "???"
	}
	if t.OID == value.BPChar.OID && mod < 0 {
		return "bpchar"
	}
	return ShownType(e, t, mod)
}

// ShownType writes a type as SQL reads it: user-made ones with their schema, unless the search path finds them.
func ShownType(e *functions.Env, t *value.Type, mod int32) string {
	if t.IsArray() && t.Elem.Namespace != 0 {
		return ShownType(e, t.Elem, mod) + "[]"
	}
	if t.Namespace == 0 {
		return value.FormatMod(t, mod)
	}
	if typeVisibleIn(e, t) {
		return quoteIdent(t.Name)
	}
	return qualified(e.Txn.Catalog(), catalog.ID(t.Namespace), t.Name)
}

// typeVisibleIn tells whether a user-made type is found by its bare name.
func typeVisibleIn(e *functions.Env, t *value.Type) bool {
	view := e.Txn.Catalog()
	for _, schema := range e.Session.SearchPath(true) {
		sc := view.Schema(schema)
		if sc == nil {
			continue
		}
		if uint32(sc.ID) == t.Namespace {
			return true
		}
		if view.Type(schema, t.Name) != nil {
			return false
		}
	}
	return false
}

func userByID(e *functions.Env, a []val) (val, error) {
	if r := e.Txn.Catalog().RoleByID(catalog.ID(a[0].Int())); r != nil {
		return text(r.Name), nil
	}
	return text("unknown (OID=" + strconv.FormatInt(a[0].Int(), 10) + ")"), nil
}

// describeObject names an object in words, as in messages about dependencies.
func describeObject(e *functions.Env, a []val) (val, error) {
	class, oid, sub := uint32(a[0].Int()), uint32(a[1].Int()), a[2].Int()
	if oid == 0 {
		return value.Null, nil
	}
	kind, schema, name, ok := e.Lookup.Object(class, oid)
	if !ok {
		return value.Null, nil
	}
	s := quoteIdent(name)
	if schema != "" && schema != "pg_catalog" && !onPath(e, schema) {
		s = quoteIdent(schema) + "." + s
	}
	s = kind + " " + s
	if r := e.Txn.Catalog().RelationByID(catalog.ID(oid)); r != nil && sub != 0 {
		if c := r.Attr(int16(sub)); c != nil {
			s = "column " + quoteIdent(c.Name) + " of " + s
		}
	}
	return text(s), nil
}

func onPath(e *functions.Env, schema string) bool {
	for _, s := range e.Session.SearchPath(true) {
		if s == schema {
			return true
		}
	}
	return false
}

// quoteIdent writes an identifier as SQL reads it.
func quoteIdent(s string) string { return scalar.QuoteIdent(s) }

func qualified(v *catalog.View, schema catalog.ID, name string) string {
	if s := v.SchemaByID(schema); s != nil {
		return quoteIdent(s.Name) + "." + quoteIdent(name)
	}
	return quoteIdent(name)
}

// noRelation is the error of a relation that isn't there.
func noRelation(name string) error {
	return dberr.New(dberr.UndefinedTable, `relation "%s" does not exist`, name)
}

// regclassLiteral is a constant of type regclass in stored text.
var regclassLiteral = regexp.MustCompile(`'((?:[^']|'')+)'::regclass`)

// ShownExpr writes a stored expression for a reader: relations that constants name, and users' types, have their schema only when the
// search path doesn't find them without.
func ShownExpr(e *functions.Env, stored string) string {
	if e == nil || e.Format == nil || e.Format.Names == nil || !strings.Contains(stored, "::") {
		return stored
	}
	if strings.Contains(stored, "::regclass") {
		stored = regclassLiteral.ReplaceAllStringFunc(stored, func(lit string) string {
			name := strings.ReplaceAll(regclassLiteral.FindStringSubmatch(lit)[1], "''", "'")
			oid, err := strconv.ParseUint(name, 10, 32)
			known := uint32(oid)
			if err != nil {
				known, err = e.Format.Names.OIDOf(value.RegClass, name)
			}
			if err != nil {
				return lit
			}
			shown, ok := e.Format.Names.NameOf(value.RegClass, known)
			if !ok {
				return lit
			}
			return "'" + strings.ReplaceAll(shown, "'", "''") + "'::regclass"
		})
	}
	return qualifiedCast.ReplaceAllStringFunc(stored, func(part string) string {
		name, cast := strings.CutPrefix(part, "::")
		if !cast {
			return part // a literal, whatever stands in it
		}
		t := e.Lookup.TypeByName(name)
		if t == nil || t.Namespace == 0 {
			return part
		}
		return "::" + ShownType(e, t, -1)
	})
}

// qualifiedCast finds literals, so as to pass over them, and casts to types that are written with their schema.
var qualifiedCast = regexp.MustCompile(`'(?:[^']|'')*'|::(?:"(?:[^"]|"")+"|[a-z_][a-z0-9_$]*)\.(?:"(?:[^"]|"")+"|[a-z_][a-z0-9_$]*)`)
