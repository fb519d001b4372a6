package vector

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"strings"
	"sync"

	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/index"
	"github.com/omgdb/omgdb/storage/key"
	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// An index keeps a code of each row's vector: one bit an element and a few numbers, from which distances are estimated with a known
// error. A search estimates all of them, and whoever searches computes the distance of those that may be among the nearest.
//
// Its keys in the keyspace Vector, behind its storage id:
//
//	header                 metric, dimensions, center; the LSN up to which deltas are gathered
//	block number (8)       the codes and row keys of 1,024 ordinals
//	kept, mixed            of an index over texts, see kept.go
//	delta                  the code and the row key of a row that a commit wrote, or nothing for one that it removed (see key.AppendDelta)
//
// A row that is known by its ordinal has no key there. Earlier versions kept row keys in the keyspace Ordinal; those that they wrote stay
// there until their rows change or their blocks are written again.
const (
	headerTag = 0x02
	blockTag  = 0x03
)

// Embedder makes vectors of texts.
type Embedder interface {
	ModelID() string
	Dim() int
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// EmbedderOption is the option of an index over text that names the embedder of its vectors.
const EmbedderOption = "embedder"

// PackedOption is the option of an index over the vectors that documents of a collection hold packed (doc.SubtypeVector) at its key's path.
// Documents that have none there, or one of other dimensions, are not in the index.
const PackedOption = "packed"

// Kind makes vector indexes. Expressions may be nil in a store that has no index over expressions, Embedders in one that has none over
// texts.
type Kind struct {
	Expressions index.Expressions
	Embedders   func(name string) (Embedder, error)

	mu     sync.Mutex
	params map[uint64]*params // by storage id, of committed indexes and such as are being built
}

// Open implements index.Kind.
func (k *Kind) Open(rel *catalog.Relation, x *catalog.Index) (index.Maintainer, error) {
	m := &Index{kind: k, x: x, ordinals: index.OrdinalsOf(rel, x), metric: MetricOf(x), header: headerKey(x.Storage)}
	part := x.Keys[0]
	m.typ, m.dims = part.Type, int(part.Mod)
	if part.Col != 0 {
		m.col = rel.Attr(part.Col)
		m.typ = m.col.Type
	}
	m.typ = typeio.Base(m.typ)
	if name := x.Options[EmbedderOption]; name != "" {
		return m, m.overText(rel, name)
	}
	if x.Options[PackedOption] != "" {
		if m.field, m.packed = part.Path, true; rel.Kind != catalog.Collection || len(m.field) == 0 || x.Where != "" || m.metric == 0 {
			return nil, dberr.New(dberr.FeatureNotSupported, "a vector index over packed vectors is over one field of all documents of a collection")
		}
		return m, nil
	}
	if x.Where == "" && m.col != nil && rel.Kind != catalog.Collection {
		return m, nil
	}
	if k.Expressions == nil {
		return nil, dberr.New(dberr.FeatureNotSupported, "index \"%s\" is over an expression, which nobody here can compute", x.Name)
	}
	var err error
	m.eval, err = k.Expressions.Compile(rel, x)
	return m, err
}

// overText makes the index one over the strings at a field.
func (m *Index) overText(rel *catalog.Relation, embedder string) (err error) {
	if m.field = TextField(rel, m.x); m.field == nil || m.x.Where != "" {
		return dberr.New(dberr.FeatureNotSupported, "a vector index with an embedder is over a column or one field of all documents").
			WithHint("Write USING vector ((doc->>'text')) WITH (embedder = 'static').")
	}
	if m.kind.Embedders == nil {
		return dberr.New(dberr.FeatureNotSupported, "index \"%s\" is over texts, which nobody here can embed", m.x.Name)
	}
	m.metric = ByCosine
	if m.embedder, err = m.kind.Embedders(embedder); err == nil {
		m.dims = m.embedder.Dim()
	}
	return err
}

// TextField is the path in stored rows of the field that an index with an embedder is over, nil for another index.
func TextField(rel *catalog.Relation, x *catalog.Index) []string {
	k := x.Keys[0]
	switch {
	case x.Options[EmbedderOption] == "":
		return nil
	case k.Col != 0 && rel.Kind != catalog.Collection:
		return []string{rel.Attr(k.Col).Field}
	}
	return k.Path
}

// embed gives the vector of the text at the field, nil when there is no string.
func (m *Index) embed(ctx context.Context, d doc.Doc) ([]float32, error) {
	text, ok := d.Walk(doc.Keys(m.field...)).StringBytes()
	if !ok {
		return nil, nil
	}
	v, err := m.embedder.Embed(ctx, []string{string(text)})
	if err != nil {
		return nil, err
	}
	return v[0], nil
}

// MetricOf is the metric of an index's operator class, 0 for one whose distances are not estimated: such an index holds no codes.
func MetricOf(x *catalog.Index) Metric {
	class := strings.TrimPrefix(x.Keys[0].OpClass, "public.")
	if !strings.HasPrefix(class, "vector_") && !strings.HasPrefix(class, "halfvec_") {
		return 0
	}
	switch {
	case strings.HasSuffix(class, "_l2_ops"):
		return ByL2
	case strings.HasSuffix(class, "_cosine_ops"):
		return ByCosine
	case strings.HasSuffix(class, "_ip_ops"):
		return ByIP
	}
	return 0
}

// Index is an open vector index. It is safe for concurrent use.
type Index struct {
	kind     *Kind
	x        *catalog.Index
	ordinals index.Ordinals
	metric   Metric
	typ      *value.Type
	dims     int
	col      *catalog.Column // nil: the key is an expression
	eval     index.Evaluator // nil: the key is a column and every row is indexed
	embedder Embedder        // of an index over texts
	packed   bool            // it is over packed vectors
	field    []string        // of an index over texts or packed vectors
	header   []byte
}

func headerKey(storage uint64) []byte {
	return append(key.AppendPrefix(nil, key.Vector, storage), headerTag)
}

func blockKey(storage, n uint64) []byte {
	return binary.BigEndian.AppendUint64(append(key.AppendPrefix(nil, key.Vector, storage), blockTag), n)
}

func blockRange(storage uint64) kv.Range {
	return key.Between(key.Vector, storage, []byte{blockTag}, []byte{blockTag + 1})
}

// vector gives the row's vector; nil when it has none and is not in the index.
func (m *Index) vector(ctx context.Context, d doc.Doc) ([]float32, error) {
	if m.metric == 0 {
		return nil, nil
	}
	if m.embedder != nil {
		return m.embed(ctx, d)
	}
	if m.packed {
		sub, b, ok := d.Walk(doc.Keys(m.field...)).Binary()
		if !ok || sub != doc.SubtypeVector || len(b) != 4*m.dims {
			return nil, nil
		}
		return Floats(b), nil
	}
	if m.eval == nil {
		x, err := Stored(m.typ, d.Lookup(m.col.Field))
		if err != nil || x == nil {
			return nil, err
		}
		return x, typeio.CheckVectorMod(int32(m.dims), len(x))
	}
	if ok, err := m.eval.Holds(ctx, d); !ok || err != nil {
		return nil, err
	}
	vals, err := m.eval.Keys(ctx, d, nil)
	if err != nil || vals[0].IsNull() {
		return nil, err
	}
	x := unpack(m.typ, vals[0])
	return x, typeio.CheckVectorMod(int32(m.dims), len(x))
}

// Vector gives the vector of a row; nil when it has none. It may lie in the document.
func (m *Index) Vector(ctx context.Context, d doc.Doc) ([]float32, error) { return m.vector(ctx, d) }

// Stored gives a stored vector or halfvec, nil for none. A vector may lie where it is stored.
func Stored(t *value.Type, stored doc.Value) ([]float32, error) {
	if stored.Missing() || stored.IsNull() {
		return nil, nil
	}
	v, err := typeio.FromBSON(t, stored.Type, stored.Data)
	if err != nil {
		return nil, err
	}
	return unpack(t, v), nil
}

// unpack gives a vector's elements, where they lie if they are float32.
func unpack(t *value.Type, v value.Value) []float32 {
	if t.OID == value.HalfVec.OID {
		return typeio.UnpackHalf(v)
	}
	return Floats(v.Bytes())
}

// delta gives the key of what the transaction itself says of a row.
func (m *Index) delta(ordinal uint64) []byte {
	return key.AppendDelta(nil, key.Vector, m.x.Storage, key.Unstamped, ordinal)
}

// Insert implements index.Maintainer.
func (m *Index) Insert(ctx context.Context, w index.Writer, row index.Row, d doc.Doc) error {
	x, err := m.vector(ctx, d)
	if err != nil || x == nil {
		return err
	}
	return m.put(ctx, w, row, x)
}

func (m *Index) put(ctx context.Context, w index.Writer, row index.Row, x []float32) error {
	p, err := m.parameters(ctx, w)
	if err != nil {
		return err
	}
	code := make([]byte, 0, p.codeLen())
	if p.model == m.modelID() {
		code = p.encoder().append(code, x)
	} else {
		code = append(appendFactors(code, zeroCode, 0, 0, 0), make([]byte, 8*p.words())...) // nobody searches it
	}
	if !m.ordinals.Hidden() {
		code = append(code, row.Key...)
	}
	w.Put(m.delta(row.Ordinal), code, kv.NoStamp)
	if m.embedder != nil {
		return m.keep(ctx, w, p, row.Ordinal, x)
	}
	return nil
}

// Remove implements index.Maintainer.
func (m *Index) Remove(ctx context.Context, w index.Writer, row index.Row, d doc.Doc) error {
	if has, err := m.has(ctx, d); err != nil || !has {
		return err
	}
	w.Put(m.delta(row.Ordinal), []byte{}, kv.NoStamp)
	if m.embedder != nil {
		w.Delete(keptKey(m.x.Storage, row.Ordinal))
	}
	return nil
}

// has tells whether a row is in the index.
func (m *Index) has(ctx context.Context, d doc.Doc) (bool, error) {
	if m.embedder != nil && m.metric != 0 {
		_, ok := d.Walk(doc.Keys(m.field...)).StringBytes()
		return ok, nil
	}
	x, err := m.vector(ctx, d)
	return x != nil, err
}

// Update implements index.Updater.
func (m *Index) Update(ctx context.Context, w index.Writer, before, after index.Row, old, new doc.Doc) error {
	if m.embedder != nil && before.Ordinal == after.Ordinal {
		a, had := old.Walk(doc.Keys(m.field...)).StringBytes()
		if b, has := new.Walk(doc.Keys(m.field...)).StringBytes(); had && has && bytes.Equal(a, b) {
			return m.rename(ctx, w, before, after, new) // no model is asked
		}
	}
	was, err := m.vector(ctx, old)
	if err != nil {
		return err
	}
	is, err := m.vector(ctx, new)
	if err != nil {
		return err
	}
	switch {
	case was == nil && is == nil:
		return nil
	case was == nil:
		return m.Insert(ctx, w, after, new)
	case is == nil || before.Ordinal != after.Ordinal:
		if err := m.Remove(ctx, w, before, old); err != nil || is == nil {
			return err
		}
		return m.Insert(ctx, w, after, new)
	}
	if same(was, is) && bytes.Equal(before.Key, after.Key) {
		return nil
	}
	return m.put(ctx, w, after, is)
}

// rename follows a row to another key; mostly there is nothing to do.
func (m *Index) rename(ctx context.Context, w index.Writer, before, after index.Row, d doc.Doc) error {
	if bytes.Equal(before.Key, after.Key) {
		return nil
	}
	x, err := m.vector(ctx, d)
	if err != nil {
		return err
	}
	return m.put(ctx, w, after, x)
}

func same(a, b []float32) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if math.Float32bits(a[i]) != math.Float32bits(b[i]) {
			return false
		}
	}
	return true
}

// getter reads a key: a Writer or a View.
type getter interface {
	Get(ctx context.Context, key []byte) ([]byte, error)
}

// parameters gives what the codes have in common, from memory after the first time.
func (m *Index) parameters(ctx context.Context, g getter) (*params, error) {
	m.kind.mu.Lock()
	p := m.kind.params[m.x.Storage]
	m.kind.mu.Unlock()
	if p != nil {
		return p, nil
	}
	p, _, err := m.state(ctx, g)
	return p, err
}

// state reads the parameters and up to where deltas are gathered. An index that was never built over rows, such as one after TRUNCATE,
// has no header before it is gathered first.
func (m *Index) state(ctx context.Context, g getter) (p *params, gathered kv.LSN, err error) {
	h, err := g.Get(ctx, m.header)
	if err != nil {
		return nil, 0, err
	}
	if h == nil {
		p = m.newParams(nil)
		p.unwritten = true
	} else if p, gathered, err = m.readHeader(h); err != nil {
		return nil, 0, err
	}
	m.remember(p)
	return p, gathered, nil
}

// remember keeps the parameters of the index. Those of dropped ones go when there are many.
func (m *Index) remember(p *params) {
	const most = 256
	m.kind.mu.Lock()
	defer m.kind.mu.Unlock()
	if m.kind.params == nil || len(m.kind.params) >= most {
		m.kind.params = map[uint64]*params{}
	}
	m.kind.params[m.x.Storage] = p
}

// Versions of a header: that of an index over texts names the model.
const (
	headerPlain = 1
	headerModel = 2
)

// appendHeader writes a header: version, metric, dimensions (4), the LSN gathered up to (8), the model's length (2) and the model if it has
// one, then the center's elements.
func appendHeader(p *params, gathered kv.LSN) []byte {
	b := []byte{headerPlain, byte(p.metric)}
	b = binary.BigEndian.AppendUint32(b, uint32(p.dims))
	b = binary.BigEndian.AppendUint64(b, uint64(gathered))
	if p.model != "" {
		b[0] = headerModel
		b = append(binary.BigEndian.AppendUint16(b, uint16(len(p.model))), p.model...)
	}
	return appendVector(b, p.center)
}

const headerLen = 14

func (m *Index) readHeader(h []byte) (*params, kv.LSN, error) {
	if len(h) < headerLen {
		return nil, 0, damaged("header")
	}
	if h[0] != headerPlain && h[0] != headerModel {
		return nil, 0, dberr.New(dberr.FeatureNotSupported, "a vector index has the format %d, which this version does not know", h[0]).
			WithHint("Build the index again with REINDEX.")
	}
	gathered := kv.LSN(binary.BigEndian.Uint64(h[6:]))
	m.kind.mu.Lock()
	p := m.kind.params[m.x.Storage]
	m.kind.mu.Unlock()
	if p != nil {
		return p, gathered, nil
	}
	p = &params{metric: Metric(h[1]), dims: int(binary.BigEndian.Uint32(h[2:]))}
	rest := h[headerLen:]
	if h[0] == headerModel {
		if len(rest) < 2 || len(rest)-2 < int(binary.BigEndian.Uint16(rest)) {
			return nil, 0, damaged("header")
		}
		n := 2 + int(binary.BigEndian.Uint16(rest))
		p.model, rest = string(rest[2:n]), rest[n:]
	}
	p.center = Floats(bytes.Clone(rest))
	if p.dims != m.dims && p.model == m.modelID() || p.metric != m.metric || len(p.center) != 0 && len(p.center) != p.dims {
		return nil, 0, damaged("header")
	}
	p.rot = newRotation(p.dims)
	return p, gathered, nil
}

// modelID names the model of an index over texts.
func (m *Index) modelID() string {
	if m.embedder == nil {
		return ""
	}
	return m.embedder.ModelID()
}
