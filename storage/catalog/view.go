package catalog

import (
	"slices"
	"strings"

	"github.com/tidwall/btree"
)

// View is the catalog as one transaction sees it: the newest committed one with the transaction's own changes over it,
// looking at one database. A View is immutable: a later catalog write of the transaction shows in a View taken after it.
type View struct {
	base     *Committed
	database ID
	own      *Own // nil: none
}

// Own holds a transaction's own catalog changes. It is immutable: With gives the next one.
type Own struct {
	objects  *btree.Map[objKey, Change]
	names    *btree.Map[string, objKey] // own names; 0 hides a committed one
	versions *btree.Map[ID, uint64]
}

// NewView makes a View; own may be nil.
func NewView(base *Committed, database ID, own *Own) *View {
	return &View{base: base, database: database, own: own}
}

// With gives own changes extended by ch, whose Old is the descriptor as the transaction saw it before. Versions of name sets
// come from next. Only the transaction's goroutine may call it.
func (o *Own) With(ch Change, next func() uint64) *Own {
	n := &Own{objects: new(btree.Map[objKey, Change]), names: new(btree.Map[string, objKey]), versions: new(btree.Map[ID, uint64])}
	if o != nil {
		n.objects, n.names, n.versions = o.objects.Copy(), o.names.Copy(), o.versions.Copy()
	}
	d := ch.either()
	k := keyOf(d.Class(), d.OID())
	if ch.Old != nil {
		n.names.Set(nameKey(ch.Old.Class(), ch.Old.Home(), ch.Old.Label()), 0)
	}
	if ch.New != nil {
		n.names.Set(nameKey(ch.New.Class(), ch.New.Home(), ch.New.Label()), k)
	}
	for _, home := range touched(ch) {
		n.versions.Set(home, next())
	}
	if before, ok := n.objects.Get(k); ok {
		ch.Old = before.Old
	}
	n.objects.Set(k, ch)
	return n
}

// Changes lists the changes against the committed catalog, in key order. Objects made and dropped again are left out.
func (o *Own) Changes() []Change {
	if o == nil {
		return nil
	}
	var out []Change
	o.objects.Scan(func(_ objKey, ch Change) bool {
		if ch.Old != nil || ch.New != nil {
			out = append(out, ch)
		}
		return true
	})
	return out
}

// Same tells whether two views show the same catalog.
func (v *View) Same(o *View) bool {
	return v == o || o != nil && v.base == o.base && v.own == o.own && v.database == o.database
}

// Database is the database that the view looks at.
func (v *View) Database() ID { return v.database }

// In gives the same view looking at another database.
func (v *View) In(database ID) *View { return &View{base: v.base, database: database, own: v.own} }

// Get finds a descriptor of any database, nil when there is none.
func (v *View) Get(class Class, id ID) Descriptor {
	if v.own != nil {
		if ch, ok := v.own.objects.Get(keyOf(class, id)); ok {
			return ch.New // may be nil: dropped
		}
	}
	return v.base.Get(class, id)
}

// Find finds a descriptor by name in its name space, nil when there is none. A relation and an index share one.
func (v *View) Find(class Class, home ID, name string) Descriptor {
	nk := nameKey(class, home, name)
	if v.own != nil {
		if k, ok := v.own.names.Get(nk); ok {
			if k == 0 {
				return nil
			}
			return v.Get(Class(k>>32), ID(uint32(k)))
		}
	}
	k, ok := v.base.names.Get(nk)
	if !ok {
		return nil
	}
	return v.Get(Class(k>>32), ID(uint32(k)))
}

// NameSet is the version of the set of names in home (a schema for its relations, indexes and types; a database for its
// schemas; 0 for databases and roles): it changes whenever a name there is made, dropped or renamed.
func (v *View) NameSet(home ID) uint64 {
	if v.own != nil {
		if n, ok := v.own.versions.Get(home); ok {
			return n
		}
	}
	n, _ := v.base.versions.Get(home)
	return n
}

// find gives the descriptors of a class that pass, in id order.
func find[D Descriptor](v *View, class Class, pass func(D) bool) []D {
	var out []D
	v.base.All(class, func(d Descriptor) bool {
		if v.own != nil {
			if _, ok := v.own.objects.Get(keyOf(class, d.OID())); ok {
				return true
			}
		}
		if t := d.(D); pass(t) {
			out = append(out, t)
		}
		return true
	})
	if v.own == nil {
		return out
	}
	v.own.objects.Ascend(keyOf(class, 0), func(k objKey, ch Change) bool {
		if k >= keyOf(class+1, 0) {
			return false
		}
		if ch.New != nil && pass(ch.New.(D)) {
			out = append(out, ch.New.(D))
		}
		return true
	})
	slices.SortFunc(out, func(a, b D) int { return int(int64(a.OID()) - int64(b.OID())) })
	return out
}

// get is Get with the descriptor's own type; nil when there is none.
func get[D any, P interface {
	*D
	Descriptor
}](v *View, class Class, id ID) P {
	p, _ := v.Get(class, id).(P)
	return p
}

// Schema finds a schema of the view's database by name, nil when there is none.
func (v *View) Schema(name string) *Schema {
	s, _ := v.Find(SchemaClass, v.database, name).(*Schema)
	return s
}

// SchemaByID finds a schema of any database, nil when there is none.
func (v *View) SchemaByID(id ID) *Schema { return get[Schema](v, SchemaClass, id) }

// Schemas lists the schemas of the view's database in id order.
func (v *View) Schemas() []*Schema {
	return find(v, SchemaClass, func(s *Schema) bool { return s.Database == v.database })
}

// inDatabase tells whether a schema is one of the database's, or of none.
func (v *View) inDatabase(schema ID) bool {
	s := v.SchemaByID(schema)
	return s == nil || s.Database == v.database
}

// Relation finds a relation by schema and name, nil when there is none.
func (v *View) Relation(schema, name string) *Relation {
	s := v.Schema(schema)
	if s == nil {
		return nil
	}
	r, _ := v.Find(RelationClass, s.ID, name).(*Relation)
	return r
}

// RelationByID finds a relation of any database, nil when there is none.
func (v *View) RelationByID(id ID) *Relation { return get[Relation](v, RelationClass, id) }

// Resolve finds a relation by name along the schemas of the search path, nil when there is none.
func (v *View) Resolve(path []string, name string) *Relation {
	for _, s := range path {
		if r := v.Relation(s, name); r != nil {
			return r
		}
	}
	return nil
}

// ResolveText finds a relation by a text argument: the exact name along the search path, then schema.name. nil when there is none.
func (v *View) ResolveText(path []string, name string) *Relation {
	if r := v.Resolve(path, name); r != nil {
		return r
	}
	if schema, rest, ok := strings.Cut(name, "."); ok {
		return v.Relation(schema, rest)
	}
	return nil
}

// Relations lists the relations of a schema, or of every schema of the view's database when schema is 0, in id order.
func (v *View) Relations(schema ID) []*Relation {
	return find(v, RelationClass, func(r *Relation) bool {
		if schema != 0 {
			return r.Schema == schema
		}
		s := v.SchemaByID(r.Schema)
		return s != nil && s.Database == v.database
	})
}

// Index finds an index, nil when there is none.
func (v *View) Index(id ID) *Index { return get[Index](v, IndexClass, id) }

// IndexByName finds an index by schema and name, nil when there is none.
func (v *View) IndexByName(schema, name string) *Index {
	s := v.Schema(schema)
	if s == nil {
		return nil
	}
	x, _ := v.Find(IndexClass, s.ID, name).(*Index)
	return x
}

// IndexesOf lists the indexes of a relation in the order in which they were made.
func (v *View) IndexesOf(r *Relation) []*Index {
	if len(r.Indexes) == 0 {
		return nil
	}
	out := make([]*Index, 0, len(r.Indexes))
	for _, id := range r.Indexes {
		if x := v.Index(id); x != nil {
			out = append(out, x)
		}
	}
	return out
}

// Databases lists the databases in id order; DatabaseByName finds one, nil when there is none.
func (v *View) Databases() []*Database {
	return find(v, DatabaseClass, func(*Database) bool { return true })
}

// DatabaseByName finds a database, nil when there is none.
func (v *View) DatabaseByName(name string) *Database {
	d, _ := v.Find(DatabaseClass, 0, name).(*Database)
	return d
}

// Roles lists the roles in id order.
func (v *View) Roles() []*Role { return find(v, RoleClass, func(*Role) bool { return true }) }

// Role finds a role by name, nil when there is none.
func (v *View) Role(name string) *Role {
	r, _ := v.Find(RoleClass, 0, name).(*Role)
	return r
}

// RoleByID finds a role, nil when there is none.
func (v *View) RoleByID(id ID) *Role { return get[Role](v, RoleClass, id) }

// Type finds a user-made type by schema and name, nil when there is none.
func (v *View) Type(schema, name string) *Type {
	s := v.Schema(schema)
	if s == nil {
		return nil
	}
	t, _ := v.Find(TypeClass, s.ID, name).(*Type)
	return t
}

// TypeByID finds a user-made type, nil when there is none.
func (v *View) TypeByID(id ID) *Type { return get[Type](v, TypeClass, id) }

// Types lists the user-made types of a schema (0: of every schema of the database) in id order.
func (v *View) Types(schema ID) []*Type {
	return find(v, TypeClass, func(t *Type) bool { return t.Schema == schema || schema == 0 && v.inDatabase(t.Schema) })
}

// AllRelations lists the relations of every database in id order.
func (v *View) AllRelations() []*Relation {
	return find(v, RelationClass, func(*Relation) bool { return true })
}

// AllSchemas lists the schemas of every database in id order.
func (v *View) AllSchemas() []*Schema {
	return find(v, SchemaClass, func(*Schema) bool { return true })
}
