package functions

import (
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/value"
)

// ProcArg is an argument of a user's function, or a column of its result.
type ProcArg struct {
	Param
	Mode byte // i in, o out, b inout, v variadic, t column of RETURNS TABLE
}

// Shown tells whether the argument stands in the function's list of arguments; columns of RETURNS TABLE stand in its result.
func (a *ProcArg) Shown() bool { return a.Mode != 't' }

// UserProc describes a function that a user wrote. typeOf finds types by OID.
func UserProc(f *catalog.Function, typeOf func(oid uint32) *value.Type) *Proc {
	known := func(oid uint32) *value.Type {
		if t := typeOf(oid); t != nil {
			return t
		}
		return value.Unknown
	}
	p := &Proc{OID: uint32(f.ID), Schema: uint32(f.Schema), Owner: uint32(f.Owner), Name: f.Name, Kind: f.Kind, Ret: known(f.Ret), Set: f.SetOf,
		Strict: f.Strict, Direct: -1, Vol: Volatility(f.Volatility), Rows: float64(f.Rows), Cost: float64(f.Cost), Descr: f.Comment, Language: f.LanguageName(), Source: f.Body, ACL: f.ACL,
		Parallel: f.Parallel}
	for i := range f.Args {
		a := &f.Args[i]
		q := Param{Name: a.Name, Type: known(a.Type), Default: a.Default}
		p.Args = append(p.Args, ProcArg{q, a.Mode})
		if a.In() {
			p.Params, p.Variadic = append(p.Params, q), p.Variadic || a.Mode == 'v'
		} else {
			p.Out = append(p.Out, q)
		}
	}
	return p
}
