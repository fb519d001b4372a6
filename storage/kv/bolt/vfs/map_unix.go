//go:build unix

package vfs

import (
	"os"

	"golang.org/x/sys/unix"
)

func mapFile(f *os.File, size int64) ([]byte, error) {
	b, err := unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_SHARED)
	return b, os.NewSyscallError("mmap", err)
}

func unmapFile(b []byte) error { return unix.Munmap(b) }

// forgetMap is advice, so a failure does not matter.
func forgetMap(b []byte) { unix.Madvise(b, unix.MADV_DONTNEED) }
