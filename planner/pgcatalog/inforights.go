package pgcatalog

import (
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/value"
)

// given is one right that a role has on an object: a row of the views of privileges in information_schema.
type given struct {
	class   class
	col     string
	schema  catalog.ID
	name    string
	kind    string // of usage_privileges
	right   string
	option  bool
	role    catalog.ID
	grantor catalog.ID
}

func grants(kind catalog.Guarded, owner catalog.ID, stored []string, g given) []given {
	var out []given
	for _, x := range catalog.ACLOf(kind, owner, stored) {
		for _, name := range x.Rights.Names() {
			n := g
			n.right, n.role, n.grantor = name, x.Role, x.Grantor
			n.option = x.Options&catalog.RightNamed(name) != 0 || x.Role == owner
			out = append(out, n)
		}
	}
	return out
}

func tableGrants(w *world) []given {
	var out []given
	for _, c := range ofKind('r', 'v', 'm')(w) {
		stored := readable
		if c.rel != nil {
			if stored = c.rel.ACL; c.kind == 'm' {
				continue
			}
		}
		out = append(out, grants(catalog.GuardTable, c.owner, stored, given{class: c})...)
	}
	return out
}

// columnGrants unfolds the rights on tables to their columns, and adds those on columns alone.
func columnGrants(w *world) []given {
	var out []given
	for _, a := range w.infoColumns() {
		stored := readable
		if a.class.rel != nil {
			stored = a.class.rel.ACL
		}
		all := grants(catalog.GuardTable, a.class.owner, stored, given{class: a.class, col: a.name})
		if a.col != nil && a.col.ACL != nil {
			all = append(all, grants(catalog.GuardColumn, a.class.owner, a.col.ACL, given{class: a.class, col: a.name})...)
		}
		for _, g := range all {
			if catalog.RightNamed(g.right)&catalog.GuardColumn.All() != 0 {
				out = append(out, g)
			}
		}
	}
	return out
}

func usageGrants(w *world) []given {
	var out []given
	for _, c := range w.sequences() {
		if c.rel.ACL == nil {
			continue // PostgreSQL's view counts on the rights that tables have by default
		}
		for _, g := range grants(catalog.GuardSequence, c.owner, c.rel.ACL, given{schema: c.schema, name: c.name, kind: "SEQUENCE"}) {
			if g.right == "USAGE" {
				out = append(out, g)
			}
		}
	}
	for _, t := range w.userTypes(value.Domain) {
		out = append(out, grants(catalog.GuardType, t.Owner, t.ACL, given{schema: t.Schema, name: t.Name, kind: "DOMAIN"})...)
	}
	return out
}

// grantee names a role of a right; everybody is PUBLIC.
func (w *world) grantee(id catalog.ID) value.Value {
	if id == 0 {
		return text("PUBLIC")
	}
	return text(w.roleName(id))
}

func givenColumns(more map[string]func(*world, given) value.Value) map[string]func(*world, given) value.Value {
	cols := map[string]func(*world, given) value.Value{
		"grantor":        func(w *world, g given) value.Value { return w.grantee(g.grantor) },
		"grantee":        func(w *world, g given) value.Value { return w.grantee(g.role) },
		"privilege_type": func(_ *world, g given) value.Value { return text(g.right) },
		"is_grantable":   func(_ *world, g given) value.Value { return yesNo(g.option) },
	}
	for k, f := range more {
		cols[k] = f
	}
	return cols
}

var tableGrantColumns = givenColumns(map[string]func(*world, given) value.Value{
	"table_catalog":  catalogOf[given],
	"table_schema":   func(w *world, g given) value.Value { return classSchema(w, g.class) },
	"table_name":     func(w *world, g given) value.Value { return className(w, g.class) },
	"with_hierarchy": func(_ *world, g given) value.Value { return yesNo(g.right == "SELECT") },
})

var columnGrantColumns = givenColumns(map[string]func(*world, given) value.Value{
	"table_catalog": catalogOf[given],
	"table_schema":  func(w *world, g given) value.Value { return classSchema(w, g.class) },
	"table_name":    func(w *world, g given) value.Value { return className(w, g.class) },
	"column_name":   func(_ *world, g given) value.Value { return text(g.col) },
})

var usageGrantColumns = givenColumns(map[string]func(*world, given) value.Value{
	"object_catalog": catalogOf[given],
	"object_schema":  func(w *world, g given) value.Value { return text(w.schemaName(g.schema)) },
	"object_name":    func(_ *world, g given) value.Value { return text(g.name) },
	"object_type":    func(_ *world, g given) value.Value { return text(g.kind) },
})

var (
	infoTablePrivileges  = of[given]{items: tableGrants, cols: tableGrantColumns}
	infoColumnPrivileges = of[given]{items: columnGrants, cols: columnGrantColumns}
	infoUsagePrivileges  = of[given]{items: usageGrants, cols: usageGrantColumns}
)

// roleGrants are those to roles, without what everybody has.
func roleGrants(all func(*world) []given) func(*world) []given {
	return func(w *world) []given {
		var out []given
		for _, g := range all(w) {
			if g.role != 0 {
				out = append(out, g)
			}
		}
		return out
	}
}

var (
	infoRoleTableGrants  = of[given]{items: roleGrants(tableGrants), cols: tableGrantColumns}
	infoRoleColumnGrants = of[given]{items: roleGrants(columnGrants), cols: columnGrantColumns}
)

// enabled lists the roles whose rights the session has.
func (w *world) enabled() []*catalog.Role {
	if w.view == nil || w.env.Session == nil {
		return nil
	}
	me := w.view.Role(w.env.Session.CurrentUser())
	var out []*catalog.Role
	for _, r := range w.roles() {
		if me != nil && (me.Super || w.view.Member(me.ID, r.ID)) {
			out = append(out, r)
		}
	}
	return out
}

var infoEnabledRoles = of[*catalog.Role]{
	items: (*world).enabled,
	cols:  map[string]func(*world, *catalog.Role) value.Value{"role_name": func(_ *world, r *catalog.Role) value.Value { return text(r.Name) }},
}

var infoApplicableRoles = of[membership]{
	items: pgAuthMembers.items,
	cols: map[string]func(*world, membership) value.Value{
		"grantee":      func(w *world, m membership) value.Value { return text(w.roleName(m.member)) },
		"role_name":    func(w *world, m membership) value.Value { return text(w.roleName(m.role)) },
		"is_grantable": func(_ *world, m membership) value.Value { return yesNo(m.admin) },
	},
}

// infoCatalogName is the one row of information_schema_catalog_name.
var infoCatalogName = of[int]{
	items: func(*world) []int { return []int{0} },
	cols:  map[string]func(*world, int) value.Value{"catalog_name": catalogOf[int]},
}

var infoCharacterSets = of[int]{
	items: func(*world) []int { return []int{0} },
	cols: map[string]func(*world, int) value.Value{
		"character_set_name": fixed[int](text("UTF8")), "character_repertoire": fixed[int](text("UCS")), "form_of_use": fixed[int](text("UTF8")),
		"default_collate_catalog": catalogOf[int],
	},
}

var infoCollations = of[named]{
	items: func(*world) []named { return collations },
	cols: map[string]func(*world, named) value.Value{
		"collation_catalog": catalogOf[named], "collation_schema": fixed[named](text("pg_catalog")),
		"collation_name": func(_ *world, n named) value.Value { return text(n.name) }, "pad_attribute": fixed[named](text("NO PAD")),
	},
}
