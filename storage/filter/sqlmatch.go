package filter

import (
	"bytes"
	"math"
	"slices"

	"github.com/omgdb/omgdb/storage/doc"
)

// compileSQL prepares the SQL nodes.
func compileSQL(e Expr) (node, error) {
	switch e := e.(type) {
	case *Contains:
		return newContains(e), nil
	case *HasKeys:
		return &hasKeysNode{newFinder(e.Ref), e}, nil
	case *TextCmp:
		return &textCmpNode{newFinder(e.Ref), e.Op, []byte(e.Text), doc.String(e.Text).Data}, nil
	case *TextIn:
		set := make(map[string]struct{}, len(e.List))
		for _, s := range e.List {
			set[s] = struct{}{}
		}
		return &textInNode{newFinder(e.Ref), set, e.HasNull}, nil
	case *TextLike:
		l, err := newLike(e.Pattern)
		return &textLikeNode{newFinder(e.Ref), l}, err
	case *JSONCmp:
		return &jsonCmpNode{newFinder(e.Ref), e.Op, e.Value}, nil
	case *JSONIn:
		return newValueIn(e.Ref, e.List, e.HasNull, doc.Compare), nil
	case *CastCmp:
		return newCast(e)
	case *IsNull:
		return &isNullNode{newFinder(e.Ref), e.Text}, nil
	case *FieldCmp:
		n := &fieldCmpNode{finder: newFinder(e.Ref), op: e.Op, value: e.Value, cmp: fieldCompare(e.Class)}
		if e.Class <= ClassNumeric {
			n.number = newExactNumber(e.Value)
		}
		return n, nil
	case *FieldIn:
		return newValueIn(e.Ref, e.List, e.HasNull, fieldCompare(e.Class)), nil
	}
	return nil, unknownNode(e)
}

// finder finds the value of a Ref.
type finder struct {
	path doc.PathFinder
	id   bool
}

func newFinder(r Ref) finder {
	if r.ID {
		return finder{doc.NewPathFinder(doc.Keys("_id")), true}
	}
	return finder{doc.NewPathFinder(r.Path), false}
}

func (f *finder) find(d doc.Doc) doc.Value { return f.path.Find(d) }

func (f *finder) target() *finder { return f }

// samePath reports that both find the same value.
func (f *finder) samePath(o *finder) bool { return slices.Equal(f.path.Path(), o.path.Path()) }

// text gives the value as text, in place when it is a string; ok is false for NULL.
func (f *finder) text(v doc.Value, buf []byte) (text []byte, ok bool) {
	if f.id && v.Type != doc.TypeString {
		return doc.AppendIDText(buf[:0], v), !v.Missing()
	}
	return v.TextBytes(buf)
}

// textRoom is how long a text that is not stored as one may be without allocating.
const textRoom = 64

type textCmpNode struct {
	finder
	op   CmpOp
	text []byte
	raw  []byte // text as a string's raw bytes
}

func (n *textCmpNode) evalValue(v doc.Value) (Tri, error) {
	if n.op == EQ && v.Type == doc.TypeString {
		return TriOf(string(v.Data) == string(n.raw)), nil
	}
	return n.compare(v)
}

func (n *textCmpNode) compare(v doc.Value) (Tri, error) {
	var buf [textRoom]byte
	s, ok := n.finder.text(v, buf[:])
	switch {
	case !ok:
		return Null, nil
	case n.op == EQ:
		return TriOf(string(s) == string(n.text)), nil
	case n.op == NE:
		return TriOf(string(s) != string(n.text)), nil
	}
	return TriOf(n.op.holds(bytes.Compare(s, n.text))), nil
}

type textInNode struct {
	finder
	set     map[string]struct{}
	hasNull bool
}

func (n *textInNode) evalValue(v doc.Value) (Tri, error) {
	var buf [textRoom]byte
	s, ok := n.finder.text(v, buf[:])
	if !ok {
		if len(n.set) == 0 && !n.hasNull {
			return False, nil
		}
		return Null, nil
	}
	if _, found := n.set[string(s)]; found {
		return True, nil
	}
	if n.hasNull {
		return Null, nil
	}
	return False, nil
}

type textLikeNode struct {
	finder
	like *like
}

func (n *textLikeNode) evalValue(v doc.Value) (Tri, error) {
	var buf [textRoom]byte
	s, ok := n.finder.text(v, buf[:])
	if !ok {
		return Null, nil
	}
	return TriOf(n.like.match(s)), nil
}

type isNullNode struct {
	finder
	asText bool
}

func (n *isNullNode) evalValue(v doc.Value) (Tri, error) {
	return TriOf(v.Missing() || n.asText && v.IsNull()), nil
}

type hasKeysNode struct {
	finder
	keys *HasKeys
}

func (n *hasKeysNode) evalValue(v doc.Value) (Tri, error) {
	switch {
	case v.Missing():
		return Null, nil
	case n.keys.Op == HasKey:
		return TriOf(doc.Exists(v, n.keys.Keys[0])), nil
	case n.keys.Op == AnyKey:
		return TriOf(doc.ExistsAny(v, n.keys.Keys)), nil
	}
	return TriOf(doc.ExistsAll(v, n.keys.Keys)), nil
}

type jsonCmpNode struct {
	finder
	op    CmpOp
	value doc.Value
}

func (n *jsonCmpNode) evalValue(v doc.Value) (Tri, error) {
	switch {
	case v.Missing():
		return Null, nil
	case n.op == EQ:
		return TriOf(doc.Equal(v, n.value)), nil
	}
	return TriOf(n.op.holds(doc.Compare(v, n.value))), nil
}

// valueInNode is IN over values with an order of their own.
type valueInNode struct {
	finder
	sorted  []doc.Value
	hasNull bool
	cmp     func(a, b doc.Value) int
}

func newValueIn(r Ref, list []doc.Value, hasNull bool, cmp func(a, b doc.Value) int) *valueInNode {
	n := &valueInNode{newFinder(r), slices.Clone(list), hasNull, cmp}
	slices.SortFunc(n.sorted, cmp)
	return n
}

func (n *valueInNode) evalValue(v doc.Value) (Tri, error) {
	if v.Missing() {
		if len(n.sorted) == 0 && !n.hasNull {
			return False, nil
		}
		return Null, nil
	}
	if _, found := slices.BinarySearchFunc(n.sorted, v, n.cmp); found {
		return True, nil
	}
	if n.hasNull {
		return Null, nil
	}
	return False, nil
}

// fieldCmpNode compares a typed column.
type fieldCmpNode struct {
	finder
	op    CmpOp
	value doc.Value
	cmp   func(a, b doc.Value) int
	// number compares most numbers of a number column; empty for other classes
	number exactNumber
}

func (n *fieldCmpNode) evalValue(v doc.Value) (Tri, error) {
	if v.Missing() {
		return Null, nil
	}
	c, ok := n.number.compare(v)
	if !ok {
		c = n.cmp(v, n.value)
	}
	return TriOf(n.op.holds(c)), nil
}

// fieldCompare gives the order of a class of columns.
func fieldCompare(c FieldClass) func(a, b doc.Value) int {
	switch c {
	case ClassInt:
		return compareInts
	case ClassFloat, ClassNumeric:
		return compareNumeric
	case ClassText:
		return compareTexts
	case ClassUUID, ClassBytea:
		return compareBytea
	case ClassJSONB:
		return doc.Compare
	}
	return doc.CompareBSON
}

func compareInts(a, b doc.Value) int {
	x, okA := a.Int64()
	y, okB := b.Int64()
	switch {
	case !okA || !okB:
		return doc.CompareBSON(a, b)
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// compareNumeric puts NaN above all, equal to itself.
func compareNumeric(a, b doc.Value) int {
	if nanA, nanB := isNaN(a), isNaN(b); nanA || nanB {
		return b2i(nanA) - b2i(nanB)
	}
	return doc.CompareBSON(a, b)
}

func compareTexts(a, b doc.Value) int {
	x, okA := a.StringBytes()
	y, okB := b.StringBytes()
	if !okA || !okB {
		return doc.CompareBSON(a, b)
	}
	return bytes.Compare(x, y)
}

func compareBytea(a, b doc.Value) int {
	_, x, okA := a.Binary()
	_, y, okB := b.Binary()
	if !okA || !okB {
		return doc.CompareBSON(a, b)
	}
	return bytes.Compare(x, y)
}

// containsNode is @>, with the members of an object prepared.
type containsNode struct {
	finder
	value   doc.Value
	members []containsMember // of an object: what each key must contain
	keys    []string         // of members
}

type containsMember struct {
	find  doc.KeyFinder
	value doc.Value
}

func newContains(e *Contains) *containsNode {
	n := &containsNode{finder: newFinder(e.Ref), value: e.Value}
	if e.Value.Type != doc.TypeObject {
		return n
	}
	for it := e.Value.Elements(); ; {
		k, v, ok := it.Next()
		if !ok {
			return n
		}
		n.members = append(n.members, containsMember{doc.NewKeyFinder(string(k)), v})
		n.keys = append(n.keys, string(k))
	}
}

func (n *containsNode) evalValue(v doc.Value) (Tri, error) {
	if v.Missing() {
		return Null, nil
	}
	if v.Type != doc.TypeObject || n.value.Type != doc.TypeObject {
		return TriOf(doc.Contains(v, n.value)), nil
	}
	for i := range n.members {
		m := &n.members[i]
		if !m.within(m.find.Find(v.Data)) {
			return False, nil
		}
	}
	return True, nil
}

// within tells whether the value at the member's key contains what it must.
func (m *containsMember) within(have doc.Value) bool {
	if have.Type == m.value.Type && have.Type == doc.TypeString {
		return string(have.Data) == string(m.value.Data)
	}
	return !have.Missing() && doc.ContainsWithin(have, m.value)
}

// Each of these nodes finds its value and looks at nothing else.
func (n *textCmpNode) eval(d doc.Doc) (Tri, error)     { return n.evalValue(n.find(d)) }
func (n *textInNode) eval(d doc.Doc) (Tri, error)      { return n.evalValue(n.find(d)) }
func (n *textLikeNode) eval(d doc.Doc) (Tri, error)    { return n.evalValue(n.find(d)) }
func (n *isNullNode) eval(d doc.Doc) (Tri, error)      { return n.evalValue(n.find(d)) }
func (n *hasKeysNode) eval(d doc.Doc) (Tri, error)     { return n.evalValue(n.find(d)) }
func (n *jsonCmpNode) eval(d doc.Doc) (Tri, error)     { return n.evalValue(n.find(d)) }
func (n *valueInNode) eval(d doc.Doc) (Tri, error)     { return n.evalValue(n.find(d)) }
func (n *fieldCmpNode) eval(d doc.Doc) (Tri, error)    { return n.evalValue(n.find(d)) }
func (n *containsNode) eval(d doc.Doc) (Tri, error)    { return n.evalValue(n.find(d)) }
func (n *numericCastNode) eval(d doc.Doc) (Tri, error) { return n.evalValue(n.find(d)) }
func (n *floatCastNode) eval(d doc.Doc) (Tri, error)   { return n.evalValue(n.find(d)) }
func (n *intCastNode) eval(d doc.Doc) (Tri, error)     { return n.evalValue(n.find(d)) }

// order of a cast's result: the infinities and NaN around the finite numbers.
func numericRank(k doc.Kind) int {
	switch k {
	case doc.NegInf:
		return 0
	case doc.PosInf:
		return 2
	case doc.NaN:
		return 3
	}
	return 1
}

func compareFloats(x, y float64) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	case x == y:
		return 0
	}
	return b2i(math.IsNaN(x)) - b2i(math.IsNaN(y))
}
