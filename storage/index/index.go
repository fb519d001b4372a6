// Package index is the contract between the store and its indexes.
//
// An index keeps its entries in the store's key space, under its own object id, and never anywhere else: what it holds in memory is a
// cache of that. It is maintained in the transaction that changes the row, through a Writer, so that its entries become durable and
// visible with the row, are undone with it, and cost nothing when the store is opened. The packages below hold the kinds of indexes.
package index

import (
	"context"

	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/value"
)

// Row is the row whose entries change.
type Row struct {
	Key     []byte // its row key
	Ordinal uint64
	LSN     kv.LSN // of its newest commit; key.Unstamped for a row that the transaction itself wrote
}

// Writer is what a Maintainer may do: read and write keys under the index's own object id, as part of the transaction. Reads see
// the newest state: what is committed and what the transaction wrote before the present row; writes about a row take effect together
// when all indexes of the relation have agreed.
type Writer interface {
	Get(ctx context.Context, key []byte) ([]byte, error)
	Scan(ctx context.Context, r kv.Range) kv.Iter
	// Put and Delete take key and value over. stamp is the offset in the value where the commit's LSN is written, kv.NoStamp for none.
	Put(key, value []byte, stamp int)
	Delete(key []byte)
	// Claim locks a key of a unique index until the transaction ends, so that nobody else can make or remove entries with it.
	Claim(ctx context.Context, key []byte) error
	// Share notes that several rows have a key of a deferrable unique index: that must be over when the constraint is checked.
	Share(x *catalog.Index, key []byte)
}

// Maintainer keeps one index in step with its relation. It is safe for concurrent use by several transactions.
type Maintainer interface {
	Insert(ctx context.Context, w Writer, row Row, d doc.Doc) error
	Remove(ctx context.Context, w Writer, row Row, d doc.Doc) error
}

// Updater is a Maintainer that can tell cheaply that an update changes nothing for it, or changes it in place.
type Updater interface {
	Maintainer
	Update(ctx context.Context, w Writer, before, after Row, old, new doc.Doc) error
}

// Kind makes the maintainers of one method (catalog.Index.Method).
type Kind interface {
	Open(rel *catalog.Relation, x *catalog.Index) (Maintainer, error)
}

// Builder is a Maintainer whose entries of a row can be told without looking at others: so an index over existing rows is built, and
// verified.
type Builder interface {
	Maintainer
	// Entries calls emit with the key and value of each entry of the row; both belong to the callee. Two rows may give the same key only
	// where the index forbids them both (23505).
	Entries(ctx context.Context, row Row, d doc.Doc, emit func(key, value []byte) error) error
}

// Reader is a Maintainer whose entries lead to rows in key order.
type Reader interface {
	// RowKey gives the row key in an entry's key.
	RowKey(key, value []byte) ([]byte, error)
}

// Sharing is a Maintainer of a unique index whose keys several rows may have until the constraint is checked.
type Sharing interface {
	// CheckShared is a Duplicate when several rows have the key. load gives a row's newest state.
	CheckShared(ctx context.Context, w Writer, key []byte, load func(rowKey []byte) (doc.Doc, error)) error
	// CheckAll is a Duplicate when any key is shared.
	CheckAll(ctx context.Context, w Writer, load func(rowKey []byte) (doc.Doc, error)) error
}

// Duplicate is the error of a unique index when another row has the key.
type Duplicate struct {
	Index           *catalog.Index
	Row             []byte // row key of the other row; nil when an index is built
	Columns, Values string // for the detail
}

func (d *Duplicate) Error() string { return "duplicate key value" }

// Expressions compiles the expressions and predicates of indexes: the store knows documents, not SQL.
type Expressions interface {
	Compile(rel *catalog.Relation, x *catalog.Index) (Evaluator, error)
}

// Evaluator computes what an index needs from a row. It is safe for concurrent use.
type Evaluator interface {
	// Keys appends the values of all keys of the index, columns included, each of its key's type.
	Keys(ctx context.Context, d doc.Doc, dst []value.Value) ([]value.Value, error)
	// Holds tells whether the index's predicate is true for the row.
	Holds(ctx context.Context, d doc.Doc) (bool, error)
}
