package pgcatalog

import (
	"cmp"

	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/value"
)

// aggregate is a row of pg_aggregate: of a built-in aggregate what PostgreSQL says of it, where that has it, of a user's its parts.
type aggregate struct {
	proc  proc
	row   staticRow
	parts *catalog.AggregateParts
}

func (w *world) aggregates() []aggregate {
	rows := map[uint32]staticRow{}
	for _, r := range staticRows()["pg_catalog.pg_aggregate"] {
		rows[staticOID(r["aggfnoid"])] = r
	}
	var out []aggregate
	for _, p := range w.procs() {
		if p.Kind != 'a' {
			continue
		}
		a := aggregate{proc: p, row: rows[p.OID]}
		if f, _ := w.view.Get(catalog.FunctionClass, catalog.ID(p.OID)).(*catalog.Function); f != nil {
			a.parts = f.Agg
		}
		out = append(out, a)
	}
	return out
}

// kind is aggkind: normal, ordered-set or hypothetical-set.
func (a aggregate) kind() byte {
	switch {
	case a.row != nil:
		return a.row["aggkind"][0]
	case a.proc.Direct >= 0:
		return 'o'
	}
	return 'n'
}

// said makes a column of what PostgreSQL says of a built-in aggregate, and of the others what part tells, or an OID 0.
func said(column string, part func(a aggregate) uint32) func(*world, aggregate) value.Value {
	return func(_ *world, a aggregate) value.Value {
		switch {
		case a.row != nil:
			return oid(staticOID(a.row[column]))
		case part == nil:
			return oid(uint32(0))
		}
		return oid(part(a))
	}
}

// partOf gives a part of a user's aggregate, 0 for OMGDB's own ones.
func partOf(f func(p *catalog.AggregateParts) uint32) func(aggregate) uint32 {
	return func(a aggregate) uint32 {
		if a.parts == nil {
			return 0
		}
		return f(a.parts)
	}
}

// initial makes a column of the text of a first state.
func initial(column string, own func(p *catalog.AggregateParts) value.Value) func(*world, aggregate) value.Value {
	return func(_ *world, a aggregate) value.Value {
		if v, ok := a.row[column]; ok {
			return text(v)
		}
		if a.parts != nil && own != nil {
			return own(a.parts)
		}
		return value.Null
	}
}

func firstState(p *catalog.AggregateParts) value.Value {
	if !p.HasInit {
		return value.Null
	}
	return text(p.Init)
}

var pgAggregate = of[aggregate]{
	items: (*world).aggregates,
	cols: map[string]func(*world, aggregate) value.Value{
		"aggfnoid":         func(_ *world, a aggregate) value.Value { return oid(a.proc.OID) },
		"aggkind":          func(_ *world, a aggregate) value.Value { return char(a.kind()) },
		"aggnumdirectargs": func(_ *world, a aggregate) value.Value { return num(max(a.proc.Direct, 0)) },
		"aggtransfn":       said("aggtransfn", partOf(func(p *catalog.AggregateParts) uint32 { return p.Trans })),
		"aggfinalfn":       said("aggfinalfn", partOf(func(p *catalog.AggregateParts) uint32 { return p.Final })),
		"aggcombinefn":     said("aggcombinefn", nil), "aggserialfn": said("aggserialfn", nil), "aggdeserialfn": said("aggdeserialfn", nil),
		"aggmtransfn": said("aggmtransfn", nil), "aggminvtransfn": said("aggminvtransfn", nil), "aggmfinalfn": said("aggmfinalfn", nil),
		"aggfinalextra": func(_ *world, a aggregate) value.Value {
			return value.Bool(a.row["aggfinalextra"] == "t" || a.parts != nil && a.parts.Extra)
		},
		"aggmfinalextra":  func(_ *world, a aggregate) value.Value { return value.Bool(a.row["aggmfinalextra"] == "t") },
		"aggfinalmodify":  func(_ *world, a aggregate) value.Value { return text(cmp.Or(a.row["aggfinalmodify"], "r")) },
		"aggmfinalmodify": func(_ *world, a aggregate) value.Value { return text(cmp.Or(a.row["aggmfinalmodify"], "r")) },
		"aggtransspace":   said("aggtransspace", nil), "aggmtransspace": said("aggmtransspace", nil), "aggsortop": said("aggsortop", nil), "aggmtranstype": said("aggmtranstype", nil),
		"aggtranstype": said("aggtranstype", func(a aggregate) uint32 {
			switch {
			case a.parts != nil:
				return a.parts.State
			case a.proc.Ret != nil:
				return a.proc.Ret.OID
			}
			return 0
		}),
		"agginitval": initial("agginitval", firstState), "aggminitval": initial("aggminitval", nil),
	},
}
