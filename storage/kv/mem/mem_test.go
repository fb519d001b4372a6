package mem_test

import (
	"testing"

	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/kv/kvtest"
	"github.com/omgdb/omgdb/storage/kv/mem"
)

func TestConformance(t *testing.T) {
	kvtest.Run(t, kvtest.Engine{Open: func(string) (kv.Store, error) { return mem.New(), nil }})
}

func TestConformanceOfTheMirror(t *testing.T) {
	kvtest.Run(t, kvtest.Engine{Open: func(string) (kv.Store, error) { return kvtest.Mirror(mem.New(), mem.New()), nil }})
}
