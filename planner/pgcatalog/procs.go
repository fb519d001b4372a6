package pgcatalog

import (
	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/value"
)

// proc is a row of pg_proc: an entry of the registry.
type proc struct {
	oid      uint32
	name     string
	kind     byte // f, a, w
	params   []functions.Param
	out      []functions.Param // of a function that returns rows
	ret      *value.Type
	set      bool
	strict   bool
	variadic bool
	vol      functions.Volatility
	rows     float64
	descr    string
}

func (w *world) procs() []proc {
	e := w.set.registry.Entries()
	var out []proc
	tables := map[uint32]bool{}
	for _, t := range e.Tables {
		tables[t.OID] = true
		p := proc{oid: t.OID, name: t.Name, kind: 'f', params: t.Params, ret: value.RecordType, set: !t.Single, strict: t.Strict, variadic: t.Variadic,
			vol: t.Volatility, rows: t.Rows, descr: t.Descr}
		if t.Scalar && len(t.Cols) == 1 {
			p.ret = t.Cols[0].Type
		} else {
			p.out = t.Cols
		}
		if p.rows == 0 {
			p.rows = 1000
		}
		out = append(out, p)
	}
	for _, f := range e.Scalars {
		if !f.Hidden && !tables[f.OID] {
			out = append(out, proc{oid: f.OID, name: f.Name, kind: 'f', params: f.Params, ret: f.Ret, strict: f.Strict, variadic: f.Variadic,
				vol: f.Volatility, descr: f.Descr})
		}
	}
	for _, f := range e.Aggregates {
		out = append(out, proc{oid: f.OID, name: f.Name, kind: 'a', params: f.Params, ret: f.Ret, variadic: f.Variadic, vol: functions.Immutable, descr: f.Descr})
	}
	for _, f := range e.Windows {
		out = append(out, proc{oid: f.OID, name: f.Name, kind: 'w', params: f.Params, ret: f.Ret, vol: functions.Immutable, descr: f.Descr})
	}
	return out
}

// firstOwn is where OMGDB's own objects have their OIDs, below the users'.
const firstOwn = 8000

func (p proc) namespace() catalog.ID {
	if p.oid >= firstOwn || p.oid == 0 {
		return omgdbSchema
	}
	return catalog.PgCatalogSchema
}

func (p proc) argTypes() []uint32 {
	out := make([]uint32, len(p.params))
	for i, a := range p.params {
		out[i] = a.Type.OID
	}
	return out
}

// allTypes, modes and names describe input and output columns together, NULL when there are no output columns.
func (p proc) allTypes() value.Value {
	if len(p.out) == 0 {
		return value.Null
	}
	all := p.argTypes()
	for _, c := range p.out {
		all = append(all, c.Type.OID)
	}
	return array(value.OID, all)
}

func (p proc) modes() value.Value {
	if len(p.out) == 0 && !p.variadic {
		return value.Null
	}
	var modes []value.Value
	for i := range p.params {
		m := "i"
		if p.variadic && i == len(p.params)-1 {
			m = "v"
		}
		modes = append(modes, text(m))
	}
	for range p.out {
		modes = append(modes, text("t"))
	}
	return value.Box(value.NewArray(value.Char, modes))
}

func (p proc) names() value.Value {
	named := len(p.out) > 0
	var names []value.Value
	for _, a := range p.params {
		named = named || a.Name != ""
		names = append(names, text(a.Name))
	}
	for _, c := range p.out {
		names = append(names, text(c.Name))
	}
	if !named {
		return value.Null
	}
	return value.Box(value.NewArray(value.Text, names))
}

func (p proc) defaults() int {
	n := 0
	for _, a := range p.params {
		if a.Default != "" {
			n++
		}
	}
	return n
}

func (p proc) variadicType() uint32 {
	if !p.variadic || len(p.params) == 0 {
		return 0
	}
	t := p.params[len(p.params)-1].Type
	if t.Elem != nil {
		return t.Elem.OID
	}
	return t.OID
}

func typeOID(t *value.Type) value.Value {
	if t == nil {
		return oid(uint32(0))
	}
	return oid(t.OID)
}

var pgProc = of[proc]{
	items: (*world).procs,
	cols: map[string]func(*world, proc) value.Value{
		"oid":             func(_ *world, p proc) value.Value { return oid(p.oid) },
		"proname":         func(_ *world, p proc) value.Value { return text(p.name) },
		"pronamespace":    func(_ *world, p proc) value.Value { return oid(p.namespace()) },
		"proowner":        func(*world, proc) value.Value { return oid(catalog.SuperRole) },
		"prolang":         func(*world, proc) value.Value { return oid(uint32(12)) },
		"procost":         func(*world, proc) value.Value { return value.Float(1) },
		"prorows":         func(_ *world, p proc) value.Value { return value.Float(map[bool]float64{true: p.rows}[p.set]) },
		"provariadic":     func(_ *world, p proc) value.Value { return oid(p.variadicType()) },
		"prokind":         func(_ *world, p proc) value.Value { return char(p.kind) },
		"proisstrict":     func(_ *world, p proc) value.Value { return value.Bool(p.strict) },
		"proretset":       func(_ *world, p proc) value.Value { return value.Bool(p.set) },
		"provolatile":     func(_ *world, p proc) value.Value { return char(byte(p.vol)) },
		"proparallel":     func(*world, proc) value.Value { return char('s') },
		"pronargs":        func(_ *world, p proc) value.Value { return num(len(p.params)) },
		"pronargdefaults": func(_ *world, p proc) value.Value { return num(p.defaults()) },
		"prorettype":      func(_ *world, p proc) value.Value { return typeOID(p.ret) },
		"proargtypes":     func(_ *world, p proc) value.Value { return vector(value.OID, p.argTypes()) },
		"proallargtypes":  func(_ *world, p proc) value.Value { return p.allTypes() },
		"proargmodes":     func(_ *world, p proc) value.Value { return p.modes() },
		"proargnames":     func(_ *world, p proc) value.Value { return p.names() },
		"prosrc":          func(_ *world, p proc) value.Value { return text(p.name) },
	},
}

var pgAggregate = of[*functions.Aggregate]{
	items: func(w *world) []*functions.Aggregate { return w.set.registry.Entries().Aggregates },
	cols: map[string]func(*world, *functions.Aggregate) value.Value{
		"aggfnoid": func(_ *world, a *functions.Aggregate) value.Value { return oid(a.OID) },
		"aggkind": func(_ *world, a *functions.Aggregate) value.Value {
			switch {
			case a.Hypothetical:
				return char('h')
			case a.OrderedSet:
				return char('o')
			}
			return char('n')
		},
		"aggnumdirectargs": func(_ *world, a *functions.Aggregate) value.Value { return num(a.NumDirect) },
		"aggtranstype":     func(_ *world, a *functions.Aggregate) value.Value { return typeOID(a.Ret) },
	},
}

var pgOperator = of[*functions.Operator]{
	items: func(w *world) []*functions.Operator { return w.set.registry.Entries().Operators },
	cols: map[string]func(*world, *functions.Operator) value.Value{
		"oid":          func(_ *world, o *functions.Operator) value.Value { return oid(o.OID) },
		"oprname":      func(_ *world, o *functions.Operator) value.Value { return text(o.Name) },
		"oprnamespace": func(*world, *functions.Operator) value.Value { return oid(catalog.PgCatalogSchema) },
		"oprowner":     func(*world, *functions.Operator) value.Value { return oid(catalog.SuperRole) },
		"oprkind": func(_ *world, o *functions.Operator) value.Value {
			return char(map[bool]byte{true: 'l', false: 'b'}[o.Left == nil])
		},
		"oprleft":   func(_ *world, o *functions.Operator) value.Value { return typeOID(o.Left) },
		"oprright":  func(_ *world, o *functions.Operator) value.Value { return typeOID(o.Right) },
		"oprresult": func(_ *world, o *functions.Operator) value.Value { return typeOID(o.Ret) },
		"oprcode":   func(_ *world, o *functions.Operator) value.Value { return oid(o.Fn.OID) },
	},
}

var pgCast = of[*functions.Cast]{
	items: func(w *world) []*functions.Cast { return w.set.registry.Entries().Casts },
	cols: map[string]func(*world, *functions.Cast) value.Value{
		"oid":        func(_ *world, c *functions.Cast) value.Value { return oid(c.From.OID<<16 ^ c.To.OID | 1<<31) },
		"castsource": func(_ *world, c *functions.Cast) value.Value { return typeOID(c.From) },
		"casttarget": func(_ *world, c *functions.Cast) value.Value { return typeOID(c.To) },
		"castfunc": func(_ *world, c *functions.Cast) value.Value {
			if c.Fn == nil {
				return oid(uint32(0))
			}
			return oid(c.Fn.OID)
		},
		"castcontext": func(_ *world, c *functions.Cast) value.Value { return char(byte(c.Context)) },
		"castmethod": func(_ *world, c *functions.Cast) value.Value {
			return char(map[bool]byte{true: 'b', false: 'f'}[c.Fn == nil])
		},
	},
}
