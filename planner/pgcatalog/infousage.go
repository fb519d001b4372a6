package pgcatalog

import (
	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// The views of information_schema that say what uses what, and who may use types and routines.

// viewUse is a relation that a view reads.
type viewUse struct{ view, used *catalog.Relation }

var infoViewTableUsage = of[viewUse]{
	items: func(w *world) []viewUse {
		var out []viewUse
		for _, r := range w.userRelations() {
			if r.Kind != catalog.ViewKind {
				continue
			}
			for _, id := range r.Uses {
				if used := w.view.RelationByID(id); used != nil {
					out = append(out, viewUse{r, used})
				}
			}
		}
		return out
	},
	cols: map[string]func(*world, viewUse) value.Value{
		"view_catalog": catalogOf[viewUse], "table_catalog": catalogOf[viewUse],
		"view_schema":  func(w *world, u viewUse) value.Value { return text(w.schemaName(u.view.Schema)) },
		"view_name":    func(_ *world, u viewUse) value.Value { return text(u.view.Name) },
		"table_schema": func(w *world, u viewUse) value.Value { return text(w.schemaName(u.used.Schema)) },
		"table_name":   func(_ *world, u viewUse) value.Value { return text(u.used.Name) },
	},
}

// columnTypeUse describes a column and its type under the names of two views.
func columnTypeUse(prefix string, typ func(a attribute) *value.Type) map[string]func(*world, attribute) value.Value {
	return map[string]func(*world, attribute) value.Value{
		prefix + "_catalog": catalogOf[attribute], "table_catalog": catalogOf[attribute],
		prefix + "_schema": func(w *world, a attribute) value.Value { return text(w.udtSchema(typ(a))) },
		prefix + "_name":   func(_ *world, a attribute) value.Value { return text(typ(a).Name) },
		"table_schema":     func(w *world, a attribute) value.Value { return classSchema(w, a.class) },
		"table_name":       func(w *world, a attribute) value.Value { return className(w, a.class) },
		"column_name":      func(_ *world, a attribute) value.Value { return text(a.name) },
	}
}

var infoColumnUDTUsage = of[attribute]{
	items: (*world).infoColumns, cols: columnTypeUse("udt", func(a attribute) *value.Type { return typeio.Base(a.typ) }),
}

var infoColumnDomainUsage = of[attribute]{
	items: func(w *world) []attribute {
		var out []attribute
		for _, a := range w.infoColumns() {
			if a.typ.Class == value.Domain {
				out = append(out, a)
			}
		}
		return out
	},
	cols: columnTypeUse("domain", func(a attribute) *value.Type { return a.typ }),
}

var infoDomainUDTUsage = of[*catalog.Type]{
	items: infoDomains.items,
	cols: map[string]func(*world, *catalog.Type) value.Value{
		"udt_catalog": catalogOf[*catalog.Type], "domain_catalog": catalogOf[*catalog.Type], "domain_schema": typeSchema, "domain_name": typeLabel,
		"udt_schema": infoDomains.cols["udt_schema"], "udt_name": infoDomains.cols["udt_name"],
	},
}

// routineRight is one right that a role has on a routine.
type routineRight struct {
	given
	proc proc
}

func routineRights(w *world) []routineRight {
	var out []routineRight
	for _, p := range w.procs() {
		for _, g := range grants(catalog.GuardFunction, p.owner(), p.ACL, given{}) {
			out = append(out, routineRight{g, p})
		}
	}
	return out
}

var routineRightColumns = func() map[string]func(*world, routineRight) value.Value {
	cols := map[string]func(*world, routineRight) value.Value{
		"specific_catalog": catalogOf[routineRight], "routine_catalog": catalogOf[routineRight],
		"specific_schema": func(w *world, r routineRight) value.Value { return procSchema(w, r.proc) },
		"routine_schema":  func(w *world, r routineRight) value.Value { return procSchema(w, r.proc) },
		"specific_name":   func(_ *world, r routineRight) value.Value { return r.proc.specific() },
		"routine_name":    func(_ *world, r routineRight) value.Value { return text(r.proc.Name) },
	}
	for name, f := range givenColumns(nil) {
		cols[name] = func(w *world, r routineRight) value.Value { return f(w, r.given) }
	}
	return cols
}()

// infoRoutinePrivileges has the rights of PUBLIC, too; so does PostgreSQL's role_routine_grants.
var infoRoutinePrivileges = of[routineRight]{items: routineRights, cols: routineRightColumns}

// updatable tells whether rows of a relation can be changed by the events of the mask, 4 UPDATE, 8 INSERT, 16 DELETE.
func (w *world) updatable(id catalog.ID, mask int64) bool {
	v := w.ask("pg_relation_is_updatable", oid(id), value.Bool(false))
	return !v.IsNull() && v.Int()&mask == mask
}

// settable tells whether a column of a relation can be set.
func (w *world) settable(a attribute) bool {
	if a.class.kind != 'v' {
		return a.class.kind == 'r'
	}
	v := w.ask("pg_column_is_updatable", oid(a.class.oid), num(int(a.num)), value.Bool(false))
	return !v.IsNull() && v.Bool()
}

// ask calls a function of one overload; one that fails knows nothing.
func (w *world) ask(name string, args ...value.Value) value.Value {
	for _, f := range w.set.registry.Scalars(name) {
		c := &functions.Call{Env: w.env, Ret: f.Ret}
		for _, p := range f.Params {
			c.Args, c.Mods = append(c.Args, p.Type), append(c.Mods, -1)
		}
		if v, err := f.Eval(w.ctx, c, args); err == nil {
			return v
		}
	}
	return value.Null
}

// The masks of updatable.
const (
	canInsert          = 8
	canUpdateAndDelete = 4 | 16
)
