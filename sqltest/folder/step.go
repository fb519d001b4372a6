package main

import (
	"context"
	"encoding/hex"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// step is one thing that happens in a case. Exactly one of the verbs, the first group, is given. Paths are relative to the case's folder;
// \xNN in them stands for a byte.
type step struct {
	Write  string `json:"write,omitempty"`  // a file, with the folders above it
	Append string `json:"append,omitempty"` // more of a file
	Link   string `json:"link,omitempty"`   // a symbolic link To
	Fifo   string `json:"fifo,omitempty"`
	Socket string `json:"socket,omitempty"`
	Folder string `json:"folder,omitempty"`
	Remove string `json:"remove,omitempty"` // with everything below
	Rename string `json:"rename,omitempty"` // To
	Chmod  string `json:"chmod,omitempty"`  // to Mode
	Touch  string `json:"touch,omitempty"`  // sets the time of the last change to the year 2000
	Keep   string `json:"keep,omitempty"`   // writes a file of the same length, and sets back the time of its last change
	Tree   int    `json:"tree,omitempty"`   // so many files t/NNN.txt, each with the words common and wordNNN
	Index  string `json:"index,omitempty"`  // the folder to be indexed; ∅ with From is the empty text
	Query  string `json:"query,omitempty"`  // the text to look for In a folder
	SQL    string `json:"sql,omitempty"`    // a statement for the index In a folder, that gives one value
	Verify string `json:"verify,omitempty"` // the folder whose index is checked
	Crowd  int    `json:"crowd,omitempty"`  // so many index runs of In at once, with queries for Text meanwhile
	Kill   int    `json:"kill,omitempty"`   // so many first index runs of In that are killed, each at a later moment
	Swap   string `json:"swap,omitempty"`   // during index runs of In this file goes and comes

	Watch  string `json:"watch,omitempty"` // during index --watch of this folder the steps of During are taken; queries may take a while to hold
	During []step `json:"during,omitempty"`

	Text   string   `json:"text,omitempty"`
	Hex    string   `json:"hex,omitempty"`
	Repeat int      `json:"repeat,omitempty"` // so many times Text or Hex in front of Tail
	Tail   string   `json:"tail,omitempty"`
	To     string   `json:"to,omitempty"`
	Mode   string   `json:"mode,omitempty"` // octal for chmod, else the mode of a query
	In     string   `json:"in,omitempty"`   // "." when missing
	From   string   `json:"from,omitempty"` // the working directory of a command
	Args   []string `json:"args,omitempty"`

	// What a command must say.
	Files    *int              `json:"files,omitempty"`   // that are indexed
	Skipped  map[string]string `json:"skipped,omitempty"` // path and reason of all that were skipped; nil: not checked
	Found    []string          `json:"found,omitempty"`   // paths, in this order; with Any, in any order
	Any      bool              `json:"any,omitempty"`
	Has      []string          `json:"has,omitempty"`      // paths that are among those found
	Hasnt    []string          `json:"hasnt,omitempty"`    // paths that are not
	Snippet  string            `json:"snippet,omitempty"`  // of the first match
	Line     int               `json:"line,omitempty"`     // of the first match
	Short    int               `json:"short,omitempty"`    // the longest that a snippet may be, in bytes
	Message  string            `json:"message,omitempty"`  // the whole message; {} stands for the case's folder
	Warning  string            `json:"warning,omitempty"`  // a part of the warning; without it there must be none
	Error    string            `json:"error,omitempty"`    // a part of standard error; the exit code is 1
	Usage    bool              `json:"usage,omitempty"`    // the exit code is 2
	Value    string            `json:"value,omitempty"`    // of SQL
	Distance bool              `json:"distance,omitempty"` // every match has one, and they rise
}

// verbs are the steps that change files.
var verbs = []struct {
	of func(s *step) string
	do func(s *step, path, to string) error
}{
	{func(s *step) string { return s.Write }, (*step).write},
	{func(s *step) string { return s.Append }, (*step).more},
	{func(s *step) string { return s.Link }, func(s *step, path, _ string) error { return os.Symlink(s.To, path) }},
	{func(s *step) string { return s.Fifo }, func(_ *step, path, _ string) error { return syscall.Mkfifo(path, 0o644) }},
	{func(s *step) string { return s.Socket }, func(_ *step, path, _ string) error { return socket(path) }},
	{func(s *step) string { return s.Folder }, func(_ *step, path, _ string) error { return os.MkdirAll(path, 0o755) }},
	{func(s *step) string { return s.Remove }, func(_ *step, path, _ string) error { return os.RemoveAll(path) }},
	{func(s *step) string { return s.Rename }, func(_ *step, path, to string) error { return os.Rename(path, to) }},
	{func(s *step) string { return s.Chmod }, (*step).chmod},
	{func(s *step) string { return s.Touch }, func(_ *step, path, _ string) error { return os.Chtimes(path, y2k, y2k) }},
	{func(s *step) string { return s.Keep }, (*step).keep},
}

var y2k = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// do plays one step and gives the number of checks that it made.
func (p *play) do(ctx context.Context, s *step) (checks int, err error) {
	for _, v := range verbs {
		if name := v.of(s); name != "" {
			return 0, v.do(s, p.path(name), p.path(s.To))
		}
	}
	switch {
	case s.Tree > 0:
		return 0, p.tree(s.Tree)
	case s.Index != "":
		return 1, p.index(ctx, s)
	case s.SQL != "":
		return 1, p.sql(ctx, s)
	case s.Verify != "":
		return 1, p.verify(ctx, s.Verify)
	case s.Crowd > 0:
		return p.crowd(ctx, s)
	case s.Kill > 0:
		return p.kills(ctx, s)
	case s.Watch != "":
		return p.watch(ctx, s)
	case s.Swap != "":
		return p.swap(ctx, s)
	}
	return 1, p.query(ctx, s)
}

// path is a step's path in the case's folder.
func (p *play) path(name string) string {
	raw, err := strconv.Unquote(`"` + strings.NewReplacer(`"`, `\"`, "\n", `\n`).Replace(name) + `"`)
	if err != nil {
		raw = name
	}
	return p.dir + "/" + raw // not cleaned: "x/" is a case
}

func (s *step) content() ([]byte, error) {
	text := []byte(s.Text)
	if s.Hex != "" {
		var err error
		if text, err = hex.DecodeString(strings.ReplaceAll(s.Hex, " ", "")); err != nil {
			return nil, err
		}
	}
	return []byte(strings.Repeat(string(text), max(1, s.Repeat)) + s.Tail), nil
}

func (s *step) write(path, _ string) error {
	text, err := s.content()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}

func (s *step) more(path, _ string) error {
	text, err := s.content()
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.Write(text)
	return err
}

func (s *step) chmod(path, _ string) error {
	mode, err := strconv.ParseUint(s.Mode, 8, 32)
	if err != nil {
		return err
	}
	return os.Chmod(path, os.FileMode(mode))
}

// keep changes a file in such a way that its length and the time of its last change tell nothing.
func (s *step) keep(path, _ string) error {
	before, err := os.Stat(path)
	if err != nil {
		return err
	}
	if int64(len(s.Text)) != before.Size() {
		return fmt.Errorf("keep: %d bytes do not take the place of %d", len(s.Text), before.Size())
	}
	if err := os.WriteFile(path, []byte(s.Text), 0o644); err != nil {
		return err
	}
	return os.Chtimes(path, before.ModTime(), before.ModTime())
}

// socket leaves a socket behind that nobody listens at.
func socket(path string) error {
	// The name of a socket is short: it is made under a short one first.
	tmp, err := os.MkdirTemp("", "s")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(tmp, "s"), Net: "unix"})
	if err != nil {
		return err
	}
	l.SetUnlinkOnClose(false)
	defer l.Close()
	return os.Rename(filepath.Join(tmp, "s"), path)
}

func (p *play) tree(files int) error {
	for i := range files {
		text := fmt.Sprintf("common word%03d\n%s", i, strings.Repeat(fmt.Sprintf("line %d of some text that is long enough to take a while\n", i), 200))
		if err := (&step{Text: text}).write(p.path(fmt.Sprintf("t/%03d.txt", i)), ""); err != nil {
			return err
		}
	}
	return nil
}
