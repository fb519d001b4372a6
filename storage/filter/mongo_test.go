package filter

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
)

// mongoCase is one line of the case files: a filter, and a document with whether it matches, or an error.
type mongoCase struct {
	Filter   json.RawMessage `json:"filter"`
	Document json.RawMessage `json:"document"`
	Matches  bool            `json:"matches"`
	Error    bool            `json:"error"`
	Message  string          `json:"message"` // a part of the error's text
	Note     string          `json:"note"`
}

func TestMongoCases(t *testing.T) {
	for _, file := range []string{"testdata/mongo_filter_cases.jsonl", "testdata/more_filter_cases.jsonl"} {
		n := 0
		eachLine(t, file, func(line []byte) {
			var c mongoCase
			if err := json.Unmarshal(line, &c); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			c.check(t)
			n++
		})
		if n < 50 {
			t.Errorf("%s has only %d cases", file, n)
		}
	}
}

func eachLine(t testing.TB, file string, f func(line []byte)) {
	t.Helper()
	in, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	s := bufio.NewScanner(in)
	for s.Scan() {
		if len(s.Bytes()) > 0 {
			f(s.Bytes())
		}
	}
}

func (c *mongoCase) check(t *testing.T) {
	t.Helper()
	e, err := ParseJSON(c.Filter)
	if c.Error {
		if err == nil {
			t.Errorf("%s is accepted (%s)", c.Filter, c.Note)
			return
		}
		if dberr.Code(err) != dberr.InvalidParameterValue {
			t.Errorf("%s: code %s", c.Filter, dberr.Code(err))
		}
		if !strings.Contains(err.Error(), c.Message) || c.Message == "" && !strings.Contains(err.Error(), "$") {
			t.Errorf("%s: %v, want %q", c.Filter, err, c.Message)
		}
		return
	}
	if err != nil {
		t.Errorf("%s: %v", c.Filter, err)
		return
	}
	d, err := doc.ParseDocument(c.Document)
	if err != nil {
		t.Fatal(err)
	}
	if got := match(t, e, d); got != c.Matches {
		t.Errorf("%s on %s: %v (%s)", c.Filter, c.Document, got, c.Note)
	}
	checkPrinted(t, e, d)
}

func match(t testing.TB, e Expr, d doc.Doc) bool {
	t.Helper()
	m, err := Compile(e)
	if err != nil {
		t.Fatalf("%s: %v", e, err)
	}
	ok, err := m.Match(d)
	if err != nil {
		t.Errorf("%s on %s: %v", e, d.Value().Canonical(), err)
	}
	return ok
}

// checkPrinted: a Mongo tree prints as a filter that parses to a tree of the same text and meaning.
func checkPrinted(t *testing.T, e Expr, d doc.Doc) {
	t.Helper()
	again, err := ParseJSON([]byte(e.String()))
	if err != nil {
		t.Errorf("%s does not parse: %v", e, err)
		return
	}
	if again.String() != e.String() {
		t.Errorf("printed %s\nthen    %s", e, again)
	}
	if match(t, again, d) != match(t, e, d) {
		t.Errorf("%s changes its meaning when printed", e)
	}
}
