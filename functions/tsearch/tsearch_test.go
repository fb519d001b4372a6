package tsearch

import (
	"math"
	"testing"

	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

func english(t *testing.T) *config {
	t.Helper()
	oid, ok := typeio.TSConfigOID("english")
	if !ok {
		t.Fatal("no english")
	}
	c, err := configOf(int64(oid))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func vectorOf(t *testing.T, text string) value.Value {
	t.Helper()
	v, err := english(t).vector(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// The expected values are PostgreSQL 15's.
func TestVectors(t *testing.T) {
	for text, want := range map[string]string{
		"The Fat Rats ate a well-known cat":    `'ate':4 'cat':9 'fat':2 'known':8 'rat':3 'well':7 'well-known':6`,
		"3.14 -12 1e5 1.2.3 foo_bar":           `'-12':2 '1.2.3':4 '1e5':3 '3.14':1 'bar':6 'foo':5`,
		"mail foo@bar.com":                     `'foo@bar.com':2 'mail':1`,
		"test-123 foo/bar.txt /usr/local/bin":  `'-123':2 '/usr/local/bin':4 'foo/bar.txt':3 'test':1`,
		"café naïve 日本語 <b>bold</b> &amp; C++": `'bold':4 'c':5 'café':1 'naïv':2 '日本語':3`,
		"": "",
	} {
		if got := typeio.Text(value.TSVector, vectorOf(t, text), typeio.Default); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestQueries(t *testing.T) {
	c := english(t)
	for _, x := range []struct {
		make func(text string) (value.Value, error)
		text string
		want string
	}{
		{func(s string) (value.Value, error) { return c.toQuery(nil, s) }, "fat & (rats | !cats) & supernovae:*A", `'fat' & ( 'rat' | !'cat' ) & 'supernova':*A`},
		{func(s string) (value.Value, error) { return c.toQuery(nil, s) }, "cat <-> the <-> rat", `'cat' <2> 'rat'`},
		{func(s string) (value.Value, error) { return c.toQuery(nil, s) }, "the & cat", `'cat'`},
		{func(s string) (value.Value, error) { return c.toQuery(nil, s) }, "the", ""},
		{func(s string) (value.Value, error) { return c.plainQuery(nil, s) }, "The Fat Rats", `'fat' & 'rat'`},
		{func(s string) (value.Value, error) { return c.phraseQuery(nil, s) }, "The Fat & the Rats", `'fat' <2> 'rat'`},
		{func(s string) (value.Value, error) { return c.webQuery(nil, s) }, `"supernovae stars" -crab or fat`, `'supernova' <-> 'star' & !'crab' | 'fat'`},
	} {
		v, err := x.make(x.text)
		if err != nil {
			t.Errorf("%q: %v", x.text, err)
			continue
		}
		if got := typeio.Text(value.TSQuery, v, typeio.Default); got != x.want {
			t.Errorf("%q: %s, want %s", x.text, got, x.want)
		}
	}
	for _, bad := range []string{"a b", "a &", "(a", "a <x> b", "a <99999> b"} {
		if _, err := c.toQuery(nil, bad); err == nil {
			t.Errorf("%q is a query", bad)
		}
	}
}

func TestMatches(t *testing.T) {
	for _, x := range []struct {
		text, query string
		want        bool
	}{
		{"fatal error", "fatal <-> error", true},
		{"error is not fatal", "fatal <-> error", false},
		{"a fat cat", "fat & !dog", true},
		{"a fat cat", "ca:*", true},
		{"a fat cat sat", "fat <-> !dog", true},
		{"a fat cat", "fat <-> !cat", false},
		{"a fat cat", "cat:A", false},
	} {
		q, err := english(t).toQuery(nil, x.query)
		if err != nil {
			t.Fatal(err)
		}
		if got := match(typeio.TSV(vectorOf(t, x.text)), typeio.TSQ(q)); got != x.want {
			t.Errorf("%q @@ %q: %t", x.text, x.query, got)
		}
	}
}

func TestRankOfStrippedAndEmpty(t *testing.T) {
	q, err := english(t).toQuery(nil, "jump & dog")
	if err != nil {
		t.Fatal(err)
	}
	if got := rank(defaultWeights, typeio.TSV(vectorOf(t, "a jumping dog")), typeio.TSQ(q), 0); math.Abs(float64(got)-0.09910322) > 1e-8 {
		t.Errorf("rank %v", got)
	}
	if got := rank(defaultWeights, &typeio.TSVector{}, typeio.TSQ(q), 0); got != 0 {
		t.Errorf("rank of nothing %v", got)
	}
}
