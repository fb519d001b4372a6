package scalar

import (
	"slices"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

func rng(v val) *value.Range { return v.Box().(*value.Range) }

func multi(v val) *value.Multirange { return v.Box().(*value.Multirange) }

// pieces gives the ranges that a range or multirange consists of, none for an empty one.
func pieces(v val) []*value.Range {
	switch x := v.Box().(type) {
	case *value.Multirange:
		return x.Ranges
	case *value.Range:
		if !x.Empty {
			return []*value.Range{x}
		}
	}
	return nil
}

// ends gives the first and the last bound of pieces.
func ends(ps []*value.Range) (low, up typeio.Bound) {
	return typeio.LowerBound(ps[0]), typeio.UpperBound(ps[len(ps)-1])
}

// relation is a predicate of two ranges or multiranges, in pieces.
type relation func(a, b []*value.Range) bool

// bothSome gives false when either side is empty.
func bothSome(f relation) relation {
	return func(a, b []*value.Range) bool { return len(a) > 0 && len(b) > 0 && f(a, b) }
}

var (
	rangeBefore = bothSome(func(a, b []*value.Range) bool {
		_, up := ends(a)
		low, _ := ends(b)
		return typeio.CmpBounds(a[0].Elem, up, low) < 0
	})
	rangeOverleft = bothSome(func(a, b []*value.Range) bool {
		_, x := ends(a)
		_, y := ends(b)
		return typeio.CmpBounds(a[0].Elem, x, y) <= 0
	})
	rangeOverright = bothSome(func(a, b []*value.Range) bool {
		x, _ := ends(a)
		y, _ := ends(b)
		return typeio.CmpBounds(a[0].Elem, x, y) >= 0
	})
	rangeAdjacent = bothSome(func(a, b []*value.Range) bool {
		alow, aup := ends(a)
		blow, bup := ends(b)
		return typeio.Adjacent(a[0].Elem, aup, blow) || typeio.Adjacent(a[0].Elem, bup, alow)
	})
)

func rangeAfter(a, b []*value.Range) bool { return rangeBefore(b, a) }

func rangeOverlaps(a, b []*value.Range) bool {
	for _, x := range a {
		for _, y := range b {
			if typeio.RangeOverlaps(x, y) {
				return true
			}
		}
	}
	return false
}

func rangeContains(a, b []*value.Range) bool {
	for _, y := range b {
		if !slices.ContainsFunc(a, func(x *value.Range) bool { return typeio.RangeContains(x, y) }) {
			return false
		}
	}
	return true
}

func rangeContained(a, b []*value.Range) bool { return rangeContains(b, a) }

// rangeRelations gives the operators that compare ranges and multiranges in all combinations.
func rangeRelations() []def {
	kinds := []struct{ name, typ string }{{"range", "anyrange"}, {"multirange", "anymultirange"}}
	var out []def
	for _, r := range []struct {
		name string
		f    relation
	}{
		{"before", rangeBefore}, {"after", rangeAfter}, {"overleft", rangeOverleft}, {"overright", rangeOverright}, {"adjacent", rangeAdjacent},
		{"overlaps", rangeOverlaps}, {"contains", rangeContains}, {"contained_by", rangeContained},
	} {
		e := pure(func(a []val) val { return value.Bool(r.f(pieces(a[0]), pieces(a[1]))) })
		for _, x := range kinds {
			for _, y := range kinds {
				name := x.name + "_" + r.name + "_" + y.name
				if x.name == "range" && y.name == "range" {
					name = "range_" + r.name
				}
				out = append(out, def{Sig: name + "(" + x.typ + "," + y.typ + ")", Eval: e})
			}
		}
	}
	return out
}

// rangeFunctions gives the other functions of ranges and multiranges.
func rangeFunctions() []def {
	out := rangeRelations()
	for _, t := range []string{"anyrange", "anymultirange"} {
		one := "(" + t + ")"
		part := func(f func(low, up typeio.Bound) val, none val) eval {
			return pure(func(a []val) val {
				ps := pieces(a[0])
				if len(ps) == 0 {
					return none
				}
				return f(ends(ps))
			})
		}
		no := value.Bool(false)
		out = append(out,
			def{Sig: "lower" + one, Eval: part(func(low, _ typeio.Bound) val { return low.Val }, value.Null)},
			def{Sig: "upper" + one, Eval: part(func(_, up typeio.Bound) val { return up.Val }, value.Null)},
			def{Sig: "lower_inc" + one, Eval: part(func(low, _ typeio.Bound) val { return value.Bool(low.Inc) }, no)},
			def{Sig: "upper_inc" + one, Eval: part(func(_, up typeio.Bound) val { return value.Bool(up.Inc) }, no)},
			def{Sig: "lower_inf" + one, Eval: part(func(low, _ typeio.Bound) val { return value.Bool(low.Val.IsNull()) }, no)},
			def{Sig: "upper_inf" + one, Eval: part(func(_, up typeio.Bound) val { return value.Bool(up.Val.IsNull()) }, no)},
			def{Sig: "isempty" + one, Eval: pure(func(a []val) val { return value.Bool(len(pieces(a[0])) == 0) })})
	}
	has := func(ps []*value.Range, v val) val {
		return value.Bool(slices.ContainsFunc(ps, func(r *value.Range) bool { return typeio.RangeHas(r, v) }))
	}
	return append(append(out, makeRanges()...),
		def{Sig: "range_contains_elem(anyrange,anyelement)", Eval: pure(func(a []val) val { return has(pieces(a[0]), a[1]) })},
		def{Sig: "elem_contained_by_range(anyelement,anyrange)", Eval: pure(func(a []val) val { return has(pieces(a[1]), a[0]) })},
		def{Sig: "multirange_contains_elem(anymultirange,anyelement)", Eval: pure(func(a []val) val { return has(pieces(a[0]), a[1]) })},
		def{Sig: "elem_contained_by_multirange(anyelement,anymultirange)", Eval: pure(func(a []val) val { return has(pieces(a[1]), a[0]) })},
		def{Sig: "range_union(anyrange,anyrange)", Eval: try(func(a []val) (val, error) { return boxRange(typeio.RangeUnion(rng(a[0]), rng(a[1]), false)) })},
		def{Sig: "range_merge(anyrange,anyrange)", Eval: try(func(a []val) (val, error) { return boxRange(typeio.RangeUnion(rng(a[0]), rng(a[1]), true)) })},
		def{Sig: "range_merge(anymultirange)", Eval: pure(func(a []val) val { return value.Box(typeio.Span(multi(a[0]))) })},
		def{Sig: "range_minus(anyrange,anyrange)", Eval: try(func(a []val) (val, error) { return boxRange(typeio.RangeMinus(rng(a[0]), rng(a[1]))) })},
		def{Sig: "range_intersect(anyrange,anyrange)", Eval: pure(func(a []val) val { return value.Box(typeio.RangeIntersect(rng(a[0]), rng(a[1]))) })},
		def{Sig: "multirange_union(anymultirange,anymultirange)", Eval: pure(func(a []val) val { return value.Box(typeio.MultirangeUnion(multi(a[0]), multi(a[1]))) })},
		def{Sig: "multirange_minus(anymultirange,anymultirange)", Eval: pure(func(a []val) val { return value.Box(typeio.MultirangeMinus(multi(a[0]), multi(a[1]))) })},
		def{Sig: "multirange_intersect(anymultirange,anymultirange)", Eval: pure(func(a []val) val {
			return value.Box(typeio.MultirangeIntersect(multi(a[0]), multi(a[1])))
		})},
		def{Sig: "multirange(anyrange)", Eval: pure(func(a []val) val { return value.Box(typeio.NewMultirange(rng(a[0]).Elem, []*value.Range{rng(a[0])})) })},
	)
}

func boxRange(r *value.Range, err error) (val, error) {
	if err != nil {
		return value.Null, err
	}
	return value.Box(r), nil
}

// buildRange makes a range of two bounds and, perhaps, how they are meant.
func buildRange(elem *value.Type, a []val) (val, error) {
	lowInc, upInc := true, false
	if len(a) > 2 {
		if a[2].IsNull() {
			return value.Null, dberr.New(dberr.DataException, "range constructor flags argument must not be null")
		}
		switch f := a[2].Str(); f {
		case "[]", "[)", "(]", "()":
			lowInc, upInc = f[0] == '[', f[1] == ']'
		default:
			return value.Null, dberr.New(dberr.SyntaxError, "invalid range bound flags").WithHint(`Valid values are "[]", "[)", "(]", and "()".`)
		}
	}
	return boxRange(typeio.NewRange(elem, a[0], a[1], lowInc, upInc))
}

// RangeConstructors gives the constructors of a user's range type r and its multirange type m; array is the type of arrays of r.
func RangeConstructors(r, m, array *value.Type) []*functions.Scalar {
	elem := functions.Param{Type: r.Elem}
	build := try(func(a []val) (val, error) { return buildRange(r.Elem, a) })
	list := []*functions.Scalar{
		{Name: r.Name, Params: []functions.Param{elem, elem}, Ret: r, Eval: build},
		{Name: r.Name, Params: []functions.Param{elem, elem, {Type: value.Text}}, Ret: r, Eval: build},
		{Name: m.Name, Ret: m, Eval: pure(func([]val) val { return value.Box(&value.Multirange{Elem: r.Elem}) })},
		{Name: m.Name, Params: []functions.Param{{Type: r}}, Ret: m, Strict: true, Eval: pure(func(a []val) val {
			return value.Box(typeio.NewMultirange(r.Elem, []*value.Range{rng(a[0])}))
		})},
		{Name: m.Name, Params: []functions.Param{{Type: array}}, Variadic: true, Ret: m, Strict: true, Eval: try(func(a []val) (val, error) { return multirangeOf(r.Elem, arr(a[0])) })},
	}
	for _, f := range list {
		f.Volatility = functions.Immutable
	}
	return list
}

// makeRanges gives the constructors.
func makeRanges() []def {
	var out []def
	for _, r := range []*value.Type{value.Int4Range, value.Int8Range, value.NumRange, value.TSRange, value.TSTZRange, value.DateRange} {
		elem, name := r.Elem, r.Name
		build := try(func(a []val) (val, error) { return buildRange(elem, a) })
		multiName := multirangeName[name]
		out = append(out,
			def{Sig: name + "(" + elem.Name + "," + elem.Name + ")", Eval: build}, def{Sig: name + "(" + elem.Name + "," + elem.Name + ",text)", Eval: build},
			def{Sig: multiName + "()", Eval: pure(func([]val) val { return value.Box(&value.Multirange{Elem: elem}) })},
			def{Sig: multiName + "(" + name + ")", Eval: pure(func(a []val) val { return value.Box(typeio.NewMultirange(elem, []*value.Range{rng(a[0])})) })},
			def{Sig: multiName + "(" + name + "[])", Eval: try(func(a []val) (val, error) { return multirangeOf(elem, arr(a[0])) })})
	}
	return out
}

var multirangeName = map[string]string{
	"int4range": "int4multirange", "int8range": "int8multirange", "numrange": "nummultirange", "tsrange": "tsmultirange",
	"tstzrange": "tstzmultirange", "daterange": "datemultirange",
}

func multirangeOf(elem *value.Type, x *value.Array) (val, error) {
	if len(x.Dims) > 1 {
		return value.Null, dberr.New("21000", "multiranges cannot be constructed from multidimensional arrays")
	}
	rs := make([]*value.Range, len(x.Elems))
	for i, e := range x.Elems {
		if e.IsNull() {
			return value.Null, dberr.New(dberr.NullValueNotAllowed, "multirange values cannot contain null members")
		}
		rs[i] = rng(e)
	}
	return value.Box(typeio.NewMultirange(elem, rs)), nil
}
