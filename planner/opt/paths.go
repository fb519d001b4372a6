package opt

import (
	"github.com/omgdb/omgdb/planner/exec/scanfilter"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// projectPaths turns doc -> 'a' ->> 'b' over a scan into a column of the scan, wherever in the plan it stands: the scan takes all
// paths out of a document in one pass, and nobody carries the whole document. What is left of the document's column when nothing
// uses it is pruned later.
func projectPaths(c *Context, n plan.Node) (plan.Node, error) {
	p := &pathProjector{c: c, made: map[plan.ColID][]madePath{}}
	n, _, err := p.rewrite(n, nil, false)
	if err != nil || len(p.made) == 0 {
		return n, err
	}
	return p.extend(n, false), nil
}

// pathSource is a column of a scan that paths can start from.
type pathSource struct {
	root plan.ColID // the scan's own column
	base doc.Path   // of the column
}

type pathSources map[plan.ColID]pathSource

// madePath is a column made for a path from a root column.
type madePath struct {
	path doc.Path
	text bool
	col  plan.Col
	full doc.Path
}

type pathProjector struct {
	c    *Context
	made map[plan.ColID][]madePath // by root column
}

// rewrite rewrites the expressions below and in n. outer are sources of enclosing queries; the result says which sources n's own
// columns are.
func (p *pathProjector) rewrite(n plan.Node, outer pathSources, exact bool) (plan.Node, pathSources, error) {
	seen := pathSources{}
	for id, s := range outer {
		seen[id] = s
	}
	inputs := n.Inputs()
	better := make([]plan.Node, len(inputs))
	changed := false
	var below []pathSources
	for i, in := range inputs {
		around := outer
		if j, ok := n.(*plan.Join); ok && j.Lateral && i == 1 {
			around = seen
		}
		x, src, err := p.rewrite(in, around, exactInput(n, i, exact))
		if err != nil {
			return nil, nil, err
		}
		better[i] = x
		changed = changed || x != in
		below = append(below, src)
		for id, s := range src {
			seen[id] = s
		}
	}
	if changed {
		n = n.WithInputs(better)
	}
	if s, ok := n.(*plan.Scan); ok {
		return n, scanSources(s, exact), nil
	}
	n, err := plan.MapExprs(n, func(e plan.Expr) (plan.Expr, error) { return p.expr(e, seen) })
	if err != nil {
		return nil, nil, err
	}
	return n, passedSources(n, below, exact), nil
}

// scanSources are the jsonb columns of a scan. A scan whose columns all count shows none more.
func scanSources(s *plan.Scan, exact bool) pathSources {
	out := pathSources{}
	if exact {
		return out
	}
	for _, c := range s.Out {
		switch {
		case c.Src.Kind == storage.ColDoc && s.Rel.Kind == catalog.Collection:
			out[c.ID] = pathSource{root: c.ID}
		case c.Src.Kind == storage.ColField && typeio.Base(c.Type).OID == value.JSONB.OID:
			out[c.ID] = pathSource{root: c.ID, base: doc.Keys(c.Src.Field)}
		}
	}
	return out
}

// passedSources are the sources below that n shows as well, under the same ids, and through which further columns can be passed.
func passedSources(n plan.Node, below []pathSources, exact bool) pathSources {
	out := pathSources{}
	if len(below) == 0 {
		return out
	}
	switch n := n.(type) {
	case *plan.Filter, *plan.Nearest, *plan.Join, *plan.Sort, *plan.Limit, *plan.Window, *plan.ProjectSet, *plan.Lock:
	case *plan.Project:
		if exact {
			return out
		}
	case *plan.Distinct:
		if n.On == nil {
			return out
		}
	case *plan.With:
		below = below[len(below)-1:]
	default:
		return out
	}
	shown := setOf(n.Cols())
	for _, src := range below {
		for id, s := range src {
			if shown.Has(id) {
				out[id] = s
			}
		}
	}
	return out
}

// expr replaces the path expressions in e.
func (p *pathProjector) expr(e plan.Expr, src pathSources) (plan.Expr, error) {
	if len(src) == 0 {
		return p.subqueries(e, src)
	}
	if path, root, text, ok := scanfilter.Path(e); ok {
		if r, isRef := root.(*plan.ColRef); isRef {
			if s, known := src[r.ID]; known {
				return colRef(p.column(s, path, text)), nil
			}
		}
	}
	if s, ok := e.(*plan.Subquery); ok {
		return p.subquery(s, src)
	}
	children := e.Children()
	var changed []plan.Expr
	for i, c := range children {
		x, err := p.expr(c, src)
		if err != nil {
			return nil, err
		}
		if x != c && changed == nil {
			changed = append([]plan.Expr(nil), children...)
		}
		if changed != nil {
			changed[i] = x
		}
	}
	if changed == nil {
		return e, nil
	}
	return e.With(changed), nil
}

// subqueries rewrites only inside the subqueries of e.
func (p *pathProjector) subqueries(e plan.Expr, src pathSources) (plan.Expr, error) {
	return plan.Transform(e, func(x plan.Expr) (plan.Expr, error) {
		if s, ok := x.(*plan.Subquery); ok {
			return p.subquery(s, src)
		}
		return x, nil
	})
}

func (p *pathProjector) subquery(s *plan.Subquery, src pathSources) (plan.Expr, error) {
	q, _, err := p.rewrite(s.Query, src, s.Kind != plan.ExistsSub)
	if err != nil {
		return nil, err
	}
	better := *s
	better.Query = q
	var e plan.Expr = &better
	children := e.Children()
	changed := make([]plan.Expr, len(children))
	for i, c := range children {
		if changed[i], err = p.expr(c, src); err != nil {
			return nil, err
		}
	}
	return e.With(changed), nil
}

// column gives the column for a path, making it when it is new.
func (p *pathProjector) column(s pathSource, path doc.Path, text bool) plan.Col {
	for _, m := range p.made[s.root] {
		if m.text == text && m.path.String() == path.String() {
			return m.col
		}
	}
	t := value.JSONB
	if text {
		t = value.Text
	}
	m := madePath{path: path, text: text, full: append(append(doc.Path(nil), s.base...), path...)}
	m.col = p.c.newCol(plan.Col{Name: path[len(path)-1].Key, Type: t, Mod: -1})
	p.made[s.root] = append(p.made[s.root], m)
	return m.col
}

// extend adds the columns made to the scans that they come from, and to every Project that passes those scans' columns on.
func (p *pathProjector) extend(n plan.Node, exact bool) plan.Node {
	inputs := n.Inputs()
	better := make([]plan.Node, len(inputs))
	changed := false
	for i, in := range inputs {
		better[i] = p.extend(in, exactInput(n, i, exact))
		changed = changed || better[i] != in
	}
	if changed {
		n = n.WithInputs(better)
	}
	n, _ = plan.MapExprs(n, func(e plan.Expr) (plan.Expr, error) {
		return plan.Transform(e, func(x plan.Expr) (plan.Expr, error) {
			s, ok := x.(*plan.Subquery)
			if !ok {
				return x, nil
			}
			q := p.extend(s.Query, s.Kind != plan.ExistsSub)
			if q == s.Query {
				return x, nil
			}
			better := *s
			better.Query = q
			return &better, nil
		})
	})
	if exact {
		return n
	}
	switch x := n.(type) {
	case *plan.Scan:
		return p.extendScan(x)
	case *plan.Project:
		return p.extendProject(x)
	}
	return n
}

func (p *pathProjector) extendScan(s *plan.Scan) plan.Node {
	out := s.Out
	for _, c := range s.Out {
		for _, m := range p.made[c.ID] {
			kind := storage.ColPathJSON
			if m.text {
				kind = storage.ColPathText
			}
			out = append(out[:len(out):len(out)], plan.ScanCol{Col: m.col, Src: storage.ScanCol{Kind: kind, Path: m.full, Name: m.col.Name}})
		}
	}
	if len(out) == len(s.Out) {
		return s
	}
	better := *s
	better.Out = out
	return &better
}

func (p *pathProjector) extendProject(x *plan.Project) plan.Node {
	out, items := x.Out, x.Items
	for i, c := range x.Out {
		r, ok := x.Items[i].(*plan.ColRef)
		if !ok || r.ID != c.ID {
			continue
		}
		for _, m := range p.made[c.ID] {
			out = append(out[:len(out):len(out)], m.col)
			items = append(items[:len(items):len(items)], plan.Expr(colRef(m.col)))
		}
	}
	if len(out) == len(x.Out) {
		return x
	}
	return &plan.Project{Input: x.Input, Out: out, Items: items}
}
