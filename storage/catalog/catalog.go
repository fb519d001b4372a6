// Package catalog holds the stored descriptors of databases, schemas, collections, columns, indexes and roles.
// Descriptors are immutable once published: a change makes a new one with a higher Version. They are kept as BSON documents in
// the catalog keyspace; their writes are operations of the transaction like rows.
package catalog

import (
	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/value"
)

// ID names a catalog object. It is its OID in pg_catalog: user objects count from 16384 and ids are never reused.
type ID uint32

// Kind tells what a relation is; the letters are pg_class.relkind where PostgreSQL has one.
type Kind byte

// The kinds of relations. A Collection shows as an ordinary table with the columns _id and doc.
const (
	Table      Kind = 'r'
	Collection Kind = 'K'
	View       Kind = 'v'
	MatView    Kind = 'm'
	Sequence   Kind = 'S'
	IndexKind  Kind = 'i'
	CompositeK Kind = 'c'
)

// Relation describes a collection, table, view or sequence.
type Relation struct {
	ID      ID
	Schema  ID
	Name    string
	Kind    Kind
	Owner   ID
	Temp    bool
	Version uint64 // raised by every change of the descriptor; plans are checked against it
	// Storage is the object id in the key space; TRUNCATE and rewrites change it. 0 for views.
	Storage    uint64
	Columns    []Column // in attnum order, dropped ones included
	PrimaryKey []int16  // attnums that form the row key; nil: the hidden key (the ordinal). Collections: by _id.
	Checks     []Check
	Indexes    []ID
	Foreign    []ForeignKey
	ViewSQL    string
	Comment    string
	ACL        []string
	Options    map[string]string
	// IDTypes is the monotone set of BSON types seen in a collection's _id (bit = BSON type byte); see DESIGN, "Collections in SQL".
	IDTypes [4]uint64
	// Published is the LSN of the commit that made this version.
	Published kv.LSN
}

// Column is one column of a table.
type Column struct {
	Num       int16 // attnum, from 1, never reused
	Name      string
	Field     string // name of the field that stores it, fixed at creation
	Type      *value.Type
	Mod       int32
	NotNull   bool
	Default   string // SQL text of the default or generation expression, "" for none
	Identity  byte   // 0, 'a' always, 'd' by default
	Generated bool   // stored generated column, Default is its expression
	Dropped   bool
	Comment   string
}

// Check is a CHECK constraint, kept as SQL text.
type Check struct {
	ID   ID
	Name string
	Expr string
	Cols []int16
}

// ForeignKey references another table's key.
type ForeignKey struct {
	ID                 ID
	Name               string
	Cols, RefCols      []int16
	RefTable           ID
	OnDelete, OnUpdate byte // a no action, r restrict, c cascade, n set null, d set default
	Match              byte
	Deferrable         bool
	Deferred           bool
}

// Index describes an index of a relation.
type Index struct {
	ID         ID
	Name       string
	Relation   ID
	Schema     ID
	Method     string // btree, path, gin, fulltext, vector
	Unique     bool
	Primary    bool
	Constraint bool
	Keys       []IndexKey
	Include    []int16
	Where      string // SQL text of a partial index's predicate
	Options    map[string]string
	Storage    uint64
	Published  kv.LSN
	Valid      bool
	Version    uint64
}

// IndexKey is one key of an index: a column or an expression.
type IndexKey struct {
	Col        int16  // attnum, 0 for an expression
	Expr       string // SQL text
	Path       []string
	Desc       bool
	NullsFirst bool
	OpClass    string
	Type       *value.Type
}

// Schema is a namespace of relations.
type Schema struct {
	ID      ID
	Name    string
	Owner   ID
	Version uint64 // name-set version: raised by CREATE, DROP, RENAME in it
}

// Col finds a live column by name, nil when there is none.
func (r *Relation) Col(name string) *Column {
	for i := range r.Columns {
		if c := &r.Columns[i]; c.Name == name && !c.Dropped {
			return c
		}
	}
	return nil
}

// Attr finds a column by number, nil when there is none.
func (r *Relation) Attr(num int16) *Column {
	for i := range r.Columns {
		if r.Columns[i].Num == num {
			return &r.Columns[i]
		}
	}
	return nil
}
