package exec

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/plan"
)

// TestJoins compares every kind of join by every method with the definition, on random tables with NULLs and repeated keys.
func TestJoins(t *testing.T) {
	kinds := map[string]plan.JoinKind{"inner": plan.InnerJoin, "left": plan.LeftJoin, "right": plan.RightJoin, "full": plan.FullJoin,
		"semi": plan.SemiJoin, "anti": plan.AntiJoin, "not in": plan.AntiNullJoin}
	for name, kind := range kinds {
		for _, method := range []string{"hash", "loop", "lateral"} {
			for _, residual := range []bool{false, true} {
				if method == "lateral" && (kind == plan.RightJoin || kind == plan.FullJoin) || kind == plan.AntiNullJoin && (method != "hash" || residual) {
					continue
				}
				t.Run(fmt.Sprintf("%s/%s/%v", name, method, residual), func(t *testing.T) {
					rng := rand.New(rand.NewPCG(7, uint64(kind)))
					for range 40 {
						left, right := randomRows(rng, kind), randomRows(rng, kind)
						got, err := run(t, joinPlan(kind, method, residual, left, right))
						if err != nil {
							t.Fatal(err)
						}
						if want := joinByDefinition(kind, residual, left, right); sorted(got) != sorted(want) {
							t.Fatalf("left %v\nright %v\ngot:\n%s\nwant:\n%s", left, right, sorted(got), sorted(want))
						}
					}
				})
			}
		}
	}
}

// randomRows makes from 0 to a few rows, sometimes more than a batch, of a key and a number.
func randomRows(rng *rand.Rand, kind plan.JoinKind) [][]any {
	n := rng.IntN(12)
	keys := 1 + rng.IntN(8)
	if rng.IntN(20) == 0 {
		n, keys = 1100+rng.IntN(500), 1000
	}
	rows := make([][]any, n)
	for i := range rows {
		var key any = rng.IntN(keys)
		if rng.IntN(8) == 0 && (kind != plan.AntiNullJoin || rng.IntN(3) == 0) {
			key = nil
		}
		rows[i] = []any{key, rng.IntN(10)}
	}
	return rows
}

func joinPlan(kind plan.JoinKind, method string, residual bool, left, right [][]any) plan.Node {
	l, r := table([]plan.ColID{1, 2}, left...), table([]plan.ColID{3, 4}, right...)
	eq := opCall("=", ref(1), ref(3))
	j := &plan.Join{Kind: kind, Left: l, Right: r, On: eq}
	less := opCall("<", ref(2), ref(4))
	if residual {
		j.On = &plan.BoolOp{Args: []plan.Expr{eq, less}}
	}
	switch method {
	case "hash":
		j.HashKeys, j.HashEq = [][2]plan.Expr{{ref(1), ref(3)}}, []*functions.Scalar{eq.Fn}
		if residual {
			j.Residual = less
		}
	case "lateral":
		j.Lateral = true
		j.Right = &plan.Filter{Input: r, Pred: j.On}
		j.On = nil
	}
	return j
}

func joinByDefinition(kind plan.JoinKind, residual bool, left, right [][]any) []string {
	show := func(vals ...any) string {
		s := ""
		for i, v := range vals {
			if i > 0 {
				s += "|"
			}
			if v == nil {
				s += "-"
			} else {
				s += fmt.Sprint(v)
			}
		}
		return s
	}
	var out []string
	matchedRight := make([]bool, len(right))
	rightNull := false
	for _, r := range right {
		rightNull = rightNull || r[0] == nil
	}
	for _, l := range left {
		found := false
		for j, r := range right {
			if l[0] == nil || r[0] == nil || l[0] != r[0] || residual && l[1].(int) >= r[1].(int) {
				continue
			}
			found, matchedRight[j] = true, true
			switch kind {
			case plan.SemiJoin, plan.AntiJoin, plan.AntiNullJoin:
			default:
				out = append(out, show(l[0], l[1], r[0], r[1]))
			}
		}
		switch {
		case kind == plan.SemiJoin && found, kind == plan.AntiJoin && !found,
			kind == plan.AntiNullJoin && !found && !rightNull && (l[0] != nil || len(right) == 0):
			out = append(out, show(l[0], l[1]))
		case !found && (kind == plan.LeftJoin || kind == plan.FullJoin):
			out = append(out, show(l[0], l[1], nil, nil))
		}
	}
	if kind == plan.RightJoin || kind == plan.FullJoin {
		for j, r := range right {
			if !matchedRight[j] {
				out = append(out, show(nil, nil, r[0], r[1]))
			}
		}
	}
	return out
}
