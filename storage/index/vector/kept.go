package vector

import (
	"context"
	"encoding/binary"
	"math"

	"github.com/omgdb/omgdb/storage/index"
	"github.com/omgdb/omgdb/storage/key"
	"github.com/omgdb/omgdb/storage/kv"
)

// An index over texts keeps the vectors themselves beside their codes, for the texts alone don't tell them without the model. Its header
// says which model made them. A server whose embedder is another model by now goes on writing, leaves a mark that the index is of several
// models, and doesn't search it until it is built again.
//
//	kept number (8)        the vector of the row with this ordinal, float32 after float32
//	mixed                  the model of a vector that is not of the header's model
const (
	keptTag  = 0x04
	mixedTag = 0x05
)

func keptKey(storage, ordinal uint64) []byte {
	return binary.BigEndian.AppendUint64(append(key.AppendPrefix(nil, key.Vector, storage), keptTag), ordinal)
}

func mixedKey(storage uint64) []byte {
	return append(key.AppendPrefix(nil, key.Vector, storage), mixedTag)
}

func appendVector(dst []byte, x []float32) []byte {
	for _, f := range x {
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(f))
	}
	return dst
}

// keep writes a row's vector.
func (m *Index) keep(ctx context.Context, w index.Writer, p *params, ordinal uint64, x []float32) error {
	w.Put(keptKey(m.x.Storage, ordinal), appendVector(make([]byte, 0, 4*len(x)), x), kv.NoStamp)
	if p.model != m.embedder.ModelID() {
		w.Put(mixedKey(m.x.Storage), []byte(m.embedder.ModelID()), kv.NoStamp)
	}
	if !p.unwritten {
		return nil
	}
	h, err := w.Get(ctx, m.header)
	if err == nil && h == nil {
		w.Put(append([]byte(nil), m.header...), appendHeader(p, 0), kv.NoStamp)
	}
	return err
}

// foreign tells whether an index over texts has vectors that the embedder's present model has not made.
func (m *Index) foreign(ctx context.Context, v index.View, p *params) (bool, error) {
	if m.embedder == nil {
		return false, nil
	}
	if p.model != m.embedder.ModelID() {
		return true, nil
	}
	mixed, err := v.Get(ctx, mixedKey(m.x.Storage))
	return mixed != nil, err
}

// Kept reads the vectors of an index over texts at a reading point. One goroutine uses it.
type Kept struct {
	m   *Index
	v   index.View
	own map[uint64][]byte // what the transaction itself has written; nil for what it has removed
}

// Kept opens the vectors.
func (m *Index) Kept(v index.View) (*Kept, error) {
	k := &Kept{m: m, v: v}
	r := key.Between(key.Vector, m.x.Storage, []byte{keptTag}, []byte{keptTag + 1})
	return k, v.Own(r, func(at, value []byte) error {
		if k.own == nil {
			k.own = map[uint64][]byte{}
		}
		k.own[numberIn(at)] = value
		return nil
	})
}

func numberIn(k []byte) uint64 { return binary.BigEndian.Uint64(k[len(k)-8:]) }

// dense is how many ordinals of a range may be passed over for each that is wanted, before looking up each is faster.
const dense = 8

// Each visits the vectors of the rows with these ordinals, which ascend; x is valid until visit returns. A missing one is an error.
func (k *Kept) Each(ctx context.Context, ordinals []uint64, visit func(ordinal uint64, x []float32)) error {
	if n := len(ordinals); n > 1 && (ordinals[n-1]-ordinals[0])/uint64(n) < dense {
		return k.scan(ctx, ordinals, visit)
	}
	for _, o := range ordinals {
		b, ok := k.own[o]
		if !ok {
			var err error
			if b, err = k.v.Get(ctx, keptKey(k.m.x.Storage, o)); err != nil {
				return err
			}
		}
		if err := k.show(o, b, visit); err != nil {
			return err
		}
	}
	return nil
}

func (k *Kept) show(ordinal uint64, b []byte, visit func(ordinal uint64, x []float32)) error {
	if len(b) != 4*k.m.dims {
		return damaged("vector")
	}
	visit(ordinal, Floats(b))
	return nil
}

func (k *Kept) scan(ctx context.Context, ordinals []uint64, visit func(ordinal uint64, x []float32)) error {
	first, last := keptKey(k.m.x.Storage, ordinals[0]), keptKey(k.m.x.Storage, ordinals[len(ordinals)-1])
	it := k.v.Scan(ctx, kv.Range{Start: first, End: append(last, 0)})
	defer it.Close()
	more := it.Next()
	for _, o := range ordinals {
		b, own := k.own[o]
		for ; more && numberIn(it.Key()) < o; more = it.Next() {
		}
		if !own && more && numberIn(it.Key()) == o {
			b = it.Value()
		}
		if it.Err() != nil {
			return it.Err()
		}
		if err := k.show(o, b, visit); err != nil {
			return err
		}
	}
	return nil
}
