package typeio

import (
	"maps"
	"slices"
	"strings"
)

// tsConfigs are the text search configurations: PostgreSQL's name and OID; but for simple, that one chooses the OIDs anew for each cluster.
var tsConfigs = map[string]uint32{
	"simple": 3748, "arabic": 8960, "danish": 8961, "dutch": 8962, "english": 8963, "finnish": 8964, "french": 8965, "german": 8966,
	"hungarian": 8967, "irish": 8968, "italian": 8969, "norwegian": 8970, "portuguese": 8971, "romanian": 8972, "russian": 8973, "spanish": 8974,
	"swedish": 8975, "tamil": 8976, "turkish": 8977,
}

// TSConfigs lists the names of the text search configurations.
func TSConfigs() []string { return slices.Sorted(maps.Keys(tsConfigs)) }

// TSConfigOID finds a configuration by name, with or without its schema.
func TSConfigOID(name string) (uint32, bool) {
	oid, ok := tsConfigs[strings.ToLower(strings.TrimPrefix(name, "pg_catalog."))]
	return oid, ok
}

// TSConfigName is the name of a configuration.
func TSConfigName(oid uint32) (string, bool) {
	for name, o := range tsConfigs {
		if o == oid {
			return name, true
		}
	}
	return "", false
}

// simpleDict is the OID of the dictionary that lowers words; the stemmer of a language has that of its configuration and stemmers more.
const (
	simpleDict = 3765
	stemmers   = 20
)

// TSDictOID finds a text search dictionary by name, with or without its schema.
func TSDictOID(name string) (uint32, bool) {
	name = strings.ToLower(strings.TrimPrefix(name, "pg_catalog."))
	if name == "simple" {
		return simpleDict, true
	}
	lang, stems := strings.CutSuffix(name, "_stem")
	oid, ok := tsConfigs[lang]
	return oid + stemmers, ok && stems && lang != "simple"
}

// TSDictName is the name of a text search dictionary.
func TSDictName(oid uint32) (string, bool) {
	if oid == simpleDict {
		return "simple", true
	}
	lang, ok := TSConfigName(oid - stemmers)
	return lang + "_stem", ok && lang != "simple"
}
