//go:build unix

package main

import (
	"os/signal"
	"syscall"
)

// ignoreFileLimit makes a file that reaches the process's limit (ulimit -f) fail to grow, as on a full disk, instead of ending the
// process.
func ignoreFileLimit() { signal.Ignore(syscall.SIGXFSZ) }
