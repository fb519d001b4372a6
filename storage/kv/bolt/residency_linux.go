package bolt

import (
	"bytes"
	"os"
	"strconv"

	"go.etcd.io/bbolt"
	"golang.org/x/sys/unix"
)

// residentPages is how many bytes of the process's resident memory are pages of files, and how many are its own; 0 when that can't be told.
func residentPages() (mapped, others int64) {
	f, err := os.Open("/proc/self/statm")
	if err != nil {
		return 0, 0
	}
	defer f.Close()
	var buf [128]byte
	n, _ := f.Read(buf[:])
	fields := bytes.Fields(buf[:n])
	if len(fields) < 3 {
		return 0, 0
	}
	resident, err := strconv.ParseInt(string(fields[1]), 10, 64)
	if err != nil {
		return 0, 0
	}
	shared, err := strconv.ParseInt(string(fields[2]), 10, 64)
	if err != nil {
		return 0, 0
	}
	page := int64(os.Getpagesize())
	return shared * page, (resident - shared) * page
}

// forgetMap takes the pages of store.db out of the process's map. For a map of a file that is only read they come back as they
// were. It is advice, so a failure does not matter.
func forgetMap(db *bbolt.DB, path string) {
	if info, err := os.Stat(path); err == nil {
		unix.Syscall(unix.SYS_MADVISE, db.Info().Data, uintptr(info.Size()), unix.MADV_DONTNEED)
	}
}
