package ast

import pg_query "github.com/pganalyze/pg_query_go/v5"

// Actions of ALTER TABLE about triggers.
const (
	AlterTableType_AT_DisableTrigAll  = pg_query.AlterTableType_AT_DisableTrigAll
	AlterTableType_AT_DisableTrigUser = pg_query.AlterTableType_AT_DisableTrigUser
	AlterTableType_AT_EnableTrigAll   = pg_query.AlterTableType_AT_EnableTrigAll
	AlterTableType_AT_EnableTrigUser  = pg_query.AlterTableType_AT_EnableTrigUser
)
