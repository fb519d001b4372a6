package storage

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/colcache"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/filter"
	"github.com/omgdb/omgdb/storage/key"
	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/overlay"
	"github.com/omgdb/omgdb/storage/value"
)

// minCachedRows is the size from which a relation's columns are worth keeping.
const minCachedRows = 2 * colcache.SlotRows

// columnKey names what a scan's column shows; ok is false when it is not for keeping.
func columnKey(c *ScanCol) (k colcache.Key, ok bool) {
	switch c.Kind {
	case ColField:
		kept := c.Type.Kind != value.KindBox || c.Type.OID == value.Numeric.OID
		return colcache.Key(fmt.Sprintf("f %d %d %s", c.Type.OID, c.Mod, c.Field)), kept
	case ColSketch:
		if c.Index != 0 {
			return colcache.Key(fmt.Sprintf("%sof %d", sketchKeys, c.Index)), true
		}
		return colcache.Key(fmt.Sprintf("%s%d %s", sketchKeys, c.Type.OID, c.Field)), true
	case ColRowKey:
		return "key", true
	case ColID:
		return "id", true
	case ColOrdinal:
		return "ordinal", true
	case ColPathJSON:
		return "j " + pathKey(c.Path), true
	case ColPathText:
		return "t " + pathKey(c.Path), true
	}
	return "", false
}

func pathKey(p doc.Path) colcache.Key {
	var b []byte
	for _, s := range p {
		b = fmt.Appendf(b, "%d %d %q ", s.Kind, s.Index, s.Key)
	}
	return colcache.Key(b)
}

// cached gives the table of columns that the scan may read instead of rows, with the filter as tests of columns; nil when it may not.
func (t *Txn) cached(ctx context.Context, s *ScanSpec, m *filter.Matcher) (*colcache.Table, []filter.ColumnTest, error) {
	if s.Lock != NoRowLock || s.AsOf != 0 || s.Index != nil || s.Keys != nil || s.Limit != 0 || s.Parts > 1 || s.Reverse || s.Rel.Temp {
		return nil, nil, nil
	}
	for i := range s.Cols {
		if _, ok := columnKey(&s.Cols[i]); !ok {
			return nil, nil, nil
		}
	}
	var tests []filter.ColumnTest
	if m != nil {
		var ok bool
		if tests, ok = m.ColumnTests(); !ok {
			return nil, nil, nil
		}
	}
	c, err := readCounts(ctx, t.now.head.snap, s.Rel.Storage)
	if err != nil || c.rows < minCachedRows {
		return nil, nil, err
	}
	table := t.db.columns.Admit(s.Rel.Storage, t.now.number)
	if table == nil || tooWide(table, s, tests) {
		return nil, nil, nil
	}
	return table, tests, table.Cut(func() ([][]byte, error) { return t.slotStarts(ctx, s.Rel.Storage) })
}

// tooWide tells whether one of the columns that the scan needs is not for keeping.
func tooWide(table *colcache.Table, s *ScanSpec, tests []filter.ColumnTest) bool {
	for i := range s.Cols {
		if k, _ := columnKey(&s.Cols[i]); table.Wide(k) {
			return true
		}
	}
	return slices.ContainsFunc(tests, func(t filter.ColumnTest) bool { return table.Wide(rawKey(t.Path())) })
}

// rawKey names the stored values at a path.
func rawKey(p doc.Path) colcache.Key { return "r " + pathKey(p) }

// slotStarts finds the row keys at which slots begin: it walks all keys once.
func (t *Txn) slotStarts(ctx context.Context, storage uint64) (starts [][]byte, err error) {
	it := t.now.head.snap.Scan(ctx, key.All(key.Row, storage))
	defer it.Close()
	for n := 0; it.Next(); n++ {
		if n > 0 && n%colcache.SlotRows == 0 {
			starts = append(starts, bytes.Clone(it.Key()[kv.PrefixLen:]))
		}
	}
	return starts, it.Err()
}

// columnScan implements batch.Iter over the columns of slots. What the cache does not have it reads from the rows.
type columnScan struct {
	stmt  *Statement
	spec  *ScanSpec
	match *filter.Matcher // for ranges read by rows
	table *colcache.Table
	tests []columnTest
	keys  []colcache.Key // of spec.Cols
	proj  *projection
	raw   *doc.Projector // of the tests' paths
	vals  []doc.Value
	todo  []slotRange
	rows  *scan // of the range at hand, when its columns are not to be had
	sel   []int32
	out   batch.Batch
}

// columnTest is a condition of the filter with its column, and what it says of the codes of a dictionary.
type columnTest struct {
	filter.ColumnTest
	key   colcache.Key
	codes []byte // by code: 0 not asked yet, 1 false, 2 true
}

// slotRange is what to read of a slot: all of it when slot is set.
type slotRange struct {
	slot *colcache.Slot
	KeyRange
}

func (t *Txn) columnScan(table *colcache.Table, tests []filter.ColumnTest, s *ScanSpec, m *filter.Matcher) *columnScan {
	c := &columnScan{stmt: t.now.hold(), spec: s, match: m, table: table, keys: make([]colcache.Key, len(s.Cols)), proj: newProjection(s.Rel, s.Cols)}
	for i := range s.Cols {
		c.keys[i], _ = columnKey(&s.Cols[i])
	}
	paths := make([]doc.Path, len(tests))
	for i, x := range tests {
		paths[i] = x.Path()
		c.tests = append(c.tests, columnTest{ColumnTest: x, key: rawKey(x.Path())})
	}
	if len(paths) > 0 {
		c.raw, c.vals = doc.NewProjector(paths...), make([]doc.Value, len(paths))
	}
	ranges := s.Bounds
	if ranges == nil {
		ranges = []KeyRange{{}}
	}
	slots := table.Slots()
	for _, r := range ranges {
		t.reads.add(key.Between(key.Row, s.Rel.Storage, r.Start, r.End))
		c.todo = appendSlots(c.todo, slots, r)
	}
	return c
}

// appendSlots cuts a range at the slots' bounds.
func appendSlots(todo []slotRange, slots []*colcache.Slot, r KeyRange) []slotRange {
	for i := max(0, colcache.Find(slots, r.Start)); i < len(slots); i++ {
		whole := KeyRange{Start: slots[i].Start}
		if i+1 < len(slots) {
			whole.End = slots[i+1].Start
		}
		part := whole.and(r)
		if part.End != nil && bytes.Compare(part.Start, part.End) >= 0 {
			break
		}
		x := slotRange{KeyRange: part}
		if bytes.Equal(part.Start, whole.Start) && bytes.Equal(part.End, whole.End) && (part.End == nil) == (whole.End == nil) {
			x.slot = slots[i]
		}
		todo = append(todo, x)
	}
	return todo
}

func (c *columnScan) Schema() value.Schema { return c.proj.schema }

func (c *columnScan) Next(ctx context.Context) (*batch.Batch, error) {
	for {
		if c.rows != nil {
			if b, err := c.rows.Next(ctx); b != nil || err != nil {
				return b, err
			}
			c.endRows()
		}
		if len(c.todo) == 0 {
			return nil, nil
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		r := c.todo[0]
		c.todo = c.todo[1:]
		rows, err := c.columns(ctx, r)
		if err != nil {
			return nil, err
		}
		if rows == nil {
			rows := &rangeIter{ctx: ctx, stmt: c.stmt, rel: c.spec.Rel, ranges: []KeyRange{r.KeyRange}}
			c.rows = &scan{stmt: c.stmt.hold(), spec: c.spec, rows: rows, match: c.match, proj: c.proj}
			continue
		}
		if b, err := c.show(rows); b != nil || err != nil {
			return b, err
		}
	}
}

func (c *columnScan) endRows() {
	if c.rows != nil {
		c.rows.Close()
		c.rows = nil
	}
}

func (c *columnScan) Close() error {
	c.endRows()
	c.todo = nil
	c.stmt.Close()
	return nil
}

// columns gives the columns of a range; nil when they are not to be had, and rows must be read.
func (c *columnScan) columns(ctx context.Context, r slotRange) (*colcache.Rows, error) {
	if r.slot == nil || c.ownWrites(r.KeyRange) {
		return nil, nil
	}
	at := c.stmt.LSN()
	rows, known := r.slot.At(at)
	if !known || rows != nil && len(c.missing(rows)) == 0 {
		return rows, nil
	}
	r.slot.Lock()
	defer r.slot.Unlock()
	rows, known = r.slot.At(at)
	if !known || rows != nil && len(c.missing(rows)) == 0 {
		return rows, nil
	}
	return c.fill(ctx, r, rows)
}

// ownWrites tells whether the transaction has changed rows in the range.
func (c *columnScan) ownWrites(r KeyRange) bool {
	if c.stmt.txn.writes.Empty() {
		return false
	}
	kr := key.Between(key.Row, c.spec.Rel.Storage, r.Start, r.End)
	own := c.stmt.txn.writes.Cursor(overlay.Prefix(kr.Start), kr, c.stmt.seq)
	return own != nil && (own.Key() != nil || own.Err() != nil)
}

// missing lists the columns that rows lack.
func (c *columnScan) missing(rows *colcache.Rows) []colcache.Key {
	var out []colcache.Key
	lack := func(k colcache.Key) {
		if rows == nil || rows.Cols[k] == nil {
			out = append(out, k)
		}
	}
	for _, k := range c.keys {
		lack(k)
	}
	for i := range c.tests {
		lack(c.tests[i].key)
	}
	return out
}

// fill reads the range's rows for the columns that have lacks, and keeps them; nil when there is no memory for it, or the slot has grown
// and is cut for the next one who comes.
func (c *columnScan) fill(ctx context.Context, r slotRange, have *colcache.Rows) (*colcache.Rows, error) {
	it := c.stmt.head.snap.Scan(ctx, key.Between(key.Row, c.spec.Rel.Storage, r.Start, r.End))
	defer it.Close()
	c.proj.begin()
	raw := make([][]doc.Value, len(c.tests))
	n := 0
	var starts [][]byte
	for ; it.Next(); n++ {
		k, v := it.Key()[kv.PrefixLen:], it.Value()
		if len(v) < headerLen+5 {
			return nil, checkRow(it.Key(), v)
		}
		if n > 0 && n%colcache.SlotRows == 0 {
			starts = append(starts, bytes.Clone(k))
		}
		if len(c.keys) > 0 {
			if err := c.proj.add(k, v); err != nil {
				return nil, err
			}
		}
		if c.raw != nil {
			c.raw.Project(rowDoc(v), c.vals)
			for i, x := range c.vals {
				raw[i] = append(raw[i], x)
			}
		}
	}
	if it.Err() != nil {
		return nil, it.Err()
	}
	if n > colcache.SlotRows*3/2 {
		c.table.Split(r.slot, starts)
		return nil, nil
	}
	return c.store(r.slot, have, n, raw), nil
}

// store makes columns of what was read and puts them into the slot.
func (c *columnScan) store(slot *colcache.Slot, have *colcache.Rows, n int, raw [][]doc.Value) *colcache.Rows {
	fresh := &colcache.Rows{At: c.stmt.LSN(), N: n, Cols: map[colcache.Key]*colcache.Column{}}
	if have != nil {
		fresh.At = have.At
	}
	lacks := c.missing(have)
	for i, k := range c.keys {
		if slices.Contains(lacks, k) && fresh.Cols[k] == nil {
			fresh.Cols[k] = colcache.Shown(c.table, k, c.proj.cols[i])
		}
	}
	for i := range c.tests {
		if k := c.tests[i].key; slices.Contains(lacks, k) && fresh.Cols[k] == nil {
			fresh.Cols[k] = &colcache.Column{Raw: colcache.NewRaw(c.table, k, raw[i])}
		}
	}
	for k, col := range fresh.Cols {
		if !strings.HasPrefix(string(k), sketchKeys) && c.table.TooWide(k, col, n) {
			return nil
		}
	}
	return c.table.Store(slot, fresh)
}

// show gives the rows of a slot that pass the filter, nil when there are none.
func (c *columnScan) show(rows *colcache.Rows) (*batch.Batch, error) {
	if rows.N == 0 {
		return nil, nil
	}
	c.out = batch.Batch{Len: rows.N, Cols: make([]*value.Column, len(c.keys))}
	for i := range c.tests {
		if err := c.test(&c.tests[i], rows, i == 0); err != nil {
			return nil, err
		}
		if len(c.sel) == 0 {
			return nil, nil
		}
	}
	if len(c.tests) > 0 && len(c.sel) < rows.N {
		c.out.Sel = c.sel
	}
	for i, k := range c.keys {
		c.out.Cols[i] = rows.Cols[k].Shown
	}
	return &c.out, nil
}

// test leaves in sel the rows that pass; the first test looks at all.
func (c *columnScan) test(t *columnTest, rows *colcache.Rows, first bool) error {
	if cap(c.sel) < rows.N {
		c.sel = make([]int32, 0, max(rows.N, colcache.SlotRows))
	}
	raw := rows.Cols[t.key].Raw
	if raw.Codes != nil && first {
		c.sel = c.sel[:rows.N]
		return c.testAllCodes(t, raw)
	}
	if first {
		c.sel = c.sel[:rows.N]
		for i := range c.sel {
			c.sel[i] = int32(i)
		}
	}
	if raw.Codes != nil {
		return c.testCodes(t, raw)
	}
	kept := c.sel[:0]
	for _, i := range c.sel {
		ok, err := t.True(raw.Value(i))
		if err != nil {
			return err
		}
		if ok {
			kept = append(kept, i)
		}
	}
	c.sel = kept
	return nil
}

// testCodes tests each value of a dictionary that occurs once, and then rows by their codes without a branch for each.
func (c *columnScan) testCodes(t *columnTest, raw *colcache.Raw) error {
	vals := t.room(raw)
	sel, codes, known := c.sel, raw.Codes, t.codes
	n := 0
	for _, i := range sel {
		code := codes[i]
		if known[code] == 0 {
			if err := t.ask(code, vals); err != nil {
				return err
			}
		}
		sel[n] = i
		n += int(known[code] >> 1)
	}
	c.sel = sel[:n]
	return nil
}

// testAllCodes is testCodes of all rows, as many as sel has room for.
func (c *columnScan) testAllCodes(t *columnTest, raw *colcache.Raw) error {
	vals := t.room(raw)
	sel, known := c.sel, t.codes
	n := 0
	for i, code := range raw.Codes[:len(sel)] {
		if known[code] == 0 {
			if err := t.ask(code, vals); err != nil {
				return err
			}
		}
		sel[n] = int32(i)
		n += int(known[code] >> 1)
	}
	c.sel = sel[:n]
	return nil
}

// room gives the values of a column's dictionary, and makes room for what the test says of each.
func (t *columnTest) room(raw *colcache.Raw) []string {
	vals := raw.Dict.Values()
	if len(t.codes) < len(vals) {
		t.codes = append(t.codes, make([]byte, len(vals)-len(t.codes))...)
	}
	return vals
}

// ask tests the value that a code stands for.
func (t *columnTest) ask(code uint32, vals []string) error {
	ok, err := t.True(colcache.Coded(vals[code]))
	if err != nil {
		return err
	}
	if t.codes[code] = 1; ok {
		t.codes[code] = 2
	}
	return nil
}

// noteColumns tells the column cache what a commit has written.
func (db *DB) noteColumns(b *commit) error {
	if b.size > maxNotedBytes {
		return db.columns.Committed(b.lsn, b.rowsOf, nil)
	}
	return db.columns.Committed(b.lsn, b.rowsOf, func(note func(uint64, []byte)) error {
		for it := b.Ops(); ; {
			op, ok, err := it.Next()
			if err != nil || !ok {
				return err
			}
			if space, id, rest := key.Split(op.Key); space == key.Row {
				note(id, rest)
			}
		}
	})
}

// ColumnMemory is how many bytes columns of rows take in memory now.
func (db *DB) ColumnMemory() int64 { return db.columns.Used() }

// ColumnBudget is the most that they may take.
func (db *DB) ColumnBudget() int64 { return db.columns.Budget() }

// maxNotedBytes is the size of a commit beyond which the columns of what it wrote are dropped instead of its keys listed.
const maxNotedBytes = 4 << 20

// columnCuts gives up to parts-1 row keys that cut a relation at slots of the column cache.
func columnCuts(table *colcache.Table, parts int) [][]byte {
	slots := table.Slots()
	var cuts [][]byte
	for i := 1; i < parts; i++ {
		if at := len(slots) * i / parts; at > 0 {
			cuts = append(cuts, slots[at].Start)
		}
	}
	return slices.CompactFunc(cuts, bytes.Equal)
}
