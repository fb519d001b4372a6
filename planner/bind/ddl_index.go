package bind

import (
	"strings"

	pg_query "github.com/omgdb/omgdb/planner/parse/ast"

	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// indexMethods are the access methods that CREATE INDEX … USING knows, with what they become.
var indexMethods = map[string]string{
	"btree": "btree", "hash": "btree", "path": "path", "gin": "gin", "fulltext": "fulltext", "vector": "vector", "hnsw": "vector", "ivfflat": "vector",
	"brin": "brin", "gist": "gist", "spgist": "spgist",
}

// createIndex binds CREATE INDEX.
func (b *binder) createIndex(x *pg_query.IndexStmt) (plan.Statement, error) {
	rel, err := b.relation(x.Relation)
	if err != nil {
		return nil, err
	}
	if rel.Kind != catalog.Table && rel.Kind != catalog.Collection && rel.Kind != catalog.MatViewKind {
		return nil, dberr.New(dberr.WrongObjectType, "cannot create index on relation \"%s\"", rel.Name).
			WithDetail("This operation is not supported for %s.", kindName(rel.Kind, true))
	}
	method := strings.ToLower(x.AccessMethod)
	if method == "" {
		method = "btree"
	}
	kind, ok := indexMethods[method]
	if !ok {
		return nil, dberr.New(dberr.UndefinedObject, "access method \"%s\" does not exist", method)
	}
	if x.Unique && kind != "btree" {
		return nil, dberr.New(dberr.FeatureNotSupported, "access method \"%s\" does not support unique indexes", method)
	}
	if len(x.ExcludeOpNames) > 0 {
		return nil, noExclusion()
	}
	st := &plan.CreateIndex{Rel: rel, Schema: b.schemaName(rel), IfNotExists: x.IfNotExists, Concurrently: x.Concurrent}
	ix := &st.Index
	*ix = catalog.Index{Name: x.Idxname, Relation: rel.ID, Schema: rel.Schema, Method: kind, Unique: x.Unique, NullsNotDistinct: x.NullsNotDistinct, Valid: true}
	if err := checkName(x.Idxname, -1); err != nil {
		return nil, err
	}
	if ix.Options, err = relOptions(method, x.Options, false); err != nil {
		return nil, err
	}
	if kind == "vector" {
		if err := checkVectorOptions(method, ix.Options); err != nil {
			return nil, err
		}
	}
	if method != kind {
		if ix.Options == nil {
			ix.Options = map[string]string{}
		}
		ix.Options["method"] = method
	}
	s := &scope{clause: inIndexExpr}
	b.addItem(s, b.tableItem(rel, b.rowCols(rel)))
	var parts []string
	for _, n := range x.IndexParams {
		name, err := b.indexKey(s, rel, ix, n.GetIndexElem())
		if err != nil {
			return nil, err
		}
		parts = append(parts, name)
	}
	for _, n := range x.IndexIncludingParams {
		el := n.GetIndexElem()
		c := findColumn(rel, el.Name)
		if el.Name == "" {
			return nil, dberr.New(dberr.FeatureNotSupported, "expressions are not supported in included columns")
		}
		if c == nil {
			return nil, dberr.New(dberr.UndefinedColumn, "column \"%s\" does not exist", el.Name)
		}
		ix.Include = append(ix.Include, c.Num)
		parts = append(parts, el.Name)
	}
	if err := b.indexWhere(s, ix, x.WhereClause); err != nil {
		return nil, err
	}
	if ix.Name == "" {
		d := &tableDef{rel: rel, taken: map[string]bool{}}
		ix.Name = b.freeName(d, rel.Name, strings.Join(parts, "_"), "idx")
	}
	return st, nil
}

// indexKey adds one key and gives what it adds to the index's name.
func (b *binder) indexKey(s *scope, rel *catalog.Relation, ix *catalog.Index, el *pg_query.IndexElem) (string, error) {
	k := catalog.IndexKey{Desc: el.Ordering == pg_query.SortByDir_SORTBY_DESC, OpClass: strings.Join(strs(el.Opclass), ".")}
	k.NullsFirst = el.NullsOrdering == pg_query.SortByNulls_SORTBY_NULLS_FIRST || k.Desc && el.NullsOrdering != pg_query.SortByNulls_SORTBY_NULLS_LAST
	if len(el.Collation) > 0 {
		if _, err := b.collationName(strs(el.Collation), -1); err != nil {
			return "", err
		}
	}
	name, mod := el.Name, int32(-1)
	if el.Name != "" {
		c := findColumn(rel, el.Name)
		if c == nil {
			return "", dberr.New(dberr.UndefinedColumn, "column \"%s\" does not exist", el.Name)
		}
		k.Col, k.Type, mod = c.Num, c.Type, c.Mod
	} else {
		e, err := b.expr(s, el.Expr)
		if err != nil {
			return "", err
		}
		if e, err = b.resolveUnknown(e); err != nil {
			return "", err
		}
		if !immutable(e) {
			return "", dberr.New(dberr.InvalidObjectDef, "functions in index expression must be marked IMMUTABLE")
		}
		if len(b.referenced(e)) == 0 {
			return "", dberr.New(dberr.InvalidObjectDef, "index expression does not use any column").WithHint("Index the columns that queries ask for.")
		}
		k.Expr, k.Type, mod = b.text(e), e.Type(), e.Mod()
		if ix.Method == "path" {
			if k.Path = jsonPath(e); k.Path == nil {
				return "", dberr.New(dberr.InvalidObjectDef, "a path index is over a path into the document").
					WithHint("Write USING path ((doc #> '{a,b}')).")
			}
		}
		if ix.Method == "fulltext" || ix.Method == "vector" {
			k.Path = fieldPath(rel, e)
		}
		if name = columnName(el.Expr); name == noName {
			name = "expr"
		}
	}
	if ix.Method == "btree" && !b.indexable(k.Type) {
		return "", dberr.New(dberr.UndefinedObject, "data type %s has no default operator class for access method \"btree\"", k.Type.SQL).
			WithHint("You must specify an operator class for the index or define a default operator class for the data type.")
	}
	if ix.Method == "vector" {
		if err := vectorKey(ix, &k, mod); err != nil {
			return "", err
		}
	}
	ix.Keys = append(ix.Keys, k)
	return name, nil
}

// fieldPath gives the place of doc->>'a' in a stored row: in a table below the column's own field.
func fieldPath(rel *catalog.Relation, e plan.Expr) []string {
	path := jsonPath(e)
	if path == nil || rel.Kind == catalog.Collection {
		return path
	}
	for {
		c, ok := e.(*plan.Call)
		if !ok {
			break
		}
		e = c.Args[0]
	}
	if r, ok := e.(*plan.ColRef); ok {
		if col := findColumn(rel, r.Name); col != nil {
			return append([]string{col.Field}, path...)
		}
	}
	return nil
}

// jsonPath gives the steps of doc -> 'a' -> 'b', doc ->> 'a' or doc #> '{a,b}', nil for other expressions.
func jsonPath(e plan.Expr) []string {
	c, ok := e.(*plan.Call)
	if !ok || c.Style != plan.OpStyle || len(c.Args) != 2 {
		return nil
	}
	k, ok := c.Args[1].(*plan.Const)
	if !ok || k.Val.IsNull() {
		return nil
	}
	var base []string
	if r, ok := c.Args[0].(*plan.ColRef); !ok {
		if base = jsonPath(c.Args[0]); base == nil {
			return nil
		}
	} else if r.T.OID != value.JSONB.OID {
		return nil
	}
	switch c.Name {
	case "->", "->>":
		if k.T.OID == value.Text.OID {
			return append(base, k.Val.Str())
		}
	case "#>", "#>>":
		for _, v := range k.Val.Box().(*value.Array).Elems {
			base = append(base, v.Str())
		}
		return base
	}
	return nil
}

func (b *binder) indexWhere(s *scope, ix *catalog.Index, n *pg_query.Node) error {
	if n == nil {
		return nil
	}
	s.clause = inIndexPred
	e, err := b.expr(s, n)
	if err != nil {
		return err
	}
	if e, err = b.boolean(e, "WHERE"); err != nil {
		return err
	}
	if !immutable(e) {
		return dberr.New(dberr.InvalidObjectDef, "functions in index predicate must be marked IMMUTABLE")
	}
	ix.Where = b.text(e)
	return nil
}
