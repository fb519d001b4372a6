package update

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/filter"
)

// testCase is a line of testdata/updates.jsonl: an update of a document, or an upsert's filter, and the result or a part of the
// error's text.
type testCase struct {
	Update   json.RawMessage
	Document json.RawMessage
	Upsert   json.RawMessage
	Result   json.RawMessage
	Error    string
	Code     string
	Note     string
}

var now = time.Date(2024, 1, 2, 3, 4, 5, 678_900_000, time.UTC)

func (c *testCase) run() (doc.Doc, error) {
	u, err := ParseJSON(c.Update)
	if err != nil {
		return nil, err
	}
	if c.Upsert != nil {
		e, err := filter.ParseJSON(c.Upsert)
		if err != nil {
			return nil, err
		}
		return u.Upsert(e, now)
	}
	d, err := doc.ParseDocument(c.Document)
	if err != nil {
		return nil, err
	}
	before := string(d)
	out, err := u.Apply(d, now)
	if string(d) != before {
		return nil, dberr.New(dberr.InternalError, "the document given was changed")
	}
	return out, err
}

func TestUpdates(t *testing.T) {
	f, err := os.Open("testdata/updates.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n := 0
	for s := bufio.NewScanner(f); s.Scan(); n++ {
		var c testCase
		if err := json.Unmarshal(s.Bytes(), &c); err != nil {
			t.Fatalf("%s: %v", s.Bytes(), err)
		}
		got, err := c.run()
		if c.Error != "" {
			code := c.Code
			if code == "" {
				code = dberr.InvalidParameterValue
			}
			if err == nil || !strings.Contains(err.Error(), c.Error) || dberr.Code(err) != code {
				t.Errorf("%s on %s: %v (%s), want %s", c.Update, c.Document, err, dberr.Code(err), c.Error)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s on %s: %v", c.Update, c.Document, err)
			continue
		}
		want, err := doc.ParseDocument(c.Result)
		if err != nil {
			t.Fatal(err)
		}
		if got.Value().Canonical() != want.Value().Canonical() || string(got) != string(want) {
			t.Errorf("%s on %s: %s, want %s (%s)", c.Update, c.Document, got.Value().Canonical(), c.Result, c.Note)
		}
		if err := doc.Validate(got.Value(), false); err != nil {
			t.Errorf("%s: %v", s.Bytes(), err)
		}
	}
	if n < 80 {
		t.Errorf("only %d cases", n)
	}
}

// TestUnchangedIsSame: an update that changes nothing gives the document's own bytes.
func TestUnchangedIsSame(t *testing.T) {
	d, err := doc.ParseDocument([]byte(`{"_id":1,"a":{"b":[1,2]},"n":5}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{`{"$set":{"a.b.1":2,"n":5}}`, `{"$unset":{"x":1}}`, `{"$max":{"n":4}}`, `{"$addToSet":{"a.b":1}}`, `{"$pull":{"a.b":7}}`, `{"$rename":{"x":"y"}}`} {
		u, err := ParseJSON([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		out, err := u.Apply(d, now)
		if err != nil || &out[0] != &d[0] {
			t.Errorf("%s makes a new document: %s %v", text, out.Value().Canonical(), err)
		}
	}
}

func FuzzUpdate(f *testing.F) {
	in, err := os.Open("testdata/updates.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	defer in.Close()
	for s := bufio.NewScanner(in); s.Scan(); {
		var c testCase
		if err := json.Unmarshal(s.Bytes(), &c); err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(c.Update), []byte(c.Document))
	}
	f.Fuzz(func(t *testing.T, update, document []byte) {
		d, err := doc.ParseDocument(document)
		if err != nil {
			return
		}
		u, err := ParseJSON(update)
		if err != nil {
			if dberr.Code(err) == dberr.InternalError {
				t.Fatalf("%s: %v", update, err)
			}
			return
		}
		out, err := u.Apply(d, now)
		if err != nil {
			if dberr.Code(err) == dberr.InternalError {
				t.Fatalf("%s on %s: %v", update, document, err)
			}
			return
		}
		if err := doc.Validate(out.Value(), false); err != nil {
			t.Fatalf("%s on %s: %v", update, document, err)
		}
	})
}
