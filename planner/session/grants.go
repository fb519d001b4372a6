package session

import (
	"context"
	"slices"

	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
)

// invalidGrant is the SQLSTATE invalid_grant_operation.
const invalidGrant = "0LP01"

// grant carries out GRANT and REVOKE.
func (s *Session) grant(ctx context.Context, st *plan.Grant) error {
	txn, err := s.beginStatement(ctx)
	if err != nil {
		return err
	}
	if st.Kind == "ROLE" {
		return s.grantRole(ctx, txn, st)
	}
	g, err := s.granting(txn, st)
	if err != nil {
		return err
	}
	for _, r := range s.relationsOf(txn, st) {
		if err := g.relation(ctx, r); err != nil {
			return err
		}
	}
	for _, f := range s.functionsOf(txn, st) {
		if err := g.function(ctx, f); err != nil {
			return err
		}
	}
	for _, t := range st.Types {
		if err := g.typ(ctx, t); err != nil {
			return err
		}
	}
	for _, n := range st.Names {
		if err := g.named(ctx, n.Name); err != nil {
			return err
		}
	}
	return nil
}

// granting is one GRANT or REVOKE while it runs.
type granting struct {
	s     *Session
	txn   *storage.Txn
	st    *plan.Grant
	me    catalog.ID
	roles []catalog.ID // grantees; 0 is everybody
}

func (s *Session) granting(txn *storage.Txn, st *plan.Grant) (*granting, error) {
	v := txn.Catalog()
	g := &granting{s: s, txn: txn, st: st, me: s.roleID(v)}
	for _, name := range st.Roles {
		r := v.Role(name)
		switch {
		case name == "public":
			g.roles = append(g.roles, 0)
		case r != nil:
			g.roles = append(g.roles, r.ID)
		case name == s.user:
			g.roles = append(g.roles, g.me)
		default:
			return nil, dberr.New(dberr.UndefinedObject, `role "%s" does not exist`, name)
		}
	}
	return g, nil
}

// relationsOf lists the relations that a statement names, or those of the schemas that it names.
func (s *Session) relationsOf(txn *storage.Txn, st *plan.Grant) []*catalog.Relation {
	out := slices.Clone(st.Rels)
	v := txn.Catalog()
	for _, name := range st.AllInSchema {
		sc := v.Schema(name)
		if sc == nil {
			continue
		}
		if st.Kind == "FUNCTION" {
			break
		}
		for _, r := range v.Relations(sc.ID) {
			if (r.Kind == catalog.Sequence) == (st.Kind == "SEQUENCE") {
				out = append(out, r)
			}
		}
	}
	return out
}

// functionsOf lists the functions that a statement names, or those of the schemas that it names.
func (s *Session) functionsOf(txn *storage.Txn, st *plan.Grant) []*catalog.Function {
	out := slices.Clone(st.Funcs)
	if st.Kind != "FUNCTION" {
		return out
	}
	for _, name := range st.AllInSchema {
		if sc := txn.Catalog().Schema(name); sc != nil {
			for _, f := range txn.Catalog().Functions(sc.ID) {
				if st.Routines == 0 || f.Kind == st.Routines {
					out = append(out, f)
				}
			}
		}
	}
	return out
}

func (g *granting) function(ctx context.Context, f *catalog.Function) error {
	rights, err := g.rights(catalog.GuardFunction)
	if err != nil {
		return err
	}
	n := *g.txn.Catalog().Function(f.ID)
	if n.ACL, err = g.change(catalog.GuardFunction, n.Owner, n.ACL, rights, f.Word()+" "+f.Name); err != nil {
		return err
	}
	return g.txn.Define(ctx, &n)
}

func (g *granting) typ(ctx context.Context, t *catalog.Type) error {
	rights, err := g.rights(catalog.GuardType)
	if err != nil {
		return err
	}
	n := *g.txn.Catalog().TypeByID(t.ID)
	if n.ACL, err = g.change(catalog.GuardType, n.Owner, n.ACL, rights, "type "+t.Name); err != nil {
		return err
	}
	return g.txn.Define(ctx, &n)
}

// rights reads the privileges of the statement for a kind of object. Those given on columns are left out.
func (g *granting) rights(kind catalog.Guarded) (catalog.Rights, error) {
	if len(g.st.Privileges) == 0 {
		return kind.All(), nil
	}
	var out catalog.Rights
	for _, name := range g.st.Privileges {
		if g.st.Columns[name] != nil {
			continue
		}
		if name == "ALL" {
			out |= kind.All()
			continue
		}
		r := catalog.RightNamed(name)
		if r == 0 {
			return 0, dberr.New(dberr.SyntaxError, `unrecognized privilege type "%s"`, name)
		}
		if r&kind.All() == 0 {
			return 0, dberr.New(invalidGrant, "invalid privilege type %s for %s", name, map[catalog.Guarded]string{
				catalog.GuardTable: "relation", catalog.GuardSequence: "sequence", catalog.GuardSchema: "schema", catalog.GuardDatabase: "database",
				catalog.GuardFunction: "function", catalog.GuardType: "type"}[kind])
		}
		out |= r
	}
	return out, nil
}

// change gives the list of rights after the statement. Only who owns the object or may give a right on may change it.
func (g *granting) change(kind catalog.Guarded, owner catalog.ID, stored []string, rights catalog.Rights, what string) ([]string, error) {
	v := g.txn.Catalog()
	_, options := v.Held(g.me, kind, owner, stored, rights)
	if options&rights == 0 && rights != 0 {
		return nil, dberr.New(dberr.InsufficientPrivilege, "permission denied for %s", what)
	}
	acl, by := catalog.ACLOf(kind, owner, stored), g.me
	if v.Owns(g.me, owner) && owner != 0 {
		by = owner
	}
	for _, r := range g.roles {
		switch {
		case !g.st.Revoke:
			acl = acl.With(r, by, rights&options, g.st.WithGrant)
		default:
			acl = acl.Without(r, by, rights, g.st.WithGrant)
		}
	}
	return acl.Stored(), nil
}

func (g *granting) relation(ctx context.Context, r *catalog.Relation) error {
	kind := r.Guarded()
	rights, err := g.rights(kind)
	if err != nil {
		return err
	}
	n := *g.txn.Catalog().RelationByID(r.ID)
	n.Columns = slices.Clone(n.Columns)
	if rights != 0 {
		if n.ACL, err = g.change(kind, n.Owner, n.ACL, rights, "table "+r.Name); err != nil {
			return err
		}
	}
	for name, cols := range g.st.Columns {
		right := catalog.RightNamed(name)
		if name == "ALL" {
			right = catalog.GuardColumn.All()
		}
		for _, col := range cols {
			c := n.Col(col)
			if c == nil {
				return dberr.New(dberr.UndefinedColumn, `column "%s" of relation "%s" does not exist`, col, r.Name)
			}
			stored := c.ACL
			if stored == nil {
				stored = []string{""}
			}
			if c.ACL, err = g.change(catalog.GuardColumn, n.Owner, stored, right, "table "+r.Name); err != nil {
				return err
			}
		}
	}
	_, err = g.txn.AlterRelation(ctx, n)
	return err
}

// named changes the rights on an object that is no relation.
func (g *granting) named(ctx context.Context, name string) error {
	v := g.txn.Catalog()
	switch g.st.Kind {
	case "SCHEMA":
		sc := v.Schema(name)
		if sc == nil {
			return nil // a system schema, which everybody can use
		}
		rights, err := g.rights(catalog.GuardSchema)
		if err != nil {
			return err
		}
		n := *sc
		if n.ACL, err = g.change(catalog.GuardSchema, n.Owner, n.Rights(), rights, "schema "+name); err != nil {
			return err
		}
		return g.txn.Define(ctx, &n)
	case "DATABASE":
		for _, d := range v.Databases() {
			if d.Name != name && !(d.ID == v.Database() && name == g.s.Database()) {
				continue
			}
			rights, err := g.rights(catalog.GuardDatabase)
			if err != nil {
				return err
			}
			n := *d
			if n.ACL, err = g.change(catalog.GuardDatabase, n.Owner, n.ACL, rights, "database "+name); err != nil {
				return err
			}
			return g.txn.Define(ctx, &n)
		}
		return dberr.New(dberr.InvalidCatalogName, `database "%s" does not exist`, name)
	}
	return nil // built-in functions, types and languages: everybody may use them
}

// grantRole makes roles members of others.
func (s *Session) grantRole(ctx context.Context, txn *storage.Txn, st *plan.Grant) error {
	for _, group := range st.Privileges {
		for _, member := range st.Roles {
			v := txn.Catalog()
			g, m := v.Role(group), v.Role(member)
			switch {
			case g == nil:
				return dberr.New(dberr.UndefinedObject, `role "%s" does not exist`, group)
			case m == nil:
				return dberr.New(dberr.UndefinedObject, `role "%s" does not exist`, member)
			case v.MayBecome(g.ID, m.ID):
				return dberr.New(invalidGrant, `role "%s" is a member of role "%s"`, group, member)
			}
			if err := s.mayGive(v, g); err != nil {
				return err
			}
			n := *m
			n.MemberOf = slices.DeleteFunc(slices.Clone(m.MemberOf), func(x catalog.Membership) bool { return x.Role == g.ID })
			switch {
			case !st.Revoke:
				n.MemberOf = append(n.MemberOf, catalog.Membership{Role: g.ID, Admin: st.WithGrant})
			case st.WithGrant:
				n.MemberOf = append(n.MemberOf, catalog.Membership{Role: g.ID})
			}
			if err := txn.Define(ctx, &n); err != nil {
				return err
			}
		}
	}
	return nil
}

// mayGive refuses to give a membership without being a superuser, having CREATEROLE or the membership's admin option.
func (s *Session) mayGive(v *catalog.View, g *catalog.Role) error {
	me := v.RoleByID(s.roleID(v))
	if me == nil || me.Super || me.CreateRole && !g.Super {
		return nil
	}
	if slices.ContainsFunc(me.MemberOf, func(m catalog.Membership) bool { return m.Role == g.ID && m.Admin }) {
		return nil
	}
	return dberr.New(dberr.InsufficientPrivilege, `must have admin option on role "%s"`, g.Name)
}
