package plan

import (
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/value"
)

// CreateTable is CREATE TABLE, CREATE TABLE AS and SELECT INTO. Rel lacks what storage gives: ID, Storage and, for a new table's own
// constraints, their IDs. The parts are made in the order Sequences, the table, Indexes, Foreign.
type CreateTable struct {
	Name        ObjName
	Rel         catalog.Relation
	IfNotExists bool
	Sequences   []CreateSequence // of serial and identity columns
	Indexes     []CreateIndex    // UNIQUE constraints, and primary keys that are not the row key
	Foreign     []ForeignKey
	As          *Query // CREATE TABLE AS: its columns are those of Rel
	AsArgs      []Expr // values of its parameters, for CREATE TABLE AS EXECUTE
	WithData    bool
	IsMatView   bool
	SelectInto  bool
}

// CommandTag implements Statement.
func (s *CreateTable) CommandTag() string {
	switch {
	case s.IsMatView && !s.WithData:
		return "CREATE MATERIALIZED VIEW"
	case s.As != nil && s.WithData:
		return "SELECT"
	case s.As != nil:
		return "CREATE TABLE AS"
	}
	return "CREATE TABLE"
}

// ForeignKey is a foreign key to be made; RefSelf means the table itself, else Ref is the table it points to.
type ForeignKey struct {
	catalog.ForeignKey
	RefSelf bool
	Ref     *catalog.Relation
}

// CreateIndex is CREATE INDEX, or an index behind a constraint. Index lacks IDs and Storage; Rel is nil when the table is made by the
// same statement.
type CreateIndex struct {
	Rel          *catalog.Relation
	Schema       string
	Index        catalog.Index
	IfNotExists  bool
	Concurrently bool
}

// CommandTag implements Statement.
func (*CreateIndex) CommandTag() string { return "CREATE INDEX" }

// CreateSequence is CREATE SEQUENCE, or the sequence of a serial or identity column (Owner set).
type CreateSequence struct {
	Name        ObjName
	IfNotExists bool
	Temp        bool
	Options     SequenceOptions
	OwnerTable  ObjName
	OwnerColumn string // "" for none
	Identity    bool
}

// SequenceOptions are the options of a sequence after defaults.
type SequenceOptions struct {
	Type                   *value.Type
	Start, Increment       int64
	Min, Max, Cache        int64
	Cycle                  bool
	Restart                bool
	RestartWith            int64
	HasRestartWith         bool
	Given                  map[string]bool // names of the options that were written, for ALTER
	NoOwner                bool
	OwnedTable             ObjName
	OwnedColumn            string
	PersistenceUnspecified bool
}

// CommandTag implements Statement.
func (*CreateSequence) CommandTag() string { return "CREATE SEQUENCE" }

// AlterSequence is ALTER SEQUENCE with options.
type AlterSequence struct {
	Rel     *catalog.Relation
	Options SequenceOptions
}

// CommandTag implements Statement.
func (*AlterSequence) CommandTag() string { return "ALTER SEQUENCE" }

// CreateView is CREATE VIEW; Rel carries the columns and the text of the query.
type CreateView struct {
	Name      ObjName
	Rel       catalog.Relation
	OrReplace bool
	Temp      bool
	Check     byte // 0, 'l' LOCAL, 'c' CASCADED
	Notice    string
}

// CommandTag implements Statement.
func (*CreateView) CommandTag() string { return "CREATE VIEW" }

// RefreshMatView is REFRESH MATERIALIZED VIEW.
type RefreshMatView struct {
	Rel          *catalog.Relation
	Query        *Query
	WithData     bool
	Concurrently bool
}

// CommandTag implements Statement.
func (*RefreshMatView) CommandTag() string { return "REFRESH MATERIALIZED VIEW" }

// CreateSchema is CREATE SCHEMA; Elements are the statements inside it.
type CreateSchema struct {
	Name        string
	Owner       string // "" for the current user
	IfNotExists bool
}

// CommandTag implements Statement.
func (*CreateSchema) CommandTag() string { return "CREATE SCHEMA" }

// DropTarget is one object to drop; Rel or Index is set for relations, Name always. With IF EXISTS the missing ones are not listed
// and Notices say so.
type DropTarget struct {
	Name  ObjName
	Rel   *catalog.Relation
	Index *catalog.Index
	Table *catalog.Relation // the table of an index
	Type  *value.Type
	Func  *catalog.Function
}

// Drop is DROP of relations, indexes, schemas and types. Kind is PostgreSQL's word: TABLE, VIEW, MATERIALIZED VIEW, SEQUENCE,
// INDEX, SCHEMA, TYPE, DOMAIN, FUNCTION …
type Drop struct {
	Kind         string
	Targets      []DropTarget
	Notices      []string
	Cascade      bool
	Concurrently bool
}

// CommandTag implements Statement.
func (s *Drop) CommandTag() string { return "DROP " + s.Kind }

// Truncate is TRUNCATE.
type Truncate struct {
	Rels     []*catalog.Relation
	Restart  bool
	Cascade  bool
	Continue bool
}

// CommandTag implements Statement.
func (*Truncate) CommandTag() string { return "TRUNCATE TABLE" }

// AlterTable is ALTER TABLE (VIEW, INDEX, SEQUENCE …): its actions in order. A missing relation with IF EXISTS leaves Rel nil.
type AlterTable struct {
	Kind    string // TABLE, VIEW, INDEX, MATERIALIZED VIEW, SEQUENCE
	Rel     *catalog.Relation
	Index   *catalog.Index // ALTER INDEX
	Actions []AlterAction
	Notice  string
}

// CommandTag implements Statement.
func (s *AlterTable) CommandTag() string { return "ALTER " + s.Kind }

// AlterAction is one action of ALTER TABLE; Do names it and says which fields count.
type AlterAction struct {
	Do AlterKind
	// Column is the live column that the action changes; NewName its or the relation's new name, or the schema to move to.
	Column   string
	NewName  string
	IfExists bool // DROP COLUMN / CONSTRAINT IF EXISTS, ADD COLUMN IF NOT EXISTS
	Cascade  bool
	// Def is the new column of AddColumn, or the changed one of SetType. Fill computes its value in the rows that exist (over the columns
	// RowCols, nil: NULL).
	Def     catalog.Column
	Fill    Expr
	RowCols []Col
	// Default is the SQL text of SetDefault.
	Default string
	// Check, Unique and Foreign are the constraints of AddConstraint, exactly one of them set; CheckExpr is Check over RowCols.
	Check     *catalog.Check
	CheckExpr Expr
	Unique    *CreateIndex
	Foreign   *ForeignKey
	NotValid  bool
	// Constraint names the one to drop, rename, validate or alter; Deferrable and Deferred are what it is altered to.
	Constraint           string
	Deferrable, Deferred bool
	Sequence             *CreateSequence // of an added serial or identity column
	Options              map[string]string
	Identity             byte
	Logged               bool // of SetLogged
}

// AlterKind names an action of ALTER TABLE.
type AlterKind uint8

// The actions.
const (
	AddColumn AlterKind = iota
	DropColumn
	RenameColumn
	SetType
	SetDefault
	DropDefault
	SetNotNull
	DropNotNull
	AddConstraint
	DropConstraint
	RenameConstraint
	ValidateConstraint
	AlterConstraint
	RenameRelation
	SetSchema
	SetOwner
	AddIdentity
	SetIdentity
	DropIdentity
	DropExpression
	SetOptions
	ResetOptions
	SetLogged
	NoAction // accepted and without effect here (SET STORAGE, CLUSTER …)
)

// RenameObject is ALTER SCHEMA / TYPE … RENAME.
type RenameObject struct {
	Kind    string
	Name    ObjName
	NewName string
}

// CommandTag implements Statement.
func (s *RenameObject) CommandTag() string { return "ALTER " + s.Kind }

// AlterOwner is ALTER … OWNER TO of an object that is no relation.
type AlterOwner struct {
	Kind string
	Name ObjName
	Func *catalog.Function // of a FUNCTION, PROCEDURE or ROUTINE
	Role string
}

// CommandTag implements Statement.
func (s *AlterOwner) CommandTag() string { return "ALTER " + s.Kind }

// CreateType is CREATE TYPE AS ENUM or AS (composite), and CREATE DOMAIN.
type CreateType struct {
	Name ObjName
	Type value.Type // OIDs unset
	// Of a domain:
	Default string
	NotNull bool
	Checks  []catalog.Check
	Mod     int32
	// Multi is the multirange type that comes with a range type.
	Multi *value.Type
}

// CommandTag implements Statement.
func (s *CreateType) CommandTag() string {
	if s.Type.Class == value.Domain {
		return "CREATE DOMAIN"
	}
	return "CREATE TYPE"
}

// AlterEnum is ALTER TYPE … ADD VALUE or RENAME VALUE.
type AlterEnum struct {
	Type        *value.Type
	Label       string
	Old         string // RENAME VALUE
	Neighbour   string
	After       bool
	IfNotExists bool
}

// CommandTag implements Statement.
func (*AlterEnum) CommandTag() string { return "ALTER TYPE" }

// Comment is COMMENT ON; a nil Text removes it.
type Comment struct {
	Kind   string // TABLE, COLUMN, SCHEMA, INDEX, VIEW …
	Name   ObjName
	Rel    *catalog.Relation
	Column string // or the constraint's name
	Text   *string
	Type   *value.Type
	Index  *catalog.Index
	Func   *catalog.Function
}

// CommandTag implements Statement.
func (*Comment) CommandTag() string { return "COMMENT" }

// Grant is GRANT or REVOKE.
type Grant struct {
	Revoke      bool
	Privileges  []string // upper case; empty means ALL
	Columns     map[string][]string
	Kind        string // TABLE, SCHEMA, DATABASE, ROLE …
	Rels        []*catalog.Relation
	Funcs       []*catalog.Function
	Routines    byte // of ALL … IN SCHEMA: f functions, p procedures, 0 both
	Types       []*catalog.Type
	Names       []ObjName // objects of other kinds
	Roles       []string  // grantees; "public"
	WithGrant   bool
	Cascade     bool
	AllInSchema []string
}

// CommandTag implements Statement.
func (s *Grant) CommandTag() string {
	verb := "GRANT"
	if s.Revoke {
		verb = "REVOKE"
	}
	if s.Kind == "ROLE" {
		verb += " ROLE"
	}
	return verb
}

// Role is CREATE, ALTER or DROP ROLE.
type Role struct {
	Verb     string // CREATE, ALTER, DROP
	Names    []string
	Options  map[string]string // login, superuser, password …; "true"/"false" for flags
	InRoles  []string
	Members  []RoleMember
	IfExists bool
}

// RoleMember is a role that a new role has as a member from the start.
type RoleMember struct {
	Name  string
	Admin bool
}

// CommandTag implements Statement.
func (s *Role) CommandTag() string { return s.Verb + " ROLE" }

// Database is CREATE or DROP DATABASE.
type Database struct {
	Verb     string
	Name     string
	IfExists bool
	Force    bool // DROP: end the sessions in it
}

// CommandTag implements Statement.
func (s *Database) CommandTag() string { return s.Verb + " DATABASE" }

// RedefineType is ALTER DOMAIN, and ALTER TYPE of a composite type.
type RedefineType struct {
	Old    *catalog.Type
	Type   catalog.Type // what it becomes
	Tag    string
	Notice string
	// NoNulls and Checks are what values in tables must newly fulfil, if the type is a domain.
	NoNulls bool
	Checks  []catalog.Check
	// From gives each field of a composite type its place in the old one, -1 for a new field; nil: rows stay as they are.
	From []int
	// Unused tells that no column may be of the type.
	Unused bool
}

// CommandTag implements Statement.
func (s *RedefineType) CommandTag() string { return s.Tag }
