package session

import (
	"context"
	"maps"
	"slices"

	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
)

// owned is REASSIGN OWNED and DROP OWNED: for the objects of the current database, and for databases.
func (s *Session) owned(ctx context.Context, st *plan.Owned) error {
	txn, err := s.beginStatement(ctx)
	if err != nil {
		return err
	}
	v := txn.Catalog()
	var to catalog.ID
	if !st.Drop {
		if to, err = s.ownedRole(v, st.To); err != nil {
			return err
		}
	}
	var roles []catalog.ID
	for _, name := range st.Roles {
		id, err := s.ownedRole(v, name)
		if err != nil {
			return err
		}
		if id == catalog.SuperRole {
			verb := "reassign ownership of"
			if st.Drop {
				verb = "drop"
			}
			return dberr.New(dberr.DependentObjectsStillExist, "cannot %s objects owned by role %s because they are required by the database system", verb, name)
		}
		roles = append(roles, id)
	}
	if st.Drop {
		return s.dropOwned(ctx, txn, roles, st.Cascade)
	}
	for _, from := range roles {
		if err := everything(ctx, txn, func(o owner) owner {
			if o.id == from {
				o.acl, o.id = catalog.Reowned(o.acl, from, to), to
				for i := range o.columns {
					o.columns[i].ACL = catalog.Reowned(o.columns[i].ACL, from, to)
				}
				o.changed = true
			}
			return o
		}); err != nil {
			return err
		}
	}
	return nil
}

// ownedRole finds a role whose objects the session's role may dispose of.
func (s *Session) ownedRole(v *catalog.View, name string) (catalog.ID, error) {
	me := s.roleID(v)
	r := v.Role(name)
	switch {
	case r == nil:
		return me, nil // the session's, which loopback lends the superuser's rights
	case !v.IsSuper(me) && !v.Member(me, r.ID):
		return 0, dberr.New(dberr.InsufficientPrivilege, "permission denied to reassign or drop objects").
			WithDetail(`Only roles with privileges of role "%s" may do that.`, name)
	}
	return r.ID, nil
}

// owner is what an object says of who owns it and what others may do with it.
type owner struct {
	kind    catalog.Guarded
	id      catalog.ID
	acl     []string
	columns []catalog.Column // a copy, of relations
	changed bool
}

// everything asks f about each object of the current database and about the databases, and stores what it changes.
func everything(ctx context.Context, txn *storage.Txn, f func(owner) owner) error {
	v := txn.Catalog()
	for _, sc := range v.AllSchemas() {
		if sc.Database != v.Database() {
			continue
		}
		for _, r := range v.Relations(sc.ID) {
			if o := f(owner{r.Guarded(), r.Owner, r.ACL, slices.Clone(r.Columns), false}); o.changed {
				n := *r
				n.Owner, n.ACL, n.Columns = o.id, o.acl, o.columns
				if _, err := txn.AlterRelation(ctx, n); err != nil {
					return err
				}
			}
		}
		for _, x := range v.Functions(sc.ID) {
			if o := f(owner{catalog.GuardFunction, x.Owner, x.ACL, nil, false}); o.changed {
				n := *x
				n.Owner, n.ACL = o.id, o.acl
				if err := txn.Define(ctx, &n); err != nil {
					return err
				}
			}
		}
		for _, x := range v.Types(sc.ID) {
			if o := f(owner{catalog.GuardType, x.Owner, x.ACL, nil, false}); o.changed {
				n := *x
				n.Owner, n.ACL = o.id, o.acl
				if err := txn.Define(ctx, &n); err != nil {
					return err
				}
			}
		}
		if o := f(owner{catalog.GuardSchema, sc.Owner, sc.Rights(), nil, false}); o.changed {
			n := *sc
			n.Owner, n.ACL = o.id, o.acl
			if err := txn.Define(ctx, &n); err != nil {
				return err
			}
		}
	}
	for _, d := range v.Databases() {
		if o := f(owner{catalog.GuardDatabase, d.Owner, d.ACL, nil, false}); o.changed {
			n := *d
			n.Owner, n.ACL = o.id, o.acl
			if err := txn.Define(ctx, &n); err != nil {
				return err
			}
		}
	}
	return nil
}

// dropOwned drops what roles own in the current database, and takes from them what they were given.
func (s *Session) dropOwned(ctx context.Context, txn *storage.Txn, roles []catalog.ID, cascade bool) error {
	v := txn.Catalog()
	objects, schemas := &plan.Drop{Kind: "TABLE", Cascade: cascade}, &plan.Drop{Kind: "SCHEMA", Cascade: cascade}
	for _, sc := range v.AllSchemas() {
		if sc.Database != v.Database() {
			continue
		}
		if slices.Contains(roles, sc.Owner) {
			schemas.Targets = append(schemas.Targets, plan.DropTarget{Name: plan.ObjName{Name: sc.Name}})
		}
		for _, r := range v.Relations(sc.ID) {
			if slices.Contains(roles, r.Owner) && (r.Seq == nil || r.Seq.OwnerTable == 0) {
				objects.Targets = append(objects.Targets, plan.DropTarget{Rel: r})
			}
		}
		for _, f := range v.Functions(sc.ID) {
			if slices.Contains(roles, f.Owner) {
				objects.Targets = append(objects.Targets, plan.DropTarget{Func: f})
			}
		}
		for _, t := range v.Types(sc.ID) {
			if slices.Contains(roles, t.Owner) {
				objects.Targets = append(objects.Targets, plan.DropTarget{Type: t.Def})
			}
		}
	}
	for _, st := range []*plan.Drop{objects, schemas} {
		if len(st.Targets) > 0 {
			if err := s.drop(ctx, st); err != nil {
				return err
			}
		}
	}
	if err := everything(ctx, txn, func(o owner) owner {
		changed := false
		if o.acl, changed = withoutRoles(o.kind, o.id, o.acl, roles); changed {
			o.changed = true
		}
		for i := range o.columns {
			if o.columns[i].ACL, changed = withoutRoles(catalog.GuardColumn, o.id, o.columns[i].ACL, roles); changed {
				o.changed = true
			}
		}
		return o
	}); err != nil {
		return err
	}
	return dropDefaults(ctx, txn, roles)
}

// withoutRoles is a stored list of rights without those that were given to some roles; the rights of the owner stay.
func withoutRoles(kind catalog.Guarded, owner catalog.ID, stored []string, roles []catalog.ID) ([]string, bool) {
	if stored == nil {
		return nil, false
	}
	acl := catalog.ACLOf(kind, owner, stored)
	n := len(acl)
	acl = slices.DeleteFunc(acl, func(g catalog.Grant) bool { return g.Role != owner && slices.Contains(roles, g.Role) })
	if len(acl) == n {
		return stored, false
	}
	if kind == catalog.GuardColumn && len(acl) == 0 {
		return nil, true
	}
	return acl.Stored(), true
}

// dropDefaults forgets the default rights of roles, and those that others give to them.
func dropDefaults(ctx context.Context, txn *storage.Txn, roles []catalog.ID) error {
	for _, r := range txn.Catalog().Roles() {
		if len(r.Defaults) == 0 {
			continue
		}
		n, changed := *r, false
		n.Defaults = nil
		for _, d := range r.Defaults {
			if slices.Contains(roles, r.ID) {
				changed = true
				continue
			}
			cut := false
			if d.ACL, cut = withoutRoles(d.Kind, r.ID, d.ACL, roles); cut {
				changed = true
				var none catalog.ACL
				if d.Schema == 0 {
					none = catalog.DefaultACL(d.Kind, r.ID)
				}
				if catalog.ACLOf(d.Kind, r.ID, d.ACL).Same(none) {
					continue
				}
			}
			n.Defaults = append(n.Defaults, d)
		}
		if changed {
			if err := txn.Define(ctx, &n); err != nil {
				return err
			}
		}
	}
	return nil
}

// startSetting is ALTER ROLE … SET and ALTER DATABASE … SET.
func (s *Session) startSetting(ctx context.Context, st *plan.StartSetting) error {
	txn, err := s.beginStatement(ctx)
	if err != nil {
		return err
	}
	v := txn.Catalog()
	me := s.roleID(v)
	var db *catalog.Database
	if st.Database != "" {
		id, err := s.srv.findDatabase(st.Database, s.user)
		if err != nil {
			return err
		}
		for _, d := range v.Databases() {
			if d.ID == id {
				db = d
			}
		}
	}
	if st.Role == "" {
		if db == nil {
			return dberr.New(dberr.InvalidCatalogName, `database "%s" does not exist`, st.Database)
		}
		if !v.Owns(me, db.Owner) {
			return dberr.New(dberr.InsufficientPrivilege, "must be owner of database %s", st.Database)
		}
		n := *db
		if n.Settings, err = s.changed(n.Settings, st.Change); err != nil {
			return err
		}
		return txn.Define(ctx, &n)
	}
	r := v.Role(st.Role)
	if r == nil && st.Role == s.user {
		r = v.RoleByID(me)
	}
	if r == nil {
		return dberr.New(dberr.UndefinedObject, `role "%s" does not exist`, st.Role)
	}
	if r.ID != me {
		if err := s.mayManageRoles(v, r.Super); err != nil {
			return err
		}
	}
	n := *r
	if db == nil {
		n.Settings, err = s.changed(n.Settings, st.Change)
	} else {
		n.Within, err = s.changedWithin(n.Within, db.ID, st.Change)
	}
	if err != nil {
		return err
	}
	return txn.Define(ctx, &n)
}

func (s *Session) changedWithin(list []catalog.DatabaseSettings, db catalog.ID, change plan.Statement) ([]catalog.DatabaseSettings, error) {
	in := catalog.DatabaseSettings{Database: db}
	var out []catalog.DatabaseSettings
	for _, d := range list {
		if d.Database == db {
			in = d
		} else {
			out = append(out, d)
		}
	}
	var err error
	if in.Settings, err = s.changed(in.Settings, change); err != nil {
		return nil, err
	}
	if len(in.Settings) > 0 {
		out = append(out, in)
	}
	return out, nil
}

// changed gives settings after SET or RESET.
func (s *Session) changed(old map[string]string, change plan.Statement) (map[string]string, error) {
	out := maps.Clone(old)
	if out == nil {
		out = map[string]string{}
	}
	switch c := change.(type) {
	case *plan.Reset:
		if c.Name == "" {
			return nil, nil
		}
		delete(out, s.settingName(c.Name))
	case *plan.Set:
		if c.Default {
			delete(out, s.settingName(c.Name))
			break
		}
		val, err := joinValues(c.Name, c.Values)
		if err == nil {
			_, _, err = s.checkSetting(c.Name, val, true)
		}
		if err != nil {
			return nil, err
		}
		out[s.settingName(c.Name)] = val
	default:
		return nil, dberr.New(dberr.FeatureNotSupported, "this kind of SET is not supported here").WithHint("Name one setting.")
	}
	return out, nil
}

// settingName is a setting's name as it is listed.
func (s *Session) settingName(name string) string {
	if i, ok := s.vars.index(name); ok && i < len(settings) {
		return settings[i].name
	}
	return name
}

// roleSettings applies the settings with which sessions of a role in a database begin, from the widest to the narrowest. One that is no
// longer possible is left out with a warning: it must not lock anybody out.
func (s *Session) roleSettings(role *catalog.Role) {
	v, err := s.view()
	if err != nil {
		return
	}
	var lists []map[string]string
	for _, d := range v.Databases() {
		if d.ID == s.db {
			lists = append(lists, d.Settings)
		}
	}
	if r := v.RoleByID(role.ID); r != nil {
		lists = append(lists, r.Settings)
		for _, in := range r.Within {
			if in.Database == s.db {
				lists = append(lists, in.Settings)
			}
		}
	}
	for _, list := range lists {
		for _, name := range slices.Sorted(maps.Keys(list)) {
			if err := s.startSettings([][2]string{{name, list[name]}}); err != nil {
				e := dberr.As(err)
				s.Notice("WARNING", e.Code, e.Message)
			}
		}
	}
}
