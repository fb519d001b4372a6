package functions

import (
	"context"
	"net/netip"
	"time"

	"github.com/omgdb/omgdb/functions/embed"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/index/fulltext"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// Env is what a running statement lends to functions. It lives as long as the statement.
type Env struct {
	DB        *storage.DB
	Actor     storage.Actor // who writes
	Txn       *storage.Txn
	Format    *typeio.Format // how values are written and read: DateStyle, TimeZone …
	Settings  Settings
	Embedders *embed.Set
	Words     *fulltext.Words // of texts that were searched without an index; nil keeps nothing
	// StatementTime and TxnTime are now() of the statement and of the transaction; Clock is the running clock.
	StatementTime time.Time
	TxnTime       time.Time
	Clock         func() time.Time
	Memory        *Account
	Session       SessionInfo
	// Types finds user-made types by OID or name; built-in ones are in package value.
	Lookup Lookup
	// Sequences is what the session remembers of sequences; Locks holds its advisory locks.
	Sequences *SequenceState
	Locks     *storage.Session
	// Routines runs the functions that users wrote; nil where there is no transaction.
	Routines Routines
	// Cursor gives the key of the row of a relation that a cursor stands on.
	Cursor func(name string, relation uint32) ([]byte, error)
	// SimpleView tells whether rows can be changed through a view, and of each of its columns, in their order, whether it can be set.
	SimpleView func(ctx context.Context, view *catalog.Relation) (settable []bool, simple bool)
	// Random is the session's source of random numbers; nil is one that nobody has seeded.
	Random *Random
	// Notice sends a notice to the client.
	Notice func(severity, code, message string)
}

// Routines runs SQL for functions: those that users wrote, and those that take a query.
type Routines interface {
	// Query runs a query that only reads, in the caller's transaction. The rows are complete when it returns, and belong to the caller.
	Query(ctx context.Context, env *Env, sql string) (batch.Iter, error)
	// Run runs a statement that shows no rows, in the caller's transaction, as what the session's user may do.
	Run(ctx context.Context, env *Env, sql string) error
	// CallRoutine runs the function with an OID. types are those of the arguments, and ret the columns of the result, as the call site has
	// resolved them. The rows are complete when it returns, and belong to the caller.
	CallRoutine(ctx context.Context, env *Env, oid uint32, types []*value.Type, args []value.Value, ret value.Schema) (batch.Iter, error)
}

// Settings reads and writes configuration parameters (current_setting, set_config).
type Settings interface {
	Get(name string) (string, bool)
	Set(name, val string, local bool) error
}

// SessionInfo answers the session information functions.
type SessionInfo interface {
	CurrentUser() string
	SessionUser() string
	Database() string
	BackendPID() int32
	SearchPath(implicit bool) []string
	ServerVersion() string
	ServerVersionNum() int
	// ServerStart is when the server began; QueryText what the client sent.
	ServerStart() time.Time
	QueryText() string
	// RemoteAddr and LocalAddr are the ends of a TCP connection; ok is false for other ones.
	RemoteAddr() (a Addr, ok bool)
	LocalAddr() (a Addr, ok bool)
	// Notify queues a notification for the commit; Channels lists what the session listens to.
	Notify(channel, payload string) error
	Channels() []string
	// Cancel asks session pid to cancel its statement (terminate: to end). False when there is none.
	Cancel(pid int32, terminate bool) bool
}

// Addr is an end of a TCP connection.
type Addr = netip.AddrPort

// Lookup resolves names and OIDs of objects for the reg* types and the information functions.
type Lookup interface {
	TypeByOID(oid uint32) *value.Type
	TypeByName(name string) *value.Type
	RelationName(oid uint32) (schema, name string, ok bool)
	RelationOID(name string) (uint32, bool)
	ProcName(oid uint32) (string, bool)
	// Proc describes a function, nil when there is none.
	Proc(oid uint32) *Proc
	// ProcVisible tells whether a function is found by its bare name.
	ProcVisible(oid uint32) bool
	// Object finds a row of the catalog by its own OID and that of the relation that lists it: what kind of object it is (as
	// pg_identify_object names kinds), its schema ("" for none) and its name.
	Object(class, oid uint32) (kind, schema, name string, ok bool)
	// Comment is an object's comment: class is the OID of the catalog that lists it, sub a column's number or 0.
	Comment(class, oid uint32, sub int16) string
}
