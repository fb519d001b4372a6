package bind

import (
	"slices"
	"strings"

	pg_query "github.com/omgdb/omgdb/planner/parse/ast"

	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// roleStatement binds the statements about roles, rights and databases.
func (b *binder) roleStatement(n *pg_query.Node) (st plan.Statement, ok bool, err error) {
	switch x := n.Node.(type) {
	case *pg_query.Node_GrantStmt:
		st, err = b.grant(x.GrantStmt)
	case *pg_query.Node_GrantRoleStmt:
		st, err = b.grantRole(x.GrantRoleStmt)
	case *pg_query.Node_CreateRoleStmt:
		st, err = roleOptions("CREATE", []string{x.CreateRoleStmt.Role}, x.CreateRoleStmt.Options, x.CreateRoleStmt.StmtType == pg_query.RoleStmtType_ROLESTMT_USER)
	case *pg_query.Node_AlterRoleStmt:
		st, err = roleOptions("ALTER", []string{b.roleName(x.AlterRoleStmt.Role)}, x.AlterRoleStmt.Options, false)
	case *pg_query.Node_DropRoleStmt:
		r := &plan.Role{Verb: "DROP", IfExists: x.DropRoleStmt.MissingOk}
		for _, s := range x.DropRoleStmt.Roles {
			r.Names = append(r.Names, b.roleName(s.GetRoleSpec()))
		}
		st = r
	case *pg_query.Node_AlterDefaultPrivilegesStmt:
		st, err = b.alterDefaults(x.AlterDefaultPrivilegesStmt)
	case *pg_query.Node_ReassignOwnedStmt:
		st, err = b.owned(x.ReassignOwnedStmt.Roles, x.ReassignOwnedStmt.Newrole, false)
	case *pg_query.Node_DropOwnedStmt:
		st, err = b.owned(x.DropOwnedStmt.Roles, nil, x.DropOwnedStmt.Behavior == pg_query.DropBehavior_DROP_CASCADE)
	case *pg_query.Node_AlterRoleSetStmt:
		st, err = b.startSetting(x.AlterRoleSetStmt.Role, x.AlterRoleSetStmt.Role == nil, x.AlterRoleSetStmt.Database, x.AlterRoleSetStmt.Setstmt)
	case *pg_query.Node_AlterDatabaseSetStmt:
		st, err = b.startSetting(nil, false, x.AlterDatabaseSetStmt.Dbname, x.AlterDatabaseSetStmt.Setstmt)
	case *pg_query.Node_CreatedbStmt:
		if err = checkName(x.CreatedbStmt.Dbname, -1); err == nil {
			st = &plan.Database{Verb: "CREATE", Name: x.CreatedbStmt.Dbname}
		}
	case *pg_query.Node_DropdbStmt:
		d := &plan.Database{Verb: "DROP", Name: x.DropdbStmt.Dbname, IfExists: x.DropdbStmt.MissingOk}
		for _, n := range x.DropdbStmt.Options {
			d.Force = d.Force || n.GetDefElem().GetDefname() == "force"
		}
		st = d
	default:
		return nil, false, nil
	}
	return st, true, err
}

// roleName gives the name behind a role specification.
func (b *binder) roleName(r *pg_query.RoleSpec) string {
	switch r.GetRoletype() {
	case pg_query.RoleSpecType_ROLESPEC_CURRENT_ROLE, pg_query.RoleSpecType_ROLESPEC_CURRENT_USER, pg_query.RoleSpecType_ROLESPEC_SESSION_USER:
		return b.User
	case pg_query.RoleSpecType_ROLESPEC_PUBLIC:
		return "public"
	}
	return r.GetRolename()
}

// roleFlags maps the grammar's option names to those of plan.Role.
var roleFlags = map[string]string{
	"superuser": "superuser", "canlogin": "login", "inherit": "inherit", "createrole": "createrole", "createdb": "createdb",
	"bypassrls": "bypassrls", "isreplication": "replication", "password": "password", "connectionlimit": "connlimit", "validUntil": "validuntil",
}

func roleOptions(verb string, names []string, list []*pg_query.Node, user bool) (plan.Statement, error) {
	r := &plan.Role{Verb: verb, Names: names, Options: map[string]string{}}
	if user {
		r.Options["login"] = "true"
	}
	for _, n := range names {
		if err := checkName(n, -1); err != nil {
			return nil, err
		}
		if verb == "CREATE" && (n == "public" || n == "none" || strings.HasPrefix(n, "pg_")) {
			e := dberr.New(dberr.ReservedName, "role name \"%s\" is reserved", n)
			if strings.HasPrefix(n, "pg_") {
				e = e.WithDetail("Role names starting with \"pg_\" are reserved.")
			}
			return nil, e
		}
	}
	for _, n := range list {
		e := n.GetDefElem()
		switch e.Defname {
		case "addroleto":
			for _, s := range e.Arg.GetList().GetItems() {
				r.InRoles = append(r.InRoles, s.GetRoleSpec().GetRolename())
			}
			continue
		case "rolemembers", "adminmembers":
			if twice := slices.ContainsFunc(r.Members, func(m plan.RoleMember) bool { return m.Admin == (e.Defname == "adminmembers") }); twice {
				return nil, errAt(loc(e.Location), dberr.SyntaxError, "conflicting or redundant options")
			}
			for _, s := range e.Arg.GetList().GetItems() {
				r.Members = append(r.Members, plan.RoleMember{Name: s.GetRoleSpec().GetRolename(), Admin: e.Defname == "adminmembers"})
			}
			continue
		case "sysid": // means nothing since long
			continue
		}
		name := roleFlags[e.Defname]
		if name == "" {
			return nil, errAt(loc(e.Location), dberr.SyntaxError, "option \"%s\" not recognized", e.Defname)
		}
		if _, dup := r.Options[name]; dup && !(user && name == "login") {
			return nil, errAt(loc(e.Location), dberr.SyntaxError, "conflicting or redundant options")
		}
		v := constText(e.Arg)
		if _, isBool := e.Arg.GetNode().(*pg_query.Node_Boolean); isBool {
			v = map[bool]string{true: "true", false: "false"}[e.Arg.GetBoolean().Boolval]
		}
		r.Options[name] = v
	}
	return r, nil
}

// grantKinds are the words of GRANT … ON.
var grantKinds = map[pg_query.ObjectType]string{
	pg_query.ObjectType_OBJECT_TABLE: "TABLE", pg_query.ObjectType_OBJECT_SEQUENCE: "SEQUENCE", pg_query.ObjectType_OBJECT_SCHEMA: "SCHEMA",
	pg_query.ObjectType_OBJECT_DATABASE: "DATABASE", pg_query.ObjectType_OBJECT_FUNCTION: "FUNCTION", pg_query.ObjectType_OBJECT_TYPE: "TYPE",
	pg_query.ObjectType_OBJECT_PROCEDURE: "FUNCTION", pg_query.ObjectType_OBJECT_ROUTINE: "FUNCTION",
	pg_query.ObjectType_OBJECT_LANGUAGE: "LANGUAGE", pg_query.ObjectType_OBJECT_DOMAIN: "DOMAIN",
}

func (b *binder) grant(x *pg_query.GrantStmt) (plan.Statement, error) {
	kind, ok := grantKinds[x.Objtype]
	if !ok {
		return nil, dberr.New(dberr.FeatureNotSupported, "rights on this kind of object are not supported")
	}
	g, err := b.grantHead(x, kind)
	if err != nil {
		return nil, err
	}
	return g, b.grantObjects(g, x)
}

// grantHead binds what is given or taken, and to whom.
func (b *binder) grantHead(x *pg_query.GrantStmt, kind string) (*plan.Grant, error) {
	g := &plan.Grant{Revoke: !x.IsGrant, Kind: kind, WithGrant: x.GrantOption, Cascade: x.Behavior == pg_query.DropBehavior_DROP_CASCADE}
	g.Routines = routineWords[x.Objtype].kind
	for _, n := range x.Privileges {
		p := n.GetAccessPriv()
		name := strings.ToUpper(p.PrivName)
		if len(p.Cols) > 0 {
			if g.Columns == nil {
				g.Columns = map[string][]string{}
			}
			g.Columns[name] = strs(p.Cols)
		}
		g.Privileges = append(g.Privileges, name)
	}
	for _, n := range x.Grantees {
		name := b.roleName(n.GetRoleSpec())
		if name != "public" && name != b.User && b.Catalog.Role(name) == nil {
			return nil, dberr.New(dberr.UndefinedObject, "role \"%s\" does not exist", name)
		}
		g.Roles = append(g.Roles, name)
	}
	return g, nil
}

// grantObjects resolves what rights are given on.
func (b *binder) grantObjects(g *plan.Grant, x *pg_query.GrantStmt) error {
	for _, n := range x.Objects {
		switch {
		case x.Targtype == pg_query.GrantTargetType_ACL_TARGET_ALL_IN_SCHEMA || g.Kind == "SCHEMA":
			name := constText(n)
			if b.Catalog.Schema(name) == nil && !isVirtual(name) && name != ownSchema {
				return dberr.New(dberr.InvalidSchemaName, "schema \"%s\" does not exist", name)
			}
			if g.Kind == "SCHEMA" {
				g.Names = append(g.Names, plan.ObjName{Name: name})
			} else {
				g.AllInSchema = append(g.AllInSchema, name)
			}
		case n.GetRangeVar() != nil:
			if rv := n.GetRangeVar(); b.virtualSchema(rv.Schemaname, rv.Relname) != "" {
				continue
			}
			rel, err := b.relation(n.GetRangeVar())
			if err != nil {
				return err
			}
			g.Rels = append(g.Rels, rel)
		case n.GetObjectWithArgs() != nil:
			o := n.GetObjectWithArgs()
			f, err := b.namedRoutine(o, x.Objtype)
			switch {
			case err != nil:
				return err
			case f != nil:
				g.Funcs = append(g.Funcs, f)
			case !b.builtinFunction(o):
				return dberr.New(dberr.UndefinedFunction, "function %s does not exist", b.objectText(n))
			}
		case g.Kind == "TYPE" || g.Kind == "DOMAIN":
			if err := b.grantType(g, n); err != nil {
				return err
			}
		default:
			g.Names = append(g.Names, plan.ObjName{Name: b.objectText(n)})
		}
	}
	return nil
}

// grantType resolves a type that rights are given on; built-in ones are everybody's.
func (b *binder) grantType(g *plan.Grant, n *pg_query.Node) error {
	schema, name, err := b.qualified(objectNames(n), -1)
	if err != nil {
		return err
	}
	t := b.typeNamed(schema, name)
	switch {
	case t == nil:
		return dberr.New(dberr.UndefinedObject, "type \"%s\" does not exist", b.objectText(n))
	case g.Kind == "DOMAIN" && t.Class != value.Domain:
		return dberr.New(dberr.WrongObjectType, "\"%s\" is not a domain", t.Name)
	case t.IsArray() && t.Class != value.Domain:
		return dberr.New("0LP01", "cannot set privileges of array types").WithHint("Set the privileges of the element type instead.")
	case b.Catalog.TypeByID(catalogID(t.OID)) != nil:
		g.Types = append(g.Types, b.Catalog.TypeByID(catalogID(t.OID)))
	}
	return nil
}

// builtinFunction tells whether a name is that of functions that everybody may call.
func (b *binder) builtinFunction(o *pg_query.ObjectWithArgs) bool {
	parts := strs(o.Objname)
	name := parts[len(parts)-1]
	return len(b.Registry.Scalars(name))+len(b.Registry.Tables(name))+len(b.Registry.Aggregates(name))+len(b.Registry.Windows(name)) > 0
}

func (b *binder) grantRole(x *pg_query.GrantRoleStmt) (plan.Statement, error) {
	g := &plan.Grant{Revoke: !x.IsGrant, Kind: "ROLE"}
	for _, n := range x.GrantedRoles {
		g.Privileges = append(g.Privileges, n.GetAccessPriv().PrivName)
	}
	for _, n := range x.GranteeRoles {
		g.Roles = append(g.Roles, b.roleName(n.GetRoleSpec()))
	}
	for _, n := range x.Opt {
		if e := n.GetDefElem(); e.Defname == "admin" {
			v, err := boolOption(e)
			if err != nil {
				return nil, err
			}
			g.WithGrant = v
		}
	}
	return g, nil
}
