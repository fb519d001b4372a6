package pgwire

import (
	"context"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/session"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/kv/mem"
	"github.com/omgdb/omgdb/storage/value"
)

// endless runs until somebody stops it.
const endless = "SELECT count(*) FROM generate_series(1, 1000000) a, generate_series(1, 1000000) b"

// openWith is openTest with settings and further functions.
func openWith(t testing.TB, settings map[string]string, more ...*functions.Scalar) (*Local, *strings.Builder) {
	t.Helper()
	registry, err := newRegistry()
	if err != nil {
		t.Fatal(err)
	}
	if registry, err = registry.With(functions.Entries{Scalars: more}); err != nil {
		t.Fatal(err)
	}
	db, err := storage.Create("", storage.Options{Engine: mem.New()})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	var mu sync.Mutex
	log := slog.New(slog.NewTextHandler(lockedWriter{&mu, &out}, nil))
	sessions, err := session.New(db, session.Options{Registry: registry, Logger: log, Settings: settings})
	if err != nil {
		t.Fatal(err)
	}
	l := &Local{DB: db, Sessions: sessions, Server: New(sessions, Options{Logger: log})}
	t.Cleanup(func() { _ = l.Close() })
	return l, &out
}

type lockedWriter struct {
	mu *sync.Mutex
	w  io.Writer
}

func (l lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

// TestPanic: a panic in a statement is an error of that statement; its session goes on, and so do the others.
func TestPanic(t *testing.T) {
	boom := &functions.Scalar{OID: 9990, Name: "boom", Ret: value.Int4, Volatility: functions.Volatile,
		Eval: func(context.Context, *functions.Call, []value.Value) (value.Value, error) { panic("boom") }}
	l, out := openWith(t, nil, boom)
	a, b := connectTest(t, l), connectTest(t, l)
	exec(t, a, "BEGIN")
	want(t, "the panic", code(a, "SELECT boom()"), dberr.InternalError)
	want(t, "the block", code(a, "SELECT 1"), dberr.InFailedSQLTransaction)
	exec(t, a, "ROLLBACK")
	want(t, "simple protocol", code(a, "SELECT boom()", pgx.QueryExecModeSimpleProtocol), dberr.InternalError)
	want(t, "the session", rows(t, a, "SELECT 1"), "[1]")
	want(t, "another session", rows(t, b, "SELECT 1"), "[1]")
	if s := out.String(); !strings.Contains(s, "SELECT boom()") || !strings.Contains(s, "TestPanic") {
		t.Errorf("the log does not say where the panic came from: %s", s)
	}
}

func TestCancelAndTimeouts(t *testing.T) {
	l := openTest(t)
	c := connectTest(t, l)
	key := c.PgConn()
	for _, sql := range []string{endless, "BEGIN", endless} {
		if sql == "BEGIN" {
			exec(t, c, sql)
			continue
		}
		done := make(chan string)
		go func() { done <- code(c, sql) }()
		// Cancel until it takes: before the statement runs a request has no effect.
		for got := ""; got == ""; {
			l.Sessions.Cancel(int32(key.PID()), []byte("wrong"))
			l.Sessions.Cancel(int32(key.PID()), key.SecretKey())
			select {
			case got = <-done:
				want(t, "cancelled", got, dberr.QueryCanceled)
			case <-time.After(5 * time.Millisecond):
			}
		}
	}
	want(t, "the block", code(c, "SELECT 1"), dberr.InFailedSQLTransaction)
	exec(t, c, "ROLLBACK")
	exec(t, c, "SET statement_timeout = '30ms'")
	want(t, "timeout", code(c, endless), dberr.QueryCanceled)
	want(t, "timeout, simple", code(c, endless, pgx.QueryExecModeSimpleProtocol), dberr.QueryCanceled)
	exec(t, c, "RESET statement_timeout")
	want(t, "afterwards", rows(t, c, "SELECT 1"), "[1]")
}

// TestIdleTimeouts: a client that says nothing for too long loses its session, with the reason.
func TestIdleTimeouts(t *testing.T) {
	l := openTest(t)
	for setting, wantCode := range map[string]string{"idle_session_timeout": "57P05", "idle_in_transaction_session_timeout": dberr.IdleInTransactionTimeout} {
		c := connectTest(t, l)
		exec(t, c, "SET "+setting+" = '30ms'")
		if wantCode == dberr.IdleInTransactionTimeout {
			exec(t, c, "BEGIN")
		}
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		_, err := c.WaitForNotification(ctx)
		cancel()
		want(t, setting, codeOf(err), wantCode)
	}
}

func TestTooManyClients(t *testing.T) {
	l, _ := openWith(t, map[string]string{"max_connections": "2"})
	a := connectTest(t, l)
	connectTest(t, l)
	_, err := l.Connect(context.Background(), DialOptions{})
	want(t, "the third", codeOf(err), dberr.TooManyConnections)
	_ = a.Close(context.Background())
	for deadline := time.Now().Add(5 * time.Second); l.Sessions.Sessions() == 2 && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	connectTest(t, l)
}

func TestUnknownDatabase(t *testing.T) {
	l := openTest(t)
	client := l.Pipe()
	defer client.Close()
	if _, err := client.Write(startup("user", "postgres", "database", "nosuch")); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(client)
	if err != nil || !strings.Contains(string(got), "C3D000") {
		t.Errorf("got %q, %v", got, err)
	}
}

// TestSlowReader: a client that does not read stops its own query, which takes no more memory, and nobody else's.
func TestSlowReader(t *testing.T) {
	l := openTest(t)
	client := l.Pipe().(*pipeEnd)
	_, _ = client.Write(append(startup("user", "postgres", "database", "omgdb"), message('Q', []byte("SELECT a, b FROM generate_series(1, 1000000) a, generate_series(1, 1000000) b\x00"))...))
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		client.in.mu.Lock()
		full := len(client.in.buf)-client.in.r >= pipeBuffer-flushAt
		client.in.mu.Unlock()
		if full {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the rows do not come")
		}
	}
	c := connectTest(t, l)
	want(t, "another session", rows(t, c, "SELECT 1"), "[1]")
	want(t, "is seen", rows(t, c, "SELECT state FROM pg_stat_activity WHERE query LIKE '%generate_series%' AND query NOT LIKE '%activity%'"), "[active]")
	_ = client.Close()
	for deadline := time.Now().Add(10 * time.Second); l.Sessions.Sessions() > 1; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the session outlives its client")
		}
	}
}

// TestShutdown: idle sessions end at once, a transaction may end first, what doesn't end in time is ended.
func TestShutdown(t *testing.T) {
	l, _ := openWith(t, nil)
	idle, busy, stuck := connectTest(t, l), connectTest(t, l), connectTest(t, l)
	exec(t, busy, "CREATE TABLE s (i int)")
	exec(t, busy, "BEGIN")
	exec(t, stuck, "BEGIN")
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		l.Server.Shutdown(ctx)
		close(done)
	}()
	wait, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	_, err := idle.WaitForNotification(wait)
	want(t, "an idle session", codeOf(err), dberr.AdminShutdown)
	exec(t, busy, "INSERT INTO s VALUES (1)")
	exec(t, busy, "COMMIT")
	_, err = busy.WaitForNotification(wait)
	want(t, "a session whose transaction has ended", codeOf(err), dberr.AdminShutdown)
	select {
	case <-done:
		t.Fatal("the server did not wait for the open transaction")
	default:
	}
	stop()
	_, err = stuck.WaitForNotification(wait)
	want(t, "a session in a transaction", codeOf(err), dberr.AdminShutdown)
	<-done
	if _, err := l.Connect(wait, DialOptions{}); err == nil {
		t.Error("a server that has shut down takes connections")
	}
}

// TestManySessions runs statements of all kinds at the same time, for the race detector.
func TestManySessions(t *testing.T) {
	l := openTest(t)
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = l.Server.Serve(lis) }()
	setup := connectTest(t, l)
	exec(t, setup, "CREATE TABLE m (i int PRIMARY KEY, v int)")
	exec(t, setup, "INSERT INTO m SELECT g, 0 FROM generate_series(1, 8) g")
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			ctx := context.Background()
			c, err := pgx.Connect(ctx, "postgres://postgres@"+lis.Addr().String()+"/omgdb?sslmode=disable")
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close(ctx)
			for i := range 30 {
				if _, err := c.Exec(ctx, "UPDATE m SET v = v + 1 WHERE i = $1", (w+i)%8+1); err != nil {
					t.Error(err)
				}
				if _, err := c.Exec(ctx, "NOTIFY n"); err != nil {
					t.Error(err)
				}
				if _, err := c.Exec(ctx, "LISTEN n"); err != nil {
					t.Error(err)
				}
				if _, err := c.Exec(ctx, "SELECT * FROM pg_stat_activity"); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	wg.Wait()
	want(t, "all updates count", rows(t, setup, "SELECT sum(v) FROM m"), "[240]")
}
