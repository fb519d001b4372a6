package session

import (
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/dberr"
)

// readOnly tells whether the current transaction may only read.
func (s *Session) readOnly() bool {
	v := s.vars.vals
	return v[varReadOnly] == "on" || v[varScope] == "read"
}

// refuseReadOnly refuses a statement that would write, whether or not it would find anything to write: rows of temporary tables may be
// written and locked (manual, SET TRANSACTION).
func (p *Portal) refuseReadOnly() error {
	if !p.s.readOnly() {
		return nil
	}
	if st, ok := p.c.stmt.(*plan.Copy); ok && st.From && st.Rel != nil && !st.Rel.Temp {
		return inReadOnly("COPY FROM")
	}
	if p.c.query != nil && !p.c.query.ReadOnly {
		if what := writing(p.c.query.Root); what != "" {
			return inReadOnly(what)
		}
	}
	return nil
}

func inReadOnly(what string) error {
	return dberr.New(dberr.ReadOnlySQLTransaction, "cannot execute %s in a read-only transaction", what)
}

// lockingNames are what a SELECT is called by its row locks.
var lockingNames = map[byte]string{'u': "SELECT FOR UPDATE", 'n': "SELECT FOR NO KEY UPDATE", 's': "SELECT FOR SHARE", 'k': "SELECT FOR KEY SHARE"}

// writing names what a query does that a read-only transaction may not, "" for nothing.
func writing(root plan.Node) string {
	top := root
	for {
		w, ok := top.(*plan.With)
		if !ok {
			break
		}
		top = w.Input
	}
	what := ""
	found := func(name string, n plan.Node, temp bool) {
		if n != top {
			name = "SELECT" // a query with such a part
		}
		if what == "" && !temp {
			what = name
		}
	}
	var see func(n plan.Node)
	see = func(n plan.Node) {
		plan.WalkNodes(n, func(n plan.Node) bool {
			switch x := n.(type) {
			case *plan.Insert:
				found("INSERT", n, x.Rel.Temp)
			case *plan.Update:
				found("UPDATE", n, x.Rel.Temp)
			case *plan.Delete:
				found("DELETE", n, x.Rel.Temp)
			case *plan.Merge:
				found("MERGE", n, x.Rel.Temp)
			case *plan.Lock:
				for _, r := range x.Rels {
					if what == "" && !r.Rel.Temp {
						what = lockingNames[r.Lock.Strength]
					}
				}
			}
			for _, e := range n.Exprs() {
				plan.Walk(e, func(e plan.Expr) bool {
					if q, ok := e.(*plan.Subquery); ok {
						see(q.Query)
					}
					return true
				})
			}
			return what == ""
		})
	}
	see(root)
	return what
}
