package storage

import (
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/filter"
	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/value"
)

// RowKey is the encoded key of a row inside its relation: what follows keyspace and object id. It orders the relation's rows.
type RowKey = []byte

// ColKind says what a column of a scan shows.
type ColKind uint8

// The columns that a scan can show.
const (
	ColField    ColKind = iota // the typed column of a table: Field, Type, Mod
	ColID                      // a collection's _id as text; a table's key as text
	ColDoc                     // the whole document (a table's row by field name) as jsonb
	ColPathJSON                // doc -> Path as jsonb, NULL when it leads nowhere
	ColPathText                // doc -> Path ->> last step as text, NULL when it leads nowhere or to JSON null
	ColRowKey                  // the row key (bytea), as Update, Delete and LockRow want it
	ColOrdinal                 // the row's ordinal (int8)
	ColLSN                     // the commit that last changed the row (int8); MaxInt64 for the transaction's own changes
	ColSketch                  // the sketch (bytea) of the vector in the typed column: Field, Type, or of that which an index has: Index, VectorOf; see Txn.Sketches
	ColRaw                     // the whole document's raw BSON (bytea): what Update and Delete want as the old document
)

// ScanCol asks a scan for one column.
type ScanCol struct {
	Kind  ColKind
	Field string      // of ColField and ColSketch: the stored field's name (catalog.Column.Field)
	Path  doc.Path    // of ColPathJSON and ColPathText
	Type  *value.Type // of ColField and ColSketch: the stored type; the others have the type that their kind says
	Mod   int32
	Name  string // shown in the Schema of the stream
	// Index is the storage of the index of ColSketch, VectorOf gives what it has of a document.
	Index    uint64
	VectorOf func(d doc.Doc) ([]float32, error)
}

// KeyRange is a range of row keys: Start ≤ key < End. An empty Start is the first key, a nil End is beyond the last.
type KeyRange struct{ Start, End []byte }

// IndexBounds chooses an ordered index and the ranges of it to read.
type IndexBounds struct {
	Index *catalog.Index
	// Ranges are ranges of encoded index keys, sorted and disjoint.
	Ranges []KeyRange
	// Only tells that the entries themselves are asked for, of which no columns and no filter want to know more.
	Only bool
	// First is how many rows the first batch should have, because perhaps no more are wanted; 0 leaves that to the scan.
	First int
}

// ScanSpec says what a scan reads and shows. The rows come in key order (of the index when there is one), Keys in the order
// given; a Reverse scan gives the opposite.
type ScanSpec struct {
	Rel  *catalog.Relation
	Cols []ScanCol
	// Filter selects rows; nil means all. It is exact: only rows for which it is true are returned.
	Filter filter.Expr
	// Bounds are ranges of row keys, sorted and disjoint; nil means the whole relation.
	Bounds []KeyRange
	// Keys are exact row keys to get, instead of Bounds; missing ones are left out.
	Keys    [][]byte
	Index   *IndexBounds
	Reverse bool
	// Limit ends the scan after so many rows (counted after Filter); 0 means none.
	Limit int64
	// Lock locks each row returned and shows its newest committed state (FOR UPDATE and friends); rows whose newest state does
	// not satisfy Filter any more are left out.
	Lock RowMode
	Wait WaitPolicy
	// AsOf reads the relation as it stood after that commit, without the transaction's own writes; 0 means now. Rel is then the
	// descriptor that the catalog had at that time (Txn.CatalogAsOf).
	AsOf kv.LSN
	// Part and Parts make the scan one of several that together read the relation; 0, 0 reads it all.
	Part, Parts int
}
