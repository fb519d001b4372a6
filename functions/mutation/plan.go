package mutation

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/functions/coll"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/value"
)

// Plans is the collection that keeps the plans. The commit that wrote an applied plan is the one that made its change.
const Plans = "__mutations"

// States of a plan.
const (
	planned    = "planned"
	applied    = "applied"
	rolledBack = "rolled back"
)

// mutationPlan is a document of Plans.
type mutationPlan struct {
	id         string // its _id as text
	collection string
	filter     value.Value // json, or NULL
	update     value.Value // json, or NULL: delete
	matched    int64
	modified   int64
	digest     string // of the matched documents as the plan saw them
	state      string

	row plansRow
}

// plansRow is where a plan is stored.
type plansRow struct {
	key storage.RowKey
	raw doc.Doc
	lsn kv.LSN // of the last change; MaxInt64 for one of this transaction
}

// digester computes the digest of the documents that a change matches.
type digester struct{ h hash.Hash }

func newDigester() *digester { return &digester{sha256.New()} }

func (d *digester) add(key storage.RowKey, before, _ doc.Doc) error {
	var n [8]byte
	for _, part := range [][]byte{key, before} {
		binary.BigEndian.PutUint64(n[:], uint64(len(part)))
		d.h.Write(n[:])
		d.h.Write(part)
	}
	return nil
}

func (d *digester) sum() string { return hex.EncodeToString(d.h.Sum(nil)) }

var planMutation = functions.Scalar{
	OID: 8142, Name: "plan_mutation",
	Params: []functions.Param{coll.PCollection, pFilter, pUpdate, {Name: "preview", Type: value.Int4, Default: "3"}},
	Ret:    value.JSON, Volatility: functions.Volatile, Writes: true,
	Eval: evalPlanMutation,
	Descr: "remembers a change (update NULL: a delete) without making it, and shows how many documents it would change and the first of them; " +
		"apply_mutation makes it",
}

func evalPlanMutation(ctx context.Context, c *functions.Call, a []value.Value) (value.Value, error) {
	if err := required(a, "collection", "filter"); err != nil {
		return value.Null, err
	}
	if a[3].IsNull() || a[3].Int() < 0 || a[3].Int() > maxPreview {
		return value.Null, dberr.New(dberr.InvalidParameterValue, "preview must be from 0 to %d", maxPreview)
	}
	ch, err := newChange(c.Env, a[0].Str(), a[1], a[2])
	if err != nil {
		return value.Null, err
	}
	digest, shown := newDigester(), preview{most: int(a[3].Int())}
	n, err := ch.each(ctx, 0, false, func(key storage.RowKey, before, after doc.Doc) error {
		shown.add(before, after)
		return digest.add(key, before, after)
	})
	if err != nil {
		return value.Null, err
	}
	p := &mutationPlan{
		collection: coll.Name(c.Env.Txn.Catalog(), ch.rel), filter: a[1], update: a[2], matched: n.matched, modified: n.modified,
		digest: digest.sum(), state: planned,
	}
	if err := p.store(ctx, c.Env); err != nil {
		return value.Null, err
	}
	return p.answer(&shown)
}

// maxPreview bounds how many documents a plan shows.
const maxPreview = 100

// preview keeps the first documents that a plan would change.
type preview struct {
	most    int
	changes [][2]doc.Doc
}

func (p *preview) add(before, after doc.Doc) {
	if len(p.changes) < p.most && (after == nil || &before[0] != &after[0]) {
		p.changes = append(p.changes, [2]doc.Doc{before, after})
	}
}

// answer is the plan as agents and people see it.
func (p *mutationPlan) answer(shown *preview) (value.Value, error) {
	var b doc.Builder
	b.BeginObject()
	p.head(&b)
	b.Key("digest")
	b.String(p.digest)
	b.Key("preview")
	b.BeginArray()
	for _, ch := range shown.changes {
		b.BeginObject()
		b.Key("_id")
		b.Append(ch[0].Lookup("_id"))
		b.Key("before")
		b.Append(ch[0].Value())
		b.Key("after")
		if ch[1] == nil {
			b.Null()
		} else {
			b.Append(ch[1].Value())
		}
		b.End()
	}
	b.End()
	b.End()
	return coll.Canonical(&b)
}

// head begins every answer about a plan.
func (p *mutationPlan) head(b *doc.Builder) {
	b.Key("plan")
	b.String(p.id)
	b.Key("state")
	b.String(p.state)
	b.Key("operation")
	b.String(p.operation())
	b.Key("collection")
	b.String(p.collection)
	b.Key("matched")
	b.Int(p.matched)
	b.Key("modified")
	b.Int(p.modified)
}

func (p *mutationPlan) operation() string {
	if p.update.IsNull() {
		return "delete"
	}
	return "update"
}

// store inserts a new plan and gives it its id.
func (p *mutationPlan) store(ctx context.Context, env *functions.Env) error {
	rel, err := env.Txn.EnsureCollection(ctx, "public", Plans)
	if err != nil {
		return err
	}
	var b doc.Builder
	b.BeginObject()
	for _, f := range []struct {
		name string
		text value.Value
	}{{"collection", value.String(p.collection)}, {"filter", p.filter}, {"update", p.update}} {
		b.Key(f.name)
		if f.text.IsNull() {
			b.Null()
		} else {
			b.String(f.text.Str())
		}
	}
	b.Key("matched")
	b.Int(p.matched)
	b.Key("modified")
	b.Int(p.modified)
	b.Key("digest")
	b.String(p.digest)
	b.Key("state")
	b.String(p.state)
	b.Key("role")
	b.String(env.Session.CurrentUser())
	b.Key("at")
	b.Append(doc.Date(env.StatementTime.UnixMilli()))
	b.End()
	v, err := b.Value()
	if err != nil {
		return err
	}
	_, id, err := env.Txn.Insert(ctx, rel, v.Doc())
	if err == nil {
		p.id = doc.IDText(id)
	}
	return err
}

// load reads a stored plan.
func load(ctx context.Context, env *functions.Env, id value.Value) (*mutationPlan, *catalog.Relation, error) {
	if err := coll.Required("plan", id); err != nil {
		return nil, nil, err
	}
	unknown := dberr.New(dberr.UndefinedObject, "there is no mutation plan %q", id.Str()).WithHint("plan_mutation makes one and gives its id.")
	rel := env.Txn.Catalog().Relation("public", Plans)
	if rel == nil {
		return nil, nil, unknown
	}
	keys, err := storage.IDKeys(rel, id.Str())
	if err != nil || len(keys) == 0 {
		return nil, nil, unknown
	}
	it, err := env.Txn.Scan(ctx, &storage.ScanSpec{Rel: rel, Keys: keys, Cols: []storage.ScanCol{{Kind: storage.ColRowKey}, {Kind: storage.ColRaw}, {Kind: storage.ColLSN}}})
	if err != nil {
		return nil, nil, err
	}
	defer it.Close()
	b, err := it.Next(ctx)
	if err != nil {
		return nil, nil, err
	}
	if b == nil {
		return nil, nil, unknown
	}
	row := b.Row(0)
	p := &mutationPlan{id: id.Str(), row: plansRow{b.Cols[0].Get(row).Bytes(), b.Cols[1].Get(row).Bytes(), kv.LSN(b.Cols[2].Get(row).Int())}}
	return p, rel, p.read()
}

// read takes the plan out of its document.
func (p *mutationPlan) read() error {
	ok := true
	text := func(field string) value.Value {
		v := p.row.raw.Lookup(field)
		if v.IsNull() {
			return value.Null
		}
		s, is := v.StringBytes()
		ok = ok && is
		return value.Bytes(s)
	}
	count := func(field string) int64 {
		n, is := p.row.raw.Lookup(field).Int64()
		ok = ok && is
		return n
	}
	p.collection, p.filter, p.update = text("collection").Str(), text("filter"), text("update")
	p.matched, p.modified, p.digest, p.state = count("matched"), count("modified"), text("digest").Str(), text("state").Str()
	if !ok {
		return dberr.New(dberr.DataCorrupted, "document %s of collection %q is not a mutation plan", p.id, Plans)
	}
	return nil
}

// enter brings the stored plan into another state.
func (p *mutationPlan) enter(ctx context.Context, env *functions.Env, rel *catalog.Relation, state string) error {
	u, err := stateUpdate(state, env.Session.CurrentUser())
	if err != nil {
		return err
	}
	after, err := u.Apply(p.row.raw, env.StatementTime)
	if err == nil {
		_, err = env.Txn.Update(ctx, rel, p.row.key, p.row.raw, after)
	}
	p.state = state
	return err
}

// ours tells whether the plan's last change is one of the running transaction.
func (p *mutationPlan) ours() bool { return p.row.lsn >= math.MaxInt64 }

// in refuses a plan that is not in the state that a step starts from.
func (p *mutationPlan) in(state, step string) error {
	if p.state == state {
		return nil
	}
	return dberr.New(dberr.ObjectNotInPrerequisiteState, "mutation plan %q is %s and cannot be %s", p.id, p.state, step)
}
