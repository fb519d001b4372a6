package bind

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	pg_query "github.com/omgdb/omgdb/planner/parse/ast"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/omgdb/omgdb/planner/parse"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/dberr"
)

// TestSplice binds statements into which expressions and clauses of others were put at random: most are wrong in ways that nobody
// would write, and none may do more than fail.
func TestSplice(t *testing.T) {
	files, err := filepath.Glob("testdata/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, facts(t))
	var stmts []parse.Stmt
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range readBlocks(string(text)) {
			if b.setup && filepath.Base(file) == "dml.sql" {
				if _, err := w.run(b.sql); err != nil {
					t.Fatal(err)
				}
			}
			if ps, err := parse.Parse(b.sql); err == nil && isQueryText(ps[0].Node) {
				stmts = append(stmts, ps...)
			}
		}
	}
	var donors []*pg_query.Node
	for _, st := range stmts {
		eachSlot(st.Node.ProtoReflect(), func(n *pg_query.Node, _ func(*pg_query.Node)) { donors = append(donors, n) })
	}
	rounds := 20_000
	if *full {
		rounds = 500_000
	}
	bc := w.context()
	r := rand.New(rand.NewPCG(1, 2))
	good := 0
	for range rounds {
		st := stmts[r.IntN(len(stmts))]
		st.Node = proto.CloneOf(st.Node)
		for range 1 + r.IntN(2) {
			splice(r, st.Node, donors)
		}
		text := func() string { return st.Text + ", spliced: " + prototext.Format(st.Node) }
		func() {
			defer func() {
				if p := recover(); p != nil {
					t.Errorf("panic %v for %s", p, text())
					panic(p)
				}
			}()
			p, err := Bind(context.Background(), bc, st)
			if err != nil {
				if dberr.Code(err) == dberr.InternalError {
					t.Errorf("%s: %v", text(), err)
				}
				return
			}
			good++
			if q, ok := p.(*plan.Query); ok {
				checkPlan(t, text(), q)
			}
		}()
	}
	if good < rounds/20 {
		t.Errorf("only %d of %d spliced statements bind", good, rounds)
	}
}

func isQueryText(n *pg_query.Node) bool {
	switch n.Node.(type) {
	case *pg_query.Node_SelectStmt, *pg_query.Node_InsertStmt, *pg_query.Node_UpdateStmt, *pg_query.Node_DeleteStmt:
		return true
	}
	return false
}

// eachSlot visits the places where a Node stands, with a function that puts another one there.
func eachSlot(m protoreflect.Message, f func(n *pg_query.Node, put func(*pg_query.Node))) {
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		if fd.Kind() != protoreflect.MessageKind || fd.Name() == "locked_rels" || fd.Name() == "source" {
			return true
		}
		if fd.IsList() {
			l := v.List()
			for i := range l.Len() {
				if n, ok := l.Get(i).Message().Interface().(*pg_query.Node); ok {
					f(n, func(x *pg_query.Node) { l.Set(i, protoreflect.ValueOfMessage(x.ProtoReflect())) })
				}
				eachSlot(l.Get(i).Message(), f)
			}
			return true
		}
		if n, ok := v.Message().Interface().(*pg_query.Node); ok {
			f(n, func(x *pg_query.Node) { m.Set(fd, protoreflect.ValueOfMessage(x.ProtoReflect())) })
		}
		eachSlot(v.Message(), f)
		return true
	})
}

// expression tells whether a node may stand where any expression may: the parser gives no others there.
func expression(n *pg_query.Node) bool {
	switch n.Node.(type) {
	case *pg_query.Node_AConst, *pg_query.Node_ColumnRef, *pg_query.Node_ParamRef, *pg_query.Node_AExpr, *pg_query.Node_BoolExpr,
		*pg_query.Node_FuncCall, *pg_query.Node_TypeCast, *pg_query.Node_CaseExpr, *pg_query.Node_SubLink, *pg_query.Node_AArrayExpr,
		*pg_query.Node_AIndirection, *pg_query.Node_NullTest, *pg_query.Node_BooleanTest, *pg_query.Node_CoalesceExpr,
		*pg_query.Node_MinMaxExpr, *pg_query.Node_RowExpr, *pg_query.Node_SqlvalueFunction, *pg_query.Node_CollateClause, *pg_query.Node_GroupingFunc:
		return true
	}
	return false
}

// splice replaces a random expression, or FROM item, by one of another statement.
func splice(r *rand.Rand, root *pg_query.Node, donors []*pg_query.Node) {
	type slot struct {
		n   *pg_query.Node
		put func(*pg_query.Node)
	}
	var slots []slot
	eachSlot(root.ProtoReflect(), func(n *pg_query.Node, put func(*pg_query.Node)) {
		if expression(n) || isFrom(n) {
			slots = append(slots, slot{n, put})
		}
	})
	if len(slots) == 0 {
		return
	}
	s := slots[r.IntN(len(slots))]
	for range 50 {
		d := donors[r.IntN(len(donors))]
		if expression(d) && expression(s.n) || isFrom(d) && isFrom(s.n) {
			s.put(proto.CloneOf(d))
			return
		}
	}
}

func isFrom(n *pg_query.Node) bool {
	switch n.Node.(type) {
	case *pg_query.Node_RangeVar, *pg_query.Node_RangeSubselect, *pg_query.Node_RangeFunction, *pg_query.Node_JoinExpr:
		return true
	}
	return false
}
