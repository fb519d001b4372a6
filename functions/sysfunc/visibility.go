package sysfunc

import (
	"context"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// visibility lists the functions that turn names into objects and back.
func visibility() []def {
	always := fixed(value.Bool(true))
	return []def{
		{Sig: "pg_table_is_visible(oid)", Eval: env(tableVisible)},
		{Sig: "pg_type_is_visible(oid)", Eval: env(typeVisible)},
		{Sig: "pg_function_is_visible(oid)", Eval: env(func(e *functions.Env, a []val) (val, error) {
			if _, _, _, known := e.Lookup.Object(1255, uint32(a[0].Int())); !known {
				return value.Null, nil
			}
			return value.Bool(e.Lookup.ProcVisible(uint32(a[0].Int()))), nil
		})},
		{Sig: "pg_operator_is_visible(oid)", Eval: always}, {Sig: "pg_opclass_is_visible(oid)", Eval: always}, {Sig: "pg_opfamily_is_visible(oid)", Eval: always},
		{Sig: "pg_collation_is_visible(oid)", Eval: always}, {Sig: "pg_conversion_is_visible(oid)", Eval: always},
		{Sig: "pg_ts_config_is_visible(oid)", Eval: always}, {Sig: "pg_ts_dict_is_visible(oid)", Eval: always},
		{Sig: "pg_ts_parser_is_visible(oid)", Eval: always}, {Sig: "pg_ts_template_is_visible(oid)", Eval: always},
		{Sig: "pg_statistics_obj_is_visible(oid)", Eval: always},
		{Sig: "to_regclass(text)", Eval: toReg(value.RegClass)}, {Sig: "to_regtype(text)", Eval: toReg(value.RegType)},
		{Sig: "to_regnamespace(text)", Eval: toReg(value.RegNamespace)}, {Sig: "to_regproc(text)", Eval: toReg(value.RegProc)},
		{Sig: "to_regprocedure(text)", Eval: toReg(value.RegProcedure)}, {Sig: "to_regrole(text)", Eval: toReg(value.RegRole)},
		{Sig: "to_regcollation(text)", Eval: toReg(value.RegCollation)}, {Sig: "to_regoper(text)", Eval: toReg(value.RegOper)},
	}
}

// typeVisible tells whether a type is found by its bare name.
func typeVisible(e *functions.Env, a []val) (val, error) {
	t := e.Lookup.TypeByOID(uint32(a[0].Int()))
	if t == nil {
		return value.Null, nil
	}
	return value.Bool(t.Namespace == 0 || typeVisibleIn(e, t)), nil
}

// tableVisible tells whether a relation is found by its bare name.
func tableVisible(e *functions.Env, a []val) (val, error) {
	_, name, ok := e.Lookup.RelationName(uint32(a[0].Int()))
	if !ok {
		return value.Null, nil
	}
	found, ok := e.Lookup.RelationOID(quoteIdent(name))
	return value.Bool(ok && int64(found) == a[0].Int()), nil
}

// toReg reads a name as a reg* type does, NULL when there is no such object.
func toReg(t *value.Type) eval {
	return func(_ context.Context, c *call, a []val) (val, error) {
		if s := a[0].Str(); s != "" && s[0] >= '0' && s[0] <= '9' || a[0].Str() == "-" {
			return value.Null, nil
		}
		v, err := typeio.In(t, -1, a[0].Str(), c.Env.Format)
		if err != nil {
			return value.Null, nil //nolint:nilerr // a missing object is NULL here, by definition
		}
		return v, nil
	}
}
