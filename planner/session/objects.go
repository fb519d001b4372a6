package session

import (
	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/functions/pgfacts"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/value"
)

// Proc implements functions.Lookup.
func (l lookup) Proc(oid uint32) *functions.Proc {
	if p := l.s.srv.registry.Proc(oid); p != nil || oid < uint32(catalog.FirstUserID) {
		return p
	}
	if v := l.view(); v != nil {
		if f := v.Function(catalog.ID(oid)); f != nil {
			return functions.UserProc(f, l.TypeByOID)
		}
	}
	return nil
}

// ProcVisible implements functions.Lookup.
func (l lookup) ProcVisible(oid uint32) bool {
	p := l.Proc(oid)
	if p == nil {
		return pgfacts.Load().ByOID(oid) != nil
	}
	if p.Schema == 0 {
		return true
	}
	v := l.view()
	if v == nil {
		return false
	}
	sc := v.SchemaByID(catalog.ID(p.Schema))
	for _, name := range l.s.SearchPath(true) {
		if sc != nil && sc.Name == name {
			return true
		}
	}
	return false
}

// objectKinds are the words for the relations of each kind.
var objectKinds = map[catalog.Kind]string{
	catalog.Table: "table", catalog.Collection: "table", catalog.ViewKind: "view", catalog.MatViewKind: "materialized view", catalog.Sequence: "sequence",
}

// The catalogs that objects are in, by OID.
const (
	inClass     = 1259
	inType      = 1247
	inNamespace = 2615
	inProc      = 1255
	inRole      = 1260
	inDatabase  = 1262
)

// Object implements functions.Lookup.
func (l lookup) Object(class, oid uint32) (kind, schema, name string, ok bool) {
	v := l.view()
	if v == nil {
		return "", "", "", false
	}
	id := catalog.ID(oid)
	home := func(id catalog.ID) string {
		if sc := v.SchemaByID(id); sc != nil {
			return sc.Name
		}
		return "pg_catalog"
	}
	switch class {
	case inClass:
		if r := v.RelationByID(id); r != nil {
			return objectKinds[r.Kind], home(r.Schema), r.Name, true
		}
		if x := v.AnyIndex(id); x != nil {
			return "index", home(x.Schema), x.Name, true
		}
		schema, name, ok = l.RelationName(oid)
		return "table", schema, name, ok
	case inType:
		if t := l.TypeByOID(oid); t != nil {
			return "type", home(catalog.ID(t.Namespace)), t.Name, true
		}
	case inNamespace:
		if sc := v.SchemaByID(id); sc != nil {
			return "schema", "", sc.Name, true
		}
		if name, ok := l.s.srv.system.SchemaName(id); ok {
			return "schema", "", name, true
		}
	case inProc:
		if p := l.Proc(oid); p != nil {
			return "function", home(catalog.ID(p.Schema)), p.Name, true
		}
	case inRole:
		if r := v.RoleByID(id); r != nil {
			return "role", "", r.Name, true
		}
	case inDatabase:
		for _, d := range v.Databases() {
			if d.ID == id {
				return "database", "", d.Name, true
			}
		}
	}
	return "", "", "", false
}

// Comment implements functions.Lookup.
func (l lookup) Comment(class, oid uint32, sub int16) string {
	v := l.view()
	if v == nil {
		return ""
	}
	return l.s.srv.system.Comment(v, class, oid, sub)
}

// arrayType finds the array type of a user-made type by its OID, nil when there is none.
func arrayType(v *catalog.View, oid uint32) *value.Type {
	for _, t := range v.Types(0) {
		if t.Def.ArrayOID == oid && oid != 0 {
			return value.ArrayOf(t.Def)
		}
	}
	return nil
}

// shownType writes a type as format_type does: user-made ones with their schema unless the search path finds them.
func (n names) shownType(t *value.Type) string {
	if t.IsArray() && t.Elem.Namespace != 0 {
		return n.shownType(t.Elem) + "[]"
	}
	if t.Namespace == 0 {
		return t.SQL
	}
	v := lookup(n).view()
	if v == nil {
		return t.SQL
	}
	home := v.SchemaByID(catalog.ID(t.Namespace))
	for _, schema := range n.s.SearchPath(true) {
		if v.Type(schema, t.Name) == nil && v.Relation(schema, t.Name) == nil {
			continue
		}
		if home != nil && home.Name == schema {
			return plan.QuoteIdent(t.Name)
		}
		break
	}
	if home == nil {
		return plan.QuoteIdent(t.Name)
	}
	return plan.QuoteIdent(home.Name) + "." + plan.QuoteIdent(t.Name)
}
