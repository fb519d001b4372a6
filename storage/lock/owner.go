package lock

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Owner is one session, the unit that holds locks and waits for them. Its transaction's locks are released together; advisory
// locks of the session itself stay until they are given back or the session ends.
type Owner struct {
	PID int32 // shown in pg_locks and in messages

	mu      sync.Mutex
	taken   []grant              // locks of the transaction, in order
	next    int                  // number of the next grant; the first has 1
	session map[sessionLock]*own // advisory locks of the session

	ended atomic.Pointer[chan struct{}] // closed when the transaction's locks have all been given back; nil while nobody waits for that

	waitMu  sync.Mutex // taken after any shard's mutex
	waiting []*request
}

// grant is a mode of a lock that the transaction added to what its owner held.
type grant struct {
	entry *entry
	mode  Mode
	num   int // in the order of taking; 0 for one that only the transaction's end gives back
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
	o.next++
	o.taken = append(o.taken, grant{e, mode, o.next})
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

// Position is a point in the transaction's taking of locks; ReleaseTo goes back to it.
func (o *Owner) Position() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.next + 1
}

// ReleaseTo gives back the locks that the transaction took after the position, newest first; 0 gives back all.
func (o *Owner) ReleaseTo(position int) {
	o.mu.Lock()
	n := len(o.taken)
	for n > 0 && o.taken[n-1].num >= position {
		n--
	}
	back := slices.Clone(o.taken[n:])
	clear(o.taken[n:])
	o.taken = o.taken[:n]
	if position == 0 && cap(o.taken) > 1024 {
		o.taken = nil
	}
	o.mu.Unlock()
	for i := len(back) - 1; i >= 0; i-- {
		o.giveBack(back[i].entry, back[i].mode, inTransaction)
	}
	if position == 0 {
		if ended := o.ended.Swap(nil); ended != nil {
			close(*ended)
		}
	}
}

// end gives a channel that is closed when the transaction's locks have all been given back.
func (o *Owner) end() <-chan struct{} {
	for {
		if c := o.ended.Load(); c != nil {
			return *c
		}
		c := make(chan struct{})
		if o.ended.CompareAndSwap(nil, &c) {
			return c
		}
	}
}

func (o *Owner) giveBack(e *entry, mode Mode, sc scope) {
	e.shard.mu.Lock()
	e.release(o, mode, sc)
	e.shard.mu.Unlock()
}

// Replace gives back the transaction's locks that match, whenever they were taken, and keeps the lock whose tag is kept, which stands
// for them, to the transaction's end.
func (o *Owner) Replace(match func(Tag) bool, kept Tag) {
	o.mu.Lock()
	var back, first []grant
	o.taken = slices.DeleteFunc(o.taken, func(g grant) bool {
		switch {
		case match(g.entry.tag):
			back = append(back, g)
		case g.entry.tag == kept && g.num != 0:
			g.num = 0
			first = append(first, g)
		default:
			return false
		}
		return true
	})
	o.taken = append(first, o.taken...)
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
