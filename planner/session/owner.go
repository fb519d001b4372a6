package session

import (
	"context"

	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
)

// newOwner finds the role that an object is given to, and refuses when the session's role may not give it away: it must own the object
// and be a member of the new owner, who must be able to create such an object in the schema (nil: no matter).
func (s *Session) newOwner(v *catalog.View, name string, owner catalog.ID, sc *catalog.Schema, what string) (catalog.ID, error) {
	me := s.roleID(v)
	r := v.Role(name)
	switch {
	case r == nil && name == s.user:
		return me, nil
	case r == nil:
		return 0, dberr.New(dberr.UndefinedObject, `role "%s" does not exist`, name)
	case r.ID == owner || v.IsSuper(me):
		return r.ID, nil
	case !v.Owns(me, owner):
		return 0, dberr.New(dberr.InsufficientPrivilege, "must be owner of %s", what)
	case !v.MayBecome(me, r.ID):
		return 0, dberr.New(dberr.InsufficientPrivilege, `must be member of role "%s"`, name)
	case sc != nil && !v.Allowed(r.ID, catalog.GuardSchema, sc.Owner, sc.Rights(), catalog.RightCreate):
		return 0, dberr.New(dberr.InsufficientPrivilege, "permission denied for schema %s", sc.Name)
	}
	return r.ID, nil
}

// setOwner gives the relation to another role, with the sequences that its columns own.
func (a *alterer) setOwner(ctx context.Context, x *plan.AlterAction) error {
	v := a.txn.Catalog()
	if q := a.rel.Seq; q != nil && q.OwnerTable != 0 {
		if t := v.RelationByID(q.OwnerTable); t != nil {
			return dberr.New(dberr.FeatureNotSupported, `cannot change owner of sequence "%s"`, a.rel.Name).
				WithDetail(`Sequence "%s" is linked to table "%s".`, a.rel.Name, t.Name)
		}
	}
	to, err := a.s.newOwner(v, x.NewName, a.rel.Owner, v.SchemaByID(a.rel.Schema), "table "+a.rel.Name)
	if err != nil || to == a.rel.Owner {
		return err
	}
	for _, q := range v.Relations(a.rel.Schema) {
		if q.Seq != nil && q.Seq.OwnerTable == a.rel.ID {
			n := *q
			n.Owner, n.ACL = to, catalog.Reowned(q.ACL, q.Owner, to)
			if _, err := a.txn.AlterRelation(ctx, n); err != nil {
				return err
			}
		}
	}
	return a.change(ctx, func(r *catalog.Relation) error {
		from := r.Owner
		r.Owner, r.ACL = to, catalog.Reowned(r.ACL, from, to)
		for i := range r.Columns {
			r.Columns[i].ACL = catalog.Reowned(r.Columns[i].ACL, from, to)
		}
		return nil
	})
}

// alterOwner is ALTER … OWNER TO for what is no relation.
func (s *Session) alterOwner(ctx context.Context, st *plan.AlterOwner) error {
	txn, err := s.beginStatement(ctx)
	if err != nil {
		return err
	}
	d, err := s.reowned(txn.Catalog(), st)
	if err != nil || d == nil {
		return err
	}
	return txn.Define(ctx, d)
}

// reowned gives the descriptor of the statement's object with its new owner, nil for an object that is not stored.
func (s *Session) reowned(v *catalog.View, st *plan.AlterOwner) (catalog.Descriptor, error) {
	switch st.Kind {
	case "SCHEMA":
		sc := v.Schema(st.Name.Name)
		if sc == nil {
			break
		}
		to, err := s.newOwner(v, st.Role, sc.Owner, nil, "schema "+sc.Name)
		n := *sc
		n.Owner, n.ACL = to, catalog.Reowned(sc.Rights(), sc.Owner, to)
		return &n, err
	case "DATABASE":
		d := v.DatabaseByName(st.Name.Name)
		if d == nil {
			break
		}
		to, err := s.newOwner(v, st.Role, d.Owner, nil, "database "+d.Name)
		n := *d
		n.Owner, n.ACL = to, catalog.Reowned(d.ACL, d.Owner, to)
		return &n, err
	case "TYPE", "DOMAIN":
		t := v.Type(st.Name.Schema, st.Name.Name)
		if t == nil {
			break
		}
		to, err := s.newOwner(v, st.Role, t.Owner, v.Schema(st.Name.Schema), "type "+t.Name)
		n := *t
		n.Owner, n.ACL = to, catalog.Reowned(t.ACL, t.Owner, to)
		return &n, err
	default:
		f := st.Func
		if f == nil {
			break
		}
		if f = v.Function(f.ID); f == nil {
			return nil, storage.ErrStale
		}
		to, err := s.newOwner(v, st.Role, f.Owner, v.SchemaByID(f.Schema), f.Word()+" "+f.Name)
		n := *f
		n.Owner, n.ACL = to, catalog.Reowned(f.ACL, f.Owner, to)
		return &n, err
	}
	return nil, nil
}
