package coll

import (
	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
)

// HistoryRole is the role whose members may read the past of every relation.
const HistoryRole = "omgdb_history"

// MayReadPast refuses (42501) who may not read what a relation held before: the past shows rows that rights and views of today may
// hide, so it is for superusers, the relation's owner and members of HistoryRole.
func MayReadPast(env *functions.Env, rel *catalog.Relation) error {
	v := env.Txn.Catalog()
	role := v.Role(env.Session.CurrentUser())
	if role == nil || role.Super || role.ID == rel.Owner || member(v, role, HistoryRole, 0) {
		return nil
	}
	return dberr.New(dberr.InsufficientPrivilege, "permission denied for the history of %q", rel.Name).
		WithHint("It is open to superusers, to the owner and to members of role %q.", HistoryRole)
}

// MayReadLog refuses (42501) who may not read what all roles did.
func MayReadLog(env *functions.Env) error {
	v := env.Txn.Catalog()
	role := v.Role(env.Session.CurrentUser())
	if role == nil || role.Super || member(v, role, HistoryRole, 0) {
		return nil
	}
	return dberr.New(dberr.InsufficientPrivilege, "permission denied for the op-log").
		WithHint("It is open to superusers and to members of role %q.", HistoryRole)
}

// MayPurge refuses (42501) everybody but superusers and the relation's owner.
func MayPurge(env *functions.Env, rel *catalog.Relation) error {
	if role := env.Txn.Catalog().Role(env.Session.CurrentUser()); role != nil && !role.Super && role.ID != rel.Owner {
		return dberr.New(dberr.InsufficientPrivilege, "must be owner of collection %q to purge its history", rel.Name)
	}
	return nil
}

// Superuser refuses (42501) everybody else; what names the deed.
func Superuser(env *functions.Env, what string) error {
	// A user name without a role runs as the superuser: the server lets it in only while no role has a password.
	if role := env.Txn.Catalog().Role(env.Session.CurrentUser()); role != nil && !role.Super {
		return dberr.New(dberr.InsufficientPrivilege, "permission denied: only a superuser can %s", what)
	}
	return nil
}

// Writes refuses (25006) a deed that changes the store outside the transaction where that may not write.
func Writes(env *functions.Env, function string) error {
	if env.Txn.ReadOnly() {
		return dberr.New(dberr.ReadOnlySQLTransaction, "cannot execute %s() in a read-only transaction", function)
	}
	return nil
}

// maxMemberships bounds the depth of memberships, which a damaged catalog could make endless.
const maxMemberships = 64

func member(v *catalog.View, r *catalog.Role, of string, depth int) bool {
	if r.Name == of {
		return true
	}
	for _, m := range r.MemberOf {
		if up := v.RoleByID(m.Role); up != nil && depth < maxMemberships && member(v, up, of, depth+1) {
			return true
		}
	}
	return false
}
