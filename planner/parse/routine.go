package parse

import (
	"strings"

	"github.com/omgdb/omgdb/storage/dberr"
)

// RoutineBody takes the body out of the text of a CREATE FUNCTION whose body is written as SQL, not as a string: what stands between
// BEGIN ATOMIC and END, or RETURN and an expression. RETURN becomes SELECT, so that the result is a list of statements.
func RoutineBody(text string) (string, error) {
	sc, open, atomic := scanner{s: text}, 0, false
	var out strings.Builder
	from, last, first := -1, -1, true
	prev := ""
	for {
		kind, tok := sc.next()
		if kind == tokEnd {
			break
		}
		word := ""
		if kind == tokWord {
			word = strings.ToLower(tok)
		}
		switch {
		case tok == "(":
			open++
		case tok == ")":
			open--
		case from < 0 && open == 0 && word == "atomic" && prev == "begin":
			from, atomic = sc.pos, true
		case open == 0 && word == "return" && (from < 0 || first):
			if from >= 0 {
				out.WriteString(text[from : sc.pos-len(tok)])
			}
			out.WriteString("SELECT")
			from = sc.pos
			first = false
		case word == "end":
			last = sc.pos - len(tok)
			first = false
		default:
			first = from >= 0 && tok == ";" && open == 0
		}
		prev = word
	}
	if from < 0 {
		return "", dberr.New(dberr.SyntaxError, "the function has no body")
	}
	if !atomic {
		last = len(text)
	}
	out.WriteString(text[from:max(from, last)])
	return strings.TrimSpace(out.String()), nil
}
