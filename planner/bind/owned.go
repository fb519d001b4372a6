package bind

import (
	pg_query "github.com/omgdb/omgdb/planner/parse/ast"

	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/dberr"
)

// roleNames gives the names behind role specifications; each must be a role's.
func (b *binder) roleNames(list []*pg_query.Node) ([]string, error) {
	var out []string
	for _, n := range list {
		name := b.roleName(n.GetRoleSpec())
		if name != b.User && b.Catalog.Role(name) == nil {
			return nil, dberr.New(dberr.UndefinedObject, "role \"%s\" does not exist", name)
		}
		out = append(out, name)
	}
	return out, nil
}

// alterDefaults binds ALTER DEFAULT PRIVILEGES.
func (b *binder) alterDefaults(x *pg_query.AlterDefaultPrivilegesStmt) (plan.Statement, error) {
	st := &plan.AlterDefaults{}
	for _, n := range x.Options {
		d := n.GetDefElem()
		items := d.Arg.GetList().GetItems()
		if d.Defname == "schemas" {
			st.Schemas = strs(items)
			continue
		}
		var err error
		if st.Owners, err = b.roleNames(items); err != nil {
			return nil, err
		}
	}
	a := x.Action
	kind := grantKinds[a.Objtype]
	switch kind {
	case "TABLE", "SEQUENCE", "FUNCTION", "TYPE":
	case "SCHEMA":
		if len(st.Schemas) > 0 {
			return nil, dberr.New("0LP01", "cannot use IN SCHEMA clause when using GRANT/REVOKE ON SCHEMAS")
		}
	default:
		return nil, dberr.New(dberr.FeatureNotSupported, "default rights on this kind of object are not supported")
	}
	for _, name := range st.Schemas {
		if b.Catalog.Schema(name) == nil {
			return nil, dberr.New(dberr.InvalidSchemaName, "schema \"%s\" does not exist", name)
		}
	}
	var err error
	st.Grant, err = b.grantHead(a, kind)
	return st, err
}

// owned binds REASSIGN OWNED and DROP OWNED.
func (b *binder) owned(roles []*pg_query.Node, to *pg_query.RoleSpec, cascade bool) (plan.Statement, error) {
	names, err := b.roleNames(roles)
	if err != nil {
		return nil, err
	}
	st := &plan.Owned{Roles: names, Drop: to == nil, Cascade: cascade}
	if to != nil {
		st.To = b.roleName(to)
		if st.To != b.User && b.Catalog.Role(st.To) == nil {
			return nil, dberr.New(dberr.UndefinedObject, "role \"%s\" does not exist", st.To)
		}
	}
	return st, nil
}

// startSetting binds ALTER ROLE … SET and ALTER DATABASE … SET.
func (b *binder) startSetting(role *pg_query.RoleSpec, all bool, database string, set *pg_query.VariableSetStmt) (plan.Statement, error) {
	change, err := b.variableSet(set)
	if err != nil {
		return nil, err
	}
	st := &plan.StartSetting{Database: database, Change: change}
	switch {
	case role != nil:
		st.Role = b.roleName(role)
	case all && database == "":
		return nil, dberr.New(dberr.FeatureNotSupported, "settings of all roles in all databases are not supported").
			WithHint("Use ALTER DATABASE ... SET, or a setting of the server.")
	}
	return st, nil
}
