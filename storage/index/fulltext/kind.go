package fulltext

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/index"
	"github.com/omgdb/omgdb/storage/index/postings"
	"github.com/omgdb/omgdb/storage/key"
	"github.com/omgdb/omgdb/storage/kv"
)

// Method is the method of full-text indexes: CREATE INDEX … USING fulltext (column or path, …) WITH (language, k1, b).
const Method = "fulltext"

// Kind makes full-text indexes. It holds what an open store keeps of them in memory.
type Kind struct {
	mu     sync.Mutex
	caches map[uint64]*postings.Cache // by storage id
}

// NewKind makes the kind for one open store.
func NewKind() *Kind { return &Kind{caches: map[uint64]*postings.Cache{}} }

// Index is a full-text index. It implements index.Updater, Bulk, Gatherer and Verified.
type Index struct {
	Analyzer *Analyzer
	Params   Params
	Fields   []Field
	paths    []doc.Path
	store    postings.Store
	cache    *postings.Cache
	pool     sync.Pool // of *terms
}

// Field is where a text stands in a stored document: keys from the outside in.
type Field []string

// Open implements index.Kind. An index over something other than columns and paths, or of some rows only, is 0A000; bad options are
// 22023.
func (k *Kind) Open(rel *catalog.Relation, x *catalog.Index) (index.Maintainer, error) {
	ix := &Index{Params: DefaultParams, store: postings.Store{ID: x.Storage, Hidden: index.OrdinalsOf(rel, x).Hidden(), Positions: true}}
	if x.Where != "" {
		return nil, dberr.New(dberr.FeatureNotSupported, "a full-text index is over all rows").WithHint("Leave WHERE out; searches take a filter.")
	}
	var err error
	if ix.Fields, err = Fields(rel, x); err != nil {
		return nil, err
	}
	for _, f := range ix.Fields {
		ix.paths = append(ix.paths, doc.Keys(f...))
	}
	if err := ix.options(x.Given()); err != nil {
		return nil, err
	}
	ix.pool.New = func() any { return newTerms(ix.Analyzer) }
	ix.cache = k.cache(x.Storage)
	return ix, nil
}

// maxCaches bounds what is remembered of indexes, most of which are gone when there are so many.
const maxCaches = 256

func (k *Kind) cache(storage uint64) *postings.Cache {
	k.mu.Lock()
	defer k.mu.Unlock()
	c := k.caches[storage]
	if c == nil {
		if len(k.caches) >= maxCaches {
			clear(k.caches)
		}
		c = &postings.Cache{}
		k.caches[storage] = c
	}
	return c
}

// Fields gives the fields of a full-text index, from the catalog alone.
func Fields(rel *catalog.Relation, x *catalog.Index) ([]Field, error) {
	var out []Field
	for _, k := range x.Keys {
		f := Field(slices.Clone(k.Path))
		if k.Col != 0 && (rel.Kind != catalog.Collection || k.Col == 1) {
			f = Field{rel.Attr(k.Col).Field}
		}
		if len(f) == 0 {
			return nil, dberr.New(dberr.FeatureNotSupported, "a full-text index is over columns and fields of documents").
				WithHint("Write USING fulltext ((doc->>'title'), (doc->>'body')); several fields are searched as one text.")
		}
		out = append(out, f)
	}
	return out, nil
}

func (ix *Index) options(given map[string]string) error {
	language := ""
	for name, text := range given {
		switch strings.ToLower(name) {
		case "language":
			language = text
		case "k1", "b":
			n, err := strconv.ParseFloat(text, 64)
			if limit := map[string]float64{"k1": 100, "b": 1}[name]; err != nil || !(n >= 0 && n <= limit) {
				return dberr.New(dberr.InvalidParameterValue, "invalid value for option \"%s\": \"%s\"", name, text).
					WithDetail("Valid values are between \"0\" and \"%g\".", limit)
			}
			if name == "b" {
				ix.Params.B = n
			} else {
				ix.Params.K1 = n
			}
		default:
			return dberr.New(dberr.InvalidParameterValue, "unrecognized parameter \"%s\"", name).WithHint("A full-text index takes language, k1 and b.")
		}
	}
	var err error
	ix.Analyzer, err = NewAnalyzer(language)
	return err
}

// Language gives the language of a full-text index, from the catalog alone.
func Language(x *catalog.Index) string {
	if l := strings.ToLower(x.Given()["language"]); l != "" {
		return l
	}
	return "english"
}

func (ix *Index) write(w index.Writer, row index.Row, text string, has bool) error {
	if err := postings.CheckOrdinal(row.Ordinal); err != nil {
		return err
	}
	k := key.AppendDelta(nil, key.FullText, ix.store.ID, key.Unstamped, row.Ordinal)
	if !has {
		w.Put(k, postings.AppendDelta(nil, nil, nil), kv.NoStamp)
		return nil
	}
	t := ix.pool.Get().(*terms)
	w.Put(k, postings.AppendDelta(nil, row.Key, t.of(text)), kv.NoStamp)
	ix.pool.Put(t)
	return nil
}

// Insert implements index.Maintainer.
func (ix *Index) Insert(_ context.Context, w index.Writer, row index.Row, d doc.Doc) error {
	text, has := Text(d, ix.paths)
	if !has {
		return nil
	}
	return ix.write(w, row, text, true)
}

// Remove implements index.Maintainer.
func (ix *Index) Remove(_ context.Context, w index.Writer, row index.Row, d doc.Doc) error {
	if _, has := Text(d, ix.paths); !has {
		return nil
	}
	return ix.write(w, row, "", false)
}

// Update implements index.Updater.
func (ix *Index) Update(_ context.Context, w index.Writer, before, after index.Row, old, new doc.Doc) error {
	was, had := Text(old, ix.paths)
	text, has := Text(new, ix.paths)
	if had == has && was == text && bytes.Equal(before.Key, after.Key) || !had && !has {
		return nil
	}
	return ix.write(w, after, text, has)
}

// Loader implements index.Bulk.
func (ix *Index) Loader(emit func(key, value []byte) error) index.Loader {
	return &loader{ix, postings.NewLoad(ix.store, emit), newTerms(ix.Analyzer)}
}

type loader struct {
	ix *Index
	*postings.Load
	terms *terms
}

// Add implements index.Loader.
func (l *loader) Add(_ context.Context, row index.Row, d doc.Doc) error {
	text, has := Text(d, l.ix.paths)
	if !has {
		return nil
	}
	return l.Load.Add(row, l.terms.of(text))
}

// Gather implements index.Gatherer.
func (ix *Index) Gather(ctx context.Context, v index.View, apply func(ops []kv.Op) error) (again bool, err error) {
	return postings.Gather(ctx, ix.store, v, apply)
}

// Verify implements index.Verified.
func (ix *Index) Verify(ctx context.Context, v index.View) (index.Verifier, error) {
	c, err := postings.NewCheck(ctx, ix.store, v)
	return &verifier{c, ix, newTerms(ix.Analyzer)}, err
}

type verifier struct {
	*postings.Check
	ix    *Index
	terms *terms
}

// Row implements index.Verifier.
func (c *verifier) Row(ctx context.Context, row index.Row, d doc.Doc) error {
	text, has := Text(d, c.ix.paths)
	if !has {
		return nil
	}
	return c.Check.Row(row, c.terms.of(text))
}
