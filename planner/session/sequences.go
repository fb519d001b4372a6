package session

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// ALTER SEQUENCE, and the sequences behind identity columns.

func (s *Session) alterSequence(ctx context.Context, st *plan.AlterSequence) error {
	txn, err := s.beginStatement(ctx)
	if err != nil {
		return err
	}
	r := *st.Rel
	params, err := changedParams(r.Seq, &st.Options)
	if err != nil {
		return err
	}
	if err := s.changeOwner(txn, &r, params, &st.Options); err != nil {
		return err
	}
	return changeSequence(ctx, txn, r, params, &st.Options)
}

// changeSequence stores new parameters; RESTART sets the position as part of the transaction.
func changeSequence(ctx context.Context, txn *storage.Txn, r catalog.Relation, params *catalog.SequenceParams, o *plan.SequenceOptions) error {
	r.Seq = params
	if !o.Restart {
		last, _, err := txn.SequencePosition(ctx, &r)
		if err == nil {
			err = within("RESTART", last, params)
		}
		if err == nil {
			_, err = txn.AlterRelation(ctx, r)
		}
		return err
	}
	at := params.Start
	if o.HasRestartWith {
		at = o.RestartWith
	}
	if err := within("RESTART", at, params); err != nil {
		return err
	}
	_, err := txn.ResetSequence(ctx, r, at, false)
	return err
}

// changedParams gives a sequence's parameters as options change them, or why they can't.
func changedParams(old *catalog.SequenceParams, o *plan.SequenceOptions) (*catalog.SequenceParams, error) {
	p := *old
	if o.Given["as"] && o.Type.OID != p.Type.OID {
		lowOld, highOld := typeBounds(p.Type)
		low, high := typeBounds(o.Type)
		if p.Max == highOld {
			p.Max = high
		}
		if p.Min == lowOld {
			p.Min = low
		}
		p.Type = o.Type
	}
	given := func(name string, set func()) {
		if o.Given[name] {
			set()
		}
	}
	given("increment", func() { p.Increment = o.Increment })
	given("minvalue", func() { p.Min = o.Min })
	given("maxvalue", func() { p.Max = o.Max })
	given("start", func() { p.Start = o.Start })
	given("cache", func() { p.Cache = o.Cache })
	given("cycle", func() { p.Cycle = o.Cycle })
	low, high := typeBounds(p.Type)
	wrong := func(format string, args ...any) (*catalog.SequenceParams, error) {
		return nil, dberr.New(dberr.InvalidParameterValue, format, args...)
	}
	switch {
	case p.Max > high:
		return wrong("MAXVALUE (%d) is out of range for sequence data type %s", p.Max, p.Type.SQL)
	case p.Min < low:
		return wrong("MINVALUE (%d) is out of range for sequence data type %s", p.Min, p.Type.SQL)
	case p.Min >= p.Max:
		return wrong("MINVALUE (%d) must be less than MAXVALUE (%d)", p.Min, p.Max)
	}
	return &p, within("START", p.Start, &p)
}

func within(what string, n int64, p *catalog.SequenceParams) error {
	switch {
	case n < p.Min:
		return dberr.New(dberr.InvalidParameterValue, "%s value (%d) cannot be less than MINVALUE (%d)", what, n, p.Min)
	case n > p.Max:
		return dberr.New(dberr.InvalidParameterValue, "%s value (%d) cannot be greater than MAXVALUE (%d)", what, n, p.Max)
	}
	return nil
}

func typeBounds(t *value.Type) (low, high int64) {
	switch t.OID {
	case value.Int2.OID:
		return math.MinInt16, math.MaxInt16
	case value.Int4.OID:
		return math.MinInt32, math.MaxInt32
	}
	return math.MinInt64, math.MaxInt64
}

// changeOwner is OWNED BY.
func (s *Session) changeOwner(txn *storage.Txn, r *catalog.Relation, p *catalog.SequenceParams, o *plan.SequenceOptions) error {
	if !o.NoOwner && o.OwnedColumn == "" {
		return nil
	}
	v := txn.Catalog()
	if t := v.RelationByID(p.OwnerTable); t != nil {
		if c := t.Attr(p.OwnerColumn); c != nil && c.Identity != 0 {
			return dberr.New(dberr.FeatureNotSupported, "cannot change ownership of identity sequence").
				WithDetail(`Sequence "%s" is linked to table "%s".`, r.Name, t.Name)
		}
	}
	if o.NoOwner {
		p.OwnerTable, p.OwnerColumn = 0, 0
		return nil
	}
	t := v.Relation(o.OwnedTable.Schema, o.OwnedTable.Name)
	if t == nil {
		t = v.Resolve(s.schemas(), o.OwnedTable.Name)
	}
	if t == nil {
		return dberr.New(dberr.UndefinedTable, `relation "%s" does not exist`, o.OwnedTable.Name)
	}
	c := t.Col(o.OwnedColumn)
	if c == nil {
		return dberr.New(dberr.UndefinedColumn, `column "%s" of relation "%s" does not exist`, o.OwnedColumn, t.Name)
	}
	p.OwnerTable, p.OwnerColumn = t.ID, c.Num
	return nil
}

// sequenceOf finds the sequence of an identity column, nil when there is none.
func sequenceOf(v *catalog.View, rel *catalog.Relation, c *catalog.Column) *catalog.Relation {
	for _, r := range v.Relations(rel.Schema) {
		if r.Seq != nil && r.Seq.OwnerTable == rel.ID && r.Seq.OwnerColumn == c.Num {
			return r
		}
	}
	return nil
}

// sequenceText is how defaults of columns name a sequence: nextval('schema.name'::regclass).
func sequenceText(txn *storage.Txn, seq *catalog.Relation) string {
	return "nextval(" + plan.QuoteLiteral(plan.QuoteIdent(schemaName(txn, seq.Schema))+"."+plan.QuoteIdent(seq.Name)) + "::regclass)"
}

// defaultsWith lists the columns whose default has one of the texts in it.
func defaultsWith(v *catalog.View, found func(*catalog.Relation, *catalog.Column), texts ...string) {
	for _, r := range v.Relations(0) {
		for i := range r.Columns {
			c := &r.Columns[i]
			if !c.Dropped && slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(c.Default, t) }) {
				found(r, c)
			}
		}
	}
}

// renameDefaults changes the name of a sequence in the defaults that use it.
func renameDefaults(ctx context.Context, txn *storage.Txn, old, new string) error {
	changed := map[catalog.ID]bool{}
	defaultsWith(txn.Catalog(), func(r *catalog.Relation, _ *catalog.Column) { changed[r.ID] = true }, old)
	for id := range changed {
		r := *txn.Catalog().RelationByID(id)
		r.Columns = slices.Clone(r.Columns)
		for i := range r.Columns {
			r.Columns[i].Default = strings.ReplaceAll(r.Columns[i].Default, old, new)
		}
		if _, err := txn.AlterRelation(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// dropSequenceDefaults sees to the defaults that use a sequence which is about to go: they go too with cascade.
func (s *Session) dropSequenceDefaults(ctx context.Context, txn *storage.Txn, seq *catalog.Relation, cascade bool, also []catalog.ID) error {
	type use struct {
		rel catalog.ID
		col int16
	}
	var uses []use
	var lines []string
	defaultsWith(txn.Catalog(), func(r *catalog.Relation, c *catalog.Column) {
		if !slices.Contains(also, r.ID) {
			uses = append(uses, use{r.ID, c.Num})
			lines = append(lines, "default value for column "+c.Name+" of table "+r.Name)
		}
	}, sequenceText(txn, seq), fmt.Sprintf("'%d'::regclass", seq.ID))
	if len(uses) == 0 {
		return nil
	}
	if !cascade {
		e := dberr.New(dberr.DependentObjectsStillExist, "cannot drop sequence %s because other objects depend on it", seq.Name).
			WithHint("Use DROP ... CASCADE to drop the dependent objects too.")
		e.Detail = strings.Join(lines, " depends on sequence "+seq.Name+"\n") + " depends on sequence " + seq.Name
		return e
	}
	for i, u := range uses {
		s.Notice("NOTICE", dberr.SuccessfulCompletion, "drop cascades to "+lines[i])
		r := *txn.Catalog().RelationByID(u.rel)
		r.Columns = slices.Clone(r.Columns)
		r.Attr(u.col).Default = ""
		if _, err := txn.AlterRelation(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// addIdentity makes a column an identity column.
func (a *alterer) addIdentity(ctx context.Context, x *plan.AlterAction) error {
	if err := a.s.createSequence(ctx, a.txn, x.Sequence); err != nil {
		return err
	}
	err := a.change(ctx, func(r *catalog.Relation) error {
		c := r.Col(x.Column)
		if c == nil {
			return noColumn(r, x.Column)
		}
		c.Identity, c.Default = x.Identity, x.Default
		return nil
	})
	if err != nil {
		return err
	}
	return ownSequences(ctx, a.txn, a.rel, []plan.CreateSequence{*x.Sequence})
}

// setIdentity changes when an identity column takes its sequence's value, and the sequence.
func (a *alterer) setIdentity(ctx context.Context, x *plan.AlterAction) error {
	err := a.change(ctx, func(r *catalog.Relation) error {
		c := r.Col(x.Column)
		if c == nil {
			return noColumn(r, x.Column)
		}
		c.Identity = x.Identity
		return nil
	})
	if err != nil || x.Sequence == nil {
		return err
	}
	seq := sequenceOf(a.txn.Catalog(), a.rel, a.rel.Col(x.Column))
	if seq == nil {
		return dberr.New(dberr.UndefinedTable, `column "%s" of relation "%s" has no sequence`, x.Column, a.rel.Name)
	}
	o := &x.Sequence.Options
	params, err := changedParams(seq.Seq, o)
	if err != nil {
		return err
	}
	return changeSequence(ctx, a.txn, *seq, params, o)
}

// dropNotNull lets a column have NULLs, unless an identity fills it.
func (a *alterer) dropNotNull(ctx context.Context, x *plan.AlterAction) error {
	if c := a.rel.Col(x.Column); c != nil && c.Identity != 0 {
		return dberr.New(dberr.SyntaxError, `column "%s" of relation "%s" is an identity column`, c.Name, a.rel.Name)
	}
	return column(func(c *catalog.Column, _ *plan.AlterAction) { c.NotNull = false })(a, ctx, x)
}

// dropIdentity makes an identity column a plain one; its sequence goes.
func (a *alterer) dropIdentity(ctx context.Context, x *plan.AlterAction) error {
	c := a.rel.Col(x.Column)
	if c == nil {
		return noColumn(a.rel, x.Column)
	}
	if c.Identity == 0 {
		a.s.Notice("NOTICE", dberr.SuccessfulCompletion, strings.Join([]string{`column "`, x.Column, `" of relation "`, a.rel.Name, `" is not an identity column, skipping`}, ""))
		return nil
	}
	seq := sequenceOf(a.txn.Catalog(), a.rel, c)
	err := a.change(ctx, func(r *catalog.Relation) error {
		c := r.Col(x.Column)
		c.Identity, c.Default = 0, ""
		return nil
	})
	if err != nil || seq == nil {
		return err
	}
	return a.txn.DropRelation(ctx, seq.ID)
}
