package slt

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseErrors(t *testing.T) {
	tests := []struct{ text, want string }{
		{"select 1\n", `1: unknown record type "select"`},
		{"\n\nstatement\n", "3: statement wants ok, error or count"},
		{"statement maybe\n", "1: statement maybe: want ok, error or count"},
		{"statement count\nx\n", "1: count wants one argument"},
		{"statement count x\nx\n", `1: count x: strconv.ParseInt: parsing "x": invalid syntax`},
		{"query\n", "1: query wants column types"},
		{"query IX\nx\n", `1: column types "IX": want letters of I, R, T, S`},
		{"query I nosort a b\nx\n", `1: query option "b" after label "a"`},
		{"query I valuesort rows\nx\n", "1: rows and valuesort exclude each other"},
		{"skipif\n", "1: skipif wants one argument"},
		{"hash-threshold many\n", `1: hash-threshold many: strconv.Atoi: parsing "many": invalid syntax`},
	}
	for _, tc := range tests {
		if _, err := Parse([]byte(tc.text)); err == nil || err.Error() != tc.want {
			t.Errorf("Parse(%q): %v, want %s", tc.text, err, tc.want)
		}
	}
}

func TestPrintValue(t *testing.T) {
	const boolean, numeric, text = 16, 1700, 25
	tests := []struct {
		letter byte
		oid    uint32
		in     string
		want   string
	}{
		{'I', numeric, "12.99", "12"}, {'I', numeric, "-12.99", "-12"}, {'I', numeric, "-0.9", "0"},
		{'I', numeric, "92233720368547758079", "92233720368547758079"}, {'I', 701, "1.5e+06", "1500000"},
		{'I', 701, "1e-05", "0"}, {'I', 701, "NaN", "NaN"}, {'I', 701, "-Infinity", "-Infinity"},
		{'I', boolean, "t", "1"}, {'I', boolean, "f", "0"},
		{'I', text, "12abc", "12"}, {'I', text, "abc", "0"}, {'I', text, "", "0"}, {'I', text, " -7", "-7"}, {'I', text, "+7", "7"},
		{'R', numeric, "2", "2.000"}, {'R', numeric, "0.0005", "0.001"}, {'R', numeric, "-1.2345", "-1.234"},
		{'R', boolean, "t", "1.000"}, {'R', 701, "Infinity", "+Inf"}, {'R', text, "abc", "abc"},
		{'T', text, "a b", "a b"}, {'T', text, "", "(empty)"}, {'T', text, "\x01~\x7f", "@~@"}, {'T', boolean, "t", "t"},
		{'S', text, "a\r\n\\", `a\r\n\\`}, {'S', text, "日本", "日本"},
	}
	for _, tc := range tests {
		if got := printValue(tc.letter, tc.oid, []byte(tc.in)); got != tc.want {
			t.Errorf("%c of %q: %q, want %q", tc.letter, tc.in, got, tc.want)
		}
	}
	if got := printValue('S', text, nil); got != "NULL" {
		t.Errorf("NULL prints %q", got)
	}
}

func TestRewrite(t *testing.T) {
	in := `# a comment stays
hash-threshold 4

query IT rowsort
pairs
----
old

statement error 42601
fail

query I nosort rows names
drift1
----

query I
drift2
----
9 values hashing to 00000000000000000000000000000000
# not a result
`
	want := `# a comment stays
hash-threshold 4

query IT rowsort
pairs
----
6 values hashing to a98f3a8f0a1ac2e0a0f8f2a5a4bc9f1c

statement error 42601
fail

query I nosort rows names
drift1
----
a
1

query I
drift2
----
1 values hashing to 26ab0db90d72e28ad0ba1e22ee510510
`
	in = strings.Replace(in, "\n# not a result", "", 1)
	want = strings.Replace(want, "a98f3a8f0a1ac2e0a0f8f2a5a4bc9f1c", md5Of(t, "1 NULL 10 y 2 x"), 1)
	f, err := Parse([]byte(in))
	if err != nil {
		t.Fatal(err)
	}
	out := Options{Rewrite: true}.Run(t.Context(), &script{answers: answers}, f, nil)
	if d := cmp.Diff(want, string(f.Rewritten(out))); d != "" {
		t.Error(d)
	}
	if len(out.Failures) != 1 || out.Failures[0].Line != 9 {
		t.Errorf("failures %+v, want the wrong SQLSTATE at line 9 alone", out.Failures)
	}
}

func md5Of(t *testing.T, words string) string {
	t.Helper()
	_, sum, ok := strings.Cut(hashLine(strings.Fields(words)), "hashing to ")
	if !ok {
		t.Fatal("no hash")
	}
	return sum
}

// The files that ship: all parse, and 700 records of each are there (fewer where the full file has fewer).
func TestShippedFiles(t *testing.T) {
	paths, err := Expand([]string{filepath.Join("..", "testdata", "sqllogictest", "test")})
	if err != nil {
		t.Fatal(err)
	}
	records := 0
	for _, p := range paths {
		f, err := ParseFile(p)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, r := range f.Records {
			if r.Applies("postgresql") {
				if r.Kind == Halt {
					break
				}
				n++
			}
		}
		records += min(n, 700)
	}
	if len(paths) != 211 || records != 139624 {
		t.Errorf("%d files with %d records, want 211 with 139624", len(paths), records)
	}
	base, err := ReadBaseline(filepath.Join("..", "testdata", "sqllogictest", "pg15_fails_first700.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	fails := 0
	for _, p := range paths {
		fails += len(base.fails(p))
	}
	if fails != 426 {
		t.Errorf("the baseline names %d records of the files, want 426", fails)
	}
}

func TestPrefix(t *testing.T) {
	text := "onlyif mysql\nstatement ok\na\n\nstatement ok\nb\n\n# c\nquery I\nc\n----\n1\n\nstatement ok\nd\n"
	f, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(f.Prefix("postgresql", 2)), text[:strings.Index(text, "\nstatement ok\nd")]; got != want {
		t.Errorf("prefix %q, want %q", got, want)
	}
	if got := string(f.Prefix("postgresql", 9)); got != text {
		t.Errorf("prefix past the end %q", got)
	}
}

// Any text either parses or is an error, and a rewrite that has nothing to replace changes nothing but line ends.
func FuzzParse(f *testing.F) {
	f.Add([]byte("query IT rowsort rows L\nselect\n----\n1 | 2\n\nstatement error 42P01 x\nfoo\n\nhalt\n"))
	f.Add([]byte("onlyif a\nskipif b # c\nconnection d\nhash-threshold 3\nstatement count 3\nx"))
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := Parse(text)
		if err != nil {
			return
		}
		want := bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
		want = bytes.TrimSuffix(bytes.TrimSuffix(want, []byte("\n")), []byte("\r"))
		got := bytes.TrimSuffix(file.Rewritten(Outcome{}), []byte("\n"))
		if !bytes.Equal(got, want) {
			t.Errorf("rewritten %q, want %q", got, want)
		}
	})
}

func TestReadMaybeGzip(t *testing.T) {
	packed, err := Gzip([]byte("statement ok\nx\n"))
	if err != nil {
		t.Fatal(err)
	}
	whole, cut := filepath.Join(t.TempDir(), "a.test.gz"), filepath.Join(t.TempDir(), "b.test.gz")
	for path, content := range map[string][]byte{whole: packed, cut: packed[:len(packed)-6]} {
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if f, err := ParseFile(whole); err != nil || len(f.Records) != 1 {
		t.Errorf("whole file: %v", err)
	}
	if _, err := ParseFile(cut); err == nil {
		t.Error("a truncated file was accepted")
	}
}
