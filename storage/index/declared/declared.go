// Package declared is the index that exists by name alone: CREATE INDEX … USING brin, gist or spgist, and gin over a
// type whose parts it does not know. It can be listed, renamed, commented on and dropped, and keeps no entries: what it would speed up reads rows, or the columns that scans keep in memory.
package declared

import (
	"context"

	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/index"
)

// Kind makes declared indexes.
type Kind struct{}

// Open implements index.Kind.
func (Kind) Open(*catalog.Relation, *catalog.Index) (index.Maintainer, error) {
	return maintainer{}, nil
}

type maintainer struct{}

// Insert implements index.Maintainer.
func (maintainer) Insert(context.Context, index.Writer, index.Row, doc.Doc) error { return nil }

// Remove implements index.Maintainer.
func (maintainer) Remove(context.Context, index.Writer, index.Row, doc.Doc) error { return nil }

// Update implements index.Updater.
func (maintainer) Update(context.Context, index.Writer, index.Row, index.Row, doc.Doc, doc.Doc) error {
	return nil
}
