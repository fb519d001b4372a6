package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"
)

// input is one statement on a register: a read, a write, or a write that depends on what is there.
type input struct {
	register int
	sql      string
	old, new int
}

const (
	readRegister  = "SELECT v FROM isolation_registers WHERE id = $1"
	writeRegister = "UPDATE isolation_registers SET v = $2 WHERE id = $1"
	swapRegister  = "UPDATE isolation_registers SET v = $2 WHERE id = $1 AND v = $3"
)

// output is its answer: the value read, or whether a write found its row. A refused statement did nothing.
type output struct {
	value   int
	changed bool
	refused bool
}

// register is the model: one integer.
var register = porcupine.Model{
	Partition: func(all []porcupine.Operation) [][]porcupine.Operation {
		by := map[int][]porcupine.Operation{}
		for _, op := range all {
			r := op.Input.(input).register
			by[r] = append(by[r], op)
		}
		var parts [][]porcupine.Operation
		for _, part := range by {
			parts = append(parts, part)
		}
		return parts
	},
	Init: func() any { return 0 },
	Step: func(state, in, out any) (bool, any) {
		now, i, o := state.(int), in.(input), out.(output)
		switch {
		case o.refused:
			return true, now
		case i.sql == readRegister:
			return o.value == now, now
		case i.sql == writeRegister:
			return o.changed, i.new
		case i.old == now:
			return o.changed, i.new
		}
		return !o.changed, now
	},
}

// registers has many clients read and write a few registers, each statement a transaction of its own, and checks that there is an
// order of all statements in which each answer is right and no statement comes before one that had ended when it began.
func registers(ctx context.Context, o options, l level) (string, error) {
	const count = 4
	conn, err := pgx.Connect(ctx, o.a)
	if err != nil {
		return "", err
	}
	defer conn.Close(ctx)
	for _, sql := range []string{"DROP TABLE IF EXISTS isolation_registers", "CREATE TABLE isolation_registers (id int PRIMARY KEY, v int)",
		fmt.Sprintf("INSERT INTO isolation_registers SELECT i, 0 FROM generate_series(0, %d) i", count-1)} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return "", fmt.Errorf("%s: %w", sql, err)
		}
	}
	var mu sync.Mutex
	var all []porcupine.Operation
	begin := time.Now()
	group, gctx := errgroup.WithContext(ctx)
	for client := range o.clients {
		group.Go(func() error {
			conn, err := pgx.Connect(gctx, o.a)
			if err != nil {
				return err
			}
			defer conn.Close(gctx)
			if _, err := conn.Exec(gctx, "SET default_transaction_isolation TO '"+string(l)+"'"); err != nil {
				return err
			}
			rng := rand.New(rand.NewPCG(o.seed, uint64(client)))
			var mine []porcupine.Operation
			for time.Since(begin) < o.span {
				op := porcupine.Operation{ClientId: client, Call: time.Since(begin).Nanoseconds()}
				in := input{register: rng.IntN(count), new: 1 + rng.IntN(5), old: rng.IntN(6)}
				in.sql = [...]string{readRegister, writeRegister, swapRegister}[rng.IntN(3)]
				out, err := in.do(gctx, conn)
				if err != nil {
					return err
				}
				op.Input, op.Output, op.Return = in, out, time.Since(begin).Nanoseconds()
				mine = append(mine, op)
			}
			mu.Lock()
			all = append(all, mine...)
			mu.Unlock()
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return "", err
	}
	switch porcupine.CheckOperationsTimeout(register, all, time.Minute) {
	case porcupine.Illegal:
		return "", errors.New("the statements are not linearizable")
	case porcupine.Unknown:
		return "", errors.New("the check did not end in time")
	}
	return fmt.Sprintf("%d statements of %d clients on %d registers are linearizable", len(all), o.clients, count), nil
}

func (in input) do(ctx context.Context, conn *pgx.Conn) (out output, err error) {
	switch in.sql {
	case readRegister:
		err = conn.QueryRow(ctx, in.sql, in.register).Scan(&out.value)
	case writeRegister:
		tag, xerr := conn.Exec(ctx, in.sql, in.register, in.new)
		out.changed, err = tag.RowsAffected() == 1, xerr
	default:
		tag, xerr := conn.Exec(ctx, in.sql, in.register, in.new, in.old)
		out.changed, err = tag.RowsAffected() == 1, xerr
	}
	if isRefusal(err) {
		return output{refused: true}, nil
	}
	return out, err
}
