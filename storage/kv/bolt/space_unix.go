//go:build unix

package bolt

import "golang.org/x/sys/unix"

// freeSpace is the number of bytes that the file system of dir still has; a guess of plenty where it cannot be told.
func freeSpace(dir string) uint64 {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 1 << 62
	}
	return uint64(st.Bavail) * uint64(st.Bsize)
}
