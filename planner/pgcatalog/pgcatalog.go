// Package pgcatalog shows the catalog as PostgreSQL's system relations: pg_catalog and information_schema.
//
// Each relation is a relation like any other to the planner: it answers every query, nobody looks at the text of a statement. Its
// shape (columns and their types, as PostgreSQL 15 has them) is data in relations.tsv; where its rows come from is an entry of the
// tables in the other files: the items that it has a row for, and for each column a function of an item. Columns without one hold
// what an unused column holds there: NULL, or the zero value where it cannot be NULL. A relation without an entry has no rows,
// because the objects that it would list don't exist here.
//
// The rows are computed from the transaction's view of the catalog when a scan opens, those columns only that the query needs.
package pgcatalog

import (
	"context"
	"slices"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// Set is all system relations. It is made once and safe for concurrent use.
type Set struct {
	registry *functions.Registry
	shapes   []*shape
	byName   map[string]*shape
	tables   map[string]*functions.Table
}

// Rows gives the rows of a relation that the catalog doesn't know about (settings, sessions, locks): values by column name, for each
// row one call of add; columns left out are NULL.
type Rows func(ctx context.Context, env *functions.Env, add func(row map[string]value.Value) error) error

// New makes the relations. extra gives rows to relations of pg_catalog by name.
func New(registry *functions.Registry, extra map[string]Rows) (*Set, error) {
	s := &Set{registry: registry, byName: map[string]*shape{}, tables: map[string]*functions.Table{}}
	shapes, err := parseShapes(relationsText)
	if err != nil {
		return nil, err
	}
	s.shapes = shapes
	for _, sh := range shapes {
		s.byName[sh.key()] = sh
	}
	for name, src := range sources() {
		sh := s.byName[name]
		if sh == nil {
			return nil, dberr.New(dberr.InternalError, "there is no system relation %s", name)
		}
		for _, c := range src.columns() {
			if sh.column(c) < 0 {
				return nil, dberr.New(dberr.InternalError, "system relation %s has no column %s", name, c)
			}
		}
		sh.source = src
	}
	for name, rows := range extra {
		sh := s.byName["pg_catalog."+name]
		if sh == nil {
			return nil, dberr.New(dberr.InternalError, "there is no system relation pg_catalog.%s", name)
		}
		sh.source = rowSource{rows}
	}
	for _, sh := range shapes {
		s.tables[sh.key()] = s.table(sh)
	}
	return s, nil
}

// Relation gives a system relation as a table function without arguments, nil when there is none of the name.
func (s *Set) Relation(schema, name string) *functions.Table { return s.tables[schema+"."+name] }

// Names lists the names of a schema's relations in order.
func (s *Set) Names(schema string) []string {
	var out []string
	for _, sh := range s.shapes {
		if sh.schema == schema {
			out = append(out, sh.name)
		}
	}
	slices.Sort(out)
	return out
}

// Describe finds a system relation by OID.
func (s *Set) Describe(oid uint32) (schema, name string, ok bool) {
	for _, sh := range s.shapes {
		if sh.oid == oid {
			return sh.schema, sh.name, true
		}
	}
	return "", "", false
}

// OID gives the OID of a system relation, 0 when there is none.
func (s *Set) OID(schema, name string) uint32 {
	if sh := s.byName[schema+"."+name]; sh != nil {
		return sh.oid
	}
	return 0
}

// table wraps a relation.
func (s *Set) table(sh *shape) *functions.Table {
	t := &functions.Table{OID: sh.oid, Name: sh.name, Volatility: functions.Stable, Rows: 100}
	for _, c := range sh.cols {
		t.Cols = append(t.Cols, functions.Param{Name: c.name, Type: c.typ})
	}
	t.Open = func(ctx context.Context, c *functions.Call, _ []value.Value, out value.Schema) (batch.Iter, error) {
		w := &world{ctx: ctx, env: c.Env, set: s}
		if c.Env.Txn != nil {
			w.view = c.Env.Txn.Catalog()
		}
		return fill(w, sh, out)
	}
	return t
}

// world is what the rows are computed from.
type world struct {
	ctx  context.Context
	env  *functions.Env
	view *catalog.View
	set  *Set

	owned map[columnKey]*catalog.SequenceParams // sequences by the columns that own them; nil until somebody asks
}

// key names a relation in tables.
func (s *shape) key() string { return s.schema + "." + s.name }

// fill computes the columns out of a relation.
func fill(w *world, sh *shape, out value.Schema) (batch.Iter, error) {
	r := &rows{schema: out, cols: make([]*value.Column, len(out))}
	want, system := make([]int, 0, len(out)), map[int]value.Value{}
	var listed []*value.Column // those of want
	for i, f := range out {
		k := sh.column(f.Name)
		if k < 0 {
			v, ok := sh.system(f.Name)
			if !ok {
				return nil, dberr.New(dberr.UndefinedColumn, "column %q of system relation %s does not exist", f.Name, sh.name)
			}
			r.cols[i], system[i] = value.NewColumn(f.Type, 64), v
			continue
		}
		want = append(want, k)
		r.cols[i] = value.NewColumn(sh.cols[k].typ, 64)
		listed = append(listed, r.cols[i])
	}
	if sh.source == nil {
		return r, nil
	}
	err := sh.source.rows(w, sh, want, func(vals []value.Value) error {
		for i, v := range vals {
			listed[i].Append(v)
		}
		for i, v := range system {
			r.cols[i].Append(v)
		}
		r.n++
		if r.n%batch.Size == 0 && w.ctx.Err() != nil {
			return context.Cause(w.ctx)
		}
		return nil
	})
	return r, err
}

// system is what a system column holds in every row: the rows are as old as the database.
func (s *shape) system(column string) (v value.Value, ok bool) {
	switch column {
	case "tableoid":
		return value.Int(int64(s.oid)), true
	case "xmin":
		return value.Int(1), true
	case "ctid", "xmax", "cmin", "cmax":
		return value.Int(0), true
	}
	return value.Null, false
}

// rows is a stream over columns that are all there.
type rows struct {
	schema value.Schema
	cols   []*value.Column
	n, at  int
	out    batch.Batch
	sel    []int32
}

func (r *rows) Schema() value.Schema { return r.schema }

func (r *rows) Next(context.Context) (*batch.Batch, error) {
	n := min(batch.Size, r.n-r.at)
	if n <= 0 {
		return nil, nil
	}
	if r.at == 0 && n == r.n {
		r.out = batch.Batch{Cols: r.cols, Len: n}
	} else {
		r.sel = r.sel[:0]
		for i := range n {
			r.sel = append(r.sel, int32(r.at+i))
		}
		r.out = batch.Batch{Cols: r.cols, Len: r.n, Sel: r.sel}
	}
	r.at += n
	return &r.out, nil
}

func (r *rows) Close() error { return nil }

// rowSource is rows given by name.
type rowSource struct{ get Rows }

func (s rowSource) columns() []string { return nil }

func (s rowSource) rows(w *world, sh *shape, want []int, emit func([]value.Value) error) error {
	vals := make([]value.Value, len(want))
	return s.get(w.ctx, w.env, func(row map[string]value.Value) error {
		for i, k := range want {
			v, ok := row[sh.cols[k].name]
			if !ok {
				v = sh.cols[k].unused
			}
			vals[i] = v
		}
		return emit(vals)
	})
}
