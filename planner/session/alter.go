package session

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/omgdb/omgdb/planner/bind"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
)

// alterer carries out the actions of one ALTER TABLE, each on the table as the one before has left it.
type alterer struct {
	s   *Session
	p   *Portal
	txn *storage.Txn
	rel *catalog.Relation // as it is now
	// quiet tells that the user knows already of what goes with a column.
	quiet bool
}

// alterSteps are the actions by kind. One that is not listed is not supported.
var alterSteps = map[plan.AlterKind]func(a *alterer, ctx context.Context, x *plan.AlterAction) error{
	plan.AddColumn:          (*alterer).addColumn,
	plan.DropColumn:         (*alterer).dropColumn,
	plan.RenameColumn:       (*alterer).renameColumn,
	plan.SetType:            (*alterer).setType,
	plan.SetDefault:         column(func(c *catalog.Column, x *plan.AlterAction) { c.Default = x.Default }),
	plan.DropDefault:        column(func(c *catalog.Column, x *plan.AlterAction) { c.Default = "" }),
	plan.SetNotNull:         (*alterer).setNotNull,
	plan.DropNotNull:        (*alterer).dropNotNull,
	plan.AddIdentity:        (*alterer).addIdentity,
	plan.SetIdentity:        (*alterer).setIdentity,
	plan.DropIdentity:       (*alterer).dropIdentity,
	plan.DropExpression:     column(func(c *catalog.Column, x *plan.AlterAction) { c.Generated, c.Default = false, "" }),
	plan.AddConstraint:      (*alterer).addConstraint,
	plan.DropConstraint:     (*alterer).dropConstraint,
	plan.RenameConstraint:   (*alterer).renameConstraint,
	plan.ValidateConstraint: (*alterer).validate,
	plan.AlterConstraint:    (*alterer).alterConstraint,
	plan.RenameRelation:     (*alterer).rename,
	plan.SetSchema:          (*alterer).setSchema,
	plan.SetOwner:           (*alterer).setOwner,
	plan.SetOptions:         (*alterer).setOptions,
	plan.ResetOptions:       (*alterer).resetOptions,
	plan.SetLogged:          (*alterer).setLogged,
	plan.NoAction:           func(*alterer, context.Context, *plan.AlterAction) error { return nil },
}

func (s *Session) alterTable(ctx context.Context, p *Portal, st *plan.AlterTable) error {
	if st.Notice != "" {
		s.Notice("NOTICE", dberr.SuccessfulCompletion, st.Notice)
	}
	txn, err := s.beginStatement(ctx)
	if err != nil {
		return err
	}
	if st.Index != nil {
		return alterIndex(ctx, txn, st)
	}
	if st.Rel == nil {
		return nil
	}
	p.prepareRun(txn)
	a := &alterer{s: s, p: p, txn: txn, rel: txn.Catalog().RelationByID(st.Rel.ID)}
	if a.rel == nil {
		return storage.ErrStale
	}
	for i := range st.Actions {
		x := &st.Actions[i]
		do := alterSteps[x.Do]
		if do == nil {
			return dberr.New(dberr.FeatureNotSupported, "this form of ALTER %s is not supported", st.Kind)
		}
		if err := do(a, ctx, x); err != nil {
			return err
		}
	}
	return nil
}

func (a *alterer) setLogged(ctx context.Context, x *plan.AlterAction) error {
	return a.change(ctx, func(r *catalog.Relation) error {
		r.Unlogged = !x.Logged
		return nil
	})
}

// alterIndex renames an index or moves nothing else of it.
func alterIndex(ctx context.Context, txn *storage.Txn, st *plan.AlterTable) error {
	for _, x := range st.Actions {
		switch x.Do {
		case plan.RenameRelation:
			if err := txn.RenameIndex(ctx, st.Index.ID, x.NewName); err != nil {
				return err
			}
		case plan.NoAction, plan.SetOptions, plan.ResetOptions:
		default:
			return dberr.New(dberr.FeatureNotSupported, "this form of ALTER INDEX is not supported").WithHint("Drop the index and create it again.")
		}
	}
	return nil
}

// change stores the relation as edit leaves it.
func (a *alterer) change(ctx context.Context, edit func(r *catalog.Relation) error) error {
	r := *a.rel
	r.Columns = slices.Clone(r.Columns)
	r.Checks = slices.Clone(r.Checks)
	r.Foreign = slices.Clone(r.Foreign)
	if err := edit(&r); err != nil {
		return err
	}
	made, err := a.txn.AlterRelation(ctx, r)
	if err == nil {
		a.rel = made
	}
	return err
}

// column makes the step that changes one column's descriptor.
func column(edit func(c *catalog.Column, x *plan.AlterAction)) func(*alterer, context.Context, *plan.AlterAction) error {
	return func(a *alterer, ctx context.Context, x *plan.AlterAction) error {
		return a.change(ctx, func(r *catalog.Relation) error {
			c := r.Col(x.Column)
			if c == nil {
				return noColumn(r, x.Column)
			}
			edit(c, x)
			return nil
		})
	}
}

func noColumn(r *catalog.Relation, name string) error {
	return dberr.New(dberr.UndefinedColumn, `column "%s" of relation "%s" does not exist`, name, r.Name)
}

func (a *alterer) addColumn(ctx context.Context, x *plan.AlterAction) error {
	before := a.rel
	if x.Sequence != nil {
		if err := a.s.createSequence(ctx, a.txn, x.Sequence); err != nil {
			return err
		}
	}
	err := a.change(ctx, func(r *catalog.Relation) error {
		def := x.Def
		def.Num, def.Field = 0, ""
		r.Columns = append(r.Columns, def)
		return nil
	})
	if err != nil {
		return err
	}
	added := a.rel.Columns[len(a.rel.Columns)-1]
	fill := x.Fill
	if x.Sequence != nil {
		if err := ownSequences(ctx, a.txn, a.rel, []plan.CreateSequence{*x.Sequence}); err != nil {
			return err
		}
		if fill, err = bind.Expr(ctx, a.s.bindContext(a.txn.Catalog(), nil), added.Default, nil, nil, added.Type, added.Mod); err != nil {
			return err
		}
	}
	if fill != nil {
		return a.rewrite(ctx, before, x.RowCols, plan.Assign{Attr: added.Num, Expr: fill})
	}
	if added.NotNull {
		return a.refuseRows(ctx, before, x.RowCols, nil, dberr.New(dberr.NotNullViolation, `column "%s" of relation "%s" contains null values`, added.Name, a.rel.Name))
	}
	return nil
}

func (a *alterer) dropColumn(ctx context.Context, x *plan.AlterAction) error {
	c := a.rel.Col(x.Column)
	if c == nil {
		return noColumn(a.rel, x.Column)
	}
	num := c.Num
	if err := a.dropColumnKeys(ctx, c, x.Cascade); err != nil {
		return err
	}
	if err := a.dropColumnViews(ctx, c, x.Cascade); err != nil {
		return err
	}
	for _, ix := range a.txn.Catalog().IndexesOf(a.rel) {
		uses := slices.Contains(ix.Include, num) || slices.ContainsFunc(ix.Keys, func(k catalog.IndexKey) bool { return k.Col == num })
		if uses {
			if err := a.txn.DropIndex(ctx, ix.ID); err != nil {
				return err
			}
		}
	}
	a.rel = a.txn.Catalog().RelationByID(a.rel.ID)
	edit := func(r *catalog.Relation) error {
		c := r.Col(x.Column)
		c.Dropped, c.Default, c.NotNull, c.Name = true, "", false, fmt.Sprintf("........pg.dropped.%d........", c.Num)
		r.Checks = slices.DeleteFunc(r.Checks, func(k catalog.Check) bool { return slices.Contains(k.Cols, num) })
		if slices.Contains(r.PrimaryKey, num) {
			withoutKey(r)
		}
		return nil
	}
	if slices.Contains(a.rel.PrimaryKey, num) {
		return a.storeAnew(ctx, a.rel, colsOf(a.rel), edit)
	}
	return a.change(ctx, edit)
}

// withoutKey takes the primary key away, by which the rows are kept.
func withoutKey(r *catalog.Relation) { r.PrimaryKey, r.PrimaryName, r.PrimaryID = nil, "", 0 }

// dropColumnKeys removes the foreign keys of a column that is about to go; those that refer to it only with cascade.
func (a *alterer) dropColumnKeys(ctx context.Context, c *catalog.Column, cascade bool) error {
	on := "column " + plan.QuoteIdent(c.Name) + " of table " + plan.QuoteIdent(a.rel.Name)
	refs := refsTo(a.txn.Catalog(), a.rel, nil, func(f *catalog.ForeignKey) bool { return slices.Contains(f.RefCols, c.Num) })
	if err := a.s.mayDrop(refs, cascade, on, on); err != nil {
		return err
	}
	if err := dropReferring(ctx, a.txn, refs); err != nil {
		return err
	}
	return removeForeign(ctx, a.txn, a.rel.ID, func(f *catalog.ForeignKey) bool { return slices.Contains(f.Cols, c.Num) })
}

// setType rewrites the rows with the column under its new type.
func (a *alterer) setType(ctx context.Context, x *plan.AlterAction) error {
	before := a.rel
	old := before.Col(x.Column)
	if old == nil {
		return noColumn(before, x.Column)
	}
	if views, err := a.viewsReading(ctx, old); err != nil {
		return err
	} else if len(views) > 0 {
		return dberr.New(dberr.FeatureNotSupported, "cannot alter type of a column used by a view or rule").
			WithDetail(`rule _RETURN on %s depends on column "%s"`, a.s.described(views[0]), old.Name)
	}
	for _, u := range a.s.usesOfRows(a.txn.Catalog(), before, nil) {
		if u.col != nil {
			return dberr.New(dberr.FeatureNotSupported, `cannot alter table "%s" because column "%s.%s" uses its row type`, before.Name, u.rel.Name, u.col.Name)
		}
	}
	edit := func(r *catalog.Relation) error {
		c := r.Col(x.Column)
		c.Type, c.Mod, c.Collation = x.Def.Type, x.Def.Mod, x.Def.Collation
		if x.Def.Default != "" && !c.Generated {
			c.Default = x.Def.Default
		}
		return nil
	}
	if x.Fill != nil && (len(before.Indexes) > 0 || slices.Contains(before.PrimaryKey, old.Num)) {
		return a.storeAnew(ctx, before, x.RowCols, edit, plan.Assign{Attr: old.Num, Expr: x.Fill})
	}
	if err := a.change(ctx, edit); err != nil || x.Fill == nil {
		return err
	}
	return a.rewrite(ctx, before, x.RowCols, plan.Assign{Attr: old.Num, Expr: x.Fill})
}

func (a *alterer) setNotNull(ctx context.Context, x *plan.AlterAction) error {
	c := a.rel.Col(x.Column)
	if c == nil {
		return noColumn(a.rel, x.Column)
	}
	cols := colsOf(a.rel)
	i := slices.IndexFunc(cols, func(k plan.Col) bool { return k.Attr == c.Num })
	isNull := &plan.IsNull{Arg: &plan.ColRef{Typed: plan.Typed{T: c.Type, M: c.Mod}, ID: cols[i].ID, Name: c.Name}}
	err := a.refuseRows(ctx, a.rel, cols, isNull, dberr.New(dberr.NotNullViolation, `column "%s" of relation "%s" contains null values`, c.Name, a.rel.Name))
	if err != nil {
		return err
	}
	return column(func(c *catalog.Column, _ *plan.AlterAction) { c.NotNull = true })(a, ctx, x)
}

func (a *alterer) addConstraint(ctx context.Context, x *plan.AlterAction) error {
	switch {
	case x.Foreign != nil:
		return a.addForeignKey(ctx, x)
	case x.Unique != nil:
		ix := x.Unique.Index
		ix.Relation = a.rel.ID
		if ix.Primary {
			for _, k := range ix.Keys {
				if err := a.setNotNull(ctx, &plan.AlterAction{Column: a.rel.Attr(k.Col).Name}); err != nil {
					return err
				}
			}
		}
		if _, err := a.txn.CreateIndex(ctx, ix); err != nil {
			return err
		}
		a.rel = a.txn.Catalog().RelationByID(a.rel.ID)
		return nil
	}
	if !x.NotValid {
		if err := a.refuseBroken(ctx, x); err != nil {
			return err
		}
	}
	return a.change(ctx, func(r *catalog.Relation) error {
		ck := *x.Check
		ck.NotValid = x.NotValid
		if ck.ID == 0 {
			ck.ID = a.txn.NewID()
		}
		r.Checks = append(r.Checks, ck)
		return nil
	})
}

// refuseBroken fails when a row breaks the check constraint of x.
func (a *alterer) refuseBroken(ctx context.Context, x *plan.AlterAction) error {
	if x.CheckExpr == nil {
		return nil
	}
	broken := &plan.BoolTest{Arg: x.CheckExpr, Want: 'f'}
	e := dberr.New(dberr.CheckViolation, `check constraint "%s" of relation "%s" is violated by some row`, x.Check.Name, a.rel.Name)
	e.Table, e.Constraint = a.rel.Name, x.Check.Name
	return a.refuseRows(ctx, a.rel, x.RowCols, broken, e)
}

func (a *alterer) dropConstraint(ctx context.Context, x *plan.AlterAction) error {
	if slices.ContainsFunc(a.rel.Foreign, func(f catalog.ForeignKey) bool { return f.Name == x.Constraint }) {
		if err := removeForeign(ctx, a.txn, a.rel.ID, func(f *catalog.ForeignKey) bool { return f.Name == x.Constraint }); err != nil {
			return err
		}
		a.rel = a.txn.Catalog().RelationByID(a.rel.ID)
		return nil
	}
	for _, ix := range a.txn.Catalog().IndexesOf(a.rel) {
		if ix.Constraint && ix.Name == x.Constraint {
			var cols []int16
			for _, k := range ix.Keys {
				cols = append(cols, k.Col)
			}
			if err := a.dropKeyRefs(ctx, ix.Name, cols, x); err != nil {
				return err
			}
			if err := a.txn.DropIndex(ctx, ix.ID); err != nil {
				return err
			}
			a.rel = a.txn.Catalog().RelationByID(a.rel.ID)
			return nil
		}
	}
	if a.rel.PrimaryName == x.Constraint {
		if err := a.dropKeyRefs(ctx, x.Constraint, slices.Clone(a.rel.PrimaryKey), x); err != nil {
			return err
		}
		return a.storeAnew(ctx, a.rel, colsOf(a.rel), func(r *catalog.Relation) error {
			withoutKey(r)
			return nil
		})
	}
	return a.change(ctx, func(r *catalog.Relation) error {
		r.Checks = slices.DeleteFunc(r.Checks, func(k catalog.Check) bool { return k.Name == x.Constraint })
		return nil
	})
}

// dropKeyRefs sees to the foreign keys that depend on a unique constraint which is about to go.
func (a *alterer) dropKeyRefs(ctx context.Context, name string, cols []int16, x *plan.AlterAction) error {
	slices.Sort(cols)
	refs := refsTo(a.txn.Catalog(), a.rel, nil, func(f *catalog.ForeignKey) bool {
		return slices.Equal(slices.Sorted(slices.Values(f.RefCols)), cols)
	})
	if err := a.s.mayDrop(refs, x.Cascade, "constraint "+plan.QuoteIdent(name)+" on table "+plan.QuoteIdent(a.rel.Name), "index "+plan.QuoteIdent(name)); err != nil {
		return err
	}
	if err := dropReferring(ctx, a.txn, refs); err != nil {
		return err
	}
	a.rel = a.txn.Catalog().RelationByID(a.rel.ID)
	return nil
}

func (a *alterer) renameConstraint(ctx context.Context, x *plan.AlterAction) error {
	for _, ix := range a.txn.Catalog().IndexesOf(a.rel) {
		if ix.Constraint && ix.Name == x.Constraint {
			return a.txn.RenameIndex(ctx, ix.ID, x.NewName)
		}
	}
	return a.change(ctx, func(r *catalog.Relation) error {
		if r.PrimaryName == x.Constraint {
			r.PrimaryName = x.NewName
		}
		if text := r.ConstraintComments[x.Constraint]; text != "" {
			r.ConstraintComments = maps.Clone(r.ConstraintComments)
			delete(r.ConstraintComments, x.Constraint)
			r.ConstraintComments[x.NewName] = text
		}
		for i := range r.Checks {
			if r.Checks[i].Name == x.Constraint {
				r.Checks[i].Name = x.NewName
			}
		}
		for i := range r.Foreign {
			if r.Foreign[i].Name == x.Constraint {
				r.Foreign[i].Name = x.NewName
			}
		}
		return nil
	})
}

func (a *alterer) setOptions(ctx context.Context, x *plan.AlterAction) error {
	return a.change(ctx, func(r *catalog.Relation) error {
		options := map[string]string{}
		for k, v := range r.Options {
			options[k] = v
		}
		for k, v := range x.Options {
			options[k] = v
		}
		r.Options = options
		return nil
	})
}

func (a *alterer) resetOptions(ctx context.Context, x *plan.AlterAction) error {
	return a.change(ctx, func(r *catalog.Relation) error {
		options := map[string]string{}
		for k, v := range r.Options {
			if _, reset := x.Options[k]; !reset {
				options[k] = v
			}
		}
		r.Options = options
		return nil
	})
}
