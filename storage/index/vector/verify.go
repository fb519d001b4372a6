package vector

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/index"
	"github.com/omgdb/omgdb/storage/key"
)

// Verify implements index.Verified.
func (m *Index) Verify(ctx context.Context, v index.View) (index.Verifier, error) {
	c := &verifier{m: m, v: v, last: ^uint64(0)}
	if m.metric == 0 {
		return c, nil
	}
	p, gathered, err := m.state(ctx, v)
	if err != nil {
		return nil, err
	}
	c.enc = p.encoder()
	f := finder{}
	if err := m.changed(ctx, v, gathered, &f); err != nil {
		return nil, err
	}
	c.changed = f.changed
	if m.embedder != nil {
		if c.foreign, err = m.foreign(ctx, v, p); err != nil {
			return nil, err
		}
		c.kept, err = m.Kept(v)
	}
	return c, err
}

// verifier codes every row again and looks for the code; then it counts the codes.
type verifier struct {
	m       *Index
	v       index.View
	enc     *encoder
	changed map[uint64][]byte
	last    uint64 // number of the block at hand
	block   block
	rows    int64
	apart   int64 // rows whose key is not beside their code, because an earlier version has written them
	wrong   string

	// Of an index over texts. A foreign one has vectors that the present model doesn't make: only their number is checked.
	kept    *Kept
	foreign bool
}

// Row implements index.Verifier.
func (c *verifier) Row(ctx context.Context, row index.Row, d doc.Doc) error {
	if c.foreign {
		if has, err := c.m.has(ctx, d); err != nil || !has {
			return err
		}
		c.rows++
		return nil
	}
	x, err := c.m.vector(ctx, d)
	if err != nil || x == nil || c.wrong != "" {
		return err
	}
	c.rows++
	if c.kept != nil {
		same := false
		err := c.kept.Each(ctx, []uint64{row.Ordinal}, func(_ uint64, y []float32) { same = slices.Equal(x, y) })
		if err != nil || !same {
			c.wrong = fmt.Sprintf("lacks the vector of row %x, or has another", row.Key)
			return nil
		}
	}
	got, k, err := c.code(ctx, row.Ordinal)
	if err != nil {
		return err
	}
	if want := c.enc.append(nil, x); !bytes.Equal(got, want) {
		c.wrong = fmt.Sprintf("lacks the code of row %x, or has another", row.Key)
		return nil
	}
	if c.m.ordinals.Hidden() {
		return nil
	}
	if len(k) == 0 {
		c.apart++
		k, err = c.m.ordinals.RowKey(ctx, c.v, row.Ordinal)
	}
	if err == nil && !bytes.Equal(k, row.Key) {
		c.wrong = fmt.Sprintf("has the key %x for row %x", k, row.Key)
	}
	return err
}

// code finds the code of a row, and its key where that stands beside the code.
func (c *verifier) code(ctx context.Context, ordinal uint64) (code, rowKey []byte, err error) {
	if code, ok := c.changed[ordinal]; ok {
		n := min(c.enc.codeLen(), len(code))
		return code[:n], code[n:], nil
	}
	if n := ordinal / blockRows; n != c.last {
		c.last, c.block = n, block{}
		v, err := c.v.Get(ctx, blockKey(c.m.x.Storage, n))
		if err != nil {
			return nil, nil, err
		}
		if v != nil {
			if c.block, err = c.enc.readBlock(v); err != nil {
				return nil, nil, err
			}
		}
	}
	slot := int(ordinal % blockRows)
	if slot >= c.block.slots || !c.block.has(slot) {
		return nil, nil, nil
	}
	return c.enc.appendCode(nil, &c.block, slot), c.block.key(slot), nil
}

// Finish implements index.Verifier.
func (c *verifier) Finish(ctx context.Context) (entries int64, wrong string, err error) {
	if c.wrong != "" || c.m.metric == 0 {
		return c.rows, c.wrong, nil
	}
	for _, code := range c.changed {
		if len(code) > 0 {
			entries++
		}
	}
	plain := map[uint64]bool{}
	it := c.v.Scan(ctx, blockRange(c.m.x.Storage))
	defer it.Close()
	for it.Next() {
		b, err := c.enc.readBlock(it.Value())
		if err != nil {
			return 0, "", err
		}
		entries += int64(b.count())
		n := numberIn(it.Key())
		if b.plain {
			plain[n] = true
		}
		for ordinal := range c.changed {
			if ordinal/blockRows == n && int(ordinal%blockRows) < b.slots && b.has(int(ordinal%blockRows)) {
				entries-- // the delta takes its place
			}
		}
	}
	if it.Err() != nil {
		return 0, "", it.Err()
	}
	if err := c.keys(ctx, plain); err != nil {
		return 0, "", err
	}
	if err := c.countKept(ctx); err != nil {
		return 0, "", err
	}
	if entries != c.rows {
		return entries, fmt.Sprintf("has %d codes, its rows make %d", entries, c.rows), nil
	}
	return entries, c.wrong, nil
}

// keys looks at the row keys that an earlier version has put into a keyspace of their own: those of a plain block's rows, and of rows
// whose deltas lack them. They are removed when the blocks are written again; then none may be left.
func (c *verifier) keys(ctx context.Context, plain map[uint64]bool) error {
	if c.m.ordinals.Hidden() {
		return nil
	}
	it := c.v.Scan(ctx, key.All(key.Ordinal, c.m.x.Storage))
	defer it.Close()
	n := int64(0)
	for it.Next() {
		n++
		ordinal := numberIn(it.Key())
		if _, pending := c.changed[ordinal]; !pending && !plain[ordinal/blockRows] {
			c.wrong = fmt.Sprintf("has a key for row number %d apart from its code", ordinal)
		}
	}
	if n < c.apart {
		c.wrong = fmt.Sprintf("has the keys of %d rows apart from their codes, and lacks those of %d", n, c.apart-n)
	}
	return it.Err()
}

// countKept counts the vectors of an index over texts.
func (c *verifier) countKept(ctx context.Context) error {
	if c.kept == nil {
		return nil
	}
	it := c.v.Scan(ctx, key.Between(key.Vector, c.m.x.Storage, []byte{keptTag}, []byte{keptTag + 1}))
	defer it.Close()
	n := int64(0)
	for it.Next() {
		n++
	}
	if n != c.rows {
		c.wrong = fmt.Sprintf("has %d vectors, its rows make %d", n, c.rows)
	}
	return it.Err()
}
