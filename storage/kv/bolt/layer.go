package bolt

import (
	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/kv/ordmap"
)

// layer holds what was committed after what lies below it: other layers, and store.db at the bottom. It is a map in memory or
// a run file, and says of each key that it knows the value or, by nil, that it is deleted. A published layer is
// never changed.
type layer struct {
	rows    *ordmap.Map // nil for a run
	run     *run
	lsn     kv.LSN // of its newest batch
	segment uint64 // the first log segment that has a record of it
	bytes   int64  // of log records, or of the run file
}

// state is one published state of the store. It is never changed; each commit and each checkpoint publishes the next one.
type state struct {
	view   *view
	layers []layer // oldest first; the last one is a map that commits go on to fill
	lsn    kv.LSN
	refs   int // guarded by Store.mu: the store's, and one for each snapshot
}

func (st *state) get(key []byte) ([]byte, error) {
	for i := len(st.layers) - 1; i >= 0; i-- {
		l := &st.layers[i]
		if l.run == nil {
			if value, ok := l.rows.Get(key); ok {
				return value, nil
			}
		} else if value, ok, err := l.run.get(key); ok || err != nil {
			return value, err
		}
	}
	return st.view.get(key)
}
