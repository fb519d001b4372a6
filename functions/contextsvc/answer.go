package contextsvc

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/value"
)

// The answers' texts. Users compare them word for word.
const (
	indexedMessage   = "Indexed %d files in '%s'"
	foundMessage     = "Found %d files matching '%s' in '%s'"
	noVectorsWarning = "No vector index found; returning lexical results only. Re-run 'index' to enable semantic search."
)

// answer is the JSON of a run: message, warning if there is one, status; with report also what was done and skipped.
func (x *indexer) answer(report bool) (value.Value, error) {
	var b doc.Builder
	b.BeginObject()
	b.Key("message")
	b.String(fmt.Sprintf(indexedMessage, x.done.files, x.place.dir))
	if x.warning != "" {
		b.Key("warning")
		b.String(x.warning)
	}
	b.Key("status")
	b.String("success")
	if report {
		x.report(&b)
	}
	b.End()
	v, err := b.Value()
	return value.Bytes(v.AppendCanonical(nil)), err
}

func (x *indexer) report(b *doc.Builder) {
	b.Key("report")
	b.BeginObject()
	for _, n := range []struct {
		name  string
		count int64
	}{
		{"files", x.done.files}, {"added", x.done.added}, {"changed", x.done.changed}, {"removed", x.done.removed}, {"unchanged", x.done.unchanged},
	} {
		b.Key(n.name)
		b.Int(n.count)
	}
	slices.SortFunc(x.skips, func(a, b skip) int { return cmp.Compare(a.rel, b.rel) })
	b.Key("skipped")
	b.BeginArray()
	for _, s := range x.skips {
		b.BeginObject()
		b.Key("path")
		b.String(x.place.path(x.place.key(s.rel)))
		b.Key("reason")
		b.String(s.reason)
		b.End()
	}
	b.End()
	b.End()
}

// match is a file that was found.
type match struct {
	key      string
	line     int // from 1; 0: not asked for
	snippet  string
	distance float64
	semantic bool // distance counts

	byMeaning  bool // it was found by its chunk from start to end
	start, end int
}

// answer is the JSON of a query.
type answer struct {
	query   string
	place   place
	matches []match
	warning string
}

func (a *answer) json() (value.Value, error) {
	var b doc.Builder
	b.BeginObject()
	b.Key("message")
	b.String(fmt.Sprintf(foundMessage, len(a.matches), a.query, a.place.dir))
	b.Key("matches")
	b.BeginArray()
	for _, m := range a.matches {
		b.BeginObject()
		b.Key("path")
		b.String(a.place.path(m.key))
		if m.line > 0 {
			b.Key("line")
			b.Int(int64(m.line))
		}
		b.Key("snippet")
		b.String(m.snippet)
		if m.semantic {
			b.Key("distance")
			b.Double(math.RoundToEven(m.distance*1e4) / 1e4)
		}
		b.End()
	}
	b.End()
	if a.warning != "" {
		b.Key("warning")
		b.String(a.warning)
	}
	b.Key("status")
	b.String("success")
	b.End()
	v, err := b.Value()
	return value.Bytes(v.AppendCanonical(nil)), err
}
