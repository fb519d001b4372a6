package main

import (
	"context"
	"fmt"
	"io"
	"time"
)

// step is one large piece of work and what the table holds afterwards.
type step struct {
	name string
	run  func(ctx context.Context, d *driver) error
	want func(rows int64) (count, sum int64)
}

// gauss is the sum of 0 … n-1.
func gauss(n int64) int64 { return n * (n - 1) / 2 }

func updated(n int64) (count, sum int64) { return n, gauss(n) + n }

var steps = []step{
	{"copy", copyAll, func(n int64) (int64, int64) { return n, gauss(n) }},
	{"update", statements("UPDATE bulk SET n = n + 1"), updated},
	{"rollback", statements("BEGIN", "UPDATE bulk SET n = n + 1", "ROLLBACK"), updated},
	{"delete", statements("DELETE FROM bulk WHERE id % 2 = 1"), func(n int64) (int64, int64) {
		even := (n + 1) / 2
		return even, 2*gauss(even) + even // the sum of n+1 over even ids
	}},
}

func statements(sql ...string) func(context.Context, *driver) error {
	return func(ctx context.Context, d *driver) error { return d.exec(ctx, sql...) }
}

// copyAll brings all rows in one transaction.
func copyAll(ctx context.Context, d *driver) error {
	if err := d.exec(ctx, "BEGIN"); err != nil {
		return err
	}
	if err := d.copyRows(ctx, "bulk", 0, d.rows); err != nil {
		return err
	}
	return d.exec(ctx, "COMMIT")
}

// copyRows brings the rows from…to-1 in the text format.
func (d *driver) copyRows(ctx context.Context, table string, from, to int) error {
	r, w := io.Pipe()
	go func() {
		buf := make([]byte, 0, 64<<10)
		for i := from; i < to; i++ {
			buf = fmt.Appendf(buf, "%d\t%d\tnote of row %d\n", i, i, i)
			if len(buf) > 60<<10 {
				if _, err := w.Write(buf); err != nil {
					return
				}
				buf = buf[:0]
			}
		}
		_, err := w.Write(buf)
		w.CloseWithError(err)
	}()
	defer r.Close()
	tag, err := d.conn.PgConn().CopyFrom(ctx, r, "COPY "+table+" FROM STDIN")
	if err == nil && tag.RowsAffected() != int64(to-from) {
		err = fmt.Errorf("COPY says %q", tag)
	}
	return err
}

// step runs one step under watch and checks what it left.
func (d *driver) step(ctx context.Context, s step) error {
	others, err := d.beginOthers(ctx)
	if err != nil {
		return err
	}
	memory := watchMemory(d.server.Pid())
	start := time.Now()
	err = s.run(ctx, d)
	took := time.Since(start)
	peak := memory.stop()
	waits, othersErr := others.stop()
	if err != nil {
		return err
	}
	if othersErr != nil {
		return fmt.Errorf("another session: %w", othersErr)
	}
	fmt.Printf("%-9s %8s (%.0f rows/s), memory at most %s, others: %s\n", s.name, took.Round(time.Millisecond),
		float64(d.rows)/took.Seconds(), peak, waits)
	d.seen[s.name+"_mib"] = float64(peak.resident >> 20)
	d.seen[s.name+"_rows_s"] = float64(d.rows) / took.Seconds()
	if peak.resident>>20 > d.limit {
		return fmt.Errorf("the server took %s, more than %d MiB", peak, d.limit)
	}
	if waits.longest > d.slowest {
		return fmt.Errorf("another session waited %s for an answer", waits.longest)
	}
	d.seen["steps"]++
	return d.check(ctx, s)
}

// check counts and sums the table.
func (d *driver) check(ctx context.Context, s step) error {
	wantCount, wantSum := s.want(int64(d.rows))
	var count, sum int64
	if err := d.conn.QueryRow(ctx, "SELECT count(*), sum(n) FROM bulk").Scan(&count, &sum); err != nil {
		return err
	}
	if count != wantCount || sum != wantSum {
		return fmt.Errorf("the table has %d rows with sum %d, want %d and %d", count, sum, wantCount, wantSum)
	}
	return nil
}
