package session

import (
	"context"
	"time"

	"github.com/omgdb/omgdb/planner/exec"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

func explainActions() []entry {
	return []entry{
		on(action{cols: explainCols, params: explainParams}, func(s *Session, ctx context.Context, p *Portal, st *plan.Explain) error {
			return s.explain(ctx, p, st)
		}),
	}
}

// explainCols is the one column of EXPLAIN: its type follows the format.
func explainCols(_ *Session, st plan.Statement) (value.Schema, error) {
	f := textField("QUERY PLAN")
	switch st.(*plan.Explain).Options.Format {
	case "json":
		f.Type = value.JSON
	case "xml":
		f.Type = value.XML
	}
	return value.Schema{f}, nil
}

func explainParams(st plan.Statement) []*value.Type {
	if q := explained(st.(*plan.Explain).Stmt); q != nil {
		return q.Params
	}
	return nil
}

// explained is the query inside a statement that EXPLAIN takes, nil for one of another kind.
func explained(st plan.Statement) *plan.Query {
	switch st := st.(type) {
	case *plan.Query:
		return st
	case *plan.CreateTable:
		return st.As
	case *plan.Declare:
		return st.Query
	}
	return nil
}

// explain plans the statement, with ANALYZE runs it too, and shows the plan.
func (s *Session) explain(ctx context.Context, p *Portal, st *plan.Explain) error {
	start := time.Now()
	q := explained(st.Stmt)
	switch {
	case q != nil:
		optimised, err := s.optimise(q)
		if err != nil {
			return err
		}
		q = optimised
	default:
		x, ok := st.Stmt.(*plan.Execute)
		if !ok {
			return dberr.New(dberr.FeatureNotSupported, "EXPLAIN of %s is not supported", st.Stmt.CommandTag())
		}
		target, err := s.Statement(x.Name)
		if err != nil {
			return err
		}
		c, err := target.current(ctx)
		if err != nil {
			return err
		}
		if q = c.query; q == nil {
			return dberr.New(dberr.FeatureNotSupported, "EXPLAIN of %s is not supported", c.stmt.CommandTag())
		}
	}
	x := plan.Explanation{Query: q, Options: st.Options, Planning: time.Since(start), Format: s.format}
	if st.Options.Analyze {
		if err := s.runExplained(ctx, p, q, &x); err != nil {
			return err
		}
	}
	lines := x.Lines()
	rows := make([][]value.Value, len(lines))
	for i, l := range lines {
		rows[i] = []value.Value{value.String(l)}
	}
	p.rows, p.plain = table(p.c.cols, rows...), true
	return nil
}

// runExplained runs the query, drops its rows and notes what each node did.
func (s *Session) runExplained(ctx context.Context, p *Portal, q *plan.Query, x *plan.Explanation) error {
	txn, err := s.beginStatement(ctx)
	if err != nil {
		return err
	}
	p.prepareRun(txn)
	in := &exec.Instrument{Timing: x.Options.Timing}
	p.rt.Instrument = in
	start := time.Now()
	if _, _, err := s.runToEnd(ctx, &p.rt, q); err != nil {
		return err
	}
	x.Execution = time.Since(start)
	x.Actual, x.Extra = in.Actual, in.Notes
	return nil
}
