// Package scalar holds the scalar functions, a file per family. An entry is a functions.Def: a signature and what computes it;
// package builtin adds PostgreSQL's facts. Operators and casts are made from the functions that implement them.
package scalar

import (
	"context"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

type (
	def  = functions.Def
	call = functions.Call
	val  = value.Value
	eval = functions.EvalFunc
)

// Families lists the families of functions.
func Families() [][]def {
	return [][]def{
		comparisons(), integers(), floats(), numerics(), mathFunctions(),
		textFunctions(), quoting(), binaryForms(), bytesFunctions(), likeFunctions(), textCasts(),
		dateArithmetic(), dateCasts(), orderedPairs(), dateFields(), dateFunctions(), zoneFunctions(), arrayFunctions(), regexFunctions(), formatting(),
		miscellany(), unicodeFunctions(), rangeFunctions(), netFunctions(), bitFunctions(), enumFunctions(), moreComparisons(),
	}
}

// Operators lists operators that PostgreSQL doesn't have.
func Operators() []*functions.Operator {
	_, ops := vectors()
	return ops
}

// Casts lists casts that PostgreSQL makes through text or that it doesn't have.
func Casts() []*functions.Cast { return vecCasts() }

// Own lists functions that PostgreSQL doesn't have, and hidden ones behind Operators and Casts.
func Own() []*functions.Scalar {
	fns, _ := vectors()
	return fns
}

// The adapters turn a function of arguments into an entry's Eval: pure can't fail, try can, with wants the call, in wants the context too.

func pure(f func(a []val) val) eval {
	return func(_ context.Context, _ *call, a []val) (val, error) { return f(a), nil }
}

func try(f func(a []val) (val, error)) eval {
	return func(_ context.Context, _ *call, a []val) (val, error) { return f(a) }
}

func with(f func(c *call, a []val) (val, error)) eval {
	return func(_ context.Context, c *call, a []val) (val, error) { return f(c, a) }
}

func outOfRange(typ string) error {
	return dberr.New(dberr.NumericValueOutOfRange, "%s out of range", typ)
}

// format gives the session's format, or the default where there is no session.
func format(c *call) *typeio.Format {
	if c != nil && c.Env != nil && c.Env.Format != nil {
		return c.Env.Format
	}
	return typeio.Default
}

// argType gives the resolved type of argument i, or def where the call site doesn't say.
func argType(c *call, i int, def *value.Type) *value.Type {
	if c != nil && i < len(c.Args) && c.Args[i] != nil {
		return c.Args[i]
	}
	return def
}
