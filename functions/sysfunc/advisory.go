package sysfunc

import (
	"context"

	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/value"
)

// advisory lists the advisory locks: for the session or the transaction, waiting or trying, by one bigint or two integers.
func advisory() []def {
	var out []def
	for _, args := range []string{"int8", "int4,int4"} {
		for _, shared := range []bool{false, true} {
			suffix := ""
			if shared {
				suffix = "_shared"
			}
			out = append(out,
				def{Sig: "pg_advisory_lock" + suffix + "(" + args + ")", Waits: true, Eval: lockSession(shared, storage.Wait)},
				def{Sig: "pg_try_advisory_lock" + suffix + "(" + args + ")", Eval: lockSession(shared, storage.NoWait)},
				def{Sig: "pg_advisory_xact_lock" + suffix + "(" + args + ")", Waits: true, Eval: lockXact(shared, storage.Wait)},
				def{Sig: "pg_try_advisory_xact_lock" + suffix + "(" + args + ")", Eval: lockXact(shared, storage.NoWait)},
				def{Sig: "pg_advisory_unlock" + suffix + "(" + args + ")", Eval: unlock(shared)},
			)
		}
	}
	return append(out, def{Sig: "pg_advisory_unlock_all()", Eval: func(_ context.Context, c *call, _ []val) (val, error) {
		c.Env.Locks.AdvisoryUnlockAll()
		return text(""), nil
	}})
}

func lockKey(c *call, a []val) storage.AdvisoryKey {
	k := storage.AdvisoryKey{Database: uint32(c.Env.Txn.Catalog().Database()), Key: a[0].Int()}
	if len(a) == 2 {
		k.Key, k.Pair = a[0].Int()<<32|int64(uint32(a[1].Int())), true
	}
	return k
}

// taken is the result of a lock function: void for those that wait.
func taken(ok bool, err error, w storage.WaitPolicy) (val, error) {
	switch {
	case err != nil:
		return value.Null, err
	case w == storage.Wait:
		return text(""), nil
	}
	return value.Bool(ok), nil
}

func lockSession(shared bool, w storage.WaitPolicy) eval {
	return func(ctx context.Context, c *call, a []val) (val, error) {
		ok, err := c.Env.Locks.AdvisoryLock(ctx, lockKey(c, a), shared, w, c.Env.Txn.LockTimeout())
		return taken(ok, err, w)
	}
}

func lockXact(shared bool, w storage.WaitPolicy) eval {
	return func(ctx context.Context, c *call, a []val) (val, error) {
		ok, err := c.Env.Txn.AdvisoryLock(ctx, lockKey(c, a), shared, w)
		return taken(ok, err, w)
	}
}

func unlock(shared bool) eval {
	return func(_ context.Context, c *call, a []val) (val, error) {
		ok := c.Env.Locks.AdvisoryUnlock(lockKey(c, a), shared)
		if !ok && c.Env.Notice != nil {
			mode := "ExclusiveLock"
			if shared {
				mode = "ShareLock"
			}
			c.Env.Notice("WARNING", "01000", "you don't own a lock of type "+mode)
		}
		return value.Bool(ok), nil
	}
}
