package bind

import (
	"slices"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/value"
)

// aggExpr is an aggregate call inside an expression, until it moves into an Aggregate node and a ColRef takes its place.
type aggExpr struct {
	plan.Typed
	level *scope // the query that it belongs to
	agg   plan.Agg
	name  string
	pos   int
}

func (e *aggExpr) slots() (out []*plan.Expr) {
	for i := range e.agg.Direct {
		out = append(out, &e.agg.Direct[i])
	}
	for i := range e.agg.Args {
		out = append(out, &e.agg.Args[i])
	}
	for i := range e.agg.Order {
		out = append(out, &e.agg.Order[i].Expr)
	}
	if e.agg.Filter != nil {
		out = append(out, &e.agg.Filter)
	}
	return out
}

// Children implements plan.Expr.
func (e *aggExpr) Children() []plan.Expr { return deref(e.slots()) }

// With implements plan.Expr.
func (e *aggExpr) With(c []plan.Expr) plan.Expr {
	n := *e
	n.agg.Direct, n.agg.Args, n.agg.Order = slices.Clone(e.agg.Direct), slices.Clone(e.agg.Args), slices.Clone(e.agg.Order)
	assign(n.slots(), c)
	return &n
}

// winExpr is a window call inside an expression, until it moves into a Window node.
type winExpr struct {
	plan.Typed
	call      plan.WinCall
	partition []plan.Expr
	order     []plan.SortKey
	name      string
	pos       int
}

func (e *winExpr) slots() (out []*plan.Expr) {
	for i := range e.call.Args {
		out = append(out, &e.call.Args[i])
	}
	if e.call.Filter != nil {
		out = append(out, &e.call.Filter)
	}
	for i := range e.partition {
		out = append(out, &e.partition[i])
	}
	for i := range e.order {
		out = append(out, &e.order[i].Expr)
	}
	for _, p := range []*plan.Expr{&e.call.Frame.Start.Offset, &e.call.Frame.End.Offset} {
		if *p != nil {
			out = append(out, p)
		}
	}
	return out
}

// Children implements plan.Expr.
func (e *winExpr) Children() []plan.Expr { return deref(e.slots()) }

// With implements plan.Expr.
func (e *winExpr) With(c []plan.Expr) plan.Expr {
	n := *e
	n.call.Args, n.partition, n.order = slices.Clone(e.call.Args), slices.Clone(e.partition), slices.Clone(e.order)
	assign(n.slots(), c)
	return &n
}

// setExpr is a set-returning call inside an expression, until it moves into a ProjectSet node.
type setExpr struct {
	plan.Typed
	fn   *functions.Table
	args []plan.Expr
	cols []value.Field // of a record-returning function
	name string
	pos  int
}

// Children implements plan.Expr.
func (e *setExpr) Children() []plan.Expr { return e.args }

// With implements plan.Expr.
func (e *setExpr) With(c []plan.Expr) plan.Expr {
	n := *e
	n.args = c
	return &n
}

// groupingExpr is GROUPING(…) until the grouping columns are known.
type groupingExpr struct {
	level *scope
	args  []plan.Expr
	pos   int
}

// Type implements plan.Expr.
func (e *groupingExpr) Type() *value.Type { return value.Int4 }

// Mod implements plan.Expr.
func (e *groupingExpr) Mod() int32 { return -1 }

// Children implements plan.Expr.
func (e *groupingExpr) Children() []plan.Expr { return nil }

// With implements plan.Expr.
func (e *groupingExpr) With([]plan.Expr) plan.Expr { return e }

func deref(ps []*plan.Expr) []plan.Expr {
	out := make([]plan.Expr, len(ps))
	for i, p := range ps {
		out[i] = *p
	}
	return out
}

func assign(ps []*plan.Expr, c []plan.Expr) {
	for i, p := range ps {
		*p = c[i]
	}
}

// sameAgg tells whether two calls of one query compute the same and can share a column.
func sameAgg(a, b *aggExpr) bool {
	if a.agg.Fn != b.agg.Fn || a.agg.Distinct != b.agg.Distinct || a.agg.Star != b.agg.Star || len(a.agg.Order) != len(b.agg.Order) {
		return false
	}
	for i := range a.agg.Order {
		x, y := a.agg.Order[i], b.agg.Order[i]
		if x.Desc != y.Desc || x.NullsFirst != y.NullsFirst || x.Less != y.Less {
			return false
		}
	}
	return (a.agg.Filter == nil) == (b.agg.Filter == nil) && equalLists(a.Children(), b.Children()) && !volatile(a.Children()...)
}

func equalLists(a, b []plan.Expr) bool {
	return slices.EqualFunc(a, b, plan.Equal)
}

func equalKeys(a, b []plan.SortKey) bool {
	return slices.EqualFunc(a, b, func(x, y plan.SortKey) bool {
		return x.Desc == y.Desc && x.NullsFirst == y.NullsFirst && x.Less == y.Less && plan.Equal(x.Expr, y.Expr)
	})
}

// volatile tells whether evaluating the expressions may give another value each time, or has effects.
func volatile(es ...plan.Expr) bool {
	found := false
	for _, e := range es {
		plan.WalkDeep(e, func(x plan.Expr) bool {
			if c, ok := x.(*plan.Call); ok && c.Fn.Volatility == functions.Volatile {
				found = true
			}
			return !found
		})
	}
	return found
}

// hasSet tells whether a set-returning call stands in e.
func hasSet(e plan.Expr) bool {
	found := false
	plan.Walk(e, func(x plan.Expr) bool {
		if _, ok := x.(*setExpr); ok {
			found = true
		}
		return !found
	})
	return found
}
