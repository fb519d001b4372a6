package tsearch

import (
	"context"
	"slices"
	"strings"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

type (
	def  = functions.Def
	call = functions.Call
	val  = value.Value
	eval = functions.EvalFunc
)

// Scalars lists the families of functions.
func Scalars() [][]def {
	return [][]def{comparisons(), vectors(), queries(), makers(), ranks(), documents(), headlines(), rewrites()}
}

// Tables lists the set-returning functions.
func Tables() []functions.TableDef {
	return append(parsing(), functions.TableDef{Sig: "unnest(tsvector)", Open: openUnnest})
}

func pure(f func(a []val) val) eval {
	return func(_ context.Context, _ *call, a []val) (val, error) { return f(a), nil }
}

func try(f func(a []val) (val, error)) eval {
	return func(_ context.Context, _ *call, a []val) (val, error) { return f(a) }
}

// comparisons are the operators of the orders, and cmp.
func comparisons() []def {
	var out []def
	for _, t := range []*value.Type{value.TSVector, value.TSQuery} {
		args := "(" + t.Name + "," + t.Name + ")"
		compare := func(a []val) int { return typeio.Compare(t, a[0], a[1]) }
		out = append(out, def{Sig: t.Name + "_cmp" + args, Eval: pure(func(a []val) val { return value.Int(int64(compare(a))) })})
		for op, test := range map[string]func(c int) bool{
			"lt": func(c int) bool { return c < 0 }, "le": func(c int) bool { return c <= 0 }, "eq": func(c int) bool { return c == 0 },
			"ne": func(c int) bool { return c != 0 }, "ge": func(c int) bool { return c >= 0 }, "gt": func(c int) bool { return c > 0 },
		} {
			out = append(out, def{Sig: t.Name + "_" + op + args, Eval: pure(func(a []val) val { return value.Bool(test(compare(a))) })})
		}
	}
	return out
}

// vectors are the functions of tsvectors.
func vectors() []def {
	return []def{
		{Sig: "ts_match_vq(tsvector,tsquery)", Eval: pure(func(a []val) val { return value.Bool(match(typeio.TSV(a[0]), typeio.TSQ(a[1]))) })},
		{Sig: "ts_match_qv(tsquery,tsvector)", Eval: pure(func(a []val) val { return value.Bool(match(typeio.TSV(a[1]), typeio.TSQ(a[0]))) })},
		{Sig: "length(tsvector)", Eval: pure(func(a []val) val { return value.Int(int64(len(typeio.TSV(a[0]).Lexemes))) })},
		{Sig: "strip(tsvector)", Eval: pure(func(a []val) val {
			return mapped(a[0], func(l typeio.Lexeme) (typeio.Lexeme, bool) { return typeio.Lexeme{Text: l.Text}, true })
		})},
		{Sig: "tsvector_concat(tsvector,tsvector)", Eval: try(concat)},
		{Sig: "setweight(tsvector,char)", Eval: try(func(a []val) (val, error) { return setWeight(a[0], a[1], nil) })},
		{Sig: "setweight(tsvector,char,text[])", Eval: try(func(a []val) (val, error) { return setWeight(a[0], a[1], &a[2]) })},
		{Sig: "ts_delete(tsvector,text)", Eval: pure(func(a []val) val {
			return mapped(a[0], func(l typeio.Lexeme) (typeio.Lexeme, bool) { return l, l.Text != a[1].Str() })
		})},
		{Sig: "ts_delete(tsvector,text[])", Eval: try(func(a []val) (val, error) {
			gone, err := texts(a[1], "lexeme")
			return mapped(a[0], func(l typeio.Lexeme) (typeio.Lexeme, bool) { return l, !slices.Contains(gone, l.Text) }), err
		})},
		{Sig: "ts_filter(tsvector,char[])", Eval: try(filterWeights)},
		{Sig: "tsvector_to_array(tsvector)", Eval: pure(func(a []val) val {
			var out []val
			for _, l := range typeio.TSV(a[0]).Lexemes {
				out = append(out, value.String(l.Text))
			}
			return value.Box(value.NewArray(value.Text, out))
		})},
		{Sig: "array_to_tsvector(text[])", Eval: try(func(a []val) (val, error) {
			words, err := texts(a[0], "lexeme")
			if err != nil {
				return value.Null, err
			}
			var list []typeio.Lexeme
			for _, w := range words {
				if w == "" {
					return value.Null, dberr.New(dberr.ZeroLengthCharacterString, "lexeme array may not contain empty strings")
				}
				list = append(list, typeio.Lexeme{Text: w})
			}
			return boxed(list)
		})},
	}
}

func boxed(list []typeio.Lexeme) (val, error) {
	v, err := typeio.NewTSVector(list)
	if err != nil {
		return value.Null, err
	}
	return typeio.BoxTSV(v), nil
}

// mapped gives a tsvector of what f makes of each lexeme; false leaves it out.
func mapped(v val, f func(typeio.Lexeme) (typeio.Lexeme, bool)) val {
	out := &typeio.TSVector{}
	for _, l := range typeio.TSV(v).Lexemes {
		if l, ok := f(l); ok {
			out.Lexemes = append(out.Lexemes, l)
		}
	}
	return typeio.BoxTSV(out)
}

// texts gives the elements of an array, none of which may be NULL.
func texts(v val, what string) ([]string, error) {
	var out []string
	for _, e := range v.Box().(*value.Array).Elems {
		if e.IsNull() {
			return nil, dberr.New(dberr.NullValueNotAllowed, "%s array may not contain nulls", what)
		}
		out = append(out, e.Str())
	}
	return out, nil
}

func concat(a []val) (val, error) {
	left, right := typeio.TSV(a[0]), typeio.TSV(a[1])
	last := 0
	for _, l := range left.Lexemes {
		if n := len(l.Places); n > 0 {
			last = max(last, l.Places[n-1].Pos())
		}
	}
	var list []typeio.Lexeme
	for _, l := range left.Lexemes {
		list = append(list, typeio.Lexeme{Text: l.Text, Places: slices.Clone(l.Places)})
	}
	for _, l := range right.Lexemes {
		moved := typeio.Lexeme{Text: l.Text}
		for _, p := range l.Places {
			moved.Places = append(moved.Places, typeio.NewTSPlace(p.Pos()+last, p.Weight()))
		}
		list = append(list, moved)
	}
	return boxed(list)
}

// weightOf reads A to D.
func weightOf(c string) (int, error) {
	if c != "" {
		if w := strings.IndexByte("DCBA", c[0]&^0x20); w >= 0 {
			return w, nil
		}
	}
	code := 0
	if c != "" {
		code = int(c[0])
	}
	return 0, dberr.New(dberr.InvalidParameterValue, "unrecognized weight: %d", code)
}

func setWeight(v, weight val, only *val) (val, error) {
	w, err := weightOf(weight.Str())
	if err != nil {
		return value.Null, err
	}
	var words []string
	if only != nil {
		if words, err = texts(*only, "lexeme"); err != nil {
			return value.Null, err
		}
	}
	return mapped(v, func(l typeio.Lexeme) (typeio.Lexeme, bool) {
		if only != nil && !slices.Contains(words, l.Text) {
			return l, true
		}
		out := typeio.Lexeme{Text: l.Text}
		for _, p := range l.Places {
			out.Places = append(out.Places, typeio.NewTSPlace(p.Pos(), w))
		}
		return out, true
	}), nil
}

func filterWeights(a []val) (val, error) {
	keep := 0
	for _, e := range a[1].Box().(*value.Array).Elems {
		if e.IsNull() {
			return value.Null, dberr.New(dberr.NullValueNotAllowed, "weight array may not contain nulls")
		}
		w, err := weightOf(e.Str())
		if err != nil {
			return value.Null, dberr.New(dberr.InvalidParameterValue, "unrecognized weight: \"%s\"", e.Str())
		}
		keep |= 1 << w
	}
	return mapped(a[0], func(l typeio.Lexeme) (typeio.Lexeme, bool) {
		out := typeio.Lexeme{Text: l.Text}
		for _, p := range l.Places {
			if keep&(1<<p.Weight()) != 0 {
				out.Places = append(out.Places, p)
			}
		}
		return out, len(out.Places) > 0
	}), nil
}

// openUnnest gives a row for each lexeme.
func openUnnest(_ context.Context, _ *call, a []val, out value.Schema) (batch.Iter, error) {
	list := typeio.TSV(a[0]).Lexemes
	cols := batch.Columns(out, len(list))
	for _, l := range list {
		cols[0].Append(value.String(l.Text))
		if len(l.Places) == 0 {
			cols[1].Append(value.Null)
			cols[2].Append(value.Null)
			continue
		}
		var at, weights []val
		for _, p := range l.Places {
			at, weights = append(at, value.Int(int64(p.Pos()))), append(weights, value.String("DCBA"[p.Weight():p.Weight()+1]))
		}
		cols[1].Append(value.Box(value.NewArray(value.Int2, at)))
		cols[2].Append(value.Box(value.NewArray(value.Text, weights)))
	}
	return batch.Of(out, cols...), nil
}
