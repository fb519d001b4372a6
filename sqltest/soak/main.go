// Command soak lets connections come and go at random, behave badly while they are there, and leave in every way there is; then
// nothing of them may be left: no session, lock, temporary table, goroutine, file or memory. Other sessions work meanwhile.
//
//	go run ./sqltest/soak -bin omgdb [-connections 500] [-span 10s]
//
// Goroutines, files and memory are read from the server's /metrics.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/omgdb/omgdb/sqltest"
	"github.com/omgdb/omgdb/sqltest/floors"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	s := &soak{}
	flag.StringVar(&s.bin, "bin", "", "omgdb binary")
	flag.IntVar(&s.connections, "connections", 500, "connections at a time")
	flag.DurationVar(&s.span, "span", 10*time.Second, "how long they come and go")
	figures := flag.String("figures", "", "folder to write the figures to")
	flag.Parse()
	err := s.run(ctx)
	if err == nil && *figures != "" {
		err = floors.WriteFigures(*figures, "soak", floors.Figures{"rounds": 1})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

// soak is one run.
type soak struct {
	bin         string
	connections int
	span        time.Duration

	url, metrics string
	counts       [len(manners)]atomic.Int64
	refused      atomic.Int64 // connections that the server had no room for
}

func (s *soak) run(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "omgdb-soak-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s.metrics = l.Addr().String()
	l.Close()
	srv, err := sqltest.Start(s.bin, filepath.Join(dir, "store.omgdb"), "--metrics", s.metrics, "--set", "max_connections="+strconv.Itoa(s.connections*9/10))
	if err != nil {
		return err
	}
	defer srv.Kill()
	s.url = srv.URL
	if err := s.healthy(); err != nil {
		return err
	}
	if err := s.setup(ctx); err != nil {
		return err
	}
	if err := s.storm(ctx, 2*time.Second); err != nil { // pools, caches and stacks get their size
		return err
	}
	before, err := s.calm(ctx, nil)
	if err != nil {
		return err
	}
	if err := s.storm(ctx, s.span); err != nil {
		return err
	}
	after, err := s.calm(ctx, before)
	if err != nil {
		return err
	}
	for i := range manners {
		fmt.Printf("%-28s %d\n", manners[i].name, s.counts[i].Load())
	}
	fmt.Printf("%-28s %d\n", "no room", s.refused.Load())
	fmt.Printf("goroutines %.0f → %.0f, files %.0f → %.0f, heap %.1f → %.1f MiB\n", before.goroutines, after.goroutines, before.files, after.files, before.heap/(1<<20), after.heap/(1<<20))
	if err := s.healthy(); err != nil {
		return err
	}
	return srv.Stop()
}

func (s *soak) healthy() error {
	body, err := s.get("/healthz")
	if err == nil && body != "ok\n" {
		err = fmt.Errorf("/healthz says %q", body)
	}
	return err
}

func (s *soak) get(path string) (string, error) {
	r, err := http.Get("http://" + s.metrics + path)
	if err != nil {
		return "", err
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err == nil && r.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", path, r.Status)
	}
	return string(b), err
}

// tables are what the storm works on: rows of the table say 0, and stay so, for every change is taken back or lost with its session.
const (
	rows   = 1000
	tables = "CREATE TABLE soak (id int PRIMARY KEY, n int NOT NULL); INSERT INTO soak SELECT g, 0 FROM generate_series(1, 1000) g; CREATE TABLE tally (n int); INSERT INTO tally VALUES (0)"
)

func (s *soak) setup(ctx context.Context) error {
	c, err := pgx.Connect(ctx, s.url)
	if err != nil {
		return err
	}
	defer c.Close(ctx)
	_, err = c.PgConn().Exec(ctx, tables).ReadAll()
	return err
}

// storm keeps connections coming and going for a while. Beside them a well-behaved session counts: it must never wait for long.
func (s *soak) storm(ctx context.Context, span time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, span+time.Minute)
	defer cancel()
	good, err := pgx.Connect(ctx, s.url)
	if err != nil {
		return err
	}
	defer good.Close(ctx)
	end := time.Now().Add(span)
	var wg sync.WaitGroup
	errs := make(chan error, s.connections+1)
	for i := range s.connections {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(i), uint64(time.Now().UnixNano())))
			for time.Now().Before(end) {
				if err := s.guest(ctx, r); err != nil {
					errs <- err
					return
				}
			}
		})
	}
	wg.Go(func() {
		for n := 0; time.Now().Before(end); n++ {
			start := time.Now()
			var sum int
			if err := good.QueryRow(ctx, "SELECT sum(n) FROM soak").Scan(&sum); err != nil || sum != 0 {
				errs <- fmt.Errorf("the well-behaved session saw the sum %d, want 0 (%w)", sum, errors.Join(err))
				return
			}
			if _, err := good.Exec(ctx, "UPDATE tally SET n = n + 1"); err != nil {
				errs <- fmt.Errorf("the well-behaved session: %w", err)
				return
			}
			if took := time.Since(start); took > 20*time.Second {
				errs <- fmt.Errorf("the well-behaved session waited %s", took)
				return
			}
			time.Sleep(time.Millisecond) // it is a client, not a load
		}
	})
	wg.Wait()
	close(errs)
	return <-errs // nil when there is none
}

// state is what the server has in use.
type state struct{ goroutines, files, heap, sessions float64 }

// calm waits until what the connections had is gone, and fails with what is left when it stays. before is the state to come back to.
func (s *soak) calm(ctx context.Context, before *state) (*state, error) {
	deadline := time.Now().Add(30 * time.Second)
	for {
		now, left, err := s.left(ctx)
		if err != nil {
			return nil, err
		}
		if before != nil {
			if now.goroutines > before.goroutines+5 {
				left = append(left, fmt.Sprintf("%.0f goroutines, %.0f before", now.goroutines, before.goroutines))
			}
			if now.files > before.files+5 {
				left = append(left, fmt.Sprintf("%.0f open files, %.0f before", now.files, before.files))
			}
			if now.heap > before.heap+32<<20 {
				left = append(left, fmt.Sprintf("%.0f MiB in use, %.0f before", now.heap/(1<<20), before.heap/(1<<20)))
			}
		}
		if len(left) == 0 {
			return now, nil
		}
		if time.Now().After(deadline) {
			return nil, errors.New("left behind: " + strings.Join(left, "; "))
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// remains are queries that count what connections can leave in the catalogs.
var remains = []struct{ what, sql string }{
	{"sessions", "SELECT count(*) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"},
	{"locks", "SELECT count(*) FROM pg_locks WHERE pid <> pg_backend_pid()"},
	{"temporary tables", "SELECT count(*) FROM pg_class WHERE relpersistence = 't'"},
	{"changed rows", "SELECT count(*) FROM soak WHERE n <> 0"},
	{"rows too many or too few", "SELECT abs(count(*) - 1000) FROM soak"},
}

func (s *soak) left(ctx context.Context) (*state, []string, error) {
	c, err := pgx.Connect(ctx, s.url)
	if err != nil {
		return nil, []string{err.Error()}, nil
	}
	var left []string
	for _, r := range remains {
		n := 0
		if err := c.QueryRow(ctx, r.sql).Scan(&n); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", r.sql, err)
		}
		if n != 0 {
			left = append(left, fmt.Sprintf("%d %s", n, r.what))
		}
	}
	c.Close(ctx)
	now, err := s.read()
	return now, left, err
}

// read reads /metrics.
func (s *soak) read() (*state, error) {
	http.DefaultClient.CloseIdleConnections() // of ours, which count as files there
	body, err := s.get("/metrics")
	if err != nil {
		return nil, err
	}
	now := &state{}
	into := map[string]*float64{"go_goroutines": &now.goroutines, "process_open_fds": &now.files, "go_memstats_heap_inuse_bytes": &now.heap, "omgdb_sessions": &now.sessions}
	for sc := bufio.NewScanner(strings.NewReader(body)); sc.Scan(); {
		name, value, _ := strings.Cut(sc.Text(), " ")
		if p := into[name]; p != nil {
			if *p, err = strconv.ParseFloat(value, 64); err != nil {
				return nil, err
			}
			delete(into, name)
		}
	}
	for name := range into {
		return nil, fmt.Errorf("/metrics has no %s", name)
	}
	return now, nil
}
