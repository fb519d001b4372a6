package contextsvc

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// A walk through a directory of traps ends, finds the files, and says why it leaves out the rest.
func TestWalkAwkward(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "dir")
	put := func(name, text string) {
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	link := func(target, name string) {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{
		"a.txt", "sub/b.txt", "sub/deep/c.txt", ".hidden", "with blank.txt", "ü.txt", ".github/x.yml", ".git/config", "sub/.git/HEAD",
		".context.db/store.db", ".context.db-journal", "sub/.context.db/LOCK", "app.omgdb/store.db", "app.omgdb/wal/1", "app.omgdb/LOCK",
	} {
		put(name, "x")
	}
	put("large", strings.Repeat("x", 101))
	put("full", strings.Repeat("x", 100))
	put("bad\xffname", "x")
	link(".", "loop")
	link("..", "sub/up")
	link("nowhere", "broken")
	link("a.txt", "alias")
	link("self", "self")
	link(base, "out")
	link("/etc/passwd", "sub/etc")
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	var got, skipped []string
	w := walker{root: root, maxSize: 100, skip: func(s skip) { skipped = append(skipped, s.rel+": "+s.reason) }}
	w.file = func(f file) error { got = append(got, f.rel); return nil }
	if err := w.walk(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := []string{".github/x.yml", ".hidden", "a.txt", "full", "sub/b.txt", "sub/deep/c.txt", "with blank.txt", "ü.txt"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	slices.Sort(skipped)
	want := []string{
		"alias: symbolic link", "app.omgdb: a store of OMGDB", "bad�name: its name is not UTF-8", "broken: broken symbolic link", "large: larger than 100 bytes",
		"loop: symbolic link to a directory above it", "out: symbolic link out of the directory", "pipe: not a regular file", "self: broken symbolic link",
		"sub/etc: symbolic link out of the directory", "sub/up: symbolic link to a directory above it",
	}
	if !slices.Equal(skipped, want) {
		t.Errorf("skipped\n %q, want\n %q", skipped, want)
	}
}

func TestDecode(t *testing.T) {
	for _, c := range []struct{ name, raw, text, encoding string }{
		{"empty", "", "", encodingUTF8},
		{"ascii", "a\r\nb\tc\x1b[0m\f", "a\r\nb\tc\x1b[0m\f", encodingUTF8},
		{"utf-8", "größe 悬空 🚀", "größe 悬空 🚀", encodingUTF8},
		{"utf-8 with mark", "\xef\xbb\xbfab", "ab", encodingUTF8},
		{"utf-16 little", "\xff\xfea\x00\xfc\x00\x3d\xd8\x80\xde", "aü🚀", encodingUTF16LE},
		{"utf-16 big", "\xfe\xff\x00a\x00\xfc\xd8\x3d\xde\x80", "aü🚀", encodingUTF16BE},
		{"utf-16 mark alone", "\xff\xfe", "", encodingUTF16LE},
		{"utf-16 odd", "\xff\xfea\x00b", "a\ufffd", encodingUTF16LE},
		{"utf-16 half a pair", "\xfe\xff\xd8\x3d\x00a", "\ufffda", encodingUTF16BE},
		{"latin-1", "caf\xe9 \x93quoted\x94", "café \u0093quoted\u0094", encodingLatin1},
		{"NUL", "a\x00b", "", ""},
		{"utf-16 without mark", "a\x00b\x00", "", ""},
		{"utf-32", "\xff\xfe\x00\x00a\x00\x00\x00", "", ""},
		{"compressed", "\x1f\x8b\x08\x03\x01\x02\xff\xfe\x9c\x81\x04\x05", "", ""},
	} {
		text, encoding, err := decode([]byte(c.raw))
		if text != c.text || encoding != c.encoding || (c.encoding == "") != errors.Is(err, errBinary) {
			t.Errorf("%s: got %q, %s, %v", c.name, text, encoding, err)
		}
	}
}

// Text of any encoding decodes to itself.
func TestDecodeRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Map(func(r rune) rune {
			if r == 0 || r == 0xfeff {
				return -1
			}
			return r
		}, rapid.String().Draw(t, "text"))
		for _, big := range []bool{false, true} {
			text, _, err := decode(toUTF16(s, big))
			if err != nil || text != s {
				t.Fatalf("UTF-16: %q became %q, %v", s, text, err)
			}
		}
		if text, _, err := decode([]byte(s)); err != nil || text != s {
			t.Fatalf("%q became %q, %v", s, text, err)
		}
	})
}

func toUTF16(s string, big bool) []byte {
	var out []byte
	unit := func(u uint16) {
		if big {
			out = append(out, byte(u>>8), byte(u))
		} else {
			out = append(out, byte(u), byte(u>>8))
		}
	}
	unit(0xfeff)
	for _, r := range s {
		if r >= 0x10000 {
			r -= 0x10000
			unit(0xd800 | uint16(r>>10))
			unit(0xdc00 | uint16(r&0x3ff))
		} else {
			unit(uint16(r))
		}
	}
	return out
}

// Chunks cover a text in order, leave out blanks only, are never too long, and cut no character.
func TestChunks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{"word ", "\n", "\n\n", "\nfunc x() {\n", "}\n", "größe", "悬空", strings.Repeat("x", 700), strings.Repeat(" ", 900), "\tindented\n"})
		text := strings.Join(rapid.SliceOfN(piece, 0, 200).Draw(t, "pieces"), "")
		at := 0
		for _, c := range chunks(text) {
			if c.start < at || c.end <= c.start || c.end > len(text) || c.end-c.start > chunkSize {
				t.Fatalf("chunk %v after %d of %d", c, at, len(text))
			}
			if strings.TrimSpace(text[at:c.start]) != "" {
				t.Fatalf("%q is in no chunk", text[at:c.start])
			}
			if !utf8.ValidString(text[c.start:c.end]) {
				t.Fatalf("chunk %v cuts a character", c)
			}
			at = c.end
		}
		if strings.TrimSpace(text[at:]) != "" {
			t.Fatalf("%q is in no chunk", text[at:])
		}
	})
}

func TestChunksKeepFunctionsWhole(t *testing.T) {
	body := strings.Repeat("\tstatement()\n\n", 60)
	text := "func a() {\n" + body + "}\n\nfunc b() {\n" + body + "}\n"
	c := chunks(text)
	if len(c) != 2 || !strings.HasPrefix(text[c[1].start:], "func b") {
		t.Errorf("got %v", c)
	}
}

func TestSplitReport(t *testing.T) {
	const answer = `{"message":"Indexed 1 files in '/x,\"report\":{'","status":"success","report":{"files":1,"added":1,"changed":0,"removed":0,"unchanged":0,"skipped":[{"path":"/x/b","reason":"binary file"}]}}`
	plain, r, err := SplitReport([]byte(answer))
	if err != nil || string(plain) != `{"message":"Indexed 1 files in '/x,\"report\":{'","status":"success"}` || r.Added != 1 || len(r.Skipped) != 1 || r.Skipped[0].Reason != "binary file" {
		t.Errorf("got %s, %+v, %v", plain, r, err)
	}
}

func TestBeginning(t *testing.T) {
	long := "export function authenticate(user: string, password: string): boolean {\n  const hash = bcrypt.hashSync(password, salt);\n"
	for _, c := range []struct {
		text       string
		start, end int
		want       string
		at         int
	}{
		{long, 0, len(long), "export function authenticate(user: string, password: string): boolean {\n  const hash = bcrypt.has...", 0},
		{"\n\n  short \n", 0, 11, "short", 4},
		{strings.Repeat("ü", 100), 0, 200, strings.Repeat("ü", 100), 0},
		{strings.Repeat("ü", 101), 0, 202, strings.Repeat("ü", 97) + "...", 0},
		{"abc", 7, 9, "abc", 0},
		{"", 0, 0, "", 0},
	} {
		if got, at := beginning(c.text, c.start, c.end); got != c.want || at != c.at {
			t.Errorf("got %q at %d, want %q at %d", got, at, c.want, c.at)
		}
	}
}

func TestForeignStores(t *testing.T) {
	for name, text := range map[string]string{"a SQLite database of another program": "SQLite format 3\x00xxxx", "another file": "hello"} {
		dir := t.TempDir()
		file := filepath.Join(dir, StoreName)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, _, err := StorePath(dir); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
		if after, err := os.ReadFile(file); err != nil || !bytes.Equal(after, []byte(text)) {
			t.Errorf("%s: the file has changed", name)
		}
	}
	for _, dir := range []string{filepath.Join(t.TempDir(), "missing"), "/etc/passwd"} {
		if _, _, err := StorePath(dir); err == nil {
			t.Errorf("%s is taken", dir)
		}
	}
}
