package functions

import (
	"sync/atomic"

	"github.com/omgdb/omgdb/storage/dberr"
)

// Account counts the memory of one query against its limit and, through Parent, the server's.
type Account struct {
	Limit  int64 // bytes, 0 means none
	Parent *Account
	used   atomic.Int64
}

// Grow takes n bytes (negative: gives back); over the limit it takes nothing and answers 53200.
func (a *Account) Grow(n int64) error {
	if a == nil {
		return nil
	}
	if err := a.Parent.Grow(n); err != nil {
		return err
	}
	if u := a.used.Add(n); n > 0 && a.Limit > 0 && u > a.Limit {
		a.used.Add(-n)
		_ = a.Parent.Grow(-n)
		return dberr.New(dberr.OutOfMemory, "out of memory").
			WithDetail("The query needs more than its limit of %d MB.", a.Limit>>20).
			WithHint("Raise omgdb.query_memory or make the query smaller.")
	}
	return nil
}

// Used is the number of bytes taken now.
func (a *Account) Used() int64 {
	if a == nil {
		return 0
	}
	return a.used.Load()
}
