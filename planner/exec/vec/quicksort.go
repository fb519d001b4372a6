package vec

import "github.com/omgdb/omgdb/storage/value"

// smallSort is up to how many rows a sort is PostgreSQL's: rows that are equal then come in the order in which they come there. It is no
// order that anybody may count on, but tests of programs that move here have it in their expected results.
const smallSort = 2048

// SortsSmall tells whether a sort of n rows is a small one.
func SortsSmall(n int) bool { return n <= smallSort }

// quicker sorts rows by the quicksort of Bentley and McIlroy ("Engineering a Sort Function", 1993) with a look for sorted input first.
type quicker struct {
	rows  []quickRow
	order []Order
	keys  []*value.Column
	exact bool // the prefix tells all of the first key
}

type quickRow struct {
	prefix uint64 // of the first key, as it sorts ascending
	null   bool
	row    int32
}

func quickSort(order []Order, keys []*value.Column, rows []int32) {
	prefix, exact := prefixer(keys[0])
	q := quicker{rows: make([]quickRow, len(rows)), order: order, keys: keys, exact: exact}
	for i, r := range rows {
		q.rows[i] = quickRow{row: r, null: keys[0].IsNull(int(r))}
		if !q.rows[i].null {
			q.rows[i].prefix = prefix(int(r))
		}
	}
	q.sort(0, len(rows))
	for i := range rows {
		rows[i] = q.rows[i].row
	}
}

// cmp compares the rows at two places.
func (q *quicker) cmp(i, j int) int {
	a, b := &q.rows[i], &q.rows[j]
	skip := 0
	switch {
	case a.null || b.null:
		if a.null != b.null {
			if a.null == q.order[0].NullsFirst {
				return -1
			}
			return 1
		}
		skip = 1
	case a.prefix != b.prefix:
		if (a.prefix < b.prefix) != q.order[0].Desc {
			return -1
		}
		return 1
	case q.exact:
		skip = 1
	}
	return CompareRows(q.order[skip:], q.keys[skip:], int(a.row), q.keys[skip:], int(b.row))
}

func (q *quicker) swap(i, j int) { q.rows[i], q.rows[j] = q.rows[j], q.rows[i] }

func (q *quicker) swapRange(i, j, n int) {
	for range n {
		q.swap(i, j)
		i, j = i+1, j+1
	}
}

// median gives the place of the middle one of three rows.
func (q *quicker) median(a, b, c int) int {
	if q.cmp(a, b) < 0 {
		switch {
		case q.cmp(b, c) < 0:
			return b
		case q.cmp(a, c) < 0:
			return c
		}
		return a
	}
	switch {
	case q.cmp(b, c) > 0:
		return b
	case q.cmp(a, c) < 0:
		return a
	}
	return c
}

func (q *quicker) sorted(a, n int) bool {
	for i := a + 1; i < a+n; i++ {
		if q.cmp(i-1, i) > 0 {
			return false
		}
	}
	return true
}

// sort sorts n rows from place a on.
func (q *quicker) sort(a, n int) {
	for {
		if q.sorted(a, n) {
			return
		}
		if n < 7 {
			for i := a + 1; i < a+n; i++ {
				for j := i; j > a && q.cmp(j-1, j) > 0; j-- {
					q.swap(j, j-1)
				}
			}
			return
		}
		q.swap(a, q.pivot(a, n))
		left, right := q.partition(a, n)
		// The smaller side is sorted by a call, the other one in the next round.
		if left <= right {
			if left > 1 {
				q.sort(a, left)
			}
			if right <= 1 {
				return
			}
			a, n = a+n-right, right
			continue
		}
		if right > 1 {
			q.sort(a+n-right, right)
		}
		if left <= 1 {
			return
		}
		n = left
	}
}

func (q *quicker) pivot(a, n int) int {
	m := a + n/2
	if n <= 7 {
		return m
	}
	l, r := a, a+n-1
	if n > 40 {
		d := n / 8
		l, m, r = q.median(l, l+d, l+2*d), q.median(m-d, m, m+d), q.median(r-2*d, r-d, r)
	}
	return q.median(l, m, r)
}

// partition parts the rows around the one at a, equal ones gathered in the middle, and gives the sizes of both sides.
func (q *quicker) partition(a, n int) (left, right int) {
	pa, pb := a+1, a+1
	pc, pd := a+n-1, a+n-1
	for {
		for pb <= pc {
			r := q.cmp(pb, a)
			if r > 0 {
				break
			}
			if r == 0 {
				q.swap(pa, pb)
				pa++
			}
			pb++
		}
		for pb <= pc {
			r := q.cmp(pc, a)
			if r < 0 {
				break
			}
			if r == 0 {
				q.swap(pc, pd)
				pd--
			}
			pc--
		}
		if pb > pc {
			break
		}
		q.swap(pb, pc)
		pb, pc = pb+1, pc-1
	}
	end := a + n
	d := min(pa-a, pb-pa)
	q.swapRange(a, pb-d, d)
	d = min(pd-pc, end-pd-1)
	q.swapRange(pb, end-d, d)
	return pb - pa, pd - pc
}
