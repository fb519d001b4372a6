package storage

import (
	"context"
	"sync/atomic"

	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/kv"
)

// Statement is a reading point of a transaction: a snapshot, and which of the transaction's own writes are seen. Scans that were
// opened at it go on reading at it.
type Statement struct {
	txn  *Txn
	head *head
	seq  uint64
	refs atomic.Int32
	// number tells the store's statements apart.
	number uint64
}

func (t *Txn) newStatement(h *head, seq uint64) *Statement {
	s := &Statement{txn: t, head: h, seq: seq, number: t.db.statements.Add(1)}
	s.refs.Store(1)
	t.writes.Pin(seq)
	return s
}

func (s *Statement) hold() *Statement {
	s.refs.Add(1)
	return s
}

// Close lets the reading point go; what was read at it is no longer valid when the transaction has gone on to another one.
func (s *Statement) Close() {
	if s.refs.Add(-1) == 0 {
		s.txn.writes.Unpin(s.seq)
		s.head.release()
	}
}

// LSN is that of the newest commit seen at the reading point.
func (s *Statement) LSN() kv.LSN { return s.head.snap.LSN() }

// BeginStatement starts the next statement: in READ COMMITTED it reads the newest committed state, at every level it sees what the
// transaction has written so far and nothing of what it writes itself. Reading points that are held (Statement) stay as they are.
func (t *Txn) BeginStatement(ctx context.Context) error {
	if t.done {
		return ended()
	}
	var h *head
	if t.first != nil {
		h = t.first.retain()
	} else {
		var err error
		if h, err = t.db.acquire(); err != nil {
			return err
		}
	}
	t.enter(t.newStatement(h, t.seq))
	t.seq++
	return nil
}

// enter makes s, of which it takes over a reference, the current reading point.
func (t *Txn) enter(s *Statement) {
	t.now.Close()
	t.now = s
}

// Statement holds the current reading point for a portal that goes on reading after other statements have begun. Close it.
func (t *Txn) Statement() *Statement { return t.now.hold() }

// Resume makes s the current reading point again.
func (t *Txn) Resume(s *Statement) { t.enter(s.hold()) }

// Mark is a point in a transaction to roll back to.
type Mark struct {
	seq   uint64
	own   *catalog.Own
	locks int
	keys  int // events of foreign keys before it
}

// Mark sets a savepoint. A mark that nobody will go back to should be told with Forget.
func (t *Txn) Mark() Mark {
	m := Mark{t.seq, t.own, t.session.owner.Position(), len(t.events.list)}
	t.writes.Pin(m.seq)
	t.seq++
	return m
}

// Forget tells that nobody will go back to the mark.
func (t *Txn) Forget(m Mark) { t.writes.Unpin(m.seq) }

// RollbackTo undoes all writes since the mark, catalog writes included, and gives back the locks taken since. The mark stays; later
// ones are void, without Forget.
func (t *Txn) RollbackTo(m Mark) {
	if t.done {
		return
	}
	t.undo(m)
	t.session.owner.ReleaseTo(m.locks)
	t.locked = tableLocks{}
}

func (t *Txn) undo(m Mark) {
	t.writes.RollbackTo(m.seq)
	t.setOwn(m.own)
	t.events.cut(m.keys)
	t.seq++
}

// Restart undoes all writes since the mark but keeps the locks, and begins the statement again, at READ COMMITTED on a newer
// snapshot: the answer to ErrRestart.
func (t *Txn) Restart(ctx context.Context, m Mark) error {
	if t.done {
		return ended()
	}
	t.undo(m)
	return t.BeginStatement(ctx)
}

func (t *Txn) setOwn(o *catalog.Own) {
	if t.own != o {
		t.own, t.view = o, nil
	}
}
