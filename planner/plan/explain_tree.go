package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/omgdb/omgdb/storage/catalog"
)

// tree makes the printed node of n. Projections are not shown, filters belong to their input, as in PostgreSQL.
func (e *explainer) tree(n Node) *expNode {
	switch x := n.(type) {
	case *Project:
		return e.project(x)
	case *Filter:
		return e.filter(x)
	case *Nearest:
		return e.nearest(x)
	case *With:
		out := e.tree(x.Input)
		var ctes []*expNode
		for i := range x.CTEs {
			ctes = append(ctes, e.cte(&x.CTEs[i]))
		}
		out.children = append(ctes, out.children...)
		return out
	}
	out := &expNode{node: n}
	e.fill(out, n)
	if e.Options.Verbose {
		out.props = append([]Prop{{"Output", e.output(n)}}, out.props...)
	}
	if e.Extra != nil {
		out.props = append(out.props, e.Extra(n)...)
	}
	e.subPlans(out, n.Exprs())
	for i, in := range n.Inputs() {
		c := e.tree(in)
		c.role = "Outer"
		if i == 1 {
			c.role = "Inner"
		}
		if _, ok := n.(*SetOp); ok {
			c.role = "Member"
		}
		if j, ok := n.(*Join); ok && i == 1 && j.Method == 'h' {
			c.role = "Outer"
			c = &expNode{kind: "Hash", title: "Hash", role: "Inner", node: in, children: []*expNode{c}}
		}
		out.children = append(out.children, c)
	}
	if s, ok := n.(*SetOp); ok {
		return e.setOp(out, s)
	}
	return out
}

// project shows its input, or a Result when there is none.
func (e *explainer) project(x *Project) *expNode {
	var out *expNode
	if _, empty := x.Input.(*Empty); empty {
		out = &expNode{kind: "Result", title: "Result", node: x}
	} else {
		out = e.tree(x.Input)
	}
	if e.Options.Verbose {
		p := Prop{"Output", e.texts(x, x.Items)}
		if len(out.props) > 0 && out.props[0].Key == "Output" {
			out.props[0] = p
		} else {
			out.props = append([]Prop{p}, out.props...)
		}
	}
	e.subPlans(out, x.Items)
	return out
}

// filter adds its predicate to the node of its input. Over a scan it is what storage did not take.
func (e *explainer) filter(x *Filter) *expNode {
	in := x.Input
	key := "Filter"
	for {
		if p, ok := in.(*Project); ok {
			in = p.Input
			continue
		}
		break
	}
	if s, ok := in.(*Scan); ok && len(s.FilterExprs) > 0 {
		key = "Residual Filter"
	}
	out := e.tree(x.Input)
	if _, ok := in.(*Empty); ok {
		key = "One-Time Filter"
	}
	out.props = append(out.props, Prop{key, e.write(in, x.Pred)})
	out.counted = x
	if e.Actual != nil {
		if a, b := e.Actual(x), e.Actual(x.Input); a != nil && b != nil && a.Loops > 0 {
			out.props = append(out.props, Prop{"Rows Removed by Filter", (b.Rows - a.Rows) / a.Loops})
		}
	}
	e.subPlans(out, []Expr{x.Pred})
	return out
}

func (e *explainer) cte(c *CTE) *expNode {
	label := "CTE " + c.Name
	if !c.Recursive {
		out := e.tree(c.Query)
		out.role, out.label = "InitPlan", label
		return out
	}
	seed, step := e.tree(c.Query), e.tree(c.Step)
	seed.role, step.role = "Outer", "Inner"
	return &expNode{kind: "Recursive Union", title: "Recursive Union", role: "InitPlan", label: label, node: c.Query, children: []*expNode{seed, step}}
}

// subPlans adds the subqueries of expressions as children.
func (e *explainer) subPlans(out *expNode, es []Expr) {
	for _, x := range es {
		Walk(x, func(y Expr) bool {
			s, ok := y.(*Subquery)
			if !ok {
				return true
			}
			e.subquery(s) // numbers it if nothing printed it
			n := e.subs[s]
			c := e.tree(s.Query)
			c.role, c.label = "SubPlan", fmt.Sprintf("SubPlan %d", n)
			if s.Kind != AnySub && s.Kind != AllSub && s.Kind != RowSub && len(Free(s.Query)) == 0 {
				c.role, c.label = "InitPlan", fmt.Sprintf("InitPlan %d (returns $%d)", n, n-1)
			}
			out.children = append(out.children, c)
			return true
		})
	}
}

func (e *explainer) output(n Node) []string {
	cols := n.Cols()
	out := make([]string, 0, len(cols))
	for _, c := range cols {
		out = append(out, e.write(n, &ColRef{ID: c.ID, Name: c.Name, Typed: Typed{T: c.Type, M: c.Mod}}))
	}
	return out
}

func (o *expNode) call(kind, title string) {
	o.kind = kind
	if title == "" {
		title = kind
	}
	o.title = title
}

func (o *expNode) add(key string, v any) {
	if s, ok := v.([]string); ok && len(s) == 0 {
		return
	}
	o.props = append(o.props, Prop{key, v})
}

// fill names a node and lists its lines.
func (e *explainer) fill(o *expNode, n Node) {
	switch x := n.(type) {
	case *Scan:
		e.scan(o, x)
	case *VirtualScan:
		o.call("Seq Scan", "Seq Scan on "+onTable(x.Schema, x.Name, x.Alias, e.Options.Verbose))
		o.attrs = relAttrs(x.Name, x.Schema, x.Alias)
	case *FuncScan:
		e.funcScan(o, x)
	case *CTERef:
		kind := "CTE Scan"
		if x.Self {
			kind = "WorkTable Scan"
		}
		o.call(kind, kind+" on "+onTable("", x.Name, x.Alias, false))
		o.attrs = []Prop{{"CTE Name", x.Name}, {"Alias", x.Alias}}
	case *Values:
		if len(x.Rows) == 1 {
			o.call("Result", "")
			return
		}
		o.call("Values Scan", `Values Scan on "*VALUES*"`)
		o.attrs = []Prop{{"Alias", "*VALUES*"}}
	case *Columns:
		o.call("Values Scan", `Values Scan on "*VALUES*"`)
		o.attrs = []Prop{{"Alias", "*VALUES*"}}
	case *Empty:
		o.call("Result", "")
		if x.No {
			o.add("One-Time Filter", "false")
		}
	case *Join:
		e.join(o, x)
	case *Aggregate:
		e.aggregate(o, x)
	case *Window:
		o.call("WindowAgg", "")
	case *Sort:
		e.sort(o, x)
	case *Distinct:
		e.distinct(o, x)
	default:
		e.fillOther(o, n)
	}
}

func (e *explainer) fillOther(o *expNode, n Node) {
	switch x := n.(type) {
	case *Limit:
		o.call("Limit", "")
	case *ProjectSet:
		o.call("ProjectSet", "")
	case *Lock:
		o.call("LockRows", "")
	case *SetOp:
		o.call("Append", "")
	case *CopySource:
		o.call("Copy Source", "")
	case *Insert:
		e.modify(o, "Insert", x.Rel, x.Rel.Name)
		if c := x.Conflict; c != nil {
			o.add("Conflict Resolution", map[bool]string{true: "NOTHING", false: "UPDATE"}[c.Nothing])
			if c.Index != nil {
				o.add("Conflict Arbiter Indexes", []string{QuoteIdent(c.Index.Name)})
			} else if !c.AnyIndex {
				o.add("Conflict Arbiter Indexes", []string{QuoteIdent(keyName(x.Rel))})
			}
			if c.Where != nil {
				o.add("Conflict Filter", e.write(n, c.Where))
			}
		}
	case *Merge:
		e.modify(o, "Merge", x.Rel, aliasOf(x.Input, x.Rel))
	case *Update:
		e.modify(o, "Update", x.Rel, aliasOf(x.Input, x.Rel))
	case *Delete:
		e.modify(o, "Delete", x.Rel, aliasOf(x.Input, x.Rel))
	default:
		o.call(strings.TrimPrefix(fmt.Sprintf("%T", n), "*plan."), "")
	}
}

func (e *explainer) modify(o *expNode, op string, rel *catalog.Relation, alias string) {
	o.call("ModifyTable", op+" on "+onTable("", rel.Name, alias, false))
	o.attrs = append([]Prop{{"Operation", op}}, relAttrs(rel.Name, "", alias)...)
}

// aliasOf finds the alias of the target's scan.
func aliasOf(in Node, rel *catalog.Relation) string {
	alias := rel.Name
	WalkNodes(in, func(n Node) bool {
		if s, ok := n.(*Scan); ok && s.Rel.ID == rel.ID && alias == rel.Name {
			alias = s.Alias
		}
		return true
	})
	return alias
}

func onTable(schema, name, alias string, verbose bool) string {
	s := QuoteIdent(name)
	if verbose && schema != "" {
		s = QuoteIdent(schema) + "." + s
	}
	if alias != "" && alias != name {
		s += " " + QuoteIdent(alias)
	}
	return s
}

func relAttrs(name, schema, alias string) []Prop {
	out := []Prop{{"Relation Name", name}}
	if schema != "" {
		out = append(out, Prop{"Schema", schema})
	}
	return append(out, Prop{"Alias", alias})
}

// keyName is the name of a relation's row key as an index.
func keyName(rel *catalog.Relation) string {
	if rel.PrimaryName != "" {
		return rel.PrimaryName
	}
	return rel.Name + "_pkey"
}

// scan shows how a relation is reached, and what storage filters.
func (e *explainer) scan(o *expNode, x *Scan) {
	on := onTable("", x.Rel.Name, x.Alias, false)
	a := &x.Access
	conds := e.bounds(x)
	switch {
	case a.Either != nil:
		name := e.armNames(x)
		o.call("Index Scan", "Index Scan using "+name+" on "+on)
		o.attrs = []Prop{{"Scan Direction", "Forward"}, {"Index Name", name}}
		o.add("Index Cond", strings.Join(conds, " OR "))
	case a.Index == nil && len(conds) == 0 && !a.Reverse:
		o.call("Seq Scan", "Seq Scan on "+on)
	default:
		name := keyName(x.Rel)
		if a.Index != nil {
			name = a.Index.Name
		}
		kind := "Index Scan"
		if x.Access.Exact && len(x.Out) == 0 {
			kind = "Index Only Scan"
		}
		if a.Reverse {
			kind += " Backward"
		}
		o.call("Index Scan", kind+" using "+QuoteIdent(name)+" on "+on)
		o.attrs = []Prop{{"Scan Direction", map[bool]string{true: "Backward", false: "Forward"}[a.Reverse]}, {"Index Name", name}}
		if len(conds) > 0 {
			o.add("Index Cond", strings.Join(conds, " OR "))
		}
	}
	o.attrs = append(o.attrs, relAttrs(x.Rel.Name, "", x.Alias)...)
	if len(x.FilterExprs) > 0 {
		o.add("Filter", e.conjunction(x, x.FilterExprs))
	}
	if x.Limit != nil {
		o.add("Rows Wanted", e.write(x, x.Limit))
	}
	if x.AsOf != 0 {
		o.add("As Of Commit", strconv.FormatUint(uint64(x.AsOf), 10))
	}
}

// armNames lists the indexes of a scan through several.
func (e *explainer) armNames(x *Scan) string {
	var names []string
	for _, arm := range x.Access.Either {
		name := keyName(x.Rel)
		if arm.Index != nil {
			name = arm.Index.Name
		}
		if name = QuoteIdent(name); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

func (e *explainer) conjunction(n Node, es []Expr) string {
	if len(es) == 1 {
		return e.write(n, es[0])
	}
	return e.write(n, &BoolOp{Args: es})
}

// bounds writes the key conditions of a scan, one for each alternative.
func (e *explainer) bounds(x *Scan) []string {
	var out []string
	cols := e.keyCols(x)
	name := func(i int) string {
		if i < len(cols) {
			return cols[i]
		}
		return "key"
	}
	and := func(parts []string) string {
		if len(parts) == 1 {
			return parts[0]
		}
		return "(" + strings.Join(parts, " AND ") + ")"
	}
	for _, arm := range x.Access.Either {
		one := *x
		one.Access = arm
		out = append(out, e.bounds(&one)...)
	}
	for _, p := range x.Access.Point {
		var parts []string
		for i, v := range p {
			parts = append(parts, "("+name(i)+" = "+e.write(x, v)+")")
		}
		out = append(out, and(parts))
	}
	if a := x.Access.AnyOf; a != nil && x.Access.Index != nil {
		out = append(out, "("+name(0)+" "+termOperators[x.Access.Function]+" "+e.write(x, a)+")")
	} else if a != nil {
		out = append(out, "("+name(0)+" = ANY ("+e.write(x, a)+"))")
	}
	for _, r := range x.Access.Ranges {
		var parts []string
		for i, v := range r.Eq {
			if v == nil {
				parts = append(parts, "("+name(i)+" IS NULL)")
				continue
			}
			parts = append(parts, "("+name(i)+" = "+e.write(x, v)+")")
		}
		if r.Lower != nil {
			parts = append(parts, "("+name(len(r.Eq))+map[bool]string{true: " >= ", false: " > "}[r.LowerInc]+e.write(x, r.Lower)+")")
		}
		if r.Upper != nil {
			parts = append(parts, "("+name(len(r.Eq))+map[bool]string{true: " <= ", false: " < "}[r.UpperInc]+e.write(x, r.Upper)+")")
		}
		if len(parts) > 0 {
			out = append(out, and(parts))
		}
	}
	return out
}

// keyCols names the key columns that a scan's access goes by.
func (e *explainer) keyCols(x *Scan) []string {
	var out []string
	if ix := x.Access.Index; ix != nil {
		for _, k := range ix.Keys {
			if a := x.Rel.Attr(k.Col); k.Col != 0 && a != nil {
				out = append(out, QuoteIdent(a.Name))
			} else {
				out = append(out, k.Expr)
			}
		}
		return out
	}
	if x.Rel.Kind == catalog.Collection {
		return []string{"_id"}
	}
	for _, n := range x.Rel.PrimaryKey {
		if a := x.Rel.Attr(n); a != nil {
			out = append(out, QuoteIdent(a.Name))
		}
	}
	return out
}

func (e *explainer) funcScan(o *expNode, x *FuncScan) {
	name := x.Alias
	if len(x.Calls) == 1 && x.Calls[0].Fn != nil {
		name = x.Calls[0].Fn.Name
		o.attrs = []Prop{{"Function Name", name}}
	}
	o.call("Function Scan", "Function Scan on "+onTable("", name, x.Alias, false))
	o.attrs = append(o.attrs, Prop{"Alias", x.Alias})
	if e.Options.Verbose {
		var calls []string
		for i := range x.Calls {
			calls = append(calls, e.callText(&x.Calls[i]))
		}
		o.add("Function Call", strings.Join(calls, ", "))
	}
}

// joinNames are the words of PostgreSQL's join nodes.
var joinNames = map[JoinKind]string{InnerJoin: "", LeftJoin: "Left", RightJoin: "Right", FullJoin: "Full", SemiJoin: "Semi", AntiJoin: "Anti", AntiNullJoin: "Anti"}

func (e *explainer) join(o *expNode, x *Join) {
	kind := map[byte]string{'h': "Hash Join", 'm': "Merge Join"}[x.Method]
	if kind == "" {
		kind = "Nested Loop"
	}
	word := joinNames[x.Kind]
	title := kind
	switch {
	case word != "" && kind == "Nested Loop":
		title = "Nested Loop " + word + " Join"
	case word != "":
		title = strings.Replace(kind, "Join", word+" Join", 1)
	}
	o.call(kind, title)
	if word == "" {
		word = "Inner"
	}
	o.attrs = []Prop{{"Join Type", word}}
	if len(x.HashKeys) > 0 && kind != "Nested Loop" {
		var parts []string
		for _, k := range x.HashKeys {
			parts = append(parts, "("+e.write(x, k[0])+" = "+e.write(x, k[1])+")")
		}
		cond := strings.Join(parts, " AND ")
		if len(parts) > 1 {
			cond = "(" + cond + ")"
		}
		o.add(strings.Replace(kind, "Join", "Cond", 1), cond)
		if x.Residual != nil {
			o.add("Join Filter", e.write(x, x.Residual))
		}
		return
	}
	if x.On != nil {
		o.add("Join Filter", e.write(x, x.On))
	}
}

func (e *explainer) aggregate(o *expNode, x *Aggregate) {
	groups := e.texts(x, x.Groups)
	for i, g := range x.Groups {
		if _, ok := g.(*ColRef); !ok && !strings.HasPrefix(groups[i], "(") {
			groups[i] = "(" + groups[i] + ")"
		}
	}
	strategy := "Hashed"
	switch {
	case len(x.Groups) == 0 && x.Sets == nil:
		o.call("Aggregate", "Aggregate")
		strategy = "Plain"
	case x.Sets != nil:
		o.call("Aggregate", "MixedAggregate")
		strategy = "Mixed"
		for _, set := range x.Sets {
			var keys []string
			for _, i := range set {
				keys = append(keys, groups[i])
			}
			if len(keys) == 0 {
				o.add("Group Key", "()")
			} else {
				o.add("Hash Key", keys)
			}
		}
	case x.Sorted:
		o.call("Aggregate", "GroupAggregate")
		strategy = "Sorted"
		o.add("Group Key", groups)
	default:
		o.call("Aggregate", "HashAggregate")
		o.add("Group Key", groups)
	}
	o.attrs = []Prop{{"Strategy", strategy}, {"Partial Mode", "Simple"}}
}

func (e *explainer) sort(o *expNode, x *Sort) {
	o.call("Sort", "")
	if x.Presorted > 0 {
		o.call("Incremental Sort", "")
	}
	keys := e.keyTexts(x, x.Keys)
	o.add("Sort Key", keys)
	if x.Presorted > 0 {
		o.add("Presorted Key", keys[:x.Presorted])
	}
	if x.TopN != nil {
		o.add("Top-N", e.write(x, x.TopN))
	}
}

func (e *explainer) distinct(o *expNode, x *Distinct) {
	if x.On != nil {
		o.call("Unique", "")
		return
	}
	o.call("Aggregate", "HashAggregate")
	o.attrs = []Prop{{"Strategy", "Hashed"}, {"Partial Mode", "Simple"}}
	o.add("Group Key", e.output(x))
}

// setOp shows UNION as PostgreSQL does: an Append, below a HashAggregate when duplicates go.
func (e *explainer) setOp(o *expNode, x *SetOp) *expNode {
	if x.Op == 'u' {
		if x.All {
			return o
		}
		top := &expNode{node: x, children: []*expNode{o}}
		top.call("Aggregate", "HashAggregate")
		top.attrs = []Prop{{"Strategy", "Hashed"}, {"Partial Mode", "Simple"}}
		top.add("Group Key", e.output(x))
		o.role, o.node = "Outer", nil
		return top
	}
	word := map[byte]string{'i': "Intersect", 'e': "Except"}[x.Op]
	if x.All {
		word += " All"
	}
	o.call("SetOp", "HashSetOp "+word)
	o.attrs = []Prop{{"Strategy", "Hashed"}, {"Command", word}}
	return o
}

// termOperators are the operators of what gin indexes are asked (Access.Function).
var termOperators = map[string]string{
	"ts_match_vq": "@@", "jsonb_contains": "@>", "jsonb_exists": "?", "jsonb_exists_any": "?|", "jsonb_exists_all": "?&",
	"arraycontains": "@>", "arrayoverlap": "&&",
}
