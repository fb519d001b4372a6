package pgcatalog

import (
	"cmp"
	"slices"
	"sync"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/value"
)

// proc is a row of pg_proc: an entry of the registry, or a user's function.
type proc struct{ *functions.Proc }

func (w *world) procs() []proc {
	all := w.set.registry.Procs()
	out := make([]proc, len(all))
	for i := range all {
		out[i] = proc{&all[i]}
	}
	for _, f := range w.view.Functions(0) {
		if sc := w.view.SchemaByID(f.Schema); sc != nil && sc.Database == w.view.Database() {
			out = append(out, proc{functions.UserProc(f, w.typeByOID)})
		}
	}
	return out
}

// typeByOID finds a type, nil when there is none.
func (w *world) typeByOID(oid uint32) *value.Type {
	if t := value.ByOID(oid); t != nil {
		return t
	}
	for _, t := range w.types() {
		if t.t.OID == oid {
			return t.t
		}
	}
	if w.view != nil && w.view.RelationByID(catalog.RelationOfRows(oid)) != nil && catalog.RowType(catalog.ID(oid)) != oid {
		return w.typeByOID(catalog.RowType(catalog.ID(oid)))
	}
	return nil
}

// firstInfo is where the functions of information_schema have theirs.
const firstInfo = 13000

// InInformationSchema tells whether the function is one of information_schema's.
func InInformationSchema(oid uint32) bool { return oid >= firstInfo && oid < firstInfo+1000 }

// namespace is the schema that a function shows in. OMGDB's own ones can be called without a schema, like PostgreSQL's, and stand with
// them: dumps leave out what is in pg_catalog.
func (p proc) namespace() catalog.ID {
	switch {
	case p.Schema != 0:
		return catalog.ID(p.Schema)
	case InInformationSchema(p.OID):
		return informationSchema
	}
	return catalog.PgCatalogSchema
}

func (p proc) argTypes() []uint32 {
	out := make([]uint32, len(p.Params))
	for i, a := range p.Params {
		out[i] = a.Type.OID
	}
	return out
}

// allTypes, modes and names describe input and output columns together, NULL when there are no output columns.
func (p proc) allTypes() value.Value {
	if !p.moded() {
		return value.Null
	}
	var all []uint32
	for _, a := range p.arguments() {
		all = append(all, a.Type.OID)
	}
	return array(value.OID, all)
}

// moded tells whether an argument is anything but input.
func (p proc) moded() bool {
	return slices.ContainsFunc(p.arguments(), func(a functions.ProcArg) bool { return a.Mode != 'i' })
}

// arguments lists input and output arguments in order.
func (p proc) arguments() []functions.ProcArg {
	if p.Args != nil {
		return p.Args
	}
	var out []functions.ProcArg
	for i, a := range p.Params {
		mode := byte('i')
		if p.Variadic && i == len(p.Params)-1 {
			mode = 'v'
		}
		out = append(out, functions.ProcArg{Param: a, Mode: mode})
	}
	for _, a := range p.Out {
		out = append(out, functions.ProcArg{Param: a, Mode: 'o'})
	}
	return out
}

func (p proc) modes() value.Value {
	if !p.moded() {
		return value.Null
	}
	var modes []value.Value
	for _, a := range p.arguments() {
		modes = append(modes, text(string(rune(a.Mode))))
	}
	return value.Box(value.NewArray(value.Char, modes))
}

func (p proc) names() value.Value {
	named := len(p.Out) > 0 && p.Args == nil
	var names []value.Value
	add := func(a functions.Param) {
		named = named || a.Name != ""
		names = append(names, text(a.Name))
	}
	for _, a := range p.Args {
		add(a.Param)
	}
	if p.Args == nil {
		for _, a := range append(p.Params[:len(p.Params):len(p.Params)], p.Out...) {
			add(a)
		}
	}
	if !named {
		return value.Null
	}
	return value.Box(value.NewArray(value.Text, names))
}

func (p proc) defaults() int {
	n := 0
	for _, a := range p.Params {
		if a.Default != "" {
			n++
		}
	}
	return n
}

// source is the body of a user's function, and the name of what a built-in one runs.
func (p proc) source() string {
	switch {
	case p.Kind == 'a':
		return "aggregate_dummy"
	case p.Language != "":
		return p.Source
	}
	return p.Name
}

func (p proc) variadicType() uint32 {
	if !p.Variadic || len(p.Params) == 0 {
		return 0
	}
	t := p.Params[len(p.Params)-1].Type
	if t.Elem != nil {
		return t.Elem.OID
	}
	return t.OID
}

func (p proc) owner() catalog.ID {
	if p.Owner == 0 {
		return catalog.SuperRole
	}
	return catalog.ID(p.Owner)
}

// languageOID finds a language by name; "" is the built-in functions' own.
func languageOID(name string) uint32 {
	if name == "" {
		name = "internal"
	}
	for _, l := range languages {
		if l.name == name {
			return l.oid
		}
	}
	return 0
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
		"oid":          func(_ *world, p proc) value.Value { return oid(p.OID) },
		"proname":      func(_ *world, p proc) value.Value { return text(p.Name) },
		"pronamespace": func(_ *world, p proc) value.Value { return oid(p.namespace()) },
		"proowner":     func(_ *world, p proc) value.Value { return oid(p.owner()) },
		"prolang":      func(_ *world, p proc) value.Value { return oid(languageOID(p.Language)) },
		"procost":      func(_ *world, p proc) value.Value { return value.Float(cmp.Or(p.Cost, 1)) },
		"prorows":      func(_ *world, p proc) value.Value { return value.Float(map[bool]float64{true: p.Rows}[p.Set]) },
		"provariadic":  func(_ *world, p proc) value.Value { return oid(p.variadicType()) },
		"prokind":      func(_ *world, p proc) value.Value { return char(p.Kind) },
		"proisstrict":  func(_ *world, p proc) value.Value { return value.Bool(p.Strict) },
		"proretset":    func(_ *world, p proc) value.Value { return value.Bool(p.Set) },
		"provolatile":  func(_ *world, p proc) value.Value { return char(byte(p.Vol)) },
		"proparallel": func(_ *world, p proc) value.Value {
			if p.Parallel != 0 {
				return char(p.Parallel)
			}
			return char('s')
		},
		"pronargs":        func(_ *world, p proc) value.Value { return num(len(p.Params)) },
		"pronargdefaults": func(_ *world, p proc) value.Value { return num(p.defaults()) },
		"prorettype":      func(_ *world, p proc) value.Value { return typeOID(p.Ret) },
		"proargtypes":     func(_ *world, p proc) value.Value { return vector(value.OID, p.argTypes()) },
		"proallargtypes":  func(_ *world, p proc) value.Value { return p.allTypes() },
		"proargmodes":     func(_ *world, p proc) value.Value { return p.modes() },
		"proargnames":     func(_ *world, p proc) value.Value { return p.names() },
		"prosrc": func(_ *world, p proc) value.Value {
			return text(p.source())
		},
		"proacl": func(w *world, p proc) value.Value { return w.acl(catalog.GuardFunction, p.owner(), p.ACL) },
	},
}

// operatorFacts are what PostgreSQL says of operators, by OID.
var operatorFacts = sync.OnceValue(func() map[uint32]staticRow {
	m := map[uint32]staticRow{}
	for _, r := range staticRows()["pg_catalog.pg_operator"] {
		m[staticOID(r["oid"])] = r
	}
	return m
})

// ofOperator makes a column of what PostgreSQL says of an operator, and for the others what own tells.
func ofOperator(column string, own func(*world, *functions.Operator) value.Value) func(*world, *functions.Operator) value.Value {
	return func(w *world, o *functions.Operator) value.Value {
		r := operatorFacts()[o.OID]
		switch v := r[column]; {
		case r == nil && own == nil:
			return oid(uint32(0))
		case r == nil:
			return own(w, o)
		case v == "t" || v == "f":
			return value.Bool(v == "t")
		default:
			return oid(staticOID(v))
		}
	}
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
		"oprrest":   ofOperator("oprrest", nil), "oprjoin": ofOperator("oprjoin", nil),
		"oprcode":     func(_ *world, o *functions.Operator) value.Value { return oid(o.Fn.OID) },
		"oprcom":      ofOperator("oprcom", func(w *world, o *functions.Operator) value.Value { return w.operator(o.Commutator, o.Right, o.Left) }),
		"oprnegate":   ofOperator("oprnegate", func(w *world, o *functions.Operator) value.Value { return w.operator(o.Negator, o.Left, o.Right) }),
		"oprcanmerge": ofOperator("oprcanmerge", func(_ *world, o *functions.Operator) value.Value { return value.Bool(o.Name == "=") }),
		"oprcanhash":  ofOperator("oprcanhash", func(_ *world, o *functions.Operator) value.Value { return value.Bool(o.Name == "=") }),
	},
}

// firstCast is where casts have their OIDs: below those of users' objects, so that dumps leave them out.
const firstCast = 10000

// cast is a row of pg_cast.
type cast struct {
	oid uint32
	*functions.Cast
}

// computed tells whether a function computes the cast; the others take the value as it is.
func (c cast) computed() bool { return c.Fn != nil && !c.Fn.Hidden }

var pgCast = of[cast]{
	items: func(w *world) []cast {
		var out []cast
		for i, c := range w.set.registry.Entries().Casts {
			out = append(out, cast{firstCast + uint32(i), c})
		}
		return out
	},
	cols: map[string]func(*world, cast) value.Value{
		"oid":        func(_ *world, c cast) value.Value { return oid(c.oid) },
		"castsource": func(_ *world, c cast) value.Value { return typeOID(c.From) },
		"casttarget": func(_ *world, c cast) value.Value { return typeOID(c.To) },
		"castfunc": func(_ *world, c cast) value.Value {
			if !c.computed() {
				return oid(uint32(0))
			}
			return oid(c.Fn.OID)
		},
		"castcontext": func(_ *world, c cast) value.Value { return char(byte(c.Context)) },
		"castmethod":  func(_ *world, c cast) value.Value { return char(map[bool]byte{true: 'f', false: 'b'}[c.computed()]) },
	},
}

// operator finds an operator by name and operands, 0 when there is none.
func (w *world) operator(name string, left, right *value.Type) value.Value {
	if name != "" && right != nil {
		if o := w.set.registry.Operator(name, left, right); o != nil {
			return oid(o.OID)
		}
	}
	return oid(uint32(0))
}
