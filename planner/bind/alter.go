package bind

import (
	"slices"
	"strings"

	pg_query "github.com/omgdb/omgdb/planner/parse/ast"

	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// alterStatement binds the statements that change what exists.
func (b *binder) alterStatement(n *pg_query.Node) (st plan.Statement, ok bool, err error) {
	switch x := n.Node.(type) {
	case *pg_query.Node_AlterTableStmt:
		if x.AlterTableStmt.Objtype == pg_query.ObjectType_OBJECT_TYPE {
			st, err = b.alterComposite(x.AlterTableStmt)
			break
		}
		st, err = b.alterTable(x.AlterTableStmt)
	case *pg_query.Node_AlterDomainStmt:
		st, err = b.alterDomain(x.AlterDomainStmt)
	case *pg_query.Node_RenameStmt:
		st, err = b.rename(x.RenameStmt)
	case *pg_query.Node_AlterObjectSchemaStmt:
		st, err = b.alterSchema(x.AlterObjectSchemaStmt)
	case *pg_query.Node_AlterOwnerStmt:
		st, err = b.alterOwner(x.AlterOwnerStmt)
	case *pg_query.Node_AlterSeqStmt:
		st, err = b.alterSequence(x.AlterSeqStmt)
	case *pg_query.Node_AlterEnumStmt:
		st, err = b.alterEnum(x.AlterEnumStmt)
	default:
		return nil, false, nil
	}
	return st, true, err
}

// alterKinds are the words after ALTER.
var alterKinds = map[pg_query.ObjectType]string{
	pg_query.ObjectType_OBJECT_TABLE: "TABLE", pg_query.ObjectType_OBJECT_VIEW: "VIEW", pg_query.ObjectType_OBJECT_INDEX: "INDEX",
	pg_query.ObjectType_OBJECT_MATVIEW: "MATERIALIZED VIEW", pg_query.ObjectType_OBJECT_SEQUENCE: "SEQUENCE",
}

// alterTarget finds the relation or index of an ALTER; with IF EXISTS a missing one is a notice.
func (b *binder) alterTarget(kind pg_query.ObjectType, rv *pg_query.RangeVar, missingOK bool) (*plan.AlterTable, error) {
	word, ok := alterKinds[kind]
	if !ok {
		return nil, dberr.New(dberr.FeatureNotSupported, "ALTER of this kind of object is not supported")
	}
	st := &plan.AlterTable{Kind: word}
	if kind == pg_query.ObjectType_OBJECT_INDEX {
		ix, rel := b.lookupIndex(rv.Schemaname, rv.Relname)
		if rel != nil {
			st.Index, st.Rel = ix, rel
			return st, nil
		}
	} else if rel := b.lookupRelation(rv.Schemaname, rv.Relname); rel != nil {
		st.Rel = rel
		return st, b.checkKind(kind, rel)
	}
	if missingOK {
		st.Notice = "relation \"" + rv.Relname + "\" does not exist, skipping"
		return st, nil
	}
	return nil, dropPosition(noRelation(rv))
}

// checkKind: ALTER TABLE reaches every kind of relation, the other words only their own.
func (b *binder) checkKind(kind pg_query.ObjectType, rel *catalog.Relation) error {
	k := dropKinds[kind]
	if kind == pg_query.ObjectType_OBJECT_TABLE || strings.ContainsRune(k.kinds, rune(rel.Kind)) {
		return nil
	}
	return dberr.New(dberr.WrongObjectType, "\"%s\" is not %s", rel.Name, article2(k.word))
}

// alterTable binds ALTER TABLE: each action sees the table as the actions before it leave it.
func (b *binder) alterTable(x *pg_query.AlterTableStmt) (plan.Statement, error) {
	st, err := b.alterTarget(x.Objtype, x.Relation, x.MissingOk)
	if err != nil || st.Rel == nil {
		return st, err
	}
	work := *st.Rel
	work.Columns = slices.Clone(liveOrAll(st.Rel))
	work.Checks = slices.Clone(st.Rel.Checks)
	d := &tableDef{rel: &work, taken: map[string]bool{}, exists: true, st: &plan.CreateTable{Name: plan.ObjName{Schema: b.schemaName(st.Rel), Name: st.Rel.Name}}}
	b.takenNames(d)
	for _, n := range x.Cmds {
		actions, err := b.alterCmd(d, st, n.GetAlterTableCmd())
		if e := dberr.As(err); e != nil {
			if e.Code != dberr.UndefinedObject {
				return nil, dropPosition(e) // as in PostgreSQL, only unknown types are shown in their place
			}
			return nil, e
		}
		st.Actions = append(st.Actions, actions...)
	}
	return st, nil
}

func liveOrAll(rel *catalog.Relation) []catalog.Column {
	if rel.Kind == catalog.Collection {
		return collectionColumns
	}
	return rel.Columns
}

// takenNames collects the names of a table's constraints and indexes.
func (b *binder) takenNames(d *tableDef) {
	for _, ck := range d.rel.Checks {
		d.taken[ck.Name] = true
	}
	for _, f := range d.rel.Foreign {
		d.taken[f.Name] = true
	}
	for _, ix := range b.Catalog.IndexesOf(d.rel) {
		d.taken[ix.Name] = true
	}
	if d.rel.PrimaryName != "" {
		d.taken[d.rel.PrimaryName] = true
	}
}

// plainActions are the actions that only name a column.
var plainActions = map[pg_query.AlterTableType]plan.AlterKind{
	pg_query.AlterTableType_AT_DropNotNull: plan.DropNotNull, pg_query.AlterTableType_AT_SetNotNull: plan.SetNotNull,
	pg_query.AlterTableType_AT_DropIdentity: plan.DropIdentity, pg_query.AlterTableType_AT_DropExpression: plan.DropExpression,
}

// idleActions are accepted and change nothing here.
var idleActions = map[pg_query.AlterTableType]bool{
	pg_query.AlterTableType_AT_SetStatistics: true, pg_query.AlterTableType_AT_SetStorage: true, pg_query.AlterTableType_AT_SetCompression: true,
	pg_query.AlterTableType_AT_ClusterOn: true, pg_query.AlterTableType_AT_DropCluster: true, pg_query.AlterTableType_AT_ReplicaIdentity: true,
	pg_query.AlterTableType_AT_DropOids:   true,
	pg_query.AlterTableType_AT_SetOptions: true, pg_query.AlterTableType_AT_ResetOptions: true,
	pg_query.AlterTableType_AT_EnableTrigAll: true, pg_query.AlterTableType_AT_EnableTrigUser: true, pg_query.AlterTableType_AT_DisableTrigUser: true,
}

// setLogged binds SET LOGGED and SET UNLOGGED. A logged table references none that is not.
func (b *binder) setLogged(r *catalog.Relation, logged bool) (plan.AlterAction, error) {
	if r.Temp {
		return plan.AlterAction{}, dberr.New(dberr.InvalidTableDef, "cannot change logged status of table \"%s\" because it is temporary", r.Name)
	}
	if r.Kind == catalog.ViewKind || r.Kind == catalog.MatViewKind {
		word := map[bool]string{true: "SET LOGGED", false: "SET UNLOGGED"}[logged]
		return plan.AlterAction{}, dberr.New(dberr.WrongObjectType, "ALTER action %s cannot be performed on relation \"%s\"", word, r.Name).
			WithDetail("This operation is not supported for %s.", kindName(r.Kind, true))
	}
	others, refuse := r.Referrers, "could not change table \"%s\" to unlogged because it references logged table \"%s\""
	if logged {
		others, refuse = nil, "could not change table \"%s\" to logged because it references unlogged table \"%s\""
		for _, f := range r.Foreign {
			others = append(others, f.RefTable)
		}
	}
	for _, id := range others {
		if o := b.Catalog.RelationByID(id); o != nil && o.ID != r.ID && o.Unlogged == logged {
			return plan.AlterAction{}, dberr.New(dberr.InvalidTableDef, refuse, r.Name, o.Name)
		}
	}
	return plan.AlterAction{Do: plan.SetLogged, Logged: logged}, nil
}

// alterCmd binds one action; adding a column may be several.
func (b *binder) alterCmd(d *tableDef, st *plan.AlterTable, c *pg_query.AlterTableCmd) ([]plan.AlterAction, error) {
	cascade := c.Behavior == pg_query.DropBehavior_DROP_CASCADE
	one := func(a plan.AlterAction, err error) ([]plan.AlterAction, error) { return []plan.AlterAction{a}, err }
	if do, ok := plainActions[c.Subtype]; ok {
		a, err := b.columnAction(d, c, do)
		return one(a, err)
	}
	if idleActions[c.Subtype] {
		return one(plan.AlterAction{Do: plan.NoAction}, nil)
	}
	switch c.Subtype {
	case pg_query.AlterTableType_AT_SetLogged, pg_query.AlterTableType_AT_SetUnLogged:
		a, err := b.setLogged(d.rel, c.Subtype == pg_query.AlterTableType_AT_SetLogged)
		return one(a, err)
	case pg_query.AlterTableType_AT_DisableTrigAll: // what restores data says, whose foreign keys PostgreSQL keeps by triggers
		if len(d.rel.Foreign) > 0 || len(d.rel.Referrers) > 0 {
			st.Notice = "the foreign keys of relation \"" + d.rel.Name + "\" stay in force"
		}
		return one(plan.AlterAction{Do: plan.NoAction}, nil)
	case pg_query.AlterTableType_AT_AddColumn:
		return b.addColumn(d, c)
	case pg_query.AlterTableType_AT_DropColumn:
		if findColumn(d.rel, c.Name) == nil && c.MissingOk {
			st.Notice = "column \"" + c.Name + "\" of relation \"" + d.rel.Name + "\" does not exist, skipping"
			return nil, nil
		}
		a, err := b.columnAction(d, c, plan.DropColumn)
		a.Cascade, a.IfExists = cascade, c.MissingOk
		return one(a, err)
	case pg_query.AlterTableType_AT_ColumnDefault:
		a, err := b.alterDefault(d, c)
		return one(a, err)
	case pg_query.AlterTableType_AT_AlterColumnType:
		a, err := b.alterType(d, c)
		return one(a, err)
	case pg_query.AlterTableType_AT_AddConstraint:
		return b.addConstraint(d, c.Def.GetConstraint())
	case pg_query.AlterTableType_AT_DropConstraint:
		return b.dropConstraint(d, st, c, cascade)
	case pg_query.AlterTableType_AT_AlterConstraint:
		k := c.Def.GetConstraint()
		if err := b.hasConstraint(d, k.Conname); err != nil {
			return nil, err
		}
		return one(plan.AlterAction{Do: plan.AlterConstraint, Constraint: k.Conname, Deferrable: k.Deferrable, Deferred: k.Initdeferred}, nil)
	case pg_query.AlterTableType_AT_ValidateConstraint:
		if i := slices.IndexFunc(d.rel.Checks, func(k catalog.Check) bool { return k.Name == c.Name }); i >= 0 {
			return one(b.checkAction(plan.ValidateConstraint, d.rel, d.rel.Checks[i]), nil)
		}
		return one(plan.AlterAction{Do: plan.ValidateConstraint, Constraint: c.Name}, b.hasConstraint(d, c.Name))
	case pg_query.AlterTableType_AT_ChangeOwner:
		return one(plan.AlterAction{Do: plan.SetOwner, NewName: b.roleName(c.Newowner)}, nil)
	case pg_query.AlterTableType_AT_AddIdentity:
		return b.addIdentity(d, c)
	case pg_query.AlterTableType_AT_SetIdentity:
		return b.setIdentity(d, c)
	case pg_query.AlterTableType_AT_SetRelOptions, pg_query.AlterTableType_AT_ResetRelOptions:
		reset := c.Subtype == pg_query.AlterTableType_AT_ResetRelOptions
		o, err := relOptions(optionsOn(d.rel, st.Index), c.Def.GetList().GetItems(), reset)
		do := plan.SetOptions
		if reset {
			do = plan.ResetOptions
		}
		return one(plan.AlterAction{Do: do, Options: o}, err)
	}
	return nil, refusedAction(c.Subtype)
}

// refusedAction names what to use instead of an action that OMGDB doesn't have.
func refusedAction(t pg_query.AlterTableType) error {
	name := strings.TrimPrefix(t.String(), "AT_")
	hint := "Make a new table with CREATE TABLE … AS and rename it."
	switch {
	case strings.Contains(name, "Inherit"), strings.Contains(name, "Partition"):
		return dberr.New(dberr.FeatureNotSupported, "partitioning and inheritance are not supported").WithHint("Use one table with an index.")
	case strings.Contains(name, "Trig"), strings.Contains(name, "Rule"):
		return dberr.New(dberr.FeatureNotSupported, "triggers and rules are not supported").WithHint("Use constraints, generated columns and defaults.")
	case strings.Contains(name, "RowSecurity"):
		hint = "Grant rights on views."
	case name == "SetTableSpace":
		hint = "A store is one directory."
	}
	return dberr.New(dberr.FeatureNotSupported, "ALTER TABLE action %s is not supported", name).WithHint("%s", hint)
}

// alterColumn finds the column of an action.
func (b *binder) alterColumn(d *tableDef, name string) (*catalog.Column, error) {
	if systemColumns[name].typ != nil {
		return nil, dberr.New(dberr.FeatureNotSupported, "cannot alter system column \"%s\"", name)
	}
	for i := range d.rel.Columns {
		if c := &d.rel.Columns[i]; c.Name == name && !c.Dropped {
			if d.rel.Kind == catalog.Collection {
				return nil, dberr.New(dberr.WrongObjectType, "cannot alter column \"%s\" of collection \"%s\"", name, d.rel.Name).
					WithHint("A collection has the columns _id and doc; change the documents instead.")
			}
			return c, nil
		}
	}
	return nil, dberr.New(dberr.UndefinedColumn, "column \"%s\" of relation \"%s\" does not exist", name, d.rel.Name)
}

func (b *binder) columnAction(d *tableDef, cmd *pg_query.AlterTableCmd, do plan.AlterKind) (plan.AlterAction, error) {
	c, err := b.alterColumn(d, cmd.Name)
	if err != nil {
		return plan.AlterAction{}, err
	}
	a := plan.AlterAction{Do: do, Column: c.Name, IfExists: cmd.MissingOk}
	switch do {
	case plan.DropNotNull:
		if slices.Contains(b.primaryKey(d.rel), c.Num) {
			return a, dberr.New(dberr.InvalidTableDef, "column \"%s\" is in a primary key", c.Name)
		}
		if c.Identity != 0 {
			return a, dberr.New(dberr.SyntaxError, "column \"%s\" of relation \"%s\" is an identity column", c.Name, d.rel.Name)
		}
		c.NotNull = false
	case plan.SetNotNull:
		c.NotNull = true
	case plan.DropIdentity:
		if c.Identity == 0 && !cmd.MissingOk {
			return a, dberr.New(dberr.ObjectNotInPrerequisiteState, "column \"%s\" of relation \"%s\" is not an identity column", c.Name, d.rel.Name)
		}
		c.Identity, c.Default = 0, ""
	case plan.DropExpression:
		if !c.Generated && !cmd.MissingOk {
			return a, dberr.New(dberr.ObjectNotInPrerequisiteState, "column \"%s\" of relation \"%s\" is not a stored generated column", c.Name, d.rel.Name)
		}
		c.Generated, c.Default = false, ""
	case plan.DropColumn:
		c.Dropped = true
	}
	return a, nil
}

// addColumn binds ADD COLUMN with its constraints.
func (b *binder) addColumn(d *tableDef, cmd *pg_query.AlterTableCmd) ([]plan.AlterAction, error) {
	x := cmd.Def.GetColumnDef()
	if d.rel.Kind != catalog.Table {
		return nil, dberr.New(dberr.WrongObjectType, "cannot add column to %s \"%s\"", kindName(d.rel.Kind, false), d.rel.Name).
			WithHint("A collection has the columns _id and doc; its documents can have any field.")
	}
	if findColumn(d.rel, x.Colname) != nil {
		if cmd.MissingOk {
			return nil, nil
		}
		return nil, dberr.New(dberr.DuplicateColumn, "column \"%s\" of relation \"%s\" already exists", x.Colname, d.rel.Name)
	}
	nChecks, nIndexes, nForeign, nSeq := len(d.rel.Checks), len(d.st.Indexes), len(d.st.Foreign), len(d.st.Sequences)
	d.later = nil
	if err := b.columnDef(d, x); err != nil {
		return nil, err
	}
	old := b.rowCols(d.rel) // as the rows are before: the new column is not among them
	if err := b.constraints(d); err != nil {
		return nil, err
	}
	c := d.rel.Columns[len(d.rel.Columns)-1]
	a := plan.AlterAction{Do: plan.AddColumn, Column: c.Name, IfExists: cmd.MissingOk, Def: c}
	a.RowCols = old[:len(old)-1]
	if c.Default != "" || c.Identity != 0 || b.domainDefault(c.Type) != "" {
		var err error
		if c.Generated {
			a.Fill, err = b.stored(c.Default, d.rel, old, c.Type, c.Mod)
		} else {
			a.Fill, err = b.defaultOf(d.rel, &c)
		}
		if err != nil && len(d.st.Sequences) == nSeq {
			return nil, err
		}
	}
	if len(d.st.Sequences) > nSeq {
		seq := d.st.Sequences[nSeq]
		a.Sequence, a.Fill = &seq, nil // its default is bound when the sequence exists
	}
	return append([]plan.AlterAction{a}, b.newConstraints(d, nChecks, nIndexes, nForeign)...), nil
}

// newConstraints turns the constraints that were added to the definition into actions.
func (b *binder) newConstraints(d *tableDef, checks, indexes, foreign int) []plan.AlterAction {
	var out []plan.AlterAction
	for i := range d.st.Indexes[indexes:] {
		ix := d.st.Indexes[indexes+i]
		out = append(out, plan.AlterAction{Do: plan.AddConstraint, Unique: &ix, Constraint: ix.Index.Name})
	}
	for i := range d.rel.Checks[checks:] {
		out = append(out, b.checkAction(plan.AddConstraint, d.rel, d.rel.Checks[checks+i]))
	}
	for i := range d.st.Foreign[foreign:] {
		f := d.st.Foreign[foreign+i]
		out = append(out, plan.AlterAction{Do: plan.AddConstraint, Foreign: &f, Constraint: f.Name})
	}
	return out
}

// checkAction is an action about a check constraint, with its expression bound.
func (b *binder) checkAction(do plan.AlterKind, rel *catalog.Relation, ck catalog.Check) plan.AlterAction {
	a := plan.AlterAction{Do: do, Check: &ck, Constraint: ck.Name, RowCols: b.rowCols(rel)}
	if e, err := b.stored(ck.Expr, rel, a.RowCols, value.Boolean, -1); err == nil {
		a.CheckExpr = e
	}
	return a
}

func (b *binder) addConstraint(d *tableDef, k *pg_query.Constraint) ([]plan.AlterAction, error) {
	if k.Indexname != "" {
		return nil, dberr.New(dberr.FeatureNotSupported, "ADD CONSTRAINT … USING INDEX is not supported").WithHint("Add the constraint over the columns.")
	}
	if d.rel.Kind != catalog.Table {
		return nil, dberr.New(dberr.WrongObjectType, "cannot add constraint to %s \"%s\"", kindName(d.rel.Kind, false), d.rel.Name).
			WithHint("Use CREATE UNIQUE INDEX over an expression of doc.")
	}
	nChecks, nIndexes, nForeign := len(d.rel.Checks), len(d.st.Indexes), len(d.st.Foreign)
	d.later = []*pg_query.Constraint{k}
	if err := b.constraints(d); err != nil {
		return nil, err
	}
	out := b.newConstraints(d, nChecks, nIndexes, nForeign)
	for i := range out {
		out[i].NotValid = k.SkipValidation
		if out[i].Unique != nil {
			out[i].Unique.Rel = d.rel
		}
	}
	return out, nil
}

func (b *binder) hasConstraint(d *tableDef, name string) error {
	if d.taken[name] {
		return nil
	}
	return dberr.New(dberr.UndefinedObject, "constraint \"%s\" of relation \"%s\" does not exist", name, d.rel.Name)
}

func (b *binder) dropConstraint(d *tableDef, st *plan.AlterTable, c *pg_query.AlterTableCmd, cascade bool) ([]plan.AlterAction, error) {
	if err := b.hasConstraint(d, c.Name); err != nil {
		if c.MissingOk {
			st.Notice = "constraint \"" + c.Name + "\" of relation \"" + d.rel.Name + "\" does not exist, skipping"
			return nil, nil
		}
		return nil, err
	}
	delete(d.taken, c.Name)
	d.rel.Checks = slices.DeleteFunc(d.rel.Checks, func(k catalog.Check) bool { return k.Name == c.Name })
	return []plan.AlterAction{{Do: plan.DropConstraint, Constraint: c.Name, IfExists: c.MissingOk, Cascade: cascade}}, nil
}

func (b *binder) alterDefault(d *tableDef, cmd *pg_query.AlterTableCmd) (plan.AlterAction, error) {
	c, err := b.alterColumn(d, cmd.Name)
	if err != nil {
		return plan.AlterAction{}, err
	}
	switch {
	case c.Identity != 0:
		e := dberr.New(dberr.SyntaxError, "column \"%s\" of relation \"%s\" is an identity column", c.Name, d.rel.Name)
		if cmd.Def == nil {
			e = e.WithHint("Use ALTER TABLE ... ALTER COLUMN ... DROP IDENTITY instead.")
		}
		return plan.AlterAction{}, e
	case c.Generated:
		e := dberr.New(dberr.SyntaxError, "column \"%s\" of relation \"%s\" is a generated column", c.Name, d.rel.Name)
		if cmd.Def == nil {
			e = e.WithHint("Use ALTER TABLE ... ALTER COLUMN ... DROP EXPRESSION instead.")
		}
		return plan.AlterAction{}, e
	case cmd.Def == nil:
		c.Default = ""
		return plan.AlterAction{Do: plan.DropDefault, Column: c.Name}, nil
	}
	if c.Default, err = b.defaultText(c, cmd.Def); err != nil {
		return plan.AlterAction{}, err
	}
	if c.Default == "" {
		return plan.AlterAction{Do: plan.DropDefault, Column: c.Name}, nil
	}
	return plan.AlterAction{Do: plan.SetDefault, Column: c.Name, Default: c.Default}, nil
}

func (b *binder) addIdentity(d *tableDef, cmd *pg_query.AlterTableCmd) ([]plan.AlterAction, error) {
	c, err := b.alterColumn(d, cmd.Name)
	if err != nil {
		return nil, err
	}
	if !integral(c.Type) {
		return nil, errIdentityType()
	}
	if !c.NotNull {
		return nil, dberr.New(dberr.ObjectNotInPrerequisiteState, "column \"%s\" of relation \"%s\" must be declared NOT NULL before identity can be added", c.Name, d.rel.Name)
	}
	if c.Identity != 0 {
		return nil, dberr.New(dberr.ObjectNotInPrerequisiteState, "column \"%s\" of relation \"%s\" is already an identity column", c.Name, d.rel.Name)
	}
	if c.Default != "" {
		return nil, dberr.New(dberr.ObjectNotInPrerequisiteState, "column \"%s\" of relation \"%s\" already has a default value", c.Name, d.rel.Name)
	}
	if err := b.identity(d, c, cmd.Def.GetConstraint()); err != nil {
		return nil, err
	}
	seq := d.st.Sequences[len(d.st.Sequences)-1]
	return []plan.AlterAction{{Do: plan.AddIdentity, Column: c.Name, Identity: c.Identity, Default: c.Default, Sequence: &seq}}, nil
}

func (b *binder) setIdentity(d *tableDef, cmd *pg_query.AlterTableCmd) ([]plan.AlterAction, error) {
	c, err := b.alterColumn(d, cmd.Name)
	if err != nil {
		return nil, err
	}
	if c.Identity == 0 {
		return nil, dberr.New(dberr.ObjectNotInPrerequisiteState, "column \"%s\" of relation \"%s\" is not an identity column", c.Name, d.rel.Name)
	}
	a := plan.AlterAction{Do: plan.SetIdentity, Column: c.Name, Identity: c.Identity}
	var rest []*pg_query.Node
	for _, n := range cmd.Def.GetList().GetItems() {
		if e := n.GetDefElem(); e.Defname == "generated" {
			v, _ := constInt(e.Arg)
			a.Identity = byte(v)
			continue
		}
		rest = append(rest, n)
	}
	if len(rest) > 0 {
		o, err := sequenceOptions(rest, c.Type)
		if err != nil {
			return nil, err
		}
		a.Sequence = &plan.CreateSequence{Options: o, OwnerTable: d.st.Name, OwnerColumn: c.Name, Identity: true}
	}
	return []plan.AlterAction{a}, nil
}

func (b *binder) alterSequence(x *pg_query.AlterSeqStmt) (plan.Statement, error) {
	rel := b.lookupRelation(x.Sequence.Schemaname, x.Sequence.Relname)
	if rel == nil {
		if x.MissingOk {
			return &plan.NoOp{Tag: "ALTER SEQUENCE", Notice: "relation \"" + x.Sequence.Relname + "\" does not exist, skipping"}, nil
		}
		return nil, dropPosition(noRelation(x.Sequence))
	}
	if rel.Kind != catalog.Sequence {
		return nil, dberr.New(dberr.WrongObjectType, "\"%s\" is not a sequence", rel.Name)
	}
	var t *value.Type
	if rel.Seq != nil {
		t = rel.Seq.Type
	}
	o, err := sequenceOptions(x.Options, t)
	if err != nil {
		return nil, err
	}
	if err := b.ownedBy(&o, x.Options); err != nil {
		return nil, err
	}
	return &plan.AlterSequence{Rel: rel, Options: o}, nil
}

func (b *binder) alterEnum(x *pg_query.AlterEnumStmt) (plan.Statement, error) {
	schema, name, err := b.qualified(strs(x.TypeName), -1)
	if err != nil {
		return nil, err
	}
	t := b.typeNamed(schema, name)
	if t == nil {
		return nil, dberr.New(dberr.UndefinedObject, "type \"%s\" does not exist", name)
	}
	if t.Class != value.Enum {
		return nil, dberr.New(dberr.WrongObjectType, "%s is not an enum", t.SQL)
	}
	st := &plan.AlterEnum{Type: t, Label: x.NewVal, Old: x.OldVal, Neighbour: x.NewValNeighbor, After: x.NewValIsAfter, IfNotExists: x.SkipIfNewValExists}
	missing := func(l string) error {
		return dberr.New(dberr.InvalidParameterValue, "\"%s\" is not an existing enum label", l)
	}
	switch {
	case st.Old != "" && !slices.Contains(t.Labels, st.Old):
		return nil, missing(st.Old)
	case st.Neighbour != "" && !slices.Contains(t.Labels, st.Neighbour):
		return nil, missing(st.Neighbour)
	case slices.Contains(t.Labels, st.Label):
		if st.IfNotExists {
			return &plan.NoOp{Tag: "ALTER TYPE", Notice: "enum label \"" + st.Label + "\" already exists, skipping"}, nil
		}
		return nil, dberr.New(dberr.DuplicateObject, "enum label \"%s\" already exists", st.Label)
	}
	return st, checkName(st.Label, -1)
}
