package opt

import (
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// lookUpKeys lets scans go straight to their rows: equality of the whole key (of a table's primary key, of a collection's _id) becomes
// exact keys, IN several of them, equality of leading key columns and a range on the next one a range of keys.
func lookUpKeys(_ *Context, n plan.Node) (plan.Node, error) {
	return everyNode(n, func(n plan.Node) (plan.Node, error) {
		s, ok := n.(*plan.Scan)
		if !ok || len(s.FilterExprs) == 0 || !s.Access.Whole() {
			return n, nil
		}
		if s.Rel.Kind == catalog.Collection {
			return lookUpID(s), nil
		}
		return lookUpPrimary(s), nil
	})
}

// keyCond is a condition on a key column.
type keyCond struct {
	at  int // in FilterExprs
	op  string
	val plan.Expr   // of a comparison
	in  []plan.Expr // of IN
	any plan.Expr   // the array of = ANY
}

// keyConds finds the conditions of the scan that compare the column with something fixed.
func keyConds(s *plan.Scan, col plan.ColID) []keyCond {
	var out []keyCond
	own := plan.ColSet{}
	for _, c := range s.Out {
		own[c.ID] = struct{}{}
	}
	fixed := func(e plan.Expr) bool { return !refsAny(plan.RefsOf(e), own) && !hasSubquery(e) }
	for i, e := range s.FilterExprs {
		switch x := e.(type) {
		case *plan.Call:
			if len(x.Args) != 2 || x.Style != plan.OpStyle {
				continue
			}
			op, l, r := x.Name, x.Args[0], x.Args[1]
			if isColumn(r, col) && mirrored[op] != "" {
				op, l, r = mirrored[op], r, l
			}
			if isColumn(l, col) && mirrored[op] != "" && fixed(r) {
				out = append(out, keyCond{at: i, op: op, val: r})
			}
		case *plan.InList:
			if isColumn(x.Left, col) && !x.Not && allFixed(x.List, fixed) {
				out = append(out, keyCond{at: i, op: "in", in: x.List})
			}
		case *plan.ArrayOp:
			if isColumn(x.Left, col) && x.Op == "=" && !x.All && fixed(x.Right) {
				out = append(out, keyCond{at: i, op: "any", any: x.Right})
			}
		}
	}
	return out
}

func allFixed(es []plan.Expr, fixed func(plan.Expr) bool) bool {
	for _, e := range es {
		if !fixed(e) {
			return false
		}
	}
	return true
}

var mirrored = map[string]string{"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

// isColumn tells whether e is the column, perhaps relabelled.
func isColumn(e plan.Expr, col plan.ColID) bool {
	switch x := e.(type) {
	case *plan.ColRef:
		return x.ID == col
	case *plan.Cast:
		return x.Method == plan.RelabelCast && isColumn(x.Arg, col)
	case *plan.Call:
		return x.Fn == nil && len(x.Args) == 1 && isColumn(x.Args[0], col)
	}
	return false
}

// without gives the conditions except those at the given places.
func without(es []plan.Expr, at ...int) []plan.Expr {
	var out []plan.Expr
	for i, e := range es {
		used := false
		for _, k := range at {
			used = used || i == k
		}
		if !used {
			out = append(out, e)
		}
	}
	return out
}

func lookUpID(s *plan.Scan) plan.Node {
	var id *plan.ScanCol
	for i := range s.Out {
		if s.Out[i].Src.Kind == storage.ColID {
			id = &s.Out[i]
		}
	}
	if id == nil {
		return s
	}
	for _, c := range keyConds(s, id.ID) {
		better := *s
		better.FilterExprs = without(s.FilterExprs, c.at)
		switch c.op {
		case "=":
			better.Access.Point = [][]plan.Expr{{c.val}}
		case "in":
			for _, e := range c.in {
				better.Access.Point = append(better.Access.Point, []plan.Expr{e})
			}
		case "any":
			better.Access.AnyOf = c.any
		default:
			continue
		}
		return &better
	}
	return s
}

// maxPoints bounds the exact keys that combinations of IN lists may give.
const maxPoints = 10000

func lookUpPrimary(s *plan.Scan) plan.Node {
	if len(s.Rel.PrimaryKey) == 0 {
		return s
	}
	better := *s
	points := [][]plan.Expr{{}}
	var used []int
	for k, attr := range s.Rel.PrimaryKey {
		conds := keyConds(s, scanColumn(s, attr))
		eq := pick(conds, "=")
		if eq == nil {
			eq = pick(conds, "in")
		}
		if eq == nil {
			if a := pick(conds, "any"); a != nil && len(s.Rel.PrimaryKey) == 1 {
				better.Access.AnyOf, better.FilterExprs = a.any, without(s.FilterExprs, a.at)
				return &better
			}
			return lookUpRange(&better, points, used, conds, k)
		}
		vals := eq.in
		if eq.val != nil {
			vals = []plan.Expr{eq.val}
		}
		if len(points)*len(vals) > maxPoints {
			return s
		}
		points = combine2(points, vals)
		used = append(used, eq.at)
	}
	better.Access.Point, better.FilterExprs = points, without(s.FilterExprs, used...)
	return &better
}

func pick(conds []keyCond, op string) *keyCond {
	for i := range conds {
		if conds[i].op == op {
			return &conds[i]
		}
	}
	return nil
}

func combine2(points [][]plan.Expr, vals []plan.Expr) [][]plan.Expr {
	out := make([][]plan.Expr, 0, len(points)*len(vals))
	for _, p := range points {
		for _, v := range vals {
			out = append(out, append(p[:len(p):len(p)], v))
		}
	}
	return out
}

// scanColumn finds the scan's column that shows an attribute, 0 when none does.
func scanColumn(s *plan.Scan, attr int16) plan.ColID {
	a := s.Rel.Attr(attr)
	for i := range s.Out {
		if s.Out[i].Src.Kind == storage.ColField && a != nil && s.Out[i].Src.Field == a.Field {
			return s.Out[i].ID
		}
	}
	return 0
}

// lookUpRange makes ranges of the keys that begin with the prefixes, bounded by the conditions on key column k.
func lookUpRange(s *plan.Scan, prefixes [][]plan.Expr, used []int, conds []keyCond, k int) plan.Node {
	var r plan.KeyRange
	for i := range conds {
		c := &conds[i]
		switch c.op {
		case ">", ">=":
			if r.Lower == nil {
				r.Lower, r.LowerInc = c.val, c.op == ">="
				used = append(used, c.at)
			}
		case "<", "<=":
			if r.Upper == nil {
				r.Upper, r.UpperInc = c.val, c.op == "<="
				used = append(used, c.at)
			}
		}
	}
	if k == 0 && r.Lower == nil && r.Upper == nil {
		return s
	}
	better := *s
	better.FilterExprs = without(s.FilterExprs, used...)
	for _, p := range prefixes {
		own := r
		own.Eq = p
		better.Access.Ranges = append(better.Access.Ranges, own)
	}
	return &better
}

// dropSorts leaves out a sort whose order the scan below gives anyway: that of its relation's key.
func dropSorts(_ *Context, n plan.Node) (plan.Node, error) {
	return everyNode(n, func(n plan.Node) (plan.Node, error) {
		sort, ok := n.(*plan.Sort)
		if !ok || len(sort.Keys) == 0 || sort.TopN != nil {
			return n, nil
		}
		if in := inKeyOrder(sort.Input, sort.Keys); in != nil {
			return in, nil
		}
		return n, nil
	})
}

// inKeyOrder gives n with its scan in the order of keys, nil when it has no such order.
func inKeyOrder(n plan.Node, keys []plan.SortKey) plan.Node {
	switch x := n.(type) {
	case *plan.Filter, *plan.Project:
		in := inKeyOrder(n.Inputs()[0], resolveKeys(n, keys))
		if in == nil {
			return nil
		}
		return n.WithInputs([]plan.Node{in})
	case *plan.Scan:
		return scanInOrder(x, keys)
	}
	return nil
}

// resolveKeys gives sort keys in terms of a Project's input.
func resolveKeys(n plan.Node, keys []plan.SortKey) []plan.SortKey {
	p, ok := n.(*plan.Project)
	if !ok {
		return keys
	}
	by := map[plan.ColID]plan.Expr{}
	for i, c := range p.Out {
		by[c.ID] = p.Items[i]
	}
	out := append([]plan.SortKey(nil), keys...)
	for i := range out {
		if r, ok := out[i].Expr.(*plan.ColRef); ok && by[r.ID] != nil {
			out[i].Expr = by[r.ID]
		}
	}
	return out
}

func scanInOrder(s *plan.Scan, keys []plan.SortKey) plan.Node {
	cols := keyColumns(s)
	if len(cols) == 0 || s.Access.Reverse || s.Access.Index != nil || s.Access.AnyOf != nil || s.Access.Either != nil {
		return nil // through an index rows come in its order
	}
	desc := keys[0].Desc
	for i, k := range keys {
		if i >= len(cols) {
			break // the whole key is unique: further keys decide nothing
		}
		r, ok := k.Expr.(*plan.ColRef)
		if !ok || cols[i] == 0 || r.ID != cols[i] || k.Desc != desc || k.Less != nil || k.Coll != "" && k.Coll != "C" && k.Coll != "default" {
			return nil
		}
	}
	if s.Access.Ordered && s.Access.Reverse != desc {
		return nil
	}
	better := *s
	better.Access.Ordered, better.Access.Reverse = true, desc
	return &better
}

// keyColumns lists the scan's columns that order its rows; 0 for one that it doesn't show.
func keyColumns(s *plan.Scan) []plan.ColID {
	if s.Rel.Kind == catalog.Collection {
		if !oneIDType(s.Rel) {
			return nil
		}
		for i := range s.Out {
			if s.Out[i].Src.Kind == storage.ColID {
				return []plan.ColID{s.Out[i].ID}
			}
		}
		return nil
	}
	var out []plan.ColID
	for _, attr := range s.Rel.PrimaryKey {
		if a := s.Rel.Attr(attr); a == nil || !keyOrdered(a.Type) {
			return nil
		}
		out = append(out, scanColumn(s, attr))
	}
	return out
}

// keyOrdered tells whether keys order values of the type as ORDER BY does.
func keyOrdered(t *value.Type) bool { return typeio.Base(t).OID != value.BPChar.OID }

// oneIDType tells whether a collection's ids are all strings or all ObjectIds: only then their key order is that of their text.
func oneIDType(rel *catalog.Relation) bool {
	return rel.OnlyIDType(doc.TypeString) || rel.OnlyIDType(doc.TypeObjectID)
}
