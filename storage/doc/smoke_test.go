package doc

import "testing"

func TestSmoke(t *testing.T) {
	for _, s := range []string{`{"b":1,"a":[1,2.5,1.50,"x\u00e9",true,null,{}],"aa":{"c":-3,"a":1e300}}`, `12345678901234567890123456789012345678901234567890.10`, `"x"`, `[]`} {
		v, err := ParseJSONB([]byte(s))
		if err != nil {
			t.Fatal(err)
		}
		t.Log(v.JSONB(), v.Canonical())
		e, err := ParseExtJSON([]byte(s))
		if err != nil {
			t.Fatal(err)
		}
		t.Log(e.JSONB(), e.Canonical(), Compare(v, e), Hash(v) == Hash(e))
	}
	d, err := ParseDocument([]byte(`{"_id":{"$oid":"0123456789abcdef01234567"},"when":{"$date":"2020-01-01T00:00:00.123456Z"},"d":{"$date":"1960-01-01T00:00:00Z"},"n":1.50,"u":{"$uuid":"00112233-4455-6677-8899-aabbccddeeff"}}`))
	if err != nil {
		t.Fatal(err)
	}
	t.Log(d.Value().JSONB(), d.Value().Canonical())
	p := NewProjector(Keys("n"), Keys("_id"), Keys("_id", "$oid"))
	var out [3]Value
	p.Project(d, out[:])
	t.Log(out[0].Text(), out[1].Text(), out[2].Text())
	for _, s := range []string{`{a:1}`, `{"a":1`, `{"a":"\ud800"}`, `{"a":"\u0000"}`, `[1,]`} {
		_, err := ParseJSONB([]byte(s))
		t.Logf("%+v", err)
	}
}
