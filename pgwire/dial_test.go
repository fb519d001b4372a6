package pgwire

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/dberr"
)

// TestDial: a store that nobody has is opened here; one that is served is reached through its socket, and both see the same rows.
func TestDial(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "app.omgdb")
	if _, _, err := Dial(ctx, path); dberr.Code(err) != dberr.UndefinedFile {
		t.Fatalf("a missing store: %v", err)
	}
	c, done, err := DialWith(ctx, path, DialOptions{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	exec(t, c, "CREATE TABLE d (i int)")
	exec(t, c, "INSERT INTO d VALUES (1)")
	if err := done(); err != nil {
		t.Fatal(err)
	}

	socket, err := SocketPath(path, 5433)
	if err != nil {
		t.Fatal(err)
	}
	l, err := Open(ctx, path, LocalOptions{
		Logger: slog.New(slog.NewTextHandler(io.Discard, nil)), Storage: storage.Options{Command: "the test", Socket: socket},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	lis, err := ListenSocket(socket)
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = l.Server.Serve(lis) }()
	if info, err := os.Stat(socket); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the socket's rights: %v, %v", info.Mode(), err)
	}
	c, done, err = Dial(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	want(t, "through the socket", rows(t, c, "SELECT i FROM d"), "[1]")
	want(t, "sessions of the server", l.Sessions.Sessions(), 1)
	if err := done(); err != nil {
		t.Fatal(err)
	}
}

// TestDialHeld: a holder that serves nobody is named, after a wait that a context ends.
func TestDialHeld(t *testing.T) {
	path := filepath.Join(t.TempDir(), "held.omgdb")
	db, err := storage.Create(path, storage.Options{Command: "somebody else"})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	if _, _, err := Dial(ctx, path); !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, storage.ErrHeld) {
		t.Errorf("got %v", err)
	}
	_, err = Open(context.Background(), path, LocalOptions{Storage: storage.Options{LockTimeout: time.Millisecond}})
	if !errors.Is(err, storage.ErrHeld) || !strings.Contains(err.Error(), "somebody else") {
		t.Errorf("the holder is not named: %v", err)
	}
}

// TestSocketPath: a path that is too long for a socket moves to a directory of the user's own, the same each time.
func TestSocketPath(t *testing.T) {
	short, err := SocketPath("/tmp/a", 1)
	if err != nil || short != "/tmp/a/.s.PGSQL.1" {
		t.Errorf("got %q, %v", short, err)
	}
	long := "/tmp/" + strings.Repeat("x", 200)
	a, err := SocketPath(long, 1)
	b, _ := SocketPath(long, 1)
	c, _ := SocketPath(long+"y", 1)
	if err != nil || len(a) > maxSocketPath || a != b || a == c {
		t.Errorf("got %q, %q, %q, %v", a, b, c, err)
	}
}

func TestMajor(t *testing.T) {
	for in, out := range map[string]string{"0.1.0": "0.1", "0.2.9": "0.2", "1.4.2": "1", "12": "12"} {
		want(t, in, major(in), out)
	}
}
