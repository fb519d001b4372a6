package opt

import (
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
)

// termFunctions are the functions behind the operators that a gin index serves, with the place of its key and what they are when that
// is their first argument.
var termFunctions = map[string]struct {
	key  int
	name string
}{
	"ts_match_vq": {0, "ts_match_vq"}, "ts_match_qv": {1, "ts_match_vq"},
	"jsonb_contains": {0, "jsonb_contains"}, "jsonb_contained": {1, "jsonb_contains"},
	"jsonb_exists": {0, "jsonb_exists"}, "jsonb_exists_any": {0, "jsonb_exists_any"}, "jsonb_exists_all": {0, "jsonb_exists_all"},
	"arraycontains": {0, "arraycontains"}, "arraycontained": {1, "arraycontains"}, "arrayoverlap": {0, "arrayoverlap"},
}

// byTerms gives the scan through a gin index whose key a condition asks about; the scan itself when there is none. The conditions stay:
// the index knows what values are made of, not how.
func (c *Context) byTerms(s *plan.Scan, conds []plan.Expr) *plan.Scan {
	var list []index
	own := setOf(s.Cols())
	for _, cond := range conds {
		call, ok := cond.(*plan.Call)
		if !ok || call.Fn == nil || len(call.Args) != 2 {
			continue
		}
		f, ok := termFunctions[call.Fn.Name]
		if !ok || volatile(call.Args[1-f.key]) || refersTo(call.Args[1-f.key], own) {
			continue
		}
		if list == nil {
			if list = c.indexesOf(s, storage.MethodGIN); len(list) == 0 {
				return s
			}
		}
		for _, ix := range list {
			if ix.keys[0] == nil || ix.where != nil && !implied(ix.where, conds) || !plan.Equal(ix.keys[0], call.Args[f.key]) {
				continue
			}
			better := *s
			better.Access = plan.Access{Index: ix.x, AnyOf: call.Args[1-f.key], Function: f.name}
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
