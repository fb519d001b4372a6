package main

import (
	"context"
	"math/rand/v2"

	"github.com/jackc/pgx/v5"
)

// search makes one of the checks.
func (d *driver) search(ctx context.Context, conn *pgx.Conn, r *rand.Rand) error {
	if r.IntN(2) == 0 {
		return d.counts(ctx, conn)
	}
	return d.repeatable(ctx, conn, r)
}

// counts looks in one statement for all groups: each has its number, and every text is found by meaning.
func (d *driver) counts(ctx context.Context, conn *pgx.Conn) error {
	rows, err := conn.Query(ctx, `SELECT g, (SELECT count(*) FROM text_search('s', 't', g, 100000)), (SELECT count(*) FROM s WHERE doc->>'g' = g) FROM unnest($1::text[]) g`, groups)
	if err != nil {
		return err
	}
	var group string
	var found, there int
	if _, err := pgx.ForEachRow(rows, []any{&group, &found, &there}, func() error {
		if found != d.perGroup || there != d.perGroup {
			return wrong("%s: the index finds %d, the rows are %d, must be %d", group, found, there, d.perGroup)
		}
		return nil
	}); err != nil {
		return err
	}
	d.searched.Add(int64(len(groups)))
	var all int
	if err := conn.QueryRow(ctx, "SELECT count(*) FROM vsearch('s', 't', 'ballast', 100000, null, 'static')").Scan(&all); err != nil {
		return err
	}
	if all != d.allTexts {
		return wrong("%d texts are found by meaning, must be %d", all, d.allTexts)
	}
	d.searched.Add(1)
	return nil
}

// answers are searches through indexes, each beside what reading the rows gives. $1 is a group, $2 a vector.
var answers = []struct{ name, index, rows string }{
	{"words", `SELECT coalesce(string_agg(_id, ',' ORDER BY _id), '') FROM text_search('s', 't', $1, 100000) WHERE $2::text <> ''`,
		`SELECT coalesce(string_agg(_id, ',' ORDER BY _id), '') FROM s WHERE doc->>'t' LIKE $1 || ' %' AND $2::text <> ''`},
	{"meaning", `SELECT string_agg(_id, ',' ORDER BY _id) FROM vsearch('s', 't', $1, 100000, null, 'static') WHERE $2::text <> ''`,
		`SELECT string_agg(_id, ',' ORDER BY _id) FROM s WHERE doc->>'t' IS NOT NULL AND $1::text <> '' AND $2::text <> ''`},
	{"both sides", `SELECT string_agg(_id || ' ' || score || ' ' || coalesce(lexical_rank, 0), ',') FROM hybrid_search('s', 't', $1, 20) WHERE $2::text <> ''`, ""},
	{"nearest", `SELECT string_agg(_id, ',') FROM (SELECT _id FROM s WHERE $1::text <> '' ORDER BY (doc->>'e')::vector(4) <-> $2::text::vector, _id LIMIT 10) x`,
		`SELECT string_agg(_id, ',') FROM (SELECT _id FROM s WHERE $1::text <> '' ORDER BY ((doc->>'e')::vector(4) <-> $2::text::vector) + 0, _id LIMIT 10) x`},
}

// repeatable compares the answers of indexes with those of rows in one snapshot, and asks again after a while.
func (d *driver) repeatable(ctx context.Context, conn *pgx.Conn, r *rand.Rand) error {
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, "SET LOCAL omgdb.vector_recall = 1"); err != nil {
		return err
	}
	group, near := groups[r.IntN(len(groups))], vector(r)
	first := make([]string, len(answers))
	for round := range 3 {
		for i, a := range answers {
			var got, want string
			if err := conn.QueryRow(ctx, a.index, group, near).Scan(&got); err != nil {
				return err
			}
			d.searched.Add(1)
			if round == 0 {
				first[i] = got
			}
			if got != first[i] {
				return wrong("%s %s: the same snapshot gives %s, then %s", a.name, group, first[i], got)
			}
			if a.rows == "" || round > 0 {
				continue
			}
			if err := conn.QueryRow(ctx, a.rows, group, near).Scan(&want); err != nil {
				return err
			}
			if got != want {
				return wrong("%s %s: the index gives %s, the rows %s", a.name, group, got, want)
			}
		}
	}
	return tx.Commit(ctx)
}
