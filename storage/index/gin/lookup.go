package gin

import (
	"bytes"
	"context"
	"slices"

	"github.com/omgdb/omgdb/storage/index"
	"github.com/omgdb/omgdb/storage/index/postings"
	"github.com/omgdb/omgdb/storage/typeio"
)

// Lookup gives the keys, in order, of all rows that may satisfy a query: they have the lexemes, positions and weights are not looked at.
// ok is false when every row may.
func (ix *Index) Lookup(ctx context.Context, v index.View, q *typeio.TSQuery) (keys [][]byte, ok bool, err error) {
	if q.Root == nil {
		return nil, true, nil
	}
	r, err := postings.Open(ctx, ix.store, v, ix.cache)
	if err != nil {
		return nil, false, err
	}
	for _, l := range r.Layers {
		found, err := rows(ctx, l, q.Root)
		if err != nil || found.all {
			return nil, false, err
		}
		for _, o := range found.ords {
			if l.Dead(o) {
				continue
			}
			k, err := l.RowKey(ctx, nil, o)
			if err != nil {
				return nil, false, err
			}
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, bytes.Compare)
	return keys, true, nil
}

// set is rows of a layer by ordinal, ascending, or all of them.
type set struct {
	all  bool
	ords []uint32
}

func rows(ctx context.Context, l *postings.Layer, n *typeio.TSNode) (set, error) {
	switch n.Op {
	case typeio.TSLexeme:
		return lexeme(ctx, l, n)
	case typeio.TSNot:
		return set{all: true}, nil
	}
	left, err := rows(ctx, l, n.Left)
	if err != nil {
		return set{}, err
	}
	right, err := rows(ctx, l, n.Right)
	switch {
	case err != nil:
		return set{}, err
	case n.Op == typeio.TSOr:
		if left.all || right.all {
			return set{all: true}, nil
		}
		return set{ords: union(left.ords, right.ords)}, nil
	case left.all:
		return right, nil
	case right.all:
		return left, nil
	}
	return set{ords: intersection(left.ords, right.ords)}, nil
}

func lexeme(ctx context.Context, l *postings.Layer, n *typeio.TSNode) (set, error) {
	var out set
	add := func(term string) error {
		c, err := l.Cursor(ctx, term)
		if err != nil {
			return err
		}
		for ; c.Ordinal != postings.End; c.Next() {
			out.ords = append(out.ords, c.Ordinal)
		}
		return nil
	}
	if !n.Prefix {
		return out, add(n.Text)
	}
	err := l.Terms(ctx, n.Text, add)
	slices.Sort(out.ords)
	out.ords = slices.Compact(out.ords)
	return out, err
}

func union(a, b []uint32) []uint32 {
	out := append(slices.Clone(a), b...)
	slices.Sort(out)
	return slices.Compact(out)
}

func intersection(a, b []uint32) []uint32 {
	out := a[:0:0]
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			out = append(out, a[0])
			a, b = a[1:], b[1:]
		}
	}
	return out
}
