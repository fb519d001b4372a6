// Package scanfilter turns bound SQL predicates over one stored relation into the filter engine's tree, where both mean exactly the
// same for every document; see docs/architecture.md on what that takes. The optimiser asks Pushable which conjuncts of a predicate a
// scan can take; the executor calls Build when it opens the scan, with the values that parameters and outer references have then.
package scanfilter

import (
	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/filter"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// Values evaluates the expressions of a predicate that depend on no row of the scan.
type Values func(e plan.Expr) (value.Value, error)

// Push says what becomes of a conjunct.
type Push uint8

// The answers of Pushable.
const (
	No     Push = iota
	Yes         // the filter engine gives the same answer and never fails
	Guards      // the same answer, but it may fail for a row (22P02): it must stay behind the conjuncts before it
)

// Pushable tells whether the scan can evaluate a conjunct.
func Pushable(s *plan.Scan, e plan.Expr) Push {
	t := newTranslator(s, nil)
	if _, err := t.expr(e); err != nil {
		return No
	}
	if t.fails {
		return Guards
	}
	return Yes
}

// Build makes the filter of conjuncts that are Pushable; nil for none.
func Build(s *plan.Scan, conds []plan.Expr, vals Values) (filter.Expr, error) {
	if len(conds) == 0 {
		return nil, nil
	}
	t := newTranslator(s, vals)
	list := make([]filter.Expr, len(conds))
	for i, c := range conds {
		f, err := t.expr(c)
		if err != nil {
			return nil, err
		}
		list[i] = f
	}
	if len(list) == 1 {
		return list[0], nil
	}
	return &filter.And{List: list}, nil
}

// translator translates for one scan. Without vals it only looks whether a translation exists: expressions that are not constants
// stand for any value of their type.
type translator struct {
	s     *plan.Scan
	cols  map[plan.ColID]*plan.ScanCol
	vals  Values
	fails bool
}

func newTranslator(s *plan.Scan, vals Values) *translator {
	t := &translator{s: s, cols: make(map[plan.ColID]*plan.ScanCol, len(s.Out)), vals: vals}
	for i := range s.Out {
		t.cols[s.Out[i].ID] = &s.Out[i]
	}
	for i := range s.FilterCols {
		t.cols[s.FilterCols[i].ID] = &s.FilterCols[i]
	}
	return t
}

// errNo is the error of an expression that has no translation.
type errNo struct{}

func (errNo) Error() string { return "the predicate has no exact form as a filter" }

var no error = errNo{}

// constant gives the value of an expression that depends on no row; ok is false for one that does.
func (t *translator) constant(e plan.Expr) (v value.Value, known bool, err error) {
	if k, ok := e.(*plan.Const); ok {
		return k.Val, true, nil
	}
	fixed := true
	plan.Walk(e, func(x plan.Expr) bool {
		switch x := x.(type) {
		case *plan.ColRef:
			fixed = fixed && t.cols[x.ID] == nil
		case *plan.Call:
			fixed = fixed && (x.Fn == nil || x.Fn.Volatility != functions.Volatile)
		case *plan.Subquery:
			fixed = false
		}
		return fixed
	})
	if !fixed {
		return value.Null, false, no
	}
	if t.vals == nil {
		return value.Null, false, nil
	}
	v, err = t.vals(e)
	return v, true, err
}

// ref is a column or a path in one, as jsonb or, when text, the last step as text.
type ref struct {
	filter.Ref
	col  *plan.ScanCol
	json bool // a jsonb value; else a typed column or text
	text bool // text of a jsonb value, or of _id
}

// ref reads an expression as a reference; ok is false when it is none.
func (t *translator) ref(e plan.Expr) (r ref, ok bool) {
	switch x := e.(type) {
	case *plan.ColRef:
		return t.column(x)
	case *plan.Cast:
		if x.Method == plan.RelabelCast {
			return t.relabelled(x.Arg, x.T)
		}
	case *plan.Call:
		if x.Fn == nil && len(x.Args) == 1 {
			return t.relabelled(x.Args[0], x.T)
		}
		path, root, asText, found := Path(x)
		if !found {
			return r, false
		}
		if r, ok = t.ref(root); !ok || !r.json {
			return r, false
		}
		r.Path = append(append(doc.Path(nil), r.Path...), path...)
		r.json, r.text = !asText, asText
		return r, true
	}
	return r, false
}

// relabelled is a reference shown as another type of the same form: only between the string types, whose comparisons are the same.
func (t *translator) relabelled(e plan.Expr, as *value.Type) (ref, bool) {
	r, ok := t.ref(e)
	if !ok || !stringType(e.Type()) || !stringType(as) {
		return r, false
	}
	return r, true
}

// stringType tells whether a type compares by its bytes as text does.
func stringType(t *value.Type) bool {
	switch typeio.Base(t).OID {
	case value.Text.OID, value.Varchar.OID, value.Name.OID:
		return true
	}
	return false
}

func (t *translator) column(x *plan.ColRef) (r ref, ok bool) {
	c := t.cols[x.ID]
	if c == nil {
		return r, false
	}
	r.col = c
	switch c.Src.Kind {
	case storage.ColID:
		if t.s.Rel.Kind != catalog.Collection {
			return r, false
		}
		r.Ref, r.text = filter.IDRef(), true
	case storage.ColDoc:
		if t.s.Rel.Kind != catalog.Collection {
			return r, false
		}
		r.Ref, r.json = filter.DocRef(nil), true
	case storage.ColField:
		r.Ref = filter.FieldRef(c.Name, c.Src.Field, nil)
		r.json = typeio.Base(c.Type).OID == value.JSONB.OID
	case storage.ColPathJSON, storage.ColPathText:
		r.Ref = filter.DocRef(c.Src.Path)
		r.json, r.text = c.Src.Kind == storage.ColPathJSON, c.Src.Kind == storage.ColPathText
	default:
		return r, false
	}
	return r, true
}

// Path reads e as a chain of -> ->> #> #>> with constant steps over root. asText tells that the last step gives text.
func Path(e plan.Expr) (path doc.Path, root plan.Expr, asText, ok bool) {
	c, isCall := e.(*plan.Call)
	if !isCall || len(c.Args) != 2 || c.Style != plan.OpStyle {
		return nil, nil, false, false
	}
	if l := typeio.Base(c.Args[0].Type()); l.OID != value.JSONB.OID {
		return nil, nil, false, false
	}
	k, isConst := c.Args[1].(*plan.Const)
	if !isConst || k.Val.IsNull() {
		return nil, nil, false, false
	}
	switch c.Name {
	case "->", "->>":
		switch typeio.Base(k.T).OID {
		case value.Text.OID:
			path = doc.Path{doc.Key(k.Val.Str())}
		case value.Int4.OID:
			path = doc.Path{doc.Index(int(k.Val.Int()))}
		default:
			return nil, nil, false, false
		}
	case "#>", "#>>":
		for _, s := range k.Val.Box().(*value.Array).Elems {
			if s.IsNull() {
				return nil, nil, false, false
			}
			path = append(path, doc.Text(s.Str()))
		}
	default:
		return nil, nil, false, false
	}
	asText = c.Name == "->>" || c.Name == "#>>"
	root = c.Args[0]
	if before, deeper, text, more := Path(root); more && !text {
		return append(before, path...), deeper, asText, true
	}
	return path, root, asText, true
}
