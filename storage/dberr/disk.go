package dberr

import (
	"errors"
	"syscall"
)

// IsDiskFull tells whether a write failed for want of space: of the disk, of a quota, or of the largest file that the process may make.
func IsDiskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

// Disk gives a failed use of a file its code: 53100 when there is no space, else 58030.
func Disk(err error, format string, args ...any) *Error {
	code := IOError
	if IsDiskFull(err) {
		code = DiskFull
	}
	return Wrap(err, code, format, args...)
}
