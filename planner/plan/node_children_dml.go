package plan

import (
	"maps"
	"slices"
)

// WithInputs implements Node.
func (n *With) WithInputs(in []Node) Node {
	c := &With{CTEs: slices.Clone(n.CTEs)}
	for i := range c.CTEs {
		c.CTEs[i].Query, in = in[0], in[1:]
		if c.CTEs[i].Step != nil {
			c.CTEs[i].Step, in = in[0], in[1:]
		}
	}
	c.Input = input1(in)
	return c
}

// Exprs implements Node.
func (n *With) Exprs() []Expr { return nil }

// WithExprs implements Node.
func (n *With) WithExprs([]Expr) Node { return n }

// Inputs implements Node.
func (n *Lock) Inputs() []Node { return []Node{n.Input} }

// WithInputs implements Node.
func (n *Lock) WithInputs(in []Node) Node {
	c := *n
	c.Input = input1(in)
	return &c
}

// Exprs implements Node.
func (n *Lock) Exprs() []Expr { return list(n) }

// WithExprs implements Node.
func (n *Lock) WithExprs(e []Expr) Node {
	c := *n
	fill(&c, e)
	return &c
}

func (n *Lock) slots(f func(*Expr)) { one(f, &n.Wanted) }

// noInput is embedded by the leaves that evaluate no expressions.
type noInput struct{}

// Inputs implements Node.
func (noInput) Inputs() []Node { return nil }

// Exprs implements Node.
func (noInput) Exprs() []Expr { return nil }

// WithInputs implements Node.
func (n *VirtualScan) WithInputs([]Node) Node { return n }

// WithExprs implements Node.
func (n *VirtualScan) WithExprs([]Expr) Node { return n }

// WithInputs implements Node.
func (n *CTERef) WithInputs([]Node) Node { return n }

// WithInputs implements Node.
func (n *Columns) WithInputs([]Node) Node { return n }

// WithExprs implements Node.
func (n *CTERef) WithExprs([]Expr) Node { return n }

// WithExprs implements Node.
func (n *Columns) WithExprs([]Expr) Node { return n }

// Len is the number of rows.
func (n *Columns) Len() int { return n.Vals[0].Len() }

// WithInputs implements Node.
func (n *Empty) WithInputs([]Node) Node { return n }

// WithExprs implements Node.
func (n *Empty) WithExprs([]Expr) Node { return n }

// WithInputs implements Node.
func (n *CopySource) WithInputs([]Node) Node { return n }

// WithExprs implements Node.
func (n *CopySource) WithExprs([]Expr) Node { return n }

func (n *Insert) slots(f func(*Expr)) {
	byAttr(f, n.Defaults)
	byAttr(f, n.Generated)
	named(f, n.Checks)
	n.Conflict.slots(f)
	n.Returning.slots(f)
}

// Inputs implements Node.
func (n *Insert) Inputs() []Node { return []Node{n.Input} }

// WithInputs implements Node.
func (n *Insert) WithInputs(in []Node) Node {
	c := *n
	c.Input = input1(in)
	return &c
}

// Exprs implements Node.
func (n *Insert) Exprs() []Expr { return list(n) }

// WithExprs implements Node.
func (n *Insert) WithExprs(e []Expr) Node {
	c := *n
	c.Defaults, c.Generated, c.Checks = maps.Clone(n.Defaults), maps.Clone(n.Generated), slices.Clone(n.Checks)
	c.Conflict, c.Returning = n.Conflict.clone(), n.Returning.clone()
	fill(&c, e)
	return &c
}

func (n *Update) slots(f func(*Expr)) {
	assignSlots(f, n.Sets)
	byAttr(f, n.Generated)
	named(f, n.Checks)
	n.Returning.slots(f)
}

// Inputs implements Node.
func (n *Update) Inputs() []Node { return []Node{n.Input} }

// WithInputs implements Node.
func (n *Update) WithInputs(in []Node) Node {
	c := *n
	c.Input = input1(in)
	return &c
}

// Exprs implements Node.
func (n *Update) Exprs() []Expr { return list(n) }

// WithExprs implements Node.
func (n *Update) WithExprs(e []Expr) Node {
	c := *n
	c.Sets, c.Generated, c.Checks = slices.Clone(n.Sets), maps.Clone(n.Generated), slices.Clone(n.Checks)
	c.Returning = n.Returning.clone()
	fill(&c, e)
	return &c
}

func (n *Merge) slots(f func(*Expr)) {
	for i := range n.Actions {
		a := &n.Actions[i]
		one(f, &a.Cond)
		assignSlots(f, a.Sets)
		each(f, a.Values)
		byAttr(f, a.Defaults)
	}
	byAttr(f, n.Generated)
	named(f, n.Checks)
}

// Inputs implements Node.
func (n *Merge) Inputs() []Node { return []Node{n.Input} }

// WithInputs implements Node.
func (n *Merge) WithInputs(in []Node) Node {
	c := *n
	c.Input = input1(in)
	return &c
}

// Exprs implements Node.
func (n *Merge) Exprs() []Expr { return list(n) }

// WithExprs implements Node.
func (n *Merge) WithExprs(e []Expr) Node {
	c := *n
	c.Generated, c.Checks, c.Actions = maps.Clone(n.Generated), slices.Clone(n.Checks), slices.Clone(n.Actions)
	for i := range c.Actions {
		a := &c.Actions[i]
		a.Sets, a.Values, a.Defaults = slices.Clone(a.Sets), slices.Clone(a.Values), maps.Clone(a.Defaults)
	}
	fill(&c, e)
	return &c
}

func (n *Delete) slots(f func(*Expr)) { n.Returning.slots(f) }

// Inputs implements Node.
func (n *Delete) Inputs() []Node { return []Node{n.Input} }

// WithInputs implements Node.
func (n *Delete) WithInputs(in []Node) Node {
	c := *n
	c.Input = input1(in)
	return &c
}

// Exprs implements Node.
func (n *Delete) Exprs() []Expr { return list(n) }

// WithExprs implements Node.
func (n *Delete) WithExprs(e []Expr) Node {
	c := *n
	c.Returning = n.Returning.clone()
	fill(&c, e)
	return &c
}
