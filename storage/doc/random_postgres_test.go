//go:build postgres

package doc

import (
	"context"
	"github.com/jackc/pgx/v5"
	"math/rand"
	"strings"
	"testing"
)

// TestPostgresRandom compares random values with a live PostgreSQL; the fixed answers are in TestPostgresAnswers.
func TestPostgresRandom(t *testing.T) {
	ctx := context.Background()
	conn := must(pgx.Connect(ctx, *pgDSN))
	defer conn.Close(ctx)
	g := gen{rand.New(rand.NewSource(2)), false}
	two := []string{"cmp", "contains", "||"}
	pick := func(list []string) string { return list[g.Intn(len(list))] }
	for i := 0; i < rounds && !t.Failed(); i++ {
		a, b := g.value(4).Canonical(), g.value(3).Canonical()
		var c pgCase
		switch g.Intn(5) {
		case 0:
			c = pgCase{Op: pick(two), Args: []string{a, b}}
		case 1:
			c = pgCase{Op: pick([]string{"#>", "#-"}), Args: []string{a, pick(pathArgs)}}
		case 2:
			c = pgCase{Op: pick([]string{"set", "insert"}), Args: []string{a, pick(pathArgs), b, pick([]string{"true", "false"})}}
		case 3:
			c = pgCase{Op: pick([]string{"jsonb", "json"}), Args: []string{g.damaged(a)}}
		default:
			c = pgCase{Op: "jsonb", Args: []string{a}}
		}
		if strings.ContainsRune(c.Args[0], 0) {
			continue
		}
		if err := c.ask(ctx, conn); err != nil {
			t.Fatal(err)
		}
		c.check(t)
	}
}

// damaged breaks a JSON text in one place, keeping it valid UTF-8.
func (g gen) damaged(s string) string {
	r := []rune(s)
	i := g.Intn(len(r) + 1)
	junk := []rune(`{}[],:"\u0-+.eEx_é` + "\n\t 1")
	switch g.Intn(3) {
	case 0:
		return string(r[:i])
	case 1:
		return string(r[:i]) + string(junk[g.Intn(len(junk))]) + string(r[i:])
	}
	if i < len(r) {
		r[i] = junk[g.Intn(len(junk))]
	}
	return string(r)
}
