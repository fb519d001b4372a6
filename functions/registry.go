package functions

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/omgdb/omgdb/storage/value"
)

// Registry holds all built-in functions, operators and casts by name. It is made once by builtin.New and then only read.
type Registry struct {
	scalars    map[string][]*Scalar
	aggregates map[string][]*Aggregate
	windows    map[string][]*Window
	tables     map[string][]*Table
	operators  map[string][]*Operator
	casts      map[castKey]*Cast
	byOID      map[uint32]any
	all        Entries

	procsOnce sync.Once
	procs     []Proc // see Procs
	procAt    map[uint32]int
}

type castKey struct{ from, to uint32 }

// Entries are what a Registry is made of.
type Entries struct {
	Scalars    []*Scalar
	Aggregates []*Aggregate
	Windows    []*Window
	Tables     []*Table
	Operators  []*Operator
	Casts      []*Cast
}

// NewRegistry indexes entries. Two entries of one kind with the same name and parameter types, or with the same OID, are an error.
func NewRegistry(e Entries) (*Registry, error) {
	r := &Registry{
		scalars: map[string][]*Scalar{}, aggregates: map[string][]*Aggregate{}, windows: map[string][]*Window{}, tables: map[string][]*Table{},
		operators: map[string][]*Operator{}, casts: make(map[castKey]*Cast, len(e.Casts)), byOID: map[uint32]any{}, all: e,
	}
	seen := make(map[string]bool, len(e.Scalars))
	add := func(kind, name string, oid uint32, params []Param, entry any) error {
		s := signature(kind, name, params)
		if seen[s] {
			return fmt.Errorf("%s is registered twice", s)
		}
		seen[s] = true
		if other, ok := r.byOID[oid]; ok && oid != 0 && fmt.Sprintf("%T", other) == fmt.Sprintf("%T", entry) {
			return fmt.Errorf("%s has the OID %d of another entry", s, oid)
		}
		if oid != 0 {
			r.byOID[oid] = entry
		}
		return nil
	}
	for _, f := range e.Scalars {
		if err := add("function", f.Name, f.OID, f.Params, f); err != nil {
			return nil, err
		}
		r.scalars[f.Name] = append(r.scalars[f.Name], f)
	}
	for _, f := range e.Aggregates {
		if err := add("aggregate", f.Name, f.OID, f.Params, f); err != nil {
			return nil, err
		}
		r.aggregates[f.Name] = append(r.aggregates[f.Name], f)
	}
	for _, f := range e.Windows {
		if err := add("window function", f.Name, f.OID, f.Params, f); err != nil {
			return nil, err
		}
		r.windows[f.Name] = append(r.windows[f.Name], f)
	}
	for _, f := range e.Tables {
		if err := add("table function", f.Name, f.OID, f.Params, f); err != nil {
			return nil, err
		}
		r.tables[f.Name] = append(r.tables[f.Name], f)
	}
	for _, o := range e.Operators {
		r.operators[o.Name] = append(r.operators[o.Name], o)
	}
	for _, c := range e.Casts {
		r.casts[castKey{c.From.OID, c.To.OID}] = c
	}
	return r, nil
}

func signature(kind, name string, params []Param) string {
	var b strings.Builder
	b.WriteString(kind + " " + name + "(")
	for i, p := range params {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(p.Type.Name)
	}
	return b.String() + ")"
}

// Scalars gives the overloads of a scalar function.
func (r *Registry) Scalars(name string) []*Scalar { return r.scalars[name] }

// Aggregates gives the overloads of an aggregate.
func (r *Registry) Aggregates(name string) []*Aggregate { return r.aggregates[name] }

// Windows gives the overloads of a window function.
func (r *Registry) Windows(name string) []*Window { return r.windows[name] }

// Tables gives the overloads of a table function.
func (r *Registry) Tables(name string) []*Table { return r.tables[name] }

// Operators gives the operators of a name; prefix operators have no Left.
func (r *Registry) Operators(name string) []*Operator { return r.operators[name] }

// Operator finds an operator by its exact operand types (left nil: prefix), nil when there is none.
func (r *Registry) Operator(name string, left, right *value.Type) *Operator {
	for _, o := range r.operators[name] {
		if o.Right.OID == right.OID && (o.Left == nil) == (left == nil) && (left == nil || o.Left.OID == left.OID) {
			return o
		}
	}
	return nil
}

// Cast finds the cast between two types, nil when there is none.
func (r *Registry) Cast(from, to *value.Type) *Cast { return r.casts[castKey{from.OID, to.OID}] }

// ByOID finds a *Scalar, *Aggregate, *Window or *Table by its OID, nil when there is none. A set-returning function
// that has both a Scalar and a Table entry is given as its Table.
func (r *Registry) ByOID(oid uint32) any { return r.byOID[oid] }

// Entries gives everything, for the catalogs; it must not be changed.
func (r *Registry) Entries() Entries { return r.all }

// With makes a registry of this one's entries and more.
func (r *Registry) With(more Entries) (*Registry, error) {
	return NewRegistry(Entries{
		Scalars:    slices.Concat(r.all.Scalars, more.Scalars),
		Aggregates: slices.Concat(r.all.Aggregates, more.Aggregates),
		Windows:    slices.Concat(r.all.Windows, more.Windows),
		Tables:     slices.Concat(r.all.Tables, more.Tables),
		Operators:  slices.Concat(r.all.Operators, more.Operators),
		Casts:      slices.Concat(r.all.Casts, more.Casts),
	})
}
