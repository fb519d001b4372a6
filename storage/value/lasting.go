package value

import "sync"

// Lasting marks a column that is never changed and outlives its batch, until the transaction's reading point is given up. Operators may
// keep it instead of copying it, and keep with it what they compute of it alone.
type Lasting struct {
	// Codes, when not nil, number the values: equal values have equal codes, NULL has 0. Columns with the same Space share the numbers.
	Codes []uint32
	Space any
	// Grow accounts for memory of what is derived, in bytes; nil: nobody counts.
	Grow func(n int64)

	mu      sync.Mutex
	derived map[Derivation]*Column
}

// Derivation names a conversion whose result depends on nothing but a column's values: a function, or the type that texts are read as.
type Derivation struct {
	Fn  any
	To  uint32 // OID of the type
	Mod int32
}

// Derive gives the column converted as d says. convert makes it, of all values, and may refuse with nil; each conversion is tried
// once.
func (l *Lasting) Derive(d Derivation, convert func() *Column) *Column {
	l.mu.Lock()
	defer l.mu.Unlock()
	c, tried := l.derived[d]
	if tried {
		return c
	}
	if l.derived == nil {
		l.derived = map[Derivation]*Column{}
	}
	c = convert()
	l.derived[d] = c
	if c != nil && l.Grow != nil {
		l.Grow(int64(len(c.Nulls) + len(c.Bools) + 8*len(c.Ints) + 8*len(c.Flts) + 64*len(c.Boxes)))
	}
	return c
}
