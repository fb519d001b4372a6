package sysfunc

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// privileges lists has_…_privilege for each way to name the role and the object, and the functions about lists of rights.
func privileges() []def {
	var out []def
	for _, k := range privilegeKinds {
		for _, who := range []string{"", "name,", "oid,"} {
			for _, object := range []string{"text,", "oid,", ""} {
				for _, col := range []string{"", "text,", "int2,"} {
					sig := k.name + "(" + who + object + col + "text)"
					if (col == "") == k.column || (object == "") != k.textOnly || !functions.Known(sig) || k.textOnly && object == "oid," {
						continue
					}
					out = append(out, def{Sig: sig, Eval: hasPrivilege(k, who != "")})
				}
			}
		}
	}
	for _, sig := range []string{"(name,name,text)", "(name,oid,text)", "(oid,name,text)", "(oid,oid,text)", "(name,text)", "(oid,text)"} {
		out = append(out, def{Sig: "pg_has_role" + sig, Eval: hasRole})
	}
	return append(out,
		def{Sig: "acldefault(char,oid)", Eval: env(aclDefault)},
		def{Sig: "makeaclitem(oid,oid,text,bool)", Eval: env(makeACLItem)},
		def{Sig: "row_security_active(oid)", Eval: fixed(value.Bool(false))}, def{Sig: "row_security_active(text)", Eval: fixed(value.Bool(false))},
	)
}

// privilegeKind is a kind of objects that has_…_privilege asks about. find gives the owner and the stored rights of one; ok is false when
// there is none of the OID, an error when there is none of the name.
type privilegeKind struct {
	name     string
	guard    catalog.Guarded
	column   bool // the column follows the object
	anyCol   bool // a right on any column is enough
	textOnly bool // the object is always a name
	find     func(e *functions.Env, object val) (owner catalog.ID, acl []string, ok bool, err error)
}

var privilegeKinds = []privilegeKind{
	{name: "has_table_privilege", guard: catalog.GuardTable, find: relationRights},
	{name: "has_any_column_privilege", guard: catalog.GuardTable, anyCol: true, find: relationRights},
	{name: "has_column_privilege", guard: catalog.GuardTable, column: true, find: relationRights},
	{name: "has_sequence_privilege", guard: catalog.GuardSequence, find: sequenceRights},
	{name: "has_schema_privilege", guard: catalog.GuardSchema, find: schemaRights},
	{name: "has_database_privilege", guard: catalog.GuardDatabase, find: databaseRights},
	{name: "has_function_privilege", guard: catalog.GuardFunction, find: functionRights},
	{name: "has_type_privilege", guard: catalog.GuardType, find: typeRights},
	{name: "has_language_privilege", guard: catalog.GuardType, find: builtinRights},
	{name: "has_tablespace_privilege", guard: catalog.GuardSchema, find: superRights("tablespace", map[string]int64{"pg_default": 1663, "pg_global": 1664})},
	{name: "has_foreign_data_wrapper_privilege", guard: catalog.GuardType, find: superRights("foreign-data wrapper", nil)},
	{name: "has_server_privilege", guard: catalog.GuardType, find: superRights("server", nil)},
}

// relationRights finds a relation's rights. Those of the system relations can be read by everybody.
func relationRights(e *functions.Env, o val) (catalog.ID, []string, bool, error) {
	oid := uint32(0)
	if o.Kind() == value.KindString {
		found, ok := e.Lookup.RelationOID(o.Str())
		if !ok {
			return 0, nil, false, noRelation(o.Str())
		}
		oid = found
	} else {
		oid = uint32(o.Int())
	}
	if r := e.Txn.Catalog().RelationByID(catalog.ID(oid)); r != nil {
		return r.Owner, r.ACL, true, nil
	}
	if _, _, ok := e.Lookup.RelationName(oid); ok {
		return catalog.SuperRole, catalog.ACL{{Rights: catalog.RightSelect, Grantor: catalog.SuperRole}}.Stored(), true, nil
	}
	return 0, nil, false, nil
}

func schemaRights(e *functions.Env, o val) (catalog.ID, []string, bool, error) {
	var sc *catalog.Schema
	name := ""
	if o.Kind() == value.KindString {
		name = o.Str()
		sc = e.Txn.Catalog().Schema(name)
	} else {
		sc = e.Txn.Catalog().SchemaByID(catalog.ID(o.Int()))
		_, _, name, _ = e.Lookup.Object(2615, uint32(o.Int()))
	}
	switch {
	case sc != nil:
		return sc.Owner, sc.Rights(), true, nil
	case name == "pg_catalog", name == "information_schema", name == "omgdb":
		return catalog.SuperRole, catalog.ACL{{Rights: catalog.RightUsage, Grantor: catalog.SuperRole}}.Stored(), true, nil
	case o.Kind() == value.KindString:
		return 0, nil, false, dberr.New(dberr.InvalidSchemaName, `schema "%s" does not exist`, name)
	}
	return 0, nil, false, nil
}

func databaseRights(e *functions.Env, o val) (catalog.ID, []string, bool, error) {
	for _, d := range e.Txn.Catalog().Databases() {
		if o.Kind() == value.KindString && (d.Name == o.Str() || o.Str() == e.Session.Database() && d.ID == e.Txn.Catalog().Database()) ||
			o.Kind() != value.KindString && int64(d.ID) == o.Int() {
			return d.Owner, d.ACL, true, nil
		}
	}
	if o.Kind() == value.KindString {
		return 0, nil, false, dberr.New(dberr.InvalidCatalogName, `database "%s" does not exist`, o.Str())
	}
	return 0, nil, false, nil
}

func functionRights(e *functions.Env, o val) (catalog.ID, []string, bool, error) {
	oid := uint32(0)
	if o.Kind() == value.KindString {
		found, err := e.Format.Names.OIDOf(value.RegProcedure, o.Str())
		if err != nil {
			return 0, nil, false, err
		}
		oid = found
	} else {
		oid = uint32(o.Int())
	}
	p := e.Lookup.Proc(oid)
	if p == nil {
		return 0, nil, false, nil
	}
	return catalog.ID(p.Owner), p.ACL, true, nil
}

func typeRights(e *functions.Env, o val) (catalog.ID, []string, bool, error) {
	var t *value.Type
	if o.Kind() == value.KindString {
		if t = e.Lookup.TypeByName(o.Str()); t == nil {
			return 0, nil, false, dberr.New(dberr.UndefinedObject, `type "%s" does not exist`, o.Str())
		}
	} else if t = e.Lookup.TypeByOID(uint32(o.Int())); t == nil {
		return 0, nil, false, nil
	}
	if d := e.Txn.Catalog().TypeByID(catalog.ID(t.OID)); d != nil {
		return d.Owner, nil, true, nil
	}
	return catalog.SuperRole, nil, true, nil
}

func builtinRights(*functions.Env, val) (catalog.ID, []string, bool, error) {
	return catalog.SuperRole, nil, true, nil
}

// superRights finds objects of a kind of which there are only built-in ones, which belong to the superuser.
func superRights(kind string, oids map[string]int64) func(*functions.Env, val) (catalog.ID, []string, bool, error) {
	return func(_ *functions.Env, o val) (catalog.ID, []string, bool, error) {
		if o.Kind() != value.KindString {
			known := slices.Contains(slices.Collect(maps.Values(oids)), o.Int())
			return catalog.SuperRole, []string{""}, known, nil
		}
		if _, known := oids[o.Str()]; !known {
			return 0, nil, false, dberr.New(dberr.UndefinedObject, `%s "%s" does not exist`, kind, o.Str())
		}
		return catalog.SuperRole, []string{""}, true, nil
	}
}

func sequenceRights(e *functions.Env, o val) (catalog.ID, []string, bool, error) {
	owner, acl, ok, err := relationRights(e, o)
	if err != nil || !ok || o.Kind() != value.KindString {
		return owner, acl, ok, err
	}
	oid, _ := e.Lookup.RelationOID(o.Str())
	if r := e.Txn.Catalog().RelationByID(catalog.ID(oid)); r == nil || r.Kind != catalog.Sequence {
		return 0, nil, false, dberr.New(dberr.WrongObjectType, `"%s" is not a sequence`, o.Str())
	}
	return owner, acl, ok, nil
}

// roleOf finds a role by name or OID; 0 stands for everybody.
func roleOf(e *functions.Env, r val) (catalog.ID, error) {
	if r.Kind() != value.KindString {
		return catalog.ID(r.Int()), nil
	}
	if r.Str() == "public" {
		return 0, nil
	}
	if d := e.Txn.Catalog().Role(r.Str()); d != nil {
		return d.ID, nil
	}
	return 0, dberr.New(dberr.UndefinedObject, `role "%s" does not exist`, r.Str())
}

func currentRole(e *functions.Env) catalog.ID {
	if d := e.Txn.Catalog().Role(e.Session.CurrentUser()); d != nil {
		return d.ID
	}
	return catalog.SuperRole
}

func hasPrivilege(k privilegeKind, named bool) eval {
	return env(func(e *functions.Env, a []val) (val, error) {
		role := currentRole(e)
		if named {
			var err error
			if role, err = roleOf(e, a[0]); err != nil {
				return value.Null, err
			}
			a = a[1:]
		}
		owner, acl, ok, err := k.find(e, a[0])
		if err != nil || !ok {
			return value.Null, err
		}
		cols, err := columnRights(e, k, a)
		if err != nil {
			return value.Null, err
		}
		view := e.Txn.Catalog()
		words := strings.Split(a[len(a)-1].Str(), ",")
		for _, p := range words { // a wrong one counts wherever it stands
			if _, _, err := privilegeNamed(k, p); err != nil {
				return value.Null, err
			}
		}
		for _, p := range words {
			right, option, _ := privilegeNamed(k, p)
			held := func(kind catalog.Guarded, owner catalog.ID, acl []string) bool {
				got, opts := view.Held(role, kind, owner, acl, right)
				return got == right && (!option || opts == right)
			}
			if held(k.guard, owner, acl) || slices.ContainsFunc(cols, func(acl []string) bool { return held(catalog.GuardColumn, 0, acl) }) {
				return value.Bool(true), nil
			}
		}
		return value.Bool(false), nil
	})
}

// columnRights gives the rights on the column that a call names, or on all of them.
func columnRights(e *functions.Env, k privilegeKind, a []val) ([][]string, error) {
	if !k.column && !k.anyCol {
		return nil, nil
	}
	oid := uint32(0)
	if a[0].Kind() == value.KindString {
		oid, _ = e.Lookup.RelationOID(a[0].Str())
	} else {
		oid = uint32(a[0].Int())
	}
	r := e.Txn.Catalog().RelationByID(catalog.ID(oid))
	if r == nil {
		return nil, nil
	}
	var out [][]string
	for i := range r.Columns {
		c := &r.Columns[i]
		if c.ACL != nil && (k.anyCol || a[1].Kind() == value.KindString && c.Name == a[1].Str() || a[1].Kind() != value.KindString && int64(c.Num) == a[1].Int()) {
			out = append(out, c.ACL)
		}
	}
	if k.column && a[1].Kind() == value.KindString && r.Col(a[1].Str()) == nil && r.Kind != catalog.Collection {
		return nil, dberr.New(dberr.UndefinedColumn, `column "%s" of relation "%s" does not exist`, a[1].Str(), r.Name)
	}
	return out, nil
}

// privilegeNamed reads one of the privileges of a call.
func privilegeNamed(k privilegeKind, s string) (right catalog.Rights, option bool, err error) {
	word, option := strings.CutSuffix(strings.ToUpper(strings.TrimSpace(s)), " WITH GRANT OPTION")
	right = catalog.RightNamed(word)
	known := k.guard.All()
	if k.column || k.anyCol {
		known = catalog.GuardColumn.All()
	}
	if k.name == "has_tablespace_privilege" {
		known = catalog.RightCreate
	}
	if right == 0 || right&known == 0 {
		return 0, false, dberr.New(dberr.InvalidParameterValue, `unrecognized privilege type: "%s"`, strings.TrimSpace(s))
	}
	return right, option, nil
}

// predefined are PostgreSQL's roles that exist without being stored; only superusers are members.
var predefined = []string{
	"pg_read_all_data", "pg_write_all_data", "pg_read_all_settings", "pg_read_all_stats", "pg_stat_scan_tables", "pg_monitor", "pg_database_owner",
	"pg_signal_backend", "pg_read_server_files", "pg_write_server_files", "pg_execute_server_program", "pg_checkpoint",
}

// hasRole is pg_has_role: USAGE asks whether the rights are at hand, MEMBER whether SET ROLE would do.
func hasRole(_ context.Context, c *call, a []val) (val, error) {
	e := c.Env
	role := currentRole(e)
	if len(a) == 3 {
		var err error
		if role, err = roleOf(e, a[0]); err != nil {
			return value.Null, err
		}
		a = a[1:]
	}
	view := e.Txn.Catalog()
	mode := strings.ToUpper(strings.TrimSpace(a[1].Str()))
	word, _ := strings.CutSuffix(mode, " WITH GRANT OPTION")
	word, _ = strings.CutSuffix(word, " WITH ADMIN OPTION")
	if word != "USAGE" && word != "MEMBER" {
		return value.Null, dberr.New(dberr.InvalidParameterValue, `unrecognized privilege type: "%s"`, a[1].Str())
	}
	if a[0].Kind() == value.KindString && slices.Contains(predefined, a[0].Str()) {
		return value.Bool(view.IsSuper(role)), nil
	}
	group, err := roleOf(e, a[0])
	if err != nil {
		return value.Null, err
	}
	if view.IsSuper(role) {
		return value.Bool(true), nil
	}
	if word == "MEMBER" {
		return value.Bool(view.MayBecome(role, group)), nil
	}
	return value.Bool(view.Member(role, group)), nil
}

// ACLItems shows rights as PostgreSQL's aclitem[]: role=letters/grantor with names.
func ACLItems(v *catalog.View, acl catalog.ACL) val {
	items := make([]val, len(acl))
	for i, g := range acl {
		items[i] = text(aclItem(v, g))
	}
	return value.Box(value.NewArray(value.ACLItem, items))
}

func aclItem(v *catalog.View, g catalog.Grant) string {
	name := func(id catalog.ID) string {
		if id == 0 {
			return ""
		}
		if r := v.RoleByID(id); r != nil {
			return quoteIdent(r.Name)
		}
		return strconv.Itoa(int(id))
	}
	return name(g.Role) + "=" + g.Letters() + "/" + name(g.Grantor)
}

func aclDefault(e *functions.Env, a []val) (val, error) {
	kind := catalog.Guarded(0)
	if s := a[0].Str(); s != "" {
		kind = catalog.Guarded(s[0])
	}
	if kind.All() == 0 {
		switch kind {
		case 'l', 'F', 'S', 'L', 't', 'p':
			return value.Box(value.NewArray(value.ACLItem, nil)), nil
		}
		return value.Null, dberr.New(dberr.InvalidParameterValue, `unrecognized object type abbreviation: %s`, a[0].Str())
	}
	return ACLItems(e.Txn.Catalog(), catalog.DefaultACL(kind, catalog.ID(a[1].Int()))), nil
}

func makeACLItem(e *functions.Env, a []val) (val, error) {
	g := catalog.Grant{Role: catalog.ID(a[0].Int()), Grantor: catalog.ID(a[1].Int())}
	for w := range strings.SplitSeq(a[2].Str(), ",") {
		r := catalog.RightNamed(strings.TrimSpace(w))
		if r == 0 {
			return value.Null, dberr.New(dberr.InvalidParameterValue, `unrecognized privilege type: "%s"`, strings.TrimSpace(w))
		}
		g.Rights |= r
	}
	if a[3].Bool() {
		g.Options = g.Rights
	}
	return text(aclItem(e.Txn.Catalog(), g)), nil
}
