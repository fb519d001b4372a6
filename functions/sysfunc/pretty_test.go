package sysfunc

import "testing"

// TestPretty holds the pretty forms to what PostgreSQL 15 prints for the same expressions.
func TestPretty(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"lower((name)::text)", "lower(name::text)"},
		{"(credit >= (0)::numeric)", "credit >= 0::numeric"},
		{"(price * (2)::numeric)", "price * 2::numeric"},
		{"((qty)::integer > 5)", "qty::integer > 5"},
		{"((a > 1) AND (b < 2))", "a > 1 AND b < 2"},
		{"((a > 1) AND ((b < 2) OR (c IS NULL)))", "a > 1 AND (b < 2 OR c IS NULL)"},
		{"(((a > 1) AND (b < 2)) OR (c IS NOT NULL))", "a > 1 AND b < 2 OR c IS NOT NULL"},
		{"(NOT (a AND b))", "NOT (a AND b)"},
		{"((a + b) * c)", "(a + b) * c"},
		{"(a + (b * c))", "a + b * c"},
		{"((a + b) + c)", "a + b + c"},
		{"(a - (b - c))", "a - (b - c)"},
		{"((a || b) || c)", "(a || b) || c"},
		{"nextval('shop.customer_id_seq'::regclass)", "nextval('shop.customer_id_seq'::regclass)"},
		{"'ok'::mood", "'ok'::mood"},
		{"(x = ANY (ARRAY[1, 2]))", "x = ANY (ARRAY[1, 2])"},
		{"((kind)::text = ANY ((ARRAY['a'::character varying, 'b'::character varying])::text[]))", "kind::text = ANY (ARRAY['a'::character varying, 'b'::character varying]::text[])"},
		{"CASE WHEN (a > 1) THEN (b + 1) ELSE 0 END", "CASE WHEN a > 1 THEN b + 1 ELSE 0 END"},
		{"('-1'::integer)::numeric", "'-1'::integer::numeric"},
		{"((doc ->> 'a'::text) = 'x'::text)", "(doc ->> 'a'::text) = 'x'::text"},
		{"((at AT TIME ZONE 'UTC'::text) > now())", "(at AT TIME ZONE 'UTC'::text) > now()"},
		{"(\"Odd (name\" > 1)", "\"Odd (name\" > 1"},
	} {
		if got := pretty(c.in); got != c.want {
			t.Errorf("pretty(%s)\n got %s\nwant %s", c.in, got, c.want)
		}
	}
}
