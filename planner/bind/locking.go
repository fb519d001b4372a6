package bind

import (
	"slices"

	pg_query "github.com/omgdb/omgdb/planner/parse/ast"

	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

var lockStrengths = map[pg_query.LockClauseStrength]byte{
	pg_query.LockClauseStrength_LCS_FORKEYSHARE: 'k', pg_query.LockClauseStrength_LCS_FORSHARE: 's',
	pg_query.LockClauseStrength_LCS_FORNOKEYUPDATE: 'n', pg_query.LockClauseStrength_LCS_FORUPDATE: 'u',
}

var lockWaits = map[pg_query.LockWaitPolicy]byte{
	pg_query.LockWaitPolicy_LockWaitBlock: 'w', pg_query.LockWaitPolicy_LockWaitSkip: 's', pg_query.LockWaitPolicy_LockWaitError: 'n',
}

// locking checks that the rows of the query can be locked, as FOR UPDATE and friends ask.
func (b *binder) locking(p *selectParts) error {
	if len(p.sel.LockingClause) == 0 {
		return nil
	}
	if what := mixes(p); what != "" {
		return b.noLocking(p.sel, what)
	}
	lock := &plan.Lock{Input: p.node}
	for _, n := range p.sel.LockingClause {
		if err := b.lockClause(p.s, lock, n.GetLockingClause()); err != nil {
			return err
		}
	}
	b.writes = true
	if len(lock.Rels) > 0 {
		p.lock = lock
	}
	return nil
}

// mixes says what in a query makes its rows ones that stand for no single row of FROM, "" for nothing.
func mixes(p *selectParts) string {
	switch {
	case len(p.sel.DistinctClause) > 0:
		return "DISTINCT clause"
	case len(p.sel.GroupClause) > 0:
		return "GROUP BY clause"
	case p.having != nil:
		return "HAVING clause"
	case p.s.hasAgg:
		return "aggregate functions"
	case p.s.hasWindow:
		return "window functions"
	case p.s.hasSet:
		return "set-returning functions in the target list"
	}
	return ""
}

// lockClause adds the relations of one locking clause.
func (b *binder) lockClause(s *scope, lock *plan.Lock, l *pg_query.LockingClause) error {
	mode := plan.RowLock{Strength: lockStrengths[l.Strength], Wait: lockWaits[l.WaitPolicy]}
	if len(l.LockedRels) == 0 {
		for _, it := range s.items {
			if err := b.lockItem(lock, it, mode); err != nil {
				return err
			}
		}
		return nil
	}
	for _, n := range l.LockedRels {
		rv := n.GetRangeVar()
		var found *item
		for _, it := range s.items {
			if it.relVisible && it.alias == rv.Relname {
				found = it
			}
		}
		if found == nil {
			return errAt(loc(rv.Location), dberr.UndefinedTable, "relation \"%s\" in %s clause not found in FROM clause", rv.Relname, lockName(l))
		}
		if found.scan == nil && found.rel == nil && found.colsVisible && len(s.items) > 1 && found.alias != "" && isJoinItem(s, found) {
			return errAt(loc(rv.Location), dberr.FeatureNotSupported, "%s cannot be applied to a join", lockName(l))
		}
		if err := b.lockItem(lock, found, mode); err != nil {
			return err
		}
	}
	return nil
}

// isJoinItem tells whether an item stands for a whole join: its columns are those of other items.
func isJoinItem(s *scope, it *item) bool {
	for _, o := range s.items {
		if o != it && !o.colsVisible {
			return true
		}
	}
	return false
}

// lockItem locks the rows of a stored relation, or those that a subquery or view shows; other items have no rows of their own.
func (b *binder) lockItem(lock *plan.Lock, it *item, mode plan.RowLock) error {
	if it.sub != nil {
		return b.lockSub(lock, it, mode)
	}
	if it.scan == nil || it.rel == nil || it.rel.Kind == catalog.Sequence {
		return nil
	}
	if it.nullable {
		return dberr.New(dberr.FeatureNotSupported, "%s cannot be applied to the nullable side of an outer join", lockNames[mode.Strength])
	}
	key := b.scanColumn(it, "", storage.ScanCol{Kind: storage.ColRowKey, Type: value.Bytea, Mod: -1}, value.Bytea).(*plan.ColRef)
	for i := range lock.Rels {
		if lock.Rels[i].RowKey == key.ID {
			lock.Rels[i].Lock = stronger(lock.Rels[i].Lock, mode)
			return nil
		}
	}
	lock.Rels = append(lock.Rels, plan.LockRel{Rel: it.rel, RowKey: key.ID, Lock: mode})
	return nil
}

// lockSub locks the rows behind a subquery's: their keys go up through its plan.
func (b *binder) lockSub(lock *plan.Lock, it *item, mode plan.RowLock) error {
	if it.sub.mixed != "" {
		return dberr.New(dberr.FeatureNotSupported, "%s is not allowed with %s", lockNames[mode.Strength], it.sub.mixed)
	}
	had := len(lock.Rels)
	for _, in := range it.sub.sources {
		if it.nullable && in.scan != nil {
			return dberr.New(dberr.FeatureNotSupported, "%s cannot be applied to the nullable side of an outer join", lockNames[mode.Strength])
		}
		if err := b.lockItem(lock, in, mode); err != nil {
			return err
		}
	}
	for _, r := range lock.Rels[had:] {
		if !expose(it.sub.node, r.RowKey) {
			return dberr.New(dberr.FeatureNotSupported, "%s cannot be applied to this subquery", lockNames[mode.Strength]).
				WithHint("Lock the rows inside of it.")
		}
	}
	return nil
}

// expose lets a column of a scan below pass through the projections of a plan.
func expose(n plan.Node, id plan.ColID) bool {
	at := func(n plan.Node) *plan.Col {
		cols := n.Cols()
		if i := slices.IndexFunc(cols, func(c plan.Col) bool { return c.ID == id }); i >= 0 {
			return &cols[i]
		}
		return nil
	}
	if at(n) != nil {
		return true
	}
	switch x := n.(type) {
	case *plan.Project:
		if !expose(x.Input, id) {
			return false
		}
		c := *at(x.Input)
		x.Out, x.Items = append(slices.Clip(x.Out), c), append(slices.Clip(x.Items), plan.Expr(&plan.ColRef{Typed: plan.Typed{T: c.Type, M: c.Mod}, ID: c.ID, Name: c.Name, Pos: -1}))
	case *plan.Filter:
		return expose(x.Input, id)
	case *plan.Sort:
		return expose(x.Input, id)
	case *plan.Limit:
		return expose(x.Input, id)
	case *plan.Lock:
		return expose(x.Input, id)
	case *plan.With:
		return expose(x.Input, id)
	case *plan.Join:
		return expose(x.Left, id) || expose(x.Right, id)
	}
	return at(n) != nil
}

var lockNames = map[byte]string{'k': "FOR KEY SHARE", 's': "FOR SHARE", 'n': "FOR NO KEY UPDATE", 'u': "FOR UPDATE"}

// stronger puts two locks on one relation together.
func stronger(a, c plan.RowLock) plan.RowLock {
	rank := map[byte]int{'k': 0, 's': 1, 'n': 2, 'u': 3}
	wait := map[byte]int{'w': 0, 's': 1, 'n': 2}
	if rank[c.Strength] > rank[a.Strength] {
		a.Strength = c.Strength
	}
	if wait[c.Wait] > wait[a.Wait] {
		a.Wait = c.Wait
	}
	return a
}

// locked puts the Lock over the sorted rows.
func (b *binder) locked(p *selectParts) plan.Node {
	if p.lock == nil {
		return p.node
	}
	p.lock.Input = p.node
	return p.lock
}
