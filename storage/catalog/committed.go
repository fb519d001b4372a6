package catalog

import (
	"encoding/binary"

	"github.com/tidwall/btree"

	"github.com/omgdb/omgdb/storage/kv"
)

// objKey orders descriptors by class, then id.
type objKey uint64

func keyOf(c Class, id ID) objKey { return objKey(c)<<32 | objKey(id) }

// space is the kind of name space: relations and indexes share one, as in PostgreSQL.
func space(c Class) byte {
	if c == IndexClass {
		return byte(RelationClass)
	}
	return byte(c)
}

// nameKey is the key of a name in the names map, ordered by space, home, name.
func nameKey(c Class, home ID, name string) string {
	b := make([]byte, 0, 5+len(name))
	b = append(b, space(c))
	b = binary.BigEndian.AppendUint32(b, uint32(home))
	return string(append(b, name...))
}

// Committed is the catalog as of one commit. It is immutable and shared by every reader; With gives the next one, sharing all
// that did not change.
type Committed struct {
	objects  *btree.Map[objKey, Descriptor]
	names    *btree.Map[string, objKey]
	versions *btree.Map[ID, uint64] // name-set version by home
	lsn      kv.LSN
}

// Change is one catalog write: New nil means dropped, Old nil means made. Both have the same class and id.
type Change struct{ Old, New Descriptor }

func (c Change) either() Descriptor {
	if c.New != nil {
		return c.New
	}
	return c.Old
}

// NewCommitted makes the catalog of the given descriptors. Versions come from next, which gives a higher number at each call.
func NewCommitted(all []Descriptor, next func() uint64, lsn kv.LSN) *Committed {
	empty := &Committed{
		objects:  new(btree.Map[objKey, Descriptor]),
		names:    new(btree.Map[string, objKey]),
		versions: new(btree.Map[ID, uint64]),
	}
	changes := make([]Change, len(all))
	for i, d := range all {
		changes[i] = Change{New: d}
	}
	return empty.With(changes, next, lsn)
}

// With gives the catalog after the commit lsn with these changes. Only one goroutine, the committer, may call it on a
// catalog; readers are not disturbed.
func (c *Committed) With(changes []Change, next func() uint64, lsn kv.LSN) *Committed {
	n := &Committed{objects: c.objects.Copy(), names: c.names.Copy(), versions: c.versions.Copy(), lsn: lsn}
	for _, ch := range changes {
		if ch.Old != nil {
			n.objects.Delete(keyOf(ch.Old.Class(), ch.Old.OID()))
			n.names.Delete(nameKey(ch.Old.Class(), ch.Old.Home(), ch.Old.Label()))
		}
	}
	for _, ch := range changes {
		if ch.New != nil {
			k := keyOf(ch.New.Class(), ch.New.OID())
			n.objects.Set(k, ch.New)
			n.names.Set(nameKey(ch.New.Class(), ch.New.Home(), ch.New.Label()), k)
		}
		for _, home := range touched(ch) {
			n.versions.Set(home, next())
		}
	}
	return n
}

// touched lists the homes whose set of names the change alters.
func touched(ch Change) []ID {
	switch {
	case ch.Old == nil:
		return []ID{ch.New.Home()}
	case ch.New == nil:
		return []ID{ch.Old.Home()}
	case ch.Old.Home() != ch.New.Home():
		return []ID{ch.Old.Home(), ch.New.Home()}
	case ch.Old.Label() != ch.New.Label():
		return []ID{ch.Old.Home()}
	}
	return nil
}

// LSN is that of the newest commit that wrote into the catalog.
func (c *Committed) LSN() kv.LSN { return c.lsn }

// Get finds a descriptor, nil when there is none.
func (c *Committed) Get(class Class, id ID) Descriptor {
	d, _ := c.objects.Get(keyOf(class, id))
	return d
}

// All calls f for each descriptor of the class in id order until it answers false.
func (c *Committed) All(class Class, f func(Descriptor) bool) {
	c.objects.Ascend(keyOf(class, 0), func(k objKey, d Descriptor) bool {
		return k < keyOf(class+1, 0) && f(d)
	})
}

// Publish gives a copy of d that tells the commit which published it.
func Publish(d Descriptor, lsn kv.LSN) Descriptor {
	switch d := d.(type) {
	case *Database:
		c := *d
		c.Published = lsn
		return &c
	case *Schema:
		c := *d
		c.Published = lsn
		return &c
	case *Relation:
		c := *d
		c.Published = lsn
		return &c
	case *Index:
		c := *d
		c.Published = lsn
		return &c
	case *Type:
		c := *d
		c.Published = lsn
		return &c
	case *Role:
		c := *d
		c.Published = lsn
		return &c
	case *Function:
		c := *d
		c.Published = lsn
		return &c
	}
	return d
}
