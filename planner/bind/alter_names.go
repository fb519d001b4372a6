package bind

import (
	pg_query "github.com/omgdb/omgdb/planner/parse/ast"

	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/dberr"
)

// rename binds ALTER … RENAME.
func (b *binder) rename(x *pg_query.RenameStmt) (plan.Statement, error) {
	if err := checkName(x.Newname, -1); err != nil {
		return nil, err
	}
	switch x.RenameType {
	case pg_query.ObjectType_OBJECT_DOMCONSTRAINT:
		return b.renameDomainCheck(x)
	case pg_query.ObjectType_OBJECT_ATTRIBUTE:
		return b.renameAttribute(x)
	case pg_query.ObjectType_OBJECT_COLUMN, pg_query.ObjectType_OBJECT_TABCONSTRAINT:
		return b.renamePart(x)
	case pg_query.ObjectType_OBJECT_SCHEMA:
		if b.Catalog.Schema(x.Subname) == nil {
			return nil, dberr.New(dberr.InvalidSchemaName, "schema \"%s\" does not exist", x.Subname)
		}
		return &plan.RenameObject{Kind: "SCHEMA", Name: plan.ObjName{Name: x.Subname}, NewName: x.Newname}, nil
	case pg_query.ObjectType_OBJECT_TYPE, pg_query.ObjectType_OBJECT_DOMAIN:
		schema, name, err := b.qualified(objectNames(x.Object), -1)
		if err != nil {
			return nil, err
		}
		t, err := b.dropTarget(x.RenameType, schema, name)
		if err != nil {
			return nil, err
		}
		if t == nil {
			return nil, dberr.New(dberr.UndefinedObject, "type \"%s\" does not exist", name)
		}
		kind := map[bool]string{true: "DOMAIN", false: "TYPE"}[x.RenameType == pg_query.ObjectType_OBJECT_DOMAIN]
		return &plan.RenameObject{Kind: kind, Name: t.Name, NewName: x.Newname}, nil
	case pg_query.ObjectType_OBJECT_ROLE, pg_query.ObjectType_OBJECT_DATABASE:
		kind := map[bool]string{true: "ROLE", false: "DATABASE"}[x.RenameType == pg_query.ObjectType_OBJECT_ROLE]
		return &plan.RenameObject{Kind: kind, Name: plan.ObjName{Name: x.Subname}, NewName: x.Newname}, nil
	}
	st, err := b.alterTarget(x.RenameType, x.Relation, x.MissingOk)
	if err != nil || st.Rel == nil {
		return st, err
	}
	if st.Kind == "TABLE" {
		// ALTER TABLE name RENAME reaches indexes, too; the relation found here is none.
		st.Index = nil
	}
	st.Actions = []plan.AlterAction{{Do: plan.RenameRelation, NewName: x.Newname}}
	return st, nil
}

// renamePart renames a column or constraint.
func (b *binder) renamePart(x *pg_query.RenameStmt) (plan.Statement, error) {
	kind := x.RelationType
	if _, ok := alterKinds[kind]; !ok {
		kind = pg_query.ObjectType_OBJECT_TABLE
	}
	st, err := b.alterTarget(kind, x.Relation, x.MissingOk)
	if err != nil || st.Rel == nil {
		return st, err
	}
	if x.RenameType == pg_query.ObjectType_OBJECT_TABCONSTRAINT {
		d := &tableDef{rel: st.Rel, taken: map[string]bool{}}
		b.takenNames(d)
		if !d.taken[x.Subname] {
			return nil, dberr.New(dberr.UndefinedObject, "constraint \"%s\" for table \"%s\" does not exist", x.Subname, st.Rel.Name)
		}
		st.Actions = []plan.AlterAction{{Do: plan.RenameConstraint, Constraint: x.Subname, NewName: x.Newname}}
		return st, nil
	}
	d := &tableDef{rel: st.Rel}
	if findColumn(st.Rel, x.Subname) == nil {
		return nil, dberr.New(dberr.UndefinedColumn, "column \"%s\" does not exist", x.Subname)
	}
	if _, err := b.alterColumn(d, x.Subname); err != nil {
		return nil, err
	}
	if findColumn(st.Rel, x.Newname) != nil || systemColumns[x.Newname].typ != nil {
		return nil, dberr.New(dberr.DuplicateColumn, "column \"%s\" of relation \"%s\" already exists", x.Newname, st.Rel.Name)
	}
	st.Actions = []plan.AlterAction{{Do: plan.RenameColumn, Column: x.Subname, NewName: x.Newname}}
	return st, nil
}

// alterSchema binds ALTER … SET SCHEMA.
func (b *binder) alterSchema(x *pg_query.AlterObjectSchemaStmt) (plan.Statement, error) {
	sc, err := b.creationSchema(x.Newschema, "", false, -1)
	if err != nil {
		return nil, err
	}
	if x.Relation == nil {
		return nil, dberr.New(dberr.FeatureNotSupported, "SET SCHEMA for this kind of object is not supported").WithHint("Drop it and create it again.")
	}
	st, err := b.alterTarget(x.ObjectType, x.Relation, x.MissingOk)
	if err != nil || st.Rel == nil {
		return st, err
	}
	st.Actions = []plan.AlterAction{{Do: plan.SetSchema, NewName: sc.Name}}
	return st, nil
}

// alterOwner binds ALTER … OWNER TO for objects that are no relations; those of relations are actions of ALTER TABLE.
func (b *binder) alterOwner(x *pg_query.AlterOwnerStmt) (plan.Statement, error) {
	name := b.roleName(x.Newowner)
	if name != b.User && b.Catalog.Role(name) == nil {
		return nil, dberr.New(dberr.UndefinedObject, "role \"%s\" does not exist", name)
	}
	st := &plan.AlterOwner{Role: name, Kind: ownedKinds[x.ObjectType]}
	switch x.ObjectType {
	case pg_query.ObjectType_OBJECT_SCHEMA, pg_query.ObjectType_OBJECT_DATABASE:
		st.Name.Name = x.Object.GetString_().GetSval()
		if x.ObjectType == pg_query.ObjectType_OBJECT_SCHEMA && b.Catalog.Schema(st.Name.Name) == nil {
			return nil, dberr.New(dberr.InvalidSchemaName, "schema \"%s\" does not exist", st.Name.Name)
		}
	case pg_query.ObjectType_OBJECT_TYPE, pg_query.ObjectType_OBJECT_DOMAIN:
		schema, name, err := b.qualified(objectNames(x.Object), -1)
		if err != nil {
			return nil, err
		}
		t, err := b.dropTarget(x.ObjectType, schema, name)
		if err != nil {
			return nil, err
		}
		if t == nil {
			return nil, dberr.New(dberr.UndefinedObject, "type \"%s\" does not exist", name)
		}
		st.Name = t.Name
	case pg_query.ObjectType_OBJECT_FUNCTION, pg_query.ObjectType_OBJECT_PROCEDURE, pg_query.ObjectType_OBJECT_ROUTINE:
		f, err := b.mustRoutine(x.Object.GetObjectWithArgs(), x.ObjectType)
		if err != nil {
			return nil, err
		}
		st.Func = f
	default:
		return nil, dberr.New(dberr.FeatureNotSupported, "OWNER TO for this kind of object is not supported")
	}
	return st, nil
}

// ownedKinds are the words after ALTER of objects that are no relations.
var ownedKinds = map[pg_query.ObjectType]string{
	pg_query.ObjectType_OBJECT_SCHEMA: "SCHEMA", pg_query.ObjectType_OBJECT_DATABASE: "DATABASE", pg_query.ObjectType_OBJECT_TYPE: "TYPE",
	pg_query.ObjectType_OBJECT_DOMAIN: "DOMAIN", pg_query.ObjectType_OBJECT_FUNCTION: "FUNCTION", pg_query.ObjectType_OBJECT_PROCEDURE: "PROCEDURE",
	pg_query.ObjectType_OBJECT_ROUTINE: "ROUTINE",
}
