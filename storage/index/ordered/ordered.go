// Package ordered is the index whose entries lie in the order of SQL values: CREATE [UNIQUE] INDEX over columns and expressions.
//
// Every row that satisfies the index's predicate has one entry. Its key is the components of the index's keys, long ones cut, and the
// row key, so that equal values stay apart; its value the length of the components (2 bytes). In a unique index the key is the
// components alone, so that there is room for one row, and the row key stands in the value behind that length; only rows with a NULL
// among their keys, which are all different unless NULLS NOT DISTINCT was said, have entries as in a plain index. In a deferrable one
// all have, for rows may share a key until the constraint is checked (shared.go). For INCLUDE a document with the included columns ends
// the value.
package ordered

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"strings"

	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/index"
	"github.com/omgdb/omgdb/storage/key"
	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// Kind makes ordered indexes. Expressions may be nil in a store that has no index over expressions.
type Kind struct{ Expressions index.Expressions }

// Open implements index.Kind.
func (k Kind) Open(rel *catalog.Relation, x *catalog.Index) (index.Maintainer, error) {
	m := &maintainer{rel: rel, x: x, parts: index.Components(rel, x), prefix: key.AppendPrefix(nil, key.Ordered, x.Storage)}
	plain := x.Where == ""
	for _, p := range x.Keys {
		col := rel.Attr(p.Col)
		plain = plain && p.Col != 0 && rel.Kind != catalog.Collection
		m.cols = append(m.cols, col)
	}
	for _, num := range x.Include {
		m.include = append(m.include, rel.Attr(num))
	}
	if plain {
		return m, nil
	}
	if k.Expressions == nil {
		return nil, dberr.New(dberr.FeatureNotSupported, "index \"%s\" is over an expression, which nobody here can compute", x.Name)
	}
	var err error
	m.eval, err = k.Expressions.Compile(rel, x)
	return m, err
}

type maintainer struct {
	rel     *catalog.Relation
	x       *catalog.Index
	parts   []index.Component
	cols    []*catalog.Column // of the keys, when eval is nil
	include []*catalog.Column
	eval    index.Evaluator // nil: the keys are columns and every row has an entry
	prefix  []byte
}

// entry is a row's entry.
type entry struct {
	key, value []byte
	alone      bool // no other row may have the key
	claims     int  // length of the key that no other row may have when the constraint is checked; 0 for none
}

// entry computes a row's entry; false when the row has none.
func (m *maintainer) entry(ctx context.Context, row index.Row, d doc.Doc) (e entry, ok bool, err error) {
	if m.eval != nil {
		if ok, err := m.eval.Holds(ctx, d); !ok || err != nil {
			return e, false, err
		}
	}
	e.key = append(make([]byte, 0, len(m.prefix)+len(row.Key)+32), m.prefix...)
	nulls, err := m.components(ctx, &e.key, d)
	if err != nil {
		return e, false, err
	}
	e.value = binary.BigEndian.AppendUint16(nil, uint16(len(e.key)-kv.PrefixLen))
	if e.alone = m.x.Unique && (!nulls || m.x.NullsNotDistinct); e.alone && m.x.Deferrable {
		e.alone, e.claims = false, len(e.key)
		e.value[0] |= claimsBit
	}
	if e.alone {
		e.value = append(binary.BigEndian.AppendUint16(e.value, uint16(len(row.Key))), row.Key...)
	} else {
		e.key = append(e.key, row.Key...)
	}
	if len(m.include) > 0 {
		e.value = m.included(e.value, d)
	}
	return e, true, nil
}

// maxComponents bounds the length of all components: what the length in an entry's value can hold, and far below a key's limit.
const maxComponents = 16 << 10

func (m *maintainer) components(ctx context.Context, dst *[]byte, d doc.Doc) (nulls bool, err error) {
	var vals []value.Value
	if m.eval != nil {
		if vals, err = m.eval.Keys(ctx, d, nil); err != nil {
			return false, err
		}
	}
	for i, p := range m.parts {
		at := len(*dst)
		if m.eval != nil {
			nulls = nulls || vals[i].IsNull()
			*dst, err = index.AppendComponent(*dst, p.Order, p.Type, vals[i])
		} else {
			v := d.Lookup(m.cols[i].Field)
			nulls = nulls || v.Missing()
			*dst, err = index.AppendStored(*dst, p.Order, p.Type, v)
		}
		if err != nil {
			return nulls, err
		}
		*dst, _ = key.Cut(*dst, at)
	}
	if n := len(*dst) - kv.PrefixLen; n > maxComponents {
		return nulls, dberr.New(dberr.ProgramLimitExceeded, "index row size %d exceeds maximum %d for index \"%s\"", n, maxComponents, m.x.Name)
	}
	return nulls, nil
}

func (m *maintainer) included(dst []byte, d doc.Doc) []byte {
	dst, start := doc.BeginDocument(dst)
	for _, c := range m.include {
		if v := d.Lookup(c.Field); !v.Missing() {
			dst = doc.AppendElement(dst, c.Field, v)
		}
	}
	return doc.EndDocument(dst, start)
}

// Insert implements index.Maintainer.
func (m *maintainer) Insert(ctx context.Context, w index.Writer, row index.Row, d doc.Doc) error {
	e, ok, err := m.entry(ctx, row, d)
	if err != nil || !ok {
		return err
	}
	return m.put(ctx, w, row, row, d, e)
}

// put writes the entry of a row that was before, which is the row itself unless its key changes.
func (m *maintainer) put(ctx context.Context, w index.Writer, before, row index.Row, d doc.Doc, e entry) error {
	if e.alone {
		if err := m.claim(ctx, w, before, row, d, e); err != nil {
			return err
		}
	}
	if e.claims > 0 {
		if err := m.share(ctx, w, before, row, e.key[:e.claims]); err != nil {
			return err
		}
	}
	w.Put(e.key, e.value, kv.NoStamp)
	return nil
}

// claim locks the key and sees to it that no other row has it. Values that were cut alike are taken for the same: a hash of 128 bits
// tells them apart.
func (m *maintainer) claim(ctx context.Context, w index.Writer, before, row index.Row, d doc.Doc, e entry) error {
	if err := w.Claim(ctx, e.key); err != nil {
		return err
	}
	v, err := w.Get(ctx, e.key)
	if err != nil || v == nil {
		return err
	}
	other, err := m.RowKey(e.key, v)
	if err != nil || bytes.Equal(other, row.Key) || bytes.Equal(other, before.Key) {
		return err
	}
	return m.duplicate(ctx, bytes.Clone(other), d)
}

func (m *maintainer) duplicate(ctx context.Context, other []byte, d doc.Doc) error {
	dup := &index.Duplicate{Index: m.x, Row: other}
	var names, vals []string
	var keys []value.Value
	if m.eval != nil {
		var err error
		if keys, err = m.eval.Keys(ctx, d, nil); err != nil {
			return err
		}
	}
	for i, p := range m.parts {
		v := value.Null
		if m.eval != nil {
			v = keys[i]
		} else if f := d.Lookup(m.cols[i].Field); !f.Missing() {
			v, _ = typeio.FromBSON(p.Type, f.Type, f.Data)
		}
		text := "null"
		if !v.IsNull() {
			text = typeio.Text(p.Type, v, typeio.Default)
		}
		names, vals = append(names, m.keyName(i)), append(vals, text)
	}
	dup.Columns, dup.Values = strings.Join(names, ", "), strings.Join(vals, ", ")
	return dup
}

func (m *maintainer) keyName(i int) string {
	if m.cols[i] != nil {
		return m.cols[i].Name
	}
	return m.x.Keys[i].Expr
}

// Remove implements index.Maintainer.
func (m *maintainer) Remove(ctx context.Context, w index.Writer, row index.Row, d doc.Doc) error {
	e, ok, err := m.entry(ctx, row, d)
	if err != nil || !ok {
		return err
	}
	return m.drop(ctx, w, e)
}

// drop removes an entry. In a unique index its key stays locked, because whoever takes it must wait to see whether this transaction
// commits.
func (m *maintainer) drop(ctx context.Context, w index.Writer, e entry) error {
	if e.alone || e.claims > 0 {
		if err := w.Claim(ctx, e.key[:cmp.Or(e.claims, len(e.key))]); err != nil {
			return err
		}
	}
	w.Delete(e.key)
	return nil
}

// Update implements index.Updater.
func (m *maintainer) Update(ctx context.Context, w index.Writer, before, after index.Row, old, new doc.Doc) error {
	was, had, err := m.entry(ctx, before, old)
	if err != nil {
		return err
	}
	is, has, err := m.entry(ctx, after, new)
	if err != nil {
		return err
	}
	if had && has && bytes.Equal(was.key, is.key) {
		if !bytes.Equal(was.value, is.value) {
			w.Put(is.key, is.value, kv.NoStamp)
		}
		return nil
	}
	if had {
		if err := m.drop(ctx, w, was); err != nil {
			return err
		}
	}
	if has {
		return m.put(ctx, w, before, after, new, is)
	}
	return nil
}

// Entries implements index.Builder.
func (m *maintainer) Entries(ctx context.Context, row index.Row, d doc.Doc, emit func(k, v []byte) error) error {
	e, ok, err := m.entry(ctx, row, d)
	if err != nil || !ok {
		return err
	}
	return emit(e.key, e.value)
}

// RowKey implements index.Reader.
func (m *maintainer) RowKey(k, v []byte) ([]byte, error) {
	if len(v) < 2 {
		return nil, damaged(k)
	}
	n := kv.PrefixLen + componentsLen(v)
	switch {
	case n < len(k):
		return k[n:], nil
	case n > len(k) || len(v) < 4:
		return nil, damaged(k)
	}
	if n = 4 + int(binary.BigEndian.Uint16(v[2:])); n > len(v) {
		return nil, damaged(k)
	}
	return v[4:n], nil
}

func damaged(k []byte) error {
	return dberr.New(dberr.IndexCorrupted, "the index entry %x is damaged", k)
}
