// Package colcache keeps columns of relations in memory, cut out of their rows, for scans that read the same paths again and again.
//
// A relation's rows are cut into slots: ranges of row keys of about a thousand rows. A slot holds the columns that scans asked for, as
// they were at one commit, and remembers which commits have written into its range since. A scan at a snapshot takes a slot's columns
// when no commit between the two has touched the range; otherwise it reads the rows, and leaves what it has read in the slot. So a
// cached column is the stored one, never a second truth, and a write costs the next scan one slot.
package colcache

import (
	"slices"
	"sync"

	"github.com/omgdb/omgdb/storage/kv"
)

// Cache holds the columns of all relations of a store within a budget of memory. It is safe for concurrent use.
type Cache struct {
	budget int64

	account sync.Mutex
	used    int64 // of all tables; with Table.size and Table.gone under account

	mu     sync.RWMutex
	tables map[uint64]*Table // by storage id
	noted  kv.LSN            // the newest commit whose writes were noted
	clock  uint64            // of Admit; the table with the smallest time of last use goes first
}

// New makes a cache for so many bytes.
func New(budget int64) *Cache { return &Cache{budget: budget, tables: map[uint64]*Table{}} }

// Used is the memory that columns take now, in bytes.
func (c *Cache) Used() int64 {
	c.account.Lock()
	defer c.account.Unlock()
	return c.used
}

// Budget is the most that columns may take, in bytes.
func (c *Cache) Budget() int64 { return c.budget }

// Admit tells that the statement numbered visit is about to scan the storage, and gives its table from the second such statement on;
// nil before.
func (c *Cache) Admit(storage, visit uint64) *Table {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clock++
	t := c.tables[storage]
	if t == nil {
		t = &Table{cache: c, first: visit, dicts: map[Key]*Dict{}}
		c.tables[storage] = t
	}
	t.used = c.clock
	if t.first == visit {
		return nil
	}
	return t
}

// Peek gives the storage's table, nil when it has none or it has not been cut into slots.
func (c *Cache) Peek(storage uint64) *Table {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if t := c.tables[storage]; t != nil && t.cut() {
		return t
	}
	return nil
}

// watching tells whether any of the storages has a table.
func (c *Cache) watching(storages []uint64) bool {
	return slices.ContainsFunc(storages, func(s uint64) bool { return c.tables[s] != nil })
}

// Committed is called for each commit before anybody can see it, in the order of commits. write calls note for each row written into the
// storages; it is nil when they are too many to list: then what is cached of the storages is dropped.
func (c *Cache) Committed(lsn kv.LSN, storages []uint64, write func(note func(storage uint64, rowKey []byte)) error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.noted = lsn
	if !c.watching(storages) {
		return nil
	}
	if write == nil {
		for _, s := range storages {
			c.drop(s)
		}
		return nil
	}
	err := write(func(storage uint64, rowKey []byte) {
		if t := c.tables[storage]; t != nil {
			t.note(lsn, rowKey)
		}
	})
	if err != nil {
		for _, s := range storages {
			c.drop(s)
		}
	}
	return err
}

// drop forgets a table. Scans that hold it go on with what they have: all that they may see was noted in it.
func (c *Cache) drop(storage uint64) {
	if t := c.tables[storage]; t != nil {
		delete(c.tables, storage)
		c.account.Lock()
		c.used, t.size, t.gone = c.used-t.size, 0, true
		c.account.Unlock()
	}
}

// grow accounts for n bytes of a table.
func (c *Cache) grow(t *Table, n int64) {
	c.account.Lock()
	defer c.account.Unlock()
	if !t.gone {
		t.size += n
		c.used += n
	}
}

// room makes room for n bytes of a table, at the cost of tables that were used longer ago; false when there is none.
func (c *Cache) room(t *Table, n int64) bool {
	if c.Used()+n <= c.budget {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.Used()+n > c.budget {
		var oldest *Table
		var storage uint64
		for s, x := range c.tables {
			if x != t && x.cut() && (oldest == nil || x.used < oldest.used) {
				oldest, storage = x, s
			}
		}
		if oldest == nil {
			return false
		}
		c.drop(storage)
	}
	return true
}
