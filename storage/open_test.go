package storage_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/kv/mem"
	"github.com/omgdb/omgdb/storage/value"
)

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "text"), []byte("hello"), 0o600))
	db, err := storage.Create(filepath.Join(dir, "store"), storage.Options{Command: "omgdb serve"})
	must(t, err)
	defer db.Close()
	for _, c := range []struct {
		name, path, code string
		create           bool
	}{
		{"a missing store", "none", dberr.UndefinedFile, false},
		{"a file", "text", dberr.WrongObjectType, false},
		{"an existing store", "store", dberr.DuplicateFile, true},
		{"a held store", "store", dberr.ObjectInUse, false},
	} {
		path := filepath.Join(dir, c.path)
		var err error
		if c.create {
			_, err = storage.Create(path, storage.Options{})
		} else {
			_, err = storage.Open(bg, path, storage.Options{})
		}
		if dberr.Code(err) != c.code || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v (%s)", c.name, err, dberr.Code(err))
		}
		if held := errors.Is(err, storage.ErrHeld); held != (c.name == "a held store") {
			t.Errorf("%s: ErrHeld is %v", c.name, held)
		}
		if c.name == "a held store" && !strings.Contains(err.Error(), fmt.Sprintf("process %d (omgdb serve)", os.Getpid())) {
			t.Errorf("the holder is not named: %v", err)
		}
	}
}

func TestClosedStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	db, err := storage.Create(path, storage.Options{})
	must(t, err)
	docs := collection(t, db, "docs")
	tx := begin(t, db, storage.RepeatableRead)
	if _, _, err := tx.Insert(bg, docs, parse(t, `{"_id":1}`)); err != nil {
		t.Fatal(err)
	}
	must(t, db.Close())
	must(t, db.Close())
	if _, err := db.Begin(bg, storage.TxnOptions{}); dberr.Code(err) != dberr.AdminShutdown {
		t.Errorf("Begin after Close: %v", err)
	}
	if err := tx.Commit(bg); dberr.Code(err) != dberr.AdminShutdown {
		t.Errorf("Commit after Close: %v", err)
	}
	tx.Rollback()
	db, err = storage.Open(bg, path, storage.Options{})
	must(t, err)
	defer db.Close()
	if n := db.RowEstimate(relation(t, db, "docs")); n != 0 {
		t.Errorf("%d rows of a commit that failed", n)
	}
}

func TestReopenGoesOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	db, err := storage.Create(path, storage.Options{})
	must(t, err)
	collection(t, db, "docs")
	table(t, db, "plain")
	lastID, lastOrdinal := "", int64(-1)
	for range 4 {
		update(t, db, func(tx *storage.Txn) {
			_, id, err := tx.Insert(bg, tx.Catalog().Relation("public", "docs"), parse(t, `{"a":1}`))
			must(t, err)
			if id.Text() <= lastID {
				t.Errorf("generated _id %s after %s", id.Text(), lastID)
			}
			lastID = id.Text()
			_, _, err = tx.Insert(bg, tx.Catalog().Relation("public", "plain"), parse(t, `{"a":1}`))
			must(t, err)
		})
		waste := begin(t, db, storage.ReadCommitted) // its ordinals must not leave a gap
		for range 10 {
			_, _, err := waste.Insert(bg, waste.Catalog().Relation("public", "plain"), parse(t, `{"a":1}`))
			must(t, err)
		}
		waste.Rollback()
		must(t, db.Close())
		db, err = storage.Open(bg, path, storage.Options{})
		must(t, err)
		tx := begin(t, db, storage.ReadCommitted)
		got := rows(t, tx, storage.ScanSpec{Rel: tx.Catalog().Relation("public", "plain"), Reverse: true, Limit: 1})
		if got[0].ord != lastOrdinal+1 {
			t.Errorf("ordinal %d after %d", got[0].ord, lastOrdinal)
		}
		lastOrdinal = got[0].ord
		tx.Rollback()
	}
	report, err := db.Verify(bg)
	must(t, err)
	if report.Problem != "" {
		t.Error(report.Problem)
	}
	must(t, db.Close())
}

func TestTemporaryRelationsDieWithTheProcess(t *testing.T) {
	engine := &immortal{mem.New()}
	db, err := storage.Open(bg, "", storage.Options{Engine: engine})
	must(t, err)
	update(t, db, func(tx *storage.Txn) {
		s := &catalog.Schema{ID: tx.NewID(), Database: catalog.MainDatabase, Name: storage.TempSchemaPrefix + "7", Owner: catalog.SuperRole}
		must(t, tx.Define(bg, s))
		_, err := tx.CreateRelation(bg, catalog.Relation{Schema: s.ID, Name: "scratch", Kind: catalog.Table, Temp: true,
			Columns: []catalog.Column{{Name: "a", Type: value.Int4, Mod: -1}}})
		must(t, err)
	})
	must(t, db.Close())
	db, err = storage.Open(bg, "", storage.Options{Engine: engine})
	must(t, err)
	defer db.Close()
	tx := begin(t, db, storage.ReadCommitted)
	defer tx.Rollback()
	if n := len(tx.Catalog().AllRelations()); n != 0 {
		t.Errorf("%d relations are left", n)
	}
	if n := len(tx.Catalog().AllSchemas()); n != 1 {
		t.Errorf("%d schemas are left", n)
	}
}

// TestKill lets a process write and kills it, several times; what it acknowledged must be there, in whole commits, and the store sound.
func TestKill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	db, err := storage.Create(path, storage.Options{})
	must(t, err)
	collection(t, db, "docs")
	must(t, db.Close())
	r := rand.New(rand.NewPCG(5, 6))
	rounds := 6
	if testing.Short() {
		rounds = 2
	}
	acked := map[string]bool{}
	for round := range rounds {
		for _, line := range killedWriter(t, path, round, 30+r.IntN(200)) {
			acked[line] = true
		}
		db, err := storage.Open(bg, path, storage.Options{LockTimeout: 5 * time.Second})
		must(t, err)
		tx := begin(t, db, storage.ReadCommitted)
		pairs := map[string]int{}
		for _, x := range rows(t, tx, storage.ScanSpec{Rel: tx.Catalog().Relation("public", "docs")}) {
			pairs[x.raw.Lookup("pair").Canonical()]++
		}
		tx.Rollback()
		for pair, n := range pairs {
			if n != 2 {
				t.Errorf("round %d: commit %s is there by half", round, pair)
			}
		}
		for pair := range acked {
			if pairs[pair] == 0 {
				t.Errorf("round %d: acknowledged commit %s is lost", round, pair)
			}
		}
		report, err := db.Verify(bg)
		must(t, err)
		if report.Problem != "" {
			t.Errorf("round %d: %s", round, report.Problem)
		}
		must(t, db.Close())
	}
	if len(acked) < rounds {
		t.Errorf("only %d commits were acknowledged", len(acked))
	}
}

// killedWriter runs this test binary as a writer, kills it after so many acknowledgements, and gives them.
func killedWriter(t *testing.T, path string, round, n int) (acked []string) {
	cmd := exec.Command(os.Args[0], "-test.run=^TestWriterProcess$")
	cmd.Env = append(os.Environ(), "OMGDB_TEST_STORE="+path, fmt.Sprint("OMGDB_TEST_ROUND=", round))
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if line, ok := strings.CutPrefix(lines.Text(), "acked "); ok {
			acked = append(acked, line)
		}
		if len(acked) == n {
			must(t, cmd.Process.Kill())
			n = -1
		}
	}
	_ = cmd.Wait() // it was killed
	return acked
}

// TestWriterProcess is the writer of TestKill, which starts it as a process of its own: four goroutines that commit pairs of documents until
// the process dies. Without its store it has nothing to do.
func TestWriterProcess(t *testing.T) {
	path := os.Getenv("OMGDB_TEST_STORE")
	if path == "" {
		return
	}
	db, err := storage.Open(bg, path, storage.Options{LockTimeout: 5 * time.Second})
	must(t, err)
	rel := relation(t, db, "docs")
	var mu sync.Mutex
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := range 100_000 {
				pair := fmt.Sprintf("%s%02d%06d", os.Getenv("OMGDB_TEST_ROUND"), w, i)
				tx, err := db.Begin(bg, storage.TxnOptions{})
				must(t, err)
				for range 2 {
					_, _, err := tx.Insert(bg, rel, parse(t, `{"pair":`+strings.TrimLeft(pair, "0")+`}`))
					must(t, err)
				}
				must(t, tx.Commit(bg))
				mu.Lock()
				io.WriteString(os.Stdout, "acked "+strings.TrimLeft(pair, "0")+"\n")
				mu.Unlock()
			}
		})
	}
	wg.Wait()
}

// TestTransfers moves money between accounts from several goroutines at each level; the sum that anybody sees stays the same.
func TestTransfers(t *testing.T) {
	const accounts, each = 8, 100
	for _, level := range []storage.Isolation{storage.ReadCommitted, storage.RepeatableRead, storage.Serializable} {
		t.Run(fmt.Sprint(level), func(t *testing.T) {
			db := boltDB(t)
			table(t, db, "acc", 1)
			update(t, db, func(tx *storage.Txn) {
				for i := range accounts {
					_, _, err := tx.Insert(bg, tx.Catalog().Relation("public", "acc"), parse(t, fmt.Sprintf(`{"a":%d,"b":%d}`, i, each)))
					must(t, err)
				}
			})
			rel := relation(t, db, "acc")
			var wg sync.WaitGroup
			var done, failed int64
			var mu sync.Mutex
			stop := time.Now().Add(2 * time.Second)
			for w := range 6 {
				wg.Go(func() {
					r := rand.New(rand.NewPCG(uint64(w), 9))
					for time.Now().Before(stop) {
						err := transfer(t, db, rel.Name, level, r.IntN(accounts), r.IntN(accounts), accounts*each)
						mu.Lock()
						switch dberr.Code(err) {
						case "":
							done++
						case dberr.SerializationFailure, dberr.DeadlockDetected:
							failed++
						default:
							t.Error(err)
						}
						mu.Unlock()
					}
				})
			}
			wg.Wait()
			if done == 0 {
				t.Errorf("no transfer got through, %d failed", failed)
			}
			report, err := db.Verify(bg)
			must(t, err)
			if report.Problem != "" {
				t.Error(report.Problem)
			}
			if l := db.Locks(); len(l) != 0 {
				t.Errorf("locks left: %v", l)
			}
		})
	}
}

// transfer moves 1 between two accounts and checks the sum that it sees.
func transfer(t *testing.T, db *storage.DB, name string, level storage.Isolation, from, to, sum int) error {
	tx, err := db.Begin(bg, storage.TxnOptions{Isolation: level})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for _, step := range []struct{ account, by int }{{from, -1}, {to, 1}} {
		m := tx.Mark()
		if err := tx.BeginStatement(bg); err != nil {
			return err
		}
		for err = change(tx, name, step.account, step.by); errors.Is(err, storage.ErrRestart); err = change(tx, name, step.account, step.by) {
			if err := tx.Restart(bg, m); err != nil {
				return err
			}
		}
		if err != nil {
			return err
		}
	}
	if err := tx.BeginStatement(bg); err != nil {
		return err
	}
	got := 0
	all, err := tryRows(tx, storage.ScanSpec{Rel: tx.Catalog().Relation("public", name)})
	for _, r := range all {
		b, _ := r.raw.Lookup("b").Int64()
		got += int(b)
	}
	if err == nil && got != sum {
		t.Errorf("level %d: the sum is %d", level, got)
	}
	if err != nil {
		return err
	}
	return tx.Commit(bg)
}

func change(tx *storage.Txn, name string, account, by int) error {
	all, err := tryRows(tx, storage.ScanSpec{Rel: tx.Catalog().Relation("public", name)})
	if err != nil {
		return err
	}
	r := all[account]
	b, _ := r.raw.Lookup("b").Int64()
	d, err := docOf(fmt.Sprintf(`{"a":%d,"b":%d}`, account, int(b)+by))
	if err != nil {
		return err
	}
	_, err = tx.Update(bg, tx.Catalog().Relation("public", name), r.key, r.raw, d)
	return err
}
