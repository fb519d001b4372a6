package lock

import (
	"context"
	"errors"
	"hash/maphash"
	"slices"
	"sync"
	"time"

	"github.com/omgdb/omgdb/storage/dberr"
)

// Wait says what to do when a lock is not free.
type Wait uint8

// The policies.
const (
	Block  Wait = iota // wait, up to the timeout
	NoWait             // fail at once with ErrHeld
	Skip               // the same as NoWait; the caller leaves the row out
)

// ErrHeld is the answer of NoWait and Skip when the lock is not free.
var ErrHeld = errors.New("lock is held by another session")

const shardCount = 32

// Manager is a lock table. The zero Manager is not usable; make one with New.
type Manager struct {
	seed   maphash.Seed
	shards [shardCount]shard
}

// shard is a part of the table. Holding several shards' mutexes is allowed in index order only.
type shard struct {
	mu      sync.Mutex
	entries map[Tag]*entry
	_       [40]byte // keeps neighbours off one cache line
}

// entry is a lock that somebody holds or waits for. All fields are guarded by the shard's mutex.
type entry struct {
	tag     Tag
	shard   *shard
	holders []holder
	first   [1]holder // backs holders: most locks have one
	queue   []*request
}

// holder is an owner and the modes it holds: for its transaction, and for the session itself.
type holder struct {
	owner *Owner
	modes [2]modeSet // by scope
}

func (h *holder) all() modeSet { return h.modes[inTransaction] | h.modes[inSession] }

// scope says how long a lock is held.
type scope uint8

const (
	inTransaction scope = iota
	inSession
)

// request is a wait. granted is guarded by the shard's mutex; ready is closed when it becomes true.
type request struct {
	owner   *Owner
	entry   *entry
	mode    Mode
	scope   scope
	granted bool
	ready   chan struct{}
}

// New makes an empty lock table.
func New() *Manager {
	m := &Manager{seed: maphash.MakeSeed()}
	for i := range m.shards {
		m.shards[i].entries = map[Tag]*entry{}
	}
	return m
}

func (m *Manager) shard(t *Tag) *shard {
	return &m.shards[maphash.Comparable(m.seed, *t)%shardCount]
}

// Acquire takes the lock in the mode for o's transaction; what o holds already never stands in the way. With Block it waits in
// order of arrival until the lock is free, timeout (0: none) has passed (55P03), ctx is done (its cause), or the wait would close
// a circle of waiting sessions (40P01). The lock stays until the owner's ReleaseTo.
func (m *Manager) Acquire(ctx context.Context, o *Owner, tag Tag, mode Mode, wait Wait, timeout time.Duration) error {
	e, err := m.acquire(ctx, request{owner: o, mode: mode}, tag, wait, timeout)
	if e != nil && err == nil {
		o.remember(e, mode)
	}
	return err
}

// acquire gives the lock's entry when the mode was added to what the owner holds in the scope, nil when it held it before.
func (m *Manager) acquire(ctx context.Context, r request, tag Tag, wait Wait, timeout time.Duration) (*entry, error) {
	s := m.shard(&tag)
	s.mu.Lock()
	r.entry = s.entry(tag)
	got, fresh := r.try()
	if !got {
		r.entry.drop()
	}
	s.mu.Unlock()
	switch {
	case got && fresh:
		return r.entry, nil
	case got:
		return nil, nil
	case wait != Block:
		return nil, ErrHeld
	}
	w := r // only a request that waits goes to the heap
	return m.await(ctx, &w, tag, timeout)
}

// AwaitHolders waits until the transactions have ended that now hold the lock in a mode that conflicts with mode; o's own does not
// count. Later ones are not kept from it, and it does not stand in their way.
func (m *Manager) AwaitHolders(ctx context.Context, o *Owner, tag Tag, mode Mode) error {
	s, bad := m.shard(&tag), conflicts[tag.Class][mode]
	var ends []<-chan struct{}
	s.mu.Lock()
	if e := s.entries[tag]; e != nil {
		for i := range e.holders {
			if h := &e.holders[i]; h.owner != o && h.modes[inTransaction]&bad != 0 {
				ends = append(ends, h.owner.end())
			}
		}
	}
	s.mu.Unlock()
	for _, ended := range ends {
		select {
		case <-ended:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// await queues the request and waits for it.
func (m *Manager) await(ctx context.Context, r *request, tag Tag, timeout time.Duration) (*entry, error) {
	if queued, fresh, err := m.enqueue(r, tag); err != nil || !queued {
		if !fresh {
			return nil, err
		}
		return r.entry, nil
	}
	var expired <-chan time.Time
	if timeout > 0 {
		t := time.NewTimer(timeout)
		defer t.Stop()
		expired = t.C
	}
	var err error
	select {
	case <-r.ready:
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-expired:
		err = dberr.New(dberr.LockNotAvailable, "canceling statement due to lock timeout")
	}
	s := r.entry.shard
	s.mu.Lock()
	defer s.mu.Unlock()
	r.owner.stopWaiting(r)
	if !r.granted {
		r.entry.unqueue(r)
		return nil, err
	}
	return r.entry, nil // perhaps granted while the wait was given up
}

// enqueue grants the lock if it has become free, or queues the request unless that would be a deadlock. Beginning a wait looks at
// the waits of the whole table, so it holds all shards.
func (m *Manager) enqueue(r *request, tag Tag) (queued, fresh bool, err error) {
	for i := range m.shards {
		m.shards[i].mu.Lock()
		defer m.shards[i].mu.Unlock()
	}
	r.entry = m.shard(&tag).entry(tag)
	if got, fresh := r.try(); got {
		return false, fresh, nil
	}
	r.ready = make(chan struct{})
	e := r.entry
	if e.held(r.owner) != 0 {
		e.queue = slices.Insert(e.queue, 0, r) // who waits behind the owner's own lock must not stand before it
	} else {
		e.queue = append(e.queue, r)
	}
	r.owner.startWaiting(r)
	if cycle := findCycle(r); cycle != nil {
		r.owner.stopWaiting(r)
		e.unqueue(r)
		return false, false, deadlock(cycle)
	}
	return true, false, nil
}

func (s *shard) entry(tag Tag) *entry {
	e := s.entries[tag]
	if e == nil {
		e = &entry{tag: tag, shard: s}
		e.holders = e.first[:0]
		s.entries[tag] = e
	}
	return e
}

// held gives the modes in which o holds the lock, whatever the scope.
func (e *entry) held(o *Owner) modeSet {
	if h := e.holder(o); h != nil {
		return h.all()
	}
	return 0
}

func (e *entry) holder(o *Owner) *holder {
	for i := range e.holders {
		if e.holders[i].owner == o {
			return &e.holders[i]
		}
	}
	return nil
}

// try grants the request if it conflicts with no other holder and, unless its owner holds the lock already, with nobody who waits.
// fresh tells that a mode was added, which somebody must give back.
func (r *request) try() (got, fresh bool) {
	e, bad := r.entry, conflicts[r.entry.tag.Class][r.mode]
	mine := e.holder(r.owner)
	if mine != nil {
		held := mine.modes[r.scope]
		if held&r.mode.set() != 0 || r.scope == inTransaction && bad&^against(e.tag.Class, held) == 0 {
			return true, false // what the owner holds excludes all that the mode excludes
		}
	}
	if !e.compatible(r.owner, bad) {
		return false, false
	}
	if mine == nil {
		for _, q := range e.queue {
			if q.owner != r.owner && bad&q.mode.set() != 0 {
				return false, false
			}
		}
	}
	e.add(r)
	return true, true
}

// compatible tells whether no other owner holds one of the modes.
func (e *entry) compatible(o *Owner, bad modeSet) bool {
	for i := range e.holders {
		if e.holders[i].owner != o && e.holders[i].all()&bad != 0 {
			return false
		}
	}
	return true
}

func (e *entry) add(r *request) {
	h := e.holder(r.owner)
	if h == nil {
		e.holders = append(e.holders, holder{owner: r.owner})
		h = &e.holders[len(e.holders)-1]
	}
	h.modes[r.scope] |= r.mode.set()
}

// release takes a mode from o and grants what waits for it.
func (e *entry) release(o *Owner, mode Mode, sc scope) {
	if h := e.holder(o); h != nil {
		if h.modes[sc] &^= mode.set(); h.all() == 0 {
			e.holders = slices.DeleteFunc(e.holders, func(h holder) bool { return h.owner == o })
		}
	}
	e.wake()
}

// wake grants the waiting requests in order; one that must wait on holds back later ones that conflict with it.
func (e *entry) wake() {
	var ahead modeSet // modes of requests that stay
	e.queue = slices.DeleteFunc(e.queue, func(r *request) bool {
		bad := conflicts[e.tag.Class][r.mode]
		if bad&ahead == 0 && e.compatible(r.owner, bad) {
			e.add(r)
			r.granted = true
			close(r.ready)
			return true
		}
		ahead |= r.mode.set()
		return false
	})
	e.drop()
}

func (e *entry) unqueue(r *request) {
	e.queue = slices.DeleteFunc(e.queue, func(q *request) bool { return q == r })
	e.wake()
}

// drop forgets a lock that nobody holds or waits for.
func (e *entry) drop() {
	if len(e.holders) == 0 && len(e.queue) == 0 && e.shard.entries[e.tag] == e {
		delete(e.shard.entries, e.tag)
	}
}

// Info is a lock as pg_locks shows it.
type Info struct {
	Tag     Tag
	Mode    Mode
	PID     int32
	Granted bool
}

// List gives all locks and waits, in no fixed order.
func (m *Manager) List() []Info {
	var out []Info
	for i := range m.shards {
		s := &m.shards[i]
		s.mu.Lock()
		for tag, e := range s.entries {
			for _, h := range e.holders {
				for mode := Mode(1); int(mode) < len(conflicts[tag.Class]); mode++ {
					if h.all()&mode.set() != 0 {
						out = append(out, Info{tag, mode, h.owner.PID, true})
					}
				}
			}
			for _, r := range e.queue {
				out = append(out, Info{tag, r.mode, r.owner.PID, false})
			}
		}
		s.mu.Unlock()
	}
	return out
}
