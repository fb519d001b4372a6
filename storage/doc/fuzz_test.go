package doc

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/omgdb/omgdb/storage/dberr"
)

// FuzzParse feeds both parsers any bytes: what they accept is valid BSON that prints and reads back the same; what they
// refuse has an SQLSTATE; and they agree with another JSON reader on what is JSON.
func FuzzParse(f *testing.F) {
	for _, s := range jsonTexts {
		f.Add([]byte(s))
	}
	f.Add([]byte(benchJSON))
	for _, s := range extTexts {
		f.Add([]byte(s.in))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		v, err := ParseJSONB(src)
		if err != nil {
			if code := dberr.Code(err); code == dberr.InternalError || code == "" {
				t.Fatalf("%q: %v", src, err)
			}
			if dberr.As(err).Code == dberr.InvalidTextRepresentation && dberr.As(err).Detail == "" {
				t.Fatalf("%q: refused without a reason", src)
			}
			if json.Valid(src) && utf8.Valid(src) && dberr.Code(err) == dberr.InvalidTextRepresentation && !strings.Contains(dberr.As(err).Detail, "surrogate") {
				t.Fatalf("%q: %v", src, err)
			}
			return
		}
		if !json.Valid(src) || ValidateJSON(src) != nil {
			t.Fatalf("%q is taken for JSON", src)
		}
		checkRoundTrip(t, v, ParseJSONB, Value.JSONB)
		e, err := ParseExtJSON(src)
		if err != nil {
			return
		}
		checkRoundTrip(t, e, ParseExtJSON, Value.Canonical)
	})
}

func checkRoundTrip(t *testing.T, v Value, parse func([]byte) (Value, error), print func(Value) string) {
	t.Helper()
	if err := Validate(v, false); err != nil {
		t.Fatal(err)
	}
	text := print(v)
	back, err := parse([]byte(text))
	if err != nil {
		t.Fatalf("%s does not read back: %v", text, err)
	}
	if print(back) != text || Compare(v, back) != 0 || Hash(v) != Hash(back) {
		t.Fatalf("%s reads back as %s", text, print(back))
	}
}

// FuzzRaw feeds arbitrary bytes where a document is expected: nothing may panic, and what Validate accepts behaves.
func FuzzRaw(f *testing.F) {
	for _, s := range extTexts {
		if v, err := ParseExtJSON([]byte(s.in)); err == nil {
			f.Add(v.Encoded())
		}
	}
	f.Add(must(ParseExtJSON([]byte(benchJSON))).Encoded())
	p := NewProjector(Keys("a"), Keys("a", "b"), Path{Key("tags"), Index(-1)}, Path{Text("1"), Text("x")}, Keys("a long key name"))
	f.Fuzz(func(t *testing.T, enc []byte) {
		v := Decode(enc)
		if valueEnd(v.Type, v.Data, 0) != len(v.Data) {
			return
		}
		var out [5]Value
		p.ProjectValue(v, out[:])
		v.Walk(Path{Key("a"), Index(0), Text("b")})
		if err := Validate(v, false); err != nil {
			return
		}
		text := v.JSONB()
		back, err := ParseJSONB([]byte(text))
		if err != nil {
			if code := dberr.Code(err); code == dberr.StatementTooComplex || code == dberr.NumericValueOutOfRange {
				return
			}
			t.Fatalf("%s: %v", text, err)
		}
		if back.JSONB() != text || Compare(v, back) != 0 {
			t.Fatalf("%s reads back as %s", text, back.JSONB())
		}
		v.AppendCanonical(nil)
		CompareBSON(v, back)
	})
}
