package storage

import (
	"context"
	"errors"

	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/key"
	"github.com/omgdb/omgdb/storage/lock"
)

// What is locked when:
//
//	a scan or look-up        the table in AccessShare
//	a write                  the table in RowExclusive; the row; the key of each unique index that it touches
//	FOR UPDATE and friends   the table in RowShare; the row
//	DDL                      the names that it makes or frees, the table in the mode that PostgreSQL's manual states
//
// A collection's row is locked by the text of its _id, because that must be unique; a table's row by its row key. All locks are held
// to the end of the transaction, or until ROLLBACK TO a savepoint set before them.

// RowMode is the strength of a row lock, weakest first; NoRowLock is none.
type RowMode uint8

// The row lock modes of PostgreSQL (manual, table 13.3).
const (
	NoRowLock RowMode = iota
	ForKeyShare
	ForShare
	ForNoKeyUpdate
	ForUpdate
)

var rowModes = [...]lock.Mode{ForKeyShare: lock.KeyShare, ForShare: lock.RowShared, ForNoKeyUpdate: lock.NoKeyUpdate, ForUpdate: lock.Update}

// TableMode is a table lock mode of PostgreSQL (manual, table 13.2).
type TableMode = lock.Mode

// The table lock modes.
const (
	AccessShare          = lock.AccessShare
	RowShare             = lock.RowShare
	RowExclusive         = lock.RowExclusive
	ShareUpdateExclusive = lock.ShareUpdateExclusive
	Share                = lock.Share
	ShareRowExclusive    = lock.ShareRowExclusive
	Exclusive            = lock.Exclusive
	AccessExclusive      = lock.AccessExclusive
)

// WaitPolicy says what to do when a lock is held by another transaction.
type WaitPolicy = lock.Wait

// The policies: wait (up to lock_timeout), fail at once with 55P03, or leave the row out.
const (
	Wait       = lock.Block
	NoWait     = lock.NoWait
	SkipLocked = lock.Skip
)

// RowState is what LockRow found.
type RowState uint8

// The states of a locked row.
const (
	RowUnchanged RowState = iota // the statement sees the newest state
	RowChanged                   // another transaction changed it since the statement's snapshot
	RowGone                      // another transaction deleted it or moved it to another key
	RowSkipped                   // locked by another transaction, and the policy is SkipLocked
)

// LockTable takes a table lock for the rest of the transaction. NoWait on a held lock is 55P03.
func (t *Txn) LockTable(ctx context.Context, id catalog.ID, m TableMode, w WaitPolicy) error {
	if t.done {
		return ended()
	}
	if t.locked.held(id)&(1<<m) != 0 {
		return nil
	}
	err := t.db.locks.Acquire(ctx, t.session.owner, lock.Tag{Class: lock.Table, Object: uint64(id)}, m, w, t.lockTimeout)
	if errors.Is(err, lock.ErrHeld) {
		name := ""
		if r := t.Catalog().RelationByID(id); r != nil {
			name = r.Name
		}
		return notAvailable("relation", name)
	}
	if err != nil {
		return err
	}
	t.locked.add(id, m)
	return nil
}

// tableLocks are the table lock modes that a transaction knows it holds. Most transactions touch few tables.
type tableLocks struct {
	few  [3]tableLock
	n    int
	more map[catalog.ID]uint16
}

type tableLock struct {
	id    catalog.ID
	modes uint16 // bit by mode
}

func (l *tableLocks) held(id catalog.ID) uint16 {
	for i := range l.n {
		if l.few[i].id == id {
			return l.few[i].modes
		}
	}
	return l.more[id]
}

func (l *tableLocks) add(id catalog.ID, m TableMode) {
	for i := range l.n {
		if l.few[i].id == id {
			l.few[i].modes |= 1 << m
			return
		}
	}
	if l.n < len(l.few) {
		l.few[l.n] = tableLock{id, 1 << m}
		l.n++
		return
	}
	if l.more == nil {
		l.more = map[catalog.ID]uint16{}
	}
	l.more[id] |= 1 << m
}

func (t *Txn) enterForRead(ctx context.Context, rel *catalog.Relation) error {
	return t.enterRelation(ctx, rel, AccessShare)
}

func (t *Txn) enterForWrite(ctx context.Context, rel *catalog.Relation) error {
	if err := t.mayWriteTo(rel); err != nil {
		return err
	}
	return t.enterRelation(ctx, rel, RowExclusive)
}

// enterRelation takes the table lock, and the first time looks whether the descriptor that the statement was planned with is still
// the newest: from then on nobody else can change it in a way that matters. (A plan that depends on the set of _id types compares
// versions after it has its snapshot: the set is widened before the first row that needs it.)
func (t *Txn) enterRelation(ctx context.Context, rel *catalog.Relation, m TableMode) error {
	if t.locked.held(rel.ID)&(1<<m) != 0 {
		return nil
	}
	if err := t.LockTable(ctx, rel.ID, m, Wait); err != nil {
		return err
	}
	if now := t.Catalog().RelationByID(rel.ID); now == nil || now.Shape != rel.Shape {
		return ErrStale
	}
	return nil
}

// rowLockKey is the text by which a row is locked.
func rowLockKey(rel *catalog.Relation, rowKey RowKey, d doc.Doc) string {
	if rel.Kind == catalog.Collection {
		return doc.IDText(d.Lookup(idField))
	}
	return string(rowKey)
}

// lockRow locks a row that the statement sees as d.
func (t *Txn) lockRow(ctx context.Context, rel *catalog.Relation, rowKey RowKey, d doc.Doc, m RowMode, w WaitPolicy) error {
	return t.lockKey(ctx, rel, rowLockKey(rel, rowKey, d), m, w)
}

func (t *Txn) lockKey(ctx context.Context, rel *catalog.Relation, text string, m RowMode, w WaitPolicy) error {
	if t.excludesWriters(rel) {
		return nil
	}
	tag := lock.Tag{Class: lock.Row, Object: uint64(rel.ID), Key: text}
	err := t.db.locks.Acquire(ctx, t.session.owner, tag, rowModes[m], w, t.lockTimeout)
	switch {
	case err == nil:
		t.escalate(ctx, rel)
	case errors.Is(err, lock.ErrHeld) && w == NoWait:
		return dberr.New(dberr.LockNotAvailable, "could not obtain lock on row in relation \"%s\"", rel.Name)
	}
	return err
}

// excludesWriters tells whether the transaction holds a table lock beside which nobody else can lock a row or an index key.
func (t *Txn) excludesWriters(rel *catalog.Relation) bool {
	return t.whole[rel.ID] || t.locked.held(rel.ID)&(1<<Exclusive|1<<AccessExclusive) != 0
}

// escalateAfter is how many row locks of one relation a transaction takes before it tries to have the whole table instead.
var escalateAfter = 100_000

// escalate replaces many row locks by a table lock that excludes other writers, if that is free; else it tries again much later.
func (t *Txn) escalate(ctx context.Context, rel *catalog.Relation) {
	if t.rowLocks == nil {
		t.rowLocks = map[catalog.ID]int{}
	}
	n := t.rowLocks[rel.ID] + 1
	t.rowLocks[rel.ID] = n
	if n%escalateAfter != 0 {
		return
	}
	table := lock.Tag{Class: lock.Table, Object: uint64(rel.ID)}
	if t.db.locks.Acquire(ctx, t.session.owner, table, Exclusive, SkipLocked, 0) != nil {
		return
	}
	objects := map[uint64]bool{uint64(rel.ID): true}
	for _, x := range t.Catalog().IndexesOf(rel) {
		objects[x.Storage] = true
	}
	t.session.owner.Replace(func(tag lock.Tag) bool { return tag.Class == lock.Row && objects[tag.Object] }, table)
	if t.whole == nil {
		t.whole = map[catalog.ID]bool{}
	}
	t.whole[rel.ID] = true
}

// LockRow takes a row lock for the rest of the transaction and tells how the row stands now against what the statement saw (old).
// When it changed, the second result is its newest state, for the caller to judge again; Update and Delete then want that as old.
// At REPEATABLE READ and above a change is 40001 instead. NoWait on a held lock is 55P03.
func (t *Txn) LockRow(ctx context.Context, rel *catalog.Relation, rowKey RowKey, old doc.Doc, m RowMode, w WaitPolicy) (RowState, doc.Doc, error) {
	state, now, err := t.lockNewest(ctx, rel, rowKey, old, m, w)
	if now == nil {
		return state, nil, err
	}
	return state, rowDoc(now), err
}

// lockNewest is LockRow with the whole row value.
func (t *Txn) lockNewest(ctx context.Context, rel *catalog.Relation, rowKey RowKey, old doc.Doc, m RowMode, w WaitPolicy) (RowState, []byte, error) {
	if t.opt.ReadOnly && !rel.Temp {
		return 0, nil, dberr.New(dberr.ReadOnlySQLTransaction, "cannot lock rows in a read-only transaction")
	}
	if err := t.enterRelation(ctx, rel, RowShare); err != nil {
		return 0, nil, err
	}
	err := t.lockRow(ctx, rel, rowKey, old, m, w)
	if errors.Is(err, lock.ErrHeld) {
		return RowSkipped, nil, nil
	}
	if err != nil {
		return 0, nil, err
	}
	fullKey := key.AppendRow(nil, rel.Storage, rowKey)
	cur, err := t.newest(ctx, fullKey)
	switch {
	case err != nil:
		return 0, nil, err
	case cur.own && cur.seq > t.now.seq: // the statement's own change is not a concurrent one: it goes on with what it saw
		v, err := t.now.get(ctx, fullKey)
		return RowUnchanged, v, err
	case cur.value == nil:
		if t.opt.Isolation != ReadCommitted && !cur.own {
			return 0, nil, concurrent(true)
		}
		return RowGone, nil, nil
	case cur.own || rowLSN(cur.value) <= t.LSN():
		return RowUnchanged, cur.value, nil
	case t.opt.Isolation != ReadCommitted:
		return 0, nil, concurrent(false)
	}
	return RowChanged, cur.value, nil
}
