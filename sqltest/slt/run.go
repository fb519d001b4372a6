package slt

import (
	"context"
	"fmt"
	"time"
)

// Tally counts the records of one class.
type Tally struct {
	Run  int `json:"run"`
	Pass int `json:"pass"`
}

func (t *Tally) add(o Tally) { t.Run += o.Run; t.Pass += o.Pass }

// Counts are a file's or a suite's records by class. Errors are the records that expect one; a server that refuses
// everything passes them all, so they never stand in one figure with the others.
type Counts struct {
	Queries    Tally `json:"queries"`
	Statements Tally `json:"statements"`
	Errors     Tally `json:"errors"`
	Skipped    int   `json:"skipped"`
}

func (c *Counts) add(o Counts) {
	c.Queries.add(o.Queries)
	c.Statements.add(o.Statements)
	c.Errors.add(o.Errors)
	c.Skipped += o.Skipped
}

// All is the sum over the classes.
func (c Counts) All() Tally {
	t := c.Queries
	t.add(c.Statements)
	t.add(c.Errors)
	return t
}

func (c *Counts) of(k Kind) *Tally {
	switch k {
	case Query:
		return &c.Queries
	case StatementOK:
		return &c.Statements
	}
	return &c.Errors
}

// Failure is one record that did not give what it wants.
type Failure struct {
	Line    int    `json:"line"`
	SQL     string `json:"sql"`
	Code    string `json:"sqlstate,omitempty"`
	Problem string `json:"problem"`
}

// Options of a run over files.
type Options struct {
	Engine  string        // the name that skipif and onlyif mean, usually "postgresql"
	Max     int           // applicable records to run per file; 0 means all
	Timeout time.Duration // per record; a record that takes longer fails and its session is opened anew
	// Rewrite notes, for every query that ran, the result lines to put in place of the expected ones.
	Rewrite bool
}

// Outcome of one file.
type Outcome struct {
	Path string `json:"file"`
	Counts
	Failures []Failure `json:"failures,omitempty"`
	// Peer is the tally over the records that the baseline says the peer passes.
	Peer     *Tally  `json:"peer,omitempty"`
	Seconds  float64 `json:"seconds"`
	Broken   string  `json:"broken,omitempty"` // why the file could not be run, or not to its end
	replaced map[*Record][]string
}

// Run executes a file's records on a fresh state from iso. peerFails are the lines of records that the peer fails
// (nil: no comparison wanted). Only ctx's end makes it stop before the last record.
func (o Options) Run(ctx context.Context, iso Isolation, f *File, peerFails map[int]bool) (out Outcome) {
	start := time.Now()
	out = Outcome{Path: f.Path, replaced: map[*Record][]string{}}
	if peerFails != nil {
		out.Peer = &Tally{}
	}
	defer func() { out.Seconds = time.Since(start).Seconds() }()
	state, err := iso.New(ctx)
	if err != nil {
		out.Broken = err.Error()
		return out
	}
	r := runner{opts: o, state: state, out: &out, peerFails: peerFails, labels: map[string]string{}, sessions: map[string]Session{}}
	defer func() {
		r.closeAll(ctx)
		if err := state.Drop(ctx); err != nil && out.Broken == "" {
			out.Broken = fmt.Sprintf("dropping the file's state: %v", err)
		}
	}()
	for _, rec := range f.Records {
		if !rec.Applies(o.Engine) {
			out.Skipped++
			continue
		}
		if rec.Kind == Halt || o.Max > 0 && out.All().Run >= o.Max {
			break
		}
		if err := ctx.Err(); err != nil {
			out.Broken = err.Error()
			break
		}
		r.record(ctx, rec)
	}
	return out
}

// runner holds what a file's execution keeps between records.
type runner struct {
	opts      Options
	state     State
	out       *Outcome
	peerFails map[int]bool
	labels    map[string]string
	sessions  map[string]Session // by connection name
}

func (r *runner) record(ctx context.Context, rec *Record) {
	res, err := r.exec(ctx, rec)
	if r.opts.Rewrite && rec.Kind == Query && err == nil && rec.results > 0 && rec.checkShape(res) == nil {
		r.out.replaced[rec] = rec.rewritten(res)
		rec.Expected = r.out.replaced[rec]
	}
	problem := rec.check(res, err, r.labels)
	r.count(rec, problem)
	if problem != nil {
		r.out.Failures = append(r.out.Failures, Failure{rec.Line, rec.SQL, SQLState(err), problem.Error()})
	}
}

func (r *runner) count(rec *Record, problem error) {
	one := Tally{Run: 1}
	if problem == nil {
		one.Pass = 1
	}
	r.out.of(rec.Kind).add(one)
	if r.out.Peer != nil && !r.peerFails[rec.Line] {
		r.out.Peer.add(one)
	}
}

// exec runs the record on its session, opening it at first use. A session that is lost (or that ran into the
// timeout, which cuts it) is dropped here and opened anew for the next record.
func (r *runner) exec(ctx context.Context, rec *Record) (*Result, error) {
	if r.opts.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, r.opts.Timeout)
		defer cancel()
	}
	s, ok := r.sessions[rec.Conn]
	if !ok {
		var err error
		if s, err = r.state.Dial(ctx); err != nil {
			return nil, fmt.Errorf("no session: %w", err)
		}
		r.sessions[rec.Conn] = s
	}
	res, err := s.Exec(ctx, rec.SQL)
	if err != nil && SQLState(err) == "" {
		s.Close(ctx)
		delete(r.sessions, rec.Conn)
	}
	return res, err
}

func (r *runner) closeAll(ctx context.Context) {
	for _, s := range r.sessions {
		s.Close(ctx)
	}
}

// rewritten is the result as the file should hold it: hashed where it was hashed, or where it is longer than the
// file's threshold.
func (r *Record) rewritten(res *Result) []string {
	lines := r.lines(res)
	if isHashed(r.Expected) || r.Threshold > 0 && len(lines) > r.Threshold {
		return []string{hashLine(lines)}
	}
	return lines
}
