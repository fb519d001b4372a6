package ast

import pg_query "github.com/pganalyze/pg_query_go/v5"

// Statements about roles' objects, rights and settings.
type (
	AlterDefaultPrivilegesStmt      = pg_query.AlterDefaultPrivilegesStmt
	Node_AlterDatabaseSetStmt       = pg_query.Node_AlterDatabaseSetStmt
	Node_AlterDefaultPrivilegesStmt = pg_query.Node_AlterDefaultPrivilegesStmt
	Node_AlterRoleSetStmt           = pg_query.Node_AlterRoleSetStmt
	Node_DropOwnedStmt              = pg_query.Node_DropOwnedStmt
	Node_ReassignOwnedStmt          = pg_query.Node_ReassignOwnedStmt
)
