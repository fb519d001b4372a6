// Command diskfull takes the disk away from a server and gives it back.
//
//	go run ./sqltest/diskfull [-bin omgdb] [-mib 96] [-figures DIR]
//
// Twice: on a tmpfs of the given size, and with a limit on the size of files (ulimit -f) on an ordinary disk. A writer inserts
// until the server says that there is no space: 53100. Then reads go on; after every refusal exactly the acknowledged rows are
// there; large transactions, which spill, are refused in the same way. On the tmpfs a file goes, and writes succeed again without
// a restart. In the end the store is closed, verified, opened again, and has all that was acknowledged.
//
// The tmpfs needs the right to mount; without it the part fails, for a check that is silently left out is none.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"

	"github.com/omgdb/omgdb/sqltest"
	"github.com/omgdb/omgdb/sqltest/floors"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	bin := flag.String("bin", "", "omgdb binary; built when missing")
	mib := flag.Int("mib", 96, "size of the tmpfs, and of the largest file")
	figures := flag.String("figures", "", "folder to write the figures to")
	flag.Parse()
	passed, err := run(ctx, *bin, *mib)
	if err == nil && *figures != "" {
		err = floors.WriteFigures(*figures, "diskfull", floors.Figures{"pass": float64(passed)})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "diskfull:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, bin string, mib int) (passed int, err error) {
	dir, err := os.MkdirTemp("", "omgdb-diskfull-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	if bin == "" {
		if bin, err = sqltest.Build(ctx, dir); err != nil {
			return 0, err
		}
	}
	for _, p := range []struct {
		name string
		run  func(ctx context.Context, bin, dir string, mib int) (string, error)
	}{{"tmpfs", onTmpfs}, {"file size limit", withLimit}} {
		said, err := p.run(ctx, bin, filepath.Join(dir, fmt.Sprint(passed)), mib)
		if err != nil {
			return passed, fmt.Errorf("%s: %w", p.name, err)
		}
		fmt.Printf("%-16s %s\n", p.name, said)
		passed++
	}
	return passed, nil
}

// onTmpfs fills a small file system, and frees a part of it.
func onTmpfs(ctx context.Context, bin, dir string, mib int) (said string, err error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", err
	}
	if out, err := exec.CommandContext(ctx, "mount", "-t", "tmpfs", "-o", fmt.Sprintf("size=%dm", mib), "tmpfs", dir).CombinedOutput(); err != nil {
		return "", fmt.Errorf("NOT CHECKED, mounting a tmpfs failed: %w: %s", err, out)
	}
	defer func() {
		if out, uerr := exec.Command("umount", "-l", dir).CombinedOutput(); err == nil && uerr != nil {
			err = fmt.Errorf("umount: %w: %s", uerr, out)
		}
	}()
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, mib<<20/3), 0o600); err != nil {
		return "", err
	}
	s, err := sqltest.Start(bin, filepath.Join(dir, "full.omgdb"))
	if err != nil {
		return "", err
	}
	defer s.Kill()
	w, err := newWriter(ctx, s.URL)
	if err != nil {
		return "", err
	}
	if err := w.fill(ctx); err != nil {
		return "", err
	}
	full := w.rows
	if err := os.Remove(ballast); err != nil {
		return "", err
	}
	if err := w.recover(ctx); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d rows until 53100, %d refusals, writes again after space came, %d rows in the end", full, w.refused, w.rows), w.close(ctx, bin, s)
}

// withLimit gives the server a limit on the size of each of its files, and takes it away by a restart.
func withLimit(ctx context.Context, bin, dir string, mib int) (string, error) {
	path := filepath.Join(dir, "limit.omgdb")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", err
	}
	limited := filepath.Join(dir, "limited")
	script := fmt.Sprintf("#!/bin/bash\nulimit -f %d\nexec '%s' \"$@\"\n", mib<<10/2, bin)
	if err := os.WriteFile(limited, []byte(script), 0o700); err != nil {
		return "", err
	}
	s, err := sqltest.Start(limited, path)
	if err != nil {
		return "", err
	}
	defer s.Kill()
	w, err := newWriter(ctx, s.URL)
	if err != nil {
		return "", err
	}
	if err := w.fill(ctx); err != nil {
		return "", fmt.Errorf("%w; log: %s", err, s.Log())
	}
	full := w.rows
	if err := w.close(ctx, bin, s); err != nil {
		return "", err
	}
	if s, err = sqltest.Start(bin, path); err != nil {
		return "", err
	}
	defer s.Kill()
	if err := w.connect(ctx, s.URL); err != nil {
		return "", err
	}
	if err := w.recover(ctx); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d rows until 53100, %d refusals, writes again without the limit, %d rows in the end", full, w.refused, w.rows), w.close(ctx, bin, s)
}
