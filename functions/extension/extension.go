// Package extension holds the functions of PostgreSQL's extensions that are built in, a file per extension. They are there whether or not
// CREATE EXTENSION was said, and may be called as if they lived in public. OIDs: 9700–9719 are uuid-ossp's, 9720–9769 pgcrypto's.
package extension

import (
	"context"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/value"
)

type val = value.Value

// Extension is an extension of PostgreSQL whose types and functions are built in.
type Extension struct {
	OID         uint32
	Name        string
	Version     string
	Comment     string
	Relocatable bool
}

// All lists the extensions that CREATE EXTENSION takes.
var All = []Extension{
	{13542, "plpgsql", "1.0", "PL/pgSQL procedural language", false},
	{8990, "vector", "0.8.0", "vector data type and ivfflat and hnsw access methods", true},
	{8991, "uuid-ossp", "1.1", "generate universally unique identifiers (UUIDs)", true},
	{8992, "pgcrypto", "1.3", "cryptographic functions", true},
}

// Known tells whether the extension is built in.
func Known(name string) bool {
	for i := range All {
		if All[i].Name == name {
			return true
		}
	}
	return false
}

// Scalars lists the functions.
func Scalars() []*functions.Scalar {
	return append(entries(9700, uuids()), entries(9720, crypto())...)
}

// fn is a function of an extension. All of them are strict.
type fn struct {
	name     string
	params   []functions.Param
	ret      *value.Type
	volatile bool
	eval     functions.EvalFunc
}

// entries completes functions, whose OIDs follow from the place in the list.
func entries(oid uint32, list []fn) []*functions.Scalar {
	out := make([]*functions.Scalar, len(list))
	for i, f := range list {
		vol := functions.Immutable
		if f.volatile {
			vol = functions.Volatile
		}
		out[i] = &functions.Scalar{OID: oid + uint32(i), Name: f.name, Params: f.params, Ret: f.ret, Strict: true, Volatility: vol, Eval: f.eval}
	}
	return out
}

// types makes parameters without names.
func types(list ...*value.Type) []functions.Param {
	out := make([]functions.Param, len(list))
	for i, t := range list {
		out[i].Type = t
	}
	return out
}

// pure makes an Eval of a function that can't fail, try of one that can.
func pure(f func(a []val) val) functions.EvalFunc {
	return func(_ context.Context, _ *functions.Call, a []val) (val, error) { return f(a), nil }
}

func try(f func(a []val) (val, error)) functions.EvalFunc {
	return func(_ context.Context, _ *functions.Call, a []val) (val, error) { return f(a) }
}
