//go:build !linux

package bolt

import "go.etcd.io/bbolt"

// residentPages are 0: the system doesn't tell.
func residentPages() (mapped, others int64) { return 0, 0 }

func forgetMap(*bbolt.DB, string) {}
