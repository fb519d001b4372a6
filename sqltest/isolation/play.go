package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// patience is how long a step may neither answer nor wait for a lock.
const patience = 30 * time.Second

// stage is where a scenario is played: a schema of its own on a server, a connection for each session and one that looks on.
type stage struct {
	scenario *scenario
	lookOn   *pgconn.PgConn
	players  []*player
}

// player is one session: a goroutine that sends what it is told.
type player struct {
	conn    *pgconn.PgConn
	steps   []string
	order   chan string
	answer  chan string
	due     int // steps that the interleaving has called
	sent    int
	waiting bool // for an answer
	over    bool
	results []string
	failed  string // SQLSTATE
}

// played is what came of an interleaving.
type played struct {
	results [][]string // by session: what each statement gave
	failed  []string   // by session: the SQLSTATE that ended it, "" for none
	final   string
}

// openStage makes the schema and the scenario's tables in it.
func openStage(ctx context.Context, dsn, schema string, s *scenario) (*stage, error) {
	st := &stage{scenario: s}
	for i := range len(s.sessions) + 1 {
		c, err := pgconn.Connect(ctx, dsn)
		if err != nil {
			st.close(ctx)
			return nil, err
		}
		setup := []string{"SET search_path TO " + schema, "SET deadlock_timeout TO '10ms'", "SET synchronous_commit TO off"}
		if i == 0 {
			st.lookOn = c
			setup = append([]string{"SET client_min_messages TO warning", "DROP SCHEMA IF EXISTS " + schema + " CASCADE", "CREATE SCHEMA " + schema}, setup...)
			setup = append(setup, s.schema...)
		} else {
			st.players = append(st.players, &player{conn: c, steps: s.sessions[i-1].steps})
		}
		for _, sql := range setup {
			if _, err := exec(ctx, c, sql); err != nil {
				st.close(ctx)
				return nil, fmt.Errorf("%s: %w", sql, err)
			}
		}
	}
	return st, nil
}

func (st *stage) close(ctx context.Context) {
	if st.lookOn != nil {
		st.lookOn.Close(ctx)
	}
	for _, p := range st.players {
		p.conn.Close(ctx)
	}
}

// exec runs one statement and prints its answer.
func exec(ctx context.Context, c *pgconn.PgConn, sql string) (string, error) {
	all, err := c.Exec(ctx, sql).ReadAll()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, r := range all {
		for _, row := range r.Rows {
			for i, v := range row {
				if i > 0 {
					b.WriteByte(',')
				}
				b.Write(v)
			}
			b.WriteByte(';')
		}
		b.WriteString(r.CommandTag.String())
	}
	return b.String(), nil
}

// play runs one interleaving at a level. A step of a session that waits for a lock comes as soon as it no longer waits.
func (st *stage) play(ctx context.Context, l level, order interleaving) (played, error) {
	if _, err := exec(ctx, st.lookOn, "BEGIN; "+strings.Join(st.scenario.reset, "; ")+"; COMMIT"); err != nil {
		return played{}, fmt.Errorf("reset: %w", err)
	}
	for _, p := range st.players {
		*p = player{conn: p.conn, steps: p.steps, order: make(chan string), answer: make(chan string, 1)}
		go p.run(ctx, l)
		defer close(p.order)
	}
	for _, n := range order {
		st.players[n].due++
		if err := st.proceed(ctx); err != nil {
			return played{}, err
		}
	}
	// Who waits now waits for somebody who waits too: a deadlock, which the server ends.
	for end := time.Now().Add(patience); st.waits(); {
		if time.Now().After(end) {
			return played{}, errors.New("sessions wait for each other for ever")
		}
		if err := st.lookAll(ctx); err != nil {
			return played{}, err
		}
		if err := st.proceed(ctx); err != nil {
			return played{}, err
		}
	}
	out := played{}
	for _, p := range st.players {
		if !p.over && p.sent < p.due {
			return out, errors.New("a session did not come to its end")
		}
		out.results = append(out.results, p.results)
		out.failed = append(out.failed, p.failed)
	}
	var err error
	out.final, err = exec(ctx, st.lookOn, st.scenario.final)
	return out, err
}

// proceed sends every step that is due to a session that waits for nothing, until there is none.
func (st *stage) proceed(ctx context.Context) error {
	for again := true; again; {
		again = false
		for _, p := range st.players {
			if p.waiting || p.over || p.sent == p.due {
				continue
			}
			p.order <- p.steps[p.sent]
			p.sent++
			p.waiting, again = true, true
			if err := st.lookAll(ctx); err != nil { // this step may have ended the wait of others
				return err
			}
		}
	}
	return nil
}

func (st *stage) waits() bool {
	return slices.ContainsFunc(st.players, func(p *player) bool { return p.waiting })
}

func (st *stage) lookAll(ctx context.Context) error {
	for _, p := range st.players {
		if err := st.look(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// look returns when the session has answered or waits for a lock: the server's list of locks says so, no clock.
func (st *stage) look(ctx context.Context, p *player) error {
	if !p.waiting {
		return nil
	}
	deadline := time.Now().Add(patience)
	for time.Now().Before(deadline) {
		select {
		case a := <-p.answer:
			p.take(a)
			return nil
		case <-time.After(time.Millisecond):
		}
		n, err := exec(ctx, st.lookOn, fmt.Sprintf("SELECT 1 FROM pg_locks WHERE pid = %d AND NOT granted LIMIT 1", p.conn.PID()))
		if err != nil {
			return err
		}
		if strings.HasPrefix(n, "1;") {
			select {
			case a := <-p.answer:
				p.take(a)
			default:
			}
			return nil
		}
	}
	return fmt.Errorf("%q neither answers nor waits for a lock", p.steps[p.sent-1])
}

// failure begins the answer of a step that failed.
const failure = "failed: "

func (p *player) take(answer string) {
	p.waiting = false
	if code, ok := strings.CutPrefix(answer, failure); ok {
		p.failed, p.over = code, true
		return
	}
	p.results = append(p.results, answer)
	p.over = p.sent == len(p.steps)
}

// run does what it is told. The transaction begins with the first step; after an error it is rolled back before the answer, as a
// program would.
func (p *player) run(ctx context.Context, l level) {
	begin := "BEGIN ISOLATION LEVEL " + string(l)
	for sql := range p.order {
		if begin != "" {
			if _, err := exec(ctx, p.conn, begin); err != nil {
				p.answer <- failure + err.Error()
				continue
			}
			begin = ""
		}
		answer, err := exec(ctx, p.conn, sql)
		if err == nil && sql == "COMMIT" && answer == "ROLLBACK" {
			answer = failure + "rolled back"
		}
		if err != nil {
			answer = failure + code(err)
			if sql != "COMMIT" {
				if _, err := exec(ctx, p.conn, "ROLLBACK"); err != nil {
					answer += " and " + err.Error()
				}
			}
		}
		p.answer <- answer
	}
}

// code is the SQLSTATE of a server's error, or the text of another one.
func code(err error) string {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code
	}
	return err.Error()
}
