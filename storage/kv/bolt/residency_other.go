//go:build !linux

package bolt

import "go.etcd.io/bbolt"

// mappedBytes is 0: the system doesn't tell.
func mappedBytes() int64 { return 0 }

func forgetMap(*bbolt.DB, string) {}
