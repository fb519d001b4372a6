package main

import (
	"context"
	"encoding/json"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/omgdb/omgdb/pgwire"
)

// showProgress draws a bar on standard error as long as an index run takes, if that is a terminal and takes more than a moment. The
// function that it gives ends the bar.
func (f *indexFlags) showProgress(cmd *cobra.Command) (done func()) {
	file, ok := cmd.ErrOrStderr().(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return func() {}
	}
	ctx, stop := context.WithCancel(cmd.Context())
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		f.drawProgress(ctx, file)
	}()
	return func() {
		stop()
		<-gone
	}
}

// barAfter is how long a run may take without a bar.
const barAfter = time.Second

// drawProgress asks the process that makes the run, which is this one or the one that serves the store, how far it is.
func (f *indexFlags) drawProgress(ctx context.Context, file *os.File) {
	select {
	case <-ctx.Done():
		return
	case <-time.After(barAfter):
	}
	c, done, err := pgwire.DialWith(ctx, f.store, pgwire.DialOptions{Application: "omgdb"})
	if err != nil {
		return // the bar is no more than a courtesy
	}
	defer done()
	bar := progressbar.NewOptions64(1, progressbar.OptionSetWriter(file), progressbar.OptionSetDescription("indexing"), progressbar.OptionShowCount(),
		progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish(), progressbar.OptionSetWidth(30))
	defer bar.Finish()
	for ctx.Err() == nil {
		var text *string
		if err := c.QueryRow(ctx, `SELECT omgdb.context_progress($1)::text`, f.dir).Scan(&text); err != nil {
			return
		}
		var p struct {
			Found, Done int64
			Walked      bool
		}
		if text != nil && json.Unmarshal([]byte(*text), &p) == nil && p.Walked && p.Done < p.Found {
			bar.ChangeMax64(p.Found)
			_ = bar.Set64(p.Done)
		}
		select {
		case <-ctx.Done():
		case <-time.After(200 * time.Millisecond):
		}
	}
}
