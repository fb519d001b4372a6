package bind

import (
	"strings"

	pg_query "github.com/omgdb/omgdb/planner/parse/ast"

	"github.com/omgdb/omgdb/functions/extension"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/dberr"
)

// ddlStatement binds the statements that make and drop things.
func (b *binder) ddlStatement(n *pg_query.Node) (st plan.Statement, ok bool, err error) {
	b.writes = true
	switch x := n.Node.(type) {
	case *pg_query.Node_CreateStmt:
		st, err = b.createTable(x.CreateStmt)
	case *pg_query.Node_CreateTableAsStmt:
		st, err = b.createTableAs(x.CreateTableAsStmt)
	case *pg_query.Node_ViewStmt:
		st, err = b.createView(x.ViewStmt)
	case *pg_query.Node_RefreshMatViewStmt:
		st, err = b.refresh(x.RefreshMatViewStmt)
	case *pg_query.Node_IndexStmt:
		st, err = b.createIndex(x.IndexStmt)
	case *pg_query.Node_CreateSchemaStmt:
		st, err = b.createSchema(x.CreateSchemaStmt)
	case *pg_query.Node_CreateSeqStmt:
		st, err = b.createSequence(x.CreateSeqStmt)
	case *pg_query.Node_CreateEnumStmt:
		st, err = b.createEnum(x.CreateEnumStmt)
	case *pg_query.Node_CompositeTypeStmt:
		st, err = b.createComposite(x.CompositeTypeStmt)
	case *pg_query.Node_CreateRangeStmt:
		st, err = b.createRange(x.CreateRangeStmt)
	case *pg_query.Node_CreateDomainStmt:
		st, err = b.createDomain(x.CreateDomainStmt)
	case *pg_query.Node_DefineStmt:
		st, err = b.define(x.DefineStmt)
	case *pg_query.Node_CreateFunctionStmt:
		st, err = b.createFunction(x.CreateFunctionStmt)
	case *pg_query.Node_AlterFunctionStmt:
		st, err = b.alterFunction(x.AlterFunctionStmt)
	case *pg_query.Node_DropStmt:
		st, err = b.drop(x.DropStmt)
	case *pg_query.Node_TruncateStmt:
		st, err = b.truncate(x.TruncateStmt)
	case *pg_query.Node_CommentStmt:
		st, err = b.comment(x.CommentStmt)
	case *pg_query.Node_CreateExtensionStmt:
		st, err = b.createExtension(x.CreateExtensionStmt)
	default:
		return b.roleStatement(n)
	}
	return st, true, err
}

// createExtension takes the extensions that are built in, whose types and functions are always there.
func (b *binder) createExtension(x *pg_query.CreateExtensionStmt) (plan.Statement, error) {
	if !extension.Known(x.Extname) {
		var names []string
		for _, e := range extension.All {
			names = append(names, e.Name)
		}
		return nil, dberr.New(dberr.FeatureNotSupported, "extension \"%s\" is not available", x.Extname).
			WithHint("OMGDB has no loadable extensions; built in are %s.", strings.Join(names, ", "))
	}
	notice := ""
	if x.IfNotExists {
		notice = "extension \"" + x.Extname + "\" already exists, skipping"
	}
	return &plan.NoOp{Tag: "CREATE EXTENSION", Notice: notice}, nil
}

// alternatives are the statements that OMGDB refuses on purpose, with what to use instead.
var alternatives = []struct {
	match func(*pg_query.Node) bool
	what  string
	hint  string
}{
	{is[*pg_query.Node_RuleStmt], "rules are not supported", "Use a view, or write the statements out."},
	{is[*pg_query.Node_CreateTrigStmt], "triggers are not supported", "Use constraints, generated columns and defaults."},
	{is[*pg_query.Node_CreateEventTrigStmt], "event triggers are not supported", "Use the history of the catalog."},
	{is[*pg_query.Node_CreateFdwStmt], "foreign data wrappers are not supported", "Import the data with COPY or omgdb import."},
	{is[*pg_query.Node_CreateForeignServerStmt], "foreign data wrappers are not supported", "Import the data with COPY or omgdb import."},
	{is[*pg_query.Node_CreateForeignTableStmt], "foreign tables are not supported", "Import the data with COPY or omgdb import."},
	{is[*pg_query.Node_CreateTableSpaceStmt], "tablespaces are not supported", "A store is one directory."},
	{is[*pg_query.Node_CreatePublicationStmt], "logical replication is not supported", "Read replicas follow the store's log."},
	{is[*pg_query.Node_CreateSubscriptionStmt], "logical replication is not supported", "Read replicas follow the store's log."},
	{is[*pg_query.Node_CreateCastStmt], "CREATE CAST is not supported", "Write the conversion out in the query."},
	{is[*pg_query.Node_CreatePolicyStmt], "CREATE POLICY is not supported", "Grant rights on views."},
	{is[*pg_query.Node_CreateStatsStmt], "CREATE STATISTICS is not supported", "ANALYZE collects what the planner uses."},
	{is[*pg_query.Node_AlterSystemStmt], "ALTER SYSTEM is not supported", "Use SET, or the options of omgdb serve."},
}

// define binds the CREATE statements whose options are a list in parentheses.
func (b *binder) define(x *pg_query.DefineStmt) (plan.Statement, error) {
	if x.Kind == pg_query.ObjectType_OBJECT_AGGREGATE {
		return b.createAggregate(x)
	}
	return nil, dberr.New(dberr.FeatureNotSupported, "this kind of object is not supported").
		WithHint("Operators, base types and text search objects are built in.")
}

func is[T any](n *pg_query.Node) bool {
	_, ok := any(n.GetNode()).(T)
	return ok
}

// refused names what to use instead of a statement that OMGDB does not have.
func (b *binder) refused(n *pg_query.Node) (plan.Statement, bool, error) {
	for _, a := range alternatives {
		if a.match(n) {
			return nil, true, dberr.New(dberr.FeatureNotSupported, "%s", a.what).WithHint("%s", a.hint)
		}
	}
	return nil, false, nil
}
