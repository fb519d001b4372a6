package storage

import (
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/filter"
)

// matcher runs a compiled filter over raw documents; the nil matcher lets everything pass. It belongs to one scan.
type matcher struct{ match func(doc.Doc) bool }

func newMatcher(e filter.Expr) (*matcher, error) {
	if e == nil {
		return nil, nil
	}
	return nil, nil
}

func (m *matcher) row(d doc.Doc) bool { return m == nil || m.match(d) }
