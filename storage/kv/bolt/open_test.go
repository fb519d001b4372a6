package bolt_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/kv/bolt"
	"github.com/omgdb/omgdb/storage/kv/kvtest"
)

// made gives the directory of a store with some rows, closed.
func made(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "app.omgdb")
	s, err := open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		op := kvtest.Put(kvtest.Key('d', uint64(i), "key"), strings.Repeat("value", 1000))
		if err := s.Apply(context.Background(), []kv.Batch{kvtest.Batch(kv.LSN(i+1), op)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// editMeta changes store.db with bbolt alone.
func editMeta(t *testing.T, dir string, f func(tx *bbolt.Tx) error) {
	t.Helper()
	db, err := bbolt.Open(filepath.Join(dir, "store.db"), 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Update(f); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestOpenRefuses opens what is no store, or none of ours, with and without Create: it must say what is wrong, and leave
// every byte as it was.
func TestOpenRefuses(t *testing.T) {
	for _, c := range []struct {
		name, code string
		says       string
		create     string // code with Create, "" = the same
		make       func(t *testing.T, dir string)
	}{
		{"missing", dberr.UndefinedFile, "does not exist", "made", func(t *testing.T, dir string) {}},
		{"missing below a file", dberr.IOError, "not a directory", "", func(t *testing.T, dir string) {
			write(t, filepath.Dir(dir), nil)
		}},
		{"a file", dberr.WrongObjectType, "is not an OMGDB store", "", func(t *testing.T, dir string) {
			write(t, dir, []byte("SQLite format 3\x00"))
		}},
		{"an empty directory", dberr.WrongObjectType, "is not an OMGDB store", "made", func(t *testing.T, dir string) {
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
		}},
		{"somebody's directory", dberr.WrongObjectType, "", "", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "thesis.tex"), []byte("x"))
		}},
		{"a log alone", dberr.WrongObjectType, "", "log", func(t *testing.T, dir string) {
			copyStore(t, dir)
			if err := os.Remove(filepath.Join(dir, "store.db")); err != nil {
				t.Fatal(err)
			}
		}},
		{"a directory for store.db", dberr.WrongObjectType, "is not an OMGDB store", "", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "store.db", "x"), nil)
		}},
		{"an empty store.db", dberr.DataCorrupted, "is empty", "", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "store.db"), nil)
		}},
		{"a short text", dberr.WrongObjectType, "is not an OMGDB store", "", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "store.db"), []byte("hello"))
		}},
		{"a long text", dberr.WrongObjectType, "is not an OMGDB store", "", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "store.db"), bytes.Repeat([]byte("SQLite format 3\x00"), 4096))
		}},
		{"another program's bbolt file", dberr.WrongObjectType, "is not an OMGDB store", "", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "store.db"), foreignBolt(t))
		}},
		{"a newer format", dberr.FeatureNotSupported, "has format 7, this program reads format 1", "", func(t *testing.T, dir string) {
			copyStore(t, dir)
			editMeta(t, dir, func(tx *bbolt.Tx) error {
				return tx.Bucket([]byte("omgdb")).Put([]byte("format"), []byte{0, 0, 0, 0, 0, 0, 0, 7})
			})
		}},
		{"cut off", dberr.DataCorrupted, "is cut off", "", func(t *testing.T, dir string) {
			copyStore(t, dir)
			if err := os.Truncate(filepath.Join(dir, "store.db"), 5*4096); err != nil {
				t.Fatal(err)
			}
		}},
		{"overwritten", dberr.DataCorrupted, "damaged", "", func(t *testing.T, dir string) {
			copyStore(t, dir)
			path := filepath.Join(dir, "store.db")
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for i := 2 * 4096; i < len(b); i++ {
				b[i] = 0xa5
			}
			write(t, path, b)
		}},
	} {
		for _, create := range []bool{false, true} {
			name := c.name
			if create {
				name += ", with Create"
			}
			t.Run(name, func(t *testing.T) {
				dir := filepath.Join(t.TempDir(), "parent", "app.omgdb")
				c.make(t, dir)
				before := tree(t, filepath.Dir(filepath.Dir(dir)))
				s, err := bolt.Open(dir, bolt.Options{Create: create})
				if create && c.create == "made" {
					if err != nil {
						t.Fatal(err)
					}
					if err := s.Close(); err != nil {
						t.Fatal(err)
					}
					return
				}
				if create && c.create == "log" {
					c.code = dberr.DataCorrupted
				}
				if dberr.Code(err) != c.code || !strings.Contains(err.Error(), c.says) {
					t.Fatalf("got %v (%s), want %q (%s)", err, dberr.Code(err), c.says, c.code)
				}
				if after := tree(t, filepath.Dir(filepath.Dir(dir))); !create && after != before {
					t.Fatalf("Open changed files:\n%s\nwas\n%s", after, before)
				}
			})
		}
	}
}

func foreignBolt(t *testing.T) []byte {
	path := filepath.Join(t.TempDir(), "other.db")
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func copyStore(t *testing.T, dir string) {
	t.Helper()
	if err := os.CopyFS(dir, os.DirFS(made(t))); err != nil {
		t.Fatal(err)
	}
}

// tree lists all files below dir with their content.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		b.WriteString(path + ": " + string(content) + "\n")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestHeld(t *testing.T) {
	dir := made(t)
	first, err := open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bolt.Open(dir, bolt.Options{}); dberr.Code(err) != dberr.ObjectInUse {
		t.Fatalf("a held store: got %v, want an error %s", err, dberr.ObjectInUse)
	}
	// A waiting Open goes through when the holder lets go.
	opened := make(chan error)
	go func() {
		second, err := bolt.Open(dir, bolt.Options{Timeout: time.Minute})
		if err == nil {
			err = second.Close()
		}
		opened <- err
	}()
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-opened; err != nil {
		t.Fatal(err)
	}
}

// TestSnapshotHoldsTheFile: the lock goes with the last snapshot, as its bytes are the file's.
func TestSnapshotHoldsTheFile(t *testing.T) {
	ctx := context.Background()
	dir := made(t)
	s, err := open(dir)
	if err != nil {
		t.Fatal(err)
	}
	snap, err := s.Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	value, err := snap.Get(ctx, kvtest.Key('d', 3, "key"))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := open(dir); dberr.Code(err) != dberr.ObjectInUse {
		t.Fatalf("got %v, want an error %s", err, dberr.ObjectInUse)
	}
	if string(value) != strings.Repeat("value", 1000) {
		t.Fatal("the bytes changed")
	}
	snap.Close()
	if s, err = open(dir); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestCreate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b", "app.omgdb")
	// Of several that make the store at the same moment one does, and all others learn that it exists.
	var wg sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		wg.Go(func() { errs[i] = bolt.Create(dir) })
	}
	wg.Wait()
	made := 0
	for _, err := range errs {
		switch {
		case err == nil:
			made++
		case dberr.Code(err) != dberr.DuplicateFile:
			t.Errorf("create: %v", err)
		}
	}
	if made != 1 {
		t.Fatalf("%d made the store", made)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 || entries[0].Name() != "store.db" {
		t.Fatalf("files %v", entries)
	}
	if err := bolt.Create(dir); dberr.Code(err) != dberr.DuplicateFile {
		t.Fatalf("create again: %v", err)
	}
}

// TestIdleReaderBlocksNobody keeps a snapshot open while the file grows to many times its size.
func TestIdleReaderBlocksNobody(t *testing.T) {
	ctx := context.Background()
	s, err := open(filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	idle, err := s.Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer idle.Close()
	for lsn := range kv.LSN(20) {
		op := kvtest.Put(kvtest.Key('d', uint64(lsn), ""), strings.Repeat("x", 4<<20))
		if err := s.Apply(ctx, []kv.Batch{kvtest.Batch(lsn+1, op)}); err != nil {
			t.Fatal(err)
		}
		fresh, err := s.Snapshot(ctx)
		if err != nil {
			t.Fatal(err)
		}
		fresh.Close()
	}
	if it := idle.Scan(ctx, kv.Range{}); it.Next() || it.Err() != nil {
		t.Fatalf("the idle reader sees a row, or fails: %v", it.Err())
	}
}
