package bind

import (
	"slices"

	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// scope is one query level while it is being bound.
type scope struct {
	parent *scope
	items  []*item // what FROM shows, in order
	known  []*item // every item of FROM, also those that cannot be seen from everywhere: for hints in errors
	ctes   []*cte  // WITH of this level
	// forward are the names of WITH items that are not bound yet.
	forward []string
	clause  clause // the clause being bound
	// lateral is set while a LATERAL item is being bound: it sees the items before it.
	lateral bool
	windows []*window

	hasAgg, hasWindow, hasSet bool
	// inAgg is set while the arguments of an aggregate are being bound.
	inAgg bool
}

// item is an entry of FROM: a relation, subquery, function or join under its alias.
type item struct {
	alias  string
	schema string // of a relation without an alias: it can be named schema.table
	rel    *catalog.Relation
	cols   []itemCol
	sub    *query     // of a subquery or view
	scan   *plan.Scan // for system columns, which are added when they are asked for
	sys    map[string]plan.Expr
	// relVisible: alias.column and alias work; colsVisible: bare column names and * do. Inside a join that has an alias, neither.
	relVisible, colsVisible bool
	// lateralOnly items are seen only from LATERAL items; without lateralOK a reference to them is an error.
	lateralOnly, lateralOK bool
	// rowType is the named composite type of a whole-row reference, nil for an anonymous record.
	rowType *value.Type
	// scalar items are function items that return one column of a base type: a whole-row reference gives that column.
	scalar bool
	// nullable items may be null-extended by an outer join.
	nullable bool
	self     bool // the recursive reference of a CTE to itself
	// from, of a join, names for each column of its sides the item that shows it.
	from map[plan.ColID]string
	pos  int
}

// itemCol is a column of an item: usually a ColRef, for merged columns of USING an expression over the two sides.
type itemCol struct {
	name   string
	expr   plan.Expr
	hidden bool // left out of *
}

// clause is the part of a query in which an expression stands.
type clause uint8

const (
	inOther clause = iota
	inSelect
	inFromSubselect
	inFromFunction
	inJoinOn
	inWhere
	inHaving
	inFilter
	inGroupBy
	inOrderBy
	inDistinctOn
	inPartition
	inWindowOrder
	inFrame
	inLimit
	inOffset
	inReturning
	inValues
	inInsertTarget
	inUpdateSource
	inUpdateTarget
	inCheck
	inDefault
	inGenerated
	inIndexExpr
	inIndexPred
	inPolicy
	inExecute
	inMergeWhen
	inCopyWhere
	inTransform
	inCallArg
	inFuncDefault
	inCall
	inInsertRow
)

// rule says what may stand in a clause, and how messages name it.
type rule struct {
	name          string
	agg, win, set bool // allowed
	noSub         bool // subqueries are not
}

// clauseRules: the texts are PostgreSQL's.
var clauseRules = map[clause]rule{
	inOther:         {name: "this context"},
	inSelect:        {name: "SELECT", agg: true, win: true, set: true},
	inFromSubselect: {name: "subquery in FROM"},
	inFromFunction:  {name: "functions in FROM"},
	inJoinOn:        {name: "JOIN conditions"},
	inWhere:         {name: "WHERE"},
	inHaving:        {name: "HAVING", agg: true},
	inFilter:        {name: "FILTER"},
	inGroupBy:       {name: "GROUP BY", set: true},
	inOrderBy:       {name: "ORDER BY", agg: true, win: true, set: true},
	inDistinctOn:    {name: "DISTINCT ON", agg: true, win: true, set: true},
	inPartition:     {name: "window PARTITION BY", agg: true, set: true},
	inWindowOrder:   {name: "window ORDER BY", agg: true, set: true},
	inFrame:         {name: "window ROWS", agg: true},
	inLimit:         {name: "LIMIT"},
	inOffset:        {name: "OFFSET"},
	inReturning:     {name: "RETURNING"},
	inValues:        {name: "VALUES"},
	inInsertTarget:  {name: "INSERT"},
	inInsertRow:     {name: "VALUES", set: true},
	inUpdateSource:  {name: "UPDATE"},
	inUpdateTarget:  {name: "UPDATE"},
	inCheck:         {name: "check constraints", noSub: true},
	inDefault:       {name: "DEFAULT expressions", noSub: true},
	inGenerated:     {name: "column generation expressions", noSub: true},
	inIndexExpr:     {name: "index expressions", noSub: true},
	inIndexPred:     {name: "index predicates", noSub: true},
	inPolicy:        {name: "policy expressions"},
	inExecute:       {name: "EXECUTE parameters", noSub: true},
	inMergeWhen:     {name: "MERGE WHEN conditions"},
	inCopyWhere:     {name: "COPY FROM WHERE conditions", noSub: true},
	inTransform:     {name: "transform expressions", noSub: true},
	inCallArg:       {name: "CALL arguments"},
	inFuncDefault:   {name: "DEFAULT expressions", noSub: true},
	inCall:          {name: "CALL arguments", noSub: true},
}

// in runs f with the scope's clause set.
func (s *scope) in(c clause, f func() error) error {
	old := s.clause
	s.clause = c
	err := f()
	s.clause = old
	return err
}

// col finds the columns of an item that have a name.
func (it *item) find(name string) (found *itemCol, n int) {
	for i := range it.cols {
		if it.cols[i].name == name {
			found, n = &it.cols[i], n+1
		}
	}
	return found, n
}

// column resolves a bare column name, from the inner level outwards; nil when there is none. pos is for errors.
func (b *binder) column(s *scope, name string, pos int) (plan.Expr, error) {
	for lv := s; lv != nil; lv = lv.parent {
		var (
			found *itemCol
			in    *item
		)
		for _, it := range lv.items {
			if !it.colsVisible || it.lateralOnly && !lv.lateral {
				continue
			}
			c, n := it.find(name)
			if n == 0 {
				continue
			}
			if found != nil || n > 1 {
				return nil, errAt(pos, dberr.AmbiguousColumn, "column reference \"%s\" is ambiguous", name)
			}
			found, in = c, it
		}
		if found != nil {
			if err := b.lateralCheck(in, pos); err != nil {
				return nil, err
			}
			b.noteColumn(in, name, pos)
			return b.colExpr(found, pos), nil
		}
		if e := b.systemColumnAnywhere(lv, name, pos); e != nil {
			return e, nil
		}
	}
	return nil, nil
}

func (b *binder) lateralCheck(it *item, pos int) error {
	if it.lateralOnly && !it.lateralOK {
		return errAt(pos, dberr.InvalidColumnRef, "invalid reference to FROM-clause entry for table \"%s\"", it.alias).
			WithDetail("The combining JOIN type must be INNER or LEFT for a LATERAL reference.")
	}
	return nil
}

// colExpr gives a reference to an item's column: a fresh node, so that it has its own position.
func (b *binder) colExpr(c *itemCol, pos int) plan.Expr {
	e := c.expr
	if r, ok := e.(*plan.ColRef); ok {
		n := *r
		n.Pos = pos
		e = &n
	} else {
		e = e.With(e.Children())
	}
	b.pos[e] = pos
	return e
}

// relation finds the item that a qualified name means, from the inner level outwards; nil when there is none.
func (b *binder) itemNamed(s *scope, schema, name string, pos int) (*item, *scope, error) {
	for lv := s; lv != nil; lv = lv.parent {
		var found *item
		for _, it := range lv.items {
			if !it.relVisible || it.lateralOnly && !lv.lateral || it.alias != name || schema != "" && it.schema != schema {
				continue
			}
			if found != nil {
				return nil, nil, errAt(pos, dberr.AmbiguousAlias, "table reference \"%s\" is ambiguous", name)
			}
			found = it
		}
		if found != nil {
			return found, lv, b.lateralCheck(found, pos)
		}
	}
	return nil, nil, nil
}

// systemColumns are the columns that every stored table has beside its own.
var systemColumns = map[string]struct {
	kind storage.ColKind
	typ  *value.Type
}{
	"ctid": {storage.ColOrdinal, value.TID}, "xmin": {storage.ColLSN, value.XID}, "tableoid": {0, value.OID},
	"xmax": {0, value.XID}, "cmin": {0, value.CID}, "cmax": {0, value.CID},
}

// systemColumn gives a system column of an item, nil when it has none of the name.
func (b *binder) systemColumn(it *item, name string) plan.Expr {
	sc, ok := systemColumns[name]
	if !ok || it.scan == nil {
		return nil
	}
	if e := it.sys[name]; e != nil {
		return e
	}
	var e plan.Expr
	switch name {
	case "ctid", "xmin":
		e = b.scanColumn(it, name, storage.ScanCol{Kind: sc.kind, Type: sc.typ, Name: name, Mod: -1}, sc.typ)
	case "tableoid":
		e = &plan.Const{Typed: plan.Typed{T: value.OID, M: -1}, Val: value.Int(int64(it.rel.ID))}
		if it.nullable {
			// A null-extended row has no tableoid.
			key := b.scanColumn(it, "", storage.ScanCol{Kind: storage.ColRowKey, Type: value.Bytea, Mod: -1}, value.Bytea)
			e = &plan.Case{Typed: plan.Typed{T: value.OID, M: -1}, Whens: []plan.When{{Cond: &plan.IsNull{Arg: key, Not: true}, Then: e}}}
		}
	default:
		e = &plan.Const{Typed: plan.Typed{T: sc.typ, M: -1}, Val: value.Int(0)}
	}
	it.sys[name] = e
	return e
}

// scanColumn adds a column to an item's scan that its relation doesn't list, once.
func (b *binder) scanColumn(it *item, name string, src storage.ScanCol, t *value.Type) plan.Expr {
	for _, o := range it.scan.Out {
		if o.Src.Kind == src.Kind && o.Src.Kind != storage.ColField && len(o.Src.Path) == 0 {
			return b.ref(o.Col, -1)
		}
	}
	c := b.newCol(name, t, -1)
	it.scan.Out = append(it.scan.Out, plan.ScanCol{Col: c, Src: src})
	if len(it.cols) > 0 {
		if r, ok := it.cols[0].expr.(*plan.ColRef); ok {
			b.own(b.ownerOf(r.ID), c.ID)
		}
	}
	return b.ref(c, -1)
}

func (b *binder) systemColumnAnywhere(lv *scope, name string, pos int) plan.Expr {
	if _, ok := systemColumns[name]; !ok {
		return nil
	}
	var found plan.Expr
	for _, it := range lv.items {
		if it.colsVisible && (!it.lateralOnly || lv.lateral) {
			if e := b.systemColumn(it, name); e != nil && found == nil {
				found = e
			}
		}
	}
	return found
}

// ref makes a reference to a column.
func (b *binder) ref(c plan.Col, pos int) plan.Expr {
	e := &plan.ColRef{Typed: plan.Typed{T: c.Type, M: c.Mod}, ID: c.ID, Name: c.Name, Coll: c.Coll, Pos: pos}
	b.pos[e] = pos
	return e
}

// addItem makes an item visible at level s.
func (b *binder) addItem(s *scope, it *item) {
	b.claim(s, it)
	s.items = append(s.items, it)
}

// claim records that the columns of an item belong to level s.
func (b *binder) claim(s *scope, it *item) {
	if !slices.Contains(s.known, it) {
		s.known = append(s.known, it)
	}
	b.ownCols(s, it)
}

// ownCols is claim for an item that no name reaches: the table below a view.
func (b *binder) ownCols(s *scope, it *item) {
	for i := range it.cols {
		if r, ok := it.cols[i].expr.(*plan.ColRef); ok {
			b.own(s, r.ID)
		}
	}
	if it.scan != nil {
		for i := range it.scan.Out {
			b.own(s, it.scan.Out[i].ID)
		}
	}
}

// noColumn is the error for a bare or qualified name that means nothing, with PostgreSQL's hints.
func (b *binder) noColumn(s *scope, qual, name string, pos int) error {
	var e *dberr.Error
	if qual != "" {
		e = dberr.New(dberr.UndefinedColumn, "column %s.%s does not exist", qual, name)
	} else {
		e = dberr.New(dberr.UndefinedColumn, "column \"%s\" does not exist", name)
	}
	if hint := b.columnHint(s, qual, name); hint != "" {
		e = e.WithHint("%s", hint)
	}
	return e.At(pos)
}

// maxFuzzy is the largest distance at which a name is suggested.
const maxFuzzy = 3

// guess is the best match for a misspelt column so far.
type guess struct {
	distance      int
	first, second string
}

// columnHint looks for an item that has the column but cannot be referenced from here, then for names like the one given.
func (b *binder) columnHint(s *scope, qual, name string) string {
	g := guess{distance: maxFuzzy + 1}
	for lv := s; lv != nil; lv = lv.parent {
		for _, it := range lv.known {
			if it.from != nil {
				continue // a join: its sides are looked at themselves
			}
			penalty := 0
			if qual != "" {
				penalty = editDistance(qual, it.alias, maxFuzzy+1)
			}
			if _, n := it.find(name); n > 0 && penalty == 0 {
				return "There is a column named \"" + name + "\" in table \"" + it.alias + "\", but it cannot be referenced from this part of the query."
			}
			for i := range it.cols {
				g.consider(name, it.alias, it.cols[i].name, penalty)
			}
		}
	}
	switch {
	case g.second != "":
		return "Perhaps you meant to reference the column \"" + g.first + "\" or the column \"" + g.second + "\"."
	case g.first != "":
		return "Perhaps you meant to reference the column \"" + g.first + "\"."
	}
	return ""
}

// consider takes a column into account; three at the same distance are as good as none.
func (g *guess) consider(name, alias, col string, penalty int) {
	if penalty > g.distance {
		return
	}
	d := editDistance(name, col, g.distance+1-penalty+1)
	if d > len(name)/2 {
		return
	}
	full := alias + "." + col
	switch d += penalty; {
	case d < g.distance:
		g.distance, g.first, g.second = d, full, ""
	case d > g.distance:
	case g.second != "":
		g.first, g.second = "", ""
	case g.first != "":
		g.second = full
	case g.distance <= maxFuzzy:
		g.first = full
	}
}

// editDistance is the Levenshtein distance, cut off at limit.
func editDistance(a, b string, limit int) int {
	x, y := []rune(a), []rune(b)
	if len(x)-len(y) >= limit || len(y)-len(x) >= limit || len(x) > 255 || len(y) > 255 {
		return limit
	}
	prev := make([]int, len(y)+1)
	for j := range prev {
		prev[j] = j
	}
	cur := make([]int, len(y)+1)
	for i := range x {
		cur[0] = i + 1
		for j := range y {
			sub := prev[j]
			if x[i] != y[j] {
				sub++
			}
			cur[j+1] = min(sub, prev[j+1]+1, cur[j]+1)
		}
		prev, cur = cur, prev
	}
	return min(prev[len(y)], limit)
}

// noTable is the error for a qualified reference whose table is not in FROM.
func (b *binder) noTable(s *scope, name string, pos int) error {
	for lv := s; lv != nil; lv = lv.parent {
		for _, it := range lv.known {
			if it.alias == name && name != "" {
				return errAt(pos, dberr.UndefinedTable, "invalid reference to FROM-clause entry for table \"%s\"", name).
					WithHint("There is an entry for table \"%s\", but it cannot be referenced from this part of the query.", name)
			}
			if it.rel != nil && it.rel.Name == name && it.alias != name {
				return errAt(pos, dberr.UndefinedTable, "invalid reference to FROM-clause entry for table \"%s\"", name).
					WithHint("Perhaps you meant to reference the table alias \"%s\".", it.alias)
			}
		}
	}
	return errAt(pos, dberr.UndefinedTable, "missing FROM-clause entry for table \"%s\"", name)
}
