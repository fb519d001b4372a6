package session

import (
	"context"

	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// prepareSQL is PREPARE.
func (s *Session) prepareSQL(ctx context.Context, st *plan.Prepare) error {
	if s.stmts[st.Name] != nil {
		return dberr.New(dberr.DuplicatePrepared, `prepared statement "%s" already exists`, st.Name)
	}
	c, err := s.finish(ctx, st.Stmt)
	if err != nil {
		return err
	}
	oids := make([]uint32, len(st.Params))
	for i, t := range st.Params {
		oids[i] = t.OID
	}
	c.params = st.Params
	s.stmts[st.Name] = &Stmt{s: s, name: st.Name, text: st.Body, shown: st.Text, oids: oids, c: c, cols: c.cols, bySQL: true, created: s.srv.clock()}
	return nil
}

func executeCols(s *Session, st plan.Statement) (value.Schema, error) {
	target, err := s.Statement(st.(*plan.Execute).Name)
	if err != nil {
		return nil, err
	}
	return target.cols, nil
}

// execute is EXECUTE: the portal becomes one of the prepared statement, with its own values.
func (s *Session) execute(ctx context.Context, p *Portal, st *plan.Execute) error {
	target, err := s.Statement(st.Name)
	if err != nil {
		return err
	}
	c, err := target.current(ctx)
	if err != nil {
		return err
	}
	txn, err := s.beginStatement(ctx)
	if err != nil {
		return err
	}
	p.prepareRun(txn)
	args, err := p.evaluate(ctx, st.Args)
	if err != nil {
		return err
	}
	p.c, p.params, p.tag = c, args, c.stmt.CommandTag()
	if c.act.run != nil {
		return c.act.run(s, ctx, p)
	}
	return p.startQuery(ctx)
}

// evaluate computes expressions without input by running them as a row of VALUES.
func (p *Portal) evaluate(ctx context.Context, exprs []plan.Expr) ([]value.Value, error) {
	if len(exprs) == 0 {
		return nil, nil
	}
	cols := make([]plan.Col, len(exprs))
	for i, e := range exprs {
		cols[i] = plan.Col{ID: plan.ColID(i + 1), Type: e.Type(), Mod: e.Mod()}
	}
	q := &plan.Query{Root: &plan.Values{Out: cols, Rows: [][]plan.Expr{exprs}}, Out: cols, Tag: "SELECT", ReadOnly: true, HasRows: true}
	row, _, err := runOnce(ctx, &p.rt, q)
	if err != nil {
		return nil, err
	}
	out := make([]value.Value, len(exprs))
	for i := range out {
		out[i] = row.cols[i].Get(0)
	}
	return out, nil
}
