package storage

import (
	"maps"
	"slices"
	"strings"

	"github.com/omgdb/omgdb/storage/index"
	"github.com/omgdb/omgdb/storage/index/declared"
	"github.com/omgdb/omgdb/storage/index/fulltext"
	"github.com/omgdb/omgdb/storage/index/ordered"
	"github.com/omgdb/omgdb/storage/index/vector"
)

// The methods of the store's own kinds of indexes (catalog.Index.Method).
const (
	MethodBTree    = "btree" // ordered, over SQL values
	MethodFullText = fulltext.Method
	MethodVector   = "vector" // codes of vectors
	MethodGIN      = "gin"    // known by name alone
)

// kinds gives the kinds of indexes by method. A method that has none is one that this version doesn't know.
func (o *Options) kinds() map[string]index.Kind {
	out := map[string]index.Kind{
		MethodBTree:    ordered.Kind{Expressions: o.Expressions},
		MethodFullText: fulltext.NewKind(),
		MethodGIN:      declared.Kind{},
		MethodVector:   &vector.Kind{Expressions: o.Expressions},
	}
	maps.Copy(out, o.Indexes)
	return out
}

func methodNames(kinds map[string]index.Kind) string {
	names := slices.Sorted(maps.Keys(kinds))
	if last := len(names) - 1; last > 0 {
		return strings.Join(names[:last], ", ") + " or " + names[last]
	}
	return strings.Join(names, "")
}
