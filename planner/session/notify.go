package session

import (
	"slices"
	"sync"

	"github.com/omgdb/omgdb/storage/dberr"
)

// Limits of NOTIFY, PostgreSQL's.
const (
	maxChannel = 63
	maxPayload = 7999
)

// note is one NOTIFY of a transaction.
type note struct{ channel, payload string }

// hub knows who listens to what. Its lock is held over the commit of a transaction that notifies, so that all listeners get
// notifications in the order of commits.
type hub struct {
	mu       sync.Mutex
	channels map[string]map[*Session]bool
}

func newHub() *hub { return &hub{channels: map[string]map[*Session]bool{}} }

// committing runs the commit of a transaction with these notes and delivers them when it succeeds.
func (h *hub) committing(from *Session, notes []note, commit func() error) error {
	if len(notes) == 0 {
		return commit()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := commit(); err != nil {
		return err
	}
	for _, n := range notes {
		for s := range h.channels[n.channel] {
			s.inbox.put(Notification{PID: from.pid, Channel: n.channel, Payload: n.payload})
			if s != from {
				s.opts.Wake()
			}
		}
	}
	return nil
}

// listen and unlisten take effect at once; the session calls them when its transaction commits.
func (h *hub) listen(s *Session, channel string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.channels[channel] == nil {
		h.channels[channel] = map[*Session]bool{}
	}
	h.channels[channel][s] = true
}

// unlisten takes the session off one channel, or off all with "".
func (h *hub) unlisten(s *Session, channel string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for name, set := range h.channels {
		if channel == "" || name == channel {
			delete(set, s)
			if len(set) == 0 {
				delete(h.channels, name)
			}
		}
	}
}

// channelsOf lists the channels that a session listens to, in order.
func (h *hub) channelsOf(s *Session) []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var out []string
	for name, set := range h.channels {
		if set[s] {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// listenOp is a LISTEN or UNLISTEN that waits for the commit.
type listenOp struct {
	channel string
	off     bool
}

// Notify queues a notification for the commit; one that the transaction has queued already is folded into it.
func (s *Session) Notify(channel, payload string) error {
	switch {
	case channel == "":
		return dberr.New(dberr.InvalidParameterValue, "channel name cannot be empty")
	case len(channel) > maxChannel:
		return dberr.New(dberr.InvalidParameterValue, "channel name too long")
	case len(payload) > maxPayload:
		return dberr.New(dberr.InvalidParameterValue, "payload string too long")
	}
	n := note{channel, payload}
	if s.tx.noteSet == nil {
		s.tx.noteSet = map[note]bool{}
	}
	if !s.tx.noteSet[n] {
		s.tx.noteSet[n] = true
		s.tx.notes = append(s.tx.notes, n)
	}
	return nil
}

// cutNotes forgets the notes queued since there were n.
func (s *Session) cutNotes(n int) {
	for _, x := range s.tx.notes[n:] {
		delete(s.tx.noteSet, x)
	}
	s.tx.notes = s.tx.notes[:n]
}

// applyListens carries out the LISTENs and UNLISTENs of the transaction that commits.
func (s *Session) applyListens() {
	for _, op := range s.tx.listens {
		if op.off {
			s.srv.hub.unlisten(s, op.channel)
		} else {
			s.srv.hub.listen(s, op.channel)
		}
	}
}
