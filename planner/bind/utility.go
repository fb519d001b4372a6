package bind

import (
	"math"
	"strings"

	pg_query "github.com/omgdb/omgdb/planner/parse/ast"

	"github.com/omgdb/omgdb/planner/parse"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// sessionStatement binds the statements that steer the session: transactions, settings, prepared statements, cursors, COPY.
func (b *binder) sessionStatement(n *pg_query.Node) (st plan.Statement, ok bool, err error) {
	ok = true
	switch x := n.Node.(type) {
	case *pg_query.Node_TransactionStmt:
		st, err = b.transaction(x.TransactionStmt)
	case *pg_query.Node_VariableSetStmt:
		st, err = b.variableSet(x.VariableSetStmt)
	case *pg_query.Node_VariableShowStmt:
		st = &plan.Show{Name: x.VariableShowStmt.Name}
	case *pg_query.Node_DiscardStmt:
		st = &plan.Discard{What: discards[x.DiscardStmt.Target]}
	case *pg_query.Node_ExplainStmt:
		st, err = b.explain(x.ExplainStmt)
	case *pg_query.Node_PrepareStmt:
		st, err = b.prepare(x.PrepareStmt)
	case *pg_query.Node_ExecuteStmt:
		st, err = b.execute(x.ExecuteStmt)
	case *pg_query.Node_DeallocateStmt:
		st = &plan.Deallocate{Name: x.DeallocateStmt.Name}
	case *pg_query.Node_DeclareCursorStmt:
		st, err = b.declare(x.DeclareCursorStmt)
	case *pg_query.Node_FetchStmt:
		st = fetchStmt(x.FetchStmt)
	case *pg_query.Node_ClosePortalStmt:
		st = &plan.Close{Name: x.ClosePortalStmt.Portalname}
	case *pg_query.Node_CopyStmt:
		st, err = b.copyStmt(x.CopyStmt)
	case *pg_query.Node_ListenStmt:
		st = &plan.Listen{Channel: x.ListenStmt.Conditionname}
	case *pg_query.Node_UnlistenStmt:
		st = &plan.Unlisten{Channel: x.UnlistenStmt.Conditionname}
	case *pg_query.Node_DoStmt:
		st, err = doBlock(x.DoStmt)
	case *pg_query.Node_NotifyStmt:
		st = &plan.Notify{Channel: x.NotifyStmt.Conditionname, Payload: x.NotifyStmt.Payload}
	case *pg_query.Node_LockStmt:
		st, err = b.lockTable(x.LockStmt)
	case *pg_query.Node_ConstraintsSetStmt:
		st, err = b.constraintsSet(x.ConstraintsSetStmt)
	default:
		return b.maintenance(n)
	}
	return st, ok, err
}

// maintenance binds the statements that look after the store.
func (b *binder) maintenance(n *pg_query.Node) (st plan.Statement, ok bool, err error) {
	switch x := n.Node.(type) {
	case *pg_query.Node_VacuumStmt:
		st, err = b.vacuum(x.VacuumStmt)
	case *pg_query.Node_CheckPointStmt:
		st = &plan.Checkpoint{}
	case *pg_query.Node_ReindexStmt:
		st, err = b.reindex(x.ReindexStmt)
	case *pg_query.Node_ClusterStmt:
		st = &plan.NoOp{Tag: "CLUSTER"}
	case *pg_query.Node_LoadStmt:
		return nil, true, dberr.New(dberr.FeatureNotSupported, "LOAD is not supported").WithHint("Everything that OMGDB has is built in.")
	default:
		return nil, false, nil
	}
	return st, true, err
}

var discards = map[pg_query.DiscardMode]string{
	pg_query.DiscardMode_DISCARD_ALL: "ALL", pg_query.DiscardMode_DISCARD_PLANS: "PLANS",
	pg_query.DiscardMode_DISCARD_SEQUENCES: "SEQUENCES", pg_query.DiscardMode_DISCARD_TEMP: "TEMP",
}

// transaction binds BEGIN, COMMIT, SAVEPOINT and the like.
func (b *binder) transaction(x *pg_query.TransactionStmt) (plan.Statement, error) {
	switch x.Kind {
	case pg_query.TransactionStmtKind_TRANS_STMT_BEGIN, pg_query.TransactionStmtKind_TRANS_STMT_START:
		m, err := txnModes(x.Options)
		return &plan.Begin{TxnModes: m, Start: x.Kind == pg_query.TransactionStmtKind_TRANS_STMT_START}, err
	case pg_query.TransactionStmtKind_TRANS_STMT_COMMIT:
		return &plan.Commit{Chain: x.Chain}, nil
	case pg_query.TransactionStmtKind_TRANS_STMT_ROLLBACK:
		return &plan.Rollback{Chain: x.Chain}, nil
	case pg_query.TransactionStmtKind_TRANS_STMT_SAVEPOINT:
		return &plan.Savepoint{Name: x.SavepointName}, nil
	case pg_query.TransactionStmtKind_TRANS_STMT_RELEASE:
		return &plan.Release{Name: x.SavepointName}, nil
	case pg_query.TransactionStmtKind_TRANS_STMT_ROLLBACK_TO:
		return &plan.RollbackTo{Name: x.SavepointName}, nil
	}
	return nil, dberr.New(dberr.FeatureNotSupported, "two-phase commit is not supported").WithHint("Use BEGIN and COMMIT.")
}

// txnModes reads ISOLATION LEVEL, READ ONLY and DEFERRABLE.
func txnModes(options []*pg_query.Node) (plan.TxnModes, error) {
	var m plan.TxnModes
	for _, n := range options {
		d := n.GetDefElem()
		on, _ := constInt(d.Arg)
		flag := on != 0
		switch d.Defname {
		case "transaction_isolation":
			m.Isolation = constText(d.Arg)
		case "transaction_read_only":
			m.ReadOnly = &flag
		case "transaction_deferrable":
			m.Deferrable = &flag
		}
	}
	return m, nil
}

// variableSet binds SET and RESET in all their forms.
func (b *binder) variableSet(x *pg_query.VariableSetStmt) (plan.Statement, error) {
	switch x.Kind {
	case pg_query.VariableSetKind_VAR_RESET:
		return &plan.Reset{Name: x.Name}, nil
	case pg_query.VariableSetKind_VAR_RESET_ALL:
		return &plan.Reset{}, nil
	case pg_query.VariableSetKind_VAR_SET_DEFAULT:
		return &plan.Set{Name: x.Name, Local: x.IsLocal, Default: true}, nil
	case pg_query.VariableSetKind_VAR_SET_CURRENT:
		cur := ""
		if b.Setting != nil {
			cur, _ = b.Setting(x.Name)
		}
		return &plan.Set{Name: x.Name, Local: x.IsLocal, Values: []string{cur}}, nil
	case pg_query.VariableSetKind_VAR_SET_MULTI:
		switch x.Name {
		case "TRANSACTION", "SESSION CHARACTERISTICS":
			m, err := txnModes(x.Args)
			return &plan.SetTransaction{TxnModes: m, Session: x.Name != "TRANSACTION"}, err
		case "TRANSACTION SNAPSHOT":
			return nil, dberr.New(dberr.FeatureNotSupported, "SET TRANSACTION SNAPSHOT is not supported")
		}
	}
	s := &plan.Set{Name: x.Name, Local: x.IsLocal, Pos: -1}
	for _, a := range x.Args {
		v, err := b.settingValue(x.Name, a)
		if err != nil {
			return nil, err
		}
		s.Values = append(s.Values, v)
		if s.Pos < 0 {
			s.Pos = astPos(a)
		}
	}
	return s, nil
}

// settingValue gives the text of one value of SET. An interval as time zone is written as PostgreSQL keeps it.
func (b *binder) settingValue(name string, n *pg_query.Node) (string, error) {
	if p := n.GetParamRef(); p != nil { // the parser takes it here, for texts whose constants were masked
		return "", errAt(loc(p.Location), dberr.SyntaxError, `syntax error at or near "$%d"`, p.Number)
	}
	c := n.GetTypeCast()
	if c == nil {
		return constText(n), nil
	}
	t, mod, err := b.typeName(c.TypeName)
	if err != nil {
		return "", err
	}
	if strings.EqualFold(name, "timezone") && t.OID == value.IntervalT.OID {
		text := constText(c.Arg)
		if _, err := b.readText(t, mod, text, astPos(c.Arg)); err != nil {
			return "", err
		}
		return "INTERVAL " + plan.QuoteLiteral(text), nil
	}
	return constText(c.Arg), nil
}

// readText reads a literal of a type, for its errors.
func (b *binder) readText(t *value.Type, mod int32, text string, pos int) (plan.Expr, error) {
	return b.readLiteral(&plan.Const{Typed: plan.Typed{T: value.Unknown, M: -1}, Val: value.String(text)}, t, mod, plan.CastStyle, pos)
}

// explain binds EXPLAIN with its options.
func (b *binder) explain(x *pg_query.ExplainStmt) (plan.Statement, error) {
	e := &plan.Explain{Options: plan.ExplainOptions{Costs: true, Format: "text"}}
	o := &e.Options
	var timingSet, summarySet bool
	for _, n := range x.Options {
		d := n.GetDefElem()
		if d.Defname == "format" {
			o.Format = strings.ToLower(constText(d.Arg))
			if o.Format != "text" && o.Format != "xml" && o.Format != "json" && o.Format != "yaml" {
				return nil, errAt(loc(d.Location), dberr.InvalidParameterValue, "unrecognized value for EXPLAIN option \"%s\": \"%s\"", d.Defname, constText(d.Arg))
			}
			continue
		}
		flag := map[string]*bool{"analyze": &o.Analyze, "verbose": &o.Verbose, "costs": &o.Costs, "settings": &o.Settings,
			"generic_plan": &o.GenericPlan, "buffers": &o.Buffers, "wal": &o.WAL, "timing": &o.Timing, "summary": &o.Summary}[d.Defname]
		if flag == nil {
			return nil, errAt(loc(d.Location), dberr.SyntaxError, "unrecognized EXPLAIN option \"%s\"", d.Defname)
		}
		v, err := boolOption(d)
		if err != nil {
			return nil, err
		}
		*flag = v
		timingSet, summarySet = timingSet || d.Defname == "timing", summarySet || d.Defname == "summary"
	}
	switch {
	case o.WAL && !o.Analyze:
		return nil, dberr.New(dberr.InvalidParameterValue, "EXPLAIN option WAL requires ANALYZE")
	case o.Timing && !o.Analyze:
		return nil, dberr.New(dberr.InvalidParameterValue, "EXPLAIN option TIMING requires ANALYZE")
	case o.GenericPlan && o.Analyze:
		return nil, dberr.New(dberr.InvalidParameterValue, "EXPLAIN options ANALYZE and GENERIC_PLAN cannot be used together")
	}
	if !timingSet {
		o.Timing = o.Analyze
	}
	if !summarySet {
		o.Summary = o.Analyze
	}
	var err error
	e.Stmt, err = b.statement(x.Query)
	return e, err
}

// boolOption reads an option that is on without a value.
func boolOption(d *pg_query.DefElem) (bool, error) {
	if d.Arg == nil {
		return true, nil
	}
	switch strings.ToLower(constText(d.Arg)) {
	case "true", "on", "1":
		return true, nil
	case "false", "off", "0":
		return false, nil
	}
	return false, dberr.New(dberr.SyntaxError, "%s requires a Boolean value", d.Defname)
}

// prepare binds PREPARE: the statement inside is bound now, with the declared parameter types.
func (b *binder) prepare(x *pg_query.PrepareStmt) (plan.Statement, error) {
	inner := newBinder(b.ctx, b.Context, b.stmt)
	inner.Context = &Context{}
	*inner.Context = *b.Context
	inner.NoParams = false
	inner.params = nil
	for _, n := range x.Argtypes {
		t, _, err := b.typeName(n.GetTypeName())
		if err != nil {
			return nil, err
		}
		if isUnknown(t) {
			t = nil
		}
		inner.params = append(inner.params, t)
	}
	st, err := inner.statement(x.Query)
	if err != nil {
		return nil, err
	}
	b.bulk = inner.bulk
	params, err := inner.paramTypes()
	if err != nil {
		return nil, err
	}
	at := b.bodyOffset()
	return &plan.Prepare{Name: x.Name, Stmt: st, Params: params, Text: b.stmt.Text, Body: b.stmt.Text[at-b.stmt.Offset:], BodyAt: at}, nil
}

// bodyOffset finds the statement behind PREPARE name (types) AS.
func (b *binder) bodyOffset() int {
	return b.stmt.Offset + parse.AfterAs(b.stmt.Text)
}

// execute binds EXECUTE; the arguments take the types of the prepared statement's parameters.
func (b *binder) execute(x *pg_query.ExecuteStmt) (plan.Statement, error) {
	var params []*value.Type
	ok := false
	if b.Prepared != nil {
		params, ok = b.Prepared(x.Name)
	}
	if !ok {
		return nil, dberr.New(dberr.InvalidSQLStatementName, "prepared statement \"%s\" does not exist", x.Name)
	}
	if len(params) != len(x.Params) {
		return nil, dberr.New(dberr.SyntaxError, "wrong number of parameters for prepared statement \"%s\"", x.Name).
			WithDetail("Expected %d parameters but got %d.", len(params), len(x.Params))
	}
	out := &plan.Execute{Name: x.Name}
	s := &scope{clause: inExecute}
	for i, n := range x.Params {
		e, err := b.expr(s, n)
		if err != nil {
			return nil, err
		}
		t := params[i]
		if e, err = b.assign(e, t, -1, func(from *value.Type) error {
			return errAt(astPos(n), dberr.DatatypeMismatch, "parameter $%d of type %s cannot be coerced to the expected type %s", i+1, from.SQL, t.SQL).
				WithHint("You will need to rewrite or cast the expression.")
		}); err != nil {
			return nil, err
		}
		out.Args = append(out.Args, e)
	}
	return out, nil
}

// The bits of DeclareCursorStmt.Options.
const (
	cursorBinary = 1 << iota
	cursorScroll
	cursorNoScroll
	cursorInsensitive
	cursorAsensitive
	cursorHold
)

func (b *binder) declare(x *pg_query.DeclareCursorStmt) (plan.Statement, error) {
	o := x.Options
	sel := x.Query.GetSelectStmt()
	switch {
	case o&cursorScroll != 0 && o&cursorNoScroll != 0:
		return nil, dberr.New(dberr.InvalidCursorDef, "cannot specify both %s and %s", "SCROLL", "NO SCROLL")
	case o&cursorInsensitive != 0 && o&cursorAsensitive != 0:
		return nil, dberr.New(dberr.InvalidCursorDef, "cannot specify both %s and %s", "ASENSITIVE", "INSENSITIVE")
	case sel == nil:
		return nil, dberr.New(dberr.InvalidCursorDef, "DECLARE CURSOR can only be used for SELECT")
	case len(sel.LockingClause) > 0 && o&(cursorHold|cursorScroll|cursorInsensitive) != 0:
		what, kind := "SCROLL", "Scrollable"
		switch {
		case o&cursorHold != 0:
			what, kind = "WITH HOLD", "Holdable"
		case o&cursorScroll == 0:
			what, kind = "INSENSITIVE", "Insensitive"
		}
		return nil, dberr.New(dberr.FeatureNotSupported, "DECLARE "+cursorForm(what)+" ... %s is not supported", lockName(sel.LockingClause[0].GetLockingClause())).
			WithDetail("%s cursors must be READ ONLY.", kind)
	}
	q, visible, err := b.cursorQuery(sel)
	if err != nil {
		return nil, err
	}
	return &plan.Declare{Name: x.Portalname, Query: q, Visible: visible, Keys: b.keyTables, Text: b.stmt.Text, Binary: o&cursorBinary != 0, Scroll: o&cursorScroll != 0,
		NoScroll: o&cursorNoScroll != 0, Hold: o&cursorHold != 0}, nil
}

// cursorForm is the statement's form in the message about locking cursors.
func cursorForm(what string) string {
	if what == "WITH HOLD" {
		return "CURSOR WITH HOLD"
	}
	return what + " CURSOR"
}

func fetchStmt(x *pg_query.FetchStmt) plan.Statement {
	dir := map[pg_query.FetchDirection]plan.FetchDir{
		pg_query.FetchDirection_FETCH_FORWARD: plan.FetchForward, pg_query.FetchDirection_FETCH_BACKWARD: plan.FetchBackward,
		pg_query.FetchDirection_FETCH_ABSOLUTE: plan.FetchAbsolute, pg_query.FetchDirection_FETCH_RELATIVE: plan.FetchRelative,
	}[x.Direction]
	n := x.HowMany
	if n == math.MaxInt64 {
		n = plan.FetchAll
	}
	return &plan.Fetch{Name: x.Portalname, Dir: dir, Count: n, Move: x.Ismove}
}

func (b *binder) lockTable(x *pg_query.LockStmt) (plan.Statement, error) {
	out := &plan.LockTable{Mode: int(x.Mode), NoWait: x.Nowait}
	for _, n := range x.Relations {
		rel, err := b.relation(n.GetRangeVar())
		if err != nil {
			return nil, err
		}
		if rel.Kind != catalog.Table && rel.Kind != catalog.Collection && rel.Kind != catalog.ViewKind {
			return nil, dberr.New(dberr.WrongObjectType, "cannot lock relation \"%s\"", rel.Name).WithDetail("This operation is not supported for %s.", kindName(rel.Kind, true))
		}
		out.Rels = append(out.Rels, rel)
	}
	return out, nil
}

func (b *binder) constraintsSet(x *pg_query.ConstraintsSetStmt) (plan.Statement, error) {
	out := &plan.ConstraintsSet{Deferred: x.Deferred}
	for _, n := range x.Constraints {
		rv := n.GetRangeVar()
		out.Names = append(out.Names, plan.ObjName{Schema: rv.Schemaname, Name: rv.Relname})
	}
	return out, nil
}

func (b *binder) vacuum(x *pg_query.VacuumStmt) (plan.Statement, error) {
	out := &plan.Vacuum{Vacuum: x.IsVacuumcmd, Analyze: !x.IsVacuumcmd}
	for _, n := range x.Options {
		d := n.GetDefElem()
		v, err := boolOption(d)
		if err != nil && d.Defname != "parallel" && d.Defname != "index_cleanup" && d.Defname != "buffer_usage_limit" {
			return nil, err
		}
		switch d.Defname {
		case "verbose":
			out.Verbose = v
		case "full":
			out.Full = v
		case "analyze":
			out.Analyze = v
		case "freeze", "disable_page_skipping", "skip_locked", "index_cleanup", "process_toast", "process_main", "truncate", "parallel",
			"skip_database_stats", "only_database_stats", "buffer_usage_limit":
		default:
			verb := map[bool]string{true: "VACUUM", false: "ANALYZE"}[x.IsVacuumcmd]
			return nil, errAt(loc(d.Location), dberr.SyntaxError, "unrecognized %s option \"%s\"", verb, d.Defname)
		}
	}
	for _, n := range x.Rels {
		rel, err := b.relation(n.GetVacuumRelation().Relation)
		if err != nil {
			return nil, err
		}
		out.Rels = append(out.Rels, rel)
	}
	return out, nil
}

func (b *binder) reindex(x *pg_query.ReindexStmt) (plan.Statement, error) {
	online, err := b.reindexOptions(x)
	if err != nil {
		return nil, err
	}
	if x.Relation == nil {
		return &plan.Reindex{Name: plan.ObjName{Name: x.Name}, Concurrently: online}, nil
	}
	rv := x.Relation
	out := &plan.Reindex{Name: plan.ObjName{Schema: rv.Schemaname, Name: rv.Relname}, Concurrently: online}
	if x.Kind == pg_query.ReindexObjectType_REINDEX_OBJECT_INDEX {
		ix, rel := b.lookupIndex(rv.Schemaname, rv.Relname)
		if out.Index = ix; ix == nil && rel == nil {
			return nil, dropPosition(noRelation(rv))
		}
		return out, nil
	}
	out.Rel, err = b.relation(rv)
	return out, err
}

// reindexOptions reads the options of REINDEX. A tablespace is nowhere, and VERBOSE has nothing to tell.
func (b *binder) reindexOptions(x *pg_query.ReindexStmt) (concurrently bool, err error) {
	for _, n := range x.Params {
		d := n.GetDefElem()
		switch d.Defname {
		case "concurrently":
			if concurrently, err = boolOption(d); err != nil {
				return false, err
			}
		case "verbose", "tablespace":
		default:
			return false, errAt(loc(d.Location), dberr.SyntaxError, "unrecognized REINDEX option \"%s\"", d.Defname)
		}
	}
	if concurrently && x.Kind == pg_query.ReindexObjectType_REINDEX_OBJECT_SYSTEM {
		return false, dberr.New(dberr.FeatureNotSupported, "cannot reindex system catalogs concurrently")
	}
	return concurrently, nil
}

// lookupIndex finds an index by name, along the search path when schema is "". The row key of a table shows as an index of its
// constraint's name: then the table alone is given.
func (b *binder) lookupIndex(schema, name string) (*catalog.Index, *catalog.Relation) {
	schemas := []string{schema}
	if schema == "" {
		schemas = b.path()
	}
	for _, sn := range schemas {
		b.uses(sn)
		if ix := b.Catalog.IndexByName(sn, name); ix != nil {
			return ix, b.Catalog.RelationByID(ix.Relation)
		}
		if sc := b.Catalog.Schema(sn); sc != nil {
			for _, r := range b.Catalog.Relations(sc.ID) {
				if r.PrimaryName == name && r.PrimaryName != "" {
					return nil, r
				}
			}
		}
	}
	return nil, nil
}

// doBlock binds DO. Its text is bound as it runs.
func doBlock(x *pg_query.DoStmt) (plan.Statement, error) {
	st, language := &plan.Do{}, "plpgsql"
	for _, n := range x.Args {
		switch d := n.GetDefElem(); d.GetDefname() {
		case "as":
			st.Body = d.Arg.GetString_().GetSval()
		case "language":
			language = d.Arg.GetString_().GetSval()
		}
	}
	switch language {
	case "plpgsql":
		return st, nil
	case "sql", "c", "internal":
		return nil, dberr.New(dberr.FeatureNotSupported, "language \"%s\" does not support inline code execution", language)
	}
	return nil, dberr.New(dberr.UndefinedObject, "language \"%s\" does not exist", language)
}
