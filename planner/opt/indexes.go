package opt

import (
	"context"
	"slices"
	"sync"

	"github.com/omgdb/omgdb/planner/bind"
	"github.com/omgdb/omgdb/planner/exec/vec"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// IndexExprs gives the key expressions of an index and its predicate (nil for none) over a relation's columns; cols are their ids, in
// the order of the live columns.
type IndexExprs func(rel *catalog.Relation, x *catalog.Index, cols []plan.Col) (keys []plan.Expr, where plan.Expr, err error)

// BoundIndexes keeps the expressions of indexes that were bound, for reading their texts takes longer than most plans. It is safe for
// concurrent use.
type BoundIndexes struct {
	mu sync.Mutex
	m  map[boundIndex]boundExprs
}

// boundIndex is an index as it is now: versions are never given twice.
type boundIndex struct{ rel, index uint64 }

type boundExprs struct {
	keys  []plan.Expr // over columns with the number of their attribute as id
	where plan.Expr
}

// maxBoundIndexes bounds what is kept; beyond it everything is forgotten.
const maxBoundIndexes = 1000

// Exprs binds the stored texts of indexes, each once.
func (b *BoundIndexes) Exprs(bc *bind.Context) IndexExprs {
	bindNow := bindIndexExprs(bc)
	return func(rel *catalog.Relation, x *catalog.Index, cols []plan.Col) (keys []plan.Expr, where plan.Expr, err error) {
		id := boundIndex{rel.Version, x.Version}
		b.mu.Lock()
		bound, ok := b.m[id]
		b.mu.Unlock()
		if !ok {
			byAttr := slices.Clone(cols)
			for i := range byAttr {
				byAttr[i].ID = plan.ColID(byAttr[i].Attr)
			}
			if bound.keys, bound.where, err = bindNow(rel, x, byAttr); err != nil {
				return nil, nil, err
			}
			b.keep(id, bound)
		}
		keys, where = bound.over(cols)
		return keys, where, nil
	}
}

func (b *BoundIndexes) keep(id boundIndex, e boundExprs) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.m == nil || len(b.m) >= maxBoundIndexes {
		b.m = map[boundIndex]boundExprs{}
	}
	b.m[id] = e
}

// over gives the expressions over the columns of one scan.
func (e *boundExprs) over(cols []plan.Col) (keys []plan.Expr, where plan.Expr) {
	by := map[plan.ColID]plan.Expr{}
	for _, c := range cols {
		by[plan.ColID(c.Attr)] = colRef(c)
	}
	for _, k := range e.keys {
		if k != nil {
			k = substitute(k, by)
		}
		keys = append(keys, k)
	}
	if e.where != nil {
		where = substitute(e.where, by)
	}
	return keys, where
}

func bindIndexExprs(bc *bind.Context) IndexExprs {
	return func(rel *catalog.Relation, x *catalog.Index, cols []plan.Col) (keys []plan.Expr, where plan.Expr, err error) {
		ctx := context.Background()
		for _, k := range x.Keys {
			var e plan.Expr
			if k.Col == 0 {
				if e, err = bind.Expr(ctx, bc, k.Expr, rel, cols, k.Type, -1); err != nil {
					return nil, nil, err
				}
			}
			keys = append(keys, e)
		}
		if x.Where != "" {
			where, err = bind.Expr(ctx, bc, x.Where, rel, cols, value.Boolean, -1)
		}
		return keys, where, err
	}
}

// index is an ordered index as a scan sees it.
type index struct {
	x     *catalog.Index
	keys  []plan.Expr // over the scan's columns; nil for one that the scan doesn't show
	where plan.Expr
}

// indexes lists the ordered indexes of a scan's relation that its columns make usable.
func (c *Context) indexes(s *plan.Scan) []index { return c.indexesOf(s, storage.MethodBTree) }

// indexesOf lists those of a method.
func (c *Context) indexesOf(s *plan.Scan, method string) []index {
	if c.Catalog == nil || s.AsOf != 0 { // indexes know the present alone
		return nil
	}
	var out []index
	for _, x := range c.Catalog.IndexesOf(s.Rel) {
		if !x.Valid || x.Method != method && (x.Method != "" || method != storage.MethodBTree) {
			continue
		}
		ix := index{x: x, keys: make([]plan.Expr, len(x.Keys))}
		plain := x.Where == ""
		for i, k := range x.Keys {
			plain = plain && k.Col != 0
			ix.keys[i] = scanAttr(s, k.Col)
		}
		if !plain {
			if c.IndexExprs == nil {
				continue
			}
			keys, where, err := c.IndexExprs(s.Rel, x, relationCols(s))
			if err != nil {
				continue // an index whose expression cannot be read any more helps nobody
			}
			for i, e := range keys {
				if e != nil {
					ix.keys[i] = e
				}
			}
			ix.where = where
		}
		out = append(out, ix)
	}
	return out
}

// scanAttr refers to the scan's column of an attribute, nil when it shows none.
func scanAttr(s *plan.Scan, attr int16) plan.Expr {
	for i := range s.Out {
		c := &s.Out[i]
		whole := c.Src.Kind == storage.ColField || s.Rel.Kind == catalog.Collection && (c.Src.Kind == storage.ColID || c.Src.Kind == storage.ColDoc)
		if whole && c.Attr == attr && attr != 0 {
			return colRef(c.Col)
		}
	}
	return nil
}

// relationCols are the relation's live columns by the scan's ids; those that the scan doesn't show get an id that nothing has.
func relationCols(s *plan.Scan) []plan.Col {
	var out []plan.Col
	for _, a := range liveColumns(s.Rel) {
		col := plan.Col{ID: -1, Name: a.Name, Type: a.Type, Mod: a.Mod, Attr: a.Num}
		if r, ok := scanAttr(s, a.Num).(*plan.ColRef); ok {
			col.ID = r.ID
		}
		out = append(out, col)
	}
	return out
}

func liveColumns(r *catalog.Relation) []catalog.Column {
	cols := r.Columns
	if r.Kind == catalog.Collection && len(cols) == 0 {
		cols = storage.CollectionColumns()
	}
	var out []catalog.Column
	for _, c := range cols {
		if !c.Dropped {
			out = append(out, c)
		}
	}
	return out
}

// useIndexes reads a relation through an ordered index where conditions bound its keys. The conditions stay: they are checked again on
// the rows found, and they are all there is when the executor finds at run time that the whole relation is cheaper to read.
func useIndexes(c *Context, n plan.Node) (plan.Node, error) {
	return everyNode(n, func(n plan.Node) (plan.Node, error) {
		f, above := n.(*plan.Filter)
		var conds []plan.Expr
		in := n
		if above {
			conds, in = conjuncts(f.Pred, nil), f.Input
		}
		s, ok := in.(*plan.Scan)
		if !ok || !s.Access.Whole() {
			return n, nil
		}
		all := append(append([]plan.Expr(nil), s.FilterExprs...), conds...)
		better := c.indexed(s, all)
		if !better.Access.Unique {
			if other := c.byTerms(s, all); other != s {
				better = other
			}
		}
		if better == s {
			better = c.united(s, all)
		}
		switch {
		case better == s:
			return n, nil
		case above:
			return f.WithInputs([]plan.Node{better}), nil
		}
		return better, nil
	})
}

// indexed gives the scan through the index that leaves the fewest rows, the scan itself when none helps.
func (c *Context) indexed(s *plan.Scan, conds []plan.Expr) *plan.Scan {
	if len(conds) == 0 {
		return s
	}
	best, bestRows := s, c.baseRows(s.Rel)*maxIndexPart
	for _, ix := range c.indexes(s) {
		m := matchIndex(s, ix, conds)
		if m == nil {
			continue
		}
		if rows := c.baseRows(s.Rel) * m.sel; rows <= bestRows || m.unique {
			better := *s
			better.Access = plan.Access{Index: ix.x, Ranges: m.ranges, Unique: m.unique, Exact: m.covers(ix, s.FilterExprs)}
			best, bestRows = &better, rows
			if m.unique {
				break
			}
		}
	}
	return best
}

// maxIndexPart is the part of a relation up to which an index is planned for. It is generous, for guesses are often wrong: the executor
// counts the entries, up to what a scan of everything would cost, before it follows them.
const maxIndexPart = 0.5

// indexMatch is what conditions make of an index.
type indexMatch struct {
	ranges []plan.KeyRange
	eq     int // leading keys that are bound to single values
	sel    float64
	unique bool        // at most one row for each range
	used   []plan.Expr // conditions that the ranges stand for
}

const maxIndexRanges = 1000

// matchIndex finds the conditions on an index's leading keys, nil when there are none on the first or the index doesn't hold all
// rows that are wanted.
func matchIndex(s *plan.Scan, ix index, conds []plan.Expr) *indexMatch {
	if ix.where != nil && !implied(ix.where, conds) {
		return nil
	}
	own := plan.ColSet{}
	for _, c := range s.Out {
		own[c.ID] = struct{}{}
	}
	prefixes := [][]plan.Expr{{}}
	m := &indexMatch{sel: 1}
	for i, k := range ix.keys {
		if k == nil {
			break
		}
		kc := exprConds(k, keyType(s, ix, i), conds, own)
		vals := kc.eq
		if len(vals) == 0 || len(prefixes)*len(vals) > maxIndexRanges {
			if kc.lower == nil && kc.upper == nil {
				break
			}
			m.sel *= rangeSel
			if kc.lower != nil && kc.upper != nil {
				m.sel *= 0.1
			}
			m.ranges, m.used = indexRanges(prefixes, kc), append(m.used, kc.bounding...)
			return m
		}
		m.sel *= min(0.5, eqSelectivity*float64(len(vals)))
		prefixes = combine2(prefixes, vals)
		m.eq++
		m.used = append(m.used, kc.equal...)
	}
	if m.eq == 0 {
		return nil
	}
	m.unique = ix.x.Unique && !ix.x.Deferrable && m.eq == len(ix.keys)
	m.ranges = indexRanges(prefixes, exprCond{})
	return m
}

// covers tells whether the ranges are all that conditions ask for.
func (m *indexMatch) covers(ix index, conds []plan.Expr) bool {
	var where []plan.Expr
	if ix.where != nil {
		where = conjuncts(ix.where, nil)
	}
	for _, c := range conds {
		is := func(e plan.Expr) bool { return e == c || plan.Equal(e, c) }
		if !slices.ContainsFunc(m.used, is) && !slices.ContainsFunc(where, is) {
			return false
		}
	}
	return true
}

func indexRanges(prefixes [][]plan.Expr, kc exprCond) []plan.KeyRange {
	out := make([]plan.KeyRange, len(prefixes))
	for i, p := range prefixes {
		out[i] = plan.KeyRange{Eq: p, Lower: kc.lower, Upper: kc.upper, LowerInc: kc.lowerInc, UpperInc: kc.upperInc}
	}
	return out
}

func keyType(s *plan.Scan, ix index, i int) *value.Type {
	k := ix.x.Keys[i]
	if k.Type == nil && k.Col != 0 {
		return s.Rel.Attr(k.Col).Type
	}
	return k.Type
}

// implied tells whether a partial index's predicate holds for all rows that satisfy the conditions: each of its parts is one of them,
// or says that something is not NULL which a condition would not accept as NULL.
func implied(where plan.Expr, conds []plan.Expr) bool {
	for _, w := range conjuncts(where, nil) {
		found := false
		for _, c := range conds {
			found = found || plan.Equal(w, c)
			if n, ok := w.(*plan.IsNull); ok && n.Not {
				if r, ok := n.Arg.(*plan.ColRef); ok {
					found = found || rejects(c).Has(r.ID)
				}
			}
		}
		if !found {
			return false
		}
	}
	return true
}

// exprCond is what conditions say about one key: it equals one of eq (a nil entry: it IS NULL), or lies between bounds.
type exprCond struct {
	eq                 []plan.Expr
	lower, upper       plan.Expr
	lowerInc, upperInc bool
	equal, bounding    []plan.Expr // the conditions that say so
}

// exprConds finds the conditions that compare a key with something that depends on no row of the scan.
func exprConds(key plan.Expr, t *value.Type, conds []plan.Expr, own plan.ColSet) exprCond {
	var out exprCond
	fixed := func(e plan.Expr) bool {
		return !refsAny(plan.RefsOf(e), own) && !hasSubquery(e) && !volatile(e) && sameKeys(t, e.Type())
	}
	for _, c := range conds {
		switch x := c.(type) {
		case *plan.IsNull:
			if !x.Not && same(x.Arg, key) && out.eq == nil {
				out.equals(c, nil)
			}
		case *plan.InList:
			if !x.Not && same(x.Left, key) && allFixed(x.List, fixed) && out.eq == nil {
				out.equals(c, x.List...)
			}
		case *plan.Call:
			out.compare(x, key, fixed)
		}
	}
	return out
}

func (k *exprCond) compare(x *plan.Call, key plan.Expr, fixed func(plan.Expr) bool) {
	if x.Style != plan.OpStyle || len(x.Args) != 2 || mirrored[x.Name] == "" || x.Coll != "" && x.Coll != "C" && x.Coll != "default" && x.Coll != "POSIX" {
		return
	}
	op, l, r := x.Name, x.Args[0], x.Args[1]
	if !same(l, key) {
		op, l, r = mirrored[op], r, l
	}
	if !same(l, key) || !fixed(r) {
		return
	}
	switch op {
	case "=":
		k.equals(x, r)
	case ">", ">=":
		if k.lower == nil {
			k.lower, k.lowerInc = r, op == ">="
			k.bounding = append(k.bounding, x)
		}
	case "<", "<=":
		if k.upper == nil {
			k.upper, k.upperInc = r, op == "<="
			k.bounding = append(k.bounding, x)
		}
	}
}

// equals notes that a condition fixes the key. Where several do, the last is the one that counts.
func (k *exprCond) equals(cond plan.Expr, vals ...plan.Expr) {
	k.eq, k.equal = vals, []plan.Expr{cond}
}

// same compares a side of a condition with a key; a cast that only relabels it doesn't count.
func same(e, key plan.Expr) bool {
	for {
		if plan.Equal(e, key) {
			return true
		}
		switch x := e.(type) {
		case *plan.Cast:
			if x.Method != plan.RelabelCast {
				return false
			}
			e = x.Arg
		case *plan.Call:
			if x.Fn != nil || len(x.Args) != 1 {
				return false
			}
			e = x.Args[0]
		default:
			return false
		}
	}
}

// sameKeys tells whether values of type t make the same keys as those of an index over type key, in the same order.
func sameKeys(key, t *value.Type) bool {
	key, t = typeio.Base(key), typeio.Base(t)
	return key.OID == t.OID || vec.Hashable(key, t) && key.Kind == t.Kind && key.OID != value.BPChar.OID && t.OID != value.BPChar.OID
}
