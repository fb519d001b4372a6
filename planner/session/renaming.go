package session

import (
	"context"
	"slices"

	"github.com/omgdb/omgdb/planner/bind"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
)

// Views, checks, generated columns and indexes are kept as texts. When a relation or column that they name gets another name, they are
// written anew, so that they mean what they did.

// newText is the text of a view's query under new names.
type newText struct {
	view catalog.ID
	sql  string
}

// renameInViews writes the queries of the views over relations under new names, of which the catalog knows nothing yet.
func (s *Session) renameInViews(ctx context.Context, txn *storage.Txn, r *bind.Renaming, of ...catalog.ID) ([]newText, error) {
	bc := s.ownContext(txn)
	var out []newText
	for _, v := range txn.Catalog().AllRelations() {
		if v.ViewSQL == "" || !slices.ContainsFunc(of, func(id catalog.ID) bool { return slices.Contains(v.Uses, id) }) {
			continue
		}
		sql, err := bind.RenameInQuery(ctx, bc, v.ViewSQL, r)
		if err != nil {
			return nil, unrenamed(v, err)
		}
		if sql != v.ViewSQL {
			out = append(out, newText{v.ID, sql})
		}
	}
	return out, nil
}

// ownContext binds the store's own texts, for which the rights of whoever runs the statement don't count.
func (s *Session) ownContext(txn *storage.Txn) *bind.Context {
	bc := s.bindContext(txn.Catalog(), nil)
	bc.User = superuser
	return bc
}

// storeTexts keeps the views' new texts, when the catalog has the new names.
func (s *Session) storeTexts(ctx context.Context, txn *storage.Txn, texts []newText) error {
	for _, t := range texts {
		view := *txn.Catalog().RelationByID(t.view)
		if err := bind.CheckQuery(ctx, s.ownContext(txn), t.sql); err != nil {
			return unrenamed(&view, err)
		}
		view.ViewSQL = t.sql
		if _, err := txn.AlterRelation(ctx, view); err != nil {
			return err
		}
	}
	return nil
}

func unrenamed(v *catalog.Relation, err error) error {
	return dberr.New(dberr.FeatureNotSupported, `cannot rename what view "%s" uses in this way`, v.Name).
		WithDetail("Its query would become: %s.", dberr.As(err).Message).WithHint("Drop the view, rename, and create it again.")
}

// name is what a relation is called.
func (a *alterer) name(schema catalog.ID, name string) plan.ObjName {
	return plan.ObjName{Schema: a.txn.Catalog().SchemaByID(schema).Name, Name: name}
}

// call gives the relation another name or schema, and has the views over it follow.
func (a *alterer) call(ctx context.Context, schema catalog.ID, name string) error {
	was := *a.rel
	r := &bind.Renaming{Relations: map[catalog.ID]plan.ObjName{a.rel.ID: a.name(schema, name)}}
	texts, err := a.s.renameInViews(ctx, a.txn, r, a.rel.ID)
	if err != nil {
		return err
	}
	err = a.change(ctx, func(r *catalog.Relation) error {
		r.Schema, r.Name = schema, name
		return nil
	})
	if err == nil && was.Kind == catalog.Sequence {
		err = renameDefaults(ctx, a.txn, sequenceText(a.txn, &was), sequenceText(a.txn, a.rel))
	}
	if err != nil {
		return err
	}
	return a.s.storeTexts(ctx, a.txn, texts)
}

func (a *alterer) rename(ctx context.Context, x *plan.AlterAction) error {
	if x.NewName == a.rel.Name {
		return dberr.New(dberr.DuplicateTable, `relation "%s" already exists`, x.NewName)
	}
	return a.call(ctx, a.rel.Schema, x.NewName)
}

func (a *alterer) setSchema(ctx context.Context, x *plan.AlterAction) error {
	sc, err := schemaFor(a.txn, x.NewName)
	if err != nil {
		return err
	}
	return a.call(ctx, sc.ID, a.rel.Name)
}

// renameColumn renames a column where it stands, and in what refers to it.
func (a *alterer) renameColumn(ctx context.Context, x *plan.AlterAction) error {
	r := &bind.Renaming{Of: a.rel.ID, Old: x.Column, New: x.NewName}
	texts, err := a.s.renameInViews(ctx, a.txn, r, a.rel.ID)
	if err != nil {
		return err
	}
	bc, before := a.s.ownContext(a.txn), a.rel
	expr := func(text *string) {
		if err == nil && *text != "" {
			*text, err = bind.RenameInExpr(ctx, bc, *text, before, r)
		}
	}
	var indexes []catalog.Index
	for _, ix := range a.txn.Catalog().IndexesOf(a.rel) {
		n := *ix
		n.Keys = slices.Clone(ix.Keys)
		for i := range n.Keys {
			expr(&n.Keys[i].Expr)
		}
		if expr(&n.Where); err != nil {
			return err
		}
		indexes = append(indexes, n)
	}
	err = a.change(ctx, func(rel *catalog.Relation) error {
		c := rel.Col(x.Column)
		if c == nil {
			return noColumn(rel, x.Column)
		}
		c.Name = x.NewName
		for i := range rel.Checks {
			expr(&rel.Checks[i].Expr)
		}
		for i := range rel.Columns {
			if rel.Columns[i].Generated && !rel.Columns[i].Dropped {
				expr(&rel.Columns[i].Default)
			}
		}
		return err
	})
	for i := 0; err == nil && i < len(indexes); i++ {
		err = a.txn.Define(ctx, &indexes[i])
	}
	if err != nil {
		return err
	}
	return a.s.storeTexts(ctx, a.txn, texts)
}

// renameSchema gives a schema another name, and has the views over its relations follow.
func (s *Session) renameSchema(ctx context.Context, txn *storage.Txn, sc *catalog.Schema, name string) error {
	r := &bind.Renaming{Relations: map[catalog.ID]plan.ObjName{}}
	var ids []catalog.ID
	for _, rel := range txn.Catalog().AllRelations() {
		if rel.Schema == sc.ID {
			r.Relations[rel.ID], ids = plan.ObjName{Schema: name, Name: rel.Name}, append(ids, rel.ID)
		}
	}
	texts, err := s.renameInViews(ctx, txn, r, ids...)
	if err != nil {
		return err
	}
	n := *sc
	n.Name = name
	if err := txn.Define(ctx, &n); err != nil {
		return err
	}
	return s.storeTexts(ctx, txn, texts)
}
