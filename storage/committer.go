package storage

import (
	"context"
	"encoding/binary"
	"sync"

	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/oplog"
)

// committer is the one goroutine that commits. While it makes a group durable the next one gathers in its queue, so that the cost of a
// sync is shared by all who wait.
type committer struct {
	db   *DB
	wake chan struct{} // has room for one: something is queued, or the store closes
	gone chan struct{} // closed when the goroutine has ended

	mu     sync.Mutex
	queue  []*commit
	closed bool

	// The rest is the goroutine's own.
	lsn   kv.LSN
	chain oplog.Chain
	group []kv.Batch // room for one
}

// Limits of a group: beyond them the rest waits for the next one, so that nobody waits for a sync of unbounded size.
const (
	groupCommits = 512
	groupBytes   = 32 << 20
)

func newCommitter(db *DB, lsn kv.LSN, chain oplog.Chain) *committer {
	c := &committer{db: db, wake: make(chan struct{}, 1), gone: make(chan struct{}), lsn: lsn, chain: chain}
	go c.run()
	return c
}

// commit queues a finished batch and waits until it is durable and visible, or has failed.
func (db *DB) commit(b *commit) error {
	c := db.committer
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return kv.Closed()
	}
	c.queue = append(c.queue, b)
	c.mu.Unlock()
	c.signal()
	return <-b.done
}

func (c *committer) signal() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// close ends the goroutine after what is queued; later commits are refused.
func (c *committer) close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.signal()
	<-c.gone
}

func (c *committer) run() {
	defer close(c.gone)
	for range c.wake {
		for {
			group, closed := c.next()
			if len(group) > 0 {
				c.commit(group)
				continue
			}
			if closed {
				return
			}
			break
		}
	}
}

// next takes a group off the queue.
func (c *committer) next() (group []*commit, closed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var size int64
	n := 0
	for n < len(c.queue) && n < groupCommits && (n == 0 || size+c.queue[n].size <= groupBytes) {
		size += c.queue[n].size
		n++
	}
	group = c.queue[:n:n]
	c.queue = c.queue[n:]
	if len(c.queue) == 0 {
		c.queue = nil
	}
	return group, c.closed
}

// commit numbers the group, seals its headers, makes it durable and publishes it. A group that fails leaves no trace, here either.
func (c *committer) commit(group []*commit) {
	lsn, chain := c.lsn, c.chain
	before := map[*counter]counts{}
	group = c.number(group, before)
	if len(group) == 0 {
		return
	}
	err := c.apply(group)
	if err == nil {
		err = c.publish(group)
	} else {
		c.lsn, c.chain = lsn, chain
		for k, old := range before {
			k.committed = old
		}
	}
	c.db.serial.settle(err == nil)
	for _, b := range group {
		b.done <- err
	}
}

// apply brings the group's operations into the two engines. Whatever can fail does so in the durable one, which comes first.
func (c *committer) apply(group []*commit) error {
	defer func() { clear(c.group) }()
	c.group = c.group[:0]
	for _, b := range group {
		if b.ops.len() > 0 {
			c.group = append(c.group, b)
		}
	}
	if len(c.group) > 0 {
		if err := c.db.store.Apply(context.Background(), c.group); err != nil {
			return err
		}
	}
	c.group = c.group[:0]
	for _, b := range group {
		if b.temporary.len() > 0 {
			c.group = append(c.group, temporaryPart{b})
		}
	}
	if len(c.group) == 0 {
		return nil
	}
	return c.db.temporary.Apply(context.Background(), c.group)
}

// number refuses what cannot be serialized and gives the others their place: LSN, time, chain, counters, whose values at the beginning
// go into before.
func (c *committer) number(group []*commit, before map[*counter]counts) []*commit {
	now := c.db.clock().UnixMicro()
	c.db.serial.mu.Lock()
	defer c.db.serial.mu.Unlock()
	kept := group[:0]
	for _, b := range group {
		if c.db.serial.refuses(b) {
			b.done <- serializationFailure()
			continue
		}
		if err := c.room(b); err != nil {
			b.done <- err
			continue
		}
		c.lsn++
		b.lsn = c.lsn
		if b.header != nil {
			c.chain = c.chain.Seal(b.header, b.lsn, now, b.logSize)
		}
		if b.nextID != nil {
			binary.BigEndian.PutUint64(b.nextID, c.db.ids.next.Load())
		}
		b.tally(before)
		kept = append(kept, b)
		c.db.serial.underWay = append(c.db.serial.underWay, b)
	}
	return kept
}

// tally brings the counters up to date and writes them into the batch. before keeps what they were at the beginning of the group.
func (b *commit) tally(before map[*counter]counts) {
	for i := range b.tallies {
		t := &b.tallies[i]
		now := &t.counter.committed
		if _, ok := before[t.counter]; !ok {
			before[t.counter] = *now
		}
		now.rows += t.rows
		now.high = max(now.high, t.high)
		now.put(t.value)
	}
}

// publish makes the group visible.
func (c *committer) publish(group []*commit) error {
	snap, err := c.db.snapshot(context.Background())
	if err != nil {
		return err
	}
	cat := c.db.head.Load().cat
	for _, b := range group {
		if err := c.db.noteColumns(b); err != nil {
			c.db.logger().Warn("columns in memory were dropped", "error", err)
		}
		if len(b.changes) > 0 {
			c.db.maintainers.noteDefinitions(b.changes)
			for i, ch := range b.changes {
				if ch.New != nil {
					b.changes[i].New = catalog.Publish(ch.New, b.lsn)
				}
			}
			cat = cat.With(b.changes, c.db.nextVersion, b.lsn)
		}
	}
	c.db.publish(newHead(snap, cat))
	return nil
}
