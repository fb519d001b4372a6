package filter

import (
	"fmt"
	"strings"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
)

// Parse checks a Mongo filter and builds its tree. Errors (22023) name the operator and the path. The tree keeps values of the
// document, which must not change afterwards.
func Parse(filter doc.Doc) (Expr, error) {
	var p parser
	return p.filter(filter)
}

// maxFilterDepth bounds the nesting of a filter; documents are bounded as well, but each level costs more here.
const maxFilterDepth = doc.MaxDepth

type parser struct{ depth int }

// invalid is the error of every mistake in a filter.
func invalid(format string, args ...any) error {
	return dberr.New(dberr.InvalidParameterValue, "invalid filter: %s", fmt.Sprintf(format, args...))
}

// filter parses an object whose members all must hold.
func (p *parser) filter(d doc.Doc) (Expr, error) {
	if p.depth++; p.depth > maxFilterDepth {
		return nil, dberr.New(dberr.StatementTooComplex, "filter is nested deeper than %d levels", maxFilterDepth)
	}
	defer func() { p.depth-- }()
	var list []Expr
	for e := d.Elements(); ; {
		k, v, ok := e.Next()
		if !ok {
			return conjunction(list), nil
		}
		x, err := p.member(string(k), v)
		if err != nil {
			return nil, err
		}
		if x != nil {
			list = append(list, x)
		}
	}
}

// conjunction makes the AND of a list, flat.
func conjunction(list []Expr) Expr {
	var flat []Expr
	for _, x := range list {
		if and, ok := x.(*And); ok {
			flat = append(flat, and.List...)
		} else if x != MatchAll {
			flat = append(flat, x)
		}
	}
	switch len(flat) {
	case 0:
		return MatchAll
	case 1:
		return flat[0]
	}
	return &And{flat}
}

// member parses one member of a filter; a nil Expr is no condition.
func (p *parser) member(key string, v doc.Value) (Expr, error) {
	if strings.HasPrefix(key, "$") {
		return p.top(key, v)
	}
	if strings.IndexByte(key, 0) >= 0 {
		return nil, invalid("a path cannot hold a zero byte")
	}
	switch v.Type {
	case doc.TypeRegex:
		r, err := regexOf(key, v)
		if err != nil {
			return nil, err
		}
		return &Field{key, r}, nil
	case doc.TypeObject:
		if isOperators(v) {
			return p.operators(key, v)
		}
	case doc.TypeUndefined:
		return nil, invalid("cannot compare \"%s\" to undefined", key)
	}
	return &Field{key, &Compare{EQ, v}}, nil
}

// top parses an operator that stands where a path may stand.
func (p *parser) top(key string, v doc.Value) (Expr, error) {
	switch key {
	case "$and", "$or", "$nor":
		return p.logic(key, v)
	case "$expr":
		agg, err := parseAgg(v, 0)
		if err != nil {
			return nil, err
		}
		return &ExprTest{agg}, nil
	case "$comment":
		return nil, nil
	}
	return nil, unknownTop(key)
}

// unsupported names the SQL way for what filters leave to SQL.
var unsupported = map[string]string{
	"$text":          "use text_search() or hybrid_search()",
	"$where":         "use an SQL condition in WHERE",
	"$near":          "use SQL functions over the coordinates",
	"$nearSphere":    "use SQL functions over the coordinates",
	"$geoWithin":     "use SQL functions over the coordinates",
	"$geoIntersects": "use SQL functions over the coordinates",
	"$jsonSchema":    "use a CHECK constraint or conditions in WHERE",
	"$function":      "use an SQL condition in WHERE",
	"$bitsAllSet":    "use the operators & and | in WHERE",
	"$bitsAnySet":    "use the operators & and | in WHERE",
	"$bitsAllClear":  "use the operators & and | in WHERE",
	"$bitsAnyClear":  "use the operators & and | in WHERE",
	"$vectorSearch":  "use vsearch() or hybrid_search()",
	"$search":        "use text_search() or hybrid_search()",
}

func unknownTop(key string) error {
	if way, ok := unsupported[key]; ok {
		return dberr.New(dberr.InvalidParameterValue, "invalid filter: operator %s is not supported", key).WithHint("To do this, %s.", way)
	}
	if isFieldOperator(key) {
		return invalid("operator %s must stand under a path, as in {\"path\": {\"%s\": …}}", key, key)
	}
	return invalid("unknown operator %s", key)
}

func (p *parser) logic(key string, v doc.Value) (Expr, error) {
	if v.Type != doc.TypeArray || v.Len() == 0 {
		return nil, invalid("%s needs a nonempty array of filters", key)
	}
	var list []Expr
	for e := v.Elements(); ; {
		_, x, ok := e.Next()
		if !ok {
			break
		}
		if x.Type != doc.TypeObject {
			return nil, invalid("%s needs an array of filters, found %s", key, article(x))
		}
		f, err := p.filter(doc.Doc(x.Data))
		if err != nil {
			return nil, err
		}
		list = append(list, f)
	}
	switch key {
	case "$and":
		return conjunction(list), nil
	case "$nor":
		return &Not{disjunction(list)}, nil
	}
	return disjunction(list), nil
}

func disjunction(list []Expr) Expr {
	if len(list) == 1 {
		return list[0]
	}
	return &Or{list}
}

// article names a value's kind for messages: "a string", "an array".
func article(v doc.Value) string {
	k := v.Kind()
	if strings.ContainsRune("aeioOAEI", rune(k[0])) {
		return "an " + k
	}
	return "a " + k
}

// isOperators tells {"$gt": 1} from a plain object: its first key begins with $. DBRefs are plain.
func isOperators(v doc.Value) bool {
	e := v.Elements()
	k, _, ok := e.Next()
	if !ok || len(k) == 0 || k[0] != '$' {
		return false
	}
	switch string(k) {
	case "$ref", "$id", "$db":
		return false
	}
	return true
}
