package storage

import (
	"math"
	"strconv"

	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/index/vector"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// projection fills the columns of a scan's batches: one pass over each document takes out all that the columns want.
type projection struct {
	rel    *catalog.Relation
	spec   []ScanCol
	schema value.Schema
	cols   []*value.Column
	slots  []int // of each column in vals, -1 for none
	paths  *doc.Projector
	vals   []doc.Value
	room   arena
	named  *renamer // shows a table's row by column names; nil when the fields have them
}

// colTypes are the types of the columns that are no fields.
var colTypes = [...]*value.Type{
	ColID: value.Text, ColDoc: value.JSONB, ColPathJSON: value.JSONB, ColPathText: value.Text,
	ColRowKey: value.Bytea, ColSketch: value.Bytea, ColOrdinal: value.Int8, ColLSN: value.Int8, ColRaw: value.Bytea,
}

func newProjection(rel *catalog.Relation, spec []ScanCol) *projection {
	p := &projection{rel: rel, spec: spec, cols: make([]*value.Column, len(spec)), slots: make([]int, len(spec))}
	var paths []doc.Path
	for i := range spec {
		c := &spec[i]
		f := value.Field{Name: c.Name, Type: c.Type, Mod: c.Mod}
		if c.Kind != ColField {
			f.Type, f.Mod = colTypes[c.Kind], -1
		}
		p.schema = append(p.schema, f)
		p.cols[i] = value.NewColumn(f.Type, 0)
		p.slots[i] = -1
		var path doc.Path
		switch {
		case c.Kind == ColField, c.Kind == ColSketch && c.VectorOf == nil:
			path = doc.Keys(c.Field)
		case c.Kind == ColPathJSON, c.Kind == ColPathText:
			path = c.Path
		case c.Kind == ColID && rel.Kind == catalog.Collection:
			path = doc.Keys(idField)
		default:
			continue
		}
		p.slots[i] = len(paths)
		paths = append(paths, path)
	}
	if len(paths) > 0 {
		p.paths, p.vals = doc.NewProjector(paths...), make([]doc.Value, len(paths))
	}
	p.named = newRenamer(rel)
	return p
}

// begin empties the columns for the next batch.
func (p *projection) begin() {
	for _, c := range p.cols {
		c.Reset()
	}
}

// add appends a row to every column.
func (p *projection) add(rowKey RowKey, v []byte) error {
	d := rowDoc(v)
	if p.paths != nil {
		p.paths.Project(d, p.vals)
	}
	for i := range p.spec {
		if err := p.addColumn(i, rowKey, v, d); err != nil {
			return err
		}
	}
	return nil
}

func (p *projection) addColumn(i int, rowKey RowKey, v []byte, d doc.Doc) error {
	c := p.cols[i]
	switch p.spec[i].Kind {
	case ColField:
		x := p.vals[p.slots[i]]
		if c.Type.OID == value.JSONB.OID {
			p.addJSONB(c, x)
			return nil
		}
		return typeio.DecodeInto(c, x.Type, x.Data)
	case ColID:
		return p.addID(c, i, rowKey, v, d)
	case ColDoc:
		if p.named != nil {
			d = p.named.show(d)
		}
		p.addJSONB(c, d.Value())
	case ColPathJSON:
		p.addJSONB(c, p.vals[p.slots[i]])
	case ColPathText:
		p.addText(c, p.vals[p.slots[i]])
	case ColRowKey:
		addString(c, p.room.copy(rowKey))
	case ColSketch:
		if of := p.spec[i].VectorOf; of != nil {
			x, err := of(d)
			return p.addSketch(c, x, err)
		}
		x, err := vector.Stored(p.spec[i].Type, p.vals[p.slots[i]])
		return p.addSketch(c, x, err)
	case ColOrdinal:
		addInt(c, int64(rowOrdinal(v)))
	case ColLSN:
		addInt(c, int64(min(uint64(rowLSN(v)), math.MaxInt64)))
	case ColRaw:
		addString(c, d)
	}
	return nil
}

func (p *projection) addJSONB(c *value.Column, x doc.Value) {
	if x.Missing() {
		c.AppendNull()
		return
	}
	b := p.room.take(1 + len(x.Data))
	b[0] = x.Type
	copy(b[1:], x.Data)
	addString(c, b)
}

func (p *projection) addText(c *value.Column, x doc.Value) {
	if x.Type == doc.TypeString {
		s, _ := x.StringBytes()
		addString(c, s)
		return
	}
	if b, ok := x.AppendText(p.room.open()); ok {
		addString(c, p.room.close(b))
	} else {
		c.AppendNull()
	}
}

// addID adds a document's _id as text, or a row's key: of several columns as a JSON array, a hidden one as its ordinal.
func (p *projection) addID(c *value.Column, i int, rowKey RowKey, v []byte, d doc.Doc) error {
	if p.slots[i] >= 0 {
		id := p.vals[p.slots[i]]
		if id.Type == doc.TypeString {
			s, _ := id.StringBytes()
			addString(c, s)
		} else {
			addString(c, p.room.close(doc.AppendIDText(p.room.open(), id)))
		}
		return nil
	}
	if len(p.rel.PrimaryKey) == 0 {
		addString(c, p.room.close(strconv.AppendUint(p.room.open(), rowOrdinal(v), 10)))
		return nil
	}
	b, err := appendRowID(p.room.open(), p.rel, d)
	addString(c, p.room.close(b))
	return err
}

// appendRowID appends the text of a table row's primary key.
func appendRowID(dst []byte, rel *catalog.Relation, d doc.Doc) ([]byte, error) {
	many := len(rel.PrimaryKey) > 1
	if many {
		dst = append(dst, '[')
	}
	for n, num := range rel.PrimaryKey {
		col := rel.Attr(num)
		x := d.Lookup(col.Field)
		if many {
			if n > 0 {
				dst = append(dst, ',')
			}
			dst = x.AppendCanonical(dst)
			continue
		}
		v, err := typeio.FromBSON(col.Type, x.Type, x.Data)
		if err != nil {
			return dst, err
		}
		dst = typeio.Append(dst, col.Type, v, typeio.Default)
	}
	if many {
		dst = append(dst, ']')
	}
	return dst, nil
}

func addString(c *value.Column, b []byte) {
	c.Strs = append(c.Strs, value.Bytes(b).Str())
	notNull(c)
}

func addInt(c *value.Column, n int64) {
	c.Ints = append(c.Ints, n)
	notNull(c)
}

func notNull(c *value.Column) {
	if len(c.Nulls) > 0 {
		c.Nulls = append(c.Nulls, false)
	}
}

// arena gives out bytes for strings of a scan's columns from chunks that live as long as any of the strings. Chunks grow with what has
// been asked for, so that a scan of one row takes no more than its row.
type arena struct {
	free []byte
	next int // size of the next chunk
}

const (
	firstChunk = 512
	arenaChunk = 64 << 10 // the largest
)

// refill makes room for at least n bytes, which are less than the largest chunk.
func (a *arena) refill(n int) {
	a.next = max(min(2*a.next, arenaChunk), firstChunk)
	a.free = make([]byte, max(a.next, n))
}

// take gives n bytes.
func (a *arena) take(n int) []byte {
	if n > len(a.free) {
		if n > arenaChunk/4 {
			return make([]byte, n)
		}
		a.refill(n)
	}
	b := a.free[:n:n]
	a.free = a.free[n:]
	return b
}

func (a *arena) copy(b []byte) []byte {
	out := a.take(len(b))
	copy(out, b)
	return out
}

// open gives an empty slice to append to; close takes what was appended as one string.
func (a *arena) open() []byte {
	if len(a.free) < 64 {
		a.refill(64)
	}
	return a.free[:0]
}

func (a *arena) close(b []byte) []byte {
	if len(b) > 0 && len(a.free) > 0 && &b[0] == &a.free[0] {
		a.free = a.free[len(b):]
	}
	return b[:len(b):len(b)]
}

// renamer shows the stored document of a table by the names of its columns, without dropped ones.
type renamer struct {
	names map[string]string // field → column, "" for a dropped one
}

// newRenamer gives nil when fields and columns have the same names.
func newRenamer(rel *catalog.Relation) *renamer {
	if rel.Kind == catalog.Collection {
		return nil
	}
	r := &renamer{names: map[string]string{}}
	differ := false
	for i := range rel.Columns {
		c := &rel.Columns[i]
		if c.Dropped {
			r.names[c.Field], differ = "", true
		} else if r.names[c.Field] = c.Name; c.Name != c.Field {
			differ = true
		}
	}
	if !differ {
		return nil
	}
	return r
}

func (r *renamer) show(d doc.Doc) doc.Doc {
	out, start := doc.BeginDocument(make([]byte, 0, len(d)+64))
	for it := d.Elements(); ; {
		k, v, ok := it.Next()
		if !ok {
			return doc.EndDocument(out, start)
		}
		if name, known := r.names[string(k)]; !known {
			out = doc.AppendElement(out, string(k), v)
		} else if name != "" {
			out = doc.AppendElement(out, name, v)
		}
	}
}
