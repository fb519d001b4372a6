package filter

import "github.com/omgdb/omgdb/storage/doc"

// Equality is a condition path = value.
type Equality struct {
	Path  string
	Value doc.Value
}

// Equalities gives the equalities that hold for every match of a Mongo filter: what an upsert makes its document of. They come
// in the filter's order; of several for one path the first counts.
func Equalities(e Expr) []Equality {
	list := []Expr{e}
	if and, ok := e.(*And); ok {
		list = and.List
	}
	var out []Equality
	seen := map[string]bool{}
	for _, x := range list {
		f, ok := x.(*Field)
		if !ok || seen[f.Path] {
			continue
		}
		switch t := f.Test.(type) {
		case *Compare:
			if t.Op == EQ {
				out = append(out, Equality{f.Path, t.Value})
				seen[f.Path] = true
			}
		case *In:
			if len(t.Values) == 1 && len(t.Regexes) == 0 {
				out = append(out, Equality{f.Path, t.Values[0]})
				seen[f.Path] = true
			}
		}
	}
	return out
}
