package storage_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/value"
)

// TestIsolation plays the scripts of testdata/isolation on a collection and on a table with a primary key, over both engines.
func TestIsolation(t *testing.T) {
	files, err := filepath.Glob("testdata/isolation/*.txt")
	must(t, err)
	if len(files) == 0 {
		t.Fatal("no scripts")
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		must(t, err)
		for i, script := range strings.Split("\n"+string(text), "\n## ") {
			name, body, _ := strings.Cut(script, "\n")
			if i == 0 {
				continue // what stands before the first script
			}
			for engine, open := range map[string]func(testing.TB) *storage.DB{"mem": memDB, "bolt": boltDB} {
				for _, kind := range []catalog.Kind{catalog.Collection, catalog.Table} {
					t.Run(fmt.Sprintf("%s/%s/%c", name, engine, kind), func(t *testing.T) { play(t, open(t), kind, body) })
				}
			}
		}
	}
}

// stage is a running script.
type stage struct {
	t        *testing.T
	db       *storage.DB
	kind     catalog.Kind
	sessions map[string]*player
}

// player is a session of a script: a goroutine that does what it is told.
type player struct {
	*stage
	pid     int32
	session *storage.Session
	tx      *storage.Txn
	marks   map[string]storage.Mark
	order   chan []string
	answer  chan string
}

func play(t *testing.T, db *storage.DB, kind catalog.Kind, body string) {
	s := &stage{t: t, db: db, kind: kind, sessions: map[string]*player{}}
	defer func() {
		for _, p := range s.sessions {
			close(p.order)
		}
	}()
	for n, line := range strings.Split(body, "\n") {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if err := s.line(line); err != nil {
			t.Fatalf("line %d: %s: %v", n+1, line, err)
		}
	}
}

func (s *stage) line(line string) error {
	line, want, hasWant := strings.Cut(line, " =")
	want = strings.TrimSpace(want)
	words := strings.Fields(line)
	if words[0] == "rows" {
		return s.setup(words[1:])
	}
	p := s.sessions[words[0]]
	if p == nil {
		p = &player{stage: s, pid: int32(len(s.sessions) + 1), marks: map[string]storage.Mark{}, order: make(chan []string), answer: make(chan string, 1)}
		p.session = s.db.NewSession(p.pid)
		s.sessions[words[0]] = p
		go p.run()
	}
	if words[1] != "ends" {
		if words[len(words)-1] == "waits" {
			p.order <- words[1 : len(words)-1]
			return p.awaitWait()
		}
		p.order <- words[1:]
	}
	select {
	case got := <-p.answer:
		if !hasWant {
			want = "done"
		}
		if got != want {
			return fmt.Errorf("got %q, want %q", got, want)
		}
		return nil
	case <-time.After(20 * time.Second):
		return errors.New("no answer")
	}
}

// awaitWait returns when the session waits for a lock.
func (p *player) awaitWait() error {
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		for _, l := range p.db.Locks() {
			if l.PID == p.pid && !l.Granted {
				return nil
			}
		}
		select {
		case got := <-p.answer:
			return fmt.Errorf("it did not wait but gave %q", got)
		default:
		}
	}
	return errors.New("it never waited")
}

func (s *stage) setup(pairs []string) error {
	tx, err := s.db.Begin(bg, storage.TxnOptions{})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	rel, err := tx.CreateRelation(bg, catalog.Relation{Schema: catalog.PublicSchema, Name: "t", Kind: s.kind, PrimaryKey: []int16{1},
		Columns: []catalog.Column{{Name: "_id", Type: value.Text, Mod: -1}, {Name: "v", Type: value.Int4, Mod: -1}}})
	if err != nil {
		return err
	}
	for _, pair := range pairs {
		k, v, _ := strings.Cut(pair, "=")
		if _, _, err := tx.Insert(bg, rel, s.doc(k, v)); err != nil {
			return err
		}
	}
	return tx.Commit(bg)
}

func (s *stage) doc(k, v string) doc.Doc {
	d, err := doc.ParseDocument([]byte(fmt.Sprintf(`{"_id":%q,"v":%s}`, k, v)))
	if err != nil {
		s.t.Error(err)
	}
	return d
}

func (p *player) run() {
	defer func() {
		if p.tx != nil {
			p.tx.Rollback()
		}
	}()
	for words := range p.order {
		out, err := p.do(words)
		switch {
		case errors.Is(err, storage.ErrStale):
			out = "!stale"
		case err != nil:
			out = "!" + dberr.Code(err)
			if dberr.Code(err) == dberr.InternalError {
				out += " " + err.Error()
			}
		}
		p.answer <- out
	}
}

var levels = map[string]storage.Isolation{"rc": storage.ReadCommitted, "rr": storage.RepeatableRead, "ser": storage.Serializable}

func (p *player) do(words []string) (string, error) {
	switch words[0] {
	case "begin":
		var err error
		p.tx, err = p.db.Begin(bg, storage.TxnOptions{Isolation: levels[words[1]], Session: p.session})
		return "done", err
	case "begin2": // only reads the relation's descriptor, as a plan made before would
		return "done", nil
	case "commit":
		return "done", p.tx.Commit(bg)
	case "rollback":
		p.tx.Rollback()
		return "done", nil
	case "mark":
		p.marks[words[1]] = p.tx.Mark()
		return "done", nil
	case "rollbackto":
		p.tx.RollbackTo(p.marks[words[1]])
		return "done", nil
	case "timeout":
		d, err := time.ParseDuration(words[1])
		p.tx.SetLockTimeout(d)
		return "done", err
	}
	return p.statement(words)
}

// statement runs a command as a session runs a statement: with a mark to go back to, and again when it must restart.
func (p *player) statement(words []string) (out string, err error) {
	m := p.tx.Mark()
	if err := p.tx.BeginStatement(bg); err != nil {
		return "", err
	}
	for {
		rel := p.tx.Catalog().Relation("public", "t")
		out, err = p.command(rel, words)
		if !errors.Is(err, storage.ErrRestart) {
			break
		}
		if err := p.tx.Restart(bg, m); err != nil {
			return "", err
		}
	}
	if err != nil {
		p.tx.RollbackTo(m)
	}
	return out, err
}

var (
	rowModes = map[string]storage.RowMode{"update": storage.ForUpdate, "nokeyupdate": storage.ForNoKeyUpdate, "share": storage.ForShare,
		"keyshare": storage.ForKeyShare}
	tableModes = map[string]storage.TableMode{"share": storage.Share, "rowexclusive": storage.RowExclusive, "accessshare": storage.AccessShare,
		"accessexclusive": storage.AccessExclusive}
	waits = map[string]storage.WaitPolicy{"nowait": storage.NoWait, "skip": storage.SkipLocked}
)

func (p *player) command(rel *catalog.Relation, words []string) (string, error) {
	policy := waits[words[len(words)-1]]
	switch words[0] {
	case "scan":
		return p.list(storage.ScanSpec{Rel: rel})
	case "range":
		return p.list(storage.ScanSpec{Rel: rel, Bounds: []storage.KeyRange{{Start: p.key(rel, words[1]), End: p.key(rel, words[2])}}})
	case "locked":
		return p.list(storage.ScanSpec{Rel: rel, Lock: storage.ForUpdate, Wait: storage.SkipLocked})
	case "insert":
		_, _, err := p.tx.Insert(bg, rel, p.doc(words[1], words[2]))
		return words[2], err
	case "locktable":
		return "locked", p.tx.LockTable(bg, rel.ID, tableModes[words[1]], policy)
	case "drop":
		return "dropped", p.tx.DropRelation(bg, rel.ID)
	case "truncate":
		return "truncated", p.tx.Truncate(bg, rel.ID)
	}
	k := p.key(rel, words[1])
	old, ok, err := p.tx.Get(bg, rel, k)
	if err != nil || !ok {
		return "nothing", err
	}
	v := old.Lookup("v").Canonical()
	switch words[0] {
	case "read":
		return v, nil
	case "lock":
		state, now, err := p.tx.LockRow(bg, rel, k, old, rowModes[words[2]], policy)
		switch {
		case err != nil:
			return "", err
		case state == storage.RowSkipped:
			return "skipped", nil
		case state == storage.RowGone:
			return "nothing", nil
		}
		return now.Lookup("v").Canonical(), nil
	case "set":
		_, err := p.tx.Update(bg, rel, k, old, p.doc(words[1], words[2]))
		return words[2], err
	case "add":
		a, _ := strconv.Atoi(v)
		b, _ := strconv.Atoi(words[2])
		_, err := p.tx.Update(bg, rel, k, old, p.doc(words[1], strconv.Itoa(a+b)))
		return strconv.Itoa(a + b), err
	case "delete":
		return "deleted", p.tx.Delete(bg, rel, k, old)
	}
	return "", fmt.Errorf("no command %q", words[0])
}

// key gives the row key of an _id that is a string.
func (p *player) key(rel *catalog.Relation, id string) []byte {
	if rel.Kind == catalog.Table {
		k, err := storage.PrimaryKey(rel, []value.Value{value.String(id)})
		if err != nil {
			p.t.Error(err)
		}
		return k
	}
	wide := *rel
	wide.IDTypes[0] |= 1 << doc.TypeString
	keys, err := storage.IDKeys(&wide, id)
	if err != nil || len(keys) == 0 {
		p.t.Errorf("no key for %q: %v", id, err)
	}
	return keys[len(keys)-1]
}

func (p *player) list(s storage.ScanSpec) (string, error) {
	rs, err := tryRows(p.tx, s)
	var out []string
	for _, r := range rs {
		out = append(out, r.id+"="+r.raw.Lookup("v").Canonical())
	}
	slices.Sort(out)
	return strings.Join(out, " "), err
}
