// Package cases runs the SQL cases of sqltest/testdata/cases against any server: each on a fresh database, its setup
// statement by statement, then the one statement whose rows, columns or error are known from PostgreSQL 15.
package cases

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/omgdb/omgdb/sqltest/slt"
)

// Case is one line of a case file.
type Case struct {
	ID            string            `json:"id"`
	Area          string            `json:"area"`
	Source        string            `json:"source"`
	Note          string            `json:"note"`
	Setup         []string          `json:"setup"`
	SetupErrorsOK bool              `json:"setup_errors_ok"`
	SQL           string            `json:"sql"`
	Rows          [][]*string       `json:"expect_rows"` // nil when an error is expected
	Cols          []Column          `json:"expect_cols"`
	SQLState      string            `json:"expect_sqlstate"`
	Error         map[string]string `json:"pg15_error"`
}

// Column is a result column's name and type OID; in JSON an array of both. An expected OID of 0 stands for a type that
// the setup made, whose OID depends on the server's counter.
type Column struct {
	Name string
	OID  uint32
}

func (c *Column) UnmarshalJSON(text []byte) error {
	return json.Unmarshal(text, &[]any{&c.Name, &c.OID})
}

const firstUserOID = 16384

// matches says whether a column that was got is the one that is wanted.
func (c Column) matches(want Column) bool {
	return c.Name == want.Name && (c.OID == want.OID || want.OID == 0 && c.OID >= firstUserOID)
}

// Settings are the start-up parameters of the session that the expected values belong to.
var Settings = map[string]string{
	"TimeZone": "UTC", "DateStyle": "ISO, MDY", "IntervalStyle": "postgres", "extra_float_digits": "1", "client_encoding": "UTF8",
}

// Read reads a case file.
func Read(path string) ([]Case, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var out []Case
	scan := bufio.NewScanner(bytes.NewReader(text))
	scan.Buffer(nil, 1<<20)
	for n := 1; scan.Scan(); n++ {
		var c Case
		if err := json.Unmarshal(scan.Bytes(), &c); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n, err)
		}
		if (c.Rows == nil) == (c.SQLState == "") {
			return nil, fmt.Errorf("%s:%d: %s: want rows or an SQLSTATE", path, n, c.ID)
		}
		out = append(out, c)
	}
	return out, scan.Err()
}

// Verdict is a case's outcome. A case passes when rows and columns, or the SQLSTATE, are right; it is exact when the
// fields of the error are right too.
type Verdict struct {
	ID      string `json:"id"`
	Area    string `json:"area"`
	Pass    bool   `json:"pass"`
	Exact   bool   `json:"exact"`
	Problem string `json:"problem,omitempty"`
}

// Run executes one case on a fresh state.
func (c *Case) Run(ctx context.Context, iso slt.Isolation, timeout time.Duration) Verdict {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	v := Verdict{ID: c.ID, Area: c.Area}
	res, err := c.execute(ctx, iso)
	passErr, exactErr := c.check(res, err)
	v.Pass, v.Exact = passErr == nil, passErr == nil && exactErr == nil
	if problem := errors.Join(passErr, exactErr); problem != nil {
		v.Problem = problem.Error()
	}
	return v
}

// execute gives the statement's answer. An error that is not the server's word on that statement is wrapped so that
// check does not take it for one.
func (c *Case) execute(ctx context.Context, iso slt.Isolation) (_ *slt.Result, err error) {
	state, err := iso.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("fresh state: %s", err)
	}
	defer func() {
		dropCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
		defer cancel()
		if dropErr := state.Drop(dropCtx); dropErr != nil {
			err = fmt.Errorf("dropping the state: %s", dropErr)
		}
	}()
	session, err := state.Dial(ctx)
	if err != nil {
		return nil, fmt.Errorf("connect: %s", err)
	}
	defer session.Close(ctx)
	for _, sql := range c.Setup {
		if _, err := session.Exec(ctx, sql); err != nil && (!c.SetupErrorsOK || slt.SQLState(err) == "") {
			return nil, fmt.Errorf("setup %q: %s", sql, err)
		}
	}
	return session.Exec(ctx, c.SQL)
}

// check compares an answer; pass is about rows, columns and SQLSTATE, exact about the other error fields.
func (c *Case) check(res *slt.Result, err error) (pass, exact error) {
	if c.SQLState == "" {
		if err != nil {
			return err, nil
		}
		return c.checkRows(res), nil
	}
	var pg *pgconn.PgError
	switch {
	case err == nil:
		return fmt.Errorf("succeeded, want %s", c.SQLState), nil
	case !errors.As(err, &pg):
		return err, nil
	case pg.Code != c.SQLState:
		return fmt.Errorf("got %s (%s), want %s", pg.Code, pg.Message, c.SQLState), nil
	}
	return nil, c.checkFields(pg)
}

func (c *Case) checkRows(res *slt.Result) error {
	var cols []Column
	for i, name := range res.Names {
		cols = append(cols, Column{name, res.OIDs[i]})
	}
	if !slices.EqualFunc(cols, c.Cols, Column.matches) {
		return fmt.Errorf("got columns %v, want %v", cols, c.Cols)
	}
	got := make([]string, len(res.Rows))
	for i, row := range res.Rows {
		got[i] = printRow(row)
	}
	want := make([]string, len(c.Rows))
	for i, row := range c.Rows {
		raw := make([][]byte, len(row))
		for j, v := range row {
			if v != nil {
				raw[j] = []byte(*v)
			}
		}
		want[i] = printRow(raw)
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("got rows %s, want %s", strings.Join(got, " "), strings.Join(want, " "))
	}
	return nil
}

// printRow tells NULL, empty and any text apart.
func printRow(row [][]byte) string {
	cells := make([]string, len(row))
	for i, v := range row {
		if v == nil {
			cells[i] = "NULL"
		} else {
			cells[i] = fmt.Sprintf("%q", v)
		}
	}
	return "(" + strings.Join(cells, ", ") + ")"
}

func (c *Case) checkFields(pg *pgconn.PgError) error {
	got := map[string]string{
		"message": pg.Message, "detail": pg.Detail, "hint": pg.Hint, "schema": pg.SchemaName, "table": pg.TableName,
		"column": pg.ColumnName, "datatype": pg.DataTypeName, "constraint": pg.ConstraintName,
		"position": "",
	}
	if pg.Position != 0 {
		got["position"] = fmt.Sprint(pg.Position)
	}
	for field := range c.Error {
		if _, known := got[field]; !known {
			return fmt.Errorf("the case expects an error field %q that this runner does not know", field)
		}
	}
	for field, v := range got {
		if v != c.Error[field] {
			return fmt.Errorf("error field %s is %q, want %q", field, v, c.Error[field])
		}
	}
	return nil
}

// RunAll runs the cases, up to parallel at once, and gives verdicts in their order.
func RunAll(ctx context.Context, iso slt.Isolation, all []Case, parallel int, timeout time.Duration) []Verdict {
	if !iso.Parallel() {
		parallel = 1
	}
	out := make([]Verdict, len(all))
	todo := make(chan int)
	var wg sync.WaitGroup
	for range max(parallel, 1) {
		wg.Go(func() {
			for i := range todo {
				out[i] = all[i].Run(ctx, iso, timeout)
			}
		})
	}
	for i := range all {
		todo <- i
	}
	close(todo)
	wg.Wait()
	return out
}
