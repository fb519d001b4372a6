package catalog

import (
	"maps"
	"math"
	"slices"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/value"
)

// coder writes fields to out, or reads them from in when out is nil. Each method stands for one field in both directions, so that
// a descriptor's fields are named only once. A zero value is not written, and a missing one reads as zero.
type coder struct {
	out   *doc.Builder
	in    doc.Doc
	types func(oid uint32) *value.Type
	err   error
}

// read finds a stored field; false when there is none, or when the coder writes.
func (c *coder) read(name string) (doc.Value, bool) {
	if c.out != nil {
		return doc.Value{}, false
	}
	v := c.in.Lookup(name)
	return v, !v.Missing()
}

func (c *coder) bad(name string) {
	if c.err == nil {
		c.err = dberr.New(dberr.DataCorrupted, "catalog entry has an invalid field %q", name)
	}
}

// number is every integer type that descriptors have.
type number interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

func integer[N number](c *coder, name string, n *N) {
	if c.out != nil {
		if *n != 0 {
			c.out.Key(name)
			c.out.Int(int64(*n))
		}
		return
	}
	if v, ok := c.read(name); ok {
		i, isInt := v.Int64()
		if *n = N(i); !isInt || int64(*n) != i {
			c.bad(name)
		}
	}
}

// mod is a number of which -1 is the usual value.
func (c *coder) mod(name string, n *int32) {
	var shifted int32
	if c.out != nil {
		shifted = *n + 1
	}
	integer(c, name, &shifted)
	*n = shifted - 1
}

func (c *coder) str(name string, s *string) {
	if c.out != nil {
		if *s != "" {
			c.out.Key(name)
			c.out.String(*s)
		}
		return
	}
	if v, ok := c.read(name); ok {
		b, isString := v.StringBytes()
		if *s = string(b); !isString {
			c.bad(name)
		}
	}
}

func (c *coder) boolean(name string, b *bool) {
	if c.out != nil {
		if *b {
			c.out.Key(name)
			c.out.Bool(true)
		}
		return
	}
	if v, ok := c.read(name); ok {
		var isBool bool
		if *b, isBool = v.Bool(); !isBool {
			c.bad(name)
		}
	}
}

// typ is a type, stored as its OID.
func (c *coder) typ(name string, t **value.Type) {
	var oid uint32
	if *t != nil {
		oid = (*t).OID
	}
	if integer(c, name, &oid); c.out != nil || oid == 0 {
		return
	}
	if *t = value.ByOID(oid); *t == nil && c.types != nil {
		*t = c.types(oid)
	}
	if *t == nil {
		c.bad(name)
	}
}

// elements calls f for each element of a stored array.
func (c *coder) elements(name string, f func(doc.Value)) {
	v, ok := c.read(name)
	if !ok {
		return
	}
	if !v.IsArray() {
		c.bad(name)
		return
	}
	for it := v.Elements(); ; {
		_, e, ok := it.Next()
		if !ok {
			return
		}
		f(e)
	}
}

func ints[N number](c *coder, name string, list *[]N) {
	if c.out != nil {
		if len(*list) > 0 {
			c.out.Key(name)
			c.out.BeginArray()
			for _, n := range *list {
				c.out.Int(int64(n))
			}
			c.out.End()
		}
		return
	}
	c.elements(name, func(e doc.Value) {
		i, ok := e.Int64()
		if !ok {
			c.bad(name)
		}
		*list = append(*list, N(i))
	})
}

// floats keeps numbers by their bits.
func (c *coder) floats(name string, list *[]float64) {
	var bits []int64
	for _, f := range *list {
		bits = append(bits, int64(math.Float64bits(f)))
	}
	if ints(c, name, &bits); c.out == nil {
		for _, b := range bits {
			*list = append(*list, math.Float64frombits(uint64(b)))
		}
	}
}

func (c *coder) strs(name string, list *[]string) {
	if c.out != nil {
		if len(*list) > 0 {
			c.out.Key(name)
			c.out.BeginArray()
			for _, s := range *list {
				c.out.String(s)
			}
			c.out.End()
		}
		return
	}
	c.elements(name, func(e doc.Value) {
		b, ok := e.StringBytes()
		if !ok {
			c.bad(name)
		}
		*list = append(*list, string(b))
	})
}

func (c *coder) strMap(name string, m *map[string]string) {
	if c.out != nil {
		if len(*m) > 0 {
			c.out.Key(name)
			c.out.BeginObject()
			for _, k := range slices.Sorted(maps.Keys(*m)) {
				c.out.Key(k)
				c.out.String((*m)[k])
			}
			c.out.End()
		}
		return
	}
	v, ok := c.read(name)
	if !ok {
		return
	}
	*m = map[string]string{}
	for it := v.Elements(); ; {
		k, e, ok := it.Next()
		if !ok {
			return
		}
		b, isString := e.StringBytes()
		if !isString {
			c.bad(name)
		}
		(*m)[string(k)] = string(b)
	}
}

// list is an array of objects whose fields f names.
func list[T any](c *coder, name string, items *[]T, f func(*T, *coder)) {
	if c.out != nil {
		if len(*items) > 0 {
			c.out.Key(name)
			c.out.BeginArray()
			for i := range *items {
				c.out.BeginObject()
				f(&(*items)[i], c)
				c.out.End()
			}
			c.out.End()
		}
		return
	}
	c.elements(name, func(e doc.Value) {
		var item T
		c.inside(name, e, func(in *coder) { f(&item, in) })
		*items = append(*items, item)
	})
}

// optional is an object that may be missing.
func optional[T any](c *coder, name string, item **T, f func(*T, *coder)) {
	if c.out != nil {
		if *item != nil {
			c.out.Key(name)
			c.out.BeginObject()
			f(*item, c)
			c.out.End()
		}
		return
	}
	if v, ok := c.read(name); ok {
		*item = new(T)
		c.inside(name, v, func(in *coder) { f(*item, in) })
	}
}

func (c *coder) inside(name string, v doc.Value, f func(*coder)) {
	if !v.IsObject() {
		c.bad(name)
		return
	}
	in := &coder{in: v.Doc(), types: c.types}
	if f(in); in.err != nil && c.err == nil {
		c.err = in.err
	}
}
