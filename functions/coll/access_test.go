package coll

import (
	"context"
	"testing"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/kv/mem"
)

// as is a session of a user.
type as struct {
	functions.SessionInfo
	user string
}

func (a as) CurrentUser() string { return a.user }

// TestAccess asks what each kind of role may do with the past of a relation that owner owns.
func TestAccess(t *testing.T) {
	ctx := context.Background()
	db, err := storage.Open(ctx, "", storage.Options{Engine: mem.New()})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	txn, err := db.Begin(ctx, storage.TxnOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer txn.Rollback()
	define := func(name string, of ...catalog.ID) catalog.ID {
		r := &catalog.Role{ID: txn.NewID(), Name: name, Login: true, ConnLimit: -1}
		for _, id := range of {
			r.MemberOf = append(r.MemberOf, catalog.Membership{Role: id})
		}
		if err := txn.Define(ctx, r); err != nil {
			t.Fatal(err)
		}
		return r.ID
	}
	auditors := define("auditors", define(HistoryRole))
	define("reader", auditors)
	define("stranger")
	rel := &catalog.Relation{Name: "docs", Owner: define("owner")}
	for _, tc := range []struct {
		user                    string
		past, log, purge, super bool
	}{
		{"postgres", true, true, true, true},
		{"nobody knows", true, true, true, true}, // let in only while no role has a password
		{"owner", true, false, true, false},
		{"reader", true, true, false, false},
		{"auditors", true, true, false, false},
		{"stranger", false, false, false, false},
	} {
		env := &functions.Env{Txn: txn, Session: as{user: tc.user}}
		for what, got := range map[string]struct {
			err  error
			want bool
		}{
			"read the past": {MayReadPast(env, rel), tc.past}, "read the log": {MayReadLog(env), tc.log},
			"purge": {MayPurge(env, rel), tc.purge}, "make a backup": {Superuser(env, "make a backup"), tc.super},
		} {
			if (got.err == nil) != got.want || got.err != nil && dberr.Code(got.err) != dberr.InsufficientPrivilege {
				t.Errorf("%s may %s: %v", tc.user, what, got.err)
			}
		}
	}
}
