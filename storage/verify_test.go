package storage_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/key"
	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/kv/mem"
)

// busyStore makes a store in memory with a bit of everything: rows changed, deleted, made again and moved, a dropped and a truncated
// relation, records in several parts.
func busyStore(t testing.TB, engine kv.Store) {
	t.Helper()
	db, err := storage.Open(bg, "", storage.Options{Engine: engine})
	must(t, err)
	collection(t, db, "docs")
	collection(t, db, "gone")
	table(t, db, "typed", 1)
	table(t, db, "hidden")
	update(t, db, func(tx *storage.Txn) { createIndexes(t, tx, "typed") })
	for i := range 150 {
		update(t, db, func(tx *storage.Txn) {
			for _, name := range []string{"docs", "gone"} {
				_, _, err := tx.Insert(bg, tx.Catalog().Relation("public", name), parse(t, fmt.Sprintf(`{"_id":%d,"text":"%0100d"}`, i, i)))
				must(t, err)
			}
			for _, name := range []string{"typed", "hidden"} {
				_, _, err := tx.Insert(bg, tx.Catalog().Relation("public", name), parse(t, fmt.Sprintf(`{"a":%d,"b":1,"c":"c%d"}`, i, i)))
				must(t, err)
			}
		})
	}
	for round := range 3 {
		update(t, db, func(tx *storage.Txn) {
			for _, name := range []string{"docs", "typed", "hidden"} {
				rel := tx.Catalog().Relation("public", name)
				for i, r := range rows(t, tx, storage.ScanSpec{Rel: rel}) {
					switch {
					case i%7 == round:
						must(t, tx.Delete(bg, rel, r.key, r.raw))
					case i%3 == 0:
						field := map[string]string{"docs": `"_id":` + r.id, "typed": `"a":` + fmt.Sprint(1000*(round+1)+i), "hidden": `"a":1`}[name]
						_, err := tx.Update(bg, rel, r.key, r.raw, parse(t, fmt.Sprintf(`{%s,"round":%d}`, field, round)))
						must(t, err)
					}
				}
			}
		})
	}
	update(t, db, func(tx *storage.Txn) {
		_, _, err := tx.Insert(bg, tx.Catalog().Relation("public", "docs"), parse(t, `{"_id":0,"again":true}`))
		must(t, err)
		must(t, tx.DropRelation(bg, tx.Catalog().Relation("public", "gone").ID))
		must(t, tx.Truncate(bg, tx.Catalog().Relation("public", "hidden").ID))
	})
	report, err := db.Verify(bg)
	must(t, err)
	if report.Problem != "" || report.Rows == 0 || report.Records < 600 || report.Commits < 150 {
		t.Fatalf("a sound store verifies as %+v", report)
	}
	must(t, db.Close())
}

func scanAll(t testing.TB, s kv.Store) (ops []kv.Op, lsn kv.LSN) {
	snap, err := s.Snapshot(bg)
	must(t, err)
	defer snap.Close()
	it := snap.Scan(bg, kv.Range{})
	defer it.Close()
	for it.Next() {
		ops = append(ops, kv.Op{Key: bytes.Clone(it.Key()), Value: bytes.Clone(it.Value()), KeyStamp: kv.NoStamp, ValueStamp: kv.NoStamp})
	}
	must(t, it.Err())
	return ops, snap.LSN()
}

// restore makes an engine with the given content.
func restore(t testing.TB, ops []kv.Op, lsn kv.LSN) kv.Store {
	s := mem.New()
	must(t, s.Apply(bg, []kv.Batch{&kv.MemBatch{Num: lsn, Op: ops}}))
	return s
}

// verifies opens a store over the engine and tells what Verify or Open finds wrong.
func verifies(t testing.TB, engine kv.Store) string {
	db, err := storage.Open(bg, "", storage.Options{Engine: engine})
	if err != nil {
		return "open: " + err.Error()
	}
	defer db.Close()
	report, err := db.Verify(bg)
	must(t, err)
	return report.Problem
}

// TestVerifyFindsTampering changes single bytes of keys and values, removes keys, and adds copies of keys under others, everywhere in a
// store, and expects to be told each time.
func TestVerifyFindsTampering(t *testing.T) {
	for name, half := range map[string]bool{"whole past": false, "half of the past": true} {
		t.Run(name, func(t *testing.T) {
			engine := &immortal{mem.New()}
			busyStore(t, engine)
			if half {
				giveUpSome(t, engine)
			}
			tamper(t, engine)
		})
	}
}

// giveUpSome gives up about half of the op-log.
func giveUpSome(t *testing.T, engine kv.Store) {
	db, err := storage.Open(bg, "", storage.Options{Engine: engine})
	must(t, err)
	before, err := db.Verify(bg)
	must(t, err)
	tx := begin(t, db, storage.ReadCommitted)
	var total uint64
	must(t, tx.Log(bg, 0, tx.LSN(), false, func(e *storage.Entry) error { total = e.Total; return nil }))
	tx.Rollback()
	must(t, db.SetRetention(storage.Retention{Bytes: int64(total / 2)}))
	must(t, db.Maintain(bg))
	after, err := db.Verify(bg)
	must(t, err)
	if after.Problem != "" || after.Commits == 0 || after.Commits >= before.Commits {
		t.Fatalf("of %+v this is left: %+v", before, after)
	}
	must(t, db.Close())
}

func tamper(t *testing.T, engine kv.Store) {
	ops, lsn := scanAll(t, engine)
	if p := verifies(t, restore(t, ops, lsn)); p != "" {
		t.Fatalf("a copy of the store verifies as %s", p)
	}
	r := rand.New(rand.NewPCG(3, 4))
	tries := 1000
	if testing.Short() {
		tries = 100
	}
	spaces := map[byte]int{}
	unchecked := excused(ops)
	for range tries {
		i := r.IntN(len(ops))
		bad := append([]kv.Op(nil), ops...)
		what := ""
		switch r.IntN(6) {
		default:
			if len(bad[i].Value) == 0 {
				continue
			}
			v := bytes.Clone(bad[i].Value)
			at := r.IntN(len(v))
			v[at] ^= 1 << r.IntN(8)
			bad[i].Value, what = v, fmt.Sprintf("byte %d of the value of", at)
		case 0:
			k := bytes.Clone(bad[i].Key)
			at := r.IntN(len(k))
			k[at] ^= 1 << r.IntN(8)
			bad[i].Key, what = k, fmt.Sprintf("byte %d of the key", at)
			if bad = sorted(bad); bad == nil {
				continue
			}
		case 1:
			bad, what = append(bad[:i:i], bad[i+1:]...), "removal of"
		}
		if unchecked(ops[i].Key) {
			continue
		}
		spaces[ops[i].Key[0]]++
		if p := verifies(t, restore(t, bad, lsn)); p == "" {
			t.Errorf("%s %q goes unnoticed", what, ops[i].Key)
		}
	}
	for _, s := range []key.Space{key.Catalog, key.Row, key.Log, key.History, key.Ordered} {
		if spaces[byte(s)] == 0 && !testing.Short() {
			t.Errorf("nothing of keyspace %c was touched", s)
		}
	}
}

// excused tells which keys hold nothing that could be checked: rows, history and counters of relations that are dropped and wait for
// the sweeper, the sweeper's list, and the counter of ids.
func excused(ops []kv.Op) func(k []byte) bool {
	const counters, swept = 1, 2
	dropped := map[uint64]bool{}
	for _, op := range ops {
		if s, id, rest := key.Split(op.Key); s == key.Meta && id == swept {
			dropped[binary.BigEndian.Uint64(rest)] = true
		}
	}
	return func(k []byte) bool {
		s, id, rest := key.Split(k)
		switch {
		case s != key.Meta:
			return dropped[id]
		case id == counters:
			return dropped[binary.BigEndian.Uint64(rest)]
		}
		return true
	}
}

// sorted puts the operations in order; nil when two have the same key.
func sorted(ops []kv.Op) []kv.Op {
	out := append([]kv.Op(nil), ops...)
	for i := range out {
		for j := i; j > 0; j-- {
			c := bytes.Compare(out[j-1].Key, out[j].Key)
			if c == 0 {
				return nil
			}
			if c < 0 {
				break
			}
			out[j-1], out[j] = out[j], out[j-1]
		}
	}
	return out
}

func TestVerifyStopsWhenCancelled(t *testing.T) {
	db := memDB(t)
	collection(t, db, "docs")
	ctx, cancel := context.WithCancel(bg)
	cancel()
	if report, err := db.Verify(ctx); err == nil {
		t.Errorf("a cancelled verify gives %+v", report)
	}
}
