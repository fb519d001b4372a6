package main

import (
	"slices"
	"testing"
)

// A script is split as psql splits it.
func TestReadScript(t *testing.T) {
	const script = `-- a comment; no statement
select 1;
select 'a;b', "c;d", $x$e;f$x$, E'g\';h' /* ; */ ;
create function f() returns int begin atomic select case when true then 1 end; select 2; end;
select (1;2);
select 3 \; select 4;
\d t
\set v 'it''s'
select 5 as x \gset p_
copy t from stdin;
1	a
2	b
\.
select 6 \g
`
	var got []string
	steps := readScript(script)
	for _, s := range steps {
		got = append(got, s.sql)
	}
	want := []string{
		"select 1", `select 'a;b', "c;d", $x$e;f$x$, E'g\';h'`, "create function f() returns int begin atomic select case when true then 1 end; select 2; end",
		"select (1;2)", "select 3 ; select 4", "'it''s'", "select 5 as x", "copy t from stdin", "select 6",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if steps[7].data != "1\ta\n2\tb\n" || !steps[6].gset || steps[6].pref != "p_" || steps[5].set != "v" {
		t.Errorf("%+v", steps[5:8])
	}
}

func TestExpand(t *testing.T) {
	vars := map[string]string{"n": "5", "s": "it's"}
	for in, want := range map[string]string{
		"select :n, :'s', :\"n\", x::int, ':n', :m": `select 5, 'it''s', "5", x::int, ':n', :m`,
		"a[1:2]": "a[1:2]",
	} {
		if got := expand(in, vars); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
	if got := setValue(`:s '/x'`, vars); got != "it's/x" {
		t.Errorf("set gives %q", got)
	}
}

func TestVerdict(t *testing.T) {
	rows := func(order ...string) result {
		return result{sets: []set{{columns: []string{"a"}, rows: order, tag: "SELECT 2"}}}
	}
	for _, c := range []struct {
		sql        string
		peer, ours result
		kind       kind
		same       bool
	}{
		{"select a", rows("1", "2"), rows("2", "1"), ofRows, true},
		{"select a order by a", rows("1", "2"), rows("2", "1"), ofRows, false},
		{"select a", rows("1", "2"), rows("1", "3"), ofRows, false},
		{"explain select a", rows("1", "2"), rows("x"), ofCommands, true},
		{"select a", result{code: "42703"}, result{code: "42703", text: "other words"}, ofErrors, true},
		{"select a", result{code: "42703"}, result{code: "42P01"}, ofErrors, false},
		{"select a", result{code: "42703"}, rows("1"), ofErrors, false},
		{"set x", result{sets: []set{{tag: "SET"}}}, result{sets: []set{{tag: "RESET"}}}, ofCommands, false},
	} {
		k, why := verdict(step{sql: c.sql}, c.peer, c.ours)
		if k != c.kind || (why == "") != c.same {
			t.Errorf("%s: kind %s, %q", c.sql, kindNames[k], why)
		}
	}
}
