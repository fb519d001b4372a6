package builtin

import (
	"testing"

	"github.com/omgdb/omgdb/functions"
)

// Vectors follow pgvector, which the PostgreSQL that made the golden files doesn't have: their answers are written by hand.
func TestVectors(t *testing.T) {
	reg, err := New(functions.Entries{})
	if err != nil {
		t.Fatal(err)
	}
	s := newSession(reg)
	for _, c := range []struct{ expr, want string }{
		{"'[1,2,3]'::vector <-> '[4,6,3]'::vector", "5"},
		{"'[1,2,3]'::vector <#> '[4,5,6]'::vector", "-32"},
		{"'[1,0]'::vector <=> '[0,1]'::vector", "1"},
		{"'[1,1]'::vector <=> '[0,0]'::vector", "NaN"},
		{"'[1,2]'::vector <+> '[3,5]'::vector", "5"},
		{"'[1,2]'::vector <-> '[1,2,3]'::vector", "!22000 different vector dimensions 2 and 3"},
		{"'[1,2]'::vector + '[3,4]'::vector", "[4,6]"},
		{"'[1,2]'::vector * '[3,4]'::vector", "[3,8]"},
		{"'[1,2]'::vector || '[3]'::vector", "[1,2,3]"},
		{"'[1,2]'::vector < '[1,3]'::vector", "t"},
		{"'[1,2]'::vector = '[1,2]'::vector", "t"},
		{"vector_dims('[1,2,3]'::vector)", "3"},
		{"vector_norm('[3,4]'::vector)", "5"},
		{"l2_normalize('[3,4]'::vector)", "[0.6,0.8]"},
		{"'{1,2,3}'::int4[]::vector", "[1,2,3]"},
		{"'{1.5,NULL}'::float8[]::vector", "!22004 array must not contain nulls"},
		{"'[1,2]'::vector::float4[]", "{1,2}"},
		{"'[1,2,3]'::vector(2)", "!22000 expected 2 dimensions, not 3"},
		{"'[1,NaN]'::vector", "!22000 NaN not allowed in vector"},
		{"'[]'::vector", "!22000 vector must have at least 1 dimension"},
		{"'1,2'::vector", `!22P02 invalid input syntax for type vector: "1,2"`},
		{"'[1.5,-2.25]'::halfvec", "[1.5,-2.25]"},
		{"'{1:1.5,3:2}/5'::sparsevec", "{1:1.5,3:2}/5"},
		{"'{6:1}/5'::sparsevec", "!22000 sparsevec index out of bounds"},
	} {
		if got := s.answer(c.expr); got != c.want {
			t.Errorf("%s: got %s, want %s", c.expr, got, c.want)
		}
	}
}
