package storage

import (
	"context"
	"encoding/binary"
	"errors"
	"time"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/lock"
)

// Session is who holds locks: a connection, or whatever else runs transactions one after the other. Close it when done.
type Session struct {
	db    *DB
	owner *lock.Owner
}

// NewSession makes a session; pid is shown in pg_locks and in the details of deadlocks.
func (db *DB) NewSession(pid int32) *Session {
	return &Session{db: db, owner: lock.NewOwner(pid)}
}

// Close gives back the session's advisory locks. Its transactions have ended.
func (s *Session) Close() { s.owner.ReleaseSessionAll() }

// AdvisoryKey is the name of an advisory lock: the bigint of the one-argument functions, or the two integers of the others.
type AdvisoryKey struct {
	Database uint32
	Key      int64
	Pair     bool // Key is made of two integers
}

func (k AdvisoryKey) tag() lock.Tag {
	b := binary.BigEndian.AppendUint64(nil, uint64(k.Key))
	if k.Pair {
		b = append(b, 2)
	}
	return lock.Tag{Class: lock.Advisory, Object: uint64(k.Database), Key: string(b)}
}

func advisoryMode(shared bool) lock.Mode {
	if shared {
		return lock.Shared
	}
	return lock.Sole
}

// AdvisoryLock takes an advisory lock for the session (pg_advisory_lock); it counts. With NoWait, ok tells whether the lock was
// free (pg_try_advisory_lock).
func (s *Session) AdvisoryLock(ctx context.Context, k AdvisoryKey, shared bool, w WaitPolicy, timeout time.Duration) (ok bool, err error) {
	return taken(s.db.locks.AcquireSession(ctx, s.owner, k.tag(), advisoryMode(shared), w, timeout))
}

// AdvisoryUnlock gives the session's advisory lock back once; false when the session doesn't hold it.
func (s *Session) AdvisoryUnlock(k AdvisoryKey, shared bool) bool {
	return s.owner.ReleaseSession(k.tag(), advisoryMode(shared))
}

// AdvisoryUnlockAll gives back every advisory lock of the session (pg_advisory_unlock_all).
func (s *Session) AdvisoryUnlockAll() { s.owner.ReleaseSessionAll() }

// AdvisoryLock takes an advisory lock until the transaction ends (pg_advisory_xact_lock); see Session.AdvisoryLock.
func (t *Txn) AdvisoryLock(ctx context.Context, k AdvisoryKey, shared bool, w WaitPolicy) (ok bool, err error) {
	return taken(t.db.locks.Acquire(ctx, t.session.owner, k.tag(), advisoryMode(shared), w, t.lockTimeout))
}

func taken(err error) (bool, error) {
	if errors.Is(err, lock.ErrHeld) {
		return false, nil
	}
	return err == nil, err
}

// Locks lists all locks and waits of the store, for pg_locks.
func (db *DB) Locks() []lock.Info { return db.locks.List() }

// notAvailable is the answer of NoWait for a lock that is held.
func notAvailable(what, name string) error {
	return dberr.New(dberr.LockNotAvailable, "could not obtain lock on %s \"%s\"", what, name)
}
