package session

import (
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
)

// mayRun refuses statements about objects that belong to others. Rights to read and change rows are checked when a statement is bound;
// those about roles and rights check for themselves.
func (s *Session) mayRun(st plan.Statement) error {
	v, err := s.view()
	if err != nil {
		return err
	}
	me := s.roleID(v)
	if v.IsSuper(me) {
		return nil
	}
	switch st := st.(type) {
	case *plan.CreateTable:
		return s.mayCreateIn(v, me, st.Name.Schema, st.Rel.Temp)
	case *plan.CreateView:
		return s.mayCreateIn(v, me, st.Name.Schema, st.Temp)
	case *plan.CreateSequence:
		return s.mayCreateIn(v, me, st.Name.Schema, st.Temp)
	case *plan.CreateType:
		return s.mayCreateIn(v, me, st.Name.Schema, false)
	case *plan.CreateIndex:
		return mustOwn(v, me, st.Rel)
	case *plan.AlterSequence:
		return mustOwn(v, me, st.Rel)
	case *plan.RefreshMatView:
		return mustOwn(v, me, st.Rel)
	case *plan.AlterTable:
		return mustOwn(v, me, st.Rel)
	case *plan.Truncate:
		return s.mayTruncate(v, me, st)
	case *plan.Drop:
		return s.ownsDropped(v, me, st)
	case *plan.Comment:
		return mustOwn(v, me, st.Rel)
	case *plan.CreateSchema, *plan.Database:
		return s.mayCreateSchema(v, me, st)
	case *plan.RedefineType:
		if v.Owns(me, st.Old.Owner) {
			return nil
		}
		return dberr.New(dberr.InsufficientPrivilege, "must be owner of type %s", st.Old.Name)
	case *plan.AlterEnum, *plan.RenameObject:
		return dberr.New(dberr.InsufficientPrivilege, "permission denied: only a superuser may do this")
	}
	return nil
}

// mustOwn refuses what only the owner of a relation may do.
func mustOwn(v *catalog.View, me catalog.ID, r *catalog.Relation) error {
	if r == nil || r.Temp || v.Owns(me, r.Owner) {
		return nil
	}
	return dberr.New(dberr.InsufficientPrivilege, "must be owner of table %s", r.Name)
}

func (s *Session) mayCreateIn(v *catalog.View, me catalog.ID, schema string, temp bool) error {
	if temp {
		return nil
	}
	sc := v.Schema(schema)
	if sc == nil || v.Allowed(me, catalog.GuardSchema, sc.Owner, sc.Rights(), catalog.RightCreate) {
		return nil
	}
	return dberr.New(dberr.InsufficientPrivilege, "permission denied for schema %s", schema)
}

func (s *Session) mayTruncate(v *catalog.View, me catalog.ID, st *plan.Truncate) error {
	for _, r := range st.Rels {
		if !r.Temp && !v.Allowed(me, r.Guarded(), r.Owner, r.ACL, catalog.RightTruncate) {
			return dberr.New(dberr.InsufficientPrivilege, "permission denied for table %s", r.Name)
		}
	}
	return nil
}

func (s *Session) ownsDropped(v *catalog.View, me catalog.ID, st *plan.Drop) error {
	for _, t := range st.Targets {
		rel := t.Rel
		if t.Table != nil {
			rel = t.Table
		}
		if err := mustOwn(v, me, rel); err != nil {
			return err
		}
		if sc := v.Schema(t.Name.Name); st.Kind == "SCHEMA" && sc != nil && !v.Owns(me, sc.Owner) {
			return dberr.New(dberr.InsufficientPrivilege, "must be owner of schema %s", sc.Name)
		}
		if ty := v.Type(t.Name.Schema, t.Name.Name); ty != nil && rel == nil && !v.Owns(me, ty.Owner) {
			return dberr.New(dberr.InsufficientPrivilege, "must be owner of type %s", ty.Name)
		}
	}
	return nil
}

func (s *Session) mayCreateSchema(v *catalog.View, me catalog.ID, st plan.Statement) error {
	r := v.RoleByID(me)
	if _, isDB := st.(*plan.Database); isDB {
		if r == nil || !r.CreateDB {
			return dberr.New(dberr.InsufficientPrivilege, "permission denied to create database")
		}
		return nil
	}
	for _, d := range v.Databases() {
		if d.ID == v.Database() && !v.Allowed(me, catalog.GuardDatabase, d.Owner, d.ACL, catalog.RightCreate) {
			return dberr.New(dberr.InsufficientPrivilege, "permission denied for database %s", d.Name)
		}
	}
	return nil
}
