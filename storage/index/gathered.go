package index

import (
	"context"

	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/kv"
)

// What follows is for kinds of indexes that have no order of rows, such as full text and vectors. They speak of rows by ordinal, write a
// small record (a delta, see key.AppendDelta) with each change of a row, and gather the records into compact blocks in the background.
// All of their keys stand under the index's storage id, whichever keyspaces they use.

// View reads an index's keys at one reading point. It is safe for concurrent use; bytes are valid as long as the reading point.
type View interface {
	// LSN is that of the newest commit in view.
	LSN() kv.LSN
	// Get and Scan read what is committed.
	Get(ctx context.Context, key []byte) ([]byte, error)
	Scan(ctx context.Context, r kv.Range) kv.Iter
	// Own visits in key order what the transaction itself has written within r, which lies in one keyspace; a nil value is a delete.
	Own(r kv.Range, visit func(key, value []byte) error) error
}

// Bulk is a Maintainer that is built over existing rows in its own way.
type Bulk interface {
	Maintainer
	// Loader takes the rows of a new index, in key order, and gives its entries to emit, which takes them over. They come in any order,
	// each key once.
	Loader(emit func(key, value []byte) error) Loader
}

// Loader builds an index.
type Loader interface {
	Add(ctx context.Context, row Row, d doc.Doc) error
	Finish(ctx context.Context) error
}

// Gatherer is a Maintainer that gathers deltas in the background.
type Gatherer interface {
	Maintainer
	// Gather turns the deltas in view into blocks. apply commits operations, sorted by key, in one batch that nothing but the index sees;
	// operations of several calls may be seen apart from each other. One Gather of an index runs at a time. Readers of any snapshot find
	// the same before, after and between the commits. again tells that a further call, with a newer view, has more to do.
	Gather(ctx context.Context, v View, apply func(ops []kv.Op) error) (again bool, err error)
}

// Verified is a Maintainer that can be checked against the rows.
type Verified interface {
	Maintainer
	Verify(ctx context.Context, v View) (Verifier, error)
}

// Verifier is given every row, in key order, and then tells the first thing wrong, in words that go on after the index's name, or how
// many entries the index has.
type Verifier interface {
	Row(ctx context.Context, row Row, d doc.Doc) error
	Finish(ctx context.Context) (entries int64, wrong string, err error)
}
