package plan

import (
	"slices"

	"github.com/omgdb/omgdb/storage/value"
)

// slotter gives the addresses of an expression's or node's non-nil sub-expressions, in evaluation order. It is called on a copy
// whose slices are its own when the slots are going to be assigned.
type slotter interface{ slots(f func(*Expr)) }

// list collects the sub-expressions of s.
func list(s slotter) []Expr {
	var out []Expr
	s.slots(func(p *Expr) { out = append(out, *p) })
	return out
}

// fill assigns e to the slots of s, a private copy.
func fill(s slotter, e []Expr) {
	i := 0
	s.slots(func(p *Expr) {
		*p = e[i]
		i++
	})
	if i != len(e) {
		panic("plan: With got another number of expressions than there are")
	}
}

func one(f func(*Expr), ps ...*Expr) {
	for _, p := range ps {
		if *p != nil {
			f(p)
		}
	}
}

func each(f func(*Expr), es []Expr) {
	for i := range es {
		one(f, &es[i])
	}
}

func named(f func(*Expr), es []NamedExpr) {
	for i := range es {
		one(f, &es[i].Expr)
	}
}

// With implements Expr.
func (e *Const) With([]Expr) Expr { return e }

// With implements Expr.
func (e *Param) With([]Expr) Expr { return e }

// With implements Expr.
func (e *ColRef) With([]Expr) Expr { return e }

func (e *Call) slots(f func(*Expr)) { each(f, e.Args) }

// Children implements Expr.
func (e *Call) Children() []Expr { return e.Args }

// With implements Expr.
func (e *Call) With(c []Expr) Expr {
	n := *e
	n.Args = c
	return &n
}

func (e *Cast) slots(f func(*Expr)) {
	one(f, &e.Arg, &e.Elem)
	named(f, e.Checks)
}

// Children implements Expr.
func (e *Cast) Children() []Expr { return list(e) }

// With implements Expr.
func (e *Cast) With(c []Expr) Expr {
	n := *e
	n.Checks = slices.Clone(e.Checks)
	fill(&n, c)
	return &n
}

// Type implements Expr.
func (e *Collate) Type() *value.Type { return e.Arg.Type() }

// Mod implements Expr.
func (e *Collate) Mod() int32 { return e.Arg.Mod() }

// Children implements Expr.
func (e *Collate) Children() []Expr { return []Expr{e.Arg} }

// With implements Expr.
func (e *Collate) With(c []Expr) Expr { return &Collate{Arg: c[0], Coll: e.Coll} }

// Type implements Expr.
func (e *SQLValue) Type() *value.Type { return e.Arg.Type() }

// Mod implements Expr.
func (e *SQLValue) Mod() int32 { return e.Arg.Mod() }

// Children implements Expr.
func (e *SQLValue) Children() []Expr { return []Expr{e.Arg} }

// With implements Expr.
func (e *SQLValue) With(c []Expr) Expr { return &SQLValue{Arg: c[0], Name: e.Name} }

// Type implements Expr.
func (e *Grouping) Type() *value.Type { return value.Int4 }

// Mod implements Expr.
func (e *Grouping) Mod() int32 { return -1 }

// Children implements Expr.
func (e *Grouping) Children() []Expr { return []Expr{e.Mask} }

// With implements Expr.
func (e *Grouping) With(c []Expr) Expr {
	n := *e
	n.Mask = c[0]
	return &n
}

// Children implements Expr.
func (e *BoolOp) Children() []Expr { return e.Args }

// With implements Expr.
func (e *BoolOp) With(c []Expr) Expr { return &BoolOp{Or: e.Or, Args: c} }

// Children implements Expr.
func (e *Not) Children() []Expr { return []Expr{e.Arg} }

// With implements Expr.
func (e *Not) With(c []Expr) Expr { return &Not{Arg: c[0]} }

// Children implements Expr.
func (e *IsNull) Children() []Expr { return []Expr{e.Arg} }

// With implements Expr.
func (e *IsNull) With(c []Expr) Expr { return &IsNull{Arg: c[0], Not: e.Not} }

// Children implements Expr.
func (e *BoolTest) Children() []Expr { return []Expr{e.Arg} }

// With implements Expr.
func (e *BoolTest) With(c []Expr) Expr {
	n := *e
	n.Arg = c[0]
	return &n
}

// Children implements Expr.
func (e *IsDistinct) Children() []Expr { return []Expr{e.Left, e.Right} }

// With implements Expr.
func (e *IsDistinct) With(c []Expr) Expr {
	n := *e
	n.Left, n.Right = c[0], c[1]
	return &n
}

func (e *Case) slots(f func(*Expr)) {
	one(f, &e.Arg)
	for i := range e.Whens {
		one(f, &e.Whens[i].Cond, &e.Whens[i].Then)
	}
	one(f, &e.Else)
}

// Children implements Expr.
func (e *Case) Children() []Expr { return list(e) }

// With implements Expr.
func (e *Case) With(c []Expr) Expr {
	n := *e
	n.Whens = slices.Clone(e.Whens)
	fill(&n, c)
	return &n
}

// Children implements Expr.
func (e *Coalesce) Children() []Expr { return e.Args }

// With implements Expr.
func (e *Coalesce) With(c []Expr) Expr { return &Coalesce{Typed: e.Typed, Args: c} }

// Children implements Expr.
func (e *NullIf) Children() []Expr { return []Expr{e.Left, e.Right} }

// With implements Expr.
func (e *NullIf) With(c []Expr) Expr {
	n := *e
	n.Left, n.Right = c[0], c[1]
	return &n
}

// Children implements Expr.
func (e *MinMax) Children() []Expr { return e.Args }

// With implements Expr.
func (e *MinMax) With(c []Expr) Expr { return &MinMax{Typed: e.Typed, Least: e.Least, Args: c} }

// Children implements Expr.
func (e *ArrayExpr) Children() []Expr { return e.Elems }

// With implements Expr.
func (e *ArrayExpr) With(c []Expr) Expr {
	return &ArrayExpr{Typed: e.Typed, Elems: c, Multi: e.Multi}
}

// Children implements Expr.
func (e *RowExpr) Children() []Expr { return e.Fields }

// With implements Expr.
func (e *RowExpr) With(c []Expr) Expr {
	n := *e
	n.Fields = c
	return &n
}

func (e *RowCompare) slots(f func(*Expr)) {
	each(f, e.Left)
	each(f, e.Right)
}

// Children implements Expr.
func (e *RowCompare) Children() []Expr { return list(e) }

// With implements Expr.
func (e *RowCompare) With(c []Expr) Expr {
	n := *e
	n.Left, n.Right = slices.Clone(e.Left), slices.Clone(e.Right)
	fill(&n, c)
	return &n
}

// Children implements Expr.
func (e *FieldSelect) Children() []Expr { return []Expr{e.Arg} }

// With implements Expr.
func (e *FieldSelect) With(c []Expr) Expr {
	n := *e
	n.Arg = c[0]
	return &n
}

func (e *Subscript) slots(f func(*Expr)) {
	one(f, &e.Arg)
	each(f, e.Lower)
	each(f, e.Upper)
}

// Children implements Expr.
func (e *Subscript) Children() []Expr { return list(e) }

// With implements Expr.
func (e *Subscript) With(c []Expr) Expr {
	n := *e
	n.Lower, n.Upper = slices.Clone(e.Lower), slices.Clone(e.Upper)
	fill(&n, c)
	return &n
}

func (e *Assigned) slots(f func(*Expr)) {
	one(f, &e.Arg)
	each(f, e.Lower)
	each(f, e.Upper)
	one(f, &e.Value)
}

// Children implements Expr.
func (e *Assigned) Children() []Expr { return list(e) }

// With implements Expr.
func (e *Assigned) With(c []Expr) Expr {
	n := *e
	n.Lower, n.Upper = slices.Clone(e.Lower), slices.Clone(e.Upper)
	fill(&n, c)
	return &n
}

// Children implements Expr.
func (e *ArrayOp) Children() []Expr { return []Expr{e.Left, e.Right} }

// With implements Expr.
func (e *ArrayOp) With(c []Expr) Expr {
	n := *e
	n.Left, n.Right = c[0], c[1]
	return &n
}

// Children implements Expr.
func (e *InList) Children() []Expr { return append([]Expr{e.Left}, e.List...) }

// With implements Expr.
func (e *InList) With(c []Expr) Expr {
	n := *e
	n.Left, n.List = c[0], c[1:]
	return &n
}

func (e *Subquery) slots(f func(*Expr)) {
	each(f, e.Test)
	one(f, &e.Compare)
}

// Children implements Expr. The expressions inside Query are not among them.
func (e *Subquery) Children() []Expr { return list(e) }

// With implements Expr.
func (e *Subquery) With(c []Expr) Expr {
	n := *e
	n.Test = slices.Clone(e.Test)
	fill(&n, c)
	return &n
}
