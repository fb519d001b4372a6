package jsonpath

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/omgdb/omgdb/storage/dberr"
)

// seeds are paths of every construct; those whose text would not read back without brackets of our own are here too.
var seeds = []string{
	"$", "strict $.a[*].b", `$."a b"[0, 1 to last - 1]`, "$.**{2 to last}.*", "$x + $\"y z\"", "-(1 + 2) * -$.a", "2 > ($ + 1).a",
	"(!($.a > 1)).type()", "(exists($.a)).type()", "(($.a > 1) is unknown).type()", "1 + (-$.a).abs()", "(@ > 1)", "$ ? (@ > 1 && !exists(@.b) || @ == null)",
	`$ ? (@ like_regex "^a" flag "ix")`, `$ ? (@ like_regex "^a" flag "xq")`, `$ ? (@ starts with $v)`, `$.datetime("HH24").type()`, "1..abs()", "1e-5",
	`"\u0001\ud83d\ude00\x41"`, "/* c */ $ /**/ .a", "$[last ? (@.size() > last)]", "((((1))))", "- - 1", "(($ == 1).a == 2).b", "$.a\\u0062",
	`"\u{`, "1a", "007", "$ ? (", "$[", "'", "\\",
}

// FuzzParse checks that a text gives an error or a path whose canonical text reads back to the same path.
func FuzzParse(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) || strings.Contains(text, "\x00") {
			return // no SQL text
		}
		p, err := Parse(text)
		if err != nil {
			if dberr.Code(err) == dberr.InternalError {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		canonical := p.String()
		again, err := Parse(canonical)
		if err != nil {
			t.Fatalf("%q prints as %q: %v", text, canonical, err)
		}
		if s := again.String(); s != canonical {
			t.Fatalf("%q prints as %q, which prints as %q", text, canonical, s)
		}
	})
}

func TestDepth(t *testing.T) {
	for _, part := range [][2]string{{"(", ")"}, {"-", ""}, {"$[", "]"}, {"$?(@ == ", ")"}, {"", ".a"}, {"", " + 1"}, {"!(", ")"}, {"", "[0]"}} {
		for _, n := range []int{100, 1_000_000} {
			text := strings.Repeat(part[0], n) + "$" + strings.Repeat(part[1], n)
			if part[0] == "!(" {
				text = strings.Repeat(part[0], n) + "$ == 1" + strings.Repeat(part[1], n)
			}
			_, err := Parse(text)
			if n == 100 && err != nil {
				t.Errorf("%q: %v", part, err)
			}
			if n > 100 && dberr.Code(err) != dberr.StatementTooComplex {
				t.Errorf("%q a million times: %v", part, err)
			}
		}
	}
}
