package postings

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"github.com/omgdb/omgdb/storage/index"
	"github.com/omgdb/omgdb/storage/key"
	"github.com/omgdb/omgdb/storage/kv"
)

// applyBytes is about how much one commit of the background writes.
const applyBytes = 8 << 20

// batcher collects operations into commits.
type batcher struct {
	apply func([]kv.Op) error
	ops   []kv.Op
	size  int
}

func (b *batcher) add(op kv.Op) error {
	b.ops = append(b.ops, op)
	if b.size += len(op.Key) + len(op.Value) + 64; b.size >= applyBytes {
		return b.flush()
	}
	return nil
}

func (b *batcher) put(k, v []byte) error {
	return b.add(kv.Op{Key: k, Value: v, KeyStamp: kv.NoStamp, ValueStamp: kv.NoStamp})
}

func (b *batcher) flush() error {
	if len(b.ops) == 0 {
		return nil
	}
	slices.SortFunc(b.ops, func(x, y kv.Op) int { return bytes.Compare(x.Key, y.Key) })
	err := b.apply(b.ops)
	b.ops, b.size = nil, 0
	return err
}

// deleteRange deletes what the view has in a range.
func (b *batcher) deleteRange(ctx context.Context, v index.View, r kv.Range) error {
	it := v.Scan(ctx, r)
	defer it.Close()
	for it.Next() {
		if err := b.add(kv.Op{Key: bytes.Clone(it.Key()), Delete: true, KeyStamp: kv.NoStamp, ValueStamp: kv.NoStamp}); err != nil {
			return err
		}
	}
	return it.Err()
}

// Gather does one step of the background's work, see index.Gatherer: it writes the deltas in view as a segment, or merges segments, or
// deletes what an interrupted step has left. again tells that there is more to do, on a newer view.
func Gather(ctx context.Context, s Store, v index.View, apply func([]kv.Op) error) (again bool, err error) {
	m, err := s.readManifest(ctx, v)
	if err != nil {
		return false, err
	}
	b := &batcher{apply: apply}
	if err := s.clean(ctx, v, m, b); err != nil {
		return false, err
	}
	t := newTail(m.upto)
	if err := t.load(ctx, s, v); err != nil {
		return false, err
	}
	if len(t.entries) > 0 {
		return true, s.foldTail(ctx, v, m, t, b)
	}
	if list := m.mergeable(); len(list) > 0 {
		return true, s.mergeSegments(ctx, v, m, list, b)
	}
	return false, b.flush()
}

// clean deletes segments that the manifest doesn't name, and deltas that are in segments.
func (s Store) clean(ctx context.Context, v index.View, m *manifest, b *batcher) error {
	known := make([]uint32, 0, len(m.segments)+1)
	for _, info := range m.segments {
		known = append(known, info.number)
	}
	slices.Sort(known)
	from := uint32(0)
	for _, n := range known {
		if err := b.deleteRange(ctx, v, s.segmentRange(from, n)); err != nil {
			return err
		}
		from = n + 1
	}
	rest := s.segmentRange(from, 0)
	rest.End = key.PrefixEnd(append(key.AppendPrefix(nil, key.FullText, s.ID), tagSegment))
	if err := b.deleteRange(ctx, v, rest); err != nil {
		return err
	}
	if m.upto == 0 {
		return b.flush()
	}
	if err := b.deleteRange(ctx, v, key.Deltas(key.FullText, s.ID, 0, m.upto)); err != nil {
		return err
	}
	return b.flush()
}

// foldTail writes the deltas of a tail as a segment.
func (s Store) foldTail(ctx context.Context, v index.View, m *manifest, t *tail, b *batcher) error {
	view := t.at(v.LSN())
	build := newBuilder(s)
	it := v.Scan(ctx, key.Deltas(key.FullText, s.ID, m.upto, v.LSN()))
	defer it.Close()
	for i := 0; it.Next(); i++ {
		e := &t.entries[i]
		if e.gone || e.next >= 0 {
			continue
		}
		d, err := decodeDelta(it.Value())
		if err != nil {
			return err
		}
		build.add(e.ordinal, d.rowKey, d.length)
		for d.terms > 0 {
			text, positions, n, err := d.next()
			if err != nil {
				return err
			}
			build.term(text, n, positions)
		}
	}
	if it.Err() != nil {
		return it.Err()
	}
	out := manifest{upto: v.LSN(), next: m.next + 1, segments: slices.Clone(m.segments)}
	last, err := s.bury(ctx, v, &out, view.all)
	if err != nil {
		return err
	}
	info, err := build.write(m.next, b.put)
	if err != nil {
		return err
	}
	if err := b.flush(); err != nil { // before the manifest names it
		return err
	}
	if info.docs > 0 {
		out.segments = append(out.segments, info)
	}
	return b.publish(s, &out, last)
}

// publish commits a manifest with what changes together with it.
func (b *batcher) publish(s Store, m *manifest, with []kv.Op) error {
	b.ops = append(with, kv.Op{Key: s.manifestKey(), Value: m.encode(), KeyStamp: kv.NoStamp, ValueStamp: kv.NoStamp})
	return b.flush()
}

// bury makes the documents with newer deltas dead in the segments, and gives the operations that say so.
func (s Store) bury(ctx context.Context, v index.View, m *manifest, ords []uint32) (ops []kv.Op, err error) {
	for i := range m.segments {
		info := &m.segments[i]
		dead, err := s.readDead(ctx, v, *info)
		if err != nil {
			return nil, err
		}
		l := &Layer{s: s, v: v, info: *info}
		more := len(dead)
		from, _ := slices.BinarySearch(ords, info.min)
		for _, o := range ords[from:] {
			if o > info.max {
				break
			}
			length, ok, err := l.length(ctx, o)
			if err != nil {
				return nil, err
			}
			if _, was := slices.BinarySearch(dead[:more], o); !ok || was {
				continue
			}
			dead = append(dead, o)
			info.dead++
			info.words -= int64(length)
		}
		if len(dead) == more {
			continue
		}
		slices.Sort(dead)
		ops = append(ops, kv.Op{Key: s.partKey(nil, info.number, partDead), Value: appendDead(nil, dead), KeyStamp: kv.NoStamp, ValueStamp: kv.NoStamp})
	}
	return ops, nil
}

// Segments are merged when mergeWidth of them are of about one size, within a factor of mergeFactor, or when more than a third of one is
// dead.
const (
	mergeWidth  = 6
	mergeFactor = 8
)

// mergeable gives the numbers of segments that should become one.
func (m *manifest) mergeable() []uint32 {
	list := slices.Clone(m.segments)
	slices.SortFunc(list, func(a, b segmentInfo) int { return cmp.Compare(a.bytes, b.bytes) })
	for i := 0; i+mergeWidth <= len(list); i++ {
		n := mergeWidth
		if list[i+n-1].bytes > mergeFactor*max(list[i].bytes, 64<<10) {
			continue
		}
		for i+n < len(list) && list[i+n].bytes <= mergeFactor*list[i].bytes {
			n++
		}
		return numbers(list[:i+n]) // smaller ones come along for nothing
	}
	for _, info := range m.segments {
		if info.dead*3 > info.docs {
			return []uint32{info.number}
		}
	}
	return nil
}

func numbers(list []segmentInfo) (out []uint32) {
	for _, info := range list {
		out = append(out, info.number)
	}
	return out
}

// mergeSegments writes the living documents of some segments as one.
func (s Store) mergeSegments(ctx context.Context, v index.View, m *manifest, list []uint32, b *batcher) error {
	var layers []*Layer
	for _, info := range m.segments {
		if !slices.Contains(list, info.number) {
			continue
		}
		dead, err := s.readDead(ctx, v, info)
		if err != nil {
			return err
		}
		l := &Layer{s: s, v: v, info: info}
		if len(dead) > 0 {
			l.mask = newBitmap(info)
			for _, o := range dead {
				l.mask.add(o)
			}
		}
		layers = append(layers, l)
	}
	info, err := s.merge(ctx, layers, m.next, b.put)
	if err == nil {
		err = b.flush()
	}
	if err != nil {
		return err
	}
	out := m.without(list)
	out.next = m.next + 1
	if info.docs > 0 {
		out.segments = append(out.segments, info)
	}
	return b.publish(s, out, nil)
}
