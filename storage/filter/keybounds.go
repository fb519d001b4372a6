package filter

import "github.com/omgdb/omgdb/storage/doc"

// KeyKind is how an SQL index takes its reference.
type KeyKind uint8

const (
	KeyText  KeyKind = iota // (ref ->> …) as text, bytewise
	KeyJSON                 // ref as jsonb, in jsonb's order
	KeyCast                 // (ref ->> …)::Cast
	KeyField                // a typed table's column of Class
)

// KeyExpr is the first expression of an SQL index, which has one entry a row. Its Ref is equal to that of the predicates that
// it serves; NULL rows lie outside all other values and are named by a missing Value.
type KeyExpr struct {
	Ref
	Kind  KeyKind
	Cast  Cast       // of KeyCast
	Class FieldClass // of KeyField
}

// order gives the index's order of its non-null values.
func (k *KeyExpr) order() order {
	switch k.Kind {
	case KeyText:
		return compareTexts
	case KeyJSON:
		return doc.Compare
	case KeyCast:
		return compareNumeric
	}
	return fieldCompare(k.Class)
}

// nullsLast puts the missing value above all others.
func nullsLast(cmp order) order {
	return func(a, b doc.Value) int {
		if a.Missing() || b.Missing() {
			return b2i(a.Missing()) - b2i(b.Missing())
		}
		return cmp(a, b)
	}
}

// KeyBounds asks which ranges of an SQL index cover a filter: those of the rows for which it is true. Residual and ok are as in
// PathBounds.
func KeyBounds(e Expr, k KeyExpr) (b Bounds, residual Expr, ok bool) {
	kb := keyBounder{&k, nullsLast(k.order())}
	b, residual, ok = boundConjuncts(e, kb.of, kb.cmp, true)
	for i, r := range b.Ranges {
		if r.High.Open && r.High.Value.Missing() && !r.High.Unbounded {
			b.Ranges[i].High = End{Unbounded: true}
		}
	}
	return b, residual, ok
}

type keyBounder struct {
	key *KeyExpr
	cmp order
}

// While bounds are worked out, the end of the values that are not NULL is written as what it is: below the NULLs.
var (
	belowNulls = End{Open: true}
	notNull    = Range{End{Unbounded: true}, belowNulls}
)

func (k keyBounder) of(e Expr) set {
	switch e := e.(type) {
	case Const:
		if e.Value != True {
			return exactly()
		}
	case *And:
		return k.and(e.List)
	case *Or:
		sets := make([]set, len(e.List))
		for i, x := range e.List {
			sets[i] = k.of(x)
		}
		return k.cmp.unionSets(sets)
	case *Not:
		return k.not(e.X)
	case *IsNull:
		if k.sameRef(e.Ref) && k.nullsAre(e.Text) {
			return exactly(point(doc.Value{}))
		}
	case *TextLike:
		if k.key.Kind == KeyText && k.sameRef(e.Ref) {
			return likeBounds(e.Pattern)
		}
	default:
		return k.values(e)
	}
	return unknown
}

// values bounds comparisons and lists.
func (k keyBounder) values(e Expr) set {
	switch e := e.(type) {
	case *TextCmp:
		if k.is(KeyText, e.Ref) {
			return k.compare(e.Op, doc.String(e.Text))
		}
	case *TextIn:
		if k.is(KeyText, e.Ref) {
			list := make([]doc.Value, len(e.List))
			for i, s := range e.List {
				list[i] = doc.String(s)
			}
			return k.points(list)
		}
	case *JSONCmp:
		if k.is(KeyJSON, e.Ref) {
			return k.compare(e.Op, e.Value)
		}
	case *JSONIn:
		if k.is(KeyJSON, e.Ref) {
			return k.points(e.List)
		}
	case *CastCmp:
		if k.is(KeyCast, e.Ref) && e.Cast == k.key.Cast {
			return k.compare(e.Op, e.Value)
		}
	case *FieldCmp:
		if k.is(KeyField, e.Ref) && e.Class == k.key.Class {
			return k.compare(e.Op, e.Value)
		}
	case *FieldIn:
		if k.is(KeyField, e.Ref) && e.Class == k.key.Class {
			return k.points(e.List)
		}
	}
	return unknown
}

func (k keyBounder) and(list []Expr) set {
	out := set{[]Range{notNull, point(doc.Value{})}, true, false}
	for _, x := range list {
		s := k.of(x)
		if s.known {
			out.ranges = k.cmp.intersect(out.ranges, s.ranges)
			out.known = true
		}
		out.exact = out.exact && s.known && s.exact
	}
	return out
}

// not bounds a negation: of a condition on this key, whose NULL stays NULL, the other values.
func (k keyBounder) not(e Expr) set {
	switch e := e.(type) {
	case *IsNull:
		if k.sameRef(e.Ref) && k.nullsAre(e.Text) {
			return exactly(notNull)
		}
		return unknown
	case *Not:
		return k.of(e.X)
	case *TextIn:
		if e.HasNull && k.is(KeyText, e.Ref) {
			return exactly()
		}
	case *JSONIn:
		if e.HasNull && k.is(KeyJSON, e.Ref) {
			return exactly()
		}
	case *FieldIn:
		if e.HasNull && k.is(KeyField, e.Ref) {
			return exactly()
		}
	}
	s := k.values(e)
	if !s.known || !s.exact || emptyList(e) {
		return unknown
	}
	s.ranges = k.cmp.complement(s.ranges)
	return s
}

// emptyList reports IN (), which is false even for NULL, so that its negation holds for NULL rows too.
func emptyList(e Expr) bool {
	switch e := e.(type) {
	case *TextIn:
		return len(e.List) == 0
	case *JSONIn:
		return len(e.List) == 0
	case *FieldIn:
		return len(e.List) == 0
	}
	return false
}

func (k keyBounder) is(kind KeyKind, r Ref) bool { return k.key.Kind == kind && k.sameRef(r) }

// nullsAre tells whether IS NULL of the reference, taken as text or not, is IS NULL of the key.
func (k keyBounder) nullsAre(asText bool) bool {
	return asText == (k.key.Kind == KeyText || k.key.Kind == KeyCast)
}

func (k keyBounder) sameRef(r Ref) bool {
	if r.ID != k.key.ID || len(r.Path) != len(k.key.Path) {
		return false
	}
	for i, s := range r.Path {
		if s != k.key.Path[i] {
			return false
		}
	}
	return true
}

func (k keyBounder) compare(op CmpOp, v doc.Value) set {
	at := End{Value: v}
	open := End{Value: v, Open: true}
	first := End{Unbounded: true}
	switch op {
	case EQ:
		return exactly(Range{at, at})
	case NE:
		return exactly(Range{first, open}, Range{open, belowNulls})
	case LT:
		return exactly(Range{first, open})
	case LE:
		return exactly(Range{first, at})
	case GT:
		return exactly(Range{open, belowNulls})
	}
	return exactly(Range{at, belowNulls})
}

func (k keyBounder) points(list []doc.Value) set {
	var ranges []Range
	for _, v := range list {
		ranges = append(ranges, point(v))
	}
	return exactly(k.cmp.union(ranges, nil)...)
}

func likeBounds(pattern string) set {
	l, err := newLike(pattern)
	if err != nil {
		return unknown
	}
	r := prefixRange(l.prefix, belowNulls)
	if len(l.prefix) == 0 {
		r.Low = End{Unbounded: true}
	}
	if len(l.pieces) == 1 && len(l.prefix) == len(l.pieces[0]) { // no wildcard at all
		return exactly(point(doc.String(l.prefix)))
	}
	return set{[]Range{r}, l.only, true}
}
