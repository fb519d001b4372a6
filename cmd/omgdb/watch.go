package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"github.com/omgdb/omgdb/functions/contextsvc"
)

// Changes come in bursts: a run begins when nothing has happened for quiet, or something for longest. Where the system cannot tell of all
// changes, the directory is looked through every so often.
const (
	quiet     = 200 * time.Millisecond
	longest   = 2 * time.Second
	lookAgain = 5 * time.Second
)

// follow indexes changes until it is interrupted, which is its usual end, or until the directory is gone.
func (f *indexFlags) follow(cmd *cobra.Command, c *pgx.Conn) error {
	ctx := cmd.Context()
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("cannot watch %q: %w", f.dir, err)
	}
	defer w.Close()
	for ctx.Err() == nil {
		complete, err := f.watchFolders(ctx, w)
		if err != nil {
			break
		}
		// What has changed before the folders were watched is found now.
		if did, err := f.index(cmd, c, false); err != nil {
			return f.ended(ctx, err)
		} else if did {
			continue
		}
		if err := await(ctx, w, complete); err != nil {
			return f.ended(ctx, err)
		}
	}
	return f.ended(ctx, ctx.Err())
}

// ended is the error of a watch: none when it was asked to stop.
func (f *indexFlags) ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	if _, serr := os.Stat(f.dir); errors.Is(serr, fs.ErrNotExist) {
		return fmt.Errorf("%q was removed", f.dir)
	}
	return err
}

// watchFolders watches the folders that there are now. It is not complete when the system has no room for all of them.
func (f *indexFlags) watchFolders(ctx context.Context, w *fsnotify.Watcher) (complete bool, err error) {
	folders, err := contextsvc.Folders(ctx, f.dir)
	if err != nil {
		return false, err
	}
	watched := map[string]bool{}
	for _, name := range w.WatchList() {
		watched[name] = true
	}
	complete = true
	for _, name := range folders {
		if watched[name] {
			continue
		}
		switch err := w.Add(name); {
		case err == nil, errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EMFILE):
			return false, nil
		default:
			return false, err
		}
	}
	return complete, nil
}

// await returns when something has changed and it has become quiet, or when it is time to look again.
func await(ctx context.Context, w *fsnotify.Watcher, complete bool) error {
	var again, calm, late <-chan time.Time
	if !complete {
		again = time.After(lookAgain)
	}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-again:
			return nil
		case <-calm:
			return nil
		case <-late:
			return nil
		case e, ok := <-w.Events:
			if !ok {
				return errors.New("the watch has ended")
			}
			if ours(e.Name) {
				continue
			}
			if late == nil {
				late = time.After(longest)
			}
			calm = time.After(quiet)
		case err := <-w.Errors:
			if errors.Is(err, fsnotify.ErrEventOverflow) { // some changes are lost: all are looked for
				return nil
			}
			return err
		}
	}
}

// ours tells whether a path is that of an index's store, which changes because of us.
func ours(path string) bool {
	name := filepath.Base(path)
	return name == contextsvc.StoreName || strings.HasPrefix(name, contextsvc.StoreName+"-")
}
