package session

import (
	"context"
	"slices"

	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/value"
)

// retype redefines a type, and with it whatever holds its definition: arrays, domains and composites of it, columns, keys of indexes.
func retype(ctx context.Context, txn *storage.Txn, n *catalog.Type) error {
	if err := txn.Define(ctx, n); err != nil {
		return err
	}
	now := map[uint32]*value.Type{n.Def.OID: n.Def}
	for again := true; again; {
		again = false
		for _, t := range txn.Catalog().Types(0) {
			def := withTypes(t.Def, now)
			if def == t.Def {
				continue
			}
			m := *t
			m.Def = def
			if err := txn.Define(ctx, &m); err != nil {
				return err
			}
			now[def.OID], again = def, true
		}
	}
	for _, r := range txn.Catalog().AllRelations() {
		if err := retypeRelation(ctx, txn, r, now); err != nil {
			return err
		}
	}
	return nil
}

// withTypes gives the definition over the types as they are now; the same one when it refers to none of them, or to them as they are.
func withTypes(t *value.Type, now map[uint32]*value.Type) *value.Type {
	out := *t
	changed := swap(&out.Elem, now)
	changed = swap(&out.Under, now) || changed
	out.Fields = slices.Clone(t.Fields)
	for i := range out.Fields {
		changed = swap(&out.Fields[i].Type, now) || changed
	}
	if !changed {
		return t
	}
	return &out
}

// swap replaces a type by what it is now. Arrays and the types of rows have no descriptor of their own: each holder has its copy.
func swap(t **value.Type, now map[uint32]*value.Type) bool {
	if *t == nil || value.ByOID((*t).OID) != nil {
		return false
	}
	n := now[(*t).OID]
	if n == nil {
		n = withTypes(*t, now)
	}
	changed := n != *t
	*t = n
	return changed
}

func retypeRelation(ctx context.Context, txn *storage.Txn, rel *catalog.Relation, now map[uint32]*value.Type) error {
	r := *rel
	r.Columns = slices.Clone(rel.Columns)
	changed := false
	for i := range r.Columns {
		changed = swap(&r.Columns[i].Type, now) || changed
	}
	for _, x := range txn.Catalog().IndexesOf(rel) {
		y := *x
		y.Keys = slices.Clone(x.Keys)
		keys := false
		for i := range y.Keys {
			keys = swap(&y.Keys[i].Type, now) || keys
		}
		if !keys {
			continue
		}
		if err := txn.Define(ctx, &y); err != nil {
			return err
		}
		changed = true
	}
	if !changed {
		return nil
	}
	_, err := txn.AlterRelation(ctx, r)
	return err
}
