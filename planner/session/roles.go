package session

import (
	"context"
	"slices"
	"strconv"

	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
)

// roleID is the role that statements run as.
func (s *Session) roleID(v *catalog.View) catalog.ID {
	if r := v.Role(s.user); r != nil {
		return r.ID
	}
	return catalog.SuperRole
}

// mayManageRoles refuses what only superusers and roles with CREATEROLE may do; super changes need a superuser.
func (s *Session) mayManageRoles(v *catalog.View, super bool) error {
	r := v.RoleByID(s.roleID(v))
	switch {
	case r == nil, super && !r.Super:
		return dberr.New(dberr.InsufficientPrivilege, "must be superuser to change superuser roles or attribute")
	case !r.Super && !r.CreateRole:
		return dberr.New(dberr.InsufficientPrivilege, "permission denied to create role")
	}
	return nil
}

func (s *Session) role(ctx context.Context, st *plan.Role) error {
	txn, err := s.beginStatement(ctx)
	if err != nil {
		return err
	}
	for _, name := range st.Names {
		switch st.Verb {
		case "CREATE":
			err = s.createRole(ctx, txn, name, st)
		case "ALTER":
			err = s.alterRole(ctx, txn, name, st)
		default:
			err = s.dropRole(ctx, txn, name, st)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *Session) createRole(ctx context.Context, txn *storage.Txn, name string, st *plan.Role) error {
	v := txn.Catalog()
	if err := s.mayManageRoles(v, st.Options["superuser"] == "true"); err != nil {
		return err
	}
	if v.Role(name) != nil {
		return dberr.New(dberr.DuplicateObject, `role "%s" already exists`, name)
	}
	r := &catalog.Role{ID: txn.NewID(), Name: name, Inherit: true, ConnLimit: -1}
	if err := s.roleOptions(r, st.Options); err != nil {
		return err
	}
	for _, g := range st.InRoles {
		group := v.Role(g)
		if group == nil {
			return dberr.New(dberr.UndefinedObject, `role "%s" does not exist`, g)
		}
		r.MemberOf = append(r.MemberOf, catalog.Membership{Role: group.ID})
	}
	if err := txn.Define(ctx, r); err != nil {
		return err
	}
	for _, m := range st.Members {
		g := &plan.Grant{Kind: "ROLE", Privileges: []string{name}, Roles: []string{m.Name}, WithGrant: m.Admin}
		if err := s.grantRole(ctx, txn, g); err != nil {
			return err
		}
	}
	return nil
}

func (s *Session) alterRole(ctx context.Context, txn *storage.Txn, name string, st *plan.Role) error {
	v := txn.Catalog()
	old := v.Role(name)
	if old == nil {
		return dberr.New(dberr.UndefinedObject, `role "%s" does not exist`, name)
	}
	_, password := st.Options["password"]
	if own := old.ID == s.roleID(v) && password && len(st.Options) == 1; !own {
		_, super := st.Options["superuser"]
		if err := s.mayManageRoles(v, super || old.Super); err != nil {
			return err
		}
	}
	r := *old
	if err := s.roleOptions(&r, st.Options); err != nil {
		return err
	}
	return txn.Define(ctx, &r)
}

// roleOptions applies the options of CREATE and ALTER ROLE.
func (s *Session) roleOptions(r *catalog.Role, opts map[string]string) error {
	flags := map[string]*bool{"superuser": &r.Super, "login": &r.Login, "inherit": &r.Inherit, "createrole": &r.CreateRole, "createdb": &r.CreateDB, "bypassrls": &r.BypassRLS}
	for name, val := range opts {
		var err error
		switch {
		case flags[name] != nil:
			*flags[name] = val == "true"
		case name == "password" && val == "":
			r.Verifier = ""
		case name == "password":
			r.Verifier, err = verifierOf(val)
		case name == "connlimit":
			var n int
			n, err = strconv.Atoi(val)
			r.ConnLimit = int32(n)
		case name == "validuntil":
			r.Valid, err = s.parseValidUntil(val)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *Session) dropRole(ctx context.Context, txn *storage.Txn, name string, st *plan.Role) error {
	v := txn.Catalog()
	r := v.Role(name)
	switch {
	case r == nil && st.IfExists:
		s.Notice("NOTICE", dberr.SuccessfulCompletion, `role "`+name+`" does not exist, skipping`)
		return nil
	case r == nil:
		return dberr.New(dberr.UndefinedObject, `role "%s" does not exist`, name)
	case r.ID == catalog.SuperRole:
		return dberr.New(dberr.DependentObjectsStillExist, `cannot drop role %s because it is required by the database system`, name)
	case r.ID == s.roleID(v):
		return dberr.New(dberr.ObjectInUse, "current user cannot be dropped")
	}
	if err := s.mayManageRoles(v, r.Super); err != nil {
		return err
	}
	if what := owned(v, r.ID); what != "" {
		return dberr.New(dberr.DependentObjectsStillExist, `role "%s" cannot be dropped because some objects depend on it`, name).WithDetail("%s", what)
	}
	for _, m := range v.Roles() {
		if slices.ContainsFunc(m.MemberOf, func(x catalog.Membership) bool { return x.Role == r.ID }) {
			n := *m
			n.MemberOf = slices.DeleteFunc(slices.Clone(m.MemberOf), func(x catalog.Membership) bool { return x.Role == r.ID })
			if err := txn.Define(ctx, &n); err != nil {
				return err
			}
		}
	}
	return txn.Undefine(ctx, r)
}

// owned names something that hangs on a role: it owns it or has rights on it; "" when there is nothing.
func owned(v *catalog.View, role catalog.ID) string {
	holds := func(acl []string) bool {
		return acl != nil && slices.ContainsFunc(catalog.ACLOf(catalog.GuardTable, 0, acl), func(g catalog.Grant) bool { return g.Role == role })
	}
	for _, r := range v.AllRelations() {
		if r.Owner != role && slices.ContainsFunc(r.Columns, func(c catalog.Column) bool { return holds(c.ACL) }) {
			return "privileges for table " + r.Name
		}
		if what := tie("table "+r.Name, r.Owner == role, holds(r.ACL)); what != "" {
			return what
		}
	}
	for _, sc := range v.AllSchemas() {
		if what := tie("schema "+sc.Name, sc.Owner == role, holds(sc.ACL)); what != "" {
			return what
		}
		for _, f := range v.Functions(sc.ID) {
			if what := tie(f.Word()+" "+f.Name, f.Owner == role, holds(f.ACL)); what != "" {
				return what
			}
		}
		for _, t := range v.Types(sc.ID) {
			if what := tie("type "+t.Name, t.Owner == role, holds(t.ACL)); what != "" {
				return what
			}
		}
	}
	for _, d := range v.Databases() {
		if what := tie("database "+d.Name, d.Owner == role, holds(d.ACL)); what != "" {
			return what
		}
	}
	for _, r := range v.Roles() {
		for _, d := range r.Defaults {
			if r.ID == role || holds(d.ACL) {
				return "default privileges of role " + r.Name
			}
		}
	}
	return ""
}

// tie words what binds a role to an object, "" when nothing does.
func tie(object string, owner, rights bool) string {
	switch {
	case owner:
		return "owner of " + object
	case rights:
		return "privileges for " + object
	}
	return ""
}

// setRole is SET ROLE: what follows runs with another role's rights. "none" goes back.
func (s *Session) setRole(name string) error {
	v, err := s.view()
	if err != nil {
		return err
	}
	if name == "none" || name == "" {
		s.become(s.login)
		return nil
	}
	r, me := v.Role(name), v.Role(s.login)
	switch {
	case r == nil:
		return dberr.New(dberr.InvalidParameterValue, `role "%s" does not exist`, name)
	case me != nil && !me.Super && !v.MayBecome(me.ID, r.ID):
		return dberr.New(dberr.InsufficientPrivilege, `permission denied to set role "%s"`, name)
	}
	s.become(name)
	return nil
}

// setAuthorization carries out SET ROLE and SET SESSION AUTHORIZATION, which are written like settings; handled is false for others.
func (s *Session) setAuthorization(st *plan.Set) (handled bool, err error) {
	if st.Name != "role" && st.Name != "session_authorization" {
		return false, nil
	}
	if st.Default {
		s.become(s.login)
		return true, nil
	}
	name, err := joinValues(st.Name, st.Values)
	if err != nil {
		return true, err
	}
	if v, verr := s.view(); st.Name == "session_authorization" && verr == nil && name != s.login {
		if me := v.Role(s.login); me != nil && !me.Super {
			return true, dberr.New(dberr.InsufficientPrivilege, "permission denied to set session authorization")
		}
	}
	return true, s.setRole(name)
}

// become changes the role that statements run as.
func (s *Session) become(name string) {
	s.user, s.pathStale = name, true
	if v, err := s.view(); err == nil {
		s.vars.vals[varSuperuser] = onOff(v.IsSuper(s.roleID(v)))
		s.varChanged(varSuperuser)
	}
}
