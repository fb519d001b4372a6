package storage_test

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/kv/mem"
	"github.com/omgdb/omgdb/storage/value"
)

// indexed is a row of the table that the index tests use; -1 and "" stand for NULL.
type indexed struct {
	a, b int
	c    string
}

func (r indexed) json() string {
	s := fmt.Sprintf(`{"a":%d`, r.a)
	if r.b >= 0 {
		s += fmt.Sprintf(`,"b":%d`, r.b)
	}
	if r.c != "" {
		s += fmt.Sprintf(`,"c":%q`, r.c)
	}
	return s + "}"
}

func readIndexed(x row) indexed {
	r := indexed{b: -1}
	for field, at := range map[string]*int{"a": &r.a, "b": &r.b} {
		if v := x.raw.Lookup(field); !v.Missing() {
			n, _ := v.Int64()
			*at = int(n)
		}
	}
	if v := x.raw.Lookup("c"); !v.Missing() {
		r.c = v.Text()
	}
	return r
}

// byBC is the order of the index (b DESC NULLS LAST, c), then the primary key.
func byBC(x, y indexed) int {
	if c := cmp.Compare(y.b, x.b); c != 0 {
		return c // -1, the NULL, comes last
	}
	if c := compareText(x.c, y.c); c != 0 {
		return c
	}
	return cmp.Compare(x.a, y.a)
}

// compareText puts NULL last.
func compareText(x, y string) int {
	if (x == "") != (y == "") {
		if x == "" {
			return 1
		}
		return -1
	}
	return cmp.Compare(x, y)
}

func createIndexes(t rapid.TB, tx *storage.Txn, name string) {
	rel := tx.Catalog().Relation("public", name)
	for _, x := range []catalog.Index{
		{Name: name + "_b_c", Method: storage.MethodBTree, Keys: []catalog.IndexKey{{Col: 2, Desc: true}, {Col: 3}}, Include: []int16{1}},
		{Name: name + "_c_key", Method: storage.MethodBTree, Unique: true, Keys: []catalog.IndexKey{{Col: 3}}},
	} {
		x.Relation = rel.ID
		if _, err := tx.CreateIndex(bg, x); err != nil {
			t.Fatalf("%v", err)
		}
	}
}

// TestIndexesFollowRows runs random changes on a table with two indexes beside a map, and compares index scans and violations.
func TestIndexesFollowRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		db, err := storage.Open(bg, "", storage.Options{Engine: mem.New()})
		must(t, err)
		defer db.Close()
		tableLike(t, db, catalog.Relation{Name: "t", PrimaryKey: []int16{1}, Temp: rapid.Bool().Draw(t, "temporary")})
		base := map[int]indexed{}
		late := rapid.Bool().Draw(t, "indexes later")
		if !late {
			update(t, db, func(tx *storage.Txn) { createIndexes(t, tx, "t") })
		}
		for range rapid.IntRange(1, 6).Draw(t, "transactions") {
			tx := begin(t, db, rapid.SampledFrom([]storage.Isolation{storage.ReadCommitted, storage.Serializable}).Draw(t, "level"))
			own := cloneRows(base)
			for range rapid.IntRange(1, 12).Draw(t, "changes") {
				m := tx.Mark()
				was := cloneRows(own)
				must(t, tx.BeginStatement(bg))
				changeIndexed(t, tx, own, !late)
				must(t, tx.BeginStatement(bg))
				if rapid.IntRange(0, 4).Draw(t, "undo") == 0 {
					tx.RollbackTo(m)
					own = was
					must(t, tx.BeginStatement(bg))
				}
				if !late {
					compareIndexes(t, tx, own)
				}
			}
			if rapid.IntRange(0, 3).Draw(t, "end") == 0 {
				tx.Rollback()
			} else {
				must(t, tx.Commit(bg))
				base = own
			}
		}
		if late {
			buildLate(t, db, base)
		}
		report, err := db.Verify(bg)
		must(t, err)
		if report.Problem != "" {
			t.Fatalf("%s", report.Problem)
		}
		equalRebuilds(t, db)
	})
}

// equalRebuilds compares the bytes of each index with those of the index built again.
func equalRebuilds(t *rapid.T, db *storage.DB) {
	rel := relation(t, db, "t")
	for _, id := range rel.Indexes {
		dump := func() string {
			s, err := db.DumpIndex(bg, id)
			must(t, err)
			return s
		}
		kept := dump()
		update(t, db, func(tx *storage.Txn) { must(t, tx.Reindex(bg, id)) })
		if built := dump(); built != kept {
			t.Fatalf("the index that was kept:\n%s\nand built again:\n%s", kept, built)
		}
	}
}

func cloneRows(m map[int]indexed) map[int]indexed {
	out := map[int]indexed{}
	for k, v := range m {
		out[k] = v
	}
	return out
}

// changeIndexed makes one random change in tx and in own; unique tells that c must be unique.
func changeIndexed(t *rapid.T, tx *storage.Txn, own map[int]indexed, unique bool) {
	rel := tx.Catalog().Relation("public", "t")
	r := indexed{rapid.IntRange(0, 7).Draw(t, "a"), rapid.IntRange(-1, 2).Draw(t, "b"), rapid.SampledFrom([]string{"", "p", "q", "r", "s"}).Draw(t, "c")}
	clash := func(except int) bool {
		for a, other := range own {
			if unique && a != except && r.c != "" && other.c == r.c {
				return true
			}
		}
		return false
	}
	wantClash := func(err error, clashes bool) bool {
		if clashes != (dberr.Code(err) == dberr.UniqueViolation) {
			t.Fatalf("%+v among %v gave %v", r, own, err)
		}
		if !clashes {
			must(t, err)
		}
		return clashes
	}
	old, exists := own[r.a]
	all := rows(t, tx, storage.ScanSpec{Rel: rel})
	i := slices.IndexFunc(all, func(x row) bool { return readIndexed(x).a == r.a })
	if exists != (i >= 0) {
		t.Fatalf("row %d: exists %v", r.a, exists)
	}
	switch {
	case !exists:
		_, _, err := tx.Insert(bg, rel, parse(t, r.json()))
		if !wantClash(err, clash(r.a)) {
			own[r.a] = r
		} else if want := fmt.Sprintf("Key (c)=(%s) already exists.", r.c); dberr.As(err).Detail != want {
			t.Fatalf("detail %q, want %q", dberr.As(err).Detail, want)
		}
	case rapid.Bool().Draw(t, "delete"):
		must(t, tx.Delete(bg, rel, all[i].key, all[i].raw))
		delete(own, r.a)
	default:
		moved := r
		moved.a = rapid.IntRange(0, 7).Draw(t, "to")
		_, taken := own[moved.a]
		_, err := tx.Update(bg, rel, all[i].key, all[i].raw, parse(t, moved.json()))
		if !wantClash(err, taken && moved.a != old.a || clash(old.a)) {
			delete(own, old.a)
			own[moved.a] = moved
		}
	}
}

func compareIndexes(t *rapid.T, tx *storage.Txn, own map[int]indexed) {
	rel := tx.Catalog().Relation("public", "t")
	var want []indexed
	for _, r := range own {
		want = append(want, r)
	}
	slices.SortFunc(want, byBC)
	x := tx.Catalog().IndexByName("public", "t_b_c")
	if got := scanIndex(t, tx, rel, x, storage.KeyRange{}, false); !slices.Equal(got, want) {
		t.Fatalf("index gives %v, want %v", got, want)
	}
	lo, hi := rapid.IntRange(0, 2).Draw(t, "lo"), rapid.IntRange(0, 2).Draw(t, "hi")
	loInc, hiInc := rapid.Bool().Draw(t, "loInc"), rapid.Bool().Draw(t, "hiInc")
	r, _, err := storage.IndexRange(rel, x, nil, &storage.Bound{Value: value.Int(int64(lo)), Inclusive: loInc}, &storage.Bound{Value: value.Int(int64(hi)), Inclusive: hiInc})
	must(t, err)
	part := slices.DeleteFunc(slices.Clone(want), func(x indexed) bool {
		return x.b < 0 || x.b < lo || x.b > hi || !loInc && x.b == lo || !hiInc && x.b == hi
	})
	slices.Reverse(part)
	if bytes.Compare(r.Start, r.End) < 0 || len(part) > 0 {
		if got := scanIndex(t, tx, rel, x, r, true); !slices.Equal(got, part) {
			t.Fatalf("range %d..%d gives %v, want %v", lo, hi, got, part)
		}
	}
	eq, _, err := storage.IndexRange(rel, x, []value.Value{value.Int(int64(lo)), value.Null}, nil, nil)
	must(t, err)
	part = slices.DeleteFunc(slices.Clone(want), func(x indexed) bool { return x.b != lo || x.c != "" })
	if got := scanIndex(t, tx, rel, x, eq, false); !slices.Equal(got, part) {
		t.Fatalf("equality gives %v, want %v", got, part)
	}
}

func scanIndex(t rapid.TB, tx *storage.Txn, rel *catalog.Relation, x *catalog.Index, r storage.KeyRange, reverse bool) (out []indexed) {
	for _, x := range rows(t, tx, storage.ScanSpec{Rel: rel, Index: &storage.IndexBounds{Index: x, Ranges: []storage.KeyRange{r}}, Reverse: reverse}) {
		out = append(out, readIndexed(x))
	}
	return out
}

// buildLate makes the indexes over rows that are there, which must fail when they are not unique.
func buildLate(t *rapid.T, db *storage.DB, base map[int]indexed) {
	seen, clash := map[string]bool{}, false
	for _, r := range base {
		clash = clash || r.c != "" && seen[r.c]
		seen[r.c] = true
	}
	tx := begin(t, db, storage.ReadCommitted)
	defer tx.Rollback()
	rel := tx.Catalog().Relation("public", "t")
	_, err := tx.CreateIndex(bg, catalog.Index{Name: "u", Method: storage.MethodBTree, Unique: true, Relation: rel.ID, Keys: []catalog.IndexKey{{Col: 3}}})
	if clash != (dberr.Code(err) == dberr.UniqueViolation) {
		t.Fatalf("unique index over %v: %v", base, err)
	}
	if clash {
		return
	}
	must(t, err)
	must(t, tx.Commit(bg))
}

// TestBuildInChunks builds indexes that don't fit into their transaction, and expects nothing to be left of one that fails.
func TestBuildInChunks(t *testing.T) {
	defer storage.SetBuildSizes(0, 2000)()
	db := boltDB(t)
	table(t, db, "t", 1)
	update(t, db, func(tx *storage.Txn) {
		for i := range 1001 { // the last c is the first one again
			_, _, err := tx.Insert(bg, tx.Catalog().Relation("public", "t"), parse(t, indexed{i, i % 7, fmt.Sprint("c", i*7919%1000)}.json()))
			must(t, err)
		}
	})
	sweep := func(want int) {
		t.Helper()
		if n, err := db.SweepAll(bg); n != want || err != nil {
			t.Errorf("swept %d of %d (%v)", n, want, err)
		}
	}
	tx := begin(t, db, storage.ReadCommitted)
	rel := tx.Catalog().Relation("public", "t")
	_, err := tx.CreateIndex(bg, catalog.Index{Name: "bad", Method: storage.MethodBTree, Unique: true, Relation: rel.ID, Keys: []catalog.IndexKey{{Col: 3}}})
	if e := dberr.As(err); e == nil || e.Code != dberr.UniqueViolation || e.Detail != "Key (c)=(c0) is duplicated." {
		t.Errorf("unique index over equal keys: %+v", e)
	}
	sweep(0) // its transaction still runs
	tx.Rollback()
	sweep(1)
	update(t, db, func(tx *storage.Txn) {
		last := rows(t, tx, storage.ScanSpec{Rel: rel, Reverse: true, Limit: 1})[0]
		must(t, tx.Delete(bg, rel, last.key, last.raw))
	})
	update(t, db, func(tx *storage.Txn) { createIndexes(t, tx, "t") })
	sweep(0)
	tx = begin(t, db, storage.ReadCommitted)
	rel = tx.Catalog().Relation("public", "t")
	if got := scanIndex(t, tx, rel, tx.Catalog().IndexByName("public", "t_b_c"), storage.KeyRange{}, false); len(got) != 1000 || !slices.IsSortedFunc(got, byBC) {
		t.Errorf("%d rows through the index, sorted: %v", len(got), slices.IsSortedFunc(got, byBC))
	}
	tx.Rollback()
	update(t, db, func(tx *storage.Txn) { must(t, tx.DropIndex(bg, tx.Catalog().IndexByName("public", "t_b_c").ID)) })
	sweep(1)
	report, err := db.Verify(bg)
	must(t, err)
	if report.Problem != "" || report.Entries != 1000 {
		t.Errorf("%+v", report)
	}
}
