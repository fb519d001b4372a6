// Package sysfunc holds PostgreSQL's system functions (manual, sections 9.17, 9.26 and 9.27): information about the session and the catalog,
// settings, sequences, advisory locks, signals.
package sysfunc

import (
	"context"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/value"
)

type (
	def  = functions.Def
	call = functions.Call
	val  = value.Value
	eval = functions.EvalFunc
)

// Scalars lists the families of scalar functions.
func Scalars() [][]def {
	return [][]def{session(), settings(), sequenceFunctions(), advisory(), visibility(), descriptions(), definitions(), procFunctions(), privileges(), sizes(), server(), largeObjects(), replication()}
}

// env lifts a function of the world that needs no context.
func env(f func(e *functions.Env, a []val) (val, error)) eval {
	return func(_ context.Context, c *call, a []val) (val, error) { return f(c.Env, a) }
}

// fixed gives the same value to every call.
func fixed(v val) eval {
	return func(context.Context, *call, []val) (val, error) { return v, nil }
}

func text(s string) val { return value.String(s) }

// textOrNull gives NULL for "".
func textOrNull(s string) val {
	if s == "" {
		return value.Null
	}
	return text(s)
}
