package plan

import (
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/value"
)

// Statement is a bound statement: a *Query, or a utility statement as plain data that the session carries out.
// Tag is the verb of the command tag ("INSERT", "CREATE TABLE").
type Statement interface{ CommandTag() string }

// CommandTag implements Statement.
func (q *Query) CommandTag() string { return q.Tag }

// EmptyStmt is a text without a statement.
type EmptyStmt struct{}

// CommandTag implements Statement.
func (*EmptyStmt) CommandTag() string { return "" }

// ObjName is an object's name with the schema that it was resolved to, or in which it is going to be made.
type ObjName struct{ Schema, Name string }

// TxnModes are the modes of BEGIN and SET TRANSACTION; nil or "" means not given.
type TxnModes struct {
	Isolation  string // "serializable", "repeatable read", "read committed", "read uncommitted"
	ReadOnly   *bool
	Deferrable *bool
}

// Begin is BEGIN or START TRANSACTION.
type Begin struct {
	TxnModes
	Start bool
}

// CommandTag implements Statement.
func (s *Begin) CommandTag() string {
	if s.Start {
		return "START TRANSACTION"
	}
	return "BEGIN"
}

// Commit is COMMIT or END.
type Commit struct{ Chain bool }

// CommandTag implements Statement.
func (*Commit) CommandTag() string { return "COMMIT" }

// Rollback is ROLLBACK or ABORT.
type Rollback struct{ Chain bool }

// CommandTag implements Statement.
func (*Rollback) CommandTag() string { return "ROLLBACK" }

// Savepoint is SAVEPOINT.
type Savepoint struct{ Name string }

// CommandTag implements Statement.
func (*Savepoint) CommandTag() string { return "SAVEPOINT" }

// Release is RELEASE SAVEPOINT.
type Release struct{ Name string }

// CommandTag implements Statement.
func (*Release) CommandTag() string { return "RELEASE" }

// RollbackTo is ROLLBACK TO SAVEPOINT.
type RollbackTo struct{ Name string }

// CommandTag implements Statement.
func (*RollbackTo) CommandTag() string { return "ROLLBACK" }

// SetTransaction is SET TRANSACTION, or SET SESSION CHARACTERISTICS when Session is set.
type SetTransaction struct {
	TxnModes
	Session  bool
	Snapshot string
}

// CommandTag implements Statement.
func (*SetTransaction) CommandTag() string { return "SET" }

// Set is SET name = values; Default for TO DEFAULT. A list (search_path) has several values.
type Set struct {
	Name    string
	Values  []string
	Local   bool
	Default bool
	Pos     int
}

// CommandTag implements Statement.
func (*Set) CommandTag() string { return "SET" }

// Reset is RESET name, or RESET ALL with an empty name.
type Reset struct{ Name string }

// CommandTag implements Statement.
func (*Reset) CommandTag() string { return "RESET" }

// Show is SHOW name; "all" lists everything.
type Show struct{ Name string }

// CommandTag implements Statement.
func (*Show) CommandTag() string { return "SHOW" }

// Discard is DISCARD ALL, PLANS, SEQUENCES or TEMP.
type Discard struct{ What string }

// CommandTag implements Statement.
func (s *Discard) CommandTag() string { return "DISCARD " + s.What }

// Explain is EXPLAIN.
type Explain struct {
	Stmt    Statement // a *Query, *CreateTable … AS, *Declare or *Execute
	Options ExplainOptions
}

// ExplainOptions are the options of EXPLAIN after their defaults were applied.
type ExplainOptions struct {
	Analyze, Verbose, Costs, Settings, GenericPlan, Buffers, WAL, Timing, Summary bool
	Format                                                                        string // text, json, yaml, xml
}

// CommandTag implements Statement.
func (*Explain) CommandTag() string { return "EXPLAIN" }

// Prepare is PREPARE: Stmt is the bound statement and Params its final parameter types.
type Prepare struct {
	Name   string
	Stmt   Statement
	Params []*value.Type
	Text   string // of the whole PREPARE statement, as pg_prepared_statements shows it
	Body   string // of the statement that it prepares
	BodyAt int    // byte offset of Body in the text that was parsed
}

// CommandTag implements Statement.
func (*Prepare) CommandTag() string { return "PREPARE" }

// Execute is EXECUTE; Args are coerced to the prepared statement's parameter types.
type Execute struct {
	Name string
	Args []Expr
}

// CommandTag implements Statement.
func (*Execute) CommandTag() string { return "EXECUTE" }

// Deallocate is DEALLOCATE; an empty name is ALL.
type Deallocate struct{ Name string }

// CommandTag implements Statement.
func (s *Deallocate) CommandTag() string {
	if s.Name == "" {
		return "DEALLOCATE ALL"
	}
	return "DEALLOCATE"
}

// Declare is DECLARE CURSOR.
type Declare struct {
	Name     string
	Query    *Query
	Visible  int          // the query's columns that are shown; the keys of the rows that they come from follow
	Keys     []catalog.ID // the tables of these keys
	Text     string       // of the whole statement, as pg_cursors shows it
	Binary   bool
	Scroll   bool
	NoScroll bool
	Hold     bool
}

// CommandTag implements Statement.
func (*Declare) CommandTag() string { return "DECLARE CURSOR" }

// FetchDir is the direction of FETCH and MOVE.
type FetchDir uint8

// The directions; All is a Forward or Backward with Count FetchAll.
const (
	FetchForward FetchDir = iota
	FetchBackward
	FetchAbsolute
	FetchRelative
)

// FetchAll is the Count of FETCH ALL.
const FetchAll = int64(1<<63 - 1)

// Fetch is FETCH, or MOVE.
type Fetch struct {
	Name  string
	Dir   FetchDir
	Count int64
	Move  bool
}

// CommandTag implements Statement.
func (s *Fetch) CommandTag() string {
	if s.Move {
		return "MOVE"
	}
	return "FETCH"
}

// Close is CLOSE; an empty name is ALL.
type Close struct{ Name string }

// CommandTag implements Statement.
func (s *Close) CommandTag() string {
	if s.Name == "" {
		return "CLOSE CURSOR ALL"
	}
	return "CLOSE CURSOR"
}

// Copy is COPY. COPY TO runs Query (made from the relation when one was named). COPY FROM runs Insert, whose input is a CopySource
// (below a Filter when there is a WHERE) that takes the rows which the session reads; Cols are the columns of a row in the file.
type Copy struct {
	From    bool
	Rel     *catalog.Relation // nil for COPY (query) TO
	Cols    []Col
	Query   *Query
	Insert  *Query
	File    string // "" for STDIN and STDOUT
	Program bool
	Options CopyOptions
}

// CopyOptions are the options of COPY; the defaults of the format are already filled in.
type CopyOptions struct {
	Format           string // text, csv, binary
	Delimiter        string
	Null             string
	Header           bool
	HeaderMatch      bool
	Quote, Escape    string
	ForceQuote       []int // positions in Cols
	ForceQuoteAll    bool
	ForceNotNull     []int
	ForceNull        []int
	Encoding         string
	Freeze           bool
	DefaultMarker    string
	HasDefaultMarker bool
}

// CommandTag implements Statement.
func (*Copy) CommandTag() string { return "COPY" }

// Listen is LISTEN.
type Listen struct{ Channel string }

// CommandTag implements Statement.
func (*Listen) CommandTag() string { return "LISTEN" }

// Unlisten is UNLISTEN; an empty channel is *.
type Unlisten struct{ Channel string }

// CommandTag implements Statement.
func (*Unlisten) CommandTag() string { return "UNLISTEN" }

// Notify is NOTIFY.
type Notify struct{ Channel, Payload string }

// CommandTag implements Statement.
func (*Notify) CommandTag() string { return "NOTIFY" }

// LockTable is LOCK TABLE. Mode counts from 1 (ACCESS SHARE) to 8 (ACCESS EXCLUSIVE), as PostgreSQL numbers the modes.
type LockTable struct {
	Rels   []*catalog.Relation
	Mode   int
	NoWait bool
}

// CommandTag implements Statement.
func (*LockTable) CommandTag() string { return "LOCK TABLE" }

// Checkpoint is CHECKPOINT.
type Checkpoint struct{}

// CommandTag implements Statement.
func (*Checkpoint) CommandTag() string { return "CHECKPOINT" }

// Vacuum is VACUUM or ANALYZE; no relations means all.
type Vacuum struct {
	Rels    []*catalog.Relation
	Analyze bool // ANALYZE, or VACUUM (ANALYZE)
	Vacuum  bool
	Full    bool
	Verbose bool
}

// CommandTag implements Statement.
func (s *Vacuum) CommandTag() string {
	if s.Vacuum {
		return "VACUUM"
	}
	return "ANALYZE"
}

// Reindex is REINDEX of one index or of all indexes of relations; without either, of everything.
type Reindex struct {
	Name         ObjName
	Index        *catalog.Index
	Rel          *catalog.Relation
	Concurrently bool
}

// CommandTag implements Statement.
func (*Reindex) CommandTag() string { return "REINDEX" }

// ConstraintsSet is SET CONSTRAINTS; no names means ALL.
type ConstraintsSet struct {
	Names    []ObjName
	Deferred bool
}

// CommandTag implements Statement.
func (*ConstraintsSet) CommandTag() string { return "SET CONSTRAINTS" }

// NoOp is a statement that is accepted and does nothing here, such as CREATE EXTENSION vector; Notice, when not "", is sent.
type NoOp struct {
	Tag    string
	Notice string
}

// CommandTag implements Statement.
func (s *NoOp) CommandTag() string { return s.Tag }

// Do runs a block of PL/pgSQL.
type Do struct{ Body string }

// CommandTag implements Statement.
func (*Do) CommandTag() string { return "DO" }
