// Package kv is the ordered key-value contract under the store. Two engines implement it:
// kv/bolt (durable: a log before a bbolt file) and kv/mem (tests, temporary objects); kv/kvtest holds the suite that
// both must pass, and a mirror engine that runs two of them side by side and compares.
//
// Keys are bytewise ordered. A key's first PrefixLen bytes are its keyspace (1) and object id (8), see storage/key;
// an engine may use them to place data but must keep the one global order.
package kv

import "context"

// Limits that every engine enforces in Apply. Range bounds are free of them.
const (
	PrefixLen   = 9        // the least length of a key: keyspace and object id
	MaxKeyLen   = 32 << 10 // longer keys are 54000
	MaxValueLen = 1 << 30  // longer values are 54000
)

// LSN numbers commits; it rises strictly, with gaps allowed. 0 is the empty store.
type LSN uint64

// Store is safe for concurrent use. Close returns although snapshots are open: from then on every use of the store or
// of a snapshot is an error (57P01), not a crash, bytes already handed out stay valid until their snapshot's Close, and
// what the engine holds for them (its file lock too) is let go with the last one. A second Close does nothing.
type Store interface {
	// Snapshot opens a consistent view of everything that Apply has acknowledged.
	Snapshot(ctx context.Context) (Snapshot, error)
	// Apply makes one durable group of the batches, atomically and in order: when it returns nil all of them
	// are durable and visible to later snapshots; on an error none is. LSNs rise strictly from batch to batch
	// and from group to group. One Apply runs at a time (the committer's); a further one waits. Once begun it ignores
	// cancel. A failed sync (58030) leaves open whether the group is found at the next Open; the store takes no more.
	Apply(ctx context.Context, group []Batch) error
	Close() error
}

// Compacter is a Store whose file can be written anew without the room that deleted keys left, while it is in use.
type Compacter interface {
	// Compact gives the file's size in bytes before and after. A cancelled context ends it with the context's cause; the file stays.
	Compact(ctx context.Context) (before, after int64, err error)
}

// Snapshot is an immutable view; it may be used by several goroutines. Bytes that it returns are valid until Close
// and must not be changed.
type Snapshot interface {
	// Get returns nil, nil for a missing key. A present empty value is a non-nil empty slice.
	Get(ctx context.Context, key []byte) ([]byte, error)
	// Scan returns a new iterator (one goroutine each) that must be closed before the snapshot.
	Scan(ctx context.Context, r Range) Iter
	// LSN is that of the newest batch in view.
	LSN() LSN
	Close() // a second Close does nothing
}

// Range is [Start, End) in key order; an empty Start means from the first key, a nil End to the last. Reverse walks it
// from the end.
type Range struct {
	Start, End []byte
	Reverse    bool
}

// Iter walks a range: call Next before the first key. Key and Value are valid until the next Next or Close for the Key,
// and until the snapshot's Close for the Value. After Next returned false, Err tells whether the end or a failure was met
// and further calls of Next return false. A cancelled context ends it with the context's cause.
type Iter interface {
	Next() bool
	Key() []byte
	Value() []byte
	Err() error
	Close()
}

// Batch is one commit: a source of operations sorted by key, each key at most once.
type Batch interface {
	LSN() LSN
	// Size is the sum of key and value lengths in bytes (an estimate is fine): engines use it to choose a way to write.
	Size() int64
	// Ops starts a new pass over the operations; engines may make several passes.
	Ops() OpIter
}

// OpIter yields operations in key order; false at the end. The Op's bytes are valid until the batch is dropped.
type OpIter interface {
	Next() (Op, bool, error)
}

// Op is a put, or a delete when Delete is set. Stamps are offsets into Key and Value at which the engine writes the batch's
// LSN, big-endian, 8 bytes; NoStamp means none. Until then these bytes are 0xFF: who builds the batch sees to it that keys
// are in the same order before and after (no other key of the batch begins like a stamped one up to its stamp and goes on
// between the LSN and 0xFF…).
type Op struct {
	Key, Value           []byte
	Delete               bool
	KeyStamp, ValueStamp int
}

// NoStamp is the stamp offset that means none.
const NoStamp = -1

// MemBatch is the Batch held in memory.
type MemBatch struct {
	Num LSN
	Op  []Op // sorted by key
}

// LSN implements Batch.
func (b *MemBatch) LSN() LSN { return b.Num }

// Size implements Batch.
func (b *MemBatch) Size() int64 {
	var n int64
	for i := range b.Op {
		n += int64(len(b.Op[i].Key) + len(b.Op[i].Value))
	}
	return n
}

// Ops implements Batch.
func (b *MemBatch) Ops() OpIter { return &memIter{ops: b.Op} }

type memIter struct{ ops []Op }

func (it *memIter) Next() (Op, bool, error) {
	if len(it.ops) == 0 {
		return Op{}, false, nil
	}
	op := it.ops[0]
	it.ops = it.ops[1:]
	return op, true, nil
}
