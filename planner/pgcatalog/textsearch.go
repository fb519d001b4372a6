package pgcatalog

import (
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// The catalogs of text search: a configuration for each language with a stemmer, which maps the tokens of the one parser to dictionaries.

// The OIDs of the parser and of the templates that dictionaries are made from.
const (
	defaultParser    = 3722
	simpleTemplate   = 3727
	snowballTemplate = 13150
)

// withoutStopwords are the languages whose stemmers PostgreSQL gives no list of stop words.
var withoutStopwords = map[string]bool{"arabic": true, "irish": true, "romanian": true, "tamil": true}

func configOID(name string) value.Value {
	id, _ := typeio.TSConfigOID(name)
	return oid(id)
}

func dictOID(name string) value.Value {
	id, _ := typeio.TSDictOID(name)
	return oid(id)
}

// stemmerOf names the dictionary of a language's words.
func stemmerOf(config string) string {
	if config == "simple" {
		return config
	}
	return config + "_stem"
}

func tsConfigNames(*world) []string { return typeio.TSConfigs() }

var pgTSConfig = of[string]{
	items: tsConfigNames,
	cols: map[string]func(*world, string) value.Value{
		"oid":          func(_ *world, n string) value.Value { return configOID(n) },
		"cfgname":      func(_ *world, n string) value.Value { return text(n) },
		"cfgnamespace": fixed[string](oid(catalog.PgCatalogSchema)),
		"cfgowner":     fixed[string](oid(catalog.SuperRole)),
		"cfgparser":    fixed[string](num(defaultParser)),
	},
}

var pgTSDict = of[string]{
	items: tsConfigNames,
	cols: map[string]func(*world, string) value.Value{
		"oid":           func(_ *world, n string) value.Value { return dictOID(stemmerOf(n)) },
		"dictname":      func(_ *world, n string) value.Value { return text(stemmerOf(n)) },
		"dictnamespace": fixed[string](oid(catalog.PgCatalogSchema)),
		"dictowner":     fixed[string](oid(catalog.SuperRole)),
		"dicttemplate": func(_ *world, n string) value.Value {
			if n == "simple" {
				return num(simpleTemplate)
			}
			return num(snowballTemplate)
		},
		"dictinitoption": func(_ *world, n string) value.Value {
			switch {
			case n == "simple":
				return value.Null
			case withoutStopwords[n]:
				return text("language = '" + n + "'")
			}
			return text("language = '" + n + "', stopwords = '" + n + "'")
		},
	},
}

// tokenMap is a row of pg_ts_config_map.
type tokenMap struct {
	config string
	token  int
	dict   string
}

// The tokens of the default parser that are looked up, by what their words are.
var (
	asciiTokens = []int{1, 11, 16}
	wordTokens  = []int{2, 10, 17}
	otherTokens = []int{3, 4, 5, 6, 7, 8, 9, 15, 18, 19, 20, 21, 22}
)

var pgTSConfigMap = of[tokenMap]{
	items: func(w *world) []tokenMap {
		var out []tokenMap
		for _, n := range typeio.TSConfigs() {
			ascii := stemmerOf(n)
			if n == "russian" {
				ascii = "english_stem"
			}
			for _, t := range asciiTokens {
				out = append(out, tokenMap{n, t, ascii})
			}
			for _, t := range wordTokens {
				out = append(out, tokenMap{n, t, stemmerOf(n)})
			}
			for _, t := range otherTokens {
				out = append(out, tokenMap{n, t, "simple"})
			}
		}
		return out
	},
	cols: map[string]func(*world, tokenMap) value.Value{
		"mapcfg":       func(_ *world, m tokenMap) value.Value { return configOID(m.config) },
		"maptokentype": func(_ *world, m tokenMap) value.Value { return num(m.token) },
		"mapseqno":     fixed[tokenMap](num(1)),
		"mapdict":      func(_ *world, m tokenMap) value.Value { return dictOID(m.dict) },
	},
}

// textSearchComments describes configurations and dictionaries.
func textSearchComments(add func(object, class uint32, sub int16, text string)) {
	for _, n := range typeio.TSConfigs() {
		config, _ := typeio.TSConfigOID(n)
		dict, _ := typeio.TSDictOID(stemmerOf(n))
		if n == "simple" {
			add(config, classTSConfig, 0, "simple configuration")
			add(dict, classTSDict, 0, "simple dictionary: just lower case and check for stopword")
			continue
		}
		add(config, classTSConfig, 0, "configuration for "+n+" language")
		add(dict, classTSDict, 0, "snowball stemmer for "+n+" language")
	}
}
