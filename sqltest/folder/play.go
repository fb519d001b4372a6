package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// world is where cases play.
type world struct {
	dir string
	bin string
}

func (w *world) close() {
	// Folders without rights are emptied too.
	_ = filepath.WalkDir(w.dir, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(path, 0o755)
		}
		return nil
	})
	_ = os.RemoveAll(w.dir)
}

// play is one case under way.
type play struct {
	*world
	dir string
}

// nobody is the user and group that commands run as when this process may choose: the one without rights to anything.
const nobody = 65534

func (w *world) play(ctx context.Context, name string, c testCase) (checks int, err error) {
	p := &play{world: w, dir: filepath.Join(w.dir, name)}
	if err := os.Mkdir(p.dir, 0o755); err != nil {
		return 0, err
	}
	for i := range c.Steps {
		n, err := p.do(ctx, &c.Steps[i])
		if err != nil {
			text, _ := json.Marshal(c.Steps[i])
			return checks, fmt.Errorf("step %d, %.300s: %w", i+1, text, err)
		}
		checks += n
	}
	return checks, nil
}

// output is what a command said.
type output struct {
	code           int
	stdout, stderr string
}

// command prepares omgdb with arguments; the case's files are its user's.
func (p *play) command(ctx context.Context, from string, args ...string) (*exec.Cmd, error) {
	cmd := exec.CommandContext(ctx, p.bin, args...)
	cmd.Dir = p.dir
	if from != "" {
		cmd.Dir = p.path(from)
	}
	if os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		err := filepath.WalkDir(p.dir, func(path string, _ fs.DirEntry, err error) error {
			if err != nil {
				return nil // it goes while we look
			}
			if err = os.Lchown(path, nobody, nobody); errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return cmd, nil
}

func (p *play) run(ctx context.Context, from string, args ...string) (output, error) {
	cmd, err := p.command(ctx, from, args...)
	if err != nil {
		return output{}, err
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		return output{}, err
	}
	return output{cmd.ProcessState.ExitCode(), strings.TrimSpace(stdout.String()), strings.TrimSpace(stderr.String())}, ctx.Err()
}

// refused checks the outcome of a command that must fail.
func (s *step) refused(o output) error {
	want := 1
	if s.Usage {
		want = 2
	}
	switch {
	case o.code != want:
		return fmt.Errorf("exit code %d, want %d: %s%s", o.code, want, o.stdout, o.stderr)
	case !strings.HasPrefix(o.stderr, "omgdb: ") || !strings.Contains(o.stderr, s.Error):
		return fmt.Errorf("says %q, want %q", o.stderr, s.Error)
	case o.stdout != "":
		return fmt.Errorf("prints %q", o.stdout)
	}
	return nil
}

// answer is the JSON of both commands.
type answer struct {
	Message string
	Warning string
	Status  string
	Matches []struct {
		Path     string
		Line     int
		Snippet  string
		Distance *float64
	}
}

func (s *step) answer(o output, dir string) (a answer, err error) {
	if o.code != 0 {
		return a, fmt.Errorf("exit code %d: %s", o.code, o.stderr)
	}
	if strings.Contains(o.stdout, "\n") {
		return a, fmt.Errorf("prints several lines: %q", o.stdout)
	}
	d := json.NewDecoder(strings.NewReader(o.stdout))
	d.DisallowUnknownFields()
	if err := d.Decode(&a); err != nil {
		return a, fmt.Errorf("%w in %s", err, o.stdout)
	}
	if a.Status != "success" || !strings.Contains(a.Warning, s.Warning) || (s.Warning == "") != (a.Warning == "") {
		return a, fmt.Errorf("got %s", o.stdout)
	}
	if want := strings.ReplaceAll(s.Message, "{}", dir); want != "" && a.Message != want {
		return a, fmt.Errorf("says %q, want %q", a.Message, want)
	}
	return a, nil
}

func (p *play) index(ctx context.Context, s *step) error {
	dir := s.Index
	if s.From == "" {
		dir = p.path(s.Index)
	}
	o, err := p.run(ctx, s.From, append(append([]string{"index"}, s.Args...), "-v", "--", strings.TrimSuffix(dir, "∅"))...)
	if err != nil {
		return err
	}
	if s.Error != "" || s.Usage {
		return s.refused(o)
	}
	a, err := s.answer(o, p.dir)
	if err != nil {
		return err
	}
	var n int
	if _, err := fmt.Sscanf(a.Message, "Indexed %d files in '", &n); err != nil {
		return fmt.Errorf("message %q: %w", a.Message, err)
	}
	if s.Files != nil && n != *s.Files {
		return fmt.Errorf("%d files, want %d; %s", n, *s.Files, o.stderr)
	}
	if s.Skipped != nil {
		return sameSkips(s.Skipped, o.stderr, filepath.Clean(p.path(s.Index))+"/")
	}
	return nil
}

// sameSkips compares what was skipped with what should be; lines of standard error are indented and begin with a path, or a number.
func sameSkips(want map[string]string, stderr, dir string) error {
	got := map[string]string{}
	for line := range strings.SplitSeq(stderr, "\n") {
		if rest, ok := strings.CutPrefix(line, "  "+dir); ok {
			path, reason, _ := strings.Cut(rest, ": ")
			got[path] = reason
		}
	}
	for path, reason := range want {
		if !strings.HasPrefix(got[path], reason) || got[path] == "" {
			return fmt.Errorf("%s is skipped because %q, want %q", path, got[path], reason)
		}
	}
	if len(got) != len(want) {
		return fmt.Errorf("skipped %q, want %q", got, want)
	}
	return nil
}

func (p *play) query(ctx context.Context, s *step) error {
	dir := p.path(s.in())
	if s.From != "" {
		dir = s.in()
	}
	args := append([]string{"query"}, s.Args...)
	if s.Mode != "" {
		args = append(args, "--mode", s.Mode)
	}
	o, err := p.run(ctx, s.From, append(args, "--", dir, s.Query)...)
	if err != nil {
		return err
	}
	if s.Error != "" || s.Usage {
		return s.refused(o)
	}
	a, err := s.answer(o, p.dir)
	if err != nil {
		return err
	}
	return s.matches(a, filepath.Clean(p.path(s.in())))
}

func (s *step) in() string {
	if s.In == "" {
		return "."
	}
	return s.In
}

// matches compares an answer's matches with those that should be.
func (s *step) matches(a answer, root string) error {
	var found []string
	last := -1.0
	for _, m := range a.Matches {
		rel, ok := strings.CutPrefix(m.Path, root+"/")
		if !ok {
			return fmt.Errorf("%q is not below %q", m.Path, root)
		}
		found = append(found, rel)
		if s.Short > 0 && len(m.Snippet) > s.Short {
			return fmt.Errorf("a snippet of %d bytes", len(m.Snippet))
		}
		if s.Distance {
			if m.Distance == nil || *m.Distance < last {
				return fmt.Errorf("the distances do not rise: %v", a.Matches)
			}
			last = *m.Distance
		}
	}
	if want := fmt.Sprintf("Found %d files matching '%s' in '", len(found), s.Query); !strings.HasPrefix(a.Message, want) {
		return fmt.Errorf("says %q, want %q", a.Message, want)
	}
	want := slices.Clone(s.Found)
	if s.Any {
		slices.Sort(found)
		slices.Sort(want)
	}
	if (s.Found != nil || s.Has == nil && s.Hasnt == nil) && !slices.Equal(found, want) {
		return fmt.Errorf("found %q, want %q", found, want)
	}
	for _, name := range s.Has {
		if !slices.Contains(found, name) {
			return fmt.Errorf("%q is not among %q", name, found)
		}
	}
	for _, name := range s.Hasnt {
		if slices.Contains(found, name) {
			return fmt.Errorf("%q is among %q", name, found)
		}
	}
	if len(found) > 0 && (s.Snippet != "" && a.Matches[0].Snippet != s.Snippet || s.Line != 0 && a.Matches[0].Line != s.Line) {
		return fmt.Errorf("first match %+v, want line %d, snippet %q", a.Matches[0], s.Line, s.Snippet)
	}
	return nil
}

// sql asks an index's store for one value.
func (p *play) sql(ctx context.Context, s *step) error {
	o, err := p.run(ctx, "", "sql", filepath.Join(p.path(s.in()), ".context.db"), s.SQL, "--format", "csv")
	if err != nil || o.code != 0 {
		return fmt.Errorf("%w: %s", errors.Join(err, errors.New("the statement failed")), o.stderr)
	}
	if _, got, _ := strings.Cut(o.stdout, "\n"); got != s.Value {
		return fmt.Errorf("got %q, want %q", got, s.Value)
	}
	return nil
}

func (p *play) verify(ctx context.Context, dir string) error {
	o, err := p.run(ctx, "", "verify", filepath.Join(p.path(dir), ".context.db"))
	if err == nil && (o.code != 0 || !strings.HasPrefix(o.stdout, `{"ok":true,`)) {
		err = fmt.Errorf("%s%s", o.stdout, o.stderr)
	}
	return err
}
