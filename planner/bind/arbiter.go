package bind

import (
	"slices"

	pg_query "github.com/omgdb/omgdb/planner/parse/ast"

	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
)

// arbiter finds the unique index that ON CONFLICT means: by a constraint's name, or as the one over exactly the listed columns and
// expressions. The row key of the table is the arbiter with a nil Index.
func (b *binder) arbiter(t *dmlTarget, it *item, c *plan.Conflict, x *pg_query.InferClause) error {
	rel := t.base
	if x.Conname != "" {
		return b.namedArbiter(rel, c, x)
	}
	var cols []int16
	var exprs []string
	for _, n := range x.IndexElems {
		el := n.GetIndexElem()
		if el.Name != "" {
			if _, n := it.find(el.Name); n == 0 {
				return errAt(loc(x.Location), dberr.UndefinedColumn, "column \"%s\" does not exist", el.Name)
			}
			col, err := t.column(b, it, el.Name, -1)
			if err != nil {
				return err
			}
			if !slices.Contains(cols, col.Num) {
				cols = append(cols, col.Num)
			}
			continue
		}
		text, err := b.exprText(rel, el.Expr)
		if err != nil {
			return err
		}
		if !slices.Contains(exprs, text) {
			exprs = append(exprs, text)
		}
	}
	if len(exprs) == 0 && sameColumns(cols, b.rowKey(rel)) {
		return nil
	}
	where := ""
	if x.WhereClause != nil {
		var err error
		if where, err = b.exprText(rel, x.WhereClause); err != nil {
			return err
		}
	}
	deferrable := false
	for _, ix := range b.Catalog.IndexesOf(rel) {
		if !ix.Unique || !ix.Valid || !matchesKeys(ix, cols, exprs) || ix.Where != "" && ix.Where != where {
			continue
		}
		if deferrable = ix.Deferrable; !deferrable {
			c.Index = ix
			return nil
		}
	}
	if deferrable {
		return deferrableArbiter()
	}
	return dberr.New(dberr.InvalidColumnRef, "there is no unique or exclusion constraint matching the ON CONFLICT specification")
}

// rowKey gives the columns by which rows are stored, nil for a hidden key.
func (b *binder) rowKey(rel *catalog.Relation) []int16 {
	if rel.Kind == catalog.Collection {
		return []int16{1}
	}
	return rel.PrimaryKey
}

func (b *binder) namedArbiter(rel *catalog.Relation, c *plan.Conflict, x *pg_query.InferClause) error {
	if rel.PrimaryName != "" && rel.PrimaryName == x.Conname {
		return nil
	}
	for _, ix := range b.Catalog.IndexesOf(rel) {
		if ix.Name == x.Conname && ix.Constraint {
			if !ix.Unique {
				break
			}
			if ix.Deferrable {
				return deferrableArbiter()
			}
			c.Index = ix
			return nil
		}
	}
	for _, ck := range rel.Checks {
		if ck.Name == x.Conname {
			return dberr.New(dberr.WrongObjectType, "constraint in ON CONFLICT clause has no associated index")
		}
	}
	return dberr.New(dberr.UndefinedObject, "constraint \"%s\" for table \"%s\" does not exist", x.Conname, rel.Name)
}

func deferrableArbiter() error {
	return dberr.New(dberr.ObjectNotInPrerequisiteState, "ON CONFLICT does not support deferrable unique constraints/exclusion constraints as arbiters")
}

func sameColumns(a, c []int16) bool {
	if len(a) != len(c) || len(a) == 0 {
		return false
	}
	for _, x := range a {
		if !slices.Contains(c, x) {
			return false
		}
	}
	return true
}

// matchesKeys tells whether an index has exactly the given columns and expressions as keys.
func matchesKeys(ix *catalog.Index, cols []int16, exprs []string) bool {
	if len(ix.Keys) != len(cols)+len(exprs) {
		return false
	}
	for _, k := range ix.Keys {
		if k.Col != 0 && !slices.Contains(cols, k.Col) || k.Col == 0 && !slices.Contains(exprs, k.Expr) {
			return false
		}
	}
	return true
}
