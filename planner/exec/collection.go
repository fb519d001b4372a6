package exec

import (
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/value"
)

// How rows of a collection look to SQL: two columns, _id as text and doc as jsonb, the document with its _id first.

const (
	idColumn  = "_id"
	docColumn = "doc"
)

// documentOf turns a jsonb value into a document to store.
func documentOf(v value.Value) (doc.Doc, error) {
	d := doc.Decode(v.Bytes())
	if !d.IsObject() {
		return nil, dberr.New(dberr.InvalidParameterValue, "a document must be a JSON object, not %s", d.Kind()).
			WithHint(`Store it inside one: {"value": …}.`)
	}
	d, err := doc.ToDocument(d)
	if err != nil {
		return nil, err
	}
	if !d.IsObject() { // {"$oid": …} alone stands for a value that is none
		return nil, dberr.New(dberr.InvalidParameterValue, "a document must be a JSON object, not %s", d.Kind())
	}
	return doc.Doc(d.Data), nil
}

// idOf reads what was given for the column _id: Extended JSON for a type other than string, 24 hex digits in a collection whose ids
// are ObjectIds, else the string itself.
func idOf(rel *catalog.Relation, text string) (doc.Value, error) {
	if len(text) > 0 && text[0] == '{' {
		if v, err := doc.ParseExtJSON([]byte(text)); err == nil && !v.IsObject() {
			return v, nil
		}
	}
	if rel.OnlyIDType(doc.TypeObjectID) {
		if id, ok := doc.ParseObjectID(text); ok {
			return id.Value(), nil
		}
	}
	return doc.String(text), nil
}

// collectionRow makes the document to insert from the two columns; either may be NULL. A missing _id is left to the store.
func collectionRow(rel *catalog.Relation, id, d value.Value) (doc.Doc, error) {
	var body doc.Doc
	if d.IsNull() {
		body = doc.Doc([]byte{5, 0, 0, 0, 0})
		if id.IsNull() {
			return nil, dberr.New(dberr.NotNullViolation, `null value in column "doc" of relation "%s" violates not-null constraint`, rel.Name)
		}
	} else {
		var err error
		if body, err = documentOf(d); err != nil {
			return nil, err
		}
	}
	if id.IsNull() {
		return body, nil
	}
	given, err := idOf(rel, id.Str())
	if err != nil {
		return nil, err
	}
	if own := body.Lookup(idColumn); !own.Missing() {
		if doc.IDText(own) != id.Str() && !doc.EqualBSON(own, given) {
			return nil, dberr.New(dberr.InvalidParameterValue, "the columns _id and doc name different ids: %s and %s", id.Str(), doc.IDText(own))
		}
		return body, nil
	}
	return withID(given, body), nil
}

// withID gives the document with _id first, in place of one that it has.
func withID(id doc.Value, d doc.Doc) doc.Doc {
	dst, start := doc.BeginDocument(make([]byte, 0, len(d)+len(id.Data)+8))
	dst = doc.AppendElement(dst, idColumn, id)
	for e := d.Elements(); ; {
		k, v, ok := e.Next()
		if !ok {
			break
		}
		if string(k) != idColumn {
			dst = doc.AppendElement(dst, string(k), v)
		}
	}
	return doc.Doc(doc.EndDocument(dst, start))
}

// changedDocument makes the new document of a row from the value that an UPDATE gives to doc.
func changedDocument(rel *catalog.Relation, old doc.Doc, v value.Value) (doc.Doc, error) {
	if v.IsNull() {
		return nil, dberr.New(dberr.NotNullViolation, `null value in column "doc" of relation "%s" violates not-null constraint`, rel.Name)
	}
	d, err := documentOf(v)
	if err != nil {
		return nil, err
	}
	was := old.Lookup(idColumn)
	now := d.Lookup(idColumn)
	if now.Missing() {
		return withID(was, d), nil
	}
	if !doc.EqualBSON(was, now) {
		return nil, dberr.New(dberr.InvalidParameterValue, "the _id of a document cannot change: %s to %s", doc.IDText(was), doc.IDText(now)).
			WithHint("Insert the document under its new _id and delete the old one.")
	}
	return d, nil
}
