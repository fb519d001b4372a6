// Package bind gives a syntax tree its meaning: names become columns and descriptors, functions and operators become entries of the
// registry, every expression gets its type, and a statement becomes a plan or the data of a utility statement. Nothing later looks
// up a name again.
//
// The rules are PostgreSQL's (manual, chapter 10 and the reference pages of the statements), and so are the texts, codes and
// positions of the errors.
//
// A SELECT is bound clause by clause in a scope (scope.go), one for each query level. While that goes on, aggregates, window calls
// and set-returning calls stand inside the expressions as private nodes (pending.go); when all clauses are bound, select.go takes
// them out again, one kind after the other, and puts the plan's nodes in their order: FROM, WHERE, grouping, HAVING, windows,
// set-returning calls, projection, DISTINCT, ORDER BY, LIMIT.
package bind

import (
	"context"

	pg_query "github.com/omgdb/omgdb/planner/parse/ast"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/parse"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// Context is what a statement is bound in. It is only read.
type Context struct {
	Catalog  *catalog.View
	Registry *functions.Registry
	// SearchPath lists the schemas of the setting, "$user" already replaced. pg_catalog (and TempSchema) come first when they are not
	// in it, schema omgdb comes last for functions.
	SearchPath []string
	TempSchema string // the session's schema of temporary objects, "" while it has none
	// Format reads the literals that stand in the statement.
	Format *typeio.Format
	// ParamOIDs are the types that the client gave for $1, $2 …; 0 leaves one to be inferred.
	ParamOIDs []uint32
	// NoParams says that the statement cannot have parameters (simple query protocol).
	NoParams bool
	User     string
	Database string
	// Virtual gives the relations of pg_catalog and information_schema, nil when there is none of the name.
	Virtual func(schema, name string) *functions.Table
	// Prepared gives the parameter types of a prepared statement, for EXECUTE.
	Prepared func(name string) ([]*value.Type, bool)
	// Env gives what table functions get whose columns depend on their arguments: the world as of now, with a transaction of its own, until
	// done is called. nil where there is no store.
	Env func(ctx context.Context) (env *functions.Env, done func(), err error)
	// PreparedQuery gives the plan of a prepared statement, nil when it is no query.
	PreparedQuery func(name string) *plan.Query
	// Args are the arguments of the function whose body is bound, in order, and Routine is its name (see Body).
	Args    []functions.Param
	Routine string
	// Setting reads a configuration parameter.
	Setting func(name string) (string, bool)
}

// Bind resolves a statement. Errors carry the byte offset in the text that st was parsed from.
func Bind(ctx context.Context, bc *Context, st parse.Stmt) (plan.Statement, error) {
	b := newBinder(ctx, bc, st)
	out, err := b.statement(st.Node)
	if st.Rows == nil || err == nil && b.bulk {
		return out, err
	}
	// Not all rows were read into columns: their trees are needed.
	whole, err := st.Whole()
	if err != nil {
		return nil, err
	}
	return newBinder(ctx, bc, whole).statement(whole.Node)
}

// Expr binds the text of a stored expression (default, check, index key, generation expression) over the columns of rel; cols are the
// ids by which it sees them, in the order of the live columns (nil for expressions without columns). The result is coerced to want when that is given.
func Expr(ctx context.Context, bc *Context, text string, rel *catalog.Relation, cols []plan.Col, want *value.Type, mod int32) (plan.Expr, error) {
	b := newBinder(ctx, bc, parse.Stmt{})
	for _, c := range cols {
		b.nextID = max(b.nextID, c.ID)
	}
	return b.stored(text, rel, cols, want, mod)
}

func newBinder(ctx context.Context, bc *Context, st parse.Stmt) *binder {
	b := &binder{ctx: ctx, Context: bc, stmt: st, pos: map[plan.Expr]int{}, rowTypes: map[catalog.ID]*value.Type{},
		origin: map[plan.ColID]origin{}, itemOf: map[plan.ColID]*item{}, stars: map[int][][]string{}, records: map[plan.ColID]value.Schema{}, whole: map[*plan.RowExpr]*item{}}
	for _, oid := range bc.ParamOIDs {
		var t *value.Type
		if oid != 0 {
			t = b.typeByOID(oid)
		}
		b.params = append(b.params, t)
	}
	return b
}

// binder binds one statement.
type binder struct {
	ctx context.Context
	*Context
	stmt parse.Stmt
	// viewOwner is the owner of the view whose query is being bound, whose rights count there; 0 outside of views.
	viewOwner catalog.ID
	nextID    plan.ColID
	nextCT    int
	// owner is the query level at which a column is visible, by ColID.
	owner []*scope
	// pos keeps where expressions stand in the text, for those that don't know themselves.
	pos    map[plan.Expr]int
	params []*value.Type // nil: not known yet
	// stars are the columns that each * stood for, by its place in the text: views keep them.
	stars map[int][][]string
	// whole are the rows that stand for all columns of an item.
	whole map[*plan.RowExpr]*item
	// records are the fields of columns that hold anonymous records, where the query shows them.
	records map[plan.ColID]value.Schema
	// origin and itemOf tell where the columns of stored relations come from.
	origin map[plan.ColID]origin
	itemOf map[plan.ColID]*item
	// instances are users' aggregates for the types of their calls.
	instances map[string]*functions.Aggregate
	// rowTypes are the composite types of relations, made on demand.
	rowTypes map[catalog.ID]*value.Type
	rowAt    []int // where the columns of the query in SET (…) = (SELECT …) stand
	deps     plan.Deps
	named    []catalog.ID                       // relations that the text itself names, not those in the texts of views
	inView   int                                // views whose text is being bound, one in the other
	writes   bool                               // the statement changes data or locks rows
	depth    int                                // nesting of views
	routines map[catalog.ID]*routine            // users' functions that were met
	ranges   map[catalog.ID][]*functions.Scalar // constructors of users' range types
	// keyCols and keyTables are the row keys that a cursor's query reads, and their tables.
	keyCols   []plan.Col
	keyTables []catalog.ID
	bulk      bool     // the statement's literal rows were read (bulk.go)
	renamed   *renamed // nil: no text is written anew
}

// newCol makes a column with a fresh id.
func (b *binder) newCol(name string, t *value.Type, mod int32) plan.Col {
	b.nextID++
	return plan.Col{ID: b.nextID, Name: name, Type: t, Mod: mod}
}

// own records that columns are visible at level s.
func (b *binder) own(s *scope, id plan.ColID) {
	for int(id) >= len(b.owner) {
		b.owner = append(b.owner, nil)
	}
	b.owner[id] = s
}

func (b *binder) ownerOf(id plan.ColID) *scope {
	if int(id) < len(b.owner) {
		return b.owner[id]
	}
	return nil
}

// statement binds one statement of any kind.
func (b *binder) statement(n *pg_query.Node) (plan.Statement, error) {
	if n == nil {
		return &plan.EmptyStmt{}, nil
	}
	for _, group := range []func(*pg_query.Node) (plan.Statement, bool, error){b.queryStatement, b.sessionStatement, b.ddlStatement, b.alterStatement, b.refused} {
		st, ok, err := group(n)
		if err != nil {
			return nil, err
		}
		if ok {
			return st, nil
		}
	}
	return nil, dberr.New(dberr.FeatureNotSupported, "this statement is not supported")
}

// queryStatement binds the statements that become a plan.Query.
func (b *binder) queryStatement(n *pg_query.Node) (plan.Statement, bool, error) {
	switch x := n.Node.(type) {
	case *pg_query.Node_SelectStmt:
		if into := x.SelectStmt.IntoClause; into != nil {
			st, err := b.selectInto(x.SelectStmt)
			return st, true, err
		}
	case *pg_query.Node_InsertStmt, *pg_query.Node_UpdateStmt, *pg_query.Node_DeleteStmt, *pg_query.Node_MergeStmt:
	case *pg_query.Node_CallStmt:
		st, err := b.callStmt(x.CallStmt)
		return st, true, err
	default:
		return nil, false, nil
	}
	q, err := b.topQuery(n)
	if err != nil {
		return nil, true, err
	}
	return q, true, nil
}

// topQuery binds a SELECT, VALUES or DML statement that stands alone.
func (b *binder) topQuery(n *pg_query.Node) (*plan.Query, error) {
	var (
		q   *query
		err error
		tag = "SELECT"
	)
	switch x := n.Node.(type) {
	case *pg_query.Node_SelectStmt:
		q, err = b.selectStmt(nil, x.SelectStmt, topOpts)
	default:
		tag, q, err = b.dml(nil, n)
	}
	if err != nil {
		return nil, err
	}
	return b.finish(q, tag)
}

// finish completes a Query: all parameters have types now, or are an error.
func (b *binder) finish(q *query, tag string) (*plan.Query, error) {
	params, err := b.paramTypes()
	if err != nil {
		return nil, err
	}
	if err := b.checkParams(q.node); err != nil {
		return nil, err
	}
	out := &plan.Query{
		Root: q.node, Out: q.cols, Params: params, Tag: tag, ReadOnly: !b.writes, HasRows: tag == "SELECT" || len(q.cols) > 0, Deps: b.deps,
	}
	return out, b.checkTypes(q.cols)
}

// checkTypes refuses result columns of pseudo-types that no client could read.
func (b *binder) checkTypes(cols []plan.Col) error {
	if len(cols) > 1664 {
		return dberr.New(dberr.TooManyColumns, "target lists can have at most %d entries", 1664)
	}
	return nil
}

// errAt makes an error with a position; a negative offset gives none.
func errAt(pos int, code, format string, args ...any) *dberr.Error {
	return dberr.New(code, format, args...).At(pos)
}

func loc(l int32) int { return int(l) }
