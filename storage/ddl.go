package storage

import (
	"context"
	"encoding/binary"
	"maps"
	"slices"
	"strings"

	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/key"
	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/lock"
	"github.com/omgdb/omgdb/storage/overlay"
	"github.com/omgdb/omgdb/storage/value"
)

// Limits of names and tables.
const (
	MaxName    = 63 // bytes
	MaxColumns = 1600
)

// noun says what a descriptor of a class is called, and the error of a name that is taken.
var noun = map[catalog.Class]struct{ name, taken string }{
	catalog.DatabaseClass: {"database", dberr.DuplicateDatabase},
	catalog.SchemaClass:   {"schema", dberr.DuplicateSchema},
	catalog.RelationClass: {"relation", dberr.DuplicateTable},
	catalog.IndexClass:    {"relation", dberr.DuplicateTable},
	catalog.TypeClass:     {"type", dberr.DuplicateObject},
	catalog.RoleClass:     {"role", dberr.DuplicateObject},
	catalog.FunctionClass: {"function", dberr.DuplicateFunction},
}

// NewID gives a fresh id for a catalog object or for storage.
func (t *Txn) NewID() catalog.ID { return catalog.ID(t.db.newID()) }

// change writes a descriptor: old nil makes it, new nil drops it. It is an operation like that on a row.
func (t *Txn) change(ctx context.Context, old, new catalog.Descriptor) error {
	d := new
	if d == nil {
		d = old
	}
	k := append(key.AppendPrefix(nil, key.Catalog, uint64(d.Class())), catalog.Key(d.OID())...)
	var value []byte
	if new != nil {
		stored, err := catalog.Encode(new)
		if err != nil {
			return err
		}
		value = rowValue(uint64(d.OID()), stored)
	}
	cur, err := t.newest(ctx, k)
	if err != nil {
		return err
	}
	t.writes.Put(t.seq, overlay.Write{Key: k, Value: value, Stamp: lsnAt, Base: cur.base(), BaseKnown: true})
	t.setOwn(t.own.With(catalog.Change{Old: old, New: new}, t.db.nextVersion))
	return nil
}

// claimName locks a name for a new owner and sees to it that it is free.
func (t *Txn) claimName(ctx context.Context, class catalog.Class, home catalog.ID, name string) error {
	shown, _, _ := strings.Cut(name, "\x00") // behind it stand a function's types
	if len(shown) > MaxName {
		return dberr.New(dberr.NameTooLong, "name \"%s\" is too long", shown).
			WithDetail("A name has at most %d bytes, this one has %d.", MaxName, len(shown))
	}
	if name == "" {
		return dberr.New(dberr.InvalidName, "a %s cannot have an empty name", noun[class].name)
	}
	if err := t.lockName(ctx, class, home, name); err != nil {
		return err
	}
	if t.Catalog().Find(class, home, name) != nil {
		return dberr.New(noun[class].taken, "%s \"%s\" already exists", noun[class].name, shown)
	}
	return nil
}

func (t *Txn) lockName(ctx context.Context, class catalog.Class, home catalog.ID, name string) error {
	space := byte(class)
	if class == catalog.IndexClass {
		space = byte(catalog.RelationClass)
	}
	b := binary.BigEndian.AppendUint32([]byte{space}, uint32(home))
	tag := lock.Tag{Class: lock.Name, Object: uint64(home), Key: string(append(b, name...))}
	return t.db.locks.Acquire(ctx, t.session.owner, tag, lock.Sole, Wait, t.lockTimeout)
}

// Define stores a new or changed database, schema, type or role. A new one has an id from NewID; a changed one must be the same
// object under its id. A name that is taken has the class's own error.
func (t *Txn) Define(ctx context.Context, d catalog.Descriptor) error {
	if err := t.mayWrite(); err != nil {
		return err
	}
	old := t.Catalog().Get(d.Class(), d.OID())
	if old == nil || old.Home() != d.Home() || old.Label() != d.Label() {
		if err := t.claimName(ctx, d.Class(), d.Home(), d.Label()); err != nil {
			return err
		}
	}
	if old != nil {
		if err := t.lockDescriptor(ctx, old); err != nil {
			return err
		}
		if old = t.Catalog().Get(d.Class(), d.OID()); old == nil {
			return ErrStale
		}
	}
	switch d := d.(type) {
	case *catalog.Type:
		d.Version = t.db.nextVersion()
	case *catalog.Function:
		d.Version = t.db.nextVersion()
	}
	return t.change(ctx, old, d)
}

// Undefine drops a database, schema, type or role. What depends on it is the caller's to drop first.
func (t *Txn) Undefine(ctx context.Context, d catalog.Descriptor) error {
	if err := t.mayWrite(); err != nil {
		return err
	}
	if err := t.lockDescriptor(ctx, d); err != nil {
		return err
	}
	now := t.Catalog().Get(d.Class(), d.OID())
	if now == nil {
		return ErrStale
	}
	return t.change(ctx, now, nil)
}

// lockDescriptor makes the transaction the only one that changes a descriptor.
func (t *Txn) lockDescriptor(ctx context.Context, d catalog.Descriptor) error {
	tag := lock.Tag{Class: lock.Name, Object: uint64(d.OID()), Key: noun[d.Class()].name}
	return t.db.locks.Acquire(ctx, t.session.owner, tag, lock.Sole, Wait, t.lockTimeout)
}

// CreateRelation makes a collection, table, view or sequence as described; ids, storage, column numbers and field names are assigned
// here. The name must be free in its schema (42P07).
func (t *Txn) CreateRelation(ctx context.Context, r catalog.Relation) (*catalog.Relation, error) {
	if err := t.mayWrite(); err != nil {
		return nil, err
	}
	if t.Catalog().SchemaByID(r.Schema) == nil {
		return nil, dberr.New(dberr.InvalidSchemaName, "schema does not exist")
	}
	if err := t.claimName(ctx, catalog.RelationClass, r.Schema, r.Name); err != nil {
		return nil, err
	}
	if r.ID == 0 {
		r.ID = t.NewID()
	}
	if r.Kind.Stored() {
		r.Storage = t.db.newStorage(&r)
	}
	if r.Kind == catalog.Collection {
		r.Columns = CollectionColumns()
	}
	if err := numberColumns(&r); err != nil {
		return nil, err
	}
	if len(r.PrimaryKey) > 0 && r.PrimaryID == 0 {
		r.PrimaryID = t.NewID()
	}
	r.Version = t.db.nextVersion()
	r.Shape = r.Version
	if err := t.LockTable(ctx, r.ID, AccessExclusive, Wait); err != nil {
		return nil, err
	}
	return &r, t.change(ctx, nil, &r)
}

// CollectionColumns are the columns that a collection shows.
func CollectionColumns() []catalog.Column {
	return []catalog.Column{
		{Num: 1, Name: "_id", Field: idField, Type: value.Text, Mod: -1, NotNull: true},
		{Num: 2, Name: "doc", Field: "doc", Type: value.JSONB, Mod: -1, NotNull: true},
	}
}

// numberColumns gives new columns their numbers and field names, and checks names. A field keeps the name that its column had first,
// so a later column of that name stores elsewhere.
func numberColumns(r *catalog.Relation) error {
	if len(r.Columns) > MaxColumns {
		return dberr.New(dberr.TooManyColumns, "tables can have at most %d columns", MaxColumns)
	}
	last := int16(0)
	names, fields := map[string]bool{}, map[string]bool{}
	for i := range r.Columns {
		c := &r.Columns[i]
		last = max(last, c.Num)
		if c.Field != "" {
			fields[c.Field] = true
		}
		if c.Dropped {
			continue
		}
		if names[c.Name] {
			return dberr.New(dberr.DuplicateColumn, "column \"%s\" specified more than once", c.Name)
		}
		names[c.Name] = true
	}
	for i := range r.Columns {
		c := &r.Columns[i]
		if c.Num == 0 {
			last++
			c.Num = last
		}
		if c.Field == "" {
			c.Field = c.Name
			for fields[c.Field] {
				c.Field += "'"
			}
			fields[c.Field] = true
		}
		if slices.Contains(r.PrimaryKey, c.Num) {
			c.NotNull = true
		}
	}
	return nil
}

// AlterRelation replaces the descriptor of r.ID by r under an AccessExclusive lock. New columns (Num 0) are numbered here; a new name
// or schema must be free. It changes no rows.
func (t *Txn) AlterRelation(ctx context.Context, r catalog.Relation) (*catalog.Relation, error) {
	if err := t.mayWrite(); err != nil {
		return nil, err
	}
	if err := t.LockTable(ctx, r.ID, AccessExclusive, Wait); err != nil {
		return nil, err
	}
	old := t.Catalog().RelationByID(r.ID)
	if old == nil {
		return nil, ErrStale
	}
	if old.Schema != r.Schema || old.Name != r.Name {
		if err := t.claimName(ctx, catalog.RelationClass, r.Schema, r.Name); err != nil {
			return nil, err
		}
	}
	for i, set := range old.IDTypes {
		r.IDTypes[i] |= set
	}
	if err := numberColumns(&r); err != nil {
		return nil, err
	}
	r.Version, r.Published = t.db.nextVersion(), 0
	r.Shape = r.Version
	return &r, t.change(ctx, old, &r)
}

// DropRelation drops a relation with its indexes. What else depends on it is the caller's to drop first. Its rows are deleted later,
// when history no longer needs them.
func (t *Txn) DropRelation(ctx context.Context, id catalog.ID) error {
	if err := t.mayWrite(); err != nil {
		return err
	}
	if err := t.LockTable(ctx, id, AccessExclusive, Wait); err != nil {
		return err
	}
	v := t.Catalog()
	r := v.RelationByID(id)
	if r == nil {
		return ErrStale
	}
	for _, x := range v.IndexesOf(r) {
		if err := t.change(ctx, x, nil); err != nil {
			return err
		}
		t.discard(x.Storage)
	}
	if r.Storage != 0 {
		t.discard(r.Storage)
	}
	return t.change(ctx, r, nil)
}

// Truncate empties a relation: it gives rows and indexes fresh storage. Snapshots from before see it empty too, as PostgreSQL
// documents.
func (t *Txn) Truncate(ctx context.Context, id catalog.ID) error {
	if err := t.LockTable(ctx, id, AccessExclusive, Wait); err != nil {
		return err
	}
	v := t.Catalog()
	old := v.RelationByID(id)
	if old == nil {
		return ErrStale
	}
	if err := t.mayWriteTo(old); err != nil {
		return err
	}
	for _, x := range v.IndexesOf(old) {
		fresh := *x
		fresh.Storage, fresh.Version, fresh.Published = t.db.newStorage(old), t.db.nextVersion(), 0
		if err := t.change(ctx, x, &fresh); err != nil {
			return err
		}
		t.discard(x.Storage)
	}
	fresh := *old
	fresh.Storage, fresh.Version, fresh.Published = t.db.newStorage(old), t.db.nextVersion(), 0
	fresh.Shape = fresh.Version
	t.discard(old.Storage)
	return t.change(ctx, old, &fresh)
}

// discard tells the sweeper, as part of the transaction, that a storage id is no longer used.
func (t *Txn) discard(storage uint64) {
	t.dropsTemporary = t.dropsTemporary || isTemporary(storage)
	t.writes.Put(t.seq, overlay.Write{Key: metaKey(metaSwept, binary.BigEndian.AppendUint64(nil, storage)), Value: make([]byte, kv.StampLen), Stamp: 0})
}

// EnsureCollection gives the collection schema.name, making it unless there is one: in a small commit of its own, which stays when
// the transaction rolls back. It is refused in a read-only transaction (25006). A name that the transaction itself has freed or
// taken is its own affair: then the collection is made as part of it. Another relation of that name is 42809.
func (t *Txn) EnsureCollection(ctx context.Context, schema, name string) (*catalog.Relation, error) {
	if r := t.Catalog().Relation(schema, name); r != nil {
		return r, isCollection(r)
	}
	if err := t.mayWrite(); err != nil {
		return nil, err
	}
	if s := t.Catalog().Schema(schema); s != nil && t.own != nil {
		r, err := t.CreateRelation(ctx, catalog.Relation{Schema: s.ID, Name: name, Kind: catalog.Collection, Owner: s.Owner})
		return r, err
	}
	if err := t.db.EnsureCollection(ctx, t.opt.Actor, t.opt.Database, schema, name); err != nil {
		return nil, err
	}
	r := t.Catalog().Relation(schema, name)
	if r == nil {
		return nil, ErrStale // dropped again already
	}
	return r, isCollection(r)
}

func isCollection(r *catalog.Relation) error {
	if r.Kind != catalog.Collection {
		return dberr.New(dberr.WrongObjectType, "\"%s\" is not a collection", r.Name).
			WithHint("It was made by CREATE TABLE or another statement; use INSERT, or another name.")
	}
	return nil
}

// EnsureCollection makes the collection schema.name in a small commit of its own, unless there is one. Losing a race to another
// session that makes it is no error.
func (db *DB) EnsureCollection(ctx context.Context, a Actor, database catalog.ID, schema, name string) error {
	t, err := db.Begin(ctx, TxnOptions{Actor: a, Database: database})
	if err != nil {
		return err
	}
	defer t.Rollback()
	s := t.Catalog().Schema(schema)
	if s == nil {
		return dberr.New(dberr.InvalidSchemaName, "schema \"%s\" does not exist", schema)
	}
	_, err = t.CreateRelation(ctx, catalog.Relation{Schema: s.ID, Name: name, Kind: catalog.Collection, Owner: s.Owner})
	if dberr.Code(err) == dberr.DuplicateTable {
		return nil
	}
	if err != nil {
		return err
	}
	return t.Commit(ctx)
}

// widenIDTypes sees to it that the collection's set of _id types has typ before a document with such an _id is inserted, and gives
// the newest descriptor. The set only ever grows, in a small commit of its own.
func (t *Txn) widenIDTypes(ctx context.Context, rel *catalog.Relation, typ byte) (*catalog.Relation, error) {
	if rel.HasIDType(typ) {
		return rel, nil
	}
	now := t.Catalog().RelationByID(rel.ID)
	if now == nil {
		return nil, ErrStale
	}
	if now.HasIDType(typ) {
		return now, nil
	}
	wide := *now
	wide.IDTypes[typ>>6] |= 1 << (typ & 63)
	if now.Published == 0 { // the transaction's own, which nobody else can see or change
		wide.Version = t.db.nextVersion()
		return &wide, t.change(ctx, now, &wide)
	}
	if err := t.db.widenIDTypes(ctx, t.opt.Actor, now, typ); err != nil {
		return nil, err
	}
	return t.Catalog().RelationByID(rel.ID), nil
}

func (db *DB) widenIDTypes(ctx context.Context, a Actor, rel *catalog.Relation, typ byte) error {
	t, err := db.Begin(ctx, TxnOptions{Actor: a})
	if err != nil {
		return err
	}
	defer t.Rollback()
	if err := t.lockDescriptor(ctx, rel); err != nil {
		return err
	}
	now := t.Catalog().RelationByID(rel.ID)
	if now == nil {
		return ErrStale
	}
	if now.HasIDType(typ) {
		return nil
	}
	wide := *now
	wide.Options = maps.Clone(now.Options)
	wide.IDTypes[typ>>6] |= 1 << (typ & 63)
	wide.Version = db.nextVersion()
	if err := t.change(ctx, now, &wide); err != nil {
		return err
	}
	return t.Commit(ctx)
}
