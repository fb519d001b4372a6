package session

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/omgdb/omgdb/planner/parse"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// Texts that differ only in the values in them share the plan of their shape: the second text of a shape makes it, and the ones after
// it run as that prepared statement with their literals as its parameters. Whatever could tell the two apart is left to the text's own
// plan: a shape whose plan differs in more than the values from that of a text, or that cannot be planned, and a text whose literals cannot be read.

// shapePlan is what a plan in the cache has to say about the texts of its shape.
type shapePlan struct {
	// declined counts down the texts that are planned by themselves; then the shape is looked at again.
	declined atomic.Int64
	// bound is the query before it was optimised, when that depends on the values: each text optimises it anew.
	bound *plan.Query
}

// declineFor is the number of texts for which a shape without a plan isn't tried again.
const declineFor = 1000

// shaped gives the plan of a text's shape with the values of its literals; nil when the text has to be planned itself. own is the key of the
// text's own plan.
func (s *Session) shaped(ctx context.Context, own planKey) (*compiled, []value.Value) {
	if s.state == failed {
		return nil, nil
	}
	sh, ok := parse.ShapeOf(own.text)
	if !ok {
		return nil, nil
	}
	key := s.planKeyOf(sh.Text, sh.OIDs)
	key.shape = true
	c := s.srv.plans.get(key)
	switch {
	case c == nil:
		if !s.srv.plans.known(key) {
			return nil, nil
		}
		c = s.compileShape(ctx, key, &sh)
	case c.query == nil:
		if c.shape.declined.Add(-1) > 0 {
			return nil, nil
		}
		c = s.compileShape(ctx, key, &sh)
	default:
		v, err := s.view()
		if err != nil {
			return nil, nil
		}
		if !c.valid(v) || s.aged(c, v) {
			c = s.compileShape(ctx, key, &sh)
		}
	}
	if c.query == nil {
		return nil, nil
	}
	args := s.literals(&sh, c.params)
	if args == nil {
		return nil, nil
	}
	if c.shape.bound != nil {
		if s.srv.plans.known(own) {
			return nil, nil // it comes again and again: its own plan will be kept, and not made anew each time
		}
		c = s.reoptimise(c, args)
	}
	return c, args
}

// compileShape plans a shape for a text's values, and keeps the plan, or that there is none.
func (s *Session) compileShape(ctx context.Context, key planKey, sh *parse.Shape) *compiled {
	c := s.planShape(ctx, sh)
	if c == nil {
		c = &compiled{shape: &shapePlan{}}
		c.shape.declined.Store(declineFor)
	}
	c.size = estimate(key.text, c.query)
	s.srv.plans.put(key, c)
	return c
}

// planShape gives the plan of a shape if it is that of the text but for the values in it, nil otherwise.
func (s *Session) planShape(ctx context.Context, sh *parse.Shape) *compiled {
	bound := s.bindQuery(ctx, sh.Text, sh.OIDs)
	own := s.bindQuery(ctx, sh.SQL, nil)
	if bound == nil || own == nil || bound.Deps.NoCache || own.Deps.NoCache || slices.ContainsFunc(bound.Params, readByPlace) {
		return nil
	}
	args := s.literals(sh, bound.Params)
	if args == nil || s.plansByValue(&bound.Deps) {
		return nil
	}
	q, hinted, err := s.optimiseFor(bound, args)
	if err != nil {
		return nil
	}
	best, err := s.optimise(own)
	if err != nil || outline(q) != outline(best) {
		return nil
	}
	c := compiledQuery(s.srv.actionOf(q), q)
	c.shape = &shapePlan{}
	if hinted {
		c.shape.bound = bound
	}
	if q.HasRows && !sameShape(c.cols, schemaOf(best.Out)) {
		return nil
	}
	if s.sized(c) != nil {
		return nil
	}
	return c
}

// plansByValue tells whether a relation has an index that only some values could use: one with a predicate.
func (s *Session) plansByValue(deps *plan.Deps) bool {
	v, err := s.view()
	if err != nil {
		return true
	}
	for id := range deps.Relations {
		r := v.RelationByID(id)
		if r == nil || slices.ContainsFunc(v.IndexesOf(r), func(x *catalog.Index) bool { return x.Where != "" }) {
			return true
		}
	}
	return false
}

// bindQuery binds a text that is a query, nil when it is none.
func (s *Session) bindQuery(ctx context.Context, text string, oids []uint32) *plan.Query {
	stmts, err := parse.Parse(text)
	if err != nil || len(stmts) != 1 {
		return nil
	}
	bound, err := s.bind(ctx, stmts[0], oids, false)
	if err != nil {
		return nil
	}
	q, _ := bound.(*plan.Query)
	return q
}

// readByPlace tells whether a literal of a type is read with more than its text: the fields of an interval's modifier, a domain's checks,
// names in the catalog.
func readByPlace(t *value.Type) bool {
	return t.OID == value.IntervalT.OID || t.Class == value.Domain || t.Class == value.Composite || strings.HasPrefix(t.SQL, "reg")
}

// literals reads a shape's literals as values of the types; nil when one isn't of its type.
func (s *Session) literals(sh *parse.Shape, types []*value.Type) []value.Value {
	args := make([]value.Value, len(types))
	for i, t := range types {
		text := sh.Value(i)
		if t.OID == value.Int4.OID {
			if n, err := strconv.ParseInt(text, 10, 32); err == nil {
				args[i] = value.Int(n)
				continue
			}
		}
		v, err := typeio.In(t, -1, text, s.format)
		if err != nil {
			return nil
		}
		args[i] = v
	}
	return args
}

// reoptimise gives the plan of a shape for one text's values; c when that fails.
func (s *Session) reoptimise(c *compiled, args []value.Value) *compiled {
	q, _, err := s.optimiseFor(c.shape.bound, args)
	if err != nil {
		return c
	}
	better := compiledQuery(c.act, q)
	better.shape = c.shape
	return better
}

// outline is a plan without what stands in its expressions: its nodes, how they read, and which conditions stand where.
func outline(q *plan.Query) string {
	var b strings.Builder
	for _, l := range (&plan.Explanation{Query: q}).Lines() {
		head, _, _ := strings.Cut(l, ": ")
		b.WriteString(head)
		b.WriteByte('\n')
	}
	return b.String()
}
