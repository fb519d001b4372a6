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

func TestConformanceBesideMem(t *testing.T) {
	kvtest.Run(t, kvtest.Engine{Open: func(dir string) (kv.Store, error) {
		s, err := open(dir)
		if err != nil {
			return nil, err
		}
		return kvtest.Mirror(s, mem.New()), nil
	}})
}
