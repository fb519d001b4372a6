package session

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/exec"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// Portal is a statement with its parameter values, running or about to. It lives until it is closed or replaced, at most as long as its
// transaction (WITH HOLD cursors excepted). Fetch runs it.
type Portal struct {
	// Formats are the result format codes that the door was given; the session doesn't look at them.
	Formats []int16

	s      *Session
	name   string
	text   string
	c      *compiled
	params []value.Value
	seq    int // number of the portal in the session, for savepoints
	cursor *cursor
	held   bool // outlives its transaction

	state  portalState
	from   txnState // the session's state when the portal started
	memory functions.Account
	env    functions.Env
	rt     exec.Runtime
	res    *exec.Result
	rows   batch.Iter // what Fetch reads; nil when there are none
	cur    *batch.Batch
	at     int // rows of cur already given
	// drained: rows has no more than cur.
	drained bool
	part    batch.Batch
	point   *storage.Statement // reading point held while other statements run
	tag     string             // verb of the command tag
	count   int64              // rows changed by a statement that shows none
	plain   bool               // tag has no count
	began   time.Time
}

type portalState uint8

const (
	bound portalState = iota
	running
	done
	broken
)

// Bind makes a portal of a prepared statement; "" is the unnamed one, which replaces its predecessor. args are the parameters' values,
// one for each of ParamTypes; they must not share memory with anything that changes.
func (st *Stmt) Bind(ctx context.Context, name string, args []value.Value, formats []int16) (*Portal, error) {
	s := st.s
	if name != "" && s.portals[name] != nil {
		return nil, dberr.New(dberr.DuplicateCursor, `cursor "%s" already exists`, name)
	}
	c, err := st.current(ctx)
	if err != nil {
		return nil, err
	}
	if want := len(c.asked()); len(args) != want {
		return nil, dberr.New(dberr.ProtocolViolation, `bind message supplies %d parameters, but prepared statement "%s" requires %d`, len(args), st.name, want)
	}
	if st.lits != nil {
		args = st.lits
	}
	if s.state == idle {
		s.state = implicit
	}
	st.runs++
	p := s.newPortal(name, st.text, c, args)
	p.Formats = formats
	return p, nil
}

func (s *Session) newPortal(name, text string, c *compiled, args []value.Value) *Portal {
	if old := s.portals[name]; old != nil {
		s.recycle(old)
	}
	s.portalSeq++
	p := s.spare
	if s.spare = nil; p == nil {
		p = &Portal{}
	}
	p.s, p.name, p.text, p.c, p.params, p.seq, p.tag = s, name, text, c, args, s.portalSeq, ""
	if c.stmt != nil {
		p.tag = c.stmt.CommandTag()
	}
	s.portals[name] = p
	return p
}

// Portal finds a portal by name. In a failed block it is that which the client must hear of: the block's portals have gone with it.
func (s *Session) Portal(name string) (*Portal, error) {
	if p := s.portals[name]; p != nil {
		return p, nil
	}
	if s.state == failed {
		return nil, errAborted
	}
	return nil, dberr.New(dberr.InvalidCursorName, `portal "%s" does not exist`, name)
}

// ClosePortal closes a portal; a missing one is no error.
func (s *Session) ClosePortal(name string) {
	if p := s.portals[name]; p != nil {
		p.Close()
	}
}

// Columns is the shape of the rows; nil when there are none.
func (p *Portal) Columns() value.Schema { return p.c.cols }

// Waits tells that a row may take its time (pg_sleep, a lock): what has been fetched is to be shown before the next Fetch.
func (p *Portal) Waits() bool { return p.c.waits }

// Text is the text that error positions refer to.
func (p *Portal) Text() string { return p.text }

// Empty tells that there is no statement in the text.
func (p *Portal) Empty() bool { return p.c == p.s.srv.empty }

// Fetch gives the next rows, at most max (0: as many as come at once), and whether the portal has ended; the first call starts the
// statement, and a statement without rows runs to its end. A batch is valid until the portal is used again. When exactly max
// rows were given the end is not looked for.
func (p *Portal) Fetch(ctx context.Context, max int) (*batch.Batch, bool, error) {
	switch p.state {
	case broken:
		return nil, false, dberr.New(dberr.ObjectNotInPrerequisiteState, `portal "%s" cannot be run`, p.name)
	case done:
		return nil, true, nil
	case bound:
		if err := p.start(ctx); err != nil {
			p.state = broken
			return nil, false, err
		}
	case running:
		if p.point != nil {
			p.rt.Txn.Resume(p.point)
		}
	}
	if p.rows == nil {
		p.finish()
		return nil, true, nil
	}
	b, err := p.pull(ctx, max)
	if err != nil {
		p.state = broken
		return nil, false, p.runtimeError(err)
	}
	if b == nil {
		p.finish()
		return nil, true, nil
	}
	if max > 0 {
		p.suspend()
	}
	return b, false, nil
}

// pull gives at most max rows of the current batch, or of the next.
func (p *Portal) pull(ctx context.Context, max int) (*batch.Batch, error) {
	for p.cur == nil || p.at >= p.cur.Rows() {
		if p.drained {
			return nil, nil
		}
		b, err := p.rows.Next(ctx)
		if err != nil || b == nil {
			return nil, err
		}
		p.cur, p.at = b, 0
	}
	left := p.cur.Rows() - p.at
	if p.at == 0 && (max == 0 || left <= max) {
		p.at = left
		return p.cur, nil
	}
	n := left
	if max > 0 && n > max {
		n = max
	}
	p.part.Cols, p.part.Len, p.part.Sel = p.cur.Cols, p.cur.Len, p.part.Sel[:0]
	for i := range n {
		p.part.Sel = append(p.part.Sel, int32(p.cur.Row(p.at+i)))
	}
	p.at += n
	return &p.part, nil
}

// start runs the statement up to its first row.
func (p *Portal) start(ctx context.Context) error {
	s := p.s
	p.from = s.state
	if p.c.later != nil {
		return p.c.later
	}
	if check := p.c.act.before; check != nil {
		if err := check(s, p.c.stmt); err != nil {
			return err
		}
	}
	if err := s.step(ctx, p.c.act.event); err != nil {
		return err
	}
	if s.user != superuser && p.c.act.run != nil && p.c.act.event == evStatement {
		if err := s.mayRun(p.c.stmt); err != nil {
			return err
		}
	}
	if err := p.refuseReadOnly(); err != nil {
		return err
	}
	p.state = running
	p.began = s.srv.clock()
	s.act.begin(p.text, p.began, s.tx.begun)
	if p.c.act.run != nil {
		return p.runtimeError(p.c.act.run(s, ctx, p))
	}
	err := p.startQuery(ctx)
	for range maxReplans {
		if !errors.Is(err, storage.ErrStale) {
			break
		}
		if err = p.replan(ctx); err == nil {
			err = p.startQuery(ctx)
		}
	}
	return p.runtimeError(err)
}

// maxReplans bounds how often a statement is planned again because others change its tables faster than it starts.
const maxReplans = 10

// replan makes the plan anew after an object that it uses has changed under it.
func (p *Portal) replan(ctx context.Context) error {
	p.release()
	if p.c.shape != nil {
		p.params = nil // they are the text's own
	}
	oids := make([]uint32, len(p.c.asked()))
	for i, t := range p.c.asked() {
		oids[i] = t.OID
	}
	c, err := p.s.compile(ctx, p.text, oids)
	if err != nil {
		return err
	}
	if c.err != nil {
		return c.err
	}
	if !sameShape(c.cols, p.c.cols) || len(c.params) != len(p.params) {
		return errPlanChanged()
	}
	p.c = c
	return nil
}

// runtimeError completes an error of a statement that runs. It has no position: in PostgreSQL only what is wrong with the text has one.
// The schema of the table that it is about is that of the statement's table of that name.
func (p *Portal) runtimeError(err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, storage.ErrReadOnly) && p.c.stmt != nil {
		return inReadOnly(p.c.stmt.CommandTag())
	}
	var e *dberr.Error
	if !errors.As(err, &e) || e.Position == 0 && (e.Table == "" || e.Schema != "") {
		return err
	}
	c := *e
	c.Position = 0
	if c.Table != "" && c.Schema == "" {
		c.Schema = p.schemaOf(c.Table)
	}
	return &c
}

// schemaOf finds the schema of a table of the statement by the table's name.
func (p *Portal) schemaOf(table string) string {
	deps := p.c.deps
	if st, ok := p.c.stmt.(*plan.Copy); ok && st.From {
		deps = &st.Insert.Deps
	}
	if deps == nil || p.s.tx.txn == nil {
		return ""
	}
	v := p.s.tx.txn.Catalog()
	for id := range deps.Relations {
		if r := v.RelationByID(id); r != nil && r.Name == table {
			if sc := v.SchemaByID(r.Schema); sc != nil {
				return sc.Name
			}
		}
	}
	return ""
}

// startQuery opens the plan. A statement that changes or locks rows runs to its end here, its rows kept: it may have to start again
// on newer rows, and what the client does with the rows must not matter to it.
func (p *Portal) startQuery(ctx context.Context) error {
	txn, err := p.s.beginStatement(ctx)
	if err != nil {
		return err
	}
	p.prepareRun(txn)
	if p.c.query.ReadOnly {
		p.res, err = exec.Open(ctx, &p.rt, p.c.query)
		if err != nil {
			return err
		}
		p.rows = p.res.Iter
		if p.rows == nil {
			return p.res.Run(ctx)
		}
		if p.cursor == nil {
			p.cur, err = p.rows.Next(ctx) // now: a plan that turns out to be stale can still be replaced
			p.drained = p.cur == nil
		}
		return err
	}
	kept, n, err := p.s.runToEnd(ctx, &p.rt, p.c.query)
	if err != nil {
		return err
	}
	p.count = n
	if kept != nil {
		p.rows = kept
	}
	return nil
}

// beginStatement gives the transaction at a reading point of a new statement.
func (s *Session) beginStatement(ctx context.Context) (*storage.Txn, error) {
	txn, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	if s.tx.used { // else the transaction has just begun, and a statement with it
		if err := txn.BeginStatement(ctx); err != nil {
			return nil, err
		}
	}
	s.tx.used = true
	return txn, nil
}

// prepareRun fills in the world of the portal's statement.
func (p *Portal) prepareRun(txn *storage.Txn) {
	p.s.fillEnv(&p.env, &p.memory, txn, p.began)
	p.rt = exec.Runtime{
		Txn: txn, Env: &p.env, Params: p.params, Memory: p.env.Memory, WorkMem: p.s.workMem, SpillDir: txn.SpillDir(), Registry: p.s.srv.registry,
	}
}

// runToEnd runs a query that writes or locks, again from its beginning when it met rows newer than its reading point, and keeps the
// rows that it shows. The count is that of changed rows.
func (s *Session) runToEnd(ctx context.Context, rt *exec.Runtime, q *plan.Query) (*keptRows, int64, error) {
	kept, n, err := s.runChange(ctx, rt, q)
	if err == nil {
		if err = s.checkConstraints(ctx, rt.Txn); err != nil {
			kept.free()
			return nil, 0, err
		}
	}
	return kept, n, err
}

// runChange is runToEnd without what foreign keys have to say.
func (s *Session) runChange(ctx context.Context, rt *exec.Runtime, q *plan.Query) (*keptRows, int64, error) {
	mark := rt.Txn.Mark()
	defer rt.Txn.Forget(mark)
	for rt.Again = false; ; rt.Again = true {
		kept, n, err := runOnce(ctx, rt, q)
		if errors.Is(err, storage.ErrStale) {
			rt.Txn.RollbackTo(mark) // nothing may be left when the statement runs again under another plan
		}
		if !errors.Is(err, storage.ErrRestart) {
			return kept, n, err
		}
		if err := rt.Txn.Restart(ctx, mark); err != nil {
			return nil, 0, err
		}
	}
}

func runOnce(ctx context.Context, rt *exec.Runtime, q *plan.Query) (*keptRows, int64, error) {
	res, err := exec.Open(ctx, rt, q)
	if err != nil {
		return nil, 0, err
	}
	var kept *keptRows
	if res.Iter != nil {
		kept = newKeptRows(res.Iter.Schema(), rt.Memory)
		err = kept.drain(ctx, res.Iter)
	} else {
		err = res.Run(ctx)
	}
	n := res.RowsAffected()
	if e := res.Close(); err == nil {
		err = e
	}
	if err != nil {
		kept.free()
		return nil, 0, err
	}
	return kept, n, nil
}

// suspend keeps the portal's reading point, for others may run before it is fetched from again.
func (p *Portal) suspend() {
	if p.point == nil && p.res != nil {
		p.point = p.rt.Txn.Statement()
	}
}

// finish ends a portal whose rows are all given, or that shows none.
func (p *Portal) finish() {
	p.state = done
	p.release()
	if p.cursor == nil {
		p.s.disarm()
	}
}

// release lets go of what the portal runs on.
func (p *Portal) release() {
	if p.res != nil {
		_ = p.res.Close()
		p.res = nil
	} else if p.rows != nil {
		_ = p.rows.Close()
	}
	if p.point != nil {
		p.point.Close()
		p.point = nil
	}
	p.rows, p.cur, p.at, p.drained = nil, nil, 0, false
}

// Close ends the portal.
func (p *Portal) Close() {
	p.release()
	if p.cursor != nil && p.cursor.kept != nil {
		p.cursor.kept.free()
	}
	p.state = broken
	if p.s.portals[p.name] == p {
		delete(p.s.portals, p.name)
	}
}

// recycle keeps the unnamed portal's memory for the next one: most statements run through it. Nothing refers to it any more.
func (s *Session) recycle(p *Portal) {
	p.Close()
	if p.name == "" && p.cursor == nil && p.memory.Used() == 0 {
		*p = Portal{part: batch.Batch{Sel: p.part.Sel[:0]}}
		s.spare = p
	}
}

// AppendTag appends the command tag after a Fetch that ended the portal; shown is the number of rows that went to the client.
func (p *Portal) AppendTag(dst []byte, shown int64) []byte {
	dst = append(dst, p.tag...)
	if p.plain || p.tag == "CALL" || p.c.query == nil && !p.c.act.counts {
		return dst
	}
	n := p.count
	if p.c.cols != nil {
		n = shown
	}
	if p.tag == "INSERT" {
		dst = append(dst, " 0"...)
	}
	return strconv.AppendInt(append(dst, ' '), n, 10)
}

// The ends of portals.

// closeTxnPortals closes the portals that end with their transaction.
func (s *Session) closeTxnPortals() {
	for _, p := range s.portals {
		switch {
		case p.held:
		case p.state == done: // else it may be the one that runs COMMIT
			s.recycle(p)
		default:
			p.Close()
		}
	}
}

// closePortalsOf breaks the portals that were opened since the n-th savepoint (0: since the transaction began).
func (s *Session) closePortalsOf(n int) {
	since := 0
	if n > 0 {
		since = s.tx.savepoints[n-1].ports
	}
	for _, p := range s.portals {
		if p.seq > since && !p.held {
			p.Close()
		}
	}
}

func (s *Session) closeAllPortals() {
	for _, p := range s.portals {
		p.Close()
	}
}
