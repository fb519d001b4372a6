package bind

import (
	"github.com/omgdb/omgdb/planner/plan"
)

// output adds the targets to a projection (junk ones too when all is set) and gives the columns of the visible ones.
func (b *binder) output(proj *plan.Project, targets []*target, all bool) []plan.Col {
	var visible []plan.Col
	for _, t := range targets {
		if t.junk && !all && !t.key {
			continue
		}
		c := b.outCol(t.name, t.expr)
		if t.key {
			b.keyCols = append(b.keyCols, c)
		}
		proj.Out, proj.Items = append(proj.Out, c), append(proj.Items, t.expr)
		if !t.junk {
			visible = append(visible, c)
		}
	}
	return visible
}

// outCol makes a column for the value of an expression: a stored column shown unchanged keeps its origin.
func (b *binder) outCol(name string, e plan.Expr) plan.Col {
	c := b.newCol(name, e.Type(), e.Mod())
	c.Coll = b.collationOf(e).name
	if isRecord(c.Type) {
		if fields := b.fieldsOf(e); len(fields) > 0 {
			b.records[c.ID] = fields
		}
	}
	if r, ok := e.(*plan.ColRef); ok {
		if o := b.origin[r.ID]; o.Table != 0 {
			c.Table, c.Attr = o.Table, o.Attr
			b.origin[c.ID] = o
		}
	}
	return c
}

// trim leaves a query's node with exactly its visible columns.
func trim(q *query) {
	proj := &plan.Project{Input: q.node, Out: q.cols}
	for _, c := range q.cols {
		proj.Items = append(proj.Items, &plan.ColRef{Typed: plan.Typed{T: c.Type, M: c.Mod}, ID: c.ID, Name: c.Name, Coll: c.Coll, Pos: -1})
	}
	q.node = proj
}
