package exec

import (
	"strings"
	"testing"

	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/dberr"
)

func seq(n int, f func(i int) []any) [][]any {
	out := make([][]any, n)
	for i := range out {
		out[i] = f(i)
	}
	return out
}

func orderBy(id plan.ColID, desc, nullsFirst bool) plan.SortKey {
	return plan.SortKey{Expr: ref(id), Desc: desc, NullsFirst: nullsFirst}
}

// TestOperators gives for a plan the rows that it must give, in order.
func TestOperators(t *testing.T) {
	abc := table([]plan.ColID{1, 2}, []any{3, 1}, []any{1, 2}, []any{nil, 3}, []any{2, 4}, []any{1, 5})
	cases := []struct {
		name string
		plan plan.Node
		want string // rows joined by blanks, or an SQLSTATE
	}{
		{"one row", &plan.Empty{}, ""},
		{"values", abc, "3|1 1|2 -|3 2|4 1|5"},
		{"filter", &plan.Filter{Input: abc, Pred: opCall("<", ref(1), intConst(3))}, "1|2 2|4 1|5"},
		{"project", &plan.Project{Input: abc, Out: []plan.Col{intCol(9)}, Items: []plan.Expr{opCall("+", ref(1), ref(2))}}, "4 3 - 6 6"},
		{"sort", &plan.Sort{Input: abc, Keys: []plan.SortKey{orderBy(1, false, false)}}, "1|2 1|5 2|4 3|1 -|3"},
		{"sort desc", &plan.Sort{Input: abc, Keys: []plan.SortKey{orderBy(1, true, true), orderBy(2, true, true)}}, "-|3 3|1 2|4 1|5 1|2"},
		{"top", &plan.Sort{Input: abc, Keys: []plan.SortKey{orderBy(1, false, false)}, TopN: intConst(2)}, "1|2 1|5"},
		{"limit", &plan.Limit{Input: abc, Count: intConst(2), Offset: intConst(1)}, "1|2 -|3"},
		{"limit null", &plan.Limit{Input: abc, Count: intConst(nil), Offset: intConst(4)}, "1|5"},
		{"limit negative", &plan.Limit{Input: abc, Count: intConst(-1)}, dberr.InvalidRowCountInLimit},
		{"ties", &plan.Limit{Input: &plan.Sort{Input: abc, Keys: []plan.SortKey{orderBy(1, false, false)}}, Count: intConst(1), Ties: true,
			Keys: []plan.SortKey{orderBy(1, false, false)}}, "1|2 1|5"},
		{"distinct on", &plan.Distinct{Input: abc, On: []plan.Expr{ref(1)}}, "3|1 1|2 -|3 2|4"},
		{"union", setop('u', false), "1 2 - 3"},
		{"union all", setop('u', true), "1 1 2 - 1 2 2 3 -"},
		{"intersect", setop('i', false), "1 2 -"},
		{"intersect all", setop('i', true), "1 2 -"},
		{"except all", setop('e', true), "1"},
		{"division by zero", &plan.Project{Input: abc, Out: []plan.Col{intCol(9)}, Items: []plan.Expr{opCall("/", ref(1), intConst(0))}}, dberr.DivisionByZero},
		{"guard", &plan.Filter{Input: abc, Pred: &plan.BoolOp{Args: []plan.Expr{opCall("<>", ref(1), intConst(1)),
			opCall("=", opCall("/", intConst(2), opCall("-", ref(1), intConst(1))), intConst(1))}}}, "3|1"},
		{"in subquery", &plan.Filter{Input: abc, Pred: inSub(false)}, "1|2 1|5"},
		{"not in subquery", &plan.Filter{Input: abc, Pred: inSub(true)}, ""},
		{"recursive", countTo(5), "1 2 3 4 5"},
		{"correlated", &plan.Project{Input: abc, Out: []plan.Col{intCol(9)}, Items: []plan.Expr{
			&plan.Subquery{Typed: ref(1).Typed, Kind: plan.ScalarSub, Query: &plan.Limit{Count: intConst(1), Input: &plan.Project{
				Input: &plan.Filter{Input: table([]plan.ColID{20}, []any{1}, []any{2}), Pred: opCall("=", ref(20), ref(1))},
				Out:   []plan.Col{intCol(21)}, Items: []plan.Expr{opCall("*", ref(20), ref(2))}}}}}}, "- 2 - 8 5"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			rows, err := run(t, c.plan)
			got := strings.Join(rows, " ")
			if err != nil {
				got = dberr.Code(err)
			}
			if got != c.want {
				t.Errorf("got %s, want %s (%v)", got, c.want, err)
			}
		})
	}
}

func setop(op byte, all bool) plan.Node {
	return &plan.SetOp{Op: op, All: all, Out: []plan.Col{intCol(30)},
		Left:  table([]plan.ColID{31}, []any{1}, []any{1}, []any{2}, []any{nil}),
		Right: table([]plan.ColID{32}, []any{1}, []any{2}, []any{2}, []any{3}, []any{nil})}
}

// inSub is c1 [NOT] IN (1, NULL) as a subquery.
func inSub(not bool) plan.Expr {
	q := table([]plan.ColID{40}, []any{1}, []any{nil})
	return &plan.Subquery{Typed: plan.Typed{T: opCall("=", ref(1), ref(40)).T, M: -1}, Kind: plan.AnySub, Op: "=", Not: not, Query: q,
		Test: []plan.Expr{ref(1)}, Compare: opCall("=", ref(1), ref(40))}
}

// countTo is WITH RECURSIVE t AS (SELECT 1 UNION ALL SELECT n+1 FROM t WHERE n < top) SELECT * FROM t.
func countTo(top int) plan.Node {
	self := &plan.CTERef{ID: 1, Name: "t", Out: []plan.Col{intCol(51)}, Self: true}
	return &plan.With{
		CTEs: []plan.CTE{{ID: 1, Name: "t", Recursive: true, Query: table([]plan.ColID{50}, []any{1}), Step: &plan.Project{
			Input: &plan.Filter{Input: self, Pred: opCall("<", ref(51), intConst(top))}, Out: []plan.Col{intCol(52)},
			Items: []plan.Expr{opCall("+", ref(51), intConst(1))}}}},
		Input: &plan.CTERef{ID: 1, Name: "t", Out: []plan.Col{intCol(53)}},
	}
}

// TestTopN compares top-N with sorting everything, over several batches.
func TestTopN(t *testing.T) {
	in := table([]plan.ColID{1, 2}, seq(5000, func(i int) []any { return []any{i * 7919 % 1000, i} })...)
	keys := []plan.SortKey{orderBy(1, true, true), orderBy(2, false, false)}
	all, err := run(t, &plan.Sort{Input: in, Keys: keys})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 1, 10, 1500, 6000} {
		got, err := run(t, &plan.Sort{Input: in, Keys: keys, TopN: intConst(n)})
		if err != nil {
			t.Fatal(err)
		}
		if want := all[:min(n, len(all))]; strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("the first %d rows differ from those of the whole order", n)
		}
	}
}
