package scanfilter

import (
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/filter"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// inList translates ref [NOT] IN (constants).
func (t *translator) inList(x *plan.InList) (filter.Expr, error) {
	ref, ok := t.ref(x.Left)
	if !ok {
		return nil, no
	}
	vals := make([]value.Value, 0, len(x.List))
	for _, e := range x.List {
		if _, ok := comparable(ref, x.Left.Type(), e.Type(), filter.EQ); !ok {
			return nil, no
		}
		v, known, err := t.constant(e)
		if err != nil {
			return nil, err
		}
		if known {
			vals = append(vals, v)
		}
	}
	if len(x.List) == 0 {
		return nil, no
	}
	f, err := t.oneOf(ref, x.Left.Type(), x.List[0].Type(), vals)
	if x.Not && err == nil {
		f = &filter.Not{X: f}
	}
	return f, err
}

// arrayOp translates ref = ANY (array) and ref <> ALL (array).
func (t *translator) arrayOp(x *plan.ArrayOp) (filter.Expr, error) {
	not := x.All && x.Op == "<>"
	if !not && (x.All || x.Op != "=") || x.Coll != "" && x.Coll != "default" && x.Coll != "C" && x.Coll != "POSIX" {
		return nil, no
	}
	ref, ok := t.ref(x.Left)
	elem := x.Right.Type().Elem
	if !ok || elem == nil {
		return nil, no
	}
	if _, ok := comparable(ref, x.Left.Type(), elem, filter.EQ); !ok {
		return nil, no
	}
	v, known, err := t.constant(x.Right)
	switch {
	case err != nil:
		return nil, err
	case !known || v.IsNull():
		return unknown, nil
	}
	f, err := t.oneOf(ref, x.Left.Type(), elem, v.Box().(*value.Array).Elems)
	if not && err == nil {
		f = &filter.Not{X: f}
	}
	return f, err
}

// oneOf is membership in a list of values of one type.
func (t *translator) oneOf(ref ref, l, elem *value.Type, vals []value.Value) (filter.Expr, error) {
	hasNull := false
	var texts []string
	var docs []doc.Value
	for _, v := range vals {
		switch {
		case v.IsNull():
			hasNull = true
		case ref.text:
			texts = append(texts, v.Str())
		case ref.json:
			docs = append(docs, typeio.Doc(v))
		default:
			d, err := stored(elem, v)
			if err != nil {
				return nil, err
			}
			docs = append(docs, d)
		}
	}
	switch {
	case ref.text:
		return &filter.TextIn{Ref: ref.Ref, List: texts, HasNull: hasNull}, nil
	case ref.json:
		return &filter.JSONIn{Ref: ref.Ref, List: docs, HasNull: hasNull}, nil
	}
	class, _ := comparable(ref, l, elem, filter.EQ)
	return &filter.FieldIn{Ref: ref.Ref, Class: class, List: docs, HasNull: hasNull}, nil
}
