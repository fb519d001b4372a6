// Package functions holds what SQL can call: scalar functions, operators, casts, aggregates, window functions and table
// functions, as entries of data. Packages below it (scalar, agg, window, table, retrieval) each give slices of entries,
// one file per family; functions/builtin assembles the Registry from them by value.
// A function never sees an AST, a plan or the wire: what it needs of the world is in Env.
package functions

import (
	"context"

	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/value"
)

// Volatility is pg_proc.provolatile.
type Volatility byte

// Only immutable functions are folded while planning; a stable one may be evaluated once per statement.
const (
	Immutable Volatility = 'i'
	Stable    Volatility = 's'
	Volatile  Volatility = 'v'
)

// Param is one declared parameter.
type Param struct {
	Name string
	Type *value.Type
	// Default is the SQL text of the default expression, "" for none. Only trailing parameters have one.
	Default string
	// JSONBToo lets a jsonb argument stand for this json parameter (a cast that only this parameter sees).
	JSONBToo bool
}

// Call is what a call site tells its function: the types of its arguments and of its result as they were resolved
// (polymorphic functions need them), and the world. One Call belongs to one running expression; State is the function's
// own per-call-site memory (compiled patterns and the like).
type Call struct {
	Env   *Env
	Args  []*value.Type
	Mods  []int32
	Ret   *value.Type
	State any
	// Order gives the directions of an ordered-set aggregate's sorted arguments, in their order; nil means ascending with NULLs last.
	Order []Direction
	// Variadic tells a function whose last parameter is VARIADIC "any" that the call itself said VARIADIC: its last argument is the
	// array. For other variadic functions the caller packs the arguments into the array.
	Variadic bool
	// Unread tells a table function of columns that nobody reads, which may hold anything; nil is none.
	Unread []bool
}

// Reads tells whether somebody reads a column of a table function.
func (c *Call) Reads(column int) bool { return column >= len(c.Unread) || !c.Unread[column] }

// Direction is that of a sort key.
type Direction struct{ Desc, NullsFirst bool }

// Scalar is one overload of a scalar function; operators and casts share its shape.
type Scalar struct {
	OID      uint32
	Name     string
	Params   []Param
	Variadic bool // the last parameter is an array (or "any") that takes the remaining arguments
	Ret      *value.Type
	// Strict functions are not called with a NULL argument: the result is NULL.
	Strict     bool
	Volatility Volatility
	// Writes tells that a call changes rows: its statement runs to its end before rows are shown, and again when it met newer rows.
	Writes bool
	// ReturnsSet marks a set-returning function that stands in a scalar place (SELECT generate_series(1,3)): Eval is nil,
	// the planner uses the Table entry of the same name.
	Eval func(ctx context.Context, c *Call, args []value.Value) (value.Value, error)
	// Kernel, when present, evaluates whole columns: args hold n values each, sel lists the positions to compute (nil: all n);
	// a constant argument is a column of length 1 flagged in consts. out is empty on entry, gets n values (any value at positions
	// not in sel). NULLs of strict functions are handled by the caller beforehand (out.Nulls is set by it afterwards).
	Kernel func(c *Call, args []*value.Column, consts []bool, sel []int32, n int, out *value.Column) error
	// Hidden entries are not shown in pg_proc (implementations of operators and casts that have no function name).
	Hidden bool
	// Routine marks a function that a user wrote: it runs statements in its caller's transaction, so it is neither folded nor called
	// by several goroutines.
	Routine bool
	// Waits marks a function that sleeps or waits for a lock: the rows before the one that calls it are shown first.
	Waits bool
	Descr string
}

// Operator names a binary or prefix operator (Left nil) and the function that computes it.
type Operator struct {
	OID         uint32
	Name        string
	Left, Right *value.Type
	Ret         *value.Type
	Fn          *Scalar
	Commutator  string // operator name, "" for none
	Negator     string
}

// CastContext is pg_cast.castcontext.
type CastContext byte

// The contexts in which a cast applies, each including the later ones.
const (
	Implicit   CastContext = 'i'
	Assignment CastContext = 'a'
	Explicit   CastContext = 'e'
)

// Cast converts between two types. Fn takes the value and, as second and third argument when it has them, the target's
// modifier (int4) and whether the cast is explicit (bool). A nil Fn means the forms are the same (binary coercible).
// Casts through text (any type to and from the string types) need no entry.
type Cast struct {
	From, To *value.Type
	Context  CastContext
	Fn       *Scalar
}

// Accumulator is the running state of one aggregate call in one group.
type Accumulator interface {
	// Add takes one row's arguments (NULLs included unless the aggregate is strict).
	Add(ctx context.Context, args []value.Value) error
	// Result may be called several times and Add afterwards (window frames that grow).
	Result(ctx context.Context) (value.Value, error)
}

// BatchAccumulator is an Accumulator that takes whole columns for many groups at once; group[i] is the group of position sel[i]
// (or i when sel is nil).
type BatchAccumulator interface {
	// Grow makes room for groups 0..n-1.
	Grow(n int)
	AddBatch(ctx context.Context, args []*value.Column, sel []int32, n int, group []int32) error
	ResultAt(ctx context.Context, group int) (value.Value, error)
}

// Aggregate is one overload of an aggregate function.
type Aggregate struct {
	OID      uint32
	Name     string
	Params   []Param
	Variadic bool
	Ret      *value.Type
	Strict   bool // rows with a NULL argument are not added
	// OrderedSet aggregates (WITHIN GROUP) take their direct arguments first; NumDirect counts them.
	OrderedSet   bool
	Hypothetical bool
	NumDirect    int
	New          func(c *Call) Accumulator
	// NewBatch is the faster form for hash aggregation over many groups; nil when there is none.
	NewBatch func(c *Call) BatchAccumulator
	// Removable accumulators can also take rows back (moving window frames): New's result implements Remover.
	Removable bool
	Descr     string
}

// Remover takes back the oldest row added.
type Remover interface {
	Remove(ctx context.Context, args []value.Value) error
}

// Partition gives a window function its partition: row count, the current row's peers and frame, and argument values at any row.
type Partition interface {
	Len() int
	// Arg evaluates argument n at row i of the partition.
	Arg(n, i int) (value.Value, error)
	// Peers gives the first row and one past the last row of row i's peer group.
	Peers(i int) (int, int)
	// Frame lists the half-open row ranges of row i's frame (several with EXCLUDE).
	Frame(i int) ([][2]int, error)
}

// Window is one overload of a pure window function (row_number, rank, lag …). Aggregates work as window functions by themselves.
type Window struct {
	OID    uint32
	Name   string
	Params []Param
	Ret    *value.Type
	// Eval computes the result for row i of the partition.
	Eval  func(ctx context.Context, c *Call, p Partition, i int) (value.Value, error)
	Descr string
}

// Table is one overload of a table function (in FROM, or a set-returning function in a select list).
type Table struct {
	OID      uint32
	Name     string
	Params   []Param
	Variadic bool
	// Cols is the row shape. When Scalar is set there is one column and the function returns a set of that type, not of records.
	Cols   []Param
	Scalar bool
	// Dynamic functions (json_to_record, collection_as_of …) get their shape from the column definition list or from Shape.
	Dynamic bool
	Shape   func(ctx context.Context, env *Env, args []value.Value) (value.Schema, error)
	// Past tells that the rows are those of a stored relation as it stood after a commit, when all arguments are constants: the planner
	// then reads that relation itself, with its own filters and projections, instead of calling Open.
	Past       func(ctx context.Context, env *Env, args []value.Value) (*catalog.Relation, kv.LSN, error)
	Strict     bool // NULL argument: no rows
	Writes     bool // a call changes rows: see Scalar
	Volatility Volatility
	Rows       float64 // planner's estimate, 0 means 1000
	// Open starts the call; the returned stream has the columns of Cols (or of c.Out for dynamic functions). Args are evaluated once.
	Open func(ctx context.Context, c *Call, args []value.Value, out value.Schema) (batch.Iter, error)
	// Single functions return exactly one row (context_pack) and count as such in estimates.
	Single bool
	Descr  string
}
