package session

import (
	"context"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/functions/pgfacts"
	"github.com/omgdb/omgdb/planner/bind"
	"github.com/omgdb/omgdb/planner/parse"
	"github.com/omgdb/omgdb/planner/pgcatalog"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/value"
)

// lookup implements functions.Lookup over the catalog as the running statement sees it.
type lookup struct{ s *Session }

// view is nil only when the store is closing.
func (l lookup) view() *catalog.View {
	v, err := l.s.view()
	if err != nil {
		return nil
	}
	return v
}

// TypeByOID implements functions.Lookup.
func (l lookup) TypeByOID(oid uint32) *value.Type {
	if t := value.ByOID(oid); t != nil {
		return t
	}
	if v := l.view(); v != nil {
		if t := v.TypeByID(catalog.ID(oid)); t != nil {
			return t.Def
		}
		if t := arrayType(v, oid); t != nil {
			return t
		}
		return bind.RowTypeByOID(v, oid)
	}
	return nil
}

// TypeByName implements functions.Lookup.
func (l lookup) TypeByName(name string) *value.Type {
	if t := builtinTypes[name]; t != nil && name != "char" { // char is SQL's word for character
		return t
	}
	parts, ok := splitQualified(name)
	if ok && len(parts) == 2 && parts[0] == "pg_catalog" && builtinTypes[parts[1]] != nil {
		return builtinTypes[parts[1]]
	}
	if v := l.view(); v != nil && ok {
		schemas := l.s.schemas()
		if len(parts) == 2 {
			schemas, parts = parts[:1], parts[1:]
		}
		for _, schema := range schemas {
			if t := v.Type(schema, parts[0]); t != nil && len(parts) == 1 {
				return t.Def
			}
		}
	}
	return l.parseType(name)
}

// parseType reads a type as SQL writes it (timestamp(3) with time zone, int[], pg_catalog.int4), nil when it is none.
func (l lookup) parseType(name string) *value.Type {
	text := "NULL::" + name
	n, err := parse.ParseExpr(text)
	if err != nil || n.GetTypeCast() == nil {
		return nil
	}
	v := l.view()
	if v == nil {
		return nil
	}
	e, err := bind.Expr(context.Background(), l.s.bindContext(v, nil), text, nil, nil, nil, -1)
	if err != nil {
		return nil
	}
	return e.Type()
}

var builtinTypes = func() map[string]*value.Type {
	m := map[string]*value.Type{}
	for _, t := range value.Builtins() {
		m[t.Name] = t
	}
	for _, t := range value.Builtins() {
		m[t.SQL] = t
	}
	return m
}()

// RelationName implements functions.Lookup.
func (l lookup) RelationName(oid uint32) (schema, name string, ok bool) {
	v := l.view()
	if v == nil {
		return "", "", false
	}
	if r := v.RelationByID(catalog.ID(oid)); r != nil {
		if sc := v.SchemaByID(r.Schema); sc != nil {
			return sc.Name, r.Name, true
		}
	}
	if x := v.AnyIndex(catalog.ID(oid)); x != nil {
		if sc := v.SchemaByID(x.Schema); sc != nil {
			return sc.Name, x.Name, true
		}
	}
	if t := v.TypeByID(pgcatalog.CompositeType(oid)); t != nil {
		if sc := v.SchemaByID(t.Schema); sc != nil {
			return sc.Name, t.Name, true
		}
	}
	return l.s.srv.system.Describe(oid)
}

// RelationOID implements functions.Lookup: name may be qualified and quoted.
func (l lookup) RelationOID(name string) (uint32, bool) {
	v := l.view()
	if v == nil {
		return 0, false
	}
	parts, ok := splitQualified(name)
	if !ok {
		return 0, false
	}
	find := func(schema, rel string) (uint32, bool) {
		if oid := l.s.srv.system.OID(schema, rel); oid != 0 {
			return oid, true
		}
		if schema == tempSchema {
			schema = l.s.temp
		}
		sc := v.Schema(schema)
		if sc == nil {
			return 0, false
		}
		if d := v.Find(catalog.RelationClass, sc.ID, rel); d != nil {
			return uint32(d.OID()), true
		}
		if t := v.Type(schema, rel); t != nil && t.Def.Class == value.Composite {
			return pgcatalog.CompositeClass(t.ID), true
		}
		for _, r := range v.Relations(sc.ID) { // primary keys have a name and an OID, but no descriptor
			if r.PrimaryID != 0 && r.PrimaryName == rel {
				return uint32(r.PrimaryID), true
			}
		}
		return 0, false
	}
	if len(parts) == 3 && parts[0] == l.s.Database() {
		parts = parts[1:]
	}
	if len(parts) == 2 {
		return find(parts[0], parts[1])
	}
	if len(parts) == 1 {
		for _, schema := range l.s.SearchPath(true) {
			if oid, ok := find(schema, parts[0]); ok {
				return oid, true
			}
		}
	}
	return 0, false
}

// ProcName implements functions.Lookup.
func (l lookup) ProcName(oid uint32) (string, bool) {
	switch f := l.s.srv.registry.ByOID(oid).(type) {
	case *functions.Scalar:
		return f.Name, true
	case *functions.Aggregate:
		return f.Name, true
	case *functions.Window:
		return f.Name, true
	case *functions.Table:
		return f.Name, true
	}
	if p := l.Proc(oid); p != nil {
		return p.Name, true
	}
	if p := pgfacts.Load().ByOID(oid); p != nil {
		return p.Name, true
	}
	return "", false
}

// splitQualified reads a dotted name of identifiers, quoted or not.
func splitQualified(name string) ([]string, bool) {
	var list []byte
	quoted := false
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case c == '"':
			quoted = !quoted
			list = append(list, c)
		case c == '.' && !quoted:
			list = append(list, ',')
		default:
			list = append(list, c)
		}
	}
	return splitNames(string(list))
}
