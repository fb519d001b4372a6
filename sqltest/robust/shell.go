package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// shellChecks are about stores that are none.
var shellChecks = []check{
	{"shell: missing store", shell(func(dir string) string { return filepath.Join(dir, "nosuch.omgdb") })},
	{"shell: a text file as store", shell(func(dir string) string {
		path := filepath.Join(dir, "notes.txt")
		os.WriteFile(path, []byte("not a store\n"), 0o644)
		return path
	})},
	{"shell: a folder of other files as store", shell(func(dir string) string {
		os.WriteFile(filepath.Join(dir, "store.db"), []byte("not a store\n"), 0o644)
		return dir
	})},
	{"shell: an empty file as store", shell(func(dir string) string {
		path := filepath.Join(dir, "empty.omgdb")
		os.WriteFile(path, nil, 0o644)
		return path
	})},
}

// shell checks that reading from the store that make prepares ends with exit code 1 and a message that names the path,
// and that what was there is still the same.
func shell(make func(dir string) string) func(context.Context, *env) error {
	return func(ctx context.Context, e *env) error {
		dir, err := os.MkdirTemp("", "omgdb-robust-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		path := make(dir)
		before := listing(dir)
		var stderr bytes.Buffer
		cmd := exec.CommandContext(ctx, e.bin, "find", path, "docs", "{}")
		cmd.Stderr = &stderr
		err = cmd.Run()
		message := strings.TrimSpace(stderr.String())
		switch {
		case err == nil:
			return fmt.Errorf("exit code 0")
		case cmd.ProcessState.ExitCode() != 1:
			return fmt.Errorf("exit code %d, want 1: %s", cmd.ProcessState.ExitCode(), message)
		case !strings.HasPrefix(message, "omgdb: ") || strings.Contains(strings.ReplaceAll(message, "\n  ", ""), "\n"):
			return fmt.Errorf("message %q, want a line that starts with %q, and details indented", message, "omgdb: ")
		case !strings.Contains(message, path):
			return fmt.Errorf("message %q does not name %s", message, path)
		case listing(dir) != before:
			return fmt.Errorf("files changed from %s to %s", before, listing(dir))
		}
		return nil
	}
}

// listing is the names and contents below a folder.
func listing(dir string) string {
	var out []string
	filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			text, _ := os.ReadFile(path)
			out = append(out, fmt.Sprintf("%s=%q", filepath.Base(path), text))
		}
		return nil
	})
	return strings.Join(out, " ")
}
