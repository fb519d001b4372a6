package sysfunc

import (
	"maps"
	"slices"
	"strings"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// constraintBit sets the OID of a constraint that stands on an index apart from the index's own.
const constraintBit = 1 << 30

// definitions lists the functions that write objects as SQL. Expressions are stored as SQL text, so pg_get_expr gives back what it gets, with
// the names of relations as the search path wants them.
func definitions() []def {
	null := fixed(value.Null)
	expr := env(func(e *functions.Env, a []val) (val, error) {
		s := ShownExpr(e, a[0].Str())
		if len(a) == 3 && a[2].Bool() {
			s = pretty(s)
		}
		return text(s), nil
	})
	return []def{
		{Sig: "pg_get_expr(pg_node_tree,oid)", Eval: expr}, {Sig: "pg_get_expr(pg_node_tree,oid,bool)", Eval: expr},
		{Sig: "pg_get_indexdef(oid)", Eval: env(indexDef)}, {Sig: "pg_get_indexdef(oid,int4,bool)", Eval: env(indexDef)},
		{Sig: "pg_get_constraintdef(oid)", Eval: env(constraintDef)}, {Sig: "pg_get_constraintdef(oid,bool)", Eval: env(constraintDef)},
		{Sig: "pg_get_viewdef(oid)", Eval: env(viewDef)}, {Sig: "pg_get_viewdef(oid,bool)", Eval: env(viewDef)}, {Sig: "pg_get_viewdef(oid,int4)", Eval: env(viewDef)},
		{Sig: "pg_get_viewdef(text)", Eval: env(viewDefByName)}, {Sig: "pg_get_viewdef(text,bool)", Eval: env(viewDefByName)},
		{Sig: "pg_get_ruledef(oid)", Eval: null}, {Sig: "pg_get_ruledef(oid,bool)", Eval: null},
		{Sig: "pg_get_triggerdef(oid)", Eval: null}, {Sig: "pg_get_triggerdef(oid,bool)", Eval: null},
		{Sig: "pg_get_partkeydef(oid)", Eval: null}, {Sig: "pg_get_statisticsobjdef_columns(oid)", Eval: null},
	}
}

// indexDef is CREATE INDEX, or with a column number other than 0 the text of that key.
func indexDef(e *functions.Env, a []val) (val, error) {
	view := e.Txn.Catalog()
	x := view.AnyIndex(catalog.ID(a[0].Int()))
	if x == nil {
		return value.Null, nil
	}
	rel := view.RelationByID(x.Relation)
	if rel == nil {
		return value.Null, nil
	}
	simple := len(a) > 2 && a[2].Bool()
	if len(a) > 1 && a[1].Int() != 0 {
		n := int(a[1].Int())
		if n < 0 || n > len(x.Keys)+len(x.Include) {
			return text(""), nil
		}
		if n > len(x.Keys) {
			return text(colName(rel, x.Include[n-len(x.Keys)-1])), nil
		}
		return text(keyText(rel, x.Keys[n-1], false, simple)), nil
	}
	var b strings.Builder
	b.WriteString("CREATE ")
	if x.Unique {
		b.WriteString("UNIQUE ")
	}
	b.WriteString("INDEX " + quoteIdent(x.Name) + " ON " + relationName(e, rel, simple) + " USING " + x.AccessMethod() + " (")
	for i, k := range x.Keys {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(keyText(rel, k, true, simple))
	}
	b.WriteString(")")
	if len(x.Include) > 0 {
		b.WriteString(" INCLUDE (" + colNames(rel, x.Include) + ")")
	}
	if x.NullsNotDistinct {
		b.WriteString(" NULLS NOT DISTINCT")
	}
	if given := x.Given(); len(given) > 0 {
		var list []string
		for _, k := range slices.Sorted(maps.Keys(given)) {
			list = append(list, quoteIdent(k)+"='"+strings.ReplaceAll(given[k], "'", "''")+"'")
		}
		b.WriteString(" WITH (" + strings.Join(list, ", ") + ")")
	}
	if x.Where != "" {
		if simple {
			b.WriteString(" WHERE " + pretty(x.Where))
		} else {
			b.WriteString(" WHERE " + parens(x.Where))
		}
	}
	return text(b.String()), nil
}

func keyText(rel *catalog.Relation, k catalog.IndexKey, options, simple bool) string {
	s := ""
	if k.Col != 0 {
		s = colName(rel, k.Col)
	} else {
		s = k.Expr
		switch call := callLike(k.Expr); {
		case simple && call:
			s = pretty(s)
		case simple:
			s = parens(pretty(s))
		case !call:
			s = "(" + s + ")" // beside those of the expression
		}
	}
	if !options {
		return s
	}
	if k.OpClass != "" {
		s += " " + k.OpClass
	}
	if k.Desc {
		s += " DESC"
	}
	if k.NullsFirst != k.Desc {
		if k.NullsFirst {
			s += " NULLS FIRST"
		} else {
			s += " NULLS LAST"
		}
	}
	return s
}

// callLike tells whether an expression is a function call, which stands in an index definition without parentheses of its own.
func callLike(s string) bool {
	name, rest, ok := strings.Cut(s, "(")
	if !ok || name == "" || !strings.HasSuffix(rest, ")") || strings.ContainsAny(name, " +-*/<>=|&") {
		return false
	}
	depth := 1
	for i := range len(rest) {
		switch rest[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i == len(rest)-1
			}
		}
	}
	return false
}

func parens(s string) string {
	if strings.HasPrefix(s, "(") && callLike("f"+s) {
		return s
	}
	return "(" + s + ")"
}

func colName(rel *catalog.Relation, num int16) string {
	if c := rel.Attr(num); c != nil {
		return quoteIdent(c.Name)
	}
	return "?"
}

func colNames(rel *catalog.Relation, nums []int16) string {
	names := make([]string, len(nums))
	for i, n := range nums {
		names[i] = colName(rel, n)
	}
	return strings.Join(names, ", ")
}

// constraintDef is the constraint as ALTER TABLE … ADD writes it.
func constraintDef(e *functions.Env, a []val) (val, error) {
	oid, simple := catalog.ID(a[0].Int()), len(a) == 2 && a[1].Bool()
	view := e.Txn.Catalog()
	if x := view.AnyIndex(oid &^ constraintBit); oid&constraintBit != 0 && x != nil {
		rel := view.RelationByID(x.Relation)
		if rel == nil {
			return value.Null, nil
		}
		cols := make([]int16, len(x.Keys))
		for i, k := range x.Keys {
			cols[i] = k.Col
		}
		return text(keyConstraint(rel, x.Primary, cols, x.Include)), nil
	}
	for _, rel := range view.Relations(0) {
		for _, k := range rel.Checks {
			if k.ID == oid {
				return text(checkText(&k, simple)), nil
			}
		}
		for _, f := range rel.Foreign {
			if f.ID == oid {
				return text(foreignKey(e, rel, f)), nil
			}
		}
	}
	for _, t := range view.Types(0) {
		for _, k := range t.Checks {
			if k.ID == oid {
				return text(checkText(&k, simple)), nil
			}
		}
	}
	return value.Null, nil
}

func checkText(k *catalog.Check, simple bool) string {
	s := "CHECK (" + parens(k.Expr) + ")"
	if simple {
		s = "CHECK (" + pretty(k.Expr) + ")"
	}
	return s + notValid(k.NotValid)
}

func notValid(yes bool) string {
	if yes {
		return " NOT VALID"
	}
	return ""
}

// relationName writes a relation's name with its schema, which short leaves out where the search path finds the relation.
func relationName(e *functions.Env, r *catalog.Relation, short bool) string {
	if short {
		if found, ok := e.Lookup.RelationOID(quoteIdent(r.Name)); ok && found == uint32(r.ID) {
			return quoteIdent(r.Name)
		}
	}
	return qualified(e.Txn.Catalog(), r.Schema, r.Name)
}

func keyConstraint(rel *catalog.Relation, primary bool, cols, include []int16) string {
	s := "UNIQUE (" + colNames(rel, cols) + ")"
	if primary {
		s = "PRIMARY KEY (" + colNames(rel, cols) + ")"
	}
	if len(include) > 0 {
		s += " INCLUDE (" + colNames(rel, include) + ")"
	}
	return s
}

// actions are the referential actions by their letter; NO ACTION is not written.
var actions = map[byte]string{'r': "RESTRICT", 'c': "CASCADE", 'n': "SET NULL", 'd': "SET DEFAULT"}

func foreignKey(e *functions.Env, rel *catalog.Relation, f catalog.ForeignKey) string {
	s := "FOREIGN KEY (" + colNames(rel, f.Cols) + ")"
	if ref := e.Txn.Catalog().RelationByID(f.RefTable); ref != nil {
		s += " REFERENCES " + relationName(e, ref, true) + "(" + colNames(ref, f.RefCols) + ")"
	}
	if f.Match == 'f' {
		s += " MATCH FULL"
	}
	if w := actions[f.OnUpdate]; w != "" {
		s += " ON UPDATE " + w
	}
	if w := actions[f.OnDelete]; w != "" {
		s += " ON DELETE " + w
	}
	if f.Deferrable {
		s += " DEFERRABLE"
	}
	if f.Deferred {
		s += " INITIALLY DEFERRED"
	}
	return s + notValid(f.NotValid)
}

func viewDef(e *functions.Env, a []val) (val, error) {
	r := e.Txn.Catalog().RelationByID(catalog.ID(a[0].Int()))
	if r == nil || r.ViewSQL == "" {
		return value.Null, nil
	}
	return text(" " + strings.TrimSuffix(strings.TrimSpace(r.ViewSQL), ";") + ";"), nil
}

func viewDefByName(e *functions.Env, a []val) (val, error) {
	oid, ok := e.Lookup.RelationOID(a[0].Str())
	if !ok {
		return value.Null, dberr.New(dberr.UndefinedTable, "relation \"%s\" does not exist", a[0].Str())
	}
	return viewDef(e, []val{value.Int(int64(oid))})
}
