package storage_test

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/key"
	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/kv/bolt"
	"github.com/omgdb/omgdb/storage/kv/kvtest"
	"github.com/omgdb/omgdb/storage/kv/mem"
	"github.com/omgdb/omgdb/storage/oplog"
)

// content is what a relation holds: the canonical document by the text of its key.
type content = map[string]string

// machine runs random work on one collection and one table with a primary key, beside a model of maps.
type machine struct {
	db     *storage.DB
	reopen func() *storage.DB // nil: the engine can't

	tx      *storage.Txn
	names   []string
	base    map[string]content // committed, by relation
	own     map[string]content // as the running transaction sees it after its current statement
	seen    map[string]content // as the current statement sees it
	marks   []mark
	states  map[kv.LSN]map[string]content // after each commit
	fresh   int
	touched map[string]bool // rows that the current statement has written, by relation and key
}

type mark struct {
	m     storage.Mark
	state map[string]content
}

func newMachine(t rapid.TB, db *storage.DB) *machine {
	collection(t, db, "docs")
	table(t, db, "typed", 1, 2)
	m := &machine{db: db, names: []string{"docs", "typed"}, base: map[string]content{"docs": {}, "typed": {}}, states: map[kv.LSN]map[string]content{}}
	m.remember(t)
	return m
}

func cloneAll(c map[string]content) map[string]content {
	out := map[string]content{}
	for k, v := range c {
		out[k] = maps.Clone(v)
	}
	return out
}

// remember notes the model's state at the newest commit.
func (m *machine) remember(t rapid.TB) {
	tx := begin(t, m.db, storage.ReadCommitted)
	defer tx.Rollback()
	m.states[tx.LSN()] = cloneAll(m.base)
}

func (m *machine) begin(t rapid.TB, iso storage.Isolation) {
	if m.tx == nil {
		m.tx = begin(t, m.db, iso)
		m.own, m.seen, m.marks, m.touched = cloneAll(m.base), cloneAll(m.base), nil, map[string]bool{}
	}
}

func (m *machine) rel(name string) *catalog.Relation { return m.tx.Catalog().Relation("public", name) }

func (m *machine) statement(t rapid.TB) {
	must(t, m.tx.BeginStatement(bg))
	m.seen, m.touched = cloneAll(m.own), map[string]bool{}
}

// idGen gives few ids of several types, so that they meet.
var idGen = rapid.SampledFrom([]string{`1`, `2`, `1.5`, `"1"`, `"a"`, `"b"`, `{"k":1}`, `true`, `null`, `{"$oid":"64b000000000000000000001"}`,
	`"64b000000000000000000001"`, `{"$date":"2020-01-01T00:00:00Z"}`, `12345678901234567890`, `"{\"k\":1}"`})

func (m *machine) actions() map[string]func(*rapid.T) {
	needTxn := func(r *rapid.T) {
		m.begin(r, rapid.SampledFrom([]storage.Isolation{storage.ReadCommitted, storage.RepeatableRead, storage.Serializable}).Draw(r, "level"))
	}
	return map[string]func(*rapid.T){
		"insert": func(r *rapid.T) { needTxn(r); m.insertDoc(r) },
		"row":    func(r *rapid.T) { needTxn(r); m.insertRow(r) },
		"update": func(r *rapid.T) { needTxn(r); m.change(r, false) },
		"delete": func(r *rapid.T) { needTxn(r); m.change(r, true) },
		"statement": func(r *rapid.T) {
			needTxn(r)
			m.statement(r)
		},
		"mark": func(r *rapid.T) {
			needTxn(r)
			m.marks = append(m.marks, mark{m.tx.Mark(), cloneAll(m.own)})
			m.statement(r)
		},
		"rollbackTo": func(r *rapid.T) {
			if len(m.marks) == 0 {
				return
			}
			i := rapid.IntRange(0, len(m.marks)-1).Draw(r, "mark")
			m.tx.RollbackTo(m.marks[i].m)
			m.own = cloneAll(m.marks[i].state)
			m.marks = m.marks[:i+1]
			m.statement(r)
		},
		"commit": func(r *rapid.T) {
			if m.tx != nil {
				must(r, m.tx.Commit(bg))
				m.base, m.tx, m.marks = m.own, nil, nil
				m.remember(r)
			}
		},
		"rollback": func(r *rapid.T) {
			if m.tx != nil {
				m.tx.Rollback()
				m.tx, m.marks = nil, nil
			}
		},
		"reopen": func(r *rapid.T) {
			if m.tx == nil && m.reopen != nil && rapid.IntRange(0, 3).Draw(r, "really") == 0 {
				must(r, m.db.Close())
				m.db = m.reopen()
			}
		},
		"past": func(r *rapid.T) { needTxn(r); m.checkPast(r) },
		"": func(r *rapid.T) {
			if m.tx != nil {
				m.check(r)
			}
		},
	}
}

// insertDoc inserts a document; a text that is taken must be refused.
func (m *machine) insertDoc(t *rapid.T) {
	d := parse(t, fmt.Sprintf(`{"n":%d,"_id":%s}`, rapid.IntRange(0, 99).Draw(t, "n"), idGen.Draw(t, "id")))
	id := doc.IDText(d.Lookup("_id"))
	_, got, err := m.tx.Insert(bg, m.rel("docs"), d)
	if _, taken := m.own["docs"][id]; taken {
		if dberr.Code(err) != dberr.UniqueViolation {
			t.Fatalf("second %q gave %v", id, err)
		}
		return
	}
	must(t, err)
	if doc.IDText(got) != id {
		t.Fatalf("inserted %s, told %s", id, doc.IDText(got))
	}
	m.touched["docs"+id] = true
	m.own["docs"][id] = fmt.Sprintf(`{"_id":%s,"n":%s}`, d.Lookup("_id").Canonical(), d.Lookup("n").Canonical())
}

func (m *machine) insertRow(t *rapid.T) {
	a, b := rapid.IntRange(-2, 2).Draw(t, "a"), rapid.IntRange(0, 3).Draw(t, "b")
	text := fmt.Sprintf(`{"a":%d,"b":%d,"c":"%d"}`, a, b, rapid.IntRange(0, 9).Draw(t, "c"))
	id := fmt.Sprintf("[%d,%d]", a, b)
	_, _, err := m.tx.Insert(bg, m.rel("typed"), parse(t, text))
	if _, taken := m.own["typed"][id]; taken {
		want := fmt.Sprintf("Key (a, b)=(%d, %d) already exists.", a, b)
		if dberr.Code(err) != dberr.UniqueViolation || dberr.As(err).Detail != want {
			t.Fatalf("second %q gave %v (%s)", id, err, dberr.As(err).Detail)
		}
		return
	}
	must(t, err)
	m.touched["typed"+id] = true
	m.own["typed"][id] = text
}

// change updates or deletes a row that the statement sees; a row that the statement has changed already must be left alone.
func (m *machine) change(t *rapid.T, remove bool) {
	name := rapid.SampledFrom(m.names).Draw(t, "relation")
	all := rows(t, m.tx, storage.ScanSpec{Rel: m.rel(name)})
	if len(all) == 0 {
		return
	}
	old := rapid.SampledFrom(all).Draw(t, "row")
	twice := m.touched[name+old.id]
	if remove {
		if err := m.tx.Delete(bg, m.rel(name), old.key, old.raw); twice {
			wantTwice(t, err)
		} else {
			must(t, err)
			m.touched[name+old.id] = true
			delete(m.own[name], old.id)
		}
		return
	}
	next, nextID := m.newVersion(t, name, old)
	_, taken := m.own[name][nextID]
	_, err := m.tx.Update(bg, m.rel(name), old.key, old.raw, parse(t, next))
	switch {
	case twice:
		wantTwice(t, err)
	case nextID != old.id && taken:
		if dberr.Code(err) != dberr.UniqueViolation {
			t.Fatalf("moving %s to %s gave %v", old.id, nextID, err)
		}
	default:
		must(t, err)
		m.touched[name+old.id], m.touched[name+nextID] = true, true
		delete(m.own[name], old.id)
		m.own[name][nextID] = next
	}
}

func (m *machine) newVersion(t *rapid.T, name string, old row) (text, id string) {
	m.fresh++
	n := 100 + m.fresh // never what it was
	if name == "docs" {
		return fmt.Sprintf(`{"_id":%s,"n":%d}`, old.raw.Lookup("_id").Canonical(), n), old.id
	}
	a, b := old.raw.Lookup("a").Canonical(), old.raw.Lookup("b").Canonical()
	if rapid.IntRange(0, 2).Draw(t, "move") == 0 {
		b = fmt.Sprint(rapid.IntRange(0, 3).Draw(t, "b"))
	}
	return fmt.Sprintf(`{"a":%s,"b":%s,"c":"%d"}`, a, b, n), "[" + a + "," + b + "]"
}

func wantTwice(t rapid.TB, err error) {
	t.Helper()
	if err != storage.ErrTwice {
		t.Fatalf("a second change in one statement gave %v", err)
	}
}

// check compares scans and look-ups with what the statement must see.
func (m *machine) check(t *rapid.T) {
	name := rapid.SampledFrom(m.names).Draw(t, "checked")
	rel, want := m.rel(name), m.seen[name]
	reverse := rapid.Bool().Draw(t, "reverse")
	all := rows(t, m.tx, storage.ScanSpec{Rel: rel, Reverse: reverse})
	if len(all) != len(want) {
		t.Fatalf("%s: %v, want %v", name, ids(all), want)
	}
	for i, x := range all {
		if want[x.id] != x.doc {
			t.Fatalf("%s %s is %s, want %s", name, x.id, x.doc, want[x.id])
		}
		if i > 0 && (bytes.Compare(all[i-1].key, x.key) < 0) == reverse {
			t.Fatalf("%s: keys out of order", name)
		}
	}
	if n, err := m.tx.Count(bg, rel); err != nil || int(n) != len(want) {
		t.Fatalf("%s: count %d, want %d (%v)", name, n, len(want), err)
	}
	if len(all) > 0 {
		m.checkParts(t, rel, all, reverse)
	}
}

func (m *machine) checkParts(t *rapid.T, rel *catalog.Relation, all []row, reverse bool) {
	if reverse {
		slices.Reverse(all)
	}
	i := rapid.IntRange(0, len(all)-1).Draw(t, "from")
	j := rapid.IntRange(i, len(all)-1).Draw(t, "to")
	part := rows(t, m.tx, storage.ScanSpec{Rel: rel, Bounds: []storage.KeyRange{{End: all[i].key}, {Start: all[i].key, End: all[j].key}}})
	if !slices.Equal(ids(part), ids(all[:j])) {
		t.Fatalf("bounds give %v, want %v", ids(part), ids(all[:j]))
	}
	limited := rows(t, m.tx, storage.ScanSpec{Rel: rel, Limit: int64(i + 1), Reverse: true})
	want := slices.Clone(all[len(all)-i-1:])
	slices.Reverse(want)
	if !slices.Equal(ids(limited), ids(want)) {
		t.Fatalf("limit gives %v, want %v", ids(limited), ids(want))
	}
	point := rows(t, m.tx, storage.ScanSpec{Rel: rel, Keys: [][]byte{all[j].key, []byte("none"), all[i].key}})
	if !slices.Equal(ids(point), []string{all[j].id, all[i].id}) {
		t.Fatalf("keys give %v", ids(point))
	}
	if rel.Kind == catalog.Collection {
		if k, d, ok, err := m.tx.GetByID(bg, rel, all[i].id); err != nil || !ok || !bytes.Equal(k, all[i].key) || d.Value().Canonical() != all[i].doc {
			t.Fatalf("GetByID(%s) gives %x, %v, %v", all[i].id, k, ok, err)
		}
	}
}

// checkPast compares a read as of an earlier commit with the model's state at it.
func (m *machine) checkPast(t *rapid.T) {
	var known []kv.LSN
	for _, lsn := range slices.Sorted(maps.Keys(m.states)) {
		if lsn <= m.tx.LSN() {
			known = append(known, lsn)
		}
	}
	lsn := rapid.SampledFrom(known).Draw(t, "lsn")
	name := rapid.SampledFrom(m.names).Draw(t, "past of")
	v, err := m.tx.CatalogAsOf(bg, lsn)
	must(t, err)
	got := rows(t, m.tx, storage.ScanSpec{Rel: v.Relation("public", name), AsOf: lsn, Reverse: rapid.Bool().Draw(t, "reverse")})
	want := m.states[lsn][name]
	if len(got) != len(want) {
		t.Fatalf("%s as of %d: %v, want %v", name, lsn, ids(got), want)
	}
	for _, x := range got {
		if want[x.id] != x.doc {
			t.Fatalf("%s %s as of %d is %s, want %s", name, x.id, lsn, x.doc, want[x.id])
		}
	}
}

// undoAll undoes the op-log from the newest state, commit by commit, and compares with the model's state at each.
func (m *machine) undoAll(t rapid.TB) {
	tx := begin(t, m.db, storage.ReadCommitted)
	defer tx.Rollback()
	now := map[string]doc.Doc{} // by full key
	id := map[uint64]string{}   // relation by storage
	for _, name := range m.names {
		rel := tx.Catalog().Relation("public", name)
		id[rel.Storage] = name
		for _, r := range rows(t, tx, storage.ScanSpec{Rel: rel}) {
			now[string(key.AppendRow(nil, rel.Storage, r.key))] = r.raw
		}
	}
	known := slices.Sorted(maps.Keys(m.states))
	must(t, tx.Log(bg, known[0]+1, tx.LSN(), true, func(e *storage.Entry) error {
		m.sameAs(t, now, id, e.LSN)
		return e.Records(bg, func(r *oplog.Record) error {
			if r.Image == oplog.NoImage {
				delete(now, string(r.Key))
			} else {
				now[string(r.Key)] = doc.Doc(r.Before[16:])
			}
			return nil
		})
	}))
	m.sameAs(t, now, id, known[0])
}

// sameAs compares rows by full key with the model's state at lsn; a commit of which the model knows nothing changed no rows.
func (m *machine) sameAs(t rapid.TB, now map[string]doc.Doc, relations map[uint64]string, lsn kv.LSN) {
	known := slices.Sorted(maps.Keys(m.states))
	i, exact := slices.BinarySearch(known, lsn)
	if !exact {
		i--
	}
	want := m.states[known[i]]
	got := map[string]content{"docs": {}, "typed": {}}
	for k, d := range now {
		_, storageID, _ := key.Split([]byte(k))
		switch name := relations[storageID]; name {
		case "docs":
			got[name][doc.IDText(d.Lookup("_id"))] = d.Value().Canonical()
		case "typed":
			got[name]["["+d.Lookup("a").Canonical()+","+d.Lookup("b").Canonical()+"]"] = d.Value().Canonical()
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("undone to commit %d:\n%s", lsn, diff)
	}
}

// finish ends the running transaction and checks the store as a whole.
func (m *machine) finish(t rapid.TB) {
	if m.tx != nil {
		m.tx.Rollback()
	}
	m.undoAll(t)
	report, err := m.db.Verify(bg)
	must(t, err)
	if report.Problem != "" {
		t.Fatalf("%s", report.Problem)
	}
	must(t, m.db.Close())
}

func TestRandomHistory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		db, err := storage.Open(bg, "", storage.Options{Engine: mem.New()})
		must(t, err)
		m := newMachine(t, db)
		t.Repeat(m.actions())
		m.finish(t)
	})
}

// TestRandomHistorySpilled runs the same with transactions that spill all the time and lock whole tables after a few rows.
func TestRandomHistorySpilled(t *testing.T) {
	defer storage.SetMemory(1000, 1000)()
	defer storage.SetEscalation(3)()
	rapid.Check(t, func(t *rapid.T) {
		db, err := storage.Open(bg, "", storage.Options{Engine: mem.New()})
		must(t, err)
		m := newMachine(t, db)
		t.Repeat(m.actions())
		m.finish(t)
	})
}

// TestRandomHistoryOnDisk runs the same on the durable engine, beside that in memory and with the store opened anew now and then.
func TestRandomHistoryOnDisk(t *testing.T) {
	for seed := range 24 {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			dir, memory := t.TempDir(), &immortal{mem.New()}
			open := func() *storage.DB {
				disk, err := bolt.Open(dir, bolt.Options{Create: true})
				must(t, err)
				db, err := storage.Open(bg, "", storage.Options{Engine: kvtest.Mirror(disk, memory)})
				must(t, err)
				return db
			}
			m := newMachine(t, open())
			m.reopen = open
			rapid.Custom(func(r *rapid.T) bool { r.Repeat(m.actions()); return true }).Example(seed)
			m.finish(t)
		})
	}
}

// immortal is an engine in memory that keeps its content when it is closed.
type immortal struct{ *mem.Store }

func (*immortal) Close() error { return nil }
