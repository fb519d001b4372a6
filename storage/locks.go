package storage

import (
	"context"

	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/lock"
)

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

// LockRow takes a row lock for the rest of the transaction and tells how the row stands now against what the statement saw (old).
// When it changed, the second result is its newest state, for the caller to judge again; Update and Delete then want that as old.
// At REPEATABLE READ and above a change is 40001 instead. NoWait on a held lock is 55P03.
func (t *Txn) LockRow(ctx context.Context, rel *catalog.Relation, key RowKey, old doc.Doc, m RowMode, w WaitPolicy) (RowState, doc.Doc, error) {
	return RowUnchanged, nil, errSoon
}

// LockTable takes a table lock for the rest of the transaction. NoWait on a held lock is 55P03.
func (t *Txn) LockTable(ctx context.Context, id catalog.ID, m TableMode, w WaitPolicy) error {
	return errSoon
}
