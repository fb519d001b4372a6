package bind

import (
	"strconv"
	"strings"

	pg_query "github.com/omgdb/omgdb/planner/parse/ast"

	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// relOption is what a storage parameter may be: a boolean, a number between two, or one of some words.
type relOption struct {
	kind     byte // b boolean, i integer, f number, e word
	min, max float64
	words    []string // in the order in which messages name them
}

var (
	boolRel   = relOption{kind: 'b'}
	fillRel   = relOption{kind: 'i', min: 10, max: 100}
	cleanRel  = relOption{kind: 'e', words: []string{"on", "off", "auto"}}
	countRel  = relOption{kind: 'i', min: 0, max: 2147483647}
	thresRel  = relOption{kind: 'i', min: -1, max: 2147483647}
	factorRel = relOption{kind: 'f', min: 0, max: 100}
)

// vacuumOptions are the storage parameters of tables that those of their TOAST tables are as well.
var vacuumOptions = map[string]relOption{
	"autovacuum_enabled": boolRel, "vacuum_index_cleanup": cleanRel, "vacuum_truncate": boolRel,
	"autovacuum_vacuum_threshold": countRel, "autovacuum_vacuum_insert_threshold": thresRel,
	"autovacuum_vacuum_scale_factor": factorRel, "autovacuum_vacuum_insert_scale_factor": factorRel,
	"autovacuum_vacuum_cost_delay": factorRel, "autovacuum_vacuum_cost_limit": {kind: 'i', min: 1, max: 10000},
	"autovacuum_freeze_min_age": {kind: 'i', min: 0, max: 1e9}, "autovacuum_freeze_max_age": {kind: 'i', min: 1e5, max: 2e9},
	"autovacuum_freeze_table_age": {kind: 'i', min: 0, max: 2e9}, "autovacuum_multixact_freeze_min_age": {kind: 'i', min: 0, max: 1e9},
	"autovacuum_multixact_freeze_max_age": {kind: 'i', min: 1e4, max: 2e9}, "autovacuum_multixact_freeze_table_age": {kind: 'i', min: 0, max: 2e9},
	"log_autovacuum_min_duration": thresRel,
}

// relOptionsOf are the storage parameters by what has them. An access method that is not listed checks its own.
var relOptionsOf = map[string]map[string]relOption{
	"table": {
		"fillfactor": fillRel, "parallel_workers": {kind: 'i', min: 0, max: 1024}, "user_catalog_table": boolRel,
		"toast_tuple_target": {kind: 'i', min: 128, max: 8160}, "autovacuum_analyze_threshold": countRel, "autovacuum_analyze_scale_factor": factorRel,
	},
	"view":   {"security_barrier": boolRel, "security_invoker": boolRel, "check_option": {kind: 'e', words: []string{"local", "cascaded"}}},
	"btree":  {"fillfactor": fillRel, "deduplicate_items": boolRel},
	"hash":   {"fillfactor": fillRel},
	"gist":   {"fillfactor": fillRel, "buffering": {kind: 'e', words: []string{"on", "off", "auto"}}},
	"spgist": {"fillfactor": fillRel},
	"gin":    {"fastupdate": boolRel, "gin_pending_list_limit": {kind: 'i', min: 64, max: 2147483647}},
	"brin":   {"pages_per_range": {kind: 'i', min: 1, max: 131072}, "autosummarize": boolRel},
}

// optionsOn gives what options of an existing relation or index are checked as.
func optionsOn(rel *catalog.Relation, ix *catalog.Index) string {
	switch {
	case ix != nil && ix.Options["method"] != "":
		return ix.Options["method"]
	case ix != nil:
		return ix.Method
	case rel.Kind == catalog.ViewKind:
		return "view"
	}
	return "table"
}

// relOptions reads WITH (…) of a table, a view or an index of an access method; on is one of relOptionsOf's keys. Those of a TOAST table
// are checked and left out: there is none. reset says that only names are given.
func relOptions(on string, list []*pg_query.Node, reset bool) (map[string]string, error) {
	var out map[string]string
	for _, n := range list {
		e := n.GetDefElem()
		toast := e.Defnamespace == "toast" && on == "table"
		if e.Defnamespace != "" && !toast {
			return nil, dberr.New(dberr.InvalidParameterValue, "unrecognized parameter namespace \"%s\"", e.Defnamespace)
		}
		if e.Defname == "oids" && on == "table" {
			if v, _ := boolOption(e); v {
				return nil, dberr.New(dberr.FeatureNotSupported, "tables declared WITH OIDS are not supported")
			}
			continue
		}
		v := "true"
		if e.Arg != nil {
			v = constText(e.Arg)
		}
		if known := relOptionsOf[on]; known != nil && !reset {
			if err := checkRelOption(known, on, e.Defname, v, toast); err != nil {
				return nil, err
			}
		}
		if toast {
			continue
		}
		if out == nil {
			out = map[string]string{}
		}
		out[e.Defname] = v
	}
	return out, nil
}

func checkRelOption(known map[string]relOption, on, name, v string, toast bool) error {
	o, ok := known[name]
	if on == "table" && (!ok || toast) {
		o, ok = vacuumOptions[name]
	}
	if !ok {
		return dberr.New(dberr.InvalidParameterValue, "unrecognized parameter \"%s\"", name)
	}
	return o.check(name, v)
}

// check refuses a value that the parameter cannot have.
func (o relOption) check(name, v string) error {
	wrong := func(kind string) *dberr.Error {
		return dberr.New(dberr.InvalidParameterValue, "invalid value for %s option \"%s\": %s", kind, name, v)
	}
	bounds := func(x float64, format func(float64) string) error {
		if x >= o.min && x <= o.max {
			return nil
		}
		return dberr.New(dberr.InvalidParameterValue, "value %s out of bounds for option \"%s\"", v, name).
			WithDetail("Valid values are between \"%s\" and \"%s\".", format(o.min), format(o.max))
	}
	switch o.kind {
	case 'b':
		if _, err := typeio.In(value.Boolean, -1, v, nil); err != nil {
			return wrong("boolean")
		}
	case 'i':
		x, err := strconv.ParseInt(v, 10, 32)
		if err != nil {
			return wrong("integer")
		}
		return bounds(float64(x), func(x float64) string { return strconv.FormatInt(int64(x), 10) })
	case 'f':
		x, err := strconv.ParseFloat(v, 64)
		if err != nil {
			return wrong("floating point")
		}
		return bounds(x, func(x float64) string { return strconv.FormatFloat(x, 'f', 6, 64) })
	case 'e':
		for _, w := range o.words {
			if strings.EqualFold(v, w) {
				return nil
			}
		}
		if o.words[0] == "on" && (strings.EqualFold(v, "true") || strings.EqualFold(v, "false")) {
			return nil
		}
		last := len(o.words) - 1
		list := `"` + strings.Join(o.words[:last], `", "`) + `"`
		if last > 1 {
			list += ","
		}
		return wrong("enum").WithDetail("Valid values are %s and \"%s\".", list, o.words[last])
	}
	return nil
}
