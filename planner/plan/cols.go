package plan

import "slices"

// Cols implements Node.
func (n *Scan) Cols() []Col {
	out := make([]Col, len(n.Out))
	for i := range n.Out {
		out[i] = n.Out[i].Col
	}
	return out
}

// Cols implements Node.
func (n *VirtualScan) Cols() []Col { return n.Out }

// Cols implements Node.
func (n *FuncScan) Cols() []Col { return n.Out }

// Cols implements Node.
func (n *Values) Cols() []Col { return n.Out }

// Cols implements Node.
func (n *Columns) Cols() []Col { return n.Out }

// Cols implements Node.
func (n *Project) Cols() []Col { return n.Out }

// Cols implements Node: the input's columns, then each call's.
func (n *ProjectSet) Cols() []Col {
	out := slices.Clip(n.Input.Cols())
	for i := range n.Calls {
		out = append(out, n.Calls[i].Cols...)
	}
	return out
}

// Cols implements Node.
func (n *Filter) Cols() []Col { return n.Input.Cols() }

// Cols implements Node: left columns, then right columns; semi and anti joins show the left ones only.
func (n *Join) Cols() []Col {
	switch n.Kind {
	case SemiJoin, AntiJoin, AntiNullJoin:
		return n.Left.Cols()
	}
	return append(slices.Clip(n.Left.Cols()), n.Right.Cols()...)
}

// Cols implements Node: group columns, aggregates, GroupingCol when it is used.
func (n *Aggregate) Cols() []Col {
	out := slices.Clip(n.GroupCols)
	for i := range n.Aggs {
		out = append(out, n.Aggs[i].Col)
	}
	if n.GroupingCol.ID != 0 {
		out = append(out, n.GroupingCol)
	}
	return out
}

// Cols implements Node: the input's columns, then the calls'.
func (n *Window) Cols() []Col {
	out := slices.Clip(n.Input.Cols())
	for i := range n.Calls {
		out = append(out, n.Calls[i].Col)
	}
	return out
}

// Cols implements Node.
func (n *Sort) Cols() []Col { return n.Input.Cols() }

// Cols implements Node.
func (n *Distinct) Cols() []Col { return n.Input.Cols() }

// Cols implements Node.
func (n *SetOp) Cols() []Col { return n.Out }

// Cols implements Node.
func (n *Limit) Cols() []Col { return n.Input.Cols() }

// Cols implements Node.
func (n *With) Cols() []Col { return n.Input.Cols() }

// Cols implements Node.
func (n *CTERef) Cols() []Col { return n.Out }

// Cols implements Node.
func (n *Lock) Cols() []Col { return n.Input.Cols() }

// Cols implements Node.
func (n *Empty) Cols() []Col { return nil }

// Cols implements Node.
func (n *CopySource) Cols() []Col { return n.Out }

func (r *Returning) cols() []Col {
	if r == nil {
		return nil
	}
	return r.Out
}

// Cols implements Node: MERGE shows nothing.
func (n *Merge) Cols() []Col { return nil }

// Cols implements Node: what RETURNING shows.
func (n *Insert) Cols() []Col { return n.Returning.cols() }

// Cols implements Node: what RETURNING shows.
func (n *Update) Cols() []Col { return n.Returning.cols() }

// Cols implements Node: what RETURNING shows.
func (n *Delete) Cols() []Col { return n.Returning.cols() }
