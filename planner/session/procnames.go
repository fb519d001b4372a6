package session

import (
	"slices"
	"strings"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/functions/pgfacts"
	"github.com/omgdb/omgdb/planner/pgcatalog"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
)

// Schemas of built-in functions.
const (
	pgCatalog         = "pg_catalog"
	informationSchema = "information_schema"
)

// proc is a function by its OID, schema and the types of its parameters.
type proc struct {
	oid    uint32
	schema string
	params []uint32
}

// procs lists the functions that a name means, quoted and qualified as in SQL: of an unqualified name those that the search path shows.
// Of two with the same parameters the first in the path hides the other.
func (n names) procs(name string) []proc {
	parts, ok := splitQualified(name)
	if !ok || len(parts) == 0 || len(parts) > 2 {
		return nil
	}
	key, path := parts[len(parts)-1], n.s.SearchPath(true)
	if len(parts) == 2 {
		path = parts[:1]
	}
	var out []proc
	for _, schema := range path {
		for _, p := range n.procsIn(schema, key) {
			if !slices.ContainsFunc(out, func(o proc) bool { return slices.Equal(o.params, p.params) }) {
				out = append(out, p)
			}
		}
	}
	return out
}

// procsIn lists the functions of a name in a schema. OMGDB's own functions show in pg_catalog.
func (n names) procsIn(schema, name string) []proc {
	var out []proc
	if schema == pgCatalog || schema == informationSchema {
		for _, p := range n.builtinProcs(name) {
			if p.schema == schema {
				out = append(out, p)
			}
		}
		return out
	}
	v := lookup(n).view()
	if v == nil {
		return nil
	}
	sc := v.Schema(schema)
	if sc == nil {
		return nil
	}
	for _, f := range v.FunctionsNamed(sc.ID, name) {
		p := proc{oid: uint32(f.ID), schema: schema}
		for i := range f.Args {
			if f.Args[i].In() {
				p.params = append(p.params, f.Args[i].Type)
			}
		}
		out = append(out, p)
	}
	return out
}

func (n names) builtinProcs(name string) []proc {
	var out []proc
	add := func(oid uint32, params []functions.Param) {
		p := proc{oid: oid, schema: pgCatalog}
		if pgcatalog.InInformationSchema(oid) {
			p.schema = informationSchema
		}
		for _, a := range params {
			p.params = append(p.params, a.Type.OID)
		}
		out = append(out, p)
	}
	r := n.s.srv.registry
	for _, f := range r.Scalars(name) {
		if !f.Hidden {
			add(f.OID, f.Params)
		}
	}
	for _, f := range r.Aggregates(name) {
		add(f.OID, f.Params)
	}
	for _, f := range r.Windows(name) {
		add(f.OID, f.Params)
	}
	for _, f := range r.Tables(name) {
		add(f.OID, f.Params)
	}
	for _, f := range pgfacts.Load().InternalsNamed(name) {
		out = append(out, proc{oid: f.OID, schema: pgCatalog, params: f.Args})
	}
	return out
}

// qualifiedProc is the name of a function, with its schema when the name alone doesn't find it.
func (n names) qualifiedProc(oid uint32, found func(list []proc) bool) (string, bool) {
	name, ok := lookup(n).ProcName(oid)
	if !ok {
		return "", false
	}
	quoted, schema := quoteName(name), n.procSchema(oid)
	list := n.procs(quoted)
	if found(list) || len(list) == 0 && schema == pgCatalog { // none: PostgreSQL has it, and types name it
		return quoted, true
	}
	return quoteName(schema) + "." + quoted, true
}

func (n names) procSchema(oid uint32) string {
	if p := lookup(n).Proc(oid); p != nil && p.Schema != 0 {
		if v := lookup(n).view(); v != nil {
			if sc := v.SchemaByID(catalog.ID(p.Schema)); sc != nil {
				return sc.Name
			}
		}
	}
	if pgcatalog.InInformationSchema(oid) {
		return informationSchema
	}
	return pgCatalog
}

// procName is the text form of a regproc: a name that finds this function alone.
func (n names) procName(oid uint32) (string, bool) {
	return n.qualifiedProc(oid, func(list []proc) bool { return len(list) == 1 && list[0].oid == oid })
}

func (n names) procOID(name string) (uint32, error) {
	list := n.procs(name)
	switch {
	case len(list) == 0:
		return 0, dberr.New(dberr.UndefinedFunction, `function "%s" does not exist`, unquoted(name))
	case len(list) > 1:
		return 0, dberr.New(dberr.AmbiguousFunction, `more than one function named "%s"`, unquoted(name))
	}
	return list[0].oid, nil
}

// unquoted is how messages show a name that was given as SQL writes it.
func unquoted(name string) string {
	if parts, ok := splitQualified(name); ok {
		return strings.Join(parts, ".")
	}
	return name
}

// procedureName is the text form of a regprocedure.
func (n names) procedureName(oid uint32) (string, bool) {
	var params []uint32
	name, ok := n.qualifiedProc(oid, func(list []proc) bool {
		return slices.ContainsFunc(list, func(p proc) bool { return p.oid == oid })
	})
	if !ok {
		return "", false
	}
	if p := lookup(n).Proc(oid); p != nil {
		for _, a := range p.Params {
			params = append(params, a.Type.OID)
		}
	}
	types := make([]string, len(params))
	for i, t := range params {
		types[i], _ = n.typeName(t)
	}
	return name + "(" + strings.Join(types, ",") + ")", true
}

func (n names) procedureOID(text string) (uint32, error) {
	name, list, ok := strings.Cut(text, "(")
	list, found := strings.CutSuffix(strings.TrimSpace(list), ")")
	if !ok || !found {
		return 0, dberr.New(dberr.InvalidTextRepresentation, "expected a left parenthesis")
	}
	var want []uint32
	for _, w := range splitTypes(list) {
		t := lookup(n).TypeByName(w)
		if t == nil {
			return 0, dberr.New(dberr.UndefinedObject, `type "%s" does not exist`, w)
		}
		want = append(want, t.OID)
	}
	for _, p := range n.procs(strings.TrimSpace(name)) {
		if slices.Equal(p.params, want) {
			return p.oid, nil
		}
	}
	return 0, dberr.New(dberr.UndefinedFunction, `function "%s" does not exist`, text)
}

// operatorOID reads a regoperator: the name and the types of the operands, NONE for the left one of a prefix operator.
func (n names) operatorOID(text string) (uint32, error) {
	name, list, ok := strings.Cut(text, "(")
	list, found := strings.CutSuffix(strings.TrimSpace(list), ")")
	if !ok || !found {
		return 0, dberr.New(dberr.InvalidTextRepresentation, "expected a left parenthesis")
	}
	words := splitTypes(list)
	if len(words) != 2 {
		return 0, dberr.New(dberr.UndefinedParameter, "missing argument").WithHint("Use NONE to denote the missing argument of a unary operator.")
	}
	var sides [2]uint32
	for i, w := range words {
		if strings.EqualFold(w, "none") {
			continue
		}
		t := lookup(n).TypeByName(w)
		if t == nil {
			return 0, dberr.New(dberr.UndefinedObject, `type "%s" does not exist`, w)
		}
		sides[i] = t.OID
	}
	for _, o := range n.s.srv.registry.Operators(unqualified(strings.TrimSpace(name))) {
		left := uint32(0)
		if o.Left != nil {
			left = o.Left.OID
		}
		if left == sides[0] && o.Right.OID == sides[1] {
			return o.OID, nil
		}
	}
	return 0, dberr.New(dberr.UndefinedFunction, "operator does not exist: %s", text)
}

// splitTypes splits a list of types at the commas that stand in no parentheses and no quotes.
func splitTypes(list string) []string {
	var out []string
	depth, quoted, start := 0, false, 0
	take := func(end int) {
		if w := strings.TrimSpace(list[start:end]); w != "" {
			out = append(out, w)
		}
		start = end + 1
	}
	for i := range len(list) {
		switch c := list[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			take(i)
		}
	}
	if start < len(list) {
		take(len(list))
	}
	return out
}
