package retrieval

import (
	"context"
	"runtime"
	"strings"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/functions/coll"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/filter"
	"github.com/omgdb/omgdb/storage/value"
)

// corpus is what a retrieval call looks at: the string values at some fields of the documents of one relation that pass a filter.
// A typed table is a collection of its rows. The texts of several fields are joined by a space; a document without any string there
// is not part of the corpus.
type corpus struct {
	env    *functions.Env
	rel    *catalog.Relation
	field  string // as the call named it
	fields []storage.ScanCol
	filter filter.Expr
}

// openCorpus resolves the names of a call. field may list several fields, separated by commas.
func openCorpus(env *functions.Env, collection, field string, filterJSON value.Value) (*corpus, error) {
	rel, err := relation(env, collection)
	if err != nil {
		return nil, err
	}
	c := &corpus{env: env, rel: rel, field: field}
	for _, name := range strings.Split(field, ",") {
		col, err := fieldColumn(rel, strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}
		c.fields = append(c.fields, col)
	}
	c.filter, err = parseFilter(filterJSON)
	return c, err
}

// relation finds the collection or table called name: exactly so along the search path, else as schema.name.
func relation(env *functions.Env, name string) (*catalog.Relation, error) {
	return coll.Relation(env, name)
}

func fieldColumn(rel *catalog.Relation, name string) (storage.ScanCol, error) {
	if name == "" {
		return storage.ScanCol{}, dberr.New(dberr.InvalidParameterValue, "field must name a field")
	}
	if rel.Kind == catalog.Collection {
		return storage.ScanCol{Kind: storage.ColPathJSON, Path: doc.Keys(strings.Split(name, ".")...), Name: name}, nil
	}
	first, rest, nested := strings.Cut(name, ".")
	col := rel.Col(first)
	if col == nil {
		return storage.ScanCol{}, dberr.New(dberr.UndefinedColumn, "column %q of relation %q does not exist", first, rel.Name)
	}
	path := []string{col.Field}
	if nested {
		path = append(path, strings.Split(rest, ".")...)
	}
	return storage.ScanCol{Kind: storage.ColPathJSON, Path: doc.Keys(path...), Name: name}, nil
}

// parseFilter reads a filter argument; NULL is no filter.
func parseFilter(v value.Value) (filter.Expr, error) {
	return coll.Filter(v)
}

// objectArg reads an argument of type json as a document, by the rules of Extended JSON.
func objectArg(param string, v value.Value) (doc.Doc, error) {
	return coll.Object(param, v)
}

// scan reads part of the corpus: the row key first, then the fields.
func (c *corpus) spec(piece []storage.KeyRange) *storage.ScanSpec {
	cols := append([]storage.ScanCol{{Kind: storage.ColRowKey}}, c.fields...)
	return &storage.ScanSpec{Rel: c.rel, Cols: cols, Filter: c.filter, Bounds: piece}
}

// pieces cuts the corpus into pieces in key order, one for each goroutine that is to read it: one of everything when it is small.
func (c *corpus) pieces(ctx context.Context) ([][]storage.KeyRange, error) {
	if c.env.DB.RowEstimate(c.rel) < parallelRows {
		return [][]storage.KeyRange{nil}, nil
	}
	return c.env.Txn.Split(ctx, c.rel, nil, runtime.GOMAXPROCS(0))
}

// text gives the text of the row at position i of a batch from spec, false when it has none.
func (c *corpus) text(b *batch.Batch, i int) (string, bool) {
	if len(c.fields) == 1 {
		return stringAt(b.Cols[1], i)
	}
	var parts []string
	for _, col := range b.Cols[1:] {
		if s, ok := stringAt(col, i); ok {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, " "), len(parts) > 0
}

// textOf gives the text of a stored document.
func (c *corpus) textOf(d doc.Doc) (string, bool) {
	var parts []string
	for _, f := range c.fields {
		if s, ok := d.Walk(f.Path).StringBytes(); ok {
			parts = append(parts, string(s))
		}
	}
	return strings.Join(parts, " "), len(parts) > 0
}

func stringAt(col *value.Column, i int) (string, bool) {
	if col.IsNull(i) {
		return "", false
	}
	enc := col.Strs[i]
	if len(enc) < 6 || enc[0] != doc.TypeString {
		return "", false
	}
	return enc[5 : len(enc)-1], true // length word before, NUL behind
}

// fetch shows rows by key, in the order of keys: their _id as text and the whole document as jsonb.
func (c *corpus) fetch(keys [][]byte) *storage.ScanSpec {
	return &storage.ScanSpec{Rel: c.rel, Keys: keys, Cols: []storage.ScanCol{{Kind: storage.ColID}, {Kind: storage.ColDoc}}}
}
