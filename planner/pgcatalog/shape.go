package pgcatalog

import (
	_ "embed" // the tables of facts
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// relationsText has a line for each system relation of PostgreSQL 15: schema, name, OID, relkind, columns. A column is its name, its
// type with a modifier, and ! when it is NOT NULL; the domains of information_schema stand as their base types.
//
//go:embed relations.tsv
var relationsText string

// shape describes a system relation.
type shape struct {
	schema, name string
	oid          uint32
	kind         byte
	cols         []shapeCol
	source       source
}

type shapeCol struct {
	name    string
	typ     *value.Type
	mod     int32
	notNull bool
	unused  value.Value // what the column holds where nothing is known
}

// column finds a column by name, -1 when there is none.
func (s *shape) column(name string) int {
	return slices.IndexFunc(s.cols, func(c shapeCol) bool { return c.name == name })
}

func parseShapes(text string) ([]*shape, error) {
	var out []*shape
	types := typesByName()
	for line := range strings.Lines(text) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 5 {
			return nil, dberr.New(dberr.InternalError, "a line of the system relations has %d fields", len(f))
		}
		oid, err := strconv.ParseUint(f[2], 10, 32)
		if err != nil {
			return nil, dberr.Wrap(err, dberr.InternalError, "system relation %s has no OID", f[1])
		}
		s := &shape{schema: f[0], name: f[1], oid: uint32(oid), kind: f[3][0]}
		for c := range strings.SplitSeq(f[4], ",") {
			s.cols = append(s.cols, parseColumn(c, types))
		}
		out = append(out, s)
	}
	return out, nil
}

func parseColumn(s string, types map[string]*value.Type) shapeCol {
	name, typ, _ := strings.Cut(s, " ")
	c := shapeCol{name: name, mod: -1}
	typ, c.notNull = strings.CutSuffix(typ, "!")
	if base, mod, ok := strings.Cut(typ, "("); ok {
		n, _ := strconv.Atoi(strings.TrimSuffix(mod, ")"))
		typ, c.mod = base, int32(n)
	}
	if c.typ = types[typ]; c.typ == nil {
		c.typ = value.Text // the internal types of statistics
	}
	if c.notNull {
		c.unused = zero(c.typ)
	}
	return c
}

// zero is the value of a column that cannot be NULL and that nothing is known for.
func zero(t *value.Type) value.Value {
	switch t.Kind {
	case value.KindBool:
		return value.Bool(false)
	case value.KindInt:
		return value.Int(0)
	case value.KindFloat:
		return value.Float(0)
	case value.KindString:
		return value.String("")
	}
	if t.IsArray() {
		return value.Box(&value.Array{Elem: t.Elem})
	}
	return value.Null
}

// typesByName indexes the built-in types by pg_type.typname.
func typesByName() map[string]*value.Type {
	m := map[string]*value.Type{}
	for _, t := range value.Builtins() {
		m[t.Name] = t
	}
	return m
}

// source makes rows: for each, emit is called with the values of the columns want.
type source interface {
	columns() []string
	rows(w *world, sh *shape, want []int, emit func([]value.Value) error) error
}

// of is a source with a row for each item and a function of an item for each column.
type of[T any] struct {
	items func(w *world) []T
	cols  map[string]func(w *world, x T) value.Value
}

func (s of[T]) columns() []string { return slices.Collect(maps.Keys(s.cols)) }

func (s of[T]) rows(w *world, sh *shape, want []int, emit func([]value.Value) error) error {
	fns := make([]func(*world, T) value.Value, len(want))
	for i, k := range want {
		fns[i] = s.cols[sh.cols[k].name]
	}
	vals := make([]value.Value, len(want))
	for _, x := range s.items(w) {
		for i, f := range fns {
			if f == nil {
				vals[i] = sh.cols[want[i]].unused
			} else {
				vals[i] = f(w, x)
			}
		}
		if err := emit(vals); err != nil {
			return err
		}
	}
	return nil
}

// Makers of values.

func oid[N ~uint32](n N) value.Value { return value.Int(int64(n)) }

func num[N ~int | ~int16 | ~int32 | ~int64](n N) value.Value { return value.Int(int64(n)) }

func text(s string) value.Value { return value.String(s) }

func char(c byte) value.Value {
	if c == 0 {
		return value.String("")
	}
	return value.String(string(rune(c)))
}

func orNull(s string) value.Value {
	if s == "" {
		return value.Null
	}
	return value.String(s)
}

func yesNo(b bool) value.Value {
	if b {
		return value.String("YES")
	}
	return value.String("NO")
}

// vector makes an int2vector or oidvector, which count from 0.
func vector[N ~int16 | ~uint32](elem *value.Type, ns []N) value.Value {
	a := &value.Array{Elem: elem, Dims: []value.Dim{{Len: int32(len(ns))}}}
	for _, n := range ns {
		a.Elems = append(a.Elems, value.Int(int64(n)))
	}
	return value.Box(a)
}

// array makes an array that counts from 1, NULL for none.
func array[N ~int16 | ~uint32](elem *value.Type, ns []N) value.Value {
	if ns == nil {
		return value.Null
	}
	vals := make([]value.Value, len(ns))
	for i, n := range ns {
		vals[i] = value.Int(int64(n))
	}
	return value.Box(value.NewArray(elem, vals))
}

func texts(ss []string) value.Value {
	if len(ss) == 0 {
		return value.Null
	}
	vals := make([]value.Value, len(ss))
	for i, s := range ss {
		vals[i] = value.String(s)
	}
	return value.Box(value.NewArray(value.Text, vals))
}
