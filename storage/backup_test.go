package storage_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/key"
	"github.com/omgdb/omgdb/storage/kv"
)

// contentOf reads what relations hold; a relation that doesn't exist has no entry.
func contentOf(t rapid.TB, db *storage.DB, names []string) map[string]content {
	tx := begin(t, db, storage.ReadCommitted)
	defer tx.Rollback()
	out := map[string]content{}
	for _, name := range names {
		rel := tx.Catalog().Relation("public", name)
		if rel == nil {
			continue
		}
		out[name] = content{}
		for _, r := range rows(t, tx, storage.ScanSpec{Rel: rel}) {
			out[name][strings.Clone(r.id)] = strings.Clone(r.doc) // they may point into the store
		}
	}
	return out
}

// restored restores a backup to a commit, verifies the store and gives what it holds.
func restored(t testing.TB, backup string, m storage.Moment, names []string) map[string]content {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "restored")
	report, err := storage.Restore(bg, backup, dir, m, storage.Options{}, nil)
	must(t, err)
	db, err := storage.Open(bg, dir, storage.Options{})
	must(t, err)
	defer db.Close()
	verified, err := db.Verify(bg)
	must(t, err)
	if verified.Problem != "" || verified.LSN != report.LSN {
		t.Fatalf("restored to %+v it verifies as %+v, the report is %+v", m, verified, report)
	}
	return contentOf(t, db, names)
}

// TestRestoreToAnyCommit runs random work beside a model of maps, makes a backup and restores it to ten commits.
func TestRestoreToAnyCommit(t *testing.T) {
	for seed := range 2 {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			m := newMachine(t, boltDB(t))
			rapid.Custom(func(r *rapid.T) bool { r.Repeat(m.actions()); return true }).Example(seed)
			if m.tx != nil {
				m.tx.Rollback()
			}
			backup := filepath.Join(t.TempDir(), "backup")
			report, err := m.db.Backup(bg, backup)
			must(t, err)
			known := slices.Sorted(maps.Keys(m.states))
			if newest := known[len(known)-1]; report.LSN < newest || report.Bytes == 0 {
				t.Fatalf("a backup of commit %d is %+v", newest, report)
			}
			if diff := cmp.Diff(m.base, restored(t, backup, storage.Moment{}, m.names)); diff != "" {
				t.Errorf("the backup itself: %s", diff)
			}
			r := rand.New(rand.NewPCG(uint64(seed), 1))
			for range 10 {
				lsn := known[r.IntN(len(known))]
				if diff := cmp.Diff(m.states[lsn], restored(t, backup, storage.Moment{LSN: lsn}, m.names)); diff != "" {
					t.Errorf("restored to %d: %s", lsn, diff)
				}
			}
		})
	}
}

// TestRestoreUndoesDDL restores over dropped, truncated, altered, renamed and new relations and their indexes, unique keys that changed
// hands, and names that did.
func TestRestoreUndoesDDL(t *testing.T) {
	db := boltDB(t)
	names := []string{"docs", "gone", "cut", "a", "b", "fresh"}
	for _, name := range names[:3] {
		collection(t, db, name)
	}
	table(t, db, "a", 1)
	table(t, db, "b")
	update(t, db, func(tx *storage.Txn) { createIndexes(t, tx, "a"); createIndexes(t, tx, "b") })
	insert := func(tx *storage.Txn, name, text string) {
		_, _, err := tx.Insert(bg, tx.Catalog().Relation("public", name), parse(t, text))
		must(t, err)
	}
	update(t, db, func(tx *storage.Txn) {
		for i := range 20 {
			for _, name := range names[:3] {
				insert(tx, name, fmt.Sprintf(`{"_id":%d,"n":%d}`, i, i*i))
			}
			for _, name := range []string{"a", "b"} {
				insert(tx, name, fmt.Sprintf(`{"a":%d,"b":%d,"c":"c%d"}`, i, i%3, i))
			}
		}
	})
	then, want := lsnOf(t, db), contentOf(t, db, names)
	swapKeys(t, db)
	update(t, db, func(tx *storage.Txn) {
		v := tx.Catalog()
		must(t, tx.DropRelation(bg, v.Relation("public", "gone").ID))
		must(t, tx.Truncate(bg, v.Relation("public", "cut").ID))
		must(t, tx.DropIndex(bg, v.IndexByName("public", "b_c_key").ID))
		rename(t, tx, "a", "tmp")
		rename(t, tx, "b", "a")
		rename(t, tx, "tmp", "b")
	})
	collection(t, db, "fresh")
	update(t, db, func(tx *storage.Txn) {
		insert(tx, "fresh", `{"_id":1}`)
		insert(tx, "cut", `{"_id":"x"}`)
		insert(tx, "docs", `{"_id":"x"}`)
	})
	backup := filepath.Join(t.TempDir(), "backup")
	_, err := db.Backup(bg, backup)
	must(t, err)
	if diff := cmp.Diff(want, restored(t, backup, storage.Moment{LSN: then}, names)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(contentOf(t, db, names), restored(t, backup, storage.Moment{}, names)); diff != "" {
		t.Error(diff)
	}
}

func lsnOf(t rapid.TB, db *storage.DB) kv.LSN {
	tx := begin(t, db, storage.ReadCommitted)
	defer tx.Rollback()
	return tx.LSN()
}

func rename(t rapid.TB, tx *storage.Txn, from, to string) {
	rel := *tx.Catalog().Relation("public", from)
	rel.Name = to
	_, err := tx.AlterRelation(bg, rel)
	must(t, err)
}

// swapKeys lets two rows of table a exchange the values of a unique column.
func swapKeys(t rapid.TB, db *storage.DB) {
	update(t, db, func(tx *storage.Txn) {
		rel := tx.Catalog().Relation("public", "a")
		all := rows(t, tx, storage.ScanSpec{Rel: rel})
		for i, c := range []string{"spare", "c0", "c1"} {
			r := all[[]int{0, 1, 0}[i]]
			old := r.raw
			if i == 2 {
				old, _, _ = get(t, tx, rel, r.key)
			}
			_, err := tx.Update(bg, rel, r.key, old, parse(t, fmt.Sprintf(`{"a":%d,"b":7,"c":%q}`, i%2, c)))
			must(t, err)
			must(t, tx.BeginStatement(bg))
		}
	})
}

func get(t rapid.TB, tx *storage.Txn, rel *catalog.Relation, k storage.RowKey) (doc.Doc, bool, error) {
	d, ok, err := tx.Get(bg, rel, k)
	must(t, err)
	return d, ok, err
}

// TestRestoreRefuses looks at what cannot be restored, and that nothing is left of the attempt.
func TestRestoreRefuses(t *testing.T) {
	dir := t.TempDir()
	db, err := storage.Create(filepath.Join(dir, "live"), storage.Options{})
	must(t, err)
	collection(t, db, "docs")
	_, err = db.Backup(bg, filepath.Join(dir, "backup"))
	must(t, err)
	must(t, os.Mkdir(filepath.Join(dir, "full"), 0o700))
	must(t, os.WriteFile(filepath.Join(dir, "full", "letter"), []byte("dear"), 0o600))
	if _, err := db.Backup(bg, filepath.Join(dir, "backup")); dberr.Code(err) != dberr.DuplicateFile {
		t.Errorf("a backup over a backup: %v", err)
	}
	for _, tc := range []struct {
		name, from, to string
		m              storage.Moment
		code           string
	}{
		{"a store in use", "live", "new", storage.Moment{}, dberr.ObjectInUse},
		{"nothing", "nowhere", "new", storage.Moment{}, dberr.UndefinedFile},
		{"over a store", "backup", "live", storage.Moment{}, dberr.DuplicateFile},
		{"over letters", "backup", "full", storage.Moment{}, dberr.DuplicateFile},
		{"a commit to come", "backup", "new", storage.Moment{LSN: 1000}, dberr.InvalidParameterValue},
		{"a time to come", "backup", "new", storage.Moment{At: time.Now().Add(time.Hour)}, dberr.InvalidParameterValue},
	} {
		_, err := storage.Restore(bg, filepath.Join(dir, tc.from), filepath.Join(dir, tc.to), tc.m, storage.Options{}, nil)
		if dberr.Code(err) != tc.code {
			t.Errorf("%s: %v", tc.name, err)
		}
		for _, left := range []string{"new", tc.to + ".restoring"} {
			if _, err := os.Stat(filepath.Join(dir, left)); err == nil {
				t.Errorf("%s: %s is there", tc.name, left)
			}
		}
	}
	must(t, db.Close())
}

// TestBackupUnderLoad makes backups while writers move money and note each move. Whatever commit a backup is restored to, the accounts
// are what the notes of that time make of them.
func TestBackupUnderLoad(t *testing.T) {
	const accounts, each = 6, 1000
	db := boltDB(t)
	table(t, db, "acc", 1)
	collection(t, db, "notes")
	update(t, db, func(tx *storage.Txn) {
		for i := range accounts {
			_, _, err := tx.Insert(bg, tx.Catalog().Relation("public", "acc"), parse(t, fmt.Sprintf(`{"a":%d,"b":%d}`, i, each)))
			must(t, err)
		}
	})
	first := lsnOf(t, db)
	var wg sync.WaitGroup
	var moves atomic.Int64
	done := make(chan struct{})
	for w := range 3 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(w), 77))
			for i := 0; ; i++ {
				select {
				case <-done:
					return
				default:
				}
				if err := move(db, fmt.Sprintf("%d/%d", w, i), r.IntN(accounts), r.IntN(accounts), r.IntN(50)); err == nil {
					moves.Add(1)
				} else if c := dberr.Code(err); c != dberr.SerializationFailure && c != dberr.DeadlockDetected {
					t.Error(err)
					return
				}
			}
		})
	}
	waitFor := func(n int64) {
		for moves.Load() < n && !t.Failed() {
			time.Sleep(time.Millisecond)
		}
	}
	waitFor(50)
	early := filepath.Join(t.TempDir(), "early")
	_, err := db.Backup(bg, early)
	must(t, err)
	waitFor(150)
	late := filepath.Join(t.TempDir(), "late")
	report, err := db.Backup(bg, late)
	must(t, err)
	waitFor(200)
	close(done)
	wg.Wait()

	r := rand.New(rand.NewPCG(5, 6))
	for range 10 {
		balanced(t, restored(t, late, storage.Moment{LSN: first + kv.LSN(r.Int64N(int64(report.LSN-first+1)))}, []string{"acc", "notes"}), accounts, each)
	}
	replay(t, db, early)
}

// move takes an amount from one account to another and notes that.
func move(db *storage.DB, id string, from, to, amount int) error {
	tx, err := db.Begin(bg, storage.TxnOptions{Isolation: storage.RepeatableRead})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for _, step := range []struct{ account, by int }{{from, -amount}, {to, amount}} {
		if err := tx.BeginStatement(bg); err != nil {
			return err
		}
		if err := change(tx, "acc", step.account, step.by); err != nil {
			return err
		}
	}
	note, err := doc.ParseDocument(fmt.Appendf(nil, `{"_id":%q,"from":%d,"to":%d,"amount":%d}`, id, from, to, amount))
	if err != nil {
		return err
	}
	if _, _, err := tx.Insert(bg, tx.Catalog().Relation("public", "notes"), note); err != nil {
		return err
	}
	return tx.Commit(bg)
}

// balanced checks accounts against notes.
func balanced(t *testing.T, state map[string]content, accounts int, each int64) {
	want := make([]int64, accounts)
	for i := range want {
		want[i] = each
	}
	num := func(d doc.Doc, field string) int64 {
		n, _ := d.Lookup(field).Int64()
		return n
	}
	for _, text := range state["notes"] {
		n := parse(t, text)
		want[num(n, "from")] -= num(n, "amount")
		want[num(n, "to")] += num(n, "amount")
	}
	if len(state["acc"]) != accounts {
		t.Fatalf("accounts are %v", state["acc"])
	}
	for _, text := range state["acc"] {
		if a := parse(t, text); num(a, "b") != want[num(a, "a")] {
			t.Errorf("account %s after %d moves, want %d", text, len(state["notes"]), want[num(a, "a")])
		}
	}
}

// replay does again what the store's op-log tells of the commits after a backup, on the backup's rows, and expects the store's rows.
func replay(t *testing.T, db *storage.DB, backup string) {
	copied, err := storage.Open(bg, backup, storage.Options{})
	must(t, err)
	state, from := allRows(t, copied), lsnOf(t, copied)
	must(t, copied.Close())
	tx := begin(t, db, storage.ReadCommitted)
	defer tx.Rollback()
	n := 0
	must(t, tx.Log(bg, from+1, tx.LSN(), false, func(e *storage.Entry) error {
		n++
		return e.Changes(bg, func(c *storage.RowChange) error {
			k := string(key.AppendPrefix(nil, c.Space, c.Storage)) + string(c.Key)
			after, err := tx.After(bg, c)
			if after == nil {
				delete(state, k)
			} else if c.Space == key.Row {
				state[k] = after.Value().Canonical()
			}
			return err
		})
	}))
	if n < 50 {
		t.Errorf("only %d commits were replayed", n)
	}
	if diff := cmp.Diff(allRows(t, db), state); diff != "" {
		t.Error(diff)
	}
}

// allRows gives the rows of all relations by full key.
func allRows(t rapid.TB, db *storage.DB) map[string]string {
	tx := begin(t, db, storage.ReadCommitted)
	defer tx.Rollback()
	out := map[string]string{}
	for _, rel := range tx.Catalog().AllRelations() {
		for _, r := range rows(t, tx, storage.ScanSpec{Rel: rel}) {
			out[string(key.AppendRow(nil, rel.Storage, r.key))] = r.raw.Value().Canonical()
		}
	}
	return out
}
