package main

import (
	"strings"
	"testing"
)

func ops(committed bool, ops ...mop) record { return record{ops, committed} }
func put(key, value int) mop                { return mop{key: key, value: value} }
func get(key int, list ...int) mop          { return mop{key: key, list: append([]int{}, list...)} }
func ends(lists ...[]int) map[int][]int {
	final := map[int][]int{}
	for i, l := range lists {
		final[i] = l
	}
	return final
}

// Each history has one fault that some levels exclude; the check must find it there, and only there.
func TestHistories(t *testing.T) {
	every := []level{readCommitted, repeatableRead, serializable}
	tests := []struct {
		name  string
		txns  []record
		final map[int][]int
		want  string // part of the error
		at    []level
	}{
		{"serial", []record{ops(true, put(0, 1)), ops(true, get(0, 1), put(1, 2)), ops(true, get(0, 1), get(1, 2))}, ends([]int{1}, []int{2}), "", every},
		{"lost", []record{ops(true, put(0, 1)), ops(true, put(0, 2))}, ends([]int{1}), "lost", every},
		{"twice", []record{ops(true, put(0, 1))}, ends([]int{1, 1}), "twice", every},
		{"from nobody", []record{ops(true, put(0, 1))}, ends([]int{1, 9}), "nobody", every},
		{"aborted", []record{ops(false, put(0, 1))}, ends([]int{1}), "refused", every},
		{"intermediate read", []record{ops(true, put(0, 1), put(0, 2)), ops(true, get(0, 1))}, ends([]int{1, 2}), "in the middle", every},
		{"incompatible order", []record{ops(true, put(0, 1)), ops(true, put(0, 2)), ops(true, get(0, 2))}, ends([]int{1, 2}), "became", every},
		{"G0, writes in two orders", []record{ops(true, put(0, 1), put(1, 2)), ops(true, put(0, 3), put(1, 4))}, ends([]int{1, 3}, []int{4, 2}), "cycle", every},
		{"G1c, circular information", []record{ops(true, put(0, 1), get(1, 2)), ops(true, put(1, 2), get(0, 1))}, ends([]int{1}, []int{2}), "cycle", every},
		{"non-repeatable read", []record{ops(true, put(0, 1)), ops(true, get(0), get(0, 1))}, ends([]int{1}), "then as", every[1:]},
		{"read skew", []record{ops(true, put(0, 1), put(1, 2)), ops(true, get(0), get(1, 2))}, ends([]int{1}, []int{2}), "cycle", every[1:]},
		{"lost update", []record{ops(true, get(0), put(0, 1)), ops(true, get(0), put(0, 2))}, ends([]int{1, 2}), "cycle", every[1:]},
		{"long fork", []record{ops(true, put(0, 1)), ops(true, put(1, 2)), ops(true, get(0, 1), get(1)), ops(true, get(0), get(1, 2))},
			ends([]int{1}, []int{2}), "cycle", every[1:]},
		{"write skew", []record{ops(true, get(0), put(1, 1)), ops(true, get(1), put(0, 2))}, ends([]int{2}, []int{1}), "cycle", every[2:]},
		{"own writes", []record{ops(true, get(0), put(0, 1), get(0, 1), put(0, 2), get(0, 1, 2))}, ends([]int{1, 2}), "", every},
	}
	for _, tc := range tests {
		for _, l := range every {
			want := ""
			for _, at := range tc.at {
				if at == l {
					want = tc.want
				}
			}
			h := history{tc.txns, tc.final}
			err := h.check(l)
			if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("%s at %s: %v, want %q", tc.name, l, err, want)
			}
		}
	}
}

func TestScenarios(t *testing.T) {
	all, err := readScenarios()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		if n := len(s.interleavings(0, nil)); n < 3 {
			t.Errorf("%s has %d interleavings", s.name, n)
		}
	}
}
