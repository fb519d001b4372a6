package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"
)

const (
	accounts = 40
	balance  = 100
)

var errPoor = errors.New("not enough money")

// bank has many clients move money between accounts; a quarter of them look at the sum, which never changes.
func bank(ctx context.Context, o options, l level) (string, error) {
	conn, err := pgx.Connect(ctx, o.a)
	if err != nil {
		return "", err
	}
	defer conn.Close(ctx)
	for _, sql := range []string{"DROP TABLE IF EXISTS isolation_bank", "CREATE TABLE isolation_bank (id int PRIMARY KEY, v int CHECK (v >= 0))",
		fmt.Sprintf("INSERT INTO isolation_bank SELECT i, %d FROM generate_series(0, %d) i", balance, accounts-1)} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return "", fmt.Errorf("%s: %w", sql, err)
		}
	}
	var moved, refused, looked atomic.Int64
	end := time.Now().Add(o.bank)
	group, gctx := errgroup.WithContext(ctx)
	for client := range o.clients {
		group.Go(func() error {
			conn, err := pgx.Connect(gctx, o.a)
			if err != nil {
				return err
			}
			defer conn.Close(gctx)
			rng := rand.New(rand.NewPCG(o.seed, uint64(client)))
			for time.Now().Before(end) {
				if client%4 == 0 {
					looked.Add(1)
					err = lookAtBank(gctx, conn, l)
				} else if err = transfer(gctx, conn, l, rng); err == nil {
					moved.Add(1)
				}
				if isRefusal(err) {
					refused.Add(1)
				} else if err != nil && !errors.Is(err, errPoor) {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return "", err
	}
	if moved.Load() == 0 || looked.Load() == 0 {
		return "", errors.New("nobody moved anything")
	}
	if err := lookAtBank(ctx, conn, l); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d transfers, %d refused, the same sum %d times", moved.Load(), refused.Load(), looked.Load()), nil
}

// transfer moves money from one account to another. At READ COMMITTED it locks what it reads; above, the level must do.
func transfer(ctx context.Context, conn *pgx.Conn, l level, rng *rand.Rand) error {
	from, to, amount := rng.IntN(accounts), rng.IntN(accounts), 1+rng.IntN(balance/2)
	if from == to {
		to = (to + 1) % accounts
	}
	read := "SELECT v FROM isolation_bank WHERE id = $1"
	if l == readCommitted {
		read += " FOR UPDATE"
	}
	return inTransaction(ctx, conn, l, func() error {
		var has, hasTo int
		if err := conn.QueryRow(ctx, read, from).Scan(&has); err != nil {
			return err
		}
		if has < amount {
			return errPoor
		}
		if err := conn.QueryRow(ctx, read, to).Scan(&hasTo); err != nil {
			return err
		}
		for _, set := range [][2]int{{from, has - amount}, {to, hasTo + amount}} {
			if _, err := conn.Exec(ctx, "UPDATE isolation_bank SET v = $2 WHERE id = $1", set[0], set[1]); err != nil {
				return err
			}
		}
		return nil
	})
}

// lookAtBank sums up all accounts, with one statement at READ COMMITTED, where each has a snapshot of its own; above, with several.
func lookAtBank(ctx context.Context, conn *pgx.Conn, l level) error {
	sum, count := 0, 0
	err := inTransaction(ctx, conn, l, func() error {
		ranges := [][2]int{{0, accounts}}
		if l != readCommitted {
			ranges = [][2]int{{0, accounts / 3}, {accounts / 3, accounts}}
		}
		for _, r := range ranges {
			var s, n int
			if err := conn.QueryRow(ctx, "SELECT sum(v), count(*) FROM isolation_bank WHERE id >= $1 AND id < $2", r[0], r[1]).Scan(&s, &n); err != nil {
				return err
			}
			sum, count = sum+s, count+n
		}
		return nil
	})
	if err == nil && (sum != accounts*balance || count != accounts) {
		return fmt.Errorf("%d accounts have %d, want %d with %d", count, sum, accounts, accounts*balance)
	}
	return err
}
