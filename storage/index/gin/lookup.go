package gin

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"github.com/omgdb/omgdb/storage/index"
	"github.com/omgdb/omgdb/storage/index/postings"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// Lookup gives the keys, in order, of all rows that may satisfy a function of the index's key and an argument: they have the terms that
// it demands. ok is false when every row may, or more than limit.
func (ix *Index) Lookup(ctx context.Context, v index.View, function string, arg value.Value, limit int) (keys [][]byte, ok bool, err error) {
	root := ix.terms.query(function, arg)
	if root == nil {
		return nil, false, nil
	}
	r, err := postings.Open(ctx, ix.store, v, ix.cache)
	if err != nil {
		return nil, false, err
	}
	for _, l := range r.Layers {
		found, err := (&walk{ctx, l, limit}).rows(root)
		if err != nil || found.all {
			return nil, false, err
		}
		for _, o := range found.ords {
			if l.Dead(o) {
				continue
			}
			if len(keys) == limit {
				return nil, false, nil
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

// walk evaluates a combination of terms in one layer. Sets of more than limit rows are taken for all.
type walk struct {
	ctx   context.Context
	layer *postings.Layer
	limit int
}

func (w *walk) rows(n *typeio.TSNode) (set, error) {
	switch n.Op {
	case typeio.TSLexeme:
		return w.term(n)
	case typeio.TSNot:
		return set{all: true}, nil
	case typeio.TSOr:
		left, err := w.rows(n.Left)
		if err != nil || left.all {
			return left, err
		}
		right, err := w.rows(n.Right)
		if err != nil || right.all {
			return right, err
		}
		return w.bounded(union(left.ords, right.ords)), nil
	}
	return w.both(n)
}

func (w *walk) bounded(ords []uint32) set {
	if len(ords) > w.limit {
		return set{all: true}
	}
	return set{ords: ords}
}

// both is a conjunction: its terms are walked together, led by the rarest, which skips blocks of the others.
func (w *walk) both(n *typeio.TSNode) (set, error) {
	var lists []*postings.Cursor
	out := set{all: true}
	for _, part := range conjunction(n, nil) {
		if part.Op == typeio.TSLexeme && !part.Prefix {
			c, err := w.layer.Cursor(w.ctx, part.Text)
			if err != nil {
				return set{}, err
			}
			lists = append(lists, c)
			continue
		}
		s, err := w.rows(part)
		if err != nil {
			return set{}, err
		}
		switch {
		case s.all:
		case out.all:
			out = s
		default:
			out.ords = intersection(out.ords, s.ords)
		}
	}
	if len(lists) == 0 {
		return out, nil
	}
	slices.SortFunc(lists, func(a, b *postings.Cursor) int { return cmp.Compare(a.Len(), b.Len()) })
	common := meet(lists, w.limit)
	switch {
	case common.all:
		return out, nil
	case out.all:
		return common, nil
	}
	return set{ords: intersection(out.ords, common.ords)}, nil
}

// conjunction lists what AND, or a phrase, which is checked on the rows, combines.
func conjunction(n *typeio.TSNode, parts []*typeio.TSNode) []*typeio.TSNode {
	switch n.Op {
	case typeio.TSLexeme, typeio.TSNot, typeio.TSOr:
		return append(parts, n)
	}
	return conjunction(n.Right, conjunction(n.Left, parts))
}

// meet gives the rows that all cursors have.
func meet(lists []*postings.Cursor, limit int) (out set) {
	lead := lists[0]
	for lead.Ordinal != postings.End {
		at := lead.Ordinal
		for _, c := range lists[1:] {
			if c.Seek(at); c.Ordinal != at {
				at = c.Ordinal
				break
			}
		}
		if at != lead.Ordinal {
			lead.Seek(at)
			continue
		}
		if len(out.ords) == limit {
			return set{all: true}
		}
		out.ords = append(out.ords, at)
		lead.Next()
	}
	return out
}

func (w *walk) term(n *typeio.TSNode) (set, error) {
	var ords []uint32
	add := func(term string) error {
		c, err := w.layer.Cursor(w.ctx, term)
		if err != nil {
			return err
		}
		for ; c.Ordinal != postings.End && len(ords) <= w.limit; c.Next() {
			ords = append(ords, c.Ordinal)
		}
		return nil
	}
	if !n.Prefix {
		err := add(n.Text)
		return w.bounded(ords), err
	}
	err := w.layer.Terms(w.ctx, n.Text, add)
	slices.Sort(ords)
	return w.bounded(slices.Compact(ords)), err
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
