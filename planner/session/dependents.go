package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
)

// dependent is an object that depends on another one, both as messages call them.
type dependent struct{ what, on string }

// mayDropWith refuses to drop an object that others depend on, unless cascade says that they go too: then it tells of them.
func (s *Session) mayDropWith(list []dependent, cascade bool, what string) error {
	if len(list) == 0 {
		return nil
	}
	if !cascade {
		e := dberr.New(dberr.DependentObjectsStillExist, "cannot drop %s because other objects depend on it", what).
			WithHint("Use DROP ... CASCADE to drop the dependent objects too.")
		for i, d := range list {
			if i > 0 {
				e.Detail += "\n"
			}
			e.Detail += d.what + " depends on " + d.on
		}
		return e
	}
	if len(list) == 1 {
		s.Notice("NOTICE", dberr.SuccessfulCompletion, "drop cascades to "+list[0].what)
		return nil
	}
	var lines []string
	for _, d := range list {
		lines = append(lines, "drop cascades to "+d.what)
	}
	s.notice(&dberr.Error{Severity: "NOTICE", Code: dberr.SuccessfulCompletion, Message: fmt.Sprintf("drop cascades to %d other objects", len(list)),
		Detail: strings.Join(lines, "\n")})
	return nil
}

// dropDependents sees to what depends on a relation that is about to be dropped together with those of ids.
func (s *Session) dropDependents(ctx context.Context, txn *storage.Txn, rel *catalog.Relation, ids []catalog.ID, cascade bool) error {
	v := txn.Catalog()
	what := s.described(rel)
	found := dependentsOf(v, rel, ids)
	var list []dependent
	for _, d := range found {
		text := dependent{on: s.described(d.on)}
		if d.key != nil {
			text.what = fmt.Sprintf("constraint %s on %s", plan.QuoteIdent(d.key.Name), s.described(d.rel))
		} else {
			text.what = s.described(d.rel)
		}
		list = append(list, text)
	}
	if err := s.mayDropWith(list, cascade, what); err != nil {
		return err
	}
	for _, d := range slices.Backward(found) {
		if d.key != nil {
			continue // goes with the relation that it refers to
		}
		if err := dropRelation(ctx, txn, d.rel.ID); err != nil {
			return err
		}
	}
	return nil
}

// described is a relation as messages call it: with its schema where the name alone does not find it.
func (s *Session) described(rel *catalog.Relation) string {
	name := plan.QuoteIdent(rel.Name)
	if v, err := s.view(); err == nil {
		if found := v.ResolveText(s.schemas(), rel.Name); found == nil || found.ID != rel.ID {
			if sc := v.SchemaByID(rel.Schema); sc != nil {
				name = plan.QuoteIdent(sc.Name) + "." + name
			}
		}
	}
	return relationWord(rel.Kind) + " " + name
}

// use is an object that depends on a relation: a view, or a foreign key of another table.
type use struct {
	rel *catalog.Relation
	key *catalog.ForeignKey // nil for a view
	on  *catalog.Relation
}

func (u *use) id() catalog.ID {
	if u.key != nil {
		return u.key.ID
	}
	return u.rel.ID
}

// dependentsOf lists what depends on a relation, and on that, each once, in PostgreSQL's order: objects in the order in which they were
// made, each followed by what depends on it. What belongs to the relations in except is left out.
func dependentsOf(v *catalog.View, rel *catalog.Relation, except []catalog.ID) []use {
	seen := map[catalog.ID]bool{rel.ID: true}
	for _, id := range except {
		seen[id] = true
	}
	var visit func(r *catalog.Relation) []use
	visit = func(r *catalog.Relation) (out []use) {
		var direct []use
		for _, view := range v.AllRelations() {
			if !seen[view.ID] && slices.Contains(view.Uses, r.ID) {
				seen[view.ID] = true
				direct = append(direct, use{rel: view, on: r})
			}
		}
		for _, ref := range refsTo(v, r, except, nil) {
			direct = append(direct, use{rel: ref.table, key: &ref.key, on: r})
		}
		slices.SortFunc(direct, func(a, b use) int { return cmp.Compare(a.id(), b.id()) })
		for _, d := range direct {
			out = append(out, d)
			if d.key == nil {
				out = append(out, visit(d.rel)...)
			}
		}
		return out
	}
	return visit(rel)
}
