package lock

import (
	"fmt"
	"strings"

	"github.com/omgdb/omgdb/storage/dberr"
)

// findCycle looks for a circle of waits that goes through r, with all shards held. It gives the requests of the circle, r first.
func findCycle(r *request) []*request {
	seen := map[*request]bool{}
	var path []*request
	var visit func(q *request) bool
	visit = func(q *request) bool {
		if seen[q] {
			return false
		}
		seen[q] = true
		path = append(path, q)
		for _, b := range q.blockers() {
			if b == r.owner {
				return true
			}
			b.waitMu.Lock()
			next := append([]*request(nil), b.waiting...)
			b.waitMu.Unlock()
			for _, n := range next {
				if !n.granted && visit(n) {
					return true
				}
			}
		}
		path = path[:len(path)-1]
		return false
	}
	if visit(r) {
		return path
	}
	return nil
}

// blockers lists the owners for whom r waits: holders in a conflicting mode, and those who wait before it for one.
func (r *request) blockers() []*Owner {
	bad := conflicts[r.entry.tag.Class][r.mode]
	var out []*Owner
	for _, h := range r.entry.holders {
		if h.owner != r.owner && h.all()&bad != 0 {
			out = append(out, h.owner)
		}
	}
	for _, q := range r.entry.queue {
		if q == r {
			break
		}
		if q.owner != r.owner && q.mode.set()&bad != 0 {
			out = append(out, q.owner)
		}
	}
	return out
}

func deadlock(cycle []*request) error {
	var detail strings.Builder
	for i, r := range cycle {
		next := cycle[(i+1)%len(cycle)]
		if i > 0 {
			detail.WriteByte('\n')
		}
		fmt.Fprintf(&detail, "Process %d waits for %s on %s; blocked by process %d.",
			r.owner.PID, ModeName(r.entry.tag.Class, r.mode), r.entry.tag.describe(), next.owner.PID)
	}
	return dberr.New(dberr.DeadlockDetected, "deadlock detected").WithDetail("%s", detail.String()).
		WithHint("Run the transaction again; take locks in the same order everywhere to avoid this.")
}
