package tsearch

import (
	"cmp"
	"context"
	"hash/crc32"
	"slices"
	"strings"

	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// rewrites lists ts_rewrite: a part of a query is replaced, where AND and OR have any number of operands in any order. The order of the
// operands that come out is PostgreSQL's, by hashes of the words.
func rewrites() []def {
	return []def{
		{Sig: "ts_lexize(regdictionary,text)", Eval: lexize},
		{Sig: "ts_rewrite(tsquery,tsquery,tsquery)", Eval: pure(func(a []val) val {
			q, target := typeio.TSQ(a[0]), typeio.TSQ(a[1])
			if q.Root == nil || target.Root == nil {
				return a[0]
			}
			t := wide(q.Root)
			t.order()
			return binaryQuery(t.replace(target.Root, typeio.TSQ(a[2]).Root))
		})},
		{Sig: "ts_rewrite(tsquery,text)", Eval: func(ctx context.Context, c *call, a []val) (val, error) {
			q := typeio.TSQ(a[0])
			if q.Root == nil {
				return a[0], nil
			}
			t := wide(q.Root)
			t.order()
			err := eachRow(ctx, c, a[1].Str(), []*value.Type{value.TSQuery, value.TSQuery}, "ts_rewrite query must return two tsquery columns", func(row []val) error {
				if t == nil || row[0].IsNull() || row[1].IsNull() || typeio.TSQ(row[0]).Root == nil {
					return nil
				}
				if t = t.replace(typeio.TSQ(row[0]).Root, typeio.TSQ(row[1]).Root); t != nil {
					t.settle()
					t = t.flat()
					t.order()
				}
				return nil
			})
			return binaryQuery(t), err
		}},
	}
}

// tree is a query whose AND and OR have any number of children. The last operand as written comes first, as in PostgreSQL's form.
type tree struct {
	node
	kids []*tree
	done bool // put in by a replacement that is under way: not looked at again
}

// wide makes the tree of a query.
func wide(n *node) *tree { return treeAsIs(n).flat() }

// treeAsIs makes a tree of operators with one or two children.
func treeAsIs(n *node) *tree {
	t := &tree{node: *n}
	t.Left, t.Right = nil, nil
	switch n.Op {
	case typeio.TSLexeme:
	case typeio.TSNot:
		t.kids = []*tree{treeAsIs(n.Right)}
	default:
		t.kids = []*tree{treeAsIs(n.Right), treeAsIs(n.Left)}
	}
	return t
}

func (t *tree) flattens() bool { return t.Op == typeio.TSAnd || t.Op == typeio.TSOr }

// flat makes operators of the same kind below one another one.
func (t *tree) flat() *tree {
	var kids []*tree
	for _, k := range t.kids {
		if k = k.flat(); t.flattens() && k.Op == t.Op {
			kids = append(kids, k.kids...)
		} else {
			kids = append(kids, k)
		}
	}
	t.kids = kids
	return t
}

func (t *tree) order() {
	for _, k := range t.kids {
		k.order()
	}
	if t.Op != typeio.TSPhrase {
		slices.SortStableFunc(t.kids, compareTrees)
	}
}

// ranks of operators, the greater first.
var opRank = map[typeio.TSOp]int{typeio.TSLexeme: 0, typeio.TSNot: 1, typeio.TSAnd: 2, typeio.TSOr: 3, typeio.TSPhrase: 4}

// compareTrees is the order of operands: operators before words, then by hash, descending. Weights and prefixes don't count.
func compareTrees(a, b *tree) int {
	if c := cmp.Or(cmp.Compare(opRank[b.Op], opRank[a.Op]), cmp.Compare(len(b.kids), len(a.kids))); c != 0 {
		return c
	}
	if a.Op == typeio.TSLexeme {
		return cmp.Or(cmp.Compare(wordHash(b.Text), wordHash(a.Text)), strings.Compare(a.Text, b.Text))
	}
	for i := range a.kids {
		if c := compareTrees(a.kids[i], b.kids[i]); c != 0 {
			return c
		}
	}
	if a.Op == typeio.TSPhrase {
		return cmp.Compare(b.Distance, a.Distance)
	}
	return 0
}

// wordHash is the hash of a lexeme in PostgreSQL's queries: a CRC-32 whose table is of reflected bits and whose shifts are not. Numbers are
// compared as signed ones.
func wordHash(s string) int32 {
	crc := ^uint32(0)
	for i := range len(s) {
		crc = crc32.IEEETable[byte(crc>>24)^s[i]] ^ crc<<8
	}
	return int32(^crc)
}

// replace puts a query in the place of another wherever that occurs; nil is what is left of nothing.
func (t *tree) replace(target, by *node) *tree {
	want := wide(target)
	want.order()
	found := false
	out := t.search(want, by, &found)
	if found {
		out = out.withoutVoid()
	}
	return out
}

func (t *tree) search(want *tree, by *node, found *bool) *tree {
	t = t.replaceHere(want, by, found)
	if t == nil || t.done {
		return t
	}
	for i, k := range t.kids {
		t.kids[i] = k.search(want, by, found)
	}
	return t
}

// replacement makes a copy of what is put in.
func replacement(by *node) *tree {
	if by == nil {
		return nil
	}
	r := treeAsIs(by)
	r.done = true
	return r
}

// replaceHere replaces the whole tree, or some of its children.
func (t *tree) replaceHere(want *tree, by *node, found *bool) *tree {
	switch {
	case t.done || t.Op != want.Op:
		return t
	case compareTrees(t, want) == 0:
		*found = true
		return replacement(by)
	case !t.flattens() || len(t.kids) <= len(want.kids) || len(want.kids) == 0:
		return t
	}
	var rest []*tree
	j := 0
	for _, k := range t.kids {
		if j < len(want.kids) && !k.done && compareTrees(k, want.kids[j]) == 0 {
			j++
			continue
		}
		rest = append(rest, k)
	}
	if j < len(want.kids) {
		return t
	}
	*found = true
	if r := replacement(by); r != nil {
		rest = append(rest, r)
	}
	t.kids = rest
	t.order()
	return t
}

// withoutVoid drops operators whose operands are gone.
func (t *tree) withoutVoid() *tree {
	if t == nil || t.Op == typeio.TSLexeme {
		return t
	}
	var kids []*tree
	for _, k := range t.kids {
		if k = k.withoutVoid(); k != nil {
			kids = append(kids, k)
		}
	}
	t.kids = kids
	switch {
	case len(kids) == 0:
		return nil
	case len(kids) == 1 && t.Op != typeio.TSNot:
		return kids[0]
	}
	return t
}

// settle lets later replacements look at what was put in.
func (t *tree) settle() {
	t.done = false
	for _, k := range t.kids {
		k.settle()
	}
}

// binaryQuery makes a query of operators with two operands.
func binaryQuery(t *tree) val {
	if t == nil {
		return typeio.BoxTSQ(&typeio.TSQuery{})
	}
	return typeio.BoxTSQ(&typeio.TSQuery{Root: t.binary()})
}

func (t *tree) binary() *node {
	n := t.node
	switch {
	case t.Op == typeio.TSLexeme:
		return &n
	case t.Op == typeio.TSNot:
		n.Right = t.kids[0].binary()
		return &n
	}
	kids := slices.Clone(t.kids)
	first := kids[0].binary()
	// The first two become one operator, which is an operand beside the last one, and so on.
	for len(kids) > 2 {
		inner := t.node
		inner.Right, inner.Left = first, kids[1].binary()
		first = &inner
		last := len(kids) - 1
		kids[1] = kids[last]
		kids = kids[:last]
	}
	n.Right, n.Left = first, kids[1].binary()
	return &n
}
