package plan

import (
	"reflect"

	"github.com/omgdb/omgdb/storage/value"
)

// sameQuery tells whether two subqueries are the same query: the same nodes over the same relations, whose columns have other ids.
func (m matcher) sameQuery(a, b *Subquery) bool {
	return a.Kind == b.Kind && a.Op == b.Op && a.Not == b.Not && m.sameNode(a.Query, b.Query) && m.sameParts(reflect.ValueOf(a.Compare), reflect.ValueOf(b.Compare))
}

// sameNode compares inputs before what reads them, so that their columns are paired.
func (m matcher) sameNode(a, b Node) bool {
	ta, tb := reflect.TypeOf(a), reflect.TypeOf(b)
	if ta != tb || ta == nil {
		return ta == tb
	}
	ia, ib := a.Inputs(), b.Inputs()
	if len(ia) != len(ib) {
		return false
	}
	for i := range ia {
		if !m.sameNode(ia[i], ib[i]) {
			return false
		}
	}
	va, vb := reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem()
	for i := range va.NumField() {
		if va.Field(i).Type() != nodeType && va.Type().Field(i).IsExported() && !m.sameParts(va.Field(i), vb.Field(i)) {
			return false
		}
	}
	return true
}

var (
	nodeType = reflect.TypeFor[Node]()
	exprType = reflect.TypeFor[Expr]()
	colType  = reflect.TypeFor[Col]()
	idType   = reflect.TypeFor[ColID]()
)

// sameParts compares the fields of nodes: columns by their type, expressions by equal, what else is pointed to by identity.
func (m matcher) sameParts(a, b reflect.Value) bool {
	if !a.IsValid() || !b.IsValid() {
		return a.IsValid() == b.IsValid()
	}
	switch a.Type() {
	case colType:
		x, y := a.Interface().(Col), b.Interface().(Col)
		if (x.Type == nil) != (y.Type == nil) || x.Type != nil && x.Type.OID != y.Type.OID || x.Mod != y.Mod || x.Coll != y.Coll {
			return false
		}
		return x.ID == y.ID || m[x.ID] == y.ID || m.bind(x.ID, y.ID)
	case idType:
		x, y := ColID(a.Int()), ColID(b.Int())
		return x == y || m[x] == y
	}
	if a.Type().Implements(exprType) {
		x, _ := a.Interface().(Expr)
		y, _ := b.Interface().(Expr)
		return x == nil && y == nil || m.equal(x, y)
	}
	if a.Type().Implements(nodeType) {
		x, _ := a.Interface().(Node)
		y, _ := b.Interface().(Node)
		return m.sameNode(x, y)
	}
	return m.sameKind(a, b)
}

func (m matcher) sameKind(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Slice, reflect.Array:
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !m.sameParts(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Struct:
		if v, ok := a.Interface().(value.Value); ok {
			return sameValue(v, b.Interface().(value.Value))
		}
		for i := range a.NumField() {
			if a.Type().Field(i).IsExported() && !m.sameParts(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Map:
		return a.Len() == 0 && b.Len() == 0
	case reflect.Func, reflect.Interface:
		return a.IsNil() && b.IsNil()
	}
	return a.Interface() == b.Interface()
}
