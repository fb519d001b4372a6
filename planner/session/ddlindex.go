package session

import (
	"context"
	"strconv"

	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
)

func (s *Session) createIndex(ctx context.Context, st *plan.CreateIndex) error {
	if st.Concurrently {
		if err := s.refuseBlock("CREATE INDEX CONCURRENTLY"); err != nil {
			return err
		}
	}
	txn, err := s.beginStatement(ctx)
	if err != nil {
		return err
	}
	if st.IfNotExists && txn.Catalog().Find(catalog.IndexClass, st.Rel.Schema, st.Index.Name) != nil {
		s.skipExisting(dberr.DuplicateTable, "relation", st.Index.Name)
		return nil
	}
	if st.Index.AccessMethod() == "ivfflat" {
		if err := s.noticeLists(ctx, txn, st); err != nil {
			return err
		}
	}
	if st.Concurrently {
		return s.srv.db.CreateIndexOnline(ctx, s.txnOptions(), st.Index)
	}
	_, err = txn.CreateIndex(ctx, st.Index)
	return err
}

// noticeLists says what pgvector says of an ivfflat index over fewer rows than it has lists.
func (s *Session) noticeLists(ctx context.Context, txn *storage.Txn, st *plan.CreateIndex) error {
	lists := 100
	if given := st.Index.Options["lists"]; given != "" {
		lists, _ = strconv.Atoi(given)
	}
	rows, err := txn.Count(ctx, st.Rel)
	if err == nil && rows < int64(lists) {
		e := dberr.New(dberr.SuccessfulCompletion, "ivfflat index created with little data").WithDetail("This will cause low recall.").
			WithHint("Drop the index until the table has more data.")
		e.Severity = "NOTICE"
		s.notice(e)
	}
	return err
}

// reindex builds indexes again. A row key has nothing to build.
func (s *Session) reindex(ctx context.Context, st *plan.Reindex) error {
	if st.Concurrently {
		if err := s.refuseBlock("REINDEX CONCURRENTLY"); err != nil {
			return err
		}
	}
	txn, err := s.beginStatement(ctx)
	if err != nil {
		return err
	}
	var list []*catalog.Index
	switch {
	case st.Index != nil:
		list = []*catalog.Index{st.Index}
	case st.Rel != nil:
		list = txn.Catalog().IndexesOf(st.Rel)
	case st.Name.Name != "":
		for _, r := range txn.Catalog().Relations(0) {
			list = append(list, txn.Catalog().IndexesOf(r)...)
		}
	}
	for _, x := range list {
		if st.Concurrently {
			if err := s.srv.db.ReindexOnline(ctx, s.txnOptions(), x.ID); err != nil {
				return err
			}
			continue
		}
		if err := txn.Reindex(ctx, x.ID); err != nil {
			return err
		}
	}
	return nil
}

// createSequence makes a sequence as a relation of its own.
func (s *Session) createSequence(ctx context.Context, txn *storage.Txn, st *plan.CreateSequence) error {
	sc, err := s.homeOf(ctx, txn, st.Name.Schema)
	if err != nil {
		return err
	}
	if st.IfNotExists && txn.Catalog().Find(catalog.RelationClass, sc.ID, st.Name.Name) != nil {
		s.skipExisting(dberr.DuplicateTable, "relation", st.Name.Name)
		return nil
	}
	o, owner := &st.Options, s.roleID(txn.Catalog())
	q := catalog.Relation{
		Schema: sc.ID, Name: st.Name.Name, Kind: catalog.Sequence, Owner: owner, Temp: st.Temp,
		ACL: newRights(txn.Catalog(), owner, catalog.GuardSequence, sc.ID),
		Seq: &catalog.SequenceParams{Type: o.Type, Start: o.Start, Increment: o.Increment, Min: o.Min, Max: o.Max, Cache: o.Cache, Cycle: o.Cycle},
	}
	if err := s.changeOwner(txn, &q, q.Seq, o); err != nil {
		return err
	}
	_, err = txn.CreateRelation(ctx, q)
	return err
}

// ownSequences ties the sequences of a new table's columns to them, so that they go with it.
func ownSequences(ctx context.Context, txn *storage.Txn, rel *catalog.Relation, list []plan.CreateSequence) error {
	for _, q := range list {
		seq := txn.Catalog().Relation(schemaName(txn, rel.Schema), q.Name.Name)
		c := rel.Col(q.OwnerColumn)
		if seq == nil || c == nil {
			continue
		}
		owned := *seq
		params := *seq.Seq
		params.OwnerTable, params.OwnerColumn = rel.ID, c.Num
		owned.Seq = &params
		if _, err := txn.AlterRelation(ctx, owned); err != nil {
			return err
		}
	}
	return nil
}

func schemaName(txn *storage.Txn, id catalog.ID) string {
	if sc := txn.Catalog().SchemaByID(id); sc != nil {
		return sc.Name
	}
	return ""
}
