package doc

import "slices"

// Projector takes several paths out of a document in one pass. It is compiled once, is immutable, and may be used by
// several goroutines; Project does not allocate.
type Projector struct {
	root  node
	width int
}

// node is a place in the trie of paths: what to put out there, and where to go on.
type node struct {
	out      []int  // result slots of the value at this place
	keys     []edge // into objects
	elems    []elem // into arrays, by position from the start, ascending
	fromEnd  []elem // into arrays, by negative position
	scalarAs []int  // nodes' slots reached by stepping into a scalar as an array of itself; see scalar
	leaf     bool   // nothing below
}

// edge is an object's key. word holds its first 8 bytes, zero-padded: a key shorter than that is told by it alone.
type edge struct {
	word uint64
	key  string
	to   *node
}

type elem struct {
	at int
	to *node
}

// NewProjector compiles paths; Project fills one slot for each, in their order.
func NewProjector(paths ...Path) *Projector {
	p := &Projector{width: len(paths)}
	for slot, path := range paths {
		n := &p.root
		n.add(path, slot)
	}
	p.root.finish()
	return p
}

// Width is the number of paths.
func (p *Projector) Width() int { return p.width }

func (n *node) add(path Path, slot int) {
	if len(path) == 0 {
		n.out = append(n.out, slot)
		return
	}
	s, rest := path[0], path[1:]
	if s.Kind != StepIndex {
		n.child(s.Key).add(rest, slot)
	}
	if s.Kind == StepIndex || s.Kind == StepText && s.IsInt {
		n.element(s.Index).add(rest, slot)
	}
	if s.Kind == StepIndex && (s.Index == 0 || s.Index == -1) && allSelf(rest) {
		n.scalarAs = append(n.scalarAs, slot)
	}
}

// allSelf reports a path that leads from a scalar to itself: PostgreSQL takes a scalar as an array of one.
func allSelf(p Path) bool {
	return !slices.ContainsFunc(p, func(s Step) bool { return s.Kind != StepIndex || s.Index != 0 && s.Index != -1 })
}

func (n *node) child(key string) *node {
	for _, e := range n.keys {
		if e.key == key {
			return e.to
		}
	}
	e := edge{word: keyWord(key), key: key, to: new(node)}
	n.keys = append(n.keys, e)
	return e.to
}

func (n *node) element(at int) *node {
	list := &n.elems
	if at < 0 {
		list = &n.fromEnd
	}
	i := slices.IndexFunc(*list, func(e elem) bool { return e.at == at })
	if i < 0 {
		i = len(*list)
		*list = append(*list, elem{at, new(node)})
	}
	return (*list)[i].to
}

func (n *node) finish() {
	n.leaf = len(n.keys) == 0 && len(n.elems) == 0 && len(n.fromEnd) == 0
	slices.SortFunc(n.elems, func(a, b elem) int { return a.at - b.at })
	for _, e := range n.keys {
		e.to.finish()
	}
	for _, list := range [][]elem{n.elems, n.fromEnd} {
		for _, e := range list {
			e.to.finish()
		}
	}
}

// Project puts the values at the paths into out, which must have at least Width slots; a path that leads nowhere gives
// a missing Value. The values alias d.
func (p *Projector) Project(d Doc, out []Value) {
	out = out[:p.width]
	clear(out)
	n := &p.root
	for _, slot := range n.out {
		out[slot] = Value{TypeObject, d}
	}
	if len(n.keys) > 0 && len(d) >= 5 {
		n.object(d, out)
	}
}

// ProjectValue is Project from any value.
func (p *Projector) ProjectValue(v Value, out []Value) {
	out = out[:p.width]
	clear(out)
	p.root.visit(v, out)
}

// visit puts v out and goes on into it.
func (n *node) visit(v Value, out []Value) {
	for _, slot := range n.out {
		out[slot] = v
	}
	if n.leaf {
		return
	}
	switch v.Type {
	case TypeObject:
		if len(n.keys) > 0 {
			n.object(v.Data, out)
		}
	case TypeArray:
		n.array(v, out)
	default:
		n.scalar(v, out)
	}
}

// object is the hot loop of scans: walk the elements, compare the first 8 bytes of each key with the wanted ones, stop
// when all were seen.
func (n *node) object(b []byte, out []Value) {
	left := len(n.keys)
	for pos := 4; pos < len(b) && b[pos] != 0; {
		word, keyEnd, end := scanElement(b, pos)
		if end < 0 {
			return
		}
		for i := range n.keys {
			e := &n.keys[i]
			if e.word != word || keyEnd-pos-1 != len(e.key) || len(e.key) > 8 && string(b[pos+1:keyEnd]) != e.key {
				continue
			}
			e.to.visit(Value{b[pos], b[keyEnd+1 : end : end]}, out)
			if left--; left == 0 {
				return
			}
			break
		}
		pos = end
	}
}

func (n *node) array(v Value, out []Value) {
	if len(n.fromEnd) > 0 {
		for _, e := range n.fromEnd {
			if x := v.At(e.at); !x.Missing() {
				e.to.visit(x, out)
			}
		}
	}
	want := n.elems
	it := v.Elements()
	for i := 0; len(want) > 0; i++ {
		_, x, ok := it.Next()
		if !ok {
			return
		}
		if want[0].at == i {
			want[0].to.visit(x, out)
			want = want[1:]
		}
	}
}

// scalar steps into a value that is neither object nor array: as the object that it is shown as, or as an array of
// itself.
func (n *node) scalar(v Value, out []Value) {
	if v.needsPlain() {
		if plain := v.Plain(); plain.Type != v.Type {
			n.below(plain, out)
			return
		}
	}
	for _, slot := range n.scalarAs {
		out[slot] = v
	}
}

// below goes on into a plain value without putting the value itself out.
func (n *node) below(v Value, out []Value) {
	switch v.Type {
	case TypeObject:
		n.object(v.Data, out)
	case TypeArray:
		n.array(v, out)
	default:
		for _, slot := range n.scalarAs {
			out[slot] = v
		}
	}
}
