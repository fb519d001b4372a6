package opt

import (
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/value"
)

// matchFunctions are the functions behind @@ of tsvector and tsquery, with the place of the tsvector.
var matchFunctions = map[string]int{"ts_match_vq": 0, "ts_match_qv": 1}

// byLexemes gives the scan through an index over the lexemes of a tsvector that a condition asks for with @@; the scan itself when there
// is none. The conditions stay: positions and weights are looked at on the rows.
func (c *Context) byLexemes(s *plan.Scan, conds []plan.Expr) *plan.Scan {
	var list []index
	own := setOf(s.Cols())
	for _, cond := range conds {
		call, ok := cond.(*plan.Call)
		if !ok || call.Fn == nil || len(call.Args) != 2 {
			continue
		}
		at, ok := matchFunctions[call.Fn.Name]
		if !ok || call.Args[1-at].Type().OID != value.TSQuery.OID || volatile(call.Args[1-at]) || refersTo(call.Args[1-at], own) {
			continue
		}
		if list == nil {
			if list = c.indexesOf(s, storage.MethodGIN); len(list) == 0 {
				return s
			}
		}
		for _, ix := range list {
			if ix.keys[0] == nil || ix.where != nil && !implied(ix.where, conds) || !plan.Equal(ix.keys[0], call.Args[at]) {
				continue
			}
			better := *s
			better.Access = plan.Access{Index: ix.x, AnyOf: call.Args[1-at]}
			return &better
		}
	}
	return s
}

// refersTo tells whether an expression refers to one of the columns.
func refersTo(e plan.Expr, cols plan.ColSet) bool {
	used := plan.ColSet{}
	plan.Refs(e, used)
	for id := range used {
		if cols.Has(id) {
			return true
		}
	}
	return false
}
