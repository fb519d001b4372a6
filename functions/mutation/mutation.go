// Package mutation changes documents by Mongo-style filters and updates: at once (update_documents, delete_documents), or in three
// steps that an agent can be trusted with. plan_mutation counts and shows what a change would do and remembers the state that it saw;
// apply_mutation makes the change if that state still stands; rollback_mutation puts the documents back as they were, from the op-log,
// if nobody has changed them since.
package mutation

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/functions/coll"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/filter"
	"github.com/omgdb/omgdb/storage/filter/update"
	"github.com/omgdb/omgdb/storage/value"
)

// Entries lists the functions of this package.
func Entries() functions.Entries {
	return functions.Entries{
		Tables:  []*functions.Table{&updateDocuments},
		Scalars: []*functions.Scalar{&deleteDocuments, &planMutation, &applyMutation, &rollbackMutation},
	}
}

// change is what is to be done to the documents that match.
type change struct {
	env    *functions.Env
	rel    *catalog.Relation
	filter filter.Expr
	update *update.Update // nil: delete them
	now    time.Time      // for $currentDate
}

// newChange reads the arguments collection, filter and update (NULL: delete).
func newChange(env *functions.Env, collection string, filterJSON, updateJSON value.Value) (*change, error) {
	statement := "UPDATE"
	if updateJSON.IsNull() {
		statement = "DELETE"
	}
	rel, err := coll.Collection(env, collection, statement)
	if err != nil {
		return nil, err
	}
	c := &change{env: env, rel: rel, now: env.StatementTime}
	if c.filter, err = coll.Filter(filterJSON); err != nil {
		return nil, err
	}
	if !updateJSON.IsNull() {
		// The update keeps values of its text, which lives as long as the statement.
		c.update, err = update.ParseJSON(bytes.Clone(updateJSON.Bytes()))
	}
	return c, err
}

// done counts what happened.
type done struct{ matched, modified int64 }

// visit looks at a document that matches, before it is changed, and at what it becomes: nil when it is deleted, before itself when
// nothing changes.
type visit func(key storage.RowKey, before, after doc.Doc) error

// each visits the documents that match in key order, most at most (0: all), and changes them when write is set.
func (c *change) each(ctx context.Context, most int64, write bool, v visit) (n done, err error) {
	it, err := c.env.Txn.Scan(ctx, &storage.ScanSpec{
		Rel: c.rel, Filter: c.filter, Limit: most, Cols: []storage.ScanCol{{Kind: storage.ColRowKey}, {Kind: storage.ColRaw}},
	})
	if err != nil {
		return n, err
	}
	defer it.Close()
	for {
		b, err := it.Next(ctx)
		if err != nil || b == nil {
			return n, err
		}
		for i := range b.Rows() {
			row := b.Row(i)
			key, before := b.Cols[0].Get(row).Bytes(), doc.Doc(b.Cols[1].Get(row).Bytes())
			modified, err := c.one(ctx, key, before, write, v)
			if err != nil {
				return n, err
			}
			n.matched++
			if modified {
				n.modified++
			}
		}
	}
}

// one visits, and perhaps changes, one document.
func (c *change) one(ctx context.Context, key storage.RowKey, before doc.Doc, write bool, v visit) (modified bool, err error) {
	var after doc.Doc
	if c.update != nil {
		if after, err = c.update.Apply(before, c.now); err != nil {
			return false, c.blame(before, err)
		}
	}
	if v != nil {
		if err := v(key, before, after); err != nil {
			return false, err
		}
	}
	if c.update != nil && bytes.Equal(before, after) {
		return false, nil
	}
	if !write {
		return true, nil
	}
	if c.update == nil {
		err = c.env.Txn.Delete(ctx, c.rel, key, before)
	} else {
		_, err = c.env.Txn.Update(ctx, c.rel, key, before, after)
	}
	if errors.Is(err, storage.ErrTwice) {
		err = dberr.New(dberr.ObjectNotInPrerequisiteState, "document %s of %q was changed by this statement already", idOf(before), c.rel.Name).
			WithHint("Use one statement for each change.")
	}
	return err == nil, err
}

// blame names the document that an update cannot work on.
func (c *change) blame(d doc.Doc, err error) error {
	var e *dberr.Error
	if !errors.As(err, &e) || e.Detail != "" {
		return err
	}
	blamed := *e
	return blamed.WithDetail("The document is %s of collection %q.", idOf(d), c.rel.Name)
}

func idOf(d doc.Doc) string { return d.Lookup("_id").Canonical() }
