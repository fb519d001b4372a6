//go:build !linux

package bolt

import "go.etcd.io/bbolt"

// allowReadAhead does nothing where we do not know that it helps.
func allowReadAhead(*bbolt.DB, int64) {}
