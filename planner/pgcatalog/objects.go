package pgcatalog

import (
	"slices"

	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/value"
)

// The schemas that are not stored.
const (
	informationSchema catalog.ID = 13207
	toastSchema       catalog.ID = 99
)

// systemSchemas are the schemas that are not stored.
var systemSchemas = []*catalog.Schema{
	{ID: catalog.PgCatalogSchema, Name: "pg_catalog", Owner: catalog.SuperRole, Comment: "system catalog schema"},
	{ID: toastSchema, Name: "pg_toast", Owner: catalog.SuperRole, Comment: "reserved schema for TOAST tables"},
	{ID: informationSchema, Name: "information_schema", Owner: catalog.SuperRole},
}

// schemaOID gives the OID of a schema that is not stored.
func schemaOID(name string) catalog.ID {
	for _, s := range systemSchemas {
		if s.Name == name {
			return s.ID
		}
	}
	return catalog.PgCatalogSchema
}

// SchemaName gives the name of a schema that is not stored.
func (*Set) SchemaName(id catalog.ID) (string, bool) {
	for _, s := range systemSchemas {
		if s.ID == id {
			return s.Name, true
		}
	}
	return "", false
}

// SchemaID gives the OID of a schema that is not stored, 0 when there is none of the name.
func (*Set) SchemaID(name string) catalog.ID {
	for _, s := range systemSchemas {
		if s.Name == name {
			return s.ID
		}
	}
	return 0
}

func (w *world) schemas() []*catalog.Schema {
	if w.view == nil {
		return systemSchemas
	}
	return slices.Concat(systemSchemas, w.view.Schemas())
}

// schemaName gives the name of a schema, stored or not.
func (w *world) schemaName(id catalog.ID) string {
	for _, s := range w.schemas() {
		if s.ID == id {
			return s.Name
		}
	}
	return ""
}

func (w *world) roleName(id catalog.ID) string {
	if w.view != nil {
		if r := w.view.RoleByID(id); r != nil {
			return r.Name
		}
	}
	return "unknown (OID=" + itoa(int(id)) + ")"
}

var pgNamespace = of[*catalog.Schema]{
	items: (*world).schemas,
	cols: map[string]func(*world, *catalog.Schema) value.Value{
		"oid":      func(_ *world, s *catalog.Schema) value.Value { return oid(s.ID) },
		"nspname":  func(_ *world, s *catalog.Schema) value.Value { return text(s.Name) },
		"nspowner": func(_ *world, s *catalog.Schema) value.Value { return oid(s.Owner) },
		"nspacl":   func(w *world, s *catalog.Schema) value.Value { return w.schemaACL(s) },
	},
}

// schemaACL shows the rights on a schema; the built-in ones can be used by everybody.
func (w *world) schemaACL(s *catalog.Schema) value.Value {
	if s.ACL == nil && (s.ID == catalog.PgCatalogSchema || s.ID == informationSchema) {
		return w.acl(catalog.GuardSchema, catalog.SuperRole, catalog.ACL{
			{Role: catalog.SuperRole, Rights: catalog.GuardSchema.All(), Grantor: catalog.SuperRole}, {Rights: catalog.RightUsage, Grantor: catalog.SuperRole},
		}.Stored())
	}
	return w.acl(catalog.GuardSchema, s.Owner, s.Rights())
}

var pgDatabase = of[*catalog.Database]{
	items: func(w *world) []*catalog.Database {
		if w.view == nil {
			return nil
		}
		return w.view.Databases()
	},
	cols: map[string]func(*world, *catalog.Database) value.Value{
		"oid":            func(_ *world, d *catalog.Database) value.Value { return oid(d.ID) },
		"datname":        func(_ *world, d *catalog.Database) value.Value { return text(d.Name) },
		"datdba":         func(_ *world, d *catalog.Database) value.Value { return oid(d.Owner) },
		"encoding":       func(*world, *catalog.Database) value.Value { return num(6) },
		"datlocprovider": func(*world, *catalog.Database) value.Value { return char('c') },
		"datallowconn":   func(*world, *catalog.Database) value.Value { return value.Bool(true) },
		"datconnlimit":   func(*world, *catalog.Database) value.Value { return num(-1) },
		"dattablespace":  func(*world, *catalog.Database) value.Value { return oid(uint32(1663)) },
		"datcollate":     func(*world, *catalog.Database) value.Value { return text("C.UTF-8") },
		"datctype":       func(*world, *catalog.Database) value.Value { return text("C.UTF-8") },
		"datistemplate":  func(*world, *catalog.Database) value.Value { return value.Bool(false) },
		"datacl":         func(w *world, d *catalog.Database) value.Value { return w.acl(catalog.GuardDatabase, d.Owner, d.ACL) },
	},
}

func (w *world) roles() []*catalog.Role {
	if w.view == nil {
		return nil
	}
	return w.view.Roles()
}

// roleColumns are the columns of pg_roles, pg_authid and pg_user by a common meaning; masked replaces the password.
func roleColumns(password value.Value) map[string]func(*world, *catalog.Role) value.Value {
	flag := func(f func(*catalog.Role) bool) func(*world, *catalog.Role) value.Value {
		return func(_ *world, r *catalog.Role) value.Value { return value.Bool(f(r)) }
	}
	return map[string]func(*world, *catalog.Role) value.Value{
		"oid":            func(_ *world, r *catalog.Role) value.Value { return oid(r.ID) },
		"rolname":        func(_ *world, r *catalog.Role) value.Value { return text(r.Name) },
		"rolsuper":       flag(func(r *catalog.Role) bool { return r.Super }),
		"rolinherit":     flag(func(r *catalog.Role) bool { return r.Inherit }),
		"rolcreaterole":  flag(func(r *catalog.Role) bool { return r.CreateRole || r.Super }),
		"rolcreatedb":    flag(func(r *catalog.Role) bool { return r.CreateDB || r.Super }),
		"rolcanlogin":    flag(func(r *catalog.Role) bool { return r.Login }),
		"rolreplication": flag(func(r *catalog.Role) bool { return r.Super }),
		"rolbypassrls":   flag(func(r *catalog.Role) bool { return r.BypassRLS || r.Super }),
		"rolconnlimit":   func(_ *world, r *catalog.Role) value.Value { return num(r.ConnLimit) },
		"rolpassword":    func(*world, *catalog.Role) value.Value { return password },
		"rolvaliduntil":  validUntil,
	}
}

func validUntil(_ *world, r *catalog.Role) value.Value {
	if r.Valid == 0 {
		return value.Null
	}
	return value.Int(r.Valid)
}

var pgRoles = of[*catalog.Role]{items: (*world).roles, cols: withConfig(roleColumns(text("********")), "rolconfig")}

var pgAuthid = of[*catalog.Role]{items: (*world).roles, cols: roleColumns(value.Null)}

var pgUser = of[*catalog.Role]{
	items: func(w *world) []*catalog.Role {
		var out []*catalog.Role
		for _, r := range w.roles() {
			if r.Login {
				out = append(out, r)
			}
		}
		return out
	},
	cols: withConfig(map[string]func(*world, *catalog.Role) value.Value{
		"usename":      func(_ *world, r *catalog.Role) value.Value { return text(r.Name) },
		"usesysid":     func(_ *world, r *catalog.Role) value.Value { return oid(r.ID) },
		"usecreatedb":  func(_ *world, r *catalog.Role) value.Value { return value.Bool(r.CreateDB || r.Super) },
		"usesuper":     func(_ *world, r *catalog.Role) value.Value { return value.Bool(r.Super) },
		"userepl":      func(_ *world, r *catalog.Role) value.Value { return value.Bool(r.Super) },
		"usebypassrls": func(_ *world, r *catalog.Role) value.Value { return value.Bool(r.BypassRLS || r.Super) },
		"passwd":       func(*world, *catalog.Role) value.Value { return text("********") },
		"valuntil":     validUntil,
	}, "useconfig"),
}

// pgShadow is pg_user with the place of the password, which nobody sees.
var pgShadow = of[*catalog.Role]{items: pgUser.items, cols: withColumn(pgUser.cols, "passwd", fixed[*catalog.Role](value.Null))}

func withConfig(cols map[string]func(*world, *catalog.Role) value.Value, name string) map[string]func(*world, *catalog.Role) value.Value {
	cols[name] = func(_ *world, r *catalog.Role) value.Value { return texts(optionList(r.Settings)) }
	return cols
}

// membership is a row of pg_auth_members.
type membership struct {
	role, member catalog.ID
	admin        bool
}

var pgAuthMembers = of[membership]{
	items: func(w *world) []membership {
		var out []membership
		for _, r := range w.roles() {
			for _, m := range r.MemberOf {
				out = append(out, membership{m.Role, r.ID, m.Admin})
			}
		}
		return out
	},
	cols: map[string]func(*world, membership) value.Value{
		"roleid":       func(_ *world, m membership) value.Value { return oid(m.role) },
		"member":       func(_ *world, m membership) value.Value { return oid(m.member) },
		"grantor":      func(*world, membership) value.Value { return oid(catalog.SuperRole) },
		"admin_option": func(_ *world, m membership) value.Value { return value.Bool(m.admin) },
	},
}

// named is a small built-in object.
type named struct {
	oid  uint32
	name string
	kind byte
	note string
}

var collations = []named{{100, "default", 'd', ""}, {950, "C", 'c', "C"}, {951, "POSIX", 'c', "POSIX"}, {12340, "ucs_basic", 'c', "C"}, {12341, "C.utf8", 'c', "C.utf8"}}

var pgCollation = of[named]{
	items: func(*world) []named { return collations },
	cols: map[string]func(*world, named) value.Value{
		"oid":                 func(_ *world, n named) value.Value { return oid(n.oid) },
		"collname":            func(_ *world, n named) value.Value { return text(n.name) },
		"collnamespace":       func(*world, named) value.Value { return oid(catalog.PgCatalogSchema) },
		"collowner":           func(*world, named) value.Value { return oid(catalog.SuperRole) },
		"collprovider":        func(_ *world, n named) value.Value { return char(n.kind) },
		"collisdeterministic": func(*world, named) value.Value { return value.Bool(true) },
		"collencoding":        func(*world, named) value.Value { return num(-1) },
		"collcollate":         func(_ *world, n named) value.Value { return orNull(n.note) },
		"collctype":           func(_ *world, n named) value.Value { return orNull(n.note) },
	},
}

var languages = []named{{oid: 12, name: "internal"}, {oid: 13, name: "c"}, {oid: 14, name: "sql"}, {oid: 13563, name: "plpgsql"}}

// The functions of languages, by OID, as in PostgreSQL.
var (
	validators     = map[uint32]uint32{12: 2246, 13: 2247, 14: 2248, 13563: 13562}
	callHandlers   = map[uint32]uint32{13563: 13560}
	inlineHandlers = map[uint32]uint32{13563: 13561}
)

var pgLanguage = of[named]{
	items: func(*world) []named { return languages },
	cols: map[string]func(*world, named) value.Value{
		"oid":           func(_ *world, n named) value.Value { return oid(n.oid) },
		"lanname":       func(_ *world, n named) value.Value { return text(n.name) },
		"lanowner":      func(*world, named) value.Value { return oid(catalog.SuperRole) },
		"lanplcallfoid": func(_ *world, n named) value.Value { return oid(callHandlers[n.oid]) },
		"laninline":     func(_ *world, n named) value.Value { return oid(inlineHandlers[n.oid]) },
		"lanvalidator":  func(_ *world, n named) value.Value { return oid(validators[n.oid]) },
		"lanispl":       func(_ *world, n named) value.Value { return value.Bool(n.name == "plpgsql") },
		"lanpltrusted":  func(_ *world, n named) value.Value { return value.Bool(n.name == "sql" || n.name == "plpgsql") },
	},
}

var tablespaces = []named{{oid: 1663, name: "pg_default"}, {oid: 1664, name: "pg_global"}}

var pgTablespace = of[named]{
	items: func(*world) []named { return tablespaces },
	cols: map[string]func(*world, named) value.Value{
		"oid":      func(_ *world, n named) value.Value { return oid(n.oid) },
		"spcname":  func(_ *world, n named) value.Value { return text(n.name) },
		"spcowner": func(*world, named) value.Value { return oid(catalog.SuperRole) },
	},
}
