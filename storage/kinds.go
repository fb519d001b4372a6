package storage

import (
	"maps"
	"slices"
	"strings"

	"github.com/omgdb/omgdb/storage/index"
	"github.com/omgdb/omgdb/storage/index/declared"
	"github.com/omgdb/omgdb/storage/index/fulltext"
	"github.com/omgdb/omgdb/storage/index/gin"
	"github.com/omgdb/omgdb/storage/index/ordered"
	"github.com/omgdb/omgdb/storage/index/vector"
)

// The methods of the store's own kinds of indexes (catalog.Index.Method).
const (
	MethodBTree    = "btree" // ordered, over SQL values
	MethodFullText = fulltext.Method
	MethodGIN      = gin.Method // over what tsvectors, documents and arrays are made of
	MethodVector   = "vector"   // codes of vectors
)

// kinds gives the kinds of indexes by method. A method that has none is one that this version doesn't know.
func (o *Options) kinds() map[string]index.Kind {
	out := map[string]index.Kind{
		"brin": declared.Kind{}, "gist": declared.Kind{}, "spgist": declared.Kind{},
		MethodBTree:    ordered.Kind{Expressions: o.Expressions},
		MethodFullText: fulltext.NewKind(),
		MethodGIN:      gin.NewKind(o.Expressions),
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
