package builtin

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/functions/scalar"
	"github.com/omgdb/omgdb/storage/value"
)

var generate = flag.Bool("generate", false, "write the expressions of testdata/auto_*.txt anew from the registry (then -rewrite)")

// samples are interesting values by type name.
var samples = map[string][]string{
	"bool":    {"t", "f"},
	"int2":    {"0", "1", "-1", "7", "32767", "-32768", "100"},
	"int4":    {"0", "1", "-1", "5", "2", "3", "2147483647", "-2147483648", "10", "-7"},
	"int8":    {"0", "1", "-1", "9", "9223372036854775807", "-9223372036854775808", "4294967296", "123456789012"},
	"float4":  {"0", "1.5", "-2.25", "3.4e38", "1e-40", "NaN", "Infinity", "-Infinity", "0.1"},
	"float8":  {"0", "1", "0.5", "-2.5", "3.7", "1e308", "5e-324", "NaN", "Infinity", "-Infinity", "0.1", "123456.789", "-0"},
	"numeric": {"0", "1", "-1", "0.5", "2.50", "-3.70", "123456789.123456789", "1e20", "0.0000001", "NaN", "Infinity", "-Infinity", "10", "99999999999999999999.99"},
	"text":    {"", "abc", "Hello World", "äöü ÄÖÜ ß", "  pad  ", "a,b,c", "123", "日本語", "%a_c", "x"},
	"varchar": {"", "abc", "Hello"},
	"bpchar":  {"abc", "abc  ", ""},
	"name":    {"abc", "Zed"},
	"char":    {"a", "Z"},
	"bytea":   {`\x`, `\x00ff10`, "abc", `\x616263`},
	"date":    {"2024-02-29", "1999-12-31", "2000-01-01", "infinity", "-infinity", "0044-03-15 BC", "1970-01-01"},
	"time":    {"00:00", "12:34:56.789", "23:59:59.999999", "24:00:00"},
	"timetz":  {"00:00+00", "12:34:56.789-05", "23:59:59+14", "12:00+05:30"},
	"timestamp": {
		"2024-02-29 12:34:56.789", "1999-12-31 23:59:59", "2000-01-01", "infinity", "-infinity", "0044-03-15 01:02:03 BC", "2023-01-31 10:00",
	},
	"timestamptz": {
		"2024-02-29 12:34:56.789+00", "1999-12-31 23:59:59-08", "2000-01-01 00:00+00", "infinity", "-infinity", "2023-03-26 01:30+01",
	},
	"interval": {"0", "1 day", "-1 mon 3 days", "1 year 2 mons 3 days 04:05:06.789", "25:00:00", "-00:00:01", "40 days", "13 mons"},
	"uuid":     {"00000000-0000-0000-0000-000000000000", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"},
	"json":     {"null", "1", `"a"`, "[1,2,3]", `{"a": 1, "b": {"c": [1, null]}}`, "{}", "[]", ` { "x" : 1.50 } `},
	"jsonb":    {"null", "1", `"a"`, "[1,2,3]", `{"a": 1, "b": {"c": [1, null]}}`, "{}", "[]", `["a","b"]`, "true", "1.50"},
	"_text":    {"{}", "{a,b,c}", "{a,NULL}", "{{a,b},{c,d}}", "{b}", "{a}"},
	"_int4":    {"{}", "{1,2,3}", "{3,NULL,1}", "{{1,2},{3,4}}", "[0:2]={7,8,9}"},
	"oid":      {"0", "25", "4294967295"},
	"bit":      {"1", "0"}, "varbit": {"", "101", "1111000011110000", "001"},
	"inet":      {"192.168.1.5/24", "10.0.0.1", "::1", "2001:db8::/32", "192.168.1.0/24"},
	"cidr":      {"192.168.0.0/16", "10.0.0.0/8", "2001:db8::/32"},
	"macaddr":   {"08:00:2b:01:02:03", "ff:ff:ff:ff:ff:ff"},
	"macaddr8":  {"08:00:2b:01:02:03:04:05", "ff:ff:ff:ff:ff:ff:ff:ff"},
	"int4range": {"[1,5)", "empty", "(,3)", "[3,)", "(,)", "[5,9)", "[2,2]"},
	"int8range": {"[1,5)", "empty"}, "numrange": {"[1.5,2.5]", "(0,10)", "empty", "[2.5,)"}, "daterange": {"[2020-01-01,2020-12-31]", "(,2020-01-01)"},
	"tsrange":        {"[2020-01-01,2020-06-01)", "empty"},
	"tstzrange":      {"[2020-01-01 00:00+00,2020-06-01 00:00+00)"},
	"int4multirange": {"{}", "{[1,3),[5,9)}", "{(,2),[4,)}", "{[2,6)}"},
	"nummultirange":  {"{[1.5,2.5]}", "{}"},
	"jsonpath":       {"$", "$.a", "$.b.c[*]", "$[*] ? (@ > 1)", "strict $.x"},
	"pg_lsn":         {"0/0", "16/B374D848"},
	"_float8":        {"{1.5,2}", "{}"}, "_numeric": {"{1.5,NaN}", "{}"}, "_bool": {"{t,f}"}, "_jsonb": {`{1,"{\"a\":2}"}`},
}

// polySamples stand for the polymorphic types, several at a time so that a call is consistent.
var polySamples = map[uint32][]string{
	value.AnyElement.OID: {"int4", "text"}, value.AnyArray.OID: {"_int4", "_text"}, value.AnyNonArray.OID: {"int4", "text"},
	value.AnyCompatible.OID: {"int4", "text"}, value.AnyCompatibleArray.OID: {"_int4", "_text"}, value.AnyCompatibleNonArray.OID: {"int4", "text"},
	value.AnyRange.OID: {"int4range", "numrange"}, value.AnyMultirange.OID: {"int4multirange", "nummultirange"},
	value.AnyCompatibleRange.OID: {"int4range", "numrange"}, value.AnyCompatibleMultirange.OID: {"int4multirange", "nummultirange"},
}

// skipped functions depend on the moment, the session or chance, or would take long.
var skippedFuncs = map[string]bool{
	"random": true, "gen_random_uuid": true, "now": true, "clock_timestamp": true, "pg_sleep": true, "version": true, "transaction_timestamp": true,
	"statement_timestamp": true, "timeofday": true, "setseed": true, "pg_backend_pid": true, "repeat": true, "current_setting": true, "set_config": true,
	"pg_typeof": true, "lpad": true, "rpad": true, "bpchar": true, "varchar": true,
	"timestamptz": true, "timestamp": true, "time": true, "timetz": true, "interval": true, "bit": true, "varbit": true, // length coercions: see casts "pg_column_size": true,
}

// ofSession tells whether a function's answer depends on the session or the catalog.
func ofSession(name string) bool {
	for _, prefix := range []string{"pg_", "current_", "session_user", "txid_", "to_reg", "obj_desc", "col_desc", "shobj_", "format_type", "has_", "getpg", "inet_server",
		"inet_client", "nextval", "currval", "lastval", "setval"} {
		if strings.HasPrefix(name, prefix) && !strings.HasPrefix(name, "pg_size") {
			return true
		}
	}
	return false
}

func literal(typ, s string) string {
	name := typ
	if rest, ok := strings.CutPrefix(typ, "_"); ok {
		name = rest + "[]"
	}
	if name == "char" {
		name = `"char"`
	}
	q := "'" + strings.ReplaceAll(s, "'", "''") + "'::" + name
	if typ == "bit" {
		return "B'" + s + "'"
	}
	return q
}

// argLists gives up to n combinations of sample arguments for parameter types; nil when a type has no samples.
func argLists(rng *rand.Rand, types []*value.Type, n int) [][]string {
	var out [][]string
	for variant := range 2 {
		pools := make([][]string, len(types))
		total := 1
		for i, t := range types {
			name := t.Name
			if p := polySamples[t.OID]; p != nil {
				name = p[variant]
				if name == "text" && slices.ContainsFunc(types, func(t *value.Type) bool { return t.OID == value.AnyRange.OID || t.OID == value.AnyMultirange.OID }) {
					name = "numeric"
				}
			} else if t.OID == value.Any.OID {
				name = []string{"int4", "text"}[variant]
			}
			s := samples[name]
			if s == nil {
				return nil
			}
			for _, x := range s {
				pools[i] = append(pools[i], literal(name, x))
			}
			total *= len(s)
		}
		if total <= n {
			out = append(out, product(pools)...)
		} else {
			for range n {
				args := make([]string, len(pools))
				for i, p := range pools {
					args[i] = p[rng.IntN(len(p))]
				}
				out = append(out, args)
			}
		}
		if !slices.ContainsFunc(types, func(t *value.Type) bool { return polySamples[t.OID] != nil || t.OID == value.Any.OID }) {
			break
		}
	}
	return out
}

func product(pools [][]string) [][]string {
	out := [][]string{nil}
	for _, p := range pools {
		var next [][]string
		for _, head := range out {
			for _, x := range p {
				next = append(next, append(slices.Clone(head), x))
			}
		}
		out = next
	}
	return out
}

func TestGenerate(t *testing.T) {
	if !*generate {
		return // nothing to check: this is the tool that writes the golden files
	}
	reg, err := New(functions.Entries{})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	e := reg.Entries()
	ops, fns, casts := newLines(), newLines(), newLines()
	behind := map[uint32]bool{}
	for _, o := range e.Operators {
		behind[o.Fn.OID] = true
		if o.OID >= 8000 {
			continue
		}
		types := []*value.Type{o.Left, o.Right}
		if o.Left == nil {
			types = types[1:]
		}
		for _, args := range argLists(rng, types, 14) {
			if len(args) == 1 {
				ops.add("%s (%s)", o.Name, args[0])
			} else {
				ops.add("%s %s %s", args[0], o.Name, args[1])
			}
		}
	}
	for _, f := range e.Scalars {
		if behind[f.OID] || skippedFuncs[f.Name] || ofSession(f.Name) || f.Eval == nil || f.OID >= 8000 || f.Hidden || f.Volatility == functions.Volatile {
			continue
		}
		types := make([]*value.Type, len(f.Params))
		for i, p := range f.Params {
			types[i] = p.Type
		}
		if f.Name == "age" && len(types) == 1 || f.Name == "make_interval" { // the first depends on the day, PostgreSQL 15's second overflows silently
			continue
		}
		for _, args := range argLists(rng, types, 14) {
			if f.Variadic && len(args) > 0 && f.Params[len(f.Params)-1].Type.OID != value.Any.OID {
				args[len(args)-1] = "VARIADIC " + args[len(args)-1]
			}
			fns.add("%s(%s)", scalar.QuoteIdent(f.Name), strings.Join(args, ", "))
		}
	}
	for _, c := range e.Casts {
		if strings.HasPrefix(c.To.Name, "reg") || strings.HasPrefix(c.From.Name, "reg") {
			continue // what they show depends on the catalog
		}
		name := c.To.Name
		if name == "char" {
			name = `"char"`
		}
		for _, s := range samples[c.From.Name] {
			casts.add("%s::%s", literal(c.From.Name, s), name)
		}
	}
	for name, l := range map[string]*lines{"operators": ops, "functions": fns, "casts": casts} {
		if err := os.WriteFile("testdata/auto_"+name+".txt", []byte(strings.Join(l.all, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// lines collects different expressions.
type lines struct {
	all  []string
	seen map[string]bool
}

func newLines() *lines { return &lines{seen: map[string]bool{}} }

func (l *lines) add(format string, args ...any) {
	s := fmt.Sprintf(format, args...)
	if !l.seen[s] {
		l.seen[s] = true
		l.all = append(l.all, s)
	}
}
