package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// raw opens a session and takes its socket away from the driver.
func raw(ctx context.Context, e *env) (net.Conn, *pgproto3.Frontend, error) {
	conn, err := pgconn.Connect(ctx, e.dsn)
	if err != nil {
		return nil, nil, err
	}
	h, err := conn.Hijack()
	if err != nil {
		return nil, nil, err
	}
	h.Conn.SetDeadline(time.Now().Add(30 * time.Second))
	return h.Conn, h.Frontend, nil
}

// invalidUTF8 sends bytes that are no text: an error, and the session goes on.
func invalidUTF8(ctx context.Context, e *env) error {
	_, err := e.conn.PgConn().Exec(ctx, "SELECT '\xff\xfe'").ReadAll()
	return e.clearError(ctx, err, []string{"22021"})
}

// maxGrowth is how much memory the server may take for a message that has not arrived.
const maxGrowth = 256 << 20

// claims2GiB says that a message of 2 GiB follows and sends 100 bytes of it.
func claims2GiB(ctx context.Context, e *env) error {
	c, _, err := raw(ctx, e)
	if err != nil {
		return err
	}
	defer c.Close()
	return e.claim(c, []byte{'Q'})
}

// startupClaims2GiB does so before any authentication.
func startupClaims2GiB(ctx context.Context, e *env) error {
	cfg, err := pgconn.ParseConfig(e.dsn)
	if err != nil {
		return err
	}
	network, address := pgconn.NetworkAddress(cfg.Host, cfg.Port)
	c, err := net.DialTimeout(network, address, 10*time.Second)
	if err != nil {
		return err
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(30 * time.Second))
	return e.claim(c, nil)
}

// claim sends a head with a length of 2 GiB and wants the connection to end without memory being taken for it.
func (e *env) claim(c net.Conn, head []byte) error {
	before, err := e.resident()
	if err != nil {
		return err
	}
	head = binary.BigEndian.AppendUint32(head, 0x7fffffff)
	if _, err := c.Write(append(head, strings.Repeat("x", 100)...)); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, c); errors.Is(err, os.ErrDeadlineExceeded) {
		return errors.New("the server waits for the rest")
	}
	after, err := e.resident()
	if err == nil && after-before > maxGrowth {
		err = fmt.Errorf("the server took %d MiB for it", (after-before)>>20)
	}
	return err
}

// resident is the server's memory in bytes, 0 when its process is not known.
func (e *env) resident() (int64, error) {
	if e.pid == 0 {
		return 0, nil
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", e.pid))
	if err != nil {
		return 0, err
	}
	pages, err := strconv.ParseInt(strings.Fields(string(text))[1], 10, 64)
	return pages * int64(os.Getpagesize()), err
}

// halfMessage begins a message inside an open transaction and goes away.
func halfMessage(ctx context.Context, e *env) error {
	c, f, err := raw(ctx, e)
	if err != nil {
		return err
	}
	defer c.Close()
	f.Send(&pgproto3.Query{String: `BEGIN; INSERT INTO robust_docs (_id, doc) VALUES ('half', '{"_id": "half", "text": "x", "n": 5}')`})
	if err := f.Flush(); err != nil {
		return err
	}
	if err := untilReady(f); err != nil {
		return err
	}
	_, err = c.Write([]byte{'Q', 0, 0, 0, 100, 'S', 'E'})
	return err
}

// unreadAnswers asks for far more than any buffer holds, reads nothing, and goes away.
func unreadAnswers(ctx context.Context, e *env) error {
	c, f, err := raw(ctx, e)
	if err != nil {
		return err
	}
	f.Send(&pgproto3.Query{String: "SELECT repeat('x', 1000) FROM generate_series(1, 1000000)"})
	if err := f.Flush(); err != nil {
		return err
	}
	if _, err := f.Receive(); err != nil {
		return err
	}
	if err := e.askWitness(ctx); err != nil {
		return err
	}
	return c.Close()
}

func untilReady(f *pgproto3.Frontend) error {
	for {
		m, err := f.Receive()
		if err != nil {
			return err
		}
		switch m := m.(type) {
		case *pgproto3.ErrorResponse:
			return fmt.Errorf("%s: %s", m.Code, m.Message)
		case *pgproto3.ReadyForQuery:
			return nil
		}
	}
}

// comeAndGo opens sessions one after another and leaves each without a word.
func comeAndGo(ctx context.Context, e *env) error {
	for i := range 200 {
		c, _, err := raw(ctx, e)
		if err != nil {
			return fmt.Errorf("session %d: %w", i, err)
		}
		c.Close()
	}
	return nil
}

// cursor is a portal in a transaction block, read row by row.
type cursor struct {
	net.Conn
	f *pgproto3.Frontend
}

func openCursor(ctx context.Context, e *env, sql string) (*cursor, error) {
	conn, f, err := raw(ctx, e)
	if err != nil {
		return nil, err
	}
	c := &cursor{conn, f}
	f.Send(&pgproto3.Query{String: "BEGIN"})
	if err := f.Flush(); err != nil {
		return nil, err
	}
	if err := untilReady(f); err != nil {
		return nil, err
	}
	f.SendParse(&pgproto3.Parse{Query: sql})
	f.SendBind(&pgproto3.Bind{DestinationPortal: "c"})
	_, err = c.fetch(1)
	return c, err
}

// fetch reads up to n rows and says how many came.
func (c *cursor) fetch(n uint32) (rows int, err error) {
	c.f.SendExecute(&pgproto3.Execute{Portal: "c", MaxRows: n})
	c.f.SendSync(&pgproto3.Sync{})
	if err := c.f.Flush(); err != nil {
		return 0, err
	}
	for {
		m, err := c.f.Receive()
		if err != nil {
			return rows, err
		}
		switch m := m.(type) {
		case *pgproto3.DataRow:
			rows++
		case *pgproto3.ErrorResponse:
			return rows, fmt.Errorf("%s: %s", m.Code, m.Message)
		case *pgproto3.ReadyForQuery:
			return rows, nil
		}
	}
}

const (
	cursorRows  = 5000
	importChunk = 16 << 20                // bytes a commit
	importRow   = 64 << 10                // bytes a document
	maxWait     = 3000 * time.Millisecond // of a third session's statement
)

// idleCursor keeps a cursor open and idle while one session imports and a third goes on working: the import must not
// stop the third, and the cursor must see what it saw at first.
func idleCursor(ctx context.Context, e *env) error {
	if err := e.fillForCursor(ctx); err != nil {
		return err
	}
	c, err := openCursor(ctx, e, "SELECT doc FROM robust_cursor")
	if err != nil {
		return fmt.Errorf("cursor: %w", err)
	}
	defer c.Close()
	c.SetDeadline(time.Time{})
	importer, err := pgx.Connect(ctx, e.dsn)
	if err != nil {
		return err
	}
	defer importer.Close(ctx)
	done := make(chan error, 1)
	go func() { done <- importMiB(ctx, importer, e.mib) }()
	slowest, err := e.workMeanwhile(ctx, done)
	if err != nil {
		return err
	}
	if slowest > maxWait {
		return fmt.Errorf("a third session waited %s for a statement", slowest)
	}
	c.SetDeadline(time.Now().Add(time.Minute))
	rest, err := c.fetch(0)
	if err != nil {
		return fmt.Errorf("the cursor afterwards: %w", err)
	}
	if rest != cursorRows-1 {
		return fmt.Errorf("the cursor saw %d more rows, want %d", rest, cursorRows-1)
	}
	return nil
}

func (e *env) fillForCursor(ctx context.Context) error {
	for _, sql := range []string{
		"DROP TABLE IF EXISTS robust_cursor", "CREATE TABLE robust_cursor () USING collection",
		"DROP TABLE IF EXISTS robust_third", "CREATE TABLE robust_third (id int PRIMARY KEY, n int)",
		"INSERT INTO robust_third VALUES (1, 0)",
	} {
		if _, err := e.conn.Exec(ctx, sql); err != nil {
			return err
		}
	}
	for from := 0; from < cursorRows; from += 1000 {
		var rows []string
		for i := range 1000 {
			rows = append(rows, fmt.Sprintf(`('%d', '{"_id": "%d", "pad": "%0200d"}')`, from+i, from+i, i))
		}
		if _, err := e.conn.Exec(ctx, "INSERT INTO robust_cursor (_id, doc) VALUES "+strings.Join(rows, ", ")); err != nil {
			return err
		}
	}
	return nil
}

// workMeanwhile reads and writes on its session until the import is done and gives its slowest statement.
func (e *env) workMeanwhile(ctx context.Context, done <-chan error) (slowest time.Duration, err error) {
	for n := 1; ; n++ {
		select {
		case err := <-done:
			return slowest, err
		default:
		}
		start := time.Now()
		var got int
		if _, err := e.conn.Exec(ctx, "UPDATE robust_third SET n = $1 WHERE id = 1", n); err != nil {
			return slowest, err
		}
		if err := e.conn.QueryRow(ctx, "SELECT n FROM robust_third WHERE id = 1").Scan(&got); err != nil || got != n {
			return slowest, fmt.Errorf("the third session read %d after writing %d: %v", got, n, err)
		}
		slowest = max(slowest, time.Since(start))
	}
}

// importMiB inserts documents into the cursor's collection, 16 MiB a commit.
func importMiB(ctx context.Context, conn *pgx.Conn, mib int) error {
	pad := strings.Repeat("y", importRow)
	for chunk := range max(mib<<20/importChunk, 1) {
		var places []string
		var args []any
		for i := range importChunk / importRow {
			id := fmt.Sprintf("i-%d-%d", chunk, i)
			places = append(places, fmt.Sprintf("($%d, $%d)", 2*i+1, 2*i+2))
			args = append(args, id, fmt.Sprintf(`{"_id": %q, "pad": %q}`, id, pad))
		}
		if _, err := conn.Exec(ctx, "INSERT INTO robust_cursor (_id, doc) VALUES "+strings.Join(places, ", "), args...); err != nil {
			return fmt.Errorf("import chunk %d: %w", chunk, err)
		}
	}
	return nil
}
