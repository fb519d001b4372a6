package bind

import (
	"strings"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// operator finds the operator that name means between two types (left nil: prefix), or is 42883 or 42725.
func (b *binder) operator(name string, left, right *value.Type, pos int) (*functions.Operator, error) {
	op, n := b.findOperator(name, left, right)
	if op != nil {
		return op, nil
	}
	return nil, b.noOperator(name, left, right, n, pos)
}

func (b *binder) noOperator(name string, left, right *value.Type, n, pos int) error {
	sig := name + " " + right.SQL
	if left != nil {
		sig = left.SQL + " " + sig
	}
	if n > 1 {
		return errAt(pos, dberr.AmbiguousFunction, "operator is not unique: %s", sig).
			WithHint("Could not choose a best candidate operator. You might need to add explicit type casts.")
	}
	hint := "No operator matches the given name and argument types. You might need to add explicit type casts."
	if left == nil {
		hint = "No operator matches the given name and argument type. You might need to add an explicit type cast."
	}
	return errAt(pos, dberr.UndefinedFunction, "operator does not exist: %s", sig).WithHint("%s", hint)
}

// findOperator gives the operator, or how many fit equally well.
func (b *binder) findOperator(name string, left, right *value.Type) (*functions.Operator, int) {
	if left == nil {
		return b.findPrefix(name, right)
	}
	l, r, wasUnknown := left, right, false
	switch {
	case isUnknown(l) && !isUnknown(r):
		l, wasUnknown = r, true
	case isUnknown(r) && !isUnknown(l):
		r, wasUnknown = l, true
	}
	if op := b.Registry.Operator(name, l, r); op != nil {
		return op, 1
	}
	if base := baseType(l); wasUnknown && base != l {
		if op := b.Registry.Operator(name, base, base); op != nil {
			return op, 1
		}
	}
	var cands []*candidate
	for _, op := range b.Registry.Operators(name) {
		if op.Left != nil {
			cands = append(cands, &candidate{args: []*value.Type{op.Left, op.Right}, op: op})
		}
	}
	return chosenOp(b.choose([]*value.Type{left, right}, cands))
}

func (b *binder) findPrefix(name string, right *value.Type) (*functions.Operator, int) {
	if op := b.Registry.Operator(name, nil, right); op != nil {
		return op, 1
	}
	var cands []*candidate
	for _, op := range b.Registry.Operators(name) {
		if op.Left == nil {
			cands = append(cands, &candidate{args: []*value.Type{op.Right}, op: op})
		}
	}
	return chosenOp(b.choose([]*value.Type{right}, cands))
}

func chosenOp(c *candidate, n int) (*functions.Operator, int) {
	if c == nil {
		return nil, n
	}
	return c.op, 1
}

// makeOp applies an operator to bound operands; left nil is a prefix operator. pos is the operator's place.
func (b *binder) makeOp(name string, left, right plan.Expr, pos int) (plan.Expr, error) {
	if left == nil {
		op, err := b.operator(name, nil, right.Type(), pos)
		if err != nil {
			return nil, err
		}
		return b.callOp(op, []plan.Expr{right}, pos)
	}
	op, err := b.operator(name, left.Type(), right.Type(), pos)
	if err != nil {
		return nil, err
	}
	return b.callOp(op, []plan.Expr{left, right}, pos)
}

// callOp calls an operator's function with its operands converted.
func (b *binder) callOp(op *functions.Operator, args []plan.Expr, pos int) (plan.Expr, error) {
	declared := []*value.Type{op.Right}
	if op.Left != nil {
		declared = []*value.Type{op.Left, op.Right}
	}
	want, ret, err := b.instantiate(types(args), declared, op.Ret)
	if err != nil {
		return nil, err
	}
	args, err = b.convertArgs(args, want)
	if err != nil {
		return nil, err
	}
	e := &plan.Call{Typed: plan.Typed{T: ret, M: -1}, Fn: op.Fn, Args: args, Style: plan.OpStyle, Name: op.Name, Pos: pos}
	if e.Coll, err = b.callCollation(args, pos); err != nil {
		return nil, err
	}
	leftmost := pos
	for _, a := range args {
		if p := b.posOf(a); p >= 0 && (p < leftmost || leftmost < 0) {
			leftmost = p
		}
	}
	b.pos[e] = leftmost
	return e, nil
}

// convertArgs converts arguments to the parameter types that were found to fit.
func (b *binder) convertArgs(args []plan.Expr, want []*value.Type) ([]plan.Expr, error) {
	out := make([]plan.Expr, len(args))
	for i, a := range args {
		e, err := b.at2(b.implicitly(a, want[i]))(a)
		if err != nil {
			return nil, err
		}
		out[i] = e
	}
	return out, nil
}

// collation is the collation of a value: its name, and whether it was chosen by COLLATE. none means two columns disagree.
type collation struct {
	name     string
	explicit bool
	conflict bool
}

func (b *binder) collationOf(e plan.Expr) collation {
	switch x := e.(type) {
	case *plan.Collate:
		return collation{name: x.Coll, explicit: true}
	case *plan.ColRef:
		return collation{name: x.Coll}
	case *plan.Const, *plan.Param:
		return collation{}
	case *plan.Subquery:
		if x.Kind == plan.ScalarSub && len(x.Query.Cols()) == 1 {
			return collation{name: x.Query.Cols()[0].Coll}
		}
		return collation{}
	}
	if !collatable(e.Type()) {
		return collation{}
	}
	c, _, _ := b.mergeCollations(e.Children())
	return c
}

// mergeCollations derives one collation from several inputs (manual 24.2.1); two explicit ones that differ are both returned.
func (b *binder) mergeCollations(es []plan.Expr) (out collation, clash string, at int) {
	for _, e := range es {
		if !collatable(e.Type()) {
			continue
		}
		c := b.collationOf(e)
		switch {
		case c.explicit && out.explicit && c.name != out.name:
			return out, c.name, b.posOf(e)
		case c.explicit && !out.explicit:
			out = c
		case out.explicit || c.name == "" && !c.conflict:
		case out.name == "":
			out = c
		case c.name != out.name || c.conflict:
			out.conflict = true
		}
	}
	return out, "", -1
}

// callCollation is the collation in effect for a call.
func (b *binder) callCollation(args []plan.Expr, pos int) (string, error) {
	c, clash, at := b.mergeCollations(args)
	if clash != "" {
		return "", errAt(at, dberr.CollationMismatch, "collation mismatch between explicit collations \"%s\" and \"%s\"", c.name, clash)
	}
	if c.conflict && !c.explicit {
		return "", errAt(pos, dberr.IndeterminateCollate, "could not determine which collation to use for string comparison").
			WithHint("Use the COLLATE clause to set the collation explicitly.")
	}
	return c.name, nil
}

// eqOp and ltOp find the functions that compare two values of a type as GROUP BY and ORDER BY do; nil when it has none.
func (b *binder) eqOp(t *value.Type) *functions.Operator {
	op, _ := b.findOperator("=", t, t)
	return op
}

func (b *binder) ltOp(t *value.Type) *functions.Operator {
	op, _ := b.findOperator("<", t, t)
	return op
}

// opName gives an operator's name from its (possibly qualified) parts.
func (b *binder) opName(parts []string, pos int) (string, error) {
	if len(parts) == 2 && parts[0] != "pg_catalog" {
		if b.Catalog.Schema(parts[0]) == nil {
			return "", errAt(pos, dberr.InvalidSchemaName, "schema \"%s\" does not exist", parts[0])
		}
		if parts[0] != "public" {
			return "", errAt(pos, dberr.UndefinedFunction, "operator does not exist: %s", strings.Join(parts, "."))
		}
	}
	return parts[len(parts)-1], nil
}
