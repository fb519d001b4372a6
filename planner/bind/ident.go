package bind

import "github.com/omgdb/omgdb/planner/plan"

// quoteIdent quotes a name where SQL needs it.
func quoteIdent(name string) string { return plan.QuoteIdent(name) }
