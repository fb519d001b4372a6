// Package sqltest starts servers for the suites below it and checks the rules of the house.
//
// The suites (slt, cases, wire, ir, bench, crash) speak to a server by its connection string alone, so each also runs
// on PostgreSQL. Here is what gives them an omgdb: the built binary serving a temporary store.
package sqltest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Build compiles cmd/omgdb into dir and returns the binary's path.
func Build(ctx context.Context, dir string) (string, error) {
	root, err := moduleRoot()
	if err != nil {
		return "", err
	}
	bin := filepath.Join(dir, "omgdb")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", bin, "./cmd/omgdb")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build omgdb: %w\n%s", err, out)
	}
	return bin, nil
}

// moduleRoot is the folder of go.mod at or above the working directory.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("no go.mod at or above the working directory")
		}
		dir = parent
	}
}

// Server is an omgdb process that serves a store. Its owner ends it with Stop or Kill.
type Server struct {
	URL  string // as the ready line gives it
	Path string // of the store
	cmd  *exec.Cmd
	log  *tail
	done chan struct{} // closed when the process has ended
	err  error         // how it ended; valid once done is closed
}

// startTimeout is the time that a server has for its ready line; replay after a crash counts into it.
const startTimeout = 60 * time.Second

var urlPattern = regexp.MustCompile(`postgres(?:ql)?://[^\s'"]+`)

// Start serves the store at path, which it makes when it is missing, on a free port, and waits for the ready line.
func Start(bin, path string, args ...string) (*Server, error) {
	serve := append([]string{"serve", path, "--create", "--listen", "127.0.0.1:0"}, args...)
	s := &Server{Path: path, cmd: exec.Command(bin, serve...), log: &tail{}, done: make(chan struct{})}
	s.cmd.Stderr = s.log
	s.cmd.WaitDelay = 5 * time.Second // do not wait for children of the server that keep its stderr open
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	ready := make(chan string, 1)
	go s.watch(stdout, ready)
	select {
	case line := <-ready:
		s.URL = urlPattern.FindString(line)
		if s.URL == "" {
			s.Kill()
			return nil, fmt.Errorf("serve: the ready line %q has no URL; log: %s", line, s.log)
		}
		return s, nil
	case <-time.After(startTimeout):
		s.Kill()
		return nil, fmt.Errorf("serve: no ready line within %s; log: %s", startTimeout, s.log)
	}
}

// watch hands over the first line of the output, drains the rest, and waits for the end.
func (s *Server) watch(stdout io.Reader, ready chan<- string) {
	r := bufio.NewReader(stdout)
	line, _ := r.ReadString('\n')
	ready <- line
	io.Copy(io.Discard, r)
	s.err = s.cmd.Wait()
	close(s.done)
}

// Pid is the server's process id.
func (s *Server) Pid() int { return s.cmd.Process.Pid }

// Log is the end of what the server logged.
func (s *Server) Log() string { return s.log.String() }

// Kill ends the process at once, as a crash does, and waits until it is gone.
func (s *Server) Kill() {
	s.cmd.Process.Kill()
	<-s.done
}

// Stop asks the server to drain and fails when it does not end with exit code 0 in time.
func (s *Server) Stop() error {
	s.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-s.done:
	case <-time.After(startTimeout):
		s.Kill()
		return fmt.Errorf("serve did not end within %s of SIGTERM; log: %s", startTimeout, s.log)
	}
	if s.err != nil {
		return fmt.Errorf("serve ended with %w; log: %s", s.err, s.log)
	}
	return nil
}

// tail keeps the last part of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const tailBytes = 8 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if extra := len(t.text) - tailBytes; extra > 0 {
		t.text = append(t.text[:0], t.text[extra:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.text))
}
