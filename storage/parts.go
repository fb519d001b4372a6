package storage

import (
	"bytes"
	"context"
	"encoding/binary"
	"slices"

	"github.com/omgdb/omgdb/storage/catalog"
)

// minPartRows is the size of a part from which it is worth one.
const minPartRows = 4096

// Split cuts the relation (or what of it ranges hold, when not nil) into at most parts pieces of about the same size, in key order:
// bounds for scans that several goroutines run at once, all at the current reading point.
func (t *Txn) Split(ctx context.Context, rel *catalog.Relation, ranges []KeyRange, parts int) ([][]KeyRange, error) {
	if err := t.enterForRead(ctx, rel); err != nil {
		return nil, err
	}
	cuts, err := t.cuts(ctx, rel, parts)
	if err != nil {
		return nil, err
	}
	if ranges == nil {
		ranges = []KeyRange{{}}
	}
	var out [][]KeyRange
	for i := range len(cuts) + 1 {
		mine := KeyRange{}
		if i > 0 {
			mine.Start = cuts[i-1]
		}
		if i < len(cuts) {
			mine.End = cuts[i]
		}
		var piece []KeyRange
		for _, r := range ranges {
			if r = r.and(mine); r.End == nil || bytes.Compare(r.Start, r.End) < 0 {
				piece = append(piece, r)
			}
		}
		if len(piece) > 0 {
			out = append(out, piece)
		}
	}
	return out, nil
}

// part gives what of ranges belongs to the part; all parts together give ranges.
func (t *Txn) part(ctx context.Context, rel *catalog.Relation, ranges []KeyRange, part, parts int) ([]KeyRange, error) {
	cuts, err := t.cuts(ctx, rel, parts)
	if err != nil {
		return nil, err
	}
	mine := KeyRange{}
	if part > 0 {
		if part > len(cuts) {
			return nil, nil // fewer parts than asked for
		}
		mine.Start = cuts[part-1]
	}
	if part < len(cuts) {
		mine.End = cuts[part]
	}
	var out []KeyRange
	for _, r := range ranges {
		if r = r.and(mine); r.End == nil || bytes.Compare(r.Start, r.End) < 0 {
			out = append(out, r)
		}
	}
	return out, nil
}

func (r KeyRange) and(o KeyRange) KeyRange {
	if bytes.Compare(o.Start, r.Start) > 0 {
		r.Start = o.Start
	}
	if r.End == nil || o.End != nil && bytes.Compare(o.End, r.End) < 0 {
		r.End = o.End
	}
	return r
}

// cuts gives up to parts-1 row keys, ascending, that cut the relation. Every part of one statement gets the same.
func (t *Txn) cuts(ctx context.Context, rel *catalog.Relation, parts int) ([][]byte, error) {
	c, err := readCounts(ctx, t.now.head.snap, rel.Storage)
	if err != nil {
		return nil, err
	}
	parts = int(min(int64(parts), c.rows/minPartRows))
	if parts < 2 {
		return nil, nil
	}
	if table := t.db.columns.Peek(rel.Storage); table != nil {
		return columnCuts(table, parts), nil
	}
	var cuts [][]byte
	if rel.Kind != catalog.Collection && len(rel.PrimaryKey) == 0 {
		for i := 1; i < parts; i++ {
			cuts = append(cuts, binary.BigEndian.AppendUint64(nil, c.high/uint64(parts)*uint64(i)))
		}
		return cuts, nil
	}
	s, err := t.sample(ctx, rel.Storage, c.rows)
	if err != nil {
		return nil, err
	}
	for i := 1; i < parts && len(s.keys) > 0; i++ {
		cuts = append(cuts, s.keys[len(s.keys)*i/parts])
	}
	return slices.CompactFunc(cuts, bytes.Equal), nil
}

// sample finds or takes the sample of a storage.
func (t *Txn) sample(ctx context.Context, storage uint64, rows int64) (*Sample, error) {
	t.db.samples.mu.Lock()
	defer t.db.samples.mu.Unlock()
	if x := t.db.samples.fresh(storage, rows); x != nil {
		return x, nil
	}
	return t.db.sampleNow(ctx, t.now.head.snap, storage, rows)
}
