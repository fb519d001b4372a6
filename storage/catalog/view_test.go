package catalog

import (
	"testing"
)

// counter gives the versions of name sets.
func counter() func() uint64 {
	n := uint64(0)
	return func() uint64 { n++; return n }
}

func names(rels []*Relation) (out []string) {
	for _, r := range rels {
		out = append(out, r.Name)
	}
	return out
}

func TestView(t *testing.T) {
	next := counter()
	pub := &Schema{ID: PublicSchema, Database: MainDatabase, Name: "public"}
	other := &Schema{ID: 50, Database: 99, Name: "public"}
	a := &Relation{ID: 100, Schema: PublicSchema, Name: "a", Kind: Table, Indexes: []ID{101}}
	ix := &Index{ID: 101, Schema: PublicSchema, Name: "a_ix", Relation: 100}
	base := NewCommitted([]Descriptor{pub, other, a, ix, &Relation{ID: 102, Schema: 50, Name: "elsewhere"}}, next, 1)
	v := NewView(base, MainDatabase, nil)
	if v.Relation("public", "a") != a || v.Resolve([]string{"nowhere", "public"}, "a") != a || v.ResolveText(nil, "public.a") != a {
		t.Error("a is not found")
	}
	if v.Relation("public", "elsewhere") != nil || v.In(99).Relation("public", "elsewhere") == nil {
		t.Error("databases are not apart")
	}
	if v.Relation("public", "a_ix") != nil || v.IndexByName("public", "a_ix") != ix || v.Find(RelationClass, PublicSchema, "a_ix") != ix {
		t.Error("the index's name is not in the relations' name space")
	}
	if got := v.IndexesOf(a); len(got) != 1 || got[0] != ix {
		t.Errorf("indexes of a: %v", got)
	}

	before := v.NameSet(PublicSchema)
	b := &Relation{ID: 200, Schema: PublicSchema, Name: "b"}
	renamed := &Relation{ID: 100, Schema: PublicSchema, Name: "a2", Version: 9}
	own := (*Own)(nil).With(Change{New: b}, next).With(Change{Old: a, New: renamed}, next)
	mine := NewView(base, MainDatabase, own)
	if mine.Relation("public", "a") != nil || mine.Relation("public", "a2") != renamed || mine.Relation("public", "b") != b {
		t.Error("own changes are not seen")
	}
	if got := names(mine.Relations(0)); len(got) != 2 || got[0] != "a2" || got[1] != "b" {
		t.Errorf("relations: %v", got)
	}
	if mine.NameSet(PublicSchema) == before || v.NameSet(PublicSchema) != before {
		t.Error("the version of the name set is wrong")
	}
	if got := len(own.Changes()); got != 2 {
		t.Errorf("%d changes", got)
	}

	gone := own.With(Change{Old: b}, next).With(Change{Old: renamed}, next)
	after := base.With(gone.Changes(), next, 2)
	if got := names(NewView(after, MainDatabase, nil).Relations(PublicSchema)); len(got) != 0 {
		t.Errorf("left after drop: %v", got)
	}
	if v.Relation("public", "a") != a {
		t.Error("an older view changed")
	}
	if ch := gone.Changes(); len(ch) != 1 || ch[0].Old != a || ch[0].New != nil {
		t.Errorf("a relation made and dropped leaves %+v", ch)
	}
	// A name freed and taken again in one transaction.
	swap := (*Own)(nil).With(Change{Old: a}, next).With(Change{New: &Relation{ID: 300, Schema: PublicSchema, Name: "a"}}, next)
	if r := NewView(base.With(swap.Changes(), next, 3), MainDatabase, nil).Relation("public", "a"); r == nil || r.ID != 300 {
		t.Errorf("name taken again leads to %+v", r)
	}
}
