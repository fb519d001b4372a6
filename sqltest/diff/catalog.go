package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/omgdb/omgdb/sqltest/floors"
)

// The catalog mode: expressions over the functions, operators and casts that both servers list, each entry as often as the others.

// exprGen draws expressions. Entries are the grammar: those that give a type may stand where a value of it is wanted.
type exprGen struct {
	*rand.Rand
	entries []*entry
	giving  map[string][]*entry
}

func newExprGen(seed uint64, entries []*entry) *exprGen {
	g := &exprGen{Rand: rand.New(rand.NewPCG(seed, 99)), entries: entries, giving: map[string][]*entry{}}
	for _, e := range entries {
		if poly[e.ret] == nil {
			g.giving[e.ret] = append(g.giving[e.ret], e)
		}
	}
	return g
}

// call is the entry applied to drawn arguments of at most the depth.
func (g *exprGen) call(e *entry, depth int) string {
	t := polyTypes[g.IntN(len(polyTypes))]
	args := make([]string, len(e.args))
	for i, a := range e.args {
		if p := poly[a]; p != nil {
			a = p(t)
		}
		args[i] = g.value(e, i, a, depth)
	}
	return e.show(args)
}

// value is an argument: a literal, or sometimes another entry's result.
func (g *exprGen) value(e *entry, place int, t string, depth int) string {
	d := domains[t]
	if list := hints[e.name][place]; len(list) > 0 {
		return literal(list[g.IntN(len(list))]) + "::" + d.sql
	}
	if givers := g.giving[t]; depth > 0 && len(givers) > 0 && g.IntN(6) == 0 {
		return g.call(givers[g.IntN(len(givers))], depth-1)
	}
	if g.IntN(25) == 0 {
		return "NULL::" + d.sql
	}
	n := len(d.values)
	if g.IntN(4) > 0 { // the edges come less often
		n = (n*2 + 2) / 3
	}
	return literal(d.values[g.IntN(n)]) + "::" + d.sql
}

// rules are the classes of difference that are explained: name, and what falls under it.
var rules = []struct {
	name string
	fits func(e *entry, ours, peers string) bool
}{
	{"libm: the last digits of transcendental functions", func(_ *entry, a, b string) bool {
		x, errX := strconv.ParseFloat(strings.Trim(strings.TrimSpace(a), `"`), 64)
		y, errY := strconv.ParseFloat(strings.Trim(strings.TrimSpace(b), `"`), 64)
		return errX == nil && errY == nil && x != y && (x-y)/y < 1e-13 && (y-x)/y < 1e-13
	}},
	{"functions and operators of PostgreSQL's inside have no name here, so their OIDs print as numbers", func(e *entry, _, _ string) bool {
		return strings.HasPrefix(e.ret, "regproc") || strings.HasPrefix(e.ret, "regoper")
	}},
	{"powers of thousands of digits take longer than the statement's time here", func(e *entry, a, _ string) bool {
		return a == errorMark+"57014" && (strings.Contains(e.name, "power") || e.name == "pow" || e.name == "^")
	}},
	{"to_char of an infinite number shows # where PostgreSQL's fill mode drops it", func(e *entry, a, _ string) bool {
		return e.name == "to_char" && strings.Contains(a, "##")
	}},
	{"a \"char\" is a byte: PostgreSQL makes strings of bytes that are no characters", func(e *entry, _, _ string) bool {
		return e.ret == "bpchar" && len(e.args) > 0 && e.args[0] == "char"
	}},
	{"width_bucket does not leave its range by rounding or overflow, as in newer versions of PostgreSQL", func(e *entry, a, b string) bool {
		x, errX := strconv.Atoi(strings.Trim(strings.TrimSpace(a), `"`))
		y, errY := strconv.Atoi(strings.Trim(strings.TrimSpace(b), `"`))
		return e.name == "width_bucket" && errX == nil && errY == nil && (y == x+1 || y == math.MinInt32)
	}},
	{"both fail, at different arguments of one expression", func(_ *entry, a, b string) bool {
		return strings.HasPrefix(a, errorMark) && strings.HasPrefix(b, errorMark)
	}},
}

func explained(e *entry, a, b string) string {
	for _, r := range rules {
		if r.fits(e, a, b) {
			return r.name
		}
	}
	return ""
}

// runCatalog compares statements over the entries and says how many differ without a rule.
func runCatalog(ctx context.Context, o options, sides [2]*pgconn.PgConn) (int, error) {
	for _, c := range sides {
		if _, err := c.Exec(ctx, "SET timezone = 'UTC'; SET datestyle = 'ISO, MDY'; SET intervalstyle = 'postgres'; SET statement_timeout = '20s'").ReadAll(); err != nil {
			return 0, err
		}
	}
	entries, err := readEntries(ctx, sides[0], sides[1])
	if err != nil {
		return 0, err
	}
	g := newExprGen(o.seed, entries)
	different, failed := 0, 0
	byRule := map[string]int{}
	for i := range o.catalog {
		e := entries[i%len(entries)]
		sql := "SELECT " + g.call(e, i/len(entries)%3)
		a, errA := ask(ctx, sides[0], sql)
		b, errB := ask(ctx, sides[1], sql)
		if errA != nil || errB != nil {
			return different, fmt.Errorf("%s: %w", sql, errors.Join(errA, errB))
		}
		if strings.HasPrefix(b, errorMark) {
			failed++
			e.failed++
		} else if a == b {
			e.ran++
		}
		if a == b {
			continue
		}
		if why := explained(e, a, b); why != "" {
			byRule[why]++
			continue
		}
		different++
		if e.different++; e.different <= 2 && different <= o.show {
			fmt.Printf("DIFFERENT %s\n  a: %s\n  b: %s\n", sql, clip(a), clip(b))
		}
	}
	return different, reportCatalog(o, entries, different, failed, byRule)
}

func reportCatalog(o options, entries []*entry, different, failed int, byRule map[string]int) error {
	hit := 0
	var never []string
	for _, e := range entries {
		if e.ran > 0 {
			hit++
		} else {
			never = append(never, e.id)
		}
	}
	n := float64(o.catalog)
	fmt.Printf("%d statements over %d entries: %d different, %.1f %% failed on the peer, %.1f %% of the entries ran well (seed %d)\n",
		o.catalog, len(entries), different, 100*float64(failed)/n, 100*float64(hit)/float64(len(entries)), o.seed)
	for _, r := range rules {
		if byRule[r.name] > 0 {
			fmt.Printf("  %d explained: %s\n", byRule[r.name], r.name)
		}
	}
	if len(never) > 0 && o.catalog >= 3*len(entries) {
		fmt.Printf("  never ran well (%d): %s\n", len(never), strings.Join(never[:min(len(never), 60)], ", "))
	}
	worst := slices.Clone(entries)
	slices.SortStableFunc(worst, func(a, b *entry) int { return b.different - a.different })
	for _, e := range worst[:min(len(worst), o.show)] {
		if e.different > 0 {
			fmt.Printf("  %d × %s\n", e.different, e.id)
		}
	}
	if o.figures == "" {
		return nil
	}
	return floors.WriteFigures(o.figures, "diff_catalog", floors.Figures{
		"statements": n, "same_part": 1 - float64(different)/n, "entries": float64(len(entries)), "entries_hit": float64(hit) / float64(len(entries)), "without_error": 1 - float64(failed)/n})
}
