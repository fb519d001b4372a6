package plan

import (
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/index/vector"
	"github.com/omgdb/omgdb/storage/value"
)

// Nearest reads, through a vector index, the rows of a Scan that may be the Count nearest to a vector among those that satisfy the
// scan's filter and Pred. They come in no order, and further rows may come with them: the sort above takes the first. When there are
// fewer rows with a vector than Count, those without one come too.
type Nearest struct {
	Input Node // a Scan
	Index *catalog.Index
	// Sketch is the column that is searched by its sketches when there is no index; with one, they tell which rows are worth reading.
	Sketch *SketchOf
	// Distance is what rows are sorted by, over the columns of Input; Query is the vector in it that depends on no row.
	Distance, Query Expr
	Count           Expr
	Pred            Expr // nil for none
}

// SketchOf is a stored column of vectors and what they are compared by.
type SketchOf struct {
	Field  string
	Type   *value.Type
	Dims   int
	Metric vector.Metric
}

// Cols implements Node.
func (n *Nearest) Cols() []Col { return n.Input.Cols() }

func (n *Nearest) slots(f func(*Expr)) {
	one(f, &n.Distance)
	one(f, &n.Query)
	one(f, &n.Count)
	one(f, &n.Pred)
}

// Inputs implements Node.
func (n *Nearest) Inputs() []Node { return []Node{n.Input} }

// WithInputs implements Node.
func (n *Nearest) WithInputs(in []Node) Node {
	c := *n
	c.Input = input1(in)
	return &c
}

// Exprs implements Node.
func (n *Nearest) Exprs() []Expr { return list(n) }

// WithExprs implements Node.
func (n *Nearest) WithExprs(e []Expr) Node {
	c := *n
	fill(&c, e)
	return &c
}

// nearest shows the scan as one through the index.
func (e *explainer) nearest(x *Nearest) *expNode {
	out := e.tree(x.Input)
	s, ok := x.Input.(*Scan)
	if !ok {
		return out
	}
	out.node = x
	if x.Index != nil {
		out.call("Index Scan", "Vector Index Scan using "+QuoteIdent(x.Index.Name)+" on "+onTable("", s.Rel.Name, s.Alias, false))
		out.attrs = append([]Prop{{"Scan Direction", "Forward"}, {"Index Name", x.Index.Name}}, relAttrs(s.Rel.Name, "", s.Alias)...)
	}
	props := []Prop{{"Order By", e.write(s, x.Distance)}, {"Rows Wanted", e.write(s, x.Count)}}
	if x.Pred != nil {
		key := "Filter"
		if len(s.FilterExprs) > 0 {
			key = "Residual Filter"
		}
		out.props = append(out.props, Prop{key, e.write(s, x.Pred)})
	}
	out.props = append(props, out.props...)
	if e.Extra != nil {
		out.props = append(out.props, e.Extra(x)...)
	}
	e.subPlans(out, x.Exprs())
	return out
}
