package storage

import (
	"context"

	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/index/vector"
	"github.com/omgdb/omgdb/storage/value"
)

// Sketches opens a scan of a typed column's vectors, as columns: row key, ordinal and sketch (NULL where there is no vector). It is nil
// when sketches are not in memory, nor will be after the scan: the relation is small, is scanned for the first time, or its sketches would
// take most of the memory of columns. What is read for the first time, and rows that the transaction has changed, are sketched on the way.
func (t *Txn) Sketches(ctx context.Context, spec *ScanSpec, field string, typ *value.Type, dims int) (batch.Iter, error) {
	if t.done {
		return nil, ended()
	}
	s := *spec
	s.Filter = nil
	s.Cols = []ScanCol{{Kind: ColRowKey}, {Kind: ColOrdinal}, {Kind: ColSketch, Field: field, Type: typ}}
	if err := t.enterRelation(ctx, s.Rel, AccessShare); err != nil {
		return nil, err
	}
	const perRow = 64 // of key, ordinal, and their places
	if room := t.db.columns.Budget() * 3 / 4; t.db.RowEstimate(s.Rel) > room/int64(vector.SketchSize(dims)+perRow) {
		return nil, nil
	}
	table, tests, err := t.cached(ctx, &s, nil)
	if table == nil || err != nil {
		return nil, err
	}
	return t.columnScan(table, tests, &s, nil), nil
}

// sketchKeys is what the keys of columns of sketches begin with. They are worth their width.
const sketchKeys = "s "

// addSketch adds the sketch of a stored vector.
func (p *projection) addSketch(c *value.Column, typ *value.Type, x doc.Value) error {
	f, err := vector.Stored(typ, x)
	if err != nil || f == nil {
		c.AppendNull()
		return err
	}
	addString(c, p.room.close(vector.AppendSketch(p.room.open(), f)))
	return nil
}
