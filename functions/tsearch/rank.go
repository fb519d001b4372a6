package tsearch

import (
	"cmp"
	"math"
	"slices"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// Ways of dividing a rank, as bits of the argument normalization.
const (
	byLogLength = 1 << iota
	byLength
	byExtents
	byUnique
	byLogUnique
	byItself
)

// defaultWeights are those of D, C, B and A.
var defaultWeights = [4]float32{0.1, 0.2, 0.4, 1.0}

// rankWeights reads the argument weights.
func rankWeights(v value.Value) (w [4]float32, err error) {
	a := v.Box().(*value.Array)
	if len(a.Elems) < 4 {
		return w, dberr.New(dberr.ArraySubscriptError, "array of weight is too short")
	}
	for i := range w {
		if a.Elems[i].IsNull() {
			return w, dberr.New(dberr.NullValueNotAllowed, "array of weight must not contain nulls")
		}
		if w[i] = float32(a.Elems[i].Float()); w[i] < 0 {
			w[i] = defaultWeights[i]
		}
		if w[i] > 1 {
			return w, dberr.New(dberr.InvalidParameterValue, "weight out of range")
		}
	}
	return w, nil
}

// length is the number of positions, one for a lexeme without.
func length(v *typeio.TSVector) int {
	n := 0
	for _, l := range v.Lexemes {
		n += max(len(l.Places), 1)
	}
	return n
}

// items are the different lexemes of a query, in order.
func items(n *node) []*node {
	var out []*node
	var walk func(n *node)
	walk = func(n *node) {
		if n == nil {
			return
		}
		if n.Op == typeio.TSLexeme {
			out = append(out, n)
		}
		walk(n.Left)
		walk(n.Right)
	}
	walk(n)
	slices.SortStableFunc(out, func(a, b *node) int { return cmp.Compare(a.Text, b.Text) })
	return slices.CompactFunc(out, func(a, b *node) bool { return a.Text == b.Text })
}

// entries are a document's lexemes for one of a query.
func entries(v *typeio.TSVector, n *node) []typeio.Lexeme {
	if n.Prefix {
		return v.WithPrefix(n.Text)
	}
	if l, ok := v.Find(n.Text); ok {
		return []typeio.Lexeme{*l}
	}
	return nil
}

// noPlace stands for the places of a lexeme that has none.
var noPlace = []typeio.TSPlace{0}

func placesOf(l typeio.Lexeme) []typeio.TSPlace {
	if len(l.Places) == 0 {
		return noPlace
	}
	return l.Places
}

// rank is ts_rank.
func rank(w [4]float32, v *typeio.TSVector, q *typeio.TSQuery, method int64) float32 {
	if q.Root == nil || len(v.Lexemes) == 0 {
		return 0
	}
	var res float32
	if q.Root.Op == typeio.TSAnd || q.Root.Op == typeio.TSPhrase {
		res = rankAnd(w, v, q)
	} else {
		res = rankOr(w, v, q)
	}
	if res < 0 {
		res = 1e-20
	}
	if method&byLogLength != 0 {
		res = float32(float64(res) / (math.Log(float64(length(v)+1)) / math.Ln2))
	}
	if n := length(v); method&byLength != 0 && n > 0 {
		res /= float32(n)
	}
	return float32(normalize(float64(res), len(v.Lexemes), method))
}

// normalize divides by what rank and rankCover divide by alike.
func normalize(res float64, unique int, method int64) float64 {
	if method&byUnique != 0 && unique > 0 {
		res = float64(float32(res / float64(unique)))
	}
	if method&byLogUnique != 0 && unique > 0 {
		res = float64(float32(res / (math.Log(float64(unique+1)) / math.Ln2)))
	}
	if method&byItself != 0 {
		res /= res + 1
	}
	return res
}

// rankOr adds up, for each lexeme, its weights by the squares of their ranks.
func rankOr(w [4]float32, v *typeio.TSVector, q *typeio.TSQuery) float32 {
	list := items(q.Root)
	var res float32
	for _, item := range list {
		for _, l := range entries(v, item) {
			var sum, most float32
			most = -1
			at := 0
			for j, p := range placesOf(l) {
				x := w[p.Weight()]
				sum += x / float32((j+1)*(j+1))
				if x > most {
					most, at = x, j
				}
			}
			// The sum of 1/i² over all i is π²/6.
			res = float32(float64(res) + float64(most+sum-most/float32((at+1)*(at+1)))/1.64493406685)
		}
	}
	if len(list) > 0 {
		res /= float32(len(list))
	}
	return res
}

// closeness weighs the distance of two words.
func closeness(d int) float32 {
	if d > 100 {
		return 1e-30
	}
	return float32(1.0 / (1.005 + 0.05*math.Exp(float64(float32(d))/1.5-2)))
}

// rankAnd adds up, for each two lexemes, their weights by their distance.
func rankAnd(w [4]float32, v *typeio.TSVector, q *typeio.TSQuery) float32 {
	list := items(q.Root)
	if len(list) < 2 {
		return rankOr(w, v, q)
	}
	seen := make([][]typeio.TSPlace, len(list))
	stripped := make([]bool, len(list))
	res := float32(-1)
	for i, item := range list {
		for _, l := range entries(v, item) {
			seen[i], stripped[i] = placesOf(l), len(l.Places) == 0
			for k := range i {
				for _, a := range seen[i] {
					for _, b := range seen[k] {
						d := a.Pos() - b.Pos()
						if d < 0 {
							d = -d
						}
						if d == 0 {
							if !stripped[i] && !stripped[k] {
								continue
							}
							d = typeio.MaxTSPosition + 1
						}
						x := float32(math.Sqrt(float64(w[a.Weight()] * w[b.Weight()] * closeness(d))))
						if res < 0 {
							res = x
						} else {
							res = float32(1.0 - (1.0-float64(res))*(1.0-float64(x)))
						}
					}
				}
			}
		}
	}
	return res
}

// spot is a place of a document with the lexemes of a query that stand there.
type spot struct {
	place typeio.TSPlace
	nodes []*node
}

// spotsOf lists the places of a query's lexemes in a document.
func spotsOf(v *typeio.TSVector, q *typeio.TSQuery) []spot {
	type entry struct {
		lexeme string
		p      typeio.TSPlace
	}
	at := map[entry][]*node{}
	var walk func(n *node)
	walk = func(n *node) {
		if n == nil {
			return
		}
		if n.Op == typeio.TSLexeme {
			for _, l := range entries(v, n) {
				for _, p := range placesOf(l) {
					if n.Weights == 0 || n.Weights&(1<<p.Weight()) != 0 {
						at[entry{l.Text, p}] = append(at[entry{l.Text, p}], n)
					}
				}
			}
		}
		walk(n.Left)
		walk(n.Right)
	}
	walk(q.Root)
	keys := make([]entry, 0, len(at))
	for k := range at {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.p.Pos(), b.p.Pos()), cmp.Compare(a.p.Weight(), b.p.Weight()), cmp.Compare(a.lexeme, b.lexeme))
	})
	out := make([]spot, len(keys))
	for i, k := range keys {
		out[i] = spot{k.p, at[k]}
	}
	return out
}

// gathered is what of a document has been passed: where each lexeme of the query was seen.
type gathered map[*node][]int

func (g gathered) add(s spot) {
	for _, n := range s.nodes {
		if at := g[n]; len(at) == 0 || at[len(at)-1] != s.place.Pos() {
			g[n] = append(at, s.place.Pos())
		}
	}
}

func (g gathered) look(n *node) (bool, []int) {
	at := g[n]
	if len(at) > 1 && at[0] > at[len(at)-1] {
		at = slices.Clone(at)
		slices.Reverse(at)
	}
	return len(at) > 0, at
}

// cover is a shortest part of a document that satisfies a query: spots from begin to end.
type cover struct{ begin, end int }

// nextCover finds the next one at or behind spot from.
func nextCover(doc []spot, q *typeio.TSQuery, from int) (c cover, next int, ok bool) {
	for ; from < len(doc); from++ {
		seen := gathered{}
		end := from
		for ; end < len(doc); end++ {
			if seen.add(doc[end]); matches(q.Root, seen.look, true) {
				break
			}
		}
		if end == len(doc) {
			return c, 0, false
		}
		seen = gathered{}
		for begin := end; begin >= from; begin-- {
			if seen.add(doc[begin]); matches(q.Root, seen.look, false) {
				return cover{begin, end}, begin + 1, true
			}
		}
	}
	return c, 0, false
}

// rankCover is ts_rank_cd: the covers by their density.
func rankCover(w [4]float32, v *typeio.TSVector, q *typeio.TSQuery, method int64) float32 {
	if q.Root == nil || len(v.Lexemes) == 0 {
		return 0
	}
	doc := spotsOf(v, q)
	res, distances, before := 0.0, 0.0, 0.0
	extents := 0
	for from := 0; ; {
		c, next, ok := nextCover(doc, q, from)
		if !ok {
			break
		}
		from = next
		inverse := 0.0
		for _, s := range doc[c.begin : c.end+1] {
			inverse += 1 / float64(w[s.place.Weight()])
		}
		words := c.end - c.begin
		first, last := doc[c.begin].place.Pos(), doc[c.end].place.Pos()
		noise := last - first - words
		if noise < 0 {
			noise = words / 2
		}
		res += float64(words+1) / inverse / float64(1+noise)
		if at := float64(first+last) / 2; extents > 0 && at > before {
			distances += 1 / (at - before)
			before = at
		} else {
			before = at
		}
		extents++
	}
	if method&byLogLength != 0 {
		res /= math.Log(float64(length(v) + 1))
	}
	if n := length(v); method&byLength != 0 && n > 0 {
		res /= float64(n)
	}
	if method&byExtents != 0 && extents > 0 && distances > 0 {
		res /= float64(extents) / distances
	}
	if method&byUnique != 0 {
		res /= float64(len(v.Lexemes))
	}
	if method&byLogUnique != 0 {
		res /= math.Log(float64(len(v.Lexemes)+1)) / math.Ln2
	}
	if method&byItself != 0 {
		res /= res + 1
	}
	return float32(res)
}
