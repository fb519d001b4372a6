package bolt

import (
	"bufio"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/omgdb/omgdb/storage/kv"
)

// victimEnv names the directory of the store that this test binary, started anew, writes to until it is killed.
const victimEnv = "OMGDB_TEST_VICTIM"

func TestMain(m *testing.M) {
	if dir := os.Getenv(victimEnv); dir != "" {
		fmt.Fprintln(os.Stderr, victim(dir))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// victim commits the history and prints each LSN once it is acknowledged.
func victim(dir string) error {
	o := Options{Create: true, tune: usual}
	o.tune.layerBytes, o.tune.runBytes, o.tune.sliceBytes, o.tune.idle = 128<<10, 32<<10, 64<<10, 5*time.Millisecond
	s, err := Open(dir, o)
	if err != nil {
		return err
	}
	for lsn := s.last + 1; ; lsn++ {
		if err := s.Apply(ctx, []kv.Batch{historic(lsn)}); err != nil {
			return err
		}
		fmt.Println(lsn)
	}
}

// historic is the commit number lsn of the history: always the same.
func historic(lsn kv.LSN) *kv.MemBatch {
	rng := rand.New(rand.NewPCG(uint64(lsn), 1))
	n := 1 + rng.IntN(5)
	if rng.IntN(20) == 0 {
		n = 300 + rng.IntN(400)
	}
	ops := map[string]kv.Op{}
	for range n {
		key := fmt.Sprintf("d\x00\x00\x00\x00\x00\x00\x00%c%04d", rng.IntN(3), rng.IntN(2000))
		op := kv.Op{Key: []byte(key), KeyStamp: kv.NoStamp, ValueStamp: kv.NoStamp, Delete: rng.IntN(4) == 0}
		if !op.Delete {
			op.Value = []byte(strings.Repeat(fmt.Sprint(lsn, " "), rng.IntN(40)))
		}
		ops[key] = op
	}
	b := &kv.MemBatch{Num: lsn}
	for _, key := range slices.Sorted(maps.Keys(ops)) {
		b.Op = append(b.Op, ops[key])
	}
	return b
}

// TestKill kills a process in the middle of its commits and checkpoints, over and over on one store: each time all
// acknowledged commits are there, and of the next one all or nothing.
func TestKill(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	rng := rand.New(rand.NewPCG(3, 4))
	model, at := map[string]string{}, kv.LSN(0)
	rounds := 15
	if testing.Short() {
		rounds = 3
	}
	for round := range rounds {
		acked := runVictim(t, dir, 20+rng.IntN(150))
		s, err := Open(dir, Options{})
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		lsn, rows := contents(t, s)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if lsn < acked || lsn > acked+1 {
			t.Fatalf("round %d: the store is at %d, acknowledged was %d", round, lsn, acked)
		}
		for ; at < lsn; at++ {
			for _, op := range historic(at + 1).Op {
				if op.Delete {
					delete(model, string(op.Key))
				} else {
					model[string(op.Key)] = string(op.Value)
				}
			}
		}
		if !maps.Equal(rows, model) {
			t.Fatalf("round %d, at %d: %s", round, lsn, difference(rows, model))
		}
	}
}

// runVictim starts the victim, kills it after some commits and gives the last one that it acknowledged.
func runVictim(t *testing.T, dir string, commits int) (acked kv.LSN) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), victimEnv+"="+dir)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for n := 0; lines.Scan(); n++ {
		if _, err := fmt.Sscan(lines.Text(), &acked); err != nil {
			t.Fatal(err)
		}
		if n == commits {
			cmd.Process.Kill() // and read on: what it printed before it died was acknowledged
		}
	}
	cmd.Wait()
	if acked == 0 || stderr.Len() > 0 {
		t.Fatalf("the victim failed: %s", stderr.String())
	}
	return acked
}
