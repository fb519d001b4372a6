package plan

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/typeio"
)

// Actual is what a node did in a run, over all times that it was started.
type Actual struct {
	Loops, Rows    int64
	Startup, Total time.Duration
}

// Prop is a line about a node: Sort Key, Filter … Its value is a string, a []string, a number (int64, float64) or a bool.
type Prop struct {
	Key   string
	Value any
}

// Explanation prints a plan in PostgreSQL's look (EXPLAIN).
type Explanation struct {
	Query   *Query
	Options ExplainOptions
	// Actual gives a node's figures after a run (ANALYZE), nil for one that never ran.
	Actual func(Node) *Actual
	// Extra gives further lines about a node, such as what an index visited.
	Extra func(Node) []Prop
	// Planning and Execution are printed with SUMMARY.
	Planning, Execution time.Duration
	// Settings are printed with SETTINGS, in order.
	Settings [][2]string
	Format   *typeio.Format
}

// expNode is a node of the printed tree.
type expNode struct {
	kind     string // Node Type
	title    string // how the text form calls it: "Seq Scan on t"
	role     string // "", Outer, Inner, Member, InitPlan, SubPlan
	label    string // "InitPlan 1 (returns $0)", "SubPlan 1", "CTE x": printed above the node
	attrs    []Prop // what only the structured forms print: Relation Name, Join Type …
	props    []Prop
	node     Node // whose figures are printed
	counted  Node // whose rows are counted: a Filter that was drawn into its input
	children []*expNode
}

// explainer builds the printed tree.
type explainer struct {
	*Explanation
	names  map[ColID]colName
	prefix bool
	subs   map[*Subquery]int
	nSub   int
	at     Node // the node whose expressions are being written
}

// colName is how a column is shown: a name, or the expression that computes it.
type colName struct {
	table, name string
	text        func() string
	made        Node
}

// Lines gives the rows of EXPLAIN: a row a line for the text format, one row for the others.
func (x *Explanation) Lines() []string {
	e := &explainer{Explanation: x, names: map[ColID]colName{}, subs: map[*Subquery]int{}}
	e.collect(x.Query.Root)
	root := e.tree(x.Query.Root)
	switch x.Options.Format {
	case "json":
		return []string{e.json(root)}
	case "yaml":
		return []string{e.yaml(root)}
	case "xml":
		return []string{e.xml(root)}
	}
	return e.text(root)
}

// collect learns the names of all columns, those of Subqueries too.
func (e *explainer) collect(root Node) {
	relations := 0
	var visit func(n Node)
	visit = func(n Node) {
		WalkNodes(n, func(n Node) bool {
			e.define(n)
			switch n.(type) {
			case *Scan, *VirtualScan, *FuncScan, *CTERef, *Values:
				relations++
			}
			for _, x := range n.Exprs() {
				Walk(x, func(y Expr) bool {
					if s, ok := y.(*Subquery); ok {
						visit(s.Query)
					}
					return true
				})
			}
			return true
		})
	}
	visit(root)
	e.prefix = relations > 1 || e.Options.Verbose
}

// define records how the columns that a node makes are shown.
func (e *explainer) define(n Node) {
	table := func(alias string, cols []Col) {
		for _, c := range cols {
			e.names[c.ID] = colName{table: alias, name: c.Name, made: n}
		}
	}
	expr := func(c Col, x Expr) { e.names[c.ID] = colName{text: func() string { return e.inner(x) }, made: n} }
	switch x := n.(type) {
	case *Scan:
		for _, c := range x.Out {
			name := c.Name
			if name == "" {
				name = c.Src.Name
			}
			e.names[c.ID] = colName{table: x.Alias, name: name, made: n}
			if t := scanColText(x.Rel, &c); t != "" {
				e.names[c.ID] = colName{text: func() string { return t }, made: n}
			}
		}
	case *VirtualScan:
		table(x.Alias, x.Out)
	case *FuncScan:
		table(x.Alias, x.Out)
	case *CTERef:
		table(x.Alias, x.Out)
	case *Values:
		table("*VALUES*", x.Out)
	case *Columns:
		table("*VALUES*", x.Out)
	case *Project:
		for i, c := range x.Out {
			if r, ok := x.Items[i].(*ColRef); ok && r.ID == c.ID {
				continue
			}
			expr(c, x.Items[i])
		}
	case *Aggregate:
		for i, c := range x.GroupCols {
			expr(c, x.Groups[i])
		}
		for i := range x.Aggs {
			a := &x.Aggs[i]
			e.names[a.Col.ID] = colName{text: func() string { return e.deparser().AggText(a) }, made: n}
		}
	case *SetOp:
		left := x.Left.Cols()
		for i, c := range x.Out {
			expr(c, &ColRef{Typed: Typed{T: c.Type, M: c.Mod}, ID: left[i].ID, Name: c.Name})
		}
	default:
		e.defineCalls(n)
	}
}

func (e *explainer) defineCalls(n Node) {
	switch x := n.(type) {
	case *Window:
		for i := range x.Calls {
			w := &x.Calls[i]
			e.names[w.Col.ID] = colName{text: func() string { return e.windowText(w) }, made: n}
		}
	case *ProjectSet:
		for i := range x.Calls {
			c := &x.Calls[i]
			for _, col := range c.Cols {
				e.names[col.ID] = colName{text: func() string { return e.callText(c) }, made: n}
			}
		}
	case *Insert:
		e.dmlNames(x.Rel.Name, x.NewCols)
		if c := x.Conflict; c != nil {
			e.dmlNames(x.Rel.Name, c.OldCols)
			e.dmlNames("excluded", c.ExclCols)
		}
	case *Merge:
		e.dmlNames(x.Rel.Name, x.NewCols)
	case *Update:
		e.dmlNames(x.Rel.Name, x.NewCols)
	case *Delete:
		e.dmlNames(x.Rel.Name, x.OldCols)
	}
}

func (e *explainer) dmlNames(table string, cols []Col) {
	for _, c := range cols {
		e.names[c.ID] = colName{table: table, name: c.Name}
	}
}

// scanColText writes a path that storage projects, as the expression that it stands for; "" for plain columns. In a table the first
// step is the field of the column.
func scanColText(rel *catalog.Relation, c *ScanCol) string {
	path := c.Src.Path
	if len(path) == 0 {
		return ""
	}
	text := "doc"
	if rel.Kind != catalog.Collection {
		text, path = path[0].Key, path[1:]
		for _, col := range rel.Columns {
			if col.Field == text {
				text = QuoteIdent(col.Name)
			}
		}
	}
	for i, s := range path {
		op := "->"
		if i == len(path)-1 && c.Src.Kind == storage.ColPathText {
			op = "->>"
		}
		switch s.Kind {
		case doc.StepIndex:
			text = "(" + text + " " + op + " " + strconv.Itoa(s.Index) + ")"
		case doc.StepText:
			text = "(" + text + " #" + op[1:] + " " + QuoteLiteral("{"+s.Key+"}") + "::text[])"
		default:
			text = "(" + text + " " + op + " " + QuoteLiteral(s.Key) + "::text)"
		}
	}
	return text
}

func (e *explainer) deparser() *Deparser {
	return &Deparser{Column: e.column, Subquery: e.subquery, Compact: true, Format: e.Format}
}

// inner writes an expression without the parentheses that Column puts around computed columns.
func (e *explainer) inner(x Expr) string { return e.deparser().Text(x) }

// column names a column; one that another node computes is shown as its expression in parentheses, as PostgreSQL does.
func (e *explainer) column(r *ColRef) string {
	n, ok := e.names[r.ID]
	switch {
	case !ok:
		return QuoteIdent(r.Name)
	case n.text == nil:
		if e.prefix && n.table != "" {
			return QuoteIdent(n.table) + "." + QuoteIdent(n.name)
		}
		return QuoteIdent(n.name)
	}
	t := n.text()
	if n.made == e.at || isPlainName(t) || balanced(t) {
		return t
	}
	return "(" + t + ")"
}

// isPlainName tells whether a text is a bare column name.
func isPlainName(t string) bool { return !strings.ContainsAny(t, "( :+'") }

// balanced tells whether a text is one parenthesis already.
func balanced(t string) bool {
	if !strings.HasPrefix(t, "(") || !strings.HasSuffix(t, ")") {
		return false
	}
	depth, quoted := 0, false
	for i, c := range t {
		switch {
		case c == '\'':
			quoted = !quoted
		case quoted:
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth == 0 && i < len(t)-1 {
				return false
			}
		}
	}
	return true
}

// subquery names a subquery inside an expression and numbers it.
func (e *explainer) subquery(s *Subquery) string {
	n, seen := e.subs[s]
	if !seen {
		n = e.number(s)
	}
	correlated := len(Free(s.Query)) > 0
	switch {
	case s.Kind == AnySub && !correlated:
		return fmt.Sprintf("(hashed SubPlan %d)", n)
	case s.Kind == ScalarSub && !correlated || s.Kind == ExistsSub && !correlated || s.Kind == ArraySub && !correlated:
		return fmt.Sprintf("$%d", n-1)
	}
	return fmt.Sprintf("(SubPlan %d)", n)
}

func (e *explainer) number(s *Subquery) int {
	e.nSub++
	e.subs[s] = e.nSub
	return e.nSub
}

// windowText writes a window call; its window is another line.
func (e *explainer) windowText(w *WinCall) string {
	name := ""
	args := make([]string, len(w.Args))
	for i, a := range w.Args {
		args[i] = e.inner(a)
	}
	switch {
	case w.Fn != nil:
		name = w.Fn.Name
	case w.Agg != nil:
		name = w.Agg.Name
		if len(args) == 0 {
			args = []string{"*"}
		}
	}
	return QuoteIdent(name) + "(" + strings.Join(args, ", ") + ") OVER (?)"
}

func (e *explainer) callText(c *SetCall) string {
	if c.Row != nil {
		return e.inner(c.Row)
	}
	args := make([]string, len(c.Args))
	for i, a := range c.Args {
		args[i] = e.inner(a)
	}
	return QuoteIdent(c.Fn.Name) + "(" + strings.Join(args, ", ") + ")"
}

// write writes an expression of node n.
func (e *explainer) write(n Node, x Expr) string {
	old := e.at
	e.at = n
	defer func() { e.at = old }()
	return e.inner(x)
}

// keyTexts writes sort keys.
func (e *explainer) keyTexts(n Node, keys []SortKey) []string {
	out := make([]string, len(keys))
	for i := range keys {
		out[i] = e.write(n, keys[i].Expr)
		if c := keys[i].Coll; c != "" && c != "default" {
			out[i] += " COLLATE " + QuoteIdent(c)
		}
		out[i] += keySuffix(&keys[i])
	}
	return out
}

func (e *explainer) texts(n Node, es []Expr) []string {
	out := make([]string, len(es))
	for i, x := range es {
		out[i] = e.write(n, x)
	}
	return out
}
