//go:build !unix

package vfs

import (
	"io"
	"os"
)

// mapFile reads the file where it cannot be mapped.
func mapFile(f *os.File, size int64) ([]byte, error) {
	b := make([]byte, size)
	_, err := io.ReadFull(io.NewSectionReader(f, 0, size), b)
	return b, err
}

func unmapFile([]byte) error { return nil }

func forgetMap([]byte) {}
