package contextsvc

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/index/fulltext"
	"github.com/omgdb/omgdb/storage/value"
)

// nearest is how many files a semantic search gives, and most searches that are ranked rather than decided.
const nearest = 20

// query is one call of context_query.
type query struct {
	env           *functions.Env
	place         place
	text          string
	files, chunks *catalog.Relation
	any           bool // any word will do: the best files
	lines         bool
	limit         int // most matches; -1: as many as the mode gives
	analyzer      *fulltext.Analyzer
	words         fulltext.Query
	warning       string
}

// modes are the ways of searching by name: what each finds, best first.
var modes = map[string]func(q *query, ctx context.Context) ([]match, error){
	"lexical":  (*query).lexicalMode,
	"semantic": (*query).semanticMode,
	"hybrid":   (*query).hybridMode,
	"fused":    (*query).fusedMode,
}

func evalQuery(ctx context.Context, c *functions.Call, a []value.Value) (value.Value, error) {
	if a[0].IsNull() || a[1].IsNull() {
		return value.Null, nil
	}
	q, run, err := newQuery(c.Env, a)
	if err != nil {
		return value.Null, err
	}
	matches, err := run(q, ctx)
	if err != nil {
		return value.Null, err
	}
	out := answer{query: q.text, place: q.place, matches: matches, warning: q.warning}
	return out.json()
}

func newQuery(env *functions.Env, a []value.Value) (*query, func(*query, context.Context) ([]match, error), error) {
	q := &query{env: env, text: a[1].Str(), lines: a[4].Bool(), limit: -1}
	mode := "lexical"
	if !a[2].IsNull() {
		mode = a[2].Str()
	}
	run, ok := modes[mode]
	if !ok {
		names := slices.Sorted(maps.Keys(modes))
		return nil, nil, dberr.New(dberr.InvalidParameterValue, "unknown mode %q", mode).
			WithHint("Use one of: %s.", strings.Join(names, ", "))
	}
	switch match := a[3].Str(); {
	case a[3].IsNull() || match == "all":
	case match == "any":
		q.any = true
	default:
		return nil, nil, dberr.New(dberr.InvalidParameterValue, "unknown match %q", match).WithHint("Use all or any.")
	}
	if !a[5].IsNull() {
		if q.limit = int(a[5].Int()); q.limit < 0 {
			return nil, nil, dberr.New(dberr.InvalidParameterValue, "limit must not be negative")
		}
	}
	if err := q.open(a[0].Str()); err != nil {
		return nil, nil, err
	}
	q.parse(q.any || mode == "fused")
	return q, run, nil
}

// open finds the collections of the index.
func (q *query) open(dir string) error {
	var err error
	if q.place, err = placeOf(dir, q.env.DB.Path()); err != nil {
		return err
	}
	view := q.env.Txn.Catalog()
	q.files, q.chunks = view.Relation(schemaName, filesName), view.Relation(schemaName, chunksName)
	if q.files == nil || q.chunks == nil {
		return NotIndexed(q.place.dir)
	}
	if q.files.Kind != catalog.Collection || q.chunks.Kind != catalog.Collection {
		return dberr.New(dberr.WrongObjectType, "%s and %s are not the collections of an index", filesName, chunksName)
	}
	q.analyzer, err = fulltext.NewAnalyzer("code")
	return err
}

// NotIndexed is the error of a query in a directory without an index.
func NotIndexed(dir string) error {
	return dberr.New(dberr.UndefinedTable, "directory %q is not indexed", dir).WithHint("Run: omgdb index '%s'", dir)
}

func (q *query) parse(any bool) {
	if any {
		q.words = q.analyzer.ParseQuery(q.text)
	} else {
		q.words = q.analyzer.ParseAll(q.text)
	}
}

// most is the number of matches to give when the mode would give so many by itself.
func (q *query) most(mode int) int {
	if q.limit >= 0 {
		return q.limit
	}
	return mode
}

// all is most for modes that give everything.
const all = int(^uint(0) >> 1)

func (q *query) lexicalMode(ctx context.Context) ([]match, error) {
	most := -1
	if q.any {
		most = nearest
	}
	hits, err := q.lexical(ctx, q.most(most))
	if err != nil {
		return nil, err
	}
	out := lexicalMatches(hits)
	return out, q.quote(ctx, out)
}

func (q *query) semanticMode(ctx context.Context) ([]match, error) {
	near, err := q.semantic(ctx, q.most(nearest))
	if err != nil {
		return nil, err
	}
	return near, q.quote(ctx, near)
}

// hybridMode gives what the words find, and behind that the nearest files that they do not find.
func (q *query) hybridMode(ctx context.Context) ([]match, error) {
	hits, err := q.lexical(ctx, q.most(-1))
	if err != nil {
		return nil, err
	}
	near, err := q.semanticOrWarn(ctx, nearest)
	if err != nil {
		return nil, err
	}
	out := lexicalMatches(hits)
	found := make(map[string]bool, len(out))
	for _, m := range out {
		found[m.key] = true
	}
	for _, m := range near {
		if !found[m.key] {
			out = append(out, m)
		}
	}
	out = out[:min(len(out), q.most(all))]
	return out, q.quote(ctx, out)
}

// fusedDepth is how many of each side's best files take part in fusion.
const fusedDepth = 100

// fusedMode ranks files by their places on both sides (reciprocal rank fusion with k=60, Cormack, Clarke and Büttcher 2009).
func (q *query) fusedMode(ctx context.Context) ([]match, error) {
	hits, err := q.lexical(ctx, fusedDepth)
	if err != nil {
		return nil, err
	}
	near, err := q.semanticOrWarn(ctx, fusedDepth)
	if err != nil {
		return nil, err
	}
	out := fuse(lexicalMatches(hits), near)
	out = out[:min(len(out), q.most(nearest))]
	return out, q.quote(ctx, out)
}

// semanticOrWarn is semantic for modes that can do without: what is missing becomes a warning.
func (q *query) semanticOrWarn(ctx context.Context, n int) ([]match, error) {
	near, err := q.semantic(ctx, n)
	if e := dberr.As(err); e != nil && e.Code == dberr.ObjectNotInPrerequisiteState {
		q.warning = e.Message
		if q.warning == noVectors(q.place.dir).Message {
			q.warning = noVectorsWarning
		} else {
			q.warning += "; returning lexical results only."
		}
		return nil, nil
	}
	return near, err
}
