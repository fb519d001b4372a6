package storage

import (
	"context"
	"sync"
	"time"

	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/key"
)

// A sequence's position is the only row of its relation, under the hidden key 0: how far it was given out. nextval does not wait for
// the transaction that calls it: it takes values from a block that a small commit of its own has reserved before, so that a value is
// never given out twice, whatever becomes of the transaction or the process. Blocks grow while they are used up fast. A clean close
// gives the rest of a block back.
//
// A sequence that the running transaction itself has made or reset is its own affair: there the row changes as part of it.

// SequenceLimitExceeded is the SQLSTATE of a sequence that has no more values.
const SequenceLimitExceeded = "2200H"

// position is how far a sequence is: the last value, and whether it was given out.
type position struct {
	last   int64
	called bool
}

// sequence is the state of one sequence storage in use.
type sequence struct {
	mu       sync.Mutex
	rel      *catalog.Relation // as last seen
	loaded   bool
	now      position
	reserved position // what the store has
	block    int64
	when     time.Time // of the last reservation
}

const (
	firstBlock = 32
	maxBlock   = 8192
)

// sequences keeps the states by storage id.
type sequences struct {
	mu sync.Mutex
	m  map[uint64]*sequence
}

// sequence finds the state of a sequence and locks it.
func (db *DB) sequence(rel *catalog.Relation) *sequence {
	db.sequences.mu.Lock()
	if db.sequences.m == nil {
		db.sequences.m = map[uint64]*sequence{}
	}
	s := db.sequences.m[rel.Storage]
	if s == nil {
		s = &sequence{block: firstBlock}
		db.sequences.m[rel.Storage] = s
	}
	db.sequences.mu.Unlock()
	s.mu.Lock()
	s.rel = rel
	return s
}

// enterSequence locks a sequence against DDL and gives its newest descriptor; own tells that it is the transaction's own affair.
func (t *Txn) enterSequence(ctx context.Context, rel *catalog.Relation) (now *catalog.Relation, own bool, err error) {
	if rel.Kind != catalog.Sequence || rel.Seq == nil {
		return nil, false, dberr.New(dberr.WrongObjectType, "\"%s\" is not a sequence", rel.Name)
	}
	if err := t.mayWrite(); err != nil {
		return nil, false, err
	}
	if err := t.LockTable(ctx, rel.ID, RowExclusive, Wait); err != nil {
		return nil, false, err
	}
	if now = t.Catalog().RelationByID(rel.ID); now == nil {
		return nil, false, ErrStale
	}
	return now, now.Published == 0, nil
}

// NextVal gives the next value of a sequence.
func (t *Txn) NextVal(ctx context.Context, rel *catalog.Relation) (int64, error) {
	rel, own, err := t.enterSequence(ctx, rel)
	if err != nil {
		return 0, err
	}
	if own {
		p, err := t.ownPosition(ctx, rel)
		if err == nil {
			p, err = p.next(rel)
		}
		if err == nil {
			err = t.putPosition(ctx, rel, p)
		}
		return p.last, err
	}
	s := t.db.sequence(rel)
	defer s.mu.Unlock()
	if err := s.load(ctx, t.db); err != nil {
		return 0, err
	}
	p, err := s.now.next(rel)
	if err != nil {
		return 0, err
	}
	if !s.covers(p) {
		if err := s.reserve(ctx, t.db, t.opt.Actor, p.ahead(rel, s.grow(t.db.clock())-1)); err != nil {
			return 0, err
		}
	}
	s.now = p
	return p.last, nil
}

// SetVal sets a sequence's position: called tells that last was given out, so that the next value is the one behind it. It is not
// undone by a rollback.
func (t *Txn) SetVal(ctx context.Context, rel *catalog.Relation, last int64, called bool) error {
	rel, own, err := t.enterSequence(ctx, rel)
	if err != nil {
		return err
	}
	if last < rel.Seq.Min || last > rel.Seq.Max {
		return dberr.New(dberr.NumericValueOutOfRange, "setval: value %d is out of bounds for sequence \"%s\" (%d..%d)", last, rel.Name, rel.Seq.Min, rel.Seq.Max)
	}
	p := position{last, called}
	if own {
		return t.putPosition(ctx, rel, p)
	}
	s := t.db.sequence(rel)
	defer s.mu.Unlock()
	if err := s.reserve(ctx, t.db, t.opt.Actor, p); err != nil {
		return err
	}
	s.now, s.loaded = p, true
	return nil
}

// SequencePosition gives a sequence's last value and whether it was given out.
func (t *Txn) SequencePosition(ctx context.Context, rel *catalog.Relation) (last int64, called bool, err error) {
	if err := t.LockTable(ctx, rel.ID, AccessShare, Wait); err != nil {
		return 0, false, err
	}
	now := t.Catalog().RelationByID(rel.ID)
	if now == nil || now.Seq == nil {
		return 0, false, ErrStale
	}
	if now.Published == 0 {
		p, err := t.ownPosition(ctx, now)
		return p.last, p.called, err
	}
	s := t.db.sequence(now)
	defer s.mu.Unlock()
	err = s.load(ctx, t.db)
	return s.now.last, s.now.called, err
}

// ResetSequence changes a sequence's descriptor (its Seq, for ALTER SEQUENCE) and sets its position as part of the transaction, under
// an AccessExclusive lock.
func (t *Txn) ResetSequence(ctx context.Context, r catalog.Relation, last int64, called bool) (*catalog.Relation, error) {
	made, err := t.AlterRelation(ctx, r)
	if err != nil {
		return nil, err
	}
	fresh := *made
	fresh.Storage = t.db.newStorage(made)
	t.discard(made.Storage)
	if err := t.reshape(ctx, made, &fresh); err != nil {
		return nil, err
	}
	return &fresh, t.putPosition(ctx, &fresh, position{last, called})
}

// next gives the position one step on.
func (p position) next(rel *catalog.Relation) (position, error) {
	q := rel.Seq
	if !p.called {
		return position{p.last, true}, nil
	}
	over := q.Increment > 0 && p.last > q.Max-q.Increment
	under := q.Increment < 0 && p.last < q.Min-q.Increment
	switch {
	case (over || under) && !q.Cycle:
		limit, bound := "maximum", q.Max
		if under {
			limit, bound = "minimum", q.Min
		}
		return p, dberr.New(SequenceLimitExceeded, "nextval: reached %s value of sequence \"%s\" (%d)", limit, rel.Name, bound)
	case over:
		return position{q.Min, true}, nil
	case under:
		return position{q.Max, true}, nil
	}
	return position{p.last + q.Increment, true}, nil
}

// ahead gives the position up to n steps on, without cycling.
func (p position) ahead(rel *catalog.Relation, n int64) position {
	plain := *rel
	seq := *rel.Seq
	seq.Cycle = false
	plain.Seq = &seq
	for range n {
		q, err := p.next(&plain)
		if err != nil {
			break
		}
		p = q
	}
	return p
}

// covers tells whether the store has reserved up to p. Positions are compared in the direction of the walk.
func (s *sequence) covers(p position) bool {
	if !s.reserved.called {
		return false
	}
	if s.rel.Seq.Increment > 0 {
		return s.now.last <= p.last && p.last <= s.reserved.last
	}
	return s.now.last >= p.last && p.last >= s.reserved.last
}

// grow gives the size of the next block: larger when the last one was used up fast.
func (s *sequence) grow(now time.Time) int64 {
	if now.Sub(s.when) < time.Second {
		s.block = min(2*s.block, maxBlock)
	} else {
		s.block = firstBlock
	}
	s.when = now
	return s.block
}

// load reads the stored position the first time.
func (s *sequence) load(ctx context.Context, db *DB) error {
	if s.loaded {
		return nil
	}
	h, err := db.acquire()
	if err != nil {
		return err
	}
	defer h.release()
	v, err := h.snap.Get(ctx, sequenceKey(s.rel))
	if err != nil {
		return err
	}
	if s.now, err = readPosition(s.rel, v); err == nil {
		s.reserved, s.loaded = s.now, true
	}
	return err
}

// reserve stores a position in a small commit of its own.
func (s *sequence) reserve(ctx context.Context, db *DB, a Actor, p position) error {
	t, err := db.Begin(ctx, TxnOptions{Actor: a})
	if err != nil {
		return err
	}
	defer t.Rollback()
	if err := t.putPosition(ctx, s.rel, p); err != nil {
		return err
	}
	if err := t.Commit(ctx); err != nil {
		return err
	}
	s.reserved = p
	return nil
}

// giveBack stores the exact positions when the store closes.
func (db *DB) giveBackSequences(ctx context.Context) error {
	db.sequences.mu.Lock()
	defer db.sequences.mu.Unlock()
	for storage, s := range db.sequences.m {
		s.mu.Lock()
		var err error
		if s.loaded && s.now != s.reserved && liveStorageOf(db.head.Load().cat)[storage] {
			err = s.reserve(ctx, db, Actor{Role: "postgres"}, s.now)
		}
		s.mu.Unlock()
		if err != nil {
			return err
		}
	}
	return nil
}

// The row.

var positionKey = key.AppendHiddenRowKey(nil, 0)

func sequenceKey(rel *catalog.Relation) []byte {
	return key.AppendRow(nil, rel.Storage, positionKey)
}

func readPosition(rel *catalog.Relation, row []byte) (position, error) {
	if row == nil {
		return position{last: rel.Seq.Start}, nil
	}
	if err := checkRow(positionKey, row); err != nil {
		return position{}, err
	}
	last, ok := rowDoc(row).Lookup("last_value").Int64()
	called, ok2 := rowDoc(row).Lookup("is_called").Bool()
	if !ok || !ok2 {
		return position{}, wrong("the position of sequence %q is damaged", rel.Name)
	}
	return position{last, called}, nil
}

// ownPosition reads the newest position, the transaction's own included.
func (t *Txn) ownPosition(ctx context.Context, rel *catalog.Relation) (position, error) {
	cur, err := t.newest(ctx, sequenceKey(rel))
	if err != nil {
		return position{}, err
	}
	return readPosition(rel, cur.value)
}

func (t *Txn) putPosition(ctx context.Context, rel *catalog.Relation, p position) error {
	cur, err := t.newest(ctx, sequenceKey(rel))
	if err != nil {
		return err
	}
	out, start := doc.BeginDocument(nil)
	out = doc.AppendElement(out, "last_value", doc.NumberFromInt64(p.last))
	out = doc.AppendElement(out, "is_called", doc.Bool(p.called))
	t.put(rel, positionKey, rowValue(0, doc.EndDocument(out, start)), cur.base())
	return nil
}
