package pgcatalog

import (
	"maps"
	"slices"
	"strconv"

	"github.com/omgdb/omgdb/functions/extension"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/value"
)

func itoa(n int) string { return strconv.Itoa(n) }

// optionList shows storage options as name=value.
func optionList(m map[string]string) []string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out = append(out, k+"="+m[k])
	}
	return out
}

// indexClasses lists what has a row in pg_index.
func (w *world) indexClasses() []class {
	var out []class
	for _, r := range w.userRelations() {
		for _, x := range w.userIndexes(r) {
			out = append(out, class{oid: x.ID, schema: r.Schema, owner: r.Owner, name: x.Name, kind: 'i', rel: r, idx: x})
		}
	}
	return out
}

// keyColumns lists the attribute numbers of an index, included columns too; 0 stands for an expression.
func keyColumns(x *catalog.Index) []int16 {
	var out []int16
	for _, k := range x.Keys {
		out = append(out, k.Col)
	}
	return append(out, x.Include...)
}

// keyOptions are the bits of pg_index.indoption: 1 descending, 2 NULLs first.
func keyOptions(x *catalog.Index) []int16 {
	var out []int16
	for _, k := range x.Keys {
		bits := int16(0)
		if k.Desc {
			bits |= 1
		}
		if k.NullsFirst {
			bits |= 2
		}
		out = append(out, bits)
	}
	return out
}

func (c class) collations() []uint32 {
	var out []uint32
	for _, a := range indexAttributes(c)[:len(c.idx.Keys)] {
		out = append(out, factsOf(a.typ).collation)
	}
	return out
}

func (c class) opclasses() []uint32 {
	out := make([]uint32, len(c.idx.Keys))
	for i, a := range indexAttributes(c)[:len(c.idx.Keys)] {
		if out[i] = opclassNamed(c.method(), c.idx.Keys[i].OpClass); out[i] == 0 {
			out[i] = opclassOf(c.method(), a.typ)
		}
	}
	return out
}

var pgIndex = of[class]{
	items: (*world).indexClasses,
	cols: map[string]func(*world, class) value.Value{
		"indexrelid":          func(_ *world, c class) value.Value { return oid(c.oid) },
		"indrelid":            func(_ *world, c class) value.Value { return oid(c.rel.ID) },
		"indnatts":            func(_ *world, c class) value.Value { return num(len(c.idx.Keys) + len(c.idx.Include)) },
		"indnkeyatts":         func(_ *world, c class) value.Value { return num(len(c.idx.Keys)) },
		"indisunique":         func(_ *world, c class) value.Value { return value.Bool(c.idx.Unique) },
		"indnullsnotdistinct": func(_ *world, c class) value.Value { return value.Bool(c.idx.NullsNotDistinct) },
		"indisprimary":        func(_ *world, c class) value.Value { return value.Bool(c.idx.Primary) },
		"indimmediate":        func(_ *world, c class) value.Value { return value.Bool(!c.idx.Deferrable) },
		"indisvalid":          func(_ *world, c class) value.Value { return value.Bool(c.idx.Valid) },
		"indisready":          func(*world, class) value.Value { return value.Bool(true) },
		"indislive":           func(*world, class) value.Value { return value.Bool(true) },
		"indkey":              func(_ *world, c class) value.Value { return vector(value.Int2, keyColumns(c.idx)) },
		"indcollation":        func(_ *world, c class) value.Value { return vector(value.OID, c.collations()) },
		"indclass":            func(_ *world, c class) value.Value { return vector(value.OID, c.opclasses()) },
		"indoption":           func(_ *world, c class) value.Value { return vector(value.Int2, keyOptions(c.idx)) },
		"indexprs":            func(_ *world, c class) value.Value { return orNull(c.expressions()) },
		"indpred":             func(_ *world, c class) value.Value { return orNull(c.idx.Where) },
	},
}

// expressions shows the key expressions of an index as one text.
func (c class) expressions() string {
	s := ""
	for _, k := range c.idx.Keys {
		if k.Col != 0 || k.Expr == "" {
			continue
		}
		if s != "" {
			s += ", "
		}
		s += k.Expr
	}
	return s
}

// constraint is a row of pg_constraint.
type constraint struct {
	rel   *catalog.Relation // nil: a domain's
	dom   *catalog.Type
	oid   catalog.ID
	name  string
	kind  byte // p, u, c, f
	cols  []int16
	idx   *catalog.Index
	check *catalog.Check
	fk    *catalog.ForeignKey
}

// constraintOID gives a constraint that stands on an index an OID of its own.
func constraintOID(index catalog.ID) catalog.ID { return index | 1<<30 }

func (w *world) constraints() []constraint {
	var out []constraint
	for _, r := range w.userRelations() {
		for i := range r.Checks {
			k := &r.Checks[i]
			out = append(out, constraint{rel: r, oid: k.ID, name: k.Name, kind: 'c', cols: k.Cols, check: k})
		}
		for _, x := range w.userIndexes(r) {
			if !x.Constraint {
				continue
			}
			c := constraint{rel: r, oid: constraintOID(x.ID), name: x.Name, kind: 'u', idx: x}
			if x.Primary {
				c.kind = 'p'
			}
			for _, k := range x.Keys {
				c.cols = append(c.cols, k.Col)
			}
			out = append(out, c)
		}
		for i := range r.Foreign {
			f := &r.Foreign[i]
			out = append(out, constraint{rel: r, oid: f.ID, name: f.Name, kind: 'f', cols: f.Cols, fk: f})
		}
	}
	return out
}

// allConstraints lists those of domains too.
func (w *world) allConstraints() []constraint {
	out := w.constraints()
	if w.view == nil {
		return out
	}
	for _, t := range w.typesHere() {
		for i := range t.Checks {
			out = append(out, constraint{dom: t, oid: t.Checks[i].ID, name: t.Checks[i].Name, kind: 'c', check: &t.Checks[i]})
		}
	}
	return out
}

func (c constraint) schema() catalog.ID {
	if c.dom != nil {
		return c.dom.Schema
	}
	return c.rel.Schema
}

func (c constraint) action(f func(*catalog.ForeignKey) byte, none byte) value.Value {
	if c.fk == nil {
		return char(' ')
	}
	if a := f(c.fk); a != 0 {
		return char(a)
	}
	return char(none)
}

// target finds the unique index that a foreign key refers to.
func (w *world) target(f *catalog.ForeignKey) catalog.ID {
	r := w.view.RelationByID(f.RefTable)
	if r == nil {
		return 0
	}
	for _, x := range w.userIndexes(r) {
		cols := keyColumns(x)
		if x.Unique && slices.Equal(slices.Sorted(slices.Values(cols)), slices.Sorted(slices.Values(f.RefCols))) {
			return x.ID
		}
	}
	return 0
}

var pgConstraint = of[constraint]{
	items: (*world).allConstraints,
	cols: map[string]func(*world, constraint) value.Value{
		"oid":          func(_ *world, c constraint) value.Value { return oid(c.oid) },
		"conname":      func(_ *world, c constraint) value.Value { return text(c.name) },
		"connamespace": func(_ *world, c constraint) value.Value { return oid(c.schema()) },
		"contype":      func(_ *world, c constraint) value.Value { return char(c.kind) },
		"condeferrable": func(_ *world, c constraint) value.Value {
			return value.Bool(c.idx != nil && c.idx.Deferrable || c.fk != nil && c.fk.Deferrable)
		},
		"condeferred": func(_ *world, c constraint) value.Value {
			return value.Bool(c.idx != nil && c.idx.Deferred || c.fk != nil && c.fk.Deferred)
		},
		"convalidated": func(_ *world, c constraint) value.Value {
			return value.Bool((c.fk == nil || !c.fk.NotValid) && (c.check == nil || !c.check.NotValid))
		},
		"conrelid": func(_ *world, c constraint) value.Value {
			if c.rel == nil {
				return oid(uint32(0))
			}
			return oid(c.rel.ID)
		},
		"contypid": func(_ *world, c constraint) value.Value {
			if c.dom == nil {
				return oid(uint32(0))
			}
			return oid(c.dom.ID)
		},
		"conindid": func(w *world, c constraint) value.Value {
			switch {
			case c.idx != nil:
				return oid(c.idx.ID)
			case c.fk != nil:
				return oid(w.target(c.fk))
			}
			return oid(uint32(0))
		},
		"confrelid": func(_ *world, c constraint) value.Value {
			if c.fk == nil {
				return oid(uint32(0))
			}
			return oid(c.fk.RefTable)
		},
		"confupdtype": func(_ *world, c constraint) value.Value {
			return c.action(func(f *catalog.ForeignKey) byte { return f.OnUpdate }, 'a')
		},
		"confdeltype": func(_ *world, c constraint) value.Value {
			return c.action(func(f *catalog.ForeignKey) byte { return f.OnDelete }, 'a')
		},
		"confmatchtype": func(_ *world, c constraint) value.Value {
			return c.action(func(f *catalog.ForeignKey) byte { return f.Match }, 's')
		},
		"conislocal":   func(*world, constraint) value.Value { return value.Bool(true) },
		"connoinherit": func(_ *world, c constraint) value.Value { return value.Bool(c.kind != 'c') },
		"conpfeqop":    equalities, "conppeqop": equalities, "conffeqop": equalities,
		"conkey": func(_ *world, c constraint) value.Value { return array(value.Int2, c.cols) },
		"confkey": func(_ *world, c constraint) value.Value {
			if c.fk == nil {
				return value.Null
			}
			return array(value.Int2, c.fk.RefCols)
		},
		"confdelsetcols": func(_ *world, c constraint) value.Value {
			if c.fk == nil || len(c.fk.DeleteSet) == 0 {
				return value.Null
			}
			return array(value.Int2, c.fk.DeleteSet)
		},
		"conbin": func(_ *world, c constraint) value.Value {
			if c.check == nil {
				return value.Null
			}
			return text(c.check.Expr)
		},
	},
}

// equalities lists the operators that compare the columns of a foreign key.
func equalities(w *world, c constraint) value.Value {
	if c.fk == nil {
		return value.Null
	}
	var out []uint32
	for _, num := range c.cols {
		id := uint32(0)
		if col := c.rel.Attr(num); col != nil {
			id = uint32(w.operator("=", col.Type, col.Type).Int())
		}
		out = append(out, id)
	}
	return array(value.OID, out)
}

// defaulted is a column with a default or a generation expression.
type defaulted struct {
	rel *catalog.Relation
	col *catalog.Column
}

// hasDefault tells whether a column has a row of pg_attrdef: what an identity column takes from its sequence is no default.
func hasDefault(c *catalog.Column) bool { return c.Default != "" && c.Identity == 0 && !c.Dropped }

func (w *world) defaults() []defaulted {
	var out []defaulted
	for _, r := range w.userRelations() {
		for i := range r.Columns {
			if c := &r.Columns[i]; hasDefault(c) {
				out = append(out, defaulted{r, c})
			}
		}
	}
	return out
}

var pgAttrdef = of[defaulted]{
	items: (*world).defaults,
	cols: map[string]func(*world, defaulted) value.Value{
		"oid":     func(_ *world, d defaulted) value.Value { return oid(uint32(d.rel.ID)<<11 | uint32(d.col.Num) | 1<<31) },
		"adrelid": func(_ *world, d defaulted) value.Value { return oid(d.rel.ID) },
		"adnum":   func(_ *world, d defaulted) value.Value { return num(d.col.Num) },
		"adbin":   func(_ *world, d defaulted) value.Value { return text(d.col.Default) },
	},
}

// comment is a row of pg_description.
type comment struct {
	object uint32
	class  uint32
	sub    int16
	text   string
}

// The catalogs that objects of pg_description are in.
const (
	classClass      = 1259
	classProc       = 1255
	classType       = 1247
	classExtension  = 3079
	classNamespace  = 2615
	classConstraint = 2606
	classTSConfig   = 3602
	classTSDict     = 3600
)

func (w *world) comments() []comment {
	var out []comment
	add := func(object, class uint32, sub int16, text string) {
		if text != "" {
			out = append(out, comment{object, class, sub, text})
		}
	}
	for _, p := range w.procs() {
		add(p.OID, classProc, 0, p.Descr)
	}
	out = append(out, builtinComments("pg_catalog.pg_description")...)
	textSearchComments(add)
	for _, x := range extension.All {
		add(x.OID, classExtension, 0, x.Comment)
	}
	if w.view == nil {
		return out
	}
	for _, s := range w.view.Schemas() {
		add(uint32(s.ID), classNamespace, 0, s.Comment)
	}
	for _, t := range w.typesHere() {
		add(uint32(t.ID), classType, 0, t.Comment)
	}
	for _, c := range w.constraints() {
		if c.rel != nil {
			add(uint32(c.oid), classConstraint, 0, c.rel.ConstraintComments[c.name])
		}
	}
	for _, r := range w.userRelations() {
		add(uint32(r.ID), classClass, 0, r.ShownComment())
		for _, c := range r.Columns {
			add(uint32(r.ID), classClass, c.Num, c.Comment)
		}
		for _, x := range w.view.IndexesOf(r) {
			add(uint32(x.ID), classClass, 0, x.Comment)
		}
	}
	return out
}

var commentColumns = map[string]func(*world, comment) value.Value{
	"objoid":      func(_ *world, c comment) value.Value { return oid(c.object) },
	"classoid":    func(_ *world, c comment) value.Value { return oid(c.class) },
	"description": func(_ *world, c comment) value.Value { return text(c.text) },
}

var pgDescription = of[comment]{items: (*world).comments, cols: withColumn(commentColumns, "objsubid", func(_ *world, c comment) value.Value { return num(c.sub) })}

// withColumn gives columns extended by one.
func withColumn[T any](cols map[string]func(*world, T) value.Value, name string, f func(*world, T) value.Value) map[string]func(*world, T) value.Value {
	out := maps.Clone(cols)
	out[name] = f
	return out
}

// builtinComments are the comments on objects that are the same in every store.
func builtinComments(relation string) []comment {
	var out []comment
	num := func(s string) uint32 {
		n, _ := strconv.ParseUint(s, 10, 32)
		return uint32(n)
	}
	for _, r := range staticRows()[relation] {
		out = append(out, comment{num(r["objoid"]), num(r["classoid"]), int16(num(r["objsubid"])), r["description"]})
	}
	return out
}

// The catalogs of objects that databases share.
const (
	classDatabase = 1262
	classRole     = 1260
)

func (w *world) sharedComments() []comment {
	out := builtinComments("pg_catalog.pg_shdescription")
	if w.view == nil {
		return out
	}
	for _, d := range w.view.Databases() {
		if d.Comment != "" {
			out = append(out, comment{uint32(d.ID), classDatabase, 0, d.Comment})
		}
	}
	for _, r := range w.view.Roles() {
		if r.Comment != "" {
			out = append(out, comment{uint32(r.ID), classRole, 0, r.Comment})
		}
	}
	return out
}

// Comment finds the comment on an object, "" when there is none.
func (s *Set) Comment(view *catalog.View, class, oid uint32, sub int16) string {
	w := &world{view: view, set: s}
	list := w.comments
	if class == classDatabase || class == classRole {
		list = w.sharedComments
	}
	if class == classProc {
		if p := s.registry.Proc(oid); p != nil {
			return p.Descr
		}
	}
	for _, c := range list() {
		if c.object == oid && c.class == class && c.sub == sub {
			return c.text
		}
	}
	return ""
}
