package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/omgdb/omgdb/sqltest/floors"
)

// tally counts the interleavings of a scenario at a level by what came of them.
type tally struct {
	played   int
	refused  int      // ours ended in 40001 or a deadlock
	extra    int      // ours did where PostgreSQL committed
	other    int      // ours gave another outcome than PostgreSQL, which the scenario explains
	unserial int      // committed what no serial order gives
	examples []string // of extra
	wrong    []string // what must not be
}

// enoughToShow is how many interleavings must show what a level allows.
const enoughToShow = 20

func anomalies(ctx context.Context, o options, seen floors.Figures) error {
	all, err := readScenarios()
	if err != nil {
		return err
	}
	wrong := 0
	for i := range all {
		s := &all[i]
		if !o.only.MatchString(s.name) {
			continue
		}
		for _, l := range levels {
			t, err := playAll(ctx, o, s, l)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", s.name, l, err)
			}
			possible := slices.Contains(s.possible, l)
			if possible && t.unserial == 0 && (o.max == 0 || o.max >= enoughToShow) {
				t.wrong = append(t.wrong, "no interleaving shows the anomaly, which the level allows: the scenario tests nothing")
			}
			if !possible && t.unserial > 0 {
				t.wrong = append(t.wrong, "the anomaly was committed")
			}
			t.print(s, l, o.verbose)
			wrong += len(t.wrong)
			seen["interleavings"] += float64(t.played)
			seen["scenarios"]++
			seen["refused_where_peer_commits"] += float64(t.extra)
		}
	}
	if wrong > 0 {
		return fmt.Errorf("%d outcomes that must not be", wrong)
	}
	return nil
}

func (t *tally) print(s *scenario, l level, verbose bool) {
	other := ""
	if t.other > 0 {
		other = fmt.Sprintf(", %d other than the peer's", t.other)
	}
	fmt.Printf("%-22s %-16s %3d interleavings: %d refused, %d of them committed by the peer, %d not serial%s\n",
		s.name, l, t.played, t.refused, t.extra, t.unserial, other)
	for i, x := range t.examples {
		if i == 3 && !verbose {
			fmt.Printf("    … and %d more\n", len(t.examples)-i)
			break
		}
		fmt.Printf("    refused here, committed by the peer: %s\n", x)
	}
	for _, w := range t.wrong {
		fmt.Printf("    WRONG: %s\n", w)
	}
}

// playAll plays a scenario's interleavings at a level on both servers, several at once.
func playAll(ctx context.Context, o options, s *scenario, l level) (*tally, error) {
	orders := s.interleavings(o.max, rand.New(rand.NewPCG(o.seed, uint64(len(s.name)))))
	t := &tally{}
	var mu sync.Mutex
	next := 0
	group, ctx := errgroup.WithContext(ctx)
	for lane := range min(o.lanes, len(orders)) {
		group.Go(func() error {
			pair, err := openPair(ctx, o, s, fmt.Sprintf("isolation_%d", lane))
			if err != nil {
				return err
			}
			defer pair.close()
			for {
				mu.Lock()
				i := next
				next++
				mu.Unlock()
				if i >= len(orders) {
					return nil
				}
				ours, theirs, err := pair.play(ctx, l, orders[i])
				if err != nil {
					return fmt.Errorf("%s: %w", orders[i].describe(s), err)
				}
				serial, err := pair.serial(ctx, ours)
				if err != nil {
					return err
				}
				mu.Lock()
				t.judge(s, l, orders[i], ours, theirs, serial)
				mu.Unlock()
			}
		})
	}
	return t, group.Wait()
}

// judge adds one interleaving. theirs is nil without a peer.
func (t *tally) judge(s *scenario, l level, order interleaving, ours played, theirs *played, serial bool) {
	t.played++
	refused := ours.refused()
	if refused {
		t.refused++
	}
	if !serial {
		t.unserial++
	}
	if what := ours.unstable(s); what != "" && l != readCommitted {
		t.wrong = append(t.wrong, fmt.Sprintf("%s: %s", order.describe(s), what))
	}
	for i, f := range ours.failed {
		if f != "" && f != "40001" && f != "40P01" && theirs != nil && theirs.failed[i] == "" {
			t.wrong = append(t.wrong, fmt.Sprintf("%s: session %s failed with %s", order.describe(s), s.sessions[i].name, f))
		}
	}
	switch {
	case theirs == nil || theirs.equal(ours):
	case theirs.final == ours.final && theirs.failedLike(ours): // for another reason, such as the foreign key
	case refused:
		if !theirs.refused() {
			t.extra++
			t.examples = append(t.examples, order.describe(s))
		}
	case slices.Contains(s.differs, l):
		t.other++
	case l == serializable: // PostgreSQL may refuse, or find another serial order; serial is the judge of ours
	default:
		t.wrong = append(t.wrong, fmt.Sprintf("%s: ours %v, the peer's %v", order.describe(s), ours, *theirs))
	}
}

// refused tells whether a session was refused for the sake of another.
func (p *played) refused() bool {
	return slices.ContainsFunc(p.failed, func(f string) bool { return f == "40001" || f == "40P01" })
}

// failedLike tells whether the same sessions failed, and the others saw the same.
func (p *played) failedLike(q played) bool {
	for i := range p.failed {
		if (p.failed[i] == "") != (q.failed[i] == "") || p.failed[i] == "" && !slices.Equal(p.results[i], q.results[i]) {
			return false
		}
	}
	return true
}

func (p *played) equal(q played) bool {
	return p.final == q.final && slices.Equal(p.failed, q.failed) && slices.EqualFunc(p.results, q.results, slices.Equal)
}

// unstable tells of a query that a session asked twice, without a write of its own in between, with different answers.
func (p *played) unstable(s *scenario) string {
	for i, results := range p.results {
		answers := map[string]string{}
		for j, r := range results {
			sql := s.sessions[i].steps[j]
			if !strings.HasPrefix(sql, "SELECT") {
				clear(answers)
				continue
			}
			if before, ok := answers[sql]; ok && before != r {
				return fmt.Sprintf("session %s: %q gave %q, then %q", s.sessions[i].name, sql, before, r)
			}
			answers[sql] = r
		}
	}
	return ""
}
