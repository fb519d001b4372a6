// Package parse turns SQL text into syntax trees. It is the only importer of the C parser's entry points: the text's length, its
// number of tokens, its nesting and its operator chains are bounded before that parser is entered, because deep input would
// overflow its C stack and end the process.
package parse

import (
	"errors"
	"strings"
	"unicode/utf8"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pganalyze/pg_query_go/v5/parser"
	"google.golang.org/protobuf/proto"

	"github.com/omgdb/omgdb/storage/dberr"
)

// Stmt is one statement of a text.
type Stmt struct {
	Node *pg_query.Node
	// Text is the statement without the semicolon, and without the blanks and comments before it.
	Text string
	// Offset is the byte offset of Text in the whole text; the locations in Node count from the beginning of the whole text.
	Offset int
	// Rows, when not nil, are the rows of an INSERT … VALUES, of which Node has the first one only.
	Rows *Rows
}

// Utility tells whether PostgreSQL looks at what the statement names only when it runs, not when it is prepared.
func (s Stmt) Utility() bool {
	switch s.Node.GetNode().(type) {
	case *pg_query.Node_SelectStmt, *pg_query.Node_InsertStmt, *pg_query.Node_UpdateStmt, *pg_query.Node_DeleteStmt, *pg_query.Node_MergeStmt,
		*pg_query.Node_DeclareCursorStmt, *pg_query.Node_ExplainStmt, *pg_query.Node_CreateTableAsStmt, *pg_query.Node_CallStmt:
		return false
	}
	return true
}

// Parse gives the statements of sql; none for a text of blanks and comments. Errors carry a Position in sql.
func Parse(sql string) ([]Stmt, error) {
	if err := checkEncoding(sql); err != nil {
		return nil, err
	}
	if err := checkLimits(sql); err != nil {
		return nil, err
	}
	if err := checkNumbers(sql); err != nil {
		return nil, err
	}
	rows, short := literalRows(sql)
	stmts, err := parseTree(short, sql)
	if err != nil && rows != nil {
		return parseTree(sql, sql) // the error's text may name what was blanked
	}
	for i := range stmts {
		s := &stmts[i]
		for _, r := range rows {
			if r.At >= s.Offset && r.At < s.Offset+len(s.Text) {
				s.Rows = r
			}
		}
	}
	return stmts, err
}

// Whole parses a statement again with all rows of its VALUES in the tree. Locations count as in st.
func (st *Stmt) Whole() (Stmt, error) {
	text := strings.Repeat(" ", st.Offset) + st.Text
	stmts, err := parseTree(text, text)
	if err != nil || len(stmts) != 1 {
		return *st, dberr.Wrap(err, dberr.InternalError, "cannot parse the statement again")
	}
	return stmts[0], nil
}

// parseTree parses a text that was checked. sql is what the statements' texts are taken from; blanked is the same with parts blanked.
func parseTree(blanked, sql string) ([]Stmt, error) {
	tree, err := parser.ParseToProtobuf(blanked)
	if err != nil {
		return nil, syntaxError(sql, err)
	}
	var res pg_query.ParseResult
	// Each level of an expression is two or three messages deep; maxDepth bounds them.
	if err := (proto.UnmarshalOptions{RecursionLimit: 10 * maxDepth}).Unmarshal(tree, &res); err != nil {
		return nil, dberr.Wrap(err, dberr.InternalError, "cannot read the parse tree: %v", err)
	}
	stmts := make([]Stmt, 0, len(res.Stmts))
	for _, raw := range res.Stmts {
		start, end := int(raw.StmtLocation), len(sql)
		if raw.StmtLen > 0 {
			end = start + int(raw.StmtLen)
		}
		start += leadingBlank(sql[start:end])
		stmts = append(stmts, Stmt{Node: raw.Stmt, Text: strings.TrimRight(sql[start:end], " \t\r\n\f\v"), Offset: start})
	}
	return stmts, nil
}

// ParseExpr parses the text of one expression, as the catalog keeps defaults and constraints. Locations in the tree mean nothing
// to the user.
func ParseExpr(text string) (*pg_query.Node, error) {
	stmts, err := Parse("SELECT " + text)
	if err != nil {
		return nil, err
	}
	if len(stmts) == 1 {
		if sel := stmts[0].Node.GetSelectStmt(); sel != nil && len(sel.TargetList) == 1 {
			return sel.TargetList[0].GetResTarget().GetVal(), nil
		}
	}
	return nil, dberr.New(dberr.DataCorrupted, "stored expression %q is not one expression", text)
}

// Deparse writes a statement's tree as SQL.
func Deparse(n *pg_query.Node) (string, error) {
	return pg_query.Deparse(&pg_query.ParseResult{Stmts: []*pg_query.RawStmt{{Stmt: n}}})
}

// AfterAs gives the offset of what follows the first AS outside parentheses, as in PREPARE name (types) AS statement; the length of
// the text when there is none.
func AfterAs(text string) int {
	sc, open := scanner{s: text}, 0
	for {
		kind, tok := sc.next()
		switch {
		case kind == tokEnd:
			return len(text)
		case tok == "(":
			open++
		case tok == ")":
			open--
		case kind == tokWord && open == 0 && strings.EqualFold(tok, "as"):
			return sc.pos + leadingBlank(text[sc.pos:])
		}
	}
}

// checkEncoding refuses what PostgreSQL's UTF8 databases refuse: invalid sequences and zero bytes, at which the C parser would stop.
func checkEncoding(sql string) error {
	if utf8.ValidString(sql) {
		if i := strings.IndexByte(sql, 0); i >= 0 {
			return dberr.New(dberr.CharacterNotInRepertoire, `invalid byte sequence for encoding "UTF8": 0x00`).At(i)
		}
		return nil
	}
	for i := 0; i < len(sql); {
		r, n := utf8.DecodeRuneInString(sql[i:])
		if r == utf8.RuneError && n == 1 {
			return dberr.New(dberr.CharacterNotInRepertoire, `invalid byte sequence for encoding "UTF8": %s`, hexBytes(sql[i:])).At(i)
		}
		i += n
	}
	return nil
}

// hexBytes shows the bytes of a broken sequence as PostgreSQL does: as many as its first byte announces.
func hexBytes(s string) string {
	n := 1
	switch c := s[0]; {
	case c >= 0xf0 && c < 0xf8:
		n = 4
	case c >= 0xe0 && c < 0xf0:
		n = 3
	case c >= 0xc0 && c < 0xe0:
		n = 2
	}
	var b strings.Builder
	const digits = "0123456789abcdef"
	for i := 0; i < min(n, len(s)); i++ {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString("0x")
		b.WriteByte(digits[s[i]>>4])
		b.WriteByte(digits[s[i]&15])
	}
	return b.String()
}

// syntaxError turns the C parser's error into ours. It reports the position in characters and keeps no SQLSTATE.
func syntaxError(sql string, err error) error {
	var pe *parser.Error
	if !errors.As(err, &pe) {
		return dberr.Wrap(err, dberr.InternalError, "cannot parse: %v", err)
	}
	e := dberr.New(codeOf(pe.Message), "%s", pe.Message)
	if pe.Cursorpos > 0 {
		e.Position = byteOffset(sql, pe.Cursorpos-1) + 1
	}
	if pe.Message == "invalid Unicode escape" {
		unicodeEscape(e, sql)
	}
	return e
}

// unicodeEscape completes the error for a Unicode escape, which E” and U&” strings report with different codes and hints.
func unicodeEscape(e *dberr.Error, sql string) {
	if at := e.Position - 1; at >= 0 && at+1 < len(sql) && (sql[at+1] == 'u' || sql[at+1] == 'U') {
		e.Hint = `Unicode escapes must be \uXXXX or \UXXXXXXXX.`
		return
	}
	e.Code = dberr.SyntaxError
	e.Hint = `Unicode escapes must be \XXXX or \+XXXXXX.`
}

// byteOffset gives the byte offset of character n.
func byteOffset(s string, n int) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}

// grammarCodes are the messages of the grammar and the scanner whose SQLSTATE is not 42601, by a part of the message.
// The C library hands out the text alone.
var grammarCodes = []struct{ part, code string }{
	{"not yet implemented", dberr.FeatureNotSupported},
	{"is not supported", dberr.FeatureNotSupported},
	{"not supported on", dberr.FeatureNotSupported},
	{"no longer supported", dberr.FeatureNotSupported},
	{"must not contain", dberr.FeatureNotSupported},
	{"cannot have multiple", dberr.SyntaxError},
	{"frame start", dberr.WindowingError},
	{"frame end", dberr.WindowingError},
	{"invalid Unicode escape", dberr.InvalidEscapeSequence},
	{"invalid escape", dberr.InvalidEscapeSequence},
	{"unsafe use of", "22P06"},
	{"invalid byte sequence", dberr.CharacterNotInRepertoire},
	{"cannot have more than", dberr.FeatureNotSupported},
	{"bit string length", dberr.InvalidParameterValue},
	{"precision for type float", dberr.InvalidParameterValue},
	{"is out of range", dberr.NumericValueOutOfRange},
	{"out of memory", dberr.OutOfMemory},
	{"too many", dberr.ProgramLimitExceeded},
	{"memory exhausted", dberr.StatementTooComplex},
}

func codeOf(msg string) string {
	if strings.Contains(msg, " at or near ") && !strings.HasPrefix(msg, "memory exhausted") && !strings.HasPrefix(msg, "invalid") {
		return dberr.SyntaxError
	}
	for _, c := range grammarCodes {
		if strings.Contains(msg, c.part) {
			return c.code
		}
	}
	return dberr.SyntaxError
}
