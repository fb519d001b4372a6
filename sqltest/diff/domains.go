package main

import "strings"

// domain is what values of a type are drawn from: their texts. The first ones are plain, the later ones on the edges.
type domain struct {
	sql    string
	values []string
}

var domains = map[string]domain{
	"bool":        {"boolean", words("true false")},
	"int2":        {"smallint", words("0 1 -1 2 3 7 10 100 -5 32767 -32768")},
	"int4":        {"integer", words("0 1 -1 2 3 5 7 10 42 100 -5 1000 2147483647 -2147483648")},
	"int8":        {"bigint", words("0 1 -1 2 3 5 7 10 42 -5 1000 4294967296 9223372036854775807 -9223372036854775808")},
	"float4":      {"real", words("0 1 -1 0.5 2.5 -3.25 1e10 1e-10 123456.7 NaN Infinity -Infinity 3.4e38")},
	"float8":      {"double precision", words("0 1 -1 0.5 2.5 -3.25 0.1 1e10 1e-10 123456.789 NaN Infinity -Infinity 1.7e308")},
	"numeric":     {"numeric", words("0 1 -1 0.5 2.50 -3.25 0.1 10 123.456 1e10 0.00001 99999999999999999999.99 NaN Infinity -Infinity")},
	"text":        {"text", append(words("a abc ABC xyz hello a1b2 0 1.5 é日本 a.c ab* %b_ [a-c]+ x,y,z"), "", "two words", "  pad ", "a\tb", `back\\slash`, "it's")},
	"varchar":     {"varchar", append(words("a abc ABC xyz hello 12"), "", "two words")},
	"bpchar":      {"character(5)", append(words("a abc ABC xyz"), "", "ab  c")},
	"name":        {"name", words("a abc pg_class some_name Upper")},
	"char":        {`"char"`, words("a b Z 1")},
	"bytea":       {"bytea", append(words(`\x00 \x01 \xdeadbeef \x616263 \xff00ff`), "")},
	"date":        {"date", words("2024-02-29 2000-01-01 1999-12-31 1970-01-01 2038-01-19 0001-01-01 infinity -infinity")},
	"time":        {"time", words("00:00:00 12:34:56 23:59:59.999999 01:02:03.5 24:00:00")},
	"timetz":      {"timetz", words("00:00:00+00 12:34:56-08 23:59:59.5+05:30")},
	"timestamp":   {"timestamp", append(words("infinity -infinity"), "2024-02-29 12:34:56.789", "2000-01-01 00:00:00", "1999-12-31 23:59:59", "1970-01-01 00:00:00", "2024-03-10 02:30:00")},
	"timestamptz": {"timestamptz", append(words("infinity -infinity"), "2024-02-29 12:34:56.789+00", "2000-01-01 00:00:00+02", "1999-12-31 23:59:59-08", "1970-01-01 00:00:00+00")},
	"interval":    {"interval", []string{"1 day", "2 hours", "1 mon", "1 year 2 mons", "-3 days", "00:00:00.5", "1 year 2 mons 3 days 04:05:06.7", "0", "100 hours", "-1 mon +2 days"}},
	"uuid":        {"uuid", words("00000000-0000-0000-0000-000000000000 a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11 ffffffff-ffff-ffff-ffff-ffffffffffff")},
	"json":        {"json", jsonValues},
	"jsonb":       {"jsonb", jsonValues},
	"jsonpath":    {"jsonpath", []string{"$", "$.a", "$.b[*]", "$[0]", "$.a ? (@ > 1)", "strict $.x", "$.**", "$.b.size()", "$.a + 1"}},
	"inet":        {"inet", words("192.168.1.5 10.0.0.0/8 192.168.1.0/24 ::1 fe80::1/64 0.0.0.0/0")},
	"cidr":        {"cidr", words("10.0.0.0/8 192.168.1.0/24 ::/0 fe80::/64 1.2.3.4/32")},
	"macaddr":     {"macaddr", words("08:00:2b:01:02:03 00:00:00:00:00:00 ff:ff:ff:ff:ff:ff")},
	"macaddr8":    {"macaddr8", words("08:00:2b:01:02:03:04:05 00:00:00:00:00:00:00:00 08:00:2b:ff:fe:01:02:03")},
	"bit":         {"bit(8)", words("00000000 10101010 11111111 00000001")},
	"varbit":      {"varbit", append(words("1 0 101 11111111 0000000000000001"), "")},
	"oid":         {"oid", words("0 1 25 1043 4294967295")},
	"int4range":   {"int4range", words("[1,5) [2,3) (,10) [7,) empty (,) [-5,0]")},
	"int8range":   {"int8range", words("[1,5) [2,3) (,10) [7,) empty (,)")},
	"numrange":    {"numrange", words("[1,5) (1.5,2.5] (,10) [7,) empty (,) [0,0]")},
	"daterange":   {"daterange", words("[2024-01-01,2024-02-01) (,2000-01-01) [2020-05-05,) empty")},
	"tsrange":     {"tsrange", []string{`["2024-01-01 00:00","2024-02-01 12:00")`, "(,)", "empty"}},
	"tstzrange":   {"tstzrange", []string{`["2024-01-01 00:00+00","2024-02-01 12:00+00")`, "(,)", "empty"}},

	"point":   {"point", words("(0,0) (-10,0) (-3,4) (5.1,34.5) (1e-300,-1e-300) (1e+300,Infinity) (NaN,NaN)")},
	"lseg":    {"lseg", words("[(1,2),(3,4)] [(0,0),(6,6)] [(10,-10),(-3,-4)] [(-10,2),(-10,3)] [(NaN,1),(NaN,90)]")},
	"box":     {"box", words("(2,2),(0,0) (3,3),(1,1) (-2,2),(-8,-10) (2.5,3.5),(2.5,2.5) (3,3),(3,3)")},
	"path":    {"path", words("[(1,2),(3,4)] ((1,2),(3,4)) [(0,0),(3,0),(4,5),(1,6)] ((1,2),(3,4),(7,1)) ((10,20))")},
	"polygon": {"polygon", words("((2,0),(2,4),(0,0)) ((3,1),(3,3),(1,0)) ((7,8),(5,6),(3,4),(1,2)) ((1,2),(7,8),(5,6),(3,-4)) ((0,0))")},
	"line":    {"line", words("{0,-1,5} {1,0,5} {1,-1,0} {-0.4,-1,-6} {3,NaN,5}")},
	"circle":  {"circle", words("<(5,1),3> <(1,2),100> <(100,200),10> <(3,5),0> <(3,5),NaN>")},

	"int4multirange": {"int4multirange", words("{} {[1,5)} {[1,3),[5,7)} {(,2),[9,)}")},
	"nummultirange":  {"nummultirange", words("{} {[1.5,5)} {[1,3),[5,7]} {(,2),[9,)}")},
	"datemultirange": {"datemultirange", words("{} {[2024-01-01,2024-02-01)}")},

	"_int4":    {"integer[]", words("{} {1} {1,2,3} {3,NULL,1} {{1,2},{3,4}} {5,5,5}")},
	"_int8":    {"bigint[]", words("{} {1} {1,2,3} {NULL,9}")},
	"_text":    {"text[]", words(`{} {a} {a,b,c} {NULL,x} {"two_words",b}`)},
	"_numeric": {"numeric[]", words("{} {1} {1.5,2.25} {NULL}")},
	"_float8":  {"double precision[]", words("{} {1} {1.5,2.25} {NULL}")},
}

var jsonValues = []string{`{"a": 1, "b": [1, 2, 3]}`, `[1, "x", null, true]`, `"text"`, `1.50`, `null`, `{}`, `[]`, `{"a": {"b": {"c": "deep"}}, "x": null}`, `[[1, 2], [3]]`, `true`, `-0.5e3`}

// poly are the polymorphic types, by what stands for them while T is the type chosen for the call.
var poly = map[string]func(t string) string{
	"anyelement": plain, "anycompatible": plain, "anynonarray": plain, "anycompatiblenonarray": plain, "any": plain,
	"anyarray": arrayOf, "anycompatiblearray": arrayOf, "anyrange": rangeOf, "anycompatiblerange": rangeOf, "anymultirange": multiOf, "anycompatiblemultirange": multiOf,
}

// polyTypes are the types that may be chosen: those with arrays, ranges and multiranges to draw from.
var polyTypes = []string{"int4", "numeric"}

func plain(t string) string   { return t }
func arrayOf(t string) string { return "_" + t }
func rangeOf(t string) string {
	if t == "numeric" {
		return "numrange"
	}
	return t + "range"
}
func multiOf(t string) string { return strings.TrimSuffix(rangeOf(t), "range") + "multirange" }

// domainOf finds the domain of a type that is not polymorphic; a polymorphic one is known too.
func domainOf(t string) (domain, bool) {
	if poly[t] != nil {
		return domain{}, true
	}
	d, ok := domains[t]
	return d, ok
}

func typeSQL(t string) string {
	if d, ok := domains[t]; ok {
		return d.sql
	}
	return t
}

func words(s string) []string { return strings.Fields(s) }

// hints are better values for the arguments of functions that want words of a language of their own, by name and place.
var hints = map[string]map[int][]string{
	"encode":                {1: words("hex base64 escape")},
	"decode":                {0: {"616263", "YWJj", "deadbeef"}, 1: words("hex base64 escape")},
	"date_trunc":            {0: units, 2: zones},
	"date_part":             {0: fields},
	"extract":               {0: fields},
	"timezone":              {0: zones},
	"to_char":               {1: {"YYYY-MM-DD HH24:MI:SS", "999D99", "FM9990.00", "Day DD Mon", "S999", "RN", "MI:SS.US", "9,999", "EEEE", "Q WW IYYY"}},
	"to_date":               {0: {"2024-02-29", "20240229", "29 Feb 2024"}, 1: {"YYYY-MM-DD", "YYYYMMDD", "DD Mon YYYY"}},
	"to_timestamp":          {0: {"2024-02-29 10:11:12", "29/02/2024"}, 1: {"YYYY-MM-DD HH24:MI:SS", "DD/MM/YYYY"}},
	"to_number":             {0: {"123", "-12.5", "1,234.50"}, 1: {"999", "S99D9", "9,999.99"}},
	"repeat":                {1: small},
	"lpad":                  {1: small},
	"rpad":                  {1: small},
	"split_part":            {1: {",", "b", "."}, 2: words("1 2 3 -1 9")},
	"overlay":               {2: words("1 2 3"), 3: words("0 1 2")},
	"substring":             {1: {"1", "2", "a", "b.", "[a-z]+"}, 2: words("0 1 2 5")},
	"substr":                {1: words("1 2 3 0 -1"), 2: words("0 1 2 5")},
	"regexp_match":          {1: patterns, 2: flags},
	"regexp_replace":        {1: patterns, 2: {"x", `\1`, ""}, 3: words("g i gi")},
	"regexp_count":          {1: patterns, 2: words("1 2"), 3: flags},
	"regexp_instr":          {1: patterns, 2: words("1 2"), 3: words("1 2"), 4: words("0 1"), 5: flags, 6: words("0 1")},
	"regexp_like":           {1: patterns, 2: flags},
	"regexp_substr":         {1: patterns, 2: words("1 2"), 3: words("1 2"), 4: flags, 5: words("0 1")},
	"regexp_split_to_array": {1: patterns, 2: flags},
	"textregexeq":           {1: patterns}, "textregexne": {1: patterns}, "texticregexeq": {1: patterns}, "texticregexne": {1: patterns},
	"bpcharregexeq": {1: patterns}, "bpcharregexne": {1: patterns}, "bpcharicregexeq": {1: patterns}, "bpcharicregexne": {1: patterns},
	"nameregexeq": {1: patterns}, "nameregexne": {1: patterns}, "nameicregexeq": {1: patterns}, "nameicregexne": {1: patterns},
	"~": {1: patterns}, "~*": {1: patterns}, "!~": {1: patterns}, "!~*": {1: patterns},
	"chr":              {0: words("65 97 233 26085")},
	"factorial":        {0: words("0 1 5 20 30")},
	"make_date":        {0: words("2024 1999"), 1: words("1 2 12"), 2: words("1 15 28")},
	"make_time":        {0: words("0 12 23"), 1: words("0 59"), 2: words("0 30.5")},
	"make_timestamp":   {0: words("2024 1999"), 1: words("1 2 12"), 2: words("1 15"), 3: words("0 12"), 4: words("0 59"), 5: words("0 30.5")},
	"make_timestamptz": {0: words("2024 1999"), 1: words("1 2 12"), 2: words("1 15"), 3: words("0 12"), 4: words("0 59"), 5: words("0 30.5"), 6: zones},
	"make_interval":    {0: small, 1: small, 2: small, 3: small, 4: small, 5: small, 6: words("0 1.5")},
	"get_bit":          {1: words("0 1 2")}, "set_bit": {1: words("0 1 2"), 2: words("0 1")},
	"get_byte": {1: words("0 0 1")}, "set_byte": {1: words("0 0 1"), 2: words("0 65 255")},
	"convert":   {1: words("UTF8"), 2: words("LATIN1 UTF8")},
	"normalize": {1: words("NFC NFD NFKC NFKD")}, "is_normalized": {1: words("NFC NFD")},
	"translate":         {1: words("abc el"), 2: words("xyz x")},
	"json_extract_path": {}, "width_bucket": {3: words("1 5 10")},
	"to_hex": {}, "parse_ident": {0: words("a a.b abc")}, "like_escape": {1: words("# !")}, "similar_escape": {1: words("# !")}, "similar_to_escape": {1: words("# !")},
	"jsonb_set": {1: words("{a} {b,0} {x}")}, "jsonb_insert": {1: words("{b,0} {z} {b,9}")}, "jsonb_set_lax": {1: words("{a} {x}"), 4: words("use_json_null delete_key return_target")},
	"set_masklen": {1: words("8 16 24")}, "array_fill": {1: words("{2} {1}"), 2: words("{1} {2}")}, "scale": {}, "trim_scale": {},
	"round": {1: words("0 1 2 -1")}, "trunc": {1: words("0 1 2 -1")}, "power": {1: words("0 1 2 0.5 -1")}, "pow": {1: words("0 1 2 0.5 -1")}, "^": {1: words("0 1 2 -1")},
	"<<": {}, "bitshiftleft": {1: words("0 1 3")}, "bitshiftright": {1: words("0 1 3")}, "unistr": {0: {"abc", `\0041`}},
	"numeric": {1: words("655364 1310728")}, "bit": {1: words("8 4 1")}, "varbit": {1: words("8 4")}, "varchar": {1: words("9 6")}, "bpchar": {1: words("9 6")},
	"time": {1: words("0 3")}, "timetz": {1: words("0 3")}, "timestamp": {1: words("0 3")}, "timestamptz": {1: words("0 3")}, "interval": {1: words("2147418115 268500991")},
	"convert_to": {1: words("UTF8")}, "convert_from": {1: words("UTF8")}, "length": {1: words("UTF8")}, "strpos": {1: words("a b l")}, "position": {},
	"date_bin": {0: {"15 minutes", "1 day"}},
}

var (
	small    = words("0 1 2 3 7")
	units    = words("year month day hour minute second week quarter decade century")
	fields   = words("year month day hour minute second epoch dow doy week quarter microseconds")
	zones    = words("UTC America/New_York Europe/Berlin Asia/Tokyo")
	patterns = words(`a b+ [a-c] ^h o$ (l+)o \d+ x|y .`)
	flags    = words("i g c n")
)
