package update

import (
	"slices"

	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/filter"
	"github.com/omgdb/omgdb/storage/filter/spec"
)

// array gives the old value as an array; a missing one is empty.
func (c *change) array(old doc.Value) (doc.Value, error) {
	switch {
	case old.Missing():
		return doc.EmptyArray, nil
	case old.Type != doc.TypeArray:
		return old, c.invalid("needs an array in the document, found %s", old.Kind())
	}
	return old, nil
}

func elements(v doc.Value) []doc.Value {
	var list []doc.Value
	for e := v.Elements(); ; {
		_, x, ok := e.Next()
		if !ok {
			return list
		}
		list = append(list, x)
	}
}

// pushed are the operand of $push: what to add and how.
type pushed struct {
	values   []doc.Value
	position *int64
	slice    *int64
	sort     *sorting
}

// sorting is $sort: whole elements, or objects by their fields.
type sorting struct {
	by         *spec.Sort
	descending bool
}

func push(c *change, operand doc.Value) (action, error) {
	p := pushed{values: []doc.Value{operand}}
	if each := operand.Step(doc.Key("$each")); operand.Type == doc.TypeObject && !each.Missing() {
		if err := p.modifiers(c, operand); err != nil {
			return nil, err
		}
	}
	return p.apply, nil
}

func (p *pushed) modifiers(c *change, operand doc.Value) error {
	for e := operand.Elements(); ; {
		k, v, ok := e.Next()
		if !ok {
			return nil
		}
		switch string(k) {
		case "$each":
			if v.Type != doc.TypeArray {
				return c.invalid("needs an array for $each, found %s", v.Kind())
			}
			p.values = elements(v)
		case "$position", "$slice":
			i, ok := v.Int64()
			if !ok {
				return c.invalid("needs a whole number for %s, found %s", k, v.Canonical())
			}
			if string(k) == "$slice" {
				p.slice = &i
			} else {
				p.position = &i
			}
		case "$sort":
			s, err := newSorting(c, v)
			if err != nil {
				return err
			}
			p.sort = s
		default:
			return c.invalid("has an unknown modifier %s", k)
		}
	}
}

func newSorting(c *change, v doc.Value) (*sorting, error) {
	if v.Type == doc.TypeObject {
		by, err := spec.ParseSort(doc.Doc(v.Data))
		if err != nil {
			return nil, c.invalid("has a $sort that is not valid: %s", err)
		}
		return &sorting{by: by}, nil
	}
	if i, ok := v.Int64(); ok && (i == 1 || i == -1) {
		return &sorting{descending: i < 0}, nil
	}
	return nil, c.invalid("needs 1, -1 or an object for $sort, found %s", v.Canonical())
}

// apply adds the values at their position, then sorts, then cuts.
func (p *pushed) apply(c *change, old doc.Value, _ *run) (doc.Value, error) {
	array, err := c.array(old)
	if err != nil {
		return old, err
	}
	list := elements(array)
	at := len(list)
	if p.position != nil {
		at = clampPosition(*p.position, len(list))
	}
	list = slices.Insert(list, at, p.values...)
	if p.sort != nil {
		p.sort.apply(list)
	}
	if p.slice != nil {
		list = cutList(list, *p.slice)
	}
	return doc.Array(list...), nil
}

// clampPosition takes a position from the end when it is negative, within 0 and n.
func clampPosition(i int64, n int) int {
	if i < 0 {
		i += int64(n)
	}
	return int(min(max(i, 0), int64(n)))
}

// cutList keeps the first elements, or the last ones for a negative count.
func cutList(list []doc.Value, n int64) []doc.Value {
	if n >= 0 {
		return list[:min(n, int64(len(list)))]
	}
	return list[max(0, int64(len(list))+n):]
}

func (s *sorting) apply(list []doc.Value) {
	if s.by == nil {
		slices.SortStableFunc(list, func(a, b doc.Value) int {
			if s.descending {
				a, b = b, a
			}
			return doc.CompareBSON(a, b)
		})
		return
	}
	slices.SortStableFunc(list, func(a, b doc.Value) int {
		return s.by.Compare(s.by.Keys(nil, objectOf(a)), s.by.Keys(nil, objectOf(b)))
	})
}

// objectOf gives an element as a document; what is no object has no fields.
func objectOf(v doc.Value) doc.Doc {
	if v.Type == doc.TypeObject {
		return doc.Doc(v.Data)
	}
	return doc.Doc(doc.EmptyObject.Data)
}

func addToSet(c *change, operand doc.Value) (action, error) {
	values := []doc.Value{operand}
	if each := operand.Step(doc.Key("$each")); operand.Type == doc.TypeObject && !each.Missing() {
		if each.Type != doc.TypeArray || operand.Len() != 1 {
			return nil, c.invalid("takes $each with an array, and no other modifier")
		}
		values = elements(each)
	}
	return func(c *change, old doc.Value, _ *run) (doc.Value, error) {
		array, err := c.array(old)
		if err != nil {
			return old, err
		}
		list := elements(array)
		n := len(list)
		for _, v := range values {
			if !slices.ContainsFunc(list, func(x doc.Value) bool { return doc.EqualBSON(x, v) }) {
				list = append(list, v)
			}
		}
		if len(list) == n {
			return array, nil
		}
		return doc.Array(list...), nil
	}, nil
}

func pull(c *change, operand doc.Value) (action, error) {
	f, err := filter.ParseElements(c.path.String(), operand)
	if err != nil {
		return nil, err
	}
	return removing(f.Match), nil
}

func pullAll(c *change, operand doc.Value) (action, error) {
	if operand.Type != doc.TypeArray {
		return nil, c.invalid("needs an array, found %s", operand.Kind())
	}
	doomed := elements(operand)
	return removing(func(v doc.Value) (bool, error) {
		return slices.ContainsFunc(doomed, func(x doc.Value) bool { return doc.EqualBSON(x, v) }), nil
	}), nil
}

// removing takes out the elements that doomed points out; a missing array stays missing.
func removing(doomed func(doc.Value) (bool, error)) action {
	return func(c *change, old doc.Value, _ *run) (doc.Value, error) {
		if old.Missing() {
			return old, nil
		}
		array, err := c.array(old)
		if err != nil {
			return old, err
		}
		list := elements(array)
		kept := make([]doc.Value, 0, len(list))
		for _, v := range list {
			gone, err := doomed(v)
			if err != nil {
				return old, err
			}
			if !gone {
				kept = append(kept, v)
			}
		}
		if len(kept) == len(list) {
			return old, nil
		}
		return doc.Array(kept...), nil
	}
}

func pop(c *change, operand doc.Value) (action, error) {
	end, ok := operand.Int64()
	if !ok || end != 1 && end != -1 {
		return nil, c.invalid("needs 1 (the last element) or -1 (the first), found %s", operand.Canonical())
	}
	return func(c *change, old doc.Value, _ *run) (doc.Value, error) {
		if old.Missing() {
			return old, nil
		}
		array, err := c.array(old)
		n := array.Len()
		if err != nil || n == 0 {
			return old, err
		}
		if end < 0 {
			return doc.EditArray(array, 0, 1), nil
		}
		return doc.EditArray(array, n-1, 1), nil
	}, nil
}
