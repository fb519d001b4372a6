package doc

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/omgdb/omgdb/storage/dberr"
)

// The answers in testdata/postgres.jsonl were given by PostgreSQL 15. With -pg DSN the same operations also run there
// on random values; with -rewrite besides, the file is made anew from the tables in pgcases_test.go.
var (
	pgDSN   = flag.String("pg", "", "PostgreSQL 15 to compare with (database encoding UTF8, collation C)")
	rewrite = flag.Bool("rewrite", false, "write testdata/postgres.jsonl from the answers of -pg")
)

// pgCase is one operation and PostgreSQL's answer: a text, NULL, or an error.
type pgCase struct {
	Op    string   `json:"op"`
	Args  []string `json:"args"`
	Out   *string  `json:"out,omitempty"`
	Error *pgError `json:"error,omitempty"`
}

type pgError struct {
	Code, Message, Detail, Hint, Where string
}

// ops maps an operation to its SQL over text parameters and to this package's way to the same answer.
var ops = map[string]struct {
	sql string
	run func(a []string) (string, bool, error)
}{
	"jsonb":    {`select ($1::text::jsonb)::text`, func(a []string) (string, bool, error) { return out(parseArg(a[0])) }},
	"json":     {`select ($1::text::json)::text`, func(a []string) (string, bool, error) { return a[0], true, ValidateJSON([]byte(a[0])) }},
	"cmp":      {`select sign(jsonb_cmp($1::text::jsonb, $2::text::jsonb))::text`, withTwo(func(a, b Value) string { return strconv.Itoa(Compare(a, b)) })},
	"contains": {`select ($1::text::jsonb @> $2::text::jsonb)::text`, withTwo(func(a, b Value) string { return strconv.FormatBool(Contains(a, b)) })},
	"exists":   {`select ($1::text::jsonb ? $2::text)::text`, withOne(func(v Value, a []string) string { return strconv.FormatBool(Exists(v, a[0])) })},
	"any":      {`select ($1::text::jsonb ?| $2::text::text[])::text`, withOne(func(v Value, a []string) string { return strconv.FormatBool(ExistsAny(v, texts(a[0]))) })},
	"all":      {`select ($1::text::jsonb ?& $2::text::text[])::text`, withOne(func(v Value, a []string) string { return strconv.FormatBool(ExistsAll(v, texts(a[0]))) })},
	"->":       {`select ($1::text::jsonb -> $2::text)::text`, step(func(s string) Path { return Keys(s) })},
	"->i":      {`select ($1::text::jsonb -> $2::text::int)::text`, step(func(s string) Path { return Path{Index(atoi(s))} })},
	"->i->i":   {`select ($1::text::jsonb -> $2::text::int -> $2::text::int)::text`, step(func(s string) Path { return Path{Index(atoi(s)), Index(atoi(s))} })},
	"#>":       {`select ($1::text::jsonb #> $2::text::text[])::text`, step(textPath)},
	"->>": {`select $1::text::jsonb ->> $2::text`, func(a []string) (string, bool, error) {
		v, err := parseArg(a[0])
		text, ok := v.Step(Key(a[1])).AppendText(nil)
		return string(text), ok, err
	}},
	"set":    {`select jsonb_set($1::text::jsonb, $2::text::text[], $3::text::jsonb, $4::text::bool)::text`, change3(func(v Value, p PathArg, x Value, flag bool) (Value, error) { return SetPath(v, p, x, flag) })},
	"insert": {`select jsonb_insert($1::text::jsonb, $2::text::text[], $3::text::jsonb, $4::text::bool)::text`, change3(func(v Value, p PathArg, x Value, flag bool) (Value, error) { return InsertPath(v, p, x, flag) })},
	"#-":     {`select ($1::text::jsonb #- $2::text::text[])::text`, change1(func(v Value, a string) (Value, error) { return DeletePath(v, pathArg(a)) })},
	"-":      {`select ($1::text::jsonb - $2::text)::text`, change1(DeleteKey)},
	"-i":     {`select ($1::text::jsonb - $2::text::int)::text`, change1(func(v Value, a string) (Value, error) { return DeleteIndex(v, atoi(a)) })},
	"-[]":    {`select ($1::text::jsonb - $2::text::text[])::text`, change1(func(v Value, a string) (Value, error) { return DeleteKeys(v, texts(a)) })},
	"strip":  {`select jsonb_strip_nulls($1::text::jsonb)::text`, change1(func(v Value, _ string) (Value, error) { return StripNulls(v), nil })},
	"||": {`select ($1::text::jsonb || $2::text::jsonb)::text`, func(a []string) (string, bool, error) {
		v, err := parseArg(a[0])
		w, err2 := parseArg(a[1])
		if err = errors.Join(err, err2); err != nil {
			return "", false, err
		}
		return out(Concat(v, w))
	}},
	"numeric": {`select ($1::text::jsonb)::numeric::text`, withOne(func(v Value, _ []string) string { return string(v.AppendNumber(nil)) })},
}

func parseArg(s string) (Value, error) { return ParseJSONB([]byte(s)) }

func out(v Value, err error) (string, bool, error) {
	if err != nil || v.Missing() {
		return "", false, err
	}
	return v.JSONB(), true, nil
}

func withOne(f func(Value, []string) string) func([]string) (string, bool, error) {
	return func(a []string) (string, bool, error) {
		v, err := parseArg(a[0])
		if err != nil {
			return "", false, err
		}
		return f(v, a[1:]), true, nil
	}
}

func withTwo(f func(a, b Value) string) func([]string) (string, bool, error) {
	return func(a []string) (string, bool, error) {
		v, err := parseArg(a[0])
		w, err2 := parseArg(a[1])
		if err = errors.Join(err, err2); err != nil {
			return "", false, err
		}
		return f(v, w), true, nil
	}
}

// step checks that Walk and the Projector agree, and gives their answer.
func step(path func(string) Path) func([]string) (string, bool, error) {
	return func(a []string) (string, bool, error) {
		v, err := parseArg(a[0])
		if err != nil {
			return "", false, err
		}
		p := path(a[1])
		found := v.Walk(p)
		var slots [1]Value
		NewProjector(p).ProjectValue(v, slots[:])
		if slots[0].Type != found.Type || string(slots[0].Data) != string(found.Data) {
			return "", false, fmt.Errorf("projector gives %v, walk %v", slots[0], found)
		}
		return out(found, nil)
	}
}

func change1(f func(Value, string) (Value, error)) func([]string) (string, bool, error) {
	return func(a []string) (string, bool, error) {
		v, err := parseArg(a[0])
		if err != nil {
			return "", false, err
		}
		return checked(f(v, append(a, "")[1]))
	}
}

func change3(f func(Value, PathArg, Value, bool) (Value, error)) func([]string) (string, bool, error) {
	return func(a []string) (string, bool, error) {
		v, err := parseArg(a[0])
		x, err2 := parseArg(a[2])
		if err = errors.Join(err, err2); err != nil {
			return "", false, err
		}
		return checked(f(v, pathArg(a[1]), x, a[3] == "true"))
	}
}

// checked makes sure that a changed value is well-formed.
func checked(v Value, err error) (string, bool, error) {
	if err == nil {
		err = Validate(v, false)
	}
	return out(v, err)
}

func atoi(s string) int {
	i, err := strconv.Atoi(s)
	if err != nil {
		panic(err)
	}
	return i
}

// pathArg reads the simple array literals of the tables: no quotes, NULL in capitals.
func pathArg(s string) PathArg {
	var p PathArg
	for _, e := range texts(s) {
		p = append(p, PathElem{Text: e, Null: e == "NULL"})
	}
	return p
}

func texts(s string) []string {
	s = strings.Trim(s, "{}")
	if s == "" {
		return nil
	}
	list := strings.Split(s, ",")
	for i := range list {
		list[i] = strings.Trim(list[i], `"`)
	}
	return list
}

func textPath(s string) Path {
	var p Path
	for _, e := range texts(s) {
		p = append(p, Text(e))
	}
	return p
}

func (c *pgCase) String() string { return c.Op + " " + strings.Join(c.Args, " | ") }

// answer runs the case here.
func (c *pgCase) answer() pgCase {
	got := pgCase{Op: c.Op, Args: c.Args}
	text, ok, err := ops[c.Op].run(c.Args)
	if err != nil {
		e := dberr.As(err)
		got.Error = &pgError{e.Code, e.Message, e.Detail, e.Hint, e.Where}
	} else if ok {
		got.Out = &text
	}
	return got
}

func (c *pgCase) check(t *testing.T) {
	t.Helper()
	want, _ := json.Marshal(c)
	got, _ := json.Marshal(c.answer())
	if string(got) != string(want) {
		t.Errorf("%s\n got %.600s\nwant %.600s", c, got, want)
	}
}

// ask runs the case on PostgreSQL.
func (c *pgCase) ask(ctx context.Context, conn *pgx.Conn) error {
	args := make([]any, strings.Count(ops[c.Op].sql, "$"))
	n := 0
	for i := range c.Args {
		if strings.Contains(ops[c.Op].sql, "$"+strconv.Itoa(i+1)) {
			args[n] = c.Args[i]
			n++
		}
	}
	err := conn.QueryRow(ctx, ops[c.Op].sql, args[:n]...).Scan(&c.Out)
	var pe *pgconn.PgError
	if errors.As(err, &pe) {
		c.Error = &pgError{pe.Code, pe.Message, pe.Detail, pe.Hint, pe.Where}
		return nil
	}
	return err
}

func TestPostgresAnswers(t *testing.T) {
	if *rewrite {
		rewriteAnswers(t)
	}
	f, err := os.Open("testdata/postgres.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n := 0
	for s := bufio.NewScanner(f); s.Scan(); n++ {
		var c pgCase
		if err := json.Unmarshal(s.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		c.check(t)
	}
	if n < 4000 {
		t.Errorf("only %d answers in the file", n)
	}
}

func rewriteAnswers(t *testing.T) {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, *pgDSN)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	var b strings.Builder
	for _, c := range pgCases() {
		if err := c.ask(ctx, conn); err != nil {
			t.Fatalf("%s: %v", &c, err)
		}
		line, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(line, '\n'))
	}
	if err := os.WriteFile("testdata/postgres.jsonl", []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
