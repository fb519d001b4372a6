// Package jsonfunc holds PostgreSQL's functions on json and jsonb (manual, section 9.16), a file per family. jsonb functions work on the BSON
// form in place; json functions on the text, which they keep as it is.
package jsonfunc

import (
	"context"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

type (
	def  = functions.Def
	call = functions.Call
	val  = value.Value
	eval = functions.EvalFunc
)

// Scalars lists the families of scalar functions.
func Scalars() [][]def { return [][]def{access(), textAccess(), changes(), build(), casts()} }

// Aggregates lists the aggregates.
func Aggregates() []functions.AggDef { return aggregates() }

// Tables lists the set-returning functions.
func Tables() []functions.TableDef { return tables() }

func pure(f func(a []val) val) eval {
	return func(_ context.Context, _ *call, a []val) (val, error) { return f(a), nil }
}

func try(f func(a []val) (val, error)) eval {
	return func(_ context.Context, _ *call, a []val) (val, error) { return f(a) }
}

func with(f func(c *call, a []val) (val, error)) eval {
	return func(_ context.Context, c *call, a []val) (val, error) { return f(c, a) }
}

// format gives the session's format, or the default where there is no session.
func format(c *call) *typeio.Format {
	if c != nil && c.Env != nil && c.Env.Format != nil {
		return c.Env.Format
	}
	return typeio.Default
}

// jsonbOr gives d as jsonb, NULL when it is missing.
func jsonbOr(d doc.Value) val {
	if d.Missing() {
		return value.Null
	}
	return typeio.JSONB(d)
}

// textOr gives d as ->> does: NULL when it is missing or JSON null.
func textOr(d doc.Value) val {
	if d.Missing() {
		return value.Null
	}
	t, ok := d.AppendText(nil)
	if !ok {
		return value.Null
	}
	return value.Bytes(t)
}

// texts reads a text[] argument as a path.
func texts(v val) doc.PathArg {
	arr := v.Box().(*value.Array)
	p := make(doc.PathArg, len(arr.Elems))
	for i, e := range arr.Elems {
		p[i] = doc.PathElem{Text: e.Str(), Null: e.IsNull()}
	}
	return p
}

// strs lists the elements of a text[] argument that are not NULL.
func strs(v val) []string {
	arr := v.Box().(*value.Array)
	out := make([]string, 0, len(arr.Elems))
	for _, e := range arr.Elems {
		if !e.IsNull() {
			out = append(out, e.Str())
		}
	}
	return out
}
