package storage

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/omgdb/omgdb/storage/catalog"
)

// IndexBuild is an index that is being built, as others see it.
type IndexBuild struct {
	PID      int32 // of the session that builds
	Relation catalog.ID
	Index    catalog.ID
	Again    bool  // the index was there before
	Rows     int64 // of the relation, about
	Done     int64 // rows that were read
	Writing  bool  // all rows were read
}

// builds are the indexes that are being built.
type builds struct {
	mu  sync.Mutex
	all map[*progress]struct{}
}

// progress is how far a build has come. Its builder writes it, anybody reads it.
type progress struct {
	what    IndexBuild
	done    atomic.Int64
	writing atomic.Bool
	of      *builds
}

// progressStep is after how many rows a build tells how far it is.
const progressStep = 64

// building enters a session's build; end takes it off again. again tells that the index was there before.
func (db *DB) building(pid int32, rel *catalog.Relation, index catalog.ID, again bool) *progress {
	p := &progress{of: &db.builds, what: IndexBuild{PID: pid, Relation: rel.ID, Index: index, Rows: db.RowEstimate(rel), Again: again}}
	p.of.mu.Lock()
	defer p.of.mu.Unlock()
	if p.of.all == nil {
		p.of.all = map[*progress]struct{}{}
	}
	p.of.all[p] = struct{}{}
	return p
}

func (p *progress) end() {
	p.of.mu.Lock()
	delete(p.of.all, p)
	p.of.mu.Unlock()
}

// IndexBuilds lists the indexes that are being built, by session.
func (db *DB) IndexBuilds() []IndexBuild {
	db.builds.mu.Lock()
	list := slices.Collect(maps.Keys(db.builds.all))
	db.builds.mu.Unlock()
	out := make([]IndexBuild, len(list))
	for i, p := range list {
		out[i] = p.what
		out[i].Done, out[i].Writing = p.done.Load(), p.writing.Load()
		out[i].Rows = max(out[i].Rows, out[i].Done)
	}
	slices.SortFunc(out, func(a, b IndexBuild) int { return cmp.Or(cmp.Compare(a.PID, b.PID), cmp.Compare(a.Index, b.Index)) })
	return out
}
