package pgcatalog

import (
	_ "embed" // the rows
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// staticText has the rows of relations whose objects are the same in every store: operator classes and families, and the comments on
// built-in objects, as PostgreSQL 15 has them. A line "# relation column…" begins a relation, the lines below it are its rows; \N is NULL.
//
//go:embed static.tsv
var staticText string

// staticRow is a row of a relation by its column's name.
type staticRow map[string]string

var staticRows = sync.OnceValue(func() map[string][]staticRow {
	out := map[string][]staticRow{}
	var cols []string
	for line := range strings.Lines(staticText) {
		line = strings.TrimSuffix(line, "\n")
		if head, ok := strings.CutPrefix(line, "# "); ok {
			cols = strings.Split(head, " ")
			continue
		}
		f := strings.Split(line, "\t")
		row := make(staticRow, len(f))
		for i, v := range f {
			if v != `\N` {
				row[cols[i+1]] = v
			}
		}
		out[cols[0]] = append(out[cols[0]], row)
	}
	return out
})

// static is a source over staticText; pass leaves out what stands on types that don't exist here.
type static struct {
	relation string
	pass     func(r staticRow) bool
}

func (s static) columns() []string {
	rows := staticRows()[s.relation]
	if len(rows) == 0 {
		return nil
	}
	return slices.Collect(maps.Keys(rows[0]))
}

func (s static) rows(_ *world, sh *shape, want []int, emit func([]value.Value) error) error {
	vals := make([]value.Value, len(want))
	for _, r := range staticRows()[s.relation] {
		if s.pass != nil && !s.pass(r) {
			continue
		}
		for i, k := range want {
			c := &sh.cols[k]
			text, ok := r[c.name]
			if !ok {
				vals[i] = c.unused
				continue
			}
			v, err := typeio.In(staticType(c.typ), -1, text, typeio.Default)
			if err != nil {
				return err
			}
			vals[i] = v
		}
		if err := emit(vals); err != nil {
			return err
		}
	}
	return nil
}

// staticType reads the types of names as the numbers that they are.
func staticType(t *value.Type) *value.Type {
	if t.OID == value.RegProc.OID {
		return value.OID
	}
	return t
}

// typeKnown passes rows whose column is the OID of a type that exists.
func typeKnown(column string) func(staticRow) bool {
	return func(r staticRow) bool {
		return value.ByOID(staticOID(r[column])) != nil
	}
}

var (
	pgOpfamily      = static{relation: "pg_catalog.pg_opfamily"}
	pgOpclass       = static{relation: "pg_catalog.pg_opclass", pass: typeKnown("opcintype")}
	pgAmop          = static{relation: "pg_catalog.pg_amop", pass: typeKnown("amoplefttype")}
	pgAmproc        = static{relation: "pg_catalog.pg_amproc", pass: typeKnown("amproclefttype")}
	pgShdescription = of[comment]{items: (*world).sharedComments, cols: commentColumns}
)

// opclassKey finds the default operator class of a type for an access method.
type opclassKey struct{ method, typ uint32 }

var defaultOpclass = sync.OnceValue(func() map[opclassKey]uint32 {
	m := map[opclassKey]uint32{}
	num := staticOID
	for _, r := range staticRows()["pg_catalog.pg_opclass"] {
		if r["opcdefault"] == "t" {
			m[opclassKey{num(r["opcmethod"]), num(r["opcintype"])}] = num(r["oid"])
		}
	}
	return m
})

// opclassName finds an operator class by its name in an access method.
type opclassName struct {
	method uint32
	name   string
}

var opclassByName = sync.OnceValue(func() map[opclassName]uint32 {
	m := map[opclassName]uint32{}
	for _, r := range staticRows()["pg_catalog.pg_opclass"] {
		m[opclassName{staticOID(r["opcmethod"]), r["opcname"]}] = staticOID(r["oid"])
	}
	return m
})

// opclassNamed finds the operator class that an index key names, 0 for none.
func opclassNamed(method uint32, name string) uint32 {
	return opclassByName()[opclassName{method, strings.TrimPrefix(name, "pg_catalog.")}]
}

// staticOID reads an OID of staticText.
func staticOID(s string) uint32 {
	v, err := typeio.In(value.OID, -1, s, typeio.Default)
	if err != nil {
		return 0
	}
	return uint32(v.Int())
}

// opclassOf gives the operator class that an index key of the type has, 0 for OMGDB's own access methods.
func opclassOf(method uint32, t *value.Type) uint32 {
	t = typeio.Base(t)
	for _, as := range []uint32{t.OID, likeness(t)} {
		if c := defaultOpclass()[opclassKey{method, as}]; c != 0 {
			return c
		}
	}
	return 0
}

// likeness is the type whose operator class another type uses.
func likeness(t *value.Type) uint32 {
	switch {
	case t.IsArray():
		return value.AnyArray.OID
	case t.Class == value.Enum:
		return value.AnyEnum.OID
	case t.Class == value.RangeClass:
		return value.AnyRange.OID
	case t.Class == value.Composite:
		return value.RecordType.OID
	case t.OID == value.Varchar.OID:
		return value.Text.OID
	}
	return t.OID
}
