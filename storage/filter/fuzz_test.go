package filter

import (
	"testing"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
)

// FuzzFilter feeds any two texts as filter and document: nothing panics, what is refused has a code of the user's, and what is
// accepted prints as a filter of the same meaning and stays within its bounds.
func FuzzFilter(f *testing.F) {
	for _, file := range []string{"testdata/mongo_filter_cases.jsonl", "testdata/more_filter_cases.jsonl"} {
		eachLine(f, file, func(line []byte) {
			v, err := doc.ParseJSONB(line)
			if err != nil {
				f.Fatal(err)
			}
			d := doc.Doc(v.Data)
			f.Add([]byte(d.Lookup("filter").Canonical()), []byte(d.Lookup("document").Canonical()))
		})
	}
	keys := NewPathKeys("a")
	f.Fuzz(func(t *testing.T, filter, document []byte) {
		e, err := ParseJSON(filter)
		if err != nil {
			if code := dberr.Code(err); code == dberr.InternalError {
				t.Fatalf("%s: %v", filter, err)
			}
			return
		}
		m, err := Compile(e)
		if err != nil {
			t.Fatalf("%s: %v", e, err)
		}
		again, err := ParseJSON([]byte(e.String()))
		if err != nil || again.String() != e.String() {
			t.Fatalf("%s prints as %s: %v", filter, e, err)
		}
		d, err := doc.ParseDocument(document)
		if err != nil {
			return
		}
		ok, err := m.Match(d)
		if err != nil {
			if code := dberr.Code(err); code != dberr.InvalidParameterValue && code != dberr.InvalidRegularExpression {
				t.Fatalf("%s on %s: %v", e, document, err)
			}
			return
		}
		m2, err := Compile(again)
		if err != nil {
			t.Fatal(err)
		}
		if ok2, err := m2.Match(d); err != nil || ok2 != ok {
			t.Fatalf("%s on %s: %v, printed %v %v", e, document, ok, ok2, err)
		}
		b, residual, bounded := PathBounds(e, "a", true)
		if !bounded || !ok {
			return
		}
		for _, v := range keys.Append(nil, d) {
			if inRanges(byBSON, b.Ranges, v) {
				return
			}
		}
		t.Fatalf("%s matches %s outside its bounds %s, residual %s", e, document, b, residual)
	})
}
