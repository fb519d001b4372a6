package fulltext

import (
	"context"
	"slices"

	"github.com/omgdb/omgdb/storage/index/postings"
)

// clause opens the documents of a layer in which a clause occurs, and counts those that are alive. A word is its list as stored; phrases
// and prefixes are worked out.
func (s *Search) clause(ctx context.Context, l *postings.Layer, c *Clause) (*postings.Cursor, int64, error) {
	if len(c.Terms) == 1 && !c.Prefix {
		cur, err := l.Cursor(ctx, c.Terms[0])
		if err != nil || c.Occur == MustNot {
			return cur, 0, err
		}
		n, err := l.Alive(ctx, c.Terms[0], cur)
		return cur, n, err
	}
	parts := make([]*postings.Cursor, len(c.Terms))
	for i, t := range c.Terms {
		var err error
		if c.Prefix && i == len(c.Terms)-1 {
			parts[i], err = s.prefix(ctx, l, t)
		} else {
			parts[i], err = l.Cursor(ctx, t)
		}
		if err != nil {
			return nil, 0, err
		}
	}
	if len(parts) == 1 {
		return parts[0], int64(parts[0].Len()), nil
	}
	list, err := s.phrase(ctx, l, parts, c.Offsets)
	if err != nil {
		return nil, 0, err
	}
	return list.Cursor(), int64(len(list.Ords)), nil
}

// prefix gives the places of all words of a layer's living documents that begin with prefix, as written or stemmed.
func (s *Search) prefix(ctx context.Context, l *postings.Layer, prefix string) (*postings.Cursor, error) {
	var places []uint64
	var buf []int32
	visit := func(term string) error {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		cur, err := l.Cursor(ctx, term)
		if err != nil {
			return err
		}
		for ; cur.Ordinal != postings.End; cur.Next() {
			if s.Visited++; l.Dead(cur.Ordinal) {
				continue
			}
			buf = cur.Positions(buf[:0])
			for _, p := range buf {
				places = append(places, uint64(cur.Ordinal)<<32|uint64(uint32(p)))
			}
		}
		return nil
	}
	for _, from := range []string{prefix, writtenMark + prefix} {
		if err := l.Terms(ctx, from, visit); err != nil {
			return nil, err
		}
	}
	slices.Sort(places)
	places = slices.Compact(places)
	list := &postings.List{Starts: []int32{}}
	for i, p := range places {
		if o := uint32(p >> 32); i == 0 || uint32(places[i-1]>>32) != o {
			list.Ords, list.Counts, list.Starts = append(list.Ords, o), append(list.Counts, 0), append(list.Starts, int32(i))
		}
		list.Counts[len(list.Counts)-1]++
		list.Positions = append(list.Positions, int32(uint32(p)))
	}
	list.Starts = append(list.Starts, int32(len(places)))
	return list.Cursor(), nil
}

// phrase gives the living documents in which the parts stand in a row at their offsets, and how often.
func (s *Search) phrase(ctx context.Context, l *postings.Layer, parts []*postings.Cursor, offsets []int32) (*postings.List, error) {
	out := &postings.List{}
	var starts, hits []int32
	for d := uint32(0); ; d++ {
		if s.Visited&1023 == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if d = meet(parts, d); d == postings.End {
			return out, nil
		}
		s.Visited++
		if l.Dead(d) {
			continue
		}
		starts = parts[0].Positions(starts[:0])
		for i := 1; i < len(parts) && len(starts) > 0; i++ {
			hits = parts[i].Positions(hits[:0])
			starts = followed(starts, hits, offsets[i])
		}
		if len(starts) > 0 {
			out.Ords, out.Counts = append(out.Ords, d), append(out.Counts, uint32(len(starts)))
		}
	}
}

// meet moves cursors to the first document from d on that all of them have.
func meet(cursors []*postings.Cursor, d uint32) uint32 {
	for i := 0; i < len(cursors); {
		c := cursors[i]
		c.Seek(d)
		if c.Ordinal == d {
			i++
			continue
		}
		if d = c.Ordinal; d == postings.End {
			return d
		}
		i = 0
	}
	return d
}
