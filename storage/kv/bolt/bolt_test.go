package bolt_test

import (
	"testing"

	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/kv/bolt"
	"github.com/omgdb/omgdb/storage/kv/kvtest"
	"github.com/omgdb/omgdb/storage/kv/mem"
)

func open(dir string) (kv.Store, error) {
	return bolt.Open(dir, bolt.Options{Create: true})
}

func TestConformance(t *testing.T) {
	kvtest.Run(t, kvtest.Engine{Open: open, Durable: true})
}

// TestConformanceSmall passes the same suite with maps, run files and checkpoints so small that all of them take part in
// every test.
func TestConformanceSmall(t *testing.T) {
	kvtest.Run(t, kvtest.Engine{Durable: true, Open: func(dir string) (kv.Store, error) {
		return bolt.Open(dir, bolt.Small(bolt.Options{Create: true}))
	}})
}

// TestConformanceStored passes it with everything in store.db.
func TestConformanceStored(t *testing.T) {
	kvtest.Run(t, kvtest.Engine{Durable: true, Open: bolt.OpenStored})
}

// TestConformanceRuns passes it with every batch in a run file.
func TestConformanceRuns(t *testing.T) {
	kvtest.Run(t, kvtest.Engine{Durable: true, Open: bolt.OpenRuns})
}

func TestConformanceBesideMem(t *testing.T) {
	kvtest.Run(t, kvtest.Engine{Open: func(dir string) (kv.Store, error) {
		s, err := open(dir)
		if err != nil {
			return nil, err
		}
		return kvtest.Mirror(s, mem.New()), nil
	}})
}
