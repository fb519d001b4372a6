package bolt

import (
	"go.etcd.io/bbolt"
	"golang.org/x/sys/unix"
)

// allowReadAhead takes back bbolt's advice that the map is read at random: with it a scan of a file that is not in memory
// waits for every single page (70,000 rows of 400 bytes a second where a million are possible), while single reads gain
// nothing. It is advice, so a failure does not matter.
func allowReadAhead(db *bbolt.DB, size int64) {
	unix.Syscall(unix.SYS_MADVISE, db.Info().Data, uintptr(size), unix.MADV_NORMAL)
}
