package contextsvc

import (
	"fmt"
	"io/fs"
	"syscall"
	"time"
)

// stampOf identifies a state of a file without reading it: size, inode, and the times of the last change of content and of inode. The
// last one cannot be set back by programs, so an unchanged stamp means unchanged content, unless the file was changed in the moment
// when it was read (see settled). "" where the system doesn't tell.
func stampOf(info fs.FileInfo) string {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%x.%x.%x.%x", st.Size, st.Ino, st.Mtim.Nano(), st.Ctim.Nano())
}

// clockGrain is more than the grain of any file system's clock.
const clockGrain = 2 * time.Second

// settled tells whether a file's last change lies so far before the time of a look at it that a later change would show in the stamp.
func settled(info fs.FileInfo, at time.Time) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && at.Sub(time.Unix(0, st.Ctim.Nano())) > clockGrain
}
