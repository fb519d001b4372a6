// Package catalog holds the stored descriptors of databases, schemas, collections, columns, indexes, types and roles.
//
// A descriptor is immutable once published: a change makes a new one with a higher Version. Descriptors are kept as BSON
// documents in the catalog keyspace, and their writes are operations of the transaction like rows (see codec.go).
//
// Readers see the catalog through a View: the newest Committed catalog, which is an immutable value that each commit with
// catalog writes replaces, plus the transaction's own changes. Committed is a cache of the stored descriptors: it is read from
// them when the store opens and never holds anything that they don't.
package catalog

import (
	"maps"

	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/value"
)

// ID names a catalog object. It is its OID in pg_catalog: user objects count from FirstUserID and ids are never reused.
type ID uint32

// Well-known ids. User objects count from FirstUserID on; built-in ones have PostgreSQL's OIDs.
const (
	FirstUserID     ID = 16384
	MainDatabase    ID = 5    // "omgdb", made with the store
	PublicSchema    ID = 2200 // "public" of the main database
	SuperRole       ID = 10   // "postgres"
	PgCatalogSchema ID = 11   // not stored
)

// Class says what a descriptor describes.
type Class uint8

// The classes of descriptors. The numbers are stored.
const (
	DatabaseClass Class = 1
	SchemaClass   Class = 2
	RelationClass Class = 3
	IndexClass    Class = 4
	TypeClass     Class = 5
	RoleClass     Class = 6
	FunctionClass Class = 7
)

// Descriptor is what the catalog stores: *Database, *Schema, *Relation, *Index, *Type or *Role.
type Descriptor interface {
	Class() Class
	OID() ID
	// Home is the object whose name space the name belongs to: a schema's database, a relation's schema; 0 for the store's own.
	Home() ID
	Label() string
}

// Kind tells what a relation is; the letters are pg_class.relkind where PostgreSQL has one.
type Kind byte

// The kinds of relations. A Collection shows as an ordinary table with the columns _id and doc.
const (
	Table         Kind = 'r'
	Collection    Kind = 'K'
	ViewKind      Kind = 'v'
	MatViewKind   Kind = 'm'
	Sequence      Kind = 'S'
	IndexKind     Kind = 'i'
	CompositeKind Kind = 'c'
)

// Stored tells whether relations of the kind have rows in the store.
func (k Kind) Stored() bool {
	return k == Table || k == Collection || k == MatViewKind || k == Sequence
}

// CommitAction is ON COMMIT of a temporary table (manual, CREATE TABLE).
type CommitAction byte

// The actions.
const (
	PreserveRows CommitAction = iota
	DeleteRows
	DropTable
)

// Relation describes a collection, table, view or sequence.
type Relation struct {
	ID     ID
	Schema ID
	Name   string
	Kind   Kind
	Owner  ID
	Temp   bool
	// Unlogged is kept for whoever asks: the store writes the log of all tables, so that none is emptied after a crash.
	Unlogged bool
	// OnCommit is what becomes of a temporary table at the end of a transaction.
	OnCommit CommitAction
	Version  uint64 // unique to this content of the descriptor while the store is open; plans are checked against it
	// Shape is the Version at which anything but IDTypes last changed: writers don't mind a wider set of _id types.
	Shape uint64
	// Storage is the object id in the key space; TRUNCATE and rewrites change it. 0 for views.
	Storage    uint64
	Columns    []Column // in attnum order, dropped ones included
	PrimaryKey []int16  // attnums that form the row key; nil: the hidden key (the ordinal). Collections: by _id.
	// PrimaryName is the name of the primary key's constraint, which shows as an index; PrimaryID its OID.
	PrimaryName string
	PrimaryID   ID
	Checks      []Check
	Indexes     []ID
	Foreign     []ForeignKey
	// ConstraintComments are the comments on its constraints, by name.
	ConstraintComments map[string]string
	// Referrers are the relations with a foreign key to this one, itself perhaps among them.
	Referrers []ID
	ViewSQL   string
	// Uses are the relations that a view's query names, without those that it reads through other views.
	Uses    []ID
	Comment string
	ACL     []string
	Options map[string]string
	// IDTypes is the monotone set of BSON types seen in a collection's _id (bit = BSON type byte); see DESIGN, "Collections in SQL".
	IDTypes [4]uint64
	// Sequence parameters, for sequences.
	Seq *SequenceParams
	// Published is the LSN of the commit that made this version; 0 in a transaction's own change.
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
	Collation string
	ACL       []string // rights on the column alone; see ACLOf
}

// SequenceParams are the options of a sequence; its position is a row of its relation.
type SequenceParams struct {
	Type                  *value.Type
	Start, Increment, Min int64
	Max, Cache            int64
	Cycle                 bool
	OwnerTable            ID // OWNED BY
	OwnerColumn           int16
}

// Check is a CHECK constraint, kept as SQL text.
type Check struct {
	ID   ID
	Name string
	Expr string
	Cols []int16
	// NotValid: rows from before the constraint have not been checked.
	NotValid bool
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
	NotValid           bool    // rows from before the constraint have not been checked
	DeleteSet          []int16 // the columns that ON DELETE SET NULL or SET DEFAULT sets; nil: all of Cols
}

// Index describes an index of a relation.
type Index struct {
	ID         ID
	Name       string
	Relation   ID
	Schema     ID
	Method     string // btree, path, gin, fulltext, vector, ordinal
	Unique     bool
	Primary    bool
	Constraint bool
	Keys       []IndexKey
	Include    []int16
	Where      string // SQL text of a partial index's predicate
	Options    map[string]string
	Storage    uint64
	Published  kv.LSN // an index is read only by snapshots from here on
	Valid      bool
	Version    uint64
	Comment    string
	// NullsNotDistinct is UNIQUE NULLS NOT DISTINCT.
	NullsNotDistinct bool
	// Format is the version of what the index's entries are, IndexFormat for one made now.
	Format     int32
	Deferrable bool
	Deferred   bool
}

// IndexFormat is the newest Format: 0 is from when gin indexes had entries for tsvectors alone.
const IndexFormat = 1

// methodOption is the option that keeps the name of the access method under which an index was made, where that is not its own.
const methodOption = "method"

// AccessMethod is the name that the index's method has in SQL: the one it was made with.
func (x *Index) AccessMethod() string {
	switch m := x.Options[methodOption]; {
	case m != "":
		return m
	case x.Method == "":
		return "btree"
	}
	return x.Method
}

// Given are the options that the index was made WITH.
func (x *Index) Given() map[string]string {
	out := maps.Clone(x.Options)
	delete(out, methodOption)
	return out
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
	Mod        int32 // the type's modifier where the index needs it (dimensions of a vector), 0 for none
}

// Database is a name space of schemas.
type Database struct {
	ID    ID
	Name  string
	Owner ID
	ACL   []string
	// Settings are those that sessions in the database begin with.
	Settings map[string]string
	// Comment is COMMENT ON DATABASE.
	Comment string
	// Published is the LSN of the commit that made this version.
	Published kv.LSN
}

// Schema is a name space of relations and types in a database.
type Schema struct {
	ID        ID
	Database  ID
	Name      string
	Owner     ID
	ACL       []string
	Comment   string
	Published kv.LSN
}

// Type is a user-made type (enum, domain, composite, range).
type Type struct {
	ID     ID
	Schema ID
	Name   string
	Owner  ID
	// Def is the type as values know it: its OID is ID, its Namespace Schema.
	Def *value.Type
	// Domain constraints.
	NotNull   bool
	Default   string
	Checks    []Check
	UnderMod  int32
	Partner   ID // of a range type its multirange type, and the other way round
	Comment   string
	ACL       []string
	Version   uint64
	Published kv.LSN
}

// Role is a user or group.
type Role struct {
	ID                                                     ID
	Name                                                   string
	Super, Login, Inherit, CreateRole, CreateDB, BypassRLS bool
	ConnLimit                                              int32 // -1: none
	// Verifier is the SCRAM-SHA-256 verifier, "" when the role has no password.
	Verifier string
	Valid    int64 // µs since 2000 UTC until which the password holds, 0: forever
	MemberOf []Membership
	// Settings are those that the role's sessions begin with; Within, those in one database, which come before them.
	Settings map[string]string
	Within   []DatabaseSettings
	Comment  string
	// Defaults are the rights on objects that the role will make (ALTER DEFAULT PRIVILEGES).
	Defaults  []DefaultRights
	Published kv.LSN
}

// DatabaseSettings are a role's settings in one database.
type DatabaseSettings struct {
	Database ID
	Settings map[string]string
}

// DefaultRights are the rights on a kind of objects that a role makes, in one schema or (0) in any.
type DefaultRights struct {
	Schema ID
	Kind   Guarded
	ACL    []string
}

// Same tells whether both are about one kind of objects in one schema.
func (d DefaultRights) Same(o DefaultRights) bool { return d.Schema == o.Schema && d.Kind == o.Kind }

// Membership makes a role a member of another.
type Membership struct {
	Role  ID
	Admin bool
}

// Class implements Descriptor.
func (*Database) Class() Class { return DatabaseClass }
func (*Schema) Class() Class   { return SchemaClass }
func (*Relation) Class() Class { return RelationClass }
func (*Index) Class() Class    { return IndexClass }
func (*Type) Class() Class     { return TypeClass }
func (*Role) Class() Class     { return RoleClass }

// OID implements Descriptor.
func (d *Database) OID() ID { return d.ID }
func (s *Schema) OID() ID   { return s.ID }
func (r *Relation) OID() ID { return r.ID }
func (x *Index) OID() ID    { return x.ID }
func (t *Type) OID() ID     { return t.ID }
func (r *Role) OID() ID     { return r.ID }

// Home implements Descriptor.
func (*Database) Home() ID   { return 0 }
func (s *Schema) Home() ID   { return s.Database }
func (r *Relation) Home() ID { return r.Schema }
func (x *Index) Home() ID    { return x.Schema }
func (t *Type) Home() ID     { return t.Schema }
func (*Role) Home() ID       { return 0 }

// Label implements Descriptor.
func (d *Database) Label() string { return d.Name }
func (s *Schema) Label() string   { return s.Name }
func (r *Relation) Label() string { return r.Name }
func (x *Index) Label() string    { return x.Name }
func (t *Type) Label() string     { return t.Name }
func (r *Role) Label() string     { return r.Name }

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

// HasIDType tells whether the BSON type t may occur among the collection's _ids.
func (r *Relation) HasIDType(t byte) bool { return r.IDTypes[t>>6]&(1<<(t&63)) != 0 }

// OnlyIDType tells whether every _id of the collection has the BSON type t: only then does key order serve ranges and ORDER BY.
func (r *Relation) OnlyIDType(t byte) bool {
	var only [4]uint64
	only[t>>6] = 1 << (t & 63)
	return r.IDTypes == only
}
