package session

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// cursor is what a portal made by DECLARE has besides: a position, and rows to go back to when it can scroll.
type cursor struct {
	name      string
	text      string
	scroll    bool // may move backwards
	hold      bool
	binary    bool
	kept      *scrollRows // rows fetched so far (scroll), or all of them (held)
	complete  bool        // kept has all rows
	pos       int64       // rows before the current one; 0 is before the first
	atEnd     bool        // after the last row
	created   time.Time
	committed bool // a held cursor whose transaction has committed
	// tables are those whose row keys follow the shown columns in all; keys are the ones of the current row of a cursor that keeps none.
	tables []catalog.ID
	all    value.Schema
	keys   [][]byte
}

func cursorActions() []entry {
	return []entry{
		on(action{params: declareParams}, func(s *Session, ctx context.Context, p *Portal, st *plan.Declare) error { return s.declare(ctx, p, st) }),
		on(action{cols: fetchCols, counts: true}, func(s *Session, ctx context.Context, p *Portal, st *plan.Fetch) error { return s.fetch(ctx, p, st) }),
		on(action{}, func(s *Session, _ context.Context, p *Portal, st *plan.Close) error {
			if st.Name == "" {
				s.closeOtherPortals()
				return nil
			}
			c, err := s.openCursor(st.Name)
			if err != nil {
				return err
			}
			c.Close()
			return nil
		}),
	}
}

func declareParams(st plan.Statement) []*value.Type { return st.(*plan.Declare).Query.Params }

// openCursor finds a portal by a cursor's name.
func (s *Session) openCursor(name string) (*Portal, error) {
	if p := s.portals[name]; p != nil && name != "" {
		return p, nil
	}
	return nil, dberr.New(dberr.InvalidCursorName, `cursor "%s" does not exist`, name)
}

// closeOtherPortals closes every portal except the one that runs, which is the unnamed one or done.
func (s *Session) closeOtherPortals() {
	for _, p := range s.portals {
		if p.state != running || p.cursor != nil {
			p.Close()
		}
	}
}

func (s *Session) declare(ctx context.Context, by *Portal, st *plan.Declare) error {
	if s.state != block && !st.Hold {
		return dberr.New(dberr.NoActiveSQLTransaction, "DECLARE CURSOR can only be used in transaction blocks")
	}
	if st.Name == "" {
		return dberr.New(dberr.InvalidCursorName, `invalid cursor name: must not be empty`)
	}
	if s.portals[st.Name] != nil {
		return dberr.New(dberr.DuplicateCursor, `cursor "%s" already exists`, st.Name)
	}
	q, err := s.optimise(st.Query)
	if err != nil {
		return err
	}
	all := schemaOf(q.Out)
	c := &compiled{stmt: q, query: q, act: queryAction, params: q.Params, cols: all[:st.Visible:st.Visible]}
	p := s.newPortal(st.Name, st.Text, c, by.params)
	p.cursor = &cursor{name: st.Name, text: st.Text, scroll: st.Scroll || !st.NoScroll && q.ReadOnly, hold: st.Hold, binary: st.Binary, created: s.srv.clock(),
		tables: st.Keys, all: all}
	if st.Binary {
		p.Formats = []int16{1}
	}
	if st.Hold {
		s.tx.newHeld = append(s.tx.newHeld, p)
	}
	// The cursor reads at the point at which it was declared.
	p.state, p.began = running, by.began
	if err := p.startQuery(ctx); err != nil {
		p.Close()
		return err
	}
	p.suspend()
	if p.cursor.scroll || st.Hold {
		p.cursor.kept = newScrollRows(all, p.env.Memory, s.workMem, p.rt.SpillDir)
	}
	return nil
}

// fetchCols gives the shape of FETCH: that of its cursor. MOVE shows no rows.
func fetchCols(s *Session, st plan.Statement) (value.Schema, error) {
	f := st.(*plan.Fetch)
	if f.Move {
		return nil, nil
	}
	if p := s.portals[f.Name]; p != nil && f.Name != "" {
		return p.c.cols, nil
	}
	return nil, nil
}

func (s *Session) fetch(ctx context.Context, by *Portal, st *plan.Fetch) error {
	p, err := s.openCursor(st.Name)
	if err != nil {
		return err
	}
	if p.cursor == nil { // a portal of the protocol: forward only
		p.cursor = &cursor{name: st.Name, text: p.text}
		if p.state == bound {
			if err := p.start(ctx); err != nil {
				return err
			}
			p.suspend()
		}
	}
	if !st.Move && by.c.cols == nil {
		by.c = &compiled{stmt: by.c.stmt, act: by.c.act, cols: p.c.cols}
	}
	if p.cursor.binary {
		by.Formats = []int16{1}
	}
	if p.state == broken {
		return dberr.New(dberr.ObjectNotInPrerequisiteState, `portal "%s" cannot be run`, st.Name)
	}
	if p.point != nil {
		p.rt.Txn.Resume(p.point)
	}
	out := newKeptRows(p.c.cols, nil)
	n, err := p.cursor.run(ctx, p, st, out)
	if err != nil {
		return err
	}
	by.count = n
	if !st.Move {
		by.rows = out
	}
	return nil
}

// run carries out a FETCH or MOVE; the rows go to out, their number is the result.
func (c *cursor) run(ctx context.Context, p *Portal, st *plan.Fetch, out *keptRows) (int64, error) {
	switch st.Dir {
	case plan.FetchForward:
		if st.Count < 0 {
			return c.backward(ctx, p, -st.Count, out)
		}
		if st.Count == 0 {
			return c.current(ctx, p, out)
		}
		return c.forward(ctx, p, st.Count, out)
	case plan.FetchBackward:
		if st.Count < 0 {
			return c.forward(ctx, p, -st.Count, out)
		}
		if st.Count == 0 {
			return c.current(ctx, p, out)
		}
		return c.backward(ctx, p, st.Count, out)
	case plan.FetchRelative:
		if st.Count == 0 {
			return c.current(ctx, p, out)
		}
		return c.absolute(ctx, p, c.row()+st.Count, out)
	}
	target := st.Count
	if target < 0 {
		if err := c.readAll(ctx, p); err != nil {
			return 0, err
		}
		target = c.kept.len() + 1 + target
	}
	return c.absolute(ctx, p, target, out)
}

// row is the number of the current row; 0 before the first, one more than the rows behind the last.
func (c *cursor) row() int64 {
	if c.atEnd {
		return c.pos + 1
	}
	return c.pos
}

func (c *cursor) cannotScroll() error {
	return dberr.New(dberr.ObjectNotInPrerequisiteState, "cursor can only scan forward").WithHint("Declare it with SCROLL option to enable backward scan.")
}

// forward gives up to n rows after the current one.
func (c *cursor) forward(ctx context.Context, p *Portal, n int64, out *keptRows) (int64, error) {
	if c.kept == nil {
		return c.stream(ctx, p, n, out)
	}
	from := c.pos
	if c.atEnd {
		return 0, nil
	}
	to := from + n
	if n == plan.FetchAll || to < from {
		to = plan.FetchAll
	}
	if err := c.readTo(ctx, p, to); err != nil {
		return 0, err
	}
	if to > c.kept.len() {
		to = c.kept.len()
		c.atEnd = true
	}
	if err := c.kept.copy(int(from), int(to), 1, out); err != nil {
		return 0, err
	}
	c.pos = to
	return to - from, nil
}

// stream is forward for a cursor that keeps no rows.
func (c *cursor) stream(ctx context.Context, p *Portal, n int64, out *keptRows) (int64, error) {
	var got int64
	for got < n {
		want := int64(batch.Size)
		if n-got < want {
			want = n - got
		}
		b, err := p.pullRows(ctx, int(want))
		if err != nil {
			return got, err
		}
		if b == nil {
			c.atEnd = true
			break
		}
		if err := out.add(b); err != nil {
			return got, err
		}
		c.noteKeys(b)
		got += int64(b.Rows())
		c.pos += int64(b.Rows())
	}
	return got, nil
}

// noteKeys keeps the keys of the last row of a batch.
func (c *cursor) noteKeys(b *batch.Batch) {
	c.keys = c.keys[:0]
	for i := range c.tables {
		col := b.Cols[len(b.Cols)-len(c.tables)+i]
		c.keys = append(c.keys, []byte(col.Get(b.Row(b.Rows()-1)).Str()))
	}
}

// rowKey gives the key of the current row of a table.
func (c *cursor) rowKey(at int) ([]byte, error) {
	switch {
	case c.pos == 0 || c.atEnd:
		return nil, nil
	case c.kept != nil:
		v, err := c.kept.value(int(c.pos)-1, len(c.all)-len(c.tables)+at)
		return []byte(v.Str()), err
	}
	return c.keys[at], nil
}

// cursorRow is functions.Env.Cursor.
func (s *Session) cursorRow(name string, relation uint32) ([]byte, error) {
	p, err := s.openCursor(name)
	if err != nil {
		return nil, err
	}
	if p.cursor != nil && p.cursor.committed {
		return nil, dberr.New(dberr.InvalidCursorState, `cursor "%s" is held from a previous transaction`, name)
	}
	table := ""
	if r := s.tx.txn.Catalog().RelationByID(catalog.ID(relation)); r != nil {
		table = r.Name
	}
	if p.cursor != nil {
		if at := slices.Index(p.cursor.tables, catalog.ID(relation)); at >= 0 {
			if slices.Contains(p.cursor.tables[at+1:], catalog.ID(relation)) {
				return nil, dberr.New(dberr.InvalidCursorState, `cursor "%s" has multiple FOR UPDATE/SHARE references to table "%s"`, name, table)
			}
			key, err := p.cursor.rowKey(at)
			if err != nil {
				return nil, err
			}
			if key == nil {
				return nil, dberr.New(dberr.InvalidCursorState, `cursor "%s" is not positioned on a row`, name)
			}
			return key, nil
		}
	}
	return nil, dberr.New(dberr.InvalidCursorState, `cursor "%s" is not a simply updatable scan of table "%s"`, name, table)
}

// backward gives up to n rows before the current one, nearest first.
func (c *cursor) backward(ctx context.Context, p *Portal, n int64, out *keptRows) (int64, error) {
	if c.kept == nil {
		return 0, c.cannotScroll()
	}
	from := c.row() - 1 // rows before the current one
	if from < 0 {
		from = 0
	}
	to := from - n
	if n == plan.FetchAll || to < 0 {
		to = 0
	}
	if err := c.kept.copy(int(from)-1, int(to)-1, -1, out); err != nil {
		return 0, err
	}
	c.atEnd = false
	if from-to < n {
		c.pos = 0
	} else {
		c.pos = to + 1
	}
	return from - to, nil
}

// current gives the current row again.
func (c *cursor) current(_ context.Context, _ *Portal, out *keptRows) (int64, error) {
	if c.kept == nil {
		if c.pos == 0 || c.atEnd {
			return 0, nil
		}
		return 0, c.cannotScroll()
	}
	if c.atEnd || c.pos == 0 {
		return 0, nil
	}
	return 1, c.kept.copy(int(c.pos)-1, int(c.pos), 1, out)
}

// absolute goes to a row and gives it, or goes before the first or behind the last.
func (c *cursor) absolute(ctx context.Context, p *Portal, row int64, out *keptRows) (int64, error) {
	if c.kept == nil {
		if row <= c.pos {
			return 0, c.cannotScroll()
		}
		skip := newKeptRows(p.c.cols, nil)
		if _, err := c.stream(ctx, p, row-1-c.pos, skip); err != nil {
			return 0, err
		}
		return c.stream(ctx, p, 1, out)
	}
	if row <= 0 {
		c.pos, c.atEnd = 0, false
		return 0, nil
	}
	if err := c.readTo(ctx, p, row); err != nil {
		return 0, err
	}
	if row > c.kept.len() {
		c.pos, c.atEnd = c.kept.len(), true
		return 0, nil
	}
	c.pos, c.atEnd = row, false
	return c.current(ctx, p, out)
}

// readTo reads the query on until row n is kept.
func (c *cursor) readTo(ctx context.Context, p *Portal, n int64) error {
	for !c.complete && c.kept.len() < n {
		b, err := p.pullRows(ctx, batch.Size)
		if err != nil {
			return err
		}
		if b == nil {
			c.complete = true
			return nil
		}
		if err := c.kept.add(b); err != nil {
			return err
		}
	}
	return nil
}

func (c *cursor) readAll(ctx context.Context, p *Portal) error {
	if c.kept == nil {
		return c.cannotScroll()
	}
	return c.readTo(ctx, p, plan.FetchAll)
}

// pullRows is pull for a cursor's portal, which may have ended.
func (p *Portal) pullRows(ctx context.Context, max int) (*batch.Batch, error) {
	if p.rows == nil {
		return nil, nil
	}
	b, err := p.pull(ctx, max)
	if err != nil {
		p.state = broken
	}
	return b, err
}

// keepHeldCursors reads the rows of WITH HOLD cursors to the end before their transaction commits.
func (s *Session) keepHeldCursors(ctx context.Context) error {
	for _, p := range s.tx.newHeld {
		if s.portals[p.name] != p {
			continue // closed already
		}
		if p.point != nil {
			p.rt.Txn.Resume(p.point)
		}
		if err := p.cursor.readAll(ctx, p); err != nil {
			return err
		}
		p.cursor.kept.detach()
		p.release()
		p.held, p.cursor.committed = true, true
	}
	s.tx.newHeld = nil
	return nil
}

// dropNewHeld closes the WITH HOLD cursors of a transaction that is undone.
func (s *Session) dropNewHeld() {
	for _, p := range s.tx.newHeld {
		p.Close()
	}
	s.tx.newHeld = nil
}

// CursorRow is one row of pg_cursors.
type CursorRow struct {
	Name, Text           string
	Hold, Binary, Scroll bool
	Created              int64 // µs since 2000-01-01 UTC
}

// Cursors lists the open portals that pg_cursors shows, by name.
func (s *Session) Cursors() []CursorRow {
	var rows []CursorRow
	for name, p := range s.portals {
		if name == "" || p.c.cols == nil {
			continue
		}
		r := CursorRow{Name: name, Text: p.text}
		if c := p.cursor; c != nil {
			r.Hold, r.Binary, r.Scroll, r.Created = c.hold, c.binary, c.scroll, pgMicros(c.created)
		}
		rows = append(rows, r)
	}
	slices.SortFunc(rows, func(a, b CursorRow) int { return strings.Compare(a.Name, b.Name) })
	return rows
}
