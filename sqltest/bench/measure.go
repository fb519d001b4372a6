package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"golang.org/x/sync/errgroup"
)

// statement is the name of a job's prepared statement.
const statement = "bench_job"

// measured is what one side did in a job.
type measured struct {
	First  time.Duration   `json:"first_ns"`  // per operation, the untimed round before the others
	Rounds []time.Duration `json:"rounds_ns"` // per operation
	Error  string          `json:"error,omitempty"`
}

func (m measured) median() time.Duration { return median(m.Rounds) }

// measure runs a job's rounds on all sides in alternation. A side whose server refuses the job keeps the server's
// word as its Error and takes no further part; any other error ends the run.
func measure(ctx context.Context, o options, j job, sides []*side) (result, error) {
	r := result{Job: j.name, job: j, Sides: map[string]*measured{}}
	for _, s := range sides {
		m := &measured{}
		r.Sides[s.name] = m
		if err := s.prepare(ctx, j); err != nil {
			if sqlState(err) == "" {
				return r, fmt.Errorf("%s: %w", s.name, err)
			}
			m.Error = err.Error()
		}
	}
	for round := range o.rounds + 1 {
		var answers []string
		for _, s := range sides {
			m := r.Sides[s.name]
			if m.Error != "" {
				continue
			}
			took, answer, err := s.timedRound(ctx, o, j, round)
			if err != nil {
				if sqlState(err) == "" && !errors.Is(err, errTooSlow) {
					return r, fmt.Errorf("%s: %w", s.name, err)
				}
				m.Error = err.Error()
				continue
			}
			if round == 0 {
				m.First = took
			} else {
				m.Rounds = append(m.Rounds, took)
			}
			answers = append(answers, answer)
		}
		if len(answers) == 2 && !sameAnswer(answers[0], answers[1]) && r.Differs == "" {
			r.Differs = fmt.Sprintf("round %d: a answered %s, b answered %s", round, clip(answers[0]), clip(answers[1]))
		}
	}
	for _, s := range sides {
		s.finish(ctx, j)
	}
	r.compare()
	return r, nil
}

// prepare opens the job's connections and prepares its statement on each.
func (s *side) prepare(ctx context.Context, j job) error {
	if err := s.open(ctx, j.conns); err != nil {
		return err
	}
	if j.prepared == "" {
		return nil
	}
	if j.fresh != "" {
		if err := s.renew(ctx, j.fresh); err != nil {
			return err
		}
	}
	return s.prepareAll(ctx, j)
}

func (s *side) prepareAll(ctx context.Context, j job) error {
	for _, c := range s.conns[:j.conns] {
		if _, err := c.Prepare(ctx, statement, j.prepared, nil); err != nil {
			return err
		}
	}
	return nil
}

func (s *side) renew(ctx context.Context, t table) error {
	if err := s.exec(ctx, fmt.Sprintf("DROP TABLE IF EXISTS %s", t)); err != nil {
		return err
	}
	return s.create(ctx, t)
}

func (s *side) finish(ctx context.Context, j job) {
	if j.prepared != "" {
		for _, c := range s.conns[:min(j.conns, len(s.conns))] {
			c.Deallocate(ctx, statement) // a refused job has none; that is no fault
		}
	}
	s.shrink(ctx)
}

// timedRound is round with the run's limit on its time.
func (s *side) timedRound(ctx context.Context, o options, j job, round int) (time.Duration, string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, o.timeout, errTooSlow)
	defer cancel()
	if err := s.open(ctx, j.conns); err != nil {
		return 0, "", err
	}
	took, answer, err := s.round(ctx, o, j, round)
	if err != nil && errors.Is(context.Cause(ctx), errTooSlow) {
		err = fmt.Errorf("%w: round %d took more than %s", errTooSlow, round, o.timeout)
	}
	return took, answer, err
}

var errTooSlow = errors.New("too slow")

// round runs one round and gives the time per operation and, where it is wanted, what was answered.
func (s *side) round(ctx context.Context, o options, j job, round int) (time.Duration, string, error) {
	if j.fresh != "" {
		if err := s.exec(ctx, "TRUNCATE "+string(j.fresh)); err != nil {
			return 0, "", err
		}
	}
	if j.dirty != "" {
		at := position{job: j.name, round: round}
		if err := s.exec(ctx, dirtySQL(j.dirty, newGen(o.seed, "dirty", j.name, round), newID(o, at))); err != nil {
			return 0, "", err
		}
	}
	per := j.ops / j.conns
	work := make([][]op, j.conns)
	for c := range work {
		g := newGen(o.seed, j.name, round, c)
		for i := range per {
			work[c] = append(work[c], j.next(g, o, position{j.name, round, c, i}))
		}
	}
	// Every answer of a single operation is compared; of many, those of the first round: gathering costs time.
	answers := make([]strings.Builder, j.conns)
	gather := j.ops == 1 || round == 0
	start := time.Now()
	group, ctx := errgroup.WithContext(ctx)
	for c, ops := range work {
		group.Go(func() error {
			for _, op := range ops {
				if err := s.do(ctx, s.conns[c], j, op, gather, &answers[c]); err != nil {
					return err
				}
			}
			return nil
		})
	}
	err := group.Wait()
	took := time.Since(start) / time.Duration(per*j.conns)
	var all strings.Builder
	for i := range answers {
		all.WriteString(answers[i].String())
	}
	return took, all.String(), err
}

// do sends one operation and reads its whole answer.
func (s *side) do(ctx context.Context, c *pgconn.PgConn, j job, op op, gather bool, answer *strings.Builder) error {
	if op.data != nil {
		tag, err := c.CopyFrom(ctx, bytes.NewReader(op.data), op.sql)
		if gather {
			answer.WriteString(tag.String())
		}
		return err
	}
	var r *pgconn.ResultReader
	var all *pgconn.MultiResultReader
	if j.prepared != "" {
		r = c.ExecPrepared(ctx, statement, op.args, nil, nil)
	} else {
		all = c.Exec(ctx, op.sql)
		if !all.NextResult() {
			return all.Close()
		}
		r = all.ResultReader()
	}
	for r.NextRow() {
		if gather {
			appendRow(answer, r.Values())
		}
	}
	tag, err := r.Close()
	if gather {
		answer.WriteString(tag.String())
		answer.WriteByte('\n')
	}
	if all != nil {
		if closeErr := all.Close(); err == nil {
			err = closeErr
		}
	}
	return err
}

func appendRow(b *strings.Builder, row [][]byte) {
	for i, v := range row {
		if i > 0 {
			b.WriteByte('\t')
		}
		if v == nil {
			b.WriteString("NULL")
		}
		b.Write(v)
	}
	b.WriteByte('\n')
}

// sameAnswer compares two answers cell by cell; numbers may differ by rounding, as sums in another order do.
func sameAnswer(a, b string) bool {
	if a == b {
		return true
	}
	split := func(r rune) bool { return r == '\t' || r == '\n' }
	return slices.EqualFunc(strings.FieldsFunc(a, split), strings.FieldsFunc(b, split), sameCell)
}

func sameCell(a, b string) bool {
	if a == b {
		return true
	}
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	return errX == nil && errY == nil && math.Abs(x-y) <= 1e-9*max(math.Abs(x), math.Abs(y))
}

func clip(s string) string {
	s = strings.ReplaceAll(strings.TrimSpace(s), "\n", " / ")
	if len(s) > 200 {
		s = s[:200] + "…"
	}
	return fmt.Sprintf("%q", s)
}

func sqlState(err error) string {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code
	}
	return ""
}

// median of an even number of values is the mean of the middle two; of none, 0.
func median[T ~int64 | ~float64](values []T) T {
	if len(values) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(values))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}
