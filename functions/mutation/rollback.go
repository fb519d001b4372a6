package mutation

import (
	"context"
	"errors"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/functions/coll"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/value"
)

var rollbackMutation = functions.Scalar{
	OID: 8144, Name: "rollback_mutation",
	Params: []functions.Param{pPlan},
	Ret:    value.JSON, Volatility: functions.Volatile, Writes: true,
	Eval:  evalRollbackMutation,
	Descr: "puts the documents that an applied plan changed back as they were; fails (40001) when one of them has been changed since",
}

func evalRollbackMutation(ctx context.Context, c *functions.Call, a []value.Value) (value.Value, error) {
	p, plans, err := load(ctx, c.Env, a[0])
	if err != nil {
		return value.Null, err
	}
	if err := p.in(applied, "rolled back"); err != nil {
		return value.Null, err
	}
	if p.ours() {
		return value.Null, dberr.New(dberr.ObjectNotInPrerequisiteState, "mutation plan %q was applied by this transaction", p.id).
			WithHint("Use ROLLBACK or ROLLBACK TO a savepoint.")
	}
	rel, err := coll.Collection(c.Env, p.collection, "UPDATE")
	if err != nil {
		return value.Null, err
	}
	if err := p.undo(ctx, c.Env, rel); err != nil {
		return value.Null, err
	}
	if err := p.enter(ctx, c.Env, plans, rolledBack); err != nil {
		return value.Null, err
	}
	return p.short()
}

// undo takes back what the commit that applied the plan did to the collection.
func (p *mutationPlan) undo(ctx context.Context, env *functions.Env, rel *catalog.Relation) error {
	restored := int64(0)
	found := false
	err := env.Txn.Log(ctx, p.row.lsn, p.row.lsn, false, func(e *storage.Entry) error {
		found = true
		if e.Actor.Plan != p.id {
			return dberr.New(dberr.ObjectNotInPrerequisiteState, "commit %d, the last that changed mutation plan %q, did not apply it", e.LSN, p.id)
		}
		return e.Changes(ctx, func(ch *storage.RowChange) error {
			if ch.Storage != rel.Storage {
				return nil
			}
			restored++
			return p.explain(rel, env.Txn.Undo(ctx, rel, ch))
		})
	})
	switch {
	case err != nil:
		return err
	case !found:
		return dberr.New(dberr.InvalidParameterValue, "the op-log no longer holds commit %d, which applied mutation plan %q", p.row.lsn, p.id).
			WithHint("A longer retention (set_retention) keeps plans that can be rolled back for longer.")
	case restored == 0 && p.modified > 0:
		return dberr.New(dberr.ObjectNotInPrerequisiteState, "collection %q was truncated or made anew since mutation plan %q was applied", p.collection, p.id)
	case restored != p.modified:
		return dberr.New(dberr.ObjectNotInPrerequisiteState, "the transaction that applied mutation plan %q changed other documents of %q too", p.id, p.collection).
			WithDetail("The plan changed %d documents, the transaction %d.", p.modified, restored).
			WithHint("Put the documents back by hand: history() and collection_as_of() show them as they were.")
	}
	return nil
}

// explain names the document that stands in the way.
func (p *mutationPlan) explain(rel *catalog.Relation, err error) error {
	var later *storage.ChangedLater
	if !errors.As(err, &later) {
		return err
	}
	what := "changed"
	if later.Deleted {
		what = "deleted"
	}
	e := dberr.New(dberr.SerializationFailure, "mutation plan %q cannot be rolled back: document %s of %q was %s since", p.id, idText(later.ID), rel.Name, what)
	if later.LSN != 0 {
		e = e.WithDetail("Commit %d%s did that; nothing was put back.", later.LSN, by(later.Actor))
	}
	return e.WithHint("Undo the later change first, or put the other documents back by hand: history() shows them as they were.")
}

func idText(id doc.Value) string {
	if id.Missing() {
		return "(unknown)"
	}
	return id.Canonical()
}

func by(a storage.Actor) string {
	if a.Role == "" {
		return ""
	}
	out := " by role " + a.Role
	if a.Application != "" {
		out += " (" + a.Application + ")"
	}
	return out
}
