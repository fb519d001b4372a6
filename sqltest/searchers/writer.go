package main

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/jackc/pgx/v5"
)

// The documents: some that stay, and of each writer so many in each group.
const (
	ballast     = 2500
	ownPerGroup = 12
)

// groups are words that nothing else has.
var groups = []string{"aardvark", "bumblebee", "chameleon", "dragonfly", "elephant", "flamingo"}

// document is one as its writer knows it.
type document struct{ group, token string }

func (d document) text() string { return d.group + " eats " + d.token + " in the garden" }

// writer changes documents of its own. An id begins with its name.
type writer struct {
	name     string
	rand     *rand.Rand
	serial   int
	acked    map[string]document
	inFlight map[string]document // what a commit would leave whose answer has not come; nil for none
}

func newWriter(n int, seed uint64) *writer {
	return &writer{name: fmt.Sprintf("w%d-", n), rand: rand.New(rand.NewPCG(seed, uint64(n))), acked: map[string]document{}}
}

func (w *writer) next() (id, token string) {
	w.serial++
	return fmt.Sprintf("%s%d", w.name, w.serial), fmt.Sprintf("%sx%dx%d", "tok", w.name[1]-'0', w.serial)
}

func insert(ctx context.Context, conn *pgx.Conn, r *rand.Rand, id string, d document) error {
	_, err := conn.Exec(ctx, "INSERT INTO s (_id, doc) VALUES ($1, jsonb_build_object('t', $2::text, 'g', $3::text, 'e', $4::jsonb))", id, d.text(), d.group, vector(r))
	return err
}

func vector(r *rand.Rand) string {
	return fmt.Sprintf("[%.4f,%.4f,%.4f,%.4f]", 97*r.Float64(), 89*r.Float64(), 2500*r.Float64(), r.Float64())
}

// begin inserts the writer's first documents.
func (w *writer) begin(ctx context.Context, conn *pgx.Conn) error {
	for _, g := range groups {
		for range ownPerGroup {
			id, token := w.next()
			w.acked[id] = document{g, token}
			if err := insert(ctx, conn, w.rand, id, w.acked[id]); err != nil {
				return err
			}
		}
	}
	return nil
}

// transaction replaces, rewrites and swaps documents, looks at each step for what it has done, and commits, or takes all back.
func (w *writer) transaction(ctx context.Context, conn *pgx.Conn, d *driver) error {
	tx, err := conn.Begin(ctx)
	if err != nil {
		return err
	}
	own := maps.Clone(w.acked)
	for range 1 + w.rand.IntN(3) {
		if err := w.change(ctx, conn, own, d); err != nil {
			return err
		}
	}
	if w.rand.IntN(5) == 0 {
		return tx.Rollback(ctx)
	}
	w.inFlight = own
	if err := tx.Commit(ctx); err != nil {
		return err
	}
	w.acked, w.inFlight = own, nil
	d.commits.Add(1)
	return nil
}

func (w *writer) pick(own map[string]document) string {
	ids := slices.Sorted(maps.Keys(own))
	return ids[w.rand.IntN(len(ids))]
}

// change does one step that leaves each group's number.
func (w *writer) change(ctx context.Context, conn *pgx.Conn, own map[string]document, d *driver) error {
	id := w.pick(own)
	old := own[id]
	if w.rand.IntN(2) == 0 { // another text in the same group
		_, token := w.next()
		own[id] = document{old.group, token}
		if _, err := conn.Exec(ctx, "UPDATE s SET doc = doc || jsonb_build_object('t', $2::text, 'e', $3::jsonb) WHERE _id = $1", id, own[id].text(), vector(w.rand)); err != nil {
			return err
		}
		return w.sees(ctx, conn, id, own[id], old, d.perGroup)
	}
	if _, err := conn.Exec(ctx, "DELETE FROM s WHERE _id = $1", id); err != nil {
		return err
	}
	delete(own, id)
	if err := w.sees(ctx, conn, "", old, old, d.perGroup-1); err != nil {
		return err
	}
	id, token := w.next()
	own[id] = document{old.group, token}
	if err := insert(ctx, conn, w.rand, id, own[id]); err != nil {
		return err
	}
	return w.sees(ctx, conn, id, own[id], old, d.perGroup)
}

// byMeaning finds the document $3 by its whole text, $2: that of another version would be less like it.
const byMeaning = `coalesce((SELECT _id FROM vsearch('s', 't', $2, 1, json_build_object('_id', $3::text), 'static') WHERE score > 0.99999), '')`

// sees looks for a document that the transaction has written ("" for none) and for one that it has removed, by words, by meaning and by
// number.
func (w *writer) sees(ctx context.Context, conn *pgx.Conn, id string, now, old document, inGroup int) error {
	var words, meaning string
	var ofOld, n int
	err := conn.QueryRow(ctx, `SELECT coalesce((SELECT _id FROM text_search('s', 't', '+' || $1, 5)), ''), `+byMeaning+`,
		(SELECT count(*) FROM text_search('s', 't', '+' || $4, 5)), (SELECT count(*) FROM text_search('s', 't', $5, 100000))`,
		now.token, now.text(), id, old.token, now.group).Scan(&words, &meaning, &ofOld, &n)
	switch {
	case err != nil:
		return err
	case words != id || meaning != id:
		return wrong("%s: own document %q is found as %q by its word and %q by its meaning", w.name, id, words, meaning)
	case ofOld != 0:
		return wrong("%s: the text before is still found: %s", w.name, old.token)
	case n != inGroup:
		return wrong("%s: %d documents of %s, the transaction makes it %d", w.name, n, now.group, inGroup)
	}
	return nil
}

// settle reads the writer's documents after a restart: they are those of the acknowledged transactions, with or without the one whose
// answer never came; indexes find each.
func (w *writer) settle(ctx context.Context, conn *pgx.Conn) error {
	found := map[string]document{}
	var id, text, group string
	rows, err := conn.Query(ctx, "SELECT _id, doc->>'t', doc->>'g' FROM s WHERE _id LIKE $1", w.name+"%")
	if err != nil {
		return err
	}
	if _, err := pgx.ForEachRow(rows, []any{&id, &text, &group}, func() error {
		var d document
		if _, err := fmt.Sscanf(text, "%s eats %s in the garden", &d.group, &d.token); err != nil || d.group != group {
			return wrong("%s: %q of group %s", id, text, group)
		}
		found[id] = d
		return nil
	}); err != nil {
		return err
	}
	switch {
	case maps.Equal(found, w.acked):
	case w.inFlight != nil && maps.Equal(found, w.inFlight):
		w.acked = found
	default:
		return wrong("%s: the store has neither what was acknowledged nor what was in flight", w.name)
	}
	w.inFlight = nil
	for id, d := range found {
		var words, meaning string
		if err := conn.QueryRow(ctx, `SELECT coalesce((SELECT _id FROM text_search('s', 't', '+' || $1, 5)), ''), `+byMeaning,
			d.token, d.text(), id).Scan(&words, &meaning); err != nil {
			return err
		}
		if words != id || meaning != id {
			return wrong("%s is found as %q by its word and %q by its meaning", id, words, meaning)
		}
	}
	return nil
}
