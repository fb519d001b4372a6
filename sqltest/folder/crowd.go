package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// crowd runs several index commands at once and asks meanwhile: all must succeed, and in the end the index is whole.
func (p *play) crowd(ctx context.Context, s *step) (checks int, err error) {
	done := make(chan error, s.Crowd)
	for range s.Crowd {
		cmd, err := p.command(ctx, "", "index", p.path(s.in()))
		if err != nil {
			return checks, err
		}
		go func() {
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			err := cmd.Run()
			if err != nil {
				err = fmt.Errorf("index: %w: %s", err, stderr.String())
			}
			done <- err
		}()
	}
	for left := s.Crowd; left > 0; {
		select {
		case err := <-done:
			if err != nil {
				return checks, err
			}
			left--
			checks++
			continue
		default:
		}
		o, err := p.run(ctx, "", "query", p.path(s.in()), s.Text)
		if err != nil {
			return checks, err
		}
		if o.code != 0 && !strings.Contains(o.stderr, "is not indexed") { // as long as nobody has made the store
			return checks, fmt.Errorf("a query meanwhile: %s", o.stderr)
		}
	}
	return checks + 1, p.verify(ctx, s.in())
}

// kills lets a first run be killed at moments spread over the time that a whole one takes. After each, the store verifies, a query works
// or says that there is no index, and the next run completes it.
func (p *play) kills(ctx context.Context, s *step) (checks int, err error) {
	store := filepath.Join(p.path(s.in()), ".context.db")
	begun := time.Now()
	want, err := p.run(ctx, "", "index", p.path(s.in()))
	if err != nil || want.code != 0 {
		return 0, fmt.Errorf("%w: %s", errors.Join(err, errors.New("the first run failed")), want.stderr)
	}
	whole := time.Since(begun)
	for i := range s.Kill {
		if err := os.RemoveAll(store); err != nil {
			return checks, err
		}
		if err := p.killed(ctx, s, whole*time.Duration(i+1)/time.Duration(s.Kill+1)); err != nil {
			return checks, err
		}
		o, err := p.run(ctx, "", "query", p.path(s.in()), s.Text)
		if err != nil || o.code != 0 && !strings.Contains(o.stderr, "is not indexed") {
			return checks, fmt.Errorf("a query after kill %d: %w: %s", i, errors.Join(err, errors.New("failed")), o.stderr)
		}
		if o, err = p.run(ctx, "", "index", p.path(s.in())); err != nil || o.stdout != want.stdout {
			return checks, fmt.Errorf("after kill %d: %w: %s%s, want %s", i, errors.Join(err, errors.New("another outcome")), o.stdout, o.stderr, want.stdout)
		}
		if err := p.verify(ctx, s.in()); err != nil {
			return checks, err
		}
		checks += 3
	}
	return checks, nil
}

// killed starts an index run and kills it after a while.
func (p *play) killed(ctx context.Context, s *step, after time.Duration) error {
	cmd, err := p.command(ctx, "", "index", p.path(s.in()))
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
	case <-time.After(after):
	}
	_ = cmd.Process.Kill()
	var exit *exec.ExitError
	if err := cmd.Wait(); err != nil && !errors.As(err, &exit) {
		return err
	}
	return ctx.Err()
}

// swap makes a file come and go while the folder is indexed again and again: each run succeeds, and in the end there is what is there.
func (p *play) swap(ctx context.Context, s *step) (checks int, err error) {
	sctx, stop := context.WithCancel(ctx)
	gone := make(chan error, 1)
	go func() {
		for i := 0; ; i++ {
			err := (&step{Text: strings.Repeat("comes and goes ", i%50)}).write(p.path(s.Swap), "")
			if err == nil {
				err = os.RemoveAll(p.path(s.Swap))
			}
			if err != nil || sctx.Err() != nil {
				gone <- err
				return
			}
		}
	}()
	for range 5 {
		o, rerr := p.run(ctx, "", "index", p.path(s.in()))
		if rerr == nil && o.code != 0 {
			rerr = errors.New(o.stderr)
		}
		if rerr != nil {
			err = rerr
			break
		}
		checks++
	}
	stop()
	if gerr := <-gone; err == nil {
		err = gerr
	}
	return checks, err
}

// patience is how long a watch may take to show a change.
const patience = 20 * time.Second

// watch takes steps while a folder is watched: each query becomes true soon, without another index run. In the end the watch is
// interrupted, and ends well.
func (p *play) watch(ctx context.Context, s *step) (checks int, err error) {
	cmd, err := p.command(ctx, "", "index", "--watch", p.path(s.Watch))
	if err != nil {
		return 0, err
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	defer cmd.Process.Kill()
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || !strings.HasPrefix(line, `{"message":"Indexed `) {
		return 0, fmt.Errorf("the watch says %q: %v: %s", line, err, stderr.String())
	}
	go io.Copy(io.Discard, out)
	for i := range s.During {
		begun := time.Now()
		n, err := p.do(ctx, &s.During[i])
		for err != nil && s.During[i].isQuery() && time.Since(begun) < patience && ctx.Err() == nil {
			time.Sleep(100 * time.Millisecond)
			n, err = p.do(ctx, &s.During[i])
		}
		if err != nil {
			return checks, fmt.Errorf("while it is watched, step %d: %w: %s", i+1, err, stderr.String())
		}
		checks += n
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		return checks, err
	}
	if err := cmd.Wait(); err != nil {
		return checks, fmt.Errorf("the interrupted watch: %w: %s", err, stderr.String())
	}
	return checks + 1, nil
}

// isQuery tells whether a step asks: it has none of the verbs.
func (s *step) isQuery() bool { return s.Query != "" }
