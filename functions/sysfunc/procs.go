package sysfunc

import (
	"strings"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/value"
)

// procFunctions lists the functions that describe functions.
func procFunctions() []def {
	about := func(f func(e *functions.Env, p *functions.Proc) val) eval {
		return env(func(e *functions.Env, a []val) (val, error) {
			p := e.Lookup.Proc(uint32(a[0].Int()))
			if p == nil {
				return value.Null, nil
			}
			return f(e, p), nil
		})
	}
	return []def{
		{Sig: "pg_get_function_arguments(oid)", Eval: about(func(e *functions.Env, p *functions.Proc) val { return text(arguments(e, p, true)) })},
		{Sig: "pg_get_function_identity_arguments(oid)", Eval: about(func(e *functions.Env, p *functions.Proc) val { return text(arguments(e, p, false)) })},
		{Sig: "pg_get_function_result(oid)", Eval: about(func(e *functions.Env, p *functions.Proc) val {
			if p.Kind == 'p' {
				return value.Null
			}
			return text(result(e, p))
		})},
		{Sig: "pg_get_function_arg_default(oid,int4)", Eval: env(argDefault)},
		{Sig: "pg_get_function_sqlbody(oid)", Eval: fixed(value.Null)},
		{Sig: "pg_get_functiondef(oid)", Eval: about(func(e *functions.Env, p *functions.Proc) val { return text(functionDef(e, p)) })},
		{Sig: "oidvectortypes(oidvector)", Eval: env(vectorTypes)},
	}
}

// typeName writes a type as format_type does.
func typeName(e *functions.Env, t *value.Type) string { return ShownType(e, t, -1) }

// arguments lists the parameters of a function; defaults are written when full is set.
func arguments(e *functions.Env, p *functions.Proc, full bool) string {
	var b strings.Builder
	if p.Kind == 'a' && p.Name == "count" && len(p.Params) == 0 {
		return ""
	}
	if p.Args != nil {
		return userArguments(e, p, full)
	}
	for i, a := range p.Params {
		switch {
		case i == p.Direct && i > 0:
			b.WriteString(" ORDER BY ")
		case i == p.Direct:
			b.WriteString("ORDER BY ")
		case i > 0:
			b.WriteString(", ")
		}
		if p.Variadic && i == len(p.Params)-1 {
			b.WriteString("VARIADIC ")
		}
		if a.Name != "" {
			b.WriteString(quoteIdent(a.Name) + " ")
		}
		b.WriteString(typeName(e, a.Type))
		if full && a.Default != "" {
			b.WriteString(" DEFAULT " + a.Default)
		}
	}
	if full && !p.Set {
		for _, a := range p.Out {
			if b.Len() > 0 {
				b.WriteString(", ")
			}
			b.WriteString("OUT " + quoteIdent(a.Name) + " " + typeName(e, a.Type))
		}
	} else if full {
		for _, a := range p.Out {
			if b.Len() > 0 {
				b.WriteString(", ")
			}
			b.WriteString("OUT " + quoteIdent(a.Name) + " " + typeName(e, a.Type))
		}
	}
	return b.String()
}

// argModeWords are the words before arguments by mode.
var argModeWords = map[byte]string{'o': "OUT ", 'b': "INOUT ", 'v': "VARIADIC "}

// userArguments lists the arguments of a user's function.
func userArguments(e *functions.Env, p *functions.Proc, full bool) string {
	var parts []string
	for i := range p.Args {
		a := &p.Args[i]
		if !a.Shown() {
			continue
		}
		s := argModeWords[a.Mode]
		if p.Kind == 'p' && a.Mode == 'i' {
			s = "IN "
		}
		if a.Name != "" {
			s += quoteIdent(a.Name) + " "
		}
		s += typeName(e, a.Type)
		if full && a.Default != "" {
			s += " DEFAULT " + a.Default
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, ", ")
}

// tableResult writes RETURNS TABLE, "" when the function has none.
func tableResult(e *functions.Env, p *functions.Proc) string {
	var parts []string
	for i := range p.Args {
		if a := &p.Args[i]; !a.Shown() {
			parts = append(parts, quoteIdent(a.Name)+" "+typeName(e, a.Type))
		}
	}
	if parts == nil {
		return ""
	}
	return "TABLE(" + strings.Join(parts, ", ") + ")"
}

func result(e *functions.Env, p *functions.Proc) string {
	if t := tableResult(e, p); t != "" {
		return t
	}
	s := typeName(e, p.Ret)
	if p.Set {
		s = "SETOF " + s
	}
	return s
}

func argDefault(e *functions.Env, a []val) (val, error) {
	p, n := e.Lookup.Proc(uint32(a[0].Int())), a[1].Int()
	if p == nil || n < 1 || n > int64(len(p.Params)) {
		return value.Null, nil
	}
	return textOrNull(p.Params[n-1].Default), nil
}

// functionDef writes CREATE FUNCTION. The text of a built-in function is its name, as in PostgreSQL.
func functionDef(e *functions.Env, p *functions.Proc) string {
	word, schema := "FUNCTION", "pg_catalog"
	if p.Kind == 'p' {
		word = "PROCEDURE"
	}
	if p.Schema != 0 {
		if sc := e.Txn.Catalog().SchemaByID(catalog.ID(p.Schema)); sc != nil {
			schema = sc.Name
		}
	}
	var b strings.Builder
	b.WriteString("CREATE OR REPLACE " + word + " " + quoteIdent(schema) + "." + quoteIdent(p.Name) + "(" + arguments(e, p, true) + ")\n")
	if p.Kind != 'p' {
		b.WriteString(" RETURNS " + result(e, p) + "\n")
	}
	lang := p.Language
	if lang == "" {
		lang = "internal"
	}
	b.WriteString(" LANGUAGE " + lang + "\n")
	var traits []string
	switch p.Vol {
	case functions.Immutable:
		traits = append(traits, "IMMUTABLE")
	case functions.Stable:
		traits = append(traits, "STABLE")
	}
	if p.Language == "" {
		traits = append(traits, "PARALLEL SAFE")
	}
	if p.Strict {
		traits = append(traits, "STRICT")
	}
	if len(traits) > 0 {
		b.WriteString(" " + strings.Join(traits, " ") + "\n")
	}
	body, tag := p.Source, "$function$"
	if p.Kind == 'p' {
		tag = "$procedure$"
	}
	if p.Language == "" {
		body = p.Name
	}
	for strings.Contains(body, tag) {
		tag = "$x" + tag[1:]
	}
	b.WriteString("AS " + tag + body + tag + "\n")
	return b.String()
}

func vectorTypes(e *functions.Env, a []val) (val, error) {
	var list []string
	for _, o := range a[0].Box().(*value.Array).Elems {
		list = append(list, formatted(e, uint32(o.Int()), -1))
	}
	return text(strings.Join(list, ", ")), nil
}
