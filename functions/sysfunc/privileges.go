package sysfunc

import (
	"context"
	"strings"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// privileges lists has_…_privilege. Every session runs as a superuser until roles have rights of their own, so the answer is yes for each
// object that exists and each privilege that its kind knows.
func privileges() []def {
	var out []def
	for _, k := range privilegeKinds {
		for _, who := range []string{"", "name,", "oid,"} {
			for _, object := range []string{"text", "oid"} {
				out = append(out, def{Sig: k.name + "(" + who + object + k.extra + ",text)", Eval: hasPrivilege(k, who != "", object == "text")})
				if k.extra != "" {
					out = append(out, def{Sig: k.name + "(" + who + object + ",int2,text)", Eval: hasPrivilege(k, who != "", object == "text")})
				}
			}
		}
	}
	return out
}

// privilegeKind is a kind of objects with the privileges that it knows.
type privilegeKind struct {
	name, extra string
	known       string
	exists      func(e *functions.Env, name string) error
}

var privilegeKinds = []privilegeKind{
	{"has_table_privilege", "", "SELECT INSERT UPDATE DELETE TRUNCATE REFERENCES TRIGGER", relationExists},
	{"has_any_column_privilege", "", "SELECT INSERT UPDATE REFERENCES", relationExists},
	{"has_column_privilege", ",text", "SELECT INSERT UPDATE REFERENCES", relationExists},
	{"has_sequence_privilege", "", "USAGE SELECT UPDATE", relationExists},
	{"has_schema_privilege", "", "CREATE USAGE", schemaExists},
	{"has_database_privilege", "", "CREATE CONNECT TEMPORARY TEMP", anyName},
	{"has_function_privilege", "", "EXECUTE", anyName},
	{"has_type_privilege", "", "USAGE", anyName},
}

func relationExists(e *functions.Env, name string) error {
	if _, ok := e.Lookup.RelationOID(name); !ok {
		return dberr.New(dberr.UndefinedTable, "relation \"%s\" does not exist", name)
	}
	return nil
}

func schemaExists(e *functions.Env, name string) error {
	if name != "pg_catalog" && name != "information_schema" && e.Txn.Catalog().Schema(name) == nil {
		return dberr.New(dberr.InvalidSchemaName, "schema \"%s\" does not exist", name)
	}
	return nil
}

func anyName(*functions.Env, string) error { return nil }

func hasPrivilege(k privilegeKind, named, byName bool) eval {
	return func(_ context.Context, c *call, a []val) (val, error) {
		if named {
			if r := a[0]; r.Kind() == value.KindString && c.Env.Txn.Catalog().Role(r.Str()) == nil && r.Str() != c.Env.Session.CurrentUser() {
				return value.Null, dberr.New(dberr.UndefinedObject, "role \"%s\" does not exist", r.Str())
			}
			a = a[1:]
		}
		if byName {
			if err := k.exists(c.Env, a[0].Str()); err != nil {
				return value.Null, err
			}
		}
		for _, p := range strings.Split(a[len(a)-1].Str(), ",") {
			word, _ := strings.CutSuffix(strings.ToUpper(strings.TrimSpace(p)), " WITH GRANT OPTION")
			if !strings.Contains(" "+k.known+" ", " "+word+" ") {
				return value.Null, dberr.New(dberr.InvalidParameterValue, "unrecognized privilege type: \"%s\"", strings.TrimSpace(p))
			}
		}
		return value.Bool(true), nil
	}
}

// sizes lists the functions about the room that objects take.
func sizes() []def {
	return []def{
		{Sig: "pg_relation_size(regclass)", Eval: env(relationSize)}, {Sig: "pg_relation_size(regclass,text)", Eval: env(relationSize)},
		{Sig: "pg_total_relation_size(regclass)", Eval: env(relationSize)}, {Sig: "pg_table_size(regclass)", Eval: env(relationSize)},
		{Sig: "pg_indexes_size(regclass)", Eval: fixed(value.Int(0))},
	}
}

// relationSize estimates a relation's bytes from its rows: the store keeps no pages per relation.
func relationSize(e *functions.Env, a []val) (val, error) {
	r := e.Txn.Catalog().RelationByID(catalog.ID(a[0].Int()))
	if r == nil {
		return value.Null, nil
	}
	const rowBytes = 128
	return value.Int(e.DB.RowEstimate(r) * rowBytes), nil
}
