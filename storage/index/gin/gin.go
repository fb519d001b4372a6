// Package gin is the index over the lexemes of tsvectors: CREATE INDEX … USING gin (to_tsvector('english', body)). It keeps which rows
// have which lexemes, without their positions; a tsquery is looked up in it and checked again on the rows that it leads to.
package gin

import (
	"bytes"
	"context"
	"slices"
	"sync"

	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/index"
	"github.com/omgdb/omgdb/storage/index/declared"
	"github.com/omgdb/omgdb/storage/index/postings"
	"github.com/omgdb/omgdb/storage/key"
	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// Method is the method of these indexes.
const Method = "gin"

// Kind makes them. It holds what an open store keeps of them in memory.
type Kind struct {
	expressions index.Expressions
	mu          sync.Mutex
	caches      map[uint64]*postings.Cache // by storage id
}

// NewKind makes the kind for one open store.
func NewKind(x index.Expressions) *Kind {
	return &Kind{expressions: x, caches: map[uint64]*postings.Cache{}}
}

// Index is one of them. It implements index.Updater, Bulk, Gatherer and Verified.
type Index struct {
	eval  index.Evaluator
	store postings.Store
	cache *postings.Cache
}

// Open implements index.Kind. An index over something other than one tsvector is only declared.
func (k *Kind) Open(rel *catalog.Relation, x *catalog.Index) (index.Maintainer, error) {
	if len(x.Keys) != 1 || x.Keys[0].Type == nil || typeio.Base(x.Keys[0].Type).OID != value.TSVector.OID {
		return declared.Kind{}.Open(rel, x)
	}
	if k.expressions == nil {
		return nil, dberr.New(dberr.FeatureNotSupported, "index \"%s\" is over an expression, which nobody here can compute", x.Name)
	}
	eval, err := k.expressions.Compile(rel, x)
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	c := k.caches[x.Storage]
	if c == nil {
		c = &postings.Cache{}
		k.caches[x.Storage] = c
	}
	return &Index{eval, postings.Store{ID: x.Storage, Hidden: index.OrdinalsOf(rel, x).Hidden()}, c}, nil
}

// once is the position of a lexeme.
var once = []int32{0}

// document gives a row's lexemes; nil for a row that the index doesn't have.
func (ix *Index) document(ctx context.Context, d doc.Doc) (*postings.Doc, error) {
	if ok, err := ix.eval.Holds(ctx, d); !ok || err != nil {
		return nil, err
	}
	vals, err := ix.eval.Keys(ctx, d, nil)
	if err != nil || vals[0].IsNull() {
		return nil, err
	}
	list := typeio.TSV(vals[0]).Lexemes
	out := &postings.Doc{Length: len(list), Terms: make([]postings.Term, len(list))}
	for i, l := range list {
		out.Terms[i] = postings.Term{Text: l.Text, Positions: once}
	}
	return out, nil
}

func (ix *Index) write(w index.Writer, row index.Row, d *postings.Doc) error {
	if err := postings.CheckOrdinal(row.Ordinal); err != nil {
		return err
	}
	w.Put(key.AppendDelta(nil, key.FullText, ix.store.ID, key.Unstamped, row.Ordinal), postings.AppendDelta(nil, row.Key, d), kv.NoStamp)
	return nil
}

// Insert implements index.Maintainer.
func (ix *Index) Insert(ctx context.Context, w index.Writer, row index.Row, d doc.Doc) error {
	p, err := ix.document(ctx, d)
	if p == nil || err != nil {
		return err
	}
	return ix.write(w, row, p)
}

// Remove implements index.Maintainer.
func (ix *Index) Remove(ctx context.Context, w index.Writer, row index.Row, d doc.Doc) error {
	p, err := ix.document(ctx, d)
	if p == nil || err != nil {
		return err
	}
	return ix.write(w, row, nil)
}

// Update implements index.Updater.
func (ix *Index) Update(ctx context.Context, w index.Writer, before, after index.Row, old, new doc.Doc) error {
	was, err := ix.document(ctx, old)
	if err != nil {
		return err
	}
	now, err := ix.document(ctx, new)
	if err != nil {
		return err
	}
	same := bytes.Equal(before.Key, after.Key) && was != nil && now != nil &&
		slices.EqualFunc(was.Terms, now.Terms, func(a, b postings.Term) bool { return a.Text == b.Text })
	if same || was == nil && now == nil {
		return nil
	}
	return ix.write(w, after, now)
}

// Loader implements index.Bulk.
func (ix *Index) Loader(emit func(key, value []byte) error) index.Loader {
	return &loader{ix, postings.NewLoad(ix.store, emit)}
}

type loader struct {
	ix *Index
	*postings.Load
}

// Add implements index.Loader.
func (l *loader) Add(ctx context.Context, row index.Row, d doc.Doc) error {
	p, err := l.ix.document(ctx, d)
	if p == nil || err != nil {
		return err
	}
	return l.Load.Add(row, p)
}

// Gather implements index.Gatherer.
func (ix *Index) Gather(ctx context.Context, v index.View, apply func(ops []kv.Op) error) (again bool, err error) {
	return postings.Gather(ctx, ix.store, v, apply)
}

// Verify implements index.Verified.
func (ix *Index) Verify(ctx context.Context, v index.View) (index.Verifier, error) {
	c, err := postings.NewCheck(ctx, ix.store, v)
	return &verifier{c, ix}, err
}

type verifier struct {
	*postings.Check
	ix *Index
}

// Row implements index.Verifier.
func (c *verifier) Row(ctx context.Context, row index.Row, d doc.Doc) error {
	p, err := c.ix.document(ctx, d)
	if p == nil || err != nil {
		return err
	}
	return c.Check.Row(row, p)
}
