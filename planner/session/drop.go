package session

import (
	"context"

	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
)

// drop carries out DROP of relations, schemas and types.
func (s *Session) drop(ctx context.Context, st *plan.Drop) error {
	if st.Concurrently {
		if err := s.refuseBlock("DROP INDEX CONCURRENTLY"); err != nil {
			return err
		}
	}
	txn, err := s.beginStatement(ctx)
	if err != nil {
		return err
	}
	for _, n := range st.Notices {
		s.Notice("NOTICE", dberr.SuccessfulCompletion, n)
	}
	if err := s.dropReferences(ctx, txn, st); err != nil {
		return err
	}
	for i := range st.Targets {
		if err := s.dropTarget(ctx, txn, st, &st.Targets[i]); err != nil {
			return err
		}
	}
	return nil
}

// dropReferences sees to what depends on the relations that are dropped: foreign keys of other tables, and views.
func (s *Session) dropReferences(ctx context.Context, txn *storage.Txn, st *plan.Drop) error {
	var ids []catalog.ID
	for _, t := range st.Targets {
		if t.Rel != nil {
			ids = append(ids, t.Rel.ID)
		}
	}
	for _, id := range ids {
		rel := txn.Catalog().RelationByID(id)
		if rel == nil {
			continue
		}
		if rel.Kind == catalog.Sequence {
			if err := s.dropSequenceDefaults(ctx, txn, rel, st.Cascade, ids); err != nil {
				return err
			}
			continue
		}
		if err := s.dropDependents(ctx, txn, rel, ids, st.Cascade); err != nil {
			return err
		}
	}
	return nil
}

func (s *Session) dropTarget(ctx context.Context, txn *storage.Txn, st *plan.Drop, t *plan.DropTarget) error {
	switch {
	case t.Rel != nil:
		return dropRelation(ctx, txn, t.Rel.ID)
	case t.Index != nil:
		return txn.DropIndex(ctx, t.Index.ID)
	case t.Func != nil:
		if txn.Catalog().Function(t.Func.ID) == nil {
			return nil
		}
		return txn.Undefine(ctx, t.Func)
	case t.Type != nil:
		ty := txn.Catalog().TypeByID(catalog.ID(t.Type.OID))
		if ty == nil {
			return nil
		}
		if err := s.dropTypeUses(ctx, txn, ty, typesOf(st), st.Cascade); err != nil {
			return err
		}
		if multi := txn.Catalog().TypeByID(ty.Partner); multi != nil {
			if err := txn.Undefine(ctx, multi); err != nil {
				return err
			}
		}
		return txn.Undefine(ctx, ty)
	case st.Kind == "SCHEMA":
		return s.dropSchema(ctx, txn, t.Name.Name, st.Cascade)
	}
	return dberr.New(dberr.FeatureNotSupported, "DROP %s is not supported", st.Kind)
}

// typesOf lists the types that a statement drops.
func typesOf(st *plan.Drop) (ids []catalog.ID) {
	for _, t := range st.Targets {
		if t.Type != nil {
			ids = append(ids, catalog.ID(t.Type.OID))
		}
	}
	return ids
}

// dropRelation drops a relation with the sequences of its columns. It may have gone already, by the same statement.
func dropRelation(ctx context.Context, txn *storage.Txn, id catalog.ID) error {
	rel := txn.Catalog().RelationByID(id)
	if rel == nil {
		return nil
	}
	if err := unlink(ctx, txn, rel); err != nil {
		return err
	}
	for _, r := range txn.Catalog().Relations(rel.Schema) {
		if r.Seq != nil && r.Seq.OwnerTable == id {
			if err := txn.DropRelation(ctx, r.ID); err != nil {
				return err
			}
		}
	}
	return txn.DropRelation(ctx, id)
}

// dropSchema drops a schema, with what is in it when cascade is set.
func (s *Session) dropSchema(ctx context.Context, txn *storage.Txn, name string, cascade bool) error {
	v := txn.Catalog()
	sc := v.Schema(name)
	if sc == nil {
		return dberr.New(dberr.InvalidSchemaName, `schema "%s" does not exist`, name)
	}
	var list []dependent
	for _, r := range v.Relations(sc.ID) {
		list = append(list, dependent{s.described(r), "schema " + plan.QuoteIdent(name)})
	}
	for _, t := range v.Types(sc.ID) {
		list = append(list, dependent{"type " + plan.QuoteIdent(name) + "." + plan.QuoteIdent(t.Def.Name), "schema " + plan.QuoteIdent(name)})
	}
	if err := s.mayDropWith(list, cascade, "schema "+plan.QuoteIdent(name)); err != nil {
		return err
	}
	return dropAll(ctx, txn, sc)
}

// dropAll drops a schema and everything in it.
func dropAll(ctx context.Context, txn *storage.Txn, sc *catalog.Schema) error {
	v := txn.Catalog()
	for _, r := range v.Relations(sc.ID) {
		if err := dropRelation(ctx, txn, r.ID); err != nil {
			return err
		}
	}
	for _, t := range v.Types(sc.ID) {
		if err := txn.Undefine(ctx, t); err != nil {
			return err
		}
	}
	for _, f := range v.Functions(sc.ID) {
		if err := txn.Undefine(ctx, f); err != nil {
			return err
		}
	}
	return txn.Undefine(ctx, sc)
}

func relationWord(k catalog.Kind) string {
	switch k {
	case catalog.ViewKind:
		return "view"
	case catalog.MatViewKind:
		return "materialized view"
	case catalog.Sequence:
		return "sequence"
	}
	return "table"
}

// onCommit does what ON COMMIT says of the session's temporary tables.
func (s *Session) onCommit(ctx context.Context) error {
	if s.temp == "" {
		return nil
	}
	txn := s.tx.txn
	sc := txn.Catalog().Schema(s.temp)
	if sc == nil {
		return nil
	}
	for _, r := range txn.Catalog().Relations(sc.ID) {
		var err error
		switch r.OnCommit {
		case catalog.DropTable:
			err = dropRelation(ctx, txn, r.ID)
		case catalog.DeleteRows:
			err = s.emptyAtCommit(ctx, txn, r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *Session) emptyAtCommit(ctx context.Context, txn *storage.Txn, r *catalog.Relation) error {
	if err := txn.BeginStatement(ctx); err != nil {
		return err
	}
	n, err := txn.Count(ctx, r)
	if err != nil || n == 0 {
		return err
	}
	return txn.Truncate(ctx, r.ID)
}

// dropTemp drops the session's temporary schema with everything in it. It is the session's own: nobody else waits for it, and a
// failure leaves garbage that the next session of the same id removes.
func (s *Session) dropTemp(ctx context.Context) {
	if s.temp == "" {
		return
	}
	name := s.temp
	s.temp, s.pathStale = "", true
	txn, err := s.srv.db.Begin(ctx, storage.TxnOptions{Actor: s.actor(), Database: s.db, Session: s.store})
	if err != nil {
		return
	}
	defer txn.Rollback()
	if sc := txn.Catalog().Schema(name); sc != nil && dropAll(ctx, txn, sc) == nil {
		_ = txn.Commit(ctx)
	}
}
