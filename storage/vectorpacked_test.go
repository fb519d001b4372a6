package storage_test

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/index/vector"
	"github.com/omgdb/omgdb/storage/kv/mem"
	"github.com/omgdb/omgdb/storage/value"
)

// packedDoc is a document with a packed vector of so many elements.
func packedDoc(t testing.TB, id string, x ...float32) doc.Doc {
	var packed []byte
	for _, f := range x {
		packed = binary.LittleEndian.AppendUint32(packed, math.Float32bits(f))
	}
	var b doc.Builder
	b.BeginObject()
	b.Key("_id")
	b.String(id)
	b.Key("vector")
	b.Append(doc.Binary(doc.SubtypeVector, packed))
	b.End()
	v, err := b.Value()
	must(t, err)
	return v.Doc()
}

// TestPackedVectorIndex: an index over vectors that documents hold packed has those of its dimensions, whatever else stands at the path.
func TestPackedVectorIndex(t *testing.T) {
	db, err := storage.Open(bg, "", storage.Options{Engine: mem.New()})
	must(t, err)
	defer db.Close()
	collection(t, db, "c")
	rel := func(tx *storage.Txn) *catalog.Relation { return tx.Catalog().Relation("public", "c") }
	insert := func(docs ...doc.Doc) {
		update(t, db, func(tx *storage.Txn) {
			for _, d := range docs {
				_, _, err := tx.Insert(bg, rel(tx), d)
				must(t, err)
			}
		})
	}
	insert(packedDoc(t, "a", 1, 2, 3), packedDoc(t, "short", 1, 2), parse(t, `{"_id":"none"}`), parse(t, `{"_id":"text","vector":"x"}`), parse(t, `{"_id":"array","vector":[1,2,3]}`))
	update(t, db, func(tx *storage.Txn) {
		_, err := tx.CreateIndex(bg, catalog.Index{Name: "c_v", Method: storage.MethodVector, Relation: rel(tx).ID, Options: map[string]string{vector.PackedOption: "true"},
			Keys: []catalog.IndexKey{{Path: []string{"vector"}, Type: value.Vector, Mod: 3, OpClass: "vector_cosine_ops"}}})
		must(t, err)
	})
	insert(packedDoc(t, "b", 3, 2, 1), packedDoc(t, "gone", 1, 1, 1))
	check := func(when string, want ...string) {
		t.Helper()
		tx := begin(t, db, storage.ReadCommitted)
		defer tx.Rollback()
		must(t, tx.BeginStatement(bg))
		m, view, err := tx.OpenIndex(bg, rel(tx), tx.Catalog().IndexByName("public", "c_v"))
		must(t, err)
		s, err := m.(*vector.Index).Search(bg, view, []float32{1, 2, 3}, vector.Options{K: 100, Recall: 1})
		must(t, err)
		got := map[string]bool{}
		for _, n := range s.Next(nil, 100) {
			key, err := s.RowKey(bg, n)
			must(t, err)
			d, ok, err := tx.Get(bg, rel(tx), key)
			if must(t, err); !ok {
				t.Fatalf("%s: row %x is not there", when, key)
			}
			got[doc.IDText(d.Lookup("_id"))] = true
		}
		if ids := slices.Sorted(maps.Keys(got)); !slices.Equal(ids, want) {
			t.Errorf("%s: %v, want %v", when, ids, want)
		}
		report, err := db.Verify(bg)
		if must(t, err); report.Problem != "" {
			t.Fatalf("%s: %s", when, report.Problem)
		}
	}
	check("new", "a", "b", "gone")
	update(t, db, func(tx *storage.Txn) {
		for _, r := range rows(t, tx, storage.ScanSpec{Rel: rel(tx)}) {
			switch doc.IDText(r.raw.Lookup("_id")) {
			case "gone":
				must(t, tx.Delete(bg, rel(tx), r.key, r.raw))
			case "text":
				_, err := tx.Update(bg, rel(tx), r.key, r.raw, packedDoc(t, "text", 0, 0, 1))
				must(t, err)
			case "b":
				_, err := tx.Update(bg, rel(tx), r.key, r.raw, packedDoc(t, "b", 0, 1))
				must(t, err)
			}
		}
	})
	check("changed", "a", "text")
	must(t, db.Gather(bg))
	check("gathered", "a", "text")
}
