package storage_test

import (
	"archive/tar"
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/index/vector"
	"github.com/omgdb/omgdb/storage/kv/mem"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

const vectorDims = 4

// vectorRow makes a row of the table below; a nil vector is NULL.
func vectorRow(t rapid.TB, a int, x []float32) doc.Doc {
	if x == nil {
		return parse(t, fmt.Sprintf(`{"a":%d}`, a))
	}
	d, start := doc.BeginDocument(nil)
	d = doc.AppendElement(d, "a", parse(t, fmt.Sprintf(`{"a":%d}`, a)).Lookup("a"))
	typ, data, err := typeio.ToBSON(nil, value.Vector, typeio.PackVector(x))
	must(t, err)
	d = doc.AppendElement(d, "e", doc.Value{Type: typ, Data: data})
	return doc.EndDocument(d, start)
}

func vectorTable(t rapid.TB, db *storage.DB, pk ...int16) {
	update(t, db, func(tx *storage.Txn) {
		_, err := tx.CreateRelation(bg, catalog.Relation{Schema: catalog.PublicSchema, Name: "v", Kind: catalog.Table, PrimaryKey: pk, Columns: []catalog.Column{
			{Name: "a", Type: value.Int4, Mod: -1}, {Name: "e", Type: value.Vector, Mod: vectorDims}}})
		must(t, err)
	})
}

func createVectorIndex(t rapid.TB, db *storage.DB) {
	update(t, db, func(tx *storage.Txn) {
		rel := tx.Catalog().Relation("public", "v")
		_, err := tx.CreateIndex(bg, catalog.Index{Name: "v_e", Method: storage.MethodVector, Relation: rel.ID,
			Keys: []catalog.IndexKey{{Col: 2, OpClass: "vector_l2_ops", Mod: vectorDims}}})
		must(t, err)
	})
}

// found gives what the index finds near the origin: the first column of all rows that it names.
func found(t rapid.TB, tx *storage.Txn) map[int][]float32 {
	rel := tx.Catalog().Relation("public", "v")
	m, view, err := tx.OpenIndex(bg, rel, tx.Catalog().IndexByName("public", "v_e"))
	must(t, err)
	x := m.(*vector.Index)
	s, err := x.Search(bg, view, make([]float32, vectorDims), vector.Options{K: 1000, Recall: 1})
	must(t, err)
	out := map[int][]float32{}
	for _, ordinal := range s.Next(nil, 1000) {
		key, err := s.RowKey(bg, ordinal)
		must(t, err)
		at := rows(t, tx, storage.ScanSpec{Rel: rel, Keys: [][]byte{key}})
		if len(at) != 1 {
			t.Fatalf("the index names row %d, which is not there", ordinal)
		}
		a, _ := at[0].raw.Lookup("a").Int64()
		if out[int(a)] != nil {
			t.Fatalf("the index names row %d twice", a)
		}
		out[int(a)] = vectorOf(t, at[0].raw)
	}
	return out
}

func vectorOf(t rapid.TB, d doc.Doc) []float32 {
	stored := d.Lookup("e")
	if stored.Missing() {
		return nil
	}
	v, err := typeio.FromBSON(value.Vector, stored.Type, stored.Data)
	must(t, err)
	return typeio.UnpackVector(v)
}

// TestVectorIndexFollowsRows makes random changes on a table with a vector index beside a map: inside transactions, after them, in a
// snapshot taken before, and before and after gathering, a search names exactly the rows that have vectors.
func TestVectorIndexFollowsRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		db, err := storage.Open(bg, "", storage.Options{Engine: mem.New()})
		must(t, err)
		defer db.Close()
		if rapid.Bool().Draw(t, "hidden key") {
			vectorTable(t, db)
		} else {
			vectorTable(t, db, 1)
		}
		late := rapid.IntRange(0, 3).Draw(t, "index made before transaction")
		base := map[int][]float32{}
		for n := range 4 {
			if n == late {
				createVectorIndex(t, db)
			}
			var before *storage.Txn
			was := maps.Clone(base)
			if n > late {
				before = begin(t, db, storage.RepeatableRead)
				must(t, before.BeginStatement(bg))
				same(t, "a snapshot", found(t, before), was)
			}
			base = changeVectors(t, db, base, n >= late)
			if rapid.Bool().Draw(t, "gather") {
				must(t, db.Gather(bg))
			}
			if before != nil {
				must(t, before.BeginStatement(bg))
				same(t, "the snapshot from before", found(t, before), was)
				before.Rollback()
			}
			if n >= late {
				tx := begin(t, db, storage.ReadCommitted)
				must(t, tx.BeginStatement(bg))
				same(t, "after the transaction", found(t, tx), base)
				tx.Rollback()
			}
		}
		report, err := db.Verify(bg)
		must(t, err)
		if report.Problem != "" {
			t.Fatalf("%s", report.Problem)
		}
	})
}

// changeVectors runs a transaction of random changes and gives the rows after it.
func changeVectors(t *rapid.T, db *storage.DB, base map[int][]float32, indexed bool) map[int][]float32 {
	tx := begin(t, db, storage.ReadCommitted)
	own := maps.Clone(base)
	for range rapid.IntRange(0, 8).Draw(t, "changes") {
		must(t, tx.BeginStatement(bg))
		rel := tx.Catalog().Relation("public", "v")
		a := rapid.IntRange(0, 5).Draw(t, "a")
		var x []float32
		if rapid.IntRange(0, 4).Draw(t, "vector") > 0 {
			x = rapid.SliceOfN(rapid.Float32Range(-9, 9), vectorDims, vectorDims).Draw(t, "x")
		}
		all := rows(t, tx, storage.ScanSpec{Rel: rel})
		i := slices.IndexFunc(all, func(r row) bool { n, _ := r.raw.Lookup("a").Int64(); return int(n) == a })
		switch {
		case i < 0:
			_, _, err := tx.Insert(bg, rel, vectorRow(t, a, x))
			must(t, err)
			own[a] = x
		case rapid.Bool().Draw(t, "delete"):
			must(t, tx.Delete(bg, rel, all[i].key, all[i].raw))
			delete(own, a)
		default:
			b := a
			if own[a+10] == nil && rapid.IntRange(0, 3).Draw(t, "other key") == 0 {
				b = a + 10
			}
			_, err := tx.Update(bg, rel, all[i].key, all[i].raw, vectorRow(t, b, x))
			if dberr.Code(err) == dberr.UniqueViolation {
				continue
			}
			must(t, err)
			delete(own, a)
			own[b] = x
		}
		must(t, tx.BeginStatement(bg))
		if indexed {
			same(t, "inside the transaction", found(t, tx), own)
		}
	}
	if rapid.IntRange(0, 3).Draw(t, "end") == 0 {
		tx.Rollback()
		return base
	}
	must(t, tx.Commit(bg))
	return own
}

// TestOlderVectorIndex opens a store whose vector index an earlier version has written: blocks without row keys, and changes that were not
// gathered. It is read as it is, and after each of its rows was touched nothing of the old form is left.
func TestOlderVectorIndex(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	unpackStore(t, "testdata/stores/plain_vectors.tar.gz", dir)
	db, err := storage.Open(bg, dir, storage.Options{})
	must(t, err)
	defer db.Close()
	want := map[int][]float32{}
	for i := 1; i <= 210; i++ {
		f := float64(i)
		want[i] = []float32{float32(math.Sin(f)), float32(math.Cos(f)), float32(math.Sin(2 * f)), float32(math.Cos(3 * f))}
	}
	want[5], want[1007] = []float32{9, 9, 9, 9}, want[7]
	for _, gone := range []int{7, 8, 209} {
		delete(want, gone)
	}
	check := func(when string) {
		tx := begin(t, db, storage.ReadCommitted)
		defer tx.Rollback()
		must(t, tx.BeginStatement(bg))
		same(t, when, found(t, tx), want)
		report, err := db.Verify(bg)
		must(t, err)
		if report.Problem != "" {
			t.Fatalf("%s: %s", when, report.Problem)
		}
	}
	check("as it was")
	change := func(a int, x []float32) {
		update(t, db, func(tx *storage.Txn) {
			must(t, tx.BeginStatement(bg))
			rel := tx.Catalog().Relation("public", "v")
			for _, r := range rows(t, tx, storage.ScanSpec{Rel: rel}) {
				if n, _ := r.raw.Lookup("a").Int64(); int(n) != a {
					continue
				}
				if x == nil {
					must(t, tx.Delete(bg, rel, r.key, r.raw))
					delete(want, a)
					return
				}
				_, err := tx.Update(bg, rel, r.key, r.raw, vectorRow(t, a, x))
				must(t, err)
				want[a] = x
			}
		})
	}
	change(3, []float32{1, 2, 3, 4})
	change(204, nil)
	check("with changes")
	must(t, db.Gather(bg))
	check("gathered")
}

// unpackStore makes a store of an archive of its files.
func unpackStore(t *testing.T, archive, dir string) {
	f, err := os.Open(archive)
	must(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	must(t, err)
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return
		}
		must(t, err)
		path := filepath.Join(dir, filepath.FromSlash(h.Name))
		if h.FileInfo().IsDir() {
			continue
		}
		must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		data, err := io.ReadAll(r)
		must(t, err)
		must(t, os.WriteFile(path, data, 0o600))
	}
}

// same compares what was found with the rows that have vectors.
func same(t rapid.TB, when string, got, own map[int][]float32) {
	want := maps.Clone(own)
	maps.DeleteFunc(want, func(_ int, x []float32) bool { return x == nil })
	if !maps.EqualFunc(got, want, slices.Equal) {
		t.Fatalf("%s the index gives %v, want %v", when, got, want)
	}
}
