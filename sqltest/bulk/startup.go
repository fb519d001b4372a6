package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/omgdb/omgdb/sqltest"
)

// startUp measures how soon a server answers, by the size of its store: after an end in good order, and after a kill, when the log
// is replayed. It may not grow with the store.
func (d *driver) startUp(ctx context.Context, dir string) error {
	const runs = 5
	all := d.rows / 5
	path := filepath.Join(dir, "startup.omgdb")
	if err := d.open(ctx, path); err != nil {
		return err
	}
	if err := d.exec(ctx, "CREATE TABLE grow (id int PRIMARY KEY, n int, note text)", "CREATE INDEX ON grow (n)"); err != nil {
		return err
	}
	var first time.Duration
	have := 0
	for _, part := range []int{16, 4, 1} {
		for have < all/part { // several commits, as a store grows
			next := min(have+max(all/16, 1), all/part)
			if err := d.copyRows(ctx, "grow", have, next); err != nil {
				return err
			}
			have = next
		}
		var clean, killed []time.Duration
		for range runs {
			if err := d.stop(ctx); err != nil {
				return err
			}
			took, err := d.answers(ctx, path, have)
			if err != nil {
				return err
			}
			clean = append(clean, took)
			d.conn.Close(ctx)
			d.server.Kill()
			if took, err = d.answers(ctx, path, have); err != nil {
				return err
			}
			killed = append(killed, took)
		}
		c, k := least(clean), least(killed)
		fmt.Printf("start-up  %9d rows: first answer after %s, after a kill %s\n", have, c.Round(time.Millisecond), k.Round(time.Millisecond))
		d.seen[fmt.Sprintf("startup_%dx_ms", 16/part)] = float64(c.Milliseconds())
		if part == 16 {
			first = max(c, k)
		} else if max(c, k) > 3*first+50*time.Millisecond {
			return fmt.Errorf("with %d rows the first answer took %s, with a sixteenth of all %s", have, max(c, k), first)
		}
	}
	d.seen["flat_start"] = 1
	return d.stop(ctx)
}

// answers starts the server and gives the time to its first answer from the table.
func (d *driver) answers(ctx context.Context, path string, rows int) (time.Duration, error) {
	start := time.Now()
	var err error
	if d.server, err = sqltest.Start(d.bin, path); err != nil {
		return 0, err
	}
	if d.conn, err = pgx.Connect(ctx, d.server.URL); err != nil {
		return 0, err
	}
	var n int
	err = d.conn.QueryRow(ctx, "SELECT n FROM grow WHERE id = $1", rows-1).Scan(&n)
	return time.Since(start), err
}

func least(all []time.Duration) time.Duration {
	l := all[0]
	for _, d := range all {
		l = min(l, d)
	}
	return l
}
