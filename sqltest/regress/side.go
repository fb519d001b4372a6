package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// A side is one of the two servers with a session of psql in its own state.
type side struct {
	url     string
	conn    *pgconn.PgConn
	vars    map[string]string
	timeout time.Duration
}

// result is what a server said to one step.
type result struct {
	sets []set
	code string // SQLSTATE, "" when it went well
	text string // the error's message
}

// set is the answer to one statement.
type set struct {
	columns []string
	rows    []string
	tag     string
}

// settings are those that PostgreSQL's own runner gives its sessions.
var settings = map[string]string{
	"timezone": "PST8PDT", "datestyle": "Postgres, MDY", "intervalstyle": "postgres_verbose", "application_name": "regress",
}

func openSide(ctx context.Context, url, dir string, timeout time.Duration) (*side, error) {
	s := &side{url: url, timeout: timeout, vars: map[string]string{"abs_srcdir": dir, "libdir": "/none", "dlsuffix": ".so"}}
	return s, s.dial(ctx)
}

func (s *side) dial(ctx context.Context) error {
	cfg, err := pgconn.ParseConfig(s.url)
	if err != nil {
		return err
	}
	for name, value := range settings {
		cfg.RuntimeParams[name] = value
	}
	cfg.RuntimeParams["statement_timeout"] = fmt.Sprint(s.timeout.Milliseconds())
	s.conn, err = pgconn.ConnectConfig(ctx, cfg)
	return err
}

func (s *side) close() {
	if s.conn != nil {
		s.conn.Close(context.Background())
	}
}

// run does one step. A connection that was lost is an outcome like any other; the next step gets a new one.
func (s *side) run(ctx context.Context, st step) result {
	if st.set != "" {
		s.vars[st.set] = setValue(st.sql, s.vars)
		return result{}
	}
	if s.conn == nil || s.conn.IsClosed() {
		if err := s.dial(ctx); err != nil {
			return result{code: "DEAD", text: err.Error()}
		}
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeout+5*time.Second)
	defer cancel()
	sql, data := fromFile(expand(st.sql, s.vars), st.data)
	var r result
	switch {
	case copyPattern("from", "stdin", sql):
		r = s.copyIn(ctx, sql, data)
	case copyPattern("to", "stdout", sql):
		r = s.copyOut(ctx, sql)
	default:
		r = s.query(ctx, sql)
	}
	if st.gset && len(r.sets) == 1 && len(r.sets[0].rows) == 1 {
		fields := strings.Split(r.sets[0].rows[0], fieldMark)
		for i, column := range r.sets[0].columns {
			s.vars[st.pref+column] = fields[i]
		}
	}
	return r
}

const fieldMark = "\x1f"

func (s *side) query(ctx context.Context, sql string) (r result) {
	reader := s.conn.Exec(ctx, sql)
	for reader.NextResult() {
		one := set{}
		rows := reader.ResultReader()
		for _, f := range rows.FieldDescriptions() {
			one.columns = append(one.columns, f.Name)
		}
		for rows.NextRow() {
			fields := make([]string, 0, len(one.columns))
			for _, v := range rows.Values() {
				if v == nil {
					fields = append(fields, "NULL")
				} else {
					fields = append(fields, string(v))
				}
			}
			one.rows = append(one.rows, strings.Join(fields, fieldMark))
		}
		tag, err := rows.Close()
		if err != nil {
			break
		}
		one.tag = tag.String()
		r.sets = append(r.sets, one)
	}
	r.fail(reader.Close())
	return r
}

func (s *side) copyIn(ctx context.Context, sql, data string) (r result) {
	tag, err := s.conn.CopyFrom(ctx, strings.NewReader(data), sql)
	r.sets = []set{{tag: tag.String()}}
	r.fail(err)
	return r
}

func (s *side) copyOut(ctx context.Context, sql string) (r result) {
	var out bytes.Buffer
	tag, err := s.conn.CopyTo(ctx, &out, sql)
	r.sets = []set{{tag: tag.String(), columns: []string{"copy"}, rows: strings.Split(out.String(), "\n")}}
	r.fail(err)
	return r
}

func (r *result) fail(err error) {
	var pe *pgconn.PgError
	switch {
	case err == nil:
	case errors.As(err, &pe):
		r.code, r.text = pe.Code, pe.Message
	default:
		r.code, r.text = "LOST", err.Error()
	}
}

var copyFile = regexp.MustCompile(`(?is)^(copy\s.*\sfrom\s+)'(/[^']+)'(.*)$`)

// fromFile turns COPY FROM a file of the server into COPY FROM STDIN with the file's content: the files are here, the
// servers may be elsewhere.
func fromFile(sql, data string) (string, string) {
	m := copyFile.FindStringSubmatch(sql)
	if m == nil {
		return sql, data
	}
	content, err := os.ReadFile(filepath.Clean(m[2]))
	if err != nil {
		return sql, data
	}
	return m[1] + "STDIN" + m[3], string(content)
}

func copyPattern(direction, where, sql string) bool {
	words := strings.Fields(strings.ToLower(sql))
	if len(words) == 0 || words[0] != "copy" {
		return false
	}
	i := slices.Index(words, where)
	return i > 0 && words[i-1] == direction
}
