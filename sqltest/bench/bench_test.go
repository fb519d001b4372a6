package main

import (
	"encoding/json"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// What a job draws depends on seed and position alone, so both sides get the same work.
func TestJobsAreDeterministic(t *testing.T) {
	o := options{scale: 1000, run: "r"}
	draw := func(j job, round int) op {
		return j.next(newGen(7, j.name, round, 0), o, position{j.name, round, 0, 0})
	}
	names := map[string]bool{}
	for _, j := range jobs {
		if names[j.name] {
			t.Errorf("job %s twice", j.name)
		}
		names[j.name] = true
		if d := cmp.Diff(draw(j, 1), draw(j, 1), cmp.AllowUnexported(op{})); d != "" {
			t.Errorf("%s: two draws differ: %s", j.name, d)
		}
		if cmp.Equal(draw(j, 1), draw(j, 2), cmp.AllowUnexported(op{})) && cmp.Equal(draw(j, 1), draw(j, 3), cmp.AllowUnexported(op{})) {
			t.Errorf("%s: the constants stay the same from round to round", j.name)
		}
		if j.ops%j.conns != 0 {
			t.Errorf("%s: %d operations do not divide among %d connections", j.name, j.ops, j.conns)
		}
	}
}

// The data has the shapes that the jobs rely on.
func TestDataShape(t *testing.T) {
	const n = 20_000
	g := newGen(1, "data")
	size, perTenant, perStatus := 0, map[string]int{}, map[string]int{}
	var prices []float64
	for i := range n {
		d := g.document(docID(i))
		var back document
		if err := json.Unmarshal(d.text(), &back); err != nil {
			t.Fatal(err)
		}
		size += len(d.text())
		perTenant[d.Tenant]++
		perStatus[d.Status]++
		prices = append(prices, d.Price)
	}
	if avg := size / n; avg < 170 || avg > 230 {
		t.Errorf("a document has %d bytes on average, want about 200", avg)
	}
	if len(perTenant) != tenants || len(perStatus) != 5 {
		t.Errorf("%d tenants and %d statuses, want %d and 5", len(perTenant), len(perStatus), tenants)
	}
	biggest := 0
	for _, c := range perTenant {
		biggest = max(biggest, c)
	}
	if biggest < n/10 || biggest > n/2 {
		t.Errorf("the biggest tenant has %d of %d documents, want a Zipf head", biggest, n)
	}
	if m := median(prices); m < 30 || m > 37 {
		t.Errorf("median price %v, want about 33", m)
	}
	if mean := sum(prices) / n; mean < 48 || mean > 62 {
		t.Errorf("mean price %v, want about 55 as a log-normal has", mean)
	}
}

func sum(v []float64) (s float64) {
	for _, x := range v {
		s += x
	}
	return s
}

func TestWordsAreDistinct(t *testing.T) {
	seen := map[string]bool{}
	for i := range uint64(vocabulary) {
		w := word(i)
		if seen[w] {
			t.Fatalf("word %d (%s) is not new", i, w)
		}
		seen[w] = true
	}
}

func TestSameAnswer(t *testing.T) {
	tests := []struct {
		a, b string
		want bool
	}{
		{"x\t1\n", "x\t1\n", true},
		{"x\t0.1\n", "x\t0.10000000000000002\n", true},
		{"x\t0.1\n", "x\t0.1001\n", false},
		{"x\t1\n", "y\t1\n", false},
		{"x\t1\n", "x\t1\nx\t1\n", false},
		{"NULL\n", "0\n", false},
	}
	for _, tc := range tests {
		if got := sameAnswer(tc.a, tc.b); got != tc.want {
			t.Errorf("sameAnswer(%q, %q) = %v", tc.a, tc.b, got)
		}
	}
}

func TestCompare(t *testing.T) {
	r := result{Sides: map[string]*measured{
		"a": {First: 10, Rounds: []time.Duration{10, 10, 20}},
		"b": {First: 5, Rounds: []time.Duration{20, 10, 20}},
	}}
	r.compare()
	if want := []float64{2, 1, 1}; !slices.Equal(r.Ratios, want) || r.Ratio != 1 || r.FirstRatio != 0.5 {
		t.Errorf("ratios %v, median %v, first %v", r.Ratios, r.Ratio, r.FirstRatio)
	}
	r = result{Sides: map[string]*measured{"a": {Rounds: []time.Duration{1}}, "b": {Error: "no"}}}
	if r.compare(); r.Ratio != 0 {
		t.Errorf("a ratio of %v to a side that failed", r.Ratio)
	}
}

func TestTablesOf(t *testing.T) {
	got := tablesOf(chooseJobs(regexp.MustCompile("^(json_join_group|load_literals)$")))
	if want := []table{docs, dim, bulk}; !slices.Equal(got, want) {
		t.Errorf("tables %v, want %v", got, want)
	}
}
