package spill

import (
	"errors"
	"syscall"
)

// isFull tells whether an error means that the disk has no room.
func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
