package contextsvc

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// ignoreCases are trees with ignore files, and the files that are left. Each is also given to Git.
var ignoreCases = []struct {
	name  string
	files map[string]string // ignore files by path
	tree  string            // other files
	want  string
}{
	{"names and directories", map[string]string{".gitignore": "*.log\nbuild/\n/top\n"}, "a.log a.txt build/x src/build/y src/z.log top src/top build.txt", "a.txt src/top build.txt"},
	{"a directory pattern spares files", map[string]string{".gitignore": "out/\n"}, "out a/out/x", "out"},
	{"anchored by a slash inside", map[string]string{".gitignore": "doc/*.txt\n"}, "doc/a.txt doc/b/c.txt x/doc/a.txt", "doc/b/c.txt x/doc/a.txt"},
	{"leading stars", map[string]string{".gitignore": "**/foo\n"}, "foo a/foo a/b/foo foobar", "foobar"},
	{"trailing stars", map[string]string{".gitignore": "abc/**\n"}, "abc/x abc/d/y abcd", "abcd"},
	{"stars in the middle", map[string]string{".gitignore": "a/**/b\n"}, "a/b a/x/b a/x/y/b ab b c/a/b", "ab b c/a/b"},
	{"two stars in a name", map[string]string{".gitignore": "f**o\na**b/c\n"}, "foo fxxo a/f/o axb/c a/xb/c", "a/f/o a/xb/c"},
	{"negation", map[string]string{".gitignore": "*.txt\n!keep.txt\n"}, "a.txt keep.txt d/keep.txt", "keep.txt d/keep.txt"},
	{"negation below an ignored directory", map[string]string{".gitignore": "d/\n!d/keep.txt\n"}, "d/keep.txt d/x e", "e"},
	{"negation below ignored content", map[string]string{".gitignore": "d/*\n!d/keep.txt\n"}, "d/keep.txt d/x e", "d/keep.txt e"},
	{"everything but", map[string]string{".gitignore": "/*\n!/foo\n/foo/*\n!/foo/bar\n"}, "a foo/bar/x foo/baz b/c", "foo/bar/x"},
	{"the last pattern counts", map[string]string{".gitignore": "a\n!a\na\nb\n!b\n"}, "a b", "b"},
	{"nested files count more", map[string]string{".gitignore": "*.txt\n", "d/.gitignore": "!b.txt\n/c\n", "d/e/.gitignore": "b.txt\n"},
		"a.txt d/b.txt d/c d/x/c d/e/b.txt d/f/b.txt", "d/b.txt d/x/c d/f/b.txt"},
	{"comments and blanks", map[string]string{".gitignore": "# a\n\n  \na \n\\#b\n\\!c\nd\\ \n"}, "a #b !c d x", "d x"},
	{"a space that counts", map[string]string{".gitignore": "e\\ \n"}, "e x", "e x"},
	{"line ends of Windows", map[string]string{".gitignore": "a\r\nb/\r\n"}, "a b/x c", "c"},
	{"byte order mark", map[string]string{".gitignore": "\xef\xbb\xbfa\n"}, "a b", "b"},
	{"classes", map[string]string{".gitignore": "[ab]x\n[!c]y\n[^d]z\n[0-9]n\n[]]w\n[[:upper:]]u\n[a-\\]]v\n"}, "ax cx cy dy dz ez 5n xn ]w aw Au au _v .v", "cx cy dz xn aw au _v .v"},
	{"unfinished classes match nothing", map[string]string{".gitignore": "[a\n[[:nope:]]\nx[\n"}, "a [a x[ n", "a [a x[ n"},
	{"question marks and escapes", map[string]string{".gitignore": "?x\n\\*y\n\\a\n"}, "ax x aax *y zy a", "x aax zy"},
	{"a backslash at the end matches nothing", map[string]string{".gitignore": "a\\\n"}, "a b", "a b"},
	{"slashes alone", map[string]string{".gitignore": "/\n//\n"}, "a", "a"},
	{"case counts", map[string]string{".gitignore": "A\n"}, "a A", "a"},
	{"stars never cross a slash", map[string]string{".gitignore": "a*c\n/x*z\n"}, "abc a/c x/z xyz", "a/c x/z"},
	{"dot files", map[string]string{".gitignore": ".*\n!.gitignore\n"}, ".a b/.c d", "d"},
	{"files of other tools say nothing", map[string]string{".gitignore": "a\n", ".dockerignore": "b\n", ".ignore": "c\n", ".hgignore": "d\n"}, "a b c d", "b c d .dockerignore .ignore .hgignore"},
}

// makeTree makes a directory with the case's files.
func makeTree(t testing.TB, files map[string]string, tree []string) string {
	dir := t.TempDir()
	put := func(name, text string) {
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range tree {
		put(name, "x\n")
	}
	for name, text := range files {
		put(name, text)
	}
	return dir
}

// walked lists the files that a walk finds, but for ignore files.
func walked(t testing.TB, dir string) []string {
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	var got []string
	w := walker{root: root, maxSize: 1 << 20, skip: func(s skip) { t.Errorf("skipped %s: %s", s.rel, s.reason) }}
	w.file = func(f file) error {
		got = append(got, f.rel)
		return nil
	}
	if err := w.walk(t.Context()); err != nil {
		t.Fatal(err)
	}
	return withoutIgnoreFiles(got)
}

func withoutIgnoreFiles(list []string) []string {
	list = slices.DeleteFunc(list, func(name string) bool { return filepath.Base(name) == ".gitignore" || name == "" })
	slices.Sort(list)
	return list
}

// gitFiles lists what Git leaves of a directory that is no repository yet.
func gitFiles(t testing.TB, dir string) []string {
	git := func(args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("git %v: %v", args, err)
		}
		return string(out)
	}
	git("init", "-q", "--template=")
	return withoutIgnoreFiles(strings.Split(git("ls-files", "-z", "--others", "--exclude-standard"), "\x00"))
}

func TestIgnoreRules(t *testing.T) {
	for _, c := range ignoreCases {
		t.Run(c.name, func(t *testing.T) {
			dir := makeTree(t, c.files, strings.Fields(c.tree))
			want := strings.Fields(c.want)
			slices.Sort(want)
			if got := walked(t, dir); !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
			if git := gitFiles(t, dir); !slices.Equal(git, want) {
				t.Errorf("Git leaves %q, the case says %q", git, want)
			}
		})
	}
}

// Random patterns over random trees leave what Git leaves.
func TestIgnoreLikeGit(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	pick := func(list string) string { f := strings.Fields(list); return f[rnd.IntN(len(f))] }
	name := func() string { return pick("a b c ab abc a.b foo") }
	for range 60 {
		var tree []string
		for range 15 {
			parts := []string{"r" + name()}
			for range rnd.IntN(3) {
				parts = append([]string{"d" + name()}, parts...)
			}
			tree = append(tree, strings.Join(parts, "/"))
		}
		files := map[string]string{}
		for _, where := range []string{"", "da/", "db/dc/"} {
			var lines []string
			for range 1 + rnd.IntN(4) {
				var parts []string
				for range 1 + rnd.IntN(3) {
					parts = append(parts, pick("* ** *a* d* r* ra da ?a *b d?b [dr]a [!r]* **/ ra* d*c rabc *.b a**"))
				}
				line := pick("- - - ! /") + strings.Join(parts, "/") + pick("- - /")
				lines = append(lines, strings.ReplaceAll(line, "-", ""))
			}
			files[where+".gitignore"] = strings.Join(lines, "\n") + "\n"
		}
		dir := makeTree(t, files, tree)
		got, want := walked(t, dir), gitFiles(t, dir)
		if !slices.Equal(got, want) {
			t.Fatalf("%q over %q:\n got %q\nwant %q", files, tree, got, want)
		}
	}
}

// Rules of the repository around a directory hold in it; .omgdbignore counts more than .gitignore.
func TestIgnoreAround(t *testing.T) {
	top := makeTree(t, map[string]string{
		".git/info/exclude": "secret\n/sub/deep\n", ".gitignore": "*.log\n/sub/x\n/y\n", "sub/.omgdbignore": "!keep.log\nnotes\n", "sub/.gitignore": "keep.log\n!notes\n",
	}, strings.Fields("sub/a.log sub/keep.log sub/x sub/y sub/secret sub/deep/z sub/notes sub/t"))
	want := []string{".omgdbignore", "keep.log", "t", "y"}
	if got := walked(t, filepath.Join(top, "sub")); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Patterns that make naive matchers run for ever are matched at once.
func TestIgnoreIsFast(t *testing.T) {
	p, ok := parsePattern(strings.Repeat("*a", 100) + "b")
	if !ok || p.match([]string{strings.Repeat("a", 250)}, false) {
		t.Error("stars in a name")
	}
	p, ok = parsePattern(strings.Repeat("**/a/", 100) + "b")
	parts := make([]string, 200)
	for i := range parts {
		parts[i] = "a"
	}
	if !ok || p.match(parts, false) {
		t.Error("stars between slashes")
	}
}

func FuzzPattern(f *testing.F) {
	for _, c := range ignoreCases {
		for _, text := range c.files {
			for line := range strings.SplitSeq(text, "\n") {
				f.Add(line, "a/b")
			}
		}
	}
	f.Fuzz(func(_ *testing.T, line, path string) {
		if p, ok := parsePattern(line); ok {
			p.match(strings.Split(path, "/"), len(path)%2 == 0)
		}
	})
}
