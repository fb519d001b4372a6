// Package plan is what a statement means once its names and types are resolved: logical nodes and bound expressions.
// Everything here is immutable after it was built: plans are cached and run by many sessions at once; running state lives in
// planner/exec. A rule of planner/opt that changes a plan builds new nodes around the unchanged ones.
//
// Columns are named by ColID, unique in a statement, not by position: a node lists the columns that it produces, an expression
// refers to them by id, and a reference to a column that no node below produces is a correlation: exec binds it to the row of
// the enclosing query (subqueries, LATERAL, the inner side of an index nested loop).
package plan

import (
	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/value"
)

// ColID names a column inside one statement.
type ColID int32

// Col is a column that a node produces.
type Col struct {
	ID   ColID
	Name string
	Type *value.Type
	Mod  int32
	// Table and Attr name the stored column shown unchanged (0, 0: computed); RowDescription reports them.
	Table uint32
	Attr  int16
	Coll  string // explicit or derived collation name, "" for the default
}

// Expr is a bound expression. Every Expr has a type; Pos is the byte offset in the statement text for run-time errors that
// PostgreSQL reports with a position, -1 for none.
type Expr interface {
	Type() *value.Type
	Mod() int32
	// Children lists the direct sub-expressions; With gives the same expression over other children (same number and types).
	Children() []Expr
	With(children []Expr) Expr
}

// Typed carries the result type; embedded by most expressions.
type Typed struct {
	T *value.Type
	M int32
}

// Type implements Expr.
func (t Typed) Type() *value.Type { return t.T }

// Mod implements Expr.
func (t Typed) Mod() int32 { return t.M }

type leaf struct{}

func (leaf) Children() []Expr { return nil }

// boolean is the Typed of the expressions that are always boolean.
type boolean struct{}

// Type implements Expr.
func (boolean) Type() *value.Type { return value.Boolean }

// Mod implements Expr.
func (boolean) Mod() int32 { return -1 }

// Const is a literal or a folded value.
type Const struct {
	Typed
	leaf
	Val value.Value
}

// Param is $n (Num from 1).
type Param struct {
	Typed
	leaf
	Num int
}

// ColRef refers to a column of the node's input, or of an enclosing query. Case and Cast bind columns of their own, which only
// the expressions inside them see.
type ColRef struct {
	Typed
	leaf
	ID   ColID
	Name string // for printing
	Coll string
	Pos  int
}

// Call applies a scalar function, operator or cast function. A cast function's second and third argument (the target's modifier
// and whether the cast is explicit), when it has them, stand in Args as constants.
type Call struct {
	Typed
	Fn   *functions.Scalar
	Args []Expr
	// How it was written, for printing (EXPLAIN, pg_get_viewdef) and for rules that look for operators.
	Style CallStyle
	Name  string // operator name for Op, function name for Func, "" for casts
	Coll  string // collation in effect for comparisons
	Pos   int
	// Variadic: the last argument is the array of a VARIADIC "any" parameter.
	Variadic bool
}

// CallStyle tells how a Call was written.
type CallStyle uint8

// The styles.
const (
	FuncStyle CallStyle = iota
	OpStyle
	CastStyle         // explicit cast x::t
	ImplicitCastStyle // added by the binder, not printed
	SQLStyle          // a function behind SQL syntax: EXTRACT(… FROM …), x AT TIME ZONE y …
)

// CastMethod tells how a Cast converts.
type CastMethod uint8

// The methods. Conversions by a function are Calls.
const (
	RelabelCast CastMethod = iota // the value stays as it is
	IOCast                        // the source type's text form read by the target type's input function with the modifier M
	ArrayCast                     // each element is converted by Elem, which sees it as column ElemCol
	DomainCast                    // the value (as column ElemCol) must satisfy Checks, and NotNull
	RecordCast                    // a record that is not NULL is made again by Elem, which sees it as column ElemCol
)

// Cast converts between types without a function of its own.
type Cast struct {
	Typed
	Method  CastMethod
	Arg     Expr
	ElemCol ColID
	Elem    Expr // of ArrayCast and RecordCast
	Checks  []NamedExpr
	NotNull bool
	Style   CallStyle
	Pos     int
}

// Collate gives its argument another collation; the value stays as it is.
type Collate struct {
	Arg  Expr
	Coll string
}

// SQLValue is a keyword value such as CURRENT_DATE or CURRENT_USER: Arg computes it, Name is how it was written.
type SQLValue struct {
	Arg  Expr
	Name string
}

// Grouping is GROUPING(a, b, …): Mask is the Aggregate's GroupingCol, Bits the positions of the arguments in its Groups, the first
// giving the most significant bit of the int4 result.
type Grouping struct {
	Mask Expr
	Bits []int
	Args []Expr // as written, for printing only
}

// BoolOp is AND / OR over two or more arguments, in order (a guard earlier in an AND protects the later ones).
type BoolOp struct {
	boolean
	Or   bool
	Args []Expr
}

// Not is NOT.
type Not struct {
	boolean
	Arg Expr
}

// IsNull is IS [NOT] NULL. For a row argument all fields are tested.
type IsNull struct {
	boolean
	Arg Expr
	Not bool
}

// BoolTest is IS [NOT] TRUE / FALSE / UNKNOWN.
type BoolTest struct {
	boolean
	Arg  Expr
	Want byte // 't', 'f', 'u'
	Not  bool
}

// IsDistinct is IS [NOT] DISTINCT FROM; Eq is the equality operator's function.
type IsDistinct struct {
	boolean
	Left, Right Expr
	Eq          *functions.Scalar
	Not         bool
}

// Case is CASE. In a simple CASE, Arg is evaluated once and the conditions compare it as column ArgCol. Else may be nil (NULL).
type Case struct {
	Typed
	Arg    Expr
	ArgCol ColID
	Whens  []When
	Else   Expr
}

// When is one arm of a Case.
type When struct{ Cond, Then Expr }

// Coalesce is COALESCE.
type Coalesce struct {
	Typed
	Args []Expr
}

// NullIf is NULLIF.
type NullIf struct {
	Typed
	Left, Right Expr
	Eq          *functions.Scalar
}

// MinMax is GREATEST / LEAST.
type MinMax struct {
	Typed
	Least bool
	Args  []Expr
}

// ArrayExpr is ARRAY[…]; Multi when the elements are arrays that form a further dimension.
type ArrayExpr struct {
	Typed
	Elems []Expr
	Multi bool
}

// RowExpr is ROW(…).
type RowExpr struct {
	Typed
	Fields []Expr
	Names  []string
}

// RowCompare is (a,b) op (c,d) for < <= > >= = <>; the per-column functions: Eq, and Lt for the ordering ones.
type RowCompare struct {
	boolean
	Op          string
	Left, Right []Expr
	Eq, Lt      []*functions.Scalar
}

// FieldSelect takes a field of a composite.
type FieldSelect struct {
	Typed
	Arg   Expr
	Field int
	Name  string
}

// Subscript takes an array element, a slice, or a jsonb subscript. A nil entry in Lower with IsSlice means an omitted bound.
type Subscript struct {
	Typed
	Arg          Expr
	Lower, Upper []Expr
	IsSlice      bool
}

// Assigned is the container Arg with one element, slice (arrays, jsonb) or field (composites) replaced by Value: UPDATE … SET a[1] = x,
// SET c.f = x. With Field >= 0 it is the field of a composite, else the subscripts count as in Subscript.
type Assigned struct {
	Typed
	Arg          Expr
	Field        int
	Lower, Upper []Expr
	IsSlice      bool
	Value        Expr
}

// ArrayOp is left op ANY/ALL (array): op is applied to each element.
type ArrayOp struct {
	boolean
	Left, Right Expr
	Fn          *functions.Scalar
	Op          string
	All         bool
	Coll        string
}

// InList is left [NOT] IN (consts and expressions), all of one comparable type.
type InList struct {
	boolean
	Left Expr
	List []Expr
	Eq   *functions.Scalar
	Not  bool
}

// SubqueryKind tells what a subquery is used as.
type SubqueryKind uint8

// The kinds.
const (
	ScalarSub SubqueryKind = iota // one column, at most one row (21000)
	ExistsSub
	AnySub   // Test op ANY (subquery); IN is = ANY
	AllSub   // Test op ALL (subquery)
	ArraySub // ARRAY(subquery)
	RowSub   // (a, b) op (subquery) with at most one row (21000): Compare as for AnySub, NULL when there is no row
	ValueSub // the columns of at most one row (21000) as a record, NULL when there is none: SET (a, b) = (SELECT …)
)

// Subquery is a query inside an expression. For AnySub and AllSub, Compare is the expression that compares Test with the subquery's
// columns (ColRefs to Query's columns); NULL rules are SQL's. A Subquery whose Query has references outside is correlated.
type Subquery struct {
	Typed
	Kind    SubqueryKind
	Query   Node
	Test    []Expr
	Compare Expr
	Op      string
	Not     bool
}

// Agg is one aggregate call of an Aggregate node (never inside other expressions: the binder puts a ColRef there).
type Agg struct {
	Col      Col
	Fn       *functions.Aggregate
	Args     []Expr
	Direct   []Expr // direct arguments of ordered-set aggregates
	Distinct bool
	Filter   Expr
	Order    []SortKey
	Star     bool
}

// WinCall is one window function call of a Window node: a Window entry or an aggregate.
type WinCall struct {
	Col    Col
	Fn     *functions.Window
	Agg    *functions.Aggregate
	Args   []Expr
	Filter Expr
	Frame  Frame
}

// Frame is a window frame.
type Frame struct {
	Mode       byte // 'r' rows, 'g' groups, 'v' range
	Start, End Bound
	Exclude    byte // 0 none, 'c' current row, 'g' group, 't' ties
	// For RANGE with offsets: in_range comparison by the sort key's plus and minus and comparison functions.
	Plus, Minus *functions.Scalar
}

// Bound is one end of a frame.
type Bound struct {
	Kind   byte // 'u' unbounded preceding, 'p' preceding, 'c' current row, 'f' following, 'U' unbounded following
	Offset Expr
}

// SetCall is a set-returning function call of a ProjectSet node.
type SetCall struct {
	Cols     []Col // one column for scalar sets; for records the columns of the row, or one composite column when AsRecord
	Fn       *functions.Table
	Args     []Expr
	AsRecord bool
	// Ordinality adds a bigint column at the end of Cols.
	Ordinality bool
	// Shape is the stream's row shape (resolved for dynamic functions).
	Shape value.Schema
	// Unread tells of columns that nobody reads, by place in Cols; nil is none.
	Unread []bool
	// Row, in ROWS FROM, is a call of a function that is not set-returning: its value is the only row, Fn is nil.
	Row Expr
}

// SortKey orders by an expression.
type SortKey struct {
	Expr       Expr
	Desc       bool
	NullsFirst bool
	Coll       string
	// Less is set for ORDER BY … USING with an operator of its own; nil means the type's default order.
	Less *functions.Scalar
}
