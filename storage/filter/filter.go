// Package filter is the filter engine: the one way in which a predicate is put to raw documents.
//
//	Mongo filter ── Parse ──▶ Expr ◀── planner builds SQL nodes
//	                           │
//	          ┌────────────────┼──────────────┐
//	       String()         Compile        PathBounds, KeyBounds
//	       EXPLAIN      Matcher.Match      index ranges, residual
//
// An Expr is an immutable tree. Mongo nodes (Field, and And, Or, Not over them) have MongoDB's meaning: paths look inside
// arrays, comparisons stay within a type class, an absent field is like null. SQL nodes (TextCmp, Contains, JSONCmp …) have
// PostgreSQL's meaning exactly and answer true, false or NULL; Parse never makes them. And, Or and Not are three-valued, so
// that both kinds stand in one tree. A filter keeps the documents for which it is true.
//
// A filter is checked when it is parsed, prepared when it is compiled, and then matched without looking at its text again.
// Matching the usual operators allocates nothing.
package filter

import (
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
)

// Expr is a node of a filter's AST; immutable. String prints it as EXPLAIN shows it.
type Expr interface{ String() string }

// Tri is SQL's three-valued truth.
type Tri int8

const (
	False Tri = iota
	True
	Null
)

// TriOf gives True or False.
func TriOf(b bool) Tri {
	if b {
		return True
	}
	return False
}

// Not is SQL's NOT: NULL stays NULL.
func (t Tri) Not() Tri {
	switch t {
	case True:
		return False
	case False:
		return True
	}
	return Null
}

// Const is a filter that is the same for every document; {} is Const{True}.
type Const struct{ Value Tri }

// And is true when all are; an empty one is true. Its members are tried in order and, as the conditions of a WHERE clause, a
// top-level And stops at the first that is not true; a nested one goes on after NULL, as PostgreSQL's AND does.
type And struct{ List []Expr }

// Or is true when one is; an empty one is false.
type Or struct{ List []Expr }

// Not is the negation.
type Not struct{ X Expr }

// MatchAll is the filter {}.
var MatchAll Expr = Const{True}

// ParseJSON parses a Mongo filter from Extended JSON text.
func ParseJSON(text []byte) (Expr, error) {
	v, err := doc.ParseExtJSON(text)
	if err != nil {
		return nil, err
	}
	if v.Type != doc.TypeObject {
		return nil, dberr.New(dberr.InvalidParameterValue, "a filter must be a JSON object, not %s", v.Kind())
	}
	return Parse(doc.Doc(v.Data))
}
