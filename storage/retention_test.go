package storage_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/kv/mem"
)

// TestRetention gives up random parts of random histories, in steps of random size, and expects what is kept to read as before, what is
// not to be refused, and the store to verify all the while.
func TestRetention(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		defer storage.SetTruncateBytes(rapid.SampledFrom([]int{1, 300, 4 << 20}).Draw(t, "step"))()
		engine := &immortal{mem.New()}
		now := time.Unix(1_700_000_000, 0)
		open := func() *storage.DB {
			db, err := storage.Open(bg, "", storage.Options{Engine: engine, Clock: func() time.Time { return now }})
			must(t, err)
			return db
		}
		m := newMachine(t, open())
		must(t, m.db.SetRetention(storage.Retention{Age: time.Hour}))
		horizon := kv.LSN(0)
		actions := m.actions()
		for range rapid.IntRange(1, 4).Draw(t, "rounds") {
			for range rapid.IntRange(1, 25).Draw(t, "actions") {
				rapid.SampledFrom([]func(*rapid.T){actions["insert"], actions["row"], actions["update"], actions["update"], actions["delete"],
					actions["commit"]}).Draw(t, "action")(t)
				now = now.Add(time.Minute)
			}
			actions["commit"](t)
			cutoff := now.Add(-time.Hour).UnixMicro()
			must(t, m.db.Maintain(bg))
			tx := begin(t, m.db, storage.ReadCommitted)
			first := kv.LSN(0)
			must(t, tx.Log(bg, 0, tx.LSN(), false, func(e *storage.Entry) error {
				if e.Micros < cutoff {
					t.Fatalf("commit %d has left the retention and is still there", e.LSN)
				}
				if first == 0 {
					first = e.LSN
				}
				return nil
			}))
			if first == 0 {
				first = tx.LSN() + 1
			}
			tx.Rollback()
			horizon = max(horizon, first-1)
			m.checkKept(t, horizon)
		}
		must(t, m.db.Close())
		m.db = open() // the chain goes on behind what was given up
		m.begin(t, storage.ReadCommitted)
		m.insertDoc(t)
		actions["commit"](t)
		report, err := m.db.Verify(bg)
		must(t, err)
		if report.Problem != "" {
			t.Fatalf("%s", report.Problem)
		}
		must(t, m.db.Close())
	})
}

// checkKept compares every state that must be readable with the model's, and expects the others to be refused.
func (m *machine) checkKept(t *rapid.T, horizon kv.LSN) {
	report, err := m.db.Verify(bg)
	must(t, err)
	if report.Problem != "" {
		t.Fatalf("%s", report.Problem)
	}
	tx := begin(t, m.db, storage.ReadCommitted)
	defer tx.Rollback()
	for lsn, want := range m.states {
		for _, name := range m.names {
			rel := tx.Catalog().Relation("public", name)
			got, err := tryRows(tx, storage.ScanSpec{Rel: rel, AsOf: lsn})
			if refused := dberr.Code(err) == dberr.InvalidParameterValue; refused || lsn < horizon {
				if !refused && len(want[name]) > 0 && lsn+3 < horizon { // commits that write no rows blur the horizon a little
					t.Fatalf("%s as of %d is read although the past begins at %d", name, lsn, horizon)
				}
				if refused && lsn >= horizon {
					t.Fatalf("%s as of %d: %v", name, lsn, err)
				}
				continue
			}
			must(t, err)
			if len(got) != len(want[name]) {
				t.Fatalf("%s as of %d: %v, want %v", name, lsn, ids(got), want[name])
			}
			for _, x := range got {
				if want[name][x.id] != x.doc {
					t.Fatalf("%s %s as of %d is %s, want %s", name, x.id, lsn, x.doc, want[name][x.id])
				}
			}
		}
	}
}

func TestRetentionBySize(t *testing.T) {
	db := memDB(t)
	docs := collection(t, db, "docs")
	must(t, db.SetRetention(storage.Retention{Bytes: 10_000}))
	for i := range 200 {
		update(t, db, func(tx *storage.Txn) {
			_, _, err := tx.Insert(bg, docs, parse(t, fmt.Sprintf(`{"_id":%d}`, i)))
			must(t, err)
		})
	}
	must(t, db.Maintain(bg))
	tx := begin(t, db, storage.ReadCommitted)
	defer tx.Rollback()
	var first, last uint64
	must(t, tx.Log(bg, 0, tx.LSN(), false, func(e *storage.Entry) error {
		if first == 0 {
			first = e.Total
		}
		last = e.Total
		return nil
	}))
	if kept := last - first; kept > 10_000 || kept < 9_000 {
		t.Errorf("%d bytes are kept", kept)
	}
	if err := db.SetRetention(storage.Retention{Age: -1}); dberr.Code(err) != dberr.InvalidParameterValue {
		t.Errorf("negative retention: %v", err)
	}
}

func TestPurge(t *testing.T) {
	engine := &immortal{mem.New()}
	db, err := storage.Open(bg, "", storage.Options{Engine: engine})
	must(t, err)
	docs := collection(t, db, "docs")
	var keys [2][]byte
	for i, id := range []string{"one", "two"} {
		for round := range 3 {
			update(t, db, func(tx *storage.Txn) {
				d := parse(t, fmt.Sprintf(`{"_id":%q,"secret":"secret-%s-%d"}`, id, id, round))
				if round == 0 {
					keys[i], _, err = tx.Insert(bg, docs, d)
				} else {
					old, _, gerr := tx.Get(bg, docs, keys[i])
					must(t, gerr)
					_, err = tx.Update(bg, docs, keys[i], old, d)
				}
				must(t, err)
			})
		}
	}
	update(t, db, func(tx *storage.Txn) {
		old, _, err := tx.Get(bg, docs, keys[0])
		must(t, err)
		must(t, tx.Delete(bg, docs, keys[0], old))
	})
	if n, err := db.Purge(bg, docs, keys[0]); n != 3 || err != nil {
		t.Errorf("purged %d images of 3 (%v)", n, err)
	}
	tx := begin(t, db, storage.ReadCommitted)
	past, err := tx.History(bg, docs, keys[0])
	must(t, err)
	if len(past) != 4 || !past[0].Deleted || !past[1].Stripped || past[3].Micros == 0 || past[3].Actor.Application != "test" {
		t.Errorf("history of the purged row: %+v", past)
	}
	other, err := tx.History(bg, docs, keys[1])
	must(t, err)
	if len(other) != 3 || other[2].Doc.Lookup("secret").Text() != "secret-two-0" {
		t.Errorf("history of the other row: %+v", other)
	}
	if _, err := tryRows(tx, storage.ScanSpec{Rel: docs, AsOf: past[3].LSN}); dberr.Code(err) != dberr.InvalidParameterValue {
		t.Errorf("reading a purged past gave %v", err)
	}
	tx.Rollback()
	report, err := db.Verify(bg)
	must(t, err)
	if report.Problem != "" {
		t.Error(report.Problem)
	}
	must(t, db.Close())
	ops, _ := scanAll(t, engine)
	for _, op := range ops {
		if bytes.Contains(op.Value, []byte("secret-one")) {
			t.Errorf("key %q still tells the secret", op.Key)
		}
	}
}

func TestDroppedStorageIsFreed(t *testing.T) {
	engine := &immortal{mem.New()}
	busyStore(t, engine)
	db, err := storage.Open(bg, "", storage.Options{Engine: engine})
	must(t, err)
	count := func() int { ops, _ := scanAll(t, engine); return len(ops) }
	tx := begin(t, db, storage.ReadCommitted)
	before := kv.LSN(0)
	found := errors.New("found")
	err = tx.Log(bg, 0, tx.LSN(), true, func(e *storage.Entry) error {
		before = e.LSN - 1 // the newest commit dropped and truncated
		return found
	})
	if err != found {
		t.Fatal(err)
	}
	v, err := tx.CatalogAsOf(bg, before)
	must(t, err)
	gone := v.Relation("public", "gone")
	if got := rows(t, tx, storage.ScanSpec{Rel: gone, AsOf: before}); len(got) != 150 {
		t.Errorf("a dropped relation has %d rows in the past", len(got))
	}
	tx.Rollback()
	was := count()
	must(t, db.Maintain(bg))
	if n := count(); n != was {
		t.Errorf("%d keys went although their drop is in the retention", was-n)
	}
	must(t, db.FreeDropped(bg))
	if n := count(); n > was-400 {
		t.Errorf("only %d keys of %d went", was-n, was)
	}
	tx = begin(t, db, storage.ReadCommitted)
	if _, err := tryRows(tx, storage.ScanSpec{Rel: gone, AsOf: before}); dberr.Code(err) != dberr.InvalidParameterValue {
		t.Errorf("reading a freed relation gave %v", err)
	}
	tx.Rollback()
	report, err := db.Verify(bg)
	must(t, err)
	if report.Problem != "" {
		t.Error(report.Problem)
	}
	must(t, db.Close())
}
