package pgregex

import (
	"strings"
	"unicode/utf8"
)

// maxSteps bounds the work of one search.
const maxSteps = 20_000_000

// engine finds matches by sets of ends: where can a node that starts at i end? From the root's set it takes the longest or
// shortest end, then goes down again to give each part its share: earlier parts first, each by its own greediness.
type engine struct {
	re    *Regexp
	s     string
	ends  map[key][]int32 // sorted ends of (node, start); back references count as all that their group could match
	steps int
	caps  []int
	group []*node // by capture number
	over  bool
}

type key struct {
	node  int32
	start int32
}

func newEngine(re *Regexp, s string) *engine {
	e := &engine{re: re, s: s, ends: map[key][]int32{}, caps: make([]int, 2*(re.groups+1)), group: make([]*node, re.groups+1)}
	e.collect(re.root)
	return e
}

func (e *engine) collect(n *node) {
	if n.kind == kGroup && n.cap > 0 {
		e.group[n.cap] = n
	}
	for _, s := range n.subs {
		e.collect(s)
	}
}

// at gives the match that starts at i.
func (e *engine) at(i int) ([]int, error) {
	ends := e.endsOf(e.re.root, i)
	if e.over {
		return nil, TooComplex()
	}
	for k := range ends {
		j := ends[len(ends)-1-k]
		if e.re.root.pref == prefShort {
			j = ends[k]
		}
		for c := range e.caps {
			e.caps[c] = -1
		}
		if e.dissect(e.re.root, i, int(j), func() bool { return true }) {
			e.caps[0], e.caps[1] = i, int(j)
			return append([]int(nil), e.caps...), nil
		}
		if e.over {
			return nil, TooComplex()
		}
	}
	return nil, nil
}

func (e *engine) tick() bool {
	if e.steps++; e.steps > maxSteps {
		e.over = true
	}
	return !e.over
}

// endsOf gives the places where a node that starts at i can end, sorted.
func (e *engine) endsOf(n *node, i int) []int32 {
	if !e.tick() {
		return nil
	}
	switch n.kind {
	case kEmpty:
		return []int32{int32(i)}
	case kSet:
		if i < len(e.s) {
			if r, size := utf8.DecodeRuneInString(e.s[i:]); n.set.has(r) {
				return []int32{int32(i + size)}
			}
		}
		return nil
	case kAssert:
		if e.holds(n.anchor, i) {
			return []int32{int32(i)}
		}
		return nil
	case kGroup:
		return e.endsOf(n.sub(), i)
	}
	k := key{int32(n.id), int32(i)}
	if got, ok := e.ends[k]; ok {
		return got
	}
	var out []int32
	switch n.kind {
	case kConcat:
		out = []int32{int32(i)}
		for _, s := range n.subs {
			out = e.union(out, func(j int) []int32 { return e.endsOf(s, j) })
		}
	case kAlt:
		for _, s := range n.subs {
			out = merge(out, e.endsOf(s, i))
		}
	case kRepeat:
		out = e.repeatEnds(n, i)
	case kBack:
		out = e.endsOf(e.group[n.cap].sub(), i)
	case kLook:
		if e.looks(n, i) != n.negative {
			out = []int32{int32(i)}
		}
	}
	e.ends[k] = out
	return out
}

// union gives all ends of f from the starts given.
func (e *engine) union(starts []int32, f func(j int) []int32) []int32 {
	if len(starts) == 1 {
		return f(int(starts[0]))
	}
	var out []int32
	for _, j := range starts {
		out = merge(out, f(int(j)))
		if e.steps += len(out) / 8; e.over {
			break
		}
	}
	return out
}

// merge joins two sorted lists without duplicates.
func merge(a, b []int32) []int32 {
	if len(a) == 0 {
		return b
	}
	if len(b) == 0 {
		return a
	}
	if a[len(a)-1] < b[0] {
		return append(a[:len(a):len(a)], b...)
	}
	out := make([]int32, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			out, a = append(out, a[0]), a[1:]
		case a[0] > b[0]:
			out, b = append(out, b[0]), b[1:]
		default:
			out, a, b = append(out, a[0]), a[1:], b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// repeatEnds follows the repetitions level by level; after the least number a place needs to be visited once only.
func (e *engine) repeatEnds(n *node, i int) []int32 {
	cur := []int32{int32(i)}
	for range n.min {
		next := e.union(cur, func(j int) []int32 { return e.endsOf(n.sub(), j) })
		if len(next) == 0 || e.over {
			return nil
		}
		cur = next
	}
	all := cur
	seen := map[int32]bool{}
	for _, j := range cur {
		seen[j] = true
	}
	for k := n.min; (n.max < 0 || k < n.max) && len(cur) > 0 && e.tick(); k++ {
		var fresh []int32
		for _, j := range cur {
			for _, end := range e.endsOf(n.sub(), int(j)) {
				if !seen[end] {
					seen[end] = true
					fresh = merge(fresh, []int32{end})
				}
			}
		}
		all = merge(all, fresh)
		cur = fresh
	}
	return all
}

// looks tells whether the inside of a look-around matches at i.
func (e *engine) looks(n *node, i int) bool {
	if !n.behind {
		return len(e.endsOf(n.sub(), i)) > 0
	}
	for j := i; ; {
		if contains(e.endsOf(n.sub(), j), i) {
			return true
		}
		if j == 0 || e.over {
			return false
		}
		_, size := utf8.DecodeLastRuneInString(e.s[:j])
		j -= size
	}
}

func contains(ends []int32, j int) bool {
	low, high := 0, len(ends)
	for low < high {
		mid := (low + high) / 2
		switch {
		case int(ends[mid]) == j:
			return true
		case int(ends[mid]) < j:
			low = mid + 1
		default:
			high = mid
		}
	}
	return false
}

func (e *engine) isWord(i int, before bool) bool {
	var r rune
	if before {
		if i == 0 {
			return false
		}
		r, _ = utf8.DecodeLastRuneInString(e.s[:i])
	} else {
		if i >= len(e.s) {
			return false
		}
		r, _ = utf8.DecodeRuneInString(e.s[i:])
	}
	return wordSet.has(r)
}

func (e *engine) holds(a anchor, i int) bool {
	switch a {
	case aBegin:
		return i == 0
	case aEnd:
		return i == len(e.s)
	case aLineBegin:
		return i == 0 || e.s[i-1] == '\n'
	case aLineEnd:
		return i == len(e.s) || e.s[i] == '\n'
	}
	before, after := e.isWord(i, true), e.isWord(i, false)
	switch a {
	case aWordStart:
		return !before && after
	case aWordEnd:
		return before && !after
	case aWordEdge:
		return before != after
	}
	return before == after
}

// dissect gives the parts of a node that matches s[i:j] their shares, then asks the rest. It tells whether all fits: only back
// references can refuse.
func (e *engine) dissect(n *node, i, j int, rest func() bool) bool {
	if !e.tick() {
		return false
	}
	if !n.captures {
		return rest()
	}
	switch n.kind {
	case kGroup:
		if n.cap == 0 {
			return e.dissect(n.sub(), i, j, rest)
		}
		a, b := e.caps[2*n.cap], e.caps[2*n.cap+1]
		if e.dissect(n.sub(), i, j, func() bool {
			x, y := e.caps[2*n.cap], e.caps[2*n.cap+1]
			e.caps[2*n.cap], e.caps[2*n.cap+1] = i, j
			if rest() {
				return true
			}
			e.caps[2*n.cap], e.caps[2*n.cap+1] = x, y
			return false
		}) {
			return true
		}
		e.caps[2*n.cap], e.caps[2*n.cap+1] = a, b
		return false
	case kBack:
		a, b := e.caps[2*n.cap], e.caps[2*n.cap+1]
		return a >= 0 && e.same(e.s[i:j], e.s[a:b]) && rest()
	case kConcat:
		return e.concat(n.subs, i, j, rest)
	case kAlt:
		for _, s := range n.subs {
			if contains(e.endsOf(s, i), j) && e.dissect(s, i, j, rest) {
				return true
			}
		}
		return false
	case kRepeat:
		if n.min > 0 && !n.backs {
			return e.lastOf(n, i, j, rest)
		}
		return e.iterate(n, i, j, 0, rest)
	}
	return rest()
}

func (e *engine) same(a, b string) bool {
	return a == b || e.re.fold && strings.EqualFold(a, b)
}

// concat splits s[i:j] among nodes: the first takes its preferred share that leaves the others a match.
func (e *engine) concat(subs []*node, i, j int, rest func() bool) bool {
	if len(subs) == 1 {
		return contains(e.endsOf(subs[0], i), j) && e.dissect(subs[0], i, j, rest)
	}
	ends := e.endsOf(subs[0], i)
	for k := range ends {
		mid := int(ends[len(ends)-1-k])
		if subs[0].pref == prefShort {
			mid = int(ends[k])
		}
		if mid > j || !e.reaches(subs[1:], mid, j) {
			continue
		}
		if e.dissect(subs[0], i, mid, func() bool { return e.concat(subs[1:], mid, j, rest) }) {
			return true
		}
		if e.over {
			return false
		}
	}
	return false
}

// reaches tells whether nodes one after the other can match s[i:j].
func (e *engine) reaches(subs []*node, i, j int) bool {
	cur := []int32{int32(i)}
	for _, s := range subs {
		cur = e.union(cur, func(k int) []int32 { return e.endsOf(s, k) })
	}
	return contains(cur, j)
}

// lastOf splits s[i:j] between all repetitions but the last, which take their preferred share together, and the last one:
// only its groups are seen. Back references inside would need the others' too.
func (e *engine) lastOf(n *node, i, j int, rest func() bool) bool {
	left := e.tail(n, 1)
	ends := e.endsOf(left, i)
	for k := range ends {
		mid := int(ends[len(ends)-1-k])
		if n.pref == prefShort {
			mid = int(ends[k])
		}
		if mid <= j && contains(e.endsOf(n.sub(), mid), j) {
			e.forget(n.sub())
			return e.dissect(n.sub(), mid, j, rest)
		}
	}
	return false
}

// iterate splits s[i:j] into repetitions after done ones; a repetition forgets the groups of the one before it.
func (e *engine) iterate(n *node, i, j, done int, rest func() bool) bool {
	if i == j && done >= n.min && done > 0 {
		return rest()
	}
	if i == j && n.min == 0 && done == 0 {
		return rest()
	}
	if n.max >= 0 && done >= n.max {
		return false
	}
	sub := n.sub()
	saved := append([]int(nil), e.caps...)
	ends := e.endsOf(sub, i)
	for k := range ends {
		mid := int(ends[len(ends)-1-k])
		if sub.pref == prefShort {
			mid = int(ends[k])
		}
		if mid > j || mid == i && (i != j || done >= n.min) || !e.canRepeat(n, mid, j, done+1) {
			continue
		}
		e.forget(sub)
		if e.dissect(sub, i, mid, func() bool { return e.iterate(n, mid, j, done+1, rest) }) {
			return true
		}
		copy(e.caps, saved)
		if e.over {
			return false
		}
	}
	return false
}

// canRepeat tells whether further repetitions can fill s[i:j].
func (e *engine) canRepeat(n *node, i, j, done int) bool {
	if i == j && done >= n.min {
		return true
	}
	return contains(e.endsOf(e.tail(n, done), i), j)
}

// tail is the node for the repetitions of n that are left after some.
func (e *engine) tail(n *node, done int) *node {
	t := &node{kind: kRepeat, subs: n.subs, min: max(n.min-done, 0), max: n.max}
	if n.max >= 0 {
		t.max = n.max - done
	} else {
		done = min(done, n.min) // further ones make no difference
	}
	t.id = e.re.nodes + n.id*(dupMax+1) + done
	return t
}

// forget clears the groups inside a node.
func (e *engine) forget(n *node) {
	if n.kind == kGroup && n.cap > 0 {
		e.caps[2*n.cap], e.caps[2*n.cap+1] = -1, -1
	}
	for _, s := range n.subs {
		if s.captures {
			e.forget(s)
		}
	}
}
