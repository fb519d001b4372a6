package colcache

import (
	"sync"
	"unsafe"

	"github.com/cockroachdb/apd/v3"

	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/value"
)

// Key names a column of a relation: what it shows, of which path, in which form.
type Key string

// numericSize is what a numeric takes beside its place in a column, in bytes.
const numericSize = 56

// Column is a column of a slot: the values that a scan shows, or the stored values at a path, for filters.
type Column struct {
	Shown *value.Column // lasting
	Raw   *Raw
	boxes int64 // memory of boxed values that no other slot shares, in bytes
}

// Size is the memory of the column itself in bytes; dictionaries are shared and small.
func (c *Column) Size() int64 {
	if c.Raw != nil {
		return c.Raw.size()
	}
	return columnSize(c.Shown) + c.boxes
}

func columnSize(c *value.Column) int64 {
	n := int64(len(c.Nulls)+len(c.Bools)+8*len(c.Ints)+8*len(c.Flts)+16*len(c.Strs)) + 16*int64(len(c.Boxes))
	if c.Lasting == nil || c.Lasting.Codes == nil {
		for _, s := range c.Strs {
			n += int64(len(s))
		}
	} else {
		n += 4 * int64(len(c.Lasting.Codes))
	}
	return n
}

// maxDict is how many distinct values a dictionary takes, maxDictBytes how many bytes of them; columns with more are kept value by value.
const (
	maxDict      = 4096
	maxDictBytes = 256 << 10
)

// Dict numbers the distinct values of a column in all slots of a table. Code 0 stands for no value.
type Dict struct {
	mu    sync.RWMutex
	codes map[string]uint32
	vals  []string
	bytes int // of vals
	full  bool
	nums  map[number]any // shared boxes of numerics
}

// number is a small numeric.
type number struct {
	coefficient int64
	exponent    int32
}

func newDict() *Dict { return &Dict{codes: map[string]uint32{}, vals: []string{""}} }

// Values gives the values by code, as far as they are known now.
func (d *Dict) Values() []string {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.vals
}

// encode numbers the values of which absent does not say that they are missing; nil when the dictionary has no room for them.
func (d *Dict) encode(n int, get func(i int) (s string, absent bool)) []uint32 {
	codes := make([]uint32, n)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.full {
		return nil
	}
	for i := range codes {
		s, absent := get(i)
		if absent {
			continue
		}
		c, ok := d.codes[s]
		if !ok {
			if d.bytes += len(s); len(d.vals) > maxDict || d.bytes > maxDictBytes {
				d.full = true
				return nil
			}
			s = string([]byte(s)) // the caller's may lie in a mapped file
			c = uint32(len(d.vals))
			d.vals = append(d.vals, s)
			d.codes[s] = c
		}
		codes[i] = c
	}
	return codes
}

// share replaces equal numerics by one of them, as far as there is room, and gives the memory of the others in bytes.
func (d *Dict) share(boxes []any) (own int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.nums == nil {
		d.nums = map[number]any{}
	}
	for i, b := range boxes {
		x, ok := b.(*apd.Decimal)
		if !ok {
			continue
		}
		if x.Form != apd.Finite || !x.Coeff.IsInt64() {
			own += numericSize
			continue
		}
		k := number{x.Coeff.Int64(), x.Exponent}
		if x.Negative {
			k.coefficient = -k.coefficient
		}
		shared, ok := d.nums[k]
		switch {
		case ok && shared.(*apd.Decimal).Negative == x.Negative:
			boxes[i] = shared
		case !ok && len(d.nums) < maxDict:
			d.nums[k] = b
		default:
			own += numericSize
		}
	}
	return own
}

// Shown makes a lasting column of one that may point into a snapshot.
func Shown(t *Table, k Key, from *value.Column) *Column {
	c := value.NewColumn(from.Type, from.Len())
	c.AppendFrom(from, nil)
	c.Lasting = &value.Lasting{Grow: t.Grow}
	if from.Type.Kind == value.KindBox {
		return &Column{Shown: c, boxes: t.Dict(k).share(c.Boxes)}
	}
	if from.Type.Kind != value.KindString {
		return &Column{Shown: c}
	}
	d := t.Dict(k)
	if codes := d.encode(len(c.Strs), func(i int) (string, bool) { return c.Strs[i], c.IsNull(i) }); codes != nil {
		vals := d.Values()
		for i, code := range codes {
			c.Strs[i] = vals[code]
		}
		c.Lasting.Codes, c.Lasting.Space = codes, d
		return &Column{Shown: c}
	}
	size := 0
	for _, s := range c.Strs {
		size += len(s)
	}
	room := make([]byte, 0, size)
	for i, s := range c.Strs {
		at := len(room)
		room = append(room, s...)
		c.Strs[i] = unsafe.String(unsafe.SliceData(room[at:]), len(s))
	}
	return &Column{Shown: c}
}

// Raw is the stored values at a path: by code, or one after the other.
type Raw struct {
	Codes []uint32
	Dict  *Dict
	types []byte
	ends  []uint32
	data  []byte
}

// NewRaw keeps values that may point into a snapshot.
func NewRaw(t *Table, k Key, vals []doc.Value) *Raw {
	d := t.Dict(k)
	var buf []byte
	codes := d.encode(len(vals), func(i int) (string, bool) {
		v := vals[i]
		buf = append(append(buf[:0], v.Type), v.Data...)
		return unsafe.String(unsafe.SliceData(buf), len(buf)), v.Missing()
	})
	if codes != nil {
		return &Raw{Codes: codes, Dict: d}
	}
	r := &Raw{types: make([]byte, len(vals)), ends: make([]uint32, len(vals))}
	for i, v := range vals {
		r.types[i] = v.Type
		r.data = append(r.data, v.Data...)
		r.ends[i] = uint32(len(r.data))
	}
	return r
}

// Value gives value i of a column without codes.
func (r *Raw) Value(i int32) doc.Value {
	from := uint32(0)
	if i > 0 {
		from = r.ends[i-1]
	}
	return doc.Value{Type: r.types[i], Data: r.data[from:r.ends[i]:r.ends[i]]}
}

// Coded gives the value that a dictionary's entry stands for.
func Coded(s string) doc.Value {
	if s == "" {
		return doc.Value{}
	}
	b := unsafe.Slice(unsafe.StringData(s), len(s))
	return doc.Value{Type: b[0], Data: b[1:len(b):len(b)]}
}

func (r *Raw) size() int64 {
	return int64(4*len(r.Codes) + len(r.types) + 4*len(r.ends) + cap(r.data))
}
