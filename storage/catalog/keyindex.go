package catalog

// KeyIndex shows a table's row key as the index that PostgreSQL would have for it; nil when the row key is hidden.
func (r *Relation) KeyIndex() *Index {
	if len(r.PrimaryKey) == 0 || r.Kind != Table {
		return nil
	}
	x := &Index{ID: r.PrimaryID, Name: r.PrimaryName, Relation: r.ID, Schema: r.Schema, Method: "btree", Unique: true, Primary: true,
		Constraint: true, Valid: true}
	if x.Name == "" {
		x.Name = r.Name + "_pkey"
	}
	for _, k := range r.PrimaryKey {
		x.Keys = append(x.Keys, IndexKey{Col: k, Type: r.Attr(k).Type})
	}
	return x
}

// AnyIndex finds an index by its OID, those that stand for row keys too; nil when there is none.
func (v *View) AnyIndex(id ID) *Index {
	if x := v.Index(id); x != nil {
		return x
	}
	for _, r := range v.Relations(0) {
		if r.PrimaryID == id && id != 0 {
			return r.KeyIndex()
		}
	}
	return nil
}

// ShownComment is the relation's comment; a collection without one says how to query it.
func (r *Relation) ShownComment() string {
	if r.Comment != "" || r.Kind != Collection {
		return r.Comment
	}
	return "OMGDB collection: read fields with doc->>'field' or find('" + r.Name + "', '{}'), search with vsearch('" + r.Name +
		"', 'field', 'words', 10); omgdb.infer_view('" + r.Name + "') makes a typed view"
}
