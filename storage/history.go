package storage

import (
	"bytes"
	"context"
	"encoding/binary"

	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/key"
	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/oplog"
)

// Entry is a commit in the op-log.
type Entry struct {
	oplog.Header
	snap kv.Snapshot
	head []byte // the value of chunk 0
	at   int    // of its first record
}

// readEntry reads the header of the commit lsn.
func readEntry(ctx context.Context, snap kv.Snapshot, lsn kv.LSN) (*Entry, error) {
	b, err := snap.Get(ctx, key.AppendLogHeader(nil, lsn))
	if err != nil {
		return nil, err
	}
	if b == nil {
		return nil, dberr.New(dberr.DataCorrupted, "the op-log has no entry %d", lsn)
	}
	return newEntry(snap, lsn, b)
}

func newEntry(snap kv.Snapshot, lsn kv.LSN, b []byte) (*Entry, error) {
	h, at, err := oplog.DecodeHeader(lsn, b)
	return &Entry{h, snap, b, at}, err
}

// chunk gives the records of a chunk and the offset at which they begin.
func (e *Entry) chunk(ctx context.Context, n uint32) (value []byte, at int, err error) {
	if n == 0 {
		return e.head, e.at, nil
	}
	b, err := e.snap.Get(ctx, key.AppendLogRecord(nil, e.LSN, n))
	if err == nil && b == nil {
		err = dberr.New(dberr.DataCorrupted, "op-log entry %d lacks its part %d", e.LSN, n)
	}
	return b, 0, err
}

// Records calls f for each record of the commit in key order until it fails. The record's bytes are valid as long as the statement's
// reading point.
func (e *Entry) Records(ctx context.Context, f func(*oplog.Record) error) error {
	return e.places(ctx, func(_ oplog.Place, r *oplog.Record) error { return f(r) })
}

func (e *Entry) places(ctx context.Context, f func(oplog.Place, *oplog.Record) error) error {
	for n := range e.Chunks {
		b, at, err := e.chunk(ctx, n)
		if err != nil {
			return err
		}
		for i := uint32(0); at < len(b); i++ {
			r, rest, ok := oplog.DecodeRecord(b[at:])
			if !ok {
				return e.damaged(n, at)
			}
			if err := f(oplog.Place{Chunk: n, Index: i}, &r); err != nil {
				return err
			}
			at = len(b) - len(rest)
		}
	}
	return nil
}

func (e *Entry) damaged(n uint32, at int) error {
	return dberr.New(dberr.DataCorrupted, "op-log entry %d is damaged: no record at offset %d of part %d", e.LSN, at, n)
}

// record reads the record at a place.
func (e *Entry) record(ctx context.Context, p oplog.Place) (oplog.Record, error) {
	b, at, err := e.chunk(ctx, p.Chunk)
	if err != nil {
		return oplog.Record{}, err
	}
	for i := uint32(0); at < len(b); i++ {
		r, rest, ok := oplog.DecodeRecord(b[at:])
		if !ok {
			break
		}
		if i == p.Index {
			return r, nil
		}
		at = len(b) - len(rest)
	}
	return oplog.Record{}, e.damaged(p.Chunk, at)
}

// find searches the record of a key; false when the commit has none.
func (e *Entry) find(ctx context.Context, fullKey []byte) (oplog.Record, bool, error) {
	lo, hi := uint32(0), e.Chunks // the record is in [lo, hi), if anywhere
	for hi-lo > 1 {
		mid := (lo + hi) / 2
		b, at, err := e.chunk(ctx, mid)
		if err != nil {
			return oplog.Record{}, false, err
		}
		r, _, ok := oplog.DecodeRecord(b[at:])
		if !ok {
			return r, false, e.damaged(mid, at)
		}
		if bytes.Compare(r.Key, fullKey) <= 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	b, at, err := e.chunk(ctx, lo)
	for err == nil && at < len(b) {
		r, rest, ok := oplog.DecodeRecord(b[at:])
		if !ok {
			return r, false, e.damaged(lo, at)
		}
		if bytes.Equal(r.Key, fullKey) {
			return r, true, nil
		}
		at = len(b) - len(rest)
	}
	return oplog.Record{}, false, err
}

// Log calls f for the commits from first to last in order, newest first when reverse, until it fails. Only commits that the current
// statement sees are shown.
func (t *Txn) Log(ctx context.Context, first, last kv.LSN, reverse bool, f func(*Entry) error) error {
	return eachEntry(ctx, t.now.head.snap, first, last, reverse, f)
}

func eachEntry(ctx context.Context, snap kv.Snapshot, first, last kv.LSN, reverse bool, f func(*Entry) error) error {
	r := key.All(key.Log, 0)
	r.Start, r.Reverse = key.AppendLogHeader(nil, first), reverse
	if last < key.Unstamped {
		r.End = key.AppendLogHeader(nil, last+1)
	}
	it := snap.Scan(ctx, r)
	defer it.Close()
	for it.Next() {
		lsn, _, header, err := key.SplitLog(it.Key())
		if err != nil {
			return err
		}
		if !header {
			continue
		}
		e, err := newEntry(snap, lsn, it.Value())
		if err != nil {
			return err
		}
		if err := f(e); err != nil {
			return err
		}
	}
	return it.Err()
}

// asOf walks the rows of a storage as they stood after the commit lsn: rows that have not changed since come from the rows
// themselves, the others from the before image in the record that the first later history entry names. A version that was made
// after lsn, or an image of one, tells that there was no row: first versions have no history entry.
func (s *Statement) asOf(ctx context.Context, space key.Space, id uint64, lsn kv.LSN, r KeyRange, reverse bool) kv.Iter {
	rows := key.Between(space, id, r.Start, r.End)
	rows.Reverse = reverse
	a := &asOf{ctx: ctx, snap: s.head.snap, lsn: lsn, reverse: reverse, space: space, id: id}
	a.rows, a.past = s.head.snap.Scan(ctx, rows), scanPast(ctx, s.head.snap, id, r, reverse)
	a.hasRow, a.hasPast = a.rows.Next(), a.past.Next()
	return a
}

// scanPast walks the history entries of the row keys in a range.
func scanPast(ctx context.Context, snap kv.Snapshot, id uint64, r KeyRange, reverse bool) kv.Iter {
	past := key.Between(key.History, id, r.Start, r.End)
	if n := len(r.End); n > 0 && r.End[n-1] == 0 {
		// The row key before the last byte of End is in the range, but its entries, which are longer, come behind End.
		past.End = append(key.AppendHistory(nil, id, r.End[:n-1], key.Unstamped), 0)
	}
	past.Reverse = reverse
	return &pastIter{snap.Scan(ctx, past), r}
}

// pastIter leaves out the entries of row keys that are not in the range although the entries are.
type pastIter struct {
	kv.Iter
	keys KeyRange
}

func (p *pastIter) Next() bool {
	for p.Iter.Next() {
		k, _, err := key.SplitHistory(p.Key())
		if err != nil || bytes.Compare(k, p.keys.Start) >= 0 && (p.keys.End == nil || bytes.Compare(k, p.keys.End) < 0) {
			return true // a damaged key is for whoever reads it to tell of
		}
	}
	return false
}

type asOf struct {
	ctx     context.Context // of this scan alone
	snap    kv.Snapshot
	lsn     kv.LSN
	reverse bool
	space   key.Space
	id      uint64

	rows, past      kv.Iter
	hasRow, hasPast bool // they stand on a key not yet passed
	entry           *Entry

	key, value []byte
	err        error
}

func (a *asOf) Next() bool {
	for a.err == nil {
		k := a.nextKey()
		if k == nil {
			a.err = firstError(a.err, a.rows.Err(), a.past.Err())
			return false
		}
		a.key = append(key.AppendPrefix(a.key[:0], a.space, a.id), k...)
		var row []byte
		if a.hasRow && bytes.Equal(a.rows.Key()[kv.PrefixLen:], a.key[kv.PrefixLen:]) {
			row = a.rows.Value()
			if a.err = checkRow(a.key, row); a.err != nil {
				return false
			}
		}
		a.value = a.version(row)
		if row != nil {
			a.hasRow = a.rows.Next()
		}
		if a.value != nil && a.err == nil {
			return true
		}
	}
	return false
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// nextKey gives the next row key that rows or history know, nil at the end.
func (a *asOf) nextKey() []byte {
	var k []byte
	if a.hasRow {
		k = a.rows.Key()[kv.PrefixLen:]
	}
	if !a.hasPast {
		return k
	}
	p, _, err := key.SplitHistory(a.past.Key())
	if err != nil {
		a.err = err
		return nil
	}
	if k == nil {
		return p
	}
	if c := bytes.Compare(p, k); c < 0 != a.reverse && c != 0 {
		return p
	}
	return k
}

// version gives the row value as of a.lsn, nil for none, and passes the key's history entries. row is the newest value, nil for none.
func (a *asOf) version(row []byte) []byte {
	place, at, found := a.firstAbove()
	switch {
	case row != nil && rowLSN(row) <= a.lsn:
		return row
	case !found || a.err != nil:
		return nil
	}
	if a.entry == nil || a.entry.LSN != at {
		if a.entry, a.err = readEntry(a.ctx, a.snap, at); a.err != nil {
			return nil
		}
	}
	r, err := a.entry.record(a.ctx, place)
	if err != nil {
		a.err = err
		return nil
	}
	switch {
	case !bytes.Equal(r.Key, a.key):
		a.err = dberr.New(dberr.DataCorrupted, "the history of key %x leads to a record of key %x in op-log entry %d", a.key, r.Key, at)
	case r.Image == oplog.NoImage || r.BeforeLSN > a.lsn:
	case r.Image == oplog.Stripped:
		a.err = dberr.New(dberr.InvalidParameterValue, "the state after commit %d cannot be read: earlier states of a row were purged", a.lsn)
	default:
		return r.Before
	}
	return nil
}

// gone is the answer for a time that the op-log no longer holds.
func gone(lsn kv.LSN) error {
	return dberr.New(dberr.InvalidParameterValue, "the state after commit %d is no longer kept", lsn).
		WithHint("Raise the retention of the op-log to look back further.")
}

// firstAbove passes all history entries of the key and gives the place of the first above a.lsn.
func (a *asOf) firstAbove() (p oplog.Place, at kv.LSN, found bool) {
	for a.hasPast {
		k, lsn, err := key.SplitHistory(a.past.Key())
		if err != nil {
			a.err = err
			return
		}
		if !bytes.Equal(k, a.key[kv.PrefixLen:]) {
			return
		}
		if lsn > a.lsn && (!found || lsn < at) { // a digest of a commit that was given up never is
			var ok bool
			if p, ok = oplog.DecodePlace(a.past.Value()); !ok {
				a.err = dberr.New(dberr.DataCorrupted, "the history entry of key %x at commit %d is damaged", a.key, lsn)
				return
			}
			at, found = lsn, true
		}
		a.hasPast = a.past.Next()
	}
	return
}

func (a *asOf) Key() []byte   { return a.key }
func (a *asOf) Value() []byte { return a.value }
func (a *asOf) Err() error    { return a.err }

func (a *asOf) Close() {
	a.rows.Close()
	a.past.Close()
}

// checkPast refuses a commit that is too old to be read.
func (t *Txn) checkPast(ctx context.Context, lsn kv.LSN) (base, error) {
	if lsn > t.LSN() {
		return base{}, dberr.New(dberr.InvalidParameterValue, "commit %d is newer than what the transaction sees", lsn).
			WithHint("It sees commits up to %d.", t.LSN())
	}
	b, err := readBase(ctx, t.now.head.snap)
	if err == nil && lsn < b.horizon() {
		err = gone(lsn)
	}
	return b, err
}

// checkPastOf refuses to read a relation as of a commit when its rows of that time are gone.
func (t *Txn) checkPastOf(ctx context.Context, rel *catalog.Relation, lsn kv.LSN) error {
	if err := noTemporaryPast(rel); err != nil {
		return err
	}
	b, err := t.checkPast(ctx, lsn)
	if err != nil {
		return err
	}
	ok, err := readablePast(ctx, t.now.head, rel.Storage, b)
	if err == nil && !ok {
		err = dberr.New(dberr.InvalidParameterValue, "the rows that \"%s\" had after commit %d are no longer kept", rel.Name, lsn).
			WithDetail("The relation was dropped or truncated since, and its storage was freed.")
	}
	return err
}

// CatalogAsOf gives the catalog as it stood after the commit lsn. Its descriptors' versions are fresh.
func (t *Txn) CatalogAsOf(ctx context.Context, lsn kv.LSN) (*catalog.View, error) {
	if _, err := t.checkPast(ctx, lsn); err != nil {
		return nil, err
	}
	open := func(class catalog.Class) kv.Iter {
		return t.now.asOf(ctx, key.Catalog, uint64(class), lsn, KeyRange{}, false)
	}
	c, err := t.db.decodeCatalog(open, lsn)
	if err != nil {
		return nil, err
	}
	return catalog.NewView(c, t.opt.Database, nil), nil
}

// Version is a state that a row had.
type Version struct {
	LSN     kv.LSN // the commit that made it
	Micros  int64  // when, µs since 1970 UTC; 0 when the op-log no longer knows
	Actor   Actor
	Deleted bool
	// Doc is the row; nil when it was deleted, or when Stripped: retention or a purge has taken it.
	Doc      doc.Doc
	Stripped bool
}

// History gives the states that a row had, newest first: those of which the op-log still knows.
func (t *Txn) History(ctx context.Context, rel *catalog.Relation, rowKey RowKey) ([]Version, error) {
	if err := t.enterForRead(ctx, rel); err != nil {
		return nil, err
	}
	snap := t.now.head.snap
	fullKey := key.AppendRow(nil, rel.Storage, rowKey)
	newest, err := snap.Get(ctx, fullKey)
	if err != nil {
		return nil, err
	}
	var out []Version
	b, err := readBase(ctx, snap)
	if err != nil {
		return nil, err
	}
	h := historian{ctx: ctx, snap: snap, base: b}
	if newest != nil {
		if err := checkRow(fullKey, newest); err != nil {
			return nil, err
		}
		out = append(out, h.version(rowLSN(newest), rowDoc(newest), false))
	}
	// Each history entry tells of the version before it, and of a delete when that is what its commit did.
	prefix := key.AppendHistory(nil, rel.Storage, rowKey, 0)
	r := kv.Range{Start: prefix, End: key.PrefixEnd(prefix[:len(prefix)-kv.StampLen]), Reverse: true}
	it := snap.Scan(ctx, r)
	defer it.Close()
	for it.Next() && h.err == nil {
		if len(it.Key()) != len(prefix) {
			continue // a longer row key cannot begin with this one, so this is damage that verify tells of
		}
		lsn := kv.LSN(binary.BigEndian.Uint64(it.Key()[key.HistoryStamp(it.Key()):]))
		place, ok := oplog.DecodePlace(it.Value())
		e := h.entry(lsn)
		if !ok || e == nil {
			break // only digests come behind
		}
		rec, err := e.record(ctx, place)
		if err != nil {
			return nil, err
		}
		if rec.Deleted {
			out = append(out, h.version(lsn, nil, false))
		}
		if rec.Image == oplog.Whole {
			out = append(out, h.version(rec.BeforeLSN, rowDoc(rec.Before), false))
		} else {
			out = append(out, h.version(rec.BeforeLSN, nil, true))
		}
	}
	return out, firstError(h.err, it.Err())
}

// historian reads op-log entries for History.
type historian struct {
	ctx  context.Context
	snap kv.Snapshot
	base base
	last *Entry
	err  error
}

// entry reads a commit; nil when it was given up, or on an error.
func (h *historian) entry(lsn kv.LSN) *Entry {
	if lsn <= h.base.horizon() {
		return nil
	}
	if h.err == nil && (h.last == nil || h.last.LSN != lsn) {
		h.last, h.err = readEntry(h.ctx, h.snap, lsn)
	}
	if h.err != nil {
		return nil
	}
	return h.last
}

func (h *historian) version(lsn kv.LSN, d doc.Doc, stripped bool) Version {
	v := Version{LSN: lsn, Doc: d, Deleted: d == nil && !stripped, Stripped: stripped}
	if e := h.entry(lsn); e != nil {
		v.Micros, v.Actor = e.Micros, e.Actor
	}
	return v
}
