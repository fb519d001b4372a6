package storage_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/value"
)

// savepoint is a mark, and what the rows were there: what is said of them as a chain of changes, not as a copy each.
type savepoint struct {
	mark    storage.Mark
	changes int // of the list, before it
}

// rowChange is what a row was before it changed; 0 for absent.
type rowChange struct{ id, before int }

// TestManySavepoints nests ten thousand savepoints in one transaction, with rollbacks to random ones and releases in between, and
// compares the rows with a model; in memory and with a transaction that spills.
func TestManySavepoints(t *testing.T) {
	for _, memory := range []int64{64 << 20, 64 << 10} {
		t.Run(fmt.Sprint(memory), func(t *testing.T) {
			defer storage.SetMemory(memory, memory)()
			db := memDB(t)
			table(t, db, "t", 1)
			rng := rand.New(rand.NewPCG(1, uint64(memory)))
			tx := begin(t, db, storage.ReadCommitted)
			defer tx.Rollback()
			model := map[int]int{}
			var list []rowChange
			var open []savepoint
			for n := 1; n <= 10_000; n++ {
				open = append(open, savepoint{tx.Mark(), len(list)})
				must(t, tx.BeginStatement(bg))
				id := rng.IntN(500)
				list = append(list, rowChange{id, model[id]})
				writeRow(t, tx, id, n, model[id] != 0)
				model[id] = n
				switch roll := rng.IntN(20); {
				case roll < 1: // back by a few
					at := len(open) - 1 - rng.IntN(min(len(open), 10))
					tx.RollbackTo(open[at].mark)
					for len(list) > open[at].changes {
						c := list[len(list)-1]
						list = list[:len(list)-1]
						if model[c.id] = c.before; c.before == 0 {
							delete(model, c.id)
						}
					}
					open = open[:at+1]
				case roll < 3: // release one
					tx.Forget(open[len(open)-1].mark)
					open = open[:len(open)-1]
				}
			}
			if len(open) < 1000 {
				t.Fatalf("only %d savepoints stay open", len(open))
			}
			must(t, tx.BeginStatement(bg))
			if got := readModel(t, tx); !maps.Equal(got, model) {
				t.Fatalf("the transaction sees %d rows, want %d", len(got), len(model))
			}
			must(t, tx.Commit(bg))
			after := begin(t, db, storage.ReadCommitted)
			defer after.Rollback()
			if got := readModel(t, after); !maps.Equal(got, model) {
				t.Fatalf("%d rows were committed, want %d", len(got), len(model))
			}
		})
	}
}

func writeRow(t *testing.T, tx *storage.Txn, id, n int, exists bool) {
	t.Helper()
	rel := tx.Catalog().Relation("public", "t")
	d := parse(t, fmt.Sprintf(`{"a":%d,"b":%d}`, id, n))
	if !exists {
		_, _, err := tx.Insert(bg, rel, d)
		must(t, err)
		return
	}
	key, err := storage.PrimaryKey(rel, []value.Value{value.Int(int64(id))})
	must(t, err)
	old, ok, err := tx.Get(bg, rel, key)
	must(t, err)
	if !ok {
		t.Fatalf("row %d is gone", id)
	}
	_, err = tx.Update(bg, rel, key, old, d)
	must(t, err)
}

func readModel(t *testing.T, tx *storage.Txn) map[int]int {
	t.Helper()
	out := map[int]int{}
	for _, r := range rows(t, tx, storage.ScanSpec{Rel: tx.Catalog().Relation("public", "t")}) {
		a, b := number(t, r.raw, "a"), number(t, r.raw, "b")
		out[a] = b
	}
	return out
}

func number(t *testing.T, d doc.Doc, field string) int {
	t.Helper()
	var n int
	if _, err := fmt.Sscan(d.Lookup(field).Canonical(), &n); err != nil {
		t.Fatal(err)
	}
	return n
}
