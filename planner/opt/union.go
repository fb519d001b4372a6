package opt

import (
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/catalog"
)

// united reads a relation through the indexes of the arms of an OR, when each arm has one, or names rows by their keys; it gives the scan
// itself when none of the conditions is such an OR. The condition stays, to be checked on the rows found.
func (c *Context) united(s *plan.Scan, conds []plan.Expr) *plan.Scan {
	for _, cond := range conds {
		or, ok := cond.(*plan.BoolOp)
		if !ok || !or.Or || volatile(or) || hasSubquery(or) {
			continue
		}
		arms := make([]plan.Access, 0, len(or.Args))
		for _, a := range or.Args {
			by := c.armAccess(s, conjuncts(a, nil))
			if by == nil {
				break
			}
			arms = append(arms, *by)
		}
		if len(arms) == len(or.Args) {
			better := *s
			better.Access = plan.Access{Either: arms}
			return &better
		}
	}
	return s
}

// armAccess is how the rows are found for which conditions hold, nil when that takes a look at all of them.
func (c *Context) armAccess(s *plan.Scan, conds []plan.Expr) *plan.Access {
	trial := *s
	trial.FilterExprs = conds
	byKey := lookUpPrimary
	if s.Rel.Kind == catalog.Collection {
		byKey = lookUpID
	}
	if k := byKey(&trial).(*plan.Scan); k.Access.Point != nil || k.Access.AnyOf != nil {
		return &plan.Access{Point: k.Access.Point, AnyOf: k.Access.AnyOf}
	}
	if x := c.indexed(&trial, conds); x != &trial {
		return &plan.Access{Index: x.Access.Index, Ranges: x.Access.Ranges}
	}
	if x := c.byTerms(&trial, conds); x != &trial {
		return &x.Access
	}
	return nil
}
