package opt

import (
	"strings"

	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/value"
)

// With enable_seqscan off a statement is to see what an index holds. pgvector's indexes hold no rows without a vector, nor, for cosines,
// zero vectors, so that such rows are left out of an ORDER BY distance then, as they are there.

// classOf gives the end of the names of the operator classes that serve a distance function.
func classOf(function string) string {
	switch {
	case function == "l2_distance":
		return "_l2_ops"
	case function == "cosine_distance":
		return "_cosine_ops"
	case function == "l1_distance":
		return "_l1_ops"
	case strings.HasSuffix(function, "_negative_inner_product"):
		return "_ip_ops"
	case function == "hamming_distance":
		return "_hamming_ops"
	case function == "jaccard_distance":
		return "_jaccard_ops"
	}
	return ""
}

// indexedOnly gives n without the rows that a vector index over the distance would not hold, nil when there is no such index.
func (c *Context) indexedOnly(n plan.Node, distance plan.Expr) plan.Node {
	switch x := n.(type) {
	case *plan.Project:
		by := map[plan.ColID]plan.Expr{}
		for i, col := range x.Out {
			by[col.ID] = x.Items[i]
		}
		if in := c.indexedOnly(x.Input, substitute(distance, by)); in != nil {
			return x.WithInputs([]plan.Node{in})
		}
	case *plan.Filter:
		if in, ok := c.indexedOnly(x.Input, distance).(*plan.Filter); ok {
			return &plan.Filter{Input: in.Input, Pred: &plan.BoolOp{Args: append(conjuncts(in.Pred, nil), conjuncts(x.Pred, nil)...)}}
		}
	case *plan.Scan:
		call, ok := distance.(*plan.Call)
		if !ok || call.Fn == nil || len(call.Args) != 2 || classOf(call.Fn.Name) == "" {
			return nil
		}
		for _, ix := range c.indexesOf(x, storage.MethodVector) {
			for _, key := range call.Args {
				if ix.keys[0] != nil && ix.where == nil && plan.Equal(key, ix.keys[0]) && strings.HasSuffix(ix.x.Keys[0].OpClass, classOf(call.Fn.Name)) {
					return &plan.Filter{Input: x, Pred: c.indexed1(key, call.Fn.Name)}
				}
			}
		}
	}
	return nil
}

// indexed1 is the condition for a key to be in an index.
func (c *Context) indexed1(key plan.Expr, function string) plan.Expr {
	present := &plan.IsNull{Arg: key, Not: true}
	if function != "cosine_distance" {
		return present
	}
	for _, name := range []string{"vector_norm", "l2_norm"} {
		for _, f := range c.Registry.Scalars(name) {
			ne := c.Registry.Operator("<>", value.Float8, value.Float8)
			if f.Params[0].Type.OID != key.Type().OID || ne == nil {
				continue
			}
			norm := &plan.Call{Typed: plan.Typed{T: value.Float8, M: -1}, Fn: f, Args: []plan.Expr{key}, Name: name, Pos: -1}
			zero := &plan.Const{Typed: plan.Typed{T: value.Float8, M: -1}, Val: value.Float(0)}
			return &plan.Call{Typed: plan.Typed{T: value.Boolean, M: -1}, Fn: ne.Fn, Args: []plan.Expr{norm, zero}, Style: plan.OpStyle, Name: "<>", Pos: -1}
		}
	}
	return present
}
