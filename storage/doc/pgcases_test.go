package doc

import "strings"

// Inputs of the answers in testdata/postgres.jsonl.

var jsonTexts = []string{
	// values
	`1`, `-0`, `0`, `-0.0`, `0.000`, `-0e-2`, `1.0`, `1.50`, `19.990`, `2.5e0`, `1e2`, `1.5e-3`, `1.50e1`, `123e-5`, `-12.5E+2`,
	`9007199254740993`, `9223372036854775807`, `9223372036854775808`, `-9223372036854775808`, `-9223372036854775809`,
	`12345678901234567890.000000000000000001`, `1e40`, `1e100`, `123456789012345678901234567890123456789012345.5`,
	`0.1`, `0.30000000000000004`, `0.1000000000000000055511151231257827`, `100000000000000000000.0`, `1e-30`, `4.35`,
	`1e22`, `10000000000000000000000.0`, `123456789.123456789`, `5e-324`, `2.2250738585072014e-308`, `1.7976931348623157e308`,
	`1e131072`, `1e-16384`, `0e5`, `0e999999`, `0e1073741822`, `0e1073741823`, `-0e1073741824`, `0.0e-16383`, `1e99999999999`, `0e99999999999`, `1e-99999999999`,
	`"x"`, `""`, `"a\"b\\c\/d\b\f\n\r\t\u0041\u00e9\ud83d\ude00é😀"`, "\"\u007f\"", `"\u001f\u0001"`, `true`, `false`, `null`,
	` [ 1 , 2 , [ ] , { } ] `, "{\n\t\"a\" :\r1}", `{"bb":1,"a":2,"bb":3,"c":{"zz":1,"y":[1,2]},"":0,"B":1}`,
	`{"b":1,"a":1,"b":2}`, `{"a":{"a":{"a":[]}}}`, `{"é":1,"zz":2,"😀":3,"a":4}`, `[[[[1]]]]`,
	`{"k1":1,"k2":2,"k3":3,"k4":4,"k5":5,"k6":6,"k7":7,"k8":8,"k9":9,"k10":10,"k1":11,"k0":12}`,
	`{"$oid":"0123456789abcdef01234567"}`, `{"a.b":1,"$c":2,"d$":3}`,
	// mistakes
	``, ` `, `{a:1}`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{"a":1`, `{"a":1 "b":2}`, `{1:2}`, `{"a":1,2:3}`, `{,}`, `{"a",1}`, `{"a":1]`,
	`[`, `[1`, `[1,`, `[1,]`, `[,1]`, `[1 2]`, `[1}`, `]`, `}`, `,`, `:`, `1 2`, `1 x`, `{} {}`, `"a" "b"`, `[1]]`,
	`tru`, `True`, `nulll`, `nan`, `NaN`, `Infinity`, `-`, `-x`, `-Infinity`, `01`, `1.`, `.5`, `1e`, `1e+`, `1.e5`, `1x`, `0x10`, `1.5.5`, `--1`, `+1`, `1_000`,
	`"abc`, `"`, `"a\`, `"a\x"`, `"a\é"`, `"\u12"`, `"\u12g4"`, `"\u12é4"`, `"\u0000"`, `{"\u0000":1}`, `"\ud800"`, `"\udc00"`, `"\ud800\ud800"`, `"\ud800x"`, `"\ud800é"`, `"\ud800\é"`, `"\ud800\q"`, `"\ud800\u12"`, `"\ud800\n"`, `"\ud83d\u0041"`, `"\ud83d`, `"\u`,
	"\"a\tb\"", "\"a\nb\"", "\"a\x01b\"", `'a'`, `{'a':1}`, `#`, `[1,#]`, `é`, `[1,é]`, `[1, ünïcödé]`, `/`, `\`, `@x`, "\v1", "\u00a01", "\ufeff1",
	"{\"a\":1,\n\"b\":x,\n\"c\":2}", "[1,\r\n2,\r\n3 4]", "{\n\n\n  \"a\" 1}", "[1,\n2\n", "\n\n x", "[x\n]", "{\"a\": x\r}",
	`{"aaaaaaaaaaaaaaaaaaaa":1,"bbbbbbbbbbbbbbbbbbbbbbbbbb":2,"cccccccccccccccc":oops,"d":1}`,
	`{"aaaaaaaaaaaaaaaaaaaa":1,"bbbbbbbbbbbbbbbbbbbbbbbbbb":oops}`,
	`[1,"` + strings.Repeat("é", 40) + `", x, 2]`, `"` + strings.Repeat("long ", 30) + "\x02\"", `[` + strings.Repeat("1,", 23) + `z]`, `[` + strings.Repeat("1,", 24) + `z]`, `[` + strings.Repeat("1,", 25) + `z]`,
	`{"a":"x` + strings.Repeat("y", 60), `["\ud800` + strings.Repeat("y", 60) + `"]`,
	`{"a":1,"b":"\u0000 and more text after it that is long enough to be cut off"}`,
}

// jsonValues meet each other in comparisons and containment.
var jsonValues = []string{
	`null`, `""`, `"a"`, `"b"`, `"aa"`, `"é"`, `0`, `-1`, `1`, `1.0`, `1.00`, `1.5`, `10`, `2`, `1e400`, `9007199254740993`, `9007199254740992`, `0.1`,
	`false`, `true`, `[]`, `[[]]`, `[null]`, `[1]`, `[9]`, `[1.0]`, `["a"]`, `[1,1]`, `[1,2]`, `[2,1]`, `[1,[2]]`, `[[1],2]`, `[{}]`, `[{"a":1}]`, `[{"a":1,"b":2}]`, `[1,"a",{"b":[2]}]`,
	`{}`, `{"a":1}`, `{"a":1.0}`, `{"a":2}`, `{"b":0}`, `{"a":null}`, `{"a":[]}`, `{"a":{}}`, `{"a":[1,2]}`, `{"a":{"b":1}}`, `{"a":1,"b":2}`, `{"b":2,"a":1}`, `{"bb":1,"a":1}`, `{"a":[{"b":1},{"c":2}]}`, `{"a":"1"}`, `{"a":true}`, `{"":1}`,
}

var (
	keyArgs   = []string{"a", "b", "", "0", "1", "-1", "bb", "é"}
	indexArgs = []string{"0", "1", "-1", "-2", "2", "7", "-7"}
	listArgs  = []string{"{}", "{a}", "{a,b}", "{z,a}", "{0}", "{z}", "{a,a}", `{""}`}
	pathArgs  = []string{"{}", "{a}", "{b}", "{z}", "{0}", "{-1}", "{7}", "{-7}", "{a,b}", "{a,0}", "{a,-1}", "{a,9}", "{0,a}", "{0,z}", "{1,0}", "{2,b,0}", "{a,b,c}", "{a,0,b}", "{x}", "{0,x}", "{NULL}", "{a,NULL}", `{" 1"}`, `{"+0"}`, `{"1 "}`, "{99999999999}", `{""}`}
)

func pgCases() []pgCase {
	var list []pgCase
	add := func(op string, args ...string) { list = append(list, pgCase{Op: op, Args: args}) }
	for _, s := range jsonTexts {
		add("jsonb", s)
		add("json", s)
	}
	for i, a := range jsonValues {
		for j, b := range jsonValues {
			if i <= j || (i+j)%3 == 0 {
				add("cmp", a, b)
			}
			if (i+2*j)%2 == 0 || a == b {
				add("contains", a, b)
			}
			if (i*7+j)%5 == 0 {
				add("||", a, b)
			}
		}
		add("strip", a)
		if i%3 != 0 && a != "[]" && a != "{}" {
			continue
		}
		for _, k := range keyArgs {
			add("->", a, k)
			add("->>", a, k)
			add("exists", a, k)
			add("-", a, k)
		}
		for _, x := range indexArgs {
			add("->i", a, x)
			add("->i->i", a, x)
			add("-i", a, x)
		}
		for _, l := range listArgs {
			add("any", a, l)
			add("all", a, l)
			add("-[]", a, l)
		}
		for k, p := range pathArgs {
			add("#>", a, p)
			add("#-", a, p)
			add("set", a, p, `"new"`, "true")
			add("insert", a, p, `{"n":[1]}`, "false")
			if (i+k)%2 == 0 {
				add("set", a, p, "null", "false")
				add("insert", a, p, "7", "true")
			}
		}
	}
	for _, s := range []string{`{"a":null,"b":[null,{"c":null}],"c":{"d":null,"e":1}}`, `[null,[{"a":null}]]`} {
		add("strip", s)
	}
	return list
}
