package filter

import (
	"math"
	"slices"
	"strings"

	"github.com/omgdb/omgdb/storage/doc"
)

// PathBounds asks which ranges of the path index over a dotted path (see PathKeys; BSON order) cover a filter. multikey tells
// that some document may have several entries: then two conditions on the path may be met by two entries, and only one of them
// can bound the index. The residual is what must still be tried on the documents found (MatchAll when nothing); documents
// found in several ranges or entries must be taken once. ok is false when the index is of no use.
func PathBounds(e Expr, path string, multikey bool) (b Bounds, residual Expr, ok bool) {
	p := pathBounder{path, multikey}
	return boundConjuncts(e, p.of, doc.CompareBSON, !multikey)
}

// boundConjuncts bounds the members of a top-level AND and keeps those that are not used up as the residual.
func boundConjuncts(e Expr, of func(Expr) set, cmp order, intersect bool) (Bounds, Expr, bool) {
	list := []Expr{e}
	if and, ok := e.(*And); ok {
		list = and.List
	}
	sets := make([]set, len(list))
	best := -1
	for i, x := range list {
		if sets[i] = of(x); sets[i].known && (best < 0 || narrower(sets[i], sets[best])) {
			best = i
		}
	}
	if best < 0 {
		return Bounds{}, e, false
	}
	out := Bounds{Ranges: sets[best].ranges, Exact: true}
	var rest []Expr
	for i, x := range list {
		used := i == best
		if intersect && sets[i].known && !used {
			out.Ranges = cmp.intersect(out.Ranges, sets[i].ranges)
			used = true
		}
		if !used || !sets[i].exact {
			rest = append(rest, x)
		}
	}
	out.Exact = len(rest) == 0
	return out, conjunction(rest), true
}

type pathBounder struct {
	path     string
	multikey bool
}

var byBSON order = doc.CompareBSON

func (p pathBounder) of(e Expr) set {
	switch e := e.(type) {
	case Const:
		if e.Value != True {
			return exactly()
		}
	case *And:
		return p.and(e.List)
	case *Or:
		sets := make([]set, len(e.List))
		for i, x := range e.List {
			sets[i] = p.of(x)
		}
		return byBSON.unionSets(sets)
	case *Field:
		return p.field(e)
	case *Contains:
		return p.contains(e)
	case *TextCmp:
		if e.Op == EQ && p.is(e.Ref) {
			return printsAs(e.Text)
		}
	case *TextIn:
		if p.is(e.Ref) {
			sets := make([]set, len(e.List))
			for i, s := range e.List {
				sets[i] = printsAs(s)
			}
			return byBSON.unionSets(sets)
		}
	case *JSONCmp:
		if e.Op == EQ && p.is(e.Ref) {
			return scalarPoint(e.Value)
		}
	case *IsNull:
		if p.is(e.Ref) && len(e.Path) == 1 {
			return nullRange()
		}
	}
	return unknown
}

// and bounds a conjunction that is not at the top: as one set, or with multikey by its best member.
func (p pathBounder) and(list []Expr) set {
	out := unknown
	used := 0
	for _, x := range list {
		s := p.of(x)
		switch {
		case !s.known:
		case !out.known:
			out = s
			used++
		case !p.multikey:
			out = set{byBSON.intersect(out.ranges, s.ranges), out.exact && s.exact, true}
			used++
		case narrower(s, out):
			out = s
		}
	}
	out.exact = out.exact && used == len(list)
	return out
}

// field bounds a Mongo condition on this path, or on the array of objects that it goes through.
func (p pathBounder) field(f *Field) set {
	if f.Path == p.path {
		s := testBounds(f.Test)
		s.exact = s.exact && !hasPosition(f.Path) // such a path has more entries than values
		return s
	}
	em, ok := f.Test.(*ElemMatch)
	rest, below := strings.CutPrefix(p.path, f.Path+".")
	if !ok || !below || arrayPosition(firstPart(rest)) >= 0 {
		return unknown
	}
	s := pathBounder{rest, true}.of(em.Filter)
	s.exact = false
	return s
}

func firstPart(path string) string {
	first, _, _ := strings.Cut(path, ".")
	return first
}

func hasPosition(path string) bool {
	return slices.ContainsFunc(strings.Split(path, "."), func(part string) bool { return arrayPosition(part) >= 0 })
}

func nullRange() set {
	return within(Range{End{Value: doc.Value{Type: doc.TypeUndefined}}, End{Value: doc.Null()}})
}

// testBounds bounds a test: the entries of a document that passes.
func testBounds(t Test) set {
	switch t := t.(type) {
	case *Compare:
		return compareBounds(t.Op, t.Value)
	case *In:
		sets := make([]set, 0, len(t.Values)+len(t.Regexes))
		for _, v := range t.Values {
			sets = append(sets, compareBounds(EQ, v))
		}
		for _, r := range t.Regexes {
			sets = append(sets, regexBounds(r))
		}
		return byBSON.unionSets(sets)
	case *Regex:
		return regexBounds(t)
	case *Types:
		return typeBounds(t)
	case *Mod:
		return within(classRange(doc.ClassNumber))
	case *ElemTest:
		out := unknown
		for _, x := range t.Tests {
			if _, nested := x.(*ElemTest); nested {
				continue // that looks into the element; the entry is the element itself
			}
			if s := testBounds(x); s.known && !out.known {
				out = s
			} else if s.known {
				out.ranges = byBSON.intersect(out.ranges, s.ranges)
			}
		}
		out.exact = false
		return out
	}
	return unknown
}

// compareBounds bounds a comparison within the operand's class.
func compareBounds(op CmpOp, v doc.Value) set {
	class := v.Class()
	switch {
	case class == doc.ClassNull:
		if op == LT || op == GT {
			return exactly()
		}
		return nullRange()
	case class == doc.ClassMinKey || class == doc.ClassMaxKey:
		if op == EQ {
			return exactly(point(v))
		}
		return unknown
	case class == doc.ClassArray:
		if op != EQ {
			return unknown
		}
		return arrayPoint(v.Plain())
	case class == doc.ClassNumber && isNaN(v):
		if op == LT || op == GT {
			return exactly()
		}
		return exactly(point(v))
	case op == EQ:
		return exactly(point(v))
	}
	r := classRange(class)
	if class == doc.ClassNumber {
		r.Low.Open = true // NaN is below the numbers and in no order with them
	}
	switch op {
	case LT, LE:
		r.High = End{Value: v, Open: op == LT}
	case GT, GE:
		r.Low = End{Value: v, Open: op == GT}
	}
	return exactly(byBSON.union([]Range{r}, nil)...)
}

// arrayPoint: an array equals the operand when it is an element of the document's array, or when it is that array, whose first
// element is then an entry.
func arrayPoint(v doc.Value) set {
	first := v.At(0)
	if first.Missing() {
		first = doc.Value{Type: doc.TypeUndefined}
	}
	return within(byBSON.union([]Range{point(v)}, []Range{point(first)})...)
}

// classStart gives the lowest value of each class.
var classStart = map[doc.Class]doc.Value{
	doc.ClassNumber: doc.Double(math.NaN()), doc.ClassString: doc.String(""), doc.ClassObject: {Type: doc.TypeObject, Data: []byte{5, 0, 0, 0, 0}},
	doc.ClassArray: {Type: doc.TypeArray, Data: []byte{5, 0, 0, 0, 0}}, doc.ClassBinary: doc.Binary(0, nil),
	doc.ClassObjectID: {Type: doc.TypeObjectID, Data: make([]byte, 12)}, doc.ClassBool: doc.Bool(false), doc.ClassDate: doc.Micros(math.MinInt64),
	doc.ClassTimestamp: {Type: doc.TypeTimestamp, Data: make([]byte, 8)}, doc.ClassRegex: {Type: doc.TypeRegex, Data: []byte{0, 0}},
}

// classRange is [lowest value of the class, lowest value of the next class).
func classRange(c doc.Class) Range {
	r := Range{End{Value: classStart[c]}, End{Unbounded: true}}
	if next, ok := classStart[c+1]; ok {
		r.High = End{Value: next, Open: true}
	}
	if _, ok := classStart[c]; !ok {
		r.Low = End{Unbounded: true}
	}
	return r
}

func regexBounds(r *Regex) set {
	own := doc.Value{Type: doc.TypeRegex, Data: append(append(append([]byte(r.Pattern), 0), r.Options...), 0)}
	if r.prefix != nil {
		return exactly(byBSON.union([]Range{prefixRange(r.prefix, classRange(doc.ClassString).High)}, []Range{point(own)})...)
	}
	return within(byBSON.union([]Range{classRange(doc.ClassString)}, []Range{point(own)})...)
}

// prefixRange holds the strings that begin with a prefix; end is where strings end.
func prefixRange(prefix []byte, end End) Range {
	r := Range{End{Value: doc.String(prefix)}, end}
	after := append([]byte(nil), prefix...)
	for len(after) > 0 && after[len(after)-1] == 0xFF {
		after = after[:len(after)-1]
	}
	if len(after) > 0 {
		after[len(after)-1]++
		r.High = End{Value: doc.String(after), Open: true}
	}
	return r
}

func typeBounds(t *Types) set {
	out := set{known: true}
	for _, code := range t.List {
		var r Range
		switch {
		case code == AnyNumber:
			r = classRange(doc.ClassNumber)
		case code == TypeCode(doc.TypeNull):
			r = point(doc.Null())
		case code == TypeCode(doc.TypeArray) || code == TypeCode(doc.TypeUndefined) || code < 0 || code > 19:
			return unknown
		default:
			r = classRange(doc.Value{Type: byte(code)}.Class())
		}
		out.ranges = byBSON.union(out.ranges, []Range{r})
	}
	return out
}

// is tells whether an SQL reference is this path: object keys only, none of which a dotted path would take apart.
func (p pathBounder) is(r Ref) bool {
	path, ok := dotted(r)
	return ok && path == p.path
}

// dotted gives the dotted path of an SQL reference.
func dotted(r Ref) (string, bool) {
	if r.ID || len(r.Path) == 0 {
		return "", false
	}
	parts := make([]string, len(r.Path))
	for i, s := range r.Path {
		if s.Kind != doc.StepKey || strings.Contains(s.Key, ".") {
			return "", false
		}
		parts[i] = s.Key
	}
	return strings.Join(parts, "."), true
}

// contains bounds `ref @> value`: the value has a scalar, or an array with scalars, at the path.
func (p pathBounder) contains(e *Contains) set {
	rest := p.path
	for _, s := range e.Path {
		if s.Kind != doc.StepKey || strings.Contains(s.Key, ".") {
			return unknown
		}
		var first string
		if first, rest, _ = strings.Cut(rest, "."); first != s.Key {
			return unknown
		}
	}
	return containsAt(e.Value, rest)
}

// containsAt follows what remains of the path into a contained value; of an array any one element will do, as all of them must
// be in the document's array.
func containsAt(v doc.Value, rest string) set {
	if v.Type == doc.TypeArray {
		for it := v.Elements(); ; {
			_, x, ok := it.Next()
			if !ok {
				return unknown
			}
			if x.Type == doc.TypeArray {
				continue
			}
			if s := containsAt(x, rest); s.known {
				return s
			}
		}
	}
	if rest == "" {
		return scalarPoint(v)
	}
	if v.Type != doc.TypeObject {
		return unknown
	}
	first, rest, _ := strings.Cut(rest, ".")
	return containsAt(doc.Doc(v.Data).Lookup(first), rest)
}

// scalarPoint is the entry of a document whose value equals v as jsonb. An object that shows a BSON value stands for that too;
// other objects and arrays have no one entry.
func scalarPoint(v doc.Value) set {
	switch v.Type {
	case doc.TypeMissing, doc.TypeArray:
		return unknown
	case doc.TypeObject:
		stored, err := doc.ToDocument(v)
		if err != nil || stored.Doc() != nil {
			return unknown
		}
		return within(byBSON.union([]Range{point(stored)}, []Range{point(v)})...)
	}
	return within(point(v))
}

// printsAs bounds `->>` equality: one point for each type of value that prints as the text.
func printsAs(text string) set {
	if strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
		return unknown // objects and arrays print in one order of keys, but are stored in any
	}
	list := []Range{point(doc.String(text))}
	add := func(v doc.Value) { list = byBSON.union(list, []Range{point(v)}) }
	if n, err := doc.NumberFromText([]byte(text)); err == nil {
		add(n)
	}
	if id, ok := doc.ParseObjectID(text); ok {
		add(id.Value())
	}
	switch text {
	case "true", "false":
		add(doc.Bool(text == "true"))
	case "NaN":
		add(doc.Double(math.NaN()))
	case "Infinity":
		add(doc.Double(math.Inf(1)))
	case "-Infinity":
		add(doc.Double(math.Inf(-1)))
	}
	for _, wrapper := range []string{"$date", "$uuid"} {
		if v, ok := doc.FromText(wrapper, text); ok {
			add(v)
		}
	}
	return within(list...)
}
