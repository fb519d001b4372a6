package pgcatalog

import (
	"github.com/omgdb/omgdb/functions/sysfunc"
	"strings"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// fixed gives a column that is the same in every row.
func fixed[T any](v value.Value) func(*world, T) value.Value {
	return func(*world, T) value.Value { return v }
}

func (p proc) specific() value.Value { return text(p.Name + "_" + itoa(int(p.OID))) }

func procSchema(w *world, p proc) value.Value { return text(w.schemaName(p.namespace())) }

// notProcedure makes a column that is NULL for procedures.
func notProcedure(f func(*world, proc) value.Value) func(*world, proc) value.Value {
	return func(w *world, p proc) value.Value {
		if p.Kind == 'p' {
			return value.Null
		}
		return f(w, p)
	}
}

func (p proc) returns(f func(t *value.Type) string) value.Value {
	if p.Kind == 'p' || p.Ret == nil {
		return value.Null
	}
	return text(f(p.Ret))
}

// udtSchema is the schema of a type.
func (w *world) udtSchema(t *value.Type) string {
	if t.Namespace != 0 {
		return w.schemaName(catalog.ID(t.Namespace))
	}
	return "pg_catalog"
}

var infoRoutines = of[proc]{
	items: (*world).procs,
	cols: map[string]func(*world, proc) value.Value{
		"specific_catalog": catalogOf[proc], "routine_catalog": catalogOf[proc],
		"type_udt_catalog": notProcedure(catalogOf[proc]), "dtd_identifier": notProcedure(fixed[proc](text("0"))),
		"is_null_call":    notProcedure(func(_ *world, p proc) value.Value { return yesNo(p.Strict) }),
		"specific_schema": procSchema, "routine_schema": procSchema,
		"specific_name": func(_ *world, p proc) value.Value { return p.specific() },
		"routine_name":  func(_ *world, p proc) value.Value { return text(p.Name) },
		"routine_type": func(_ *world, p proc) value.Value {
			return orNull(map[byte]string{'f': "FUNCTION", 'p': "PROCEDURE"}[p.Kind]) // aggregates and window functions are neither
		},
		"data_type":       func(_ *world, p proc) value.Value { return p.returns(dataType) },
		"type_udt_schema": func(w *world, p proc) value.Value { return p.returns(w.udtSchema) },
		"type_udt_name":   func(_ *world, p proc) value.Value { return p.returns(func(t *value.Type) string { return t.Name }) },
		"routine_body": func(_ *world, p proc) value.Value {
			return text(map[bool]string{true: "SQL", false: "EXTERNAL"}[p.Language == "sql"])
		},
		"routine_definition": func(_ *world, p proc) value.Value {
			return text(p.source())
		},
		"external_language": func(_ *world, p proc) value.Value {
			if p.Language == "" {
				return text("INTERNAL")
			}
			return text(strings.ToUpper(p.Language))
		},
		"parameter_style":      fixed[proc](text("GENERAL")),
		"is_deterministic":     func(_ *world, p proc) value.Value { return yesNo(p.Vol == functions.Immutable) },
		"sql_data_access":      fixed[proc](text("MODIFIES")),
		"schema_level_routine": fixed[proc](yesNo(true)), "max_dynamic_result_sets": fixed[proc](num(0)), "security_type": fixed[proc](text("INVOKER")),
		"as_locator": fixed[proc](yesNo(false)), "is_udt_dependent": fixed[proc](yesNo(false)),
	},
}

// parameter is a row of information_schema.parameters.
type parameter struct {
	proc
	place int
	mode  string
	functions.Param
}

// parameterModes are the modes of arguments in the standard's words; the columns that a function's rows have show as OUT.
var parameterModes = map[byte]string{'i': "IN", 'v': "IN", 'o': "OUT", 't': "OUT", 'b': "INOUT"}

var infoParameters = of[parameter]{
	items: func(w *world) []parameter {
		var out []parameter
		for _, p := range w.procs() {
			for i, a := range p.arguments() {
				out = append(out, parameter{p, i + 1, parameterModes[a.Mode], a.Param})
			}
		}
		return out
	},
	cols: map[string]func(*world, parameter) value.Value{
		"specific_catalog": catalogOf[parameter], "udt_catalog": catalogOf[parameter],
		"specific_schema":   func(w *world, p parameter) value.Value { return procSchema(w, p.proc) },
		"specific_name":     func(_ *world, p parameter) value.Value { return p.specific() },
		"ordinal_position":  func(_ *world, p parameter) value.Value { return num(p.place) },
		"parameter_mode":    func(_ *world, p parameter) value.Value { return text(p.mode) },
		"is_result":         fixed[parameter](yesNo(false)),
		"as_locator":        fixed[parameter](yesNo(false)),
		"parameter_name":    func(_ *world, p parameter) value.Value { return orNull(p.Param.Name) },
		"data_type":         func(_ *world, p parameter) value.Value { return text(dataType(p.Type)) },
		"udt_schema":        func(w *world, p parameter) value.Value { return text(w.udtSchema(p.Type)) },
		"udt_name":          func(_ *world, p parameter) value.Value { return text(p.Type.Name) },
		"dtd_identifier":    func(_ *world, p parameter) value.Value { return text(itoa(p.place)) },
		"parameter_default": func(_ *world, p parameter) value.Value { return orNull(p.Default) },
	},
}

func (w *world) userTypes(class value.Class) []*catalog.Type {
	if w.view == nil {
		return nil
	}
	var out []*catalog.Type
	for _, t := range w.typesHere() {
		if t.Def.Class == class {
			out = append(out, t)
		}
	}
	return out
}

func typeSchema(w *world, t *catalog.Type) value.Value { return text(w.schemaName(t.Schema)) }
func typeLabel(_ *world, t *catalog.Type) value.Value  { return text(t.Name) }

// under makes a column function of a domain's base type.
func under(f func(t *value.Type, mod int32) value.Value) func(*world, *catalog.Type) value.Value {
	return func(_ *world, t *catalog.Type) value.Value { return f(t.Def.Under, t.UnderMod) }
}

var infoDomains = of[*catalog.Type]{
	items: func(w *world) []*catalog.Type { return w.userTypes(value.Domain) },
	cols: map[string]func(*world, *catalog.Type) value.Value{
		"domain_catalog": catalogOf[*catalog.Type], "udt_catalog": catalogOf[*catalog.Type], "domain_schema": typeSchema, "domain_name": typeLabel,
		"data_type":                under(func(t *value.Type, _ int32) value.Value { return text(dataType(t)) }),
		"character_maximum_length": under(sysfunc.CharLength), "character_octet_length": under(sysfunc.OctetLength), "datetime_precision": under(sysfunc.DatetimePrecision),
		"numeric_precision": under(func(t *value.Type, mod int32) value.Value {
			p, _, _ := sysfunc.NumericFacts(t, mod)
			return p
		}),
		"numeric_precision_radix": under(func(t *value.Type, mod int32) value.Value {
			_, r, _ := sysfunc.NumericFacts(t, mod)
			return r
		}),
		"numeric_scale": under(func(t *value.Type, mod int32) value.Value {
			_, _, s := sysfunc.NumericFacts(t, mod)
			return s
		}),
		"domain_default": func(_ *world, t *catalog.Type) value.Value { return orNull(t.Default) },
		"udt_schema":     func(w *world, t *catalog.Type) value.Value { return text(w.udtSchema(t.Def.Under)) },
		"udt_name":       under(func(t *value.Type, _ int32) value.Value { return text(t.Name) }),
		"dtd_identifier": fixed[*catalog.Type](text("1")),
	},
}

// domainCheck is a constraint of a domain.
type domainCheck struct {
	t *catalog.Type
	k *catalog.Check
}

var infoDomainConstraints = of[domainCheck]{
	items: func(w *world) []domainCheck {
		var out []domainCheck
		for _, t := range w.userTypes(value.Domain) {
			for i := range t.Checks {
				out = append(out, domainCheck{t, &t.Checks[i]})
			}
		}
		return out
	},
	cols: map[string]func(*world, domainCheck) value.Value{
		"constraint_catalog": catalogOf[domainCheck], "domain_catalog": catalogOf[domainCheck],
		"constraint_schema":  func(w *world, d domainCheck) value.Value { return typeSchema(w, d.t) },
		"domain_schema":      func(w *world, d domainCheck) value.Value { return typeSchema(w, d.t) },
		"constraint_name":    func(_ *world, d domainCheck) value.Value { return text(d.k.Name) },
		"domain_name":        func(_ *world, d domainCheck) value.Value { return text(d.t.Name) },
		"is_deferrable":      fixed[domainCheck](yesNo(false)),
		"initially_deferred": fixed[domainCheck](yesNo(false)),
	},
}

var infoUserTypes = of[*catalog.Type]{
	items: func(w *world) []*catalog.Type { return w.userTypes(value.Composite) },
	cols: map[string]func(*world, *catalog.Type) value.Value{
		"user_defined_type_catalog": catalogOf[*catalog.Type], "user_defined_type_schema": typeSchema, "user_defined_type_name": typeLabel,
		"user_defined_type_category": fixed[*catalog.Type](text("STRUCTURED")), "is_instantiable": fixed[*catalog.Type](yesNo(true)),
	},
}

// infoAttributes lists the attributes of composite types.
var infoAttributes = of[attribute]{
	items: func(w *world) []attribute {
		var out []attribute
		for _, a := range w.attributes() {
			if a.class.row != nil {
				out = append(out, a)
			}
		}
		return out
	},
	cols: map[string]func(*world, attribute) value.Value{
		"udt_catalog": catalogOf[attribute], "attribute_udt_catalog": catalogOf[attribute],
		"udt_schema":                     func(w *world, a attribute) value.Value { return classSchema(w, a.class) },
		"udt_name":                       func(w *world, a attribute) value.Value { return className(w, a.class) },
		"attribute_name":                 func(_ *world, a attribute) value.Value { return text(a.name) },
		"ordinal_position":               func(_ *world, a attribute) value.Value { return num(a.num) },
		"is_nullable":                    fixed[attribute](yesNo(true)),
		"data_type":                      func(_ *world, a attribute) value.Value { return text(dataType(a.typ)) },
		"character_maximum_length":       base(sysfunc.CharLength),
		"character_octet_length":         base(sysfunc.OctetLength),
		"datetime_precision":             base(sysfunc.DatetimePrecision),
		"numeric_precision":              infoColumnsRel.cols["numeric_precision"],
		"numeric_precision_radix":        infoColumnsRel.cols["numeric_precision_radix"],
		"numeric_scale":                  infoColumnsRel.cols["numeric_scale"],
		"attribute_udt_schema":           func(w *world, a attribute) value.Value { return text(w.udtSchema(typeio.Base(a.typ))) },
		"attribute_udt_name":             func(_ *world, a attribute) value.Value { return text(typeio.Base(a.typ).Name) },
		"dtd_identifier":                 func(_ *world, a attribute) value.Value { return text(itoa(int(a.num))) },
		"is_derived_reference_attribute": fixed[attribute](yesNo(false)),
	},
}

// element is the type of the elements of an array column.
var infoElementTypes = of[attribute]{
	items: func(w *world) []attribute {
		var out []attribute
		for _, a := range w.infoColumns() {
			if typeio.Base(a.typ).IsArray() {
				out = append(out, a)
			}
		}
		return out
	},
	cols: map[string]func(*world, attribute) value.Value{
		"object_catalog": catalogOf[attribute], "udt_catalog": catalogOf[attribute],
		"object_schema":              func(w *world, a attribute) value.Value { return classSchema(w, a.class) },
		"object_name":                func(w *world, a attribute) value.Value { return className(w, a.class) },
		"object_type":                fixed[attribute](text("TABLE")),
		"collection_type_identifier": func(_ *world, a attribute) value.Value { return text(itoa(int(a.num))) },
		"data_type":                  func(_ *world, a attribute) value.Value { return text(dataType(typeio.Base(a.typ).Elem)) },
		"udt_schema":                 func(w *world, a attribute) value.Value { return text(w.udtSchema(typeio.Base(a.typ).Elem)) },
		"udt_name":                   func(_ *world, a attribute) value.Value { return text(typeio.Base(a.typ).Elem.Name) },
		"dtd_identifier":             func(_ *world, a attribute) value.Value { return text("a" + itoa(int(a.num))) },
	},
}
