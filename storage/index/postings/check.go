package postings

import (
	"context"
	"fmt"
	"hash/maphash"

	"github.com/omgdb/omgdb/storage/index"
)

// Check compares an index with the documents that its rows make. It counts documents, words, postings and positions on both sides and
// adds up a hash of each document and of each posting with its positions, so that it needs no memory for them.
type Check struct {
	s    Store
	v    index.View
	seed maphash.Seed
	want tally
	buf  []byte
}

// tally is one side of a check.
type tally struct {
	docs, words, postings, positions int64
	hash                             uint64
}

// NewCheck begins a check at a reading point.
func NewCheck(_ context.Context, s Store, v index.View) (*Check, error) {
	return &Check{s: s, v: v, seed: maphash.MakeSeed()}, nil
}

func (c *Check) doc(t *tally, ordinal, length uint32, rowKey []byte) {
	t.docs++
	t.words += int64(length)
	c.buf = append(c.buf[:0], 'd', byte(ordinal>>24), byte(ordinal>>16), byte(ordinal>>8), byte(ordinal), byte(length>>24), byte(length>>16),
		byte(length>>8), byte(length))
	c.buf = append(c.buf, rowKey...)
	t.hash += maphash.Bytes(c.seed, c.buf)
}

func (c *Check) posting(t *tally, term string, ordinal, count uint32, positions []int32) {
	t.postings++
	t.positions += int64(count)
	c.buf = append(c.buf[:0], 't', byte(ordinal>>24), byte(ordinal>>16), byte(ordinal>>8), byte(ordinal), byte(count>>24), byte(count>>16),
		byte(count>>8), byte(count))
	for _, p := range positions {
		c.buf = append(c.buf, byte(p>>24), byte(p>>16), byte(p>>8), byte(p))
	}
	c.buf = append(c.buf, term...)
	t.hash += maphash.Bytes(c.seed, c.buf)
}

// Row takes a row's document.
func (c *Check) Row(row index.Row, d *Doc) error {
	if err := CheckOrdinal(row.Ordinal); err != nil {
		return err
	}
	c.doc(&c.want, uint32(row.Ordinal), uint32(d.Length), row.Key)
	for i := range d.Terms {
		t := &d.Terms[i]
		places := t.Positions
		if !c.s.Positions {
			places = nil
		}
		c.posting(&c.want, t.Text, uint32(row.Ordinal), uint32(len(t.Positions)), places)
	}
	return nil
}

// Finish reads the whole index and compares, see index.Verifier. Entries are postings.
func (c *Check) Finish(ctx context.Context) (entries int64, wrong string, err error) {
	r, err := Open(ctx, c.s, c.v, &Cache{})
	if err != nil {
		return 0, "", err
	}
	var got tally
	for _, l := range r.Layers {
		if err := c.layer(ctx, l, &got); err != nil {
			return 0, "", err
		}
	}
	switch want := c.want; {
	case got.docs != want.docs || r.Docs != want.docs:
		wrong = fmt.Sprintf("has %d documents and counts %d, its rows make %d", got.docs, r.Docs, want.docs)
	case got.words != want.words || r.Words != want.words:
		wrong = fmt.Sprintf("has documents of %d words and counts %d, its rows make %d", got.words, r.Words, want.words)
	case got.postings != want.postings || got.positions != want.positions:
		wrong = fmt.Sprintf("has %d postings with %d positions, its rows make %d with %d", got.postings, got.positions, want.postings, want.positions)
	case got.hash != want.hash:
		wrong = "has postings other than those of its rows"
	}
	return got.postings, wrong, nil
}

func (c *Check) layer(ctx context.Context, l *Layer, got *tally) error {
	if err := l.living(ctx, func(ordinal, length uint32) error {
		k, err := l.RowKey(ctx, nil, ordinal)
		if err == nil {
			c.doc(got, ordinal, length, k)
		}
		return err
	}); err != nil {
		return err
	}
	var places []int32
	return l.Terms(ctx, "", func(term string) error {
		cur, err := l.Cursor(ctx, term)
		if err != nil {
			return err
		}
		for ; cur.Ordinal != End; cur.Next() {
			if l.Dead(cur.Ordinal) {
				continue
			}
			places = cur.Positions(places[:0])
			c.posting(got, term, cur.Ordinal, cur.Count, places)
		}
		return nil
	})
}
