package storage

import (
	"bytes"

	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/index"
	"github.com/omgdb/omgdb/storage/key"
	"github.com/omgdb/omgdb/storage/kv"
)

// indexesHold checks every index against its rows, both ways: each entry that a row should have is there, and there are no others.
func (v *verifier) indexesHold() error {
	for _, live := range v.live {
		if live.rel == nil {
			continue
		}
		for _, x := range v.cat.IndexesOf(live.rel) {
			if err := v.indexHolds(live.rel, x); err != nil {
				return err
			}
		}
	}
	return nil
}

func (v *verifier) indexHolds(rel *catalog.Relation, x *catalog.Index) error {
	m, err := v.db.openIndex(rel, x)
	if err != nil {
		return err
	}
	switch m := m.(type) {
	case index.Verified:
		return v.gatheredHolds(rel, x, m)
	case index.Builder:
		return v.orderedHolds(rel, x, m)
	}
	return nil
}

// gatheredHolds gives every row to an index that checks itself.
func (v *verifier) gatheredHolds(rel *catalog.Relation, x *catalog.Index, m index.Verified) error {
	check, err := m.Verify(v.ctx, snapView{v.snap})
	if err != nil {
		return err
	}
	it := v.snap.Scan(v.ctx, key.All(key.Row, rel.Storage))
	defer it.Close()
	for it.Next() {
		row := index.Row{Key: it.Key()[kv.PrefixLen:], Ordinal: rowOrdinal(it.Value()), LSN: rowLSN(it.Value())}
		if err := check.Row(v.ctx, row, rowDoc(it.Value())); err != nil {
			return err
		}
	}
	if it.Err() != nil {
		return it.Err()
	}
	n, bad, err := check.Finish(v.ctx)
	if bad != "" && err == nil {
		err = wrong("index %q %s", x.Name, bad)
	}
	v.report.Entries += n
	return err
}

// orderedHolds looks for the entries that the rows make, and counts all entries, so that there are no others.
func (v *verifier) orderedHolds(rel *catalog.Relation, x *catalog.Index, b index.Builder) error {
	want := int64(0)
	it := v.snap.Scan(v.ctx, key.All(key.Row, rel.Storage))
	defer it.Close()
	for it.Next() {
		row := index.Row{Key: it.Key()[kv.PrefixLen:], Ordinal: rowOrdinal(it.Value()), LSN: rowLSN(it.Value())}
		err := b.Entries(v.ctx, row, rowDoc(it.Value()), func(k, value []byte) error {
			got, err := v.snap.Get(v.ctx, k)
			switch holds := got != nil && bytes.Equal(got, value); {
			case holds:
				want++
			case err == nil && x.Valid: // the build of an invalid index did not come to every row
				err = wrong("index %q lacks the entry of row %s", x.Name, v.show(it.Key(), it.Value()))
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	if it.Err() != nil {
		return it.Err()
	}
	return v.entriesHold(x, want)
}

// entriesHold counts the entries of an index.
func (v *verifier) entriesHold(x *catalog.Index, want int64) error {
	it := v.snap.Scan(v.ctx, key.All(key.Ordered, x.Storage))
	defer it.Close()
	n := int64(0)
	for it.Next() {
		n++
	}
	if it.Err() == nil && n != want {
		return wrong("index %q has %d entries, its rows make %d", x.Name, n, want)
	}
	v.report.Entries += n
	return it.Err()
}
