package plan

import (
	"reflect"

	"github.com/omgdb/omgdb/storage/value"
)

// Equal tells whether two expressions are the same: same shape, functions, types and constants; positions and how a cast was
// written don't count.
func Equal(a, b Expr) bool { return matcher{}.equal(a, b) }

// matcher compares expressions; it maps the columns that a Case or Cast of the left one binds to those of the right one.
type matcher map[ColID]ColID

func (m matcher) equal(a, b Expr) bool {
	if a == b {
		return true
	}
	if a == nil || b == nil || reflect.TypeOf(a) != reflect.TypeOf(b) {
		return false
	}
	if a.Type().OID != b.Type().OID || a.Mod() != b.Mod() || !m.sameHead(a, b) {
		return false
	}
	ca, cb := a.Children(), b.Children()
	if len(ca) != len(cb) {
		return false
	}
	for i := range ca {
		if !m.equal(ca[i], cb[i]) {
			return false
		}
	}
	return true
}

// bind pairs two bound columns.
func (m matcher) bind(a, b ColID) bool {
	if a != 0 && b != 0 {
		m[a] = b
	}
	return (a == 0) == (b == 0)
}

// sameHead compares what two expressions of one Go type have beside their children.
func (m matcher) sameHead(a, b Expr) bool {
	switch x := a.(type) {
	case *Const:
		return sameValue(x.Val, b.(*Const).Val)
	case *Param:
		return x.Num == b.(*Param).Num
	case *ColRef:
		y := b.(*ColRef)
		return x.ID == y.ID || m[x.ID] == y.ID
	case *Call:
		y := b.(*Call)
		return x.Fn == y.Fn && x.Coll == y.Coll && x.Variadic == y.Variadic
	case *Cast:
		y := b.(*Cast)
		return x.Method == y.Method && m.bind(x.ElemCol, y.ElemCol)
	case *Collate:
		return x.Coll == b.(*Collate).Coll
	case *SQLValue:
		return x.Name == b.(*SQLValue).Name
	case *Grouping:
		return reflect.DeepEqual(x.Bits, b.(*Grouping).Bits)
	case *Case:
		y := b.(*Case)
		return m.bind(x.ArgCol, y.ArgCol) && len(x.Whens) == len(y.Whens) && (x.Else == nil) == (y.Else == nil)
	case *Subscript:
		return sameSubscript(x, b.(*Subscript))
	case *RowCompare:
		return x.Op == b.(*RowCompare).Op
	case *Subquery:
		return m.sameQuery(x, b.(*Subquery))
	case *Assigned:
		return false
	}
	return sameFlags(a, b)
}

// sameFlags compares the small expressions that differ only in flags.
func sameFlags(a, b Expr) bool {
	switch x := a.(type) {
	case *BoolOp:
		return x.Or == b.(*BoolOp).Or
	case *IsNull:
		return x.Not == b.(*IsNull).Not
	case *BoolTest:
		y := b.(*BoolTest)
		return x.Want == y.Want && x.Not == y.Not
	case *IsDistinct:
		y := b.(*IsDistinct)
		return x.Not == y.Not && x.Eq == y.Eq
	case *NullIf:
		return x.Eq == b.(*NullIf).Eq
	case *MinMax:
		return x.Least == b.(*MinMax).Least
	case *ArrayExpr:
		return x.Multi == b.(*ArrayExpr).Multi
	case *FieldSelect:
		return x.Field == b.(*FieldSelect).Field
	case *ArrayOp:
		y := b.(*ArrayOp)
		return x.Fn == y.Fn && x.All == y.All && x.Coll == y.Coll
	case *InList:
		y := b.(*InList)
		return x.Eq == y.Eq && x.Not == y.Not
	case *Not, *Coalesce, *RowExpr:
		return true
	}
	return false
}

func sameSubscript(x, y *Subscript) bool {
	same := func(a, b []Expr) bool {
		if len(a) != len(b) {
			return false
		}
		for i := range a {
			if (a[i] == nil) != (b[i] == nil) {
				return false
			}
		}
		return true
	}
	return x.IsSlice == y.IsSlice && same(x.Lower, y.Lower) && same(x.Upper, y.Upper)
}

// sameValue compares constants by their form: numerics 1.0 and 1.00 are different constants.
func sameValue(a, b value.Value) bool {
	if a.Kind() != b.Kind() {
		return false
	}
	switch a.Kind() {
	case value.KindString:
		return a.Str() == b.Str()
	case value.KindBox:
		return reflect.DeepEqual(a.Box(), b.Box())
	}
	return a == b
}
