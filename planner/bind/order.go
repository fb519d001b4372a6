package bind

import (
	pg_query "github.com/omgdb/omgdb/planner/parse/ast"
	"slices"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// sortKey gives an expression the direction that ORDER BY says; its type must have an order.
func (b *binder) sortKey(e plan.Expr, sb *pg_query.SortBy) (plan.SortKey, error) {
	e, err := b.resolveUnknown(e)
	if err != nil {
		return plan.SortKey{}, err
	}
	k := plan.SortKey{Expr: e, Desc: sb.SortbyDir == pg_query.SortByDir_SORTBY_DESC}
	if sb.SortbyDir == pg_query.SortByDir_SORTBY_USING {
		if err := b.sortUsing(&k, sb); err != nil {
			return k, err
		}
	} else if !b.sortable(e.Type()) {
		return k, errAt(b.posOf(e), dberr.UndefinedFunction, "could not identify an ordering operator for type %s", e.Type().SQL).
			WithHint("Use an explicit ordering operator or modify the query.")
	}
	switch sb.SortbyNulls {
	case pg_query.SortByNulls_SORTBY_NULLS_FIRST:
		k.NullsFirst = true
	case pg_query.SortByNulls_SORTBY_NULLS_LAST:
	default:
		k.NullsFirst = k.Desc
	}
	c := b.collationOf(e)
	if c.conflict {
		return k, errAt(b.posOf(e), dberr.IndeterminateCollate, "could not determine which collation to use for string comparison").
			WithHint("Use the COLLATE clause to set the collation explicitly.")
	}
	k.Coll = c.name
	return k, nil
}

// patternOrders are the ordering operators beside < and >: the bytewise ones.
var patternOrders = map[string]bool{"~<~": false, "~>~": true}

// sortUsing takes the order from an operator, < or > of the type or one of the bytewise ones.
func (b *binder) sortUsing(k *plan.SortKey, sb *pg_query.SortBy) error {
	pos := loc(sb.Location)
	name, err := b.opName(strs(sb.UseOp), pos)
	if err != nil {
		return err
	}
	t := k.Expr.Type()
	op, err := b.operator(name, t, t, pos)
	if err != nil {
		return err
	}
	desc, pattern := patternOrders[name]
	switch {
	case name == "<" || name == ">":
		k.Desc = name == ">"
	case pattern:
		k.Desc = desc
		if desc {
			if op, err = b.operator("~<~", t, t, pos); err != nil {
				return err
			}
		}
		k.Less = op.Fn
	default:
		return errAt(pos, dberr.WrongObjectType, "operator %s is not a valid ordering operator", name).
			WithHint("Ordering operators must be \"<\" or \">\" members of btree operator families.")
	}
	return nil
}

// sortable tells whether values of a type have an order.
func (b *binder) sortable(t *value.Type) bool {
	t = baseType(t)
	switch {
	case t.OID == value.RecordType.OID, t.Class == value.Composite, t.Class == value.Enum, t.OID == value.AnyArray.OID:
		return true
	case isArray(t):
		return b.sortable(t.Elem)
	}
	return b.ltOp(t) != nil && !unordered[t.OID]
}

// unordered are types whose < exists without an order of the type: it comes from another type by an implicit cast, or compares sizes.
var unordered = map[uint32]bool{
	value.XID.OID: true, value.RefCursor.OID: true,
	value.LsegT.OID: true, value.BoxT.OID: true, value.PathT.OID: true, value.CircleT.OID: true,
}

// indexable tells whether values of a type can be keys of an ordered index: those that have an order, except texts taken apart for search.
func (b *binder) indexable(t *value.Type) bool {
	e := baseType(t)
	for isArray(e) {
		e = baseType(e.Elem)
	}
	return b.sortable(t) && e.OID != value.TSVector.OID && e.OID != value.TSQuery.OID
}

// hashable tells whether values of a type can be told apart, for GROUP BY and DISTINCT.
func (b *binder) groupable(t *value.Type) bool {
	t = baseType(t)
	switch {
	case t.OID == value.RecordType.OID, t.Class == value.Composite, t.Class == value.Enum, t.OID == value.AnyArray.OID:
		return true
	case isArray(t):
		return b.groupable(t.Elem)
	}
	return b.eqOp(t) != nil && typeio.HasEquality(t)
}

// needsEquality is the error for types that cannot be grouped.
func (b *binder) needsEquality(e plan.Expr) error {
	if b.groupable(e.Type()) {
		return nil
	}
	return errAt(b.posOf(e), dberr.UndefinedFunction, "could not identify an equality operator for type %s", e.Type().SQL)
}

// entryMode says how names in ORDER BY and GROUP BY resolve.
type entryMode uint8

const (
	byAlias  entryMode = iota // ORDER BY, DISTINCT ON: output names come first
	byColumn                  // GROUP BY: columns of FROM come before output names
)

// entry resolves an item of ORDER BY, GROUP BY or DISTINCT ON by SQL92's rules: the name or number of an output column, else an
// expression. at is the position in targets, -1 for an expression of its own.
func (b *binder) entry(s *scope, targets []*target, n *pg_query.Node, c clause, mode entryMode) (e plan.Expr, at int, err error) {
	name := clauseRules[c].name
	if ref := n.GetColumnRef(); ref != nil && len(ref.Fields) == 1 && ref.Fields[0].GetString_() != nil {
		col := ref.Fields[0].GetString_().Sval
		pos := loc(ref.Location)
		useAlias := true
		if mode == byColumn {
			here := *s
			here.parent = nil
			found, err := b.column(&here, col, pos)
			if e := dberr.As(err); e != nil && e.Code == dberr.AmbiguousColumn {
				return nil, -1, err
			}
			useAlias = err != nil || found == nil
		}
		if useAlias {
			at, err := b.outputNamed(targets, col, name, pos)
			if err != nil {
				return nil, -1, err
			}
			if at >= 0 {
				return targets[at].expr, at, checkEntry(targets[at].expr, c)
			}
		}
	}
	if k := n.GetAConst(); k != nil {
		pos := loc(k.Location)
		v, ok := k.Val.(*pg_query.A_Const_Ival)
		if !ok || k.Isnull {
			return nil, -1, errAt(pos, dberr.SyntaxError, "non-integer constant in %s", name)
		}
		i := 0
		for at, t := range targets {
			if t.junk {
				continue
			}
			if i++; i == int(v.Ival.Ival) {
				return t.expr, at, checkEntry(t.expr, c)
			}
		}
		return nil, -1, errAt(pos, dberr.InvalidColumnRef, "%s position %d is not in select list", name, v.Ival.Ival)
	}
	err = s.in(c, func() error {
		e, err = b.expr(s, n)
		return err
	})
	return e, -1, err
}

// outputNamed finds the output column of a name, -1 when there is none; two different ones are ambiguous.
func (b *binder) outputNamed(targets []*target, name, clauseName string, pos int) (int, error) {
	at := -1
	for i, t := range targets {
		if t.junk || t.name != name {
			continue
		}
		if at >= 0 && !sameOutput(targets[at].expr, t.expr) {
			return -1, errAt(pos, dberr.AmbiguousColumn, "%s \"%s\" is ambiguous", clauseName, name)
		}
		if at < 0 {
			at = i
		}
	}
	return at, nil
}

// sameOutput tells whether two output columns are the same expression.
func sameOutput(a, b plan.Expr) bool {
	x, isSet := a.(*setExpr)
	y, both := b.(*setExpr)
	if isSet && both {
		return x.fn == y.fn && slices.EqualFunc(x.args, y.args, plan.Equal)
	}
	return plan.Equal(a, b)
}

// checkEntry refuses output columns whose calls may not stand in the clause.
func checkEntry(e plan.Expr, c clause) error {
	if c != inGroupBy {
		return nil
	}
	var err error
	plan.Walk(e, func(x plan.Expr) bool {
		switch x := x.(type) {
		case *aggExpr:
			err = errAt(x.pos, dberr.GroupingError, "aggregate functions are not allowed in %s", clauseRules[c].name)
		case *groupingExpr:
			err = errAt(x.pos, dberr.GroupingError, "grouping operations are not allowed in %s", clauseRules[c].name)
		case *winExpr:
			err = errAt(x.pos, dberr.WindowingError, "window functions are not allowed in %s", clauseRules[c].name)
		}
		return err == nil
	})
	return err
}

// opFunc gives the function of an operator between two types, nil when there is none.
func (b *binder) opFunc(name string, left, right *value.Type) *functions.Scalar {
	if op, _ := b.findOperator(name, left, right); op != nil {
		return op.Fn
	}
	return nil
}
