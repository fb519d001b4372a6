package mutation

import (
	"context"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/functions/coll"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/filter/update"
	"github.com/omgdb/omgdb/storage/value"
)

var pPlan = functions.Param{Name: "plan", Type: value.Text}

var applyMutation = functions.Scalar{
	OID: 8143, Name: "apply_mutation",
	Params: []functions.Param{pPlan},
	Ret:    value.JSON, Volatility: functions.Volatile, Writes: true,
	Eval:  evalApplyMutation,
	Descr: "makes the change of a plan; fails (40001) when other documents match than the plan saw, or their content has changed",
}

func evalApplyMutation(ctx context.Context, c *functions.Call, a []value.Value) (value.Value, error) {
	p, plans, err := load(ctx, c.Env, a[0])
	if err != nil {
		return value.Null, err
	}
	if err := p.in(planned, "applied"); err != nil {
		return value.Null, err
	}
	ch, err := newChange(c.Env, p.collection, p.filter, p.update)
	if err != nil {
		return value.Null, err
	}
	// The digest is compared behind the change, which reads the documents anyway: when it differs, the error undoes the statement.
	digest := newDigester()
	n, err := ch.each(ctx, 0, true, digest.add)
	if err != nil {
		return value.Null, err
	}
	if digest.sum() != p.digest {
		return value.Null, changedSincePlanned(p, n)
	}
	if err := p.enter(ctx, c.Env, plans, applied); err != nil {
		return value.Null, err
	}
	actor := c.Env.Actor
	actor.Plan = p.id
	c.Env.Txn.SetActor(actor)
	p.modified = n.modified
	return p.short()
}

func changedSincePlanned(p *mutationPlan, n done) error {
	e := dberr.New(dberr.SerializationFailure, "mutation plan %q no longer holds: the documents that it matches have changed", p.id)
	if n.matched != p.matched {
		e = e.WithDetail("It matched %d documents of %q when it was made, and matches %d now.", p.matched, p.collection, n.matched)
	} else {
		e = e.WithDetail("It still matches %d documents of %q, but not the same ones with the same content.", n.matched, p.collection)
	}
	return e.WithHint("Plan the change again.")
}

// short is the answer of apply and rollback.
func (p *mutationPlan) short() (value.Value, error) {
	var b doc.Builder
	b.BeginObject()
	p.head(&b)
	b.End()
	return coll.Canonical(&b)
}

// stateUpdate is the update that brings a stored plan into a state.
func stateUpdate(state, role string) (*update.Update, error) {
	var b doc.Builder
	b.BeginObject()
	b.Key("$set")
	b.BeginObject()
	b.Key("state")
	b.String(state)
	b.Key("by")
	b.String(role)
	b.End()
	b.Key("$currentDate")
	b.BeginObject()
	b.Key("at")
	b.Bool(true)
	b.End()
	b.End()
	v, err := b.Value()
	if err != nil {
		return nil, err
	}
	return update.Parse(v.Doc())
}
