package pgcatalog

import (
	"github.com/omgdb/omgdb/functions/sysfunc"
	"slices"
	"strings"

	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/value"
)

func constraintSchema(w *world, c constraint) value.Value {
	return text(w.schemaName(c.rel.Schema))
}
func constraintName(_ *world, c constraint) value.Value  { return text(c.name) }
func constraintTable(_ *world, c constraint) value.Value { return text(c.rel.Name) }

// declared lists constraints as the standard counts them: NOT NULL is a check.
func (w *world) declared() []constraint {
	out := w.constraints()
	for _, r := range w.userRelations() {
		if r.Kind != catalog.Table && r.Kind != catalog.Collection {
			continue
		}
		for _, col := range columnsOf(r) {
			if col.NotNull && !col.Dropped {
				name := itoa(int(r.Schema)) + "_" + itoa(int(r.ID)) + "_" + itoa(int(col.Num)) + "_not_null"
				out = append(out, constraint{rel: r, name: name, kind: 'c', check: &catalog.Check{Expr: col.Name + " IS NOT NULL"}})
			}
		}
	}
	return out
}

var infoTableConstraints = of[constraint]{
	items: (*world).declared,
	cols: map[string]func(*world, constraint) value.Value{
		"constraint_catalog": catalogOf[constraint], "constraint_schema": constraintSchema, "constraint_name": constraintName,
		"table_catalog": catalogOf[constraint], "table_schema": constraintSchema, "table_name": constraintTable,
		"constraint_type": func(_ *world, c constraint) value.Value {
			return text(map[byte]string{'p': "PRIMARY KEY", 'u': "UNIQUE", 'c': "CHECK", 'f': "FOREIGN KEY"}[c.kind])
		},
		"is_deferrable": func(_ *world, c constraint) value.Value {
			return yesNo(c.idx != nil && c.idx.Deferrable || c.fk != nil && c.fk.Deferrable)
		},
		"initially_deferred": func(_ *world, c constraint) value.Value {
			return yesNo(c.idx != nil && c.idx.Deferred || c.fk != nil && c.fk.Deferred)
		},
		"enforced": func(*world, constraint) value.Value { return yesNo(true) },
		"nulls_distinct": func(_ *world, c constraint) value.Value {
			if c.kind != 'u' {
				return value.Null
			}
			return yesNo(!c.idx.NullsNotDistinct)
		},
	},
}

// keyUse is one column of a key constraint.
type keyUse struct {
	constraint
	place int
	rel   *catalog.Relation // whose column it is
	col   *catalog.Column
	ref   int // of a foreign key: place of the column referred to in the unique key, from 1
}

func keyUses(w *world) []keyUse {
	var out []keyUse
	for _, c := range w.constraints() {
		if c.kind == 'c' {
			continue
		}
		for i, num := range c.cols {
			if col := c.rel.Attr(num); col != nil {
				u := keyUse{constraint: c, place: i + 1, rel: c.rel, col: col}
				if c.fk != nil {
					u.ref = i + 1
				}
				out = append(out, u)
			}
		}
	}
	return out
}

// constrained lists the columns that constraints are about: of a foreign key the columns that it refers to.
func constrained(w *world) []keyUse {
	var out []keyUse
	for _, c := range w.constraints() {
		rel, cols := c.rel, c.cols
		if c.fk != nil {
			if rel = w.view.RelationByID(c.fk.RefTable); rel == nil {
				continue
			}
			cols = c.fk.RefCols
		}
		for i, num := range cols {
			if col := rel.Attr(num); col != nil {
				out = append(out, keyUse{constraint: c, place: i + 1, rel: rel, col: col})
			}
		}
	}
	return out
}

// useColumns are the columns that both relations of key columns have.
func useColumns(more map[string]func(*world, keyUse) value.Value) map[string]func(*world, keyUse) value.Value {
	cols := map[string]func(*world, keyUse) value.Value{
		"constraint_catalog": catalogOf[keyUse], "table_catalog": catalogOf[keyUse],
		"constraint_schema": func(w *world, u keyUse) value.Value { return constraintSchema(w, u.constraint) },
		"constraint_name":   func(w *world, u keyUse) value.Value { return text(u.name) },
		"table_schema":      func(w *world, u keyUse) value.Value { return text(w.schemaName(u.rel.Schema)) },
		"table_name":        func(_ *world, u keyUse) value.Value { return text(u.rel.Name) },
		"column_name":       func(_ *world, u keyUse) value.Value { return text(u.col.Name) },
	}
	for k, f := range more {
		cols[k] = f
	}
	return cols
}

var infoKeyColumnUsage = of[keyUse]{items: keyUses, cols: useColumns(map[string]func(*world, keyUse) value.Value{
	"ordinal_position": func(_ *world, u keyUse) value.Value { return num(u.place) },
	"position_in_unique_constraint": func(_ *world, u keyUse) value.Value {
		if u.ref == 0 {
			return value.Null
		}
		return num(u.ref)
	},
})}

var infoConstraintColumnUsage = of[keyUse]{items: constrained, cols: useColumns(nil)}

func (w *world) foreignKeys() []constraint {
	var out []constraint
	for _, c := range w.constraints() {
		if c.fk != nil {
			out = append(out, c)
		}
	}
	return out
}

// rule names an action of a foreign key.
var rule = map[byte]string{'a': "NO ACTION", 0: "NO ACTION", 'r': "RESTRICT", 'c': "CASCADE", 'n': "SET NULL", 'd': "SET DEFAULT"}

var infoReferential = of[constraint]{
	items: (*world).foreignKeys,
	cols: map[string]func(*world, constraint) value.Value{
		"constraint_catalog": catalogOf[constraint], "constraint_schema": constraintSchema, "constraint_name": constraintName,
		"unique_constraint_catalog": catalogOf[constraint],
		"unique_constraint_schema": func(w *world, c constraint) value.Value {
			if r := w.view.RelationByID(c.fk.RefTable); r != nil {
				return text(w.schemaName(r.Schema))
			}
			return value.Null
		},
		"unique_constraint_name": func(w *world, c constraint) value.Value {
			id := w.target(c.fk)
			for _, x := range w.indexClasses() {
				if x.oid == id {
					return text(x.name)
				}
			}
			return value.Null
		},
		"match_option": func(_ *world, c constraint) value.Value {
			return text(map[byte]string{'f': "FULL", 'p': "PARTIAL", 's': "NONE", 0: "NONE"}[c.fk.Match])
		},
		"update_rule": func(_ *world, c constraint) value.Value { return text(rule[c.fk.OnUpdate]) },
		"delete_rule": func(_ *world, c constraint) value.Value { return text(rule[c.fk.OnDelete]) },
	},
}

// checkClause is a check as its definition shows it, in parentheses; NOT NULL is written without.
func checkClause(w *world, c constraint) value.Value {
	if c.oid == 0 {
		return text(c.check.Expr)
	}
	if v := w.call("pg_get_constraintdef", c.oid); !v.IsNull() {
		return text(strings.TrimPrefix(v.Str(), "CHECK "))
	}
	return text("(" + c.check.Expr + ")")
}

var infoCheckConstraints = of[constraint]{
	items: func(w *world) []constraint {
		var out []constraint
		for _, c := range w.declared() {
			if c.check != nil {
				out = append(out, c)
			}
		}
		for _, d := range infoDomainConstraints.items(w) {
			out = append(out, constraint{dom: d.t, oid: d.k.ID, name: d.k.Name, kind: 'c', check: d.k})
		}
		return out
	},
	cols: map[string]func(*world, constraint) value.Value{
		"constraint_catalog": catalogOf[constraint], "constraint_name": constraintName,
		"constraint_schema": func(w *world, c constraint) value.Value { return text(w.schemaName(c.schema())) },
		"check_clause":      checkClause,
	},
}

var infoSequences = of[class]{
	items: func(w *world) []class {
		return slices.DeleteFunc(w.sequences(), func(c class) bool { return c.rel.Seq.OwnerTable != 0 && w.ownership(c.rel) == 'i' })
	},
	cols: map[string]func(*world, class) value.Value{
		"sequence_catalog": catalogOf[class], "sequence_schema": classSchema, "sequence_name": className,
		"data_type": func(_ *world, c class) value.Value { return text(c.rel.Seq.Type.SQL) },
		"numeric_precision": func(_ *world, c class) value.Value {
			p, _, _ := sysfunc.NumericFacts(c.rel.Seq.Type, -1)
			return p
		},
		"numeric_precision_radix": func(*world, class) value.Value { return num(2) },
		"numeric_scale":           func(*world, class) value.Value { return num(0) },
		"start_value":             func(_ *world, c class) value.Value { return text(itoa(int(c.rel.Seq.Start))) },
		"minimum_value":           func(_ *world, c class) value.Value { return text(itoa(int(c.rel.Seq.Min))) },
		"maximum_value":           func(_ *world, c class) value.Value { return text(itoa(int(c.rel.Seq.Max))) },
		"increment":               func(_ *world, c class) value.Value { return text(itoa(int(c.rel.Seq.Increment))) },
		"cycle_option":            func(_ *world, c class) value.Value { return yesNo(c.rel.Seq.Cycle) },
	},
}

// infoConstraintTableUsage names the table that a constraint is about: of a foreign key the one that it refers to.
var infoConstraintTableUsage = of[constraint]{
	items: func(w *world) []constraint {
		return slices.DeleteFunc(w.constraints(), func(c constraint) bool { return c.check != nil })
	},
	cols: map[string]func(*world, constraint) value.Value{
		"constraint_catalog": catalogOf[constraint], "constraint_schema": constraintSchema, "constraint_name": constraintName,
		"table_catalog": catalogOf[constraint], "table_schema": func(w *world, c constraint) value.Value { return text(w.schemaName(c.about(w).Schema)) },
		"table_name": func(w *world, c constraint) value.Value { return text(c.about(w).Name) },
	},
}

func (c constraint) about(w *world) *catalog.Relation {
	if c.fk != nil {
		if r := w.view.RelationByID(c.fk.RefTable); r != nil {
			return r
		}
	}
	return c.rel
}
