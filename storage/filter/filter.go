// Package filter is the Mongo-filter engine: parse, AST, compile, match on raw BSON, index bounds.
package filter

// Expr is a node of a filter's AST; immutable. String prints it as EXPLAIN shows it.
type Expr interface{ String() string }
