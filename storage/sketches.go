package storage

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/colcache"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/index/vector"
	"github.com/omgdb/omgdb/storage/value"
)

// SketchCol names a typed column of vectors, or the vectors that an index has of documents.
type SketchCol struct {
	Rel   *catalog.Relation
	Field string
	Type  *value.Type
	Dims  int
	Index *catalog.Index // nil for a column
}

func (c *SketchCol) col() ScanCol {
	if c.Index != nil {
		return ScanCol{Kind: ColSketch, Index: c.Index.Storage}
	}
	return ScanCol{Kind: ColSketch, Field: c.Field, Type: c.Type}
}

// open is col for a scan that sketches vectors.
func (c *SketchCol) open(ctx context.Context, t *Txn) (ScanCol, error) {
	col := c.col()
	if c.Index == nil {
		return col, nil
	}
	m, _, err := t.OpenIndex(ctx, c.Rel, c.Index)
	if err != nil {
		return col, err
	}
	x, ok := m.(*vector.Index)
	if !ok {
		return col, dberr.New(dberr.InternalError, "index \"%s\" has no vectors", c.Index.Name)
	}
	col.VectorOf = func(d doc.Doc) ([]float32, error) { return x.Vector(ctx, d) }
	return col, nil
}

// Sketches opens a scan of a typed column's vectors, as columns: row key, ordinal and sketch (NULL where there is no vector). It is nil
// when sketches are not in memory, nor will be after the scan: the relation is small, is scanned for the first time, or its sketches would
// take most of the memory of columns. What is read for the first time, and rows that the transaction has changed, are sketched on the way.
func (t *Txn) Sketches(ctx context.Context, c SketchCol, bounds []KeyRange) (batch.Iter, error) {
	if t.done {
		return nil, ended()
	}
	if err := t.enterRelation(ctx, c.Rel, AccessShare); err != nil {
		return nil, err
	}
	return t.sketches(ctx, c, bounds)
}

func (t *Txn) sketches(ctx context.Context, c SketchCol, bounds []KeyRange) (batch.Iter, error) {
	col, err := c.open(ctx, t)
	if err != nil {
		return nil, err
	}
	s := &ScanSpec{Rel: c.Rel, Bounds: bounds, Cols: []ScanCol{{Kind: ColRowKey}, {Kind: ColOrdinal}, col}}
	const perRow = 64 // of key, ordinal, and their places
	if room := t.db.columns.Budget() * 3 / 4; t.db.RowEstimate(c.Rel) > room/int64(vector.SketchSize(c.Dims)+perRow) {
		return nil, nil
	}
	table, tests, err := t.cached(ctx, s, nil)
	if table == nil || err != nil {
		return nil, err
	}
	return t.columnScan(table, tests, s, nil), nil
}

// SketchesByKey are the sketches that are in memory, to be looked up. They are valid as long as the reading point. One goroutine uses them.
type SketchesByKey struct {
	db     *DB
	col    SketchCol
	names  [3]colcache.Key // of the columns with row keys, ordinals and sketches
	stmt   *Statement
	slots  []*colcache.Slot
	known  []slotSketches // of slots, as they are asked for
	hits   int
	misses int
}

type slotSketches struct {
	asked    bool
	keys     []string // nil: the slot's sketches are not in memory
	ordinals []int64
	sketches *value.Column
}

// SketchesByKey opens them; nil when none are in memory, or the transaction has written, as what it wrote is not there. Done ends it.
func (t *Txn) SketchesByKey(c SketchCol) *SketchesByKey {
	if t.done || c.Rel.Temp || !t.writes.Empty() {
		return nil
	}
	k := &SketchesByKey{db: t.db, col: c, stmt: t.now}
	for i, c := range [...]ScanCol{{Kind: ColRowKey}, {Kind: ColOrdinal}, c.col()} {
		k.names[i], _ = columnKey(&c)
	}
	if table := t.db.columns.Peek(c.Rel.Storage); table != nil {
		k.slots = table.Slots()
		k.known = make([]slotSketches, len(k.slots))
	}
	for i := range k.slots { // one will do, but most are looked at only when none is there
		if s := k.slot(i); s.keys != nil {
			return k
		}
	}
	k.misses++
	k.Done()
	return nil
}

// Find gives the sketch of the vector of a row; ok is false when it is not in memory. keyOf tells the row's key, where that is needed.
func (k *SketchesByKey) Find(ctx context.Context, ordinal uint64, keyOf func(context.Context, uint64) ([]byte, error)) (sketch string, ok bool, err error) {
	if sketch, ok = k.byOrdinal(ordinal); ok {
		return sketch, true, nil
	}
	key, err := keyOf(ctx, ordinal)
	if err != nil {
		return "", false, err
	}
	sketch, ok = k.byKey(key)
	return sketch, ok, nil
}

// byOrdinal finds the row where its place can be told from its number, as with rows that were written in the order of their keys.
func (k *SketchesByKey) byOrdinal(ordinal uint64) (sketch string, ok bool) {
	i := ordinal / colcache.SlotRows
	if i >= uint64(len(k.slots)) {
		return "", false
	}
	s := k.slot(int(i))
	if len(s.ordinals) == 0 {
		return "", false
	}
	at := ordinal - uint64(s.ordinals[0])
	if at >= uint64(len(s.ordinals)) || uint64(s.ordinals[at]) != ordinal || s.sketches.IsNull(int(at)) {
		return "", false
	}
	k.hits++
	return s.sketches.Strs[at], true
}

func (k *SketchesByKey) byKey(rowKey []byte) (sketch string, ok bool) {
	if len(k.slots) > 0 {
		s := k.slot(max(0, colcache.Find(k.slots, rowKey)))
		if i, found := slices.BinarySearch(s.keys, value.Bytes(rowKey).Str()); found && !s.sketches.IsNull(i) {
			k.hits++
			return s.sketches.Strs[i], true
		}
	}
	k.misses++
	return "", false
}

func (k *SketchesByKey) slot(i int) *slotSketches {
	s := &k.known[i]
	if s.asked {
		return s
	}
	s.asked = true
	rows, _ := k.slots[i].At(k.stmt.LSN())
	if rows == nil {
		return s
	}
	if keys, ordinals, sketches := rows.Cols[k.names[0]], rows.Cols[k.names[1]], rows.Cols[k.names[2]]; keys != nil && ordinals != nil && sketches != nil {
		s.keys, s.ordinals, s.sketches = keys.Shown.Strs, ordinals.Shown.Ints, sketches.Shown
	}
	return s
}

// Done has the sketches read in the background when many were missing.
func (k *SketchesByKey) Done() {
	if k.misses > k.hits {
		select {
		case k.db.sketching.asked <- k.col:
		default:
		}
	}
}

// sketching reads sketches into memory in the background, for searches that would like to look them up.
type sketching struct {
	db    *DB
	asked chan SketchCol // has room for one
	gone  chan struct{}  // closed when run has ended
	last  map[string]time.Time
}

func newSketching(db *DB) *sketching {
	return &sketching{db: db, asked: make(chan SketchCol, 1), gone: make(chan struct{}), last: map[string]time.Time{}}
}

// sketchRest is how long a column is left alone once its sketches were read: when they don't stay, reading them again is of no use.
const sketchRest = 30 * time.Second

func (s *sketching) run(ctx context.Context) {
	defer close(s.gone)
	for {
		select {
		case <-ctx.Done():
			return
		case c := <-s.asked:
			col := c.col()
			name, _ := columnKey(&col)
			id := fmt.Sprintf("%d %s", c.Rel.Storage, name)
			if now := time.Now(); now.Sub(s.last[id]) > sketchRest {
				if len(s.last) > 1000 {
					clear(s.last)
				}
				s.last[id] = now
				if err := s.read(ctx, c); err != nil && ctx.Err() == nil {
					s.db.logger().Warn("vectors could not be sketched", "relation", c.Rel.Name, "error", err)
				}
			}
		}
	}
}

// read scans the column, without a lock: the snapshot shows it as it was even when it is dropped.
func (s *sketching) read(ctx context.Context, c SketchCol) error {
	t, err := s.db.Begin(ctx, TxnOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer t.Rollback()
	for range 2 { // a relation is not kept at its first scan
		if err := t.BeginStatement(ctx); err != nil {
			return err
		}
		it, err := t.sketches(ctx, c, nil)
		if err != nil {
			return err
		}
		if it == nil {
			continue
		}
		defer it.Close()
		for {
			if b, err := it.Next(ctx); b == nil || err != nil {
				return err
			}
		}
	}
	return nil
}

// sketchKeys is what the keys of columns of sketches begin with. They are worth their width.
const sketchKeys = "s "

// addSketch adds the sketch of a vector, if there is one.
func (p *projection) addSketch(c *value.Column, x []float32, err error) error {
	if err != nil || x == nil {
		c.AppendNull()
		return err
	}
	addString(c, p.room.close(vector.AppendSketch(p.room.open(), x)))
	return nil
}
