package session

import (
	"maps"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func nowForTests() time.Time { return time.Unix(1_700_000_000, 0) }

// TestVarsModel plays random changes, savepoints, rollbacks and commits against a model that copies whole maps.
func TestVarsModel(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		const n = 4
		v := &vars{vals: make([]string, n), reset: make([]string, n), changed: func(int) {}}
		type state struct {
			session map[int]string
			local   map[int]string
		}
		clone := func(s state) state { return state{maps.Clone(s.session), maps.Clone(s.local)} }
		cur := state{map[int]string{}, map[int]string{}}
		start := clone(cur)
		type save struct {
			depth int
			s     state
		}
		var saves []save
		for range rapid.IntRange(1, 40).Draw(r, "steps") {
			switch rapid.IntRange(0, 5).Draw(r, "op") {
			case 0, 1, 2:
				i, val, local := rapid.IntRange(0, n-1).Draw(r, "i"), rapid.StringMatching("[a-c]").Draw(r, "val"), rapid.Bool().Draw(r, "local")
				v.put(i, val, local)
				if local {
					cur.local[i] = val
				} else {
					cur.session[i] = val
					delete(cur.local, i)
				}
			case 3:
				saves = append(saves, save{v.depth(), clone(cur)})
			case 4:
				if len(saves) > 0 {
					k := rapid.IntRange(0, len(saves)-1).Draw(r, "to")
					v.rollback(saves[k].depth)
					cur = clone(saves[k].s)
					saves = saves[:k+1]
				}
			case 5:
				if rapid.Bool().Draw(r, "commit") {
					v.commit()
					cur.local = map[int]string{}
				} else {
					v.rollback(0)
					cur = clone(start)
				}
				start, saves = clone(cur), nil
			}
			for i := range n {
				want, ok := cur.local[i]
				if !ok {
					want = cur.session[i]
				}
				if v.vals[i] != want {
					r.Fatalf("setting %d is %q, want %q", i, v.vals[i], want)
				}
			}
		}
	})
}

func TestTransactionTable(t *testing.T) {
	for state, row := range txnTable {
		for ev, e := range row {
			if e.why == "" {
				t.Errorf("state %d, event %d has no prose", state, ev)
			}
			if e.refuse != nil && (e.do != nil || e.warn != nil || e.next != 0) {
				t.Errorf("state %d, event %d refuses and does something", state, ev)
			}
		}
	}
}
