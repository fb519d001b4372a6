package parse

import "strings"

// What the C parser of PL/pgSQL does not tell, read from the text: which block declares which variable, and assignments to fields, which
// that parser refuses for records because it knows no types.

// fieldMark begins a subscript that stands for a field: r.x := 1 goes to the C parser as r['\x01x'] := 1.
const fieldMark = "\x01"

// plScopes are the variables that each block declares, blocks in the order of the text.
type plScopes struct {
	blocks [][]string
	text   string // the body with fields as subscripts
}

// plScanner reads the body of a function.
type plScanner struct {
	scanner
	kind tokenKind
	tok  string
	at   int // where tok begins
}

func (p *plScanner) advance() {
	p.kind, p.tok = p.next()
	p.at = p.pos - len(p.tok)
}

func (p *plScanner) word(w string) bool { return p.kind == tokWord && strings.EqualFold(p.tok, w) }

// name gives the identifier that the token is, "" for none.
func (p *plScanner) name() string {
	switch {
	case p.kind == tokWord:
		return strings.ToLower(p.tok)
	case p.kind == tokOther && strings.HasPrefix(p.tok, `"`):
		return strings.ReplaceAll(p.tok[1:len(p.tok)-1], `""`, `"`)
	}
	return ""
}

// scopesOf reads the blocks of a body.
func scopesOf(body string) plScopes {
	out := plScopes{}
	declared := map[string]bool{}
	p := &plScanner{scanner: scanner{s: body}}
	var section []string
	start := true // a statement may begin here
	type field struct{ from, to int }
	var fields []field // the dots and names to write as subscripts
	for p.advance(); p.kind != tokEnd; {
		switch {
		case start && p.word("declare"):
			section = p.declarations(section)
			for _, n := range section {
				declared[n] = true
			}
			continue
		case start && p.word("begin"):
			out.blocks, section = append(out.blocks, section), nil
			p.advance()
			continue
		case start && declared[p.name()]:
			for p.advance(); p.tok == "."; {
				from := p.at
				if p.advance(); p.name() == "" {
					break
				}
				fields = append(fields, field{from, p.pos})
				p.advance()
			}
			start = false
			continue
		}
		start = p.tok == ";" || strings.HasSuffix(p.tok, ">>") || p.word("then") || p.word("else") || p.word("loop") || p.word("begin")
		p.advance()
	}
	from := 0
	var b strings.Builder
	for _, f := range fields {
		name := &plScanner{scanner: scanner{s: body[f.from+1 : f.to]}}
		name.advance()
		b.WriteString(body[from:f.from] + "['" + fieldMark + strings.ReplaceAll(name.name(), "'", "''") + "']")
		from = f.to
	}
	out.text = b.String() + body[from:]
	return out
}

// declarations reads a DECLARE section up to its BEGIN and adds the names of its variables.
func (p *plScanner) declarations(names []string) []string {
	p.advance()
	for p.kind != tokEnd && !p.word("begin") {
		if p.word("declare") {
			p.advance()
			continue
		}
		name := p.name()
		p.advance()
		if !p.word("alias") && name != "" {
			names = append(names, name)
		}
		for p.kind != tokEnd && p.tok != ";" {
			p.advance()
		}
		p.advance()
	}
	return names
}

// AssignTarget splits an assignment: the SQL of what is assigned to below the variable ("" for the variable itself), and the value's
// expression.
func AssignTarget(text string) (path, expr string) {
	p := &plScanner{scanner: scanner{s: text}}
	p.advance()
	depth, open := 0, 0
	for p.advance(); p.kind != tokEnd; p.advance() {
		switch {
		case p.tok == "[":
			if depth++; depth == 1 {
				open = p.at
			}
		case p.tok == "]":
			if depth--; depth == 0 {
				path += subscriptText(text[open:p.pos])
			}
		case depth == 0 && strings.HasPrefix(p.tok, "="):
			return path, text[p.at+1:]
		}
	}
	return path, text
}

// subscriptText is a subscript as SQL writes it, or the field that it stands for.
func subscriptText(s string) string {
	if f, ok := strings.CutPrefix(s, "['"+fieldMark); ok {
		return "." + quoted(strings.ReplaceAll(strings.TrimSuffix(f, "']"), "''", "'"))
	}
	return s
}
