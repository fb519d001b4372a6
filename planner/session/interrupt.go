package session

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/dberr"
)

// interrupt ends the running statement of a session from outside: a cancel request, a timeout, the end of the server.
// It lends each message a context that is reused from message to message until somebody fires, so that a statement costs
// no allocation here. The context lives in a struct because it belongs to the session, not to a call.
type interrupt struct {
	mu      sync.Mutex
	base    context.Context
	ctx     context.Context
	cancel  context.CancelCauseFunc
	running bool
	ending  *dberr.Error // terminate was called: nothing runs any more

	timer *time.Timer
	armed uint64       // number of the arming that the timer belongs to, 0 while none
	late  *dberr.Error // the time was up while the client kept us waiting amid a statement's messages: the next one hears of it
	arms  uint64
}

// enter marks the session as running and gives the context of what it runs.
func (i *interrupt) enter() context.Context {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.ctx == nil || i.ctx.Err() != nil && i.ending == nil {
		i.ctx, i.cancel = context.WithCancelCause(i.base)
	}
	i.running = true
	if i.late != nil {
		i.cancel(i.late)
		i.late = nil
	}
	return i.ctx
}

// leave marks the session as idle: a cancel request that comes now is too late.
func (i *interrupt) leave() {
	i.mu.Lock()
	i.running = false
	i.mu.Unlock()
}

// fire cancels what runs; it does nothing while the session is idle.
func (i *interrupt) fire(cause *dberr.Error) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if !i.running {
		return false
	}
	i.cancel(cause)
	return true
}

// terminate cancels what runs and everything that would run later.
func (i *interrupt) terminate(cause *dberr.Error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.ending != nil {
		return
	}
	if i.ctx == nil || i.ctx.Err() != nil {
		i.ctx, i.cancel = context.WithCancelCause(i.base)
	}
	i.ending = cause
	i.cancel(cause)
}

// ended gives the reason of terminate, nil while the session may go on.
func (i *interrupt) ended() *dberr.Error {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.ending
}

// arm starts the statement's clock unless it runs already.
func (i *interrupt) arm(d time.Duration, cause *dberr.Error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.armed != 0 {
		return
	}
	i.arms++
	n := i.arms
	i.armed = n
	i.timer = time.AfterFunc(d, func() { i.expire(n, cause) })
}

// expire is fire for the timer of arming n, if it still counts.
func (i *interrupt) expire(n uint64, cause *dberr.Error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	switch {
	case i.armed != n:
	case i.running:
		i.cancel(cause)
	default:
		i.late = cause
	}
}

// disarm stops the statement's clock.
func (i *interrupt) disarm() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.armed != 0 {
		i.timer.Stop()
		i.armed, i.late = 0, nil
	}
}

// translate gives the error that a client should see for err: what interrupted the statement stands for whatever the interrupted
// code made of it.
func translate(ctx context.Context, err error) *dberr.Error {
	if ctx.Err() != nil {
		var cause *dberr.Error
		if errors.As(context.Cause(ctx), &cause) {
			return cause
		}
		if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			return dberr.Wrap(err, dberr.AdminShutdown, "terminating connection due to administrator command")
		}
	}
	if errors.Is(err, storage.ErrStale) {
		return dberr.Wrap(err, dberr.SerializationFailure, "the relation has changed while the statement waited for it").WithHint("Run the statement again.")
	}
	return dberr.As(err)
}

// The reasons of interrupts.
var (
	errCancelled  = dberr.New(dberr.QueryCanceled, "canceling statement due to user request")
	errTimeout    = dberr.New(dberr.QueryCanceled, "canceling statement due to statement timeout")
	errTerminated = &dberr.Error{Severity: "FATAL", Code: dberr.AdminShutdown, Message: "terminating connection due to administrator command"}
)
