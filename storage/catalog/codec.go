package catalog

import (
	"encoding/binary"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/value"
)

// formatVersion is the version of all stored descriptors. Fields that are zero are left out and unknown ones are skipped, so a
// higher number is needed only when the meaning of a field changes.
const formatVersion = 1

// Key gives the part of a descriptor's key behind the catalog keyspace and the class as object id.
func Key(id ID) []byte { return binary.BigEndian.AppendUint32(nil, uint32(id)) }

// Encode gives the stored form of a descriptor. Version, Shape and Published are not part of it.
func Encode(d Descriptor) (doc.Doc, error) {
	var b doc.Builder
	b.BeginObject()
	b.Key("v")
	b.Int(formatVersion)
	describe(d, &coder{out: &b})
	b.End()
	v, err := b.Value()
	return v.Doc(), err
}

// Decode reads a stored descriptor of the class as the commit published wrote it. types resolves the OIDs of user-made types.
func Decode(class Class, stored doc.Doc, published kv.LSN, version uint64, types func(oid uint32) *value.Type) (Descriptor, error) {
	if v, ok := stored.Lookup("v").Int64(); !ok || v > formatVersion {
		return nil, dberr.New(dberr.FeatureNotSupported, "catalog entry has version %d, this program reads version %d", v, formatVersion).
			WithHint("Open the store with a newer omgdb.")
	}
	var d Descriptor
	switch class {
	case DatabaseClass:
		d = &Database{Published: published}
	case SchemaClass:
		d = &Schema{Published: published}
	case RelationClass:
		d = &Relation{Published: published, Version: version, Shape: version}
	case IndexClass:
		d = &Index{Published: published, Version: version}
	case TypeClass:
		d = &Type{Published: published, Version: version, Def: &value.Type{}}
	case RoleClass:
		d = &Role{Published: published}
	case FunctionClass:
		d = &Function{Published: published, Version: version}
	default:
		return nil, dberr.New(dberr.DataCorrupted, "catalog has an entry of unknown class %d", class)
	}
	c := &coder{in: stored, types: types}
	describe(d, c)
	if c.err != nil {
		return nil, c.err
	}
	return d, nil
}

// describe names every stored field of a descriptor once, for both directions.
func describe(d Descriptor, c *coder) {
	switch d := d.(type) {
	case *Database:
		integer(c, "id", &d.ID)
		c.str("name", &d.Name)
		integer(c, "owner", &d.Owner)
		c.strs("acl", &d.ACL)
		c.strMap("settings", &d.Settings)
		c.str("comment", &d.Comment)
	case *Schema:
		integer(c, "id", &d.ID)
		integer(c, "db", &d.Database)
		c.str("name", &d.Name)
		integer(c, "owner", &d.Owner)
		c.strs("acl", &d.ACL)
		c.str("comment", &d.Comment)
	case *Relation:
		describeRelation(d, c)
	case *Index:
		describeIndex(d, c)
	case *Type:
		describeType(d, c)
	case *Role:
		describeRole(d, c)
	case *Function:
		describeFunction(d, c)
	}
}

func describeRelation(r *Relation, c *coder) {
	integer(c, "id", &r.ID)
	integer(c, "schema", &r.Schema)
	c.str("name", &r.Name)
	integer(c, "kind", &r.Kind)
	integer(c, "owner", &r.Owner)
	c.boolean("temp", &r.Temp)
	c.boolean("unlogged", &r.Unlogged)
	integer(c, "onCommit", &r.OnCommit)
	integer(c, "storage", &r.Storage)
	list(c, "cols", &r.Columns, describeColumn)
	ints(c, "pk", &r.PrimaryKey)
	c.str("pkName", &r.PrimaryName)
	integer(c, "pkID", &r.PrimaryID)
	list(c, "checks", &r.Checks, describeCheck)
	ints(c, "indexes", &r.Indexes)
	list(c, "foreign", &r.Foreign, describeForeign)
	ints(c, "referrers", &r.Referrers)
	c.strMap("conComments", &r.ConstraintComments)
	c.str("view", &r.ViewSQL)
	ints(c, "uses", &r.Uses)
	c.str("comment", &r.Comment)
	c.strs("acl", &r.ACL)
	c.strMap("options", &r.Options)
	for i, name := range [...]string{"ids0", "ids1", "ids2", "ids3"} {
		integer(c, name, &r.IDTypes[i])
	}
	optional(c, "seq", &r.Seq, describeSequence)
}

func describeColumn(x *Column, c *coder) {
	integer(c, "num", &x.Num)
	c.str("name", &x.Name)
	c.str("field", &x.Field)
	c.typ("type", &x.Type)
	c.mod("mod", &x.Mod)
	c.boolean("notNull", &x.NotNull)
	c.str("default", &x.Default)
	integer(c, "identity", &x.Identity)
	c.boolean("generated", &x.Generated)
	c.boolean("dropped", &x.Dropped)
	c.str("comment", &x.Comment)
	c.str("collation", &x.Collation)
	c.strs("acl", &x.ACL)
}

func describeSequence(s *SequenceParams, c *coder) {
	c.typ("type", &s.Type)
	integer(c, "start", &s.Start)
	integer(c, "inc", &s.Increment)
	integer(c, "min", &s.Min)
	integer(c, "max", &s.Max)
	integer(c, "cache", &s.Cache)
	c.boolean("cycle", &s.Cycle)
	integer(c, "ownerTable", &s.OwnerTable)
	integer(c, "ownerColumn", &s.OwnerColumn)
}

func describeCheck(k *Check, c *coder) {
	integer(c, "id", &k.ID)
	c.str("name", &k.Name)
	c.str("expr", &k.Expr)
	ints(c, "cols", &k.Cols)
	c.boolean("notValid", &k.NotValid)
}

func describeForeign(f *ForeignKey, c *coder) {
	integer(c, "id", &f.ID)
	c.str("name", &f.Name)
	ints(c, "cols", &f.Cols)
	ints(c, "refCols", &f.RefCols)
	integer(c, "refTable", &f.RefTable)
	integer(c, "onDelete", &f.OnDelete)
	integer(c, "onUpdate", &f.OnUpdate)
	integer(c, "match", &f.Match)
	c.boolean("deferrable", &f.Deferrable)
	c.boolean("deferred", &f.Deferred)
	c.boolean("notValid", &f.NotValid)
	ints(c, "deleteSet", &f.DeleteSet)
}

func describeIndex(x *Index, c *coder) {
	integer(c, "id", &x.ID)
	c.str("name", &x.Name)
	integer(c, "relation", &x.Relation)
	integer(c, "schema", &x.Schema)
	c.str("method", &x.Method)
	c.boolean("unique", &x.Unique)
	c.boolean("primary", &x.Primary)
	c.boolean("constraint", &x.Constraint)
	list(c, "keys", &x.Keys, describeIndexKey)
	ints(c, "include", &x.Include)
	c.str("where", &x.Where)
	c.strMap("options", &x.Options)
	integer(c, "storage", &x.Storage)
	c.boolean("valid", &x.Valid)
	integer(c, "format", &x.Format)
	c.str("comment", &x.Comment)
	c.boolean("nullsNotDistinct", &x.NullsNotDistinct)
	c.boolean("deferrable", &x.Deferrable)
	c.boolean("deferred", &x.Deferred)
}

func describeIndexKey(k *IndexKey, c *coder) {
	integer(c, "col", &k.Col)
	c.str("expr", &k.Expr)
	c.strs("path", &k.Path)
	c.boolean("desc", &k.Desc)
	c.boolean("nullsFirst", &k.NullsFirst)
	c.str("opclass", &k.OpClass)
	integer(c, "mod", &k.Mod)
	c.typ("type", &k.Type)
}

func describeType(t *Type, c *coder) {
	integer(c, "id", &t.ID)
	integer(c, "schema", &t.Schema)
	c.str("name", &t.Name)
	integer(c, "owner", &t.Owner)
	c.boolean("notNull", &t.NotNull)
	c.str("default", &t.Default)
	list(c, "checks", &t.Checks, describeCheck)
	c.mod("underMod", &t.UnderMod)
	integer(c, "partner", &t.Partner)
	c.str("comment", &t.Comment)
	c.strs("acl", &t.ACL)
	d := t.Def
	integer(c, "kind", &d.Kind)
	integer(c, "class", &d.Class)
	integer(c, "category", &d.Category)
	integer(c, "len", &d.Len)
	integer(c, "array", &d.ArrayOID)
	c.str("sql", &d.SQL)
	c.typ("elem", &d.Elem)
	c.typ("under", &d.Under)
	c.strs("labels", &d.Labels)
	c.floats("places", &d.Places)
	list(c, "fields", (*[]value.Field)(&d.Fields), func(f *value.Field, c *coder) {
		c.str("name", &f.Name)
		c.typ("type", &f.Type)
		c.mod("mod", &f.Mod)
	})
	d.OID, d.Name, d.Namespace, d.UnderMod = uint32(t.ID), t.Name, uint32(t.Schema), t.UnderMod
}

func describeRole(r *Role, c *coder) {
	integer(c, "id", &r.ID)
	c.str("name", &r.Name)
	c.boolean("super", &r.Super)
	c.boolean("login", &r.Login)
	c.boolean("inherit", &r.Inherit)
	c.boolean("createRole", &r.CreateRole)
	c.boolean("createDB", &r.CreateDB)
	c.boolean("bypassRLS", &r.BypassRLS)
	c.mod("connLimit", &r.ConnLimit)
	c.str("verifier", &r.Verifier)
	integer(c, "valid", &r.Valid)
	list(c, "memberOf", &r.MemberOf, func(m *Membership, c *coder) {
		integer(c, "role", &m.Role)
		c.boolean("admin", &m.Admin)
	})
	c.strMap("settings", &r.Settings)
	list(c, "within", &r.Within, func(w *DatabaseSettings, c *coder) {
		integer(c, "db", &w.Database)
		c.strMap("settings", &w.Settings)
	})
	c.str("comment", &r.Comment)
	list(c, "defaults", &r.Defaults, func(d *DefaultRights, c *coder) {
		integer(c, "schema", &d.Schema)
		integer(c, "kind", &d.Kind)
		c.strs("acl", &d.ACL)
	})
}
