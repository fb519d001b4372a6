package plan

import (
	"slices"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/filter"
	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/value"
)

// Node is a logical operator. Cols lists its output columns in order; Inputs its child nodes; WithInputs the same node over other
// inputs (same columns); Exprs the expressions it evaluates, WithExprs the same node with others in the same order.
type Node interface {
	Cols() []Col
	Inputs() []Node
	WithInputs(in []Node) Node
	Exprs() []Expr
	WithExprs(e []Expr) Node
}

// Scan reads a relation. The binder makes it with the columns the statement can see and nothing else set; opt fills the rest.
type Scan struct {
	Rel   *catalog.Relation
	Alias string
	Out   []ScanCol
	// Filter is the part of the predicate that storage evaluates, exactly; what could not be expressed stays in a Filter node above.
	// FilterExprs are the conjuncts that Filter stands for (parameters and outer references included): exec turns them into Filter
	// when it opens the scan if they are not constant, see FilterBuild.
	FilterExprs []Expr
	Filter      filter.Expr
	// FilterCols are columns that FilterExprs refer to and that are not in Out.
	FilterCols []ScanCol
	Access     Access
	Limit      Expr // rows wanted after Filter, nil for all
	Lock       *RowLock
	Parallel   int
	// AsOf reads the relation as it stood after that commit; 0 means now. Rel is then the relation's descriptor of that time.
	AsOf kv.LSN
}

// ScanCol is an output column of a Scan and where it comes from.
type ScanCol struct {
	Col
	Src storage.ScanCol
}

// Access says how a scan reaches its rows; the zero value reads everything in key order.
type Access struct {
	Index *catalog.Index // nil: by row key
	// Point: equality of the whole key, one expression a key column (several alternatives: IN). Each inner list is one key.
	Point [][]Expr
	// AnyOf, an array, has the values of the one key column: = ANY. For an index of method gin it is the second argument of Function,
	// a condition whose first argument is the index's key.
	AnyOf    Expr
	Function string
	// Ranges over the key's leading columns.
	Ranges  []KeyRange
	Reverse bool
	// Ordered tells that the rows come in the order that the statement asked for.
	Ordered bool
	// Unique tells that each of an index's Ranges holds one row at most. An index is only a way to the rows: the conditions that made
	// its Ranges are also among the filters. A nil expression in Eq stands for IS NULL there.
	Unique bool
	// Exact tells that the filters of the scan ask for nothing but that a row is in an index's Ranges: who wants no columns of the rows
	// need not look at them, unless values were cut.
	Exact bool
	// Wanted is how many rows of an Ordered scan are probably enough; 0 when that is not known.
	Wanted int
	// Either finds the rows that one of several accesses finds, each by its own Index, Point or AnyOf: the arms of an OR.
	Either []Access
}

// Whole tells that all rows are read.
func (a *Access) Whole() bool {
	return a.Index == nil && a.Point == nil && a.AnyOf == nil && a.Ranges == nil && a.Either == nil
}

// eachExpr calls f for the places of the expressions.
func (a *Access) eachExpr(f func(*Expr)) {
	for _, k := range a.Point {
		each(f, k)
	}
	one(f, &a.AnyOf)
	for i := range a.Ranges {
		r := &a.Ranges[i]
		each(f, r.Eq)
		one(f, &r.Lower, &r.Upper)
	}
	for i := range a.Either {
		a.Either[i].eachExpr(f)
	}
}

// clone gives a copy whose expressions can be replaced.
func (a Access) clone() Access {
	a.Point, a.Ranges, a.Either = clone2(a.Point), slices.Clone(a.Ranges), slices.Clone(a.Either)
	for i := range a.Ranges {
		a.Ranges[i].Eq = slices.Clone(a.Ranges[i].Eq)
	}
	for i := range a.Either {
		a.Either[i] = a.Either[i].clone()
	}
	return a
}

// KeyRange bounds the leading key columns: Eq prefixes, then optionally one bounded column.
type KeyRange struct {
	Eq                 []Expr
	Lower, Upper       Expr
	LowerInc, UpperInc bool
}

// RowLock is FOR UPDATE and friends on a scan or query.
type RowLock struct {
	Strength byte // 'u' update, 'n' no key update, 's' share, 'k' key share
	Wait     byte // 'w' wait, 'n' nowait, 's' skip locked
}

// VirtualScan reads a relation that is computed: pg_catalog and information_schema tables.
type VirtualScan struct {
	noInput
	Schema, Name string
	Alias        string
	Out          []Col
	// Table is how planner/pgcatalog computes it.
	Table functions.Table
}

// FuncScan is a table function in FROM (ROWS FROM has several calls; shorter ones are padded with NULLs). Lateral references are correlations.
type FuncScan struct {
	Calls []SetCall
	Alias string
	Out   []Col
}

// Values is a list of rows.
type Values struct {
	Out  []Col
	Rows [][]Expr
}

// Columns is a list of rows of constants, held as columns: one for each of Out, all of the same length.
type Columns struct {
	noInput
	Out  []Col
	Vals []*value.Column
}

// Project computes expressions: one for each column of Out. A column of Out has a fresh id, or that of the input column that its item
// passes through unchanged.
type Project struct {
	Input Node
	Out   []Col
	Items []Expr
}

// ProjectSet evaluates set-returning functions in lockstep beside its input's columns.
type ProjectSet struct {
	Input Node
	Calls []SetCall
}

// Filter keeps the rows for which Pred is true.
type Filter struct {
	Input Node
	Pred  Expr
}

// JoinKind is the kind of a join.
type JoinKind uint8

// The kinds of joins. Semi and Anti show the left columns only; AntiNull is NOT IN's null-aware anti join; Mark adds a boolean column.
const (
	InnerJoin JoinKind = iota
	LeftJoin
	RightJoin
	FullJoin
	SemiJoin
	AntiJoin
	AntiNullJoin
)

// Join joins two inputs on a condition (nil: cross). Lateral: the right side refers to columns of the left.
type Join struct {
	Kind        JoinKind
	Left, Right Node
	On          Expr
	Lateral     bool
	// Method is chosen by opt: 'h' hash, 'm' merge, 'n' nested loop (0 while unchosen). HashKeys are the equalities used: pairs (left, right).
	Method   byte
	HashKeys [][2]Expr
	HashEq   []*functions.Scalar
	// Residual is the rest of On beside HashKeys.
	Residual Expr
}

// Aggregate groups its input. Out = group columns, then Aggs' columns, then (with grouping sets) GroupID masks.
type Aggregate struct {
	Input     Node
	Groups    []Expr // expressions over the input
	GroupCols []Col
	Aggs      []Agg
	// Sets are the grouping sets as lists of positions in Groups; nil means the one set of all. GroupingCol, when its ID is not 0, is an int8
	// column: bit i is set when group i is not part of the row's set (GROUPING() is computed from it).
	Sets        [][]int
	GroupingCol Col
	// Sorted: the input is ordered by Groups.
	Sorted bool
}

// Window evaluates calls that share one partitioning and order; the input's columns come first.
type Window struct {
	Input     Node
	Partition []Expr
	Order     []SortKey
	Calls     []WinCall
	// First, when not nil, tells that only rows whose row_number() (or, when Ties, rank()) is at most First are wanted; others may be left out.
	First Expr
	Ties  bool
}

// Sort orders its input. Limit > 0 via TopN when opt could push a Limit.
type Sort struct {
	Input Node
	Keys  []SortKey
	TopN  Expr // nil: all; counts the offset in
	// Presorted is the number of leading Keys in which the input already is.
	Presorted int
}

// Distinct removes duplicates: of whole rows (On nil), or keeps the first row of each value of On (input sorted by On first).
type Distinct struct {
	Input Node
	On    []Expr
}

// SetOp is UNION, INTERSECT, EXCEPT; columns pair by position and have the same types.
type SetOp struct {
	Op          byte // 'u', 'i', 'e'
	All         bool
	Left, Right Node
	Out         []Col
}

// Limit is LIMIT / OFFSET; Ties adds the peers of the last row under Keys.
type Limit struct {
	Input         Node
	Count, Offset Expr // int8, nil for none
	Ties          bool
	Keys          []SortKey
}

// With binds common table expressions around Input. Each is computed once, on demand, and read by its CTERefs.
type With struct {
	CTEs  []CTE
	Input Node
}

// CTE is one common table expression. Recursive ones have Seed and Step (with the CTERef to itself reading the working table).
type CTE struct {
	ID        int
	Name      string
	Query     Node
	Recursive bool
	Union     bool // UNION (distinct) rather than UNION ALL
	Step      Node
	// Modifying CTEs (DML) run to the end even when nobody reads them.
	Modifying    bool
	Materialized byte // 0 default, 'm' materialized, 'n' not
}

// CTERef reads a CTE; Out gives fresh ids to its columns, by position.
type CTERef struct {
	noInput
	ID    int
	Name  string
	Alias string
	Out   []Col
	Self  bool // the recursive reference
}

// Lock locks the rows that its input shows: FOR UPDATE over the scans named in Scans (by the ColID of their row key columns).
type Lock struct {
	Input Node
	Rels  []LockRel
	// Wanted is how many rows are wanted: no more are locked. nil means all.
	Wanted Expr
}

// LockRel is one relation whose rows are locked.
type LockRel struct {
	Rel    *catalog.Relation
	RowKey ColID
	Lock   RowLock
}

// Empty produces one row without columns (SELECT without FROM), or none when No is set.
type Empty struct {
	noInput
	No bool
}

// Insert stores the rows of Input, whose columns stand for Target in order.
type Insert struct {
	Rel    *catalog.Relation
	Input  Node
	Target []catalog.Column
	// Defaults are the expressions for the columns not in Target (nil: NULL), by attnum.
	Defaults   map[int16]Expr
	Generated  map[int16]Expr // over NewCols
	Checks     []NamedExpr    // over NewCols
	NewCols    []Col          // ids by which the expressions above and Returning see the new row
	Conflict   *Conflict
	Returning  *Returning
	Overriding byte
}

// NamedExpr is a check constraint's expression.
type NamedExpr struct {
	Name string
	Expr Expr
	// View: it is the condition of the view Name WITH CHECK OPTION (44000).
	View bool
}

// Conflict is ON CONFLICT.
type Conflict struct {
	Nothing  bool
	Index    *catalog.Index // arbiter, nil: the primary key, or any when AnyIndex
	AnyIndex bool
	Sets     []Assign
	Where    Expr
	OldCols  []Col // ids of the existing row
	ExclCols []Col // ids of excluded.*
}

// Assign sets a column (or the doc of a collection) to an expression.
type Assign struct {
	Attr int16
	Expr Expr
}

// Returning computes the rows that a DML statement shows.
type Returning struct {
	Out   []Col
	Items []Expr
}

// Update changes the rows that Input shows: Input has the row key column RowKey, the stored document column Raw and whatever Sets need.
type Update struct {
	Rel       *catalog.Relation
	Input     Node
	RowKey    ColID
	Raw       ColID
	Sets      []Assign
	Generated map[int16]Expr
	Checks    []NamedExpr
	NewCols   []Col
	Returning *Returning
}

// Delete removes the rows that Input shows.
type Delete struct {
	Rel       *catalog.Relation
	Input     Node
	RowKey    ColID
	Raw       ColID
	OldCols   []Col
	Returning *Returning
}

// Merge is MERGE: Input pairs source rows with target rows (RowKey and Raw NULL where a source row has none), and for each pair the first
// action that fits is done. A target row that two pairs would change is 21000.
type Merge struct {
	Rel       *catalog.Relation
	Input     Node
	RowKey    ColID
	Raw       ColID
	Actions   []MergeAction
	Generated map[int16]Expr // over NewCols
	Checks    []NamedExpr    // over NewCols
	NewCols   []Col
}

// MergeAction is one WHEN of a Merge; its expressions see the input's columns.
type MergeAction struct {
	Matched bool // WHEN MATCHED, else WHEN NOT MATCHED
	Cond    Expr // nil: always
	Do      byte // 'u' update, 'd' delete, 'i' insert, 'n' nothing
	Sets    []Assign
	// Of an insert: values for the columns Target; the others take Defaults (nil: NULL), by attnum.
	Target   []catalog.Column
	Values   []Expr
	Defaults map[int16]Expr
}

// CopySource is the input of COPY FROM: rows that the session reads from the client.
type CopySource struct {
	noInput
	Out []Col
}

// Estimate is what opt expects of a node: rows, their width in bytes, and costs in PostgreSQL's unit.
type Estimate struct {
	Rows, Width    float64
	Startup, Total float64
}

// Query is a bound statement that produces or changes rows.
type Query struct {
	Root   Node
	Out    []Col // what the client sees, in order (ids produced by Root)
	Params []*value.Type
	// Tag is the command tag's verb: SELECT, INSERT, UPDATE, DELETE, MERGE …
	Tag string
	// ReadOnly statements write nothing (a volatile function may still be refused at run time).
	ReadOnly bool
	// HasRows: the client gets a row description.
	HasRows bool
	// Into, of a CALL, names what stands as argument for each output parameter: a plain name, or "".
	Into []string
	Deps Deps
	// Estimates, when opt made them, by node of Root.
	Estimates map[Node]Estimate
}

// Deps is what a plan depends on; the plan cache checks it.
type Deps struct {
	Relations  map[catalog.ID]uint64 // id → version of the descriptor
	Schemas    map[catalog.ID]uint64 // name-set versions of the schemas searched
	SchemaList uint64
	Functions  map[catalog.ID]uint64 // users' functions: id → version
	Types      map[catalog.ID]uint64 // users' types: id → version
	// Volatile plans (they folded something of the session) are not cached.
	NoCache bool
}
