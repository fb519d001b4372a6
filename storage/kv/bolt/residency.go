package bolt

import "time"

// residency keeps the pages of store.db and run files that the process has mapped below a bound. Nothing is lost with them: they stay in the
// system's cache, from where a read maps them again, sixteen at once, for about a microsecond. Without it one scan of a large
// store makes the process look as large as the store, to the people and programs that watch its memory.
type residency struct {
	forget func() // takes the pages out of the map
	stop   chan struct{}
	done   chan struct{}
}

// Mapped pages above what stays mapped when they are let go, the program and other files, may take what the rest of the process leaves of
// residentBytes, and leastMapped always.
const (
	residentBytes = 208 << 20
	leastMapped   = 32 << 20
	lookOften     = 20 * time.Millisecond
	lookRarely    = 80 * time.Millisecond // when nothing changes; a look takes ten microseconds
)

func watchResidency(forget func()) *residency {
	r := &residency{forget: forget, stop: make(chan struct{}), done: make(chan struct{})}
	if mapped, _ := residentPages(); mapped == 0 { // the system doesn't tell
		close(r.done)
		return r
	}
	go r.run()
	return r
}

// close ends the watch; only then store.db may be closed.
func (r *residency) close() {
	close(r.stop)
	<-r.done
}

func (r *residency) run() {
	defer close(r.done)
	timer := time.NewTimer(lookOften)
	defer timer.Stop()
	var base, last int64
	for wait := lookOften; ; timer.Reset(wait) {
		select {
		case <-r.stop:
			return
		case <-timer.C:
		}
		now, others := residentPages()
		if now > base+max(leastMapped, residentBytes-others) {
			r.forget()
			now, _ = residentPages()
			base = now
		}
		base = min(base, now)
		if wait = min(2*wait, lookRarely); now != last {
			wait = lookOften
		}
		last = now
	}
}

// forgetPages lets go of what is mapped; it comes back as it is read.
func (s *Store) forgetPages() {
	s.mapping.Lock() // no file is closed meanwhile
	defer s.mapping.Unlock()
	s.mu.Lock()
	db := s.db
	s.mu.Unlock()
	forgetMap(db, s.path())
	s.mu.Lock()
	defer s.mu.Unlock()
	for r := range s.runs { // also those that only an old snapshot still reads
		r.file.Forget()
	}
}
