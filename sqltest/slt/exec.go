package slt

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// Session runs statements one after another. An error that is not a *pgconn.PgError means that the session is lost.
type Session interface {
	Exec(ctx context.Context, sql string) (*Result, error)
	Close(ctx context.Context) error
}

// Protocol chooses the messages by which SQL travels.
type Protocol string

const (
	Simple   Protocol = "simple"
	Extended Protocol = "extended"
)

// pgSession is a Session over one pgconn connection.
type pgSession struct {
	conn     *pgconn.PgConn
	protocol Protocol
}

// Dial opens a session that receives every value in text form.
func Dial(ctx context.Context, cfg *pgconn.Config, protocol Protocol) (Session, error) {
	conn, err := pgconn.ConnectConfig(ctx, cfg)
	if err != nil {
		return nil, err
	}
	return &pgSession{conn, protocol}, nil
}

func (s *pgSession) Close(ctx context.Context) error { return s.conn.Close(ctx) }

func (s *pgSession) Exec(ctx context.Context, sql string) (*Result, error) {
	if s.protocol == Extended {
		return read(s.conn.ExecParams(ctx, sql, nil, nil, nil, nil))
	}
	all := s.conn.Exec(ctx, sql)
	res := &Result{}
	var err error
	for err == nil && all.NextResult() {
		res, err = read(all.ResultReader())
	}
	if closeErr := all.Close(); err == nil {
		err = closeErr
	}
	return res, err
}

// read drains one result. pgconn's own Read leaves out the columns of a result without rows.
func read(r *pgconn.ResultReader) (*Result, error) {
	res := &Result{}
	for r.NextRow() {
		row := make([][]byte, len(r.Values()))
		for i, v := range r.Values() {
			if v != nil {
				row[i] = append([]byte{}, v...)
			}
		}
		res.Rows = append(res.Rows, row)
	}
	for _, f := range r.FieldDescriptions() {
		res.Names = append(res.Names, f.Name)
		res.OIDs = append(res.OIDs, f.DataTypeOID)
	}
	tag, err := r.Close()
	res.Affected = tag.RowsAffected()
	return res, err
}

// SQLState is the error's SQLSTATE, or "" when the server did not send the error.
func SQLState(err error) string {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code
	}
	return ""
}

// check says in which way an answer differs from what the record wants; nil means it does not.
// labels remembers the first result under each label of the file.
func (r *Record) check(res *Result, err error, labels map[string]string) error {
	switch r.Kind {
	case StatementError, QueryError:
		return r.checkError(err)
	}
	if err != nil {
		return err
	}
	if r.Kind == StatementOK {
		if r.Count >= 0 && res.Affected != r.Count {
			return fmt.Errorf("%d rows affected, want %d", res.Affected, r.Count)
		}
		return nil
	}
	if err := r.checkShape(res); err != nil {
		return err
	}
	lines := r.lines(res)
	if err := r.checkLabel(lines, labels); err != nil {
		return err
	}
	if r.results == 0 {
		return nil // no ---- line: only success, shape and label count
	}
	if isHashed(r.Expected) {
		if got := hashLine(lines); got != r.Expected[0] {
			return fmt.Errorf("got %s, want %s", got, r.Expected[0])
		}
		return nil
	}
	return diff(lines, r.Expected)
}

func (r *Record) checkError(err error) error {
	var pg *pgconn.PgError
	switch {
	case err == nil:
		return errors.New("succeeded, want an error")
	case !errors.As(err, &pg):
		return err
	case r.Code != "" && pg.Code != r.Code:
		return fmt.Errorf("got SQLSTATE %s (%s), want %s", pg.Code, pg.Message, r.Code)
	case !strings.Contains(pg.Message, r.Text):
		return fmt.Errorf("got message %q, want it to hold %q", pg.Message, r.Text)
	}
	return nil
}

func (r *Record) checkLabel(lines []string, labels map[string]string) error {
	if r.Label == "" {
		return nil
	}
	got := hashLine(lines)
	want, seen := labels[r.Label]
	if !seen {
		labels[r.Label] = got
		return nil
	}
	if got != want {
		return fmt.Errorf("label %s: got %s, but an earlier query gave %s", r.Label, got, want)
	}
	return nil
}

// diff names the first line in which got and want differ.
func diff(got, want []string) error {
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			return fmt.Errorf("got %d lines, want %d; missing %q", len(got), len(want), want[i])
		case i >= len(want):
			return fmt.Errorf("got %d lines, want %d; extra %q", len(got), len(want), got[i])
		case got[i] != want[i]:
			return fmt.Errorf("line %d: got %q, want %q", i+1, got[i], want[i])
		}
	}
	return nil
}
