package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"
)

// mop is one operation of a list transaction: it appends value to a list, or reads one.
type mop struct {
	key   int
	value int   // appended; 0 for a read
	list  []int // read
}

// record is one transaction of a history.
type record struct {
	ops       []mop
	committed bool
}

// lists has many clients append to lists and read them, at a level, and checks the history.
func lists(ctx context.Context, o options, l level) (string, error) {
	conn, err := pgx.Connect(ctx, o.a)
	if err != nil {
		return "", err
	}
	defer conn.Close(ctx)
	for _, sql := range []string{"DROP TABLE IF EXISTS isolation_lists", "CREATE TABLE isolation_lists (id int PRIMARY KEY, items text NOT NULL)"} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return "", fmt.Errorf("%s: %w", sql, err)
		}
	}
	w := &listWork{level: l, end: time.Now().Add(o.span)}
	group, gctx := errgroup.WithContext(ctx)
	for i := range o.clients {
		group.Go(func() error { return w.client(gctx, o, i) })
	}
	if err := group.Wait(); err != nil {
		return "", err
	}
	final, err := readLists(ctx, conn, "SELECT id, items FROM isolation_lists")
	if err != nil {
		return "", err
	}
	h := history{txns: w.done, final: map[int][]int{}}
	for _, m := range final {
		h.final[m.key] = m.list
	}
	if err := h.check(l); err != nil {
		return "", err
	}
	committed := 0
	for _, t := range w.done {
		if t.committed {
			committed++
		}
	}
	if committed < o.clients {
		return "", fmt.Errorf("only %d transactions were committed", committed)
	}
	return fmt.Sprintf("%d transactions of %d clients committed, %d refused, no cycle that the level excludes", committed, o.clients, len(w.done)-committed), nil
}

// listWork is what the clients share.
type listWork struct {
	level level
	end   time.Time
	next  atomic.Int64 // of values; the keys in use move on with it

	mu   sync.Mutex
	done []record
}

// Lists stay short, since each append writes the whole list: the keys in use move on.
const (
	keysInUse     = 6
	valuesPerKeys = 250
)

func (w *listWork) client(ctx context.Context, o options, i int) error {
	conn, err := pgx.Connect(ctx, o.a)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	rng := rand.New(rand.NewPCG(o.seed, uint64(i)))
	var mine []record
	for time.Now().Before(w.end) {
		r, err := w.transaction(ctx, conn, rng)
		if err != nil {
			return err
		}
		mine = append(mine, r)
	}
	w.mu.Lock()
	w.done = append(w.done, mine...)
	w.mu.Unlock()
	return nil
}

// transaction runs one of a few random operations.
func (w *listWork) transaction(ctx context.Context, conn *pgx.Conn, rng *rand.Rand) (record, error) {
	r := record{}
	err := inTransaction(ctx, conn, w.level, func() error {
		for range 1 + rng.IntN(4) {
			ops, err := w.operation(ctx, conn, rng)
			r.ops = append(r.ops, ops...)
			if err != nil {
				return err
			}
		}
		return nil
	})
	r.committed = err == nil
	if isRefusal(err) {
		err = nil
	}
	return r, err
}

// operation appends to a list, reads one, or reads several with one statement.
func (w *listWork) operation(ctx context.Context, conn *pgx.Conn, rng *rand.Rand) ([]mop, error) {
	base := int(w.next.Load()) / valuesPerKeys * keysInUse
	key := base + rng.IntN(keysInUse)
	switch roll := rng.IntN(10); {
	case roll < 5:
		m := mop{key: key, value: int(w.next.Add(1))}
		_, err := conn.Exec(ctx, "INSERT INTO isolation_lists VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET items = isolation_lists.items || ',' || $2",
			key, strconv.Itoa(m.value))
		return []mop{m}, err
	case roll < 8:
		return wanted(ctx, conn, key, key)
	}
	return wanted(ctx, conn, key, key+rng.IntN(3))
}

// wanted reads the lists of a range of keys; those that are absent are empty.
func wanted(ctx context.Context, conn *pgx.Conn, from, to int) ([]mop, error) {
	found, err := readLists(ctx, conn, "SELECT id, items FROM isolation_lists WHERE id >= $1 AND id <= $2", from, to)
	if err != nil {
		return nil, err
	}
	var all []mop
	for k := from; k <= to; k++ {
		m := mop{key: k, list: []int{}}
		for _, f := range found {
			if f.key == k {
				m = f
			}
		}
		all = append(all, m)
	}
	return all, nil
}

func readLists(ctx context.Context, conn *pgx.Conn, sql string, args ...any) ([]mop, error) {
	rows, err := conn.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (mop, error) {
		m := mop{list: []int{}}
		var items string
		if err := row.Scan(&m.key, &items); err != nil {
			return m, err
		}
		for item := range strings.SplitSeq(items, ",") {
			n, err := strconv.Atoi(item)
			if err != nil {
				return m, fmt.Errorf("list %d is %q", m.key, items)
			}
			m.list = append(m.list, n)
		}
		return m, nil
	})
}

// inTransaction runs f in a transaction and commits it.
func inTransaction(ctx context.Context, conn *pgx.Conn, l level, f func() error) error {
	if _, err := conn.Exec(ctx, "BEGIN ISOLATION LEVEL "+string(l)); err != nil {
		return err
	}
	err := f()
	if err == nil {
		_, err = conn.Exec(ctx, "COMMIT")
	}
	if err != nil && !conn.IsClosed() {
		if _, rerr := conn.Exec(ctx, "ROLLBACK"); rerr != nil {
			return fmt.Errorf("%w, then ROLLBACK: %w", err, rerr)
		}
	}
	return err
}

// isRefusal tells of the errors by which a server refuses a transaction for the sake of others.
func isRefusal(err error) bool {
	if err == nil {
		return false
	}
	c := code(err)
	return c == "40001" || c == "40P01"
}
