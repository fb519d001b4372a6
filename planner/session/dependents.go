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
	"github.com/omgdb/omgdb/storage/value"
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
	gone := slices.Clip(ids)
	for _, d := range found {
		gone = append(gone, d.rel.ID)
	}
	rows := s.usesOfRows(v, rel, gone)
	for _, u := range rows {
		list = append(list, dependent{u.what, "type " + plan.QuoteIdent(rel.Name)})
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
	for _, u := range rows {
		if err := s.dropTypeUse(ctx, txn, &u); err != nil {
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

// typeUse is what depends on a type: a column, another type, or a function.
type typeUse struct {
	rel  *catalog.Relation
	col  *catalog.Column
	typ  *catalog.Type
	fn   *catalog.Function
	what string
}

// isMadeOf tells whether a type is the one with the OID, an array of it, or otherwise made of it.
func isMadeOf(t *value.Type, oid uint32) bool {
	switch {
	case t == nil:
		return false
	case t.OID == oid || isMadeOf(t.Elem, oid) || isMadeOf(t.Under, oid):
		return true
	}
	return slices.ContainsFunc(t.Fields, func(f value.Field) bool { return isMadeOf(f.Type, oid) })
}

// usesOfType lists what depends on a type, other types first.
func (s *Session) usesOfType(v *catalog.View, ty *catalog.Type, except []catalog.ID) []typeUse {
	return s.usesOf(v, uint32(ty.ID), ty.Def.ArrayOID, append(slices.Clip(except), ty.ID, ty.Partner))
}

// usesOfRows lists what depends on the type of a relation's rows.
func (s *Session) usesOfRows(v *catalog.View, rel *catalog.Relation, except []catalog.ID) []typeUse {
	return s.usesOf(v, catalog.RowType(rel.ID), catalog.RowArray(rel.ID), append(slices.Clip(except), rel.ID))
}

func (s *Session) usesOf(v *catalog.View, oid, array uint32, except []catalog.ID) (out []typeUse) {
	for _, t := range v.Types(0) {
		if !slices.Contains(except, t.ID) && isMadeOf(t.Def, oid) {
			out = append(out, typeUse{typ: t, what: "type " + plan.QuoteIdent(t.Def.Name)})
		}
	}
	for _, r := range v.AllRelations() {
		if slices.Contains(except, r.ID) {
			continue
		}
		for i := range r.Columns {
			if c := &r.Columns[i]; !c.Dropped && isMadeOf(c.Type, oid) {
				out = append(out, typeUse{rel: r, col: c, what: "column " + plan.QuoteIdent(c.Name) + " of " + s.described(r)})
			}
		}
	}
	for _, f := range v.Functions(0) {
		takes := func(a catalog.FunctionArg) bool { return a.Type == oid || a.Type == array }
		if f.Ret == oid || f.Ret == array || slices.ContainsFunc(f.Args, takes) {
			out = append(out, typeUse{fn: f, what: f.Word() + " " + s.signature(f)})
		}
	}
	return out
}

// signature is a function with the types of its arguments, as messages call it.
func (s *Session) signature(f *catalog.Function) string {
	var args []string
	for _, a := range f.Args {
		if !a.In() {
			continue
		}
		if t := s.lookup.TypeByOID(a.Type); t != nil {
			args = append(args, t.SQL)
		}
	}
	return plan.QuoteIdent(f.Name) + "(" + strings.Join(args, ",") + ")"
}

// dropTypeUses sees to what depends on a type that is about to be dropped together with those of ids.
func (s *Session) dropTypeUses(ctx context.Context, txn *storage.Txn, ty *catalog.Type, ids []catalog.ID, cascade bool) error {
	name := "type " + plan.QuoteIdent(ty.Def.Name)
	uses := s.usesOfType(txn.Catalog(), ty, ids)
	list, err := s.typeDependents(ctx, txn, ty, uses)
	if err != nil {
		return err
	}
	if err := s.mayDropWith(list, cascade, name); err != nil {
		return err
	}
	for _, u := range uses {
		if err := s.dropTypeUse(ctx, txn, &u); err != nil {
			return err
		}
	}
	return nil
}

// typeDependents tells of what depends on a type in PostgreSQL's order: what holds arrays of it, then the rest as it was made, columns
// with the views that read them.
func (s *Session) typeDependents(ctx context.Context, txn *storage.Txn, ty *catalog.Type, uses []typeUse) (list []dependent, err error) {
	ofArray := func(u typeUse) bool { return u.col != nil && u.col.Type.IsArray() && u.col.Type.OID == ty.Def.ArrayOID }
	sorted := slices.Clone(uses)
	slices.SortStableFunc(sorted, func(a, b typeUse) int {
		if x, y := ofArray(a), ofArray(b); x != y {
			return map[bool]int{true: -1, false: 1}[x]
		}
		return cmp.Compare(a.id(), b.id())
	})
	name := "type " + plan.QuoteIdent(ty.Def.Name)
	told := map[catalog.ID]bool{}
	for _, u := range sorted {
		on := name
		if ofArray(u) {
			on += "[]"
		}
		if u.col == nil || u.rel.Kind != catalog.ViewKind {
			list = append(list, dependent{u.what, on})
		}
		if u.col == nil || u.rel.Kind != catalog.Table {
			continue
		}
		views, err := (&alterer{s: s, txn: txn, rel: u.rel}).viewsReading(ctx, u.col)
		if err != nil {
			return nil, err
		}
		for _, v := range views {
			if !told[v.ID] {
				told[v.ID] = true
				list = append(list, dependent{s.described(v), u.what})
			}
		}
	}
	for _, u := range sorted { // views that show the type without reading a column of it
		if u.col != nil && u.rel.Kind == catalog.ViewKind && !told[u.rel.ID] {
			told[u.rel.ID] = true
			list = append(list, dependent{s.described(u.rel), name})
		}
	}
	return list, nil
}

// id is the OID of what uses the type.
func (u *typeUse) id() catalog.ID {
	switch {
	case u.fn != nil:
		return u.fn.ID
	case u.typ != nil:
		return u.typ.ID
	}
	return u.rel.ID
}

func (s *Session) dropTypeUse(ctx context.Context, txn *storage.Txn, u *typeUse) error {
	v := txn.Catalog()
	switch {
	case u.fn != nil:
		if v.Function(u.fn.ID) == nil {
			return nil
		}
		return txn.Undefine(ctx, u.fn)
	case u.typ != nil:
		if v.TypeByID(u.typ.ID) == nil {
			return nil
		}
		if err := s.dropTypeUses(ctx, txn, u.typ, nil, true); err != nil {
			return err
		}
		return txn.Undefine(ctx, u.typ)
	}
	rel := v.RelationByID(u.rel.ID)
	switch {
	case rel == nil:
		return nil
	case rel.Kind != catalog.Table:
		return dropRelation(ctx, txn, rel.ID) // a view loses no column
	}
	a := &alterer{s: s, txn: txn, rel: rel, quiet: true}
	return a.dropColumn(ctx, &plan.AlterAction{Do: plan.DropColumn, Column: u.col.Name, Cascade: true})
}
