package vec

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/omgdb/omgdb/storage/value"
)

// Small sorts give every row once, in order, NULLs where they belong, for one key and for two.
func TestQuickSort(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 400 {
		n := rng.IntN(120)
		keys := []*value.Column{value.NewColumn(value.Int4, n), value.NewColumn(value.Text, n)}
		for range n {
			v := value.Int(int64(rng.IntN(1 + round%40)))
			if rng.IntN(9) == 0 {
				v = value.Null
			}
			keys[0].Append(v)
			keys[1].Append(value.String(string(rune('a' + rng.IntN(3)))))
		}
		order := []Order{
			{Compare: ComparerOf(value.Int4), Desc: round%2 == 0, NullsFirst: round%3 == 0},
			{Compare: ComparerOf(value.Text), Desc: round%5 == 0},
		}[:1+round%2]
		rows := SortRows(order, keys[:len(order)], n)
		if len(rows) != n {
			t.Fatalf("%d rows of %d", len(rows), n)
		}
		for i := 1; i < n; i++ {
			if CompareRows(order, keys, int(rows[i-1]), keys, int(rows[i])) > 0 {
				t.Fatalf("round %d: place %d is out of order", round, i)
			}
		}
		slices.Sort(rows)
		for i, r := range rows {
			if int(r) != i {
				t.Fatalf("row %d is missing", i)
			}
		}
	}
}
