package sysfunc

import (
	"context"
	"time"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio/dt"
	"github.com/omgdb/omgdb/storage/value"
)

// session lists the functions about the session and the server.
func session() []def {
	role := env(func(e *functions.Env, _ []val) (val, error) { return text(e.Session.CurrentUser()), nil })
	return []def{
		{Sig: "current_user()", Eval: role},
		{Sig: "session_user()", Eval: env(func(e *functions.Env, _ []val) (val, error) { return text(e.Session.SessionUser()), nil })},
		{Sig: "current_database()", Eval: env(func(e *functions.Env, _ []val) (val, error) { return text(e.Session.Database()), nil })},
		{Sig: "current_schema()", Eval: env(currentSchema)},
		{Sig: "current_schemas(bool)", Eval: env(currentSchemas)},
		{Sig: "version()", Eval: env(func(e *functions.Env, _ []val) (val, error) {
			return text("PostgreSQL " + e.Session.ServerVersion() + " (OMGDB) on x86_64-pc-linux-gnu, 64-bit"), nil
		})},
		{Sig: "pg_backend_pid()", Eval: env(func(e *functions.Env, _ []val) (val, error) { return value.Int(int64(e.Session.BackendPID())), nil })},
		{Sig: "pg_typeof(any)", Eval: func(_ context.Context, c *call, _ []val) (val, error) { return value.Int(int64(c.Args[0].OID)), nil }},
		{Sig: "pg_sleep(float8)", Waits: true, Eval: func(ctx context.Context, _ *call, a []val) (val, error) {
			return sleep(ctx, time.Duration(a[0].Float()*float64(time.Second)))
		}},
		{Sig: "pg_sleep_for(interval)", Waits: true, Eval: func(ctx context.Context, _ *call, a []val) (val, error) {
			i := a[0].Box().(value.Interval)
			return sleep(ctx, time.Duration(i.Micros)*time.Microsecond+time.Duration(i.Days)*24*time.Hour)
		}},
		{Sig: "pg_sleep_until(timestamptz)", Waits: true, Eval: func(ctx context.Context, c *call, a []val) (val, error) {
			return sleep(ctx, dt.ToTime(a[0].Int()).Sub(c.Env.Clock()))
		}},
		{Sig: "pg_cancel_backend(int4)", Eval: env(func(e *functions.Env, a []val) (val, error) { return signal(e, a[0].Int(), false) })},
		{Sig: "pg_terminate_backend(int4,int8)", Eval: env(func(e *functions.Env, a []val) (val, error) { return signal(e, a[0].Int(), true) })},
	}
}

func currentSchema(e *functions.Env, _ []val) (val, error) {
	path := e.Session.SearchPath(false)
	if len(path) == 0 {
		return value.Null, nil
	}
	return text(path[0]), nil
}

func currentSchemas(e *functions.Env, a []val) (val, error) {
	var elems []val
	for _, s := range e.Session.SearchPath(a[0].Bool()) {
		elems = append(elems, text(s))
	}
	return value.Box(value.NewArray(value.Name, elems)), nil
}

// utf8 is the number of the one encoding.
const utf8 = 6

func encodingName(_ *functions.Env, a []val) (val, error) {
	switch a[0].Int() {
	case utf8:
		return text("UTF8"), nil
	case 0:
		return text("SQL_ASCII"), nil
	}
	return text(""), nil
}

func encodingNumber(_ *functions.Env, a []val) (val, error) {
	switch a[0].Str() {
	case "UTF8", "utf8", "UTF-8", "unicode", "UNICODE":
		return value.Int(utf8), nil
	case "SQL_ASCII":
		return value.Int(0), nil
	}
	return value.Int(-1), nil
}

// settings lists the functions that read and change configuration parameters.
func settings() []def {
	return []def{
		{Sig: "current_setting(text)", Eval: env(func(e *functions.Env, a []val) (val, error) { return currentSetting(e, a[0].Str(), false) })},
		{Sig: "current_setting(text,bool)", Eval: env(func(e *functions.Env, a []val) (val, error) { return currentSetting(e, a[0].Str(), a[1].Bool()) })},
		{Sig: "set_config(text,text,bool)", Eval: env(setConfig)},
	}
}

func currentSetting(e *functions.Env, name string, missingOK bool) (val, error) {
	v, ok := e.Settings.Get(name)
	switch {
	case ok:
		return text(v), nil
	case missingOK:
		return value.Null, nil
	}
	return value.Null, dberr.New(dberr.UndefinedObject, "unrecognized configuration parameter \"%s\"", name)
}

func setConfig(e *functions.Env, a []val) (val, error) {
	if a[0].IsNull() {
		return value.Null, dberr.New(dberr.NullValueNotAllowed, "SET requires parameter name")
	}
	if err := e.Settings.Set(a[0].Str(), a[1].Str(), a[2].Bool()); err != nil {
		return value.Null, err
	}
	v, _ := e.Settings.Get(a[0].Str())
	return text(v), nil
}
