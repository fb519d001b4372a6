package doc

import (
	"strings"
	"testing"

	"github.com/omgdb/omgdb/storage/dberr"
)

// extTexts are Extended JSON texts: what type they become, how canonical JSON, jsonb and ->> show it. An err holds a
// code and a part of the message.
var extTexts = []struct {
	in        string
	kind      byte
	canonical string // "" = as in
	jsonb     string // "" = canonical with blanks
	text      string
	err       string
}{
	{in: `{"$oid":"0123456789abcdef01234567"}`, kind: TypeObjectID, text: "0123456789abcdef01234567"},
	{in: `{"$oid":"0123456789ABCDEF01234567"}`, kind: TypeObjectID, canonical: `{"$oid":"0123456789abcdef01234567"}`, text: "0123456789abcdef01234567"},
	{in: `{"$date":"2020-01-01T00:00:00Z"}`, kind: TypeDate, text: "2020-01-01T00:00:00Z"},
	{in: `{"$date":"2020-01-01T00:00:00.000Z"}`, kind: TypeDate, canonical: `{"$date":"2020-01-01T00:00:00Z"}`, text: "2020-01-01T00:00:00Z"},
	{in: `{"$date":"2020-01-01T00:00:00.12Z"}`, kind: TypeDate, canonical: `{"$date":"2020-01-01T00:00:00.120Z"}`, text: "2020-01-01T00:00:00.120Z"},
	{in: `{"$date":"2020-01-01T00:00:00.123456Z"}`, kind: TypeBinary, text: "2020-01-01T00:00:00.123456Z"},
	{in: `{"$date":"2020-01-01T00:00:00.123000Z"}`, kind: TypeDate, canonical: `{"$date":"2020-01-01T00:00:00.123Z"}`, text: "2020-01-01T00:00:00.123Z"},
	{in: `{"$date":"2020-01-01T00:00:00.1234560Z"}`, kind: TypeBinary, canonical: `{"$date":"2020-01-01T00:00:00.123456Z"}`, text: "2020-01-01T00:00:00.123456Z"},
	{in: `{"$date":"2020-01-01T02:30:00+02:30"}`, kind: TypeDate, canonical: `{"$date":"2020-01-01T00:00:00Z"}`, text: "2020-01-01T00:00:00Z"},
	{in: `{"$date":"2019-12-31T19:00-0500"}`, kind: TypeDate, canonical: `{"$date":"2020-01-01T00:00:00Z"}`, text: "2020-01-01T00:00:00Z"},
	{in: `{"$date":"2020-02-29T23:59:59.999Z"}`, kind: TypeDate, text: "2020-02-29T23:59:59.999Z"},
	{in: `{"$date":"1960-05-06T07:08:09Z"}`, kind: TypeDate, canonical: `{"$date":{"$numberLong":"-304707111000"}}`, text: "1960-05-06T07:08:09Z"},
	{in: `{"$date":"1960-05-06T07:08:09.000001Z"}`, kind: TypeBinary, text: "1960-05-06T07:08:09.000001Z"},
	{in: `{"$date":{"$numberLong":"1577836800000"}}`, kind: TypeDate, canonical: `{"$date":"2020-01-01T00:00:00Z"}`, text: "2020-01-01T00:00:00Z"},
	{in: `{"$date":{"$numberLong":"-62198755200000"}}`, kind: TypeDate, text: "0002-01-01T00:00:00Z BC"},
	{in: `{"$date":{"$numberLong":"253402300800000"}}`, kind: TypeDate, text: "10000-01-01T00:00:00Z"},
	{in: `{"$date":"-0001-01-01T00:00:00.000001Z"}`, kind: TypeBinary, text: "0002-01-01T00:00:00.000001Z BC"},
	{in: `{"$date":"infinity"}`, kind: TypeBinary, text: "infinity"},
	{in: `{"$date":"-infinity"}`, kind: TypeBinary, text: "-infinity"},
	{in: `{"$numberInt":"5"}`, kind: TypeInt32, canonical: "5", text: "5"},
	{in: `{"$numberLong":"5"}`, kind: TypeInt64, canonical: "5", text: "5"},
	{in: `{"$numberLong":"-9223372036854775808"}`, kind: TypeInt64, canonical: "-9223372036854775808", text: "-9223372036854775808"},
	{in: `{"$numberDouble":"5"}`, kind: TypeDouble, canonical: "5.0", text: "5.0"},
	{in: `{"$numberDouble":"-0.0"}`, kind: TypeDouble, canonical: "-0.0", jsonb: "0.0", text: "0.0"},
	{in: `-0.0`, kind: TypeDouble, jsonb: "0.0", text: "0.0"},
	{in: `{"$numberDouble":"1e21"}`, kind: TypeDouble, canonical: "1000000000000000000000.0", text: "1000000000000000000000.0"},
	{in: `{"$numberDouble":"NaN"}`, kind: TypeDouble, text: "NaN"},
	{in: `{"$numberDouble":"-Infinity"}`, kind: TypeDouble, text: "-Infinity"},
	{in: `{"$numberDecimal":"1.50"}`, kind: TypeDecimal128, canonical: "1.50", text: "1.50"},
	{in: `{"$numberDecimal":"1.5"}`, kind: TypeDecimal128, canonical: "1.5", text: "1.5"},
	{in: `{"$numberDecimal":"1E+3"}`, kind: TypeDecimal128, canonical: "1000", text: "1000"},
	{in: `{"$numberDecimal":"-0"}`, kind: TypeDecimal128, canonical: `{"$numberDecimal":"-0E+0"}`, jsonb: "0", text: "0"},
	{in: `{"$numberDecimal":"NaN"}`, kind: TypeDecimal128, text: "NaN"},
	{in: `{"$numberDecimal":"Infinity"}`, kind: TypeDecimal128, text: "Infinity"},
	{in: `{"$numberDecimal":"12345678901234567890123456789012345678901234567890"}`, kind: TypeBinary, canonical: "12345678901234567890123456789012345678901234567890", text: "12345678901234567890123456789012345678901234567890"},
	{in: `1E+100`, kind: TypeDecimal128, jsonb: "1" + strings.Repeat("0", 100), text: "1" + strings.Repeat("0", 100)},
	{in: `1.5E-100`, kind: TypeDouble, canonical: "0." + strings.Repeat("0", 99) + "15", text: "0." + strings.Repeat("0", 99) + "15"},
	{in: `1.50E-100`, kind: TypeDecimal128, jsonb: "0." + strings.Repeat("0", 99) + "150", text: "0." + strings.Repeat("0", 99) + "150"},
	{in: `{"$binary":{"base64":"AQID","subType":"00"}}`, kind: TypeBinary, text: `{"$binary": {"base64": "AQID", "subType": "00"}}`},
	{in: `{"$binary":{"subType":"2","base64":"AQID"}}`, kind: TypeBinary, canonical: `{"$binary":{"base64":"AQID","subType":"02"}}`, text: `{"$binary": {"base64": "AQID", "subType": "02"}}`},
	{in: `{"$binary":"AQID","$type":"80"}`, kind: TypeBinary, canonical: `{"$binary":{"base64":"AQID","subType":"80"}}`, text: `{"$binary": {"base64": "AQID", "subType": "80"}}`},
	{in: `{"$uuid":"00112233-4455-6677-8899-AAbbccddeeff"}`, kind: TypeBinary, canonical: `{"$binary":{"base64":"ABEiM0RVZneImaq7zN3u/w==","subType":"04"}}`, text: "00112233-4455-6677-8899-aabbccddeeff"},
	{in: `{"$regularExpression":{"pattern":"a\"b","options":"xi"}}`, kind: TypeRegex, canonical: `{"$regularExpression":{"pattern":"a\"b","options":"ix"}}`, jsonb: `{"$regularExpression": {"options": "ix", "pattern": "a\"b"}}`, text: `{"$regularExpression": {"options": "ix", "pattern": "a\"b"}}`},
	{in: `{"$timestamp":{"t":4294967295,"i":1}}`, kind: TypeTimestamp, jsonb: `{"$timestamp": {"i": 1, "t": 4294967295}}`, text: `{"$timestamp": {"i": 1, "t": 4294967295}}`},
	{in: `{"$symbol":"s"}`, kind: TypeSymbol, text: "s"},
	{in: `{"$code":"f()"}`, kind: TypeCode, text: `{"$code": "f()"}`},
	{in: `{"$code":"f()","$scope":{"x":1}}`, kind: TypeCodeScope, text: `{"$code": "f()", "$scope": {"x": 1}}`},
	{in: `{"$dbPointer":{"$ref":"c","$id":{"$oid":"0123456789abcdef01234567"}}}`, kind: TypeDBPointer, jsonb: `{"$dbPointer": {"$id": {"$oid": "0123456789abcdef01234567"}, "$ref": "c"}}`, text: `{"$dbPointer": {"$id": {"$oid": "0123456789abcdef01234567"}, "$ref": "c"}}`},
	{in: `{"$minKey":1}`, kind: TypeMinKey, text: `{"$minKey": 1}`},
	{in: `{"$maxKey":1}`, kind: TypeMaxKey, text: `{"$maxKey": 1}`},
	{in: `{"$undefined":true}`, kind: TypeUndefined, text: `{"$undefined": true}`},
	// plain objects
	{in: `{"$ref":"c","$id":1}`, kind: TypeObject, jsonb: `{"$id": 1, "$ref": "c"}`, text: `{"$id": 1, "$ref": "c"}`},
	{in: `{"$regex":"x","$options":"i"}`, kind: TypeObject, jsonb: `{"$regex": "x", "$options": "i"}`, text: `{"$regex": "x", "$options": "i"}`},
	{in: `{"$gt":1}`, kind: TypeObject, text: `{"$gt": 1}`},
	{in: `{"a":1,"$oid":"x"}`, kind: TypeObject, text: `{"a": 1, "$oid": "x"}`},
	{in: `{"b":1,"a":2,"b":3}`, kind: TypeObject, canonical: `{"b":3,"a":2}`, jsonb: `{"a": 2, "b": 3}`, text: `{"a": 2, "b": 3}`},
	{in: `{"i":1,"h":2,"g":3,"f":4,"e":5,"d":6,"c":7,"b":8,"a":9,"i":10}`, kind: TypeObject, canonical: `{"i":10,"h":2,"g":3,"f":4,"e":5,"d":6,"c":7,"b":8,"a":9}`, jsonb: `{"a": 9, "b": 8, "c": 7, "d": 6, "e": 5, "f": 4, "g": 3, "h": 2, "i": 10}`, text: `{"a": 9, "b": 8, "c": 7, "d": 6, "e": 5, "f": 4, "g": 3, "h": 2, "i": 10}`},
	// mistakes
	{in: `{"$oid":"xyz"}`, err: `22P02 "$oid" needs a string of 24`},
	{in: `{"$oid":5}`, err: `22P02 "$oid" needs`},
	{in: `{"$oid":"0123456789abcdef01234567","x":1}`, err: `22P02 "$oid" needs no other members`},
	{in: `{"$date":"2020-02-30T00:00:00Z"}`, err: `22P02 "$date" needs`},
	{in: `{"$date":"2020-01-01T00:00:00"}`, err: `22P02 "$date" needs`},
	{in: `{"$date":"2020-01-01T00:00:00.1234567Z"}`, err: `22P02 "$date" needs`},
	{in: `{"$date":"2020-01-01T24:00:00Z"}`, err: `22P02 "$date" needs`},
	{in: `{"$date":"999999-01-01T00:00:00Z"}`, err: `22P02 "$date" needs`},
	{in: `{"$date":true}`, err: `22P02 "$date" needs`},
	{in: `{"$numberInt":"2147483648"}`, err: `22P02 "$numberInt" needs`},
	{in: `{"$numberInt":5}`, err: `22P02 "$numberInt" needs`},
	{in: `{"$numberLong":"1.5"}`, err: `22P02 "$numberLong" needs`},
	{in: `{"$numberDouble":"x"}`, err: `22P02 "$numberDouble" needs`},
	{in: `{"$numberDouble":"0x10"}`, err: `22P02 "$numberDouble" needs`},
	{in: `{"$numberDouble":"1e999"}`, err: `22P02 "$numberDouble" needs`},
	{in: `{"$numberDecimal":"1e"}`, err: `22P02 "$numberDecimal" needs`},
	{in: `{"$numberDecimal":"1e999999"}`, err: `22003 value overflows`},
	{in: `{"$binary":{"base64":"?","subType":"00"}}`, err: `22P02 "$binary" needs`},
	{in: `{"$binary":{"base64":"AQID","subType":"f0"}}`, err: `22023 binary subtype f0 is reserved`},
	{in: `{"$binary":{"base64":"AQID","subType":"F3"}}`, err: `22023 binary subtype f3 is reserved`},
	{in: `{"$binary":"AQID","$type":"f1"}`, err: `22023 binary subtype f1 is reserved`},
	{in: `{"$binary":{"base64":"AQID"}}`, err: `22P02 "$binary" needs`},
	{in: `{"$uuid":"0011"}`, err: `22P02 "$uuid" needs`},
	{in: `{"$regularExpression":{"pattern":"x"}}`, err: `22P02 "$regularExpression" needs`},
	{in: `{"$timestamp":{"t":-1,"i":1}}`, err: `22P02 "$timestamp" needs`},
	{in: `{"$timestamp":{"t":1}}`, err: `22P02 "$timestamp" needs`},
	{in: `{"$symbol":1}`, err: `22P02 "$symbol" needs`},
	{in: `{"$code":"x","$scope":1}`, err: `22P02 "$code" needs`},
	{in: `{"$minKey":0}`, err: `22P02 "$minKey" needs 1`},
	{in: `{"$undefined":false}`, err: `22P02 "$undefined" needs true`},
	{in: `{"a":{"$oid":"z"}}`, err: `22P02 "$oid" needs`},
	{in: "{\"a\":\"\xff\"}", err: `22021 invalid byte sequence for encoding "UTF8": 0xff`},
	{in: "\"\xed\xa0\x80\"", err: `22021 invalid byte sequence for encoding "UTF8": 0xed 0xa0 0x80`},
	{in: `{"a":"\u0000"}`, err: `22P05 unsupported Unicode escape sequence`},
	{in: `{"$date":"x"`, err: `22P02 invalid input syntax for type json`},
}

func TestExtJSON(t *testing.T) {
	for _, c := range extTexts {
		v, err := ParseExtJSON([]byte(c.in))
		if c.err != "" {
			code, part, _ := strings.Cut(c.err, " ")
			if err == nil || dberr.Code(err) != code || !strings.Contains(err.Error(), part) {
				t.Errorf("%s: got %v (%s), want %s", c.in, err, dberr.Code(err), c.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.in, err)
			continue
		}
		canonical, jsonb := c.canonical, c.jsonb
		if canonical == "" {
			canonical = c.in
		}
		if jsonb == "" {
			jsonb = strings.NewReplacer(`":`, `": `, `,"`, `, "`).Replace(canonical)
		}
		if v.Type != c.kind || v.Canonical() != canonical || v.JSONB() != jsonb || v.Text() != c.text {
			t.Errorf("%s: type %#x\ncanonical %s\njsonb     %s\ntext      %s", c.in, v.Type, v.Canonical(), v.JSONB(), v.Text())
		}
		if err := Validate(v, false); err != nil {
			t.Errorf("%s: %v", c.in, err)
		}
	}
}

func TestIDText(t *testing.T) {
	for _, c := range [][2]string{
		{`{"$oid":"0123456789abcdef01234567"}`, "0123456789abcdef01234567"},
		{`"x y"`, "x y"}, {`5`, "5"}, {`5.0`, "5"}, {`5.00`, "5"}, {`1.50`, "1.5"}, {`100`, "100"}, {`100.0`, "100"}, {`-0.0`, "0"}, {`0.00`, "0"},
		{`{"$numberDecimal":"1E+2"}`, "100"}, {`{"$numberLong":"7"}`, "7"}, {`true`, "true"}, {`null`, "null"},
		{`{"b":1,"a":"x"}`, `{"b":1,"a":"x"}`}, {`[1,2.5]`, "[1,2.5]"}, {`{"$date":"2020-01-01T00:00:00Z"}`, `{"$date":"2020-01-01T00:00:00Z"}`},
		{`{"$numberDouble":"NaN"}`, "NaN"},
	} {
		v := must(ParseExtJSON([]byte(c[0])))
		if got := IDText(v); got != c[1] {
			t.Errorf("%s: %s, want %s", c[0], got, c[1])
		}
	}
}
