package index

import (
	"bytes"
	"testing"

	"github.com/omgdb/omgdb/storage/key"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// TestOrderOfComponents compares all pairs of values of a type: their components are ordered as the type compares them, both ways, and
// those of equal values are equal.
func TestOrderOfComponents(t *testing.T) {
	pair := &value.Type{OID: 99001, Name: "pair", SQL: "pair", Kind: value.KindBox, Class: value.Composite,
		Fields: []value.Field{{Name: "a", Type: value.Int4, Mod: -1}, {Name: "b", Type: value.Text, Mod: -1}}}
	for _, c := range []struct {
		t     *value.Type
		texts []string
	}{
		{value.JSONB, []string{`[]`, `null`, `""`, `"a"`, `"a b"`, `"ab"`, `"é"`, `0`, `-1`, `1`, `1.0`, `1.5`, `1e30`, `12345678901234567890.5`, `true`, `false`, `[null]`, `[[]]`,
			`[1]`, `["a"]`, `[{}]`, `[1, 2]`, `[2, 1]`, `[[1], 2]`, `{}`, `{"a": 1}`, `{"a": 2}`, `{"b": 1}`, `{"aa": 1}`, `{"a": []}`, `{"a": null}`, `{"a": 1, "b": 2}`,
			`{"b": 2, "a": 1}`, `{"a": 1, "b": {"c": [1, 2]}}`, `{"$date": "2020-01-01T00:00:00Z"}`, `{"$date": "2020-01-01T00:00:00.5Z"}`, `{"$date": "x"}`, `{"$date": 5}`}},
		{value.Inet, []string{"10.0.0.0/8", "10.0.0.1", "10.0.0.1/8", "10.0.0.1/24", "10.1.0.0/16", "10.200.0.0/8", "9.255.255.255", "::1", "::/0", "fe80::1/64", "0.0.0.0/0"}},
		{value.CIDR, []string{"10.0.0.0/8", "10.0.0.0/16", "10.1.0.0/16", "192.168.1.0/24", "::/0", "2001:db8::/32"}},
		{value.Macaddr, []string{"00:00:00:00:00:00", "08:00:2b:01:02:03", "08:00:2b:01:02:04", "ff:ff:ff:ff:ff:ff"}},
		{value.Macaddr8, []string{"08:00:2b:01:02:03:04:05", "08:00:2b:01:02:03:04:06", "88:00:2b:01:02:03:04:05"}},
		{value.TimeTZT, []string{"10:00+01", "09:00+00", "09:00+02", "10:00-03", "00:00+15", "24:00-15"}},
		{value.Bit, []string{"", "0", "00", "01", "1", "10", "0000000011"}},
		{value.VarBit, []string{"", "0", "00", "01", "1", "10", "0000000011"}},
		{value.ArrayOf(value.Int4Range), []string{"{}", `{"[1,2)"}`, `{"[1,3)"}`, `{empty}`, `{"[1,2)","[5,6)"}`, `{NULL}`, `{"(,)"}`}},
		{value.ArrayOf(value.JSONB), []string{"{}", `{1}`, `{"[]"}`, `{"\"a\""}`, `{1,2}`, `{NULL}`}},
		{pair, []string{"(1,a)", "(1,b)", "(1,)", "(,a)", "(2,a)", `(1,"")`, "(-1,z)"}},
	} {
		cmp := typeio.Comparer(c.t)
		var vals []value.Value
		for _, s := range c.texts {
			v, err := typeio.In(c.t, -1, s, typeio.Default)
			if err != nil {
				t.Fatalf("%s %q: %v", c.t.SQL, s, err)
			}
			vals = append(vals, v)
		}
		for i, a := range vals {
			for k, b := range vals {
				for _, desc := range []bool{false, true} {
					o := key.Order{Desc: desc}
					x, errX := AppendComponent(nil, o, c.t, a)
					y, errY := AppendComponent(nil, o, c.t, b)
					if errX != nil || errY != nil {
						t.Fatalf("%s: %v, %v", c.t.SQL, errX, errY)
					}
					want, got := cmp(a, b), bytes.Compare(x, y)
					if desc {
						got = -got
					}
					if want < 0 != (got < 0) || want > 0 != (got > 0) {
						t.Errorf("%s: %s against %s is %d, their components (descending: %v) say %d", c.t.SQL, c.texts[i], c.texts[k], want, desc, got)
					}
				}
			}
		}
	}
}
