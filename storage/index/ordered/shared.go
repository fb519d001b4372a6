package ordered

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"

	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/index"
	"github.com/omgdb/omgdb/storage/key"
	"github.com/omgdb/omgdb/storage/kv"
)

// claimsBit, in the first byte of an entry's value, marks the entries of a deferrable unique index that must be alone with their
// components when the constraint is checked. The length behind it is below maxComponents.
const claimsBit = 0x80

func componentsLen(v []byte) int { return int(binary.BigEndian.Uint16(v) &^ (claimsBit << 8)) }

// claimed gives the key that no other row may share with an entry, nil when there is none.
func claimed(k, v []byte) []byte {
	if len(v) < 2 || v[0]&claimsBit == 0 {
		return nil
	}
	return k[:min(kv.PrefixLen+componentsLen(v), len(k))]
}

// share locks the key of a row that comes, and notes it when another row has it.
func (m *maintainer) share(ctx context.Context, w index.Writer, before, row index.Row, shared []byte) error {
	if err := w.Claim(ctx, shared); err != nil {
		return err
	}
	it := w.Scan(ctx, kv.Range{Start: shared, End: key.PrefixEnd(shared)})
	defer it.Close()
	for it.Next() {
		other, err := m.RowKey(it.Key(), it.Value())
		if err != nil {
			return err
		}
		if !bytes.Equal(other, row.Key) && !bytes.Equal(other, before.Key) {
			w.Share(m.x, bytes.Clone(shared))
			return nil
		}
	}
	return it.Err()
}

// CheckShared implements index.Sharing.
func (m *maintainer) CheckShared(ctx context.Context, w index.Writer, shared []byte, load func([]byte) (doc.Doc, error)) error {
	return m.alone(ctx, w, kv.Range{Start: shared, End: key.PrefixEnd(shared)}, load)
}

// CheckAll implements index.Sharing.
func (m *maintainer) CheckAll(ctx context.Context, w index.Writer, load func([]byte) (doc.Doc, error)) error {
	return m.alone(ctx, w, key.All(key.Ordered, m.x.Storage), load)
}

// alone walks entries and refuses two neighbours with one claimed key.
func (m *maintainer) alone(ctx context.Context, w index.Writer, r kv.Range, load func([]byte) (doc.Doc, error)) error {
	it := w.Scan(ctx, r)
	defer it.Close()
	var last []byte
	for it.Next() {
		k := claimed(it.Key(), it.Value())
		if k == nil || !bytes.Equal(k, last) {
			last = append(last[:0], k...)
			continue
		}
		rowKey, err := m.RowKey(it.Key(), it.Value())
		if err != nil {
			return err
		}
		rowKey = bytes.Clone(rowKey)
		d, err := load(rowKey)
		return errors.Join(err, m.duplicate(ctx, rowKey, d))
	}
	return it.Err()
}
