// Command with runs another command against a fresh omgdb and passes on its exit code.
//
//	go run ./sqltest/with [-bin omgdb] [-store PATH] -- go run ./sqltest/ir -dsn {dsn} -set scifact
//
// With -store the server serves that store, which stays. {dsn}, {bin} and {pid} in the command's words are replaced. Afterwards the server must still be alive, end by
// SIGTERM with exit code 0, and leave a store that `omgdb verify` finds clean; else the exit code is 3.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/omgdb/omgdb/sqltest"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	bin := flag.String("bin", "", "omgdb binary; built when missing")
	store := flag.String("store", "", "store to serve; default a new one that is removed in the end")
	flag.Parse()
	code, err := run(ctx, *bin, *store, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "with:", err)
		code = 3
	}
	os.Exit(code)
}

func run(ctx context.Context, bin, store string, words []string) (code int, err error) {
	if len(words) == 0 {
		return 0, errors.New("a command is wanted")
	}
	dir, err := os.MkdirTemp("", "omgdb-with-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	if bin == "" {
		if bin, err = sqltest.Build(ctx, dir); err != nil {
			return 0, err
		}
	}
	s, err := sqltest.Start(bin, cmp.Or(store, filepath.Join(dir, "store.omgdb")))
	if err != nil {
		return 0, err
	}
	defer s.Kill()
	replace := strings.NewReplacer("{dsn}", s.URL, "{bin}", bin, "{pid}", strconv.Itoa(s.Pid()))
	for i := range words {
		words[i] = replace.Replace(words[i])
	}
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return 0, err
	}
	code = cmd.ProcessState.ExitCode()
	if err := s.Stop(); err != nil {
		return 0, err
	}
	if out, err := exec.CommandContext(ctx, bin, "verify", s.Path).CombinedOutput(); err != nil {
		return 0, fmt.Errorf("verify: %w: %s", err, out)
	}
	return code, nil
}
