package session

import (
	"context"
	"fmt"
	"maps"

	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
)

// Statements that change the catalog. Each runs in the current transaction like a query: its catalog writes are operations of it.

func ddlActions() []entry {
	return []entry{
		on(action{counts: true}, func(s *Session, ctx context.Context, p *Portal, st *plan.CreateTable) error {
			return s.createTable(ctx, p, st)
		}),
		on(action{}, func(s *Session, ctx context.Context, _ *Portal, st *plan.CreateSchema) error {
			return s.createSchema(ctx, st)
		}),
		on(action{}, func(s *Session, ctx context.Context, _ *Portal, st *plan.CreateView) error {
			return s.createView(ctx, st)
		}),
		on(action{}, func(s *Session, ctx context.Context, _ *Portal, st *plan.CreateType) error {
			return s.createType(ctx, st)
		}),
		on(action{}, func(s *Session, ctx context.Context, _ *Portal, st *plan.Drop) error { return s.drop(ctx, st) }),
		on(action{}, func(s *Session, ctx context.Context, _ *Portal, st *plan.Truncate) error { return s.truncate(ctx, st) }),
		on(action{}, func(s *Session, ctx context.Context, p *Portal, st *plan.AlterTable) error {
			return s.alterTable(ctx, p, st)
		}),
		on(action{}, func(s *Session, ctx context.Context, _ *Portal, st *plan.CreateIndex) error {
			return s.createIndex(ctx, st)
		}),
		on(action{}, func(s *Session, ctx context.Context, _ *Portal, st *plan.CreateSequence) error {
			txn, err := s.beginStatement(ctx)
			if err != nil {
				return err
			}
			return s.createSequence(ctx, txn, st)
		}),
		on(action{}, func(s *Session, ctx context.Context, _ *Portal, st *plan.AlterSequence) error {
			return s.alterSequence(ctx, st)
		}),
		on(action{}, func(s *Session, ctx context.Context, _ *Portal, st *plan.LockTable) error {
			return s.lockTables(ctx, st)
		}),
		on(action{}, func(s *Session, ctx context.Context, _ *Portal, st *plan.Comment) error { return s.comment(ctx, st) }),
	}
}

// skipExisting tells IF NOT EXISTS of a name that is taken.
func (s *Session) skipExisting(code, what, name string) {
	s.Notice("NOTICE", code, what+` "`+name+`" already exists, skipping`)
}

// tempSchema is what the binder calls the schema of temporary objects before the session has one.
const tempSchema = "pg_temp"

// homeOf finds the schema in which an object is made; the session's schema of temporary objects is made with the first of them.
func (s *Session) homeOf(ctx context.Context, txn *storage.Txn, name string) (*catalog.Schema, error) {
	if name != tempSchema {
		return schemaFor(txn, name)
	}
	own := fmt.Sprintf("pg_temp_%d", s.pid)
	sc := txn.Catalog().Schema(own)
	if sc == nil {
		sc = &catalog.Schema{ID: txn.NewID(), Database: txn.Catalog().Database(), Name: own, Owner: catalog.SuperRole}
		if err := txn.Define(ctx, sc); err != nil {
			return nil, err
		}
	}
	s.temp, s.pathStale = own, true
	return sc, nil
}

// schemaFor finds the schema in which an object is made.
func schemaFor(txn *storage.Txn, name string) (*catalog.Schema, error) {
	if sc := txn.Catalog().Schema(name); sc != nil {
		return sc, nil
	}
	return nil, dberr.New(dberr.InvalidSchemaName, `schema "%s" does not exist`, name)
}

func (s *Session) createTable(ctx context.Context, p *Portal, st *plan.CreateTable) error {
	txn, err := s.beginStatement(ctx)
	if err != nil {
		return err
	}
	sc, err := s.homeOf(ctx, txn, st.Name.Schema)
	if err != nil {
		return err
	}
	p.plain = st.As == nil || !st.WithData
	if st.IfNotExists && txn.Catalog().Find(catalog.RelationClass, sc.ID, st.Name.Name) != nil {
		s.skipExisting(dberr.DuplicateTable, "relation", st.Name.Name)
		p.plain = true
		switch {
		case st.IsMatView:
			p.tag = "CREATE MATERIALIZED VIEW"
		case st.As != nil:
			p.tag = "CREATE TABLE AS"
		default:
			p.tag = st.CommandTag()
		}
		return nil
	}
	made, err := s.makeTable(ctx, txn, sc, st)
	if err != nil || st.As == nil || !st.WithData {
		return err
	}
	p.prepareRun(txn)
	if len(st.AsArgs) > 0 {
		if p.rt.Params, err = p.evaluate(ctx, st.AsArgs); err != nil {
			return err
		}
	}
	_, p.count, err = s.runToEnd(ctx, &p.rt, fill(made, st.As))
	return err
}

// makeTable makes a table with its sequences and indexes.
func (s *Session) makeTable(ctx context.Context, txn *storage.Txn, sc *catalog.Schema, st *plan.CreateTable) (*catalog.Relation, error) {
	for i := range st.Sequences {
		if err := s.createSequence(ctx, txn, &st.Sequences[i]); err != nil {
			return nil, err
		}
	}
	rel := st.Rel
	rel.Schema, rel.Name, rel.Owner = sc.ID, st.Name.Name, s.roleID(txn.Catalog())
	rel.ACL = newRights(txn.Catalog(), rel.Owner, catalog.GuardTable, sc.ID)
	for i := range rel.Checks {
		if rel.Checks[i].ID == 0 {
			rel.Checks[i].ID = txn.NewID()
		}
	}
	made, err := txn.CreateRelation(ctx, rel)
	if err != nil {
		return nil, err
	}
	if err := ownSequences(ctx, txn, made, st.Sequences); err != nil {
		return nil, err
	}
	for _, x := range st.Indexes {
		ix := x.Index
		ix.Relation = made.ID
		if _, err := txn.CreateIndex(ctx, ix); err != nil {
			return nil, err
		}
	}
	if err := addForeign(ctx, txn, made.ID, st.Foreign); err != nil {
		return nil, err
	}
	return txn.Catalog().RelationByID(made.ID), nil
}

// fill makes the plan that stores the rows of a query in a new relation.
func fill(rel *catalog.Relation, q *plan.Query) *plan.Query {
	next := plan.ColID(0)
	plan.WalkNodes(q.Root, func(n plan.Node) bool {
		for _, c := range n.Cols() {
			next = max(next, c.ID)
		}
		return true
	})
	items := make([]plan.Expr, len(q.Out))
	cols := make([]plan.Col, len(q.Out))
	news := make([]plan.Col, len(q.Out))
	for i, c := range q.Out {
		items[i] = &plan.ColRef{Typed: plan.Typed{T: c.Type, M: c.Mod}, ID: c.ID, Name: c.Name}
		next++
		cols[i] = plan.Col{ID: next, Name: c.Name, Type: c.Type, Mod: c.Mod}
		next++
		news[i] = plan.Col{ID: next, Name: c.Name, Type: c.Type, Mod: c.Mod, Table: uint32(rel.ID), Attr: rel.Columns[i].Num}
	}
	in := &plan.Project{Input: q.Root, Out: cols, Items: items}
	return &plan.Query{Root: &plan.Insert{Rel: rel, Input: in, Target: rel.Columns, NewCols: news}, Params: q.Params, Tag: "INSERT"}
}

func (s *Session) createSchema(ctx context.Context, st *plan.CreateSchema) error {
	txn, err := s.beginStatement(ctx)
	if err != nil {
		return err
	}
	v := txn.Catalog()
	if st.IfNotExists && v.Schema(st.Name) != nil {
		s.skipExisting(dberr.DuplicateSchema, "schema", st.Name)
		return nil
	}
	owner := s.roleID(v)
	return txn.Define(ctx, &catalog.Schema{ID: txn.NewID(), Database: v.Database(), Name: st.Name, Owner: owner, ACL: newRights(v, owner, catalog.GuardSchema, 0)})
}

func (s *Session) createView(ctx context.Context, st *plan.CreateView) error {
	txn, err := s.beginStatement(ctx)
	if err != nil {
		return err
	}
	sc, err := s.homeOf(ctx, txn, st.Name.Schema)
	if err != nil {
		return err
	}
	rel := st.Rel
	rel.Schema, rel.Name, rel.Owner, rel.Kind = sc.ID, st.Name.Name, s.roleID(txn.Catalog()), catalog.ViewKind
	if old := txn.Catalog().Relation(st.Name.Schema, st.Name.Name); old != nil && st.OrReplace {
		return s.replaceView(ctx, txn, old, rel)
	}
	if st.Notice != "" {
		s.Notice("NOTICE", dberr.SuccessfulCompletion, st.Notice)
	}
	rel.ACL = newRights(txn.Catalog(), rel.Owner, catalog.GuardTable, sc.ID)
	_, err = txn.CreateRelation(ctx, rel)
	return err
}

// replaceView changes a view's query; the columns that it had must stay as they are.
func (s *Session) replaceView(ctx context.Context, txn *storage.Txn, old *catalog.Relation, rel catalog.Relation) error {
	if old.Kind != catalog.ViewKind {
		return dberr.New(dberr.WrongObjectType, `"%s" is not a view`, old.Name)
	}
	if len(rel.Columns) < len(old.Columns) {
		return dberr.New(dberr.InvalidTableDef, "cannot drop columns from view")
	}
	for i, c := range old.Columns {
		n := &rel.Columns[i]
		if n.Name != c.Name {
			return dberr.New(dberr.InvalidTableDef, `cannot change name of view column "%s" to "%s"`, c.Name, n.Name).
				WithHint("Use ALTER VIEW ... RENAME COLUMN ... to change name of view column instead.")
		}
		if n.Type.OID != c.Type.OID || n.Mod != c.Mod {
			return dberr.New(dberr.InvalidTableDef, `cannot change data type of view column "%s" from %s to %s`, c.Name, c.Type.SQL, n.Type.SQL)
		}
		n.Num, n.Field = c.Num, c.Field
	}
	rel.ID = old.ID
	_, err := txn.AlterRelation(ctx, rel)
	return err
}

func (s *Session) createType(ctx context.Context, st *plan.CreateType) error {
	txn, err := s.beginStatement(ctx)
	if err != nil {
		return err
	}
	sc, err := schemaFor(txn, st.Name.Schema)
	if err != nil {
		return err
	}
	def := st.Type
	id, array := txn.NewID(), txn.NewID()
	def.OID, def.Namespace, def.ArrayOID, def.UnderMod = uint32(id), uint32(sc.ID), uint32(array), st.Mod
	if sc.Name != "public" {
		def.SQL = plan.QuoteIdent(sc.Name) + "." + plan.QuoteIdent(st.Name.Name)
	}
	for i := range st.Checks {
		if st.Checks[i].ID == 0 {
			st.Checks[i].ID = txn.NewID()
		}
	}
	made := &catalog.Type{
		ID: id, Schema: sc.ID, Name: st.Name.Name, Owner: s.roleID(txn.Catalog()), Def: &def,
		NotNull: st.NotNull, Default: st.Default, Checks: st.Checks, UnderMod: st.Mod,
	}
	made.ACL = newRights(txn.Catalog(), made.Owner, catalog.GuardType, sc.ID)
	if st.Multi != nil {
		multi := *st.Multi
		made.Partner = txn.NewID()
		multi.OID, multi.Namespace, multi.ArrayOID = uint32(made.Partner), def.Namespace, uint32(txn.NewID())
		if sc.Name != "public" {
			multi.SQL = plan.QuoteIdent(sc.Name) + "." + plan.QuoteIdent(multi.Name)
		}
		err := txn.Define(ctx, &catalog.Type{ID: made.Partner, Schema: sc.ID, Name: multi.Name, Owner: made.Owner, ACL: made.ACL, Def: &multi, UnderMod: -1, Partner: id})
		if err != nil {
			return err
		}
	}
	return txn.Define(ctx, made)
}

func (s *Session) truncate(ctx context.Context, st *plan.Truncate) error {
	txn, err := s.beginStatement(ctx)
	if err != nil {
		return err
	}
	rels, err := s.truncated(txn.Catalog(), st.Rels, st.Cascade)
	if err != nil {
		return err
	}
	for _, r := range rels {
		if err := txn.Truncate(ctx, r.ID); err != nil {
			return err
		}
		if !st.Restart {
			continue
		}
		if err := restartOwned(ctx, txn, r.ID); err != nil {
			return err
		}
	}
	return nil
}

// restartOwned takes the sequences of a table's columns back to their start.
func restartOwned(ctx context.Context, txn *storage.Txn, table catalog.ID) error {
	for _, q := range txn.Catalog().Relations(0) {
		if q.Seq == nil || q.Seq.OwnerTable != table {
			continue
		}
		if _, err := txn.ResetSequence(ctx, *q, q.Seq.Start, false); err != nil {
			return err
		}
	}
	return nil
}

func (s *Session) lockTables(ctx context.Context, st *plan.LockTable) error {
	if s.state != block {
		return needsBlock("LOCK TABLE")
	}
	txn, err := s.beginStatement(ctx)
	if err != nil {
		return err
	}
	wait := storage.Wait
	if st.NoWait {
		wait = storage.NoWait
	}
	for _, r := range st.Rels {
		if err := txn.LockTable(ctx, r.ID, storage.TableMode(st.Mode), wait); err != nil {
			return err
		}
	}
	return nil
}

func (s *Session) comment(ctx context.Context, st *plan.Comment) error {
	txn, err := s.beginStatement(ctx)
	if err != nil {
		return err
	}
	text := ""
	if st.Text != nil {
		text = *st.Text
	}
	switch {
	case st.Func != nil:
		f := *st.Func
		f.Comment = text
		err = txn.Define(ctx, &f)
	case st.Index != nil:
		x := *st.Index
		x.Comment = text
		err = txn.Define(ctx, &x)
	case st.Type != nil:
		if t := txn.Catalog().TypeByID(catalog.ID(st.Type.OID)); t != nil {
			n := *t
			n.Comment = text
			err = txn.Define(ctx, &n)
		}
	case st.Kind == "CONSTRAINT":
		r := *st.Rel
		r.ConstraintComments = maps.Clone(r.ConstraintComments)
		if r.ConstraintComments == nil {
			r.ConstraintComments = map[string]string{}
		}
		if r.ConstraintComments[st.Column] = text; text == "" {
			delete(r.ConstraintComments, st.Column)
		}
		_, err = txn.AlterRelation(ctx, r)
	case st.Rel != nil && st.Column != "":
		r := *st.Rel
		r.Columns = append([]catalog.Column(nil), r.Columns...)
		c := r.Col(st.Column)
		if c == nil {
			return dberr.New(dberr.UndefinedColumn, `column "%s" of relation "%s" does not exist`, st.Column, r.Name)
		}
		c.Comment = text
		_, err = txn.AlterRelation(ctx, r)
	case st.Rel != nil:
		r := *st.Rel
		r.Comment = text
		_, err = txn.AlterRelation(ctx, r)
	case st.Kind == "SCHEMA":
		sc, e := schemaFor(txn, st.Name.Name)
		if e != nil {
			return e
		}
		n := *sc
		n.Comment = text
		err = txn.Define(ctx, &n)
	}
	return err
}
