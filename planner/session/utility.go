package session

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// action says how a kind of statement is carried out.
type action struct {
	event   txnEvent
	always  bool // may run in a failed block without ending it
	cache   bool // bound from its text alone: may be kept in the plan cache without dependencies
	counts  bool // the command tag ends with a count
	noBlock bool // refuses to run inside a transaction block
	params  func(plan.Statement) []*value.Type
	cols    func(*Session, plan.Statement) (value.Schema, error)
	// before is asked before the event takes place.
	before func(*Session, plan.Statement) error
	run    func(*Session, context.Context, *Portal) error // nil: a query
}

var queryAction = &action{event: evStatement, counts: true}

// buildActions makes the table of utility statements by their type. A Server holds it.
func buildActions() map[reflect.Type]*action {
	m := map[reflect.Type]*action{}
	for _, list := range [][]entry{controlActions(), settingActions(), preparedActions(), cursorActions(), copyActions(), ddlActions(), routineActions(), blockActions(), furtherActions(), explainActions(), otherActions()} {
		for _, e := range list {
			a := e.action
			m[e.of] = &a
		}
	}
	return m
}

// entry is one row of the table.
type entry struct {
	of     reflect.Type
	action action
}

// on makes a row of a typed function; a sets what else is special about the statement.
func on[T plan.Statement](a action, run func(s *Session, ctx context.Context, p *Portal, st T) error) entry {
	a.run = func(s *Session, ctx context.Context, p *Portal) error {
		if a.noBlock {
			if err := s.refuseBlock(p.c.stmt.CommandTag()); err != nil {
				return err
			}
		}
		return run(s, ctx, p, p.c.stmt.(T))
	}
	return entry{reflect.TypeFor[T](), a}
}

// actionOf finds the row of a statement.
func (srv *Server) actionOf(st plan.Statement) *action {
	if _, ok := st.(*plan.Query); ok {
		return queryAction
	}
	if a := srv.actions[reflect.TypeOf(st)]; a != nil {
		return a
	}
	return unsupported
}

var unsupported = &action{event: evStatement, run: func(_ *Session, _ context.Context, p *Portal) error {
	return dberr.New(dberr.FeatureNotSupported, "%s is not supported", p.c.stmt.CommandTag())
}}

// refuseBlock fails inside of a transaction block, for statements that commit by themselves. Statements sent without a Sync between them
// share a transaction too: whoever commits by itself would wait for what its predecessors hold.
func (s *Session) refuseBlock(tag string) error {
	if s.state == block || s.tx.script {
		return dberr.New(dberr.ActiveSQLTransaction, "%s cannot run inside a transaction block", tag)
	}
	if s.state == implicit && s.tx.used {
		return dberr.New(dberr.ActiveSQLTransaction, "%s cannot be executed within a pipeline", tag)
	}
	return nil
}

// Transaction control.

func controlActions() []entry {
	return []entry{
		on(action{event: evBegin, cache: true}, func(s *Session, _ context.Context, _ *Portal, st *plan.Begin) error {
			return s.setModes(st.TxnModes, false)
		}),
		on(action{event: evCommit, cache: true, before: mayChain}, func(s *Session, ctx context.Context, p *Portal, st *plan.Commit) error {
			if p.from == failed {
				p.tag = "ROLLBACK"
			}
			return s.chain(ctx, st.Chain)
		}),
		on(action{event: evRollback, cache: true, before: mayChain}, func(s *Session, ctx context.Context, _ *Portal, st *plan.Rollback) error {
			return s.chain(ctx, st.Chain)
		}),
		on(action{event: evSavepoint}, func(s *Session, ctx context.Context, _ *Portal, st *plan.Savepoint) error {
			return s.savepoint(ctx, st.Name)
		}),
		on(action{event: evRelease}, func(s *Session, _ context.Context, _ *Portal, st *plan.Release) error { return s.release(st.Name) }),
		on(action{event: evRollbackTo}, func(s *Session, _ context.Context, _ *Portal, st *plan.RollbackTo) error {
			return s.rollbackTo(st.Name)
		}),
		on(action{}, func(s *Session, _ context.Context, _ *Portal, st *plan.SetTransaction) error {
			if st.Snapshot != "" {
				return dberr.New(dberr.FeatureNotSupported, "SET TRANSACTION SNAPSHOT is not supported")
			}
			if !st.Session && s.state != block {
				s.notice(needsBlockWarning("SET TRANSACTION"))
				return nil
			}
			return s.setModes(st.TxnModes, st.Session)
		}),
		on(action{always: true, cache: true}, func(*Session, context.Context, *Portal, *plan.EmptyStmt) error { return nil }),
	}
}

// mayChain refuses AND CHAIN where there is no block to go on from.
func mayChain(s *Session, st plan.Statement) error {
	chain := false
	switch st := st.(type) {
	case *plan.Commit:
		chain = st.Chain
	case *plan.Rollback:
		chain = st.Chain
	}
	if chain && s.state != block && s.state != failed {
		return needsBlock(st.CommandTag() + " AND CHAIN")
	}
	return nil
}

// chain begins a block with the modes of the one that has just ended.
func (s *Session) chain(ctx context.Context, on bool) error {
	if !on {
		return nil
	}
	modes := s.lastModes
	if err := s.step(ctx, evBegin); err != nil {
		return err
	}
	v := s.vars.vals
	v[varIsolation], v[varReadOnly], v[varDeferrable] = modes[0], modes[1], modes[2]
	return nil
}

func needsBlockWarning(what string) *dberr.Error {
	w := *needsBlock(what)
	w.Severity = "WARNING"
	return &w
}

// setModes sets the modes of the transaction, or those of the session's next ones.
func (s *Session) setModes(m plan.TxnModes, session bool) error {
	prefix := "transaction_"
	if session {
		prefix = "default_transaction_"
	}
	set := func(name, val string) error {
		i, canon, err := s.checkSetting(prefix+name, val, false)
		if err == nil {
			s.vars.put(i, canon, !session)
		}
		return err
	}
	if m.Isolation != "" {
		if err := set("isolation", m.Isolation); err != nil {
			return err
		}
	}
	if m.ReadOnly != nil {
		if err := set("read_only", onOff(*m.ReadOnly)); err != nil {
			return err
		}
	}
	if m.Deferrable != nil {
		return set("deferrable", onOff(*m.Deferrable))
	}
	return nil
}

// Settings.

func settingActions() []entry {
	return []entry{
		on(action{cache: true}, func(s *Session, _ context.Context, p *Portal, st *plan.Set) error {
			if st.Local && s.state != block {
				s.notice(needsBlockWarning("SET LOCAL"))
				return nil
			}
			if handled, err := s.setAuthorization(st); handled || err != nil {
				return err
			}
			if st.Default {
				return s.setDefault(st.Name, st.Local)
			}
			val, err := joinValues(st.Name, st.Values)
			if err != nil {
				return err
			}
			return s.Set(st.Name, val, st.Local)
		}),
		on(action{cache: true}, func(s *Session, _ context.Context, _ *Portal, st *plan.Reset) error {
			switch st.Name {
			case "":
				s.resetAll()
				return nil
			case "role", "session_authorization":
				s.become(s.login)
				return nil
			}
			return s.resetVar(st.Name)
		}),
		on(action{cols: showCols}, func(s *Session, _ context.Context, p *Portal, st *plan.Show) error {
			p.plain = true
			return s.runShow(p, st.Name)
		}),
		on(action{}, func(s *Session, ctx context.Context, _ *Portal, st *plan.Discard) error {
			return s.discard(ctx, st.What)
		}),
	}
}

func textField(name string) value.Field { return value.Field{Name: name, Type: value.Text, Mod: -1} }

func showCols(s *Session, st plan.Statement) (value.Schema, error) {
	name := st.(*plan.Show).Name
	if strings.EqualFold(name, "all") {
		return value.Schema{textField("name"), textField("setting"), textField("description")}, nil
	}
	i, ok := s.vars.index(name)
	if !ok {
		return nil, unknownSetting(name)
	}
	if i < len(settings) {
		name = settings[i].name
	}
	return value.Schema{textField(name)}, nil
}

func (s *Session) runShow(p *Portal, name string) error {
	if !strings.EqualFold(name, "all") {
		val, _ := s.Get(name)
		p.rows = table(p.c.cols, []value.Value{value.String(val)})
		return nil
	}
	out := newKeptRows(p.c.cols, nil)
	for _, r := range s.SettingRows() {
		val, _ := s.Get(r.Name)
		for i, v := range []string{r.Name, val, r.Descr} {
			out.cols[i].Append(value.String(v))
		}
		out.n++
	}
	p.rows = out
	return nil
}

func (s *Session) discard(ctx context.Context, what string) error {
	switch what {
	case "PLANS":
		return nil
	case "SEQUENCES":
		s.sequences.Forget()
		return nil
	case "TEMP", "TEMPORARY":
		s.dropTemp(ctx)
		return nil
	}
	if err := s.refuseBlock("DISCARD ALL"); err != nil {
		return err
	}
	s.closeOtherPortals()
	s.resetAll()
	s.forgetStatements()
	s.sequences.Forget()
	s.tx.listens = append(s.tx.listens, listenOp{off: true})
	s.store.AdvisoryUnlockAll()
	s.dropTemp(ctx)
	return nil
}

// Prepared statements by SQL.

func preparedActions() []entry {
	return []entry{
		on(action{}, func(s *Session, ctx context.Context, _ *Portal, st *plan.Prepare) error { return s.prepareSQL(ctx, st) }),
		on(action{cols: executeCols}, func(s *Session, ctx context.Context, p *Portal, st *plan.Execute) error {
			return s.execute(ctx, p, st)
		}),
		on(action{}, func(s *Session, _ context.Context, _ *Portal, st *plan.Deallocate) error {
			if st.Name == "" {
				s.forgetStatements()
				return nil
			}
			if _, err := s.Statement(st.Name); err != nil {
				return err
			}
			delete(s.stmts, st.Name)
			return nil
		}),
	}
}

func (s *Session) forgetStatements() {
	for name := range s.stmts {
		if name != "" {
			delete(s.stmts, name)
		}
	}
}

// PreparedRow is one row of pg_prepared_statements.
type PreparedRow struct {
	Name, Text string
	Params     []*value.Type
	Columns    value.Schema
	BySQL      bool
	Created    int64 // µs since 2000-01-01 UTC
	Runs       int64
}

// Prepared lists the prepared statements by name.
func (s *Session) Prepared() []PreparedRow {
	var rows []PreparedRow
	for name, st := range s.stmts {
		if name != "" {
			rows = append(rows, PreparedRow{Name: name, Text: st.shown, Params: st.c.params, Columns: st.c.cols, BySQL: st.bySQL, Created: pgMicros(st.created), Runs: st.runs})
		}
	}
	slices.SortFunc(rows, func(a, b PreparedRow) int { return strings.Compare(a.Name, b.Name) })
	return rows
}

// What is left: notifications, and statements that need little.

func otherActions() []entry {
	return []entry{
		on(action{}, func(s *Session, _ context.Context, _ *Portal, st *plan.Listen) error {
			s.tx.listens = append(s.tx.listens, listenOp{channel: st.Channel})
			return nil
		}),
		on(action{}, func(s *Session, _ context.Context, _ *Portal, st *plan.Unlisten) error {
			s.tx.listens = append(s.tx.listens, listenOp{channel: st.Channel, off: true})
			return nil
		}),
		on(action{}, func(s *Session, _ context.Context, _ *Portal, st *plan.Notify) error {
			return s.Notify(st.Channel, st.Payload)
		}),
		on(action{}, func(s *Session, _ context.Context, _ *Portal, st *plan.NoOp) error {
			if st.Notice != "" {
				s.Notice("NOTICE", dberr.SuccessfulCompletion, st.Notice)
			}
			return nil
		}),
		on(action{}, func(*Session, context.Context, *Portal, *plan.Checkpoint) error { return nil }),
	}
}
