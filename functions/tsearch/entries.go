package tsearch

import (
	"context"
	"slices"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// queries are the functions of tsqueries.
func queries() []def {
	binary := func(op typeio.TSOp) eval {
		return pure(func(a []val) val {
			return typeio.BoxTSQ(&typeio.TSQuery{Root: join(op, typeio.TSQ(a[0]).Root, typeio.TSQ(a[1]).Root, 1)})
		})
	}
	return []def{
		{Sig: "tsquery_and(tsquery,tsquery)", Eval: binary(typeio.TSAnd)},
		{Sig: "tsquery_or(tsquery,tsquery)", Eval: binary(typeio.TSOr)},
		{Sig: "tsquery_phrase(tsquery,tsquery)", Eval: binary(typeio.TSPhrase)},
		{Sig: "tsquery_phrase(tsquery,tsquery,int4)", Eval: try(func(a []val) (val, error) {
			d := a[2].Int()
			if d < 0 || d > typeio.MaxTSDistance {
				return value.Null, dberr.New(dberr.InvalidParameterValue, "distance in phrase operator must be an integer value between zero and %d inclusive", typeio.MaxTSDistance)
			}
			return typeio.BoxTSQ(&typeio.TSQuery{Root: join(typeio.TSPhrase, typeio.TSQ(a[0]).Root, typeio.TSQ(a[1]).Root, int(d))}), nil
		})},
		{Sig: "tsquery_not(tsquery)", Eval: pure(func(a []val) val {
			n := typeio.TSQ(a[0]).Root
			if n != nil {
				n = &node{Op: typeio.TSNot, Right: n}
			}
			return typeio.BoxTSQ(&typeio.TSQuery{Root: n})
		})},
		{Sig: "tsq_mcontains(tsquery,tsquery)", Eval: pure(func(a []val) val { return value.Bool(contains(a[0], a[1])) })},
		{Sig: "tsq_mcontained(tsquery,tsquery)", Eval: pure(func(a []val) val { return value.Bool(contains(a[1], a[0])) })},
		{Sig: "numnode(tsquery)", Eval: pure(func(a []val) val { return value.Int(int64(typeio.TSQ(a[0]).Root.Nodes())) })},
		{Sig: "querytree(tsquery)", Eval: pure(func(a []val) val {
			root := typeio.TSQ(a[0]).Root
			n, ok := treeOf(root)
			if root == nil {
				return value.String("")
			}
			if !ok {
				return value.String("T")
			}
			return value.String(typeio.Text(value.TSQuery, typeio.BoxTSQ(&typeio.TSQuery{Root: n}), typeio.Default))
		})},
	}
}

// contains tells whether every lexeme of b is one of a.
func contains(a, b val) bool {
	has := items(typeio.TSQ(a).Root)
	for _, n := range items(typeio.TSQ(b).Root) {
		if !slices.ContainsFunc(has, func(m *node) bool { return m.Text == n.Text }) {
			return false
		}
	}
	return true
}

// makers make tsqueries and tsvectors of texts, with a configuration or the session's.
func makers() []def {
	out := []def{
		{Sig: "get_current_ts_config()", Eval: func(_ context.Context, c *call, _ []val) (val, error) {
			oid, err := currentOID(c)
			return value.Int(oid), err
		}},
		{Sig: "ts_match_tt(text,text)", Eval: func(_ context.Context, c *call, a []val) (val, error) {
			cfg, _, err := withConfig(c, a, 2)
			if err != nil {
				return value.Null, err
			}
			v, err := cfg.vector(a[0].Str())
			if err != nil {
				return value.Null, err
			}
			q, err := cfg.plainQuery(c, a[1].Str())
			if err != nil {
				return value.Null, err
			}
			return value.Bool(match(typeio.TSV(v), typeio.TSQ(q))), nil
		}},
		{Sig: "ts_match_tq(text,tsquery)", Eval: func(_ context.Context, c *call, a []val) (val, error) {
			cfg, _, err := withConfig(c, a, 2)
			if err != nil {
				return value.Null, err
			}
			v, err := cfg.vector(a[0].Str())
			if err != nil {
				return value.Null, err
			}
			return value.Bool(match(typeio.TSV(v), typeio.TSQ(a[1]))), nil
		}},
	}
	for name, make := range map[string]func(cfg *config, c *call, text string) (val, error){
		"to_tsvector":          func(cfg *config, _ *call, text string) (val, error) { return cfg.vector(text) },
		"to_tsquery":           (*config).toQuery,
		"plainto_tsquery":      (*config).plainQuery,
		"phraseto_tsquery":     (*config).phraseQuery,
		"websearch_to_tsquery": (*config).webQuery,
	} {
		for _, sig := range []string{"(text)", "(regconfig,text)"} {
			out = append(out, def{Sig: name + sig, Eval: func(_ context.Context, c *call, a []val) (val, error) {
				cfg, a, err := withConfig(c, a, 1)
				if err != nil {
					return value.Null, err
				}
				return make(cfg, c, a[0].Str())
			}})
		}
	}
	return out
}

// ranks are ts_rank and ts_rank_cd with their optional weights and normalization.
func ranks() []def {
	var out []def
	for name, f := range map[string]func([4]float32, *typeio.TSVector, *typeio.TSQuery, int64) float32{"ts_rank": rank, "ts_rank_cd": rankCover} {
		for _, sig := range []string{"(tsvector,tsquery)", "(tsvector,tsquery,int4)", "(float4[],tsvector,tsquery)", "(float4[],tsvector,tsquery,int4)"} {
			weighted := sig[1] == 'f'
			out = append(out, def{Sig: name + sig, Eval: try(func(a []val) (val, error) {
				w := defaultWeights
				if weighted {
					var err error
					if w, err = rankWeights(a[0]); err != nil {
						return value.Null, err
					}
					a = a[1:]
				}
				method := int64(0)
				if len(a) > 2 {
					method = a[2].Int()
				}
				return value.Float(float64(f(w, typeio.TSV(a[0]), typeio.TSQ(a[1]), method))), nil
			})})
		}
	}
	return out
}

// documents make tsvectors of the strings in json and jsonb.
func documents() []def {
	var out []def
	for _, t := range []*value.Type{value.JSON, value.JSONB} {
		read := func(v val) (doc.Value, error) {
			if t == value.JSONB {
				return doc.Decode(v.Bytes()), nil
			}
			return doc.ParseJSONB(v.Bytes())
		}
		for _, head := range []string{"(", "(regconfig,"} {
			out = append(out, def{Sig: "to_tsvector" + head + t.Name + ")", Eval: func(_ context.Context, c *call, a []val) (val, error) {
				return documentVector(c, a, 1, read, func(x doc.Value) (string, bool) { return x.Text(), x.Type == doc.TypeString })
			}}, def{Sig: t.Name + "_to_tsvector" + head + t.Name + ",jsonb)", Eval: func(_ context.Context, c *call, a []val) (val, error) {
				want, err := valueKinds(a[len(a)-1])
				if err != nil {
					return value.Null, err
				}
				return documentVector(c, a, 2, read, want)
			}})
		}
	}
	return out
}

func documentVector(c *call, a []val, n int, read func(val) (doc.Value, error), want func(doc.Value) (string, bool)) (val, error) {
	cfg, a, err := withConfig(c, a, n)
	if err != nil {
		return value.Null, err
	}
	x, err := read(a[0])
	if err != nil {
		return value.Null, err
	}
	var list []string
	eachValue(x, func(x doc.Value) {
		if s, ok := want(x); ok {
			list = append(list, s)
		}
	})
	return cfg.vector(list...)
}

// eachValue visits the scalars of a document in the order of jsonb.
func eachValue(x doc.Value, visit func(doc.Value)) {
	if !x.IsObject() && x.Type != doc.TypeArray {
		visit(x)
		return
	}
	type field struct {
		key string
		v   doc.Value
	}
	var fields []field
	for it := x.Doc().Elements(); ; {
		k, v, ok := it.Next()
		if !ok {
			break
		}
		fields = append(fields, field{string(k), v})
	}
	if x.IsObject() {
		slices.SortStableFunc(fields, func(a, b field) int {
			if len(a.key) != len(b.key) {
				return len(a.key) - len(b.key)
			}
			if a.key < b.key {
				return -1
			} else if a.key > b.key {
				return 1
			}
			return 0
		})
	}
	for _, f := range fields {
		eachValue(f.v, visit)
	}
}

// valueKinds reads the filter of jsonb_to_tsvector: "string", "numeric", "boolean", "all", or an array of these.
func valueKinds(filter val) (func(doc.Value) (string, bool), error) {
	kinds := map[string]bool{}
	x := doc.Decode(filter.Bytes())
	bad := func() error {
		return dberr.New(dberr.InvalidParameterValue, "wrong flag in flag array: \"%s\"", x.Text()).
			WithHint("Possible values are: \"string\", \"numeric\", \"boolean\", \"key\", and \"all\".")
	}
	var err error
	eachValue(x, func(k doc.Value) {
		switch s := k.Text(); {
		case k.Type == doc.TypeString && (s == "string" || s == "numeric" || s == "boolean" || s == "all" || s == "key"):
			kinds[s] = true
		default:
			err = bad()
		}
	})
	return func(v doc.Value) (string, bool) {
		switch v.Type {
		case doc.TypeString:
			return v.Text(), kinds["string"] || kinds["all"]
		case doc.TypeBool:
			return v.Text(), kinds["boolean"] || kinds["all"]
		case doc.TypeInt32, doc.TypeInt64, doc.TypeDouble, doc.TypeDecimal128:
			return v.Text(), kinds["numeric"] || kinds["all"]
		}
		return "", false
	}, err
}
