package session

import (
	"sync"

	"github.com/omgdb/omgdb/storage/dberr"
)

// Event is something that the client has to hear of beside its results. Exactly one field is set.
type Event struct {
	Notice       *dberr.Error
	Notification *Notification
	Parameter    *Parameter
}

// Notification is a NOTIFY that reached a listening session.
type Notification struct {
	PID              int32
	Channel, Payload string
}

// Parameter is a setting's value that the client keeps track of.
type Parameter struct{ Name, Value string }

// notice queues a notice unless client_min_messages is above it.
func (s *Session) notice(e *dberr.Error) {
	if severityRank(e.Severity) >= s.minSeverity {
		s.events = append(s.events, Event{Notice: e})
	}
}

// Notice queues a notice made of its parts; functions raise notices this way.
func (s *Session) Notice(severity, code, message string) {
	s.notice(&dberr.Error{Severity: severity, Code: code, Message: message})
}

// Events gives and forgets what has happened, in order. Notifications come only outside of transactions. The slice is valid until
// the session is used again.
func (s *Session) Events() []Event {
	if s.state == idle {
		for _, n := range s.inbox.drain() {
			s.events = append(s.events, Event{Notification: &n})
		}
	}
	out := s.events
	if len(out) > 0 {
		s.events = s.events[len(s.events):]
	}
	return out
}

// ReportChanges adds to the events the reported settings whose value is not the one last told. Doors call it when a query has ended,
// before ReadyForQuery.
func (s *Session) ReportChanges() {
	if !s.reportStale {
		return
	}
	for n, name := range reported {
		if val := s.vars.vals[settingNo(name)]; val != s.told[n] {
			s.told[n] = val
			s.events = append(s.events, Event{Parameter: &Parameter{Name: name, Value: val}})
		}
	}
	s.reportStale = false
}

// Parameters gives the reported settings in the order of PostgreSQL's start-up.
func (s *Session) Parameters() []Parameter {
	out := make([]Parameter, len(reported))
	for i, name := range reported {
		s.told[i] = s.vars.vals[settingNo(name)]
		out[i] = Parameter{name, s.told[i]}
	}
	s.reportStale = false
	return out
}

// inbox holds the notifications that other sessions have put there.
type inbox struct {
	mu    sync.Mutex
	notes []Notification
}

func (b *inbox) put(n Notification) {
	b.mu.Lock()
	b.notes = append(b.notes, n)
	b.mu.Unlock()
}

func (b *inbox) drain() []Notification {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := b.notes
	b.notes = nil
	return out
}
