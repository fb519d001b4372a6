package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// setup makes the tables that the parts work on.
func setup(ctx context.Context, c *pgx.Conn) error {
	return run(ctx, c, "SET client_min_messages = warning", "DROP SCHEMA IF EXISTS gc CASCADE", "CREATE SCHEMA gc",
		`CREATE TABLE gc.t (id int PRIMARY KEY, name text NOT NULL UNIQUE, n numeric(6,2) CONSTRAINT positive CHECK (n > 0), at timestamptz DEFAULT '2024-01-01 00:00:00+00')`,
		"CREATE TABLE gc.child (id int REFERENCES gc.t (id))", "CREATE DOMAIN gc.small AS int CHECK (VALUE < 10)",
		"INSERT INTO gc.t VALUES (1, 'one', 1.50), (2, 'two', 2), (3, 'three', NULL)", "RESET client_min_messages")
}

// conversations are what clients say to a server besides fetching values: execution modes, several statements at once, batches,
// pipelines, transactions, refusals.
func conversations(ctx context.Context, dsn string) error {
	c, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer c.Close(ctx)
	if err := setup(ctx, c); err != nil {
		return err
	}
	parameters(c)
	modes(ctx, c)
	refusals(ctx, c)
	batches(ctx, c)
	pipelines(ctx, c)
	transactions(ctx, c)
	return nil
}

func parameters(c *pgx.Conn) {
	for _, name := range []string{"server_version", "server_encoding", "client_encoding", "is_superuser", "session_authorization", "DateStyle", "IntervalStyle",
		"TimeZone", "integer_datetimes", "standard_conforming_strings", "in_hot_standby", "default_transaction_read_only", "application_name", "nothing"} {
		show("parameter "+name, func() (any, error) {
			v := c.PgConn().ParameterStatus(name)
			if name == "server_version" {
				v, _, _ = strings.Cut(v, ".")
			}
			return v, nil
		})
	}
}

// modes are pgx's ways to run a query: each must give the same answers.
func modes(ctx context.Context, c *pgx.Conn) {
	for _, mode := range []pgx.QueryExecMode{pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec, pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol} {
		for _, q := range []struct {
			name, sql string
			args      []any
		}{
			{"scalars", "SELECT $1::int + 1, $2::text || '!', $3::bool, $4::float8", []any{41, "a'b\\c", true, 1.5}},
			{"rows", "SELECT id, name, n::text, at FROM gc.t WHERE id >= $1 ORDER BY id", []any{2}},
			{"array", "SELECT * FROM unnest($1::text[]) WITH ORDINALITY", []any{[]string{"x", `y"`, ""}}},
			{"any", "SELECT count(*) FROM gc.t WHERE id = ANY($1::int[])", []any{[]int32{1, 3, 9}}},
			{"json", "SELECT ($1::jsonb)->'a', pg_typeof($1::jsonb)::text", []any{map[string]any{"a": []int{1}}}},
			{"bytes", "SELECT length($1::bytea), $1::bytea", []any{[]byte{0, 1, 255}}},
			{"null", "SELECT $1::int IS NULL, $2::text", []any{nil, nil}},
			{"columns of one name", "SELECT 1 AS a, 'x' AS a, NULL", nil},
			{"no columns", "SELECT FROM gc.t", nil},
			{"no rows", "SELECT id FROM gc.t WHERE false", nil},
			{"bad value", "SELECT ('x' || $1::text)::int", []any{"1"}},
			{"division", "SELECT 1 / (id - 2) FROM gc.t ORDER BY id", nil},
		} {
			show(mode.String()+" "+q.name, func() (any, error) { return all(c.Query(ctx, q.sql, append([]any{mode}, q.args...)...)) })
		}
		show(mode.String()+" tags", func() (any, error) { return tags(ctx, c, mode) })
	}
	show("description", func() (any, error) {
		d, err := c.Prepare(ctx, "described", "SELECT id, name, n, at, id + 1 AS next FROM gc.t WHERE name = $1 AND n > $2 LIMIT $3")
		if err != nil {
			return nil, err
		}
		out := []any{d.ParamOIDs}
		for _, f := range d.Fields {
			out = append(out, []any{f.Name, f.TableOID > 0, f.TableAttributeNumber, f.DataTypeOID, f.DataTypeSize, f.TypeModifier})
		}
		return out, nil
	})
	show("deallocate", func() (any, error) { return nil, c.Deallocate(ctx, "described") })
	show("deallocated", func() (any, error) {
		return nil, c.PgConn().ExecPrepared(ctx, "described", [][]byte{nil, nil, nil}, nil, nil).Read().Err
	})
	show("several statements", func() (any, error) {
		return results(c.PgConn().Exec(ctx, "SELECT 1 AS a; UPDATE gc.t SET n = n WHERE id < 3; ; SELECT 'x', NULL; SET TimeZone = 'Asia/Tokyo'; SHOW TimeZone"))
	})
	show("reported", func() (any, error) {
		before := c.PgConn().ParameterStatus("TimeZone")
		err := run(ctx, c, "RESET TimeZone")
		return []any{before, c.PgConn().ParameterStatus("TimeZone")}, err
	})
	show("several statements fail together", func() (any, error) {
		return results(c.PgConn().Exec(ctx, "INSERT INTO gc.t VALUES (7, 'seven'); SELECT 1/0; INSERT INTO gc.t VALUES (8, 'eight')"))
	})
	show("nothing kept", func() (any, error) { return one(ctx, c, "SELECT count(*) FROM gc.t") })
	show("empty statement", func() (any, error) { return results(c.PgConn().Exec(ctx, " ;; -- nothing\n")) })
}

// tags are the command tags of statements.
func tags(ctx context.Context, c *pgx.Conn, mode pgx.QueryExecMode) (any, error) {
	var out []any
	for _, sql := range []string{"INSERT INTO gc.t VALUES (10, 'ten'), (11, 'eleven')", "INSERT INTO gc.t VALUES (10, 'ten') ON CONFLICT DO NOTHING", "UPDATE gc.t SET n = 1 WHERE id > 9",
		"SELECT * FROM gc.t", "DELETE FROM gc.t WHERE id > 9", "CREATE TEMP TABLE tmp AS SELECT 1 AS a", "CREATE INDEX ON tmp (a)", "TRUNCATE tmp", "DROP TABLE tmp", "VALUES (1), (2)", "SET LOCAL work_mem = '8MB'",
		"BEGIN", "SAVEPOINT s", "RELEASE s", "ROLLBACK", "LISTEN a", "UNLISTEN *", "NOTIFY a", "SHOW work_mem", "EXPLAIN SELECT 1", "DO 'BEGIN END'", ""} {
		t, err := c.Exec(ctx, sql, mode)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", sql, err)
		}
		out = append(out, t.String())
	}
	return fmt.Sprint(out), nil
}

// results reads all answers of a conversation.
func results(m *pgconn.MultiResultReader) (any, error) {
	list, err := m.ReadAll()
	var out []any
	for _, r := range list {
		rows := make([]string, len(r.Rows))
		for i, row := range r.Rows {
			rows[i] = string(slices.Concat([]byte("("), joined(row), []byte(")")))
		}
		out = append(out, r.CommandTag.String(), rows)
	}
	if err != nil {
		return nil, fmt.Errorf("%v %s", out, refusal(err))
	}
	return out, nil
}

func joined(fields [][]byte) []byte {
	parts := make([]string, len(fields))
	for i, f := range fields {
		if parts[i] = string(f); f == nil {
			parts[i] = "NULL"
		}
	}
	return []byte(strings.Join(parts, ","))
}

// refusals are errors with all their fields.
func refusals(ctx context.Context, c *pgx.Conn) {
	for _, sql := range []string{"SELEC 1", "SELECT 'é', nope FROM gc.t", "SELECT * FROM gc.nope", "SELECT nope(1)", "SELECT id FROM gc.t GROUP BY name", "SELECT 1 + 'x'", "SELECT 'x'::nope", "SELECT id, FROM gc.t",
		"INSERT INTO gc.t VALUES (1, 'again')", "INSERT INTO gc.t VALUES (20, 'one')", "INSERT INTO gc.t (id) VALUES (20)", "INSERT INTO gc.t VALUES (20, 'x', -1)", "INSERT INTO gc.t VALUES (20, 'x', 123456)",
		"INSERT INTO gc.child VALUES (99)", "DELETE FROM gc.t WHERE id = (SELECT 1) AND EXISTS (SELECT FROM gc.nope)", "SELECT 12::gc.small", "SELECT 99999999999::int4", "SELECT '{1,'::int[]", `SELECT '{"a": }'::json`,
		"SELECT '2024-02-30'::date", "SELECT sqrt(-1)", "SELECT ''::int", "CREATE TABLE gc.t (a int)", "CREATE TABLE gc.u (a int, a text)", "DROP TABLE gc.nope", "ALTER TABLE gc.t ADD COLUMN name text", "DROP TABLE gc.t",
		"SET work_mem = 'x'", "SET nope = 1", "SHOW nope", "SELECT (SELECT id FROM gc.t)", "SELECT 1 UNION SELECT 1, 2", "SELECT count(count(*)) FROM gc.t", "SELECT max(id) FROM gc.t WHERE max(id) > 1", "RELEASE SAVEPOINT s", "FETCH 1 FROM c", "EXECUTE p", "CLOSE c",
		"INSERT INTO gc.t (id, nope) VALUES (1, 2)", "INSERT INTO gc.t (id) VALUES (1, 2)", "UPDATE gc.t SET nope = 1", "SELECT t.nope FROM gc.t", "SELECT id FROM gc.t a, gc.t b", "SELECT 1 LIMIT -1", "SELECT substr('a', 1, -1)", "DO 'BEGIN RAISE EXCEPTION USING errcode = ''P0042'', message = ''own'', detail = ''d'', hint = ''h'', column = ''c'', constraint = ''k'', table = ''t'', schema = ''s'', datatype = ''y''; END'"} {
		show("refused "+sql, func() (any, error) { return nil, run1(ctx, c, sql) })
	}
	show("refused parameter count", func() (any, error) {
		return nil, c.PgConn().ExecParams(ctx, "SELECT $1::int", nil, nil, nil, nil).Read().Err
	})
	show("refused binary", func() (any, error) {
		return nil, c.PgConn().ExecParams(ctx, "SELECT $1::int", [][]byte{{1, 2, 3}}, nil, []int16{1}, nil).Read().Err
	})
	show("refused text", func() (any, error) {
		return nil, c.PgConn().ExecParams(ctx, "SELECT $1::int", [][]byte{[]byte("x")}, nil, nil, nil).Read().Err
	})
	show("refused encoding", func() (any, error) {
		return nil, c.PgConn().ExecParams(ctx, "SELECT $1::text", [][]byte{{0xff}}, nil, nil, nil).Read().Err
	})
	show("alive after refusals", func() (any, error) { return one(ctx, c, "SELECT 1") })
}

func run1(ctx context.Context, c *pgx.Conn, sql string) error {
	_, err := c.PgConn().Exec(ctx, sql).ReadAll()
	return err
}

// batches send many statements with one Sync: they are one transaction.
func batches(ctx context.Context, c *pgx.Conn) {
	batch := func(statements ...string) (any, error) {
		b := &pgx.Batch{}
		for i, sql := range statements {
			if strings.Contains(sql, "$1") {
				b.Queue(sql, i)
			} else {
				b.Queue(sql)
			}
		}
		br := c.SendBatch(ctx, b)
		var out []any
		for range statements {
			rows, err := br.Query()
			v, err := all(rows, err)
			if err != nil {
				return nil, errors.Join(fmt.Errorf("%v %s", out, refusal(err)), closed(br.Close()))
			}
			out = append(out, v, rows.CommandTag().String())
		}
		return out, br.Close()
	}
	show("batch", func() (any, error) {
		return batch("SELECT $1::int", "INSERT INTO gc.t (id, name) VALUES (100 + $1, 'batch') RETURNING id", "SELECT count(*) FROM gc.t", "DELETE FROM gc.t WHERE id > 99")
	})
	show("batch fails", func() (any, error) {
		return batch("INSERT INTO gc.t (id, name) VALUES (100, 'batch')", "SELECT 1/0", "SELECT 2")
	})
	show("batch leaves nothing", func() (any, error) { return one(ctx, c, "SELECT count(*) FROM gc.t") })
	show("batch with transaction", func() (any, error) {
		return batch("BEGIN", "INSERT INTO gc.t (id, name) VALUES (100, 'batch')", "SAVEPOINT s", "DELETE FROM gc.t", "ROLLBACK TO s", "SELECT count(*) FROM gc.t", "ROLLBACK")
	})
	show("batch of many", func() (any, error) {
		b := &pgx.Batch{}
		for i := range 500 {
			b.Queue("SELECT $1::int * 2", i)
		}
		br, sum := c.SendBatch(ctx, b), 0
		for range 500 {
			n := 0
			if err := br.QueryRow().Scan(&n); err != nil {
				return nil, err
			}
			sum += n
		}
		return sum, br.Close()
	})
}

// closed keeps an error of closing away where the first error has been told.
func closed(error) error { return nil }

// pipelines send with Sync where they please.
func pipelines(ctx context.Context, c *pgx.Conn) {
	show("pipeline", func() (any, error) {
		p := c.PgConn().StartPipeline(ctx)
		p.SendPrepare("pl", "SELECT $1::int + 1", nil)
		p.SendQueryParams("SELECT 'a'", nil, nil, nil, nil)
		p.SendQueryPrepared("pl", [][]byte{[]byte("41")}, nil, nil)
		if err := p.Sync(); err != nil {
			return nil, err
		}
		p.SendQueryParams("INSERT INTO gc.t (id, name) VALUES (100, 'x')", nil, nil, nil, nil)
		p.SendQueryParams("SELECT 1/0", nil, nil, nil, nil)
		p.SendQueryParams("SELECT 'not reached'", nil, nil, nil, nil)
		if err := p.Sync(); err != nil {
			return nil, err
		}
		p.SendQueryParams("SELECT count(*) FROM gc.t", nil, nil, nil, nil)
		p.SendDeallocate("pl")
		if err := p.Sync(); err != nil {
			return nil, err
		}
		var out []any
		for {
			r, err := p.GetResults()
			if err != nil {
				out = append(out, refusal(err))
				continue
			}
			switch r := r.(type) {
			case *pgconn.ResultReader:
				res := r.Read()
				for _, row := range res.Rows {
					out = append(out, string(joined(row)))
				}
				if out = append(out, res.CommandTag.String()); res.Err != nil {
					out = append(out, refusal(res.Err))
				}
			case *pgconn.StatementDescription:
				out = append(out, "described", r.ParamOIDs)
			case *pgconn.CloseComplete:
				out = append(out, "closed")
			case *pgconn.PipelineSync:
				out = append(out, "sync")
			case nil:
				return out, p.Close()
			}
		}
	})
}

func transactions(ctx context.Context, c *pgx.Conn) {
	show("states", func() (any, error) {
		var out []any
		for _, sql := range []string{"SELECT 1", "BEGIN", "SELECT 1/0", "SELECT 1", "COMMIT", "BEGIN; SAVEPOINT a", "SELECT 1/0", "ROLLBACK TO a", "COMMIT AND CHAIN", "ROLLBACK"} {
			r, err := c.PgConn().Exec(ctx, sql).ReadAll()
			last := ""
			if err != nil {
				last = refusal(err)
			} else {
				last = r[len(r)-1].CommandTag.String()
			}
			out = append(out, last, string(c.PgConn().TxStatus()))
		}
		return out, nil
	})
	for _, o := range []pgx.TxOptions{{IsoLevel: pgx.Serializable, AccessMode: pgx.ReadOnly, DeferrableMode: pgx.Deferrable}, {IsoLevel: pgx.RepeatableRead}, {AccessMode: pgx.ReadOnly}, {BeginQuery: "BEGIN READ WRITE"}} {
		show(fmt.Sprintf("transaction %+v", o), func() (any, error) {
			tx, err := c.BeginTx(ctx, o)
			if err != nil {
				return nil, err
			}
			defer tx.Rollback(ctx)
			settings, err := all(tx.Query(ctx, "SELECT current_setting('transaction_isolation'), current_setting('transaction_read_only'), current_setting('transaction_deferrable')"))
			if err != nil {
				return nil, err
			}
			_, err = tx.Exec(ctx, "UPDATE gc.t SET n = 5 WHERE id = 1")
			return []any{settings, fmt.Sprint(err)}, nil
		})
	}
	show("nested", func() (any, error) {
		err := pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
			inner := pgx.BeginFunc(ctx, tx, func(tx pgx.Tx) error { return run(ctx, tx, "INSERT INTO gc.t VALUES (50, 'one')") })
			return errors.Join(run(ctx, tx, "INSERT INTO gc.t VALUES (50, 'fifty')"), map[bool]error{true: errors.New("the inner one passed")}[inner == nil])
		})
		if err != nil {
			return nil, err
		}
		return one(ctx, c, "DELETE FROM gc.t WHERE id = 50 RETURNING name")
	})
}
