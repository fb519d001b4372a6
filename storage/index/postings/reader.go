package postings

import (
	"context"
	"slices"
	"sync"

	"github.com/omgdb/omgdb/storage/index"
	"github.com/omgdb/omgdb/storage/kv"
)

// Cache is what an open store keeps in memory of one index. It is safe for concurrent use; the zero Cache is ready.
type Cache struct {
	mu   sync.Mutex
	gens []*generation // the one used last at the end
}

// generation is what readers with the same manifest share.
type generation struct {
	upto kv.LSN
	next uint32
	tail *tail

	once sync.Mutex
	dead []*bitmap // by segment; nil before the first reader needs them
}

// maxGenerations is how many manifests are remembered: that of the newest snapshots, and those of some older ones.
const maxGenerations = 4

func (c *Cache) generation(m *manifest) *generation {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.gens, func(g *generation) bool { return g.upto == m.upto && g.next == m.next })
	if i >= 0 {
		g := c.gens[i]
		c.gens = append(slices.Delete(c.gens, i, i+1), g)
		return g
	}
	g := &generation{upto: m.upto, next: m.next, tail: newTail(m.upto)}
	if len(c.gens) == maxGenerations {
		c.gens = slices.Delete(c.gens, 0, 1)
	}
	c.gens = append(c.gens, g)
	return g
}

// deadOf gives the dead documents of each segment.
func (g *generation) deadOf(ctx context.Context, s Store, v index.View, m *manifest) ([]*bitmap, error) {
	g.once.Lock()
	defer g.once.Unlock()
	if g.dead != nil || len(m.segments) == 0 {
		return g.dead, nil
	}
	all := make([]*bitmap, len(m.segments))
	for i, info := range m.segments {
		ords, err := s.readDead(ctx, v, info)
		if err != nil {
			return nil, err
		}
		if len(ords) > 0 {
			all[i] = newBitmap(info)
			for _, o := range ords {
				all[i].add(o)
			}
		}
	}
	g.dead = all
	return all, nil
}

// Reader reads an index at one reading point. Layers belong to one goroutine; several readers may be opened at a reading point.
type Reader struct {
	Layers []*Layer
	Docs   int64 // documents
	Words  int64 // in all of them
	s      Store
	v      index.View
}

// overlaid is what newer deltas do to segments: documents that are dead there now, and what of the counts goes with them.
type overlaid struct {
	masks       []*bitmap
	docs, words int64
}

// Open opens the index at a reading point.
func Open(ctx context.Context, s Store, v index.View, c *Cache) (*Reader, error) {
	m, err := s.readManifest(ctx, v)
	if err != nil {
		return nil, err
	}
	g := c.generation(m)
	if err := g.tail.load(ctx, s, v); err != nil {
		return nil, err
	}
	dead, err := g.deadOf(ctx, s, v, m)
	if err != nil {
		return nil, err
	}
	r := &Reader{s: s, v: v}
	for i, info := range m.segments {
		r.Layers = append(r.Layers, &Layer{s: s, v: v, info: info, mask: dead[i]})
		r.Docs += info.docs - info.dead
		r.Words += info.words
	}
	for _, t := range []func() (*tailView, error){
		func() (*tailView, error) { return g.tail.at(v.LSN()), nil },
		func() (*tailView, error) { return ownTail(s, v) },
	} {
		view, err := t()
		if err == nil && view != nil && view.n > 0 {
			err = r.lay(ctx, view)
		}
		if err != nil {
			return nil, err
		}
	}
	return r, nil
}

// lay puts deltas above the layers that there are.
func (r *Reader) lay(ctx context.Context, t *tailView) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over == nil {
		over, err := r.overlay(ctx, t)
		if err != nil {
			return err
		}
		t.over = over
	}
	for i, mask := range t.over.masks {
		if mask != nil {
			r.Layers[i].mask = mask
		}
	}
	r.Docs += int64(len(t.live)) - t.over.docs
	r.Words += t.word - t.over.words
	r.Layers = append(r.Layers, &Layer{s: r.s, v: r.v, mem: t, info: segmentInfo{min: t.all[0], max: t.all[len(t.all)-1]}})
	return nil
}

// overlay finds what in the layers so far is dead because of newer deltas.
func (r *Reader) overlay(ctx context.Context, t *tailView) (*overlaid, error) {
	over := &overlaid{masks: make([]*bitmap, len(r.Layers))}
	for i, l := range r.Layers {
		from, _ := slices.BinarySearch(t.all, l.info.min)
		for _, o := range t.all[from:] {
			if o > l.info.max {
				break
			}
			if l.Dead(o) {
				continue
			}
			length, ok, err := l.length(ctx, o)
			if err != nil {
				return nil, err
			}
			if !ok {
				continue
			}
			if over.masks[i] == nil {
				over.masks[i] = newBitmap(l.info)
				if l.mask != nil {
					copy(over.masks[i].words, l.mask.words)
					over.masks[i].n = l.mask.n
				}
			}
			over.masks[i].add(o)
			over.docs++
			over.words += int64(length)
		}
	}
	return over, nil
}
