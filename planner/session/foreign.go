package session

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/exec"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// Foreign keys and deferrable unique constraints. The store tells which keys a statement has put into referring rows and taken from referred ones; when the statement has
// ended, each is looked at in the newest state, under the locks that keep it so: a referred row is held by KEY SHARE. What an action
// changes is found and written by SQL made here, and may cause further events. Deferred ones wait for COMMIT or SET CONSTRAINTS.

// checkConstraints handles what the statement that has just run means to foreign keys. The reading point of the statement is kept.
func (s *Session) checkConstraints(ctx context.Context, txn *storage.Txn) error {
	events := txn.TakeEvents()
	if len(events) == 0 {
		return nil
	}
	point := txn.Statement()
	defer func() {
		txn.Resume(point)
		point.Close()
	}()
	return s.handleEvents(ctx, txn, events)
}

// handleEvents handles events and those that follow from them.
func (s *Session) handleEvents(ctx context.Context, txn *storage.Txn, events []storage.ConstraintEvent) error {
	if len(events) == 0 {
		return nil
	}
	k := &keyKeeper{s: s, txn: txn}
	for len(events) > 0 {
		for i := range events {
			if err := k.handle(ctx, &events[i]); err != nil {
				return err
			}
		}
		events = txn.TakeEvents()
	}
	return nil
}

// fireDeferred handles the deferred events of the constraints that only says; nil means all.
func (s *Session) fireDeferred(ctx context.Context, only func(catalog.ID) bool) error {
	if s.tx.txn == nil || len(s.tx.deferred) == 0 {
		return nil
	}
	var now, later []storage.ConstraintEvent
	for _, e := range s.tx.deferred {
		if only == nil || only(e.Constraint) {
			now = append(now, e)
		} else {
			later = append(later, e)
		}
	}
	s.tx.deferred = later
	return s.handleEvents(ctx, s.tx.txn, now)
}

// timing is when deferrable constraints are checked: as SET CONSTRAINTS has said in the transaction. It is never changed in place.
type timing struct {
	said     bool // SET CONSTRAINTS ALL
	deferred bool
	by       map[catalog.ID]bool // deferred by name
}

func (t *timing) defers(id catalog.ID, initially bool) bool {
	if t == nil {
		return initially
	}
	if d, ok := t.by[id]; ok {
		return d
	}
	return t.said && t.deferred || !t.said && initially
}

// setConstraints is SET CONSTRAINTS: those that become immediate are checked now.
func (s *Session) setConstraints(ctx context.Context, st *plan.ConstraintsSet) error {
	if s.state != block {
		s.notice(needsBlockWarning("SET CONSTRAINTS"))
		return nil
	}
	txn, err := s.beginStatement(ctx)
	if err != nil {
		return err
	}
	next := &timing{said: true, deferred: st.Deferred}
	if len(st.Names) > 0 {
		ids, err := s.deferrableNamed(txn, st.Names)
		if err != nil {
			return err
		}
		next = &timing{by: map[catalog.ID]bool{}}
		if old := s.tx.timing; old != nil {
			next.said, next.deferred = old.said, old.deferred
			for id, d := range old.by {
				next.by[id] = d
			}
		}
		for _, id := range ids {
			next.by[id] = st.Deferred
		}
	}
	s.tx.timing = next
	if st.Deferred {
		return nil
	}
	return s.fireDeferred(ctx, func(id catalog.ID) bool { return !next.defers(id, true) })
}

// deferrableNamed finds the constraints that SET CONSTRAINTS names.
func (s *Session) deferrableNamed(txn *storage.Txn, names []plan.ObjName) (ids []catalog.ID, err error) {
	v := txn.Catalog()
	for _, n := range names {
		found := false
		for _, sc := range v.Schemas() {
			if n.Schema != "" && sc.Name != n.Schema {
				continue
			}
			for _, r := range v.Relations(sc.ID) {
				for _, f := range r.Foreign {
					if f.Name != n.Name {
						continue
					}
					if !f.Deferrable {
						return nil, notDeferrable(n.Name)
					}
					ids, found = append(ids, f.ID), true
				}
				for _, x := range v.IndexesOf(r) {
					if !x.Constraint || x.Name != n.Name {
						continue
					}
					if !x.Deferrable {
						return nil, notDeferrable(n.Name)
					}
					ids, found = append(ids, x.ID), true
				}
				if r.PrimaryName != "" && r.PrimaryName == n.Name {
					return nil, notDeferrable(n.Name)
				}
			}
		}
		if !found {
			return nil, dberr.New(dberr.UndefinedObject, `constraint "%s" does not exist`, n.Name)
		}
	}
	return ids, nil
}

func notDeferrable(name string) error {
	return dberr.New(dberr.WrongObjectType, `constraint "%s" is not deferrable`, name)
}

// keyKeeper handles events.
type keyKeeper struct {
	s      *Session
	txn    *storage.Txn
	env    functions.Env
	memory functions.Account
}

// foreignKey is a constraint with its two tables as they are now.
type foreignKey struct {
	*catalog.ForeignKey
	child, parent *catalog.Relation
}

func (k *keyKeeper) find(e *storage.ConstraintEvent) (f foreignKey, ok bool) {
	v := k.txn.Catalog()
	if f.child = v.RelationByID(e.Rel); f.child == nil {
		return f, false
	}
	i := slices.IndexFunc(f.child.Foreign, func(x catalog.ForeignKey) bool { return x.ID == e.Constraint })
	if i < 0 {
		return f, false
	}
	f.ForeignKey = &f.child.Foreign[i]
	f.parent = v.RelationByID(f.RefTable)
	return f, f.parent != nil
}

func (k *keyKeeper) handle(ctx context.Context, e *storage.ConstraintEvent) error {
	if e.Shared != nil {
		return k.shared(ctx, e)
	}
	f, ok := k.find(e)
	if !ok {
		return nil // dropped since
	}
	action := byte('a')
	if e.Referred {
		if action = f.OnDelete; e.New != nil {
			action = f.OnUpdate
		}
	}
	if action == 'a' && f.Deferrable && k.postpone(e, f.Deferred) {
		return nil
	}
	if !e.Referred {
		return k.referring(ctx, f, e.Key)
	}
	return k.referred(ctx, f, action, e)
}

// postpone keeps an event for later where its constraint, which is deferrable, is checked then.
func (k *keyKeeper) postpone(e *storage.ConstraintEvent, initially bool) bool {
	if k.s.committing || !k.s.tx.timing.defers(e.Constraint, initially) {
		return false
	}
	k.s.tx.deferred = append(k.s.tx.deferred, *e)
	return true
}

// shared sees to it that no two rows have a key of a deferrable unique index.
func (k *keyKeeper) shared(ctx context.Context, e *storage.ConstraintEvent) error {
	v := k.txn.Catalog()
	rel, x := v.RelationByID(e.Rel), v.Index(e.Constraint)
	if rel == nil || x == nil || k.postpone(e, x.Deferred) {
		return nil
	}
	return k.txn.CheckShared(ctx, rel, x, e.Shared)
}

// referring sees to it that a key that rows refer to exists.
func (k *keyKeeper) referring(ctx context.Context, f foreignKey, key []value.Value) error {
	if slices.ContainsFunc(key, value.Value.IsNull) {
		return k.broken(f, key)
	}
	held, err := k.hold(ctx, f, f.child, f.Cols, key)
	if held || err != nil {
		return err
	}
	lives, err := k.exists(ctx, f.child, f.Cols, f.child, f.Cols, key)
	if !lives || err != nil {
		return err // the row that referred to it has gone
	}
	return f.violation(k, false, key)
}

// hold locks the referred row with a key given as values of the columns cols of rel, and tells whether it exists.
func (k *keyKeeper) hold(ctx context.Context, f foreignKey, rel *catalog.Relation, cols []int16, key []value.Value) (bool, error) {
	if f.parent.Kind == catalog.Table && slices.Equal(f.parent.PrimaryKey, f.RefCols) && sameTypes(rel, cols, f.parent, f.RefCols) {
		return k.txn.HoldKey(ctx, f.parent, key, storage.ForKeyShare)
	}
	n, err := k.run(ctx, "SELECT 1 FROM ONLY "+k.name(f.parent)+" x WHERE "+conditions(f.parent, f.RefCols, 1)+" FOR KEY SHARE OF x", rel, cols, key)
	return n > 0, err
}

func sameTypes(a *catalog.Relation, x []int16, b *catalog.Relation, y []int16) bool {
	for i := range x {
		if baseOf(a.Attr(x[i]).Type) != baseOf(b.Attr(y[i]).Type) {
			return false
		}
	}
	return true
}

// baseOf is the OID of the type that values of t are of.
func baseOf(t *value.Type) uint32 {
	for t.Class == value.Domain && t.Elem != nil {
		t = t.Elem
	}
	return t.OID
}

// referred does what a foreign key says when a key that it may refer to has gone.
func (k *keyKeeper) referred(ctx context.Context, f foreignKey, action byte, e *storage.ConstraintEvent) error {
	child := "ONLY " + k.name(f.child)
	where := " WHERE " + conditions(f.child, f.Cols, 1)
	switch {
	case action == 'c' && e.New == nil:
		_, err := k.run(ctx, "DELETE FROM "+child+where, f.parent, f.RefCols, e.Key)
		return err
	case action == 'c':
		set := assignments(f.child, f.Cols, func(i int) string { return "$" + strconv.Itoa(len(e.Key)+i+1) })
		_, err := k.run(ctx, "UPDATE "+child+" SET "+set+where, f.parent, slices.Concat(f.RefCols, f.RefCols), slices.Concat(e.Key, e.New))
		return err
	case action == 'n' || action == 'd':
		return k.reset(ctx, f, action, child, where, e)
	case action == 'a':
		held, err := k.hold(ctx, f, f.parent, f.RefCols, e.Key)
		if held || err != nil {
			return err // another row has the key now
		}
	}
	lives, err := k.exists(ctx, f.child, f.Cols, f.parent, f.RefCols, e.Key)
	if !lives || err != nil {
		return err
	}
	return f.violation(k, true, e.Key)
}

// reset is SET NULL and SET DEFAULT.
func (k *keyKeeper) reset(ctx context.Context, f foreignKey, action byte, child, where string, e *storage.ConstraintEvent) error {
	cols := f.Cols
	if len(f.DeleteSet) > 0 && e.New == nil {
		cols = f.DeleteSet
	}
	to := "NULL"
	if action == 'd' {
		to = "DEFAULT"
	}
	_, err := k.run(ctx, "UPDATE "+child+" SET "+assignments(f.child, cols, func(int) string { return to })+where, f.parent, f.RefCols, e.Key)
	if err != nil || action == 'n' {
		return err
	}
	again := *e
	return k.referred(ctx, f, 'a', &again) // the default may be the key that has gone
}

// exists tells whether rel has a row with a key, given as values of the columns from of typed.
func (k *keyKeeper) exists(ctx context.Context, rel *catalog.Relation, cols []int16, typed *catalog.Relation, from []int16, key []value.Value) (bool, error) {
	n, err := k.run(ctx, "SELECT 1 FROM ONLY "+k.name(rel)+" WHERE "+conditions(rel, cols, 1)+" LIMIT 1", typed, from, key)
	return n > 0, err
}

// run runs a statement over the newest state and counts the rows that it shows. Its parameters have the types of columns of rel.
func (k *keyKeeper) run(ctx context.Context, text string, rel *catalog.Relation, cols []int16, params []value.Value) (int, error) {
	oids := make([]uint32, len(cols))
	for i, num := range cols {
		oids[i] = baseOf(rel.Attr(num).Type)
	}
	for try := 0; ; try++ {
		c, err := k.s.compile(ctx, text, oids)
		if err != nil {
			return 0, err
		}
		if c.err != nil {
			return 0, c.err
		}
		if err := k.txn.BeginNewest(ctx); err != nil {
			return 0, err
		}
		rt := k.runtime(params)
		kept, _, err := k.s.runChange(ctx, &rt, c.query)
		if errors.Is(err, storage.ErrStale) && try < maxReplans {
			continue
		}
		if err != nil || kept == nil {
			return 0, err
		}
		defer kept.free()
		return kept.n, nil
	}
}

// first gives the first row of a query without parameters, nil when there is none.
func (k *keyKeeper) first(ctx context.Context, text string) (row []value.Value, err error) {
	c, err := k.s.compile(ctx, text, nil)
	if err == nil {
		err = c.err
	}
	if err != nil {
		return nil, err
	}
	if err := k.txn.BeginNewest(ctx); err != nil {
		return nil, err
	}
	rt := k.runtime(nil)
	kept, _, err := k.s.runChange(ctx, &rt, c.query)
	if err != nil {
		return nil, err
	}
	defer kept.free()
	if kept.n == 0 {
		return nil, nil
	}
	for _, c := range kept.cols {
		row = append(row, c.Get(0))
	}
	return row, nil
}

func (k *keyKeeper) runtime(params []value.Value) exec.Runtime {
	k.s.fillEnv(&k.env, &k.memory, k.txn, k.s.tx.begun)
	return exec.Runtime{Txn: k.txn, Env: &k.env, Params: params, Memory: k.env.Memory, WorkMem: k.s.workMem, SpillDir: k.txn.SpillDir(), Registry: k.s.srv.registry}
}

// broken is the error of a referring key that is not there, or is NULL in part under MATCH FULL.
func (k *keyKeeper) broken(f foreignKey, key []value.Value) error {
	e := f.violation(k, false, key)
	if slices.ContainsFunc(key, value.Value.IsNull) {
		return e.WithDetail("MATCH FULL does not allow mixing of null and nonnull key values.")
	}
	return e
}

// name writes a table's qualified name.
func (k *keyKeeper) name(rel *catalog.Relation) string {
	if sc := k.txn.Catalog().SchemaByID(rel.Schema); sc != nil {
		return plan.QuoteIdent(sc.Name) + "." + plan.QuoteIdent(rel.Name)
	}
	return plan.QuoteIdent(rel.Name)
}

// conditions compares columns with parameters from the first on.
func conditions(rel *catalog.Relation, cols []int16, first int) string {
	parts := make([]string, len(cols))
	for i, num := range cols {
		parts[i] = plan.QuoteIdent(rel.Attr(num).Name) + " = $" + strconv.Itoa(first+i)
	}
	return strings.Join(parts, " AND ")
}

func assignments(rel *catalog.Relation, cols []int16, to func(int) string) string {
	parts := make([]string, len(cols))
	for i, num := range cols {
		parts[i] = plan.QuoteIdent(rel.Attr(num).Name) + " = " + to(i)
	}
	return strings.Join(parts, ", ")
}

// violation is the error of a key that is missing or still referred to.
func (f foreignKey) violation(k *keyKeeper, referred bool, key []value.Value) *dberr.Error {
	var e *dberr.Error
	if referred {
		e = dberr.New(dberr.ForeignKeyViolation, `update or delete on table "%s" violates foreign key constraint "%s" on table "%s"`, f.parent.Name, f.Name, f.child.Name).
			WithDetail(`Key (%s)=(%s) is still referenced from table "%s".`, columnNames(f.parent, f.RefCols), k.text(f.parent, f.RefCols, key), f.child.Name)
	} else {
		e = dberr.New(dberr.ForeignKeyViolation, `insert or update on table "%s" violates foreign key constraint "%s"`, f.child.Name, f.Name).
			WithDetail(`Key (%s)=(%s) is not present in table "%s".`, columnNames(f.child, f.Cols), k.text(f.child, f.Cols, key), f.parent.Name)
	}
	e.Table, e.Constraint = f.child.Name, f.Name
	if sc := k.txn.Catalog().SchemaByID(f.child.Schema); sc != nil {
		e.Schema = sc.Name
	}
	return e
}

func columnNames(rel *catalog.Relation, cols []int16) string {
	names := make([]string, len(cols))
	for i, num := range cols {
		names[i] = rel.Attr(num).Name
	}
	return strings.Join(names, ", ")
}

func (k *keyKeeper) text(rel *catalog.Relation, cols []int16, key []value.Value) string {
	parts := make([]string, len(cols))
	for i, num := range cols {
		parts[i] = "null"
		if !key[i].IsNull() {
			parts[i] = typeio.Text(rel.Attr(num).Type, key[i], k.s.format)
		}
	}
	return strings.Join(parts, ", ")
}
