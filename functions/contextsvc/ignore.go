package contextsvc

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ignoreFiles are the files that say what is not to be indexed, in each directory; what the later one says counts more.
var ignoreFiles = []string{".gitignore", ".omgdbignore"}

// rules are the patterns of one directory's ignore files, over those of the directories above it.
type rules struct {
	above    *rules
	depth    int // parts of a walked path that lead to the directory
	prefix   []string
	patterns []pattern // in the order written: the last one that matches decides
}

// ignored tells whether an entry of a walk is ignored: the patterns of the deepest directory are asked first. Below an ignored directory
// nothing is asked: a walk doesn't go there.
func (r *rules) ignored(parts []string, dir bool) bool {
	for ; r != nil; r = r.above {
		below := parts[r.depth:]
		if len(r.prefix) > 0 {
			below = append(append(make([]string, 0, len(r.prefix)+len(below)), r.prefix...), below...)
		}
		for i := len(r.patterns) - 1; i >= 0; i-- {
			if p := &r.patterns[i]; p.match(below, dir) {
				return !p.negated
			}
		}
	}
	return false
}

// with puts the patterns of an ignore file's content under those of r.
func parseRules(content []byte) []pattern {
	var out []pattern
	content = bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	for line := range strings.SplitSeq(string(content), "\n") {
		if p, ok := parsePattern(strings.TrimSuffix(line, "\r")); ok {
			out = append(out, p)
		}
	}
	return out
}

// maxIgnoreFile bounds how much of an ignore file is read.
const maxIgnoreFile = 4 << 20

// below gives the rules of the directory dir of root, whose path has depth parts. names are the ignore files that it has.
func (r *rules) below(root *os.Root, dir string, depth int, names []string) *rules {
	out := &rules{above: r, depth: depth}
	for _, name := range names {
		f, err := root.OpenFile(filepath.Join(dir, name), openFlags, 0)
		if err != nil {
			continue // as for Git, an ignore file that is a link or cannot be read says nothing
		}
		out.patterns = append(out.patterns, parseRules(readIgnore(f))...)
		_ = f.Close()
	}
	if len(out.patterns) == 0 {
		return r
	}
	return out
}

func readIgnore(f *os.File) []byte {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	content, err := io.ReadAll(io.LimitReader(f, maxIgnoreFile))
	if err != nil {
		return nil
	}
	return content
}

// rulesAbove are the rules that hold in dir because it lies in a Git repository: the repository's own exclude file and the ignore files
// of the directories from the repository's root down to dir's parent.
func rulesAbove(dir string) *rules {
	top := dir
	for {
		if _, err := os.Lstat(filepath.Join(top, ".git")); err == nil {
			break
		}
		parent := filepath.Dir(top)
		if parent == top {
			return nil
		}
		top = parent
	}
	var down []string
	if rel, err := filepath.Rel(top, dir); err == nil && rel != "." {
		down = strings.Split(rel, string(filepath.Separator))
	}
	var r *rules
	add := func(prefix []string, files ...string) {
		next := &rules{above: r, prefix: prefix}
		for _, name := range files {
			next.patterns = append(next.patterns, parseRules(readFile(name))...)
		}
		if len(next.patterns) > 0 {
			r = next
		}
	}
	add(down, filepath.Join(top, ".git", "info", "exclude"))
	at := top
	for i := range down {
		add(down[i:], filepath.Join(at, ignoreFiles[0]), filepath.Join(at, ignoreFiles[1]))
		at = filepath.Join(at, down[i])
	}
	return r
}

func readFile(name string) []byte {
	f, err := os.OpenFile(name, openFlags, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	return readIgnore(f)
}

// ignoreFilesOf lists the ignore files among a directory's entries, in the order of ignoreFiles.
func ignoreFilesOf(entries []fs.DirEntry) []string {
	var out []string
	for _, name := range ignoreFiles {
		for _, e := range entries {
			if e.Name() == name && e.Type().IsRegular() {
				out = append(out, name)
			}
		}
	}
	return out
}
