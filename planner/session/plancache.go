package session

import (
	"container/list"
	"hash/maphash"
	"sync"
	"sync/atomic"

	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/value"
)

// planKey names a plan: the same text means something else with other parameter types, names looked up elsewhere, or other settings.
type planKey struct {
	text     string
	oids     string // declared parameter types, four bytes each
	path     string // schemas searched, the session's temporary one included
	settings string
	user     string // the role, for its rights and row policies
	db       catalog.ID
	simple   bool // of a simple query, which has no parameters
	shape    bool // of texts of this shape
}

// compiled is a statement ready to run: immutable and shared by sessions and portals.
type compiled struct {
	stmt   plan.Statement
	query  *plan.Query // nil for utility statements
	params []*value.Type
	cols   value.Schema // what the client sees, nil for no rows
	deps   *plan.Deps
	act    *action // how a utility statement is carried out
	err    error   // why there is no plan: told when the statement is bound, which is when PostgreSQL plans
	later  error   // why a utility statement means nothing yet: told if that is still so when its portal runs
	size   int64
	shape  *shapePlan // of a plan for all texts of a shape
	waits  bool       // a row may wait, so those before it are shown at once
	// checked is the catalog for which valid said yes last.
	checked atomic.Pointer[catalog.View]
	// rows are the numbers of rows for which a plan over several relations was made, and uses counts its uses since then.
	rows map[catalog.ID]int64
	uses atomic.Int64
	old  atomic.Bool // for all who hold it: relations have other sizes
}

// valid tells whether the plan still fits the catalog: every object and set of names that it was made of is unchanged.
func (c *compiled) valid(v *catalog.View) bool {
	if c.deps == nil || v.Same(c.checked.Load()) {
		return true
	}
	if !c.fits(v) {
		return false
	}
	c.checked.Store(v)
	return true
}

// How a plan over several relations gets old: each sizedEvery uses it is looked whether one of them has by now grownTimes as many rows as
// when it was made, or so many times fewer. Up to fewRows rows any plan will do.
const (
	sizedEvery = 64
	grownTimes = 4
	fewRows    = 1000
)

// sized notes for how many rows a plan is made. One over a single relation has no choice that depends on them: the executor makes it.
func (s *Session) sized(c *compiled) error {
	if c.deps == nil || len(c.deps.Relations) < 2 {
		return nil
	}
	v, err := s.view()
	if err != nil {
		return err
	}
	c.rows = make(map[catalog.ID]int64, len(c.deps.Relations))
	for id := range c.deps.Relations {
		if r := v.RelationByID(id); r != nil && r.Storage != 0 {
			c.rows[id] = s.srv.db.RowEstimate(r)
		}
	}
	return nil
}

// aged tells whether it is time to plan anew because relations have other sizes.
func (s *Session) aged(c *compiled, v *catalog.View) bool {
	if c.rows == nil || c.old.Load() {
		return c.rows != nil
	}
	if c.uses.Add(1)%sizedEvery == 0 && s.resized(c, v) {
		c.old.Store(true)
	}
	return c.old.Load()
}

func (s *Session) resized(c *compiled, v *catalog.View) bool {
	for id, before := range c.rows {
		r := v.RelationByID(id)
		if r == nil {
			return true
		}
		now := s.srv.db.RowEstimate(r)
		if max(now, fewRows) > grownTimes*max(before, fewRows) || max(before, fewRows) > grownTimes*max(now, fewRows) {
			return true
		}
	}
	return false
}

func (c *compiled) fits(v *catalog.View) bool {
	for id, version := range c.deps.Relations {
		if r := v.RelationByID(id); r == nil || r.Version != version {
			return false
		}
	}
	for id, version := range c.deps.Functions {
		if f := v.Function(id); f == nil || f.Version != version {
			return false
		}
	}
	for id, version := range c.deps.Types {
		if t := v.TypeByID(id); t == nil || t.Version != version {
			return false
		}
	}
	for id, version := range c.deps.Schemas {
		if v.NameSet(id) != version {
			return false
		}
	}
	return c.deps.SchemaList == 0 || v.NameSet(v.Database()) == c.deps.SchemaList // 0: no name was looked up in a schema
}

// planCache keeps compiled statements by key, the least recently used going first when it outgrows its bound in bytes. A key gets in when
// it comes for the second time: texts with their constants in them, which never come again, would drive out what is used and give the
// garbage collector much to look through.
type planCache struct {
	limit int64
	seed  maphash.Seed

	mu    sync.Mutex
	size  int64
	items map[planKey]*list.Element
	order *list.List // of *planItem, most recently used in front

	met [1 << 14]uint64 // hashes of keys that have come, each in its place

	hits, misses int64
}

type planItem struct {
	key planKey
	c   *compiled
}

func newPlanCache(limit int64) *planCache {
	return &planCache{limit: limit, seed: maphash.MakeSeed(), items: map[planKey]*list.Element{}, order: list.New()}
}

// get finds the plan of a key, nil when there is none. Whether it is still valid is for the caller to see.
func (p *planCache) get(k planKey) *compiled {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.items[k]
	if e == nil {
		return nil
	}
	p.hits++
	p.order.MoveToFront(e)
	return e.Value.(*planItem).c
}

// missed counts a statement that had to be planned.
func (p *planCache) missed() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.misses++
}

// known tells whether a key has come before, and remembers that it has.
func (p *planCache) known(k planKey) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.meet(k)
}

func (p *planCache) meet(k planKey) (again bool) {
	h := maphash.Comparable(p.seed, k)
	at := &p.met[h%uint64(len(p.met))]
	again = *at == h
	*at = h
	return again
}

// put keeps a plan in place of an older one of its key. A plan that would take a large part of the cache isn't kept, nor one whose key
// has not come before.
func (p *planCache) put(k planKey, c *compiled) {
	if c.size > p.limit/8 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if e := p.items[k]; e != nil {
		it := e.Value.(*planItem)
		p.size += c.size - it.c.size
		it.c = c
		p.order.MoveToFront(e)
	} else if p.meet(k) {
		p.items[k] = p.order.PushFront(&planItem{k, c})
		p.size += c.size
	}
	for p.size > p.limit {
		e := p.order.Back()
		it := e.Value.(*planItem)
		p.order.Remove(e)
		delete(p.items, it.key)
		p.size -= it.c.size
	}
}

// estimate gives the rough memory of a plan: its text several times over, for the tree that it became.
func estimate(text string, q *plan.Query) int64 {
	n := int64(1024 + 24*len(text))
	if q != nil {
		n += int64(128 * (len(q.Out) + len(q.Params)))
	}
	return n
}
