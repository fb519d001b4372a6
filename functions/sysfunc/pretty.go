package sysfunc

import "strings"

// pretty takes out of an expression the parentheses that reading it doesn't need, by the rules of PostgreSQL's pretty-printing. The
// catalog keeps expressions fully parenthesized, so that only groups need looking at: no precedence has to be known.
func pretty(expr string) string {
	p := prettier{tokens: scan(expr)}
	s, _ := p.group()
	return s
}

// kind is what an expression is at its top.
type kind uint8

const (
	bare    kind = iota // a name, constant, call or cast
	arith               // + - * / %
	other               // another operator, or IS, IN, LIKE and their like
	boolean             // AND, OR, NOT
	query               // a subquery: its parentheses stay
)

// prettier reads the tokens of one expression.
type prettier struct {
	tokens []string
	at     int
}

// item is a token, or a group in parentheses that was read already.
type item struct {
	text  string
	group bool
	kind  kind
	op    string // of the group's top
}

// words that are operators of an expression without being signs.
var wordOps = map[string]kind{
	"AND": boolean, "OR": boolean, "NOT": boolean, "IS": other, "IN": other, "LIKE": other, "ILIKE": other, "SIMILAR": other, "BETWEEN": other,
	"DISTINCT": other, "COLLATE": other, "AT": other,
}

// words before a parenthesis that don't call anything.
var noCalls = map[string]bool{
	"AND": true, "OR": true, "NOT": true, "WHEN": true, "THEN": true, "ELSE": true, "CASE": true, "IS": true, "FROM": true, "LIKE": true, "ILIKE": true,
	"BETWEEN": true, "COLLATE": true, "ZONE": true,
}

// group reads up to the closing parenthesis, or to the end, and gives its text with the kind of its top.
func (p *prettier) group() (string, item) {
	var items []item
	for p.at < len(p.tokens) {
		t := p.tokens[p.at]
		p.at++
		if t == ")" {
			break
		}
		if t != "(" {
			items = append(items, item{text: t})
			continue
		}
		called := len(items) > 0 && calls(items[len(items)-1])
		s, top := p.group()
		if called {
			items = append(items, item{text: "(" + s + ")"})
			continue
		}
		items = append(items, item{text: s, group: true, kind: top.kind, op: top.op})
	}
	return render(items)
}

// calls tells whether a parenthesis behind the item is a list of arguments.
func calls(i item) bool {
	c := i.text[len(i.text)-1]
	return !i.group && (isWord(c) || c == '"') && !noCalls[i.text] && (i.text[0] < '0' || i.text[0] > '9')
}

// render joins items between separators, each with the parentheses that it needs.
func render(items []item) (string, item) {
	var b strings.Builder
	whole := item{kind: bare}
	start := 0
	for i := 0; i <= len(items); i++ {
		if i < len(items) && !separates(items[i].text, items[i].group) {
			continue
		}
		top := topOf(items[start:i])
		if start == 0 && i == len(items) {
			whole = top
		}
		for k := start; k < i; k++ {
			write(&b, items, start, i, k, top)
		}
		if i < len(items) {
			glue(&b, items[i].text)
		}
		start = i + 1
	}
	return b.String(), whole
}

// separates tells whether a token ends an expression without being an operator.
func separates(t string, group bool) bool {
	if group {
		return false
	}
	switch t {
	case ",", "CASE", "WHEN", "THEN", "ELSE", "END", "[", "]":
		return true
	}
	return false
}

// topOf finds the operator of a list of items; a cast and a name's parts don't count.
func topOf(items []item) item {
	top := item{kind: bare}
	if len(items) > 0 && strings.EqualFold(items[0].text, "SELECT") {
		return item{kind: query}
	}
	for n, i := range items {
		if i.group {
			if len(items) == 1 {
				return i
			}
			continue
		}
		k, isWordOp := wordOps[i.text]
		switch {
		case isWordOp && (i.text != "NOT" || n == 0):
			top = item{kind: k, op: i.text}
			if k == boolean {
				return top
			}
		case !isWordOp && isSign(i.text[0]) && i.text != "::":
			if top.kind == bare {
				top = item{kind: other, op: i.text}
				if strings.ContainsAny(i.text, "+-*/%") && len(i.text) == 1 && n > 0 {
					top.kind = arith
				}
			}
		}
	}
	return top
}

// write appends item k of the expression items[start:end].
func write(b *strings.Builder, items []item, start, end, k int, top item) {
	i := items[k]
	if !i.group {
		glue(b, i.text)
		return
	}
	if end-start == 1 {
		if i.kind == query {
			glue(b, "("+i.text+")")
			return
		}
		glue(b, i.text)
		return
	}
	next := ""
	if k+1 < end {
		next = items[k+1].text
	}
	if keeps(i, next, top, k == start) {
		glue(b, "("+i.text+")")
	} else {
		glue(b, i.text)
	}
}

// keeps tells whether a group needs its parentheses beside the operator top.
func keeps(i item, next string, top item, first bool) bool {
	switch {
	case i.kind == query, i.text == "", strings.HasPrefix(next, "."), next == "[":
		return true
	case next == "::":
		return i.kind != bare || i.text[0] == '-'
	case i.kind == bare:
		return false
	case top.kind == boolean:
		return i.kind == boolean && !(i.op == top.op && i.op != "NOT" || i.op == "AND" && top.op == "OR" || i.op == "NOT" && top.op != "NOT")
	case top.kind == arith && i.kind == arith:
		high, parentHigh := strings.Contains("*/%", i.op), strings.Contains("*/%", top.op)
		if high != parentHigh {
			return !high
		}
		return !first
	}
	return true
}

// glue appends a token with a space where one belongs.
func glue(b *strings.Builder, t string) {
	s := b.String()
	if s == "" {
		b.WriteString(t)
		return
	}
	last := s[len(s)-1]
	tight := t == "," || t == ")" || t == "::" || t == "[" || t == "]" || t[0] == '.' || t == ":" ||
		last == '.' || last == '[' || last == ':' || strings.HasPrefix(t, "(") && (isWord(last) || last == '"') && calledBy(s)
	if !tight {
		b.WriteByte(' ')
	}
	b.WriteString(t)
}

// calledBy tells whether the text ends with a name that a parenthesis makes a call of.
func calledBy(s string) bool {
	i := len(s)
	for i > 0 && (isWord(s[i-1]) || s[i-1] == '"') {
		i--
	}
	w := s[i:]
	return w != "" && !noCalls[w] && w != "ANY" && w != "ALL" && w != "IN" && w != "EXISTS"
}

func isWord(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func isSign(c byte) bool { return strings.IndexByte("+-*/<>=~!@#%^&|`?", c) >= 0 || c == ':' }

// scan cuts an expression into tokens; blanks are dropped. Dotted names are one token.
func scan(s string) []string {
	var out []string
	for i := 0; i < len(s); {
		start := i
		switch c := s[i]; {
		case c == ' ' || c == '\n' || c == '\t':
			i++
			continue
		case c == '\'' || c == '"':
			i = quoted(s, i)
			if c == '"' {
				i = dotted(s, i)
			}
		case isWord(c):
			i = dotted(s, word(s, i))
			if i < len(s) && s[i] == '\'' && i-start == 1 { // E'…', B'…'
				i = quoted(s, i)
			}
		case isSign(c):
			for i < len(s) && isSign(s[i]) {
				i++
			}
		default:
			i++
		}
		out = append(out, s[start:i])
	}
	return out
}

func word(s string, i int) int {
	for i < len(s) && isWord(s[i]) {
		i++
	}
	return i
}

// dotted goes on over the further parts of a name or number.
func dotted(s string, i int) int {
	for i+1 < len(s) && s[i] == '.' {
		switch {
		case s[i+1] == '"':
			i = quoted(s, i+1)
		case isWord(s[i+1]):
			i = word(s, i+1)
		default:
			return i
		}
	}
	return i
}

// quoted gives the end of what is quoted at i; doubled quotes are part of it.
func quoted(s string, i int) int {
	q := s[i]
	for i++; i < len(s); i++ {
		if s[i] == q {
			if i+1 < len(s) && s[i+1] == q {
				i++
				continue
			}
			return i + 1
		}
	}
	return i
}
