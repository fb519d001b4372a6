package bind

import (
	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/value"
)

// candidate is a function or operator that a call may mean. args are the parameter types as the call sees them: in the order of its
// arguments, a variadic parameter expanded.
type candidate struct {
	args     []*value.Type
	order    []int // position of argument i in the declared parameters, nil when they are in order
	nargs    int   // declared parameters that are used, defaults included
	variadic int   // > 0: that many trailing arguments form the variadic array
	defaults int   // parameters that take their default
	params   []functions.Param
	ret      *value.Type
	isAny    bool // VARIADIC "any"

	scalar *functions.Scalar
	agg    *functions.Aggregate
	win    *functions.Window
	table  *functions.Table
	op     *functions.Operator
	user   *catalog.Function // whose entry it is
	twice  bool              // another function of the same schema fits alike
}

// choose picks among candidates by PostgreSQL's rules (manual 10.2 and 10.3): the one whose parameters fit the arguments best.
// nil, 0 means none fits; nil and more than one: several fit equally well.
func (b *binder) choose(args []*value.Type, cands []*candidate) (*candidate, int) {
	var fit []*candidate
	for _, c := range cands {
		if b.canCoerce(args, c.args, functions.Implicit) {
			fit = append(fit, c)
		}
	}
	if len(fit) <= 1 {
		if len(fit) == 1 {
			return fit[0], 1
		}
		return nil, 0
	}
	if c := b.best(args, fit); c != nil {
		return c, 1
	}
	return nil, len(fit)
}

// best applies the tie-breaking rules to candidates that all fit; nil when they leave more than one.
func (b *binder) best(args []*value.Type, cands []*candidate) *candidate {
	in := make([]*value.Type, len(args))
	unknowns := 0
	for i, a := range args {
		if isUnknown(a) {
			in[i] = a
			unknowns++
		} else {
			in[i] = baseType(a)
		}
	}
	cands = keepMost(cands, func(c *candidate) int { return matches(in, c, false) })
	if len(cands) == 1 {
		return cands[0]
	}
	cands = keepMost(cands, func(c *candidate) int { return matches(in, c, true) })
	if len(cands) == 1 {
		return cands[0]
	}
	if unknowns == 0 {
		return nil
	}
	if kept := byUnknowns(in, cands); len(kept) == 1 {
		return kept[0]
	} else if len(kept) > 0 {
		cands = kept
	}
	return b.byKnown(in, cands, unknowns)
}

// keepMost keeps the candidates with the highest count.
func keepMost(cands []*candidate, count func(*candidate) int) []*candidate {
	var kept []*candidate
	most := 0
	for _, c := range cands {
		switch n := count(c); {
		case n > most || kept == nil:
			most, kept = n, []*candidate{c}
		case n == most:
			kept = append(kept, c)
		}
	}
	return kept
}

// matches counts the arguments whose type is the parameter's, or (preferred) at least the parameter is a preferred type of its category.
func matches(in []*value.Type, c *candidate, preferred bool) int {
	n := 0
	for i, t := range in {
		if isUnknown(t) {
			continue
		}
		if same(t, c.args[i]) || preferred && t.Category == c.args[i].Category && c.args[i].Preferred {
			n++
		}
	}
	return n
}

// byUnknowns resolves unknown literals to a type category: string when any candidate takes one, else the category that all agree on.
// It keeps the candidates of these categories; nil when a position stays open.
func byUnknowns(in []*value.Type, cands []*candidate) []*candidate {
	category := make([]byte, len(in))
	prefer := make([]bool, len(in))
	for i, t := range in {
		if !isUnknown(t) {
			continue
		}
		resolved, conflict := false, false
		category[i] = cands[0].args[i].Category
		prefer[i] = cands[0].args[i].Preferred
		if category[i] == 'S' {
			resolved = true
		}
		for _, c := range cands[1:] {
			cat, pref := c.args[i].Category, c.args[i].Preferred
			switch {
			case cat == category[i]:
				prefer[i] = prefer[i] || pref
			case cat == 'S':
				category[i], prefer[i], resolved = 'S', pref, true
			default:
				conflict = true
			}
		}
		if conflict && !resolved && category[i] != 'S' {
			return nil
		}
	}
	var kept []*candidate
	for _, c := range cands {
		ok := true
		for i, t := range in {
			if isUnknown(t) && (c.args[i].Category != category[i] || prefer[i] && !c.args[i].Preferred) {
				ok = false
			}
		}
		if ok {
			kept = append(kept, c)
		}
	}
	return kept
}

// byKnown takes unknown literals for the type that all other arguments have, when exactly one candidate accepts that.
func (b *binder) byKnown(in []*value.Type, cands []*candidate, unknowns int) *candidate {
	if unknowns == len(in) {
		return nil
	}
	var known *value.Type
	for _, t := range in {
		if isUnknown(t) {
			continue
		}
		if known != nil && !same(known, t) {
			return nil
		}
		known = t
	}
	all := make([]*value.Type, len(in))
	for i := range all {
		all[i] = known
	}
	var found *candidate
	for _, c := range cands {
		if b.canCoerce(all, c.args, functions.Implicit) {
			if found != nil {
				return nil
			}
			found = c
		}
	}
	return found
}
