package lock

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Owner is one session, the unit that holds locks and waits for them. Its transaction's locks are released together; advisory
// locks of the session itself stay until they are given back or the session ends.
type Owner struct {
	PID int32 // shown in pg_locks and in messages

	mu      sync.Mutex
	taken   []grant              // locks of the transaction, in order
	session map[sessionLock]*own // advisory locks of the session

	waitMu  sync.Mutex // taken after any shard's mutex
	waiting []*request
}

// grant is a mode of a lock that the transaction added to what its owner held.
type grant struct {
	entry *entry
	mode  Mode
}

type sessionLock struct {
	tag  Tag
	mode Mode
}

// own is a lock of the session and how often it was taken.
type own struct {
	entry *entry
	count int
}

// NewOwner makes an owner that holds nothing.
func NewOwner(pid int32) *Owner { return &Owner{PID: pid} }

func (o *Owner) remember(e *entry, mode Mode) {
	o.mu.Lock()
	o.taken = append(o.taken, grant{e, mode})
	o.mu.Unlock()
}

func (o *Owner) startWaiting(r *request) {
	o.waitMu.Lock()
	o.waiting = append(o.waiting, r)
	o.waitMu.Unlock()
}

func (o *Owner) stopWaiting(r *request) {
	o.waitMu.Lock()
	o.waiting = slices.DeleteFunc(o.waiting, func(q *request) bool { return q == r })
	o.waitMu.Unlock()
}

// Position is how many locks the transaction has taken; ReleaseTo goes back to it.
func (o *Owner) Position() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.taken)
}

// ReleaseTo gives back the locks that the transaction took after the position, newest first; 0 gives back all.
func (o *Owner) ReleaseTo(position int) {
	o.mu.Lock()
	var back []grant
	if position < len(o.taken) {
		back = slices.Clone(o.taken[position:])
		clear(o.taken[position:])
		o.taken = o.taken[:position]
	}
	if position == 0 && cap(o.taken) > 1024 {
		o.taken = nil
	}
	o.mu.Unlock()
	for i := len(back) - 1; i >= 0; i-- {
		o.giveBack(back[i].entry, back[i].mode, inTransaction)
	}
}

func (o *Owner) giveBack(e *entry, mode Mode, sc scope) {
	e.shard.mu.Lock()
	e.release(o, mode, sc)
	e.shard.mu.Unlock()
}

// ReleaseWhere gives back the transaction's locks that match, whenever they were taken.
func (o *Owner) ReleaseWhere(match func(Tag) bool) {
	o.mu.Lock()
	var back []grant
	o.taken = slices.DeleteFunc(o.taken, func(g grant) bool {
		if match(g.entry.tag) {
			back = append(back, g)
			return true
		}
		return false
	})
	o.mu.Unlock()
	for _, g := range back {
		o.giveBack(g.entry, g.mode, inTransaction)
	}
}

// AcquireSession takes the lock for the session itself, as often as it is called; see Acquire for the rest.
func (m *Manager) AcquireSession(ctx context.Context, o *Owner, tag Tag, mode Mode, wait Wait, timeout time.Duration) error {
	e, err := m.acquire(ctx, request{owner: o, mode: mode, scope: inSession}, tag, wait, timeout)
	if err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.session == nil {
		o.session = map[sessionLock]*own{}
	}
	k := sessionLock{tag, mode}
	if e != nil {
		o.session[k] = &own{entry: e}
	}
	o.session[k].count++
	return nil
}

// ReleaseSession gives the session's lock back once; it tells whether the session held it.
func (o *Owner) ReleaseSession(tag Tag, mode Mode) bool {
	o.mu.Lock()
	k := sessionLock{tag, mode}
	l := o.session[k]
	if l == nil {
		o.mu.Unlock()
		return false
	}
	l.count--
	last := l.count == 0
	if last {
		delete(o.session, k)
	}
	o.mu.Unlock()
	if last {
		o.giveBack(l.entry, mode, inSession)
	}
	return true
}

// ReleaseSessionAll gives back every lock of the session itself.
func (o *Owner) ReleaseSessionAll() {
	o.mu.Lock()
	all := o.session
	o.session = nil
	o.mu.Unlock()
	for k, l := range all {
		o.giveBack(l.entry, k.mode, inSession)
	}
}
