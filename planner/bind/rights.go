package bind

import (
	pg_query "github.com/omgdb/omgdb/planner/parse/ast"

	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
)

// actor is the role whose rights count here: the owner of the view whose query is bound, or the session's role. 0 may do everything.
func (b *binder) actor() catalog.ID {
	if b.viewOwner != 0 {
		if b.Catalog.IsSuper(b.viewOwner) {
			return 0
		}
		return b.viewOwner
	}
	r := b.Catalog.Role(b.User)
	if r == nil || r.Super {
		return 0
	}
	return r.ID
}

// need refuses a relation that the role has no right on. A right on all the columns named will do; with none named, a right on some
// columns leaves the relation with those alone, which restricted tells.
func (b *binder) need(rel *catalog.Relation, right catalog.Rights, names []string) (restricted bool, err error) {
	role := b.actor()
	if role == 0 || rel.Temp {
		return false, nil
	}
	sc := b.Catalog.SchemaByID(rel.Schema)
	if sc != nil && !b.Catalog.Allowed(role, catalog.GuardSchema, sc.Owner, sc.Rights(), catalog.RightUsage) {
		return false, dberr.New(dberr.InsufficientPrivilege, "permission denied for schema %s", sc.Name)
	}
	if b.Catalog.Allowed(role, rel.Guarded(), rel.Owner, rel.ACL, right) {
		return false, nil
	}
	granted := 0
	for i := range rel.Columns {
		if c := &rel.Columns[i]; b.mayColumn(role, c, right) {
			granted++
		}
	}
	for _, n := range names {
		if c := rel.Col(n); c == nil || !b.mayColumn(role, c, right) {
			granted = 0
		}
	}
	if granted == 0 || right == catalog.RightDelete {
		return false, dberr.New(dberr.InsufficientPrivilege, "permission denied for %s %s", kindName(rel.Kind, false), rel.Name)
	}
	return true, nil
}

func (b *binder) mayColumn(role catalog.ID, c *catalog.Column, right catalog.Rights) bool {
	return !c.Dropped && c.ACL != nil && b.Catalog.Allowed(role, catalog.GuardColumn, 0, c.ACL, right)
}

// onlyGranted takes the columns out of an item that the role may not read.
func (b *binder) onlyGranted(it *item, rel *catalog.Relation) {
	role := b.actor()
	kept := it.cols[:0:0]
	for _, c := range it.cols {
		if col := rel.Col(c.name); col == nil || b.mayColumn(role, col, catalog.RightSelect) {
			kept = append(kept, c)
		}
	}
	it.cols = kept
}

// rightOf is the right that a verb asks for.
var rightOf = map[string]catalog.Rights{"INSERT": catalog.RightInsert, "UPDATE": catalog.RightUpdate, "DELETE": catalog.RightDelete}

// needTarget is need for the target of a statement that changes rows; targets are the columns that it names.
func (b *binder) needTarget(rel *catalog.Relation, verb string, targets []*pg_query.Node) error {
	var names []string
	for _, n := range targets {
		names = append(names, n.GetResTarget().GetName())
	}
	restricted, err := b.need(rel, rightOf[verb], names)
	if err == nil && restricted && len(names) == 0 {
		return dberr.New(dberr.InsufficientPrivilege, "permission denied for %s %s", kindName(rel.Kind, false), rel.Name)
	}
	return err
}
