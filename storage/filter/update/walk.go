package update

import (
	"strconv"

	"github.com/omgdb/omgdb/storage/doc"
)

// maxGrowth is how many elements one change may add to an array to reach its position.
const maxGrowth = 100_000

// at applies the change to v, whose part of the path begins at level, and gives v itself when nothing changes.
func (c *change) at(v doc.Value, level int, r *run) (doc.Value, error) {
	if level == len(c.path) {
		return c.apply(c, v, r)
	}
	switch v.Type {
	case doc.TypeObject:
		return c.inObject(v, level, r)
	case doc.TypeArray:
		return c.inArray(v, level, r)
	case doc.TypeMissing:
		return c.create(level, r)
	}
	if c.removes {
		return v, nil
	}
	return v, c.invalid("cannot go into \"%s\", which is %s", c.path[:level], v.Kind())
}

func (c *change) inObject(v doc.Value, level int, r *run) (doc.Value, error) {
	key := c.path[level]
	old := doc.Doc(v.Data).Lookup(key)
	out, err := c.at(old, level+1, r)
	switch {
	case err != nil || same(old, out):
		return v, err
	case out.Missing():
		return doc.WithoutMember(v, key), nil
	}
	return doc.WithMember(v, key, out), nil
}

func same(a, b doc.Value) bool { return a.Type == b.Type && string(a.Data) == string(b.Data) }

func (c *change) inArray(v doc.Value, level int, r *run) (doc.Value, error) {
	if c.noArrays {
		return v, c.invalid("cannot go through \"%s\", which is an array", c.path[:level])
	}
	i, err := strconv.Atoi(c.path[level])
	if err != nil || i < 0 {
		if c.removes {
			return v, nil
		}
		return v, c.invalid("cannot go into \"%s\", which is an array, by the name \"%s\"", c.path[:level], c.path[level])
	}
	n := v.Len()
	if i < n {
		old := v.At(i)
		out, err := c.at(old, level+1, r)
		if err != nil || same(old, out) {
			return v, err
		}
		if out.Missing() { // an element that goes leaves its place
			out = doc.Null()
		}
		return doc.EditArray(v, i, 1, out), nil
	}
	out, err := c.at(doc.Value{}, level+1, r)
	if err != nil || out.Missing() {
		return v, err
	}
	if i-n > maxGrowth {
		return v, c.invalid("would add %d elements to an array at once", i-n+1)
	}
	grown := make([]doc.Value, i-n+1)
	for k := range grown {
		grown[k] = doc.Null()
	}
	grown[i-n] = out
	return doc.EditArray(v, n, 0, grown...), nil
}

// create makes the objects that are missing on the way, if the change makes a value at all.
func (c *change) create(level int, r *run) (doc.Value, error) {
	out, err := c.at(doc.Value{}, level+1, r)
	if err != nil || out.Missing() {
		return doc.Value{}, err
	}
	return doc.WithMember(doc.EmptyObject, c.path[level], out), nil
}
