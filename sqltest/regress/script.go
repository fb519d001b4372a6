package main

import (
	"strings"
)

// A step is one thing that psql would send to the server.
type step struct {
	line int    // of the file, from 1
	sql  string // one statement, or several joined by \;
	data string // what follows a COPY FROM STDIN
	gset bool   // the row becomes variables, named by prefix and column
	set  string // \set: the variable's name; sql is then its value, unexpanded
	pref string
}

// readScript splits a psql script as psql does: statements end at a semicolon outside quotes, comments, parentheses and
// BEGIN ATOMIC bodies, or at \g or \gset. Of psql's other commands only \set and \; matter to a server; the rest of their
// lines is passed over.
func readScript(text string) []step {
	s := scanner{text: text, line: 1}
	for s.pos < len(s.text) {
		s.next()
	}
	s.end()
	return s.steps
}

type scanner struct {
	text  string
	pos   int
	line  int
	steps []step

	sql    strings.Builder
	start  int // line of the statement's first token
	parens int
	atomic int // depth of BEGIN ATOMIC … END and CASE … END in it
	words  []string
}

func (s *scanner) next() {
	rest := s.text[s.pos:]
	switch c := rest[0]; {
	case strings.HasPrefix(rest, "--"):
		n := strings.IndexByte(rest, '\n')
		if n < 0 {
			n = len(rest)
		}
		s.skip(n)
	case strings.HasPrefix(rest, "/*"):
		s.skip(commentLen(rest))
	case c == '\'':
		s.take(quotedLen(rest, s.escapes()))
	case c == '"':
		s.take(quotedLen(rest, false))
	case c == '$':
		s.take(dollarLen(rest))
	case c == '\\':
		s.command(rest)
	case c == '(':
		s.parens++
		s.take(1)
	case c == ')':
		s.parens = max(0, s.parens-1)
		s.take(1)
	case c == ';' && s.parens == 0 && s.atomic == 0:
		s.skip(1)
		s.end()
	case isWord(c):
		n := 1
		for n < len(rest) && (isWord(rest[n]) || rest[n] >= '0' && rest[n] <= '9') {
			n++
		}
		s.word(strings.ToLower(rest[:n]))
		s.take(n)
	default:
		s.take(1)
	}
}

// word follows the nesting of SQL function bodies, whose semicolons end nothing.
func (s *scanner) word(w string) {
	s.words = append(s.words, w)
	create := s.words[0] == "create"
	switch {
	case !create:
	case w == "atomic" && len(s.words) > 1 && s.words[len(s.words)-2] == "begin":
		s.atomic++
	case w == "case" && s.atomic > 0:
		s.atomic++
	case w == "end" && s.atomic > 0:
		s.atomic--
	}
}

// escapes says whether a quote that starts here follows an E.
func (s *scanner) escapes() bool {
	sql := s.sql.String()
	n := len(sql)
	return n > 0 && (sql[n-1] == 'e' || sql[n-1] == 'E') && (n == 1 || !isWord(sql[n-2]))
}

func (s *scanner) take(n int) {
	part := s.text[s.pos : s.pos+n]
	if s.sql.Len() == 0 {
		if strings.TrimSpace(part) == "" {
			s.skip(n)
			return
		}
		s.start = s.line
	}
	s.sql.WriteString(part)
	s.skip(n)
}

func (s *scanner) skip(n int) {
	s.line += strings.Count(s.text[s.pos:s.pos+n], "\n")
	s.pos += n
}

// command meets a backslash of psql.
func (s *scanner) command(rest string) {
	if strings.HasPrefix(rest, `\;`) {
		s.skip(2)
		s.sql.WriteByte(';')
		return
	}
	line, _, _ := strings.Cut(rest, "\n")
	s.skip(len(line))
	name, args, _ := strings.Cut(line[1:], " ")
	args = strings.TrimSpace(args)
	switch name {
	case "set":
		variable, value, _ := strings.Cut(args, " ")
		s.steps = append(s.steps, step{line: s.line, set: variable, sql: strings.TrimSpace(value)})
	case "gset":
		s.finish(step{gset: true, pref: args})
	case "g", "gx", "gexec", "gdesc":
		s.finish(step{})
	case "r":
		s.reset()
	}
}

func (s *scanner) end() { s.finish(step{}) }

func (s *scanner) finish(st step) {
	st.sql, st.line = strings.TrimSpace(s.sql.String()), s.start
	stdin := s.fromStdin()
	s.reset()
	if strings.Trim(st.sql, "; \n") == "" {
		return
	}
	if stdin {
		st.data = s.block()
	}
	s.steps = append(s.steps, st)
}

func (s *scanner) reset() {
	s.sql.Reset()
	s.parens, s.atomic, s.words = 0, 0, nil
}

func (s *scanner) fromStdin() bool {
	if len(s.words) == 0 || s.words[0] != "copy" {
		return false
	}
	for i, w := range s.words[1:] {
		if w == "stdin" && s.words[i] == "from" {
			return true
		}
	}
	return false
}

// block takes the lines up to \. that follow the line of a COPY.
func (s *scanner) block() string {
	line, _, _ := strings.Cut(s.text[s.pos:], "\n")
	s.skip(min(len(line)+1, len(s.text)-s.pos))
	from := s.pos
	for s.pos < len(s.text) {
		line, _, _ := strings.Cut(s.text[s.pos:], "\n")
		at := s.pos
		s.skip(min(len(line)+1, len(s.text)-s.pos))
		if line == `\.` {
			return s.text[from:at]
		}
	}
	return s.text[from:]
}

func isWord(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// quotedLen is the length of the quoted text at the start of s, both quotes counted.
func quotedLen(s string, escapes bool) int {
	quote := s[0]
	for i := 1; i < len(s); i++ {
		switch {
		case escapes && s[i] == '\\':
			i++
		case s[i] == quote && i+1 < len(s) && s[i+1] == quote:
			i++
		case s[i] == quote:
			return i + 1
		}
	}
	return len(s)
}

// dollarLen is the length of the dollar-quoted text at the start of s, or 1 when none starts there.
func dollarLen(s string) int {
	i := 1
	for i < len(s) && (isWord(s[i]) || i > 1 && s[i] >= '0' && s[i] <= '9') {
		i++
	}
	if i == len(s) || s[i] != '$' {
		return 1
	}
	tag := s[:i+1]
	n := strings.Index(s[i+1:], tag)
	if n < 0 {
		return len(s)
	}
	return i + 1 + n + len(tag)
}

func commentLen(s string) int {
	depth := 0
	for i := 0; i+1 < len(s); i++ {
		switch s[i : i+2] {
		case "/*":
			depth++
			i++
		case "*/":
			depth--
			i++
			if depth == 0 {
				return i + 1
			}
		}
	}
	return len(s)
}

// expand replaces :name, :'name' and :"name" outside quotes by the variables that are set, as psql does.
func expand(sql string, vars map[string]string) string {
	if !strings.Contains(sql, ":") {
		return sql
	}
	var out strings.Builder
	for i := 0; i < len(sql); {
		n := 1
		switch c := sql[i]; {
		case c == '\'' || c == '"':
			escapes := c == '\'' && i > 0 && (sql[i-1] == 'E' || sql[i-1] == 'e') && (i == 1 || !isWord(sql[i-2]))
			n = quotedLen(sql[i:], escapes)
		case c == '$':
			n = dollarLen(sql[i:])
		case strings.HasPrefix(sql[i:], "::"):
			n = 2
		case c == ':':
			if value, length, ok := variable(sql[i:], vars); ok {
				out.WriteString(value)
				i += length
				continue
			}
		}
		out.WriteString(sql[i : i+n])
		i += n
	}
	return out.String()
}

// variable reads the reference at the start of s.
func variable(s string, vars map[string]string) (value string, length int, ok bool) {
	i, quote := 1, byte(0)
	if i < len(s) && (s[i] == '\'' || s[i] == '"') {
		quote = s[i]
		i++
	}
	from := i
	for i < len(s) && (isWord(s[i]) || s[i] >= '0' && s[i] <= '9') {
		i++
	}
	value, ok = vars[s[from:i]]
	if !ok || quote != 0 && (i == len(s) || s[i] != quote) {
		return "", 0, false
	}
	if quote != 0 {
		q := string(quote)
		return q + strings.ReplaceAll(value, q, q+q) + q, i + 1, true
	}
	return value, i, true
}

// setValue is what \set stores for its arguments: each expanded and unquoted, joined without spaces.
func setValue(args string, vars map[string]string) string {
	var out strings.Builder
	for i := 0; i < len(args); {
		switch {
		case args[i] == '\'':
			n := quotedLen(args[i:], true)
			out.WriteString(strings.ReplaceAll(args[i+1:max(i+1, i+n-1)], "''", "'"))
			i += n
		case args[i] == ':':
			value, n, ok := variable(args[i:], vars)
			if !ok {
				value, n = ":", 1
			}
			out.WriteString(value)
			i += n
		case args[i] == ' ':
			i++
		default:
			out.WriteByte(args[i])
			i++
		}
	}
	return out.String()
}
