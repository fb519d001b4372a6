//go:build unix

package bolt

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// roomToGrow is by how many bytes the file can still grow: what its file system has left, and what the process's limit on files
// leaves; a guess of plenty where it cannot be told.
func roomToGrow(path string) uint64 {
	room := freeSpace(filepath.Dir(path))
	var limit unix.Rlimit
	info, err := os.Stat(path)
	if err != nil || unix.Getrlimit(unix.RLIMIT_FSIZE, &limit) != nil {
		return room
	}
	if size := uint64(info.Size()); size < uint64(limit.Cur) {
		return min(room, uint64(limit.Cur)-size)
	}
	return 0
}

// freeSpace is the number of bytes that the file system of dir still has; a guess of plenty where it cannot be told.
func freeSpace(dir string) uint64 {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 1 << 62
	}
	return uint64(st.Bavail) * uint64(st.Bsize)
}
