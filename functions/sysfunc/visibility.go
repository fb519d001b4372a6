package sysfunc

import (
	"context"
	"strings"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// visibility lists the functions that turn names into objects and back.
func visibility() []def {
	always := fixed(value.Bool(true))
	return []def{
		{Sig: "pg_table_is_visible(oid)", Eval: env(tableVisible)},
		{Sig: "pg_type_is_visible(oid)", Eval: always}, {Sig: "pg_function_is_visible(oid)", Eval: always},
		{Sig: "pg_operator_is_visible(oid)", Eval: always}, {Sig: "pg_opclass_is_visible(oid)", Eval: always},
		{Sig: "pg_collation_is_visible(oid)", Eval: always}, {Sig: "pg_conversion_is_visible(oid)", Eval: always},
		{Sig: "pg_ts_config_is_visible(oid)", Eval: always}, {Sig: "pg_ts_dict_is_visible(oid)", Eval: always},
		{Sig: "pg_ts_parser_is_visible(oid)", Eval: always}, {Sig: "pg_ts_template_is_visible(oid)", Eval: always},
		{Sig: "pg_statistics_obj_is_visible(oid)", Eval: always},
		{Sig: "to_regclass(text)", Eval: toReg(value.RegClass)}, {Sig: "to_regtype(text)", Eval: toReg(value.RegType)},
		{Sig: "to_regnamespace(text)", Eval: toReg(value.RegNamespace)}, {Sig: "to_regproc(text)", Eval: toReg(value.RegProc)},
		{Sig: "to_regrole(text)", Eval: toReg(value.RegRole)},
		{Sig: "format_type(oid,int4)", Eval: env(formatType)},
		{Sig: "pg_get_userbyid(oid)", Eval: env(userByID)},
		{Sig: "obj_description(oid)", Eval: env(objectComment)}, {Sig: "obj_description(oid,name)", Eval: env(objectComment)},
		{Sig: "col_description(oid,int4)", Eval: env(columnComment)}, {Sig: "shobj_description(oid,name)", Eval: fixed(value.Null)},
		{Sig: "pg_relation_is_publishable(regclass)", Eval: fixed(value.Bool(false))},
		{Sig: "pg_tablespace_location(oid)", Eval: fixed(text(""))},
	}
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

func formatType(e *functions.Env, a []val) (val, error) {
	if a[0].IsNull() {
		return value.Null, nil
	}
	if a[0].Int() == 0 {
		return text("-"), nil
	}
	t := e.Lookup.TypeByOID(uint32(a[0].Int()))
	if t == nil {
		return text("???"), nil
	}
	mod := int32(-1)
	if !a[1].IsNull() {
		mod = int32(a[1].Int())
	} else if t.OID == value.BPChar.OID {
		return text("character"), nil
	}
	if t.OID == value.BPChar.OID && mod < 0 {
		return text("bpchar"), nil
	}
	return text(value.FormatMod(t, mod)), nil
}

func userByID(e *functions.Env, a []val) (val, error) {
	for _, r := range e.Txn.Catalog().Roles() {
		if int64(r.ID) == a[0].Int() {
			return text(r.Name), nil
		}
	}
	return text("unknown (OID=" + typeio.Text(value.Int8, a[0], typeio.Default) + ")"), nil
}

func objectComment(e *functions.Env, a []val) (val, error) {
	if len(a) == 2 && a[1].Str() != "pg_class" {
		return value.Null, nil
	}
	if r := e.Txn.Catalog().RelationByID(catalog.ID(a[0].Int())); r != nil {
		return textOrNull(r.Comment), nil
	}
	return value.Null, nil
}

func columnComment(e *functions.Env, a []val) (val, error) {
	r := e.Txn.Catalog().RelationByID(catalog.ID(a[0].Int()))
	if r == nil {
		return value.Null, nil
	}
	if c := r.Attr(int16(a[1].Int())); c != nil && !c.Dropped {
		return textOrNull(c.Comment), nil
	}
	return value.Null, nil
}

// quoteIdent writes an identifier as SQL reads it.
func quoteIdent(s string) string {
	plain := s != ""
	for i := range len(s) {
		c := s[i]
		plain = plain && (c >= 'a' && c <= 'z' || c == '_' || i > 0 && (c >= '0' && c <= '9' || c == '$'))
	}
	if plain {
		return s
	}
	return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
}

func qualified(v *catalog.View, schema catalog.ID, name string) string {
	if s := v.SchemaByID(schema); s != nil {
		return quoteIdent(s.Name) + "." + quoteIdent(name)
	}
	return quoteIdent(name)
}
