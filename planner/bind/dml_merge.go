package bind

import (
	"slices"

	pg_query "github.com/omgdb/omgdb/planner/parse/ast"

	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// merge binds MERGE.
func (b *binder) merge(s *scope, x *pg_query.MergeStmt) (plan.Node, error) {
	if x.WithClause != nil && x.WithClause.Recursive {
		return nil, dberr.New(dberr.SyntaxError, "WITH RECURSIVE is not supported for MERGE statement")
	}
	if err := reachable(x.MergeWhenClauses); err != nil {
		return nil, err
	}
	rel, err := b.relationAt(x.Relation)
	if err != nil {
		return nil, err
	}
	for _, verb := range []string{"INSERT", "UPDATE", "DELETE"} {
		if err := b.needTarget(rel, verb, nil); err != nil {
			return nil, err
		}
	}
	if rel.Kind != catalog.Table && rel.Kind != catalog.Collection {
		return nil, dberr.New(dberr.FeatureNotSupported, "cannot execute MERGE on relation \"%s\"", rel.Name).
			WithDetail("This operation is not supported for %s.", kindName(rel.Kind, true))
	}
	scan, it := b.scan(rel)
	if err := nameItem(it, rel.Name, x.Relation.Alias); err != nil {
		return nil, err
	}
	s.known = append(s.known, it)
	source, items, err := b.fromItem(s, x.SourceRelation)
	if err != nil {
		return nil, err
	}
	for _, it := range items {
		b.addItem(s, it)
	}
	if err := clashing(items, []*item{it}); err != nil {
		return nil, dberr.New(dberr.DuplicateAlias, "name \"%s\" specified more than once", it.alias).
			WithDetail("The name is used both as MERGE target table and data source.")
	}
	if x.Relation.Alias == nil {
		it.schema = b.schemaName(rel)
	}
	scan.Alias = it.alias
	b.addItem(s, it)
	n := &plan.Merge{Rel: rel, NewCols: b.rowCols(rel)}
	n.RowKey = b.scanColumn(it, "", storage.ScanCol{Kind: storage.ColRowKey, Type: value.Bytea, Mod: -1}, value.Bytea).(*plan.ColRef).ID
	n.Raw = b.scanColumn(it, "", storage.ScanCol{Kind: storage.ColRaw, Type: value.Bytea, Mod: -1}, value.Bytea).(*plan.ColRef).ID
	var on plan.Expr
	err = s.in(inJoinOn, func() error {
		e, err := b.expr(s, x.JoinCondition)
		if err == nil {
			on, err = b.boolean(e, "JOIN/ON")
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	kind := plan.InnerJoin
	for _, w := range x.MergeWhenClauses {
		if !w.GetMergeWhenClause().Matched {
			kind = plan.LeftJoin
		}
	}
	n.Input = b.join(kind, source, scan, on)
	for _, w := range x.MergeWhenClauses {
		a, err := b.mergeAction(s, n, scan, it, w.GetMergeWhenClause())
		if err != nil {
			return nil, err
		}
		n.Actions = append(n.Actions, *a)
	}
	n.Generated, n.Checks, err = b.rowRules(rel, n.NewCols)
	return n, err
}

// reachable refuses a WHEN after one of its kind that always applies.
func reachable(list []*pg_query.Node) error {
	done := map[bool]bool{}
	for _, n := range list {
		w := n.GetMergeWhenClause()
		if done[w.Matched] {
			return dberr.New(dberr.SyntaxError, "unreachable WHEN clause specified after unconditional WHEN clause")
		}
		done[w.Matched] = w.Condition == nil
	}
	return nil
}

// mergeAction binds one WHEN. WHEN NOT MATCHED sees the source alone.
func (b *binder) mergeAction(s *scope, n *plan.Merge, scan *plan.Scan, it *item, w *pg_query.MergeWhenClause) (*plan.MergeAction, error) {
	a := &plan.MergeAction{Matched: w.Matched}
	visible := s.items
	if !w.Matched {
		s.items = slices.DeleteFunc(slices.Clone(visible), func(x *item) bool { return x == it })
	}
	defer func() { s.items = visible }()
	if w.Condition != nil {
		err := s.in(inMergeWhen, func() error {
			e, err := b.expr(s, w.Condition)
			if err == nil {
				a.Cond, err = b.boolean(e, "WHEN")
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	var err error
	switch w.CommandType {
	case pg_query.CmdType_CMD_UPDATE:
		a.Do = 'u'
		a.Sets, err = b.sets(s, &dmlTarget{rel: n.Rel, base: n.Rel, verb: "UPDATE"}, it, scanCols(scan), w.TargetList, func(e plan.Expr) plan.Expr { return e })
	case pg_query.CmdType_CMD_DELETE:
		a.Do = 'd'
	case pg_query.CmdType_CMD_INSERT:
		a.Do = 'i'
		err = b.mergeInsert(s, n, a, w)
	default:
		a.Do = 'n'
	}
	return a, err
}

// mergeInsert binds INSERT of a WHEN NOT MATCHED, with the rules of a plain INSERT of one row.
func (b *binder) mergeInsert(s *scope, n *plan.Merge, a *plan.MergeAction, w *pg_query.MergeWhenClause) error {
	ins := &plan.Insert{Rel: n.Rel, NewCols: n.NewCols, Defaults: map[int16]plan.Expr{}}
	switch w.Override {
	case pg_query.OverridingKind_OVERRIDING_USER_VALUE:
		ins.Overriding = 'u'
	case pg_query.OverridingKind_OVERRIDING_SYSTEM_VALUE:
		ins.Overriding = 's'
	}
	t := &dmlTarget{rel: n.Rel, base: n.Rel, verb: "INSERT"}
	targets, err := b.insertTargets(t, b.newRowItem(n.Rel, n.NewCols), w.TargetList)
	if err != nil {
		return err
	}
	if len(w.Values) == 0 {
		ins.Input = &plan.Values{Rows: [][]plan.Expr{{}}}
	} else {
		list := &pg_query.Node{Node: &pg_query.Node_List{List: &pg_query.List{Items: w.Values}}}
		if err := b.insertValues(s, ins, targets, len(w.TargetList) > 0, []*pg_query.Node{list}); err != nil {
			return err
		}
		v, ok := ins.Input.(*plan.Values)
		if !ok {
			return dberr.New(dberr.FeatureNotSupported, "set-returning functions are not allowed in MERGE")
		}
		a.Values = v.Rows[0]
	}
	if ins.Overriding == 'u' {
		for i := len(ins.Target) - 1; i >= 0; i-- {
			if ins.Target[i].Identity != 0 {
				ins.Target, a.Values = slices.Delete(ins.Target, i, i+1), slices.Delete(a.Values, i, i+1)
			}
		}
		ins.Overriding = 's'
	}
	if err := b.insertDefaults(ins); err != nil {
		return err
	}
	a.Target, a.Defaults = ins.Target, ins.Defaults
	return nil
}
