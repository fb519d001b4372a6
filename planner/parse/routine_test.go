package parse

import "testing"

func TestRoutineBody(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"CREATE FUNCTION f(x int) RETURNS int RETURN x * 2", "SELECT x * 2"},
		{"create function f() returns int language sql begin atomic select 1; end", "select 1;"},
		{"CREATE FUNCTION f() RETURNS int BEGIN ATOMIC INSERT INTO t VALUES (1); RETURN 5; END", "INSERT INTO t VALUES (1); SELECT 5;"},
		{"CREATE FUNCTION f(a int) RETURNS text BEGIN ATOMIC SELECT CASE WHEN a > 1 THEN 'end' ELSE 'return' END; END", "SELECT CASE WHEN a > 1 THEN 'end' ELSE 'return' END;"},
		{`CREATE FUNCTION "return"(x int DEFAULT (1)) RETURNS int /* return 9 */ RETURN (SELECT x)`, "SELECT (SELECT x)"},
	} {
		got, err := RoutineBody(c.text)
		if err != nil || got != c.want {
			t.Errorf("%s: %q, %v, want %q", c.text, got, err, c.want)
		}
	}
	if _, err := RoutineBody("CREATE FUNCTION f() RETURNS int LANGUAGE sql"); err == nil {
		t.Error("a function without a body has one")
	}
}
