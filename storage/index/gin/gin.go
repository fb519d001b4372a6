// Package gin is the index over what values are made of: the lexemes of a tsvector, the members of a jsonb document, the elements of an
// array (CREATE INDEX … USING gin). It keeps which rows have which of these terms; a condition (@@, @>, ?, &&) is looked up in it by the
// terms that it demands, and checked again on the rows that it leads to.
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
	terms terms
	store postings.Store
	cache *postings.Cache
}

// Open implements index.Kind. An index over a key whose terms nobody knows is only declared.
func (k *Kind) Open(rel *catalog.Relation, x *catalog.Index) (index.Maintainer, error) {
	terms := termsOf(x)
	if terms == nil {
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
	return &Index{eval, terms, postings.Store{ID: x.Storage, Hidden: index.OrdinalsOf(rel, x).Hidden()}, c}, nil
}

// document gives a row's terms; nil for a row that the index doesn't have.
func (ix *Index) document(ctx context.Context, d doc.Doc) (*postings.Doc, error) {
	if ok, err := ix.eval.Holds(ctx, d); !ok || err != nil {
		return nil, err
	}
	vals, err := ix.eval.Keys(ctx, d, nil)
	if err != nil || vals[0].IsNull() {
		return nil, err
	}
	list := ix.terms.of(vals[0])
	return &postings.Doc{Length: len(list), Terms: list}, nil
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
