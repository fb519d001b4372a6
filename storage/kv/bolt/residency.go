package bolt

import (
	"sync/atomic"
	"time"
)

// residency keeps the pages of store.db and run files that the process has mapped below a bound. Nothing is lost with them: they stay in the
// system's cache, from where a read maps them again, sixteen at once, for about a microsecond. Without it one scan of a large
// store makes the process look as large as the store, to the people and programs that watch its memory.
type residency struct {
	forget func() // takes the pages out of the map
	asleep atomic.Bool
	wake   chan struct{}
	stop   chan struct{}
	done   chan struct{}

	base int64 // what stays mapped when the pages are let go: the program and other files
}

const (
	residentBytes = 32 << 20              // of mapped pages above base
	lookEvery     = 20 * time.Millisecond // while pages come: at 2 GB/s they are let go at twice the bound
	looksIdle     = 10                    // without a change, before it sleeps until the next snapshot
)

func watchResidency(forget func()) *residency {
	r := &residency{forget: forget, wake: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{})}
	if mappedBytes() == 0 { // the system doesn't tell
		close(r.done)
		return r
	}
	go r.run()
	return r
}

// touch tells that pages may be read from now on.
func (r *residency) touch() {
	if r.asleep.Load() && r.asleep.CompareAndSwap(true, false) {
		r.wake <- struct{}{}
	}
}

// close ends the watch; only then store.db may be closed.
func (r *residency) close() {
	close(r.stop)
	<-r.done
}

func (r *residency) run() {
	defer close(r.done)
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	var last int64
	for idle := 0; ; {
		select {
		case <-r.stop:
			return
		case <-tick.C:
		}
		now := mappedBytes()
		if now == last {
			idle++
		} else {
			idle = 0
		}
		if last = now; now > r.base+residentBytes {
			r.forget()
			r.base = mappedBytes()
			last = r.base
		}
		if idle < looksIdle {
			continue
		}
		idle = 0
		r.asleep.Store(true)
		select {
		case <-r.stop:
			return
		case <-r.wake:
		}
	}
}

// forgetPages lets go of what is mapped; it comes back as it is read.
func (s *Store) forgetPages() {
	forgetMap(s.db)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now == nil {
		return
	}
	for _, l := range s.now.layers { // their files are open as long as the state has them
		if l.run != nil {
			l.run.file.Forget()
		}
	}
}
