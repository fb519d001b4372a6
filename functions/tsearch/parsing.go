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

// tokenTypes are the names and descriptions of the default parser's types of tokens, by kind from 1.
var tokenTypes = [...]struct{ alias, descr string }{
	asciiWord: {"asciiword", "Word, all ASCII"}, word: {"word", "Word, all letters"}, numWord: {"numword", "Word, letters and digits"},
	email: {"email", "Email address"}, url: {"url", "URL"}, host: {"host", "Host"}, sfloat: {"sfloat", "Scientific notation"},
	version: {"version", "Version number"}, hwordNumPart: {"hword_numpart", "Hyphenated word part, letters and digits"},
	hwordPart: {"hword_part", "Hyphenated word part, all letters"}, hwordASCIIPart: {"hword_asciipart", "Hyphenated word part, all ASCII"},
	blank: {"blank", "Space symbols"}, tag: {"tag", "XML tag"}, protocol: {"protocol", "Protocol head"},
	numHWord: {"numhword", "Hyphenated word, letters and digits"}, asciiHWord: {"asciihword", "Hyphenated word, all ASCII"},
	hword: {"hword", "Hyphenated word, all letters"}, urlPath: {"url_path", "URL path"}, file: {"file", "File or path name"},
	float: {"float", "Decimal notation"}, signedInt: {"int", "Signed integer"}, unsignedInt: {"uint", "Unsigned integer"},
	entity: {"entity", "XML entity"},
}

// defaultParser is the OID of the only parser.
const defaultParser = 3722

// parsing lists the functions that show what parser and dictionaries do, and that look at many vectors.
func parsing() []functions.TableDef {
	return []functions.TableDef{
		{Sig: "ts_token_type(text)", Open: openTokenType}, {Sig: "ts_token_type(oid)", Open: openTokenType},
		{Sig: "ts_parse(text,text)", Open: openParse}, {Sig: "ts_parse(oid,text)", Open: openParse},
		{Sig: "ts_debug(text)", Open: openDebug}, {Sig: "ts_debug(regconfig,text)", Open: openDebug},
		{Sig: "ts_stat(text)", Open: openStat}, {Sig: "ts_stat(text,text)", Open: openStat},
	}
}

// checkParser refuses a parser other than the default one.
func checkParser(c *call, v val) error {
	if c.Args[0].OID == value.OID.OID {
		if v.Int() != defaultParser {
			return dberr.New(dberr.UndefinedObject, "text search parser with OID %d does not exist", v.Int())
		}
		return nil
	}
	if name := strings.TrimPrefix(v.Str(), "pg_catalog."); name != "default" {
		return dberr.New(dberr.UndefinedObject, "text search parser \"%s\" does not exist", v.Str())
	}
	return nil
}

func openTokenType(_ context.Context, c *call, a []val, out value.Schema) (batch.Iter, error) {
	if err := checkParser(c, a[0]); err != nil {
		return nil, err
	}
	cols := batch.Columns(out, len(tokenTypes))
	for k, t := range tokenTypes[1:] {
		cols[0].Append(value.Int(int64(k + 1)))
		cols[1].Append(value.String(t.alias))
		cols[2].Append(value.String(t.descr))
	}
	return batch.Of(out, cols...), nil
}

func openParse(_ context.Context, c *call, a []val, out value.Schema) (batch.Iter, error) {
	if err := checkParser(c, a[0]); err != nil {
		return nil, err
	}
	cols := batch.Columns(out, 16)
	tokens(a[1].Str(), func(t token) {
		cols[0].Append(value.Int(int64(t.kind)))
		cols[1].Append(value.String(t.text))
	})
	return batch.Of(out, cols...), nil
}

// dictionary names the dictionary of a configuration that takes tokens of a kind, 0 for none.
func dictionary(config string, k kind) uint32 {
	name := "simple"
	switch k {
	case blank, tag, protocol, entity:
		return 0
	case asciiWord, word, hwordPart, hwordASCIIPart, asciiHWord, hword:
		if config != "simple" {
			name = config + "_stem"
		}
	}
	oid, _ := typeio.TSDictOID(name)
	return oid
}

func openDebug(_ context.Context, c *call, a []val, out value.Schema) (batch.Iter, error) {
	oid := int64(0)
	var err error
	if len(a) == 2 {
		oid = a[0].Int()
	} else if oid, err = currentOID(c); err != nil {
		return nil, err
	}
	cfg, err := configOf(oid)
	if err != nil {
		return nil, err
	}
	name, _ := typeio.TSConfigName(uint32(oid))
	cols := batch.Columns(out, 16)
	tokens(a[len(a)-1].Str(), func(t token) {
		lexeme, known := cfg.lexeme(t)
		dict, lexemes, dicts := value.Null, value.Null, []val{}
		if d := dictionary(name, t.kind); d != 0 {
			dict = value.Int(int64(d))
			dicts = append(dicts, dict)
		}
		if known {
			list := []val{}
			if lexeme != "" {
				list = append(list, value.String(lexeme))
			}
			lexemes = value.Box(value.NewArray(value.Text, list))
		}
		for i, v := range []val{value.String(tokenTypes[t.kind].alias), value.String(tokenTypes[t.kind].descr), value.String(t.text),
			value.Box(value.NewArray(value.RegDictionary, dicts)), dict, lexemes} {
			cols[i].Append(v)
		}
	})
	return batch.Of(out, cols...), nil
}

// lexize gives what a dictionary makes of a word: no lexeme of a stop word.
func lexize(_ context.Context, _ *call, a []val) (val, error) {
	name, ok := typeio.TSDictName(uint32(a[0].Int()))
	if !ok {
		return value.Null, dberr.New(dberr.UndefinedObject, "text search dictionary with OID %d does not exist", a[0].Int())
	}
	lang := strings.TrimSuffix(name, "_stem")
	oid, _ := typeio.TSConfigOID(lang)
	cfg, err := configOf(int64(oid))
	if err != nil {
		return value.Null, err
	}
	s, _ := cfg.lexeme(token{word, a[1].Str()})
	if s == "" {
		return value.Box(value.NewArray(value.Text, nil)), nil
	}
	return value.Box(value.NewArray(value.Text, []val{value.String(s)})), nil
}

// wordCount is how many vectors have a lexeme, and how often all of them.
type wordCount struct{ docs, entries int64 }

// openStat counts the lexemes of all vectors that a query gives.
func openStat(ctx context.Context, c *call, a []val, out value.Schema) (batch.Iter, error) {
	weights := 0
	if len(a) == 2 {
		for _, w := range strings.ToUpper(a[1].Str()) {
			if i := strings.IndexRune("DCBA", w); i >= 0 {
				weights |= 1 << i
			}
		}
	}
	counts := map[string]*wordCount{}
	err := eachRow(ctx, c, a[0].Str(), []*value.Type{value.TSVector}, "ts_stat query must return one tsvector column", func(row []val) error {
		if row[0].IsNull() {
			return nil
		}
		for _, l := range typeio.TSV(row[0]).Lexemes {
			n := int64(0)
			for _, p := range l.Places {
				if weights == 0 || weights&(1<<p.Weight()) != 0 {
					n++
				}
			}
			if len(l.Places) == 0 && weights == 0 {
				n = 1
			}
			if n == 0 {
				continue
			}
			w := counts[l.Text]
			if w == nil {
				w = &wordCount{}
				counts[strings.Clone(l.Text)] = w
			}
			w.docs++
			w.entries += n
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	words := make([]string, 0, len(counts))
	for w := range counts {
		words = append(words, w)
	}
	slices.Sort(words)
	cols := batch.Columns(out, len(words))
	for _, w := range words {
		cols[0].Append(value.String(w))
		cols[1].Append(value.Int(counts[w].docs))
		cols[2].Append(value.Int(counts[w].entries))
	}
	return batch.Of(out, cols...), nil
}

// eachRow runs a query whose columns must have the types (22023 with the text otherwise) and visits its rows.
func eachRow(ctx context.Context, c *call, sql string, types []*value.Type, otherwise string, visit func(row []val) error) error {
	if c.Env == nil || c.Env.Routines == nil {
		return dberr.New(dberr.FeatureNotSupported, "no query can be run here")
	}
	it, err := c.Env.Routines.Query(ctx, c.Env, sql)
	if err != nil {
		return err
	}
	defer it.Close()
	shape := it.Schema()
	if !slices.EqualFunc(shape, types, func(f value.Field, t *value.Type) bool { return f.Type.OID == t.OID }) {
		return dberr.New(dberr.InvalidParameterValue, "%s", otherwise)
	}
	row := make([]val, len(shape))
	for {
		b, err := it.Next(ctx)
		if err != nil || b == nil {
			return err
		}
		for i := range b.Rows() {
			for j, col := range b.Cols {
				row[j] = col.Get(b.Row(i))
			}
			if err := visit(row); err != nil {
				return err
			}
		}
	}
}
