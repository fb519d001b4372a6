package parse

import (
	"encoding/json"
	"fmt"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/omgdb/omgdb/storage/dberr"
)

// PLBlock is the body of a PL/pgSQL block: its variables and its statements.
type PLBlock struct {
	Vars []PLVar
	Body []PLStmt
}

// PLVar is a variable, or a row of variables that an INTO names (Row).
type PLVar struct {
	Name     string
	Type     string // as it is written; "" for variables that the language makes
	Default  string // an expression, "" for none
	Const    bool
	NotNull  bool
	Row      []int // positions of variables
	IsTarget bool  // Row is what counts
	Cursor   bool  // a bound cursor
	Declared bool  // a block makes it: see PLStmt.Decl
}

// declaration is a variable that a block declares.
type declaration struct {
	block int
	name  string
}

// PLStmt is a statement. Kind is the parser's name of it without PLpgSQL_stmt_; of the other fields those have a meaning that the kind has.
type PLStmt struct {
	Kind   string
	Line   int
	Label  string
	Expr   string // condition, value or query text
	Upper  string // FOR i IN Expr..Upper BY Step
	Step   string
	Params []string
	Decl   []int // positions of the variables that a block declares
	Var    int   // position of the variable that is set, -1 for none
	Into   []int // targets of INTO and of FOR over rows, nil for none
	Strict bool
	// Dynamic: RETURN QUERY EXECUTE.
	Dynamic bool
	Not     bool // REVERSE of FOR, EXIT (not CONTINUE), ELSE of CASE
	Body    []PLStmt
	Else    []PLStmt
	Arms    []PLArm // ELSIF, WHEN of CASE, WHEN of EXCEPTION
	Raise   PLRaise
	Items   []PLItem
}

// PLArm is a branch: Cond is an expression, or Conditions are names of errors.
type PLArm struct {
	Cond       string
	Conditions []string
	Body       []PLStmt
}

// PLRaise is what RAISE says.
type PLRaise struct {
	Level     string // DEBUG … EXCEPTION
	Condition string
	Format    string
	Options   []PLOption
}

// PLOption is an option of RAISE … USING.
type PLOption struct{ Name, Expr string }

// PLItem is a part of GET DIAGNOSTICS.
type PLItem struct {
	Kind   string
	Target int
}

// PLResult says what RETURN gives in the text of a function.
type PLResult int

const (
	PLNothing PLResult = iota // no value, or that of the output parameters
	PLValue                   // a value
	PLRows                    // RETURN NEXT and RETURN QUERY add rows
)

// Block parses the text of a DO statement in PL/pgSQL.
func Block(body string) (*PLBlock, error) { return RoutineBlock(body, PLNothing, "", nil) }

// RoutineBlock parses the text of a function in PL/pgSQL. Its parameters, of which args are the names, are
// the first variables; name is the label of the block that they belong to.
func RoutineBlock(body string, result PLResult, name string, args []string) (*PLBlock, error) {
	if err := checkLimits(body); err != nil {
		return nil, err
	}
	body = around(body, result, name, args)
	scopes := scopesOf(body)
	text, err := pg_query.ParsePlPgSqlToJSON(wrapped(scopes.text, result))
	if err != nil {
		return nil, dberr.New(plErrorCode(err.Error()), "%s", strings.TrimSpace(err.Error()))
	}
	var fns []map[string]plFunction
	if err := json.Unmarshal([]byte(text), &fns); err != nil || len(fns) != 1 {
		return nil, dberr.Wrap(err, dberr.InternalError, "cannot read the block")
	}
	return fns[0]["PLpgSQL_function"].block(scopes.blocks)
}

// plErrorCode is the SQLSTATE of what the C parser says: it gives only the message.
func plErrorCode(message string) string {
	switch {
	case strings.Contains(message, "must have a default value, since it's declared NOT NULL"):
		return dberr.NullValueNotAllowed
	case strings.Contains(message, "is declared CONSTANT"):
		return "22005"
	}
	return dberr.SyntaxError
}

// around puts the parameters, as variables of a block, around a body: the C parser doesn't know all kinds of parameters.
func around(body string, result PLResult, name string, args []string) string {
	if result == PLRows {
		body = nextRows(body)
	}
	var vars strings.Builder
	for _, a := range args {
		if a != "" {
			vars.WriteString(" " + quoted(a) + " int;")
		}
	}
	if vars.Len() > 0 {
		body = "<<" + quoted(name) + ">> DECLARE" + vars.String() + " BEGIN " + strings.TrimRight(strings.TrimSpace(body), ";") + "; END"
	}
	return body
}

// wrapped is the text that the C parser is given: a function.
func wrapped(body string, result PLResult) string {
	tag := "$omgdb$"
	for strings.Contains(body, tag) {
		tag = tag[:len(tag)-1] + "x$"
	}
	kind := [...]string{PLNothing: "void", PLValue: "int", PLRows: "SETOF int"}[result]
	return "CREATE FUNCTION f() RETURNS " + kind + " LANGUAGE plpgsql AS " + tag + body + tag
}

func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// nextRows gives RETURN NEXT without a value, which adds a row of the output parameters, the value that the C parser wants to see.
func nextRows(body string) string {
	sc := scanner{s: body}
	var out strings.Builder
	from, state := 0, 0
	for {
		kind, tok := sc.next()
		switch {
		case kind == tokEnd:
			return out.String() + body[from:]
		case kind == tokWord && strings.EqualFold(tok, "return"):
			state = 1
		case state == 1 && kind == tokWord && strings.EqualFold(tok, "next"):
			state = 2
		case state == 2 && tok == ";":
			out.WriteString(body[from:sc.pos-1] + " NULL")
			from, state = sc.pos-1, 0
		default:
			state = 0
		}
	}
}

// The forms of the parser's JSON.
type (
	plFunction struct {
		Datums []map[string]plDatum `json:"datums"`
		Action plNode               `json:"action"`
	}
	plDatum struct {
		Refname  string                              `json:"refname"`
		Datatype map[string]struct{ Typname string } `json:"datatype"`
		Default  *plExpr                             `json:"default_val"`
		IsConst  bool                                `json:"isconst"`
		NotNull  bool                                `json:"notnull"`
		Cursor   json.RawMessage                     `json:"cursor_explicit_expr"`
		Fields   []struct {
			Name  string
			Varno int
		} `json:"fields"`
	}
	plExpr map[string]struct{ Query string }
	plNode map[string]*plFields

	plFields struct {
		Lineno     int                `json:"lineno"`
		Label      string             `json:"label"`
		Body       []plNode           `json:"body"`
		ThenBody   []plNode           `json:"then_body"`
		ElseBody   []plNode           `json:"else_body"`
		ElseStmts  []plNode           `json:"else_stmts"`
		Stmts      []plNode           `json:"stmts"`
		Stmt       []plNode           `json:"stmt"`
		Action     []plNode           `json:"action"`
		Elsifs     []plNode           `json:"elsif_list"`
		Whens      []plNode           `json:"case_when_list"`
		HaveElse   bool               `json:"have_else"`
		Exceptions plNode             `json:"exceptions"`
		ExcList    []plNode           `json:"exc_list"`
		Conditions []plNode           `json:"conditions"`
		Condname   string             `json:"condname"`
		Cond       plExpr             `json:"cond"`
		Expr       plExpr             `json:"expr"`
		SQL        plExpr             `json:"sqlstmt"`
		DynQuery   plExpr             `json:"dynquery"`
		Query      plExpr             `json:"query"`
		TExpr      plExpr             `json:"t_expr"`
		TVarno     int                `json:"t_varno"`
		Lower      plExpr             `json:"lower"`
		Upper      plExpr             `json:"upper"`
		Step       plExpr             `json:"step"`
		Params     []plExpr           `json:"params"`
		Options    []plNode           `json:"options"`
		OptType    int                `json:"opt_type"`
		Varno      *int               `json:"varno"`
		Var        map[string]plDatum `json:"var"`
		Target     json.RawMessage    `json:"target"`
		Into       bool               `json:"into"`
		Strict     bool               `json:"strict"`
		Reverse    int                `json:"-"`
		RawReverse json.RawMessage    `json:"reverse"`
		IsExit     bool               `json:"is_exit"`
		Level      int                `json:"elog_level"`
		Message    json.RawMessage    `json:"message"`
		Kind       string             `json:"kind"`
		IsStacked  bool               `json:"is_stacked"`
		DiagItems  []plNode           `json:"diag_items"`
	}
)

func (e plExpr) text() string { return e["PLpgSQL_expr"].Query }

// plReader turns the parser's forms into ours.
type plReader struct {
	byName map[string]int   // the last variable of a name
	loops  map[string][]int // variables that loops make, by name, in the order of the text
	blocks [][]int          // the variables of the blocks to come
}

// block reads a function; scopes are the names that each block declares, in the order of the text.
func (f plFunction) block(scopes [][]string) (*PLBlock, error) {
	out, r := &PLBlock{}, &plReader{byName: map[string]int{}, loops: map[string][]int{}, blocks: make([][]int, len(scopes))}
	var expected []declaration
	for b, names := range scopes {
		for _, n := range names {
			expected = append(expected, declaration{b, n})
		}
	}
	for i, d := range f.Datums {
		for kind, x := range d {
			v := PLVar{Name: x.Refname, Const: x.IsConst, NotNull: x.NotNull, IsTarget: kind == "PLpgSQL_row", Cursor: len(x.Cursor) > 0}
			if t := strings.TrimSpace(x.Datatype["PLpgSQL_type"].Typname); t != "UNKNOWN" {
				v.Type = t
			}
			if x.Default != nil {
				v.Default = x.Default.text()
			}
			for _, p := range x.Fields {
				v.Row = append(v.Row, p.Varno)
			}
			if kind == "PLpgSQL_recfield" {
				return nil, dberr.New(dberr.FeatureNotSupported, "INTO a field of a record is not supported").WithHint("Use a variable of its own.")
			}
			switch {
			case v.IsTarget:
			case len(expected) > 0 && expected[0].name == v.Name && (v.Type != "" || v.Cursor):
				r.blocks[expected[0].block] = append(r.blocks[expected[0].block], i)
				expected, v.Declared = expected[1:], true
			case v.Type == "":
				r.loops[v.Name] = append(r.loops[v.Name], i)
			}
			if !v.IsTarget {
				r.byName[v.Name] = i
			}
			out.Vars = append(out.Vars, v)
		}
	}
	body, err := r.stmt(f.Action)
	if err == nil {
		out.Body = []PLStmt{body}
	}
	return out, err
}

func (r *plReader) stmts(nodes []plNode) ([]PLStmt, error) {
	var out []PLStmt
	for _, n := range nodes {
		s, err := r.stmt(n)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// stmt reads a statement; its lists of statements come after what is the same for all kinds.
func (r *plReader) stmt(n plNode) (s PLStmt, err error) {
	for kind, f := range n {
		if len(f.DynQuery) > 0 {
			f.Query = f.DynQuery
		}
		s = PLStmt{Kind: strings.TrimPrefix(kind, "PLpgSQL_stmt_"), Line: f.Lineno, Label: f.Label, Strict: f.Strict, Var: -1, Dynamic: len(f.DynQuery) > 0, Step: f.Step.text(), Upper: f.Upper.text()}
		for _, e := range []plExpr{f.Cond, f.Expr, f.SQL, f.Query, f.TExpr, f.Lower} {
			if s.Expr == "" {
				s.Expr = e.text()
			}
		}
		for _, p := range f.Params {
			s.Params = append(s.Params, p.text())
		}
		if f.Varno != nil {
			s.Var = *f.Varno
		}
		s.Not = f.IsExit || len(f.RawReverse) > 0 && string(f.RawReverse) != "false" && string(f.RawReverse) != "0" || f.HaveElse
		if s.Kind == "block" && len(r.blocks) > 0 {
			s.Decl, r.blocks = r.blocks[0], r.blocks[1:]
		}
		if err = r.targets(&s, f); err == nil {
			err = r.lists(&s, f)
		}
	}
	return s, err
}

func (r *plReader) targets(s *PLStmt, f *plFields) error {
	var into map[string]plDatum
	switch {
	case s.Kind == "fori":
		name := f.Var["PLpgSQL_var"].Refname
		s.Var = r.byName[name]
		if list := r.loops[name]; len(list) > 0 {
			s.Var, r.loops[name] = list[0], list[1:]
		}
		return nil
	case s.Kind == "case":
		s.Var = f.TVarno
		return nil
	case f.Into:
		if err := json.Unmarshal(f.Target, &into); err != nil {
			return dberr.Wrap(err, dberr.InternalError, "cannot read the target of INTO")
		}
	case s.Kind == "fors" || s.Kind == "dynfors":
		into = f.Var
	}
	for kind, d := range into {
		if kind != "PLpgSQL_row" {
			s.Into = append(s.Into, r.byName[d.Refname])
		}
		for _, p := range d.Fields {
			s.Into = append(s.Into, p.Varno)
		}
	}
	return nil
}

func (r *plReader) lists(s *PLStmt, f *plFields) (err error) {
	for _, list := range [][]plNode{f.Body, f.ThenBody} {
		if len(list) > 0 {
			if s.Body, err = r.stmts(list); err != nil {
				return err
			}
		}
	}
	for _, arms := range [][]plNode{f.Elsifs, f.Whens, f.exceptionArms()} {
		for _, n := range arms {
			for _, a := range n {
				arm := PLArm{Cond: a.Cond.text() + a.Expr.text()}
				for _, c := range a.Conditions {
					arm.Conditions = append(arm.Conditions, c["PLpgSQL_condition"].Condname)
				}
				for _, list := range [][]plNode{a.Stmts, a.Stmt, a.Action, a.Body} {
					if len(list) > 0 {
						if arm.Body, err = r.stmts(list); err != nil {
							return err
						}
					}
				}
				s.Arms = append(s.Arms, arm)
			}
		}
	}
	for _, list := range [][]plNode{f.ElseBody, f.ElseStmts} {
		if len(list) > 0 {
			if s.Else, err = r.stmts(list); err != nil {
				return err
			}
		}
	}
	for _, n := range f.DiagItems {
		var target int
		if err := json.Unmarshal(n["PLpgSQL_diag_item"].Target, &target); err != nil {
			return dberr.Wrap(err, dberr.InternalError, "cannot read GET DIAGNOSTICS")
		}
		s.Items = append(s.Items, PLItem{n["PLpgSQL_diag_item"].Kind, target})
	}
	if s.Kind == "raise" || s.Kind == "assert" {
		s.Raise = f.raise()
	}
	return nil
}

func (f *plFields) exceptionArms() []plNode {
	if f.Exceptions == nil {
		return nil
	}
	return f.Exceptions["PLpgSQL_exception_block"].ExcList
}

// Levels of RAISE and names of its options, by the parser's numbers.
var (
	raiseLevels  = map[int]string{14: "DEBUG", 15: "LOG", 17: "INFO", 18: "NOTICE", 19: "WARNING", 21: "EXCEPTION"}
	raiseOptions = []string{"ERRCODE", "MESSAGE", "DETAIL", "HINT", "COLUMN", "CONSTRAINT", "DATATYPE", "TABLE", "SCHEMA"}
)

func (f *plFields) raise() PLRaise {
	out := PLRaise{Level: raiseLevels[f.Level], Condition: f.Condname}
	if json.Unmarshal(f.Message, &out.Format) != nil {
		var e plExpr
		if json.Unmarshal(f.Message, &e) == nil {
			out.Format = e.text()
		}
	}
	for _, n := range f.Options {
		o := n["PLpgSQL_raise_option"]
		if o.OptType < len(raiseOptions) {
			out.Options = append(out.Options, PLOption{raiseOptions[o.OptType], o.Expr.text()})
		}
	}
	return out
}

// String names the statement for errors.
func (s *PLStmt) String() string { return fmt.Sprintf("%s at line %d", s.Kind, s.Line) }
