package tsearch

import (
	"context"
	"slices"

	"github.com/omgdb/omgdb/storage/dberr"
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
