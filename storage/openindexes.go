package storage

import (
	"sync"
	"sync/atomic"

	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/index"
)

// maintainerCache keeps the maintainers of indexes: to open one may mean to compile its expressions, which takes longer than what most
// statements want of it.
type maintainerCache struct {
	definitions atomic.Uint64 // rises with each change of types and functions, which expressions may use

	mu sync.RWMutex
	m  map[openedIndex]index.Maintainer
}

// openedIndex is an index by its descriptors, which never change, and the definitions that its expressions were compiled with.
type openedIndex struct {
	rel         *catalog.Relation
	index       *catalog.Index
	definitions uint64
}

// maxMaintainers bounds what is kept; beyond it everything is forgotten.
const maxMaintainers = 1000

func (c *maintainerCache) get(k openedIndex) index.Maintainer {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.m[k]
}

func (c *maintainerCache) put(k openedIndex, m index.Maintainer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.m == nil || len(c.m) >= maxMaintainers {
		c.m = map[openedIndex]index.Maintainer{}
	}
	c.m[k] = m
}

// noteDefinitions is told what a commit has changed in the catalog.
func (c *maintainerCache) noteDefinitions(changes []catalog.Change) {
	for _, ch := range changes {
		d := ch.New
		if d == nil {
			d = ch.Old
		}
		if k := d.Class(); k == catalog.TypeClass || k == catalog.FunctionClass {
			c.definitions.Add(1)
			return
		}
	}
}
