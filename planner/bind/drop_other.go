package bind

import (
	"slices"
	"strings"

	pg_query "github.com/omgdb/omgdb/planner/parse/ast"

	"github.com/omgdb/omgdb/functions/extension"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/dberr"
)

// otherKind is a kind of object that DROP knows and of which users have none that other files drop.
type otherKind struct {
	word string // as messages call it; the command tag is DROP and the word in capitals, unless tag says another
	tag  string
	// of names what the object belongs to: a relation, an access method.
	of byte // 'r', 'm', 0
}

var otherKinds = map[pg_query.ObjectType]otherKind{
	pg_query.ObjectType_OBJECT_FUNCTION: {word: "function"}, pg_query.ObjectType_OBJECT_PROCEDURE: {word: "procedure"},
	pg_query.ObjectType_OBJECT_ROUTINE: {word: "routine"}, pg_query.ObjectType_OBJECT_AGGREGATE: {word: "aggregate"},
	pg_query.ObjectType_OBJECT_OPERATOR: {word: "operator"}, pg_query.ObjectType_OBJECT_CAST: {word: "cast"},
	pg_query.ObjectType_OBJECT_TRIGGER: {word: "trigger", of: 'r'}, pg_query.ObjectType_OBJECT_RULE: {word: "rule", of: 'r'},
	pg_query.ObjectType_OBJECT_POLICY:    {word: "policy", of: 'r'},
	pg_query.ObjectType_OBJECT_EXTENSION: {word: "extension"}, pg_query.ObjectType_OBJECT_COLLATION: {word: "collation"},
	pg_query.ObjectType_OBJECT_CONVERSION: {word: "conversion"}, pg_query.ObjectType_OBJECT_LANGUAGE: {word: "language"},
	pg_query.ObjectType_OBJECT_FOREIGN_TABLE: {word: "foreign table"}, pg_query.ObjectType_OBJECT_FOREIGN_SERVER: {word: "server"},
	pg_query.ObjectType_OBJECT_FDW:         {word: "foreign-data wrapper", tag: "DROP FOREIGN DATA WRAPPER"},
	pg_query.ObjectType_OBJECT_PUBLICATION: {word: "publication"}, pg_query.ObjectType_OBJECT_EVENT_TRIGGER: {word: "event trigger"},
	pg_query.ObjectType_OBJECT_STATISTIC_EXT: {word: "statistics object", tag: "DROP STATISTICS"},
	pg_query.ObjectType_OBJECT_TSPARSER:      {word: "text search parser"}, pg_query.ObjectType_OBJECT_TSDICTIONARY: {word: "text search dictionary"},
	pg_query.ObjectType_OBJECT_TSTEMPLATE: {word: "text search template"}, pg_query.ObjectType_OBJECT_TSCONFIGURATION: {word: "text search configuration"},
	pg_query.ObjectType_OBJECT_ACCESS_METHOD: {word: "access method"}, pg_query.ObjectType_OBJECT_TRANSFORM: {word: "transform"},
	pg_query.ObjectType_OBJECT_OPCLASS: {word: "operator class", of: 'm'}, pg_query.ObjectType_OBJECT_OPFAMILY: {word: "operator family", of: 'm'},
}

// accessMethods are the kinds of indexes that operator classes are for.
var accessMethods = []string{"btree", "hash", "gist", "gin", "spgist", "brin"}

// dropOther handles the kinds of objects of which users have none: IF EXISTS passes, else they don't exist.
func (b *binder) dropOther(x *pg_query.DropStmt) (plan.Statement, error) {
	k, ok := otherKinds[x.RemoveType]
	if !ok {
		return nil, dberr.New(dberr.FeatureNotSupported, "this kind of object is not supported")
	}
	tag := k.tag
	if tag == "" {
		tag = "DROP " + strings.ToUpper(k.word)
	}
	if k.word == "extension" && extension.Known(b.objectText(x.Objects[0])) {
		return &plan.NoOp{Tag: tag}, nil
	}
	missing, err := b.missingObject(k, x.Objects[0], x.MissingOk)
	if err != nil {
		return nil, err
	}
	if x.MissingOk {
		return &plan.NoOp{Tag: tag, Notice: missing.Message + ", skipping"}, nil
	}
	return nil, missing
}

// missingObject says that the object does not exist, or, with err, what is wrong with its name.
func (b *binder) missingObject(k otherKind, n *pg_query.Node, missingOK bool) (missing *dberr.Error, err error) {
	name := b.objectText(n)
	none := func(code, format string, args ...any) (*dberr.Error, error) {
		return dberr.New(code, format, args...), nil
	}
	switch {
	case k.of == 'r':
		return b.missingPart(k.word, strs(n.GetList().GetItems()))
	case k.of == 'm':
		parts := strs(n.GetList().GetItems())
		if !slices.Contains(accessMethods, parts[0]) {
			return nil, dberr.New(dberr.UndefinedObject, "access method \"%s\" does not exist", parts[0])
		}
		return none(dberr.UndefinedObject, "%s \"%s\" does not exist for access method \"%s\"", k.word, strings.Join(parts[1:], "."), parts[0])
	case k.word == "cast":
		if !missingOK {
			for _, t := range n.GetList().GetItems() {
				if _, _, err := b.typeName(t.GetTypeName()); err != nil {
					return nil, err
				}
			}
		}
		types := n.GetList().GetItems()
		return none(dberr.UndefinedObject, "cast from type %s to type %s does not exist", b.shownType(types[0].GetTypeName()), b.shownType(types[1].GetTypeName()))
	case k.word == "operator":
		return b.missingOperator(n.GetObjectWithArgs(), missingOK)
	case k.word == "function" || k.word == "procedure" || k.word == "routine" || k.word == "aggregate":
		return none(dberr.UndefinedFunction, "%s %s does not exist", k.word, quotedUnlessCall(name))
	}
	return none(dberr.UndefinedObject, "%s %s does not exist", k.word, quotedUnlessCall(name))
}

// missingPart is the error for a trigger, rule or policy that a relation does not have, or for the relation when that is what is missing.
func (b *binder) missingPart(word string, parts []string) (*dberr.Error, error) {
	name, of := parts[len(parts)-1], parts[:len(parts)-1]
	schema, rel, err := b.qualified(of, -1)
	if err != nil {
		return nil, err
	}
	switch r := b.lookupRelation(schema, rel); {
	case r != nil && word == "rule":
		return dberr.New(dberr.UndefinedObject, "rule \"%s\" for relation \"%s\" does not exist", name, r.Name), nil
	case r != nil:
		return dberr.New(dberr.UndefinedObject, "%s \"%s\" for table \"%s\" does not exist", word, name, r.Name), nil
	case schema != "" && b.Catalog.Schema(schema) == nil:
		return dberr.New(dberr.InvalidSchemaName, "schema \"%s\" does not exist", schema), nil
	}
	return dberr.New(dberr.UndefinedTable, "relation \"%s\" does not exist", strings.Join(of, ".")), nil
}

// missingOperator is the error for an operator; the side that a prefix operator has nothing on is NONE.
func (b *binder) missingOperator(o *pg_query.ObjectWithArgs, missingOK bool) (*dberr.Error, error) {
	name := strings.Join(strs(o.Objname), ".")
	if len(o.Objargs) == 2 && o.Objargs[1].GetTypeName() == nil {
		return nil, dberr.New(dberr.SyntaxError, "postfix operators are not supported")
	}
	shown := []string{name}
	for i, a := range o.Objargs {
		t := a.GetTypeName()
		if t == nil {
			continue
		}
		if !missingOK {
			if _, _, err := b.typeName(t); err != nil {
				return nil, err
			}
		}
		if text := b.shownType(t); i == 0 {
			shown = append([]string{text}, shown...)
		} else {
			shown = append(shown, text)
		}
	}
	return dberr.New(dberr.UndefinedFunction, "operator does not exist: %s", strings.Join(shown, " ")), nil
}

// shownType writes a type for messages: by its SQL name when it exists.
func (b *binder) shownType(n *pg_query.TypeName) string {
	if n == nil {
		return "none"
	}
	if t, _, err := b.lookupType(n); err == nil && t != nil {
		return t.SQL
	}
	return typeNameText(n)
}
