package pgcatalog

import (
	_ "embed" // the facts
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/value"
)

// typesText has, for each type of PostgreSQL 15 that is no row type, what package value doesn't say of it: OID, name, passed by value,
// alignment, storage, delimiter, the functions (subscript, input, output, receive, send, modin, modout, analyze), collation.
//
//go:embed types.tsv
var typesText string

// facts is what pg_type says of a type's representation.
type facts struct {
	byVal                                                                      bool
	align, storage, delim                                                      byte
	subscript, input, output, receive, send, modin, modout, analyze, collation uint32
}

var factsByOID = sync.OnceValue(func() map[uint32]facts {
	m := map[uint32]facts{}
	for line := range strings.Lines(typesText) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		n := func(i int) uint32 {
			x, _ := strconv.ParseUint(f[i], 10, 32)
			return uint32(x)
		}
		m[n(0)] = facts{f[2] == "1", f[3][0], f[4][0], f[5][0], n(6), n(7), n(8), n(9), n(10), n(11), n(12), n(13), n(14)}
	}
	return m
})

// factsOf gives a type's facts; those of types that PostgreSQL doesn't have follow from their class.
func factsOf(t *value.Type) facts {
	if f, ok := factsByOID()[t.OID]; ok {
		return f
	}
	switch {
	case t.Class == value.Domain && t.Under != nil:
		f := factsOf(t.Under)
		f.subscript, f.input, f.receive, f.modin, f.modout, f.analyze = 0, 2597, 2598, 0, 0, 0
		return f
	case t.Class == value.Enum:
		return facts{byVal: true, align: 'i', storage: 'p', delim: ',', input: 3506, output: 3507, receive: 3532, send: 3533}
	case t.IsArray():
		return facts{
			align: rangeAlign(t.Elem), storage: 'x', delim: ',', subscript: 6179, input: 750, output: 751, receive: 2400, send: 2401, analyze: 3816,
			collation: factsOf(t.Elem).collation,
		}
	case t.Class == value.Composite:
		return facts{align: 'd', storage: 'x', delim: ',', input: 2290, output: 2291, receive: 2402, send: 2403}
	case t.Class == value.RangeClass:
		return facts{align: rangeAlign(t.Elem), storage: 'x', delim: ',', input: 3834, output: 3835, receive: 3836, send: 3837, analyze: 3916}
	case t.Class == value.MultiClass && t.Elem != nil:
		return facts{align: rangeAlign(t.Elem), storage: 'x', delim: ',', input: 4231, output: 4232, receive: 4233, send: 4234, analyze: 4242}
	}
	return facts{align: 'i', storage: 'x', delim: ','}
}

// rangeAlign is how ranges over a type are aligned: at least as their header.
func rangeAlign(elem *value.Type) byte {
	if elem != nil && factsOf(elem).align == 'd' {
		return 'd'
	}
	return 'i'
}

// typeRow is a row of pg_type.
type typeRow struct {
	t     *value.Type
	owner catalog.ID
	def   *catalog.Type // of a user-made type
	rel   catalog.ID    // of a relation's row type
}

// typesHere lists the types that users made in the database.
func (w *world) typesHere() []*catalog.Type {
	var out []*catalog.Type
	for _, t := range w.view.Types(0) {
		if sc := w.view.SchemaByID(t.Schema); sc != nil && sc.Database == w.view.Database() {
			out = append(out, t)
		}
	}
	return out
}

func (w *world) types() []typeRow {
	var out []typeRow
	for _, t := range value.Builtins() {
		out = append(out, typeRow{t: t, owner: catalog.SuperRole})
	}
	slices.SortFunc(out, func(a, b typeRow) int { return int(int64(a.t.OID) - int64(b.t.OID)) })
	if w.view == nil {
		return out
	}
	for _, t := range w.typesHere() {
		out = append(out, typeRow{t: t.Def, owner: t.Owner, def: t})
		if t.Def.ArrayOID != 0 {
			arr := &value.Type{OID: t.Def.ArrayOID, Name: "_" + t.Name, SQL: t.Def.SQL + "[]", Kind: value.KindBox, Class: value.Base, Category: 'A', Len: -1,
				Elem: t.Def, Namespace: t.Def.Namespace}
			out = append(out, typeRow{t: arr, owner: t.Owner})
		}
	}
	for _, c := range w.classes() {
		if c.rel == nil || c.rowType() == 0 {
			continue
		}
		row := &value.Type{OID: uint32(c.rowType()), Name: c.name, SQL: c.name, Kind: value.KindBox, Class: value.Composite, Category: 'C', Len: -1,
			Namespace: uint32(c.schema), ArrayOID: catalog.RowArray(c.oid)}
		arr := &value.Type{OID: row.ArrayOID, Name: "_" + c.name, SQL: c.name + "[]", Kind: value.KindBox, Class: value.Base, Category: 'A', Len: -1,
			Elem: row, Namespace: row.Namespace}
		out = append(out, typeRow{t: row, owner: c.owner, rel: c.oid}, typeRow{t: arr, owner: c.owner})
	}
	return out
}

// relation is typrelid: the relation or pg_class entry whose rows the type describes.
func (r typeRow) relation() catalog.ID {
	if r.def != nil && r.t.Class == value.Composite {
		return r.def.ID | compositeBit
	}
	return r.rel
}

func (r typeRow) namespace() catalog.ID {
	if r.t.Namespace == 0 {
		return catalog.PgCatalogSchema
	}
	return catalog.ID(r.t.Namespace)
}

// elem is typelem: of arrays, and of the types that can be subscripted like arrays.
func (r typeRow) elem() uint32 {
	if r.t.Category == 'A' && r.t.Elem != nil {
		return r.t.Elem.OID
	}
	if part, _ := r.t.Parts(); part != nil {
		return part.OID
	}
	return 0
}

func regproc(f func(facts) uint32) func(*world, typeRow) value.Value {
	return func(_ *world, r typeRow) value.Value { return oid(f(factsOf(r.t))) }
}

var pgType = of[typeRow]{
	items: (*world).types,
	cols: map[string]func(*world, typeRow) value.Value{
		"oid":            func(_ *world, r typeRow) value.Value { return oid(r.t.OID) },
		"typname":        func(_ *world, r typeRow) value.Value { return text(r.t.Name) },
		"typnamespace":   func(_ *world, r typeRow) value.Value { return oid(r.namespace()) },
		"typowner":       func(_ *world, r typeRow) value.Value { return oid(r.owner) },
		"typlen":         func(_ *world, r typeRow) value.Value { return num(r.t.Len) },
		"typbyval":       func(_ *world, r typeRow) value.Value { return value.Bool(factsOf(r.t).byVal) },
		"typtype":        func(_ *world, r typeRow) value.Value { return char(byte(r.t.Class)) },
		"typcategory":    func(_ *world, r typeRow) value.Value { return char(r.t.Category) },
		"typispreferred": func(_ *world, r typeRow) value.Value { return value.Bool(r.t.Preferred) },
		"typisdefined":   func(*world, typeRow) value.Value { return value.Bool(true) },
		"typdelim":       func(_ *world, r typeRow) value.Value { return char(factsOf(r.t).delim) },
		"typsubscript":   regproc(func(f facts) uint32 { return f.subscript }),
		"typelem":        func(_ *world, r typeRow) value.Value { return oid(r.elem()) },
		"typarray":       func(_ *world, r typeRow) value.Value { return oid(r.t.ArrayOID) },
		"typinput":       regproc(func(f facts) uint32 { return f.input }),
		"typoutput":      regproc(func(f facts) uint32 { return f.output }),
		"typreceive":     regproc(func(f facts) uint32 { return f.receive }),
		"typsend":        regproc(func(f facts) uint32 { return f.send }),
		"typmodin":       regproc(func(f facts) uint32 { return f.modin }),
		"typmodout":      regproc(func(f facts) uint32 { return f.modout }),
		"typanalyze":     regproc(func(f facts) uint32 { return f.analyze }),
		"typalign":       func(_ *world, r typeRow) value.Value { return char(factsOf(r.t).align) },
		"typstorage":     func(_ *world, r typeRow) value.Value { return char(factsOf(r.t).storage) },
		"typnotnull":     func(_ *world, r typeRow) value.Value { return value.Bool(r.def != nil && r.def.NotNull) },
		"typbasetype": func(_ *world, r typeRow) value.Value {
			if r.t.Class == value.Domain && r.t.Under != nil {
				return oid(r.t.Under.OID)
			}
			return oid(uint32(0))
		},
		"typtypmod": func(_ *world, r typeRow) value.Value {
			if r.def != nil && r.t.Class == value.Domain {
				return num(r.def.UnderMod)
			}
			return num(-1)
		},
		"typcollation": func(_ *world, r typeRow) value.Value { return oid(factsOf(r.t).collation) },
		"typrelid":     func(_ *world, r typeRow) value.Value { return oid(r.relation()) },
		"typacl": func(w *world, r typeRow) value.Value {
			if r.def == nil {
				return value.Null
			}
			return w.acl(catalog.GuardType, r.owner, r.def.ACL)
		},
		"typdefaultbin": func(_ *world, r typeRow) value.Value {
			if r.def == nil {
				return value.Null
			}
			return orNull(r.def.Default)
		},
		"typdefault": func(_ *world, r typeRow) value.Value {
			if r.def == nil {
				return value.Null
			}
			return orNull(r.def.Default)
		},
	},
}

// label is a row of pg_enum.
type label struct {
	t     *value.Type
	place int
}

var pgEnum = of[label]{
	items: func(w *world) []label {
		var out []label
		for _, r := range w.types() {
			if r.t.Class == value.Enum {
				for i := range r.t.Labels {
					out = append(out, label{r.t, i})
				}
			}
		}
		return out
	},
	cols: map[string]func(*world, label) value.Value{
		"oid":           func(_ *world, l label) value.Value { return oid(l.t.OID<<8 | uint32(l.place) | 1<<31) },
		"enumtypid":     func(_ *world, l label) value.Value { return oid(l.t.OID) },
		"enumsortorder": func(_ *world, l label) value.Value { return value.Float(l.t.Place(int64(l.place)) + 1) },
		"enumlabel":     func(_ *world, l label) value.Value { return text(l.t.Labels[l.place]) },
	},
}

var pgRange = of[typeRow]{
	items: func(w *world) []typeRow {
		return slices.DeleteFunc(w.types(), func(r typeRow) bool { return r.t.Class != value.RangeClass })
	},
	cols: map[string]func(*world, typeRow) value.Value{
		"rngtypid":   func(_ *world, r typeRow) value.Value { return oid(r.t.OID) },
		"rngsubtype": func(_ *world, r typeRow) value.Value { return oid(r.t.Elem.OID) },
		"rngmultitypid": func(_ *world, r typeRow) value.Value {
			if r.def != nil {
				return oid(r.def.Partner)
			}
			return oid(multirangeOf[r.t.OID])
		},
		"rngsubopc":    func(_ *world, r typeRow) value.Value { return oid(opclassOf(403, r.t.Elem)) },
		"rngcollation": func(_ *world, r typeRow) value.Value { return oid(factsOf(r.t.Elem).collation) },
		"rngcanonical": func(_ *world, r typeRow) value.Value { return oid(rangeFuncs[r.t.OID].canonical) },
		"rngsubdiff":   func(_ *world, r typeRow) value.Value { return oid(rangeFuncs[r.t.OID].difference) },
	},
}

// rangeFuncs are the functions that PostgreSQL's range types name.
var rangeFuncs = map[uint32]struct{ canonical, difference uint32 }{
	3904: {3914, 3922}, 3926: {3928, 3923}, 3906: {0, 3924}, 3908: {0, 3929}, 3910: {0, 3930}, 3912: {3915, 3925},
}

// multirangeOf pairs the built-in range types with their multiranges.
var multirangeOf = map[uint32]uint32{3904: 4451, 3906: 4532, 3908: 4533, 3910: 4534, 3912: 4535, 3926: 4536}
