package bind

import (
	"strconv"
	"strings"

	pg_query "github.com/omgdb/omgdb/planner/parse/ast"
	"golang.org/x/text/language"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

func itoa(i int) string { return strconv.Itoa(i) }

// sqlValues gives for each keyword value the function that computes it and the type of the result.
var sqlValues = map[pg_query.SQLValueFunctionOp]struct {
	name, fn string
	typ      *value.Type
}{
	pg_query.SQLValueFunctionOp_SVFOP_CURRENT_DATE:        {"CURRENT_DATE", "now", value.Date},
	pg_query.SQLValueFunctionOp_SVFOP_CURRENT_TIME:        {"CURRENT_TIME", "now", value.TimeTZT},
	pg_query.SQLValueFunctionOp_SVFOP_CURRENT_TIME_N:      {"CURRENT_TIME", "now", value.TimeTZT},
	pg_query.SQLValueFunctionOp_SVFOP_CURRENT_TIMESTAMP:   {"CURRENT_TIMESTAMP", "now", value.TimestampTZ},
	pg_query.SQLValueFunctionOp_SVFOP_CURRENT_TIMESTAMP_N: {"CURRENT_TIMESTAMP", "now", value.TimestampTZ},
	pg_query.SQLValueFunctionOp_SVFOP_LOCALTIME:           {"LOCALTIME", "now", value.Time},
	pg_query.SQLValueFunctionOp_SVFOP_LOCALTIME_N:         {"LOCALTIME", "now", value.Time},
	pg_query.SQLValueFunctionOp_SVFOP_LOCALTIMESTAMP:      {"LOCALTIMESTAMP", "now", value.Timestamp},
	pg_query.SQLValueFunctionOp_SVFOP_LOCALTIMESTAMP_N:    {"LOCALTIMESTAMP", "now", value.Timestamp},
	pg_query.SQLValueFunctionOp_SVFOP_CURRENT_ROLE:        {"CURRENT_ROLE", "current_user", value.Name},
	pg_query.SQLValueFunctionOp_SVFOP_CURRENT_USER:        {"CURRENT_USER", "current_user", value.Name},
	pg_query.SQLValueFunctionOp_SVFOP_USER:                {"USER", "current_user", value.Name},
	pg_query.SQLValueFunctionOp_SVFOP_SESSION_USER:        {"SESSION_USER", "session_user", value.Name},
	pg_query.SQLValueFunctionOp_SVFOP_CURRENT_CATALOG:     {"CURRENT_CATALOG", "current_database", value.Name},
	pg_query.SQLValueFunctionOp_SVFOP_CURRENT_SCHEMA:      {"CURRENT_SCHEMA", "current_schema", value.Name},
}

// sqlValue binds CURRENT_DATE, CURRENT_USER and the like to the functions behind them.
func (b *binder) sqlValue(x *pg_query.SQLValueFunction) (plan.Expr, error) {
	pos := loc(x.Location)
	v, ok := sqlValues[x.Op]
	if !ok {
		return nil, errAt(pos, dberr.InternalError, "unknown keyword value %v", x.Op)
	}
	fn := b.plainScalar(v.fn)
	if fn == nil {
		return nil, errAt(pos, dberr.UndefinedFunction, "function %s() does not exist", v.fn)
	}
	mod, name := int32(-1), v.name
	if strings.HasSuffix(x.Op.String(), "_N") {
		mod = min(x.Typmod, 6)
		name += "(" + itoa(int(mod)) + ")"
	}
	var e plan.Expr = &plan.Call{Typed: plan.Typed{T: fn.Ret, M: -1}, Fn: fn, Style: plan.FuncStyle, Name: fn.Name, Pos: pos}
	e, ok, err := b.coerce(e, v.typ, mod, functions.Explicit, plan.ImplicitCastStyle, pos)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, errAt(pos, dberr.InternalError, "%s has type %s", v.fn, fn.Ret.SQL)
	}
	return &plan.SQLValue{Arg: e, Name: name}, nil
}

// plainScalar finds a function without parameters, nil when there is none.
func (b *binder) plainScalar(name string) *functions.Scalar {
	for _, f := range b.Registry.Scalars(name) {
		if len(f.Params) == 0 {
			return f
		}
	}
	return nil
}

// fixedCollations are the collations that are not named by a locale; "" is the database's own.
var fixedCollations = map[string]string{
	"default": "", "C": "C", "POSIX": "POSIX", "ucs_basic": "ucs_basic", "C.UTF-8": "C.UTF-8", "C.utf8": "C.utf8", "unicode": "unicode", "und-x-icu": "und-x-icu",
}

// collationName checks a collation's name: a fixed one, or an ICU locale written as PostgreSQL does (de-x-icu, de-AT-x-icu).
func (b *binder) collationName(parts []string, pos int) (string, error) {
	name := parts[len(parts)-1]
	if len(parts) > 1 && parts[0] != "pg_catalog" && parts[0] != "public" {
		if b.Catalog.Schema(parts[0]) == nil {
			return "", errAt(pos, dberr.InvalidSchemaName, "schema \"%s\" does not exist", parts[0])
		}
	}
	if c, ok := fixedCollations[name]; ok {
		if c == "" {
			return "default", nil
		}
		return c, nil
	}
	if locale, ok := strings.CutSuffix(name, "-x-icu"); ok {
		if tag, err := language.Parse(locale); err == nil && tag != language.Und {
			return name, nil
		}
	}
	return "", errAt(pos, dberr.UndefinedObject, "collation \"%s\" for encoding \"UTF8\" does not exist", strings.Join(parts, "."))
}
