package pgcatalog

import (
	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/value"
)

// call runs a function of the registry on one OID (pg_get_indexdef and its like); NULL when there is none or it fails.
func (w *world) call(name string, id catalog.ID) value.Value {
	for _, f := range w.set.registry.Scalars(name) {
		if len(f.Params) != 1 || f.Eval == nil || f.Params[0].Type.OID != value.OID.OID && f.Params[0].Type.OID != value.RegClass.OID {
			continue
		}
		c := &functions.Call{Env: w.env, Args: []*value.Type{f.Params[0].Type}, Mods: []int32{-1}, Ret: f.Ret}
		v, err := f.Eval(w.ctx, c, []value.Value{oid(id)})
		if err != nil {
			return value.Null
		}
		return v
	}
	return value.Null
}

// ofKind lists relations, system ones included, of one of the kinds.
func ofKind(kinds ...byte) func(w *world) []class {
	return func(w *world) []class {
		var out []class
		for _, c := range w.classes() {
			for _, k := range kinds {
				if c.kind == k && c.idx == nil {
					out = append(out, c)
				}
			}
		}
		return out
	}
}

func classSchema(w *world, c class) value.Value { return text(w.schemaName(c.schema)) }
func className(_ *world, c class) value.Value   { return text(c.name) }
func classOwner(w *world, c class) value.Value  { return text(w.roleName(c.owner)) }

func classDefinition(w *world, c class) value.Value {
	if c.rel == nil {
		return text("")
	}
	if v := w.call("pg_get_viewdef", c.oid); !v.IsNull() {
		return v
	}
	return orNull(c.rel.ViewSQL)
}

func hasIndexes(w *world, c class) value.Value {
	return value.Bool(c.rel != nil && len(w.userIndexes(c.rel)) > 0)
}

// hasTriggers tells whether a table has triggers: those that keep foreign keys, on both sides.
func hasTriggers(w *world, c class) value.Value {
	return value.Bool(c.rel != nil && c.idx == nil && (len(c.rel.Foreign) > 0 || w.referenced(c.rel.ID)))
}

var pgTables = of[class]{
	items: ofKind('r', 'p'),
	cols: map[string]func(*world, class) value.Value{
		"schemaname": classSchema, "tablename": className, "tableowner": classOwner, "hasindexes": hasIndexes,
		"hasrules":    func(*world, class) value.Value { return value.Bool(false) },
		"hastriggers": hasTriggers,
		"rowsecurity": func(*world, class) value.Value { return value.Bool(false) },
	},
}

var pgViews = of[class]{
	items: ofKind('v'),
	cols:  map[string]func(*world, class) value.Value{"schemaname": classSchema, "viewname": className, "viewowner": classOwner, "definition": classDefinition},
}

var pgMatviews = of[class]{
	items: ofKind('m'),
	cols: map[string]func(*world, class) value.Value{
		"schemaname": classSchema, "matviewname": className, "matviewowner": classOwner, "hasindexes": hasIndexes, "definition": classDefinition,
		"ispopulated": func(*world, class) value.Value { return value.Bool(true) },
	},
}

var pgIndexes = of[class]{
	items: (*world).indexClasses,
	cols: map[string]func(*world, class) value.Value{
		"schemaname": classSchema, "indexname": className,
		"tablename": func(_ *world, c class) value.Value { return text(c.rel.Name) },
		"indexdef":  func(w *world, c class) value.Value { return w.call("pg_get_indexdef", c.oid) },
	},
}

func (w *world) sequences() []class {
	var out []class
	for _, c := range w.classes() {
		if c.rel != nil && c.idx == nil && c.rel.Seq != nil {
			out = append(out, c)
		}
	}
	return out
}

var pgSequence = of[class]{
	items: (*world).sequences,
	cols: map[string]func(*world, class) value.Value{
		"seqrelid":     func(_ *world, c class) value.Value { return oid(c.oid) },
		"seqtypid":     func(_ *world, c class) value.Value { return typeOID(c.rel.Seq.Type) },
		"seqstart":     func(_ *world, c class) value.Value { return num(c.rel.Seq.Start) },
		"seqincrement": func(_ *world, c class) value.Value { return num(c.rel.Seq.Increment) },
		"seqmax":       func(_ *world, c class) value.Value { return num(c.rel.Seq.Max) },
		"seqmin":       func(_ *world, c class) value.Value { return num(c.rel.Seq.Min) },
		"seqcache":     func(_ *world, c class) value.Value { return num(c.rel.Seq.Cache) },
		"seqcycle":     func(_ *world, c class) value.Value { return value.Bool(c.rel.Seq.Cycle) },
	},
}

var pgSequences = of[class]{
	items: (*world).sequences,
	cols: map[string]func(*world, class) value.Value{
		"schemaname": classSchema, "sequencename": className, "sequenceowner": classOwner,
		"data_type":    func(_ *world, c class) value.Value { return typeOID(c.rel.Seq.Type) },
		"start_value":  func(_ *world, c class) value.Value { return num(c.rel.Seq.Start) },
		"min_value":    func(_ *world, c class) value.Value { return num(c.rel.Seq.Min) },
		"max_value":    func(_ *world, c class) value.Value { return num(c.rel.Seq.Max) },
		"increment_by": func(_ *world, c class) value.Value { return num(c.rel.Seq.Increment) },
		"cycle":        func(_ *world, c class) value.Value { return value.Bool(c.rel.Seq.Cycle) },
		"cache_size":   func(_ *world, c class) value.Value { return num(c.rel.Seq.Cache) },
		"last_value":   func(w *world, c class) value.Value { return w.call("pg_sequence_last_value", c.oid) },
	},
}
