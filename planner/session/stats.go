package session

import "sync/atomic"

// counters count what has happened since the server began.
type counters struct{ commits, rollbacks atomic.Int64 }

// Stats are figures for operators.
type Stats struct {
	Sessions             int
	QueryMemory          int64
	PlanBytes            int64
	PlanHits, PlanMisses int64
	Commits, Rollbacks   int64
}

// Stats gives the server's figures now.
func (srv *Server) Stats() Stats {
	st := Stats{Sessions: srv.Sessions(), QueryMemory: srv.memory.Used(), Commits: srv.counters.commits.Load(), Rollbacks: srv.counters.rollbacks.Load()}
	p := srv.plans
	p.mu.Lock()
	st.PlanBytes, st.PlanHits, st.PlanMisses = p.size, p.hits, p.misses
	p.mu.Unlock()
	return st
}
