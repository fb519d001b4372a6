package pgcatalog

import (
	"slices"
	"strings"

	"github.com/omgdb/omgdb/functions/sysfunc"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/value"
)

// class is anything with a row in pg_class: a relation, an index, the index that a primary key shows as, or a system relation.
type class struct {
	oid, schema, owner catalog.ID
	name               string
	kind               byte
	rel                *catalog.Relation // the relation, or the table of an index
	idx                *catalog.Index
	primary            bool // the row key shown as an index
	sys                *shape
	row                *catalog.Type // a composite type
}

// compositeBit makes the OID of the pg_class entry of a composite type of the type's.
const compositeBit = 1 << 27

// CompositeClass is the OID that a composite type has in pg_class; CompositeType takes it back, 0 for another one.
func CompositeClass(t catalog.ID) uint32 { return uint32(t | compositeBit) }

// CompositeType gives the type whose entry of pg_class has the OID, 0 when it cannot be one.
func CompositeType(oid uint32) catalog.ID {
	if oid&compositeBit == 0 {
		return 0
	}
	return catalog.ID(oid &^ compositeBit)
}

// userIndexes lists the indexes of a relation, the one of its row key first.
func (w *world) userIndexes(r *catalog.Relation) []*catalog.Index {
	var out []*catalog.Index
	if x := r.KeyIndex(); x != nil {
		out = append(out, x)
	}
	return append(out, w.view.IndexesOf(r)...)
}

func (w *world) userRelations() []*catalog.Relation {
	if w.view == nil {
		return nil
	}
	return w.view.Relations(0)
}

func (w *world) classes() []class {
	var out []class
	for _, s := range w.set.shapes {
		out = append(out, class{oid: catalog.ID(s.oid), schema: schemaOID(s.schema), owner: catalog.SuperRole, name: s.name, kind: s.kind, sys: s})
	}
	for _, r := range w.userRelations() {
		out = append(out, class{oid: r.ID, schema: r.Schema, owner: r.Owner, name: r.Name, kind: relkind(r.Kind), rel: r})
		for _, x := range w.userIndexes(r) {
			out = append(out, class{oid: x.ID, schema: r.Schema, owner: r.Owner, name: x.Name, kind: 'i', rel: r, idx: x, primary: x.Primary})
		}
	}
	if w.view == nil {
		return out
	}
	for _, t := range w.typesHere() {
		if t.Def.Class == value.Composite {
			out = append(out, class{oid: t.ID | compositeBit, schema: t.Schema, owner: t.Owner, name: t.Name, kind: 'c', row: t})
		}
	}
	return out
}

// rowType is the OID of the type of a class's rows, 0 for none.
func (c class) rowType() catalog.ID {
	switch {
	case c.row != nil:
		return c.row.ID
	case c.rel == nil || c.idx != nil || c.kind == 'S':
		return 0
	}
	return catalog.ID(catalog.RowType(c.oid))
}

// relkind shows a collection as an ordinary table.
func relkind(k catalog.Kind) byte {
	if k == catalog.Collection {
		return 'r'
	}
	return byte(k)
}

// columnsOf lists a relation's columns, dropped ones included.
func columnsOf(r *catalog.Relation) []catalog.Column {
	if r.Kind == catalog.Collection && len(r.Columns) == 0 {
		return storage.CollectionColumns()
	}
	return r.Columns
}

func (c class) natts() int {
	switch {
	case c.sys != nil:
		return len(c.sys.cols)
	case c.row != nil:
		return len(c.row.Def.Fields)
	case c.idx != nil:
		return len(c.idx.Keys) + len(c.idx.Include)
	case c.kind == 'S':
		return len(sequenceColumns)
	}
	return len(columnsOf(c.rel))
}

// methods are the access methods: PostgreSQL's, and OMGDB's own.
var methods = []method{
	{2, "heap", 't'}, {403, "btree", 'i'}, {405, "hash", 'i'}, {783, "gist", 'i'}, {2742, "gin", 'i'}, {4000, "spgist", 'i'}, {3580, "brin", 'i'},
	{8910, "collection", 't'}, {8911, "path", 'i'}, {8912, "fulltext", 'i'}, {8913, "vector", 'i'}, {8914, "hnsw", 'i'}, {8915, "ivfflat", 'i'},
}

type method struct {
	oid  uint32
	name string
	kind byte
}

func methodOID(name string) uint32 {
	for _, m := range methods {
		if m.name == name {
			return m.oid
		}
	}
	return 403
}

func (c class) method() uint32 {
	switch {
	case c.idx != nil:
		return methodOID(c.idx.AccessMethod())
	case c.kind == 'r' || c.kind == 'm':
		return 2
	}
	return 0
}

var pgClass = of[class]{
	items: (*world).classes,
	cols: map[string]func(*world, class) value.Value{
		"oid":            func(_ *world, c class) value.Value { return oid(c.oid) },
		"relname":        func(_ *world, c class) value.Value { return text(c.name) },
		"relnamespace":   func(_ *world, c class) value.Value { return oid(c.schema) },
		"relowner":       func(_ *world, c class) value.Value { return oid(c.owner) },
		"relam":          func(_ *world, c class) value.Value { return oid(c.method()) },
		"relfilenode":    func(_ *world, c class) value.Value { return oid(c.oid) },
		"reltype":        func(_ *world, c class) value.Value { return oid(c.rowType()) },
		"reltuples":      func(w *world, c class) value.Value { return value.Float(w.tuples(c)) },
		"relpages":       func(w *world, c class) value.Value { return num(pagesOf(w.tuples(c))) },
		"relhastriggers": hasTriggers,
		"relisshared":    func(_ *world, c class) value.Value { return value.Bool(c.sys != nil && sharedCatalogs[c.name]) },
		"reltablespace": func(_ *world, c class) value.Value {
			return oid(map[bool]uint32{true: 1664}[c.sys != nil && sharedCatalogs[c.name]])
		},
		"relhasindex": func(w *world, c class) value.Value {
			return value.Bool(c.rel != nil && c.idx == nil && len(w.userIndexes(c.rel)) > 0)
		},
		"relpersistence": func(w *world, c class) value.Value { return char(c.persistence(w)) },
		"relkind":        func(_ *world, c class) value.Value { return char(c.kind) },
		"relnatts":       func(_ *world, c class) value.Value { return num(c.natts()) },
		"relchecks":      func(_ *world, c class) value.Value { return num(c.checks()) },
		"relhasrules":    func(_ *world, c class) value.Value { return value.Bool(c.kind == 'v' || c.kind == 'm') },
		"relispopulated": func(*world, class) value.Value { return value.Bool(true) },
		"relreplident": func(_ *world, c class) value.Value {
			return char(map[bool]byte{true: 'd', false: 'n'}[(c.kind == 'r' || c.kind == 'm') && c.sys == nil])
		},
		"reloptions": func(_ *world, c class) value.Value { return c.options() },
		"relacl":     func(w *world, c class) value.Value { return c.acl(w) },
	},
}

// persistence is p, t of temporary relations or u of unlogged ones; an index and a sequence that a column owns go with their table.
func (c class) persistence(w *world) byte {
	r := c.rel
	if r != nil && r.Seq != nil && r.Seq.OwnerTable != 0 {
		if owner := w.view.RelationByID(r.Seq.OwnerTable); owner != nil {
			r = owner
		}
	}
	switch {
	case r == nil:
		return 'p'
	case r.Temp:
		return 't'
	case r.Unlogged:
		return 'u'
	}
	return 'p'
}

// sharedCatalogs are the system relations that all databases share.
var sharedCatalogs = map[string]bool{
	"pg_authid": true, "pg_auth_members": true, "pg_database": true, "pg_db_role_setting": true, "pg_tablespace": true, "pg_shdepend": true,
	"pg_shdescription": true, "pg_shseclabel": true, "pg_replication_origin": true, "pg_subscription": true, "pg_parameter_acl": true,
}

// tuples estimates the rows of a class; -1 says, as in PostgreSQL, that nobody knows.
func (w *world) tuples(c class) float64 {
	switch {
	case c.rel == nil, c.kind == 'S', c.kind == 'v':
		return map[bool]float64{true: -1}[c.sys != nil && c.kind == 'r']
	case w.env == nil || w.env.DB == nil || !c.rel.Kind.Stored():
		return -1
	}
	return float64(w.env.DB.RowEstimate(c.rel))
}

// pagesOf is the pages that PostgreSQL would need for so many rows of middling size: planners of other databases divide by it.
func pagesOf(rows float64) int {
	const perPage = 64
	if rows <= 0 {
		return 0
	}
	return int(rows)/perPage + 1
}

// referenced tells whether foreign keys point to a relation.
func (w *world) referenced(id catalog.ID) bool {
	for _, r := range w.userRelations() {
		for i := range r.Foreign {
			if r.Foreign[i].RefTable == id {
				return true
			}
		}
	}
	return false
}

func (c class) checks() int {
	if c.rel == nil || c.idx != nil {
		return 0
	}
	return len(c.rel.Checks)
}

func (c class) options() value.Value {
	opts := map[string]string(nil)
	switch {
	case c.idx != nil:
		opts = c.idx.Given()
	case c.rel != nil:
		opts = c.rel.Options
	}
	return texts(optionList(opts))
}

func (c class) acl(w *world) value.Value {
	if c.rel == nil || c.idx != nil {
		if c.sys != nil && c.kind != 'S' {
			return w.acl(catalog.GuardTable, catalog.SuperRole, readable)
		}
		return value.Null
	}
	return w.acl(c.rel.Guarded(), c.owner, c.rel.ACL)
}

// readable is the rights on what everybody may read.
var readable = catalog.ACL{
	{Role: catalog.SuperRole, Rights: catalog.GuardTable.All(), Grantor: catalog.SuperRole}, {Rights: catalog.RightSelect, Grantor: catalog.SuperRole},
}.Stored()

// initialRights are the rights that a system object has from the start.
type initialRights struct {
	class uint32
	oid   catalog.ID
	acl   value.Value
}

// pgInitPrivs lists them: pg_dump leaves them out.
var pgInitPrivs = of[initialRights]{
	items: func(w *world) []initialRights {
		var out []initialRights
		for _, c := range w.classes() {
			if acl := c.acl(w); c.sys != nil && !acl.IsNull() {
				out = append(out, initialRights{classClass, c.oid, acl})
			}
		}
		for _, s := range w.schemas() {
			if acl := w.schemaACL(s); s.ID == catalog.PgCatalogSchema && !acl.IsNull() {
				out = append(out, initialRights{classNamespace, s.ID, acl})
			}
		}
		return out
	},
	cols: map[string]func(*world, initialRights) value.Value{
		"objoid":    func(_ *world, r initialRights) value.Value { return oid(r.oid) },
		"classoid":  func(_ *world, r initialRights) value.Value { return oid(r.class) },
		"objsubid":  func(*world, initialRights) value.Value { return num(0) },
		"privtype":  func(*world, initialRights) value.Value { return text("i") },
		"initprivs": func(_ *world, r initialRights) value.Value { return r.acl },
	},
}

// acl shows a stored list of rights, NULL when there is none.
func (w *world) acl(kind catalog.Guarded, owner catalog.ID, stored []string) value.Value {
	if stored == nil || w.view == nil {
		return value.Null
	}
	return sysfunc.ACLItems(w.view, catalog.ACLOf(kind, owner, stored))
}

// attribute is a column of something in pg_class.
type attribute struct {
	class   class
	num     int16
	name    string
	typ     *value.Type
	mod     int32
	notNull bool
	col     *catalog.Column // of a stored relation
}

func (w *world) attributes() []attribute {
	var out []attribute
	for _, c := range w.classes() {
		switch {
		case c.sys != nil:
			for i, col := range c.sys.cols {
				out = append(out, attribute{class: c, num: int16(i + 1), name: col.name, typ: col.typ, mod: col.mod, notNull: col.notNull})
			}
		case c.idx != nil:
			out = append(out, indexAttributes(c)...)
		case c.row != nil:
			for i, f := range c.row.Def.Fields {
				out = append(out, attribute{class: c, num: int16(i + 1), name: f.Name, typ: f.Type, mod: f.Mod})
			}
		case c.kind == 'S':
			for i, f := range sequenceColumns {
				out = append(out, attribute{class: c, num: int16(i + 1), name: f.Name, typ: f.Type, mod: -1, notNull: true})
			}
		default:
			cols := columnsOf(c.rel)
			for i := range cols {
				out = append(out, columnAttribute(c, &cols[i]))
			}
			if c.kind == 'r' || c.kind == 'm' {
				out = append(out, systemColumns(c)...)
			}
		}
	}
	return out
}

// sequenceColumns are the columns that every sequence has as a relation.
var sequenceColumns = value.Schema{
	{Name: "last_value", Type: value.Int8}, {Name: "log_cnt", Type: value.Int8}, {Name: "is_called", Type: value.Boolean},
}

func columnAttribute(c class, col *catalog.Column) attribute {
	a := attribute{class: c, num: col.Num, name: col.Name, typ: col.Type, mod: col.Mod, notNull: col.NotNull, col: col}
	if col.Dropped {
		a.name = "........pg.dropped." + itoa(int(col.Num)) + "........"
	}
	return a
}

func systemColumns(c class) []attribute {
	var out []attribute
	for _, s := range []struct {
		num  int16
		name string
		typ  *value.Type
	}{{-1, "ctid", value.TID}, {-2, "xmin", value.XID}, {-3, "cmin", value.CID}, {-4, "xmax", value.XID}, {-5, "cmax", value.CID}, {-6, "tableoid", value.OID}} {
		out = append(out, attribute{class: c, num: s.num, name: s.name, typ: s.typ, mod: -1, notNull: true})
	}
	return out
}

func indexAttributes(c class) []attribute {
	var out []attribute
	for i, k := range c.idx.Keys {
		a := attribute{class: c, num: int16(i + 1), name: expressionName(k.Expr), typ: k.Type, mod: -1}
		if col := c.rel.Attr(k.Col); k.Col != 0 && col != nil {
			a.name, a.typ, a.mod = col.Name, col.Type, col.Mod
		}
		for n, base := 1, a.name; slices.ContainsFunc(out, func(o attribute) bool { return o.name == a.name }); n++ {
			a.name = base + itoa(n)
		}
		if a.typ == nil {
			a.typ = value.Text
		}
		out = append(out, a)
	}
	for _, num := range c.idx.Include {
		if col := c.rel.Attr(num); col != nil {
			out = append(out, attribute{class: c, num: int16(len(out) + 1), name: col.Name, typ: col.Type, mod: col.Mod})
		}
	}
	return out
}

// expressionName is the column name of an index's expression: that of its function, or "expr".
func expressionName(expr string) string {
	name, _, ok := strings.Cut(expr, "(")
	if !ok || name == "" || strings.ContainsAny(name, " '\":+-*/<>=.") || !strings.HasSuffix(expr, ")") {
		return "expr"
	}
	return name
}

var pgAttribute = of[attribute]{
	items: (*world).attributes,
	cols: map[string]func(*world, attribute) value.Value{
		"attrelid":      func(_ *world, a attribute) value.Value { return oid(a.class.oid) },
		"attname":       func(_ *world, a attribute) value.Value { return text(a.name) },
		"atttypid":      func(_ *world, a attribute) value.Value { return a.typeOID() },
		"attstattarget": func(*world, attribute) value.Value { return num(-1) },
		"attlen":        func(_ *world, a attribute) value.Value { return num(a.typ.Len) },
		"attnum":        func(_ *world, a attribute) value.Value { return num(a.num) },
		"attndims":      func(_ *world, a attribute) value.Value { return num(map[bool]int{true: 1}[a.typ.IsArray()]) },
		"attcacheoff":   func(*world, attribute) value.Value { return num(-1) },
		"atttypmod":     func(_ *world, a attribute) value.Value { return num(a.mod) },
		"attbyval":      func(_ *world, a attribute) value.Value { return value.Bool(factsOf(a.typ).byVal) },
		"attalign":      func(_ *world, a attribute) value.Value { return char(factsOf(a.typ).align) },
		"attstorage":    func(_ *world, a attribute) value.Value { return char(factsOf(a.typ).storage) },
		"attnotnull":    func(_ *world, a attribute) value.Value { return value.Bool(a.notNull) },
		"atthasdef": func(_ *world, a attribute) value.Value {
			return value.Bool(a.col != nil && hasDefault(a.col))
		},
		"attidentity": func(_ *world, a attribute) value.Value {
			return a.flag(func(c *catalog.Column) byte { return c.Identity })
		},
		"attgenerated": func(_ *world, a attribute) value.Value {
			return a.flag(func(c *catalog.Column) byte { return map[bool]byte{true: 's'}[c.Generated] })
		},
		"attacl": func(w *world, a attribute) value.Value {
			if a.col == nil || a.col.ACL == nil {
				return value.Null
			}
			return w.acl(catalog.GuardColumn, a.class.owner, a.col.ACL)
		},
		"attisdropped": func(_ *world, a attribute) value.Value { return value.Bool(a.col != nil && a.col.Dropped) },
		"attislocal":   func(*world, attribute) value.Value { return value.Bool(true) },
		"attcollation": func(_ *world, a attribute) value.Value { return oid(a.collationOID()) },
	},
}

// collationOID is the collation of a column: its own, or that of its type.
func (a attribute) collationOID() uint32 {
	if a.col != nil && a.col.Collation != "" {
		for _, c := range collations {
			if c.name == a.col.Collation {
				return c.oid
			}
		}
	}
	return factsOf(a.typ).collation
}

func (a attribute) typeOID() value.Value {
	if a.col != nil && a.col.Dropped {
		return oid(uint32(0))
	}
	return oid(a.typ.OID)
}

func (a attribute) flag(f func(*catalog.Column) byte) value.Value {
	if a.col == nil {
		return char(0)
	}
	return char(f(a.col))
}

var pgAM = of[method]{
	items: func(*world) []method { return methods },
	cols: map[string]func(*world, method) value.Value{
		"oid":    func(_ *world, m method) value.Value { return oid(m.oid) },
		"amname": func(_ *world, m method) value.Value { return text(m.name) },
		"amtype": func(_ *world, m method) value.Value { return char(m.kind) },
		"amhandler": func(_ *world, m method) value.Value {
			return oid(map[uint32]uint32{2: 3, 403: 330, 405: 331, 783: 332, 2742: 333, 4000: 334, 3580: 335}[m.oid])
		},
	},
}
