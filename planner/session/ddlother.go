package session

import (
	"context"
	"time"

	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
)

// Databases, types, materialized views, and statements about rights and maintenance.

func furtherActions() []entry {
	return []entry{
		on(action{}, func(s *Session, ctx context.Context, _ *Portal, st *plan.Database) error { return s.database(ctx, st) }),
		on(action{}, func(s *Session, ctx context.Context, _ *Portal, st *plan.RenameObject) error {
			return s.renameObject(ctx, st)
		}),
		on(action{}, func(s *Session, ctx context.Context, _ *Portal, st *plan.AlterOwner) error {
			return s.alterOwner(ctx, st)
		}),
		on(action{}, func(s *Session, ctx context.Context, p *Portal, st *plan.AlterEnum) error {
			return s.alterEnum(ctx, p, st)
		}),
		on(action{}, func(s *Session, ctx context.Context, p *Portal, st *plan.RedefineType) error {
			return s.redefineType(ctx, p, st)
		}),
		on(action{}, func(s *Session, ctx context.Context, p *Portal, st *plan.RefreshMatView) error {
			return s.refresh(ctx, p, st)
		}),
		on(action{}, func(s *Session, ctx context.Context, _ *Portal, st *plan.Grant) error { return s.grant(ctx, st) }),
		on(action{}, func(s *Session, ctx context.Context, _ *Portal, st *plan.Role) error { return s.role(ctx, st) }),
		on(action{}, func(s *Session, ctx context.Context, _ *Portal, st *plan.AlterDefaults) error {
			return s.alterDefaults(ctx, st)
		}),
		on(action{}, func(s *Session, ctx context.Context, _ *Portal, st *plan.Owned) error { return s.owned(ctx, st) }),
		on(action{}, func(s *Session, ctx context.Context, _ *Portal, st *plan.StartSetting) error {
			return s.startSetting(ctx, st)
		}),
		on(action{}, func(s *Session, ctx context.Context, _ *Portal, st *plan.Vacuum) error { return s.vacuum(ctx, st) }),
		on(action{}, func(s *Session, ctx context.Context, _ *Portal, st *plan.Reindex) error { return s.reindex(ctx, st) }),
		on(action{}, func(s *Session, ctx context.Context, _ *Portal, st *plan.ConstraintsSet) error {
			return s.setConstraints(ctx, st)
		}),
	}
}

// vacuum: dropped rows are swept in the background, so only FULL has something to do: it writes the store's file anew, all of it,
// because relations share it.
func (s *Session) vacuum(ctx context.Context, st *plan.Vacuum) error {
	if st.Vacuum {
		if err := s.refuseBlock("VACUUM"); err != nil {
			return err
		}
	}
	if st.Full {
		v, err := s.view()
		if err != nil {
			return err
		}
		if r := v.Role(s.user); r != nil && !r.Super {
			return dberr.New(dberr.InsufficientPrivilege, "permission denied: only a superuser can VACUUM FULL").
				WithDetail("It writes the whole store anew.")
		}
		if _, err := s.srv.db.Compact(ctx); err != nil {
			return err
		}
	}
	if st.Analyze {
		s.srv.db.Resample(st.Rels...)
	}
	return nil
}

func (s *Session) database(ctx context.Context, st *plan.Database) error {
	if err := s.refuseBlock(st.CommandTag()); err != nil {
		return err
	}
	txn, err := s.beginStatement(ctx)
	if err != nil {
		return err
	}
	if st.Verb == "CREATE" {
		db := &catalog.Database{ID: txn.NewID(), Name: st.Name, Owner: catalog.SuperRole}
		if err := txn.Define(ctx, db); err != nil {
			return err
		}
		return txn.Define(ctx, &catalog.Schema{ID: txn.NewID(), Database: db.ID, Name: "public", Owner: catalog.SuperRole})
	}
	db := txn.Catalog().DatabaseByName(st.Name)
	switch {
	case db == nil && st.IfExists:
		s.Notice("NOTICE", dberr.SuccessfulCompletion, `database "`+st.Name+`" does not exist, skipping`)
		return nil
	case db == nil:
		return dberr.New(dberr.InvalidCatalogName, `database "%s" does not exist`, st.Name)
	case db.ID == s.db:
		return dberr.New(dberr.ObjectInUse, "cannot drop the currently open database")
	case db.ID == catalog.MainDatabase:
		return dberr.New(dberr.ObjectInUse, `cannot drop database "%s": it is the one that the store began with`, st.Name)
	}
	if err := s.emptyDatabase(ctx, db, st.Force); err != nil {
		return err
	}
	for _, sc := range txn.Catalog().In(db.ID).Schemas() {
		if err := dropAll(ctx, txn, sc); err != nil {
			return err
		}
	}
	return txn.Undefine(ctx, db)
}

// leaveWait is how long DROP DATABASE waits for sessions to go, as PostgreSQL does.
const leaveWait = 5 * time.Second

// emptyDatabase waits until no session is in a database; force ends those that are.
func (s *Session) emptyDatabase(ctx context.Context, db *catalog.Database, force bool) error {
	for deadline := time.Now().Add(leaveWait); ; {
		others := s.srv.sessionsOf(db.ID)
		if len(others) == 0 {
			return nil
		}
		if force {
			for _, o := range others {
				o.Terminate()
			}
		}
		if time.Now().After(deadline) {
			return dberr.New(dberr.ObjectInUse, `database "%s" is being accessed by other users`, db.Name).
				WithDetail("There are %d other sessions using the database.", len(others))
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func (s *Session) renameObject(ctx context.Context, st *plan.RenameObject) error {
	txn, err := s.beginStatement(ctx)
	if err != nil {
		return err
	}
	v := txn.Catalog()
	switch st.Kind {
	case "SCHEMA":
		if sc := v.Schema(st.Name.Name); sc != nil {
			return s.renameSchema(ctx, txn, sc, st.NewName)
		}
	case "TYPE", "DOMAIN":
		if t := v.Type(st.Name.Schema, st.Name.Name); t != nil {
			n, def := *t, *t.Def
			n.Name, def.Name, def.SQL, n.Def = st.NewName, st.NewName, st.NewName, &def
			return txn.Define(ctx, &n)
		}
	case "DATABASE":
		if db := v.DatabaseByName(st.Name.Name); db != nil {
			n := *db
			n.Name = st.NewName
			return txn.Define(ctx, &n)
		}
		return dberr.New(dberr.InvalidCatalogName, `database "%s" does not exist`, st.Name.Name)
	}
	return dberr.New(dberr.FeatureNotSupported, "ALTER %s RENAME is not supported", st.Kind)
}

// refresh computes a materialized view again.
func (s *Session) refresh(ctx context.Context, p *Portal, st *plan.RefreshMatView) error {
	txn, err := s.beginStatement(ctx)
	if err != nil {
		return err
	}
	if err := txn.Truncate(ctx, st.Rel.ID); err != nil {
		return err
	}
	if !st.WithData {
		return nil
	}
	q, err := s.optimise(st.Query)
	if err != nil {
		return err
	}
	p.prepareRun(txn)
	_, _, err = s.runToEnd(ctx, &p.rt, fill(txn.Catalog().RelationByID(st.Rel.ID), q))
	return err
}
