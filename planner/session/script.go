package session

import (
	"context"

	"github.com/omgdb/omgdb/planner/parse"
	"github.com/omgdb/omgdb/storage/value"
)

// Script is the text of a simple query: its statements run one after the other, each through a portal, all in one implicit transaction
// unless they say otherwise.
type Script struct {
	s     *Session
	text  string
	stmts []parse.Stmt
	ready *compiled     // of a text with one statement that was in the plan cache
	lits  []value.Value // the text's literals, when ready is the plan of its shape
	next  int
	count int
}

// Script parses a text as a whole; a syntax error anywhere means that nothing of it runs. The unnamed statement and portal are dropped.
func (s *Session) Script(ctx context.Context, text string) (*Script, error) {
	delete(s.stmts, "")
	s.ClosePortal("")
	sc := &Script{s: s, text: text, count: 1}
	key := sc.key()
	if c := s.srv.plans.get(key); c != nil {
		sc.ready = c
		return sc, nil
	}
	if sc.ready, sc.lits = s.shaped(ctx, key); sc.ready != nil {
		return sc, nil
	}
	stmts, err := parse.Parse(text)
	if err != nil {
		return nil, err
	}
	sc.stmts, sc.count = stmts, len(stmts)
	return sc, nil
}

// Empty tells that there is no statement in the text.
func (sc *Script) Empty() bool { return sc.count == 0 }

// Next gives the portal of the next statement, nil after the last. The portal before it is closed.
func (sc *Script) Next(ctx context.Context) (*Portal, error) {
	s := sc.s
	s.ClosePortal("")
	if sc.next >= sc.count {
		return nil, nil
	}
	s.tx.script = sc.count > 1
	s.arm() // each statement has the timeout for itself
	c, text, err := sc.compile(ctx)
	if err != nil {
		return nil, err
	}
	if c.err != nil {
		return nil, c.err
	}
	sc.next++
	if s.state == idle {
		s.state = implicit
	}
	return s.newPortal("", text, c, sc.lits), nil
}

// key is the plan key of a script of one statement.
func (sc *Script) key() planKey {
	k := sc.s.planKeyOf(sc.text, nil)
	k.simple = true
	return k
}

func (sc *Script) compile(ctx context.Context) (*compiled, string, error) {
	s := sc.s
	if sc.ready != nil {
		c, err := s.revive(sc.ready, func() (*compiled, error) {
			sc.lits = nil
			return s.compileText(ctx, sc.key(), nil)
		})
		return c, sc.text, err
	}
	key := planKey{simple: true}
	if sc.count == 1 {
		key = sc.key()
	}
	c, err := s.compileParsed(ctx, key, sc.stmts[sc.next], nil)
	return c, sc.stmts[sc.next].Text, err
}
