package postings

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/omgdb/omgdb/storage/kv"
)

// merge writes the living documents of layers, which are segments of one view, as segment number.
func (s Store) merge(ctx context.Context, layers []*Layer, number uint32, emit emitter) (segmentInfo, error) {
	w := segmentWriter{s: s, emit: emit, info: segmentInfo{number: number}}
	var lengths []docLength
	var keys []docKey
	var arena []byte
	for _, l := range layers {
		err := l.each(ctx, func(d docLength) {
			if !l.Dead(d.ordinal) {
				lengths = append(lengths, d)
			}
		})
		if err == nil {
			err = l.eachKey(ctx, func(d docKey) {
				if !l.Dead(d.ordinal) {
					at := len(arena)
					arena = append(arena, d.key...)
					keys = append(keys, docKey{d.ordinal, arena[at:len(arena):len(arena)]})
				}
			})
		}
		if err != nil {
			return w.info, err
		}
	}
	slices.SortFunc(lengths, func(a, b docLength) int { return cmp.Compare(a.ordinal, b.ordinal) })
	slices.SortFunc(keys, func(a, b docKey) int { return cmp.Compare(a.ordinal, b.ordinal) })
	if len(lengths) == 0 {
		return w.info, nil
	}
	w.info.docs, w.info.min, w.info.max = int64(len(lengths)), lengths[0].ordinal, lengths[len(lengths)-1].ordinal
	for _, d := range lengths {
		w.info.words += int64(d.length)
	}
	if err := w.docs(lengths, keys); err != nil {
		return w.info, err
	}
	table := newLengthTable(lengths)
	lengths, keys, arena = nil, nil, nil
	return w.info, s.mergeTerms(ctx, layers, table, &w)
}

// termSource walks the terms of a segment.
type termSource struct {
	l    *Layer
	it   kv.Iter
	at   int // where the term begins in a key
	term string
}

func (t *termSource) next() bool {
	if !t.it.Next() {
		return false
	}
	t.term = string(t.it.Key()[t.at:])
	return true
}

func (s Store) mergeTerms(ctx context.Context, layers []*Layer, table *lengthTable, w *segmentWriter) error {
	var sources []*termSource
	for _, l := range layers {
		r := s.partRange(l.info.number, partTerms)
		t := &termSource{l: l, it: l.v.Scan(ctx, r), at: len(r.Start)}
		defer t.it.Close()
		if t.next() {
			sources = append(sources, t)
		} else if t.it.Err() != nil {
			return t.it.Err()
		}
	}
	var list []Posting
	var places []int32
	for len(sources) > 0 {
		least := slices.MinFunc(sources, func(a, b *termSource) int { return strings.Compare(a.term, b.term) }).term
		list, places = list[:0], places[:0]
		kept := sources[:0]
		for _, t := range sources {
			if t.term == least {
				c, err := openCursor(t.it.Value())
				if err != nil {
					return err
				}
				list, places = t.l.livingPostings(c, table, list, places)
				if !t.next() {
					if t.it.Err() != nil {
						return t.it.Err()
					}
					continue
				}
			}
			kept = append(kept, t)
		}
		sources = kept
		if len(list) == 0 {
			continue
		}
		slices.SortFunc(list, func(a, b Posting) int { return cmp.Compare(a.Ordinal, b.Ordinal) })
		if err := w.term(least, list); err != nil {
			return err
		}
	}
	return nil
}

// livingPostings appends the postings of documents that are not dead; their positions go into places.
func (l *Layer) livingPostings(c *Cursor, table *lengthTable, list []Posting, places []int32) ([]Posting, []int32) {
	for ; c.Ordinal != End; c.Next() {
		if l.Dead(c.Ordinal) {
			continue
		}
		p := Posting{Ordinal: c.Ordinal, Count: c.Count, Length: table.of(c.Ordinal)}
		at := len(places)
		places = c.Positions(places)
		if l.s.Positions {
			p.Positions = places[at:len(places):len(places)]
		}
		list = append(list, p)
	}
	return list, places
}
