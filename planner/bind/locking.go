package bind

import (
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
	what := ""
	switch {
	case len(p.sel.DistinctClause) > 0:
		what = "DISTINCT clause"
	case len(p.sel.GroupClause) > 0:
		what = "GROUP BY clause"
	case p.having != nil:
		what = "HAVING clause"
	case p.s.hasAgg:
		what = "aggregate functions"
	case p.s.hasWindow:
		what = "window functions"
	case p.s.hasSet:
		what = "set-returning functions in the target list"
	}
	if what != "" {
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

// lockItem locks the rows of a stored relation; other items have no rows of their own.
func (b *binder) lockItem(lock *plan.Lock, it *item, mode plan.RowLock) error {
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
