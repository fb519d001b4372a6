package storage

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/index"
	"github.com/omgdb/omgdb/storage/key"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// Conflict is the cause (errors.As) of a unique violation: it tells ON CONFLICT which row stands in the way. The row's lock, or the
// lock of its index key, is held; nothing was written.
type Conflict struct {
	Index catalog.ID // the unique index; 0 for the relation's own row key
	Key   RowKey     // of the row in the way
}

func (c *Conflict) Error() string { return "a row with that key exists" }

// Meets finds the row that has the key of a unique index which d would have; nil: there is none. Insert names the first key that is taken,
// its row's own first; ON CONFLICT asks whether that of its index is taken, too. The key is locked, nothing is written.
func (t *Txn) Meets(ctx context.Context, rel *catalog.Relation, d doc.Doc, ix catalog.ID) (*Conflict, error) {
	list, err := t.maintainers(rel)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(t.Catalog().IndexesOf(t.Catalog().RelationByID(rel.ID)), func(x *catalog.Index) bool { return x.ID == ix })
	if at < 0 || at >= len(list) {
		return nil, ErrStale
	}
	w := indexWriter{t: t, rel: rel}
	r := indexRow{rel: rel, key: key.AppendHiddenRowKey(nil, math.MaxInt64)} // no row has it
	err = list[at].Insert(ctx, &w, r.row(), d)
	var met *Conflict
	if errors.As(err, &met) {
		return met, nil
	}
	var dup *index.Duplicate
	if errors.As(err, &dup) {
		return &Conflict{Index: dup.Index.ID, Key: dup.Row}, nil
	}
	return nil, err
}

// CheckSeen refuses (40001), at REPEATABLE READ and above, to go on because of a row that the transaction's snapshot doesn't have:
// INSERT ... ON CONFLICT DO NOTHING would tell of the snapshot's future.
func (t *Txn) CheckSeen(ctx context.Context, rel *catalog.Relation, rowKey RowKey) error {
	if t.opt.Isolation == ReadCommitted {
		return nil
	}
	seen, err := t.sees(ctx, rel, rowKey)
	if err == nil && !seen {
		err = concurrent(false)
	}
	return err
}

// sees tells whether the newest state of a row is the transaction's own or in its snapshot.
func (t *Txn) sees(ctx context.Context, rel *catalog.Relation, rowKey RowKey) (bool, error) {
	cur, err := t.newest(ctx, key.AppendRow(nil, rel.Storage, rowKey))
	return err == nil && (cur.own || cur.value != nil && rowLSN(cur.value) <= t.LSN()), err
}

// duplicate is the unique violation of PostgreSQL: Key (columns)=(values) already exists. In a serializable transaction that has read
// the key as absent it is a serialization failure: one that has seen both may not commit, also when it writes nothing.
func (t *Txn) duplicate(rel *catalog.Relation, constraint, columns, values string, c *Conflict) error {
	if t.reads.mayHave(rel, c) {
		if seen, err := t.sees(context.Background(), rel, c.Key); err != nil || !seen {
			return cmp.Or(err, serializationFailure())
		}
	}
	e := dberr.Wrap(c, dberr.UniqueViolation, "duplicate key value violates unique constraint \"%s\"", constraint).
		WithDetail("Key (%s)=(%s) already exists.", columns, values)
	e.Table, e.Constraint = rel.Name, constraint
	if s := t.Catalog().SchemaByID(rel.Schema); s != nil {
		e.Schema = s.Name
	}
	return e
}

// checkNotNull refuses a row in which a NOT NULL column is missing (23502).
func checkNotNull(rel *catalog.Relation, d doc.Doc) error {
	for i := range rel.Columns {
		c := &rel.Columns[i]
		if !c.NotNull || c.Dropped || !d.Lookup(c.Field).Missing() {
			continue
		}
		e := dberr.New(dberr.NotNullViolation, "null value in column \"%s\" of relation \"%s\" violates not-null constraint", c.Name, rel.Name).
			WithDetail("Failing row contains (%s).", rowText(rel, d))
		e.Table, e.Column = rel.Name, c.Name
		return e
	}
	return nil
}

// maxFieldText is how many bytes of a value an error's detail shows, as in PostgreSQL.
const maxFieldText = 64

// rowText shows a table's row as the details of PostgreSQL's errors do.
func rowText(rel *catalog.Relation, d doc.Doc) string {
	var parts []string
	for i := range rel.Columns {
		if c := &rel.Columns[i]; !c.Dropped {
			text := fieldText(c, d)
			if len(text) > maxFieldText {
				text = strings.ToValidUTF8(text[:maxFieldText], "") + "..."
			}
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, ", ")
}

func fieldText(c *catalog.Column, d doc.Doc) string {
	v := d.Lookup(c.Field)
	if v.Missing() {
		return "null"
	}
	x, err := typeio.FromBSON(c.Type, v.Type, v.Data)
	if err != nil {
		return v.Canonical()
	}
	return typeio.Text(c.Type, x, typeio.Default)
}

// primaryKey encodes the primary key of a table's row.
func primaryKey(rel *catalog.Relation, d doc.Doc) (RowKey, error) {
	var k RowKey
	for _, num := range rel.PrimaryKey {
		c := rel.Attr(num)
		v := d.Lookup(c.Field)
		var err error
		if k, err = index.AppendStored(k, key.Order{}, c.Type, v); err != nil {
			return nil, err
		}
	}
	return k, key.CheckRowKey(k)
}

// PrimaryKey encodes values of a table's primary key columns as a row key; fewer values give a prefix of row keys. The values are of
// the columns' types and not NULL.
func PrimaryKey(rel *catalog.Relation, vals []value.Value) (RowKey, error) {
	var k RowKey
	for i, v := range vals {
		var err error
		if k, err = index.AppendComponent(k, key.Order{}, rel.Attr(rel.PrimaryKey[i]).Type, v); err != nil {
			return nil, err
		}
	}
	return k, nil
}

// claimPrimaryKey locks the primary key of a new row and sees to it that no other row has it.
func (t *Txn) claimPrimaryKey(ctx context.Context, rel *catalog.Relation, d doc.Doc) (RowKey, error) {
	k, err := primaryKey(rel, d)
	if err != nil {
		return nil, err
	}
	if err := t.lockKey(ctx, rel, string(k), ForUpdate, Wait); err != nil {
		return nil, err
	}
	taken, err := t.exists(ctx, key.AppendRow(nil, rel.Storage, k))
	if err != nil {
		return nil, err
	}
	if taken {
		names, vals := keyText(rel, rel.PrimaryKey, d)
		return nil, t.duplicate(rel, primaryName(rel), names, vals, &Conflict{Key: k})
	}
	return k, nil
}

func primaryName(rel *catalog.Relation) string {
	if rel.PrimaryName != "" {
		return rel.PrimaryName
	}
	return rel.Name + "_pkey"
}

// keyText gives the names and values of key columns for an error's detail.
func keyText(rel *catalog.Relation, cols []int16, d doc.Doc) (names, vals string) {
	var n, v []string
	for _, num := range cols {
		c := rel.Attr(num)
		n, v = append(n, c.Name), append(v, fieldText(c, d))
	}
	return strings.Join(n, ", "), strings.Join(v, ", ")
}

// movedKey gives the row key that new has, nil when it is rowKey.
func (t *Txn) movedKey(rel *catalog.Relation, rowKey RowKey, old, new doc.Doc) (RowKey, error) {
	if rel.Kind == catalog.Collection || len(rel.PrimaryKey) == 0 {
		return nil, nil
	}
	k, err := primaryKey(rel, new)
	if err != nil || string(k) == string(rowKey) {
		return nil, err
	}
	return k, nil
}

// CheckShared refuses (23505) that several rows have a key of a deferrable unique index, in the newest state.
func (t *Txn) CheckShared(ctx context.Context, rel *catalog.Relation, x *catalog.Index, shared []byte) error {
	m, err := t.db.openIndex(rel, x)
	if err != nil {
		return err
	}
	w := indexWriter{t: t, rel: rel}
	return t.indexError(rel, m.(index.Sharing).CheckShared(ctx, &w, shared, t.loadNewest(ctx, rel)))
}

// loadNewest gives a function that reads the newest state of rows.
func (t *Txn) loadNewest(ctx context.Context, rel *catalog.Relation) func(rowKey []byte) (doc.Doc, error) {
	return func(rowKey []byte) (doc.Doc, error) {
		cur, err := t.newest(ctx, key.AppendRow(nil, rel.Storage, rowKey))
		if err != nil {
			return nil, err
		}
		return rowDoc(cur.value), checkRow(rowKey, cur.value)
	}
}
