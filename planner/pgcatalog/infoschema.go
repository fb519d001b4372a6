package pgcatalog

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/omgdb/omgdb/functions/sysfunc"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// database is the catalog name of information_schema: the current database.
func (w *world) database() value.Value {
	if w.env.Session != nil {
		return text(w.env.Session.Database())
	}
	return text("omgdb")
}

// catalogOf gives columns that hold the database's name.
func catalogOf[T any](w *world, _ T) value.Value { return w.database() }

var infoTables = of[class]{
	items: ofKind('r', 'v', 'p', 'f'),
	cols: map[string]func(*world, class) value.Value{
		"table_catalog": catalogOf[class], "table_schema": classSchema, "table_name": className,
		"table_type": func(_ *world, c class) value.Value {
			switch {
			case c.kind == 'v':
				return text("VIEW")
			case c.rel != nil && c.rel.Temp:
				return text("LOCAL TEMPORARY")
			}
			return text("BASE TABLE")
		},
		"is_insertable_into": func(w *world, c class) value.Value { return yesNo(c.kind == 'r' || w.updatable(c.oid, canInsert)) },
		"is_typed":           func(*world, class) value.Value { return yesNo(false) },
	},
}

// checkOption is what WITH CHECK OPTION said of a view; the system's own ones have none.
func checkOption(_ *world, c class) value.Value {
	if c.rel == nil {
		return text("NONE")
	}
	return text(strings.ToUpper(cmp.Or(c.rel.Options["check_option"], "none")))
}

var infoViews = of[class]{
	items: ofKind('v'),
	cols: map[string]func(*world, class) value.Value{
		"table_catalog": catalogOf[class], "table_schema": classSchema, "table_name": className, "view_definition": classDefinition,
		"check_option":               checkOption,
		"is_updatable":               func(w *world, c class) value.Value { return yesNo(w.updatable(c.oid, canUpdateAndDelete)) },
		"is_insertable_into":         func(w *world, c class) value.Value { return yesNo(w.updatable(c.oid, canInsert)) },
		"is_trigger_updatable":       func(*world, class) value.Value { return yesNo(false) },
		"is_trigger_deletable":       func(*world, class) value.Value { return yesNo(false) },
		"is_trigger_insertable_into": func(*world, class) value.Value { return yesNo(false) },
	},
}

var infoSchemata = of[*catalog.Schema]{
	items: (*world).schemas,
	cols: map[string]func(*world, *catalog.Schema) value.Value{
		"catalog_name": catalogOf[*catalog.Schema],
		"schema_name":  func(_ *world, s *catalog.Schema) value.Value { return text(s.Name) },
		"schema_owner": func(w *world, s *catalog.Schema) value.Value { return text(w.roleName(s.Owner)) },
	},
}

func (w *world) infoColumns() []attribute {
	var out []attribute
	for _, a := range w.attributes() {
		if a.num > 0 && a.class.idx == nil && (a.col == nil || !a.col.Dropped) && a.class.kind != 'S' && a.class.kind != 'm' && a.class.kind != 'c' {
			out = append(out, a)
		}
	}
	return out
}

// dataType is the type's name in information_schema. To clients pgvector's types are an extension's, though they are built in here.
func dataType(t *value.Type) string {
	switch {
	case t.IsArray():
		return "ARRAY"
	case t.Namespace != 0 && t.Class != value.Domain, t == value.Vector, t == value.HalfVec, t == value.SparseVec:
		return "USER-DEFINED"
	}
	return typeio.Base(t).SQL
}

// base makes a column function of an attribute's base type.
func base(f func(t *value.Type, mod int32) value.Value) func(*world, attribute) value.Value {
	return func(_ *world, a attribute) value.Value { return f(typeio.BaseMod(a.typ, a.mod)) }
}

func (a attribute) generated() bool { return a.col != nil && a.col.Generated }

var infoColumnsRel = of[attribute]{
	items: (*world).infoColumns,
	cols: map[string]func(*world, attribute) value.Value{
		"table_catalog":    catalogOf[attribute],
		"table_schema":     func(w *world, a attribute) value.Value { return classSchema(w, a.class) },
		"table_name":       func(w *world, a attribute) value.Value { return className(w, a.class) },
		"column_name":      func(_ *world, a attribute) value.Value { return text(a.name) },
		"ordinal_position": func(_ *world, a attribute) value.Value { return num(a.num) },
		"column_default": func(w *world, a attribute) value.Value {
			if a.col == nil || a.generated() || a.col.Identity != 0 {
				return value.Null
			}
			return orNull(sysfunc.ShownExpr(w.env, a.col.Default))
		},
		"is_nullable":              func(w *world, a attribute) value.Value { return yesNo(!a.notNull && !w.neverNull(a.typ)) },
		"data_type":                func(_ *world, a attribute) value.Value { return text(dataType(a.typ)) },
		"character_maximum_length": base(sysfunc.CharLength),
		"character_octet_length":   base(sysfunc.OctetLength),
		"numeric_precision": base(func(t *value.Type, mod int32) value.Value {
			p, _, _ := sysfunc.NumericFacts(t, mod)
			return p
		}),
		"numeric_precision_radix": base(func(t *value.Type, mod int32) value.Value {
			_, r, _ := sysfunc.NumericFacts(t, mod)
			return r
		}),
		"numeric_scale": base(func(t *value.Type, mod int32) value.Value {
			_, _, s := sysfunc.NumericFacts(t, mod)
			return s
		}),
		"datetime_precision": base(sysfunc.DatetimePrecision),
		"domain_catalog":     domain(func(w *world, a attribute) value.Value { return w.database() }),
		"domain_schema":      domain(func(w *world, a attribute) value.Value { return text(w.schemaName(catalog.ID(a.typ.Namespace))) }),
		"domain_name":        domain(func(_ *world, a attribute) value.Value { return text(a.typ.Name) }),
		"udt_catalog":        catalogOf[attribute],
		"udt_schema": func(w *world, a attribute) value.Value {
			if t := typeio.Base(a.typ); t.Namespace != 0 {
				return text(w.schemaName(catalog.ID(t.Namespace)))
			}
			return text("pg_catalog")
		},
		"udt_name":            func(_ *world, a attribute) value.Value { return text(typeio.Base(a.typ).Name) },
		"dtd_identifier":      func(_ *world, a attribute) value.Value { return text(itoa(int(a.num))) },
		"is_self_referencing": func(*world, attribute) value.Value { return yesNo(false) },
		"is_identity":         func(_ *world, a attribute) value.Value { return yesNo(a.col != nil && a.col.Identity != 0) },
		"identity_generation": identityGeneration,
		"identity_start":      identity(func(s *catalog.SequenceParams) value.Value { return text(strconv.FormatInt(s.Start, 10)) }),
		"identity_increment":  identity(func(s *catalog.SequenceParams) value.Value { return text(strconv.FormatInt(s.Increment, 10)) }),
		"identity_minimum":    identity(func(s *catalog.SequenceParams) value.Value { return text(strconv.FormatInt(s.Min, 10)) }),
		"identity_maximum":    identity(func(s *catalog.SequenceParams) value.Value { return text(strconv.FormatInt(s.Max, 10)) }),
		"identity_cycle":      func(w *world, a attribute) value.Value { return yesNo(w.identityOf(a) != nil && w.identityOf(a).Cycle) },
		"is_generated": func(_ *world, a attribute) value.Value {
			return text(map[bool]string{true: "ALWAYS", false: "NEVER"}[a.generated()])
		},
		"generation_expression": func(_ *world, a attribute) value.Value { return a.generation() },
		"is_updatable":          func(w *world, a attribute) value.Value { return yesNo(w.settable(a)) },
		"collation_name":        func(_ *world, a attribute) value.Value { return a.collation() },
	},
}

// neverNull tells whether a domain, or one that it stands on, is NOT NULL.
func (w *world) neverNull(t *value.Type) bool {
	for ; t.Class == value.Domain && t.Under != nil; t = t.Under {
		if d := w.view.TypeByID(catalog.ID(t.OID)); d != nil && d.NotNull {
			return true
		}
	}
	return false
}

func domain(f func(*world, attribute) value.Value) func(*world, attribute) value.Value {
	return func(w *world, a attribute) value.Value {
		if a.typ.Class != value.Domain {
			return value.Null
		}
		return f(w, a)
	}
}

// identityOf is the sequence of an identity column, nil for other columns.
func (w *world) identityOf(a attribute) *catalog.SequenceParams {
	if a.col == nil || a.col.Identity == 0 {
		return nil
	}
	if w.owned == nil {
		w.owned = map[columnKey]*catalog.SequenceParams{}
		for _, s := range w.sequences() {
			w.owned[columnKey{s.rel.Seq.OwnerTable, s.rel.Seq.OwnerColumn}] = s.rel.Seq
		}
	}
	return w.owned[columnKey{a.class.rel.ID, a.col.Num}]
}

// columnKey names a column of a stored relation.
type columnKey struct {
	table catalog.ID
	num   int16
}

// identity makes a column of what the sequence of an identity column says, NULL for other columns.
func identity(f func(*catalog.SequenceParams) value.Value) func(*world, attribute) value.Value {
	return func(w *world, a attribute) value.Value {
		if s := w.identityOf(a); s != nil {
			return f(s)
		}
		return value.Null
	}
}

func identityGeneration(_ *world, a attribute) value.Value {
	if a.col == nil {
		return value.Null
	}
	return orNull(map[byte]string{'a': "ALWAYS", 'd': "BY DEFAULT"}[a.col.Identity])
}

func (a attribute) generation() value.Value {
	if !a.generated() {
		return value.Null
	}
	return text(a.col.Default)
}

func (a attribute) collation() value.Value {
	switch id := a.collationOID(); {
	case a.col != nil && a.col.Collation != "" && a.col.Collation != "default":
		return text(a.col.Collation)
	case id != 0 && id != collations[0].oid:
		return text(collations[slices.IndexFunc(collations, func(n named) bool { return n.oid == id })].name)
	}
	return value.Null
}
