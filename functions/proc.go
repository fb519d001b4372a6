package functions

import (
	"slices"

	"github.com/omgdb/omgdb/functions/pgfacts"
	"github.com/omgdb/omgdb/storage/value"
)

// Proc describes a function as pg_proc does: an entry of the registry, or a function that a user made.
type Proc struct {
	OID      uint32
	Schema   uint32 // of a user's function; 0: built in
	Owner    uint32 // of a user's function
	Name     string
	Kind     byte    // f function, a aggregate, w window function, p procedure
	Params   []Param // input parameters
	Out      []Param // columns of a function that returns rows of several columns
	Ret      *value.Type
	Set      bool
	Strict   bool
	Variadic bool
	Direct   int // of an ordered-set aggregate: how many parameters stand before ORDER BY; -1 otherwise
	Vol      Volatility
	Rows     float64
	Cost     float64 // of a user's function
	Descr    string
	Language string // "" : internal
	Parallel byte   // of a user's function: s, r, u
	Source   string // text of a user's function
	ACL      []string
	Args     []ProcArg // of a user's function: all of them, in their order
}

// Procs lists the functions of the registry as pg_proc shows them, in the order of their kinds.
func (r *Registry) Procs() []Proc {
	r.procsOnce.Do(func() { r.procs = r.makeProcs() })
	return r.procs
}

// Proc finds a function of the registry by OID, nil when there is none.
func (r *Registry) Proc(oid uint32) *Proc {
	all := r.Procs()
	if i, ok := r.procAt[oid]; ok {
		return &all[i]
	}
	return nil
}

func (r *Registry) makeProcs() []Proc {
	var out []Proc
	tables := map[uint32]bool{}
	for _, t := range r.all.Tables {
		tables[t.OID] = true
		p := Proc{OID: t.OID, Name: t.Name, Kind: 'f', Params: t.Params, Ret: value.RecordType, Set: !t.Single, Strict: t.Strict, Variadic: t.Variadic,
			Direct: -1, Vol: t.Volatility, Rows: t.Rows, Descr: t.Descr}
		if t.Scalar && len(t.Cols) == 1 {
			p.Ret = t.Cols[0].Type
		} else {
			p.Out = t.Cols
		}
		if p.Rows == 0 {
			p.Rows = 1000
		}
		out = append(out, p)
	}
	for _, f := range r.all.Scalars {
		if !f.Hidden && !tables[f.OID] {
			out = append(out, Proc{OID: f.OID, Name: f.Name, Kind: 'f', Params: f.Params, Ret: f.Ret, Strict: f.Strict, Variadic: f.Variadic,
				Direct: -1, Vol: f.Volatility, Descr: f.Descr})
		}
	}
	for _, f := range r.all.Aggregates {
		p := Proc{OID: f.OID, Name: f.Name, Kind: 'a', Params: f.Params, Ret: f.Ret, Variadic: f.Variadic, Direct: -1, Vol: Immutable, Descr: f.Descr}
		if f.OrderedSet {
			p.Direct = f.NumDirect
		}
		out = append(out, p)
	}
	for _, f := range r.all.Windows {
		out = append(out, Proc{OID: f.OID, Name: f.Name, Kind: 'w', Params: f.Params, Ret: f.Ret, Direct: -1, Vol: Immutable, Descr: f.Descr})
	}
	out = append(out, internalProcs()...)
	r.procAt = make(map[uint32]int, len(out))
	for i := range slices.Backward(out) { // of two entries with one OID the first counts
		r.procAt[out[i].OID] = i
	}
	return out
}

// internalProcs lists the functions that catalogs name and no statement calls. Types that only they have are those of pg_type when it shows
// them, and otherwise unknown.
func internalProcs() []Proc {
	known := func(oid uint32) *value.Type {
		if t := value.ByOID(oid); t != nil {
			return t
		}
		return value.Internal
	}
	facts := pgfacts.Load().Internals
	out := make([]Proc, len(facts))
	for i := range facts {
		f := &facts[i]
		p := Proc{OID: f.OID, Name: f.Name, Kind: 'f', Ret: known(f.Ret), Strict: f.Strict, Direct: -1, Vol: Volatility(f.Volatility)}
		for _, a := range f.Args {
			p.Params = append(p.Params, Param{Type: known(a)})
		}
		out[i] = p
	}
	return out
}
