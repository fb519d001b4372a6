// Package builtin assembles the registry of all built-in functions, by value.
package builtin

import (
	"fmt"
	"slices"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/functions/agg"
	"github.com/omgdb/omgdb/functions/extension"
	"github.com/omgdb/omgdb/functions/geometric"
	"github.com/omgdb/omgdb/functions/jsonfunc"
	"github.com/omgdb/omgdb/functions/jsonpath"
	"github.com/omgdb/omgdb/functions/pgfacts"
	"github.com/omgdb/omgdb/functions/scalar"
	"github.com/omgdb/omgdb/functions/sysfunc"
	"github.com/omgdb/omgdb/functions/table"
	"github.com/omgdb/omgdb/functions/tsearch"
	"github.com/omgdb/omgdb/functions/window"
	"github.com/omgdb/omgdb/storage/value"
)

// New makes the registry of PostgreSQL's functions that OMGDB has, with the operators and casts that stand on them, and of more.
// It fails only on a mistake in a table of entries.
func New(more functions.Entries) (*functions.Registry, error) {
	e, err := Entries()
	if err != nil {
		return nil, err
	}
	r, err := functions.NewRegistry(e)
	if err != nil {
		return nil, err
	}
	return r.With(more)
}

// Entries completes the entries of all families with their facts and derives operators and casts.
func Entries() (functions.Entries, error) {
	var e functions.Entries
	byOID := map[uint32]*functions.Scalar{}
	for _, family := range slices.Concat(scalar.Families(), jsonfunc.Scalars(), sysfunc.Scalars(), jsonpath.Scalars(), tsearch.Scalars(), geometric.Scalars(), [][]functions.Def{agg.Scalars()}) {
		for i := range family {
			s, err := family[i].Scalar()
			if err != nil {
				return e, err
			}
			if byOID[s.OID] != nil {
				return e, fmt.Errorf("%s is defined twice", family[i].Sig)
			}
			byOID[s.OID] = s
			e.Scalars = append(e.Scalars, s)
		}
	}
	if err := addOthers(&e); err != nil {
		return e, err
	}
	e.Operators = append(operators(byOID), scalar.Operators()...)
	e.Casts = append(casts(byOID), scalar.Casts()...)
	return e, nil
}

func addOthers(e *functions.Entries) error {
	for _, family := range append(agg.Families(), jsonfunc.Aggregates()) {
		for i := range family {
			a, err := family[i].Aggregate()
			if err != nil {
				return err
			}
			e.Aggregates = append(e.Aggregates, a)
		}
	}
	for _, d := range window.Functions() {
		w, err := d.Window()
		if err != nil {
			return err
		}
		e.Windows = append(e.Windows, w)
	}
	for _, family := range append(table.Families(), jsonfunc.Tables(), jsonpath.Tables(), sysfunc.Tables(), tsearch.Tables()) {
		for i := range family {
			t, s, err := family[i].Table()
			if err != nil {
				return err
			}
			e.Tables = append(e.Tables, t)
			e.Scalars = append(e.Scalars, s)
		}
	}
	e.Scalars = append(e.Scalars, scalar.Own()...)
	e.Scalars = append(e.Scalars, extension.Scalars()...)
	e.Aggregates = append(e.Aggregates, agg.Own()...)
	e.Tables = append(e.Tables, sysfunc.InfoTables()...)
	e.Scalars = append(e.Scalars, sysfunc.InfoScalars()...)
	return nil
}

// operators makes PostgreSQL's operators over the functions that exist.
func operators(byOID map[uint32]*functions.Scalar) []*functions.Operator {
	var out []*functions.Operator
	for _, o := range pgfacts.Load().Operators {
		fn := byOID[o.Proc]
		if fn == nil {
			continue
		}
		out = append(out, &functions.Operator{
			OID: o.OID, Name: o.Name, Left: value.ByOID(o.Left), Right: value.ByOID(o.Right), Ret: value.ByOID(o.Ret), Fn: fn,
			Commutator: o.Commutator, Negator: o.Negator,
		})
	}
	return out
}

// casts makes PostgreSQL's casts: binary coercible ones and those whose function exists.
func casts(byOID map[uint32]*functions.Scalar) []*functions.Cast {
	var out []*functions.Cast
	for _, c := range pgfacts.Load().Casts {
		fn := byOID[c.Proc]
		if c.Method == 'f' && fn == nil || c.Method == 'i' {
			continue
		}
		from, to := value.ByOID(c.From), value.ByOID(c.To)
		if c.Method == 'b' {
			fn = scalar.Relabel(from, to)
		}
		out = append(out, &functions.Cast{From: from, To: to, Context: functions.CastContext(c.Context), Fn: fn})
	}
	return out
}
