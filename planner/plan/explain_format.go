package plan

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// text prints the tree in PostgreSQL's text form.
func (e *explainer) text(root *expNode) []string {
	var out []string
	e.textNode(&out, root, "", "")
	if e.Options.Settings && len(e.Settings) > 0 {
		var parts []string
		for _, s := range e.Settings {
			parts = append(parts, s[0]+" = "+QuoteLiteral(s[1]))
		}
		out = append(out, "Settings: "+strings.Join(parts, ", "))
	}
	if e.Options.Summary {
		out = append(out, "Planning Time: "+millis(e.Planning)+" ms")
		if e.Options.Analyze {
			out = append(out, "Execution Time: "+millis(e.Execution)+" ms")
		}
	}
	return out
}

func millis(d time.Duration) string {
	return strconv.FormatFloat(float64(d.Nanoseconds())/1e6, 'f', 3, 64)
}

// textNode prints a node: first stands before its title, rest before the lines below it.
func (e *explainer) textNode(out *[]string, n *expNode, first, rest string) {
	*out = append(*out, first+n.title+e.figures(n))
	for _, p := range n.props {
		*out = append(*out, rest+"  "+p.Key+": "+propText(p.Value))
	}
	for _, c := range n.children {
		at := rest + "  "
		if c.label != "" {
			*out = append(*out, at+c.label)
			at += "  "
		}
		e.textNode(out, c, at+"->  ", at+"    ")
	}
}

func propText(v any) string {
	switch x := v.(type) {
	case []string:
		return strings.Join(x, ", ")
	case float64:
		return strconv.FormatFloat(x, 'f', 2, 64)
	}
	return fmt.Sprint(v)
}

// figures prints estimates and what really happened.
func (e *explainer) figures(n *expNode) string {
	s := ""
	if est, ok := e.estimate(n); ok && e.Options.Costs {
		s = fmt.Sprintf("  (cost=%.2f..%.2f rows=%.0f width=%.0f)", est.Startup, est.Total, est.Rows, est.Width)
	}
	if !e.Options.Analyze || e.Actual == nil || n.node == nil {
		return s
	}
	if s == "" {
		s = " "
	}
	a := e.actual(n)
	switch {
	case a == nil || a.Loops == 0:
		return s + " (never executed)"
	case e.Options.Timing:
		loops := time.Duration(a.Loops)
		return s + fmt.Sprintf(" (actual time=%s..%s rows=%d loops=%d)", millis(a.Startup/loops), millis(a.Total/loops), perLoop(a), a.Loops)
	}
	return s + fmt.Sprintf(" (actual rows=%d loops=%d)", perLoop(a), a.Loops)
}

func perLoop(a *Actual) int64 { return (a.Rows + a.Loops/2) / a.Loops }

// actual gives a node's figures; the rows are those that the filter drawn into it lets through.
func (e *explainer) actual(n *expNode) *Actual {
	a := e.Actual(n.node)
	if a == nil || n.counted == nil {
		return a
	}
	if f := e.Actual(n.counted); f != nil {
		c := *f
		c.Loops = a.Loops
		return &c
	}
	return a
}

func (e *explainer) estimate(n *expNode) (Estimate, bool) {
	for _, k := range []Node{n.counted, n.node} {
		if k == nil {
			continue
		}
		if est, ok := e.Query.Estimates[k]; ok {
			return est, true
		}
	}
	return Estimate{}, false
}

// field is a key with a value of the structured formats: string, []string, number, bool, or a list of objects.
type field struct {
	key string
	val any
}

// fields lists what the structured formats print of a node, in PostgreSQL's order.
func (e *explainer) fields(n *expNode) []field {
	out := []field{{"Node Type", n.kind}}
	add := func(k string, v any) { out = append(out, field{k, v}) }
	for _, a := range n.attrs {
		if a.Key == "Strategy" || a.Key == "Partial Mode" || a.Key == "Operation" {
			add(a.Key, a.Value)
		}
	}
	if n.role != "" {
		add("Parent Relationship", n.role)
		if n.label != "" {
			add("Subplan Name", n.label)
		}
	}
	add("Parallel Aware", false)
	add("Async Capable", false)
	for _, a := range n.attrs {
		if a.Key != "Strategy" && a.Key != "Partial Mode" && a.Key != "Operation" {
			add(a.Key, a.Value)
		}
	}
	if est, ok := e.estimate(n); ok && e.Options.Costs {
		add("Startup Cost", est.Startup)
		add("Total Cost", est.Total)
		add("Plan Rows", int64(est.Rows))
		add("Plan Width", int64(est.Width))
	}
	if e.Options.Analyze && e.Actual != nil && n.node != nil {
		a := e.actual(n)
		if a == nil || a.Loops == 0 {
			a = &Actual{}
		}
		loops := max(a.Loops, 1)
		if e.Options.Timing {
			add("Actual Startup Time", ms(a.Startup/time.Duration(loops)))
			add("Actual Total Time", ms(a.Total/time.Duration(loops)))
		}
		add("Actual Rows", a.Rows/loops)
		add("Actual Loops", a.Loops)
	}
	for _, p := range n.props {
		add(p.Key, p.Value)
	}
	if len(n.children) > 0 {
		var plans [][]field
		for _, c := range n.children {
			plans = append(plans, e.fields(c))
		}
		add("Plans", plans)
	}
	return out
}

// ms is a time in the structured formats: milliseconds with three decimals.
type ms time.Duration

// document is the whole of a structured explanation.
func (e *explainer) document(root *expNode) []field {
	out := []field{{"Plan", e.fields(root)}}
	if e.Options.Settings && len(e.Settings) > 0 {
		var s []field
		for _, kv := range e.Settings {
			s = append(s, field{kv[0], kv[1]})
		}
		out = append(out, field{"Settings", s})
	}
	if e.Options.Summary {
		out = append(out, field{"Planning Time", ms(e.Planning)})
		if e.Options.Analyze {
			out = append(out, field{"Triggers", []string(nil)}, field{"Execution Time", ms(e.Execution)})
		}
	}
	return out
}

// scalar writes a simple value.
func scalar(v any, quote func(string) string) string {
	switch x := v.(type) {
	case string:
		return quote(x)
	case float64:
		return strconv.FormatFloat(x, 'f', 2, 64)
	case ms:
		return millis(time.Duration(x))
	}
	return fmt.Sprint(v)
}

func quoteJSON(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return `""`
	}
	r := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&")
	return r.Replace(string(b))
}

func (e *explainer) json(root *expNode) string {
	var sb strings.Builder
	sb.WriteString("[\n  ")
	jsonObject(&sb, e.document(root), "  ")
	sb.WriteString("\n]")
	return sb.String()
}

func jsonObject(sb *strings.Builder, fs []field, indent string) {
	sb.WriteString("{")
	for i, f := range fs {
		if i > 0 {
			sb.WriteString(",")
		}
		sb.WriteString("\n" + indent + "  " + quoteJSON(f.key) + ": ")
		jsonValue(sb, f.val, indent+"  ")
	}
	sb.WriteString("\n" + indent + "}")
}

func jsonValue(sb *strings.Builder, v any, indent string) {
	switch x := v.(type) {
	case []field:
		jsonObject(sb, x, indent)
	case [][]field:
		sb.WriteString("[")
		for i, o := range x {
			if i > 0 {
				sb.WriteString(",")
			}
			sb.WriteString("\n" + indent + "  ")
			jsonObject(sb, o, indent+"  ")
		}
		sb.WriteString("\n" + indent + "]")
	case []string:
		sb.WriteString("[")
		for i, s := range x {
			if i > 0 {
				sb.WriteString(", ")
			}
			sb.WriteString(quoteJSON(s))
		}
		sb.WriteString("]")
	default:
		sb.WriteString(scalar(v, quoteJSON))
	}
}

func (e *explainer) yaml(root *expNode) string {
	var lines []string
	yamlObject(&lines, e.document(root), "- ", "  ")
	return strings.Join(lines, "\n")
}

// yamlObject writes the fields of an object: first stands before the first line, rest before the others.
func yamlObject(lines *[]string, fs []field, first, rest string) {
	lead := first
	put := func(s string) {
		*lines = append(*lines, lead+s)
		lead = rest
	}
	for _, f := range fs {
		switch x := f.val.(type) {
		case []field:
			put(f.key + ": ")
			yamlObject(lines, x, rest+"  ", rest+"  ")
		case [][]field:
			put(f.key + ": ")
			for _, o := range x {
				yamlObject(lines, o, rest+"  - ", rest+"    ")
			}
		case []string:
			put(f.key + ": ")
			for _, s := range x {
				*lines = append(*lines, rest+"  - "+quoteJSON(s))
			}
		default:
			put(f.key + ": " + scalar(f.val, quoteJSON))
		}
	}
}

func (e *explainer) xml(root *expNode) string {
	var lines []string
	lines = append(lines, `<explain xmlns="http://www.postgresql.org/2009/explain">`, "  <Query>")
	xmlFields(&lines, e.document(root), "    ")
	return strings.Join(append(lines, "  </Query>", "</explain>"), "\n")
}

func quoteXML(s string) string {
	var sb strings.Builder
	if err := xml.EscapeText(&sb, []byte(s)); err != nil {
		return ""
	}
	return strings.NewReplacer("&#39;", "'", "&#34;", "&quot;").Replace(sb.String())
}

func xmlFields(lines *[]string, fs []field, indent string) {
	for _, f := range fs {
		tag := strings.ReplaceAll(f.key, " ", "-")
		switch x := f.val.(type) {
		case []field:
			*lines = append(*lines, indent+"<"+tag+">")
			xmlFields(lines, x, indent+"  ")
			*lines = append(*lines, indent+"</"+tag+">")
		case [][]field:
			*lines = append(*lines, indent+"<"+tag+">")
			for _, o := range x {
				*lines = append(*lines, indent+"  <Plan>")
				xmlFields(lines, o, indent+"    ")
				*lines = append(*lines, indent+"  </Plan>")
			}
			*lines = append(*lines, indent+"</"+tag+">")
		case []string:
			*lines = append(*lines, indent+"<"+tag+">")
			for _, s := range x {
				*lines = append(*lines, indent+"  <Item>"+quoteXML(s)+"</Item>")
			}
			*lines = append(*lines, indent+"</"+tag+">")
		default:
			*lines = append(*lines, indent+"<"+tag+">"+scalar(f.val, quoteXML)+"</"+tag+">")
		}
	}
}
