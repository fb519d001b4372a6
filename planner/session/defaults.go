package session

import (
	"cmp"
	"context"
	"slices"

	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
)

// defaultKinds are the kinds of objects that ALTER DEFAULT PRIVILEGES speaks of.
var defaultKinds = map[string]catalog.Guarded{
	"TABLE": catalog.GuardTable, "SEQUENCE": catalog.GuardSequence, "FUNCTION": catalog.GuardFunction, "TYPE": catalog.GuardType, "SCHEMA": catalog.GuardSchema,
}

// alterDefaults is ALTER DEFAULT PRIVILEGES.
func (s *Session) alterDefaults(ctx context.Context, st *plan.AlterDefaults) error {
	txn, err := s.beginStatement(ctx)
	if err != nil {
		return err
	}
	v := txn.Catalog()
	me := s.roleID(v)
	g, err := s.granting(txn, st.Grant)
	if err != nil {
		return err
	}
	kind := defaultKinds[st.Grant.Kind]
	rights, err := g.rights(kind)
	if err != nil {
		return err
	}
	schemas := []catalog.ID{0}
	if len(st.Schemas) > 0 {
		schemas = nil
		for _, name := range st.Schemas {
			if sc := v.Schema(name); sc != nil {
				schemas = append(schemas, sc.ID)
			}
		}
	}
	owners := st.Owners
	if len(owners) == 0 {
		owners = []string{s.user}
	}
	for _, name := range owners {
		role := v.Role(name)
		if role == nil {
			role = v.RoleByID(me)
		}
		if !v.IsSuper(me) && !v.Member(me, role.ID) {
			return dberr.New(dberr.InsufficientPrivilege, `must be member of role "%s"`, name)
		}
		n := *role
		for _, schema := range schemas {
			n.Defaults = g.defaults(n.Defaults, catalog.DefaultRights{Schema: schema, Kind: kind}, role.ID, rights)
		}
		if err := txn.Define(ctx, &n); err != nil {
			return err
		}
	}
	return nil
}

// defaults gives the list of a role's default rights after the statement. An entry that changes nothing is left out: of one schema one
// that gives nothing, of all one that gives what holds anyway.
func (g *granting) defaults(list []catalog.DefaultRights, which catalog.DefaultRights, owner catalog.ID, rights catalog.Rights) []catalog.DefaultRights {
	var none catalog.ACL
	if which.Schema == 0 {
		none = catalog.DefaultACL(which.Kind, owner)
	}
	acl := none
	out := slices.Clone(list)
	if i := slices.IndexFunc(out, which.Same); i >= 0 {
		acl = catalog.ACLOf(which.Kind, owner, out[i].ACL)
		out = slices.Delete(out, i, i+1)
	}
	for _, r := range g.roles {
		if g.st.Revoke {
			acl = acl.Without(r, owner, rights, g.st.WithGrant)
		} else {
			acl = acl.With(r, owner, rights, g.st.WithGrant)
		}
	}
	if !acl.Same(none) {
		which.ACL = acl.Stored()
		out = append(out, which)
	}
	return out
}

// newRights are the rights on an object that a role makes in a schema (0 for an object that is in none); nil when nothing was said of it.
func newRights(v *catalog.View, owner catalog.ID, kind catalog.Guarded, schema catalog.ID) []string {
	role := v.RoleByID(owner)
	if role == nil || len(role.Defaults) == 0 {
		return nil
	}
	std := catalog.DefaultACL(kind, owner)
	acl := std
	if i := slices.IndexFunc(role.Defaults, (catalog.DefaultRights{Kind: kind}).Same); i >= 0 {
		acl = catalog.ACLOf(kind, owner, role.Defaults[i].ACL)
	}
	if i := slices.IndexFunc(role.Defaults, (catalog.DefaultRights{Kind: kind, Schema: schema}).Same); i >= 0 && schema != 0 {
		for _, g := range catalog.ACLOf(kind, owner, role.Defaults[i].ACL) {
			acl = acl.With(g.Role, g.Grantor, g.Rights, false).With(g.Role, g.Grantor, g.Options, true)
		}
	}
	if acl.Same(std) {
		return nil
	}
	slices.SortFunc(acl, func(a, b catalog.Grant) int {
		return cmp.Or(cmp.Compare(a.Role, b.Role), cmp.Compare(a.Grantor, b.Grantor))
	})
	return acl.Stored()
}
