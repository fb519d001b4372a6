package main

import (
	"context"
	"slices"
)

// pair is a scenario's stage on the server under test and, if there is one, on its peer.
type pair struct {
	ours, theirs *stage
	// outcomes are those of the serial orders of some sessions, by the set of them.
	outcomes map[uint][]played
}

func openPair(ctx context.Context, o options, s *scenario, schema string) (*pair, error) {
	p := &pair{outcomes: map[uint][]played{}}
	var err error
	if p.ours, err = openStage(ctx, o.a, schema, s); err != nil {
		return nil, err
	}
	if o.b != "" {
		if p.theirs, err = openStage(ctx, o.b, schema, s); err != nil {
			p.close()
			return nil, err
		}
	}
	return p, nil
}

func (p *pair) close() {
	for _, st := range []*stage{p.ours, p.theirs} {
		if st != nil {
			st.close(context.Background())
		}
	}
}

// play plays an interleaving on both.
func (p *pair) play(ctx context.Context, l level, order interleaving) (ours played, theirs *played, err error) {
	if ours, err = p.ours.play(ctx, l, order); err != nil || p.theirs == nil {
		return ours, nil, err
	}
	t, err := p.theirs.play(ctx, l, order)
	return ours, &t, err
}

// serial tells whether what the committed sessions saw and left is what they give one after the other, in some order.
func (p *pair) serial(ctx context.Context, got played) (bool, error) {
	var set uint
	for i, f := range got.failed {
		if f == "" {
			set |= 1 << i
		}
	}
	outcomes, ok := p.outcomes[set]
	if !ok {
		for _, order := range p.ours.serialOrders(set) {
			out, err := p.ours.play(ctx, serializable, order)
			if err != nil {
				return false, err
			}
			outcomes = append(outcomes, out)
		}
		p.outcomes[set] = outcomes
	}
	return slices.ContainsFunc(outcomes, func(o played) bool { return o.final == got.final && o.sameResults(got, set) }), nil
}

func (p *played) sameResults(q played, set uint) bool {
	for i := range p.results {
		if set&(1<<i) != 0 && !slices.Equal(p.results[i], q.results[i]) {
			return false
		}
	}
	return true
}

// serialOrders gives the interleavings in which the sessions of a set run one after the other.
func (st *stage) serialOrders(set uint) []interleaving {
	var all []interleaving
	var extend func(so interleaving, rest uint)
	extend = func(so interleaving, rest uint) {
		if rest == 0 {
			all = append(all, so)
			return
		}
		for i, p := range st.players {
			if rest&(1<<i) != 0 {
				next := slices.Clone(so)
				for range p.steps {
					next = append(next, i)
				}
				extend(next, rest&^(1<<i))
			}
		}
	}
	extend(nil, set)
	return all
}
