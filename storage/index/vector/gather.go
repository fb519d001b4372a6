package vector

import (
	"bytes"
	"context"
	"maps"
	"slices"

	"github.com/omgdb/omgdb/storage/index"
	"github.com/omgdb/omgdb/storage/key"
	"github.com/omgdb/omgdb/storage/kv"
)

// gatherBlocks is about how many blocks one commit of Gather writes.
const gatherBlocks = 256

// Gather implements index.Gatherer: it takes deltas in the order of their commits, whole commits at a time, and writes the blocks that
// they change, the header that says how far it has come, and the removal of the deltas in one batch.
func (m *Index) Gather(ctx context.Context, v index.View, apply func(ops []kv.Op) error) error {
	p, gathered, err := m.state(ctx, v)
	if err != nil || m.metric == 0 {
		return err
	}
	g := gathering{m: m, p: p, v: v, apply: apply, blocks: map[uint64]*builder{}, dirty: map[uint64]bool{}, moved: map[uint64]bool{}}
	it := v.Scan(ctx, key.Deltas(key.Vector, m.x.Storage, gathered, v.LSN()))
	defer it.Close()
	for it.Next() {
		lsn, ordinal, err := key.SplitDelta(it.Key())
		if err != nil {
			return err
		}
		if lsn != g.upto && len(g.dirty) >= gatherBlocks {
			if err := g.flush(); err != nil {
				return err
			}
		}
		g.upto = lsn
		if err := g.add(ctx, ordinal, it.Value()); err != nil {
			return err
		}
		g.taken = append(g.taken, remove(bytes.Clone(it.Key())))
	}
	if it.Err() != nil {
		return it.Err()
	}
	return g.flush()
}

type gathering struct {
	m      *Index
	p      *params
	v      index.View
	apply  func(ops []kv.Op) error
	blocks map[uint64]*builder // all that were changed: the view doesn't show what earlier parts wrote
	dirty  map[uint64]bool
	taken  []kv.Op
	moved  map[uint64]bool // ordinals whose row keys an earlier version has put elsewhere
	upto   kv.LSN
}

func (g *gathering) add(ctx context.Context, ordinal uint64, code []byte) error {
	n := ordinal / blockRows
	b := g.blocks[n]
	if b == nil {
		b = &builder{p: g.p}
		old, err := g.v.Get(ctx, blockKey(g.m.x.Storage, n))
		if err != nil {
			return err
		}
		if old != nil {
			blk, err := g.p.readBlock(old)
			if err != nil {
				return err
			}
			b.load(blk)
			if err := g.move(ctx, b, n, blk.plain); err != nil {
				return err
			}
		}
		g.blocks[n] = b
	}
	g.dirty[n] = true
	slot := ordinal % blockRows
	switch size := g.p.codeLen(); {
	case len(code) == 0:
		b.codes[slot], b.keys[slot] = nil, nil
	case len(code) < size:
		return damaged("delta")
	case len(code) == size && !g.m.ordinals.Hidden(): // an earlier version has written it
		k, err := g.m.ordinals.RowKey(ctx, g.v, ordinal)
		if err != nil {
			return err
		}
		b.codes[slot], b.keys[slot] = bytes.Clone(code), bytes.Clone(k)
		g.moved[ordinal] = true
	default:
		b.codes[slot], b.keys[slot] = bytes.Clone(code[:size]), bytes.Clone(code[size:])
	}
	return nil
}

// move takes the row keys of a block that an earlier version has written, or may have written, out of the keyspace where they were.
func (g *gathering) move(ctx context.Context, b *builder, n uint64, plain bool) error {
	if !plain || g.m.ordinals.Hidden() {
		return nil
	}
	it := g.v.Scan(ctx, kv.Range{Start: g.m.ordinals.Key(n * blockRows), End: g.m.ordinals.Key((n + 1) * blockRows)})
	defer it.Close()
	for it.Next() {
		ordinal := numberIn(it.Key())
		b.keys[ordinal%blockRows] = bytes.Clone(it.Value())
		g.moved[ordinal] = true
	}
	return it.Err()
}

func remove(k []byte) kv.Op {
	return kv.Op{Key: k, Delete: true, KeyStamp: kv.NoStamp, ValueStamp: kv.NoStamp}
}

// flush commits what was gathered. The keys of ordinals come before those of deltas, these before the header's, that before the blocks'.
func (g *gathering) flush() error {
	if len(g.taken) == 0 {
		return nil
	}
	var ops []kv.Op
	for _, ordinal := range slices.Sorted(maps.Keys(g.moved)) {
		ops = append(ops, remove(g.m.ordinals.Key(ordinal)))
	}
	ops = append(append(ops, g.taken...), put(g.m.header, appendHeader(g.p, g.upto)))
	for _, n := range slices.Sorted(maps.Keys(g.dirty)) {
		k := blockKey(g.m.x.Storage, n)
		if v := g.blocks[n].value(); v != nil {
			ops = append(ops, put(k, v))
		} else {
			ops = append(ops, remove(k))
		}
	}
	g.taken = nil
	clear(g.dirty)
	clear(g.moved)
	return g.apply(ops)
}

func put(k, v []byte) kv.Op {
	return kv.Op{Key: bytes.Clone(k), Value: v, KeyStamp: kv.NoStamp, ValueStamp: kv.NoStamp}
}
