// Package spec holds the other two languages of find: which fields of a document to show, and in which order documents come.
package spec

import (
	"fmt"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/filter"
)

func invalid(what, format string, args ...any) error {
	return dberr.New(dberr.InvalidParameterValue, "invalid %s: %s", what, fmt.Sprintf(format, args...))
}

// Sort is a compiled sort: {"a": 1, "b.c": -1}. It is immutable.
type Sort struct {
	Fields []SortField
	keys   []*filter.PathKeys
}

// SortField is one path of a sort.
type SortField struct {
	Path       string
	Descending bool
}

// ParseSort checks a sort (22023).
func ParseSort(d doc.Doc) (*Sort, error) {
	s := &Sort{}
	for e := d.Elements(); ; {
		k, v, ok := e.Next()
		if !ok {
			return s, nil
		}
		path := string(k)
		i, isInt := v.Int64()
		switch {
		case v.Type == doc.TypeObject:
			return nil, invalid("sort", "\"%s\" needs 1 or -1; to order by a score use ORDER BY", path)
		case !isInt || i != 1 && i != -1:
			return nil, invalid("sort", "\"%s\" needs 1 or -1, found %s", path, v.Canonical())
		case !validPath(path):
			return nil, invalid("sort", "\"%s\" is not a path", path)
		}
		s.Fields = append(s.Fields, SortField{path, i < 0})
		s.keys = append(s.keys, filter.NewPathKeys(path))
	}
}

// Keys appends the document's sort keys, one for each field: the value at the path, null when there is none, and of an array's
// elements the lowest (ascending) or highest (descending). They alias d.
func (s *Sort) Keys(dst []doc.Value, d doc.Doc) []doc.Value {
	var room [8]doc.Value
	for i, k := range s.keys {
		values := k.Append(room[:0], d)
		best := values[0]
		for _, v := range values[1:] {
			if c := doc.CompareBSON(v, best); c < 0 != s.Fields[i].Descending && c != 0 {
				best = v
			}
		}
		dst = append(dst, best)
	}
	return dst
}

// Compare orders two documents by their Keys: -1, 0 or 1.
func (s *Sort) Compare(a, b []doc.Value) int {
	for i, f := range s.Fields {
		if c := doc.CompareBSON(a[i], b[i]); c != 0 {
			if f.Descending {
				return -c
			}
			return c
		}
	}
	return 0
}
