package plan

import (
	"maps"
	"slices"
)

// input1 and input2 are what WithInputs expects of nodes with one or two inputs.
func input1(in []Node) Node {
	if len(in) != 1 {
		panic("plan: WithInputs wants one input")
	}
	return in[0]
}

func input2(in []Node) (Node, Node) {
	if len(in) != 2 {
		panic("plan: WithInputs wants two inputs")
	}
	return in[0], in[1]
}

func cloneCalls(calls []SetCall) []SetCall {
	out := slices.Clone(calls)
	for i := range out {
		out[i].Args = slices.Clone(out[i].Args)
	}
	return out
}

func setCallSlots(f func(*Expr), calls []SetCall) {
	for i := range calls {
		each(f, calls[i].Args)
		one(f, &calls[i].Row)
	}
}

func sortSlots(f func(*Expr), keys []SortKey) {
	for i := range keys {
		one(f, &keys[i].Expr)
	}
}

// byAttr visits the expressions of m in the order of the column numbers.
func byAttr(f func(*Expr), m map[int16]Expr) {
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if e := m[k]; e != nil {
			f(&e)
			m[k] = e
		}
	}
}

func assignSlots(f func(*Expr), sets []Assign) {
	for i := range sets {
		one(f, &sets[i].Expr)
	}
}

func (r *Returning) clone() *Returning {
	if r == nil {
		return nil
	}
	return &Returning{Out: r.Out, Items: slices.Clone(r.Items)}
}

func (r *Returning) slots(f func(*Expr)) {
	if r != nil {
		each(f, r.Items)
	}
}

func (c *Conflict) clone() *Conflict {
	if c == nil {
		return nil
	}
	n := *c
	n.Sets = slices.Clone(c.Sets)
	return &n
}

func (c *Conflict) slots(f func(*Expr)) {
	if c != nil {
		assignSlots(f, c.Sets)
		one(f, &c.Where)
	}
}

func clone2(rows [][]Expr) [][]Expr {
	out := slices.Clone(rows)
	for i := range out {
		out[i] = slices.Clone(out[i])
	}
	return out
}

func (n *Scan) slots(f func(*Expr)) {
	each(f, n.FilterExprs)
	n.Access.eachExpr(f)
	one(f, &n.Limit)
}

// Inputs implements Node.
func (n *Scan) Inputs() []Node { return nil }

// WithInputs implements Node.
func (n *Scan) WithInputs([]Node) Node { return n }

// Exprs implements Node.
func (n *Scan) Exprs() []Expr { return list(n) }

// WithExprs implements Node.
func (n *Scan) WithExprs(e []Expr) Node {
	c := *n
	c.FilterExprs = slices.Clone(n.FilterExprs)
	c.Access = n.Access.clone()
	fill(&c, e)
	return &c
}

func (n *FuncScan) slots(f func(*Expr)) { setCallSlots(f, n.Calls) }

// Inputs implements Node.
func (n *FuncScan) Inputs() []Node { return nil }

// WithInputs implements Node.
func (n *FuncScan) WithInputs([]Node) Node { return n }

// Exprs implements Node.
func (n *FuncScan) Exprs() []Expr { return list(n) }

// WithExprs implements Node.
func (n *FuncScan) WithExprs(e []Expr) Node {
	c := *n
	c.Calls = cloneCalls(n.Calls)
	fill(&c, e)
	return &c
}

func (n *Values) slots(f func(*Expr)) {
	for _, r := range n.Rows {
		each(f, r)
	}
}

// Inputs implements Node.
func (n *Values) Inputs() []Node { return nil }

// WithInputs implements Node.
func (n *Values) WithInputs([]Node) Node { return n }

// Exprs implements Node.
func (n *Values) Exprs() []Expr { return list(n) }

// WithExprs implements Node.
func (n *Values) WithExprs(e []Expr) Node {
	c := *n
	c.Rows = clone2(n.Rows)
	fill(&c, e)
	return &c
}

func (n *Project) slots(f func(*Expr)) { each(f, n.Items) }

// Inputs implements Node.
func (n *Project) Inputs() []Node { return []Node{n.Input} }

// WithInputs implements Node.
func (n *Project) WithInputs(in []Node) Node {
	c := *n
	c.Input = input1(in)
	return &c
}

// Exprs implements Node.
func (n *Project) Exprs() []Expr { return list(n) }

// WithExprs implements Node.
func (n *Project) WithExprs(e []Expr) Node {
	c := *n
	c.Items = slices.Clone(n.Items)
	fill(&c, e)
	return &c
}

func (n *ProjectSet) slots(f func(*Expr)) { setCallSlots(f, n.Calls) }

// Inputs implements Node.
func (n *ProjectSet) Inputs() []Node { return []Node{n.Input} }

// WithInputs implements Node.
func (n *ProjectSet) WithInputs(in []Node) Node {
	c := *n
	c.Input = input1(in)
	return &c
}

// Exprs implements Node.
func (n *ProjectSet) Exprs() []Expr { return list(n) }

// WithExprs implements Node.
func (n *ProjectSet) WithExprs(e []Expr) Node {
	c := *n
	c.Calls = cloneCalls(n.Calls)
	fill(&c, e)
	return &c
}

func (n *Filter) slots(f func(*Expr)) { one(f, &n.Pred) }

// Inputs implements Node.
func (n *Filter) Inputs() []Node { return []Node{n.Input} }

// WithInputs implements Node.
func (n *Filter) WithInputs(in []Node) Node { return &Filter{Input: input1(in), Pred: n.Pred} }

// Exprs implements Node.
func (n *Filter) Exprs() []Expr { return list(n) }

// WithExprs implements Node.
func (n *Filter) WithExprs(e []Expr) Node {
	c := *n
	fill(&c, e)
	return &c
}

func (n *Join) slots(f func(*Expr)) {
	one(f, &n.On)
	for i := range n.HashKeys {
		one(f, &n.HashKeys[i][0], &n.HashKeys[i][1])
	}
	one(f, &n.Residual)
}

// Inputs implements Node.
func (n *Join) Inputs() []Node { return []Node{n.Left, n.Right} }

// WithInputs implements Node.
func (n *Join) WithInputs(in []Node) Node {
	c := *n
	c.Left, c.Right = input2(in)
	return &c
}

// Exprs implements Node.
func (n *Join) Exprs() []Expr { return list(n) }

// WithExprs implements Node.
func (n *Join) WithExprs(e []Expr) Node {
	c := *n
	c.HashKeys = slices.Clone(n.HashKeys)
	fill(&c, e)
	return &c
}

func (n *Aggregate) slots(f func(*Expr)) {
	each(f, n.Groups)
	for i := range n.Aggs {
		a := &n.Aggs[i]
		each(f, a.Args)
		each(f, a.Direct)
		one(f, &a.Filter)
		sortSlots(f, a.Order)
	}
}

// Inputs implements Node.
func (n *Aggregate) Inputs() []Node { return []Node{n.Input} }

// WithInputs implements Node.
func (n *Aggregate) WithInputs(in []Node) Node {
	c := *n
	c.Input = input1(in)
	return &c
}

// Exprs implements Node.
func (n *Aggregate) Exprs() []Expr { return list(n) }

// WithExprs implements Node.
func (n *Aggregate) WithExprs(e []Expr) Node {
	c := *n
	c.Groups = slices.Clone(n.Groups)
	c.Aggs = slices.Clone(n.Aggs)
	for i := range c.Aggs {
		a := &c.Aggs[i]
		a.Args, a.Direct, a.Order = slices.Clone(a.Args), slices.Clone(a.Direct), slices.Clone(a.Order)
	}
	fill(&c, e)
	return &c
}

func (n *Window) slots(f func(*Expr)) {
	each(f, n.Partition)
	sortSlots(f, n.Order)
	one(f, &n.First)
	for i := range n.Calls {
		w := &n.Calls[i]
		each(f, w.Args)
		one(f, &w.Filter, &w.Frame.Start.Offset, &w.Frame.End.Offset)
	}
}

// Inputs implements Node.
func (n *Window) Inputs() []Node { return []Node{n.Input} }

// WithInputs implements Node.
func (n *Window) WithInputs(in []Node) Node {
	c := *n
	c.Input = input1(in)
	return &c
}

// Exprs implements Node.
func (n *Window) Exprs() []Expr { return list(n) }

// WithExprs implements Node.
func (n *Window) WithExprs(e []Expr) Node {
	c := *n
	c.Partition, c.Order = slices.Clone(n.Partition), slices.Clone(n.Order)
	c.Calls = slices.Clone(n.Calls)
	for i := range c.Calls {
		c.Calls[i].Args = slices.Clone(c.Calls[i].Args)
	}
	fill(&c, e)
	return &c
}

func (n *Sort) slots(f func(*Expr)) {
	sortSlots(f, n.Keys)
	one(f, &n.TopN)
}

// Inputs implements Node.
func (n *Sort) Inputs() []Node { return []Node{n.Input} }

// WithInputs implements Node.
func (n *Sort) WithInputs(in []Node) Node {
	c := *n
	c.Input = input1(in)
	return &c
}

// Exprs implements Node.
func (n *Sort) Exprs() []Expr { return list(n) }

// WithExprs implements Node.
func (n *Sort) WithExprs(e []Expr) Node {
	c := *n
	c.Keys = slices.Clone(n.Keys)
	fill(&c, e)
	return &c
}

func (n *Distinct) slots(f func(*Expr)) { each(f, n.On) }

// Inputs implements Node.
func (n *Distinct) Inputs() []Node { return []Node{n.Input} }

// WithInputs implements Node.
func (n *Distinct) WithInputs(in []Node) Node { return &Distinct{Input: input1(in), On: n.On} }

// Exprs implements Node.
func (n *Distinct) Exprs() []Expr { return list(n) }

// WithExprs implements Node.
func (n *Distinct) WithExprs(e []Expr) Node {
	c := *n
	c.On = slices.Clone(n.On)
	fill(&c, e)
	return &c
}

// Inputs implements Node.
func (n *SetOp) Inputs() []Node { return []Node{n.Left, n.Right} }

// WithInputs implements Node.
func (n *SetOp) WithInputs(in []Node) Node {
	c := *n
	c.Left, c.Right = input2(in)
	return &c
}

// Exprs implements Node.
func (n *SetOp) Exprs() []Expr { return nil }

// WithExprs implements Node.
func (n *SetOp) WithExprs([]Expr) Node { return n }

func (n *Limit) slots(f func(*Expr)) {
	one(f, &n.Count, &n.Offset)
	sortSlots(f, n.Keys)
}

// Inputs implements Node.
func (n *Limit) Inputs() []Node { return []Node{n.Input} }

// WithInputs implements Node.
func (n *Limit) WithInputs(in []Node) Node {
	c := *n
	c.Input = input1(in)
	return &c
}

// Exprs implements Node.
func (n *Limit) Exprs() []Expr { return list(n) }

// WithExprs implements Node.
func (n *Limit) WithExprs(e []Expr) Node {
	c := *n
	c.Keys = slices.Clone(n.Keys)
	fill(&c, e)
	return &c
}

// Inputs implements Node: the queries of the CTEs in order (Query, then Step where there is one), then Input.
func (n *With) Inputs() []Node {
	var in []Node
	for i := range n.CTEs {
		in = append(in, n.CTEs[i].Query)
		if n.CTEs[i].Step != nil {
			in = append(in, n.CTEs[i].Step)
		}
	}
	return append(in, n.Input)
}
