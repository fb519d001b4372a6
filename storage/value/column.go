package value

// Column holds n values of one type: Nulls (nil when there are none) and the slice that belongs to the type's Kind.
// A column is filled by its owner and then read only.
type Column struct {
	Type  *Type
	Nulls []bool
	Bools []bool
	Ints  []int64
	Flts  []float64
	Strs  []string
	Boxes []any
	// Lasting is set for a column that is kept beyond its batch; nil for most.
	Lasting *Lasting
}

// NewColumn makes an empty column with room for n values.
func NewColumn(t *Type, n int) *Column {
	c := &Column{Type: t}
	switch t.Kind {
	case KindBool:
		c.Bools = make([]bool, 0, n)
	case KindInt:
		c.Ints = make([]int64, 0, n)
	case KindFloat:
		c.Flts = make([]float64, 0, n)
	case KindString:
		c.Strs = make([]string, 0, n)
	default:
		c.Boxes = make([]any, 0, n)
	}
	return c
}

// Len is the number of values.
func (c *Column) Len() int {
	switch c.Type.Kind {
	case KindBool:
		return len(c.Bools)
	case KindInt:
		return len(c.Ints)
	case KindFloat:
		return len(c.Flts)
	case KindString:
		return len(c.Strs)
	default:
		return len(c.Boxes)
	}
}

// Reset empties the column and keeps its memory.
func (c *Column) Reset() {
	c.Nulls, c.Bools, c.Ints, c.Flts, c.Strs = c.Nulls[:0], c.Bools[:0], c.Ints[:0], c.Flts[:0], c.Strs[:0]
	clear(c.Boxes)
	c.Boxes, c.Lasting = c.Boxes[:0], nil
}

// IsNull tells whether value i is NULL.
func (c *Column) IsNull(i int) bool { return len(c.Nulls) > 0 && c.Nulls[i] }

// Get gives value i.
func (c *Column) Get(i int) Value {
	if c.IsNull(i) {
		return Null
	}
	switch c.Type.Kind {
	case KindBool:
		return Bool(c.Bools[i])
	case KindInt:
		return Int(c.Ints[i])
	case KindFloat:
		return Float(c.Flts[i])
	case KindString:
		return String(c.Strs[i])
	default:
		return Box(c.Boxes[i])
	}
}

// Append adds v, which must be NULL or of the column's Kind.
func (c *Column) Append(v Value) {
	if v.IsNull() {
		c.AppendNull()
		return
	}
	switch c.Type.Kind {
	case KindBool:
		c.Bools = append(c.Bools, v.Bool())
	case KindInt:
		c.Ints = append(c.Ints, v.Int())
	case KindFloat:
		c.Flts = append(c.Flts, v.Float())
	case KindString:
		c.Strs = append(c.Strs, v.str)
	default:
		c.Boxes = append(c.Boxes, v.box)
	}
	if len(c.Nulls) > 0 {
		c.Nulls = append(c.Nulls, false)
	}
}

// AppendNull adds a NULL.
func (c *Column) AppendNull() {
	n := c.Len()
	if len(c.Nulls) == 0 {
		if cap(c.Nulls) < n {
			c.Nulls = make([]bool, n, max(n+1, 1024))
		} else {
			c.Nulls = c.Nulls[:n]
			clear(c.Nulls)
		}
	}
	c.Nulls = append(c.Nulls, true)
	switch c.Type.Kind {
	case KindBool:
		c.Bools = append(c.Bools, false)
	case KindInt:
		c.Ints = append(c.Ints, 0)
	case KindFloat:
		c.Flts = append(c.Flts, 0)
	case KindString:
		c.Strs = append(c.Strs, "")
	default:
		c.Boxes = append(c.Boxes, nil)
	}
}

// AppendFrom adds the values of src at the positions sel, or all of src when sel is nil.
// Both columns have the same Kind.
func (c *Column) AppendFrom(src *Column, sel []int32) {
	old := c.Len()
	switch c.Type.Kind {
	case KindBool:
		c.Bools = gather(c.Bools, src.Bools, sel)
	case KindInt:
		c.Ints = gather(c.Ints, src.Ints, sel)
	case KindFloat:
		c.Flts = gather(c.Flts, src.Flts, sel)
	case KindString:
		c.Strs = gather(c.Strs, src.Strs, sel)
	default:
		c.Boxes = gather(c.Boxes, src.Boxes, sel)
	}
	if len(src.Nulls) == 0 && len(c.Nulls) == 0 {
		return
	}
	if len(c.Nulls) == 0 {
		c.Nulls = append(c.Nulls[:0], make([]bool, old)...)
	}
	if len(src.Nulls) == 0 {
		c.Nulls = append(c.Nulls, make([]bool, c.Len()-old)...)
		return
	}
	c.Nulls = gather(c.Nulls, src.Nulls, sel)
}

func gather[T any](dst, src []T, sel []int32) []T {
	if sel == nil {
		return append(dst, src...)
	}
	for _, i := range sel {
		dst = append(dst, src[i])
	}
	return dst
}

// Field describes one column of a Schema.
type Field struct {
	Name string
	Type *Type
	Mod  int32 // type modifier as in pg_attribute.atttypmod, -1 for none
	// Table and Attr name the stored column that this one shows unchanged (0, 0: a computed one).
	Table uint32
	Attr  int16
}

// Schema is the shape of a stream of batches.
type Schema []Field
