package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// memory is a process's resident memory in bytes; file is the part that maps files, which the system can take back.
type memory struct{ resident, file int64 }

func (m memory) String() string {
	return fmt.Sprintf("%d MiB (%d of them mapped files)", m.resident>>20, m.file>>20)
}

// memoryWatch looks at a process's memory many times a second.
type memoryWatch struct {
	end, done chan struct{}
	peak      memory
}

func watchMemory(pid int) *memoryWatch {
	w := &memoryWatch{end: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(w.done)
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			if m := readMemory(pid); m.resident > w.peak.resident {
				w.peak = m
			}
			select {
			case <-w.end:
				return
			case <-tick.C:
			}
		}
	}()
	return w
}

// stop ends the watch and gives the most that was seen.
func (w *memoryWatch) stop() memory {
	close(w.end)
	<-w.done
	return w.peak
}

func readMemory(pid int) memory {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	fields := strings.Fields(string(text))
	if err != nil || len(fields) < 3 {
		return memory{}
	}
	page := int64(os.Getpagesize())
	resident, _ := strconv.ParseInt(fields[1], 10, 64)
	file, _ := strconv.ParseInt(fields[2], 10, 64)
	return memory{resident * page, file * page}
}

// others are two sessions that work on a table of their own: one reads, one writes.
type others struct {
	cancel context.CancelFunc
	wg     sync.WaitGroup
	conns  [2]*pgx.Conn
	took   [2][]time.Duration
	errs   [2]error
}

var work = [2]string{"SELECT n FROM aside WHERE id = $1", "UPDATE aside SET n = n + 1 WHERE id = $1"}

func (d *driver) beginOthers(ctx context.Context) (*others, error) {
	o := &others{}
	ctx, o.cancel = context.WithCancel(ctx)
	for i := range o.conns {
		var err error
		if o.conns[i], err = pgx.Connect(ctx, d.server.URL); err != nil {
			o.cancel()
			return nil, err
		}
	}
	for i, c := range o.conns {
		o.wg.Go(func() { o.errs[i] = o.run(ctx, c, i) })
	}
	return o, nil
}

// run asks again and again, with a breath between two questions, until the end.
func (o *others) run(ctx context.Context, c *pgx.Conn, i int) error {
	breath := time.NewTicker(2 * time.Millisecond)
	defer breath.Stop()
	for n := 0; ; n++ {
		start := time.Now()
		_, err := c.Exec(context.WithoutCancel(ctx), work[i], n%1000+1)
		if err != nil {
			return err
		}
		o.took[i] = append(o.took[i], time.Since(start))
		select {
		case <-ctx.Done():
			return nil
		case <-breath.C:
		}
	}
}

// waits is how long the others waited for answers.
type waits struct {
	p99     [2]time.Duration
	longest time.Duration
	count   int
}

func (w waits) String() string {
	return fmt.Sprintf("p99 of reads %s, of durable writes %s, longest %s, of %d", w.p99[0].Round(10*time.Microsecond),
		w.p99[1].Round(10*time.Microsecond), w.longest.Round(time.Millisecond), w.count)
}

func (o *others) stop() (waits, error) {
	o.cancel()
	o.wg.Wait()
	var w waits
	for i, took := range o.took {
		o.conns[i].Close(context.Background())
		if len(took) == 0 {
			continue
		}
		slices.Sort(took)
		w.p99[i] = took[len(took)*99/100]
		w.longest = max(w.longest, took[len(took)-1])
		w.count += len(took)
	}
	return w, errors.Join(o.errs[:]...)
}
