package exec

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"sync"
	"testing"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/functions/builtin"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

var registry = sync.OnceValue(func() *functions.Registry {
	r, err := builtin.New(functions.Entries{})
	if err != nil {
		panic(err)
	}
	return r
})

// Hand-made plans: a table is a Values node with int4 columns named by ids; nil is NULL.

func intCol(id plan.ColID) plan.Col {
	return plan.Col{ID: id, Name: fmt.Sprintf("c%d", id), Type: value.Int4, Mod: -1}
}

func ref(id plan.ColID) *plan.ColRef {
	return &plan.ColRef{Typed: plan.Typed{T: value.Int4, M: -1}, ID: id, Name: fmt.Sprintf("c%d", id)}
}

func intConst(v any) *plan.Const {
	c := &plan.Const{Typed: plan.Typed{T: value.Int4, M: -1}}
	if i, ok := v.(int); ok {
		c.Val = value.Int(int64(i))
	}
	return c
}

func table(ids []plan.ColID, rows ...[]any) *plan.Values {
	v := &plan.Values{}
	for _, id := range ids {
		v.Out = append(v.Out, intCol(id))
	}
	for _, r := range rows {
		var row []plan.Expr
		for _, x := range r {
			row = append(row, intConst(x))
		}
		v.Rows = append(v.Rows, row)
	}
	return v
}

func opCall(name string, l, r plan.Expr) *plan.Call {
	o := registry().Operator(name, l.Type(), r.Type())
	if o == nil {
		panic("no operator " + name)
	}
	return &plan.Call{Typed: plan.Typed{T: o.Ret, M: -1}, Fn: o.Fn, Args: []plan.Expr{l, r}, Style: plan.OpStyle, Name: name, Pos: -1}
}

func runtime(t testing.TB) *Runtime {
	t.Helper()
	account := &functions.Account{}
	t.Cleanup(func() {
		if n := account.Used(); n != 0 {
			t.Errorf("%d bytes are still accounted for after the query was closed", n)
		}
	})
	return &Runtime{Env: &functions.Env{Format: typeio.Default}, Memory: account, Registry: registry()}
}

// run runs a plan and gives its rows as lines "1|2|-".
func run(t testing.TB, n plan.Node) ([]string, error) {
	t.Helper()
	res, err := Open(context.Background(), runtime(t), &plan.Query{Root: n, Out: n.Cols(), HasRows: true, Tag: "SELECT"})
	if err != nil {
		return nil, err
	}
	defer func() {
		if err := res.Close(); err != nil {
			t.Error(err)
		}
	}()
	return drain(res)
}

func drain(res *Result) ([]string, error) {
	var out []string
	for {
		b, err := res.Iter.Next(context.Background())
		if err != nil || b == nil {
			return out, err
		}
		for i := range b.Rows() {
			at := b.Row(i)
			var row []string
			for k, c := range b.Cols {
				if c.IsNull(at) {
					row = append(row, "-")
					continue
				}
				row = append(row, typeio.Text(res.Iter.Schema()[k].Type, c.Get(at), nil))
			}
			out = append(out, strings.Join(row, "|"))
		}
	}
}

func sorted(rows []string) string {
	rows = append([]string(nil), rows...)
	sort.Strings(rows)
	return strings.Join(rows, "\n")
}
