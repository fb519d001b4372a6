package session

import (
	"context"
	"slices"
	"time"

	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/dberr"
)

// txnState is where a session stands between statements.
type txnState uint8

const (
	// idle: no transaction.
	idle txnState = iota
	// implicit: statements ran since the last Sync outside a block; they commit together at Sync.
	implicit
	// block: inside BEGIN … COMMIT.
	block
	// failed: a statement of the block failed; only its end, or a return to a savepoint, is possible.
	failed
)

// txnEvent is what a transaction statement asks for.
type txnEvent uint8

const (
	evStatement txnEvent = iota // any statement that is not about the transaction
	evBegin
	evCommit
	evRollback
	evSavepoint
	evRelease
	evRollbackTo
)

// edge is what an event does in a state: refuse, or warn, then do, then go on in the next state. Chain (COMMIT AND CHAIN) begins a new
// block after do.
type edge struct {
	next   txnState
	do     func(*Session, context.Context) error
	warn   *dberr.Error
	refuse *dberr.Error
	why    string
}

var (
	errAborted    = dberr.New(dberr.InFailedSQLTransaction, "current transaction is aborted, commands ignored until end of transaction block")
	warnInBlock   = &dberr.Error{Severity: "WARNING", Code: dberr.ActiveSQLTransaction, Message: "there is already a transaction in progress"}
	warnNoBlock   = &dberr.Error{Severity: "WARNING", Code: dberr.NoActiveSQLTransaction, Message: "there is no transaction in progress"}
	errSavepoint  = needsBlock("SAVEPOINT")
	errRelease    = needsBlock("RELEASE SAVEPOINT")
	errRollbackTo = needsBlock("ROLLBACK TO SAVEPOINT")
)

func needsBlock(what string) *dberr.Error {
	return dberr.New(dberr.NoActiveSQLTransaction, "%s can only be used in transaction blocks", what)
}

// txnTable is the transaction state machine of a session.
var txnTable = [4][7]edge{
	idle: {
		evBegin:      {next: block, do: (*Session).openBlock, why: "BEGIN opens a block"},
		evCommit:     {next: idle, warn: warnNoBlock, why: "COMMIT without a block only warns"},
		evRollback:   {next: idle, warn: warnNoBlock, why: "ROLLBACK without a block only warns"},
		evSavepoint:  {refuse: errSavepoint, why: "a savepoint belongs to a block"},
		evRelease:    {refuse: errRelease, why: "a savepoint belongs to a block"},
		evRollbackTo: {refuse: errRollbackTo, why: "a savepoint belongs to a block"},
		evStatement:  {next: implicit, why: "a statement opens an implicit transaction"},
	},
	implicit: {
		evBegin:      {next: block, do: (*Session).openBlock, why: "BEGIN makes a block of what runs already"},
		evCommit:     {next: idle, warn: warnNoBlock, do: (*Session).commit, why: "COMMIT commits the statements before it"},
		evRollback:   {next: idle, warn: warnNoBlock, do: (*Session).rollback, why: "ROLLBACK undoes the statements before it"},
		evSavepoint:  {refuse: errSavepoint, why: "a savepoint belongs to a block"},
		evRelease:    {refuse: errRelease, why: "a savepoint belongs to a block"},
		evRollbackTo: {refuse: errRollbackTo, why: "a savepoint belongs to a block"},
		evStatement:  {next: implicit, why: "a further statement joins"},
	},
	block: {
		evBegin:      {next: block, warn: warnInBlock, why: "BEGIN in a block only warns"},
		evCommit:     {next: idle, do: (*Session).commit, why: "COMMIT ends the block; when it fails, everything is undone"},
		evRollback:   {next: idle, do: (*Session).rollback, why: "ROLLBACK ends the block"},
		evSavepoint:  {next: block, why: "savepoints nest in the block"},
		evRelease:    {next: block, why: "what a released savepoint held becomes the block's"},
		evRollbackTo: {next: block, why: "the block goes on from the savepoint"},
		evStatement:  {next: block, why: "a statement of the block"},
	},
	failed: {
		evBegin:      {refuse: errAborted, why: "nothing begins in a failed block"},
		evCommit:     {next: idle, do: (*Session).rollback, why: "COMMIT of a failed block rolls back, and its tag says so"},
		evRollback:   {next: idle, do: (*Session).rollback, why: "ROLLBACK ends the block"},
		evSavepoint:  {refuse: errAborted, why: "no savepoint is made in a failed block"},
		evRelease:    {refuse: errAborted, why: "no savepoint is released in a failed block"},
		evRollbackTo: {next: block, why: "a savepoint from before the failure revives the block"},
		evStatement:  {refuse: errAborted, why: "no statement runs in a failed block"},
	},
}

// step takes the session through the table.
func (s *Session) step(ctx context.Context, ev txnEvent) error {
	e := &txnTable[s.state][ev]
	if e.refuse != nil {
		return e.refuse
	}
	if e.warn != nil {
		s.notice(e.warn)
	}
	if e.do != nil {
		if err := e.do(s, ctx); err != nil {
			return err
		}
	}
	s.state = e.next
	return nil
}

// transaction is the storage side of the session's transaction. The zero value is none; txn is opened by the first statement that
// needs one, so that SET TRANSACTION can still choose its kind.
type transaction struct {
	txn        *storage.Txn
	begun      time.Time
	savepoints []savepoint
	used       bool // a statement has run: the next one begins a new reading point
	doomed     bool // an implicit transaction that failed: Sync rolls it back
	script     bool // several statements of one simple query: some statements refuse to run in it
	notes      []note
	noteSet    map[note]bool
	listens    []listenOp
	// newHeld are the WITH HOLD cursors that the transaction declared.
	newHeld []*Portal
	// deferred are the events of foreign keys that wait for COMMIT; it only grows, or is replaced.
	deferred []storage.ConstraintEvent
	timing   *timing // as SET CONSTRAINTS has said; nil: nothing
}

type savepoint struct {
	name string
	mark storage.Mark
	vars int // depth of the settings' undo
	// readOnly is transaction_read_only then: it holds again when the savepoint is released.
	readOnly string
	notes    int
	listens  int
	ports    int // portals opened before
	// deferred and timing are those of the transaction then.
	deferred []storage.ConstraintEvent
	timing   *timing
}

// openBlock sets the modes of a new block to the session's defaults.
func (s *Session) openBlock(context.Context) error {
	if s.tx.begun.IsZero() {
		s.tx.begun = s.srv.clock()
	}
	return nil
}

// begin gives the storage transaction of the current transaction, opening it when this is its first statement.
func (s *Session) begin(ctx context.Context) (*storage.Txn, error) {
	if s.tx.txn != nil {
		return s.tx.txn, nil
	}
	if s.tx.begun.IsZero() {
		s.tx.begun = s.srv.clock()
	}
	txn, err := s.srv.db.Begin(ctx, s.txnOptions())
	if err != nil {
		return nil, err
	}
	s.tx.txn = txn
	s.format.Now = s.tx.begun
	return txn, nil
}

// commit ends the current transaction well; when it can't, everything is undone and the session is idle with an error.
func (s *Session) commit(ctx context.Context) error {
	if s.tx.doomed {
		return s.rollback(ctx)
	}
	if err := s.finalChecks(ctx); err != nil {
		_ = s.rollback(ctx)
		s.state = idle
		return err
	}
	if err := s.keepHeldCursors(ctx); err != nil {
		_ = s.rollback(ctx)
		s.state = idle
		return err
	}
	s.closeTxnPortals()
	s.applyListens()
	err := s.srv.hub.committing(s, s.tx.notes, func() error {
		if s.tx.txn == nil {
			return nil
		}
		return s.tx.txn.Commit(ctx)
	})
	if err != nil {
		_ = s.rollback(ctx)
		s.state = idle
		return err
	}
	s.srv.counters.commits.Add(1)
	s.noteModes()
	s.vars.commit()
	s.endTxn()
	return nil
}

// finalChecks looks at the constraints that were deferred, and then does what temporary tables want at a transaction's end.
func (s *Session) finalChecks(ctx context.Context) error {
	if s.tx.txn == nil {
		return nil
	}
	s.committing = true
	defer func() { s.committing = false }()
	if err := s.handleEvents(ctx, s.tx.txn, s.tx.txn.TakeEvents()); err != nil {
		return err
	}
	if err := s.fireDeferred(ctx, nil); err != nil {
		return err
	}
	return s.onCommit(ctx)
}

// rollback undoes the current transaction.
func (s *Session) rollback(context.Context) error {
	s.closeTxnPortals()
	s.dropNewHeld()
	if s.tx.txn != nil {
		s.tx.txn.Rollback()
	}
	s.srv.counters.rollbacks.Add(1)
	if s.state != failed || len(s.tx.savepoints) > 0 {
		s.noteModes() // else abort has: the settings are undone
	}
	s.vars.rollback(0)
	s.endTxn()
	return nil
}

// endTxn clears what belongs to a transaction.
func (s *Session) endTxn() {
	s.tx = transaction{savepoints: s.tx.savepoints[:0]}
	s.resetTxnModes()
}

// Fail tells the session that what the door asked for has failed; err is what came out, or the door's own error. It gives the error
// for the client. A block becomes a failed one, an implicit transaction is undone. Once per failure.
func (s *Session) Fail(ctx context.Context, err error) *dberr.Error {
	e := translate(ctx, err)
	s.disarm()
	switch s.state {
	case implicit:
		s.abort(0)
		s.tx.doomed = true
	case block:
		s.abort(len(s.tx.savepoints))
		s.state = failed
	}
	return e
}

// abort undoes what the transaction has done since its n-th savepoint (0: all of it).
func (s *Session) abort(n int) {
	s.closePortalsOf(n)
	if n == 0 {
		if s.tx.txn != nil {
			s.tx.txn.Rollback()
			s.tx.txn = nil
		}
		s.noteModes()
		s.vars.rollback(0)
		s.cutNotes(0)
		s.tx.listens = s.tx.listens[:0]
		s.tx.deferred, s.tx.timing = nil, nil
		return
	}
	sp := &s.tx.savepoints[n-1]
	s.tx.txn.RollbackTo(sp.mark)
	s.vars.rollback(sp.vars)
	s.cutNotes(sp.notes)
	s.tx.listens = s.tx.listens[:sp.listens]
	s.tx.deferred, s.tx.timing = sp.deferred, sp.timing
}

// savepoint makes one.
func (s *Session) savepoint(ctx context.Context, name string) error {
	txn, err := s.begin(ctx)
	if err != nil {
		return err
	}
	s.tx.savepoints = append(s.tx.savepoints, savepoint{name: name, mark: txn.Mark(), vars: s.vars.depth(), readOnly: s.vars.vals[varReadOnly], notes: len(s.tx.notes), listens: len(s.tx.listens), ports: s.portalSeq,
		deferred: slices.Clip(s.tx.deferred), timing: s.tx.timing})
	return nil
}

// findSavepoint gives the position of the newest savepoint of that name.
func (s *Session) findSavepoint(name string) (int, error) {
	for i := len(s.tx.savepoints) - 1; i >= 0; i-- {
		if s.tx.savepoints[i].name == name {
			return i, nil
		}
	}
	return 0, dberr.New(dberr.InvalidSavepoint, `savepoint "%s" does not exist`, name)
}

// release forgets a savepoint and those after it.
func (s *Session) release(name string) error {
	i, err := s.findSavepoint(name)
	if err == nil {
		s.vars.assign(varReadOnly, s.tx.savepoints[i].readOnly)
		s.tx.savepoints = s.tx.savepoints[:i]
	}
	return err
}

// rollbackTo undoes everything since a savepoint, which stays.
func (s *Session) rollbackTo(name string) error {
	i, err := s.findSavepoint(name)
	if err != nil {
		return err
	}
	s.abort(i + 1)
	s.tx.savepoints = s.tx.savepoints[:i+1]
	return nil
}

// Status is the status byte of ReadyForQuery.
func (s *Session) Status() byte { return "ITTE"[s.state] }

// Sync ends an implicit transaction: it commits, or takes back what is left of a failed one. Doors call it at the end of each
// simple query and at each Sync message.
func (s *Session) Sync(ctx context.Context) error {
	s.disarm()
	if s.state != implicit {
		return nil
	}
	var err error
	if s.tx.doomed {
		err = s.rollback(ctx)
	} else {
		err = s.commit(ctx)
	}
	s.state = idle
	return err
}
